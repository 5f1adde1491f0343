# SPDX-License-Identifier: Apache-2.0
"""The explorer as a user runs it, with Dask, while things are killed."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from explore.tests.support import InFolder


class Disturbed(InFolder):
    """A scheduler and two workers in processes of their own; workers and coordinators are killed."""

    def start(self, *arguments, **environment):
        process = subprocess.Popen([sys.executable, "-m", *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment(**environment))
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()

    def worker(self):
        # Without the package: a worker needs nothing but Dask.
        return self.start("distributed.cli.dask_worker", "--scheduler-file", "scheduler.json", "--nthreads", "1",
                          "--no-nanny", "--no-dashboard", PYTHONPATH="", STUB_DELAY="0.08")

    def test_the_table_is_that_of_an_undisturbed_search(self):
        self.explore("run", "--out", "undisturbed", "--store", "another")
        self.start("distributed.cli.dask_scheduler", "--scheduler-file", "scheduler.json", "--host", "127.0.0.1",
                   "--port", "0", "--no-dashboard")
        workers = [self.worker(), self.worker()]
        deadline = time.monotonic() + 30
        while not (self.folder / "scheduler.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads((self.folder / "scheduler.json").read_text())["address"]
        before = self.runs()
        for disturbance in range(4):
            coordinator = subprocess.Popen(self.arguments("resume", "--scheduler", address, "--out", "disturbed"),
                                           cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, text=True)
            if disturbance < 3:
                count = self.runs()
                while self.runs() < count + 6 and coordinator.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.end(workers[0])
                workers = [workers[1], self.worker()]
                if disturbance != 1:
                    time.sleep(0.2)
                    os.kill(coordinator.pid, signal.SIGKILL)
            output, _ = coordinator.communicate(timeout=60)
        self.assertEqual(coordinator.returncode, 0, output)
        self.assertEqual(self.table("disturbed"), self.table("undisturbed"))
        self.assertLess(self.runs() - before, 60 + 25, "what was computed is not computed again")

    def test_no_scheduler(self):
        _, error = self.explore("run", "--scheduler", "tcp://127.0.0.1:9", code=1)
        self.assertIn("no scheduler at tcp://127.0.0.1:9", error)


if __name__ == "__main__":
    unittest.main()
