# SPDX-License-Identifier: Apache-2.0
"""Runs jobs with dask.distributed, on a scheduler that runs somewhere.

What Dask does: hands out tasks, notices workers that die, hands their tasks to others. What is left to do here: give up
a job only when it has killed many workers, and write results of workers that do not see the store.
"""
import hashlib
import importlib
import importlib.util
import logging
import sys
import tempfile
import time
import uuid
import zipfile
from pathlib import Path

from .thread_engine import EngineError, kTries

kShortTask = 0.1  # seconds
kTasksOfAWorker = 4  # at least, if tasks are grouped


kShipped = ("__init__.py", "job.py", "store.py")


def pack(folder):
    """(a zip file with the code that a worker needs, the name of the package in it). The name depends on the
    contents, so workers that serve several versions of this package do not mix them up."""
    here = Path(__file__).parent
    sources = {name: (here / name).read_bytes() for name in kShipped}
    package = f"explore_{hashlib.sha256(b''.join(sources.values())).hexdigest()[:16]}"
    path = Path(folder) / f"{package}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, source in sources.items():
            archive.writestr(f"{package}/{name}", source)
    return path, package


class DaskEngine:
    """A client of a Dask scheduler; a context manager like thread_engine.Threads."""

    def __init__(self, scheduler):
        self._address = scheduler
        self._client = self._folder = self._job = None
        self._usual = None  # seconds that recent runs took

    def __enter__(self):
        import dask
        import distributed
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        dask.config.set({"distributed.scheduler.allowed-failures": kTries})
        try:
            self._client = distributed.Client(self._address)
        except (OSError, TimeoutError) as error:
            raise EngineError(f"no scheduler at {self._address}: {error}") from error
        self._ship()
        return self

    def _ship(self):
        """Sends the code to the scheduler and to present and future workers: they only need Dask."""
        self._folder = tempfile.TemporaryDirectory(prefix="explore.")
        path, package = pack(self._folder.name)
        sys.path.append(str(path))
        self._job = importlib.import_module(f"{package}.job")
        self._client.upload_file(str(path))

    def __exit__(self, *_):
        if self._client is not None:
            self._client.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def dashboard(self):
        """The address of Dask's page; empty if the Python package that draws it (bokeh) is missing."""
        return self._client.dashboard_link if importlib.util.find_spec("bokeh") else ""

    @property
    def workers(self):
        return sum(self._client.nthreads().values())

    def run(self, jobs, done):
        """Runs all jobs; calls done(key, data, seconds) for each ended job, in any order. Only jobs under way
        are kept in memory."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker
        tries = {each["key"]: 0 for each in jobs}
        futures = {}

        def submit(tasks):
            # Unique names: Dask must not return the remembered result of an earlier attempt, or of a
            # coordinator that has died. One message for all: a message per job would cost the scheduler as
            # much as the rest.
            made = self._client.map(self._job.run_jobs, tasks, key=[f"run-{uuid.uuid4().hex}" for _ in tasks])
            futures.update((future.key, (future, task)) for future, task in zip(made, tasks))
            return made

        size = self._jobs_of_a_task(len(jobs))
        pending = as_completed(submit([jobs[i:i + size] for i in range(0, len(jobs), size)]))
        for future in pending:
            task = futures.pop(future.key)[1]
            if future.status == "finished":
                for key, data, seconds in future.result():
                    if seconds > 0:  # the result was not in the store
                        self._usual = seconds if self._usual is None else 0.9 * self._usual + 0.1 * seconds
                    done(key, data, seconds)
                continue
            error = future.exception() if future.status == "error" else EngineError("the scheduler dropped a task")
            for each in task:
                tries[each["key"]] += 1
            most = max(tries[each["key"]] for each in task)
            if isinstance(error, self._job.WrongExecutable) or most >= kTries:
                raise EngineError(str(error))
            if not isinstance(error, (KilledWorker, EngineError, OSError)):
                raise EngineError(f"{type(error).__name__}: {error}")
            time.sleep(min(5.0, 0.1 * 2**most))
            pending.update(submit([[each] for each in task]))  # one job must not make the others fail

    def _jobs_of_a_task(self, jobs):
        """Several if runs are short, because a task costs some milliseconds; but there must be enough tasks to
        keep workers busy."""
        if self._usual is None:
            return 1
        return max(1, min(jobs // (kTasksOfAWorker * max(1, self.workers)), int(kShortTask / self._usual)))
