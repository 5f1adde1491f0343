# SPDX-License-Identifier: Apache-2.0
"""Searches for sets of parameters that are consistent with every measurement.

First a design: every set if there are not too many, otherwise points of a Sobol sequence. Then, from the best of them,
turns of least squares over the ranges (scipy's trust region) and of steps to neighbouring values of the lists, until
neither helps. At last, where a set is consistent: for each range, how far it can go while the others make up for it, by
a linear programme over the slopes there; the ends are run, so what is said of them was seen.
"""
import math

import numpy
from scipy.optimize import least_squares, linprog
from scipy.stats import qmc

from .parameters import combinations

kMostTurns = 40     # evaluations of one least-squares turn
kLessening = 0.999  # a turn helped if it reduced the sum of squares to at most this share


class Spent(Exception):
    """The requested number of sets has been tried."""


class FitSearch:
    def __init__(self, study, measurer, watch=lambda *_: None):
        self.study, self._measurer, self._watch = study, measurer, watch
        self.parameters = study.parameters
        self._ranges = [at for at, each in enumerate(study.parameters) if each.continuous]
        self.designed = 0
        self.whole = False  # whether every set was tried
        self.extremes = []

    @property
    def outcomes(self):
        return list(self._measurer.known.values())

    def best(self, count=1):
        """The best sets, the most consistent first."""
        good = [each for each in self.outcomes if each.offs is not None]
        return sorted(good, key=lambda each: (not each.consistent, each.squares))[:count]

    def run(self):
        total = combinations(self.parameters)
        self.whole = total is not None and total <= self.study.design
        design = self._all(total) if self.whole else self._sobol()
        self._evaluate(design)
        self.designed = len(self._measurer.known)
        if self.whole:
            return
        try:
            for start in self._starts():
                self._refine(start)
            best = self.best()
            if best and best[0].consistent and self._ranges:
                self._spread(best[0])
        except Spent:
            pass

    def _evaluate(self, many):
        """Evaluates a few sets at a time, so that the user sees progress."""
        found = []
        for begin in range(0, len(many), 20):
            if self.study.sets <= len(self._measurer.known):
                raise Spent
            found += self._measurer.evaluate(many[begin:begin + 20])
            self._watch(self)
        return found

    def _all(self, total):
        many = []
        for number in range(total):
            digits = []
            for each in reversed(self.parameters):
                number, digit = divmod(number, len(each.values))
                digits.append(digit)
            many.append(digits[::-1])
        return many

    def _sobol(self):
        """`design` points of a Sobol sequence, rounded up to a power of two."""
        sampler = qmc.Sobol(len(self.parameters), scramble=False)
        points = sampler.random_base2(max(0, math.ceil(math.log2(self.study.design))))
        return [[float(at) if each.continuous else min(int(at * len(each.values)), len(each.values) - 1)
                 for each, at in zip(self.parameters, point)] for point in points]

    def _starts(self):
        """The best sets of the design; of sets with the same list values, only the first."""
        seen, starts = set(), []
        for each in self.best(len(self._measurer.known)):
            mark = tuple(at for at, parameter in zip(each.coordinates, self.parameters) if not parameter.continuous)
            if mark not in seen or not mark:
                seen.add(mark)
                starts.append(each)
        return starts[:self.study.starts]

    def _refine(self, start):
        best = start
        while True:
            before = best.squares
            if self._ranges:
                best = self._least_squares(best)
            best = min([best, *self._evaluate(self._neighbours(best))], key=lambda each: each.squares)
            if best.squares == 0 or best.squares > kLessening * before:
                return

    def _neighbours(self, outcome):
        many = []
        for at, each in enumerate(self.parameters):
            for other in [] if each.continuous else each.neighbours(outcome.coordinates[at]):
                many.append([*outcome.coordinates[:at], other, *outcome.coordinates[at + 1:]])
        return many

    # Ranges. A vector has one coordinate per range.

    def _with(self, outcome, vector):
        coordinates = list(outcome.coordinates)
        for at, value in zip(self._ranges, vector):
            coordinates[at] = float(min(max(value, 0.0), 1.0))
        return coordinates

    def _offs(self, outcome):
        """A set without a result counts as far away."""
        return numpy.array(outcome.offs if outcome.offs is not None else [1e6] * len(self._measurer.measured))

    def _slopes(self, outcome, vector):
        steps = [self.parameters[at].step for at in self._ranges]
        steps = [step if value + step <= 1 else -step for value, step in zip(vector, steps)]
        sets = [self._with(outcome, vector)]
        for at, step in enumerate(steps):
            sets.append(self._with(outcome, [*vector[:at], vector[at] + step, *vector[at + 1:]]))
        middle, *moved = [self._offs(each) for each in self._evaluate(sets)]
        return numpy.column_stack([(each - middle) / step for each, step in zip(moved, steps)])

    def _vector(self, outcome):
        return [outcome.coordinates[at] for at in self._ranges]

    def _least_squares(self, start):
        def offs(vector):
            return self._offs(self._evaluate([self._with(start, vector)])[0])

        least_squares(offs, self._vector(start), jac=lambda vector: self._slopes(start, list(vector)), bounds=(0, 1),
                      xtol=1e-4, ftol=1e-6, max_nfev=kMostTurns)
        same = [each for each in self.outcomes
                if all(a == b for at, (a, b) in enumerate(zip(each.coordinates, start.coordinates))
                       if at not in self._ranges)]
        return min(same, key=lambda each: each.squares)

    def _spread(self, best):
        """Runs the ends of the consistent ranges, estimated from the slopes at the best set, and points halfway
        if an end turns out to be inconsistent."""
        vector = self._vector(best)
        slopes, offs = self._slopes(best, vector), numpy.array(best.offs)
        above = numpy.concatenate([slopes, -slopes])
        room = numpy.concatenate([1 - offs, 1 + offs])
        bounds = [(-at, 1 - at) for at in vector]
        for number in range(len(vector)):
            for sign in (1, -1):
                aim = [0.0] * len(vector)
                aim[number] = sign
                found = linprog(aim, A_ub=above, b_ub=room, bounds=bounds)
                if found.status == 0:
                    self._walk(best, vector, found.x)

    def _walk(self, best, vector, way):
        for share in (1.0, 0.95, 0.8, 0.5, 0.25):
            outcome = self._evaluate([self._with(best, [at + share * step for at, step in zip(vector, way)])])[0]
            if outcome.consistent:
                self.extremes.append(outcome)
                return
