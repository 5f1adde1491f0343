# SPDX-License-Identifier: Apache-2.0
"""With the real executable (EXPLORE_BIN): the explorer's configuration of a point is that of the executable, and
the commands shown for a point give the same result again."""
import json
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from solidtlm.explore.program import Drives, Program, setting, toml_of
from solidtlm.explore.tests.support import TESTBENCH

PROGRAM = Path(os.environ.get("EXPLORE_BIN") or "nowhere") / "tb_replay"
STUDY = """\
precondition = "fill=1,random=0.2"
[base]
set = { content = "none", nand.geometry.blocks = 24, nand.geometry.pages = 32, ssd.over_provisioning = 0.4 }
[space]
"nand.geometry.channels" = [1, 2, 4]
"nand.timing.read" = [["50us"], ["40us", "60us"]]
[[workload]]
spec = "random,read=0.7"
[objectives]
latency = "minimise p99"
speed = "maximise throughput"
[search]
rungs = [300]
[budget]
runs = 4
"""


@unittest.skipUnless(PROGRAM.exists(), "there is no tb_replay")
class RealDrives(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_configurations_of_points(self):
        program, chance = Program(PROGRAM), random.Random(1)
        base, _ = program.configuration([])
        drives = Drives(program, [], base)
        space = {"nand.geometry.channels": [1, 2, 16], "nand.geometry.page_size": ["4KiB", "16384"],
                 "firmware.unit": ["4k", "32KiB"], "nand.timing.read": [["50us"], ["40us", "60us"]],
                 "ssd.capacity": ["1GiB", "4GB"], "ssd.over_provisioning": [0.1, 0.28], "dram.size": ["1MiB", "1GiB"],
                 "firmware.gc.copy_back": [True, False], "core.frequency_mhz": [400, 800.0]}
        there = 0
        for _ in range(25):
            settings = {key: chance.choice(values) for key, values in space.items() if chance.random() < 0.5}
            options = [part for pair in settings.items() for part in ("--set", setting(*pair))]
            found, errors = program.configuration(options)
            effective, why_not = drives.effective(settings)
            if found is not None:
                there += 1
                self.assertEqual(effective, found, settings)
                (self.folder / "drive.toml").write_text(toml_of(found))
                self.assertEqual(program.configuration(["--config", str(self.folder / "drive.toml")])[0], found)
            elif effective is None:
                self.assertEqual(why_not, "; ".join(errors))
        self.assertGreater(there, 5)

    def test_a_point_can_be_run_again(self):
        (self.folder / "study.toml").write_text(STUDY)
        environment = {**os.environ, "PYTHONPATH": str(TESTBENCH), "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.run([os.sys.executable, "-m", "solidtlm.explorer", "run", "study.toml", "--bin", str(PROGRAM.parent),
                              "--store", "store", "--out", "out"], cwd=self.folder, env=environment, check=False,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        html = (self.folder / "out" / "explore.html").read_text()
        data = json.loads(html.split('id="data">')[1].split("</script>")[0].replace("<\\/", "</"))
        point = next(each for each in data["points"] if each["front"])
        command = shlex.split(point["commands"][0])
        workload = command[command.index("--workload"):]
        for arguments in (command[1:], ["--config", f"out/{point['drive']}", *workload]):
            subprocess.run([PROGRAM, *arguments, "--quiet", "--out", "again"], cwd=self.folder, check=True, timeout=60)
            host = json.loads((self.folder / "again" / "result.json").read_text())["host"]
            self.assertAlmostEqual(host["latency_us"]["p99"], point["values"][0], 1)
            self.assertAlmostEqual(host["mb_per_s"], point["values"][1], 2)


if __name__ == "__main__":
    unittest.main()
