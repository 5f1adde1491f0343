# SPDX-License-Identifier: Apache-2.0
"""Files of `fit`: the unknown parameters and the measurements. Read and checked like study files (../study.py)."""
import re
from dataclasses import dataclass, field

from .. import units
from ..formula import Formula, FormulaError
from ..program import flat, setting
from ..space import SpaceError
from ..study import Based, Reader, read_table
from . import paths
from .parameters import Parameter

_TOP = ("title", "question", "base", "arguments", "space", "run", "measurement", "search")
_RUN = ("name", "executable", "arguments", "set")
_MEASUREMENT = ("name", "run", "value", "where", "found", "at_least", "at_most", "tolerance")
_SEARCH = ("design", "starts", "sets", "timeout")
_FILES = ("--trace", "--config", "--trace-folder")  # options that name files, relative to the fit's folder, like ./


@dataclass
class Run:
    name: str
    executable: str
    arguments: list
    settings: dict = field(default_factory=dict)


@dataclass
class Measurement:
    """A number of a run and its measured value: about `found`, at least that, or at most that; None: not
    measured, but measurable."""
    name: str
    run: Run
    formula: Formula
    where: dict
    sign: int = 0  # 1: at least, -1: at most
    found: float = None
    tolerance: float = 0.0

    def off(self, value):
        """Deviation in tolerances; 0 for a limit that holds."""
        distance = (value - self.found) / self.tolerance
        return distance if self.sign == 0 else min(0.0, distance) if self.sign > 0 else max(0.0, distance)

    def written(self):
        """The measured value as text."""
        if self.found is None:
            return "-"
        return ("", ">= ", "<= ")[self.sign] + units.shown(self.found)


@dataclass
class FitStudy(Based):
    arguments: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    runs: list = field(default_factory=list)
    measurements: list = field(default_factory=list)
    design: int = 100
    starts: int = 10
    sets: int = 1000
    timeout: float = 600.0

    def command(self, run):
        """Arguments of a run, without the parameters."""
        base = ["--preset", self.preset] if self.preset else []
        base += ["--config", self.config] if self.config else []
        settings = [part for name, value in {**self.settings, **run.settings}.items()
                    for part in ("--set", setting(name, value))]
        arguments = [*base, *self.arguments, *run.arguments]
        for at, each in enumerate(arguments):
            if each.startswith("./") or at > 0 and arguments[at - 1] in _FILES:
                arguments[at] = str((self.path.parent / each).resolve())
        return arguments + settings


