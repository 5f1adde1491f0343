# SPDX-License-Identifier: Apache-2.0
"""Why two runs differ: examples worked by hand, and runs."""
import json
import subprocess
import sys
import unittest
from unittest import mock

import solidtlm as st
from solidtlm import reasons
from solidtlm.tests.support import LOAD, InFolder


def invented(stages, slowest, p99, *, seed=1, verdict="steady", config=None, reads=200, **more):
    """A result of a run that completed only reads."""
    host = {"completed": reads, "latency_us": {"mean": sum(stages.values()), "p99": p99},
            **{kind: {"count": 0} for kind in ("write", "trim", "flush")}}
    host["read"] = {"count": reads, "latency_us": host["latency_us"]}
    slowest = {"from_us": p99, "count": reads // 100, "stages_us": slowest}
    return st.Result({"schema": "solidtlm.result/1", "version": "1", "scenario": "tb_replay", "seed": seed,
                      "config": {"seed": seed, "nand": {"geometry": {"channels": 4}}, **(config or {})},
                      "parameters": {"workload": "random", "queue_depth": 32}, "host": host,
                      "ledger": {"stages_us": stages, "by_operation": {"read": stages}, "slowest": slowest,
                                 "slowest_by_operation": {"read": slowest}},
                      "state": {"kind": verdict}, **more})


A = {"array": 50.0, "die_wait_gc": 10.0, "ecc": 1.0, "map_read": 0.0}
B = {"array": 40.0, "die_wait_gc": 30.0, "ecc": 1.0625, "map_read": 0.0}
SLOW_A, SLOW_B = {"array": 60.0, "die_wait_gc": 140.0}, {"array": 80.0, "die_wait_gc": 236.0}
PAGE = """\
state while measured: steady on both sides
drives: no key differs
load: the same
intervals: one run each: no interval

latency of the mean command: +10.06 us (A 61.00, B 71.06)
  stage                 A      B  difference  share of it
  die_wait_gc       10.00  30.00      +20.00      198.8 %
  array             50.00  40.00      -10.00      -99.4 %
  all other stages   1.00   1.06       +0.06        0.6 %

p99 of a command: +120.00 us (A 190.00, B 310.00)

mean of the slowest commands, 1.0 % of A and 1.0 % of B: +116.00 us (A 200.00, B 316.00)
  stage             A       B  difference  share of it
  die_wait_gc  140.00  236.00      +96.00       82.8 %
  array         60.00   80.00      +20.00       17.2 %"""


class Invented(InFolder):
    def test_the_stages_that_make_the_difference_come_first(self):
        # 0.0625 us is less than 0.1 % of 71.0625 us: with the stages that do not differ.
        found = st.why(invented(A, SLOW_A, 190.0), invented(B, SLOW_B, 310.0))
        self.assertEqual(repr(found), PAGE)
        self.assertEqual([(row["part"], row["stage"], row["difference_us"]) for row in found],
                         [("mean", "latency", 10.0625), ("mean", "die_wait_gc", 20.0), ("mean", "array", -10.0),
                          ("mean", "all other stages", 0.0625), ("p99", "latency", 120.0), ("slowest", "latency", 116.0),
                          ("slowest", "die_wait_gc", 96.0), ("slowest", "array", 20.0)])
        self.assertEqual(found[1]["share"], 20.0 / 10.0625)
        self.assertIn("p99 of a command: +120.00 us", found._repr_html_())
        self.assertEqual([row["difference_us"] for row in st.why(*[invented(A, SLOW_A, 190.0)] * 2) if row["share"]], [])

    def runs(self, gc, seeds=(1, 2, 3)):
        return [invented({**A, "die_wait_gc": each}, SLOW_A, 190.0, seed=seed) for each, seed in zip(gc, seeds)]

    def width(self, a, b):
        found = st.why(a, b)
        return next(row["half_width_us"] for row in found if row["stage"] == "die_wait_gc"), found

    def test_pairs_of_runs_with_the_same_seed(self):
        # Differences 10, 12, 14, in the order of the seeds: s = 2, t(2) = 4.303, 4.303 * 2 / sqrt(3)
        found, page = self.width(self.runs([20, 90, 41]), self.runs([55, 30, 102], (3, 1, 2)))
        self.assertAlmostEqual(found, 4.9687, 3)
        self.assertIn("+12.00  4.97", repr(page))
        self.assertIn("latency of the mean command: +12.00 +- 4.97 us", repr(page))
        self.assertIn("intervals: 3 runs each, in pairs with the same seed; +- is half of a 95 %", repr(page))

    def test_no_shares_of_a_difference_that_may_be_0(self):
        # -12, 1, 12: the mean is 1/3, the interval 4.303 * 12.01 / sqrt(3) = 29.8 to each side.
        row = self.width(self.runs([20, 21, 20]), self.runs([8, 22, 32]))[1][1]
        self.assertEqual((row["stage"], row["share"]), ("die_wait_gc", None))

    def test_runs_with_other_seeds(self):
        # Welch: 4/3 and 3 are the squares of the standard errors, 3.48 degrees of freedom, t(3) = 3.182.
        found, page = self.width(self.runs([10, 12, 14]), self.runs([20, 23, 26], (4, 5, 6)))
        self.assertAlmostEqual(found, 6.6239, 3)
        self.assertIn("load: the same, with other seeds: A [1, 2, 3], B [4, 5, 6]\n", repr(page))
        self.assertIn("intervals: 3 and 3 runs with other seeds;", repr(page))

    def test_no_interval_where_none_is_honest(self):
        for a, b, said in ((self.runs([1]), self.runs([2]), "one run each"),
                           (self.runs([1]), self.runs([2, 3]), "one run of A"),
                           (self.runs([1, 1]), self.runs([2, 3]), "no seed changes the runs of A")):
            found, page = self.width(a, b)
            self.assertIsNone(found)
            self.assertIn(f"intervals: {said}: no interval", page.notes)
            self.assertNotIn("+-", repr(page))

    def test_the_states_of_the_drives_stand_first(self):
        uneven = "not steady: write amplification varies by {} %"
        a = [invented(A, SLOW_A, 190.0, seed=seed, verdict=verdict, warnings=warnings) for seed, verdict, warnings in
             ((1, "drifting", [uneven.format(31.5)]), (2, "drifting", [uneven.format(40)]), (3, "steady", []))]
        b = invented(B, SLOW_B, 310.0, faults=["2 commands failed"], parameters={"workload": "random", "queue_depth": 32,
                                                                              "precondition": "fill=1"})
        self.assertEqual(st.why(a, b).notes[:4], [
            "state while measured: A drifting (2 of 3 runs), steady (1 of 3 runs); B steady; "
            "the difference may be one of states, not of drives",
            '  precondition: A none, B "fill=1"',
            "  A: not steady: write amplification varies by 31.5 % (2 of 3 runs)", "  B: fault: 2 commands failed"])
        unknown = invented(A, SLOW_A, 190.0)
        del unknown.to_dict()["state"]
        self.assertIn("A not known; B steady; the difference may", st.why(unknown, b).notes[0])

    def test_drives_and_loads(self):
        a = invented(A, SLOW_A, 190.0, config={"derived": {"exported_bytes": 4096}, "preset": "tiny"})
        b = invented(B, SLOW_B, 310.0, config={"derived": {"exported_bytes": 8192}, "preset": "tlc",
                                               "nand": {"geometry": {"channels": 8}}})
        self.assertEqual(st.why(a, b).notes[1:6], [
            "drives: 2 keys differ", "  nand.geometry.channels: A 4, B 8", '  preset: A "tiny", B "tlc"',
            "load: the same options", "  bytes of the drive: A 4,096, B 8,192; a load on all of them differs, too"])
        b = invented(B, SLOW_B, 310.0, parameters={"workload": "random", "queue_depth": 8}, reads=300, version="2")
        self.assertEqual(st.why(invented(A, SLOW_A, 190.0), b).notes[1:6], [
            "drives: no key differs", '  version: A "1", B "2"', "load: differs", "  queue_depth: A 32, B 8",
            "  host.read.count: A 200, B 300"])
        b = invented(B, SLOW_B, 310.0, reads=300)  # the window that is measured differs
        self.assertEqual(st.why(invented(A, SLOW_A, 190.0), b).notes[2:4], ["load: the same options",
                                                                            "  host.read.count: A 200, B 300"])
        traced = {"parameters": {"trace": ["a.csv"]}}
        a, b = (invented(A, SLOW_A, 190.0, traces=[{"requests": each}], **traced) for each in (1, 2))
        self.assertEqual(st.why(a, b).notes[2:4], ["load: differs", "  traces: the files differ"])

    def test_a_stage_and_the_slowest_that_one_side_lacks(self):
        b = invented({**A, "doorbell": 5.0}, SLOW_B, 310.0)
        del b.to_dict()["ledger"]["slowest"]
        self.assertEqual([(row["stage"], row["difference_us"]) for row in st.why(invented(A, SLOW_A, 190.0), b)][:2],
                         [("latency", 5.0), ("doorbell", 5.0)])
        self.assertNotIn("slowest", st.why(invented(A, SLOW_A, 190.0), b)["part"])

    def test_mistakes(self):
        good = invented(A, SLOW_A, 190.0)
        idle = invented(A, SLOW_A, 190.0, reads=0)
        other = invented(A, SLOW_A, 190.0, seed=2, config={"nand": {"geometry": {"channels": 8}}})
        for a, b, named, said in (
                (good, st.Result({**good.to_dict(), "schema": "solidtlm.result/2"}), {},
                 ["B: found a result of solidtlm.result/2; allowed: a result.json, solidtlm.result/1"]),
                (st.Result({"scenario": "x"}), good, {},
                 ["A: found a result of no schema; allowed: a result.json, solidtlm.result/1"]),
                (st.Result({**good.to_dict(), "points": []}), idle, {},
                 ["A: found the result of several runs; allowed: of one", "B: found no completed command; allowed: one or more"]),
                (st.Result({**good.to_dict(), "ledger": {}}), good, {},
                 ["A: found a result without a ledger; allowed: of a run of a drive"]),
                (st.Result({"schema": "solidtlm.result/1", "scenario": "x", "ledger": [1]}), good, {},
                 ["A: found a result without a ledger; allowed: of a run of a drive"]),
                (good, good, {"kind": "trim"}, ["A: found no completed trim; completed: read",
                                                "B: found no completed trim; completed: read"]),
                (good, good, {"kind": "raed"}, ["found the kind raed; did you mean read?; allowed: read, write, trim, flush"]),
                ([], good, {}, ["found no results for A; allowed: one or more"]),
                ([good, other], good, {}, ["A: nand.geometry.channels: found 8, A has 4; allowed on one side: runs that "
                                           "differ in the seed alone"]),
                ([good, good], good, {}, ["A: found the seed 1, as in A; allowed on one side: each seed once"]),
                ("none", self.folder, {}, ["none: found no result: No such file or directory",
                                           f"{self.folder / 'result.json'}: found no result: No such file or directory"])):
            with self.subTest(said), self.assertRaises(st.UserError) as caught:
                st.why(a, b, **named)
            self.assertEqual(caught.exception.messages, said)

    def test_many_keys(self):
        a, b = (invented(A, SLOW_A, 190.0, config={f"k{at}": value for at in range(5)}) for value in (1, 2))
        with mock.patch.object(reasons, "_SHOWN", 3):
            self.assertEqual(st.why(a, b).notes[1:6], ["drives: 5 keys differ", *(f"  k{at}: A 1, B 2" for at in range(3)),
                                                       "  and 2 more"])


class OfRuns(InFolder):
    def solidtlm(self, *arguments, code=0):
        run = subprocess.run([sys.executable, "-m", "solidtlm", "why", *arguments], cwd=self.folder, capture_output=True,
                             text=True, check=False, timeout=120)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def test_runs(self):
        for side, gen in (("a", "gen1"), ("b", "gen3")):
            for seed in (1, 2, 3):
                st.run(preset="tiny", workload=LOAD, seed=seed, out=self.folder / side / str(seed), queue_depth=1,
                       set={"sata.generation": gen})
        found = st.why(self.folder / "a", self.folder / "b")
        runs = {side: [st.load(self.folder / side / str(seed)) for seed in (1, 2, 3)] for side in "ab"}
        means = [sum(run["mean"] for run in runs[side]) / 3 for side in "ab"]
        self.assertAlmostEqual(found[0]["difference_us"], means[1] - means[0], 6)
        # 1.5 and 6 Gb/s: what is on the link takes a quarter of the time with every seed.
        link = next(row for row in found if row["stage"] == "link_transfer")
        self.assertEqual(found[1], link)
        self.assertAlmostEqual(link["b_us"] / link["a_us"], 0.25, 3)
        for part in ("mean", "slowest"):
            whole, *stages = (row["difference_us"] for row in found if row["part"] == part)
            self.assertAlmostEqual(whole, sum(stages), 6)

        said = self.solidtlm("a/1", "a/2", "a/3/result.json", "--", "b", "--kind", "read")
        self.assertIn('\n  sata.generation: A "gen1", B "gen3"\nload: the same\n', said)
        self.assertIn("latency of the mean read: -", said)
        self.assertEqual(self.solidtlm("a", "b"), f"{found}\n")
        self.assertEqual(self.solidtlm("a", "b", "--csv"), found.to_csv())
        for arguments in ((), ("a",), ("a", "b", "c"), ("a", "--"), ("--", "b"), ("a", "b", "--knd")):
            self.assertIn("; allowed: A.json B.json or A.json... -- B.json...,", self.solidtlm(*arguments, code=2))
        (self.folder / "c.json").write_text(json.dumps({"scenario": "tb_replay"}))
        self.assertEqual(self.solidtlm("c.json", "d.json", code=2),
                         "error: c.json: found a result of no schema; allowed: a result.json, solidtlm.result/1\n"
                         "error: d.json: found no result: No such file or directory\n")

    def test_the_result_of_a_study(self):
        st.run(program="tb_striping", orders="PCWD", striping="full", allocation="static", requests=100, channels="1",
               dies=1, out=self.folder / "study")
        self.assertEqual(self.solidtlm("study", "study", code=2).splitlines()[0],
                         "error: study: found the result of several runs; allowed: of one")


if __name__ == "__main__":
    unittest.main()
