# SPDX-License-Identifier: Apache-2.0
"""The decisions of a search, one per line: the points of a batch, those that go on to the next rung, those that
get another seed. Only the coordinator writes them, before it acts on them.

A search that goes on reads its decisions here and its results in the store. A line that was cut short when the machine
went down is not there: the decision is taken again, and comes out the same.
"""
import fcntl
import json

from .store import canonical


class StudyBusy(Exception):
    """Another coordinator is working on this study."""


class Journal:
    def __init__(self, folder, write=True):
        self.folder = folder
        self._lines = {}
        self._file = self._lock = None
        path = folder / "journal.jsonl"
        if write:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(folder / "lock", "w", encoding="ascii")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._lock.close()
                raise StudyBusy(f"another explorer works on this study ({folder})") from error
        whole = self._load(path)
        if write:
            self._file = open(path, "a+b")
            self._file.truncate(whole)

    def _load(self, path):
        """Reads the existing lines; returns the length of the complete ones."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return 0
        whole = 0
        for line in data.splitlines(keepends=True):
            try:
                entry = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                entry = None
            if entry is None:
                break
            self._lines[tuple(entry["of"])] = entry["is"]
            whole += len(line)
        return whole

    def __len__(self):
        return len(self._lines)

    def known(self, *of):
        return self._lines.get(of)

    def decide(self, of, make):
        """The recorded decision, or the one that make() takes now."""
        if of not in self._lines:
            made = make()
            if self._file is not None:
                self._file.write(canonical({"of": of, "is": made}).encode() + b"\n")
                self._file.flush()
            self._lines[of] = made
        return self._lines[of]

    def close(self):
        for each in (self._file, self._lock):
            if each is not None:
                each.close()
