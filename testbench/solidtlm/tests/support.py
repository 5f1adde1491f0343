# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the package."""
import tempfile
import unittest
from pathlib import Path

LOAD = "random,read=0.7,count=400"
CHANNELS = "nand.geometry.channels"


class InFolder(unittest.TestCase):
    """Has an empty folder `self.folder`."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
