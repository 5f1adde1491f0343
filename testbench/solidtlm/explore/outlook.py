# SPDX-License-Identifier: Apache-2.0
"""Expected results of drives that were not tried, given all results so far.

A Gaussian process (gaussian.py) stands for each objective, for each constraint, and for whether a drive can be measured
at all; but for objectives and constraints that follow from the configuration alone, which are known (computed.py).

There are two opinions, with kernels that are fitted and with one that is not. The likeliest kernel knows more, but is
too sure: where two drives beyond a cliff were bad, it never looks again. The other one does, and has every third turn.
"""
import math

import numpy as np

from . import gaussian, model
from .improvement import Reach

kSamples = 32      # of possible results, per candidate
kTurns = 3         # the last turn uses the kernel that is not fitted
kTied = 0.9        # rank correlation from which a constraint and an objective count as one quantity
kGrowth = 1.15     # kernels are fitted again when the number of known values has grown by this factor
kLeast = 10        # least number of values for fitting a kernel
kMostFitted = 600  # most values for fitting, evenly spread
kMostKnown = 1000  # values that a process uses: the latest, since time and memory grow with their square


class Outlook:
    """`points` and their `rows`; at least one was measured. `kernels`: a dictionary that keeps fitted kernels."""

    def __init__(self, study, points, rows, computed, kernels):
        self._kernels = kernels
        rows = np.array(rows)
        measured = [i for i, point in enumerate(points) if point.losses is not None]
        losses = np.array([points[i].losses for i in measured], float)
        excess = np.array([points[i].excess for i in measured])
        feasible = np.array([points[i].feasible for i in measured])

        def scale(i, count):
            ideal, reference = span_of(study, losses[:count], feasible[:count])
            return model.Scale(losses[:count, i], ideal[i], reference[i])

        modelled = [i for i in range(len(study.objectives)) if i not in computed.objectives]
        self._scales = {i: scale(i, None) for i in modelled}
        models, self._tied = {}, {}
        for i in modelled:
            models["loss", i] = self._processes(("loss", i), rows[measured],
                                                lambda count, i=i: scale(i, count).there(losses[:count, i]))
        for j in set(range(len(study.constraints))) - computed.constraints:
            self._tied["excess", j] = tied_to(excess[:, j], losses[:, modelled])
            models["excess", j] = self._processes(("excess", j), rows[measured],
                                                  lambda count, j=j: model.bounded(excess[:count, j]))
        if len(measured) < len(points):
            failed = np.array([1.0 if point.losses is None else -1.0 for point in points])
            models["failure", 0] = self._processes(("failure", 0), rows, lambda count: failed[:count])
        self._opinions = [[(name, pair[which]) for name, pair in models.items()] for which in (0, 1)]
        self._reach = Reach(*span_of(study, losses, feasible))
        for point in points:
            if point.feasible:
                self._reach.add(point.losses)
        self._normal = _normal_samples(len(modelled))

    def _processes(self, name, rows, first_values):
        """Processes with a fitted kernel and with one that is not. `first_values(count)`: those of the first
        `count` rows. A kernel depends only on them, so a resumed search has the same kernel."""
        count = fitted_at(len(rows))
        if self._kernels.get(name, (0,))[0] != count:
            every = math.ceil(count / kMostFitted)
            self._kernels[name] = count, gaussian.fitted(rows[:count:every], first_values(count)[::every])
        known = rows[-kMostKnown:], first_values(len(rows))[-kMostKnown:]
        return [gaussian.Process(kernel, *known)
                for kernel in (self._kernels[name][1], gaussian.unfitted(rows.shape[1]))]

    def scores(self, rows, computed):
        """For drives with these rows, the expected improvement of the hypervolume times the probability that
        they meet the constraints: (opinions, drives). `computed`: losses and excesses of each drive, NaN if
        modelled."""
        return np.array([self._scores({name: each.expected(rows) for name, each in opinion}, *computed)
                         for opinion in self._opinions])

    def choose(self, rows, computed, count):
        """Indices of the `count` best drives, alternating between the opinions. Each is chosen as if the
        previous ones had given their expected results: the kriging believer of Ginsbourger, Le Riche and
        Carraro, "Kriging is well-suited to parallelize optimization" (2010)."""
        losses, excess = computed
        forecasts = [{name: each.covariance(rows) for name, each in opinion} for opinion in self._opinions]
        chosen = []
        for turn in range(min(count, len(rows))):
            narrow = {name: (mean, np.sqrt(np.maximum(covariance.diagonal(), 0.0)))
                      for name, (mean, covariance) in forecasts[turn % kTurns == kTurns - 1].items()}
            scores = self._scores(narrow, losses, excess)
            scores[chosen] = -1.0
            best = int(np.argmax(scores))
            chosen.append(best)
            self._reach.add(self._samples(narrow, losses, np.zeros((1, self._normal.shape[1])))[best, 0])
            for opinion in forecasts:
                for name, (mean, covariance) in opinion.items():
                    column = covariance[:, best]
                    opinion[name] = mean, covariance - np.outer(column, column) / max(column[best], 1e-300)
        return chosen

    def _scores(self, forecasts, losses, excess):
        samples = self._samples(forecasts, losses, self._normal)
        likely = np.where(excess > 0, 0.0, 1.0).prod(axis=1)  # NaN, for modelled excesses, is not above 0
        for name, (mean, spread) in forecasts.items():
            if name in self._tied and self._tied[name] is not None:
                broken = mean[:, None] + spread[:, None] * self._normal[:, self._tied[name]] > 0
                samples[broken] = self._reach.reference
            elif name[0] != "loss":
                likely = likely * _below_zero(mean, spread)
        return likely * self._reach.improvement(samples)

    def _samples(self, forecasts, losses, normal):
        """Samples of losses: (drives, samples, objectives)."""
        samples = np.repeat(losses[:, None, :], len(normal), axis=1)
        for column, (i, scale) in zip(normal.T, self._scales.items()):
            mean, spread = forecasts["loss", i]
            samples[:, :, i] = scale.back(mean[:, None] + spread[:, None] * column)
        return samples


