#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replaces fio and a drive for readers who have neither at hand: runs the jobs of a fio job file on a model
whose parameters the reader does not know, and prints what fio would print with --output-format=json.

    stand_in_for_fio.py JOB.fio > RESULT.json

The drive that is hidden is below: do not look before you have fitted it (docs/tutorials/a-drive-that-you-measured.md).
"""
import configparser
import json
import sys

import solidtlm

HIDDEN = {
    "nand.geometry.channels": 2, "nand.geometry.dies": 3, "nand.geometry.planes": 2, "nand.geometry.blocks": 64,
    "nand.geometry.pages": 64, "nand.geometry.page_size": "16KiB", "nand.geometry.spare_size": 2048,
    "ssd.over_provisioning": 0.127,
    "nand.timing.read": "68us", "nand.timing.program": "820us",
    "host.submit_time": "4us", "host.complete_time": "2500ns", "host.interrupt_latency": "9us",
}
PATTERNS = {"read": "sequential,read=1", "write": "sequential,read=0",
            "randread": "random,read=1", "randwrite": "random,read=0"}
READS = 2_000, 22_000  # of warm-up, in total
WRITTEN = 140_000_000, 210_000_000  # bytes: a fifth of the drive, and a tenth more
US = 1e3  # ns


def measured(name, options):
    """The job in the form of fio's report."""
    side = "read" if options["rw"].endswith("read") else "write"
    size = int(options["bs"].removesuffix("k")) * 1024
    warm_up, count = READS if side == "read" else (each // size for each in WRITTEN)
    result = solidtlm.run(set=HIDDEN, content="none", precondition="fill=1,random=0", warm_up=warm_up,
                          queue_depth=int(options["iodepth"]),
                          workload=f"{PATTERNS[options['rw']]},size={options['bs']},count={count}")
    host, submit = result.host[side], float(HIDDEN["host.submit_time"].removesuffix("us"))
    latency = host["latency_us"]
    busy = result["ledger"]["stages_us"]["host_cpu"] * host["iops"] / 1e4  # percent of a processor
    return {"jobname": name, "error": 0, "job options": options, "usr_cpu": 0.3 * busy, "sys_cpu": 0.7 * busy,
            side: {"iops": host["iops"], "bw_bytes": host["mb_per_s"] * 1e6, "slat_ns": {"mean": submit * US},
                   "clat_ns": {"mean": (latency["mean"] - submit) * US,
                               "percentile": {f"{share:.6f}": (latency[key] - submit) * US for share, key in
                                              ((50, "p50"), (99, "p99"), (99.9, "p999"))}}}}


def main():
    job = configparser.ConfigParser(allow_no_value=True, default_section="global")
    job.read(sys.argv[1])
    print(json.dumps({"fio version": "a stand-in for fio", "global options": dict(job.defaults()),
                      "jobs": [measured(name, dict(job[name])) for name in job.sections()]}, indent=1))


if __name__ == "__main__":
    main()
