# SPDX-License-Identifier: Apache-2.0
"""Results: small objects with NumPy arrays, the report of the run, and what one does next with
them: paths, sizes, proof."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import Array, VertexArray, address
from ._calling import How, context, whole
from ._graph import Graph, taken
from ._loading import lib, make
from ._running import Certify, Report, certify_mode

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Result:
    """What all results have."""

    graph: Graph
    #: Which variant ran, why, and where the time went.
    report: Report
    _given: Any  # the options of the call, which a check needs again

    def certify(self, mode: Certify = "canonical", **how: Unpack[How]) -> None:
        """Proves the result, by code that is independent of what found it and without solving it
        again; :class:`CertificateError` says what is wrong. "valid" accepts any right answer."""
        run = make(c.hop_run, certify=certify_mode(mode))
        given = type(self._given).from_buffer_copy(self._given)
        given.run = ctypes.pointer(run)
        with context(how) as lent:
            self._check(lent, given, run.certify)

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        raise NotImplementedError


class Tree(Result):
    """A search from sources: its parents lead back to them."""

    sources: VertexArray
    targets: Optional[VertexArray]
    parents: Optional[VertexArray]

    def path(self, target: int, **how: Unpack[How]) -> VertexArray:
        """The way from a source to ``target``, both included; empty if it was not reached."""
        if self.parents is None:
            raise ValueError("paths need parents, and the call had parents=False")
        n = len(self.parents)
        end = whole("target", target, 0, n - 1)
        length = ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_path, address(self.parents), n, end, None, 0, ctypes.byref(length))
            way = np.empty(length.value, np.uint32)
            if len(way):
                lent.call(lib.hop_path, address(self.parents), n, end, address(way), len(way),
                          ctypes.byref(length))
        return way


class BfsResult(Tree):
    """Levels and parents of a breadth-first search."""

    def __init__(self, graph: Graph, report: Report, given: Any, sources: VertexArray,
                 targets: Optional[VertexArray], levels: VertexArray,
                 parents: Optional[VertexArray]) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.sources, self.targets = sources, targets
        self.levels, self.parents = levels, parents

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which vertices were reached."""
        return np.asarray(self.levels != np.uint32(c.HOP_NO_LEVEL))

    @property
    def depth(self) -> int:
        """The largest level; 0 if nothing was reached."""
        found = self.levels[self.reached]
        return int(found.max()) if found.size else 0

    def level_sizes(self) -> npt.NDArray[np.int64]:
        """How many vertices each level has."""
        return np.bincount(self.levels[self.reached])

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        lent.call(lib.hop_bfs_certify, self.graph._pointer, address(self.sources),
                  len(self.sources), ctypes.byref(given), address(self.levels),
                  address(self.parents))


class ComponentsResult(Result):
    """Labels of connected components: the smallest vertex of each."""

    def __init__(self, graph: Graph, report: Report, given: Any, labels: VertexArray,
                 count: int) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.labels, self.count = labels, count

    def sizes(self, **how: Unpack[How]) -> VertexArray:
        """The number of vertices of each component, in the order of :meth:`numbers`."""
        at_label = np.empty(len(self.labels), np.uint32)
        with context(how) as lent:
            lent.call(lib.hop_components_sizes, address(self.labels), len(self.labels),
                      address(at_label))
        sizes: VertexArray = at_label[at_label != 0]
        return sizes

    def numbers(self, **how: Unpack[How]) -> VertexArray:
        """Components numbered 0 .. count-1 in the order of their smallest vertices."""
        numbers = np.empty(len(self.labels), np.uint32)
        with context(how) as lent:
            lent.call(lib.hop_components_number, address(self.labels), len(self.labels),
                      address(numbers), None)
        return numbers

    def largest(self, **how: Unpack[How]) -> Graph:
        """The largest component as a graph; its labels are the vertices of this one."""
        made = ctypes.c_void_p()
        with context(how) as lent:
            lent.call(lib.hop_components_largest, self.graph._pointer, address(self.labels),
                      ctypes.byref(made))
        return Graph(taken(made), self.graph)

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        lent.call(lib.hop_components_certify, self.graph._pointer, mode, address(self.labels),
                  self.count)


class SsspResult(Tree):
    """Distances and parents of shortest paths from sources."""

    def __init__(self, graph: Graph, report: Report, given: Any, sources: VertexArray,
                 targets: Optional[VertexArray], distances: Array,
                 parents: Optional[VertexArray]) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.sources, self.targets = sources, targets
        self.distances, self.parents = distances, parents

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which vertices were reached."""
        return finite(self.distances)

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        lent.call(lib.hop_sssp_certify, self.graph._pointer, address(self.sources),
                  len(self.sources), ctypes.byref(given), address(self.distances),
                  address(self.parents))


class ApspResult(Result):
    """The matrix of distances between all pairs."""

    def __init__(self, graph: Graph, report: Report, given: Any, distances: Array) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.distances = distances

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Between which pairs there is a path."""
        return finite(self.distances)

    def path(self, source: int, target: int, **how: Unpack[How]) -> VertexArray:
        """A shortest path with the fewest arcs, both ends included; empty if there is none."""
        n = len(self.distances)
        begin, end = whole("source", source, 0, n - 1), whole("target", target, 0, n - 1)
        row = self.distances[begin]
        way = np.empty(min(n, 64), np.uint32)
        length = ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_apsp_path, self.graph._pointer, ctypes.byref(self._given), begin, end,
                      address(row), None, 0, ctypes.byref(length))
            way = np.empty(length.value, np.uint32)
            if len(way):
                lent.call(lib.hop_apsp_path, self.graph._pointer, ctypes.byref(self._given), begin,
                          end, address(row), address(way), len(way), ctypes.byref(length))
        return way

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        lent.call(lib.hop_apsp_certify, self.graph._pointer, ctypes.byref(given), 0,
                  len(self.distances), address(self.distances))


class RankResult(Result):
    """Ranks of the elements of lists."""

    def __init__(self, successors: VertexArray, report: Report, given: Any,
                 heads: Optional[VertexArray], ranks: VertexArray) -> None:
        self.successors, self.report, self._given = successors, report, given
        self.heads, self.ranks = heads, ranks

    def _check(self, lent: Any, given: Any, mode: int) -> None:
        lent.call(lib.hop_rank_certify, address(self.successors), len(self.successors),
                  ctypes.byref(given), address(self.ranks))


def finite(distances: Array) -> npt.NDArray[np.bool_]:
    if distances.dtype.kind == "f":
        return np.isfinite(distances)
    return np.asarray(distances != np.iinfo(distances.dtype).max)
