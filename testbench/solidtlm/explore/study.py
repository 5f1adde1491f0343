# SPDX-License-Identifier: Apache-2.0
"""Study files. This module checks what can be checked without an executable; checks.py does the rest."""
import copy
import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from . import metrics, space as spaces, units
from .formula import Constraint, Formula, FormulaError, Objective
from .mistakes import Mistakes, StudyError, did_you_mean
from .toml_lines import Lines

kProposers = ("grid", "random", "tpe", "nsga2", "model")
_TOP = ("title", "question", "base", "space", "workload", "precondition", "keep_aged", "formulas",
        "objectives", "constraints", "until", "search", "budget", "reference")
_BASE = ("preset", "config", "set", "executable")
_RANGE = ("values", "from", "to", "step", "factor", "when", "unless")
_WORKLOAD = ("name", "spec", "trace", "weight", "format", "fit", "pacing", "queue_depth", "speed", "warm_up",
             "regroup_trims")
_PASSED_ON = ("format", "fit", "pacing", "queue_depth", "speed", "regroup_trims")
_SEARCH = ("proposer", "seed", "batch", "population", "rungs", "keep", "seeds", "ci", "max_seeds", "timeout")
_BUDGET = ("runs", "hours", "unmoved")
_UNTIL = ("known",)
kWithoutCount = ("postmark", "filebench_delete")


@dataclass
class Workload:
    name: str
    spec: str = ""
    traces: list = field(default_factory=list)
    weight: float = 1.0
    warm_up: float | str | None = None  # below 1 a share of the requests, otherwise a number of commands; or steady
    options: dict = field(default_factory=dict)


@dataclass
class Based:
    """A file about variations of one drive: its contents and its [base]."""
    path: Path
    text: str
    title: str = ""
    question: str = ""
    preset: str = ""
    config: str = ""
    settings: dict = field(default_factory=dict)
    executable: str = "tb_replay"


@dataclass
class Study(Based):
    space: spaces.Space = None
    workloads: list = field(default_factory=list)
    precondition: str = ""
    keep_aged: bool = True
    formulas: dict = field(default_factory=dict)
    objectives: list = field(default_factory=list)
    constraints: list = field(default_factory=list)
    known: dict = field(default_factory=dict)  # runs of the last rung end when these are known this precisely, as shares
    reference: dict = field(default_factory=dict)
    proposer: str = "model"
    seed: int = 1
    batch: int = 20
    population: int = 0  # 0: the batch
    rungs: list = field(default_factory=lambda: [10_000])
    keep: float = 0.34
    seeds: list = field(default_factory=lambda: [1])
    ci: float = None
    max_seeds: int = 8
    timeout: float = 600.0
    runs: int = None
    hours: float = None
    unmoved: int = None

    def shares(self):
        """For each rung, the share of the points that come to it."""
        return [self.keep**rung for rung in range(len(self.rungs))]

    def base_arguments(self):
        """The base as options of the executable."""
        arguments = ["--preset", self.preset] if self.preset else []
        if self.config:
            arguments += ["--config", str(self.path.parent / self.config)]
        for name, value in self.settings.items():
            from .program import setting
            arguments += ["--set", setting(name, value)]
        return arguments


