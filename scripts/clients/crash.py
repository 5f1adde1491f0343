#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power cuts under a file system and a database: see scripts/clients/crash, which starts this.

Each round mounts the file system, which replays its journal, and checks what was promised in all rounds
before; then a load works until the power is cut at a drawn instant. A promise is what the load has said,
outside of the drive, after COMMIT or fsync() had returned:

- transaction n of SQLite (rollback journal and WAL by turns; synchronous=EXTRA, since FULL does not sync
  the folder after the rollback journal was deleted, which is the commit) has written the row n, whose
  contents follow from n, and deleted an old one. After a cut all rows from the oldest to the last promised
  one must be there and right, nothing beyond the one that was under way, and PRAGMA integrity_check be
  content;
- file n was written, fsync()ed, renamed over the one before, and its folder fsync()ed.

After the last round the file system is checked by its own checker. Exits with 0 if all was kept, with 3 if
a promise was broken (--expect loss turns these two round), else with 1.
"""

import argparse
import contextlib
import ctypes
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from filesystem import Damaged, FileSystem, limited

ROWS = 200  # that the table keeps
LOST = 3


def payload(number):
    """Contents that follow from a number: 32 to 6,000 bytes."""
    seed = hashlib.sha256(str(number).encode()).digest()
    return (seed * 200)[: 32 + int.from_bytes(seed[:2], "big") % 5969]


class Broken(Exception):
    """A broken promise."""


def connect(root, wal):
    database = sqlite3.connect(os.path.join(root, "database"), isolation_level=None)
    database.execute("PRAGMA synchronous=EXTRA")
    database.execute("PRAGMA journal_mode=" + ("WAL" if wal else "DELETE")).fetchone()
    return database


def load(root, first, wal):
    """Works until something fails. Promises are lines on stdout."""
    try:
        database = connect(root, wal)
        database.execute("CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, payload BLOB)")
        number = first
        while True:
            database.execute("BEGIN")
            database.execute("INSERT INTO rows VALUES (?, ?)", (number, payload(number)))
            database.execute("DELETE FROM rows WHERE number <= ?", (number - ROWS,))
            database.execute("COMMIT")
            os.write(1, b"row %d\n" % number)
            if number % 4 == 0:
                write_file(root, number)
                os.write(1, b"file %d\n" % number)
            number += 1
    except (sqlite3.Error, OSError):
        pass
    os._exit(0)  # close() would wait for data that cannot be written any more


def write_file(root, number):
    path = os.path.join(root, "file")
    with open(path + ".new", "wb") as file:
        file.write(b"%d\n" % number + payload(number))
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".new", path)
    folder = os.open(root, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def check_database(root, promised, wal):
    """Returns the last row in the table."""
    try:
        with contextlib.closing(connect(root, wal)) as database:
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
            if verdict != "ok":
                raise Broken("integrity_check: " + verdict)
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            rows = database.execute("SELECT number, payload FROM rows ORDER BY number").fetchall() if tables else []
    except sqlite3.DatabaseError as error:
        raise Broken("the database is damaged: " + str(error)) from error
    last = rows[-1][0] if rows else 0
    if not promised <= last <= promised + 1:
        raise Broken(f"transaction {promised} was committed, the last one found is {last}")
    if [number for number, _ in rows] != list(range(max(1, last - ROWS + 1), last + 1)):
        raise Broken("rows are missing")
    for number, found in rows:
        if found != payload(number):
            raise Broken(f"row {number} is wrong")
    return last


def check_file(root, promised, last):
    try:
        with open(os.path.join(root, "file"), "rb") as file:
            line, contents = file.readline(), file.read()
    except FileNotFoundError:
        line, contents = b"0\n", payload(0)
    number = int(line) if line.strip().isdigit() else -1
    if contents != payload(number):
        raise Broken(f"the file of {number} is wrong")
    if not promised <= number <= last:
        raise Broken(f"file {promised} was synced, found {number}")


def promises(lines):
    """The last promised row and file, 0 for none."""
    last = {b"row": 0, b"file": 0}
    for line in lines:
        words = line.split()
        if len(words) == 2 and words[0] in last:
            last[words[0]] = int(words[1])
    return last[b"row"], last[b"file"]


def load_command(root, first, wal):
    return [sys.executable, os.path.abspath(__file__), "--load", root, "--first", str(first)] + (["--wal"] if wal else [])


def cut_power(drive, value):
    """Uses sigqueue(3), because the signal's value determines the instant."""
    if ctypes.CDLL(None, use_errno=True).sigqueue(drive, signal.SIGUSR2, ctypes.c_void_p(value)) != 0:
        raise OSError(ctypes.get_errno(), f"process {drive} takes no signal")


def work_until_the_cut(root, first, wal, drive, pause, value):
    """Returns the promises made."""
    with subprocess.Popen(load_command(root, first, wal), stdout=subprocess.PIPE) as child, limited(child.kill):
        time.sleep(pause)
        cut_power(drive, value)
        return promises(child.stdout)


def crash(options):
    draw = random.Random(options.seed)
    system = FileSystem(options.fs, options.scratch, os.environ["uri"])
    row = file = 0
    system.attach()
    system.make()
    system.detach()
    try:
        for cut in range(options.cuts + 1):
            wal = cut // 2 % 2 == 1
            system.attach()
            system.mount()
            # Uses the previous journal mode, so that recovery is from a hot journal or a WAL.
            last = check_database(system.root, row, (cut - 1) // 2 % 2 == 1)
            check_file(system.root, file, last)
            if cut < options.cuts:
                rows, files = work_until_the_cut(
                    system.root, last + 1, wal, options.drive, draw.uniform(0.02, 0.3), draw.randrange(0, 20000)
                )
                row, file = max(last, rows), max(file, files)
            system.unmount()
            if cut == options.cuts:
                system.check()
            system.detach()
            if (cut + 1) % 50 == 0:
                print(f"{cut + 1} cuts, {row} transactions", flush=True)
    except (Broken, Damaged) as broken:
        print(f"after cut {cut}, {row} transactions: {broken}", flush=True)
        return LOST
    finally:
        system.unmount()
        system.detach()
    print(f"{options.cuts} cuts: {row} transactions and their files are there", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fs", choices=sorted(FileSystem.MKFS), default="ext4")
    parser.add_argument("--expect", choices=["kept", "loss"], default="kept")
    parser.add_argument("--scratch")
    parser.add_argument("--drive", type=int, help="process of tb_disk")
    parser.add_argument("--load", metavar="FOLDER")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--wal", action="store_true")
    options = parser.parse_args()
    if options.load:
        load(options.load, options.first, options.wal)
    code = crash(options)
    if options.expect == "loss":
        code = {0: LOST, LOST: 0}[code]
    sys.exit(code)


if __name__ == "__main__":
    main()
