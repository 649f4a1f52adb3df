# SPDX-License-Identifier: Apache-2.0
"""Results: small objects with NumPy arrays, the report of the run, and what one does next with
them: paths, sizes, certificates."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import Array, VertexArray, address, view_of
from ._calling import How, context, whole
from ._graph import Graph, Owned
from ._html import html_bars, html_table
from ._loading import lib, make
from ._names import names_of, number_of
from ._plot import bar_plot, by_powers
from ._running import Certify, Report, certify_mode, plain_fields
from ._signatures import Unpack


class Result:
    """What all results have."""

    graph: Graph
    #: Which variant ran, why, and where the time went.
    report: Report
    _given: Any  # the options of the call, which a check needs again

    def certify(self, mode: Certify = "canonical", **how: Unpack[How]) -> None:
        """Certifies the result, by code that is independent of what found it and without solving it
        again; :class:`CertificateError` says what is wrong. "valid" accepts any right answer."""
        self._certify(mode, how)

    def _certify(self, mode: Certify, how: How, **changed: Any) -> None:
        run = make(c.hop_run, certify=certify_mode(mode))
        given = type(self._given).from_buffer_copy(self._given)
        for name, value in changed.items():
            setattr(given, name, value)
        given.run = ctypes.pointer(run)
        with context(how) as lent:
            self._check(lent, given)

    def _check(self, lent: Any, given: Any) -> None:
        raise NotImplementedError

    # Copies and pickles have the arrays, the graph and the numbers of the options. Addresses are
    # put into the options again: of which array, by the name of the option.
    _options: Any
    _addresses: Dict[str, str] = {}

    def __getstate__(self) -> Dict[str, Any]:
        return {**vars(self), "_given": vars(plain_fields(self._given))}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        vars(self).update(state)
        known = {name for name, _ in self._options._fields_}
        self._given = make(self._options, **{
            name: value for name, value in state["_given"].items() if name in known})
        for name, held in self._addresses.items():
            setattr(self._given, name, address(getattr(self, held)))

    def _facts(self) -> List[Tuple[str, str]]:
        """What the result says, for people: rows of name and value."""
        raise NotImplementedError

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        """What its picture shows: a title, and a name and a count for each bar."""
        raise NotImplementedError

    def __repr__(self) -> str:
        said = "; ".join(f"{name} {value}" for name, value in self._facts())
        return f"<hoplite.{type(self).__name__}: {said}; by {self.report.variant}>"

    def _repr_html_(self) -> str:
        rows = self._facts() + [("variant", f"{self.report.variant}, {self.report.seconds:.6f} s"),
                                ("reason", self.report.reason)]
        return html_table(f"hoplite.{type(self).__name__}", rows) + html_bars(*self._bars())

    def plot(self, ax: Any = None) -> Any:
        """Draws a bar chart with matplotlib: how many vertices there are in each level, at each
        distance or rank, or how many components of each size. On ``ax``, or on a new figure;
        returns the axes."""
        return bar_plot(*self._bars(), ax)


class Tree(Result):
    """A search from sources: its parents lead back to them."""

    graph: Graph
    sources: Array
    targets: Optional[Array]
    parents: Optional[VertexArray]
    _sources: VertexArray  # as the library numbers them

    def path(self, target: Any, *, index: bool = False, **how: Unpack[How]) -> Array:
        """The path from a source to ``target``, both included; empty if it was not reached. The
        target and the vertices on the path are ids; with ``index`` positions."""
        if self.parents is None:
            raise ValueError("paths need parents, and the call had parents=False")
        n = len(self.parents)
        end = number_of(self.graph, "target", target, index)
        length = ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_path, address(self.parents), n, end, None, 0, ctypes.byref(length))
            way = np.empty(length.value, np.uint32)
            if len(way):
                lent.call(lib.hop_path, address(self.parents), n, end, address(way), len(way),
                          ctypes.byref(length))
        return names_of(self.graph, way, index)

    def nearest(self, count: Optional[int] = None, *, index: bool = False,
                **how: Unpack[How]) -> Tuple[Array, Array]:
        """The vertices nearest to the sources, these left out, and how far each is: two arrays, the
        nearest first, of equals the smallest. Of ``count`` vertices, of as many as the call said by
        ``nearest``, or of all that were reached. Vertices are ids; with ``index`` positions."""
        found = self._found()
        most = self._given.nearest if count is None else whole("count", count, 0, c.HOP_NO_LEVEL)
        if count is None and most == 0:
            most = len(found)
        near, listed = np.empty(min(most, len(found)), np.uint32), ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_nearest, view_of(found), address(self._sources), len(self._sources),
                      address(near), len(near), ctypes.byref(listed))
        near = near[:listed.value]
        return names_of(self.graph, near, index), found[near]

    def _found(self) -> Array:
        """Levels or distances."""
        raise NotImplementedError


class BfsResult(Tree):
    """Levels and parents of a breadth-first search.

    levels: uint32, one per vertex; 2**32 - 1 where it was not reached.
    parents: uint32 positions, the smallest one in the level before; a source is its own;
        2**32 - 1 where it was not reached; None when they were not wanted.
    sources, targets: the vertices that were asked for, as the call named them.
    graph: that was searched.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_bfs_options
    _addresses = {"targets": "_targets"}

    def __init__(self, graph: Graph, report: Report, given: Any, sources: VertexArray,
                 targets: Optional[VertexArray], levels: VertexArray,
                 parents: Optional[VertexArray], index: bool = False) -> None:
        self.graph, self.report, self._given = graph, report, given
        self._sources, self._targets = sources, targets  # which the options point to
        self.sources = names_of(graph, sources, index)
        self.targets = None if targets is None else names_of(graph, targets, index)
        self.levels, self.parents = levels, parents

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which vertices were reached."""
        return np.asarray(self.levels != np.uint32(c.HOP_NO_LEVEL))

    def _found(self) -> Array:
        return self.levels

    @property
    def depth(self) -> int:
        """The largest level; 0 if nothing was reached."""
        found = self.levels[self.reached]
        return int(found.max()) if found.size else 0

    def level_sizes(self) -> npt.NDArray[np.int64]:
        """How many vertices each level has."""
        return np.bincount(self.levels[self.reached])

    def _facts(self) -> List[Tuple[str, str]]:
        return [("sources", some(self.sources)), ("reached", share(self.reached)),
                ("levels", f"0 to {self.depth:,}" if len(self.sources) else "none")]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        sizes = self.level_sizes().tolist()
        return "vertices per level", [str(k) for k in range(len(sizes))], sizes

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_bfs_certify, self.graph._pointer, address(self._sources),
                  len(self._sources), ctypes.byref(given), address(self.levels),
                  address(self.parents))


class ComponentsResult(Result):
    """Labels of connected components: the smallest vertex of each.

    labels: uint32, one per vertex: the smallest vertex of its component, by position.
    count: how many components there are.
    graph: that was looked at.
    report: which variant ran, why, and how long.
    """

    _options: Any = c.hop_components_options

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
        """The largest component as a graph, whose vertices keep their ids."""
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_components_largest, self.graph._pointer, address(self.labels),
                      ctypes.byref(made))
        return Graph(made, self.graph)

    def _facts(self) -> List[Tuple[str, str]]:
        sizes = self.sizes()
        largest = int(sizes.max()) if sizes.size else 0
        return [("components", f"{self.count:,}, {int((sizes == 1).sum()):,} of them single"),
                ("largest", f"{largest:,} of {len(self.labels):,} vertices")]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        return ("components by number of vertices", *by_powers(self.sizes()))

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_components_certify, self.graph._pointer, ctypes.byref(given),
                  address(self.labels), self.count)


class StrongResult(ComponentsResult):
    """Labels of strong components: the smallest vertex of each.

    labels: uint32, one per vertex: the smallest vertex of its component, by position.
    count: how many components there are.
    graph: that was looked at.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_strong_options

    def condensation(self, **how: Unpack[How]) -> Graph:
        """A directed graph with a vertex for each component, numbered as :meth:`numbers` has them,
        and an arc where there is one between two of them. It has no cycles."""
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_strong_condense, self.graph._pointer, address(self.labels), None,
                      ctypes.byref(made))
        return Graph(made)

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_strong_certify, self.graph._pointer, ctypes.byref(given),
                  address(self.labels), self.count)


