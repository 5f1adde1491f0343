# SPDX-License-Identifier: Apache-2.0
"""Fits of a drive's folder: which figures are taken, what the model cannot produce, figures kept out, and values written
back."""
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

from solidtlm.explore.fit import folder
from solidtlm.explore.fit.report import _kept_out, drives_of
from solidtlm.explore.fit.search import KeptOut
from solidtlm.explore.fit.study import Measurement, read_fit
from solidtlm.explore.mistakes import StudyError
from solidtlm.explore.tests.support import InFolder
from solidtlm.explore.tests.test_fit import FIT

DRIVE = """\
title = "Mine"

[values]
"nand.geometry.dies" = { is = 2, guessed = "two packages", range = [1, 4] }
"nand.geometry.pages" = { is = 512, guessed = "64 layers", range = [256, 768] }
"nand.timing.read" = { is = "50us", guessed = "usual", range = ["30us", "120us"] }  # to be fitted
"nand.bus.interface" = { is = "nv_ddr3", guessed = "ONFI 4", range = ["nv_ddr3"] }
"nand.timing.erase" = { is = "3ms", published = "data sheet" }

[scale]
"nand.geometry.pages" = 16
"""
HOST = """\
title = "My PC"

[values]
"host.interrupt_latency" = { is = "5us", guessed = "not known", range = ["20us", "1us"], mechanism = "interrupt_latency" }
"scheduler" = { is = "deadline", guessed = "usual", range = ["fifo"] }
"""
# reads of a Samsung PM883 on an IBM M1015, as they were published
OWN = """\
host = "pc"
source = "fio"

[[test]]
name = "reads"
load = "random,read=1,size=4k"
columns = ["depth", "iops", "mean_us"]
figures = [[64, 45408.89, 1401], [1, 6389.44, 143], [2, 11626.69, 160], [4, 21028.3, 177], [8, 34732.3, 219], [16, 45389.34, 342], [32, 45404.54, 695]]

[[test]]
name = "stream"
load = "sequential,read=0,size=128k"
columns = ["depth", "mb_per_s"]
figures = [[32, 195]]

[[test]]
name = "latency"
load = "sequential,read=0,size=4k"
columns = ["depth", "mean_us"]
figures = [[1, 38]]
"""


