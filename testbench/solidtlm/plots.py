# SPDX-License-Identifier: Apache-2.0
"""Plots by matplotlib, which is imported only here, when a plot is requested."""
import io
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from .table import Table, wanted

kLeastShare = 0.005  # share of a ledger's bar; smaller stages are not named


def new_figure(width: float, height: float, axes: int, **kind: Any) -> tuple[Any, Any]:
    """A figure with axes side by side, of a `kind` such as projection="3d". It is none of pyplot: it disappears with
    its last user and needs no display."""

    class Shown(wanted("matplotlib.figure", "a plot", "plot").Figure):
        def _repr_png_(self) -> bytes:
            """For notebooks, which otherwise only show figures of pyplot."""
            out = io.BytesIO()
            self.savefig(out, format="png")
            return out.getvalue()

    figure = Shown(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, axes, squeeze=False, subplot_kw=kind)[0]


def of_result(ledger: Table, distribution: Table, series: Table) -> Any:
    """Plots these tables of a result side by side."""
    figure, (first, second, third) = new_figure(15, 4.5, 3)
    _ledger(first, ledger)
    _distribution(second, distribution)
    _series(third, series)
    return figure


def _ledger(axes: Any, table: Table) -> None:
    columns = [name for name in table.names if name != "stage"]
    bottom = [0.0] * len(columns)
    most = max((sum(table[name]) for name in columns), default=0.0)
    for row in table:
        values = [row[name] for name in columns]
        if max(values) > kLeastShare * most:
            axes.bar(columns, values, bottom=bottom, label=row["stage"])
        bottom = [low + value for low, value in zip(bottom, values)]
    axes.set(title="Where the time of a command went", ylabel="us on average")
    if most:
        axes.legend(fontsize="small")


def _distribution(axes: Any, table: Table) -> None:
    """The share of commands that took longer, because tails matter most."""
    for name in table.names[2:]:
        counts = table[name]
        total = sum(counts)
        if total:
            longer = [1 - sofar / total for sofar in itertools.accumulate(counts)]
            axes.step(table["to_us"], longer, where="post", label=name)
    axes.set(title="Commands that took longer", xlabel="us", ylabel="share", xscale="log", yscale="log")
    if axes.lines:
        axes.legend()


def _series(axes: Any, table: Table) -> None:
    for name in table.names:
        if name.endswith(".bytes") and any(table[name]):
            speeds = [row[name] / (row["to_us"] - row["from_us"]) for row in table]  # bytes per us
            axes.plot([row["to_us"] / 1000 for row in table], speeds, label=name.split(".")[-2])
    axes.set(title="Throughput", xlabel="ms", ylabel="MB/s", ylim=(0, None))
    if axes.lines:
        axes.legend()


def of_sweep(space: Mapping[str, list], rows: Table, metric: str, values: Sequence[Any]) -> Any:
    """The metric over the first name of a space, with one line for each combination of the others."""
    figure, (axes,) = new_figure(7, 4.5, 1)
    first, *others = space
    lines: dict[str, list[tuple[Any, Any]]] = {}
    for row, value in zip(rows, values):
        name = ", ".join(f"{each.rsplit('.', 1)[-1]} {row[each]}" for each in others)
        lines.setdefault(name, []).append((row[first], value))
    numbers = all(isinstance(value, (int, float)) for value in space[first])
    for name, points in lines.items():
        known = [(x if numbers else str(x), y) for x, y in points if y is not None]
        axes.plot(*zip(*known), marker="o", label=name or None)
    axes.set(xlabel=first, ylabel=metric, ylim=(0, None))
    if others:
        axes.legend(fontsize="small")
    return figure
