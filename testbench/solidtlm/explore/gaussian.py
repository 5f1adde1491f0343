# SPDX-License-Identifier: Apache-2.0
"""Gaussian process regression: Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), chapters 2, 4
and 5.

The covariance of two rows is a k(r) + b (same row), with the Matern kernel k(r) = (1 + s + s^2 / 3) exp(-s), s =
sqrt(5) r, and r^2 = sum of (difference / length)^2, a length for each column. Values are brought to mean 0 and variance
1. Why not a library: scikit-learn's takes fifteen times as long to fit (its gradient is a matrix for each column), and
others need PyTorch.
"""
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize
from scipy.spatial import distance

kRoot = np.sqrt(5.0)
# Normal distributions (mean, spread) of the logarithms before anything is known: columns tend to matter
# little, and values to follow from rows instead of chance.
kLengths = (0.0, 1.0)
kVariance = (np.log(1.5), 1.0)
kNoise = (np.log(1e-2), 1.0)
kBounds = 4.0  # in spreads
kMostSteps = 60


@dataclass
class Kernel:
    lengths: np.ndarray
    variance: float
    noise: float

    def between(self, rows, others):
        s = kRoot * distance.cdist(rows / self.lengths, others / self.lengths)
        return self.variance * (1 + s + s * s / 3) * np.exp(-s)

    def within(self, rows):
        return self.between(rows, rows) + self.noise * np.eye(len(rows))


def normal(values):
    """(values with mean 0 and variance 1, mean, spread)."""
    mean, spread = values.mean(), values.std() or 1.0
    return (values - mean) / spread, mean, spread


def unfitted(columns):
    """The kernel before any value is known."""
    return Kernel(np.full(columns, np.exp(kLengths[0])), np.exp(kVariance[0]), np.exp(kNoise[0]))


def fitted(rows, values):
    """The most likely kernel, given the prior and these values."""
    values, *_ = normal(values)
    squares = np.array([distance.pdist(column[:, None], "sqeuclidean") for column in rows.T])
    prior = np.array([kLengths] * rows.shape[1] + [kVariance, kNoise])
    bounds = [(mean - kBounds * spread, mean + kBounds * spread) for mean, spread in prior]

    found = optimize.minimize(_misfit, prior[:, 0], args=(squares, values, prior), jac=True, method="L-BFGS-B",
                              bounds=bounds, options={"maxiter": kMostSteps}).x
    return Kernel(np.exp(found[:-2]), np.exp(found[-2]), np.exp(found[-1]))


def _misfit(logs, squares, values, prior):
    """Minus the logarithm of the posterior density, and its gradient (equation 5.9). `squares`: squared
    differences, as (columns, pairs)."""
    weights, variance, noise = np.exp(-2 * logs[:-2]), np.exp(logs[-2]), np.exp(logs[-1])
    s = kRoot * np.sqrt(weights @ squares)
    decay = np.exp(-s)
    similar = distance.squareform(variance * (1 + s + s * s / 3) * decay)
    np.fill_diagonal(similar, variance)
    try:
        lower = linalg.cholesky(similar + noise * np.eye(len(values)), lower=True, check_finite=False)
    except linalg.LinAlgError:
        return 1e25, np.zeros_like(logs)
    inverse = linalg.cho_solve((lower, True), np.eye(len(values)), check_finite=False)
    alpha = inverse @ values
    slope = inverse - np.outer(alpha, alpha)  # twice the derivative of the misfit by the covariance
    pairs = slope[np.triu_indices(len(values), 1)]
    by_lengths = weights * (squares @ (pairs * (5 / 3 * variance) * (1 + s) * decay))
    gradient = np.append(by_lengths, [0.5 * np.sum(slope * similar), 0.5 * noise * np.trace(slope)])
    away = (logs - prior[:, 0]) / prior[:, 1]
    misfit = 0.5 * values @ alpha + np.log(lower.diagonal()).sum() + 0.5 * away @ away
    return misfit, gradient + away / prior[:, 1]


class Process:
    """The expected values of rows, given the values of others."""

    def __init__(self, kernel, rows, values):
        self._kernel, self._rows = kernel, rows
        values, self._mean, self._spread = normal(values)
        self._factor = linalg.cho_factor(kernel.within(rows), lower=True)
        self._weights = linalg.cho_solve(self._factor, values)

    def expected(self, rows):
        """(means, standard deviations) without noise: with noise, drives that are nearly the same as known ones
        would seem worth trying."""
        mean, half = self._mean_and_half(rows)
        variance = self._kernel.variance - np.sum(half * half, axis=0)
        return mean, self._spread * np.sqrt(np.maximum(variance, 0.0))

    def covariance(self, rows):
        """(means, covariances), without noise."""
        mean, half = self._mean_and_half(rows)
        return mean, self._spread**2 * (self._kernel.between(rows, rows) - half.T @ half)

    def _mean_and_half(self, rows):
        between = self._kernel.between(self._rows, rows)
        half = linalg.solve_triangular(self._factor[0], between, lower=True, check_finite=False)
        return self._mean + self._spread * (self._weights @ between), half
