# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings."""
import doctest
import importlib
import shutil
import tempfile
import unittest

MODULES = ("places", "results", "runs", "searches", "sweeps", "table")


def load_tests(_loader, tests, _pattern):
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for each in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(f"solidtlm.{each}"), extraglobs={"store": folder},
                                            optionflags=doctest.ELLIPSIS))
    return tests
