# SPDX-License-Identifier: Apache-2.0
"""Sweeps: all combinations of values, in parallel, with the explorer's store, so that nothing is computed twice."""
import itertools
import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import plots
from .errors import UserError, public
from .explore import metrics
from .explore.checks import is_typing_error, without_option
from .explore.engine import open_engine
from .explore.folders import kStore, open_store
from .explore.job import kNoSuchDrive
from .explore.mistakes import did_you_mean
from .explore.program import Drives, contents, setting
from .explore.space import SpaceError, range_values
from .explore.store import Store, digest
from .programs import Paths, Settings, device_options, in_python, options, replay
from .results import Result
from .searches import check_packages, explorer_errors
from .table import Table

_FILES = ("trace", "load_state", "trace_folder")  # options that name files, because each run has its own folder
_NOT_KEPT = ("out", "save_state", "vcd", "timeline", "commands")
kShown = ("throughput", "iops", "mean", "p50", "p99", "p999", "wa")


class Sweep(Table):
    """A row for each point: what was varied, the usual metrics, what limits it, and why it failed. A column has any
    metric's name, too: sweep["utilization.link"].

    `space`: what was varied; `results`: of each point its result, None where it failed; `started`: runs that were not
    in the store.
    """

    def __init__(self, space: dict[str, list], points: list[dict[str, Any]], records: list[dict[str, Any]],
                 started: int):
        self.space, self.started = space, started
        self.results = [Result(each["result"], shlex.split(each["command"])) if "result" in each else None
                        for each in records]
        rows = []
        for point, record, result in zip(points, records, self.results):
            failure = record.get("failure", {})
            limits = [f"{stage} {share:.0%}" for stage, share in result.limits[:1]] if result else []
            rows.append({**{name: _plain(value) for name, value in point.items()},
                         **{name: result.get(name) if result else None for name in kShown},
                         "limited_by": limits[0] if limits else "",
                         "failure": failure.get("kind", ""), "reason": failure.get("reason", "")})
        super().__init__(rows)

    def __getitem__(self, which: int | str) -> Any:
        if isinstance(which, int) or which in self.names:
            return super().__getitem__(which)
        which = metrics.spelt(which)
        values = [each.metrics if each else {} for each in self.results]
        if not any(which in each for each in values):
            known = itertools.chain(self.names, *values)
            raise KeyError(f"no column and no metric {which}" + did_you_mean(which, set(known)))
        return [each.get(which) for each in values]

    def plot(self, metric: str = "throughput") -> Any:
        """Plots over the first of the swept names, with one line for each combination of the others; a
        matplotlib figure."""
        return plots.of_sweep(self.space, self, metric, self[metric])


def _ends(values: list) -> list:
    """The smallest and the largest number, or all values if they are not numbers."""
    numbers = {type(each) for each in values} in ({int}, {float})
    return [min(values), max(values)] if numbers else values


def _plain(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list) else value


@public
def sweep(space: Mapping[str, Iterable | Mapping[str, Any]], *, preset: str | None = None, config: Paths | None = None,
          set: Settings | None = None, jobs: int | None = None, scheduler: str | None = None,
          store: str | Path = kStore, timeout: float = 600.0, progress: Callable[[int, int], None] | None = None,
          **more: Any) -> Sweep:
    """Runs every combination of values, `jobs` at a time (as many as processors), or on a Dask scheduler.

    `space`: configuration keys, or options of tb_replay with _ for -, each with its values: a list, or a range such as
    {"from": 1, "to": 16, "factor": 2}. All else is as in run(). `progress` is called with how many runs have ended, and
    of how many.

    Raises UserError for mistakes before anything is simulated. A drive that cannot be is a row with a reason.

    >>> s = sweep({"nand.geometry.channels": [1, 2], "queue_depth": [1, 8]}, preset="tiny",
    ...           workload="random,read=1,count=300", store=store)
    >>> len(s), s.started, s["queue_depth"], s["host.completed"]
    (4, 4, [1, 8, 1, 8], [300, 300, 300, 300])
    >>> sweep({"nand.geometry.channels": [1, 2]}, preset="tiny", queue_depth=8,
    ...       workload="random,read=1,count=300", store=store).started
    0
    >>> sweep({"nand.geometry.chanels": [1, 2]})
    Traceback (most recent call last):
    solidtlm.errors.UserError: nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?
    """
    check_packages("a sweep on a scheduler", scheduler is not None, explorer_too=False)
    with explorer_errors():
        task = _Sweep(space, device_options(preset, _absolute(config), set), more,
                      open_store(SimpleNamespace(store=store)), timeout)
        missing = task.missing()
        if missing:
            _run(task, missing, open_engine(jobs or os.cpu_count(), scheduler), progress)
    return Sweep(task.space, task.points, task.records(), len(missing))


def _run(task: "_Sweep", jobs: list[dict[str, Any]], engine: Any, progress: Callable[[int, int], None] | None) -> None:
    with engine:
        engine.run(jobs, task.store.keep(len(jobs), progress))


