# SPDX-License-Identifier: Apache-2.0
"""The explorer as a user runs it, with Dask, while processes are killed."""
import errno
import os
import signal
import subprocess
import sys
import time
import unittest
from types import SimpleNamespace
from unittest import mock

from solidtlm.explore import job
from solidtlm.explore.cluster import Cluster
from solidtlm.explore.dask_engine import DaskEngine
from solidtlm.explore.thread_engine import EngineError, Threads
from solidtlm.explore.tests.support import InFolder


class Disturbed(InFolder):
    """A scheduler and two workers in processes of their own; workers and coordinators are killed."""

    def test_the_table_is_that_of_an_undisturbed_search(self):
        self.explore("run", "--out", "undisturbed", "--store", "another")
        cluster = self.enterContext(Cluster(self.folder, environment={"STUB_LOG": str(self.log), "STUB_DELAY": "0.1"}))
        address, deadline = cluster.address(), time.monotonic() + 60
        before = self.runs()
        killed = 0
        for kills in (True, True, False, None):  # the third coordinator survives the death of its worker
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

    def test_a_signal_ends_it_in_order(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            hang, deadline = self.folder / f"hang.{number.name}", time.monotonic() + 60
            coordinator = subprocess.Popen(self.arguments("run", "--out", number.name, "--store", number.name),
                                           cwd=self.folder,
                                           env=self.environment(STUB_HANG=str(hang), PYTHONUNBUFFERED="1"),
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertIn("workers", coordinator.stdout.readline(), "the search begins")
            hang.write_text("")
            while not hang.read_text() and time.monotonic() < deadline:
                time.sleep(0.02)
            coordinator.send_signal(number)  # only to it; a terminal would also send it to its runs
            output, _ = coordinator.communicate(timeout=60)
            self.assertEqual(coordinator.returncode, code, output)
            self.assertIn("interrupted; `resume` goes on here", output)

    def test_no_scheduler(self):
        run = subprocess.run(self.arguments("run", "--scheduler", "tcp://127.0.0.1:9"), cwd=self.folder, check=False,
                             env=self.environment(DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s"), timeout=60,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("no scheduler at tcp://127.0.0.1:9", run.stderr)


def run_jobs(jobs):
    """Replaces job.run_jobs(): a run takes a millisecond, and one of them kills those that run together with it."""
    if len(jobs) > 1 and any(each["key"] == "bad" for each in jobs):
        raise OSError("killed")
    return [(each["key"], len(jobs), 0.001) for each in jobs]


class ShortRuns(unittest.TestCase):
    def test_go_together_unless_one_harms_the_others(self):
        from distributed import LocalCluster
        cluster = self.enterContext(LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                                                 dashboard_address=None))
        with DaskEngine(cluster) as engine:
            engine._job = SimpleNamespace(run_jobs=run_jobs, WrongExecutable=job.WrongExecutable)
            for keys, together in ((range(20), 1), (range(20), 2), ([*range(79), "bad"], 10)):
                told = []
                engine.run([{"key": key} for key in keys], lambda *run: told.append(run))
                self.assertEqual(sorted(str(key) for key, _, _ in told), sorted(map(str, keys)))
                self.assertEqual(max(size for _, size, _ in told), together)
            self.assertEqual(sum(size == 1 for _, size, _ in told), 10, "those with the bad one run alone then")


class InThreads(unittest.TestCase):
    """Jobs in place of runs; the first `fails` attempts end with an error."""

    def run_jobs(self, jobs):
        told, attempts = [], {}

        def run_job(each):
            attempts[each["key"]] = attempts.get(each["key"], 0) + 1
            if attempts[each["key"]] <= each["fails"]:
                raise each.get("error", job.RunKilled)("killed")
            return each["key"], None, 0.001

        with mock.patch.object(job, "run_job", run_job), Threads(2) as engine:
            engine.run(jobs, lambda *run: told.append(run))
        return sorted(key for key, _, _ in told), attempts

    def test_a_run_that_was_killed_is_tried_again(self):
        told, attempts = self.run_jobs([{"key": key, "fails": 2 if key == 3 else 0} for key in range(10)])
        self.assertEqual(told, list(range(10)))
        self.assertEqual(attempts, {key: 3 if key == 3 else 1 for key in range(10)})

    def test_a_full_disk_ends_the_search_at_once(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "store/a.gz")
        with self.assertRaisesRegex(EngineError, "^store/a.gz: No space left on device$"):
            self.run_jobs([{"key": 1, "fails": 1, "error": lambda _: full}])

    def test_another_executable_ends_the_search(self):
        with self.assertRaisesRegex(EngineError, "killed"):
            self.run_jobs([{"key": 1, "fails": 1, "error": job.WrongExecutable}])


class WithoutSpace(InFolder):
    def test_a_run_says_nothing_about_the_drive(self):
        """A drive out of space is a result, a disk out of space is none."""
        program = self.folder / "program"
        of_run = {"files": {}, "program": str(program), "argv": [], "kept": False, "timeout": 60, "command": "", "inputs": {}}
        for said, kind in (("cannot write out/result.json: No space left on device", None),
                           ("no space is left on the drive", "out of space")):
            program.write_text(f"#!/bin/sh\necho 'error: {said}' >&2\nexit 1\n")
            program.chmod(0o755)
            if kind is None:
                with self.assertRaisesRegex(OSError, f"in {self.folder}: {said}"):
                    job.execute(of_run, self.folder, None)
            else:
                self.assertEqual(job.execute(of_run, self.folder, None)["failure"]["kind"], kind)


if __name__ == "__main__":
    unittest.main()
