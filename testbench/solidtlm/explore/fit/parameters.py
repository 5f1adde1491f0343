# SPDX-License-Identifier: Apache-2.0
"""The unknown parameters: each is a list of values, or any number in a range."""
import math
from dataclasses import dataclass

from .. import units
from ..program import setting
from ..space import SpaceError


kLong = 16    # values of a list that is searched one by one
kStep = 0.01  # as a share of a range
_PICOSECONDS = 10**6  # per microsecond; durations are whole picoseconds


@dataclass
class Parameter:
    """The name decides how a value is used: `--log-blocks` is an option of the executable; a word in braces in
    the arguments of a run is replaced; any other name is a configuration key. The coordinate is the index of
    a value. For a range, it is the position between the ends, from 0 to 1, on a logarithmic scale if the
    range begins above 0. A long list of numbers in order is also a range, in which only these numbers are
    allowed."""
    name: str
    word: bool = False
    values: list = None  # None: a range
    ordered: bool = False
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    whole: bool = False

    @staticmethod
    def of_range(name, table):
        """A parameter from { from, to }."""
        ends = []
        for each in ("from", "to"):
            value = table.get(each)
            number = units.quantity(value) if isinstance(value, str) else value
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                raise SpaceError(f"{each} = {value!r} is no number and no quantity such as \"50us\"")
            ends.append(float(number))
        if ends[0] >= ends[1]:
            raise SpaceError(f"from {table['from']} is not below to {table['to']}")
        like = table["from"]
        unit = like.strip().lstrip("0123456789.eE+- ") if isinstance(like, str) else ""
        whole = unit.lower() in units.SIZES or all(isinstance(table[each], int) for each in ("from", "to"))
        return Parameter(name, low=ends[0], high=ends[1], unit=unit, whole=whole)

    @property
    def continuous(self):
        return self.values is None or (self.ordered and len(self.values) > kLong)

    @property
    def step(self):
        """For a range: the distance between two sets that is large enough to compute a slope."""
        return kStep if self.values is None else max(kStep, 1.01 / (len(self.values) - 1))

    def value(self, coordinate):
        """The value in the form that the executable takes."""
        if self.values is not None:
            return self.values[round(coordinate * (len(self.values) - 1)) if self.continuous else coordinate]
        if self.low > 0:
            number = self.low * (self.high / self.low) ** coordinate
        else:
            number = self.low + (self.high - self.low) * coordinate
        if self.whole:
            return round(number)
        number = float(f"{number:.6g}")
        if self.unit.lower() in units.DURATIONS:
            number = round(number * _PICOSECONDS) / _PICOSECONDS
        return f"{number / units.factor(self.unit):.12g}{self.unit}" if self.unit else number

    def searched(self):
        """The searched values as text."""
        if self.continuous:
            return f"{self.value(0)} to {self.value(1)}"
        return ", ".join(map(str, self.values))

    def neighbours(self, coordinate):
        """For a list: the adjacent values, or all others if the list has no order."""
        if self.ordered:
            return [each for each in (coordinate - 1, coordinate + 1) if 0 <= each < len(self.values)]
        return [each for each in range(len(self.values)) if each != coordinate]


def combinations(parameters):
    """The number of sets; None if there is a range."""
    return None if any(each.continuous for each in parameters) else math.prod(len(each.values) for each in parameters)


def placed_in(parameters, coordinates, texts):
    """`texts` with the words in braces replaced by values."""
    for each, at in zip(parameters, coordinates):
        if each.word:
            texts = [text.replace(f"{{{each.name}}}", str(each.value(at))) for text in texts]
    return texts


def arguments_of(parameters, coordinates, arguments):
    """`arguments` with these values added."""
    result = list(placed_in(parameters, coordinates, arguments))
    for each, at in zip(parameters, coordinates):
        value = each.value(at)
        if each.name.startswith("--"):
            result += [] if value is False else [each.name] if value is True else [each.name, str(value)]
        elif not each.word:
            result += ["--set", setting(each.name, value)]
    return result
