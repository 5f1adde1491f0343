# SPDX-License-Identifier: Apache-2.0
"""Studies whose points are run by the explorer."""
import json
import subprocess
import sys

import solidtlm as st
from solidtlm import places
from solidtlm.explore import packages
from solidtlm.explore.cluster import Cluster
from solidtlm.tests.support import InFolder

SWEEP = {"channels": "1,2", "dies": 1, "orders": "PCWD", "striping": "full", "allocation": "static",
         "requests": 200, "seed": 3}
ARGUMENTS = [part for name, value in SWEEP.items() for part in (f"--{name}", str(value))]
OTHER = ["--preset", "tiny", "--channels", "1,2", "--caches", "2k,whole", "--orders", "PCWD", "--dies", "2", "--depths",
         "4", "--requests", "200", "--set", "ssd.capacity=3MiB"]


def without_wall_times(values):
    if isinstance(values, list):
        return [without_wall_times(each) for each in values]
    if isinstance(values, dict):
        return {name: without_wall_times(each) for name, each in values.items() if "wall" not in name}
    return values


class Studies(InFolder):
    def study(self, **more):
        return st.study("striping", store=self.folder / "store", **{**SWEEP, **more})

    def expected(self, name="striping", arguments=ARGUMENTS):
        """The output of the executable: its tables and its result."""
        alone = self.folder / name
        said = subprocess.run([places.program(f"tb_{name}"), *arguments, "--out", alone], capture_output=True,
                              text=True, check=True).stdout
        return said, json.loads((alone / "result.json").read_text())

    def test_the_result_is_that_of_the_executable(self):
        ended = []
        found = self.study(progress=lambda *told: ended.append(told), jobs=2)
        self.assertEqual(ended, [(each, 8) for each in range(1, 9)])
        self.assertEqual(without_wall_times(found.to_dict()), without_wall_times(self.expected()[1]))
        ended.clear()
        self.study(channels="1,2,4", progress=lambda *told: ended.append(told))
        self.assertEqual(len(ended), 12, "points of another sweep are other runs")
        ended.clear()
        self.assertEqual(len(self.study(progress=lambda *told: ended.append(told)).points), 8)
        self.assertEqual(ended, [], "nothing is run twice")

    def test_mistakes(self):
        with self.assertRaises(st.UserError) as caught:
            self.study(channels="1,99", set={"nand.geometry.chanels": 1})
        self.assertEqual(len(caught.exception.messages), 2, caught.exception.messages)
        with self.assertRaisesRegex(st.UserError, "cannot write into /dev/null/store"):
            st.study("striping", store="/dev/null/store", **SWEEP)
        with self.assertRaisesRegex(st.RunFailed, "timeout: not finished after 0.001 s"):
            self.study(timeout=0.001)

    def test_on_a_scheduler_as_a_command(self):
        if packages.missing(packages.kForClusters):
            self.skipTest("Dask is missing")
        with Cluster(self.folder) as cluster:
            for name, arguments in (("striping", ARGUMENTS), ("contention", OTHER)):
                with self.subTest(name):
                    said, result = self.expected(name, arguments)
                    out = self.folder / f"{name}.out"
                    run = subprocess.run([sys.executable, "-m", "solidtlm", "study", name, *arguments, "--scheduler",
                                          cluster.address(), "--store", self.folder / "store", "--out", out],
                                         capture_output=True, text=True, check=False, timeout=120)
                    self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", said))
                    self.assertEqual(without_wall_times(json.loads((out / "result.json").read_text())),
                                     without_wall_times(result))
