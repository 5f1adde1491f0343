#!/usr/bin/python3 -SE
# SPDX-License-Identifier: Apache-2.0
"""Stands for tb_replay in tests: the same options, a drive in closed form.

    p99 = 4000 us / (channels x dies), 1 % more or less by the seed; twice that with half of the write buffer

It is steady, with intervals of 1 % on both sides, but drifts with 5 dies, and fewer than 50 requests are too few; with
STUB_STATE=none it tells no state. It stalls with 3 dies, crashes with 7 channels, and refuses 16 dies behind 16 channels
as too large. Each run leaves a line in the file that STUB_LOG names, and takes STUB_DELAY seconds. Where the file that
STUB_HANG names exists, it writes to that and does not end.
"""
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

KEYS = {
    "seed": (1, "integer from 0 to 9223372036854775807"),
    "content": ("tags", "one of none, tags, bytes"),
    "ssd.over_provisioning": (0.07, "number from 0 to 0.95"),
    "nand.geometry.channels": (8, "integer from 1 to 64"),
    "nand.geometry.dies": (4, "integer from 1 to 64"),
    "nand.geometry.planes": (2, "integer from 1 to 8"),
    "nand.geometry.blocks": (256, "integer from 1 to 65536"),
    "nand.geometry.pages": (256, "integer from 1 to 16384"),
    "nand.geometry.page_size": ("16KiB", "size from 512 to 64KiB"),
    "nand.controller.suspend_erase": (False, "true or false"),
    "firmware.translation": ("page_map", "one of page_map, block_map"),
    "firmware.write_buffer.size": ("16MiB", "size from 512 to 1TiB"),
    "firmware.map_cache.policy": ("full_table", "one of full_table, dftl, tafp"),
    "firmware.map_cache.size": ("64KiB", "size from 1 to 1TiB"),
}


def read(name, text, allowed, errors):
    if allowed.startswith("one of"):
        if text in re.split(", | ", allowed.removeprefix("one of ")):
            return text
    elif allowed == "true or false":
        if text in ("true", "false"):
            return text == "true"
    elif allowed.startswith("size"):
        if re.fullmatch(r"\d+([kKMGT]i?B)?", text):
            return int(text) if text.isdigit() else text
    else:
        try:
            low, high = map(float, re.findall(r"[\d.]+", allowed)[:2])
            value = float(text) if allowed.startswith("number") else int(text)
            if low <= value <= high:
                return value
        except ValueError:
            pass
    errors.append(f"--set: {name}: found {text}; allowed: {allowed}")
    return None


def configuration(arguments, folder, errors):
    values = {name: default for name, (default, _) in KEYS.items()}
    for option, value in zip(arguments, arguments[1:]):
        if option == "--config":
            table = ""
            for line in (folder / value).read_text().splitlines():
                if line.startswith("["):
                    table = line.strip("[]") + "."
                elif "=" in line and not line.startswith("#"):
                    name, _, text = line.partition("=")
                    values[table + name.strip()] = json.loads(text)
        elif option == "--set":
            name, _, text = value.partition("=")
            if name not in KEYS:
                errors.append(f"--set: {name}: unknown key")
            else:
                values[name] = read(name, text, KEYS[name][1], errors)
        elif option == "--seed":
            values["seed"] = int(value)
    if not errors and values["nand.geometry.channels"] * values["nand.geometry.dies"] >= 256:
        errors.append("--set: nand.geometry.dies: found 256 dies; allowed: a drive that can be built")
    return values


def option(arguments, name, default=""):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def state_of(dies, requests, latency):
    if dies == 5 or requests < 50:
        text = "drifting: p99 rises by 30 %" if dies == 5 else "too short: 950 requests are missing"
        return {"kind": text.split(":")[0], "quantity": "p99", "half_width": None, "rounds": 0, "limited_by": None,
                "missing": 0 if dies == 5 else 950, "text": text, "intervals": {}}
    return {"kind": "steady", "quantity": "p99", "half_width": 0.01, "rounds": 3, "limited_by": None, "missing": 0,
            "text": f"steady; p99 {latency['p99']:,.0f} us +- 1.0 % (95 %, 3 sections)",
            "intervals": {name: {"value": latency[name], "half_width": 0.01 * latency[name]}
                          for name in ("mean", "p50", "p95", "p99", "p999")}}


