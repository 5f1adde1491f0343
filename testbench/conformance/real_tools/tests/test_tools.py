# SPDX-License-Identifier: Apache-2.0
"""Tools that are made for real drives, on simulated ones: a test for each (docs/real-tools.md)."""
import os
import unittest

from conformance.real_tools import tools
from conformance.real_tools.cases import TOOLS


class Tools(unittest.TestCase):
    maxDiff = None

    def check(self, tool):
        faults = [f"$ {case.command}\n{wrong}" for case, wrong in tools.run(tool, os.environ["PROGRAMS"])]
        self.assertEqual(len(faults), 0, "\n\n".join(["", *faults]))


for one in TOOLS:
    setattr(Tools, f"test_{one.name}", lambda self, tool=one: self.check(tool))
