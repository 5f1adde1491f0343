#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the explorer itself costs: many points whose run takes no time, on workers in processes of their own.

    PYTHONPATH=testbench .venv/bin/python -m solidtlm.bench_scheduling [--points 10000] [--workers 2] [--proposer random]

Prints the time of a point, the processor time of coordinator, scheduler and workers without the runs themselves, and
how the coordinator's memory grows.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from solidtlm import explorer
from solidtlm.explore.cluster import Cluster
from solidtlm.explore.tests import stub_drive

# The shell, which starts in a millisecond, answers runs and dry runs; the stub answers everything else.
SHELL = """\
#!/bin/sh
case "$*" in *--out*) ;; *) exec {python} -SE {stub} "$@" ;; esac
mkdir -p out && read -r seed </proc/self/stat && cp {result} out/result.json
"""
STUDY = """\
title = "Scheduling"
[space]
"nand.geometry.channels" = {{ from = 1, to = 64, step = 1 }}
"nand.geometry.dies" = [1, 2]
"ssd.over_provisioning" = {{ from = 0.01, to = 0.9, step = 0.005 }}
[[workload]]
spec = "random"
[objectives]
dies = "minimise drive_dies"
latency = "minimise p99 * (1 + ssd.over_provisioning) / drive_dies"
[search]
proposer = "{proposer}"
batch = 250
rungs = [100]
[budget]
runs = {points}
"""


def stub_seconds(program, folder):
    begin = time.monotonic()
    for _ in range(100):
        subprocess.run([program, "--out", "out"], cwd=folder, check=True)
    return (time.monotonic() - begin) / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--proposer", default="random")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
        folder = Path(name)
        os.chdir(folder)
        (folder / "bin").mkdir()
        values = {key: default for key, (default, _) in stub_drive.KEYS.items()}
        stub_drive.simulate(values, ["--out", "sample"], folder)
        program = folder / "bin" / "tb_replay"
        program.write_text(SHELL.format(python="/usr/bin/python3", stub=stub_drive.__file__,
                                        result=folder / "sample" / "result.json"))
        program.chmod(0o755)
        (folder / "study.toml").write_text(STUDY.format(points=options.points, proposer=options.proposer))
        stub = stub_seconds(program, folder)
        with Cluster(folder, options.workers) as cluster:
            measure(options, cluster, stub)


def measure(options, cluster, stub):
    address = cluster.address()
    memory = []

    class Watch:
        def __call__(self, search, under_way=None):
            if under_way is None:
                memory.append((len(search.points), resident()))

        def end(self):
            pass

    explorer.write_answers = lambda *_: None  # measures the search alone
    from solidtlm.explore import progress
    progress.Progress = lambda *_: Watch()
    begin, processor = time.monotonic(), time.process_time()
    explorer.main(["run", "study.toml", "--bin", "bin", "--store", "store", "--scheduler", address])
    wall, processor = time.monotonic() - begin, time.process_time() - processor
    a_point = wall / options.points
    scheduler, *workers = [1e3 * processor_seconds(each.pid) / options.points
                           for each in (cluster.scheduler, *cluster.workers)]
    print(f"{options.points:,} points on {options.workers} workers, {options.proposer}: {wall:.1f} s, "
          f"{1e3 * a_point:.2f} ms per point; the stub alone {1e3 * stub:.2f} ms per run")
    print(f"coordinator: {1e3 * processor / options.points:.2f} ms of processor time per point, "
          f"so at most {options.points / processor:,.0f} points per second; Dask's scheduler {scheduler:.2f} ms, workers "
          f"{sum(workers):.2f} ms; together {1e3 * processor / options.points + scheduler + sum(workers):.2f} ms")
    early, late = memory[len(memory) // 4], memory[-1]
    print(f"memory: {early[1] / 2**20:.0f} MiB after {early[0]:,} points, {late[1] / 2**20:.0f} MiB after {late[0]:,}: "
          f"{(late[1] - early[1]) / max(1, late[0] - early[0]):,.0f} bytes per point; at most "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def processor_seconds(process):
    """Processor time of the process without its children."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