class Folder(unittest.TestCase):
    def setUp(self):
        outer = tempfile.TemporaryDirectory(prefix="fit_folder_test.")
        self.addCleanup(outer.cleanup)
        self.folder = Path(outer.name) / "my-drive"
        self.folder.mkdir()
        for name, text in (("drive.toml", DRIVE), ("host-pc.toml", HOST), ("own.toml", OWN)):
            (self.folder / name).write_text(text)

    def mistakes(self, text):
        (self.folder / "fit.toml").write_text(text)
        return "\n".join(read_fit(self.folder)[1])

    def test_depth_1_and_2_knee_and_plateau(self):
        reads = folder.curves(self.folder)["own/reads"]
        # 45,409 a second are 7.1 times 6,389: single requests and the plateau meet near depth 8.
        self.assertEqual(reads.depths(), {1: "depth 1", 2: "depth 2", 8: "knee", 64: "plateau"})
        # From depth 2 on, 2 x 45,409 / 11,627 = 7.8.
        self.assertEqual(reads.depths([1]), {2: "depth 2", 8: "knee", 64: "plateau"})
        self.assertEqual(folder.curves(self.folder)["own/stream"].depths(), {32: "plateau"})
        self.assertNotIn("own/latency", folder.curves(self.folder))

    def test_what_is_guessed_is_unknown(self):
        self.assertEqual(folder.guesses(self.folder), {
            "nand.geometry.dies": [1, 2, 4], "nand.timing.read": {"from": "30us", "to": "120us"},
            "host.interrupt_latency": {"from": "1us", "to": "20us"}})

    def test_a_folder_is_a_fit(self):
        study, mistakes = read_fit(self.folder)
        self.assertEqual(list(mistakes), [])
        self.assertEqual(study.name, "my-drive")
        self.assertEqual([each.name for each in study.measurements], [
            *(f"my-drive/own/reads/{depth}/iops" for depth in (1, 2, 8, 64)), "my-drive/own/stream/32/mb_per_s"])
        self.assertEqual(study.measurements[0].tolerance, 0.02 * 6389.44)
        self.assertEqual({each.name for each in study.parameters},
                         {"nand.geometry.dies", "nand.timing.read", "host.interrupt_latency"})
        reads, _ = study.runs
        self.assertEqual(reads.executable, "tb_gallery")
        self.assertEqual(study.command(reads)[:5], [str(self.folder.resolve()), "--jobs", "1", "--only",
                                                    "my-drive/own/reads/1"])

    def test_its_own_file_names_curves_and_values(self):
        self.assertEqual(self.mistakes('[space]\nnand.timing.read = { from = "30us", to = "120us" }\n'
                                       '[[curve]]\ntest = "own/reads"\ntolerance = "1%"\nwithout = [1, 64]\n'), "")
        study, _ = read_fit(self.folder)
        self.assertEqual([(each.name, round(each.tolerance, 4)) for each in study.measurements], [
            ("my-drive/own/reads/2/iops", 116.2669), ("my-drive/own/reads/8/iops", 347.323),
            ("my-drive/own/reads/32/iops", 454.0454)])

    def test_refused(self):
        curve = '[[curve]]\ntest = "own/reads"\n'
        for text, words in (
                ('[[curve]]\ntest = "own/latency"\n', "allowed: CAMPAIGN/TEST of the folder with rates: own/reads, own/stream"),
                (curve + "without = [3]\n", "without = [3]; allowed: depths of own/reads, [1, 2, 4"),
                (curve + "tolerance = 0\n", "tolerance = 0; allowed: a number above 0"),
                (curve + "depth = 1\n", "depth: unknown"),
                ('[space]\nnand.geometry.pages = [16, 32]\n' + curve, "fit.toml:2: space: nand.geometry.pages is divided by"),
                ('[[curve]]\ntest = "own/stream"\n', "found 3 unknown values and 1 figures; allowed: no more values")):
            self.assertIn(words, self.mistakes(text), text)
        (self.folder / "host-other.toml").write_text(HOST)
        with self.assertRaises(StudyError) as caught:
            read_fit(self.folder)
        self.assertIn("host.interrupt_latency is guessed in host-other.toml too", str(caught.exception))
        with self.assertRaises(StudyError) as caught:
            read_fit(self.folder.parent)
        self.assertIn("found no drive.toml", str(caught.exception))

    def test_what_the_model_cannot_produce_is_refused(self):
        """Writes of the PM883 on the M1015: 2.43 times the rate at twice the depth."""
        (self.folder / "own.toml").write_text(OWN.replace("6389.44", "19812.22").replace("11626.69", "48163.01"))
        text = '[space]\nnand.geometry.dies = [1, 2]\n[[curve]]\ntest = "own/reads"\n'
        found = self.mistakes(text)
        self.assertIn("fit.toml:3: my-drive/own/reads/2/iops: found 2.43 times the rate of depth 1; the model has at most 2 "
                      "times. Missing is the time that drive and host take to wake up after a pause", found)
        self.assertIn("without = [1]", found)
        self.assertEqual(self.mistakes(text + "without = [1]\n"), "")
        self.assertEqual(self.mistakes(text + "tolerance = \"10%\"\n"), "", "2.43 x 0.9 / 1.1 is below 2")
        self.assertEqual(self.mistakes(text.replace("nand.geometry.dies = [1, 2]",
                                                    'sata.power.partial_after = ["0us", "1us"]')), "", "a link that wakes up")

    def test_ratios_of_hand_written_measurements_are_refused_too(self):
        def of(depth, found, value="x"):
            return (f'[[measurement]]\nname = "depth {depth}"\nvalue = "{value}"\nfound = {found}\ntolerance = "1%"\n'
                    f'where = {{ x = "points[test=t,depth={depth}].derived.iops" }}\n')

        space = '[base]\nexecutable = "tb_gallery"\n[space]\nnand.geometry.dies = [1, 2]\n'
        self.assertIn("fit.toml:11: depth 8: found 8.50 times the rate of depth 1; the model has at most 8 times",
                      self.mistakes(space + of(1, 100) + of(8, 850)))
        self.assertEqual(self.mistakes(space + of(1, 100) + of(8, 800)), "")
        self.assertEqual(self.mistakes(space + of(1, 100) + of(8, 850, "x / 2")), "", "a formula may be anything")

    def test_values_are_written_back(self):
        figures = ["my-drive/own/reads/1/iops", "my-drive/own/reads/1/mean_us"]
        done = folder.write_back(self.folder, {"nand.geometry.dies": 4, "nand.timing.read": "68.1us",
                                               "host.interrupt_latency": "9us", "dram.size": 1}, figures)
        self.assertEqual(done, {"nand.geometry.dies": "drive.toml", "nand.timing.read": "drive.toml",
                                "host.interrupt_latency": "host-pc.toml"})
        drive = tomllib.loads((self.folder / "drive.toml").read_text())
        self.assertEqual(drive["values"]["nand.timing.read"], {
            "is": "68.1us", "fitted": "fit; before: 50us, usual", "range": ["30us", "120us"], "figures": figures})
        self.assertEqual(drive["values"]["nand.geometry.dies"]["is"], 4)
        before = tomllib.loads(DRIVE)
        for unchanged in ("nand.geometry.pages", "nand.bus.interface", "nand.timing.erase"):
            self.assertEqual(drive["values"][unchanged], before["values"][unchanged])
        self.assertEqual(drive["scale"], before["scale"])
        host = tomllib.loads((self.folder / "host-pc.toml").read_text())["values"]
        self.assertEqual(host["host.interrupt_latency"]["mechanism"], "interrupt_latency")
        self.assertEqual(set(folder.guesses(self.folder)), set(), "what is fitted is no guess")
        folder.write_back(self.folder, {"nand.geometry.dies": 1}, figures)
        again = tomllib.loads((self.folder / "drive.toml").read_text())["values"]["nand.geometry.dies"]
        self.assertEqual((again["is"], again["fitted"]), (1, "fit; before: 2, two packages"))

    def test_what_is_fitted_counts_with_the_mean_that_follows_from_it(self):
        (self.folder / "fit.toml").write_text('[space]\nnand.geometry.dies = [1, 2]\n[[curve]]\ntest = "own/reads"\n'
                                              'without = [1, 2, 4, 8, 16, 32]\n[[curve]]\ntest = "own/stream"\n')
        self.assertEqual(read_fit(self.folder)[0].figures(), [
            "my-drive/own/reads/64/iops", "my-drive/own/reads/64/mean_us", "my-drive/own/stream/32/mb_per_s"])


