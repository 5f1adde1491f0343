#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""File systems of this machine's kernel on a simulated drive: see scripts/clients/linux, which starts this.

Of each: unpack the project's sources, commit them to a repository of Git and clone it, write to SQLite (both
journals) and to LMDB, delete, trim; then look at everything, check the file system with its own checker, and
look at everything again after it was mounted again.
"""

import argparse
import os
import sqlite3
import subprocess
import sys

from filesystem import Damaged, FileSystem, run

SOURCES = ["docs", "fw", "hw", "platform", "scripts", "testbench"]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def unpack(root):
    with subprocess.Popen(["tar", "-C", PROJECT, "-c", *SOURCES], stdout=subprocess.PIPE) as packed:
        subprocess.run(["tar", "-C", root, "-x"], stdin=packed.stdout, check=True)


def git(repository, *command):
    identity = ["-c", "user.name=client", "-c", "user.email=client@example.org", "-c", "gc.auto=0"]
    return run("git", *identity, "-C", repository, *command)


def keep_history(root):
    git(root, "init", "-q", "repository")
    repository = os.path.join(root, "repository")
    for folder in SOURCES:
        run("cp", "-r", os.path.join(root, folder), repository)
        git(repository, "add", folder)
        git(repository, "commit", "-q", "-m", folder)
    git(root, "clone", "-q", "--no-local", repository, "clone")
    git(os.path.join(root, "clone"), "checkout", "-q", "HEAD~2")
    git(os.path.join(root, "clone"), "checkout", "-q", "-")


def fill_databases(root):
    for mode in ("DELETE", "WAL"):
        database = sqlite3.connect(os.path.join(root, mode + ".sqlite"))
        database.execute("PRAGMA journal_mode=" + mode)
        database.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY, text TEXT)")
        for group in range(20):
            with database:
                database.executemany(
                    "INSERT INTO numbers VALUES (?, ?)",
                    [(number, str(number) * 40) for number in range(group * 100, group * 100 + 100)],
                )
                database.execute("UPDATE numbers SET text = 'changed' WHERE number % 7 = ?", (group % 7,))
        database.close()
    pairs = "".join(f"key{number:06}\nvalue {number * 7919}\n" for number in range(20000))
    subprocess.run(["mdb_load", "-n", "-T", os.path.join(root, "lmdb")], input=pairs, text=True, check=True)


def look_at(root):
    for folder in SOURCES:
        for copy in ("", "repository", "clone"):
            run("diff", "-r", os.path.join(PROJECT, folder), os.path.join(root, copy, folder))
    for repository in ("repository", "clone"):
        git(os.path.join(root, repository), "fsck", "--full", "--strict")
        if git_status := subprocess.check_output(["git", "-C", os.path.join(root, repository), "status", "-s"]):
            raise Damaged(repository + ": " + git_status.decode())
    for mode in ("DELETE", "WAL"):
        database = sqlite3.connect(os.path.join(root, mode + ".sqlite"))
        verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        rows = database.execute("SELECT count(*), sum(text = 'changed') FROM numbers").fetchone()
        database.close()
        if verdict != "ok" or rows[0] != 2000:
            raise Damaged(f"SQLite, {mode}: {verdict}, {rows[0]} rows")
    dump = subprocess.check_output(["mdb_dump", "-n", "-p", os.path.join(root, "lmdb")], text=True)
    found = [line.strip() for line in dump.splitlines() if line.startswith(" ")]
    wanted = [text for number in range(20000) for text in (f"key{number:06}", f"value {number * 7919}")]
    if found != wanted:
        raise Damaged("LMDB does not give back what was stored")


def work(kind, scratch, uri):
    system = FileSystem(kind, scratch, uri)
    system.attach()
    try:
        system.make()
        system.mount()
        unpack(system.root)
        keep_history(system.root)
        fill_databases(system.root)
        look_at(system.root)
        run("cp", "-r", os.path.join(system.root, "repository"), os.path.join(system.root, "copy"))
        run("sync", "-f", system.root)
        run("rm", "-r", os.path.join(system.root, "copy"))
        run("sync", "-f", system.root)
        trimmed = subprocess.check_output(["fstrim", "-v", system.root], text=True).split(":")[1].strip()
        system.unmount()
        system.check()
        system.mount()
        look_at(system.root)
        system.unmount()
        system.check()
    finally:
        system.unmount()
        system.detach()
    print(f"{kind}: everything is there, {trimmed}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scratch")
    parser.add_argument("kinds", nargs="+")
    options = parser.parse_args()
    for kind in options.kinds:
        folder = os.path.join(options.scratch, kind)
        os.mkdir(folder)
        try:
            work(kind, folder, os.environ["uri"])
        except Damaged as damaged:
            sys.exit(f"{kind}: {damaged}")
        except subprocess.CalledProcessError as error:
            sys.exit(f"{kind}: {' '.join(error.cmd)}: {error.stderr}")


if __name__ == "__main__":
    main()
