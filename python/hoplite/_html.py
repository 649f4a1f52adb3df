# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: small tables, and bars of plain HTML."""

from __future__ import annotations

import html
from typing import Iterable, List, Sequence, Tuple

MOST_BARS = 24
COLOUR = "#4477aa"


def html_table(title: str, rows: Iterable[Tuple[str, str]]) -> str:
    """A title and rows of name and value."""
    inside = "".join(
        f'<tr><td style="text-align:left"><b>{html.escape(name)}</b></td>'
        f'<td style="text-align:left">{html.escape(value)}</td></tr>' for name, value in rows)
    return f"<div><b>{html.escape(title)}</b><table>{inside}</table></div>"


def html_bars(title: str, names: Sequence[str], counts: Sequence[int]) -> str:
    """A bar for each count, as long as its share of the largest; many are put together."""
    names, counts = grouped(names, counts)
    largest = max(list(counts) + [1])
    rows = "".join(
        f'<tr><td style="text-align:right">{html.escape(name)}</td>'
        f'<td style="text-align:left"><span style="display:inline-block;background:{COLOUR};'
        f'height:0.8em;width:{max(1, round(240 * count / largest))}px"></span> {count:,}</td></tr>'
        for name, count in zip(names, counts))
    return f"<div>{html.escape(title)}<table>{rows}</table></div>"


def grouped(names: Sequence[str], counts: Sequence[int]) -> Tuple[List[str], List[int]]:
    """At most MOST_BARS bars: neighbours are added up."""
    step = -(-len(names) // MOST_BARS) if names else 1
    if step == 1:
        return list(names), list(counts)
    starts = range(0, len(names), step)
    return ([f"{names[i]}–{names[min(i + step, len(names)) - 1]}" for i in starts],
            [sum(counts[i:i + step]) for i in starts])