class SsspResult(Tree):
    """Distances and parents of shortest paths from sources.

    distances: one per vertex, of the type of the weights, int64 for integers and for none; the
        largest number of the type, or infinity, where it was not reached.
    parents: uint32 positions; a source is its own; 2**32 - 1 where it was not reached; None when
        they were not wanted.
    sources, targets: the vertices that were asked for, as the call named them.
    graph: that was searched.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_sssp_options
    _addresses = {"targets": "_targets"}

    def __init__(self, graph: Graph, report: Report, given: Any, sources: VertexArray,
                 targets: Optional[VertexArray], distances: Array,
                 parents: Optional[VertexArray], index: bool = False) -> None:
        self.graph, self.report, self._given = graph, report, given
        self._sources, self._targets = sources, targets  # which the options point to
        self.sources = names_of(graph, sources, index)
        self.targets = None if targets is None else names_of(graph, targets, index)
        self.distances, self.parents = distances, parents

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which vertices were reached."""
        return finite(self.distances)

    def _found(self) -> Array:
        return self.distances

    def _facts(self) -> List[Tuple[str, str]]:
        near = self.distances[self.reached]
        farthest = f"{near.max():,}" if near.size else "none"
        return [("sources", some(self.sources)), ("reached", share(self.reached)),
                ("farthest", farthest)]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        return ("vertices by distance", *histogram(self.distances[self.reached]))

    def certify(self, mode: Optional[Certify] = None, *, tolerance: float = 0.0,
                **how: Unpack[How]) -> None:
        """Certifies the result, by code that is independent of what found it and without solving it
        again; :class:`CertificateError` says what is wrong. "valid" accepts any right answer;
        "canonical", the default, the documented one.

        With a tolerance, distances that came from elsewhere may differ from the right ones, which
        are found by a search, by that part of them. Parents are not looked at. What passes is
        valid within the tolerance, which is less than certified."""
        self._certify(mode or ("valid" if tolerance else "canonical"), how, tolerance=tolerance)

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_sssp_certify, self.graph._pointer, address(self._sources),
                  len(self._sources), ctypes.byref(given), view_of(self.distances),
                  address(None if given.tolerance else self.parents))


