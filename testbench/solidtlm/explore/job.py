# SPDX-License-Identifier: Apache-2.0
"""One run, on any worker's machine. It is sent there unchanged, with store.py: besides Dask, a worker only needs
the standard library.

Doing it twice does no harm: the key says everything that the result depends on.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path

from . import store as stores

_hashes = {}  # of files on this machine, by path, time and length


class WrongExecutable(Exception):
    """The worker has a different executable at this path than the coordinator."""


class RunKilled(OSError):
    """The run was killed from outside, or the machine ran out of memory. That says nothing about the drive, so
    the run is tried again."""


kNoSuchDrive = "invalid configuration"
kNotTheDrive = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


class Folder:
    """The folder of a run. After a successful run its files are removed, and the thread's next run uses it:
    removing a folder may take milliseconds, more than everything else that is done for a run. Without
    give_back() the folder is removed, with everything that a failed run left there or still writes."""

    _kept = threading.local()

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="explore."))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    @classmethod
    def take(cls):
        kept = cls._kept.__dict__.pop("folder", None)
        return kept if kept is not None and kept.path.is_dir() else cls()

    def give_back(self):
        for place, _, files in os.walk(self.path):
            for each in files:
                os.unlink(os.path.join(place, each))
        self._kept.folder = self


def file_hash(path):
    status = os.stat(path)
    mark = (str(path), status.st_mtime_ns, status.st_size)
    if mark not in _hashes:
        _hashes[mark] = stores.file_digest(path)
    return _hashes[mark]


def failure_of(code, lines, seconds):
    """Kind and text of the failure of a run without a valid result."""
    errors = [line.removeprefix("error: ").strip() for line in lines if line.strip()]
    first = errors[0] if errors else "said nothing"
    text = " ".join(errors).lower()
    if code is None:
        return "timeout", f"not finished after {seconds:g} s"
    if code == 2:
        return kNoSuchDrive, first
    if code < 0:
        return "crash", f"ended by signal {-code}: {first}"
    if "stall" in text or "never ended" in text or "waits for" in text:
        return "stall", first
    if "no space" in text or "out of space" in text or "no free" in text:
        return "out of space", first
    return "fault", first


def _reduced(result):
    """The result without the course of the run, which a search never needs."""
    for each in [result, *(point.get("result", {}) for point in result.get("points", []))]:
        for name in ("series", "latency_distribution", "figures"):
            each.pop(name, None)
    return result


def check_place(code, lines, folder):
    """Raises OSError if the run ended because its files could not be written. That says nothing about the drive."""
    for line in lines if code == 1 else ():
        for number in stores.kLasting:
            if line.startswith("error: cannot ") and line.endswith(f": {os.strerror(number)}"):
                raise OSError(number, f"in {folder}: {line.removeprefix('error: ')}")


_no_more = threading.Event()


def end_runs():
    """Kills the runs of this process and starts no further ones. For signal handlers: does not wait for threads."""
    _no_more.set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread or a run has just ended
            for child in (task / "children").read_text().split():
                os.kill(int(child), signal.SIGKILL)


def run_to_its_end(argv, folder, seconds):
    """(exit code, lines of stderr); the code is None if the run takes longer than `seconds`."""
    with subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as run:
        if _no_more.is_set():  # end_runs() has not seen this run
            run.kill()
        try:
            text = run.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            run.kill()
            return None, []
        except BaseException:
            run.kill()
            raise
    return run.returncode, text.decode(errors="replace").splitlines()


def execute(job, folder, aged):
    """The record of the run. `folder`: an empty folder; `aged`: the cache of aged drives, if the run uses one."""
    for name, text in job["files"].items():
        (folder / name).write_text(text)
    argv = [job["program"], *job["argv"], "--quiet", "--no-report", "--out", "out"]
    if job["kept"]:
        argv += ["--age-cache", str(aged)]
    begin = time.monotonic()
    if _no_more.is_set():
        raise RunKilled("no more runs are started")
    code, lines = run_to_its_end(argv, folder, job["timeout"])
    # A program that ends in order after a signal exits with 128 plus the signal's number.
    for ended_by in kNotTheDrive if code is not None else ():
        if code in (-ended_by, 128 + ended_by):
            raise RunKilled(f"a run was ended by {ended_by.name}")
    record = {"command": job["command"], "inputs": job["inputs"], "seconds": round(time.monotonic() - begin, 4)}
    try:
        result = json.loads((folder / "out" / "result.json").read_text())
    except (OSError, ValueError):
        result = None
    if code == 0 and result is not None:
        record["result"] = _reduced(result)
        return record
    check_place(code, lines, folder)
    kind, reason = failure_of(code, lines, job["timeout"])
    record["failure"] = {"kind": kind, "reason": reason, "lines": lines[:40]}
    return record


def run_job(job):
    """(key, packed record or None, seconds): None if the record is already in a store that worker and
    coordinator share."""
    store = stores.Store.seen(job["store"], job["store_id"])
    if store is not None and job["key"] in store:
        return job["key"], None, 0.0
    if file_hash(job["program"]) != job["program_hash"]:
        raise WrongExecutable(f"{job['program']} on {os.uname().nodename} is not the coordinator's")
    folder = Folder.take()
    aged = store.aged if store is not None else Path(tempfile.gettempdir()) / f"explore-aged-{os.getuid()}"
    record = execute(job, folder.path, aged)
    if "result" in record:
        folder.give_back()
    data = stores.packed(record)
    if store is None:
        return job["key"], data, record["seconds"]
    store.write(job["key"], data)
    return job["key"], None, record["seconds"]


def run_jobs(jobs):
    """The results of run_job() for all jobs."""
    return [run_job(each) for each in jobs]
