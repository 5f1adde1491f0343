# SPDX-License-Identifier: Apache-2.0
"""SNIA's Solid State Storage Performance Test Specification: judges the rounds that tb_pts has measured, and makes the
reports (docs/pts.md).

    from solidtlm.studies import pts
    found = pts.Report("out")
    print(found.text()); found["iops"].matrix(); found["iops"].figures()["2d"]
"""
import argparse
import csv
import html
import io
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import places, plots
from ..errors import UserError
from ..explore import units
from ..results import Result, load
from ..table import Table, wanted

kWindow = 5  # rounds
kMostRange = 0.20  # largest minus smallest value of the window, as a share of its average
kMostSlope = 0.10  # change of the least-squares line over the window, as a share of the average

kTitles = {"iops": "IOPS", "throughput": "Throughput", "latency": "Latency", "saturation": "Write saturation"}
_QUANTITIES = {"iops": "iops", "throughput": "mb_per_s", "latency": "mean_us", "saturation": "iops"}
_LABELS = {"iops": "IOPS", "mb_per_s": "MB/s", "mean_us": "average latency, us", "max_us": "maximum latency, us"}
# The cells that are tracked, (block_bytes, read_percent); of throughput, the writes of each block size.
_TRACKED = {"iops": [(4096, 0), (65536, 65), (1048576, 100)], "latency": [(4096, 0)]}


class Window(NamedTuple):
    """A value over the rounds of a window, by the criterion."""
    average: float
    range: float  # as a share of the average, as is `slope`
    slope: float
    per_round: float  # of the least-squares line

    @property
    def steady(self) -> bool:
        return self.range <= kMostRange and abs(self.slope) <= kMostSlope


def window(values: Sequence[float]) -> Window:
    """Judges the values of a window.

    >>> window([100, 104, 98, 102, 96])
    Window(average=100.0, range=0.08, slope=-0.04, per_round=-1.0)
    >>> window([92, 96, 100, 104, 108]).steady  # slope 16 %
    False
    """
    count, average = len(values), sum(values) / len(values)
    middle = (count - 1) / 2
    per_round = sum((at - middle) * value for at, value in enumerate(values)) / \
        sum((at - middle) ** 2 for at in range(count))
    return Window(average, (max(values) - min(values)) / average, per_round * (count - 1) / average, per_round)