def _absolute(files: Paths | None) -> list[str] | None:
    if files is None:
        return None
    return [os.path.abspath(each) for each in (files if isinstance(files, (list, tuple)) else [files])]


class _Sweep:
    """A sweep without mistakes: its points and their jobs."""

    def __init__(self, space: Mapping[str, Any], device: list[str], more: dict[str, Any], store: Store,
                 timeout: float):
        self.store, self._device, self._more, self._timeout = store, device, more, timeout
        self._program = replay()
        mistakes = [f"{name}: found in a sweep, which keeps results alone; allowed: in run()"
                    for name in _NOT_KEPT if name in more or name in space]
        self.space = {name: self._values(name, values, mistakes) for name, values in space.items()}
        if not self.space:
            mistakes.append("space: found nothing; allowed: keys or options with their values")
        keys = self._program.keys()
        mistakes += [f"{name}: unknown key{did_you_mean(name, keys)}" for name in self.space
                     if "." in name and name not in keys]
        base, errors = self._program.configuration(device)
        if mistakes or base is None:
            raise UserError([*mistakes, *errors])
        self._drives = Drives(self._program, device, base)
        self._is_key = {name: name in keys for name in self.space}
        self.points = [dict(zip(self.space, values)) for values in itertools.product(*self.space.values())]
        self._check()
        self._jobs = [self._job(each) for each in self.points]

    @staticmethod
    def _values(name: str, values: Any, mistakes: list[str]) -> list:
        try:
            found = range_values(name, values) if isinstance(values, Mapping) else values
            if isinstance(found, str) or not isinstance(found, Iterable) or not list(found):
                raise SpaceError(f"found {values!r}; allowed: a list of values, or a range such as "
                                 "{'from': 1, 'to': 16, 'factor': 2}")
            return list(found)
        except (SpaceError, TypeError) as error:
            mistakes.append(f"{name}: {error}")
            return []

    def _check(self) -> None:
        """Checks every value of every key, and every value of each option with the first values of the others,
        on the first possible drive. Asking takes some milliseconds: of numbers only the ends are checked,
        because most are allowed in a range. A number that is not allowed becomes a row without a result."""
        pairs = [(name, value) for name, values in self.space.items() if self._is_key[name] for value in _ends(values)]
        mistakes = [without_option(message) for (name, value), errors in zip(pairs, self._drives.learn_all(pairs))
                    for message in errors if is_typing_error(message, name, value)]
        for name, values in self.space.items():
            if self._is_key[name]:
                self._drives.infer(name, values, _ends(values))
        settings = next((each for each in map(self._settings, self.points)
                         if self._drives.effective(each)[0] is not None), {})
        drive = [*self._device, *(part for pair in settings.items() for part in ("--set", setting(*pair)))]
        first = self.points[0]
        combinations = {tuple(self._options({**first, name: value})) for name, values in self.space.items()
                        if not self._is_key[name] for value in _ends(values)} or {tuple(self._options(first))}
        with ThreadPoolExecutor(2) as pool:
            for errors in pool.map(lambda each: self._program.errors([*drive, *each]), sorted(combinations)):
                mistakes += errors
        if mistakes:
            raise UserError(dict.fromkeys(in_python(mistakes, {**self._more, **self.space})))

    def _settings(self, point: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in point.items() if self._is_key[name]}

    def _options(self, point: dict[str, Any]) -> list[str]:
        named = {**self._more, **{name: value for name, value in point.items() if not self._is_key[name]}}
        for name in _FILES:
            named[name] = _absolute(named.get(name))
        return options(**dict(sorted(named.items())))  # the order of options changes no result

    def _job(self, point: dict[str, Any]) -> dict[str, Any]:
        """A run, or a record of why it is impossible."""
        settings, arguments = self._settings(point), self._options(point)
        configuration, why_not = self._drives.effective(settings)
        if configuration is None:
            return {"failure": {"kind": kNoSuchDrive, "reason": why_not}}
        configuration = {name: value for name, value in configuration.items() if name != "preset"}
        kept = "--precondition" in arguments
        command = [*self._device, *(part for pair in settings.items() for part in ("--set", setting(*pair))),
                   *arguments]
        inputs = {"configuration": digest(configuration), "arguments": [contents(each) for each in arguments],
                  "kept": kept}
        return self._program.job(self.store, command, inputs, command, self._timeout, kept=kept)

    def missing(self) -> list[dict[str, Any]]:
        """Jobs without a record. A damaged record counts as missing."""
        self._known = {each["key"]: self.store.read(each["key"]) for each in self._jobs if "key" in each}
        jobs = {each["key"]: each for each in self._jobs if "key" in each}
        return [each for key, each in jobs.items() if self._known[key] is None]

    def records(self) -> list[dict[str, Any]]:
        """The record of each point. REQUIRES: missing jobs have been run."""
        return [(self._known[each["key"]] or self.store.read(each["key"])) if "key" in each else each
                for each in self._jobs]
