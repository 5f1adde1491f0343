# SPDX-License-Identifier: Apache-2.0
"""Runs of the executables."""
import inspect
import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any

from .errors import UserError, public
from .programs import Paths, Settings, device_options, execute, in_python, options, replay
from .results import Result


@public
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
    >>> run(prest="tiny")
    Traceback (most recent call last):
    solidtlm.errors.UserError: prest: unknown argument; did you mean preset?
    """
    try:
        return run_program(program, [*device_options(preset, config, set), *options(**more)], out, timeout)
    except UserError as error:
        raise UserError(in_python(error.messages, more, inspect.signature(run).parameters)) from None


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
    ended = execute(program, arguments, folder, timeout)
    result = None
    if ended.values is not None:
        result = Result(ended.values, [program, *arguments], folder)
        if scratch:
            weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    if ended.errors:
        raise ended.refusal(result)
    return result


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


@public
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
