# SPDX-License-Identifier: Apache-2.0
"""What only the executable knows: keys and their values, workloads, ageing, names of metrics.

Every value of every key is given to --show-config, two at a time, so that a typing error is found before anything runs.
A value that does not go with the base alone may go with other values of the space; that is no mistake. Whether it does
is seen when its point comes.
"""
from dataclasses import dataclass
from pathlib import Path

from . import metrics, space as spaces
from .mistakes import StudyError, did_you_mean
from .program import Drives, Program, setting
from .study import kWithoutCount, read_study

kWarmUp = 0.2    # share of the requests, where neither the study nor the executable says otherwise
kMostAsked = 64  # values per key; of more values, this many evenly spread ones
_sampled = {}    # names of metrics, by executable


@dataclass
class Checked:
    """A study without mistakes, and what the checks have learned."""
    study: object
    program: object
    base: dict       # complete configuration
    drives: Drives
    names: set       # names that formulas may use


def is_typing_error(message, name, value):
    """Whether a message is about this value of this key, and not about the configuration as a whole."""
    text = setting(name, value)[len(name) + 1:]
    return (message.startswith(f"--set: {name}: found {text};") or message.startswith(f"--set: {name}: found {text},")
            or "unknown key" in message or message.startswith(f"--set: {name}: found nothing")
            or "expected KEY=VALUE" in message)


def without_option(message):
    return message.removeprefix("--set: ")