class KeptOutFigures(InFolder):
    def fit(self, text):
        self.study(text)
        out, _ = self.explore("fit")
        return out, json.loads((self.folder / "out/fit/study/fit.json").read_text())

    # One unknown value, two measurements of the stub: p99 = 4000 us / (4 x dies), and twice that with half of the buffer.
    ONE = FIT.replace("nand.geometry.channels = [1, 2, 4, 8, 16]\n", "").replace(
        "[[measurement]]\nrun = \"given\"\nname = \"channels", "[[measurement]]\nrun = \"given\"\nname = \"dies").replace(
        'value = "nand.geometry.channels / nand.geometry.dies"\nat_most = 1', 'value = "nand.geometry.dies"\nat_least = 1')
    ONE = ONE.replace('title = "Stub"', 'title = "Stub"\n[base.set]\nnand.geometry.channels = 4')

    def test_each_is_predicted_by_the_others(self):
        text, found = self.fit(self.ONE.replace('value = "p99"\ntolerance = "5us"', 'value = "p99"\nfound = 500\ntolerance = "5us"'))
        self.assertEqual(set(found["kept_out"]), {"p99", "p99 with half of the buffer"}, "limits are not kept out")
        # 4 dies by either of them: 250 and 500 us.
        self.assertAlmostEqual(found["kept_out"]["p99"]["predicted"], 250, delta=2.5)
        self.assertAlmostEqual(found["kept_out"]["p99 with half of the buffer"]["predicted"], 500, delta=5)
        self.assertRegex(text, r"error of predictions: median \S+%, at most \S+%, bias \S+%, of 2 of 2")

    def test_two_that_do_not_agree_predict_each_other_wrongly(self):
        text, found = self.fit(self.ONE.replace('value = "p99"\ntolerance = "5us"', 'value = "p99"\nfound = 1000\ntolerance = "25us"'))
        self.assertAlmostEqual(found["kept_out"]["p99"]["predicted"], 500, delta=5, msg="2 dies")
        self.assertAlmostEqual(found["kept_out"]["p99 with half of the buffer"]["predicted"], 500, delta=5, msg="4 dies")
        self.assertRegex(text, r"\n  p99 +250 +\S+ +\+10[0-2]\.\d%")

    def test_no_more_measurements_than_values(self):
        text, found = self.fit(self.ONE)
        self.assertEqual(found["kept_out"], {})
        self.assertIn("found values: 1, unknown values: 1; none is left that the others could predict", text)

    def test_what_the_others_do_not_determine_is_no_prediction(self):
        wide = KeptOut(Measurement("a", None, None, {}, found=100.0), 100.0, 85.0, 106.0)
        near = KeptOut(Measurement("b", None, None, {}, found=100.0), 104.0, 95.0, 106.0)
        self.assertFalse(wide.determined)
        self.assertTrue(near.determined)
        self.assertAlmostEqual(near.error, 0.04)
        search = mock.Mock(parameters=[1], kept_out=[wide, near])
        measurer = mock.Mock(measured=[wide.measurement, near.measurement])
        text = "\n".join(_kept_out(search, measurer, {}))
        self.assertRegex(text, r"a +100 +not determined +- +85 to 106")
        self.assertRegex(text, r"b +100 +104 +\+4\.0% +95 to 106")
        self.assertIn("of 1 of 2", text)
        self.assertNotIn("  b ", "\n".join(_kept_out(search, measurer, {"b": "link"})))

    def test_the_best_drive_is_a_configuration_once_for_each_drive(self):
        def drives(*dies):
            runs = [mock.Mock() for _ in dies]
            for run, number in zip(runs, range(len(dies))):
                run.name = f"run {number}"
            results = {run.name: {"points": [{"result": {"config": {"seed": 1, "nand": {"geometry": {"dies": each}}}}}]}
                       for run, each in zip(runs, dies)}
            measurer = mock.Mock(measured=[mock.Mock(run=run) for run in runs])
            measurer.result = lambda _, run: results[run.name]
            return drives_of(mock.MagicMock(), measurer)

        self.assertEqual(drives(4, 4), {"best": "seed = 1\n\n[nand.geometry]\ndies = 4\n"})
        self.assertEqual(set(drives(4, 2)), {"best-run-0", "best-run-1"})

    def test_only_a_folder_can_be_written_back(self):
        self.study(FIT)
        _, error = self.explore("fit", "--write", code=2)
        self.assertIn("--write: found no [[curve]]", error)
        self.assertEqual(self.runs(), 0)


