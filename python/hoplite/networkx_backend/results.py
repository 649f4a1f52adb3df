# SPDX-License-Identifier: Apache-2.0
"""From arrays of numbers to what NetworkX returns."""

from __future__ import annotations

import math
import sys
from collections.abc import MutableMapping
from typing import Any, Dict, ItemsView, Iterator, List, Optional, ValuesView

import numpy as np

from .._speed import walk
from .nodes import NO_VERTEX, NodeGraph, Rows

MANY = 2**20  # nodes on all paths together, beyond which paths are made when they are looked at


class Paths(MutableMapping):  # type: ignore[type-arg]
    """A dict of paths whose lists are made when they are looked at: between all nodes and the
    source of a large graph they can have a thousand times more entries than the graph has nodes.
    Who asks for all values or items gets them made together, which is quicker than one by one. It
    compares, copies and pickles as the dict that it stands for."""

    def __init__(self, nodes: List[Any], order: Any, parents: Any, forward: bool) -> None:
        self._nodes, self._parents, self._forward = nodes, parents, forward
        self._order: Any = order  # None: all were made
        self._ids: Dict[Any, int] = walk.table(nodes, order, np.arange(len(nodes), dtype=np.int64),
                                               None, "l")
        self._made: Dict[Any, Any] = {}

    def __getitem__(self, node: Any) -> Any:
        end = self._ids[node]
        if node in self._made:
            return self._made[node]
        made = self._made[node] = walk.path(self._nodes, self._parents, end, self._forward)
        return made

    def __setitem__(self, node: Any, value: Any) -> None:
        self._ids.setdefault(node, NO_VERTEX)
        self._made[node] = value

    def __delitem__(self, node: Any) -> None:
        del self._ids[node]
        self._made.pop(node, None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ids)

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(reversed(self._ids)))

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, node: Any) -> bool:
        return node in self._ids

    def popitem(self) -> Any:
        """The last, as of a dict."""
        if not self._ids:
            raise KeyError("popitem(): dictionary is empty")
        node = next(reversed(self._ids))
        value = self[node]
        del self[node]
        return node, value

    def _make_all(self) -> None:
        """After this `_made` is the dict that this stands for."""
        if self._order is None:
            return
        every = walk.paths(self._nodes, self._order, self._parents, self._forward, sys.maxsize)
        every.update(self._made)  # those that somebody has stay the same
        self._made, self._order = {node: every[node] for node in self._ids}, None

    def values(self) -> ValuesView[Any]:
        self._make_all()
        return self._made.values()

    def items(self) -> ItemsView[Any, Any]:
        self._make_all()
        return self._made.items()

    def arrange(self, nodes: List[Any]) -> None:
        """Puts the keys into this order."""
        self._ids = {node: self._ids[node] for node in nodes}

    def copy(self) -> Dict[Any, Any]:
        self._make_all()
        return self._made.copy()

    __copy__ = copy

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other if isinstance(other, (dict, Paths)) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return other | self.copy() if isinstance(other, dict) else NotImplemented

    def __repr__(self) -> str:
        return repr(self.copy())


def paths_of(graph: NodeGraph, order: Any, parents: Any, forward: bool = False) -> Any:
    """The paths to all of `order` along parents; `forward`: from them."""
    made = walk.paths(graph.nodes, order, parents, forward, MANY)
    return Paths(graph.nodes, order, parents, forward) if made is None else made


def distances_of(graph: NodeGraph, order: Any, distances: Any, whole: Any = None) -> Dict[Any, Any]:
    """A dict of distances in this order."""
    found: Dict[Any, Any] = walk.table(graph.nodes, order, distances, whole,
                                       "d" if distances.dtype.kind == "f" else "l")
    return found


def number_of(graph: NodeGraph, distances: Any, whole: Any, v: int) -> Any:
    """One distance as a number of Python."""
    value = distances[v].item()
    return int(value) if whole is not None and whole[v] else value


class Search:
    """A breadth-first search in NetworkX's order. `order` has what was reached, level l is
    order[starts[l]:starts[l + 1]]."""

    def __init__(self, rows: Rows, sources: List[int], limit: int, parents: bool = True) -> None:
        n = len(rows.offsets) - 1
        order, starts = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
        self.parents = np.empty(n, np.uint32) if parents else None
        levels = walk.search(rows.offsets, rows.targets, np.array(sources, np.uint32), limit, order,
                             starts, self.parents)
        self.starts = starts[:levels + 1]
        self.order = order[:int(self.starts[-1])]

    def levels(self, n: int) -> Any:
        """The level of each vertex that was reached, by its number."""
        found = np.empty(n, np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return found


def limit_of(cutoff: Optional[float]) -> int:
    """The last level of a search that goes on while the cutoff is above the level."""
    if cutoff is None or cutoff == math.inf:
        return NO_VERTEX - 1
    if not cutoff > 0:
        return 0
    return min(math.ceil(cutoff), NO_VERTEX - 1)
