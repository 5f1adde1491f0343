#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a sweep costs beside its runs, and how well it uses the processors.

    PYTHONPATH=testbench python3 -m solidtlm.bench_sweep [--points 64] [--jobs 2] [--repeat 5] [--count 10000]

Three ways of making the same runs, in turn: a shell loop, xargs with as many processes as the sweep has jobs, and
st.sweep() with an empty store. xargs shows what the machine itself gives: two processes share memory, and perhaps a
core. Where other programs use the processors, only the last line says something.
"""
import argparse
import os
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import solidtlm as st
from solidtlm.programs import device_options, options, replay


def seconds(work: Callable[[], object]) -> float:
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


class Task:
    """The points of a sweep, each way."""

    def __init__(self, points: int, count: int):
        self._space = {"seed": list(range(1, points + 1))}
        self._run = {"workload": f"random,read=0.7,count={count}"}

    def commands(self, folder: Path) -> str:
        """A line for each point."""
        command = [str(replay().path), *device_options("tiny"), *options(**self._run), "--quiet", "--no-report"]
        return "".join(shlex.join([*command, "--seed", str(seed), "--out", str(folder / str(seed))]) + "\n"
                       for seed in self._space["seed"])

    def loop(self, folder: Path) -> None:
        subprocess.run(["sh", "-e"], input=self.commands(folder), text=True, check=True, stdout=subprocess.DEVNULL)

    def xargs(self, folder: Path, jobs: int) -> None:
        subprocess.run(["xargs", "-P", str(jobs), "-I", "{}", "sh", "-c", "{}"], input=self.commands(folder), text=True,
                       check=True, stdout=subprocess.DEVNULL)

    def sweep(self, folder: Path, jobs: int) -> None:
        found = st.sweep(self._space, preset="tiny", jobs=jobs, store=folder / "store", **self._run)
        assert found.started == len(found) and None not in found.results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--count", type=int, default=10_000, help="requests of a run")
    given = parser.parse_args()
    task = Task(given.points, given.count)
    ways = {"shell loop": task.loop, f"xargs -P {given.jobs}": lambda folder: task.xargs(folder, given.jobs),
            "sweep, jobs=1": lambda folder: task.sweep(folder, 1),
            f"sweep, jobs={given.jobs}": lambda folder: task.sweep(folder, given.jobs)}
    times: dict[str, list[float]] = {each: [] for each in ways}
    for _ in range(given.repeat):
        for name, way in ways.items():
            with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder:
                times[name].append(seconds(lambda place=Path(folder), way=way: way(place)))
    for name, each in times.items():
        print(f"{name:14} {statistics.median(each):7.3f} s ({min(each):.3f} to {max(each):.3f}), "
              f"{1e3 * statistics.median(each) / given.points:6.2f} ms per point")
    loop, many, alone, swept = (statistics.median(each) for each in times.values())
    print(f"a sweep loses {1e3 * (alone - loop) / given.points:.2f} ms per point; {given.jobs} jobs are "
          f"{alone / swept:.2f} times as fast as one, processes of xargs {loop / many:.2f} times as fast as the loop")
    pairs = [one / other for one, other in zip(times[f"xargs -P {given.jobs}"], times[f"sweep, jobs={given.jobs}"])]
    print(f"of what the machine gives {given.jobs} processes, the sweep has {statistics.median(pairs):.0%}")


if __name__ == "__main__":
    main()
