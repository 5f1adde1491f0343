# SPDX-License-Identifier: Apache-2.0
"""The measurements of a run: result.json with attributes, tables and plots."""
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import plots, programs
from .errors import UserError, public
from .explore import metrics
from .explore.mistakes import did_you_mean
from .table import Table, framed

kOperations = ("read", "write", "trim", "flush")


class Section(Mapping):
    """A part of a result: fields as attributes and by name, dotted names through several parts.

    >>> section = Section({"latency_us": {"p99": 340.0}, "gc.victims": 3})
    >>> section.latency_us.p99, section["latency_us.p99"], section["gc.victims"]
    (340.0, 340.0, 3)
    >>> section["latency_us.p9"]
    Traceback (most recent call last):
    KeyError: 'no latency_us.p9; did you mean latency_us.p99?'
    """

    def __init__(self, values: dict[str, Any]):
        self._values = values

    def _find(self, name: str) -> Any:
        """Raises KeyError."""
        if name in self._values:
            return self._values[name]
        for at in (at for at, letter in enumerate(name) if letter == "."):
            inner = self._values.get(name[:at])
            if isinstance(inner, dict):
                return Section(inner)._find(name[at + 1:])
        raise KeyError(name)

    def __getitem__(self, name: str) -> Any:
        try:
            found = self._find(name)
        except KeyError:
            known = [*self._values, *metrics.flatten(self._values)]
            raise KeyError(f"no {name}" + (did_you_mean(name, known)
                                           or f"; there are {', '.join(self._values)}")) from None
        return Section(found) if isinstance(found, dict) else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._values if name.isidentifier())]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return self._values

    def __repr__(self) -> str:
        return json.dumps(self._values, indent=1)


