# SPDX-License-Identifier: Apache-2.0
"""Minimum spanning forests, of graphs and of lists of edges."""

from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import Array, address, weights_of
from ._calling import How, context
from ._graph import Graph
from ._loading import lib, make
from ._names import names_of
from ._plot import by_powers
from ._problems import graph_argument
from ._results import Result
from ._running import Certify, Report, run_of
from ._signatures import Unpack


class SpanningResult(Result):
    """The edges of a minimum spanning forest.

    arcs: uint64, ascending: places in ``graph.targets`` and ``graph.weights``; of an undirected
        edge that of the arc from its smaller end.
    graph: that was looked at.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_spanning_options

    def __init__(self, graph: Graph, report: Report, given: Any,
                 arcs: npt.NDArray[np.uint64]) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.arcs = arcs

    @property
    def weights(self) -> Optional[Array]:
        """The weights of the edges; None where the graph has none."""
        held = self.graph.weights
        return None if held is None else held[self.arcs]

    def edges(self, *, index: bool = False) -> Tuple[Array, Array]:
        """Two arrays: from, and to. Vertices are ids; with ``index`` positions."""
        tails = np.searchsorted(self.graph.offsets, self.arcs, "right") - 1
        return (names_of(self.graph, tails.astype(np.uint32), index),
                names_of(self.graph, self.graph.targets[self.arcs], index))

    def _facts(self) -> List[Tuple[str, str]]:
        held = self.weights
        trees = self.graph.vertices - len(self.arcs)
        return [("edges", f"{len(self.arcs):,}"), ("trees", f"{trees:,}"),
                ("weight", "none" if held is None else f"{held.sum()}")]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        ends = np.concatenate(self.edges(index=True)).astype(np.int64)
        degrees = np.bincount(ends, minlength=self.graph.vertices)
        return ("vertices by number of edges in the forest", *by_powers(degrees))

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_spanning_certify, self.graph._pointer, ctypes.byref(given),
                  address(self.arcs), len(self.arcs))


def spanning_forest(
    graph: Graph, *, maximum: bool = False, variant: Optional[str] = None,
    certify: Certify = False, **how: Unpack[How],
) -> SpanningResult:
    """A minimum spanning forest: of each connected component the tree of least weight, whatever
    the direction of the arcs. Of edges of equal weight the first in the rows counts as the lesser,
    so there is one answer.

    maximum: the greatest weight instead.
    variant: "kruskal" or "boruvka"; None: the library chooses."""
    run, report = run_of(variant, None, certify)
    given = make(c.hop_spanning_options, run=ctypes.pointer(run), maximum=bool(maximum))
    found = np.empty(graph_argument(graph).vertices, np.uint64)
    count = ctypes.c_uint32()
    with context(how) as lent:
        lent.call(lib.hop_spanning_forest, graph._pointer, ctypes.byref(given), address(found),
                  ctypes.byref(count))
    return SpanningResult(graph, report, given, found[:count.value].copy())


def forest_of_edges(tails: Any, heads: Any, weights: Any, vertices: int, maximum: bool = False,
                    **how: Any) -> Any:
    """Places of the edges of the forest in a list of edges, ascending. Ends are uint32."""
    values, kind = weights_of(weights, len(tails))
    edges = make(c.hop_edges, count=len(tails), to=address(heads), id_bytes=4,
                 weights=address(values), weight_type=kind)
    setattr(edges, "from", address(tails))
    given = make(c.hop_spanning_options, maximum=bool(maximum))
    found = np.empty(vertices, np.uint64)
    count = ctypes.c_uint32()
    with context(how) as lent:
        lent.call(lib.hop_spanning_forest_of_edges, ctypes.byref(edges), vertices,
                  ctypes.byref(given), address(found), ctypes.byref(count))
    return found[:count.value]
