# SPDX-License-Identifier: Apache-2.0
import itertools
import random
import types
import unittest

from solidtlm.explore import interactions


def search_of(values, count, loss):
    """`count` random points over keys with these numbers of values, and with loss(genes)."""
    chance = random.Random(1)
    keys = [types.SimpleNamespace(name=name, values=list(range(size))) for name, size in values.items()]
    points = []
    for _ in range(count):
        genes = {key.name: chance.randrange(len(key.values)) for key in keys}
        points.append(types.SimpleNamespace(genes=genes, settings=genes, losses=[loss(genes, chance)]))
    study = types.SimpleNamespace(space=types.SimpleNamespace(keys=keys), objectives=[types.SimpleNamespace(name="y")])
    return types.SimpleNamespace(study=study), points


KEYS = {"a": 2, "b": 2, "c": 12, "d": 3}


class Interactions(unittest.TestCase):
    def test_of_two_keys_that_say_nothing_alone(self):
        search, points = search_of(KEYS, 400, lambda genes, chance: (genes["a"] ^ genes["b"]) + 0.1 * chance.random())
        (first, second, share), *rest = interactions.interactions(search, points)["y"]
        self.assertEqual((first, second), ("a", "b"))
        # Ranks in two halves: 3/4 of their variance is between the halves, 1/4 within.
        self.assertAlmostEqual(share, 0.75, delta=0.02)
        self.assertEqual(rest, [])

    def test_sums_and_chance_have_none(self):
        for loss in (lambda genes, _: 2 * genes["a"] + genes["c"], lambda *at: at[1].random()):
            search, points = search_of(KEYS, 400, loss)
            self.assertEqual(interactions.interactions(search, points), {})

    def test_a_key_that_matters_only_with_another(self):
        search, points = search_of(KEYS, 400, lambda genes, _: genes["a"] * genes["d"])
        (first, second, share), *_ = interactions.interactions(search, points)["y"]
        self.assertEqual((first, second), ("a", "d"))
        # Ranks of 0 (4 of 6 cells), 1 and 2: by hand, all variance is between cells; rows and columns explain
        # all of it except the part that is not additive.
        cells = [[1.5, 1.5, 1.5], [1.5, 4.0, 5.0]]
        mean = sum(map(sum, cells)) / 6
        rows, columns = [sum(row) / 3 for row in cells], [sum(column) / 2 for column in zip(*cells)]
        left = sum((cells[i][j] - rows[i] - columns[j] + mean) ** 2 for i, j in itertools.product(range(2), range(3)))
        whole = sum((each - mean) ** 2 for row in cells for each in row)
        self.assertAlmostEqual(share, left / whole, delta=0.03)

    def test_few_points_say_nothing(self):
        search, points = search_of(KEYS, interactions.kLeastPoints - 1, lambda genes, _: genes["a"] ^ genes["b"])
        self.assertEqual(interactions.interactions(search, points), {})

    def test_ranks(self):
        self.assertEqual(interactions.ranks([5.0, 1.0, 5.0, 7.0]), [1.5, 0.0, 1.5, 3.0])


if __name__ == "__main__":
    unittest.main()
