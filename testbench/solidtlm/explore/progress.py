# SPDX-License-Identifier: Apache-2.0
"""A progress line of a search: the best so far, the time left, the address of Dask's page."""
import sys
import time

from . import units

kSilence = 2.0  # seconds; shorter work needs no progress


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


class Runs:
    """The number of ended runs out of all, and the estimated remaining time: on a terminal, after two seconds."""

    def __init__(self, out=None):
        self._out = out or sys.stderr
        self._live = self._out.isatty()
        self._begin = time.monotonic()

    def __call__(self, ended, count):
        passed = time.monotonic() - self._begin
        if not self._live or passed < kSilence:
            return
        left = f"{ended} of {count} runs, {duration((count - ended) * passed / ended)} left" if ended < count else ""
        print(f"\x1b[K{left}", end="\r", file=self._out, flush=True)


class Progress:
    """Rewrites its line on a terminal; elsewhere prints one line per batch."""

    def __init__(self, dashboard, out=None):
        self._out = out or sys.stderr
        self._dashboard = dashboard
        self._live = self._out.isatty()
        self._last = 0.0

    def __call__(self, search, under_way=None):
        if under_way is not None and (not self._live or time.monotonic() - self._last < 0.25):
            return
        self._last = time.monotonic()
        print(self._line(search, under_way), end="\r" if self._live else "\n", file=self._out, flush=True)

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
        if self._live and self._dashboard:
            line += f" | {self._dashboard}"
        return f"\x1b[K{line}" if self._live else line

    def end(self):
        if self._live:
            print(file=self._out)