def tied_to(excess, losses):
    """The column of `losses` that a constraint correlates with, as when both depend on the same metric; or None.
    If they were treated as independent, their probabilities would be multiplied, and drives that may miss
    both by little would never be tried."""
    from scipy.stats import spearmanr
    for column, values in enumerate(losses.T):
        if np.ptp(values) > 0 and np.ptp(excess) > 0 and spearmanr(values, excess)[0] > kTied:
            return column
    return None


def span_of(study, losses, feasible):
    """(the best of each objective, the reference point), over drives that meet the constraints if there are any."""
    if feasible.any():
        losses = losses[feasible]
    best, worst = losses.min(axis=0), losses.max(axis=0)
    reference = worst + 0.1 * np.where(worst > best, worst - best, np.maximum(np.abs(worst), 1.0))
    for i, each in enumerate(study.objectives):
        if each.name in study.reference:
            reference[i] = each.loss(study.reference[each.name])
    return np.minimum(best, reference), reference


def fitted_at(count):
    """The number of values at the last fit: the largest number up to `count` in a sequence that grows by
    kGrowth."""
    at = kLeast
    while (after := math.ceil(at * kGrowth)) <= count:
        at = after
    return min(at, count)


def _below_zero(mean, spread):
    from scipy.stats import norm
    return norm.cdf(-mean / np.maximum(spread, 1e-12))


def _normal_samples(dimensions):
    from scipy.stats import norm, qmc
    if dimensions == 0:
        return np.zeros((1, 0))
    return norm.ppf(np.clip(qmc.Sobol(dimensions, seed=1).random(kSamples), 1e-9, 1 - 1e-9))
