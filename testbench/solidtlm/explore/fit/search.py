# SPDX-License-Identifier: Apache-2.0
"""Searches for sets of parameters that are consistent with every measurement.

First a design: every set if there are not too many, otherwise points of a Sobol sequence. Then, from the best of them,
turns of least squares over the ranges (scipy's trust region) and of steps to neighbouring values of the lists, until
neither helps. Then, where a set is consistent: for each range, how far it can go while the others make up for it, by
a linear programme over the slopes there; the ends are run, so what is said of them was seen. At last each measurement
is kept out in turn and predicted by the others.
"""
import math
from dataclasses import dataclass

import numpy
from scipy.optimize import least_squares, linprog
from scipy.stats import qmc

from .parameters import combinations

kMostTurns = 40     # evaluations of one least-squares turn
kDetermined = 0.2   # of a measured value: most that sets may differ in it for it to count as predicted
kLessening = 0.999  # a turn helped if it reduced the sum of squares to at most this share


class Spent(Exception):
    """The requested number of sets has been tried."""


@dataclass
class KeptOut:
    """A measurement as the others predict it. `low` to `high`: what sets say that meet the others as well, within
    their tolerances. If that is wide, the others do not determine it."""
    measurement: object
    predicted: float
    low: float
    high: float

    @property
    def error(self):
        return self.predicted / self.measurement.found - 1.0

    @property
    def determined(self):
        return self.high - self.low <= kDetermined * abs(self.measurement.found)


class FitSearch:
    def __init__(self, study, measurer, watch=lambda *_: None):
        self.study, self._measurer, self._watch = study, measurer, watch
        self.parameters = study.parameters
        self._ranges = [at for at, each in enumerate(study.parameters) if each.continuous]
        self.designed = 0
        self.whole = False  # whether every set was tried
        self.extremes = []
        self.kept_out = []  # empty if there are no more found values than parameters
        self._left = None   # number of the measurement that is kept out
        self._most = study.sets

    @property
    def outcomes(self):
        return list(self._measurer.known.values())

    def best(self, count=1):
        """The best sets, the most consistent first."""
        good = [each for each in self.outcomes if each.offs is not None]
        return sorted(good, key=lambda each: (not each.consistent, each.squares))[:count]

    def run(self):
        self._search()
        self._keep_out()

    def _search(self):
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
            if self._most <= len(self._measurer.known):
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
            before = self._squares(best)
            if self._ranges:
                best = self._least_squares(best)
            best = min([best, *self._evaluate(self._neighbours(best))], key=self._squares)
            if self._squares(best) == 0 or self._squares(best) > kLessening * before:
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
        """Without the measurement that is kept out. A set without a result counts as far away."""
        offs = numpy.array(outcome.offs if outcome.offs is not None else [1e6] * len(self._measurer.measured))
        return offs if self._left is None else numpy.delete(offs, self._left)

    def _squares(self, outcome):
        return math.fsum(each * each for each in self._offs(outcome)) if outcome.offs is not None else math.inf

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
        same = [each for each in self._measurer.known.values()
                if all(a == b for at, (a, b) in enumerate(zip(each.coordinates, start.coordinates))
                       if at not in self._ranges)]
        return min(same, key=self._squares)

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

    # One measurement kept out in turn.

    def _keep_out(self):
        found = [(at, each) for at, each in enumerate(self._measurer.measured) if each.sign == 0 and each.found]
        if not self.best() or len(found) <= len(self.parameters) or not self.study.kept_out:
            return
        for at, each in found:
            self._left = at
            self._most = len(self._measurer.known) + self.study.kept_out
            self.kept_out.append(self._predicted(at, each))
        self._left = None

    def _predicted(self, at, measurement):
        known = self._measurer.known
        if not self.whole:
            try:
                self._refine(min(known.values(), key=self._squares))
            except Spent:
                pass
        chosen = min(known.values(), key=self._squares)
        room = numpy.maximum(1.0, numpy.abs(self._offs(chosen)))
        as_good = [each.values[at] for each in known.values()
                   if each.offs is not None and numpy.all(numpy.abs(self._offs(each)) <= room)]
        if self._ranges:
            self._most = len(known) + len(self._ranges) + 1
            as_good += [chosen.values[at] + step * measurement.tolerance for step in self._reach(at, chosen, room)]
        return KeptOut(measurement, chosen.values[at], min(as_good), max(as_good))

    def _reach(self, at, chosen, room):
        """How far, in tolerances, the measurement that is kept out can move while each other stays within its room: a
        linear programme over the slopes."""
        vector = self._vector(chosen)
        self._left = None
        slopes = self._slopes(chosen, vector)
        self._left = at
        others, offs = numpy.delete(slopes, at, axis=0), self._offs(chosen)
        for sign in (1, -1):
            found = linprog(sign * slopes[at], A_ub=numpy.concatenate([others, -others]),
                            b_ub=numpy.concatenate([room - offs, room + offs]),
                            bounds=[(-each, 1 - each) for each in vector])
            if found.status == 0:
                yield float(slopes[at] @ found.x)