class Reader:
    """Reads a study from a TOML table and records every mistake."""

    def __init__(self, path, text, table, mistakes, study=Study):
        self.study = study(path, text)
        self._table, self.mistakes = table, mistakes

    def read(self):
        self._unknown((), self._table, _TOP)
        for name in ("title", "question"):
            self._take((), self._table, name, str, "a text")
        self._read_base()
        self._read_space()
        self._read_workloads()
        if "precondition" in self._table:
            self._take((), self._table, "precondition", str, "a text such as \"fill=1,random=0.7\"")
        self._take((), self._table, "keep_aged", bool, "true or false")
        self._read_formulas()
        self._read_until()
        self._read_search()
        self._read_budget()
        return self.study

    # Parts of the file.

    def _read_base(self):
        base = self._part("base")
        self._unknown(("base",), base, _BASE)
        for name in ("preset", "config", "executable"):
            self._take(("base",), base, name, str, "a text")
        settings = base.get("set", {})
        if not isinstance(settings, dict):
            self._add(("base", "set"), "base.set: found no table; allowed: keys with values")
            return
        from .program import flat
        self.study.settings = flat(settings)
        if self.study.config and not (self.study.path.parent / self.study.config).is_file():
            self._add(("base", "config"), f"base.config: no file {self.study.config}, seen from the study file")

    def _entries_of_space(self):
        return _entries(self._part("space"))

    def _read_space(self):
        table = self._part("space")
        keys = []
        for name, value in self._entries_of_space():
            key = self._key(name, value)
            if key:
                keys.append(key)
                if name in self.study.settings:
                    self._add(("space", name), f"space: {name} is set in [base.set] too; allowed: one of them")
        if not table:
            self._add(("space",), "space: is missing; allowed: configuration keys with lists or ranges of values")
        self.study.space = spaces.Space(keys)
        circle = self.study.space.circle()
        if circle:
            self._add(("space", circle[0]), f"space: the conditions of {', '.join(circle)} wait for each other")

    def _key(self, name, value):
        path = ("space", name)
        table = value if isinstance(value, dict) else {"values": value}
        self._unknown(path, table, _RANGE)
        values = table.get("values")
        if values is not None and any(each in table for each in ("from", "to", "step", "factor")):
            self._add(path, f"space: {name}: has values and a range; allowed: one of them")
            return None
        try:
            if values is None:
                values = spaces.range_values(name, table)
            elif not isinstance(values, list):
                raise spaces.SpaceError(f"found {values!r}; allowed: a list, or a range such as "
                                        "{ from = 1, to = 16, factor = 2 }")
            if not values:
                raise spaces.SpaceError("has no values")
            again = [each for i, each in enumerate(values) if each in values[:i]]
            if again:
                raise spaces.SpaceError(f"has {again[0]!r} twice")
        except spaces.SpaceError as error:
            self._add(path, f"space: {name}: {error}")
            return None
        ordered = len(values) > 1 and all(_is_quantity(each) for each in values)
        return spaces.Key(name, values, ordered, self._condition(path, table, "when"),
                          self._condition(path, table, "unless"))

    def _condition(self, path, table, name):
        """{ key = value } or { key = [values] }."""
        found = table.get(name, {})
        if not isinstance(found, dict):
            self._add(path, f"space: {path[1]}: {name} = {found!r}; allowed: a table such as "
                            "{ \"firmware.map_cache.policy\" = \"dftl\" }")
            return {}
        from .program import flat
        return {key: value if isinstance(value, list) else [value] for key, value in flat(found).items()}

    def _read_workloads(self):
        entries = self._table.get("workload", [])
        if isinstance(entries, dict):
            entries = [entries]
        if not isinstance(entries, list) or not entries or not all(isinstance(each, dict) for each in entries):
            self._add(("workload",), "workload: is missing; allowed: one or more [[workload]], each with spec or trace")
            return
        for number, entry in enumerate(entries):
            self._workload(("workload", number), entry)
        names = [each.name for each in self.study.workloads]
        for number, name in enumerate(names):
            if name in names[:number]:
                self._add(("workload", number, "name"), f"workload: two are named {name}")

    def _workload(self, path, entry):
        self._unknown(path, entry, _WORKLOAD)
        spec, traces = entry.get("spec"), entry.get("trace")
        if (spec is None) == (traces is None):
            self._add(path, "workload: has both spec and trace; allowed: one of them" if spec is not None
                      else "workload: needs spec or trace")
            return
        made = Workload(str(entry.get("name", spec or Path(str(traces)).name)))
        if spec is not None:
            if not isinstance(spec, str) or not spec:
                self._add(path + ("spec",), f"workload: spec = {spec!r}; allowed: a text as --workload takes it")
                return
            made.spec = spec
            if re.search(r"(^|,)\s*(count|bytes)\s*=", spec):
                self._add(path + ("spec",), "workload: spec has count or bytes; the number of requests "
                                               "is in search.rungs")
        else:
            made.traces = self._traces(path, traces)
        weight = entry.get("weight", 1.0)
        if not _is_number(weight) or weight <= 0:
            self._add(path + ("weight",), f"workload: weight = {weight!r}; allowed: a number above 0")
        else:
            made.weight = float(weight)
        warm_up = entry.get("warm_up")
        found = warm_up if warm_up in (None, "steady") else units.share_of(warm_up)
        if "warm_up" in entry and found is None or isinstance(found, float) and found < 0:
            self._add(path + ("warm_up",), f"workload: warm_up = {warm_up!r}; allowed: a share of the requests such as "
                                           "0.2 or \"20%\", a number of commands, or \"steady\"")
        else:
            made.warm_up = found
        made.options = {name: entry[name] for name in _PASSED_ON if name in entry}
        self.study.workloads.append(made)

    def _traces(self, path, traces):
        found = []
        for each in traces if isinstance(traces, list) else [traces]:
            place = (self.study.path.parent / str(each)).resolve()
            if not isinstance(each, str) or not place.is_file():
                self._add(path + ("trace",), f"workload: no trace {each}, seen from the study file", each)
            found.append(place)
        return found

    def _read_formulas(self):
        for name, text in self._part("formulas").items():
            made = self._formula(("formulas", name), f"formulas: {name}", lambda: Formula(text))
            if made:
                self.study.formulas[name] = made
        objectives = self._part("objectives")
        if not objectives:
            self._add(("objectives",), "objectives: is missing; allowed: names with \"minimise FORMULA\" or "
                                       "\"maximise FORMULA\"")
        for name, text in objectives.items():
            made = self._formula(("objectives", name), f"objectives: {name}", lambda: Objective(name, text))
            if made:
                self.study.objectives.append(made)
        constraints = self._table.get("constraints", [])
        if not isinstance(constraints, list):
            self._add(("constraints",), f"constraints: found {constraints!r}; allowed: a list such as "
                                        "[\"p99 < 500us\"]")
            constraints = []
        for text in constraints:
            made = self._formula(("constraints",), "constraints", lambda: Constraint(text), text)
            if made:
                self.study.constraints.append(made)
        for name, value in self._part("reference").items():
            if name not in objectives:
                self._add(("reference", name), f"reference: no objective {name}" + did_you_mean(name, objectives))
            number = units.quantity(value) if isinstance(value, str) else value
            if not _is_number(number):
                self._add(("reference", name), f"reference: {name} = {value!r}; allowed: a number or a quantity")
            else:
                self.study.reference[name] = float(number)

    def _read_until(self):
        until = self._part("until")
        self._unknown(("until",), until, _UNTIL)
        known = until.get("known", {})
        if not isinstance(known, dict) or until and not known:
            self._add(("until", "known"), f"until: found {until!r}; allowed: a table such as {{ known = {{ p99 = \"2%\" }} }}")
            return
        for name, value in known.items():
            short, share = metrics.spelt(name), units.share_of(value)
            if short not in metrics.kWithInterval:
                self._add(("until", "known", name), f"until.known: {name}: unknown"
                          + (did_you_mean(name, metrics.kWithInterval)
                             or f"; allowed: {', '.join(metrics.kWithInterval)}"))
            elif share is None or not 0 < share < 1:
                self._add(("until", "known", name), f"until.known: {name} = {value!r}; allowed: half of the interval as a "
                                                    "share of the value, such as \"2%\"")
            else:
                self.study.known[short] = share

    def _formula(self, path, what, make, value=None):
        try:
            return make()
        except FormulaError as error:
            self._add(path, f"{what}: {error}", value)
            return None

    def _read_search(self):
        search = self._part("search")
        self._unknown(("search",), search, _SEARCH)
        study, where = self.study, ("search",)
        if "proposer" in search and search["proposer"] not in kProposers:
            self._add(("search", "proposer"), f"search.proposer: found {search['proposer']}; allowed: one of "
                      f"{', '.join(kProposers)}" + did_you_mean(str(search["proposer"]), kProposers))
        else:
            study.proposer = search.get("proposer", study.proposer)
        for name, least in (("seed", 0), ("batch", 1), ("population", 2), ("max_seeds", 1)):
            self._whole(where, search, name, least)
        rungs = search.get("rungs", study.rungs)
        rungs = rungs if isinstance(rungs, list) else [rungs]
        if not rungs or not all(_is_whole(each, 1) for each in rungs) or sorted(set(rungs)) != rungs:
            self._add(("search", "rungs"), f"search.rungs: found {search.get('rungs')!r}; allowed: numbers of "
                                           "requests, each above the one before, such as [5000, 20000]")
        else:
            study.rungs = rungs
        seeds = search.get("seeds", 1)
        if _is_whole(seeds, 1):
            study.seeds = list(range(1, seeds + 1))
        elif isinstance(seeds, list) and seeds and all(_is_whole(each, 0) for each in seeds):
            study.seeds = seeds
        else:
            self._add(("search", "seeds"), f"search.seeds: found {seeds!r}; allowed: how many, or a list of seeds")
        keep = units.share_of(search.get("keep", study.keep))
        if keep is None or not 0 < keep <= 1:
            self._add(("search", "keep"), f"search.keep: found {search['keep']!r}; allowed: a share above 0, at most 1")
        else:
            study.keep = keep
        if "ci" in search:
            study.ci = units.share_of(search["ci"])
            if study.ci is None or not 0 < study.ci < 1:
                self._add(("search", "ci"), f"search.ci: found {search['ci']!r}; allowed: a share such as \"2%\"")
            elif len(study.seeds) < 2:
                self._add(("search", "ci"), "search.ci: an interval needs at least two seeds (search.seeds)")
        self._duration(("search", "timeout"), search, "timeout", 1e6)

    def _read_budget(self):
        budget = self._part("budget")
        self._unknown(("budget",), budget, _BUDGET)
        for name in ("runs", "unmoved"):
            self._whole(("budget",), budget, name, 1)
        hours = budget.get("hours")
        if hours is not None and (not _is_number(hours) or hours <= 0):
            self._add(("budget", "hours"), f"budget.hours: found {hours!r}; allowed: a number above 0")
        self.study.hours = hours
        if self.study.proposer != "grid" and not budget:
            self._add(("budget",), "budget: is missing; allowed: runs, hours or unmoved (runs in which the front has "
                                   "not moved); a grid needs none")

    # Values.

    def _add(self, path, text, value=None):
        self.mistakes.add(path, text, value)

    def _part(self, name):
        part = self._table.get(name, {})
        if not isinstance(part, dict):
            self._add((name,), f"{name}: found {part!r}; allowed: a table [{name}]")
            return {}
        return part

    def _unknown(self, path, table, known):
        for name in table:
            if name not in known:
                where = ".".join(str(each) for each in path if not isinstance(each, int))
                self._add(path + (name,), f"{where + ': ' if where else ''}{name}: unknown"
                          + (did_you_mean(name, known) or f"; known: {', '.join(known)}"))

    def _take(self, path, table, name, kind, allowed):
        if name in table:
            if isinstance(table[name], kind):
                setattr(self.study, name, table[name])
            else:
                self._add(path + (name,), f"{'.'.join((*path, name))}: found {table[name]!r}; allowed: {allowed}")

    def _whole(self, path, table, name, least):
        if name in table:
            if _is_whole(table[name], least):
                setattr(self.study, name, table[name])
            else:
                self._add(path + (name,), f"{'.'.join((*path, name))}: found {table[name]!r}; allowed: a whole number "
                                          f"from {least}")

    def _duration(self, path, table, name, scale):
        if name in table:
            value = table[name]
            number = units.quantity(value) if isinstance(value, str) else None
            if number is None or number <= 0:
                self._add(path, f"{'.'.join(path)}: found {value!r}; allowed: a duration such as \"10min\"")
            else:
                setattr(self.study, name, number / scale)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value, least):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_quantity(value):
    return _is_number(value) or (isinstance(value, str) and units.quantity(value) is not None)