class Checker:
    def __init__(self, study, program, mistakes):
        self._study, self._program, self._mistakes = study, program, mistakes
        self._keys = program.keys()

    def check(self):
        """Raises StudyError with every mistake."""
        base = self._check_base()
        self._sound = base is not None and not self._mistakes
        drives = Drives(self._program, self._study.base_arguments(), base or {})
        self._check_space(drives, base)
        self._check_workloads()
        names = self._names(base)
        self._check_formulas(names)
        if self._mistakes:
            raise StudyError(self._mistakes)
        return Checked(self._study, self._program, base, drives, names)

    def _check_base(self):
        """Finds the complete configuration of the base; mistakes in the base are left out of further checks."""
        study = self._study
        presets = self._program.presets()
        if study.preset and study.preset not in presets:
            self._mistakes.add(("base", "preset"), f"base.preset: no preset {study.preset}"
                               + (did_you_mean(study.preset, presets) or f"; there are {', '.join(presets)}"))
            study.preset = ""
        for name in [name for name in study.settings if name not in self._keys]:
            self._mistakes.add(("base", "set", name), f"base.set: {name}: unknown key" + did_you_mean(name, self._keys))
            del study.settings[name]
        base, errors = self._program.configuration(study.base_arguments())
        for message in errors:
            text = without_option(message)
            name = text.split(":")[0]
            if name in study.settings:
                self._mistakes.add(("base", "set", name), f"base.set: {text}")
                if is_typing_error(message, name, study.settings[name]):
                    del study.settings[name]
            elif all(key.name != name for key in study.space.keys):  # otherwise the space may correct it
                self._mistakes.add(("base",), f"base: {text}")
        if base is None:
            base, _ = self._program.configuration(study.base_arguments())
        if base is None:
            base, _ = self._program.configuration(["--preset", study.preset] if study.preset else [])
        return base

    def _check_space(self, drives, base):
        asked = []
        for key in self._study.space.keys:
            if key.name not in self._keys:
                self._mistakes.add(("space", key.name), f"space: {key.name}: unknown key"
                                   + did_you_mean(key.name, self._keys))
                continue
            step = max(1, -(-len(key.values) // kMostAsked))
            asked += [(key.name, value) for value in key.values[::step]]
            if (len(key.values) - 1) % step:
                asked.append((key.name, key.values[-1]))
            self._check_conditions(key, base)
        for (name, value), errors in zip(asked, drives.learn_all(asked)):
            for message in errors:
                if is_typing_error(message, name, value):
                    self._mistakes.add(("space", name), f"space: {without_option(message)}", value)

    def _check_conditions(self, key, base):
        values = {each.name: each.values for each in self._study.space.keys}
        for condition, conditions in (("when", key.when), ("unless", key.unless)):
            for other, wanted in conditions.items():
                if other not in self._keys:
                    self._mistakes.add(("space", key.name), f"space: {key.name}: {condition}: {other}: unknown key"
                                       + did_you_mean(other, self._keys))
                    continue
                possible = values.get(other) or ([base[other]] if base and other in base else [])
                for each in wanted:
                    if each not in possible:
                        self._mistakes.add(
                            ("space", key.name), f"space: {key.name}: {condition}: {other} is never {each}"
                            + (did_you_mean(str(each), map(str, possible))
                               or f"; it is one of {', '.join(map(str, possible))}"))

    def _check_workloads(self):
        study = self._study
        # Without a sound base, any drive will do: options, keys and values are still checked.
        shorter = study.base_arguments() if self._sound else []
        for number, workload in enumerate(study.workloads):
            arguments = workload_arguments(workload, study.rungs[-1], study.known)
            where = ("workload", number, "spec" if workload.spec else "trace")
            for message in self._program.errors([*shorter, *arguments]):
                name = message.split(":")[0].removeprefix("--").replace("-", "_").split(" ")[0]
                if name == "until":
                    self._mistakes.add(("until",), message.removeprefix("--"))
                    continue
                place = ("workload", number, name) if name in workload.options else where
                self._mistakes.add(place, f"workload: {message}")
        if study.precondition:
            ageing = ["--precondition", study.precondition, "--workload", "random"]
            for message in self._program.errors([*shorter, *ageing]):
                if "precondition" in message:
                    self._mistakes.add(("precondition",), message.removeprefix("--"))

    def _names(self, base):
        """Takes the names of metrics from runs of a few requests: on the base, and on small drives with parts
        that the base may lack."""
        of_base = set(metrics.of_configuration(base or {}))
        return set(self._keys) | set(metrics.kShort) | set(metrics.kDerived) | of_base | self._sampled_names()

    def _sampled_names(self):
        if self._program.hash in _sampled:
            return _sampled[self._program.hash]
        names = set()
        samples = [["--preset", "tiny"], ["--preset", "tiny", "--set", "firmware.map_cache.policy=dftl"],
                   ["--preset", "tiny", "--precondition", "fill=0.1,random=0"]]
        for arguments in samples:
            result = self._program.sample([*arguments, "--content", "none", "--workload",
                                           "random,read=0.4,trim=0.1,flush=4,count=40"])
            if result:
                names |= set(metrics.of_result(result))
        _sampled[self._program.hash] = names
        return names

    def _check_formulas(self, names):
        study = self._study
        known = names | set(study.formulas)
        for name, formula in study.formulas.items():
            if name in names:
                self._mistakes.add(("formulas", name), f"formulas: {name} is the name of a key or a metric already")
            self._check_names(("formulas", name), f"formulas: {name}", formula.names, known - {name})
        for objective in study.objectives:
            self._check_names(("objectives", objective.name), f"objectives: {objective.name}",
                              objective.formula.names, known)
        for constraint in study.constraints:
            self._check_names(("constraints",), f"constraints: {constraint.text}", constraint.names, known,
                              constraint.text)
        self._check_circle()

    def _check_names(self, path, what, used, known, value=None):
        for name in sorted(used):
            if name not in known:
                clear = metrics.kUnclear.get(name)
                self._mistakes.add(path, f"{what}: unknown name {name}"
                                   + (f"; allowed: {clear}" if clear else did_you_mean(name, known)), value)

    def _check_circle(self):
        formulas = self._study.formulas
        done, rest = set(), dict(formulas)
        while rest:
            ready = [name for name, each in rest.items() if not (each.names & set(rest))]
            if not ready:
                first = next(iter(rest))
                self._mistakes.add(("formulas", first), f"formulas: {', '.join(rest)} need each other")
                return
            done.update(ready)
            rest = {name: each for name, each in rest.items() if name not in done}


def workload_arguments(workload, requests, known=None):
    """A workload as options of the executable, at most `requests` long; it ends when the quantities of `known` are known:
    {short name: half of the interval as a share}."""
    arguments = []
    if workload.traces:
        for trace in workload.traces:
            arguments += ["--trace", str(trace)]
        arguments += ["--limit", str(requests)]
    elif workload.spec.split(",")[0].strip().removeprefix("pattern=") in kWithoutCount:
        arguments += ["--workload", workload.spec, "--limit", str(requests)]
    else:
        arguments += ["--workload", f"{workload.spec},count={requests}"]
    for name, value in workload.options.items():
        arguments += [f"--{name.replace('_', '-')}", str(value)]
    warm_up = warm_up_of(workload, requests, known)
    if warm_up:
        arguments += ["--warm-up", str(warm_up)]
    if known:
        arguments += ["--until", ",".join(["known", *(f"{name}={100 * share:g}%" for name, share in known.items())])]
    return arguments


def warm_up_of(workload, requests, known):
    """A number of commands, or steady; None: a collection round, which is what the executable does with `known`."""
    share = workload.warm_up
    if share is None and not known:
        share = kWarmUp
    if share is None or share == "steady":
        return share
    return int(share * requests) if share < 1 else int(share)


def checked_study(arguments):
    """A study without mistakes. Raises StudyError with all of them."""
    study, mistakes = read_study(arguments.study, arguments.overrides)
    path = Path(arguments.bin) / study.executable
    if not path.is_file():
        known = [each.name for each in Path(arguments.bin).glob("tb_*")]
        mistakes.add(("base", "executable"), f"no executable {path}"
                     + (did_you_mean(study.executable, known) or "; scripts/run builds tb_replay"))
        raise StudyError(mistakes)
    return Checker(study, Program(path), mistakes).check()
