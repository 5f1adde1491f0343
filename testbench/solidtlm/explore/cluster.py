# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler and workers in processes of their own on this machine, for tests and measurements."""
import json
import os
import subprocess
import sys
import time


class Cluster:
    """A context manager. `environment`: that of the workers, which need no package except Dask."""

    def __init__(self, folder, workers=2, environment=None):
        self._folder, self._environment = folder, environment
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.workers = []
        for _ in range(workers):
            self.add_worker()
        self.killed = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in [*self.workers, self.scheduler]:
            end(each)

    def _start(self, kind, *arguments, **more):
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file",
                                 "scheduler.json", "--no-dashboard", *arguments], cwd=self._folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)

    def add_worker(self):
        self.workers.append(self._start("worker", "--nthreads", "1", "--no-nanny",
                                        env={**os.environ, "PYTHONPATH": "", **(self._environment or {})}))

    def kill_worker(self):
        """Kills the worker that has run longest; another one replaces it."""
        end(self.workers.pop(0))
        self.killed += 1
        self.add_worker()

    def address(self, patience=60):
        path, deadline = self._folder / "scheduler.json", time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                return json.loads(path.read_text())["address"]
            except (OSError, ValueError):  # missing, or only half written
                time.sleep(0.05)
        raise TimeoutError("the scheduler does not start")


def end(process):
    process.kill()
    process.wait()
