# SPDX-License-Identifier: Apache-2.0
"""Run with a Python, its exit code says whether that has what the explorer needs: 0, yes."""
import importlib.util
import sys

kNeeded = ("distributed", "moocore", "optuna", "scipy", "threadpoolctl")

if __name__ == "__main__":
    sys.exit(not all(map(importlib.util.find_spec, kNeeded)))
