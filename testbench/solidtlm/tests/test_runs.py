# SPDX-License-Identifier: Apache-2.0
"""Runs and results with only the standard library."""
import json
import subprocess
import sys
import traceback
import unittest
from pathlib import Path

import solidtlm as st
from solidtlm import places
from solidtlm.tests.support import CHANNELS, LOAD, InFolder


class Runs(InFolder):
    def test_the_result_is_that_of_the_executable(self):
        found = st.run(preset="tiny", set={CHANNELS: 4}, workload=LOAD, queue_depth=8, seed=5)
        arguments = ["--preset", "tiny", "--set", f"{CHANNELS}=4", "--workload", LOAD, "--queue-depth", "8",
                     "--seed", "5"]
        self.assertEqual(found.command, ["tb_replay", *arguments])
        subprocess.run([places.program("tb_replay"), *arguments, "--quiet", "--out", self.folder], check=True)
        expected = json.loads((self.folder / "result.json").read_text())
        for name in ("host", "ledger", "nand", "utilization"):
            self.assertEqual(found[name].to_dict(), expected[name])

    def test_files_are_kept_where_it_is_said(self):
        found = st.run(preset="tiny", workload=LOAD, out=self.folder / "out")
        self.assertIn("<html", (self.folder / "out" / "report.html").read_text())
        again = st.load(self.folder / "out")
        self.assertEqual(again.to_dict(), found.to_dict())
        again.save(self.folder / "saved.json")
        self.assertEqual(st.load(self.folder / "saved.json").host.iops, found.host.iops)
        with self.assertRaises(FileNotFoundError):
            st.load(self.folder / "saved.json").report()

    def test_files_that_are_not_kept_go_with_the_result(self):
        found = st.run(preset="tiny", workload=LOAD)
        folder = found.folder
        self.assertTrue((folder / "result.json").exists())
        self.assertIn("<iframe", found._repr_html_())
        del found
        self.assertFalse(folder.exists())

    def test_every_mistake_comes_in_one_error(self):
        with self.assertRaises(st.UserError) as caught:
            st.run(preset="tiny", set={"nand.geometry.chanels": 4}, workload="random,raed=1", queue_dept=3)
        self.assertEqual(len(caught.exception.messages), 3)
        for hint in ("did you mean nand.geometry.channels?", "did you mean read?",
                     "queue_dept: unknown argument; did you mean queue_depth?"):
            self.assertIn(hint, str(caught.exception))

    def test_a_mistake_shows_none_of_our_calls(self):
        for call, said in ((lambda: st.run(prest="tiny"), "prest: unknown argument; did you mean preset?"),
                           (lambda: st.run(preset="tiny", workload=LOAD, time_out=3),
                            "time_out: unknown argument; did you mean timeout?"),
                           (lambda: st.run(preset="tiny", xylophone=1), "xylophone: unknown argument"),
                           (lambda: st.sweep({CHANNELS: [1, 2]}, prest="tiny", store=str(self.folder / "store")),
                            "prest: unknown argument; did you mean preset?"),
                           (lambda: st.study("striping", chanels="1,2", store=str(self.folder / "store")),
                            "chanels: unknown argument; did you mean channels?"),
                           (lambda: st.show_config(preset="tny"), "did you mean tiny?")):
            with self.subTest(said):
                try:  # assertRaises() drops the traceback
                    call()
                    self.fail("no error")
                except st.UserError as error:
                    self.assertIn(said, str(error))
                    frames = [Path(each.filename).name for each in traceback.extract_tb(error.__traceback__)]
                    self.assertEqual(frames, [Path(__file__).name] * 2 + ["errors.py"])
                    self.assertIsNone(error.__cause__)
                    self.assertTrue(error.__suppress_context__)

    def test_a_run_that_fails(self):
        with self.assertRaises(st.RunFailed) as caught:
            st.run(preset="tiny", workload="random,read=0,count=200000", timeout=0.05)
        self.assertIn("not finished after 0.05 s", str(caught.exception))
        (self.folder / "file").write_text("")
        with self.assertRaises(st.SolidtlmError):
            st.run(preset="tiny", workload=LOAD, out=self.folder / "file")
        wearing_out = {"faults.lifetime.cycles": 2, "faults.lifetime.shape": 1000, "content": "none"}
        with self.assertRaises(st.RunFailed) as caught:
            st.run(preset="tiny", set=wearing_out, workload="random,read=0,count=60000")
        self.assertIn("commands failed", str(caught.exception))
        self.assertGreater(caught.exception.result.host.failed, 0)

    def test_a_study(self):
        found = st.run(program="tb_striping", orders="PCWD", striping="full", allocation="static", requests=200,
                       channels="1,2", dies=1)
        self.assertGreaterEqual(len(found.points), 2)
        self.assertGreater(found.points[0].host.iops, 0)

    def test_a_sample_trace(self):
        found = st.run(preset="tiny", trace=st.traces()["sample"], fit="wrap", limit=100)
        self.assertEqual(found.host.completed, 100)


