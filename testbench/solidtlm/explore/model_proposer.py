# SPDX-License-Identifier: Apache-2.0
"""Proposes the drives that a model expects to move the front farthest (outlook.py).

Candidates are drives near the front, and anywhere; neighbours of the most promising ones join them, a few times.
"""
import random

import numpy as np

from . import front, model
from .outlook import Outlook
from .proposer import Proposer, seed_of

kFirst = 30       # drives measured before there is a model
kAnywhere = 300   # candidates
kMutants = 300    # candidates: drives of the front with two or more keys changed
kClimbs = 2       # how often neighbours join
kClimbers = 12    # per opinion, whose neighbours join
kPool = 150       # per opinion; a batch is chosen from it
kParents = 10     # if no drive meets the constraints yet
kMostPlaces = 32  # up to this many values of a key are all neighbours


class ModelProposer(Proposer):
    def __init__(self, study, base, computed):
        super().__init__(study, base)
        self._computed = computed
        self._encoding = model.Encoding(study.space, base, computed.numbers)
        self._points, self._rows, self._kernels = [], [], {}

    def tell(self, points):
        super().tell(points)
        last = len(self._study.rungs) - 1
        for point in points:
            self._points.append(point)
            self._rows.append(self._encoding.row(point.genes, point.settings, self._computed.numbers(point.settings),
                                                 point.rung / last if last else 1.0))

    def propose(self, batch, count):
        chance = random.Random(seed_of(self._study.seed, batch))
        if sum(point.losses is not None for point in self._points) < kFirst:
            chosen = [self._random(chance) for _ in range(count)]
        else:
            from threadpoolctl import threadpool_limits
            with threadpool_limits(1):  # makes sums independent of the number of processors
                chosen = self._promising(count, chance)
        return self._new([(genes, {}) for genes in chosen], chance)

    def _promising(self, count, chance):
        outlook = Outlook(self._study, self._points, self._rows, self._computed, self._kernels)
        known, found = set(self._seen), []

        def consider(proposals):
            nonlocal found
            new = []
            for genes in proposals:
                settings = self._space.settings(genes, self._base)
                mark = self._mark(genes, settings)
                if mark in known:
                    continue
                known.add(mark)
                numbers = self._computed.numbers(settings)
                computed = self._computed.of(numbers)
                if computed is not None:
                    new.append((genes, self._encoding.row(genes, settings, numbers), *computed))
            if new:
                found += zip(outlook.scores(*self._columns(new)).T, new)
                found = best(found, kPool)

        consider(self._starts(chance))
        for _ in range(kClimbs):
            consider([each for _, (genes, *_) in best(found, kClimbers) for each in self._neighbours(genes)])
        if not found:
            return [self._random(chance) for _ in range(count)]
        chosen = outlook.choose(*self._columns([each for _, each in found]), count)
        return [found[i][1][0] for i in chosen]

    def _columns(self, candidates):
        """(rows, (losses, excesses)) of candidates."""
        _, rows, losses, excess = zip(*candidates)
        shape = len(candidates), len(self._study.constraints)
        return np.array(rows), (np.array(losses, float), np.array(excess, float).reshape(shape))

    def _starts(self, chance):
        parents = self._parents()
        for genes in parents:
            yield from self._neighbours(genes)
        for _ in range(kMutants):
            genes = self._changed(chance.choice(parents), chance)
            while True:
                genes = self._changed(genes, chance)
                if chance.random() < 0.5:
                    break
            yield genes
        for _ in range(kAnywhere):
            yield self._random(chance)

    def _parents(self):
        """The front, or the drives nearest to feasibility."""
        able = [point for point in self._points if point.losses is not None]
        best = [point for point in able if point.feasible]
        if best:
            return [best[i].genes for i in front.front([point.losses for point in best])]
        order = front.ranked([point.losses for point in able], [sum(point.violations) for point in able])
        return [able[i].genes for i in order[:kParents]]

    def _neighbours(self, genes):
        """The drive with another value of one key that matters."""
        active = self._space.settings(genes, self._base)
        for key in self._space.keys:
            if key.name in active:
                for place in places_near(genes[key.name], len(key.values)):
                    yield {**genes, key.name: place}


def places_near(place, count):
    """All other places; if there are many, those at distances 1, 2, 4, ..."""
    if count <= kMostPlaces:
        return [each for each in range(count) if each != place]
    steps = [sign * 2**i for i in range(count.bit_length()) for sign in (-1, 1)]
    return [place + each for each in steps if 0 <= place + each < count]


def best(found, count):
    """From [(scores, candidate)], the `count` best by each score."""
    kept = set()
    for which in range(len(found[0][0]) if found else 0):
        kept.update(sorted(range(len(found)), key=lambda i: -found[i][0][which])[:count])
    return [found[i] for i in sorted(kept)]
