# SPDX-License-Identifier: Apache-2.0
"""What fio's options and measurements say: the load of a job (rw, bs, iodepth, ...), and what was measured of it
(--output-format=json). Knows nothing of what either is used for."""
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import UserError

# rw: (pattern of --workload, share of reads; None: rwmixread)
_PATTERNS = {"read": ("sequential", 1.0), "write": ("sequential", 0.0), "rw": ("sequential", None),
             "readwrite": ("sequential", None), "randread": ("random", 1.0), "randwrite": ("random", 0.0),
             "randrw": ("random", None)}
_USUAL_MIX = 50  # fio's default of rwmixread, in percent
_UNITS = {"": 1, "k": 1024, "m": 1024**2}
_PERCENTILES = {"p50_us": "50.000000", "p99_us": "99.000000", "p999_us": "99.900000"}


@dataclass
class Load:
    """The load of a job, from its options. `mistakes`: why it cannot be carried out here."""
    rw: str
    size: str
    pattern: str
    read: float
    jobs: int
    depth: int  # of all jobs together
    mistakes: list[str]

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "Load":
        rw, size = options.get("rw", options.get("readwrite", "read")), options.get("bs", "4k").lower()
        mistakes = []
        pattern, read = _PATTERNS.get(rw, ("sequential", 1.0))
        if rw not in _PATTERNS:
            mistakes.append(f"found rw={rw}; allowed: {', '.join(_PATTERNS)}")
        if not (size.rstrip("km").isdigit() and size.lstrip("0123456789") in _UNITS):
            mistakes.append(f"found bs={size}; allowed: one size, such as 4k")
        if options.get("direct") not in ("1", ""):
            mistakes.append("found buffered requests; allowed: direct=1, otherwise the page cache is measured")
        if read is None:
            read = _mix(options, mistakes)
        jobs = int(options.get("numjobs", 1))
        return cls(rw, size, pattern, read, jobs, int(options.get("iodepth", 1)) * jobs, mistakes)

    @property
    def mixed(self) -> bool:
        return 0 < self.read < 1

    @property
    def bytes(self) -> int:
        digits = self.size.rstrip("km")
        return int(digits) * _UNITS[self.size[len(digits):]]

    @property
    def workload(self) -> str:
        """As --workload takes it."""
        load = f"{self.pattern},read={self.read:g},size={self.size}"
        if self.pattern == "random" and self.bytes > 4096:
            load += f",align={self.size}"
        if self.pattern == "sequential" and self.jobs > 1:
            load += f",streams={self.jobs}"
        return load


def _mix(options: Mapping[str, str], mistakes: list[str]) -> float:
    """The share of reads. Of both options fio takes the last one; they should say the same."""
    given = {name: options[name] for name in ("rwmixread", "rwmixwrite") if name in options}
    if not all(each.isdigit() and int(each) <= 100 for each in given.values()):
        mistakes.append(f"found {', '.join(f'{name}={each}' for name, each in given.items())}; "
                        "allowed: a whole percentage")
        return 0.0
    reads = {int(each) if name == "rwmixread" else 100 - int(each) for name, each in given.items()} or {_USUAL_MIX}
    if len(reads) > 1:
        mistakes.append(f"found rwmixread={given['rwmixread']} and rwmixwrite={given['rwmixwrite']}; "
                        "allowed: one of them, or a sum of 100")
    return reads.pop() / 100


class Job:
    """A job that fio has measured."""

    def __init__(self, entry: Mapping[str, Any], shared: Mapping[str, str]):
        self.name, self.entry = entry.get("jobname", "?"), entry
        self.load = Load.of({**shared, **entry.get("job options", {})})
        self.mistakes = [*self.load.mistakes]
        if entry.get("error", 0) != 0:
            self.mistakes.append(f"found error {entry.get('error')}; allowed: 0")

    @property
    def sides(self) -> list[Mapping[str, Any]]:
        """Its measurements: of reads, of writes, or of both; with unified_rw_reporting together."""
        if "mixed" in self.entry:
            return [self.entry["mixed"]]
        wanted = ("read",) * (self.load.read > 0) + ("write",) * (self.load.read < 1)
        return [self.entry[each] for each in wanted]

    @property
    def iops(self) -> float:
        return sum(each["iops"] for each in self.sides)

    @property
    def mb_per_s(self) -> float:
        return sum(each["bw_bytes"] for each in self.sides) / 1e6

    def mean_us(self, what: str) -> float | None:
        """Over all requests, of "slat_ns" (submission) or "clat_ns" (completion); None: fio has not measured it."""
        means = [(each["iops"], each.get(what, {}).get("mean")) for each in self.sides]
        if not self.iops or not all(mean for iops, mean in means if iops):
            return None
        return sum(iops * mean for iops, mean in means if iops) / self.iops / 1e3

    def percentiles_us(self) -> dict[str, float]:
        """Of the completion latency. Those of reads and of writes do not give those of both."""
        if len(self.sides) > 1:
            return {}
        found = self.sides[0].get("clat_ns", {}).get("percentile", {})
        return {name: found[key] / 1e3 for name, key in _PERCENTILES.items() if key in found}

    @property
    def processor_share(self) -> float:
        return (self.entry.get("usr_cpu", 0) + self.entry.get("sys_cpu", 0)) / 100


@dataclass
class Results:
    """A file of fio's results. `about`: its other fields."""
    jobs: list[Job]
    about: Mapping[str, Any]


def read_results(path: Path) -> Results:
    """Raises UserError."""
    try:
        text = path.read_text()
        found = json.loads(text[text.index("{"):])  # fio may print something before
        entries, shared = found["jobs"], found.get("global options", {})
    except OSError as error:
        raise UserError(f"{path}: found no result of fio: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: found no result of fio; allowed: what fio --output-format=json wrote") from error
    return Results([Job(each, shared) for each in entries], found)
