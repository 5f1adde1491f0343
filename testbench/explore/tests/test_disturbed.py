# SPDX-License-Identifier: Apache-2.0
"""The explorer as a user runs it, with Dask, while things are killed."""
import json
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
                          "--no-nanny", "--no-dashboard", PYTHONPATH="", STUB_DELAY="0.1")

    def test_the_table_is_that_of_an_undisturbed_search(self):
        self.explore("run", "--out", "undisturbed", "--store", "another")
        self.start("distributed.cli.dask_scheduler", "--scheduler-file", "scheduler.json", "--host", "127.0.0.1",
                   "--port", "0", "--no-dashboard")
        workers = [self.worker(), self.worker()]
        deadline = time.monotonic() + 60
        while not (self.folder / "scheduler.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads((self.folder / "scheduler.json").read_text())["address"]
        before = self.runs()
        killed = 0
        for kills in (True, True, False, None):  # the third lives on when its worker dies
            coordinator = subprocess.Popen(self.arguments("resume", "--scheduler", address, "--out", "disturbed"),
                                           cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, text=True)
            if kills is not None:
                count = self.runs()
                while self.runs() < count + 6 and coordinator.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.end(workers[0])
                workers = [workers[1], self.worker()]
                if kills and coordinator.poll() is None:
                    coordinator.kill()
                    killed += 1
            output, _ = coordinator.communicate(timeout=60)
        self.assertEqual(coordinator.returncode, 0, output)
        self.assertEqual(killed, 2, "both were at work")
        self.assertEqual(self.table("disturbed"), self.table("undisturbed"))
        self.assertLess(self.runs() - before, 60 + 25, "what was computed is not computed again")

    def test_no_scheduler(self):
        run = subprocess.run(self.arguments("run", "--scheduler", "tcp://127.0.0.1:9"), cwd=self.folder, check=False,
                             env=self.environment(DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s"), timeout=60,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("no scheduler at tcp://127.0.0.1:9", run.stderr)


if __name__ == "__main__":
    unittest.main()
