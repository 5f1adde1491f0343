#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A study twice: undisturbed, and while workers and coordinators are killed (SIGKILL). Both must come out the same.

    PYTHONPATH=testbench .venv/bin/python -m solidtlm.explore.bench_disturbed STUDY.toml [--bin build/release/bin]
        [--every 20] [--coordinators 2] [--set KEY=VALUE]

Of two workers in processes of their own the older one is killed every --every seconds, and replaced. Coordinators are
killed at equal shares of the time that the undisturbed search took; `resume` goes on. Exit code 1: the tables differ.
"""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from solidtlm.explore.cluster import Cluster, end


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--every", type=float, default=20.0, metavar="SECONDS", help="[%(default)g]")
    parser.add_argument("--coordinators", type=int, default=2, metavar="N", help="that are killed [%(default)s]")
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="KEY=VALUE")
    return parser.parse_args(argv)


def command(options, verb, *more):
    return [sys.executable, "-m", "solidtlm.explorer", verb, options.study, "--bin", options.bin,
            *(part for each in options.overrides for part in ("--set", each)), *more]


def undisturbed(options, folder):
    """Seconds that the search takes with two workers in this process."""
    begin = time.monotonic()
    with open(folder / "undisturbed.log", "w", encoding="utf-8") as log:
        subprocess.run(command(options, "run", "--store", folder / "store", "--out", folder / "undisturbed", "--jobs",
                               "2"), check=True, stdout=log, stderr=log)
    return time.monotonic() - begin


def disturbed(options, folder, usual):
    """(seconds, numbers of killed workers and coordinators)."""
    coordinators, begin = 0, time.monotonic()
    with Cluster(folder) as cluster, open(folder / "disturbed.log", "w", encoding="utf-8") as log:
        search = command(options, "resume", "--store", folder / "another", "--out", folder / "disturbed",
                         "--scheduler", cluster.address())
        coordinator = subprocess.Popen(search, stdout=log, stderr=log)
        try:
            while coordinator.poll() is None:
                passed = time.monotonic() - begin
                if passed > options.every * (cluster.killed + 1):
                    cluster.kill_worker()
                if coordinators < options.coordinators and \
                        passed > usual * (coordinators + 1) / (options.coordinators + 1):
                    end(coordinator)
                    coordinators += 1
                    coordinator = subprocess.Popen(search, stdout=log, stderr=log)
                time.sleep(0.05)
        finally:
            end(coordinator)
        if coordinator.returncode != 0:
            sys.exit((folder / "disturbed.log").read_text())
    return time.monotonic() - begin, cluster.killed, coordinators


def main(argv=None):
    options = arguments_of(argv)
    with tempfile.TemporaryDirectory(prefix="explore_disturbed.") as name:
        folder = Path(name)
        usual = undisturbed(options, folder)
        seconds, workers, coordinators = disturbed(options, folder, usual)
        tables = [(folder / each / "points.csv").read_text() for each in ("undisturbed", "disturbed")]
        records = [len(list((folder / each).glob("records/*/*.gz"))) for each in ("store", "another")]
        same = tables[0] == tables[1]
        print(f"undisturbed: {usual:.0f} s, {len(tables[0].splitlines()) - 1} points, {records[0]} records")
        print(f"disturbed: {seconds:.0f} s, {records[1]} records; {workers} workers and {coordinators} coordinators "
              f"were killed")
        print("the same table" if same else "THE TABLES DIFFER")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
