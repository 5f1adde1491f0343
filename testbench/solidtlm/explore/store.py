# SPDX-License-Identifier: Apache-2.0
"""What has been computed, by what it was computed from. Used by the coordinator and, on a worker, by job.py: it knows
nothing but the standard library.

    store.json           which store this is, so that a worker can tell whether it sees the same one
    records/ab/KEY.gz    a run: its command line, and its result or why there is none
    aged/                drives aged by --age-cache
    studies/NAME/        journal of a search (journal.py), its Optuna study

A record is written to a name of its own and then renamed: it is there as a whole or not at all, even if a process dies,
and two that write the same record write the same bytes. gzip's checksum finds a record that a machine lost while it
went down; that record counts as missing.
"""
import errno
import gzip
import hashlib
import json
import os
import socket
import threading
import uuid
import zlib
from pathlib import Path

kVersion = 1
kLasting = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)  # reasons not to write that stay


def text_of(value, sorted_fields=False):
    return json.dumps(value, sort_keys=sorted_fields, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical(value):
    """A unique text for a value, from which keys are hashed."""
    return text_of(value, sorted_fields=True)


def digest(value):
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def file_digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path, data):
    """Writes under another name first, then renames. Raises OSError, which names `path`."""
    unique = f"{socket.gethostname()}.{os.getpid()}.{threading.get_ident()}.{uuid.uuid4().hex[:8]}"
    temporary = path.parent / f".{path.name}.{unique}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def reason_of(error):
    """The text of an OSError without its number."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename else text


def packed(record):
    """Equal bytes for equal records. Fields keep their order, because they are summed in it."""
    return gzip.compress(text_of(record).encode(), compresslevel=6, mtime=0)


class Store:
    """REQUIRES: `folder` is a store or does not exist yet."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        mark = self.folder / "store.json"
        if not mark.exists():
            write_whole(mark, json.dumps({"version": kVersion, "id": uuid.uuid4().hex}).encode())
        about = json.loads(mark.read_text())
        if about.get("version") != kVersion:
            raise ValueError(f"{self.folder}: a store of version {about.get('version')}, not {kVersion}")
        self.identity = about["id"]

    @staticmethod
    def seen(folder, identity):
        """The store with this identity, if this machine has it at that path."""
        try:
            about = json.loads((Path(folder) / "store.json").read_text())
        except (OSError, ValueError):
            return None
        return Store(folder) if about.get("id") == identity else None

    @property
    def aged(self):
        return self.folder / "aged"

    def path(self, key):
        return self.folder / "records" / key[:2] / f"{key}.gz"

    def __contains__(self, key):
        return self.path(key).exists()

    def read(self, key):
        """The record, or None. A damaged record is removed, so that it is made again."""
        path = self.path(key)
        try:
            return json.loads(gzip.decompress(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, EOFError, ValueError, zlib.error):
            path.unlink(missing_ok=True)
            return None

    def write(self, key, data):
        """`data`: a packed record. An existing record stays."""
        if key not in self:
            write_whole(self.path(key), data)

    def keep(self, count, progress=None):
        """A function for an engine to call when one of `count` jobs has ended; it tells `progress` how many
        have."""
        ended = 0

        def done(key, data, _seconds):
            nonlocal ended
            if data is not None:
                self.write(key, data)
            ended += 1
            if progress:
                progress(ended, count)

        return done

    def remove_leftovers(self):
        """Removes files of writers that were killed, except those of the last hour, which may still be written."""
        import time
        for path in self.folder.glob("records/*/.*.tmp"):
            try:
                if path.stat().st_mtime < time.time() - 3600:
                    path.unlink()
            except OSError:
                pass  # another process was faster
