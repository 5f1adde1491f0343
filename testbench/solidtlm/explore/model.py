# SPDX-License-Identifier: Apache-2.0
"""Drives as rows of numbers, and results on the scale that a model uses.

A row has for each key a quantity from 0 to 1, on a logarithmic scale where it spans more than a factor kFar; names are
one-hot; keys that do not matter for the drive stand in the middle. Then come quantities that follow from several keys,
such as the raw capacity, and last how long the run was.
"""
import math
import random

import numpy as np

from . import metrics, units

kFar = 3.0
kSampled = 500   # drives that determine the ranges of derived quantities
kFarthest = 50.0  # units beyond the worst; larger values are not numbers


class Encoding:
    """`numbers(settings)`: by name, for keys and for quantities derived from several keys."""

    def __init__(self, space, base, numbers):
        self._space = space
        self._columns = {key.name: _columns_of(key) for key in space.keys}
        self._middle = {name: columns.mean(axis=0) for name, columns in self._columns.items()}
        chance = random.Random(1)
        sample = [space.settings({key.name: chance.randrange(len(key.values)) for key in space.keys}, base)
                  for _ in range(kSampled)]
        self._scales = _scales_of([numbers(each) for each in sample])

    def row(self, genes, settings, numbers, length=1.0):
        """The row of a drive. `length`: that of its run, from 0 for the shortest to 1 for the longest."""
        parts = [self._columns[key.name][genes[key.name]] if key.name in settings else self._middle[key.name]
                 for key in self._space.keys]
        more = [(math.log(numbers[name]) if far else numbers[name]) * factor - low
                for name, far, low, factor in self._scales]
        return np.concatenate([*parts, more, [length]])


def _columns_of(key):
    """One row for each value of the key."""
    if not key.ordered and len(key.values) > 2:
        return np.eye(len(key.values))
    numbers = np.array([units.number_of(each) for each in key.values] if key.ordered else range(len(key.values)), float)
    if numbers.min() > 0 and numbers.max() > kFar * numbers.min():
        numbers = np.log(numbers)
    return ((numbers - numbers.min()) / ((numbers.max() - numbers.min()) or 1.0))[:, None]


def _scales_of(samples):
    """[(name, logarithmic, offset, factor)] that scale derived numbers to 0 to 1, without numbers that are equal
    for all drives."""
    scales = []
    for name in metrics.kDerived:
        column = [each.get(name) for each in samples]
        if None in column or min(column) == max(column):
            continue
        low, high = min(column), max(column)
        far = low > 0 and high > kFar * low
        if far:
            low, high = math.log(low), math.log(high)
        scales.append((name, far, low / (high - low), 1 / (high - low)))
    return scales


class Scale:
    """Losses on the model's scale: their logarithms, if all are above 0 or all below. Beyond `worst` the scale
    is (once more) logarithmic, in units of the distance from `best` to `worst`: how bad a drive is matters
    little there."""

    def __init__(self, losses, best, worst):
        losses = np.append(np.asarray(losses, float), [best, worst])
        self._sign = 1 if losses.min() > 0 else -1 if losses.max() < 0 else 0
        low, high = self._plain(np.array([best, worst], float))
        self._worst, self._unit = (high, high - low) if high > low else (math.inf, 1.0)

    def _plain(self, losses):
        return self._sign * np.log(self._sign * losses) if self._sign else losses

    def there(self, losses):
        plain = self._plain(np.asarray(losses, float))
        beyond = np.maximum(plain - self._worst, 0.0)
        return np.minimum(plain, self._worst) + self._unit * np.log1p(beyond / self._unit)

    def back(self, values):
        beyond = np.clip((values - self._worst) / self._unit, 0.0, kFarthest)
        plain = np.minimum(values, self._worst) + self._unit * np.expm1(beyond)
        return self._sign * np.exp(np.minimum(self._sign * plain, 700.0)) if self._sign else plain


def bounded(excess):
    """How far a constraint is from holding, from -1 to 1."""
    excess = np.asarray(excess, float)
    return excess / (1 + np.abs(excess))