def _entries(table, prefix=""):
    """Keys of [space]: a dotted name ends at a list, or at a table that describes values."""
    for name, value in table.items():
        if isinstance(value, dict) and not any(each in value for each in _RANGE):
            yield from _entries(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _override(table, text):
    """KEY=VALUE overriding the file: a dotted name of the study, and a value in TOML (quotes may be left out)."""
    name, equals, value = text.partition("=")
    parts = [part.strip() for part in name.split(".")]
    if not equals or not all(parts):
        raise StudyError([f"--set: found {text!r}; allowed: KEY=VALUE, such as budget.runs=100"])
    try:
        found = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        found = value.strip()
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise StudyError([f"--set: {name}: {part} is no table"])
    table[parts[-1]] = found


def read_table(path, overrides=()):
    """Input for Reader. `path`: a file, or its contents, relative to the current folder. Raises StudyError if
    the file is not TOML."""
    if isinstance(path, dict):
        table = copy.deepcopy(path)
        for each in overrides:
            _override(table, each)
        return Path("study"), json.dumps(path, indent=1), table, Mistakes("study")
    path = Path(path)
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError([f"{path}: {getattr(error, 'strerror', None) or error}"]) from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = found[1] if found else len(text.splitlines())
        raise StudyError([f"{path}:{line}: no TOML: {re.sub(r' *[(]at .*[)]', '', str(error))}"]) from error
    for each in overrides:
        _override(table, each)
    return path, text, table, Mistakes(str(path), Lines(text))


def read_study(path, overrides=()):
    """(study, mistakes so far). Raises StudyError if the file is not TOML."""
    reader = Reader(*read_table(path, overrides))
    return reader.read(), reader.mistakes
