# SPDX-License-Identifier: Apache-2.0
"""Run with a Python, its exit code says whether that has what the explorer needs: 0, yes."""
import importlib.util
import sys

kNeeded = ("moocore", "optuna", "scipy", "threadpoolctl")
kForClusters = ("distributed",)


def missing(names=kNeeded):
    return [name for name in names if importlib.util.find_spec(name) is None]


if __name__ == "__main__":
    sys.exit(bool(missing(kNeeded + kForClusters)))
