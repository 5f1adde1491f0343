# SPDX-License-Identifier: Apache-2.0
"""The proposer with a model: its parts against closed forms and moocore, and the whole on a problem with a known
front."""
import math
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import moocore
import numpy as np
from scipy import optimize
from scipy.spatial import distance

from solidtlm.explore import front, gaussian, improvement, model, outlook
from solidtlm.explore.computed import Computed
from solidtlm.explore.model_proposer import places_near
from solidtlm.explore.proposers import make_proposer
from solidtlm.explore.study import read_study

# ZDT1 of Zitzler, Deb and Thiele ("Comparison of multiobjective evolutionary algorithms", 2000) with six variables in
# tenths, and a constraint that the model must learn. The front has b to f = 0: f2 = 1 - sqrt(f1). Only the first
# objective follows from the configuration.
PROBLEM = """\
title = "ZDT1"
constraints = ["measured.heat <= 1"]
[space]
x.a = { from = 0, to = 1, step = 0.1 }
x.b = { from = 0, to = 1, step = 0.1 }
x.c = { from = 0, to = 1, step = 0.1 }
x.d = { from = 0, to = 1, step = 0.1 }
x.e = { from = 0, to = 1, step = 0.1 }
x.f = { from = 0, to = 1, step = 0.1 }
x.cooler = ["none", "small", "large"]
[[workload]]
spec = "random"
[objectives]
one = "minimise x.a"
two = "minimise measured.two"
[reference]
one = 1.1
two = 1.1
[search]
proposer = "model"
rungs = [1]
batch = 10
[budget]
runs = 90
"""
HEAT = {"none": 3, "small": 1.2, "large": 0.7}


def measured(settings):
    """(losses, excess of the constraint)."""
    a, *rest = (settings[f"x.{name}"] for name in "abcdef")
    g = 1 + 9 * sum(rest) / len(rest)
    return [a, g * (1 - math.sqrt(a / g))], HEAT[settings["x.cooler"]] * (0.5 + a) - 1


def best_volume():
    points = [(a, 1 - math.sqrt(a)) for a in np.arange(10) / 10]  # a = 1 violates the constraint
    return front.hypervolume(points, (1.1, 1.1))


class WithStudy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="explore_model.")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "study.toml"
        self.path.write_text(PROBLEM)


class Searches(WithStudy):
    def search(self, seed, proposer="model", batches=9):
        """Points that were tried; those whose variables b and c are both 1 cannot be measured."""
        study, mistakes = read_study(self.path, [f"search.seed={seed}", f"search.proposer={proposer}"])
        self.assertFalse(mistakes)
        base = {key.name: key.values[0] for key in study.space.keys}
        made = make_proposer(study, base, SimpleNamespace(alone=lambda name, value: (value,)))
        points = []
        for batch in range(batches):
            told = []
            for genes, _ in made.propose(batch, study.batch):
                settings = study.space.settings(genes)
                losses, excess = measured(settings)
                fails = settings["x.b"] == settings["x.c"] == 1
                told.append(SimpleNamespace(
                    genes=genes, settings=settings, rung=0, losses=None if fails else losses, excess=[excess],
                    violations=[max(0.0, excess)], feasible=not fails and excess <= 0, failure=None))
            made.tell(told)
            points += told
        return points

    def share(self, points):
        """Share of the largest hypervolume."""
        return front.hypervolume([each.losses for each in points if each.feasible], (1.1, 1.1)) / best_volume()

    def test_better_than_chance_from_every_seed(self):
        for seed in (1, 2):
            with self.subTest(seed=seed):
                points = self.search(seed)
                by_chance = self.share(self.search(seed, "random"))
                self.assertGreater(self.share(points), 0.9)
                self.assertLess(by_chance, 0.3)
                by_luck = sum(each.feasible for each in points[:30])
                self.assertLess(by_luck, 18)
                self.assertGreater(sum(each.feasible for each in points[-30:]), 17, "it learns the constraint")

    def test_a_function_of_the_seed(self):
        first, second, third = (self.search(seed, batches=5) for seed in (1, 1, 2))
        self.assertEqual([each.genes for each in first], [each.genes for each in second])
        self.assertNotEqual([each.genes for each in first], [each.genes for each in third])
        tried = [tuple(each.genes.values()) for each in first]
        self.assertEqual(len(tried), len(set(tried)), "no drive twice")


