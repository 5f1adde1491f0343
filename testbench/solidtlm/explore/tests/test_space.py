# SPDX-License-Identifier: Apache-2.0
import random
import unittest

from solidtlm.explore import front, intervals, space
from solidtlm.explore.space import Key, Space, range_values
from solidtlm.explore.toml_lines import Lines


class Ranges(unittest.TestCase):
    def test_steps_and_factors(self):
        self.assertEqual(range_values("k", {"from": 1, "to": 7, "step": 3}), [1, 4, 7])
        self.assertEqual(range_values("k", {"from": 1, "to": 16, "factor": 2}), [1, 2, 4, 8, 16])
        self.assertEqual(range_values("k", {"from": "512KiB", "to": "2MiB", "factor": 2}), ["512KiB", "1MiB", "2MiB"])
        self.assertEqual(range_values("k", {"from": "50us", "to": "100us", "step": "25us"}), ["50us", "75us", "100us"])
        self.assertEqual(range_values("k", {"from": 0.1, "to": 0.3, "step": 0.1}), [0.1, 0.2, 0.3])

    def test_what_is_no_range(self):
        for table in ({"from": 1, "to": 3}, {"from": 1, "step": 1}, {"from": 3, "to": 1, "step": 1},
                      {"from": 1, "to": 3, "step": 0}, {"from": 1, "to": 3, "factor": 1},
                      {"from": 0, "to": 3, "factor": 2},
                      {"from": "a", "to": 3, "step": 1}, {"from": 0, "to": 10**9, "step": 1}):
            with self.subTest(table), self.assertRaises(space.SpaceError):
                range_values("k", table)


class Conditions(unittest.TestCase):
    def setUp(self):
        self.space = Space([Key("size", [1, 2, 3], True, when={"policy": ["dftl", "tafp"]}),
                            Key("policy", ["full", "dftl", "tafp"], False)])

    def test_a_key_counts_only_where_its_condition_holds(self):
        self.assertEqual(self.space.settings({"size": 1, "policy": 0}), {"policy": "full"})
        self.assertEqual(self.space.settings({"size": 1, "policy": 2}), {"size": 2, "policy": "tafp"})

    def test_a_condition_may_name_a_key_of_the_base(self):
        alone = Space([Key("size", [1, 2], True, unless={"policy": ["full"]})])
        self.assertEqual(alone.settings({"size": 1}, {"policy": "full"}), {})
        self.assertEqual(alone.settings({"size": 1}, {"policy": "dftl"}), {"size": 2})

    def test_circles(self):
        circle = Space([Key("a", [1], True, when={"b": [1]}), Key("b", [1], True, when={"a": [1]})])
        self.assertEqual(circle.circle(), ["a", "b"])
        self.assertEqual(self.space.circle(), [])

    def test_the_grid_has_every_point_once(self):
        self.assertEqual(self.space.size(), 9)
        self.assertEqual(len({tuple(self.space.at(i).items()) for i in range(9)}), 9)


class Fronts(unittest.TestCase):
    def test_against_the_definition(self):
        chance = random.Random(1)
        for axes in (1, 2, 3):
            losses = [[chance.randrange(8) for _ in range(axes)] for _ in range(60)]
            kept = front.front(losses)
            for i, each in enumerate(losses):
                beaten = any(front.dominates(other, each) for other in losses)
                first = losses.index(each) == i
                self.assertEqual(i in kept, not beaten and first)

    def test_ranks(self):
        losses = [[1, 1], [0, 3], [3, 0], [2, 2], [0, 0]]
        self.assertEqual(front.ranked(losses, [0, 0, 0, 0, 1])[3:], [3, 4])
        self.assertEqual(front.ranked([[1], [2], [3]], [0.5, 0.1, 0]), [2, 1, 0])

    def test_hypervolume(self):
        # Two rectangles by hand: 3 x 1 and 1 x 3 that share 1 x 1, from (0, 2) and (2, 0) to (3, 3).
        self.assertAlmostEqual(front.hypervolume([[0, 2], [2, 0]], [3, 3]), 5)
        self.assertEqual(front.hypervolume([[4, 0]], [3, 3]), 0)


class Intervals(unittest.TestCase):
    def test_half_width(self):
        # 10, 12, 14: s = 2, t(2) = 4.303, 4.303 * 2 / sqrt(3)
        self.assertAlmostEqual(intervals.half_width([10, 12, 14]), 4.9687, 3)
        self.assertIsNone(intervals.half_width([1]))

    def test_half_width_of_a_difference(self):
        # Squares of the standard errors 1 and 4: (1 + 4)^2 / (1^2 / 1 + 4^2 / 1) = 1.47 degrees of freedom;
        # t(1) = 12.706, times sqrt(5).
        self.assertAlmostEqual(intervals.half_width_of_difference([1, 3], [10, 14]), 28.4115, 3)
        # 4/3 and 3: (13/3)^2 / ((4/3)^2 / 2 + 3^2 / 2) = 3.48; t(3) = 3.182, times sqrt(13/3).
        self.assertAlmostEqual(intervals.half_width_of_difference([10, 12, 14], [0, 3, 6]), 6.6239, 3)
        # Equal errors and sizes: 2 (n - 1) degrees of freedom; t(4) = 2.776, times sqrt(8/3).
        self.assertAlmostEqual(intervals.half_width_of_difference([10, 12, 14], [0, 2, 4]), 4.5332, 3)
        self.assertEqual(intervals.half_width_of_difference([1, 1], [2, 2, 2]), 0)
        self.assertIsNone(intervals.half_width_of_difference([1], [2, 3]))

    def test_quantiles_beyond_the_table(self):
        for freedom, known in ((40, 2.021), (60, 2.000), (120, 1.980)):  # from printed tables
            self.assertAlmostEqual(intervals.t_quantile(freedom), known, 3)


class TomlLines(unittest.TestCase):
    def test_places(self):
        lines = Lines('a = 1\n[b.c]\n"d.e" = [\n  "x",\n  "y",\n]\n[[w]]\nspec = 1\n[[w]]\nspec = 2 # [\nf = 3\n')
        for path, value, line in ((("a",), None, 1), (("b", "c", "d.e"), None, 3), (("b", "c", "d.e"), "y", 5),
                                  (("w", 0, "spec"), None, 8), (("w", 1, "spec"), None, 10), (("w", 1, "f"), None, 11),
                                  (("w", 1, "nothing"), None, 9), (("nothing",), None, 0)):
            self.assertEqual(lines.of(path, value), line, path)


if __name__ == "__main__":
    unittest.main()
