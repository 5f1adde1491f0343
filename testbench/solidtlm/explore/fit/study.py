# SPDX-License-Identifier: Apache-2.0
"""Files of `fit`: the unknown parameters and the measurements. Read and checked like study files (../study.py)."""
import re
from dataclasses import dataclass, field
from pathlib import Path

from .. import units
from ..formula import Formula, FormulaError
from ..mistakes import Mistakes, StudyError
from ..program import flat, setting
from ..space import SpaceError
from ..study import Based, Reader, read_table
from . import folder, paths
from .parameters import Parameter

_TOP = ("title", "question", "base", "arguments", "space", "run", "curve", "measurement", "search")
_RUN = ("name", "executable", "arguments", "set")
_MEASUREMENT = ("name", "run", "value", "where", "found", "at_least", "at_most", "tolerance")
_CURVE = ("test", "tolerance", "without")
_SEARCH = ("design", "starts", "sets", "kept_out", "timeout")
_DEPTH = re.compile(r"[\[,]\s*depth\s*=\s*(\d+)\s*(?=[,\]])")
_WAKES = "sata.power."  # keys of the only wake-up that the model has
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
    place: tuple = ()  # in the file, for mistakes

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
    curves: list = field(default_factory=list)  # of a drive's folder
    runs: list = field(default_factory=list)
    measurements: list = field(default_factory=list)
    design: int = 100
    starts: int = 10
    sets: int = 1000
    kept_out: int = 20
    timeout: float = 600.0

    @property
    def name(self):
        """Of the folder, if the file has the usual name there."""
        return self.path.resolve().parent.name if self.path.stem == "fit" else self.path.stem

    def figures(self):
        """DRIVE/CAMPAIGN/TEST/DEPTH/METRIC of what the curves measured. A mean follows from its rate, so it is one of
        them."""
        means = {each.test for each in self.curves if "mean_us" in each.metrics}
        found = []
        for each in self.measurements:
            if each.place[:1] == ("curve",):
                found.append(each.name)
                if each.run.name in means:
                    found.append(each.name.rpartition("/")[0] + "/mean_us")
        return found

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
        self._each("curve", self._curve)
        if not self._table.get("run") and not self._table.get("curve"):
            self.study.runs = [Run("the run", self.study.executable, [])]
        self._read_parameters()
        self._each("measurement", self._measurement)
        self._check_ratios()
        if not self._table.get("curve") and all(each.found is None for each in self.study.measurements):
            self._add(("measurement",), "measurement: none has a found value; allowed: one or more [[measurement]] "
                                        "with found, at_least or at_most, or [[curve]]")
        search = self._part("search")
        self._unknown(("search",), search, _SEARCH)
        for name, least in (("design", 1), ("starts", 0), ("sets", 1), ("kept_out", 0)):
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

    def _curve(self, path, entry):
        """A run with those depths of a test of the folder that a fit needs, and a measurement for each."""
        self._unknown(path, entry, _CURVE)
        place = self.study.path.parent
        known = folder.curves(place)
        curve = known.get(entry.get("test"))
        without = entry.get("without", [])
        if curve is None:
            self._add(path, f"curve: test = {entry.get('test')!r}; allowed: CAMPAIGN/TEST of the folder with rates: "
                            f"{', '.join(known) or 'there is none'}")
            return
        if not isinstance(without, list) or not all(each in curve.rates for each in without):
            self._add((*path, "without"), f"curve: without = {without!r}; allowed: depths of {curve.test}, "
                                          f"{list(curve.rates)}")
            return
        depths = curve.depths(without)
        drive = place.resolve()
        run = Run(curve.test, "tb_gallery", [str(drive), "--jobs", "1", *(
            part for depth in depths for part in ("--only", f"{drive.name}/{curve.test}/{depth}"))])
        self.study.runs.append(run)
        self.study.curves.append(curve)
        for depth in depths:
            found = float(curve.rates[depth])
            self.study.measurements.append(Measurement(
                f"{drive.name}/{curve.test}/{depth}/{curve.metric}", run, Formula("rate"),
                {"rate": f"points[depth={depth}].derived.{curve.metric}"}, 0, found,
                self._tolerance(path, curve.test, {"tolerance": "2%", **entry}, found), path))

    def _check_ratios(self):
        """A drive of the model answers as soon after a pause as under load, so its time for a command does not
        fall when more are outstanding."""
        rates = {}
        for each in self.study.measurements:
            path = next(iter(each.where.values()), "")
            depth = _DEPTH.search(path)
            if depth and each.found and not each.sign and each.formula.text in each.where and \
                    path.endswith(folder.kRates):
                rates.setdefault((each.run.name, _DEPTH.sub("", path)), {})[int(depth[1])] = each
        woken = any(each.name.startswith(_WAKES) for each in self.study.parameters) or \
            any(name.startswith(_WAKES) for name in self.study.settings)
        for by_depth in [] if woken else rates.values():
            depths = sorted(by_depth)
            for low, high in zip(depths, depths[1:]):
                one, other = by_depth[low], by_depth[high]
                most = high / low
                if other.found - other.tolerance > most * (one.found + one.tolerance):
                    self._add(other.place, f"{other.name}: found {other.found / one.found:.2f} times the rate of depth "
                              f"{low}; the model has at most {most:g} times. Missing is the time that drive and host take "
                              "to wake up after a pause (power states of processor and controller); leave the smaller "
                              f"depth out{f': without = [{low}]' if other.place[:1] == ('curve',) else ''}")

    def _read_parameters(self):
        if "space" not in self._table and "curve" in self._table:
            self._table["space"] = folder.guesses(self.study.path.parent)
        elif "curve" in self._table:
            for name in folder.scaled(self.study.path.parent) & {each for each, _ in self._entries_of_space()}:
                self._add(("space", name), f"space: {name} is divided by [scale]; allowed: keys that are not")
        words = {word for run in self.study.runs for text in [*self.study.arguments, *run.arguments]
                 for word in re.findall(r"\{([\w-]+)\}", text)}
        for name, value in self._entries_of_space():
            self._parameter(name, value, words)
        names = {each.name for each in self.study.parameters}
        for word in sorted(words - names):
            self._add(("space",), f"space: {{{word}}} stands in the arguments of a run; it has no values here")
        if not self._part("space"):
            self._add(("space",), "space: is missing; allowed: what is not known, with lists or ranges of values")

        figures = sum(each.found is not None for each in self.study.measurements)
        if self._table.get("curve") and len(self.study.parameters) > figures:
            self._add(("space",), f"space: found {len(self.study.parameters)} unknown values and {figures} figures; allowed: "
                                  f"no more values than figures. Unknown: {', '.join(sorted(names))}; name some in [space] "
                                  "of fit.toml")

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
        made = Measurement(name, run, formula, where, place=path)
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
    """(study, mistakes so far) of a file, of the contents of one, or of a drive's folder: its fit.toml, or the recipe.
    Raises StudyError if a file is not TOML."""
    if not isinstance(path, dict) and Path(path).is_dir():
        if not (Path(path) / "drive.toml").is_file():
            raise StudyError([f"{path}: found no drive.toml; allowed: the file of a fit, or the folder of a drive"])
        file = Path(path) / "fit.toml"
        if not file.is_file():
            _, text, table, _ = read_table(folder.recipe(path), overrides)
            mistakes = Mistakes(str(path))
            return FitReader(file, text, table, mistakes).read(), mistakes
        path = file
    reader = FitReader(*read_table(path, overrides))
    return reader.read(), reader.mistakes