class ApspSummary(NamedTuple):
    """What the distances between all pairs say as a whole."""

    #: Vertices from which there are distances.
    rows: int
    #: Pairs of different vertices that have a distance.
    connected: int
    #: Their mean distance; None where there is no such pair.
    mean: Optional[float]
    #: The greatest eccentricity, a pair that far apart, the least eccentricity, a vertex of it.
    diameter: Union[int, float]
    farthest: Tuple[Any, Any]
    radius: Union[int, float]
    center: Any
    #: For each row the distance to the farthest vertex that is reached.
    eccentricities: Array
    report: Report


class ApspResult(Result):
    """The matrix of distances between all pairs, or some rows of it.

    distances: one row per source, one column per vertex; the largest number of the type, or
        infinity, where there is no path.
    sources: the vertices of the rows, as the call named them; None when they are all.
    graph: that was looked at.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_apsp_options
    _addresses = {"sources": "_sources"}

    def __init__(self, graph: Graph, report: Report, given: Any, distances: Array,
                 sources: Optional[VertexArray] = None, index: bool = False) -> None:
        self.graph, self.report, self._given = graph, report, given
        self.distances, self._sources = distances, sources
        self.sources = None if sources is None else names_of(graph, sources, index)

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Between which pairs there is a path."""
        return finite(self.distances)

    def path(self, source: Any, target: Any, *, index: bool = False,
             **how: Unpack[How]) -> Array:
        """A shortest path with the fewest arcs, both ends included; empty if there is none. Its
        ends and the vertices on the path are ids; with ``index`` positions."""
        n = self.graph.vertices
        begin = number_of(self.graph, "source", source, index)
        end = number_of(self.graph, "target", target, index)
        at = begin
        if self._sources is not None:
            places = np.flatnonzero(self._sources == begin)
            if places.size == 0:
                raise ValueError(f"the row of vertex {source} was not asked for")
            at = int(places[0])
        row = self.distances[at]
        way = np.empty(min(n, 64), np.uint32)
        length = ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_apsp_path, self.graph._pointer, ctypes.byref(self._given), begin, end,
                      view_of(row), None, 0, ctypes.byref(length))
            way = np.empty(length.value, np.uint32)
            if len(way):
                lent.call(lib.hop_apsp_path, self.graph._pointer, ctypes.byref(self._given), begin,
                          end, view_of(row), address(way), len(way), ctypes.byref(length))
        return names_of(self.graph, way, index)

    def _facts(self) -> List[Tuple[str, str]]:
        reached = self.reached
        near = self.distances[reached]
        rows, n = self.distances.shape
        return [("matrix", f"{rows:,} × {n:,} of {self.distances.dtype}"),
                ("pairs", share(reached.ravel())),
                ("farthest", f"{near.max():,}" if near.size else "none")]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        return ("pairs by distance", *histogram(self.distances[self.reached]))

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_apsp_certify, self.graph._pointer, ctypes.byref(given), 0,
                  len(self.distances), view_of(self.distances))


