# SPDX-License-Identifier: Apache-2.0
"""Runs jobs in threads of this process."""
import contextlib
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from . import job
from .store import kLasting, reason_of

kTries = 20  # a job is given up after it has lost this many workers
kLook = 0.5  # s: Python does not notice a signal that comes just before it waits


class EngineError(Exception):
    """No job can run any more; the search can be resumed later."""


class Threads:
    """A context manager. Each thread waits for a process of its own. Needs only the standard library."""
    dashboard = ""  # address of a page about the workers

    def __init__(self, workers):
        self.workers = workers

    def __enter__(self):
        self._pool = ThreadPoolExecutor(self.workers)
        return self

    def __exit__(self, *_):
        self._pool.shutdown()

    def run(self, jobs, done):
        """Runs all jobs; calls done(key, data, seconds) for each ended job, in any order."""
        ending, futures, ended = threading.Event(), [], queue.SimpleQueue()
        try:
            for each in jobs:  # a signal may come at any time
                futures.append(self._pool.submit(_run, each, ending))
                futures[-1].add_done_callback(ended.put)
            left = len(futures)
            while left > 0:
                with contextlib.suppress(queue.Empty):
                    done(*ended.get(timeout=kLook).result())
                    left -= 1
        finally:
            ending.set()
            for each in futures:
                each.cancel()


def _run(each, ending):
    """Runs a job; a run that was killed says nothing about the drive, so it is tried again."""
    for attempt in range(kTries):
        try:
            return job.run_job(each)
        except job.WrongExecutable as error:
            raise EngineError(str(error)) from error
        except OSError as error:
            reason = reason_of(error)
            if error.errno in kLasting:
                break
            if ending.wait(min(5.0, 0.1 * 2**attempt)):
                break
    raise EngineError(reason)
