# SPDX-License-Identifier: Apache-2.0
"""A small table, which can be converted to a frame of pandas, polars or Arrow."""
import csv
import html
import importlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

from .errors import MissingPackage

kShownRows = 60


def wanted(name: str, what: str, extra: str) -> Any:
    """Imports the module of that name. Raises MissingPackage."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackage(what, [name.split(".")[0]], extra) from error


class Table:
    """Columns of the same length. `rows`: a dictionary with the same names for each; or `columns`: a list for each name.

    >>> table = Table([{"stage": "array", "us": 50.25}, {"stage": "ecc", "us": None}])
    >>> table["us"], table[0], len(table)
    ([50.25, None], {'stage': 'array', 'us': 50.25}, 2)
    >>> print(table.to_csv(), end="")
    stage,us
    array,50.25
    ecc,
    >>> table
    stage     us
    array  50.25
    ecc        -
    """

    def __init__(self, rows: Sequence[dict[str, Any]] = (), columns: dict[str, list] | None = None):
        self.columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else columns or {}

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(self)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row)) for row in zip(*self.columns.values()))

    def __getitem__(self, which: int | str) -> Any:
        """A row by its number, or a column by its name."""
        if isinstance(which, int):
            return {name: values[which] for name, values in self.columns.items()}
        if which not in self.columns:
            raise KeyError(f"no column {which}; there are {', '.join(self.names)}")
        return self.columns[which]

    def to_csv(self) -> str:
        text = io.StringIO()
        if self.columns:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values()))
        return text.getvalue()

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        return wanted("pandas", "a pandas frame", "frames").DataFrame(self.columns)

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        return wanted("polars", "a polars frame", "frames").DataFrame(self.columns, strict=False)

    def to_arrow(self) -> Any:
        """An arro3.core.Table, which other libraries read through Arrow's stream interface, without copying.
        Columns are numbers, truth values or texts."""
        core = wanted("arro3.core", "an Arrow table", "arrow")
        kinds = core.DataType
        columns = {}
        for name, values in self.columns.items():
            present = [value for value in values if value is not None]
            if all(isinstance(value, bool) for value in present):
                kind = kinds.bool()
            elif all(isinstance(value, int) and not isinstance(value, bool) for value in present):
                kind = kinds.int64()
            elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
                kind, values = kinds.float64(), [None if value is None else float(value) for value in values]
            else:
                kind, values = kinds.string(), [None if value is None else str(value) for value in values]
            columns[name] = core.Array(values, type=kind)
        return core.Table.from_pydict(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _shown(self) -> list[list[str]]:
        shown = (values[:kShownRows] for values in self.columns.values())
        return [self.names, *(list(map(_written, row)) for row in zip(*shown))]

    def __repr__(self) -> str:
        lines = self._shown()
        widths = [max(map(len, column)) for column in zip(*lines)]
        numbers = [any(isinstance(value, (int, float)) for value in self[name]) for name in self.names]
        text = "\n".join("  ".join(cell.rjust(width) if number else cell.ljust(width)
                                   for cell, width, number in zip(line, widths, numbers)).rstrip() for line in lines)
        more = len(self) - kShownRows
        return text + (f"\n... {more} more rows" if more > 0 else "")

    def _repr_html_(self) -> str:
        head, *rest = ([html.escape(cell) for cell in line] for line in self._shown())
        more = len(self) - kShownRows
        return ("<table><thead><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead><tbody>"
                + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in rest)
                + "</tbody></table>" + (f"<p>... {more} more rows</p>" if more > 0 else ""))


def _written(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.5g}" if abs(value) < 1e5 else f"{value:.0f}"
    return str(value)


def framed(page: str, height: int = 800) -> str:
    """A whole HTML page in a frame of its own, as _repr_html_ gives it."""
    return (f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{height}px;border:0" '
            'sandbox="allow-scripts"></iframe>')
