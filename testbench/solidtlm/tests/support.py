# SPDX-License-Identifier: Apache-2.0
"""What tests of the package share."""
import tempfile
import unittest
from pathlib import Path

LOAD = "random,read=0.7,count=400"
CHANNELS = "nand.geometry.channels"


class InFolder(unittest.TestCase):
    """Has `self.folder`, with nothing in it."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
