# SPDX-License-Identifier: Apache-2.0
"""Objectives and constraints that follow from a drive's configuration, such as its price, and are known before
it is tried."""
from . import metrics, units
from .checks import kMostAsked
from .formula import FormulaError


class Computed:
    """REQUIRES: a study without mistakes. Nothing is computed if a value of one key changes another key, or if a
    key has more values than the checks ask the executable about."""

    def __init__(self, study, base, drives):
        self._study = study
        self._base = {name: units.number_of(value) for name, value in base.items()}
        self._numbers = {}
        self._plain = all(len(key.values) <= kMostAsked for key in study.space.keys)
        for name, value in ((key.name, value) for key in study.space.keys for value in key.values if self._plain):
            alone = drives.alone(name, value)
            self._plain = alone is not None
            self._numbers[name, repr(value)] = units.number_of(alone[0]) if alone else None
        names = set(metrics.derived(self._base)) if self._plain else set()
        self._formulas = formulas_over(study.formulas, names)
        names |= {name for name, _ in self._formulas}
        self._objectives = [each if each.formula.names <= names else None for each in study.objectives]
        self._constraints = [each if each.names <= names else None for each in study.constraints]

    @property
    def objectives(self):
        """Indices of the computed objectives."""
        return {i for i, each in enumerate(self._objectives) if each}

    @property
    def constraints(self):
        return {i for i, each in enumerate(self._constraints) if each}

    def numbers(self, settings):
        """Numbers for the formulas of a drive with these settings: those of keys, and those derived from several
        keys."""
        if not self._plain:
            return {}
        return metrics.derived({**self._base, **{name: self._numbers[name, repr(value)]
                                                 for name, value in settings.items()}})

    def of(self, numbers):
        """(losses, excesses) with None for those that are not computed; None if a formula has no value for this
        drive."""
        values = dict(numbers)
        try:
            for name, formula in self._formulas:
                values[name] = formula.value(values)
            return ([each and each.loss(each.formula.value(values)) for each in self._objectives],
                    [each and each.excess(values) for each in self._constraints])
        except FormulaError:
            return None


def formulas_over(formulas, names):
    """[(name, formula)] of formulas that depend only on `names`, directly or through others, in an order in
    which they can be computed."""
    order, known = [], set(names)
    while True:
        ready = [(name, each) for name, each in formulas.items() if name not in known and each.names <= known]
        if not ready:
            return order
        order += ready
        known |= {name for name, _ in ready}
