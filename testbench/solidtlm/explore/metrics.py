# SPDX-License-Identifier: Apache-2.0
"""The names that formulas may use: configuration keys, metrics of result.json, and short names for the usual ones."""
import math
import re

from . import units

# Short name: (path in result.json, unit).
kShort = {
    "throughput": ("host.mb_per_s", "MB/s"), "iops": ("host.iops", "1/s"),
    "mean": ("host.latency_us.mean", "us"), "p50": ("host.latency_us.p50", "us"),
    "p95": ("host.latency_us.p95", "us"), "p99": ("host.latency_us.p99", "us"),
    "p999": ("host.latency_us.p999", "us"), "worst": ("host.latency_us.max", "us"),
    "read_mean": ("host.read.latency_us.mean", "us"), "write_mean": ("host.write.latency_us.mean", "us"),
    "read_p99": ("host.read.latency_us.p99", "us"), "write_p99": ("host.write.latency_us.p99", "us"),
    "read_p999": ("host.read.latency_us.p999", "us"), "write_p999": ("host.write.latency_us.p999", "us"),
    "wa": ("write_amplification", ""), "erases": ("nand.erases", ""),
}
kWithInterval = tuple(name for name in kShort if name not in ("worst", "erases"))  # a run may know their intervals
kMapEntry = 4  # bytes of DRAM per mapping unit


def spelt(text):
    """Text with p99.9 as names have it, which may have no such point: p999."""
    return re.sub(r"p99\.9\b", "p999", text)


def flatten(value, prefix=""):
    """Dotted names of all numbers; for a list, its mean, min and max."""
    if isinstance(value, dict):
        result = {}
        for name, inner in value.items():
            result.update(flatten(inner, f"{prefix}.{name}" if prefix else name))
        return result
    if isinstance(value, list):
        numbers = [each for each in value if isinstance(each, (int, float)) and not isinstance(each, bool)]
        if not numbers or len(numbers) != len(value):
            return {}
        return {f"{prefix}.mean": math.fsum(numbers) / len(numbers), f"{prefix}.min": min(numbers),
                f"{prefix}.max": max(numbers)}
    return {prefix: value}


# Not metrics: inputs, and values that depend on the machine.
_LEFT_OUT = ("config", "parameters", "schema", "version", "scenario", "faults", "wall_time_s", "requests_per_wall_s", "seed",
             "series", "latency_distribution")


def of_result(result):
    values = {}
    for name, inner in result.items():
        if name not in _LEFT_OUT:
            values.update(flatten(inner, name))
    values.pop("precondition.wall_time_s", None)
    for short, (path, _) in kShort.items():
        values[short] = values.get(path)
    return values


def of_configuration(configuration):
    """Configuration keys as numbers, and numbers derived from them."""
    return derived({name: units.number_of(value) for name, value in configuration.items()})


def derived(numbers):
    """Keys as numbers, with numbers derived from them."""
    values = dict(numbers)
    key = values.get

    def product(*names):
        factors = [key(name) for name in names]
        return math.prod(factors) if all(isinstance(each, (int, float)) for each in factors) else None

    geometry = "nand.geometry."
    values["channels"] = key(geometry + "channels")
    values["drive_dies"] = product(geometry + "channels", geometry + "dies")
    values["raw"] = product(*(geometry + each for each in ("channels", "dies", "planes", "blocks", "pages",
                                                           "page_size")))
    listed = [int(each) for each in str(key(geometry + "die_blocks") or "").split(",") if each.strip()]
    if listed and values["raw"] is not None:  # dies that differ: of a channel, or of the drive
        times = values["drive_dies"] // len(listed)
        values["raw"] = values["raw"] * sum(listed) * times // (values["drive_dies"] * key(geometry + "blocks"))
        values["drive_dies"] = sum(each > 0 for each in listed) * times
    share, capacity = key("ssd.over_provisioning"), key("ssd.capacity")
    if isinstance(capacity, (int, float)):
        values["exported"] = capacity
    elif values["raw"] is not None and isinstance(share, (int, float)):
        values["exported"] = values["raw"] * (1 - share)
    values["map"] = _map_bytes(values)
    buffer = key("firmware.write_buffer.size")
    if values["map"] is not None and isinstance(buffer, (int, float)):
        values["dram"] = values["map"] + buffer
    return values


kDerived = ("channels", "drive_dies", "raw", "exported", "map", "dram")
# Names that could mean more than one thing: what is there instead.
kUnclear = {"dies": "drive_dies (of the drive) or nand.geometry.dies (of a channel)"}
kUnitsOfDerived = {"raw": "B", "exported": "B", "map": "B", "dram": "B"}


def _map_bytes(values):
    """DRAM for the map: for all units, or for its cache."""
    if values.get("firmware.map_cache.policy", "full_table") != "full_table":
        return values.get("firmware.map_cache.size")
    exported, unit = values.get("exported"), values.get("firmware.unit")
    if not isinstance(exported, (int, float)) or not isinstance(unit, (int, float)) or unit <= 0:
        return None
    return kMapEntry * math.ceil(exported / unit)


def unit_of(name):
    """The unit of a name, "" if it has none or is unknown."""
    if name in kShort:
        return kShort[name][1]
    if name in kUnitsOfDerived:
        return kUnitsOfDerived[name]
    for part in reversed(name.split(".")):
        for end, unit in (("_us", "us"), ("mb_per_s", "MB/s"), ("_bytes", "B"), ("_s", "s")):
            if part.endswith(end):
                return unit
    return ""


def limits_of(result, most=3):
    """The stages in which an average command spends most of its time: [(stage, share)]."""
    stages = result.get("ledger", {}).get("stages_us", {})
    total = math.fsum(stages.values())
    if total <= 0:
        return []
    order = sorted(stages.items(), key=lambda each: (-each[1], each[0]))
    return [(name, time / total) for name, time in order[:most] if time > 0]
