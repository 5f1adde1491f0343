# SPDX-License-Identifier: Apache-2.0
"""Mistakes in study files: each is said with its line and the nearest name, all at once, and nothing is started.

All of them with the stub's table of keys; some, and all at once, with that of the real executable (EXPLORE_BIN), which
takes longer. EXPLORE_ALL=1 gives it all of them.
"""
import contextlib
import io
import os
import unittest
from pathlib import Path

from solidtlm import explorer
from solidtlm.explore.tests.support import InFolder

SOUND = """\
title = "Test"
question = "Which?"
constraints = [
  "p99 < 500us",
  "dram <= 64MiB",
]
precondition = "fill=0.5,random=0"
[base]
preset = "default"
set = { content = "none" }
[space]
"nand.geometry.channels" = [1, 2, 4]
"nand.geometry.dies" = { from = 1, to = 4, step = 1 }
"firmware.map_cache.policy" = ["full_table", "dftl"]
"firmware.map_cache.size" = { from = "64KiB", to = "1MiB", factor = 2, when = { "firmware.map_cache.policy" = "dftl" } }
"nand.controller.suspend_erase" = [
  false,
  true,
]
[[workload]]
name = "one"
spec = "random,read=0.7"
weight = 2
[[workload]]
name = "two"
spec = "random,read=0.3"
[formulas]
price = "4 * drive_dies + dram / 1MiB"
[objectives]
cost = "minimise price"
latency = "minimise p99"
[reference]
latency = "10ms"
[search]
proposer = "nsga2"
rungs = [100, 1000]
seeds = 2
ci = "2%"
[budget]
runs = 60
"""

# What is replaced by what, the line that must be named, and the message.
MISTAKES = [
    ('title = "Test"', 'titel = "Test"', 1, "did you mean title?"),
    ('title = "Test"', "title = 3", 1, "title: found 3"),
    ("[space]", "[spaces]", 11, "did you mean space?"),
    ('"p99 < 500us"', '"p99 < 500 us us"', 4, "cannot be read"),
    ('"dram <= 64MiB"', '"drma <= 64MiB"', 5, "did you mean dram?"),
    ('"dram <= 64MiB"', '"dram"', 5, "allowed: one comparison"),
    ('"fill=0.5,random=0"', "5", 7, "precondition: found 5"),
    ('preset = "default"', 'preset = "defalt"', 9, "did you mean default?"),
    ('content = "none"', 'contnet = "none"', 10, "did you mean content?"),
    ('content = "none"', 'content = "some"', 10, "allowed: one of none, tags, bytes"),
    ("[1, 2, 4]", "[1, 2, 400]", 12, "found 400; allowed: integer from 1 to 64"),
    ("nand.geometry.channels", "nand.geometry.chanels", 12, "did you mean nand.geometry.channels?"),
    ("[1, 2, 4]", "[1, 2, 2]", 12, "has 2 twice"),
    ("[1, 2, 4]", "4", 12, "found 4; allowed: a list, or a range"),
    ("[1, 2, 4]", "[]", 12, "has no values"),
    ("to = 4, step = 1", "to = 4", 13, "needs either step (added) or factor (multiplied)"),
    ("from = 1, to = 4", "from = 9, to = 4", 13, "from 9 is above to 4"),
    ("to = 4, step", "too = 4, step", 13, "did you mean to?"),
    ('"full_table", "dftl"]', '"full_table", "dftl", "tfap"]', 14, "found tfap"),
    ("factor = 2", "factor = 1", 15, "allowed: a factor above 1"),
    ('when = { "firmware.map_cache.policy" = "dftl" }', 'when = { "firmware.map_cache.policy" = "dtfl" }', 15,
     "did you mean dftl?"),
    ('when = { "firmware.map_cache.policy"', 'when = { "firmware.map_cache.polcy"', 15,
     "did you mean firmware.map_cache.policy?"),
    ("  true,\n", "  truth,\n", 18, "no TOML"),
    ("  true,\n", '  "maybe",\n', 18, "found maybe; allowed: true or false"),
    ('spec = "random,read=0.7"', 'sepc = "random,read=0.7"', 22, "did you mean spec?"),
    ('spec = "random,read=0.7"', 'spec = "rnadom,read=0.7"', 22, "found rnadom"),
    ('spec = "random,read=0.7"', 'spec = "random,count=5"', 22, "is in search.rungs"),
    ('spec = "random,read=0.7"', 'trace = "nothing.blk"', 22, "no trace nothing.blk"),
    ("weight = 2", "weight = -2", 23, "weight = -2; allowed: a number above 0"),
    ('name = "two"', 'name = "one"', 25, "two are named one"),
    ("4 * drive_dies +", "4 * drive_dyes +", 28, "did you mean drive_dies?"),
    ("4 * drive_dies +", "4 * dies +", 28,
     "unknown name dies; allowed: drive_dies (of the drive) or nand.geometry.dies (of a channel)"),
    ("4 * drive_dies +", "4 * drive_dies + price +", 28, "price"),
    ("minimise price", "minimize the price", 30, "cannot be read"),
    ("minimise price", "cheapest price", 30, "allowed: \"minimise FORMULA\""),
    ("minimise p99", "minimise host.latency_us.p98", 31, "did you mean host.latency_us.p9"),
    ("minimise p99", "minimise sin(p99)", 31, "unknown function sin"),
    ("[search]", "[untl]\n  known = { p99 = \"2%\" }\n[search]", 34, "did you mean until?"),
    ("[search]", "[until]\nknwon = { p99 = \"2%\" }\n[search]", 35, "did you mean known?"),
    ("[search]", "[until]\n  known = { p98 = \"2%\" }\n[search]", 35, "until.known: p98: unknown; did you mean p99?"),
    ("[search]", "[until]\n  known = { p99 = 2 }\n[search]", 35, "until.known: p99 = 2; allowed: half of the interval"),
    ("[search]", "[until]\n  known = \"p99\"\n[search]", 35, "allowed: a table such as { known = { p99 = \"2%\" } }"),
    ('spec = "random,read=0.7"', 'spec = "random,read=0.7"\nwarm_up = "stead"', 23, "or \"steady\""),
    ('latency = "10ms"', 'latncy = "10ms"', 33, "did you mean latency?"),
    ('"nsga2"', '"nsga3"', 35, "did you mean nsga2?"),
    ("proposer =", "propser =", 35, "did you mean proposer?"),
    ("[100, 1000]", "[1000, 100]", 36, "each above the one before"),
    ("seeds = 2", "seeds = 1", 38, "needs at least two seeds"),
    ('ci = "2%"', "ci = 2", 38, "allowed: a share such as"),
    ("runs = 60", 'runs = "60"', 40, "allowed: a whole number from 1"),
    ("runs = 60", "run = 60", 40, "did you mean runs?"),
    ("[budget]\nruns = 60\n", "", 0, "budget: is missing"),
]
# Mistakes that only the real executable can find.
REAL = [
    ('"fill=0.5,random=0"', '"fil=0.5"', 7, "did you mean fill?"),
    ("random,read=0.7", "random,raed=0.7", 22, "did you mean read?"),
    ("weight = 2", 'pacing = "opne"', 23, "--pacing"),
]