def simulate(values, arguments, folder):
    """(exit code, standard error)."""
    if os.environ.get("STUB_LOG"):
        with open(os.environ["STUB_LOG"], "a", encoding="ascii") as log:
            log.write("run\n")
    time.sleep(float(os.environ.get("STUB_DELAY", "0")))
    hang = Path(os.environ.get("STUB_HANG", "/nonexistent"))
    if hang.exists():
        hang.write_text("hangs")
        signal.pause()
    channels, dies = values["nand.geometry.channels"], values["nand.geometry.dies"]
    if channels == 7:
        return -signal.SIGSEGV, ""
    if dies == 3:
        return 1, "error: the drive stalled: 5 commands wait\n"
    noise = 1 + 0.01 * ((values["seed"] * 7919) % 11 - 5) / 5
    p99 = 4000.0 / (channels * dies) * noise * (2 if values["firmware.write_buffer.size"] == "8MiB" else 1)
    requests = int((re.search(r"count=(\d+)", option(arguments, "--workload")) or [0, "1000"])[1])
    result = {
        "host": {"requests": requests, "write": {"bytes": requests * 1024, "latency_us": {"p99": p99}},
                 "mb_per_s": min(500.0, 30.0 * channels * dies), "iops": 1000.0,
                 "latency_us": {"mean": p99 / 2, "p50": p99 / 3, "p95": p99 / 1.5, "p99": p99, "p999": 2 * p99,
                                "max": 3 * p99},
                 "read": {"latency_us": {"p99": p99}}},
        "ledger": {"stages_us": {"array": 50.0, "die_wait_host": p99 / 2, "link_transfer": 9.0}},
        "nand": {"erases": 3}, "write_amplification": 2.0, "utilization": {"channels": [0.5] * channels},
        "parameters": {"queue_depth": int(option(arguments, "--queue-depth", "32"))},
    }
    if os.environ.get("STUB_STATE") != "none":
        result["state"] = state_of(dies, requests, result["host"]["latency_us"])
    out = folder / option(arguments, "--out")
    out.mkdir(parents=True, exist_ok=True)
    (out / "result.json").write_text(json.dumps(result))
    return 0, ""


def toml_of(values):
    lines, table = [], ""
    for name in sorted(values, key=lambda each: (each.rpartition(".")[0], each)):
        head, _, last = name.rpartition(".")
        if head != table:
            lines.append(f"[{head}]")
            table = head
        lines.append(f"{last} = {json.dumps(values[name])}")
    return "\n".join(lines) + "\n"


def program(arguments, folder):
    """(exit code, negative for a signal; standard output; standard error)."""
    if "--list-presets" in arguments:
        return 0, "default     A drive.\ntiny        A small one.\n", ""
    if "--list-keys" in arguments:
        return 0, "".join(f"{name} = {json.dumps(default)}\n    About it.\n    {allowed}\n"
                          for name, (default, allowed) in KEYS.items()), ""
    errors = []
    values = configuration(arguments, folder, errors)
    until = option(arguments, "--until", "known,p99=2%")
    if not re.fullmatch(r"known(,\w+=[\d.]+%)+", until):
        errors.append(f"--until: found {until}; allowed: known and quantities")
    workload = option(arguments, "--workload")
    if workload and not workload.startswith("random"):
        errors.append(f"--workload: pattern: found {workload}; allowed: random")
    if errors:
        return 2, "", "".join(f"error: {each}\n" for each in errors)
    if "--show-config" in arguments:
        return 0, toml_of(values), ""
    code, error = (0, "") if "--dry-run" in arguments else simulate(values, arguments, folder)
    return code, "", error


def main():
    code, output, error = program(sys.argv[1:], Path.cwd())
    sys.stdout.write(output)
    sys.stderr.write(error)
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