class FromTheConfiguration(WithStudy):
    """Drives with two dies per channel on some channels, with 2 GiB each."""
    BASE = {"nand.geometry.channels": 1, "nand.geometry.dies": 2, "nand.geometry.planes": 1,
            "nand.geometry.blocks": 1024, "nand.geometry.pages": 128, "nand.geometry.page_size": "16KiB"}

    def computed(self, alone):
        self.path.write_text(PROBLEM.replace("[space]", """[formulas]
price = "flash + channels"
flash = "2 * raw / 1GiB"
heat = "measured.heat + price"
[space]
nand.geometry.channels = [1, 2, 4]""").replace("minimise x.a", "minimise price")
                             .replace('"measured.heat <= 1"', '"measured.heat <= 1", "raw <= 6GiB", "heat < 3"'))
        study, mistakes = read_study(self.path)
        self.assertFalse(mistakes)
        return Computed(study, {**self.BASE, **{key.name: key.values[0] for key in study.space.keys}},
                        SimpleNamespace(alone=alone))

    def test_what_is_computed(self):
        computed = self.computed(lambda name, value: (value,))
        self.assertEqual((computed.objectives, computed.constraints), ({0}, {1}))
        numbers = computed.numbers({"nand.geometry.channels": 2})
        self.assertEqual(numbers["raw"], 8 * 2**30)
        losses, excess = computed.of(numbers)
        self.assertEqual(losses, [2 * 8 + 2, None])
        self.assertEqual(excess, [None, (8 - 6) / 6, None])

    def test_nothing_where_keys_change_each_other(self):
        computed = self.computed(lambda name, value: None if name == "x.b" else (value,))
        self.assertEqual((computed.objectives, computed.constraints), (set(), set()))
        self.assertEqual(computed.of(computed.numbers({"nand.geometry.channels": 2})), ([None] * 2, [None] * 3))


