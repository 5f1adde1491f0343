# SPDX-License-Identifier: Apache-2.0
"""Studies of the project with points run by the explorer: on all machines of a scheduler, and each point only
once. What judges a study's points is a module of its own here."""
import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .. import places
from ..errors import RunFailed, UserError, kUserError, public
from ..explore.engine import open_engine
from ..explore.folders import kStore, open_store
from ..explore.program import Program, contents, errors_of
from ..explore.store import Store
from ..programs import Paths, Settings, device_options, in_python, options
from ..results import Result
from ..runs import run_program
from ..searches import check_packages, explorer_errors

kTimeout = 3600.0  # seconds that a point may take


def judge_of(name: str) -> Any:
    """The module that judges the points of this study, with main(FOLDER, options); None: the executable does it.

    >>> judge_of("striping") is None, judge_of("pts").__name__
    (True, 'solidtlm.studies.pts')
    """
    known = importlib.util.find_spec(f"{__name__}.{name}") is not None
    return importlib.import_module(f"{__name__}.{name}") if known else None


@public
def study(name: str, *, preset: str | None = None, config: Paths | None = None, set: Settings | None = None,
          jobs: int | None = None, scheduler: str | None = None, store: str | Path = kStore, timeout: float = kTimeout,
          progress: Callable[[int, int], None] | None = None, out: str | Path | None = None, **more: Any) -> Result:
    """A study, with the result that tb_NAME has; its points are run `jobs` at a time, or on a Dask scheduler, and are
    kept in the explorer's store.

    `more` are options of tb_NAME, as in run(). `progress` is called with how many points have ended, and of how many.

    >>> found = study("striping", channels="1,2", dies=1, orders="PCWD", striping="full", allocation="static",
    ...               patterns="random", operations="read", requests=200, store=store)
    >>> [point["derived"]["bound_by"] for point in found["points"]]
    ['dies', 'dies']
    """
    arguments = [*device_options(preset, config, set), *options(**more)]
    try:
        with points(name, arguments, jobs=jobs, scheduler=scheduler, store=store, timeout=timeout,
                    progress=progress) as folder:
            return run_program(f"tb_{name}", [*arguments, "--collect", folder], out)
    except UserError as error:
        raise UserError(in_python(error.messages, more, inspect.signature(study).parameters)) from None


@contextlib.contextmanager
def points(name: str, arguments: list[str], *, jobs: int | None = None, scheduler: str | None = None,
           store: str | Path = kStore, timeout: float = kTimeout,
           progress: Callable[[int, int], None] | None = None) -> Iterator[str]:
    """A folder with the outcomes of the points, for --collect."""
    check_packages("a study on a scheduler", scheduler is not None, explorer_too=False)
    program = Program(places.program(f"tb_{name}"))
    with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder, explorer_errors():
        kept = open_store(SimpleNamespace(store=store))
        listed = subprocess.run([program.path, *arguments, "--quiet", "--list-points", folder], capture_output=True,
                                text=True, check=False)
        if listed.returncode != 0:
            raise (UserError if listed.returncode == kUserError else RunFailed)(errors_of(listed.stderr))
        shares_aged_drives = "--age-cache" in program.help()
        tasks = {file: _job(program, kept, file, arguments, timeout, shares_aged_drives)
                 for file in sorted(Path(folder).glob("*.toml"))}
        missing = {each["key"]: each for each in tasks.values() if kept.read(each["key"]) is None}
        if missing:
            _run(kept, list(missing.values()), open_engine(jobs or os.cpu_count(), scheduler), progress)
        _write(kept, tasks)
        yield folder


def _job(program: Program, store: Store, file: Path, arguments: list[str], timeout: float, kept: bool) -> dict:
    text = file.read_text()
    run = tomllib.loads(text)["run"]
    paths = [value for each in run.values() for value in (each if isinstance(each, list) else [each])
             if isinstance(value, str)]
    inputs = {"run": text, "contents": [contents(each) for each in paths], "kept": kept}
    return program.job(store, [file.name], inputs, [*arguments, "--point", str(run["point"])], timeout,
                       files={file.name: text}, kept=kept)


def _run(store: Store, jobs: list[dict], engine: Any, progress: Callable[[int, int], None] | None) -> None:
    with engine:
        engine.run(jobs, store.keep(len(jobs), progress))


def _write(store: Store, tasks: dict[Path, dict]) -> None:
    """Raises RunFailed if a point has no result."""
    failures = []
    for file, task in tasks.items():
        record = store.read(task["key"])
        if "result" not in record:
            failures.append(f"{task['command']}: {record['failure']['kind']}: {record['failure']['reason']}")
            continue
        file.with_suffix("").mkdir()
        (file.with_suffix("") / "result.json").write_text(json.dumps(record["result"]))
    if failures:
        raise RunFailed(failures)
