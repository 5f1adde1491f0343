# SPDX-License-Identifier: Apache-2.0
"""The explorer as a user runs it, with Dask, while things are killed."""
import subprocess
import sys
import time
import unittest

from explore.cluster import Cluster
from explore.tests.support import InFolder


class Disturbed(InFolder):
    """A scheduler and two workers in processes of their own; workers and coordinators are killed."""

    def test_the_table_is_that_of_an_undisturbed_search(self):
        self.explore("run", "--out", "undisturbed", "--store", "another")
        cluster = self.enterContext(Cluster(self.folder, environment={"STUB_LOG": str(self.log), "STUB_DELAY": "0.1"}))
        address, deadline = cluster.address(), time.monotonic() + 60
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
                cluster.kill_worker()
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
