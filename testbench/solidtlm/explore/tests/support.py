# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the explorer: a folder per test, a drive in closed form, a study."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from solidtlm import explorer
from solidtlm.explore import job
from solidtlm.explore.tests import stub_drive

if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"  # tests make thousands of small files
HERE = Path(__file__).resolve().parent
TESTBENCH = HERE.parents[2]
STUDY = """\
title = "Test"
constraints = ["p99 < 500us"]

[space]
"nand.geometry.channels" = [1, 2, 4, 6, 7, 8, 16]
"nand.geometry.dies" = { from = 1, to = 16 , step = 1 }
"firmware.map_cache.policy" = ["full_table", "dftl"]
"firmware.map_cache.size" = { from = "64KiB", to = "1MiB", factor = 2, when = { "firmware.map_cache.policy" = "dftl" } }
"firmware.write_buffer.size" = ["8MiB", "16MiB"]

[[workload]]
spec = "random,read=0.7"

[objectives]
price = "minimise 4 * drive_dies + 2 * channels"
latency = "minimise p99"

[search]
batch = 8
rungs = [100, 1000]

[budget]
runs = 60
"""


class InFolder(unittest.TestCase):
    """Has `self.folder`, with a stub of tb_replay in `bin` and a study in `study.toml`."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="explore_test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir()
        shutil.copy(HERE / "stub_drive.py", self.folder / "bin" / "tb_replay")
        self.study(STUDY)
        self.log = self.folder / "log"

    def study(self, text):
        (self.folder / "study.toml").write_text(text)

    def runs(self):
        """Number of runs started so far."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def environment(self, **more):
        return {**os.environ, "PYTHONPATH": str(TESTBENCH), "PYTHONDONTWRITEBYTECODE": "1", "STUB_LOG": str(self.log),
                **more}

    def arguments(self, command, *more):
        """Arguments for a separate process."""
        return [sys.executable, "-m", "solidtlm.explorer", command, "study.toml", "--bin", "bin", "--store", "store", *more]

    def explore(self, command, *more, code=0, jobs=1):
        """Standard output and standard error of a command that runs in this process: the stub needs no process
        either, and `jobs` runs end in a changed order."""
        out, error = io.StringIO(), io.StringIO()
        argv = [command, str(self.folder / "study.toml"), *more]
        for option, value in (("--bin", "bin"), ("--store", "store")):
            if option not in more:
                argv += [option, str(self.folder / value)]
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), \
                mock.patch("solidtlm.explore.engine.open_engine", lambda *_: SerialEngine(jobs)), \
                without_processes(), mock.patch.dict(os.environ, {"STUB_LOG": str(self.log)}):
            found = explorer.main(argv)
        self.assertEqual(found, code, out.getvalue() + error.getvalue())
        return out.getvalue(), error.getvalue()

    def table(self, out="out/explore/study"):
        return (self.folder / out / "points.csv").read_text()


@contextlib.contextmanager
def without_processes():
    """The stub runs in this process."""
    with mock.patch("subprocess.run", run_stub), \
            mock.patch("solidtlm.explore.job.run_to_its_end", run_stub_to_its_end):
        yield


def run_stub_to_its_end(argv, folder, seconds):
    """Replaces job.run_to_its_end() of the stub, without a process."""
    if seconds < 0.1:
        return None, []
    run = run_stub(argv, folder, text=True)
    return run.returncode, run.stderr.splitlines()


def run_stub(argv, cwd=None, text=False, **_):
    """Replaces subprocess.run() of the stub, without a process."""
    code, output, error = stub_drive.program(list(map(str, argv[1:])), Path(cwd or Path.cwd()))
    return subprocess.CompletedProcess(argv, code, *((output, error) if text else (output.encode(), error.encode())))


class SerialEngine:
    """The engine's interface without Dask: `jobs` jobs are under way, and the last one ends first."""
    dashboard = "nowhere"

    def __init__(self, jobs):
        self.workers = jobs

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, jobs, done):
        for begin in range(0, len(jobs), self.workers):
            for each in reversed(jobs[begin:begin + self.workers]):
                done(*job.run_job(each))
