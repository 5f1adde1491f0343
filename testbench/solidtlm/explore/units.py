# SPDX-License-Identifier: Apache-2.0
"""Quantities with units: durations in microseconds, sizes in bytes, shares as fractions. Tables of text with them."""
import re

DURATIONS = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6}
SIZES = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "b": 1}
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_QUANTITY = re.compile(rf"^\s*({_NUMBER})\s*([A-Za-z%]*)\s*$")
# Not part of a name, and not followed by one.
IN_FORMULA = re.compile(rf"(?<![\w.])({_NUMBER})\s?(ps|ns|us|ms|min|s|h|KiB|MiB|GiB|TiB|KB|MB|GB|TB|%)(?!\s*[\w(.])")


def factor(unit):
    """The factor of a unit; None for an unknown unit."""
    if unit == "":
        return 1
    if unit == "%":
        return 0.01
    return DURATIONS.get(unit.lower(), SIZES.get(unit.lower()))


def quantity(text):
    """The number that a text such as "16MiB", "50us" or "2%" stands for; None if it is not a quantity."""
    match = _QUANTITY.match(text)
    scale = factor(match[2]) if match else None
    if scale is None:
        return None
    value = float(match[1]) * scale
    return int(value) if value == int(value) and "%" not in text else value


def number_of(value):
    """The value of a configuration key for formulas: a number if it is one, otherwise a text."""
    if isinstance(value, bool) or isinstance(value, (int, float)):
        return value
    if isinstance(value, list):  # nand.timing.read: the mean of the pages' times
        numbers = [number_of(each) for each in value]
        plain = all(isinstance(each, (int, float)) for each in numbers)
        return sum(numbers) / len(numbers) if numbers and plain else ",".join(map(str, value))
    found = quantity(value)
    return value if found is None else found


def share_of(value):
    """0.02 for "2%" and for 0.02; None if the text is neither."""
    if isinstance(value, bool):
        return None
    found = quantity(value) if isinstance(value, str) else value
    return float(found) if isinstance(found, (int, float)) else None


def shown(value):
    """Four digits."""
    if value is None:
        return "-"
    if isinstance(value, (bool, str)):
        return str(value)
    if value != value or abs(value) == float("inf"):
        return str(value)
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def table(rows):
    """Columns as wide as necessary; the first is left-aligned, the others are right-aligned."""
    rows = [[str(each) for each in row] for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(width) if at == 0 else cell.rjust(width)
                                      for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)
