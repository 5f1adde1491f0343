# SPDX-License-Identifier: Apache-2.0
"""Whether a constraint holds: only in a steady state, and only with the whole 95 % interval of what it compares.

The executable judges the state (`state` of result.json); here nothing is decided about it.
"""
import itertools
import math
from dataclasses import dataclass

from . import intervals, metrics
from .formula import FormulaError

kHolds, kBreaks, kNotKnown = "holds", "breaks", "not known"
kAll = (kHolds, kNotKnown, kBreaks)  # the better first
kSettled = ("steady", "unwritten")  # states in which a run is as good as one that never ends
kNotJudged = "not judged"           # results of an executable that does not tell the state
kUnsettled = 0.1  # excess of a constraint that may hold, for the search: as far from holding as this share of the limit
kMostVaried = 5   # quantities with intervals in one formula

_SHORT = {path: name for name, (path, _) in metrics.kShort.items()}


@dataclass(slots=True)
class Run:
    """What a run says about the constraints and the objectives. Excesses are shares of the limit."""
    kind: str            # of its state; "" if not judged
    text: str            # the sentence about it
    excess: list         # per constraint, of the run's own numbers
    ranges: list         # per constraint, (least, largest) excess in the interval, or why there is none
    halves: list         # per objective, half of the interval or None

    @property
    def settled(self):
        return self.kind in kSettled


@dataclass(slots=True)
class Verdict:
    """On one constraint. `excess`: how far it is from holding, at most 0 on its right side; `half`: of its interval, if
    known; `straddles`: the interval lies on both sides, so more runs could decide."""
    verdict: str
    excess: float
    half: float = None
    reason: str = ""
    straddles: bool = False

    @property
    def of_search(self):
        """The excess that guides a search: above 0 unless the constraint holds."""
        if self.half is not None:
            return self.excess + self.half
        return self.excess if self.verdict != kNotKnown else max(self.excess, kUnsettled)


class NoRange(Exception):
    """An expression without an interval, and why."""


class Judge:
    """REQUIRES: a study without mistakes. `configured`: names that follow from a configuration."""

    def __init__(self, study, configured):
        self._study = study
        self._expressions = {**{each: (each.formula.value, needed(each.formula.names, study.formulas))
                                for each in study.objectives},
                             **{each: (each.excess, needed(each.names, study.formulas)) for each in study.constraints}}
        self._measured = {each: sorted(names - set(study.formulas) - configured)
                          for each, (_, names) in self._expressions.items()}

    def run(self, values, state):
        """The Run of a result with these `values` (without [formulas]) and this `state`, which may be None. Raises
        FormulaError."""
        study, state = self._study, state or {}

        def half_of(objective):
            try:
                low, high = self._range(objective, values, state)
            except NoRange:
                return None
            return (high - low) / 2

        def range_of(constraint):
            try:
                return self._range(constraint, values, state)
            except NoRange as none:
                return str(none)

        settled = state.get("kind") in kSettled
        return Run(state.get("kind", ""), state.get("text", kNotJudged),
                   [self._value(each, values) for each in study.constraints],
                   list(map(range_of, study.constraints)),
                   [half_of(each) if settled or not self._measured[each] else None for each in study.objectives])

    def objectives(self, values):
        """Their values. Raises FormulaError."""
        return [self._value(each, values) for each in self._study.objectives]

    def _value(self, of, values):
        value, names = self._expressions[of]
        values = dict(values)
        rest = {name: each for name, each in self._study.formulas.items() if name in names}
        while rest:
            for name in [name for name, each in rest.items() if not each.names & set(rest)]:
                values[name] = rest.pop(name).value(values)
        return value(values)

    def _range(self, of, values, state):
        """(least, largest) value of an expression whose quantities lie anywhere in their intervals."""
        known = state.get("intervals", {})
        ends = []
        for name in self._measured[of]:
            each = known.get(_SHORT.get(name, name))
            if each is None:
                raise NoRange(f"no interval of {name}: {state.get('text', kNotJudged)}")
            ends.append((each["value"] - each["half_width"], each["value"], each["value"] + each["half_width"]))
        if len(ends) > kMostVaried:
            raise NoRange(f"{of.text}: more than {kMostVaried} measured quantities")
        found = {}
        for places in itertools.product((0, 1, 2), repeat=len(ends)):
            varied = {name: three[place] for name, three, place in zip(self._measured[of], ends, places)}
            try:
                found[places] = self._value(of, {**values, **varied})
            except FormulaError as error:
                raise NoRange(str(error)) from error
        corners = [each for places, each in found.items() if 1 not in places]
        if min(corners) > min(found.values()) or max(corners) < max(found.values()):
            raise NoRange(f"{of.text}: not monotone within the intervals of {', '.join(self._measured[of])}")
        return min(corners), max(corners)

    def verdicts(self, runs, last):
        """A Verdict per constraint. `runs`: per seed, per workload; `last`: whether they are of the last rung."""
        return [self._worst(index, runs, last) for index in range(len(self._study.constraints))]

    def _worst(self, index, runs, last):
        each = [self._of_workload(index, list(of_one), last) for of_one in zip(*runs)]
        return max(each, key=lambda found: (kAll.index(found.verdict), found.excess))

    def _of_workload(self, index, runs, last):
        samples = [run.excess[index] for run in runs]
        mean = intervals.mean_of(samples)
        if not self._measured[self._study.constraints[index]]:
            return Verdict(kBreaks if mean > 0 else kHolds, mean, 0.0)
        if not last:
            return Verdict(kNotKnown, mean)
        unsettled = next((run for run in runs if not run.settled), None)
        if unsettled:
            return Verdict(kNotKnown, mean, reason=unsettled.text)
        if len(runs) > 1:
            half = intervals.half_width(samples)
            low, high = mean - half, mean + half
        elif isinstance(runs[0].ranges[index], str):
            return Verdict(kNotKnown, mean, reason=runs[0].ranges[index])
        else:
            low, high = runs[0].ranges[index]
        excess, half = (low + high) / 2, (high - low) / 2
        if low <= 0 < high:
            return Verdict(kNotKnown, excess, half, f"its interval reaches from {100 * -low:.2g} % within the limit to "
                                                    f"{100 * high:.2g} % beyond it; {runs[0].text}", True)
        return Verdict(kHolds if high <= 0 else kBreaks, excess, half)


def of_point(verdicts):
    """The verdict on all constraints together, and its reason if it is not known."""
    for wanted in (kBreaks, kNotKnown):
        found = [each for each in verdicts if each.verdict == wanted]
        if found:
            return wanted, "; ".join(dict.fromkeys(each.reason for each in found if each.reason))
    return kHolds, ""


def combined_half(halves, weights):
    """Half of the interval of a weighted mean of independent values; None if one is not known."""
    if None in halves:
        return None
    return math.sqrt(math.fsum((weight * half)**2 for weight, half in zip(weights, halves))) / math.fsum(weights)


def needed(names, formulas):
    """`names`, and those that the formulas among them need."""
    found, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        if name in formulas:
            waiting |= formulas[name].names - found
    return found