class Result(Section):
    """A result (docs/result.md). Beside its own fields there are short names, those of the explorer: throughput, iops,
    mean, p50, p95, p99, p99.9, worst, read_mean, write_mean, read_p99, write_p99, read_p999, write_p999, wa, erases.

    `command`: that gives it again; `folder`: where its files are, None where they were not kept.
    """

    def __init__(self, values: dict[str, Any], command: list[str] | None = None, folder: Path | None = None):
        super().__init__(values)
        self.command, self.folder = command, folder

    def __getitem__(self, name: str) -> Any:
        name = metrics.spelt(name)
        return super().__getitem__(metrics.kShort[name][0] if name in metrics.kShort else name)

    @property
    def metrics(self) -> dict[str, Any]:
        """All numbers by dotted names, as in formulas of the explorer."""
        return metrics.of_result(self._values)

    @property
    def ledger(self) -> Table:
        """Where the time of a command went, in us on average: one row per stage, with columns for all commands,
        for each kind, and for the slowest percent."""
        found = self._values.get("ledger", {})
        columns = {"all": found.get("stages_us", {}), **found.get("by_operation", {}),
                   "slowest": found.get("slowest", {}).get("stages_us", {})}
        columns = {name: stages for name, stages in columns.items() if stages}
        return Table([{"stage": stage, **{name: stages.get(stage) for name, stages in columns.items()}}
                      for stage in columns.get("all", {})])

    @property
    def latency(self) -> Table:
        """For all commands and for each kind: count, MB/s, IOPS, and the latency in us."""
        host = self._values.get("host", {})
        parts = {"all": {**host, "count": host.get("completed")},
                 **{name: host[name] for name in kOperations if host.get(name, {}).get("count")}}
        return Table([{"operation": name, "count": part["count"], "failed": part.get("failed"),
                       "mb_per_s": part["mb_per_s"], "iops": part["iops"], **part["latency_us"]}
                      for name, part in parts.items() if "latency_us" in part])

    @property
    def distribution(self) -> Table:
        """How many commands of each kind took how long: one row per class of latencies."""
        found = self._values.get("latency_distribution", {})
        edges, counts = found.get("edges_us", []), found.get("counts", {})
        return Table([{"from_us": low, "to_us": high, **{name: counts[name][at] for name in counts}}
                      for at, (low, high) in enumerate(zip(edges, edges[1:]))])

    @property
    def series(self) -> Table:
        """The course of the run: one row per interval."""
        found = self._values.get("series", {})
        edges = found.get("time_us", [])
        columns = {"from_us": edges[:-1], "to_us": edges[1:],
                   **{name: values for name, values in _lists(found) if len(values) == len(edges) - 1}}
        return Table([dict(zip(columns, row)) for row in zip(*columns.values())])

    def commands(self) -> Table:
        """A row for every command of the host: what it was, when it arrived, started and ended, and its time in each
        stage, in picoseconds (docs/commands.md). The run is repeated for it, unless it wrote such a table itself:
        `commands="FILE.csv"` or `"FILE.parquet"` of run().

        >>> import solidtlm as st
        >>> commands = st.run(preset="tiny", workload="random,read=0.7,count=500").commands()
        >>> len(commands), commands.names[:5]
        (500, ['number', 'request', 'operation', 'lba', 'sectors'])
        """
        return self._recorded("commands")

    def decisions(self) -> Table:
        """A row for each decision of the firmware: what it collected, destaged, merged, retired, ..., when and why
        (docs/decisions.md). As commands().

        >>> import solidtlm as st
        >>> decisions = st.run(preset="tiny", workload="random,read=0,count=500").decisions()
        >>> decisions.names[:3], set(decisions["decision"])
        (['at_ps', 'decision', 'why'], {'destage'})
        """
        return self._recorded("decisions")

    def _recorded(self, what: str) -> Table:
        if self.command is None and self.folder is None:
            raise UserError("found a result without a command and a folder; allowed: of run(), sweep() or load()")
        return programs.table_of(self.command or [self["scenario"], "--rerun", str(self.folder / "result.json")], what)

    @property
    def limits(self) -> list[tuple[str, float]]:
        """The stages in which commands spent most time, with their shares."""
        return metrics.limits_of(self._values)

    @property
    def points(self) -> list["Result"]:
        """For a study or a comparison, the results of its points."""
        return [Result(each["result"]) for each in self._values.get("points", []) if "result" in each]

    def plot(self) -> Any:
        """The ledger, the latency distribution and the throughput over time, as a matplotlib figure."""
        return plots.of_result(self.ledger, self.distribution, self.series)

    def report(self) -> str:
        """The text of report.html. Raises FileNotFoundError if it was not kept."""
        if self.folder is None or not (self.folder / "report.html").is_file():
            raise FileNotFoundError("this result has no report.html; st.run() gives results that have one")
        return (self.folder / "report.html").read_text()

    def save(self, path: str | Path) -> None:
        """Writes result.json."""
        Path(path).write_text(json.dumps(self._values))

    def __repr__(self) -> str:
        return f"{' '.join(self.command or [])}\n{self.latency!r}".lstrip()

    def _repr_html_(self) -> str:
        try:
            return framed(self.report())
        except FileNotFoundError:
            return self.latency._repr_html_()


def _lists(values: dict, prefix: str = "") -> Iterator[tuple[str, list]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _lists(value, f"{prefix}{name}.")
        elif isinstance(value, list) and not any(isinstance(each, (list, dict)) for each in value):
            yield prefix + name, value


@public
def load(path: str | Path) -> Result:
    """A result of an earlier run: result.json, or its folder. Raises UserError.

    >>> load("result.jsn")
    Traceback (most recent call last):
    solidtlm.errors.UserError: result.jsn: found no result: No such file or directory
    """
    path = Path(path)
    path = path / "result.json" if path.is_dir() else path
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: found no result: {error.strerror}") from error
    except ValueError as error:  # also of bytes that are no text
        raise UserError(f"{path}: found no JSON; allowed: a result.json") from error
    if not isinstance(found, dict) or "scenario" not in found:
        raise UserError(f"{path}: found JSON of another kind; allowed: a result.json")
    return Result(found, folder=path.parent)
