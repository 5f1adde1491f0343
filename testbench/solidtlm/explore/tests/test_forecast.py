# SPDX-License-Identifier: Apache-2.0
"""What `plan` says about the load, on the stub and on results that are made by hand."""
import os
import unittest
from pathlib import Path
from types import SimpleNamespace

from solidtlm.explore import forecast
from solidtlm.explore.program import Program
from solidtlm.explore.study import Workload
from solidtlm.explore.tests.support import STUDY, InFolder

PROGRAM = Path(os.environ.get("EXPLORE_BIN") or "nowhere") / "tb_replay"


class Queue(unittest.TestCase):
    def said(self, rate, depth=32, mean=100.0, waits=20.0, pacing="open"):
        """A drive that takes 80 us beside the 20 that a command waits in the host."""
        workload = Workload("load", f"random,arrival=exponential,rate={rate},read=0.5", options={"pacing": pacing})
        return forecast.queue_line(workload, {"host": {"latency_us": {"mean": mean}}, "parameters": {"queue_depth": depth},
                                              "ledger": {"stages_us": {"host_queue": waits}}})

    def test_littles_law(self):
        self.assertEqual(self.said("100k"), "100,000 per second x 80 us in the base drive = 8 commands under way; the host's "
                                            "queue holds 32")
        self.assertIn("= 20 commands under way; the host's queue holds 32: bursts will fill it", self.said("250k"))
        self.assertIn("= 56 commands under way; the host's queue holds 32, which limits the load to 400,000 per second: "
                      "raise workload.queue_depth", self.said("0.7M"))
        self.assertNotIn("limits", self.said("700k", depth=128))

    def test_loads_without_a_rate(self):
        self.assertEqual(self.said("100k", pacing="closed"), "")
        self.assertIsNone(forecast.rate_of(Workload("load", "random,interval=5us", options={"pacing": "open"})))
        self.assertEqual(forecast.rate_of(Workload("load", "random,rate=1500", options={"pacing": "open"})), 1500)


class Plans(InFolder):
    def load(self, study):
        self.study(study)
        out, _ = self.explore("plan")
        return [line for line in out.splitlines() if line.startswith("  load ")]

    def test_rounds(self):
        # A die of the stub fills superblocks of 2 planes of 256 pages of 16 KiB, and 1 KiB of a request is written: a
        # round is 8,192 requests per die. Of 1, 2, 4 and 8 dies, three rounds and 20 % of warm-up fit into 130,000 requests
        # for 1, 2 and 4: 0.2 * 130,000 + 3 * 4 * 8,192 = 124,304.
        study = STUDY.replace("[1, 2, 4, 6, 7, 8, 16]", "[1, 2]").replace("{ from = 1, to = 16 , step = 1 }", "[1, 4]")
        lines = self.load(study.replace("rungs = [100, 1000]", "rungs = [130000]"))
        self.assertEqual(lines, ["  load       random,read=0.7: a collection round takes 8,192 to 65,536 requests; at 25 % of the "
                                 "drives the last rung is too short to be judged if they collect (3 rounds of the largest: "
                                 "222,608 requests)"])
        lines = self.load(study.replace("rungs = [100, 1000]", "rungs = [250000]"))
        self.assertIn("the last rung measures 3 of every drive", lines[0])
        lines = self.load(study.replace("rungs = [100, 1000]", "rungs = [260000]").replace(
            'spec = "random,read=0.7"', 'spec = "random,read=0.7"\nwarm_up = "steady"'))
        self.assertIn("at 25 % of the drives", lines[0])  # a fourth round
        lines = self.load("until = { known = { p99 = '2%' } }\n" + study.replace("rungs = [100, 1000]", "rungs = [260000]"))
        self.assertIn("at 25 % of the drives", lines[0])

    def test_an_open_load(self):
        # The stub's base has 32 dies: p99 of 4,000 us * 1.01 / 32, and a mean of half of that, without a host queue.
        lines = self.load(STUDY.replace('"random,read=0.7"', '"random,read=0.7,rate=700k"\npacing = "open"'))
        self.assertIn("700,000 per second x 63.12 us in the base drive = 44.2 commands under way; the host's queue holds 32, "
                      "which limits the load to 506,931 per second", lines[0])


@unittest.skipUnless(PROGRAM.exists(), "there is no tb_replay")
class RealRuns(unittest.TestCase):
    def test_a_load_that_its_queue_limits(self):
        # A die of the tiny drive takes 350 us for a page; at 500k per second a queue of 4 is always full.
        study = SimpleNamespace(base_arguments=lambda: ["--preset", "tiny", "--set", "content=none"])
        load = Workload("load", "random,read=0,size=8k,rate=500k", options={"pacing": "open", "queue_depth": 4})
        line = forecast.queue_line(load, forecast.short_run(Program(PROGRAM), study, load))
        self.assertIn("the host's queue holds 4, which limits the load to", line)


if __name__ == "__main__":
    unittest.main()
