#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The requests of a real ext4 under PostMark, and those of the model: see scripts/clients/traffic.

PostMark is the one of docs/filesystem.md (Katcher 1997): a pool of files of 500 to 10,000 bytes; each
transaction reads a file or appends to one, and creates one or deletes one; then everything is deleted. Every
create and append is followed by fsync().
"""

import json
import os
import random
import sys

from filesystem import FileSystem

SMALLEST, LARGEST = 500, 10_000
BLOCK_SECTORS = 8
# The counts of an application's calls must agree; those of ext4's traffic may differ by this factor.
FACTOR = 3


class PostMark:
    def __init__(self, root, files):
        self.root = root
        self.most = 2 * files
        self.draw = random.Random(1)
        self.pool = []
        self.calls = {"creates": 0, "appends": 0, "reads": 0, "removes": 0}
        for _ in range(files):
            self.create()

    def path(self, number):
        return os.path.join(self.root, str(number))

    def write(self, number, count):
        with open(self.path(number), "ab") as file:
            file.write(os.urandom(count))
            file.flush()
            os.fsync(file.fileno())

    def create(self):
        if len(self.pool) < self.most:
            self.calls["creates"] += 1
            self.pool.append(self.calls["creates"])
            self.write(self.pool[-1], self.draw.randint(SMALLEST, LARGEST))

    def remove(self):
        if self.pool:
            place = self.draw.randrange(len(self.pool))
            self.pool[place], self.pool[-1] = self.pool[-1], self.pool[place]
            os.unlink(self.path(self.pool.pop()))
            self.calls["removes"] += 1

    def transaction(self):
        if self.pool:
            file = self.draw.choice(self.pool)
            if self.draw.random() < 0.5:
                self.calls["reads"] += 1
                with open(self.path(file), "rb") as content:
                    content.read()
            else:
                self.calls["appends"] += 1
                self.write(file, self.draw.randint(SMALLEST, LARGEST))
        if self.draw.random() < 0.5:
            self.create()
        else:
            self.remove()


def make(scratch):
    system = FileSystem("ext4", scratch, os.environ["uri"])
    system.attach()
    try:
        system.make("-b", "4096")  # like the model; mke2fs chooses 1 KiB on a small drive
    finally:
        system.detach()
        os.rmdir(system.root)


def work(scratch, files, transactions):
    system = FileSystem("ext4", scratch, os.environ["uri"])
    system.attach()
    try:
        system.mount("discard")
        load = PostMark(system.root, int(files))
        for _ in range(int(transactions)):
            load.transaction()
        while load.pool:
            load.remove()
        system.unmount()
        with open(os.path.join(scratch, "calls.json"), "w", encoding="utf-8") as file:
            json.dump(load.calls, file)
    finally:
        system.unmount()
        system.detach()


def counted(recording):
    """The counts in a recording of tb_disk."""
    counts = dict.fromkeys(("flushes", "trims", "trim_ranges", "trim_blocks", "writes", "write_blocks"), 0)
    with open(recording, encoding="ascii") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            kind, sectors = fields[1], int(fields[3])
            if kind == "F":
                counts["flushes"] += 1
            elif kind in "Ww":
                counts["writes"] += 1
                counts["write_blocks"] += sectors // BLOCK_SECTORS
            elif kind == "T":
                ranges = [entry.split("+") for entry in fields[5].partition(":")[2].split(",")]
                counts["trims"] += 1
                counts["trim_ranges"] += len(ranges)
                counts["trim_blocks"] += sum(int(length) for _, length in ranges) // BLOCK_SECTORS
    return counts


def compare(recording, result, calls):
    real = counted(recording)
    with open(calls, encoding="utf-8") as file:
        real_calls = json.load(file)
    with open(result, encoding="utf-8") as file:
        model = json.load(file)["filesystem"]
    model["writes"] = sum(model[kind + "_writes"] for kind in ("data", "journal", "checkpoint"))
    model["write_blocks"] = sum(model[kind + "_write_blocks"] for kind in ("data", "journal", "checkpoint"))
    real_syncs = real_calls["creates"] + real_calls["appends"]
    print("| | real ext4 | model |\n|---|---|---|")
    for name in real_calls:
        # In the model, a create also counts as an append.
        print(f"| {name} | {real_calls[name]} | {model[name] - (model['creates'] if name == 'appends' else 0)} |")
    rows = [("flushes per fsync", "flushes", "fsyncs"), ("writes per fsync", "writes", "fsyncs"),
            ("blocks per write", "write_blocks", "writes"), ("trims per removed file", "trims", "removes"),
            ("ranges per trim", "trim_ranges", "trims"), ("blocks per trim", "trim_blocks", "trims")]
    real |= {"fsyncs": real_syncs, "removes": real_calls["removes"]}
    apart = []
    for title, what, per in rows:
        found, modelled = real[what] / max(1, real[per]), model[what] / max(1, model[per])
        print(f"| {title} | {found:.2f} | {modelled:.2f} |")
        if not modelled / FACTOR <= found <= modelled * FACTOR:
            apart.append(title)
    print("further apart than a factor of three:", ", ".join(apart) or "nothing")
    if real["flushes"] < real_syncs or real["trims"] == 0:
        sys.exit("ext4 has sent fewer flushes than it was asked for, or no trims")


if __name__ == "__main__":
    {"make": make, "work": work, "compare": compare}[sys.argv[1]](*sys.argv[2:])
