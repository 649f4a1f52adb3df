# SPDX-License-Identifier: Apache-2.0
"""
How long it will still take. The runs of a step should cost what each variant (and peer) took per
unit when it was seen last, times the units of the graph; to that comes what a step of this run took
beside its runs: the median so far. Right within a factor of two while sizes double.
"""

import os
import sys
import time

from . import raw_rows
from .row_summary import quantile

FIRST_GUESS = 2e-8  # seconds per element, arc or pair, before a variant was seen


class TimeLeft:
    def __init__(self, steps, stream=None):
        self.pending = list(steps)
        self.costs = {}  # (problem, variant) -> seconds per unit, the last one seen
        self.done = []  # of (step, seconds)
        self.stream = stream or sys.stderr
        self.shown = 0.0

    def weight_of(self, step):
        units = guess_units(step)
        runs = step.run.repetitions * step.sources + step.run.warmup * step.sources
        total = 0.0
        names = [choice.name for choice in step.chosen
                 for _ in (step.threads if choice.place == "host" else [1])] + step.peers
        for name in names:
            total += self.costs.get((step.experiment.problem, name), FIRST_GUESS) * units * runs
        return total

    def learn(self, rows):
        for row in raw_rows.measured(rows)[-200:]:
            units = row_units(row)
            if row["outcome"] == "ok" and units:
                self.costs[row["problem"], row["variant"]] = row["seconds"] / units

    def finished(self, step, seconds):
        self.pending.remove(step)
        self.done.append((step, seconds))

    def text(self):
        if not self.pending or not self.done:
            return ""
        beside = quantile(sorted(max(0.0, seconds - self.weight_of(step))
                                 for step, seconds in self.done), 0.5)
        rest = sum(self.weight_of(step) + beside for step in self.pending)
        return f"; about {readable(rest)} left"

    def show(self, step, path):
        """A line that is written over, and only where someone can see it."""
        if not self.stream.isatty() or time.monotonic() - self.shown < 1.0:
            return
        self.shown = time.monotonic()
        rows = raw_rows.read(path) if os.path.exists(path) else []
        self.learn(rows)
        here = sum(1 for row in raw_rows.measured(rows) if row["graph"] == step.graph)
        print(f"\r\033[K{step.experiment.name}  {step.graph}  {here}/{step.rows} rows"
              f"{self.text()}", end="\r", file=self.stream, flush=True)


def row_units(row):
    if row["problem"] == "rank":
        return row.get("elements") or 0
    if row["problem"] == "apsp":
        return (row.get("vertices") or 0) ** 2
    return 2 * (row.get("edges") or 0)


def guess_units(step):
    """From the request alone: the graph does not exist yet."""
    value = step.request.value
    size = value("n") or 0
    if value("rows"):
        size = value("rows") * value("cols")
    if value("scale"):
        size = 2 ** value("scale")
    if step.experiment.problem == "rank":
        return size
    if step.experiment.problem == "apsp":
        return size ** 2
    if value("scale"):
        return 2 * size * (value("edge-factor") or 16)
    return 2 * value("m") if step.request.family == "erdos-renyi" else value("m") or 3 * size


def readable(seconds):
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