class Test:
    """A test on one drive: `facts` about it, and `cells`, a frame with a row for each cell of each round."""

    def __init__(self, name: str, facts: dict[str, Any], cells: Any):
        self.name, self.facts, self.cells = name, facts, cells
        self.quantity = _QUANTITIES[name]
        self.rounds = int(cells["round"].max())
        self.blocks = sorted(int(each) for each in cells["block_bytes"].unique())
        self.reads = sorted(int(each) for each in cells["read_percent"].unique())
        self.tracked = self._tracked()
        self.last, self.steady = self._steady_round()

    @property
    def title(self) -> str:
        return kTitles[self.name] + (f", {block_name(self.blocks[0])}" if self.name == "throughput" else "")

    def _tracked(self) -> list[tuple[int, int]]:
        if self.name == "saturation":
            return []
        here = [(block, reads) for block in self.blocks for reads in self.reads]
        named = [(block, 0) for block in self.blocks] if self.name == "throughput" else _TRACKED[self.name]
        return [each for each in named if each in here] or here

    def values(self, block: int, reads: int) -> Any:
        """The quantity of a cell, by round."""
        rows = self.cells[(self.cells["block_bytes"] == block) & (self.cells["read_percent"] == reads)]
        return rows.set_index("round")[self.quantity]

    def window_at(self, last: int, block: int, reads: int) -> Window:
        """The window that ends with this round."""
        return window(list(self.values(block, reads).loc[last - kWindow + 1:last]))

    def _steady_round(self) -> tuple[int, bool]:
        """The last round of the first steady window, or of all; and whether it is steady."""
        for last in range(kWindow, self.rounds + 1):
            if self.tracked and all(self.window_at(last, *cell).steady for cell in self.tracked):
                return last, True
        return self.rounds, False

    @property
    def first(self) -> int:
        """First round of the measurement window."""
        return max(1, self.last - kWindow + 1)

    def measured(self) -> Any:
        """The average of each cell over the measurement window, a frame; the largest of the maximum latencies."""
        rows = self.cells[self.cells["round"].between(self.first, self.last)]
        names = ["iops", "mb_per_s", "mean_us", "p99_us", "p999_us", "max_us"]
        how = {name: "max" if name == "max_us" else "mean" for name in names}
        return rows.groupby(["block_bytes", "read_percent"], as_index=False).agg(how)

    def matrix(self, quantity: str | None = None) -> Any:
        """Block sizes x percentages of reads, over the measurement window."""
        return self.measured().pivot(index="block_bytes", columns="read_percent", values=quantity or self.quantity)

    def matrix_table(self, quantity: str) -> Table:
        frame = self.matrix(quantity)
        return Table([{"block": block_name(block), **{mix_name(reads): float(frame.at[block, reads])
                                                       for reads in frame.columns}} for block in frame.index])

    def verdict(self) -> str:
        if self.name == "saturation":
            written = self.cells["written_bytes"].sum() / self.facts["range_bytes"]
            return f"{self.rounds} rounds, {written:.2f} times the active range written"
        rounds = f"rounds {self.first} to {self.last}"
        if self.steady:
            return f"steady in {rounds}"
        return f"not steady in {self.rounds} rounds; {rounds} are shown"

    def windows(self) -> Table:
        """The tracking variables over the measurement window."""
        rows = []
        for block, reads in self.tracked if self.last >= kWindow else []:
            found = self.window_at(self.last, block, reads)
            rows.append({"tracked": f"{block_name(block)} {mix_name(reads)}", "average": found.average,
                         "range %": 100 * found.range, "slope %": 100 * found.slope, "per round": found.per_round,
                         "steady": "yes" if found.steady else "no"})
        return Table(rows)

    def deviations(self) -> list[str]:
        return [each for each in self.facts["deviations"].split("; ") if each]

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Titles and tables, in the order of the report."""
        if self.name == "saturation":
            yield "Course", self.course()
            return
        names = {"latency": ["mean_us", "max_us"], "throughput": ["mb_per_s"]}.get(self.name, [self.quantity])
        for name in names:
            yield f"{_LABELS[name]}, reads/writes in %", self.matrix_table(name)
        yield "Measurement window: at most 20 % of range, 10 % of slope", self.windows()

    def course(self, rows: int = 20) -> Table:
        """Saturation: some rounds, over time and over fills of the active range."""
        frame = self._over_time()
        step = max(1, len(frame) // rows)
        return Table([{"minutes": row.minutes, "fills": row.fills, "IOPS": row.iops, "mean us": row.mean_us,
                       "max us": row.max_us, "WA": row.write_amplification}
                      for row in frame.iloc[::-1].iloc[::step].iloc[::-1].itertuples()])

    def _over_time(self) -> Any:
        frame = self.cells.sort_values("round")
        return frame.assign(minutes=(frame["begin_s"] + frame["seconds"]) / 60,
                            fills=frame["written_bytes"].cumsum() / self.facts["range_bytes"])

    def figures(self) -> dict[str, Any]:
        """The figures of the report, by name."""
        if self.name == "saturation":
            frame = self._over_time()
            figure, axes = plots.new_figure(15, 4.5, 3)
            for at, x, quantity in zip(axes, ("minutes", "fills", "fills"), ("iops", "iops", "mean_us")):
                at.plot(frame[x], frame[quantity])
                at.set(xlabel={"minutes": "minutes", "fills": "times the active range was written"}[x],
                       ylabel=_LABELS[quantity], ylim=(0, None))
            return {"saturation": figure}
        found = {"convergence": self._convergence()}
        if self.last >= kWindow:
            found["window"] = self._verification()
        if self.name != "throughput" and len(self.blocks) * len(self.reads) > 1:
            found["2d"], found["3d"] = self._lines(), self._bars()
        return found

    def _convergence(self) -> Any:
        """The tracked quantity over all rounds: of IOPS and latency the writes, of throughput both directions."""
        figure, (axes,) = plots.new_figure(7, 4.5, 1)
        for reads in self.reads if self.name == "throughput" or 0 not in self.reads else [0]:
            for block in self.blocks:
                values = self.values(block, reads)
                axes.plot(values.index, values, marker="o", label=f"{block_name(block)} {mix_name(reads)}")
        axes.axvspan(self.first, self.last, alpha=0.1)
        axes.set(title=f"{self.title}: steady state convergence", xlabel="round", ylabel=_LABELS[self.quantity],
                 ylim=(0, None))
        axes.legend(fontsize="small")
        return figure

    def _verification(self) -> Any:
        """The tracking variables in the measurement window, with the bounds of the criterion."""
        figure, axes = plots.new_figure(5 * len(self.tracked), 4.5, len(self.tracked))
        for at, (block, reads) in zip(axes, self.tracked):
            found, rounds = self.window_at(self.last, block, reads), list(range(self.first, self.last + 1))
            at.plot(rounds, self.values(block, reads).loc[self.first:self.last], "o", label="measured")
            at.plot(rounds, [found.average] * kWindow, label="average")
            for share in (0.9, 1.1):
                at.plot(rounds, [share * found.average] * kWindow, "--", color="grey", label=f"{share:.0%}")
            line = [found.average + found.per_round * (each - kWindow // 2) for each in range(kWindow)]
            at.plot(rounds, line, label="best linear fit")
            at.set(title=f"{block_name(block)} {mix_name(reads)}", xlabel="round", ylabel=_LABELS[self.quantity])
            at.legend(fontsize="small")
        return figure

    def _lines(self) -> Any:
        frame = self.matrix()
        figure, (axes,) = plots.new_figure(7, 4.5, 1)
        for reads in frame.columns:
            axes.plot(frame.index / 1024, frame[reads], marker="o", label=mix_name(reads))
        axes.set(title=f"{self.title}: block sizes and mixes", xlabel="block size, KiB", xscale="log", yscale="log",
                 ylabel=_LABELS[self.quantity])
        axes.legend(fontsize="small")
        return figure

    def _bars(self) -> Any:
        frame = self.matrix()
        figure, (axes,) = plots.new_figure(8, 6, 1, projection="3d")
        for y, reads in enumerate(frame.columns):
            axes.bar3d(range(len(frame.index)), [y] * len(frame.index), 0, 0.6, 0.6, list(frame[reads]), shade=True)
        axes.set_xticks(range(len(frame.index)), [block_name(block) for block in frame.index])
        axes.set_yticks(range(len(frame.columns)), [mix_name(reads) for reads in frame.columns])
        axes.set(title=f"{self.title}: block sizes and mixes", zlabel=_LABELS[self.quantity])
        return figure


class Report:
    """What a result of tb_pts says. `result`: a folder, a file, or a Result; `beside`: what was published of a real
    drive (docs/pts.md)."""

    def __init__(self, result: str | Path | Result, beside: str | Path | None = None):
        self.result = result if isinstance(result, Result) else load(result)
        if self.result["scenario"] != "tb_pts":
            raise UserError(f"found a result of {self.result['scenario']}; allowed: of tb_pts")
        self.tests = list(_tests_of(self.result))
        self.published = read_published(beside) if beside is not None else []
        self.beside_name = str(beside)

    def __getitem__(self, name: str) -> Test:
        """A test by its name; of throughput, the one with the largest blocks."""
        for test in self.tests:
            if test.name == name:
                return test
        raise KeyError(f"no {name}; there are {', '.join(test.name for test in self.tests)}")

    def comparison(self) -> Table:
        """Published figures beside those of the drive."""
        rows = []
        for figure in self.published:
            for test in self.tests:
                known = test.measured() if test.name == figure["test"] else None
                if known is None:
                    continue
                cell = known[(known["block_bytes"] == figure["block"]) & (known["read_percent"] == figure["read"])]
                if len(cell):
                    here = float(cell.iloc[0][figure["metric"]])
                    rows.append({"test": test.name, "cell": f"{block_name(figure['block'])} {mix_name(figure['read'])}",
                                 "metric": figure["metric"], "published": float(figure["value"]), "here": here,
                                 "difference %": 100 * (here / figure["value"] - 1)})
        return Table(rows)

    def sections(self) -> Iterator[tuple[str, str, list[tuple[str, Table]], list[str]]]:
        """Title, verdict, tables and deviations of each test."""
        for test in self.tests:
            yield test.title, test.verdict(), list(test.tables()), test.deviations()

    def text(self) -> str:
        parts = []
        for title, verdict, tables, deviations in self.sections():
            parts.append(f"{title}: {verdict}")
            parts += [f"\n{name}\n{table!r}" for name, table in tables]
            parts.append("\nDeviations from the specification" + "".join(f"\n- {each}" for each in deviations) + "\n")
        if self.published:
            parts.append(f"Beside {self.beside_name}\n{self.comparison()!r}\n")
        return "\n".join(parts)

    def page(self) -> str:
        """A self-contained HTML page, with the figures if matplotlib is there."""
        body = ""
        for test, (title, verdict, tables, deviations) in zip(self.tests, self.sections()):
            body += f"<h2>{html.escape(title)}</h2><p>{html.escape(verdict)}</p>"
            body += "".join(f"<h3>{html.escape(name)}</h3>{table._repr_html_()}" for name, table in tables)
            body += "".join(_svg(figure) for figure in test.figures().values())
            body += "<h3>Deviations from the specification</h3><ul>" + \
                "".join(f"<li>{html.escape(each)}</li>" for each in deviations) + "</ul>"
        if self.published:
            body += f"<h2>Beside {html.escape(self.beside_name)}</h2>{self.comparison()._repr_html_()}"
        return ("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>SNIA PTS</title><style>"
                + places.page_style() + "</style></head><body><main><h1>Performance Test Specification</h1>"
                + body + "</main></body></html>")


def block_name(block: int) -> str:
    """
    >>> block_name(512), block_name(131072)
    ('0.5 KiB', '128 KiB')
    """
    return f"{block / 1024:g} KiB"


def mix_name(reads: int) -> str:
    """Reads and writes, as the specification writes a mix.

    >>> mix_name(65)
    '65/35'
    """
    return f"{reads}/{100 - reads}"


def _tests_of(result: Result) -> Iterator[Test]:
    pandas = wanted("pandas", "a report of the Performance Test Specification", "frames")
    facts: dict[str, Any] | None = None
    rows: list[dict[str, Any]] = []
    for point in [*result["points"], None]:
        if point is not None and "round" in point["parameters"]:
            rows.append({**point["parameters"], **point["derived"]})
            continue
        if facts is not None and rows:
            yield Test(facts["test"], facts, pandas.DataFrame(rows))
        facts, rows = ({**point["parameters"], **point["derived"]} if point else None), []


def read_published(path: str | Path) -> list[dict[str, Any]]:
    """Figures of a real drive: test, block, read, metric, value. `path`: a CSV table, or a campaign of a drive's folder
    (TOML). Raises UserError."""
    path = Path(path)
    try:
        text = path.read_text()
        found = list(_of_campaign(tomllib.loads(text)) if path.suffix == ".toml" else _of_table(text))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (KeyError, ValueError) as error:
        raise UserError(f"{path}: found {error}; allowed: a table with test, block, read and iops, mb_per_s or mean_us, "
                        "or a campaign of the gallery") from error
    if not found:
        raise UserError(f"{path}: found no figure of the tests; allowed: {', '.join(_QUANTITIES)}")
    return found


def _of_table(text: str) -> Iterator[dict[str, Any]]:
    for row in csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")):
        block = _bytes_of(row["block"])
        for metric in _LABELS:
            if row.get(metric):
                yield {"test": row["test"], "block": block, "read": int(row["read"]), "metric": metric,
                       "value": float(row[metric])}


def _of_campaign(campaign: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tests with one block size whose load is a cell: random at depth 32 or above is IOPS, at 1 is latency."""
    for test in campaign["test"]:
        pattern, *parts = test["load"].split(",")
        keys = dict(part.split("=", 1) for part in parts)
        if pattern not in ("random", "sequential") or not {"read", "size"} <= keys.keys():
            continue
        for figures in test.get("figures", []):
            row = dict(zip(test["columns"], figures))
            name = "throughput" if pattern == "sequential" else "latency" if row.get("depth") == 1 else "iops"
            metric = _QUANTITIES[name]
            if isinstance(row.get(metric), (int, float)) and (name == "latency" or row.get("depth", 0) >= 32):
                yield {"test": name, "block": _bytes_of(keys["size"]), "read": round(100 * float(keys["read"])),
                       "metric": metric, "value": row[metric]}


def _bytes_of(text: str) -> int:
    """
    >>> _bytes_of("4k"), _bytes_of("128KiB"), _bytes_of("512")
    (4096, 131072, 512)
    """
    bare = text[-1:].lower() in ("k", "m")
    found = units.quantity(text + "iB" if bare else text)
    if not isinstance(found, int):
        raise ValueError(text)
    return found


def _svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg")
    return out.getvalue()[out.getvalue().index("<svg"):]


def main(arguments: list[str]) -> int:
    """`solidtlm study pts OUT`: prints the report, and writes it as a page beside the result."""
    parser = argparse.ArgumentParser(prog="solidtlm study pts", description="The report of a result of tb_pts.")
    parser.add_argument("folder", metavar="OUT", help="where result.json is")
    parser.add_argument("--beside", metavar="FILE", help="figures of a real drive: CSV, or a campaign of the gallery")
    parser.add_argument("--no-page", action="store_true", help="print alone")
    options = parser.parse_args(arguments)
    found = Report(options.folder, options.beside)
    print(found.text(), end="")
    if not options.no_page:
        (Path(options.folder) / "pts.html").write_text(found.page())
    return 0
