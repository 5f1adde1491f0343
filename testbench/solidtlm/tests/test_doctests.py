# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings and in docs/python.md."""
import doctest
import importlib
import shutil
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
MODULES = ("places", "reasons", "results", "runs", "searches", "studies", "studies.pts", "sweeps", "table")


def load_tests(_loader, tests, _pattern):
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for each in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(f"solidtlm.{each}"), extraglobs={"store": folder},
                                            optionflags=doctest.ELLIPSIS))
    tests.addTests(doctest.DocFileSuite(str(PAGE), module_relative=False, globs={"store": f"{folder}/page"},
                                        optionflags=doctest.ELLIPSIS))
    return tests
