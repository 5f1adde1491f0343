# SPDX-License-Identifier: Apache-2.0
"""Progress of a search, of runs, or of a fit: a line that is rewritten on a terminal, and elsewhere a line every ten seconds."""
import sys
import time

from . import units

kSilence = 2.0  # seconds; shorter work needs no progress
kRewriteSeconds = 0.25
kLineSeconds = 10.0  # as show/progress.h


def duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def best_of(search):
    """For each objective, the best value of a feasible point."""
    parts = []
    for i, objective in enumerate(search.study.objectives):
        losses = [point.losses[i] for point in search.front]
        parts.append(f"{objective.name} {units.shown(objective.loss(min(losses))) if losses else '-'}")
    return ", ".join(parts)


class Line:
    """The last line of a terminal, or lines of a file."""

    def __init__(self, out=None, clock=time.monotonic):
        self._out = out or sys.stderr
        self._clock = clock
        self.live = self._out.isatty()
        self.begin = self._last = clock()

    def passed(self):
        return self._clock() - self.begin

    def due(self):
        return self._clock() - self._last >= (kRewriteSeconds if self.live else kLineSeconds)

    def show(self, text):
        self._last = self._clock()
        print(f"\x1b[K{text}" if self.live else text, end="\r" if self.live else "\n", file=self._out, flush=True)

    def end(self):
        if self.live:
            print(file=self._out)


class Runs:
    """The number of ended runs out of all, and the estimated remaining time. Nothing if the work is short."""

    def __init__(self, out=None, clock=time.monotonic):
        self._line = Line(out, clock)

    def __call__(self, ended, count):
        passed = self._line.passed()
        if passed < kSilence:
            return
        if ended == count:
            if self._line.live:
                self._line.show("")
        elif self._line.live or self._line.due():
            self._line.show(f"{ended} of {count} runs, {duration((count - ended) * passed / ended)} left")


class Progress:
    """The best so far, the time left, the address of Dask's page; away from a terminal also at the end of each batch."""

    def __init__(self, dashboard, out=None, clock=time.monotonic):
        self._shown = Line(out, clock)
        self._dashboard = dashboard

    def __call__(self, search, under_way=None):
        if under_way is None or self._shown.due():
            self._shown.show(self._line(search, under_way))

    def _line(self, search, under_way):
        study, runs = search.study, search.runs
        passed = time.monotonic() - search.begin
        parts = [f"{runs} of {study.runs} runs" if study.runs else f"{runs} runs", f"front {len(search.front)} points",
                 f"best: {best_of(search)}"]
        if under_way:
            parts.insert(1, f"{under_way} under way")
        if study.runs and search.started:
            rest = max(0, study.runs - runs + (under_way or 0))
            parts.append(f"{duration(rest * passed / search.started)} left")
        line = " | ".join(parts)
        if self._shown.live and self._dashboard:
            line += f" | {self._dashboard}"
        return line

    def end(self):
        self._shown.end()
