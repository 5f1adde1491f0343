# SPDX-License-Identifier: Apache-2.0
"""Which keys act on each other: what two of them decide together beyond what each decides alone.

Of the points that were measured at the last rung each objective is ranked, so that a few drives that are hopeless do
not decide. Two models of the ranks are fitted: one effect for each value of both keys, and one for each pair of values.
The share of an interaction is what the second one explains more of the variance, with both adjusted for their number of
parameters: what chance explains comes out as 0.
"""
import itertools

kMostGroups = 4     # of values; adjacent values of a key with more are combined
kLeastPoints = 24
kLeastShare = 0.02  # share of the variance; smaller ones are not reported
kMost = 5           # pairs per objective


def ranks(values):
    """0 for the smallest; equal values get the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, begin = [0.0] * len(values), 0
    for _, group in itertools.groupby(order, values.__getitem__):
        group = list(group)
        for i in group:
            result[i] = begin + (len(group) - 1) / 2
        begin += len(group)
    return result


def groups(values):
    """Group numbers of values; `values` are indices in the key's list, or -1."""
    known = sorted(set(values))
    if len(known) <= kMostGroups:
        return [known.index(value) for value in values]
    place = ranks(values)
    return [int(kMostGroups * rank / len(values)) for rank in place]


def adjusted(design, target):
    """The share of the variance that the columns explain, adjusted for their number; None if too few points are
    left."""
    import numpy
    solution, _, rank, _ = numpy.linalg.lstsq(design, target, rcond=None)
    free = len(target) - rank
    total = float(((target - target.mean()) ** 2).sum())
    if free < len(target) / 2 or total == 0:
        return None
    rest = float(((target - design @ solution) ** 2).sum())
    return 1 - rest / free / (total / (len(target) - 1))


def share(first, second, target):
    """The share of an interaction. `first`, `second`: groups of two keys."""
    import numpy
    one, other = numpy.eye(max(first) + 1)[first], numpy.eye(max(second) + 1)[second]
    both = (one[:, :, None] * other[:, None, :]).reshape(len(target), -1)
    apart, together = adjusted(numpy.hstack([one, other]), target), adjusted(both, target)
    return 0.0 if apart is None or together is None else max(0.0, together - max(0.0, apart))


def interactions(search, points):
    """{objective: [(key, other key, share of the variance)]}, the strongest first. `points`: measured ones."""
    if len(points) < kLeastPoints:
        return {}
    import numpy
    keys = {key.name: groups([point.genes[key.name] if key.name in point.settings else -1 for point in points])
            for key in search.study.space.keys}
    keys = {name: found for name, found in keys.items() if max(found) > 0}
    result = {}
    for i, objective in enumerate(search.study.objectives):
        target = numpy.array(ranks([point.losses[i] for point in points]))
        found = [(a, b, share(keys[a], keys[b], target)) for a, b in itertools.combinations(keys, 2)]
        found = sorted((each for each in found if each[2] >= kLeastShare), key=lambda each: -each[2])
        if found:
            result[objective.name] = found[:kMost]
    return result
