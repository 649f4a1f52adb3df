# SPDX-License-Identifier: Apache-2.0
"""Pictures of counts, by matplotlib where it is installed."""

from __future__ import annotations

import importlib
from typing import Any, List, Sequence, Tuple

import numpy as np

from ._arrays import Array
from ._html import COLOUR

SKEWED = 100  # between the highest bar and the lowest, from which on the scale is logarithmic
NUMBERED = 16  # bars that have room for their names and counts


def new_axes() -> Any:
    """The axes of a new figure."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("matplotlib"):
            raise
        raise ModuleNotFoundError("plot() draws with matplotlib, which is not installed; "
                                  "to install it: python -m pip install matplotlib",
                                  name=missing.name) from None
    return pyplot.subplots(layout="constrained")[1]  # which has room for the names


def bar_plot(title: str, names: Sequence[str], counts: Sequence[int], ax: Any = None) -> Any:
    """Draws a bar for each count, on ``ax`` or a new figure; returns the axes."""
    ax = new_axes() if ax is None else ax
    drawn = ax.bar(range(len(counts)), counts, color=COLOUR)
    some = [count for count in counts if count > 0]
    if some and max(some) > SKEWED * min(some):
        ax.set_yscale("log")  # else a bar would be too low to be seen
        ax.set_ylim(0.5, 3 * max(some))  # with room for the number above the highest
    elif some:
        ax.set_ylim(0, 1.1 * max(some))
    if len(counts) <= NUMBERED:
        ax.bar_label(drawn, [f"{count:,}" if count else "" for count in counts], fontsize=8)
    step = max(1, -(-len(names) // NUMBERED))
    ax.set_xticks(list(range(0, len(names), step)), names[::step], rotation=30, ha="right")
    ax.set_title(title)
    return ax


def by_powers(values: Array) -> Tuple[List[str], List[int]]:
    """Names of the ranges 0, 1, 2–3, 4–7 …, and how many values are in each; ranges below the
    smallest value are left out."""
    if values.size == 0:
        return [], []
    bits = np.frexp(values.astype(np.float64))[1]  # 0 for 0, 1 for 1, 2 for 2 and 3
    first = int(bits.min())
    counts = np.bincount(bits - first)
    names = [f"{2**k // 2:,}" if k < 2 else f"{2**k // 2:,}–{2**k - 1:,}"
             for k in range(first, first + len(counts))]
    return names, counts.tolist()
