# SPDX-License-Identifier: Apache-2.0
"""Frames, plots and pages, which need packages. A test whose package is missing is skipped."""
import importlib.util
import io
import subprocess
import sys
import unittest
from unittest import mock

import solidtlm as st
from solidtlm import recorded
from solidtlm.tests.support import CHANNELS, LOAD, InFolder


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name.split(".")[0]) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} is missing")


class Frames(InFolder):
    def setUp(self):
        super().setUp()
        self.result = st.run(preset="tiny", workload=LOAD)

    @needs("arro3")
    def test_arrow(self):
        table = self.result.latency.to_arrow()
        self.assertEqual(table.num_rows, 3)
        self.assertEqual(table["operation"].to_pylist(), ["all", "read", "write"])
        self.assertEqual(table["p99"].to_pylist(), self.result.latency["p99"])
        self.assertIn("Int64", str(table.schema.field("count").type))
        mixed = st.Table([{"a": True, "b": 1, "c": None}, {"a": None, "b": 2.5, "c": "x"}]).to_arrow()
        self.assertEqual([mixed[name].to_pylist() for name in "abc"], [[True, None], [1.0, 2.5], [None, "x"]])

    @needs("arro3")
    def test_every_command_as_arrow(self):
        table = self.result.commands().to_arrow()
        self.assertEqual(table.num_rows, self.result.host.completed)
        self.assertIn("Utf8", str(table.schema.field("operation").type))
        latencies = table["latency_ps"].to_pylist()
        self.assertAlmostEqual(sum(latencies) / len(latencies) / 1e6, self.result["mean"], 6)

    @needs("arro3")
    def test_tables_as_parquet(self):
        options = {"preset": "tiny", "workload": LOAD}
        files = {name: self.folder / f"{name}.parquet" for name in ("commands", "decisions")}
        written = st.run(**options, **files)
        self.assertEqual(written.commands().columns, self.result.commands().columns)
        self.assertEqual(written.decisions().columns, self.result.decisions().columns)
        self.assertGreater(len(written.decisions()), 0)
        said = subprocess.run([sys.executable, "-m", "solidtlm", "run", "--preset", "tiny", "--workload", LOAD,
                               f"--commands={self.folder}/again.parquet"], capture_output=True, text=True, check=False)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertEqual(recorded.read(self.folder / "again.parquet").columns, self.result.commands().columns)

    def test_tables_in_each_form(self):
        read = {}
        for form in ("csv", "columns"):
            files = {name: self.folder / f"{name}.{form}" for name in ("commands", "decisions")}
            st.run(preset="tiny", workload="random,read=0,count=500", precondition="fill=1", **files)
            read[form] = {name: recorded.read(file).columns for name, file in files.items()}
        self.assertEqual(read["csv"], read["columns"])
        self.assertEqual(len(read["columns"]["commands"]["number"]), 500)
        self.assertIn(None, read["columns"]["decisions"]["page"])

    @needs("arro3")
    def test_no_parquet_without_a_run(self):
        before = sorted(self.folder.iterdir())
        with self.assertRaisesRegex(st.UserError, "did you mean random?"):
            st.run(preset="tiny", workload="randm", commands=self.folder / "c.parquet")
        with self.assertRaisesRegex(st.RunFailed, "not finished after"):
            st.run(preset="tiny", workload="random,read=0,count=200000", timeout=0.05,
                   commands=self.folder / "c.parquet")
        with self.assertRaisesRegex(st.UserError, "cannot write /proc/none/c.parquet: No such file"):
            st.run(preset="tiny", workload=LOAD, commands="/proc/none/c.parquet")
        self.assertEqual(sorted(self.folder.iterdir()), before)

    @needs("pandas")
    def test_pandas(self):
        frame = self.result.ledger.to_pandas()
        self.assertAlmostEqual(frame["all"].sum(), self.result["mean"], 3)
        self.assertEqual(len(st.sweep({CHANNELS: [1, 2]}, preset="tiny", workload=LOAD,
                                      store=self.folder).to_pandas()), 2)

    @needs("polars")
    def test_polars(self):
        self.assertEqual(self.result.latency.to_polars()["count"].to_list(), self.result.latency["count"])
        mixed = st.Table([{"a": 1, "b": None}, {"a": 2.5, "b": "x"}]).to_polars()
        self.assertEqual((mixed["a"].to_list(), mixed["b"].to_list()), ([1.0, 2.5], [None, "x"]))

    @needs("matplotlib")
    def test_plots(self):
        figure = self.result.plot()
        self.assertEqual([axes.get_ylabel() for axes in figure.axes], ["us on average", "share", "MB/s"])
        tops = {}
        for bar in figure.axes[0].patches:
            tops[bar.get_x()] = max(tops.get(bar.get_x(), 0), bar.get_y() + bar.get_height())
        self.assertAlmostEqual(tops[min(tops)], self.result["mean"], delta=0.05 * self.result["mean"])
        out = io.BytesIO()
        figure.savefig(out)
        self.assertGreater(len(out.getvalue()), 10_000)
        sweep = st.sweep({CHANNELS: [1, 2], "queue_depth": [1, 8]}, preset="tiny", workload=LOAD, store=self.folder)
        axes = sweep.plot("p99").axes[0]
        self.assertEqual([line.get_label() for line in axes.lines], ["queue_depth 1", "queue_depth 8"])
        self.assertEqual(list(axes.lines[1].get_ydata()), sweep["p99"][1::2])

    def test_a_package_that_is_missing(self):
        with mock.patch.dict("sys.modules", {"pandas": None, "matplotlib.figure": None, "arro3.core": None}):
            for call, said in ((self.result.ledger.to_pandas, "pandas: pip install 'solidtlm\\[frames\\]'"),
                               (self.result.ledger.to_arrow, "arro3: pip install 'solidtlm\\[arrow\\]'"),
                               (self.result.plot, "matplotlib: pip install 'solidtlm\\[plot\\]'")):
                with self.assertRaisesRegex(st.MissingPackage, said):
                    call()


if __name__ == "__main__":
    unittest.main()
