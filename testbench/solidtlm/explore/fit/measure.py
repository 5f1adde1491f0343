# SPDX-License-Identifier: Apache-2.0
"""Runs sets of parameters and computes how far each is off."""
import math
from dataclasses import dataclass, field

from .. import metrics, units
from ..formula import FormulaError
from ..program import contents
from . import paths
from .parameters import arguments_of, placed_in


@dataclass
class Outcome:
    """The outcome of a set. `offs`: for each measurement with a found value, the deviation in tolerances."""
    coordinates: tuple
    settings: dict
    keys: dict = field(default_factory=dict)  # keys of the records, by run
    values: list = None  # values of these measurements
    offs: list = None
    failure: str = ""

    @property
    def worst(self):
        return max(map(abs, self.offs)) if self.offs else math.inf

    @property
    def squares(self):
        """The sum of the squared deviations, which the search minimises."""
        return math.fsum(each * each for each in self.offs) if self.offs else math.inf

    @property
    def consistent(self):
        return self.worst <= 1


class Measurer:
    """`programs`: executables by name."""

    def __init__(self, study, programs, store, engine):
        self._study, self._programs, self._store, self._engine = study, programs, store, engine
        self.known = {}   # outcomes by settings, in the order of the requests
        self.started = 0
        self.runs = set()
        self.measured = [each for each in study.measurements if each.found is not None]

    def settings(self, coordinates):
        return {each.name: each.value(at) for each, at in zip(self._study.parameters, coordinates)}

    def evaluate(self, many):
        """The outcomes of these sets, in order."""
        made = [Outcome(tuple(each), self.settings(each)) for each in many]
        marks = [tuple(map(str, each.settings.values())) for each in made]
        new = {mark: each for mark, each in zip(marks, made) if mark not in self.known}
        needed = [run for run in self._study.runs if any(each.run is run for each in self.measured)]
        self._simulate(new.values(), needed)
        for mark, each in new.items():
            self.known[mark] = each
            self._judge(each)
        return [self.known[mark] for mark in marks]

    def values_of(self, outcome, measurements):
        """For a set that was run, the values of other measurements; None for those without a value."""
        self._simulate([outcome], {each.run.name: each.run for each in measurements}.values())
        found = []
        for each in measurements:
            try:
                found.append(self.value(outcome, each))
            except (FormulaError, paths.PathError):
                found.append(None)
        return found

    def result(self, outcome, run):
        """Raises FormulaError if there is none."""
        record = self._store.read(outcome.keys[run.name])
        if record is None or "failure" in record:
            raise FormulaError("; ".join(record["failure"]["lines"][:3] or [record["failure"]["reason"]])
                               if record else "a record was damaged; start again")
        return record["result"]

    def outside(self, outcome, measurement):
        """What decides the value in place of the drive, as tb_gallery says it; "": the drive, or nothing is said."""
        result = self.result(outcome, measurement.run)
        for path in measurement.where.values():
            [placed] = placed_in(self._study.parameters, outcome.coordinates, [path])
            place, _, metric = placed.rpartition(".")
            if metric in paths.text_at(result, f"{place}.outside").split(","):
                return paths.text_at(result, f"{place}.limit")
        return ""

    def value(self, outcome, measurement):
        """Raises FormulaError or PathError if there is no value."""
        result = self.result(outcome, measurement.run)
        known = {name: units.number_of(value) for name, value in outcome.settings.items()}
        known.update(metrics.of_result(result))
        for name, path in measurement.where.items():
            [placed] = placed_in(self._study.parameters, outcome.coordinates, [path])
            known[name] = paths.number_at(result, placed)
        return measurement.formula.value(known)

    def command(self, outcome, run):
        """The command of a run, by the run's name, for running it again."""
        return self._store.read(outcome.keys[run])["command"]

    def _simulate(self, outcomes, runs):
        wanted = {}
        for outcome in outcomes:
            for run in runs:
                job = self._job(outcome, run)
                outcome.keys[run.name] = job["key"]
                wanted.setdefault(job["key"], job)
        self.runs |= set(wanted)
        missing = [job for key, job in wanted.items() if key not in self._store]
        if not missing:
            return

        def done(key, data, _seconds):
            if data is not None:
                self._store.write(key, data)
            self.started += 1

        self._engine.run(missing, done)

    def arguments(self, outcome, run):
        return arguments_of(self._study.parameters, outcome.coordinates, self._study.command(run))

    def _job(self, outcome, run):
        arguments = self.arguments(outcome, run)
        return self._programs[run.executable].job(self._store, arguments,
                                                  {"arguments": [contents(each) for each in arguments]}, arguments,
                                                  self._study.timeout)

    def _judge(self, outcome):
        try:
            outcome.values = [self.value(outcome, each) for each in self.measured]
            outcome.offs = [each.off(value) for each, value in zip(self.measured, outcome.values)]
        except (FormulaError, paths.PathError) as error:
            outcome.failure = str(error)