class Parts(unittest.TestCase):
    def test_gradient_of_the_misfit(self):
        chance = np.random.default_rng(1)
        rows = chance.random((30, 3))
        values, *_ = gaussian.normal(np.sin(3 * rows[:, 0]) + rows[:, 1])
        squares = np.array([distance.pdist(column[:, None], "sqeuclidean") for column in rows.T])
        prior = np.array([gaussian.kLengths] * 3 + [gaussian.kVariance, gaussian.kNoise])
        for _ in range(5):
            logs = prior[:, 0] + chance.normal(size=5)
            _, gradient = gaussian._misfit(logs, squares, values, prior)
            found = optimize.approx_fprime(logs, lambda x: gaussian._misfit(x, squares, values, prior)[0], 1e-6)
            np.testing.assert_allclose(gradient, found, rtol=1e-4, atol=1e-4 * np.abs(found).max())

    def test_a_process_that_knows_two_values(self):
        # Values 0 and 2 at 0 and 1 become -1 and 1. With c the covariance of the two, the solution of a system of two
        # equations: the weights are -1 and 1 divided by (variance + noise - c).
        kernel = gaussian.Kernel(np.array([0.5]), 2.0, 0.1)
        process = gaussian.Process(kernel, np.array([[0.0], [1.0]]), np.array([0.0, 2.0]))

        def k(r):
            s = math.sqrt(5) * r / 0.5
            return 2 * (1 + s + s * s / 3) * math.exp(-s)

        weight = 1 / (2.1 - k(1))
        mean, spread = process.expected(np.array([[0.25], [0.5], [100.0]]))
        self.assertAlmostEqual(mean[0], 1 + weight * (k(0.75) - k(0.25)))
        self.assertAlmostEqual(mean[1], 1.0)
        self.assertAlmostEqual(mean[2], 1.0)
        self.assertAlmostEqual(spread[1], math.sqrt(2 - 2 * k(0.5)**2 / (2.1 + k(1))))
        self.assertAlmostEqual(spread[2], math.sqrt(2))
        again, covariance = process.covariance(np.array([[0.25], [0.5], [100.0]]))
        np.testing.assert_allclose(again, mean)
        np.testing.assert_allclose(np.sqrt(covariance.diagonal()), spread)

    def test_the_kernel_finds_the_column_that_matters(self):
        rows = np.random.default_rng(1).random((60, 4))
        kernel = gaussian.fitted(rows, np.sin(6 * rows[:, 2]))
        self.assertEqual(np.argmin(kernel.lengths), 2)
        self.assertGreater(min(np.delete(kernel.lengths, 2)), 3 * kernel.lengths[2])

    def test_improvement_is_that_of_the_hypervolume(self):
        # Parts of the unit ball: pi / 4 in the plane, pi / 6 in space.
        for objectives, ball, error in ((1, 1.0, 1e-9), (2, math.pi / 4, 0.02), (3, math.pi / 6, 0.08)):
            chance = np.random.default_rng(objectives)
            known, more = chance.random((6, objectives)), chance.random((20, objectives)) * 0.9
            reference = np.full(objectives, 1.2)
            reach = improvement.Reach(np.zeros(objectives), reference)
            for each in known:
                reach.add(each)
            before = moocore.hypervolume(known, ref=reference)
            exact = [moocore.hypervolume(np.vstack([known, each]), ref=reference) - before for each in more]
            found = reach.improvement(more[:, None, :]) * ball * 1.2**objectives
            np.testing.assert_allclose(found, exact, atol=error * before)
            self.assertGreater(max(exact), 0.05 * before)

    def test_a_constraint_goes_with_the_objective_of_its_metric(self):
        chance = np.random.default_rng(1)
        losses = chance.random((50, 2))
        self.assertEqual(outlook.tied_to(losses[:, 1]**3 - 0.5, losses), 1)
        self.assertIsNone(outlook.tied_to(-losses[:, 1], losses))
        self.assertIsNone(outlook.tied_to(chance.random(50), losses))
        self.assertIsNone(outlook.tied_to(np.zeros(50), losses))

    def test_kernels_are_fitted_when_15_percent_more_is_known(self):
        self.assertEqual([outlook.fitted_at(count) for count in (3, 10, 11, 12, 13, 14, 15, 300)],
                         [3, 10, 10, 12, 12, 14, 14, 280])

    def test_places_near(self):
        self.assertEqual(places_near(1, 4), [0, 2, 3])
        self.assertEqual(sorted(places_near(50, 100)), [18, 34, 42, 46, 48, 49, 51, 52, 54, 58, 66, 82])

    def test_losses_have_a_scale(self):
        scale = model.Scale([10.0, 1000.0, 1e9], 10, 100)  # a unit is log(10), and 10,000 is two units beyond
        np.testing.assert_allclose(scale.there([10, 100, 10_000]), np.log(10) * np.array([1, 2, 2 + np.log(3)]))
        np.testing.assert_allclose(scale.back(scale.there([10, 50, 10_000, 1e9])), [10, 50, 10_000, 1e9])
        better = model.Scale([-400.0, -100.0], -400, -50)  # throughput: more is better
        np.testing.assert_allclose(better.back(better.there([-400, -100, -20])), [-400, -100, -20])
        self.assertLess(*better.there([-400, -100]))
        np.testing.assert_allclose(model.Scale([-1.0, 2.0], -1, 2).there([-1, 0, 5]), [-1, 0, 2 + 3 * np.log(2)])


if __name__ == "__main__":
    unittest.main()
