# SPDX-License-Identifier: Apache-2.0
"""Runs of the executables."""
import functools
import json
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import places, recorded
from .errors import RunFailed, UserError
from .explore.program import Program, errors_of, flat, setting
from .results import Result
from .table import Table

Settings = Mapping[str, Any]
Paths = str | Path | Sequence[str | Path]


@functools.cache
def _program(path: Path) -> Program:
    return Program(path)


def replay() -> Program:
    """tb_replay as a Program, which is asked for its keys only once."""
    return _program(places.program("tb_replay"))


def device_options(preset: str | None = None, config: Paths | None = None, set: Settings | None = None) -> list[str]:
    """What describes the drive, as options.

    >>> device_options("tiny", set={"nand.geometry.channels": 4, "firmware": {"gc": {"copy_back": True}}})
    ['--preset', 'tiny', '--set', 'nand.geometry.channels=4', '--set', 'firmware.gc.copy_back=true']
    """
    settings = [part for pair in flat(dict(set or {})).items() for part in ("--set", setting(*pair))]
    return [*options(preset=preset, config=config), *settings]


def options(**named: Any) -> list[str]:
    """Options of an executable: queue_depth=4 is --queue-depth 4; True is an option without a value, a list the option
    again and again, a dictionary text such as read=0.7,size=4k. None and False leave it out.

    >>> options(workload={"pattern": "random", "read": 0.7}, queue_depth=4, trace=["a", "b"], precondition=True)
    ['--workload', 'pattern=random,read=0.7', '--queue-depth', '4', '--trace', 'a', '--trace', 'b', '--precondition']
    """
    found = []
    for name, value in named.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            found.append(option)
        elif isinstance(value, (list, tuple)):
            found += [part for each in value for part in (option, str(each))]
        elif isinstance(value, Mapping):
            found += [option, ",".join(setting(*pair) for pair in value.items())]
        elif value is not None and value is not False:
            found += [option, str(value)]
    return found


def run(*, preset: str | None = None, config: Paths | None = None, set: Settings | None = None,
        out: str | Path | None = None, program: str = "tb_replay", timeout: float | None = None,
        **more: Any) -> Result:
    """Simulates, and gives what was measured.

    `more` are the options of the executable, with _ for -: workload, trace, format, precondition, warm_up, queue_depth,
    pacing, seed, ... (tb_replay --help). `out` keeps the files; without it they live as long as the result.

    Raises UserError for mistakes, all at once, and RunFailed, with the texts of the executable.

    >>> r = run(preset="tiny", workload="random,read=0.7,count=500", seed=3)
    >>> r.host.completed, r["throughput"] == r.host.mb_per_s
    (500, True)
    >>> run(preset="tiny", workload="randm")
    Traceback (most recent call last):
    solidtlm.errors.UserError: --workload: pattern: found randm; ...
    """
    return run_program(program, [*device_options(preset, config, set), *options(**more)], out, timeout)


def run_program(program: str, arguments: list[str], out: str | Path | None, timeout: float | None = None) -> Result:
    """run() with options as given."""
    folder = Path(tempfile.mkdtemp(prefix="solidtlm.") if out is None else out)
    try:
        return _run(program, arguments, folder, timeout, out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(program: str, arguments: list[str], folder: Path, timeout: float | None, scratch: bool) -> Result:
    """`scratch`: the folder is removed together with the result."""
    command = [str(places.program(program)), *arguments, "--quiet", "--out", str(folder)]
    began = _mark(folder)
    with recorded.as_parquet(command) as (passed, keep_tables):
        try:
            ended = subprocess.run(passed, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout,
                                   check=False)
        except subprocess.TimeoutExpired as error:
            raise RunFailed(f"{program}: not finished after {timeout:g} s") from error
        keep_tables(ended.returncode)
    result = None
    if _mark(folder) not in (None, began):
        values = json.loads((folder / "result.json").read_text())
        result = Result(values, [program, *arguments], folder)
        if scratch:
            weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    if ended.returncode == 0 and result is not None:
        return result
    messages = errors_of(ended.stderr) or [f"{program} ended with {ended.returncode} and said nothing"]
    raise (UserError(messages) if ended.returncode == 2 else RunFailed(messages, result))


def recorded_of(result: Result, what: str) -> Table:
    """See Result.commands() and Result.decisions()."""
    if result.command is None and result.folder is None:
        raise UserError("found a result without a command and a folder; allowed: of run(), sweep() or load()")
    program, *arguments = result.command or [result["scenario"], "--rerun", str(result.folder / "result.json")]
    if f"--{what}" in arguments:
        return recorded.read(Path(arguments[arguments.index(f"--{what}") + 1]))
    with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder:
        file = Path(folder) / "table.columns"
        _run(program, [*arguments, f"--{what}", str(file)], Path(folder), None, scratch=False)
        return recorded.read(file)


def _mark(folder: Path) -> int | None:
    """Distinguishes a new result.json from an old one."""
    try:
        return (folder / "result.json").stat().st_mtime_ns
    except OSError:
        return None


def presets() -> dict[str, str]:
    """What each preset is.

    >>> presets()["tiny"]
    'For tests: ...'
    """
    lines = subprocess.run([replay().path, "--list-presets"], capture_output=True, text=True, check=True).stdout
    return dict(map(str.strip, line.split(" ", 1)) for line in lines.splitlines() if line.strip())


def keys() -> dict[str, str]:
    """What each configuration key may be (docs/configuration.md says more).

    >>> keys()["nand.geometry.channels"]
    'integer from 1 to 64'
    """
    return dict(replay().keys())


def show_config(*, preset: str | None = None, config: Paths | None = None,
                set: Settings | None = None) -> dict[str, Any]:
    """The whole configuration by key. Raises UserError.

    >>> show_config(preset="tiny", set={"nand.geometry.channels": 4})["nand.geometry.channels"]
    4
    """
    found, errors = replay().configuration(device_options(preset, config, set))
    if found is None:
        raise UserError(errors)
    return found
