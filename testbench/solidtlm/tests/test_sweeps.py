# SPDX-License-Identifier: Apache-2.0
"""Sweeps with only the standard library."""
import unittest
from contextlib import chdir
from unittest import mock

import solidtlm as st
from solidtlm.explore.program import Program
from solidtlm.tests.support import CHANNELS, LOAD, InFolder

SPACE = {CHANNELS: [1, 2], "queue_depth": [1, 32], "seed": [1, 2]}


class Sweeps(InFolder):
    def sweep(self, space, **more):
        return st.sweep(space, **{"preset": "tiny", "store": self.folder / "store", "workload": LOAD, **more})

    def test_points_are_those_of_single_runs(self):
        ended = []
        found = self.sweep(SPACE, progress=lambda *told: ended.append(told))
        self.assertEqual((len(found), found.started), (8, 8))
        self.assertEqual(sorted(ended), [(each, 8) for each in range(1, 9)])
        for row, result in zip(found, found.results):
            alone = st.run(preset="tiny", set={CHANNELS: row[CHANNELS]}, workload=LOAD, seed=row["seed"],
                           queue_depth=row["queue_depth"])
            self.assertEqual(result.host.to_dict(), alone.host.to_dict())
            self.assertEqual(row["p99"], alone["p99"])
            self.assertEqual(row["limited_by"].split(" ")[0], alone.limits[0][0])
        self.assertEqual(found["host.completed"], [400] * 8)

    def test_nothing_is_computed_twice(self):
        first = self.sweep(SPACE)
        again = self.sweep({**SPACE, CHANNELS: [1, 2, 4]})
        self.assertEqual(again.started, 4)
        self.assertEqual(again.rows[:8], first.rows)
        record = next((self.folder / "store" / "records").glob("*/*.gz"))
        record.write_bytes(record.read_bytes()[:-9])
        self.assertEqual(self.sweep({**SPACE, CHANNELS: [1, 2, 4]}).started, 1, "a damaged record")

    def test_a_trace_counts_by_what_is_in_it(self):
        trace = self.folder / "a.trace"
        with chdir(self.folder):
            options = {"workload": None, "format": "disksim", "fit": "wrap"}
            trace.write_text("".join(f"{i}.0 0 {8 * i} 8 1\n" for i in range(20)))
            self.assertEqual(self.sweep({CHANNELS: [1]}, trace="a.trace", **options).started, 1)
            trace.rename(self.folder / "b.trace")
            self.assertEqual(self.sweep({CHANNELS: [1]}, trace="b.trace", **options).started, 0)
            (self.folder / "b.trace").write_text("".join(f"{i}.0 0 {8 * i} 8 1\n" for i in range(21)))
            self.assertEqual(self.sweep({CHANNELS: [1]}, trace="b.trace", **options)["host.completed"], [21])

    def test_mistakes_come_before_anything_runs(self):
        for space, more, said in (
                ({"nand.geometry.chanels": [1]}, {}, "did you mean nand.geometry.channels?"),
                ({CHANNELS: [1, "two"]}, {}, f"{CHANNELS}: found two; allowed: integer from 1 to 64"),
                ({CHANNELS: []}, {}, "allowed: a list of values, or a range"),
                ({CHANNELS: "12"}, {}, "allowed: a list of values, or a range"),
                ({CHANNELS: 3}, {}, "found 3; allowed: a list of values, or a range"),
                ({CHANNELS: {"from": 4, "to": 1, "step": 1}}, {}, "from 4 is above to 1"),
                ({}, {}, "space: found nothing"),
                ({"queue_dept": [1]}, {}, "queue_dept: unknown argument; did you mean queue_depth?"),
                ({CHANNELS: [1]}, {"workload": "random,raed=1"}, "did you mean read?"),
                ({CHANNELS: [1]}, {"set": {"nand.geometry.dise": 2}}, "did you mean nand.geometry.dies?"),
                ({CHANNELS: [1]}, {"store": "/dev/null/store"}, "cannot write into /dev/null/store"),
                ({CHANNELS: [1]}, {"out": "here"}, "out: found in a sweep")):
            with self.subTest(said), self.assertRaises(st.UserError) as caught:
                self.sweep(space, **more)
            self.assertIn(said, str(caught.exception))
        self.assertFalse((self.folder / "store" / "records").exists(), "something was run")

    def test_a_drive_that_cannot_be_is_a_row(self):
        found = self.sweep({"ssd.capacity": ["4MiB", "1TiB"]})
        self.assertIsNone(found.results[1])
        self.assertIsNone(found[1]["p99"])
        self.assertEqual(found["failure"], ["", "invalid configuration"])
        self.assertIn("ssd.capacity", found[1]["reason"])
        self.assertEqual(found["host.completed"], [400, None])
        with self.assertRaisesRegex(KeyError, "did you mean host.completed"):
            _ = found["host.completd"]

    def test_of_numbers_only_the_ends_are_asked(self):
        asked, ask = [], Program._run
        with mock.patch.object(Program, "_run", lambda *arguments: asked.append(arguments) or ask(*arguments)):
            found = self.sweep({"seed": list(range(1, 20)), "queue_depth": [1, 2, 3, 4]})
        self.assertEqual((found.started, set(found["host.completed"])), (76, {400}))
        self.assertLessEqual(len(asked), 6)
        within = self.sweep({"nand.geometry.page_size": [4096, 5000, 8192]})
        self.assertEqual(within["failure"], ["", "invalid configuration", ""])
        self.assertIn("nand.geometry.page_size: found 5000", within[1]["reason"])

    def test_ranges_and_lists_of_a_key(self):
        found = self.sweep({CHANNELS: {"from": 1, "to": 4, "factor": 2},
                            "nand.timing.read": [["50us"], ["40us", "60us"]]})
        self.assertEqual(found[CHANNELS], [1, 1, 2, 2, 4, 4])
        self.assertEqual(found["nand.timing.read"][:2], ["50us", "40us,60us"])

    def test_an_aged_drive_is_kept(self):
        found = self.sweep({"queue_depth": [1, 2]}, precondition="fill=0.5,random=0", jobs=1)
        self.assertEqual(len(list((self.folder / "store" / "aged").glob("*.drive"))), 1)
        self.assertTrue(all(found["host.completed"]))


if __name__ == "__main__":
    unittest.main()
