# SPDX-License-Identifier: Apache-2.0
"""Converts fio's measurements (--output-format=json) to a file in a drive's folder: docs/real-drives.md, "To add
a drive"."""
import json
from pathlib import Path
from typing import Any

from .errors import UserError

_PATTERNS = {"read": ("sequential", 1), "write": ("sequential", 0), "randread": ("random", 1), "randwrite": ("random", 0)}
_FROM_HERE_MB_PER_S = 64 * 1024  # bytes per request
_PERCENTILES = {"p50_us": "50.000000", "p99_us": "99.000000", "p999_us": "99.900000"}
_UNITS = {"": 1, "k": 1024, "m": 1024**2}


class _Job:
    """A job of the JSON. Appends to `mistakes` the reasons why it cannot be a test of a drive."""

    def __init__(self, entry: dict[str, Any], shared: dict[str, str], mistakes: list[str]):
        options = {**shared, **entry.get("job options", {})}
        self.name, self.entry = entry.get("jobname", "?"), entry
        self.rw, self.bs = options.get("rw", options.get("readwrite", "read")), options.get("bs", "4k").lower()
        self.jobs = int(options.get("numjobs", 1))
        self.depth = int(options.get("iodepth", 1)) * self.jobs

        def require(holds: bool, what: str) -> None:
            if not holds:
                mistakes.append(f"job {self.name}: {what}")

        require(self.rw in _PATTERNS, f"found rw={self.rw}; allowed: {', '.join(_PATTERNS)}")
        require(self.bs.rstrip("km").isdigit() and self.bs.lstrip("0123456789") in _UNITS,
                f"found bs={self.bs}; allowed: one size, such as 4k")
        require(options.get("direct") in ("1", ""),
                "found buffered requests; allowed: direct=1, otherwise the page cache is measured")
        require(entry.get("error", 0) == 0, f"found error {entry.get('error')}; allowed: 0")

    @property
    def side(self) -> dict[str, Any]:
        return self.entry["read" if _PATTERNS[self.rw][1] else "write"]

    @property
    def bytes(self) -> int:
        digits = self.bs.rstrip("km")
        return int(digits) * _UNITS[self.bs[len(digits):]]

    @property
    def test(self) -> tuple[str, str]:
        """Name and load."""
        pattern, read = _PATTERNS[self.rw]
        load = f"{pattern},read={read},size={self.bs}"
        if pattern == "random" and self.bytes > 4096:
            load += f",align={self.bs}"
        if pattern == "sequential" and self.jobs > 1:
            load += f",streams={self.jobs}"
        return f"{pattern}-{'read' if read else 'write'}-{self.bs}", load

    def figures(self) -> dict[str, float]:
        """Values by the names of tb_gallery's columns."""
        side = self.side
        by_bytes = self.bytes >= _FROM_HERE_MB_PER_S
        found = {"mb_per_s" if by_bytes else "iops": side["bw_bytes"] / 1e6 if by_bytes else side["iops"]}
        latency = side.get("clat_ns", {})
        if latency.get("mean"):
            found["mean_us"] = latency["mean"] / 1e3
            percentiles = latency.get("percentile", {})
            found |= {name: percentiles[key] / 1e3 for name, key in _PERCENTILES.items() if key in percentiles}
        return found


def campaign(path: str | Path, host: str = "my-pc", precondition: str = "fill=1,random=0") -> str:
    """The text of the file. The arguments give what fio does not know: the host's name (a file host-NAME.toml),
    and the state of the drive in every test, in the form of --precondition. Raises UserError with all
    mistakes."""
    path = Path(path)
    try:
        text = path.read_text()
        found = json.loads(text[text.index("{"):])  # fio may print something before
        entries, shared = found["jobs"], found.get("global options", {})
    except OSError as error:
        raise UserError(f"{path}: found no result of fio: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: found no result of fio; allowed: what fio --output-format=json wrote") from error
    mistakes: list[str] = []
    tests: dict[tuple[str, str], dict[int, _Job]] = {}
    jobs = [_Job(each, shared, mistakes) for each in entries]
    if not jobs:
        mistakes.append("found no jobs; allowed: one or more")
    if not mistakes:
        for job in jobs:
            other = tests.setdefault(job.test, {}).setdefault(job.depth, job)
            if other is not job:
                mistakes.append(f"job {job.name}: found {job.test[0]} at depth {job.depth} once more, as {other.name}; "
                                "allowed: each once, and numjobs with group_reporting")
    if mistakes:
        raise UserError([f"{path}: {each}" for each in mistakes])
    lines = [f"# Of {path.name}. How the drive was prepared fio does not know: see `precondition`.", "",
             f'host = "{host}"', f'source = "{found.get("fio version", "fio")}, {path.name}"']
    if "time" in found:
        lines.append(f'date = "{found["time"]}"')
    lines += ['latency = "completion"', *_host_times(path, tests)]
    for (name, load), by_depth in tests.items():
        lines += _test(name, load, precondition, by_depth)
    return "\n".join(lines) + "\n"


def _test(name: str, load: str, precondition: str, by_depth: dict[int, _Job]) -> list[str]:
    rows = [{"depth": depth, **job.figures()} for depth, job in sorted(by_depth.items())]
    columns = [each for each in rows[0] if all(each in row for row in rows)]
    lines = ["", "[[test]]", f'name = "{name}"', f'load = "{load}"']
    if precondition:
        lines.append(f'precondition = "{precondition}"')
    if ",read=0" in load:
        lines += ["warm_up_writes = 0.2", "writes = 0.1"]
    listed = ", ".join(f'"{each}"' for each in columns)
    return [*lines, f"columns = [{listed}]", "figures = [",
            *(f"    [{', '.join(f'{row[each]:.7g}' for each in columns)}]," for row in rows), "]"]


def _host_times(path: Path, tests: dict[tuple[str, str], dict[int, _Job]]) -> list[str]:
    """The host's processor time per command, from the deepest queue of one job: there, a processor that waits
    for nothing else shows its full time per command."""
    jobs = [job for by_depth in tests.values() for job in by_depth.values()
            if job.jobs == 1 and job.bytes < _FROM_HERE_MB_PER_S and job.side.get("slat_ns", {}).get("mean")]
    if not jobs:
        return []
    job = max(jobs, key=lambda each: (each.depth, each.side["iops"]))
    share = job.entry.get("usr_cpu", 0) + job.entry.get("sys_cpu", 0)
    submit = job.side["slat_ns"]["mean"] / 1e3
    period = 1e6 / job.side["iops"]
    complete = max(0.0, share / 100 * period - submit)
    figure = f"{path.resolve().parent.name}/{path.stem}/{job.test[0]}/{job.depth}/iops"
    return ["", "[values]",
            f'"host.submit_time" = {{ is = "{submit * 1e3:.0f}ns", derived = "fio\'s submission latency, job {job.name}", '
            'mechanism = "host_time" }',
            f'"host.complete_time" = {{ is = "{complete * 1e3:.0f}ns", derived = "fio: {share:.1f} % of a processor, of '
            f'{period:.2f} us per command, less the submission, job {job.name}", figures = ["{figure}"], '
            'mechanism = "host_time" }']
