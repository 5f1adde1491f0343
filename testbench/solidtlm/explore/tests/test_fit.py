# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements: paths, parameters, and the search, with a drive in closed form and a real one."""
import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from solidtlm.explorer import Interrupted
from solidtlm.explore.fit import paths
from solidtlm.explore.fit.parameters import Parameter, arguments_of
from solidtlm.explore.space import SpaceError
from solidtlm.explore.tests.support import InFolder

kRoot = Path(__file__).resolve().parents[4]

# The stub: p99 = 4000 us / (channels x dies), twice that with half of the write buffer; seed 1 is exact to 1 %.
FIT = """\
title = "Stub"

[space]
nand.geometry.channels = [1, 2, 4, 8, 16]
nand.geometry.dies = [1, 2, 4, 8]

[[run]]
name = "given"
arguments = ["--workload", "random,count=100"]

[[run]]
name = "half"
arguments = ["--workload", "random,count=100"]
set = { firmware.write_buffer.size = "8MiB" }

[[measurement]]
run = "given"
name = "p99"
value = "p99"
found = 250
tolerance = "5%"

[[measurement]]
run = "given"
name = "channels against dies"
value = "nand.geometry.channels / nand.geometry.dies"
at_most = 1
tolerance = 0.01

[[measurement]]
run = "half"
name = "p99 with half of the buffer"
value = "p99"
tolerance = "5us"
"""


class Paths(unittest.TestCase):
    RESULT = {"host": {"iops": 5}, "points": [
        {"parameters": {"load": "a", "rule": True, "bytes": 512}, "derived": {"x": 1.5}},
        {"parameters": {"load": "a", "rule": False, "bytes": 512}, "derived": {"x": 2.5}}]}

    def test_numbers(self):
        self.assertEqual(paths.number_at(self.RESULT, "host.iops"), 5)
        self.assertEqual(paths.number_at(self.RESULT, "points[load=a,rule=false].derived.x"), 2.5)
        self.assertEqual(paths.number_at(self.RESULT, "points[rule=true, bytes=512].derived.x"), 1.5)

    def test_what_leads_nowhere_says_where(self):
        for path, words in (("host.ips", "no ips"), ("points[load=a].derived.x", "2 of 2 points are like that"),
                            ("points[load=b].derived.x", "0 of 2"), ("points.derived", "no derived"),
                            ("host[a=b]", "no list"), ("host", "no number"), ("points[load].x", "other than KEY=VALUE"),
                            ("", "cannot be read"), ("host.", "cannot be read"), ("a[b", "cannot be read")):
            with self.assertRaises(paths.PathError) as caught:
                paths.number_at(self.RESULT, path)
            self.assertIn(words, str(caught.exception), path)


class Parameters(unittest.TestCase):
    def test_ranges_are_logarithmic_above_zero(self):
        time = Parameter.of_range("t", {"from": "10us", "to": "1ms"})
        self.assertEqual([time.value(at) for at in (0.0, 0.5, 1.0)], ["10us", "100us", "1000us"])
        share = Parameter.of_range("s", {"from": 0.0, "to": 0.5})
        self.assertEqual([share.value(at) for at in (0.0, 0.5, 1.0)], [0.0, 0.25, 0.5])

    def test_durations_are_whole_picoseconds_and_counts_whole(self):
        self.assertEqual(Parameter.of_range("t", {"from": "1ns", "to": "30ns"}).value(0.5), "5.477ns")  # sqrt(30)
        self.assertEqual(Parameter.of_range("n", {"from": 1, "to": 100}).value(0.4), 6)  # 100^0.4 = 6.31
        self.assertEqual(Parameter.of_range("b", {"from": "4KiB", "to": "1MiB"}).value(0.5), 65536)

    def test_a_long_list_is_a_range_of_its_values(self):
        dwords = Parameter("d", values=list(range(20, 401)), ordered=True)
        self.assertTrue(dwords.continuous)
        self.assertEqual([dwords.value(at) for at in (0.0, 0.5, 1.0)], [20, 210, 400])
        self.assertNotEqual(dwords.value(0.5), dwords.value(0.5 + dwords.step))

    def test_refused(self):
        for table in ({"from": "2us", "to": "1us"}, {"from": "fast", "to": "1us"}, {"from": True, "to": 2}):
            with self.assertRaises(SpaceError):
                Parameter.of_range("t", table)

    def test_keys_options_and_words(self):
        parameters = [Parameter("a.b", values=[True, False]), Parameter("--log-blocks", values=[8]),
                      Parameter("--pin-root", values=[True, False]), Parameter("idle", word=True, values=["1ms"])]
        self.assertEqual(arguments_of(parameters, (1, 0, 0, 0), ["--workload", "webvm,idle={idle}"]),
                         ["--workload", "webvm,idle=1ms", "--set", "a.b=false", "--log-blocks", "8", "--pin-root"])
        self.assertEqual(arguments_of(parameters, (0, 0, 1, 0), []), ["--set", "a.b=true", "--log-blocks", "8"])


