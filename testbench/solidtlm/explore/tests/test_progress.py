# SPDX-License-Identifier: Apache-2.0
import io
import types
import unittest

from solidtlm.explore import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def search_of(runs, started):
    study = types.SimpleNamespace(runs=40, objectives=[])
    return types.SimpleNamespace(study=study, runs=runs, started=started, front=[], begin=0.0)


class AwayFromATerminal(unittest.TestCase):
    def setUp(self):
        self.file, self.clock = io.StringIO(), Clock()

    def lines(self):
        return self.file.getvalue().splitlines()

    def test_a_search_tells_every_ten_seconds_and_at_the_end_of_a_batch(self):
        watch = progress.Progress(None, self.file, self.clock)
        for second in range(1, 36):  # a run ends each second
            self.clock.now = 100.0 + second
            watch(search_of(0, second), under_way=4)
        self.assertEqual(len(self.lines()), 3)
        self.assertIn("0 of 40 runs | 4 under way | ", self.lines()[0])
        watch(search_of(35, 35))
        self.assertEqual(len(self.lines()), 4)
        self.assertIn("35 of 40 runs | front 0 points", self.lines()[3])
        watch.end()
        self.assertEqual(len(self.lines()), 4)
        self.assertNotIn("\x1b", self.file.getvalue())

    def test_runs_tell_every_ten_seconds(self):
        watch = progress.Runs(self.file, self.clock)
        for second in range(1, 26):
            self.clock.now = 100.0 + second
            watch(second, 25)
        self.assertEqual(self.lines(), ["10 of 25 runs, 15 s left", "20 of 25 runs, 5 s left"])


class OnATerminal(unittest.TestCase):
    def test_the_line_is_rewritten(self):
        terminal, clock = Terminal(), Clock()
        watch = progress.Runs(terminal, clock)
        for second in range(1, 5):
            clock.now = 100.0 + second
            watch(second, 4)
        self.assertEqual(terminal.getvalue(), "\x1b[K2 of 4 runs, 2 s left\r\x1b[K3 of 4 runs, 1 s left\r\x1b[K\r")


if __name__ == "__main__":
    unittest.main()