class OwnFolder(InFolder):
    """A model of the gallery is measured, its guesses are wrong, and the fit of its folder finds what it is."""

    def setUp(self):
        super().setUp()
        self.bin = Path(os.environ.get("EXPLORE_BIN", ""))
        if not (self.bin / "tb_gallery").is_file():
            self.skipTest("no tb_gallery")
        self.drive = self.folder / "my-drive"
        self.drive.mkdir()
        self.write("drive.toml", """\
title = "Mine"
base = "samsung-pm883"
[values]
"nand.geometry.channels" = { is = 2, published = "x" }
"nand.geometry.dies" = { is = 1, guessed = "x", range = [2, 3] }
"nand.timing.read" = { is = "50us", guessed = "x", range = ["40us", "120us"] }
[scale]
"nand.geometry.blocks" = 16
""")
        self.write("host-pc.toml", 'title = "PC"\n[values]\n"sata.generation" = { is = "gen3", published = "x" }\n'
                                   '"host.complete_time" = { is = "16us", published = "x" }\n')

    def write(self, name, text):
        (self.drive / name).write_text(text)

    def run_program(self, *arguments):
        run = subprocess.run([str(each) for each in arguments], cwd=self.folder, env=self.environment(),
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def measure(self, rates):
        def test(name, load, depths):
            rows = ", ".join(f"[{depth}, {rates.get((name, depth), 1000)}]" for depth in depths)
            return (f'[[test]]\nname = "{name}"\nload = "{load}"\nprecondition = "fill=0.05,random=0"\nrequests = 1500\n'
                    f'warm_up = 100\ncolumns = ["depth", "iops"]\nfigures = [{rows}]\n')

        self.write("own.toml", 'host = "pc"\nsource = "the model"\n'
                   + test("reads", "random,read=1,size=4k,range=0%-5%", (1, 2, 4, 8, 32)))

    def test_recovered_and_predicted(self):
        self.measure({})
        self.run_program(self.bin / "tb_gallery", "./my-drive/", "--set", "nand.geometry.dies=3", "--set",
                         "nand.timing.read=68us", "--out", "measured")
        points = json.loads((self.folder / "measured/result.json").read_text())["points"]
        self.measure({(each["parameters"]["test"], each["parameters"]["depth"]): each["derived"]["iops"] for each in points})
        text = self.run_program(sys.executable, "-m", "solidtlm.explorer", "fit", "my-drive", "--bin", self.bin, "--store",
                                "store", "--write", "--set", "search.design=12", "--set", "search.starts=2")
        found = json.loads((self.folder / "out/fit/my-drive/fit.json").read_text())
        self.assertEqual(found["best"]["parameters"]["nand.geometry.dies"], 3, text)
        read = float(found["best"]["parameters"]["nand.timing.read"].removesuffix("us"))
        self.assertAlmostEqual(read, 68, delta=0.02 * 68, msg=text)
        for name, each in found["kept_out"].items():
            self.assertAlmostEqual(each["predicted"] / each["found"], 1, delta=0.05, msg=name + text)
        # 62,500 reads a second are all that a processor with 16 us a read does.
        self.assertEqual(found["best"]["outside"], {"my-drive/own/reads/32/iops": "processor"}, text)
        self.assertIn("host or link decide these", text)
        # The drive is a file for other executables, and the folder has the values.
        self.run_program(self.bin / "tb_gallery", "./my-drive/", "--dry-run")
        drive = tomllib.loads((self.drive / "drive.toml").read_text())["values"]
        self.assertEqual(drive["nand.geometry.dies"]["is"], 3)
        self.assertIn("my-drive/own/reads/2/iops", drive["nand.geometry.dies"]["figures"])
        best = next((self.folder / "out/fit/my-drive").glob("best*.toml"))
        self.run_program(self.bin / "tb_replay", "--config", best, "--workload", "random,count=100", "--dry-run")
        shown = tomllib.loads(self.run_program(self.bin / "tb_replay", "--config", best, "--show-config"))
        self.assertEqual(shown["nand"]["geometry"]["dies"], 3)


if __name__ == "__main__":
    unittest.main()