class Fit(InFolder):
    def fit(self, text, *more, code=0):
        (self.folder / "study.toml").write_text(text)
        out, error = self.explore("fit", *more, code=code)
        found = self.folder / "out" / "fit" / "study" / "fit.json"
        return out + error, json.loads(found.read_text()) if found.exists() else None

    def test_every_consistent_set_is_found(self):
        text, found = self.fit(FIT)
        # 4000 / 250 = 16 dies in total, with no more channels than dies: 2 x 8 and 4 x 4, by hand.
        self.assertEqual((found["consistent"], found["sets"]), (2, 20))
        self.assertIn("consistent with 2 of 20 sets tried", text)
        self.assertIn("20 combinations; all of them", text)
        self.assertRegex(text, r"nand.geometry.channels +\S+ +2, 4 +1, 2, 4, 8, 16")
        rows = (self.folder / "out/fit/study/sets.csv").read_text().splitlines()
        self.assertEqual(len(rows), 21)

    def test_a_second_fit_starts_nothing(self):
        self.fit(FIT)
        before = self.runs()
        self.fit(FIT)
        self.assertEqual(self.runs(), before)
        text, found = self.fit(FIT.replace("found = 250", "found = 500"))  # judged again; two sets can be distinguished
        self.assertLessEqual(self.runs(), before + 2)
        self.assertEqual(found["consistent"], 2, text)  # 8 dies: 1 x 8 and 2 x 4

    def test_a_folder_that_cannot_be_written_is_found_before_anything_is_computed(self):
        text, _ = self.fit(FIT, "--out", str(self.folder / "study.toml"), code=2)
        self.assertIn("error: --out: cannot write into", text)
        self.assertEqual(self.runs(), 0)

    def test_an_interrupted_fit_says_so(self):
        with mock.patch("solidtlm.explore.fit.command.FitSearch.run", side_effect=Interrupted(signal.SIGINT)):
            text, _ = self.fit(FIT, code=130)
        self.assertIn("error: interrupted; what has been computed is kept", text)

    def test_nothing_is_consistent(self):
        text, found = self.fit(FIT.replace("found = 250", "found = 300"))  # 13.3 dies
        self.assertEqual(found["consistent"], 0)
        self.assertIn("not consistent with anything tried (20 sets tried)", text)
        self.assertIn("each measurement alone:", text)

    def test_what_has_no_effect_is_named(self):
        text, _ = self.fit(FIT.replace("nand.geometry.dies =", "firmware.write_buffer.size = [\"16MiB\", \"32MiB\"]\n"
                                       "nand.geometry.dies ="))
        self.assertIn("without effect on any measurement: firmware.write_buffer.size\n", text)

    def test_what_to_measure_next(self):
        """Two sets that agree in the measured values differ in others."""
        text, _ = self.fit(FIT)
        self.assertRegex(text, r"p99 with half of the buffer \(not measured yet\) +\d")

    def test_mistakes_are_found_before_anything_runs(self):
        cases = (
            ("nand.geometry.dies = ", "nand.geometry.dyes = ", "study.toml:5: space: nand.geometry.dyes: unknown key; "
             "did you mean nand.geometry.dies?"),
            ("[1, 2, 4, 8]", "[1, 2, 4, 80]", "nand.geometry.dies: found 80"),
            ("[1, 2, 4, 8]", "{ from = 8, to = 2 }", "from 8 is not below to 2"),
            ("[1, 2, 4, 8]", "{ values = [1], when = { content = \"none\" } }", "has a condition"),
            ('run = "half"', 'run = "hlf"', "run = 'hlf'; allowed: one of given, half"),
            ('value = "p99"', 'value = "p9 9"', "measurement: p99: cannot be read"),
            ("found = 250", "found = \"much\"", "found = 'much'; allowed: a number"),
            ("found = 250", "found = 250\nat_least = 2", "has found and at_least"),
            ('tolerance = "5%"', "tolerance = 0", "tolerance = 0; allowed: a number above 0"),
            ('tolerance = "5%"', "tolerace = 1", "tolerace: unknown; did you mean tolerance?"),
            ("random,count=100\"]", "random,idle={idle}\"]", "{idle} stands in the arguments of a run"),
            ('name = "half"', 'name = "given"', "run: two are named given"),
            ('name = "half"', 'executable = "tb_repaly"', "did you mean tb_replay?"),
            ("[[run]]", "[search]\ndesing = 3\n[[run]]", "search: desing: unknown; did you mean design?"),
        )
        for old, new, words in cases:
            self.assertIn(old, FIT)
            text, _ = self.fit(FIT.replace(old, new, 1), code=2)
            self.assertIn(words, text)
            self.assertEqual(self.runs(), 0, new)

    def test_names_and_paths_are_checked_with_one_set(self):
        for old, new, words in (('value = "p99"', 'value = "p98"', "p98 has no value here"),
                                ('value = "p99"', 'value = "a"\nwhere = { a = "host.ips" }', "there is no ips")):
            text, _ = self.fit(FIT.replace(old, new, 1), code=2)
            self.assertIn(words, text)
        self.assertLessEqual(self.runs(), 2)

    def test_ranges_and_lists_by_turns(self):
        """A closed form with a minimum that neither a design of 8 nor steps along the lists find alone."""
        text, found = self.fit(FIT.replace("[1, 2, 4, 8]", "{ from = 1, to = 64, step = 1 }")
                               .replace("found = 250", "found = 100").replace("5%", "1.1%")
                               + "\n[search]\ndesign = 8\n")
        # 40 dies in total; not 3 x anything (it stalls), and at most as many channels as dies: 1 x 40, 2 x 20
        # or 4 x 10.
        self.assertGreater(found["consistent"], 0, text)
        self.assertEqual(int(found["best"]["parameters"]["nand.geometry.channels"])
                         * int(found["best"]["parameters"]["nand.geometry.dies"]), 40, text)


class OwnDrive(InFolder):
    """A simulated drive is fitted from its own measurements: its parameters are found."""

    def test_recovered_within_two_percent(self):
        program = Path(os.environ.get("EXPLORE_BIN", "")) / "tb_replay"
        if not program.is_file():
            self.skipTest("no tb_replay")
        run = subprocess.run([sys.executable, "-m", "solidtlm.explorer", "fit", kRoot / "scripts/fits/own-drive.toml", "--bin",
                              program.parent, "--store", "store"], cwd=self.folder, env=self.environment(),
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        best = json.loads((self.folder / "out/fit/own-drive/fit.json").read_text())["best"]["parameters"]
        self.assertEqual(best["nand.geometry.dies"], 4)
        for name, unit, value in (("nand.timing.read", "us", 61), ("nand.timing.program", "us", 730),
                                  ("nand.bus.byte_time", "ns", 3.6), ("sata.turnaround_dwords", "", 140)):
            self.assertAlmostEqual(float(str(best[name]).removesuffix(unit)), value, delta=0.02 * value, msg=name)


if __name__ == "__main__":
    unittest.main()
