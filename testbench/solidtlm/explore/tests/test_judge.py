# SPDX-License-Identifier: Apache-2.0
"""Verdicts on results that are made by hand."""
import unittest
from types import SimpleNamespace

from solidtlm.explore import judge, metrics
from solidtlm.explore.formula import Constraint, Formula, Objective

CONFIGURED = {"dram", "channels"}


def result(p99=1000.0, mean=100.0, **more):
    return {"p99": p99, "mean": mean, "host.latency_us.p99": p99, "nand.erases": 7, "dram": 2**20, "channels": 4, **more}


def state(kind="steady", text="", **halves):
    """`halves`: of p99 (around 1,000) and of mean (around 100)."""
    centres = {"p99": 1000.0, "mean": 100.0}
    return {"kind": kind, "text": text or kind,
            "intervals": {name: {"value": centres[name], "half_width": half} for name, half in halves.items()}}


class Verdicts(unittest.TestCase):
    def verdict(self, constraint, *states, formulas=(), values=(), last=True):
        """With a run per state, of one workload and different seeds."""
        study = SimpleNamespace(constraints=[Constraint(constraint)], objectives=[Objective("price", "minimise dram")],
                                formulas={name: Formula(text) for name, text in dict(formulas).items()})
        judging = judge.Judge(study, CONFIGURED)
        values = values or [result()] * len(states)
        return judging.verdicts([[judging.run(found, each)] for found, each in zip(values, states)], last)[0]

    def assert_verdict(self, wanted, reason, *arguments, **named):
        found = self.verdict(*arguments, **named)
        self.assertEqual(found.verdict, wanted, found)
        self.assertIn(reason, found.reason)
        self.assertEqual(found.of_search <= 0, wanted == judge.kHolds, found)
        return found

    def test_the_whole_interval_on_one_side(self):
        # p99 is 1,000 +- 40.
        found = self.assert_verdict("holds", "", "p99 < 1041us", state(p99=40))
        self.assertAlmostEqual(found.excess, (1000 - 1041) / 1041)
        self.assertAlmostEqual(found.half, 40 / 1041)
        found = self.assert_verdict("not known", "its interval reaches from 5.9 % within the limit to 2 % beyond it; fine",
                                    "p99 < 1020us", state(text="fine", p99=40))
        self.assertTrue(found.straddles)
        self.assert_verdict("not known", "0.31 % within the limit to 8 %", "p99 < 963us", state(p99=40))
        self.assert_verdict("breaks", "", "p99 < 959us", state(p99=40))
        self.assert_verdict("holds", "", "p99 > 959us", state(p99=40))

    def test_the_state(self):
        self.assert_verdict("holds", "", "p99 < 2ms", state("unwritten", p99=40))
        for kind in ("drifting", "filling", "too short"):
            self.assert_verdict("not known", f"{kind} by much", "p99 < 2ms", state(kind, f"{kind} by much", p99=40))
            self.assert_verdict("not known", f"{kind} by much", "p99 < 1us", state(kind, f"{kind} by much", p99=40))
        self.assert_verdict("not known", "not judged", "p99 < 2ms", None)
        self.assert_verdict("not known", "no interval of p99: steady", "p99 < 2ms", state(mean=1))
        self.assert_verdict("not known", "no interval of nand.erases", "nand.erases < 9", state(p99=40))

    def test_what_follows_from_the_configuration_needs_no_run(self):
        for limit, wanted in (("2MiB", "holds"), ("1MiB", "holds"), ("1KiB", "breaks")):
            for last in (True, False):
                self.assert_verdict(wanted, "", f"memory <= {limit}", None, formulas={"memory": "dram"}, last=last)

    def test_a_rung_before_the_last_never_satisfies_a_constraint(self):
        found = self.verdict("p99 < 2ms", state(p99=40), last=False)
        self.assertEqual((found.verdict, found.excess), ("not known", -0.5))

    def test_through_formulas(self):
        # The full path is the short name's quantity; 2 * p99 / mean lies between 1920 / 110 and 2080 / 90.
        self.assert_verdict("holds", "", "host.latency_us.p99 < 1041us", state(p99=40))
        ratio = {"ratio": "2 * p99 / mean"}
        self.assert_verdict("holds", "", "ratio < 23.2", state(p99=40, mean=10), formulas=ratio)
        self.assert_verdict("not known", "its interval", "ratio < 23.1", state(p99=40, mean=10), formulas=ratio)
        self.assert_verdict("not known", "its interval", "ratio < 17.5", state(p99=40, mean=10), formulas=ratio)
        self.assert_verdict("breaks", "", "ratio < 17.4", state(p99=40, mean=10), formulas=ratio)
        self.assert_verdict("not known", "no interval of mean", "ratio < 99", state(p99=40), formulas=ratio)
        self.assert_verdict("not known", "not monotone", "abs(p99 - 1000) < 50", state(p99=40))
        self.assert_verdict("not known", "division by zero", "1 / (p99 - 960) < 50", state(p99=40))

    def test_from_seed_to_seed(self):
        # 980, 1,000, 1,020: t(2) = 4.303, times 20 / sqrt(3), is 49.7. What a run says about itself no longer counts.
        values = [result(p99=each) for each in (980.0, 1000.0, 1020.0)]
        self.assert_verdict("holds", "", "p99 < 1050us", *[state()] * 3, values=values)
        self.assert_verdict("not known", "its interval", "p99 < 1049us", *[state()] * 3, values=values)
        self.assert_verdict("breaks", "", "p99 < 950us", *[state()] * 3, values=values)
        self.assert_verdict("not known", "drifting", "p99 < 2ms", state(), state("drifting"), state(), values=values)

    def test_for_every_workload(self):
        study = SimpleNamespace(constraints=[Constraint("p99 < 1050us")], objectives=[], formulas={})
        judging = judge.Judge(study, CONFIGURED)

        def of(*states):
            return judging.verdicts([[judging.run(result(), each) for each in states]], True)[0].verdict

        self.assertEqual(of(state(p99=40), state(p99=10)), "holds")
        self.assertEqual(of(state(p99=40), state(p99=60)), "not known")
        self.assertEqual(of(state(p99=40), state("drifting")), "not known")

    def test_on_all_constraints(self):
        holds, breaks = judge.Verdict("holds", -1.0, 0.1), judge.Verdict("breaks", 1.0, 0.1)
        short = judge.Verdict("not known", 0.0, reason="too short")
        self.assertEqual(judge.of_point([holds, short, short]), ("not known", "too short"))
        self.assertEqual(judge.of_point([holds, short, breaks]), ("breaks", ""))
        self.assertEqual(judge.of_point([]), ("holds", ""))


