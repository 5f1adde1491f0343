# SPDX-License-Identifier: Apache-2.0
"""How much hypervolume a drive may add to a front, as far as the model can tell.

In polar coordinates the volume that losses y dominate up to a reference r is the mean over directions d (unit vectors
of the positive orthant), but for a factor, of l(d)^m, where l(d) = max over y of min over i of (r_i - y_i) / d_i is how
far the front reaches in that direction and m the number of objectives (Zhang and Golovin, "Random hypervolume
scalarizations for provable multi-objective black box optimization", ICML 2020, lemma 5).
"""
import numpy as np

kDirections = 96
kAtATime = 64  # candidates; the cache holds their data


def directions(objectives):
    """Evenly spread unit vectors: (kDirections, objectives)."""
    if objectives == 1:
        return np.ones((1, 1))
    if objectives == 2:
        angle = (np.arange(kDirections) + 0.5) / kDirections * (np.pi / 2)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    from scipy.stats import norm, qmc
    even = qmc.Sobol(objectives, seed=1).random(256)
    made = np.abs(norm.ppf(np.clip(even, 1e-6, 1 - 1e-6)))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


class Reach:
    """How far the known drives reach. Each objective is scaled so that `ideal` and `reference` are 1 apart."""

    def __init__(self, ideal, reference):
        self.reference = np.asarray(reference, float)
        self._range = np.maximum(self.reference - np.asarray(ideal, float), 1e-300)
        self._directions = directions(len(self.reference))
        self._reach = np.zeros(len(self._directions))

    def _volumes(self, losses):
        """For losses (..., objectives): the value of each in each direction."""
        gains = np.maximum((self.reference - losses) / self._range, 0.0)
        reach = gains[..., :1] / self._directions[:, 0]
        for i in range(1, len(self.reference)):
            np.minimum(reach, gains[..., i:i + 1] / self._directions[:, i], out=reach)
        return reach ** len(self.reference)

    def add(self, losses):
        self._reach = np.maximum(self._reach, self._volumes(np.asarray(losses, float)))

    def improvement(self, samples):
        """For samples (candidates, samples, objectives): the mean volume that each candidate adds."""
        result = np.empty(len(samples))
        for begin in range(0, len(samples), kAtATime):
            more = self._volumes(samples[begin:begin + kAtATime])
            more -= self._reach
            np.maximum(more, 0.0, out=more)
            result[begin:begin + kAtATime] = more.mean(axis=(1, 2))
        return result
