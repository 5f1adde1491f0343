# SPDX-License-Identifier: Apache-2.0
"""Compares the observations of two controllers."""
import dataclasses

from . import runner


@dataclasses.dataclass(frozen=True)
class Difference:
    """A place of a script where the controllers differ, or where one of them violates the script's expectation.

    `theirs` and `ours` are what was seen, `expected` is what the standard demands or None.
    """
    script: str
    place: str
    statement: str
    label: str
    theirs: object
    ours: object
    expected: object = None

    @property
    def bits(self):
        """The differing bits; 0 if the difference is not one of bits."""
        if isinstance(self.theirs, int) and isinstance(self.ours, int):
            return self.theirs ^ self.ours
        return 0

    @property
    def wrong(self):
        """The controllers that violate the script's expectation: a set of `theirs` and `ours`."""
        if self.expected is None:
            return set()
        return {side for side in ("theirs", "ours") if getattr(self, side) != self.expected}

    def text(self):
        demanded = "" if self.expected is None else f", demanded {runner.show(self.expected)}"
        where = ""
        if isinstance(self.theirs, bytes) and isinstance(self.ours, bytes) and self.theirs != self.ours:
            at = next(i for i, pair in enumerate(zip(self.theirs, self.ours)) if pair[0] != pair[1])
            where = f", first at byte {at}: {self.theirs[at]:#x} and {self.ours[at]:#x}"
        return (f"{self.place}: {self.label}: theirs {runner.show(self.theirs)}, ours {runner.show(self.ours)}"
                f"{demanded}{where}   [{self.statement}]")


def as_demanded(seen):
    """The Observation that the script expects."""
    return dataclasses.replace(seen, seen=seen.expected) if seen.violated else seen


def differences(script, theirs, ours):
    """Differences between two runs of a script, up to where one of the programs ended."""
    found = []
    for left, right in zip(theirs, ours):
        if runner.ENDED in (left.label, right.label):
            ends = [seen.seen if seen.label == runner.ENDED else runner.RUNS_ON for seen in (left, right)]
            return [*found, Difference(script.name, left.place, left.text, runner.ENDED, *ends, runner.RUNS_ON)]
        if left.seen != right.seen or left.violated or right.violated:
            found.append(Difference(script.name, left.place, left.text, left.label, left.seen, right.seen,
                                    left.expected))
    return found
