# SPDX-License-Identifier: Apache-2.0
"""The criterion by hand, and the reports of tb_pts."""
import subprocess
import sys
import unittest
from pathlib import Path

import solidtlm as st
from solidtlm import places
from solidtlm.studies import pts
from solidtlm.tests.support import InFolder
from solidtlm.tests.test_frames import needs

GALLERY = Path(__file__).resolve().parents[3] / "testbench" / "studies" / "gallery" / "drives"


def result_of(iops, tracked=(4096, 0), other=lambda x: x):
    """A result with a round for each value of the cell that is `tracked`, and another cell."""
    points = [{"parameters": {"test": "iops", "queue_depth": 32}, "result": {},
               "derived": {"range_bytes": 2**20, "deviations": "a cell lasts 1ms, not a minute; one more"}}]
    for number, value in enumerate(iops, 1):
        for (block, reads), cell in ((tracked, value), ((8192, 50), other(value))):
            points.append({"parameters": {"test": "iops", "round": number, "block_bytes": block, "read_percent": reads,
                                          "pattern": "random", "queue_depth": 32}, "result": {},
                           "derived": {"iops": cell, "mb_per_s": cell * block / 1e6, "mean_us": 32e6 / cell,
                                       "p99_us": 1, "p999_us": 2, "max_us": number, "begin_s": number, "seconds": 1,
                                       "written_bytes": 4096, "write_amplification": 2}})
    return st.Result({"scenario": "tb_pts", "points": points})


class Criterion(unittest.TestCase):
    """Least squares over rounds at -2, -1, 0, 1, 2: the sum of the products with the values, divided by 10."""

    def test_by_hand(self):
        # 100 + 104 + 98 + 102 + 96 = 500; range 8; (-200 - 104 + 0 + 102 + 192) / 10 = -1 per round, -4 over the window
        found = pts.window([100, 104, 98, 102, 96])
        self.assertEqual(found, pts.Window(average=100, range=0.08, slope=-0.04, per_round=-1))
        self.assertTrue(found.steady)
        # 525 / 5 = 105; range 25 of 105; (-200 - 100 + 100 + 250) / 10 = 5 per round, 20 of 105
        found = pts.window([100, 100, 100, 100, 125])
        self.assertAlmostEqual(found.range, 25 / 105)
        self.assertAlmostEqual(found.slope, 20 / 105)
        self.assertFalse(found.steady)

    def test_each_bound_alone(self):
        self.assertTrue(pts.window([90, 110, 100, 110, 90]).steady, "range 20 %, slope 0")
        self.assertFalse(pts.window([89.9, 110, 100, 110, 90.1]).steady, "range 20.1 %")
        self.assertTrue(pts.window([950, 975, 1000, 1025, 1050]).steady, "slope 10 %")
        self.assertFalse(pts.window([949, 975, 1000, 1025, 1051]).steady, "slope 10.16 %")
        self.assertFalse(pts.window([1051, 1025, 1000, 975, 949]).steady, "falling")


@needs("pandas")
class Reports(InFolder):
    def test_the_first_steady_window_is_measured(self):
        found = pts.Report(result_of([500, 200, 100, 104, 98, 102, 96, 900]))["iops"]
        self.assertEqual((found.first, found.last, found.steady), (3, 7, True))
        self.assertEqual(found.tracked, [(4096, 0)], "the other cell is not tracked")
        self.assertEqual(found.matrix().at[4096, 0], 100)
        self.assertEqual(found.measured()["max_us"].max(), 7, "of a window the largest")
        self.assertEqual(found.verdict(), "steady in rounds 3 to 7")

    def test_what_is_not_steady(self):
        found = pts.Report(result_of([100, 130, 160, 190, 220, 250]))["iops"]
        self.assertEqual((found.first, found.last, found.steady), (2, 6, False))
        self.assertIn("not steady in 6 rounds; rounds 2 to 6 are shown", found.verdict())
        short = pts.Report(result_of([100, 100]))["iops"]
        self.assertEqual((short.first, short.last, short.steady), (1, 2, False))
        self.assertEqual(len(short.windows()), 0)

    def test_text_and_deviations(self):
        text = pts.Report(result_of([100] * 5)).text()
        for wanted in ("IOPS: steady in rounds 1 to 5", "4 KiB", "0/100",
                       "- a cell lasts 1ms, not a minute\n- one more\n"):
            self.assertIn(wanted, text)

    def test_beside_a_real_drive(self):
        table = self.folder / "real.csv"
        table.write_text("# a drive\ntest,block,read,iops\niops,4k,0,80\niops,8k,50,100\niops,128k,0,7\n")
        rows = list(pts.Report(result_of([100] * 5, other=lambda x: x / 2), table).comparison())
        self.assertEqual([(row["cell"], row["published"], row["here"]) for row in rows],
                         [("4 KiB 0/100", 80, 100), ("8 KiB 50/50", 100, 50)])
        self.assertAlmostEqual(rows[0]["difference %"], 25)
        sheet = pts.read_published(GALLERY / "intel-s3700" / "data-sheet.toml")
        self.assertIn({"test": "iops", "block": 4096, "read": 0, "metric": "iops", "value": 36000}, sheet)
        self.assertIn({"test": "throughput", "block": 131072, "read": 0, "metric": "mb_per_s", "value": 460}, sheet)
        for text in ("test,block,read,iops\niops,4q,0,80\n", "a,b\n1,2\n", "test,block,read,iops\n"):
            table.write_text(text)
            with self.assertRaisesRegex(st.UserError, "real.csv: found"):
                pts.read_published(table)

    def test_a_result_of_another_program(self):
        with self.assertRaisesRegex(st.UserError, "found a result of tb_trim; allowed: of tb_pts"):
            pts.Report(st.Result({"scenario": "tb_trim", "points": []}))

    @needs("matplotlib")
    def test_a_run(self):
        """The executable, and the command that judges what it has measured."""
        out = self.folder / "out"
        subprocess.run([places.program("tb_pts"), "--preset", "tiny", "--cell", "100", "--rounds", "6", "--tests",
                        "iops,throughput,latency,saturation", "--fills", "1", "--quiet", "--out", out], check=True)
        said = subprocess.run([sys.executable, "-m", "solidtlm", "study", "pts", out], capture_output=True, text=True,
                              check=False)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for title in ("IOPS: ", "Throughput, 1024 KiB: ", "Throughput, 128 KiB: ", "Latency: ", "Write saturation: "):
            self.assertIn(title, said.stdout)
        self.assertEqual((out / "pts.html").read_text().count("<svg"), 4 + 2 + 2 + 4 + 1)
        found = pts.Report(out)
        self.assertEqual(found["iops"].matrix().shape, (8, 7))
        self.assertEqual(found["latency"].matrix().shape, (3, 3))
        for test in found.tests:
            if test.name != "saturation":
                self.assertEqual(test.steady, test.facts["steady"], "the executable stopped by the same criterion")
                self.assertEqual(test.last, test.rounds)
        self.assertEqual(set(found["iops"].figures()), {"convergence", "window", "2d", "3d"})


if __name__ == "__main__":
    unittest.main()
