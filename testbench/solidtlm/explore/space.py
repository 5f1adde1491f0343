# SPDX-License-Identifier: Apache-2.0
"""The possible drives: for each key its possible values, and when it matters at all."""
from dataclasses import dataclass, field

from . import units

kMostValues = 100_000


class SpaceError(Exception):
    """A key whose values are not given."""


@dataclass
class Key:
    """A configuration key, its values in order, and the conditions under which it is set."""
    name: str
    values: list
    ordered: bool  # values are in an order in which neighbours are similar
    when: dict = field(default_factory=dict)    # other key: the values that it may have
    unless: dict = field(default_factory=dict)  # other key: the values that it must not have


def _numbers(name, table):
    numbers = {}
    for each in ("from", "to", "step", "factor"):
        if each in table:
            value = table[each]
            found = units.quantity(value) if isinstance(value, str) else value
            if isinstance(found, bool) or not isinstance(found, (int, float)):
                raise SpaceError(f"{each} = {value!r} is no number and no quantity such as \"16MiB\" or \"50us\"")
            numbers[each] = found
    return numbers


def _binary(size):
    """Bytes in the largest unit that gives a whole number."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size % units.factor(unit) == 0 and size:
            return f"{size // units.factor(unit)}{unit}"
    return size


def _written(value, like):
    """A number in the style of the file: bytes and durations as texts, whole numbers as such."""
    if isinstance(like, str):
        unit = like.strip().lstrip("0123456789.eE+- ")
        if units.factor(unit) is None or unit == "":
            return value
        if unit.lower() in ("kib", "mib", "gib", "tib"):
            return _binary(int(round(value)))
        if unit.lower() in ("kb", "mb", "gb", "tb", "b"):
            return int(round(value))
        return f"{value / units.factor(unit):.12g}{unit}"
    return int(value) if float(value).is_integer() and isinstance(like, int) else round(value, 12)


def range_values(name, table):
    """The values of { from, to, step } or { from, to, factor }."""
    numbers = _numbers(name, table)
    if "from" not in numbers or "to" not in numbers:
        raise SpaceError("a range needs from and to")
    if ("step" in numbers) == ("factor" in numbers):
        raise SpaceError("a range needs either step (added) or factor (multiplied)")
    low, high = numbers["from"], numbers["to"]
    if low > high:
        raise SpaceError(f"from {table['from']} is above to {table['to']}")
    step, factor = numbers.get("step", 0), numbers.get("factor", 1)
    if "step" in numbers and step <= 0:
        raise SpaceError(f"step = {table['step']} leads nowhere; allowed: above 0")
    if "factor" in numbers and (factor <= 1 or low <= 0):
        raise SpaceError(f"factor = {table['factor']} from {table['from']} leads nowhere; "
                         "allowed: a factor above 1, from a number above 0")
    like = table["from"]
    whole = isinstance(like, int) and isinstance(table.get("step", table.get("factor")), int)
    values = []
    while len(values) <= kMostValues:
        value = low + len(values) * step if "step" in numbers else low * factor**len(values)
        if value > high * (1 + 1e-9):
            return values
        values.append(_written(value, like if whole or isinstance(like, str) else float(like)))
    raise SpaceError(f"has more than {kMostValues:,} values")


class Space:
    """All keys, in the order of the file."""

    def __init__(self, keys):
        self.keys = keys
        self._ordered = self._conditions_first()

    def _conditions_first(self):
        """Keys ordered after the keys in their conditions. REQUIRES: no cycle, see circle()."""
        names = {key.name for key in self.keys}
        done, rest = [], list(self.keys)
        while rest:
            known = {key.name for key in done}
            ready = [key for key in rest if all(each in known or each not in names
                                                for each in [*key.when, *key.unless])]
            if not ready:
                return done + rest
            done += ready
            rest = [key for key in rest if key not in ready]
        return done

    def circle(self):
        """Names of keys whose conditions depend on each other in a cycle."""
        names, known = {key.name for key in self.keys}, set()
        while True:
            ready = {key.name for key in self.keys if key.name not in known
                     and all(each in known or each not in names for each in [*key.when, *key.unless])}
            if not ready:
                return [key.name for key in self.keys if key.name not in known]
            known |= ready

    def size(self):
        """Number of combinations of all values, ignoring conditions."""
        total = 1
        for key in self.keys:
            total *= len(key.values)
        return total

    def settings(self, genes, base=None):
        """The keys that a point sets. `genes`: for each key the index of a value, whether the key matters or
        not, so that proposers see a space without conditions."""
        settings = {}
        for key in self._ordered:
            def has(other, wanted):
                return settings.get(other, (base or {}).get(other)) in wanted
            if all(has(*each) for each in key.when.items()) and not any(has(*each) for each in key.unless.items()):
                settings[key.name] = key.values[genes[key.name]]
        return {key.name: settings[key.name] for key in self.keys if key.name in settings}

    def at(self, number):
        """Point `number` of the grid; the last key varies fastest."""
        genes = {}
        for key in reversed(self.keys):
            number, genes[key.name] = divmod(number, len(key.values))
        return {key.name: genes[key.name] for key in self.keys}
