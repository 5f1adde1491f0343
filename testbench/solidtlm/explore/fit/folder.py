# SPDX-License-Identifier: Apache-2.0
"""A drive's folder (docs/real-drives.md, "To add a drive") as the source of a fit: rates over depth, unknown values, and
the files into which fitted values are written."""
import json
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .. import units
from ..mistakes import StudyError

kRates = ("iops", "mb_per_s")
kSearch = {"design": 16, "starts": 2, "sets": 200}  # of a folder without fit.toml
_NO_CAMPAIGN = ("fit", "drive")
_NO_KEYS = ("scheduler",)  # values of a host that are no configuration keys


@dataclass
class Curve:
    """What one test measured at several depths."""
    test: str       # CAMPAIGN/TEST
    metric: str     # one of kRates
    rates: dict     # by depth, ascending
    metrics: list   # all columns

    def depths(self, without=()):
        """The depths that a fit needs, with the reason for each: 1 and 2 for the time of a command, the plateau for
        what is used up, and the knee between them, where waiting begins."""
        rates = {depth: rate for depth, rate in self.rates.items() if depth not in without}
        if not rates:
            return {}
        found = {depth: f"depth {depth}" for depth in (1, 2) if depth in rates}
        first, last = min(rates), max(rates)
        found.setdefault(last, "plateau")
        knee = first * max(rates.values()) / rates[first]  # where two straight lines meet
        between = [depth for depth in rates if depth not in found]
        if between:
            found[min(between, key=lambda depth: abs(math.log(depth / knee)))] = "knee"
        return dict(sorted(found.items()))


def _tables(folder):
    """(path, contents) of its TOML files."""
    for path in sorted(Path(folder).glob("*.toml")):
        try:
            yield path, tomllib.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise StudyError([f"{path}: {error}"]) from error


def curves(folder):
    """{CAMPAIGN/TEST: Curve} of all tests with rates."""
    found = {}
    for path, table in _tables(folder):
        if path.stem in _NO_CAMPAIGN or path.stem.startswith("host-"):
            continue
        for test in table.get("test", []):
            columns = test.get("columns", [])
            metric = next((each for each in kRates if each in columns), None)
            if metric and "depth" in columns:
                rows = [dict(zip(columns, row)) for row in test.get("figures", [])]
                name = f"{path.stem}/{test.get('name')}"
                found[name] = Curve(name, metric, {row["depth"]: row[metric] for row in sorted(
                    rows, key=lambda row: row["depth"])}, columns)
    return found


def scaled(folder):
    """The keys whose values tb_gallery divides."""
    return set(next((table.get("scale", {}) for path, table in _tables(folder) if path.name == "drive.toml"), {}))


def _searched(value):
    """The values of a guess as [space] takes them; None: there is only one."""
    given, others = value["is"], value.get("range", [])
    numbers = [units.quantity(each) if isinstance(each, str) else each for each in others]
    if len(others) == 2 and all(isinstance(each, str) for each in others) and None not in numbers and \
            numbers[0] != numbers[1]:
        low, high = sorted(others, key=units.quantity)
        return {"from": low, "to": high}
    together = [given, *(each for each in others if each != given)]
    if all(isinstance(each, (int, float)) for each in together):
        together.sort()
    return together if len(together) > 1 else None


def guesses(folder):
    """{key: values as [space] takes them} of what is guessed in the folder, without keys that are scaled. Raises
    StudyError if two hosts guess the same key: one run can have only one value."""
    found, files = {}, {}
    without = scaled(folder)
    for path, table in _tables(folder):
        if path.name != "drive.toml" and not path.stem.startswith("host-"):
            continue
        for key, value in table.get("values", {}).items():
            if "guessed" not in value or key in without or key in _NO_KEYS:
                continue
            searched = _searched(value)
            if searched is not None:
                if key in files:
                    raise StudyError([f"{path}: {key} is guessed in {files[key]} too; allowed: one of them, or [space] "
                                      "and [[run]] in fit.toml"])
                found[key], files[key] = searched, path.name
    return found


def recipe(folder):
    """A fit of all curves and all guesses, as the table of its file."""
    folder = Path(folder)
    return {"title": f"{folder.resolve().name}: what is guessed, from rates at depth 1, 2, knee and plateau",
            "curve": [{"test": each} for each in curves(folder)], "search": dict(kSearch)}


def _written(value):
    return "[" + ", ".join(map(_written, value)) + "]" if isinstance(value, list) else \
        str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _line(key, value, fitted, figures):
    """The line of a value that is fitted now."""
    before = value.get("guessed") or value.get("derived") or value.get("published")
    table = {"is": fitted, "fitted": value.get("fitted", f"fit; before: {value['is']}, {before}"),
             "range": value.get("range", [value["is"]]), "figures": figures,
             **{name: value[name] for name in ("mechanism",) if name in value}}
    return f'"{key}" = {{ {", ".join(f"{name} = {_written(each)}" for name, each in table.items())} }}\n'


def write_back(folder, values, figures):
    """Writes {key: value} into the lines of the folder's files that have these keys, each as fitted to `figures`.
    Returns {key: file name}."""
    done = {}
    for path in [Path(folder) / "drive.toml", *sorted(Path(folder).glob("host-*.toml"))]:
        lines = path.read_text().splitlines(keepends=True) if path.is_file() else []
        for at, line in enumerate(lines):
            key = line.split("=")[0].strip().strip("\"'")
            if key in values and "{" in line:
                [value] = tomllib.loads(f"value = {line.split('=', 1)[1]}").values()
                lines[at] = _line(key, value, values[key], figures)
                done[key] = path.name
        if any(name == path.name for name in done.values()):
            path.write_text("".join(lines))
    return done
