# SPDX-License-Identifier: Apache-2.0
"""Converts fio's measurements (--output-format=json) to a file in a drive's folder: docs/real-drives.md, "To add
a drive"."""
from pathlib import Path

from .errors import UserError
from .fio_jobs import Job, read_results

_FROM_HERE_MB_PER_S = 64 * 1024  # bytes per request


def _name(job: Job) -> str:
    load = job.load
    kind = "read" if load.read == 1 else "write" if load.read == 0 else f"read{100 * load.read:g}"
    return f"{load.pattern}-{kind}-{load.size}"


def _figures(job: Job) -> dict[str, float]:
    """Values by the names of tb_gallery's columns; of a mixed load, of reads and writes together."""
    by_bytes = job.load.bytes >= _FROM_HERE_MB_PER_S
    found = {"mb_per_s": job.mb_per_s} if by_bytes else {"iops": job.iops}
    mean = job.mean_us("clat_ns")
    return found if mean is None else {**found, "mean_us": mean, **job.percentiles_us()}


def campaign(path: str | Path, host: str = "my-pc", precondition: str = "fill=1,random=0") -> str:
    """The text of the file. The arguments give what fio does not know: the host's name (a file host-NAME.toml),
    and the state of the drive in every test, in the form of --precondition. Raises UserError with all
    mistakes."""
    path = Path(path)
    results = read_results(path)
    mistakes = [f"job {job.name}: {each}" for job in results.jobs for each in job.mistakes]
    tests: dict[tuple[str, str], dict[int, Job]] = {}
    if not results.jobs:
        mistakes.append("found no jobs; allowed: one or more")
    if not mistakes:
        for job in results.jobs:
            test, depth = (_name(job), job.load.workload), job.load.depth
            other = tests.setdefault(test, {}).setdefault(depth, job)
            if other is not job:
                mistakes.append(f"job {job.name}: found {test[0]} at depth {depth} once more, as {other.name}; "
                                "allowed: each once, and numjobs with group_reporting")
    if mistakes:
        raise UserError([f"{path}: {each}" for each in mistakes])
    lines = [f"# Of {path.name}. How the drive was prepared fio does not know: see `precondition`.", "",
             f'host = "{host}"', f'source = "{results.about.get("fio version", "fio")}, {path.name}"']
    if "time" in results.about:
        lines.append(f'date = "{results.about["time"]}"')
    lines += ['latency = "completion"', *_host_times(path, tests)]
    for (name, load), by_depth in tests.items():
        lines += _test(name, load, precondition, by_depth)
    return "\n".join(lines) + "\n"


def _test(name: str, load: str, precondition: str, by_depth: dict[int, Job]) -> list[str]:
    rows = [{"depth": depth, **_figures(job)} for depth, job in sorted(by_depth.items())]
    columns = [each for each in rows[0] if all(each in row for row in rows)]
    lines = ["", "[[test]]", f'name = "{name}"', f'load = "{load}"']
    if precondition:
        lines.append(f'precondition = "{precondition}"')
    if any(job.load.read < 1 for job in by_depth.values()):
        lines += ["warm_up_writes = 0.2", "writes = 0.1"]
    listed = ", ".join(f'"{each}"' for each in columns)
    return [*lines, f"columns = [{listed}]", "figures = [",
            *(f"    [{', '.join(f'{row[each]:.7g}' for each in columns)}]," for row in rows), "]"]


def _host_times(path: Path, tests: dict[tuple[str, str], dict[int, Job]]) -> list[str]:
    """The host's processor time per command, from the deepest queue of one job: there, a processor that waits
    for nothing else shows its full time per command."""
    jobs = [job for by_depth in tests.values() for job in by_depth.values()
            if job.load.jobs == 1 and job.load.bytes < _FROM_HERE_MB_PER_S and job.mean_us("slat_ns")]
    if not jobs:
        return []
    job = max(jobs, key=lambda each: (each.load.depth, each.iops))
    share, submit, period = job.processor_share, job.mean_us("slat_ns"), 1e6 / job.iops
    complete = max(0.0, share * period - submit)
    figure = f"{path.resolve().parent.name}/{path.stem}/{_name(job)}/{job.load.depth}/iops"
    return ["", "[values]",
            f'"host.submit_time" = {{ is = "{submit * 1e3:.0f}ns", derived = "fio\'s submission latency, job {job.name}", '
            'mechanism = "host_time" }',
            f'"host.complete_time" = {{ is = "{complete * 1e3:.0f}ns", derived = "fio: {100 * share:.1f} % of a processor, of '
            f'{period:.2f} us per command, less the submission, job {job.name}", figures = ["{figure}"], '
            'mechanism = "host_time" }']
