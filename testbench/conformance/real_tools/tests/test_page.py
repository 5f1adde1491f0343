# SPDX-License-Identifier: Apache-2.0
"""docs/real-tools.md lists what the tests run, with the exit codes that they demand."""
import pathlib
import unittest

from conformance.real_tools import page

PAGE = pathlib.Path(__file__).parents[4] / "docs/real-tools.md"


class Page(unittest.TestCase):
    maxDiff = None

    def test_tables_are_those_of_the_cases(self):
        before = PAGE.read_text(encoding="utf-8")
        self.assertEqual(before, page.updated(before), "run scripts/on-device-node --page")
