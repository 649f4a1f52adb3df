# SPDX-License-Identifier: Apache-2.0
"""
The machine's own limits, from `hoplite bench --machine`: how fast it copies, and what one random
read costs at several sizes. They are the lines under the figures.
"""

import math
import os

from . import raw_rows
from .row_summary import summarise


def path_of(folder):
    return os.path.join(folder, "machine.jsonl")


def measure(hoplite, folder, cores, say):
    """Measures once per folder; `cores` is the other thread count beside 1."""
    path = path_of(folder)
    if any(row["kind"] == "rate" for row in raw_rows.read(path)):
        return
    say("measuring copy and gather rates of the machine")
    os.makedirs(folder, exist_ok=True)
    partial = path + ".new"
    if os.path.exists(partial):
        os.remove(partial)
    counts = "1" if cores == 1 else f"1,{cores}"
    hoplite.ask("bench", "--machine", "--threads", counts, "--jsonl", partial,
                realtime=hoplite.realtime)
    os.replace(partial, path)


class Rates:
    def __init__(self, rows):
        values = {}
        for row in rows:
            if row["kind"] == "rate":
                key = row["operation"], row["threads"]
                values.setdefault(key, {}).setdefault(row["elements"], []).append(row)
        self.values = values

    def threads(self):
        return sorted({threads for _, threads in self.values})

    def nearest(self, threads):
        """The measured thread count that is nearest to the wanted one."""
        return min(self.threads(), key=lambda known: abs(known - threads), default=None)

    def copy_rate(self, threads):
        """Bytes per second, read and written counted once each; None when not measured."""
        sizes = self.values.get(("copy", self.nearest(threads)))
        if not sizes:
            return None
        return summarise([row["bytes_per_second"] for row in sizes[max(sizes)]]).median

    def gather(self, threads, elements):
        """Nanoseconds of one random read in an array of this many elements, between the measured
        sizes by the logarithm; None when not measured."""
        sizes = self.values.get(("gather", self.nearest(threads)))
        if not sizes:
            return None
        known = {size: summarise([row["ns_per_element"] for row in rows]).median
                 for size, rows in sizes.items()}
        below = max((size for size in known if size <= elements), default=min(known))
        above = min((size for size in known if size >= elements), default=max(known))
        if below == above:
            return known[below]
        share = (math.log(elements) - math.log(below)) / (math.log(above) - math.log(below))
        return known[below] + (known[above] - known[below]) * share

    def table(self):
        """(operation, threads, elements, GB/s, ns per element), medians, for the report."""
        for (operation, threads), sizes in sorted(self.values.items()):
            for elements, rows in sorted(sizes.items()):
                yield (operation, threads, elements,
                       summarise([row["bytes_per_second"] for row in rows]).median / 1e9,
                       summarise([row["ns_per_element"] for row in rows]).median)


def load(folder):
    return Rates(raw_rows.read(path_of(folder)))