class FitReader(Reader):
    def __init__(self, path, text, table, mistakes):
        super().__init__(path, text, table, mistakes, FitStudy)

    def read(self):
        self._unknown((), self._table, _TOP)
        for name in ("title", "question"):
            self._take((), self._table, name, str, "a text")
        self._read_base()
        self.study.arguments = self._arguments(("arguments",), self._table)
        self._each("run", self._run)
        if not self._table.get("run"):
            self.study.runs = [Run("the run", self.study.executable, [])]
        self._read_parameters()
        self._each("measurement", self._measurement)
        if all(each.found is None for each in self.study.measurements):
            self._add(("measurement",), "measurement: none has a found value; allowed: one or more [[measurement]] "
                                        "with found, at_least or at_most")
        search = self._part("search")
        self._unknown(("search",), search, _SEARCH)
        for name, least in (("design", 1), ("starts", 0), ("sets", 1)):
            self._whole(("search",), search, name, least)
        self._duration(("search", "timeout"), search, "timeout", 1e6)
        return self.study

    def _each(self, name, read):
        entries = self._table.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            self._add((name,), f"{name}: found {entries!r}; allowed: [[{name}]], once for each")
            return
        for number, entry in enumerate(entries):
            read((name, number), entry)

    def _arguments(self, path, table):
        found = table.get("arguments", [])
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            self._add(path, f"arguments: found {found!r}; allowed: a list of texts")
            return []
        return found

    def _run(self, path, entry):
        self._unknown(path, entry, _RUN)
        settings = entry.get("set", {})
        name = str(entry.get("name", f"run {path[1] + 1}"))
        if not isinstance(settings, dict):
            self._add(path, f"run: set = {settings!r}; allowed: keys with values")
            settings = {}
        if any(each.name == name for each in self.study.runs):
            self._add((*path, "name"), f"run: two are named {name}")
        self.study.runs.append(Run(name, str(entry.get("executable", self.study.executable)),
                                   self._arguments((*path, "arguments"), entry), flat(settings)))

    def _read_parameters(self):
        words = {word for run in self.study.runs for text in [*self.study.arguments, *run.arguments]
                 for word in re.findall(r"\{([\w-]+)\}", text)}
        for name, value in self._entries_of_space():
            self._parameter(name, value, words)
        names = {each.name for each in self.study.parameters}
        for word in sorted(words - names):
            self._add(("space",), f"space: {{{word}}} stands in the arguments of a run; it has no values here")
        if not self._part("space"):
            self._add(("space",), "space: is missing; allowed: what is not known, with lists or ranges of values")

    def _parameter(self, name, value, words):
        ranged = isinstance(value, dict) and set(value) == {"from", "to"}
        try:
            if ranged:
                made = Parameter.of_range(name, value)
            else:
                key = self._key(name, value)
                if key is None:
                    return
                if key.when or key.unless:
                    raise SpaceError("has a condition; allowed: none in a fit")
                made = Parameter(name, values=key.values, ordered=key.ordered)
        except SpaceError as error:
            self._add(("space", name), f"space: {name}: {error}")
            return
        made.word = name in words
        self.study.parameters.append(made)

    def _measurement(self, path, entry):
        self._unknown(path, entry, _MEASUREMENT)
        name = str(entry.get("name", entry.get("value", "")))
        run = self._run_of(path, entry)
        where = entry.get("where", {})
        try:
            formula = Formula(entry.get("value"))
            for each in where.values():
                paths.segments(each)
        except (AttributeError, FormulaError, TypeError, paths.PathError) as error:
            self._add((*path, "value"), f"measurement: {name}: {error}")
            return
        if run is None:
            return
        made = Measurement(name, run, formula, where)
        limits = [each for each in ("found", "at_least", "at_most") if each in entry]
        if len(limits) > 1:
            self._add(path, f"measurement: {name}: has {' and '.join(limits)}; allowed: one of them")
        elif limits:
            made.found = units.share_of(entry[limits[0]])
            made.sign = {"found": 0, "at_least": 1, "at_most": -1}[limits[0]]
            if made.found is None:
                self._add((*path, limits[0]), f"measurement: {name}: {limits[0]} = {entry[limits[0]]!r}; "
                                              "allowed: a number, with or without a unit")
        made.tolerance = self._tolerance(path, name, entry, made.found)
        self.study.measurements.append(made)

    def _run_of(self, path, entry):
        runs = {each.name: each for each in self.study.runs}
        if "run" not in entry and len(runs) == 1:
            return self.study.runs[0]
        found = runs.get(entry.get("run"))
        if found is None:
            self._add((*path, "run"), f"measurement: run = {entry.get('run')!r}; allowed: one of {', '.join(runs)}")
        return found

    def _tolerance(self, path, name, entry, found):
        """The tolerance as a number; a share is relative to the found value. A measurement without a tolerance
        cannot be compared."""
        text = entry.get("tolerance")
        number = units.share_of(text) if text is not None else None
        if number is not None and isinstance(text, str) and "%" in text and found is not None:
            number *= abs(found)
        if number is None or number <= 0:
            self._add((*path, "tolerance"), f"measurement: {name}: tolerance = {text!r}; allowed: a number above 0, "
                                            "such as 0.05 or \"2%\" of what was found")
            return 1.0
        return number


def read_fit(path, overrides=()):
    """(study, mistakes so far). Raises StudyError if the file is not TOML."""
    reader = FitReader(*read_table(path, overrides))
    return reader.read(), reader.mistakes
