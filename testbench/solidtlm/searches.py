# SPDX-License-Identifier: Apache-2.0
"""The explorer as functions: docs/explorer.md, docs/fit.md."""
import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import places
from .errors import MissingPackage, RunFailed, UserError, public
from .explore import packages
from .explore.checks import checked_study
from .explore.engine import open_engine
from .explore.folders import kStore, open_store
from .explore.journal import StudyBusy
from .explore.mistakes import StudyError
from .explore.search import open_search
from .explore.thread_engine import EngineError
from .table import Table, framed

Study = str | Path | dict[str, Any]


class Search:
    """A search that has ended. `ended`: the reason; `started`: number of runs that were not in the store."""

    def __init__(self, search: Any):
        self._search = search
        self.ended, self.started = search.ended, search.started

    @property
    def points(self) -> Table:
        """One row per drive that was tried."""
        from .explore import answers
        return Table(answers.rows(self._search))

    @property
    def front(self) -> Table:
        """The drives that no other drive beats."""
        return Table([row for row in self.points if row["on_front"]])

    @property
    def answer(self) -> dict[str, Any]:
        """The front, or the points nearest to it if none keeps all constraints: verdicts, intervals, what is missed and
        what limits (docs/explorer.md)."""
        from .explore import answers
        return answers.document(self._search)

    def drive(self, point: int) -> str:
        """A point as a configuration file."""
        from .explore import answers
        return answers.drive_file(self._search, self._search.points[point]) or ""

    def page(self) -> str:
        """The explorer's HTML page."""
        from .explore import page
        return page.render(self._search)

    def __repr__(self) -> str:
        return f"{self.ended}\n{self.front!r}"

    def _repr_html_(self) -> str:
        return framed(self.page())


class Fit:
    """Which values are consistent with the measurements. `best`: the best set, the deviation of each
    measurement, and commands that reproduce it."""

    def __init__(self, search: Any, measurer: Any):
        from .explore.fit import report
        self.text = report.text_of(search, measurer)
        found = json.loads(report.json_of(search, measurer))
        self.verdict, self.consistent, self.best = found["verdict"], found["consistent"], found["best"]
        self.sets = Table([{**each.settings, "worst": each.worst, "failure": each.failure}
                           for each in search.outcomes])

    def __repr__(self) -> str:
        return self.text


def check_packages(what: str, scheduler: bool, explorer_too: bool = True) -> None:
    """Raises MissingPackage. `explorer_too`: also checks packages of searches, besides those for a scheduler."""
    needed = {"explore": packages.kNeeded if explorer_too else (),
              "cluster": packages.kForClusters if scheduler else ()}
    missing = {extra: packages.missing(names) for extra, names in needed.items() if packages.missing(names)}
    if missing:
        raise MissingPackage(what, sum(missing.values(), []), ",".join(missing))


@contextlib.contextmanager
def explorer_errors() -> Iterator[None]:
    """Converts errors of the explorer to those of this package."""
    try:
        yield
    except StudyError as error:
        raise UserError(error.mistakes) from error
    except (EngineError, StudyBusy) as error:
        raise RunFailed(str(error)) from error


def _arguments(study: Study, set: Mapping[str, Any] | None, store: str | Path) -> SimpleNamespace:
    """The equivalent command line of the explorer."""
    overrides = [f"{name}={json.dumps(value)}" for name, value in (set or {}).items()]
    return SimpleNamespace(study=study, overrides=overrides, store=store, bin=places.program("tb_replay").parent)


@public
def search(study: Study, *, set: Mapping[str, Any] | None = None, jobs: int | None = None,
           scheduler: str | None = None, store: str | Path = kStore) -> Search:
    """Searches for the best drive.

    `study`: a file, or a dictionary of what would be in it; `set`: values on top of it, such as {"budget.runs": 100}. A
    search that was interrupted goes on; what is in the store is not computed again.

    Raises UserError for mistakes, all at once.

    >>> study = {"base": {"preset": "tiny"}, "space": {"nand.geometry.channels": [1, 2]},
    ...          "workload": {"spec": "random,read=1"}, "objectives": {"speed": "maximise throughput"},
    ...          "search": {"proposer": "grid", "rungs": [300]}}
    >>> found = search(study, store=store)
    >>> len(found.points), len(found.front), found.ended
    (2, 1, 'every combination has been tried')
    """
    check_packages("a search", scheduler is not None)
    with explorer_errors():
        arguments = _arguments(study, set, store)
        checked = checked_study(arguments)
        with open_engine(jobs or os.cpu_count(), scheduler) as engine:
            found, _ = open_search(arguments, checked, engine, write=True)
            try:
                found.run()
            finally:
                found.close()
        return Search(found)


@public
def fit(study: Study, *, set: Mapping[str, Any] | None = None, jobs: int | None = None, scheduler: str | None = None,
        store: str | Path = kStore) -> Fit:
    """Finds parameters that are consistent with the measurements. Arguments and errors are those of search()."""
    check_packages("a fit", scheduler is not None)
    with explorer_errors():
        from .explore.fit import command
        arguments = _arguments(study, set, store)
        read, mistakes = command.read_fit(arguments.study, arguments.overrides)
        programs = command.programs_of(read, mistakes, arguments.bin)
        with open_engine(jobs or os.cpu_count(), scheduler) as engine:
            return Fit(*command.searched(read, mistakes, programs, open_store(arguments), engine))
