# SPDX-License-Identifier: Apache-2.0
"""The command `solidtlm`."""
import contextlib
import json
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from solidtlm.__main__ import _HELP
from solidtlm.tests.support import CHANNELS, LOAD, InFolder


def simulates(process):
    """Whether a child of the process simulates, instead of checking a command line."""
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # has just ended
            for child in (task / "children").read_text().split():
                if b"--quiet" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
    return False


class Command(InFolder):
    def solidtlm(self, *arguments, code=0):
        """Runs the command; returns its standard output and standard error."""
        run = subprocess.run([sys.executable, "-m", "solidtlm", *arguments], cwd=self.folder, capture_output=True,
                             text=True, check=False, timeout=120)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def test_every_command_of_the_help_exists(self):
        self.assertEqual(self.solidtlm("--help"), _HELP)
        self.assertEqual(self.solidtlm(), _HELP)
        commands = [line.split()[0] for line in _HELP.splitlines() if re.match("    [a-z]", line)]
        self.assertGreater(len(commands), 10)
        for each in commands:
            self.assertGreater(len(self.solidtlm(each, "--help")), 40)
        self.assertLessEqual(max(map(len, _HELP.splitlines())), 100)
        self.assertIn("solidtlm sweep nand.geometry.channels=1,2", self.solidtlm("sweep", "--help"))
        self.assertIn("Usage: solidtlm presets", self.solidtlm("presets", "--help"))

    def test_run(self):
        said = self.solidtlm("run", "--preset", "tiny", "--workload", LOAD, "--out", "out")
        self.assertIn("MB/s", said)
        self.assertEqual(json.loads((self.folder / "out" / "result.json").read_text())["host"]["completed"], 400)
        self.assertIn("did you mean random?", self.solidtlm("run", "--workload", "randm", code=2))

    def test_studies(self):
        self.assertEqual(self.solidtlm("study").split(),
                         ["btree", "contention", "dedup", "endurance", "fragmentation", "gallery", "map_cache", "pts",
                          "slc_cache", "striping", "trim"])
        self.assertIn("did you mean striping?", self.solidtlm("study", "stripin", code=2))
        self.assertIn("Usage: tb_trim", self.solidtlm("study", "trim", "--help"))
        self.assertIn("solidtlm study striping --channels", self.solidtlm("study", "--help"))

    def test_compare(self):
        (self.folder / "a.toml").write_text("[nand.geometry]\nchannels = 1\n")
        said = self.solidtlm("compare", "a.toml", "--preset", "tiny", "--workload", LOAD)
        self.assertIn("base to a: us of the mean command", said)
        self.assertIn("found nothing to compare; allowed: DRIVE.toml...", self.solidtlm("compare", code=2))

    def test_compare_with_a_saved_result(self):
        for channels in (1, 2):
            self.solidtlm("run", "--preset", "tiny", "--workload", LOAD, "--out", f"out{channels}",
                          "--set", f"{CHANNELS}={channels}")
        said = self.solidtlm("compare", "out1", "--set", f"{CHANNELS}=2")
        self.assertIn("config.nand.geometry.channels: found 2, saved 1", said)
        again = self.solidtlm("compare", "out1/result.json", "out2/result.json")
        def without_wall_times(text):
            return [re.sub(r"^(drive: .*) \(.*", r"\1", line) for line in text.splitlines()[1:]]
        self.assertEqual(without_wall_times(again), without_wall_times(said))
        self.assertIn("allowed: DRIVE.toml..., or OLD.json [NEW.json]",
                      self.solidtlm("compare", "out1/result.json", "a.toml", code=2))

    def test_rerun(self):
        self.solidtlm("run", "--preset", "tiny", "--workload", LOAD, "--out", "out")
        self.assertIn("the same result as out/result.json\n", self.solidtlm("rerun", "out"))
        self.assertIn("the same result as out/result.json\n", self.solidtlm("rerun", "out/result.json"))
        self.assertIn("host.", self.solidtlm("rerun", "out", "--queue-depth", "1", code=1))
        self.assertIn("found 0 results; allowed: RESULT.json", self.solidtlm("rerun", code=2))
        (self.folder / "a.json").write_text("{}")
        self.assertIn("a.json: found JSON of another kind; allowed: a result.json",
                      self.solidtlm("rerun", "a.json", code=2))
        (self.folder / "d.json").write_bytes(b"\xff{")
        self.assertEqual(self.solidtlm("rerun", "d.json", code=2), "error: d.json: found no JSON; allowed: a result.json\n")
        (self.folder / "c.json").write_text('{"scenario": "../sh"}')
        self.assertIn("c.json: found a result of ../sh; allowed", self.solidtlm("rerun", "c.json", code=2))
        self.assertEqual(self.solidtlm("rerun", "b.json", code=2),
                         "error: b.json: found no result: No such file or directory\n")

    def test_what_there_is(self):
        self.assertIn("tiny ", self.solidtlm("presets"))
        self.assertIn("blkparse\n", self.solidtlm("formats"))
        self.assertEqual(self.solidtlm("keys", "geometry", "chan").split()[0], CHANNELS)
        self.assertIn("did you mean", self.solidtlm("keys", "nand.geometry.chanels", code=2))
        self.assertRegex(self.solidtlm("version"), r"^solidtlm \d")

    def test_sweep(self):
        arguments = ("sweep", f"{CHANNELS}=1,2", "queue_depth=1,8", "--preset=tiny", "--workload", LOAD,
                     "--set", "nand.geometry.dies=2", "--set", "content=none", "--store", "store")
        self.assertEqual(len(self.solidtlm(*arguments).splitlines()), 5)
        table = self.solidtlm(*arguments, "--csv").splitlines()
        self.assertTrue(table[0].startswith(f"{CHANNELS},queue_depth,throughput,"), table[0])
        self.assertTrue(table[4].startswith("2,8,"), table[4])
        self.assertIn("did you mean nand.geometry.channels?", self.solidtlm("sweep", "nand.geometry.chanels=1", code=2))
        self.assertIn("allowed: KEY=V,V...", self.solidtlm("sweep", "channels", code=2))
        self.assertIn("found nothing to vary", self.solidtlm("sweep", code=2))
        for option, value, allowed in (("jobs", "0", "1 or more"), ("jobs", "x", "1 or more"),
                                       ("timeout", "-1", "seconds, more than 0"), ("timeout", "x", "seconds, more than 0")):
            for command in (("sweep", "seed=1"), ("study", "trim", "--store", "store")):
                self.assertEqual(self.solidtlm(*command, f"--{option}", value, code=2),
                                 f"error: --{option}: found {value}; allowed: {allowed}\n")

    def test_a_command_that_there_is_not(self):
        self.assertIn("found the command serch; did you mean search?", self.solidtlm("serch", code=2))
        self.assertIn("such as solidtlm run --workload ...", self.solidtlm("--workload", "random", code=2))

    def test_a_signal_ends_a_sweep_in_order(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            sweep = subprocess.Popen([sys.executable, "-m", "solidtlm", "sweep", "seed=1,2,3,4", "--preset", "tiny",
                                      "--workload", "random,read=0.7,count=100M", "--store", number.name, "--jobs", "2"],
                                     cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 60
            while not simulates(sweep.pid) and time.monotonic() < deadline:
                time.sleep(0.02)
            sweep.send_signal(number)  # only to it; a terminal would also send it to its runs
            try:
                said = sweep.communicate(timeout=60)
            finally:
                sweep.kill()
            self.assertEqual((sweep.returncode, *said),
                             (code, "", "error: interrupted; what has been computed is kept\n"))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([sys.executable, "-m", "solidtlm", "keys"], stdout=full, stderr=subprocess.PIPE,
                                 text=True, check=False, timeout=120)
        self.assertEqual((run.returncode, run.stderr), (1, "error: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
