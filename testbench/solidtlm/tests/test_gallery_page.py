# SPDX-License-Identifier: Apache-2.0
"""scripts/gallery-page: tables of tb_gallery in docs/real-drives.md."""
import importlib.util
import re
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PRINTED = """\
3 points, 2 at a time

Mean absolute error in % / number of figures
  drive, source               figures     rate  mean, p50
  samsung-pm883, ibm-m1015    fitted     0.5 /1          -
  samsung-pm883, ibm-m1015    predicted  4.0 /3     2.0 /1
  samsung-860-pro, ibm-m1015  predicted  8.0 /1     6.0 /3
  jasmine, openssd            predicted  3.3 /5          -
  intel-p3700, toms-hardware  predicted  9.0 /1          -
  all NVMe                    predicted  9.0 /1          -
  all SATA                    predicted  4.1 /9     5.0 /4

NVMe drives: error in %, median and mean of absolute values, mean with sign, share of figures
  predicted figures  figures  median  mean  bias  within 10 %
  rate                     1     9.0   9.0  +9.0          100

SATA drives: error in %, median and mean of absolute values, mean with sign, share of figures
  predicted figures              figures  median  mean  bias  within 10 %
  rate                                 9     3.3   4.1  +1.0           90
  rate, where the drive decides        2     4.0   4.0  -4.0          100

Values that a drive's own figures determine
  drive          fitted  computed
  samsung-pm883       1         1

Mechanisms that are missing, and the figures that they would explain
  drive    what the model lacks                figures  error %
  jasmine  a mechanism whose name needs more         3      1.5
           than a line
  jasmine  another                          not posed        -
"""


def page():
    loader = SourceFileLoader("gallery_page", str(ROOT / "scripts" / "gallery-page"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class GalleryPage(unittest.TestCase):
    def setUp(self):
        self.page = page()
        self.tables = self.page.tables(self.page.sections(PRINTED))

    def rows(self, name):
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in self.tables[name].splitlines()]

    def test_several_sources_together_count_by_their_figures(self):
        self.assertEqual(self.rows("four")[2:], [
            ["samsung-pm883, ibm-m1015", "fitted", "0.5 /1", "-"], ["samsung-pm883, ibm-m1015", "predicted", "4.0 /3", "2.0 /1"],
            ["samsung-860-pro, ibm-m1015", "predicted", "8.0 /1", "6.0 /3"],
            ["**these four**", "fitted", "**0.5 /1**", "-"],
            ["**these four**", "predicted", "**5.0 /4**", "**5.0 /4**"]])  # (3 x 4 + 8) / 4 and (2 + 3 x 6) / 4
        self.assertEqual([row[0] for row in self.rows("others")[2:]], ["jasmine, openssd", "**these**", "**these**"])
        self.assertEqual([row[0] for row in self.rows("all")[2:]], ["all NVMe", "all SATA"])

    def test_long_cells_go_on_in_the_next_line(self):
        self.assertEqual(self.rows("missing")[2:], [
            ["jasmine", "a mechanism whose name needs more than a line", "3", "1.5"], ["jasmine", "another", "not posed", "-"]])

    def test_sata_and_nvme_are_apart(self):
        self.assertEqual(self.rows("accuracy")[3][0], "rate, where the drive decides")
        self.assertEqual(len(self.rows("nvme")), 3)

    def test_the_page_has_a_place_for_each(self):
        text = (ROOT / "docs" / "real-drives.md").read_text()
        self.assertEqual({name for _, name, _ in self.page.BLOCK.findall(text)}, set(self.tables))
        self.assertEqual(len(re.findall("<!-- gallery: end -->", text)), len(self.tables))


if __name__ == "__main__":
    unittest.main()
