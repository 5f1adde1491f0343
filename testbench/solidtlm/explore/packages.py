# SPDX-License-Identifier: Apache-2.0
"""Run by a Python interpreter, exits with 0 if that interpreter has the packages that the explorer needs."""
import importlib.util
import sys

kNeeded = ("moocore", "optuna", "scipy", "threadpoolctl")
kForClusters = ("distributed",)


def missing(names=kNeeded):
    return [name for name in names if importlib.util.find_spec(name) is None]


if __name__ == "__main__":
    sys.exit(bool(missing(kNeeded + kForClusters)))
