# SPDX-License-Identifier: Apache-2.0
"""Pareto fronts. Losses: smaller is better in each."""


def dominates(a, b):
    """Whether a is better in one loss and worse in none."""
    return all(x <= y for x, y in zip(a, b)) and any(x < y for x, y in zip(a, b))


def front(losses):
    """Indices of the losses that none dominates, in order; of equal ones only the first."""
    order = sorted(range(len(losses)), key=lambda i: (tuple(losses[i]), i))
    kept = []
    for i in order:  # all that dominate i come before it
        if not any(all(x <= y for x, y in zip(losses[j], losses[i])) for j in kept):
            kept.append(i)
    return sorted(kept)


def ranked(losses, violations):
    """Indices from the most to the least promising: feasible points by front, within a front isolated points
    first; then infeasible points by their distance from feasibility (constrained non-dominated sorting, Deb
    et al. 2002)."""
    feasible = [i for i, each in enumerate(violations) if each == 0]
    rest = sorted((i for i, each in enumerate(violations) if each > 0), key=lambda i: (violations[i], i))
    order = []
    while feasible:
        best = [feasible[i] for i in front([losses[i] for i in feasible])]
        gaps = _crowding([losses[i] for i in best])
        order += [i for _, i in sorted(zip(gaps, best), key=lambda each: (-each[0], each[1]))]
        taken = set(best)
        feasible = [i for i in feasible if i not in taken]
    return order + rest


def _crowding(losses):
    """Distances of the neighbours on the front; infinite at its ends."""
    gaps = [0.0] * len(losses)
    for axis in range(len(losses[0]) if losses else 0):
        order = sorted(range(len(losses)), key=lambda i: losses[i][axis])
        span = losses[order[-1]][axis] - losses[order[0]][axis]
        gaps[order[0]] = gaps[order[-1]] = float("inf")
        for before, i, after in zip(order, order[1:], order[2:]):
            if span > 0:
                gaps[i] += (losses[after][axis] - losses[before][axis]) / span
    return gaps


def hypervolume(losses, reference):
    """The volume that the losses dominate, up to the reference point."""
    inside = [each for each in losses if all(x < r for x, r in zip(each, reference))]
    if not inside:
        return 0.0
    import moocore
    return float(moocore.hypervolume([list(map(float, each)) for each in inside], ref=list(map(float, reference))))