class Results(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.result = st.run(preset="tiny", workload=LOAD)

    def test_names(self):
        result = self.result
        self.assertEqual(result["p99"], result.host.latency_us.p99)
        self.assertEqual(result["p99.9"], result.host.latency_us.p999)
        self.assertEqual(result["read_p99.9"], result.host.read.latency_us.p999)
        self.assertEqual(result["host.latency_us.p99.9"], result.host.latency_us.p999)
        self.assertEqual(result["firmware.ftl.free_superblocks"], result.firmware["ftl.free_superblocks"])
        self.assertEqual(result.metrics["host.read.count"], result.host.read.count)
        self.assertIn("host", dir(result))
        self.assertFalse(hasattr(result, "hots"))
        with self.assertRaisesRegex(KeyError, "did you mean host.latency_us.p99"):
            _ = result["host.latency_us.p98"]

    def test_the_ledger_adds_up_to_the_latency(self):
        self.assertAlmostEqual(sum(self.result.ledger["all"]), self.result["mean"], 3)
        self.assertAlmostEqual(sum(self.result.ledger["read"]), self.result.host.read.latency_us.mean, 3)
        self.assertEqual(self.result.limits[0][0],
                         max(self.result.ledger, key=lambda row: row["all"])["stage"])

    def test_tables(self):
        result = self.result
        self.assertEqual(result.latency["operation"], ["all", "read", "write"])
        self.assertEqual(result.latency["count"], [400, result.host.read.count, result.host.write.count])
        self.assertEqual(sum(result.distribution["read"]), result.host.read.count)
        self.assertEqual(sum(result.series["operations.read.commands"]), result.host.read.count)
        self.assertLess(result.series["from_us"][0], result.series["to_us"][0])
        self.assertIn("<td>write</td>", result.latency._repr_html_())
        self.assertIn("all", repr(result))

    def test_a_table_without_rows(self):
        table = st.Table([])
        self.assertEqual((table.names, len(table), table.to_csv(), repr(table)), ([], 0, "", ""))
        self.assertIn("<table>", table._repr_html_())

    def test_every_command(self):
        options = {"preset": "tiny", "workload": LOAD, "precondition": "fill=0.5,random=0"}
        result = st.run(**options, out=self.folder / "out")
        found = result.commands()
        self.assertEqual((len(found), found.names[:3]), (400, ["number", "request", "operation"]))
        self.assertEqual(found["operation"].count("read"), result.host.read.count)
        stages = [name for name in found.names if name.endswith("_ps")][4:]
        for row in found:
            self.assertEqual(sum(row[name] for name in stages), row["latency_ps"])
        for stage, us in zip(result.ledger["stage"], result.ledger["all"]):
            self.assertAlmostEqual(sum(found[f"{stage}_ps"]) / 400 / 1e6, us, 6)
        self.assertEqual(st.load(self.folder / "out").commands().columns, found.columns)
        file = self.folder / "commands.csv"
        written = st.run(**options, commands=file)
        self.assertTrue(file.is_file())
        file.write_text(file.read_text().splitlines()[0] + "\n")
        self.assertEqual((len(written.commands()), written.commands().names), (0, found.names), "it is not run again")
        with self.assertRaisesRegex(st.UserError, "of run\\(\\), sweep\\(\\) or load\\(\\)"):
            st.Result({}).commands()
        swept = st.sweep({"queue_depth": [1]}, preset="tiny", workload=LOAD, store=self.folder / "store").results[0]
        self.assertEqual(len(swept.commands()), 400)


class Imports(unittest.TestCase):
    def test_no_package_is_imported_unless_asked_for(self):
        code = ("import sys, solidtlm as st\n"
                f"st.run(preset='tiny', workload='{LOAD}').ledger\n"
                "others = {'arro3', 'dask', 'distributed', 'matplotlib', 'numpy', 'optuna', 'pandas', 'scipy'}\n"
                "sys.exit(bool(others & set(sys.modules)))")
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