class Halves(unittest.TestCase):
    def test_of_objectives(self):
        study = SimpleNamespace(constraints=[], formulas={"twice": Formula("2 * p99")}, objectives=[
            Objective("price", "minimise dram"), Objective("latency", "minimise twice"), Objective("speed", "maximise mean")])
        judging = judge.Judge(study, CONFIGURED)
        self.assertEqual(judging.run(result(), state(p99=40)).halves, [0.0, 80.0, None])
        self.assertEqual(judging.run(result(), state("drifting", p99=40)).halves, [0.0, None, None])

    def test_of_a_weighted_mean(self):
        self.assertAlmostEqual(judge.combined_half([3.0, 4.0], [1.0, 1.0]), 2.5)
        self.assertAlmostEqual(judge.combined_half([3.0, 4.0], [3.0, 1.0]), (81 + 16)**0.5 / 4)
        self.assertIsNone(judge.combined_half([3.0, None], [1.0, 1.0]))

    def test_every_quantity_with_an_interval_has_a_short_name(self):
        self.assertEqual(set(metrics.kWithInterval), {
            "throughput", "iops", "mean", "p50", "p95", "p99", "p999", "read_mean", "write_mean", "read_p99",
            "write_p99", "read_p999", "write_p999", "wa"})


if __name__ == "__main__":
    unittest.main()