class RankResult(Result):
    """Ranks of the elements of lists.

    ranks: uint32, the links from each element to the tail of its list; 2**32 - 1 where no head
        leads to it.
    successors: the lists.
    heads: their heads; None when element 0 is the only one.
    report: which variant ran, why, and how long.
    """

    _options = c.hop_rank_options
    _addresses = {"heads": "heads"}

    def __init__(self, successors: VertexArray, report: Report, given: Any,
                 heads: Optional[VertexArray], ranks: VertexArray) -> None:
        self.successors, self.report, self._given = successors, report, given
        self.heads, self.ranks = heads, ranks

    def _facts(self) -> List[Tuple[str, str]]:
        ranked = self.ranks[self.ranks != np.uint32(c.HOP_NO_RANK)]
        return [("elements", f"{len(self.ranks):,}, {ranked.size:,} of them ranked"),
                ("longest", f"{int(ranked.max()) + 1 if ranked.size else 0:,}")]

    def _bars(self) -> Tuple[str, List[str], List[int]]:
        return ("elements by rank",
                *histogram(self.ranks[self.ranks != np.uint32(c.HOP_NO_RANK)]))

    def _check(self, lent: Any, given: Any) -> None:
        lent.call(lib.hop_rank_certify, address(self.successors), len(self.successors),
                  ctypes.byref(given), address(self.ranks))


def finite(distances: Array) -> npt.NDArray[np.bool_]:
    if distances.dtype.kind == "f":
        return np.isfinite(distances)
    return np.asarray(distances != np.iinfo(distances.dtype).max)


def some(vertices: VertexArray) -> str:
    """A few of them, for people."""
    shown = ", ".join(str(v) for v in vertices[:3]) or "none"
    return shown if len(vertices) <= 3 else f"{shown} and {len(vertices) - 3:,} more"


def share(reached: npt.NDArray[np.bool_]) -> str:
    count, total = int(reached.sum()), len(reached)
    return f"{count:,} of {total:,} ({100 * count / total if total else 0:.1f} %)"


def histogram(values: Array) -> Tuple[List[str], List[int]]:
    """Names of ranges, and how many values are in each: at most 12 ranges."""
    if values.size == 0:
        return [], []
    low, high = values.min(), values.max()
    whole_numbers = values.dtype.kind != "f"
    bins = int(min(12, int(high) - int(low) + 1)) if whole_numbers else 12
    edges = np.linspace(float(low), float(high) + (1 if whole_numbers else 0), bins + 1)
    if whole_numbers:
        edges = np.unique(np.ceil(edges))
    counts, _ = np.histogram(values, edges)
    names = [f"{a:,.0f}" if b - a == 1 else f"{a:,.0f}–{b - 1:,.0f}"
             for a, b in zip(edges, edges[1:])] if whole_numbers else [
                 f"{a:.4g}–{b:.4g}" for a, b in zip(edges, edges[1:])]
    return names, counts.tolist()