class Mistakes(InFolder):
    kCases = MISTAKES

    def real(self):
        return False

    def errors(self, text):
        """The messages about a study; nothing may have been started."""
        self.study(text)
        if self.real():
            out, error = io.StringIO(), io.StringIO()
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                code = explorer.main(["run", "study.toml", "--bin", os.environ["EXPLORE_BIN"], "--store", "store"])
            self.assertEqual(code, 2, out.getvalue() + error.getvalue())
            found = error.getvalue()
        else:
            _, found = self.explore("run", code=2)
        self.assertFalse((self.folder / "store").exists(), "something was started")
        return found.splitlines()

    def test_each(self):
        self.assertGreaterEqual(len(MISTAKES), 30)
        for before, after, line, said in self.kCases:
            with self.subTest(after):
                self.assertIn(before, SOUND)
                found = self.errors(SOUND.replace(before, after, 1))
                where = f"study.toml:{line}: " if line else "study.toml: "
                self.assertTrue(any(where in each and said in each for each in found), found)
                if "missing" not in said and "[space" not in before:
                    self.assertLessEqual(len(found), 2, "one mistake is one message, or two from two places")

    def test_all_at_once(self):
        text = SOUND
        one_each = {}  # one per line, so that they do not hide each other
        for before, after, line, said in MISTAKES:
            if said != "no TOML" and line and "[s" not in before and line not in one_each:
                one_each[line] = (before, after, said)
        for before, after, _ in one_each.values():
            text = text.replace(before, after, 1)
        found = "\n".join(self.errors(text))
        for line, (_, _, said) in one_each.items():
            if line not in (23, 25, 30):  # a workload without spec, and an objective on an invalid formula
                self.assertIn(f"study.toml:{line}: ", found)
        self.assertGreater(len(found.splitlines()), 15)

    def test_the_sound_one(self):
        self.study(SOUND)
        if not self.real():
            out, _ = self.explore("plan")
            self.assertIn("no mistake found", out)


@unittest.skipUnless((Path(os.environ.get("EXPLORE_BIN") or "nowhere") / "tb_replay").exists(), "there is no tb_replay")
class MistakesForReal(Mistakes):
    kCases = (MISTAKES if os.environ.get("EXPLORE_ALL") else MISTAKES[::4]) + REAL

    def real(self):
        return True


if __name__ == "__main__":
    unittest.main()
