# SPDX-License-Identifier: Apache-2.0
"""The executables: their options, and how one is run in a folder."""
import functools
import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import places, recorded
from .errors import RunFailed, UserError, kUserError
from .explore.mistakes import did_you_mean
from .explore.program import Program, errors_of, flat, setting
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


_UNKNOWN = re.compile(r"unknown option (--\S+)(?:; did you mean (--\S+)\?)?$")


def in_python(messages: Iterable[str], more: Mapping[str, Any], others: Iterable[str] = ()) -> list[str]:
    """Messages of an executable about options that came from arguments `more` of a function, which takes `others`,
    too.

    >>> in_python(["unknown option --prest; did you mean --preset?", "unknown option --time-out"],
    ...           {"prest": "tiny", "time_out": 3}, ["timeout"])
    ['prest: unknown argument; did you mean preset?', 'time_out: unknown argument; did you mean timeout?']
    """
    names = {option: name for name in more for option in options(**{name: True})}

    def told(message: str) -> str:
        found = _UNKNOWN.match(message)
        if found is None or found[1] not in names:
            return message
        meant = found[2] and f"; did you mean {found[2].removeprefix('--').replace('-', '_')}?"
        return f"{names[found[1]]}: unknown argument" + (meant or did_you_mean(names[found[1]], others))
    return [told(each) for each in messages]


@dataclass
class Ended:
    """How a run has ended."""
    code: int
    values: dict[str, Any] | None  # result.json; None: none was written
    errors: list[str]  # empty if the run succeeded

    def refusal(self, result: Any = None) -> Exception:
        """What to raise. `result`: that of a run which failed."""
        return UserError(self.errors) if self.code == kUserError else RunFailed(self.errors, result)


def execute(program: str, arguments: list[str], folder: Path, timeout: float | None = None) -> Ended:
    """Runs an executable, whose files go to `folder`. Raises RunFailed after `timeout` seconds."""
    command = [str(places.program(program)), *arguments, "--quiet", "--out", str(folder)]
    began = _mark(folder)
    with recorded.as_parquet(command) as (passed, keep_tables):
        try:
            ended = subprocess.run(passed, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout,
                                   check=False)
        except subprocess.TimeoutExpired as error:
            raise RunFailed(f"{program}: not finished after {timeout:g} s") from error
        keep_tables(ended.returncode)
    values = None
    if _mark(folder) not in (None, began):
        values = json.loads((folder / "result.json").read_text())
    if ended.returncode == 0 and values is not None:
        return Ended(0, values, [])
    return Ended(ended.returncode, values,
                 errors_of(ended.stderr) or [f"{program} ended with {ended.returncode} and said nothing"])


def table_of(command: list[str], what: str) -> Table:
    """The table of commands or decisions that a run has written, or writes when it is repeated."""
    program, *arguments = command
    if f"--{what}" in arguments:
        return recorded.read(Path(arguments[arguments.index(f"--{what}") + 1]))
    with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder:
        file = Path(folder) / "table.columns"
        ended = execute(program, [*arguments, f"--{what}", str(file)], Path(folder))
        if ended.errors:
            raise ended.refusal()
        return recorded.read(file)


def _mark(folder: Path) -> int | None:
    """Distinguishes a new result.json from an old one."""
    try:
        return (folder / "result.json").stat().st_mtime_ns
    except OSError:
        return None
