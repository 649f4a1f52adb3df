# SPDX-License-Identifier: Apache-2.0
"""The problems: breadth-first search, connected components, shortest paths, list ranking."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _binding as c
from ._arrays import (TYPES, WEIGHT_NAMES, Array, VertexArray, address, array_of, span_of,
                      vertices_of)
from ._calling import Context, How, context, naming, real, whole
from ._graph import Graph
from ._loading import lib, make
from ._names import name_of, names_of, numbers_of
from ._reading import file_name
from ._results import (ApspResult, ApspSummary, BfsResult, ComponentsResult, RankResult,
                       SsspResult, StrongResult)
from ._running import Certify, Params, naming_cycle, run_of
from ._signatures import Unpack
from .errors import UnsupportedError


def graph_argument(graph: Any) -> Graph:
    if not isinstance(graph, Graph):
        kind = type(graph)
        if kind.__module__.startswith("networkx."):
            raise TypeError("a hoplite.Graph is needed, not a graph of NetworkX: call NetworkX's "
                            "own functions with backend=\"hoplite\", or take "
                            "Graph.from_scipy(networkx.to_scipy_sparse_array(graph))")
        raise TypeError(f"a hoplite.Graph is needed, not {kind.__module__}.{kind.__qualname__}; "
                        "see Graph.from_edges, from_scipy, from_csr and read")
    return graph


def bfs(
    graph: Graph, sources: Any, *, targets: Any = None, max_level: Optional[int] = None,
    nearest: Optional[int] = None, parents: bool = True, variant: Optional[str] = None,
    params: Params = None, certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> BfsResult:
    """Breadth-first search from one vertex, or from several at once.

    targets: stop with the level in which the last of these is reached.
    max_level: vertices beyond it count as not reached.
    nearest: stop with the level in which so many vertices beside the sources are reached.
    parents: False: only levels are wanted.
    variant, params: the variant and its parameters (:func:`variants`); None: the library chooses.
    certify: certify the result before it is returned: True, "canonical" or "valid".
    index: sources and targets are positions 0 .. n-1, not ids.

    Arrays are by position (:meth:`Graph.find`, :meth:`Graph.names`). ``levels[v]`` is the
    number of arcs from the nearest source, ``parents[v]`` the smallest neighbour one level
    nearer. What is not reached has :data:`NO_LEVEL` and :data:`NO_VERTEX`."""
    n = graph_argument(graph).vertices
    first = numbers_of(graph, "sources", sources, index)
    last = None if targets is None else numbers_of(graph, "targets", targets, index)
    run, report = run_of(variant, params, certify)
    given = make(c.hop_bfs_options, run=ctypes.pointer(run), targets=address(last),
                 target_count=0 if last is None else len(last))
    if max_level is not None:
        given.max_level = whole("max_level", max_level, 0, c.HOP_NO_LEVEL)
    if nearest is not None:
        given.nearest = whole("nearest", nearest, 1, c.HOP_NO_LEVEL)
    levels = np.empty(n, np.uint32)
    tree = np.empty(n, np.uint32) if parents else None
    with context(how) as lent:
        lent.call(lib.hop_bfs, graph._pointer, address(first), len(first), ctypes.byref(given),
                  address(levels), address(tree))
    return BfsResult(graph, report, given, first, last, levels, tree, index)


def components(
    graph: Graph, *, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, **how: Unpack[How],
) -> ComponentsResult:
    """Connected components, whatever the direction of the arcs: ``labels[v]`` is the smallest
    vertex of v's component, by position as v is, ``count`` their number."""
    run, report = run_of(variant, params, certify)
    given = make(c.hop_components_options, run=ctypes.pointer(run))
    labels = np.empty(graph_argument(graph).vertices, np.uint32)
    count = ctypes.c_uint32()
    with context(how) as lent:
        lent.call(lib.hop_components, graph._pointer, ctypes.byref(given), address(labels),
                  ctypes.byref(count))
    return ComponentsResult(graph, report, given, labels, count.value)


def strong_components(
    graph: Graph, *, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, **how: Unpack[How],
) -> StrongResult:
    """Strong components, the vertices that reach each other along the arcs: ``labels[v]`` is the
    smallest vertex of v's component, by position as v is, ``count`` their number.

    variant: "tarjan", "sweeps" or "ranges"; None: the library chooses."""
    run, report = run_of(variant, params, certify)
    given = make(c.hop_strong_options, run=ctypes.pointer(run))
    labels = np.empty(graph_argument(graph).vertices, np.uint32)
    count = ctypes.c_uint32()
    with context(how) as lent:
        lent.call(lib.hop_strong_components, graph._pointer, ctypes.byref(given), address(labels),
                  ctypes.byref(count))
    return StrongResult(graph, report, given, labels, count.value)


def topological_order(
    graph: Graph, *, levels: bool = False, certify: Certify = False, index: bool = False,
    **how: Unpack[How],
) -> Any:
    """The vertices in an order in which every arc leads forward: by their level, the most arcs of
    a path that ends there, and by position within a level. A cycle raises :class:`InputError`,
    whose text names it.

    levels: also return the level of each vertex, by position, as the second of a pair.
    index: the order is of positions 0 .. n-1, not ids."""
    n = graph_argument(graph).vertices
    run, _report = run_of(None, None, certify)
    given = make(c.hop_strong_options, run=ctypes.pointer(run))
    order, depth = np.empty(n, np.uint32), np.empty(n, np.uint32) if levels else None
    with context(how) as lent:
        lent.call(lib.hop_topological_order, graph._pointer, ctypes.byref(given), address(order),
                  address(depth), None)
    named = names_of(graph, order, index)
    return (named, depth) if levels else named


def sssp(
    graph: Graph, sources: Any, *, targets: Any = None, cutoff: Optional[float] = None,
    nearest: Optional[int] = None, parents: bool = True, variant: Optional[str] = None,
    params: Params = None, certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> SsspResult:
    """Shortest paths from one vertex, or from several at once; weights of either sign.

    targets: stop when the last of these is settled.
    cutoff: vertices farther than this count as not reached.
    nearest: stop when so many vertices beside the sources are settled; what is as far as the last
        of them counts as reached too.
    index: sources and targets are positions 0 .. n-1, not ids.

    Arrays are by position. ``distances`` are int64 for integer weights and none (each arc
    counts 1), else of the weights' type; what is not reached has :data:`NO_DISTANCE` or
    infinity. A negative cycle raises :class:`NegativeCycleError`, which has it."""
    n = graph_argument(graph).vertices
    first = numbers_of(graph, "sources", sources, index)
    last = None if targets is None else numbers_of(graph, "targets", targets, index)
    run, report = run_of(variant, params, certify)
    given = make(c.hop_sssp_options, run=ctypes.pointer(run), targets=address(last),
                 target_count=0 if last is None else len(last))
    if cutoff is not None:
        given.cutoff = real("cutoff", cutoff)
    if nearest is not None:
        given.nearest = whole("nearest", nearest, 1, c.HOP_NO_LEVEL)
    distances = np.empty(n, distance_type(graph))
    tree = np.empty(n, np.uint32) if parents else None
    with context(how) as lent, naming_cycle(graph, index, lent):
        lent.call(lib.hop_sssp, graph._pointer, address(first), len(first), ctypes.byref(given),
                  span_of(distances), address(tree))
    return SsspResult(graph, report, given, first, last, distances, tree, index)


def distances(
    graph: Graph, pairs: Any, *, variant: Optional[str] = None, certify: Certify = False,
    index: bool = False, **how: Unpack[How],
) -> Array:
    """Distances of many pairs of vertices: element i is that from ``pairs[i][0]`` to
    ``pairs[i][1]``, as :func:`sssp` defines it. Where there is no path it is
    :data:`NO_DISTANCE` or infinity.

    pairs: an array of two columns, or a list of pairs (from, to). They may repeat, in any order.
    variant: "bidirectional", "one-sided" or a variant of sssp; None: the library chooses.
    certify: certify each search; one per source, by sssp.
    index: pairs are positions 0 .. n-1, not ids.

    Pairs with the same source are found by one search, which stops at the last target; with
    integer weights, searches from both ends meet (of a directed graph if its reverse arcs are
    prepared). With negative weights each source is one search by bellman-ford, and a negative
    cycle that a source reaches raises :class:`NegativeCycleError`, which has it."""
    graph_argument(graph)
    ends, count = pair_numbers(graph, pairs, index)
    run, _report = run_of(variant, None, certify)
    given = make(c.hop_pairs_options, run=ctypes.pointer(run))
    found = np.empty(count, distance_type(graph))
    with context(how) as lent, naming_cycle(graph, index, lent):
        lent.call(lib.hop_distance_pairs, graph._pointer, pair_address(ends), count,
                  ctypes.byref(given), span_of(found))
    return found


def pair_numbers(graph: Graph, pairs: Any, index: bool) -> Tuple[Optional[VertexArray], int]:
    """The vertices of pairs, one after the other, and how many pairs they are."""
    listed = pairs if isinstance(pairs, np.ndarray) else pairs_array(pairs)
    if listed.ndim != 2 or listed.shape[1] != 2:
        raise ValueError("pairs must have two columns, from and to, not the shape "
                         f"{listed.shape}")
    ends = numbers_of(graph, "pairs", listed.ravel(), index) if listed.size else None
    return ends, len(listed)


def pair_address(ends: Optional[VertexArray]) -> Any:
    """Two numbers after the other are one hop_edge."""
    if ends is None:
        return None
    return ctypes.cast(ctypes.c_void_p(address(ends)), ctypes.POINTER(c.hop_edge))


def pairs_array(pairs: Any) -> Array:
    """A list of pairs, or a table, as an array of two columns; names stay objects."""
    if hasattr(pairs, "to_numpy"):
        return np.asarray(pairs.to_numpy())
    given = list(pairs) if hasattr(pairs, "__iter__") else [pairs]
    if any(isinstance(pair, (str, bytes)) or not hasattr(pair, "__iter__") for pair in given):
        raise TypeError("pairs must be a list of pairs (from, to), such as [(0, 1), (0, 2)]")
    listed = [tuple(pair) for pair in given]
    if not listed:
        return np.empty((0, 2), np.int64)
    if any(len(pair) != 2 for pair in listed):
        raise ValueError("each of the pairs must be two vertices, from and to")
    if any(isinstance(end, (str, bytes)) for pair in listed for end in pair):
        return np.array(listed, object)
    return np.array(listed)


def distance_type(graph: Graph) -> str:
    """The NumPy type of the distances of shortest paths."""
    kind = ctypes.c_int()
    lib.hop_graph_weights(graph._pointer, ctypes.byref(kind))
    return WEIGHT_NAMES[lib.hop_distance_type(kind.value)]


def apsp_options(graph: Graph, run: Any, dtype: Any, scratch: Any,
                 rows: Optional[VertexArray]) -> Any:
    """``rows``: the vertices whose rows are wanted; None: all. They must outlive the options."""
    given = make(c.hop_apsp_options, run=ctypes.pointer(run))
    if rows is not None:
        given.sources = address(rows)
        given.source_count = len(rows)
    if scratch is not None:
        given.scratch = file_name(scratch)
    if dtype is not None:
        name = np.dtype(dtype).name
        if name == "int32" and distance_type(graph) == "int64":
            given.distance_type = c.HOP_TYPE_INT32
        elif name != distance_type(graph):
            raise UnsupportedError(f"apsp: distances of this graph are {distance_type(graph)}"
                                   f"{' or int32' if distance_type(graph) == 'int64' else ''}, "
                                   f"not {name}")
    return given


def apsp_sources(graph: Graph, sources: Any, index: bool) -> Optional[VertexArray]:
    graph_argument(graph)
    return None if sources is None else numbers_of(graph, "sources", sources, index)


def apsp(
    graph: Graph, *, sources: Any = None, dtype: Any = None, out: Optional[Array] = None,
    scratch: Any = None, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> ApspResult:
    """Shortest paths between all pairs: row u of ``distances`` holds the distances from u, by
    position as all arrays are.

    sources: vertices whose rows alone are wanted; row i is then that of ``sources[i]``.
    index: sources are positions 0 .. n-1, not ids.
    dtype: "int32" halves the matrix of integers, where it is sure that they fit.
    out: the array to write into, a row of n for each source, such as a numpy.memmap or
        ``numpy.lib.format.open_memmap``; None: a new one, which is refused
        (:class:`BudgetError`) when it does not fit the memory.
    scratch: a file in which the matrix may be kept when it does not fit the memory. It is removed
        at the end; when the call was cancelled it stays, and the same call goes on from there.

    :func:`apsp_rows` gives the rows block by block instead, :func:`apsp_summary` only what they
    say as a whole."""
    wanted = apsp_sources(graph, sources, index)
    n = graph.vertices
    shape = (n if wanted is None else len(wanted), n)
    run, report = run_of(variant, params, certify)
    given = apsp_options(graph, run, dtype, scratch, wanted)
    kind = WEIGHT_NAMES[lib.hop_apsp_distance_type(graph._pointer, ctypes.byref(given))]
    with naming(scratch), context(how) as lent, naming_cycle(graph, index, lent):
        matrix = matrix_for(lent, graph, out, shape, kind, lib.hop_apsp_matrix_bytes, given)
        lent.call(lib.hop_apsp, graph._pointer, ctypes.byref(given), span_of(matrix), None)
    given.scratch = None
    return ApspResult(graph, report, given, matrix, wanted, index)


def matrix_argument(out: Any, shape: Tuple[int, int], kind: str) -> Array:
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.dtype(kind):
        raise ValueError(f"out must be an array of shape {shape} and type {kind}")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out must be writable, aligned and in one piece, row after row")
    return out


def matrix_for(lent: Context, graph: Graph, out: Any, shape: Tuple[int, int], kind: str,
               bytes_of: Any, given: ctypes.Structure) -> Array:
    """The user's array; or where that is None a new one, which ``bytes_of`` refuses when it does
    not fit the memory."""
    if out is not None:
        return matrix_argument(out, shape, kind)
    lent.call(bytes_of, graph._pointer, ctypes.byref(given), ctypes.byref(ctypes.c_uint64()))
    return np.empty(shape, kind)


class RowTaker:
    """What the library calls with blocks of rows: hands them to a function of the user's."""

    def __init__(self, lent: Any, rows: Callable[[int, Array], Optional[bool]], columns: int,
                 kind: Any) -> None:
        self.lent, self.rows, self.columns, self.kind = lent, rows, columns, kind
        self.following = 0  # the row that is due; signals on entry may make it miss a block

    def __call__(self, _user: Any, first: int, count: int, view: Any) -> bool:
        try:
            if first != self.following:
                raise KeyboardInterrupt
            self.following = first + count
            size = count * self.columns * self.kind.itemsize
            held = memoryview((ctypes.c_char * size).from_address(view.contents.items))
            block = np.frombuffer(held.cast("B"), self.kind).reshape(count, self.columns)
            block.flags.writeable = False
            if self.rows(first, block) is not False:
                return True
            self.lent.stopped = True
        except BaseException as error:  # pylint: disable=broad-except
            self.lent.raised = error
        return False

    def finish(self, rows: int) -> None:
        """All must have come."""
        if self.following != rows:
            raise KeyboardInterrupt


def apsp_rows(
    graph: Graph, rows: Callable[[int, Array], Optional[bool]], *, sources: Any = None,
    dtype: Any = None, scratch: Any = None, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> None:
    """Shortest paths between all pairs, by blocks of rows that fit the memory: calls
    ``rows(first, block)`` in ascending order, where ``block[i]`` are the distances from the
    vertex at position ``first + i``, or from ``sources[first + i]``. The block is valid during
    the call only: copy what is to stay. Returning False stops (:class:`CancelledError`).
    ``sources``, ``index`` and ``scratch`` are as in :func:`apsp`."""
    wanted = apsp_sources(graph, sources, index)
    n = graph.vertices
    run, _report = run_of(variant, params, certify)
    given = apsp_options(graph, run, dtype, scratch, wanted)
    kind = np.dtype(WEIGHT_NAMES[lib.hop_apsp_distance_type(graph._pointer, ctypes.byref(given))])
    with naming(scratch), context(how) as lent, naming_cycle(graph, index, lent):
        taker = RowTaker(lent, rows, n, kind)
        lent.call(lib.hop_apsp_rows, graph._pointer, ctypes.byref(given),
                  c.hop_apsp_rows_fn(taker), None, None)
        taker.finish(n if wanted is None else len(wanted))


def apsp_summary(
    graph: Graph, *, sources: Any = None, dtype: Any = None, scratch: Any = None,
    variant: Optional[str] = None, params: Params = None, certify: Certify = False,
    index: bool = False, **how: Unpack[How],
) -> ApspSummary:
    """What shortest paths between all pairs say as a whole: eccentricities, diameter, radius and
    mean distance. The matrix is not kept: a few rows at a time are enough.

    The eccentricity of a vertex is the distance to the farthest that it reaches. ``sources``,
    ``index``, ``dtype`` and ``scratch`` are as in :func:`apsp`; ``index`` also says that
    ``farthest`` and ``center`` are to be positions."""
    wanted = apsp_sources(graph, sources, index)
    run, report = run_of(variant, params, certify)
    given = apsp_options(graph, run, dtype, scratch, wanted)
    kind = WEIGHT_NAMES[lib.hop_apsp_distance_type(graph._pointer, ctypes.byref(given))]
    summary = make(c.hop_apsp_summary)
    farthest = np.empty(graph.vertices if wanted is None else len(wanted), kind)
    room = c.hop_span(address(farthest), farthest.size, TYPES[kind])
    summary.eccentricities = ctypes.pointer(room)
    with context(how) as lent, naming_cycle(graph, index, lent):
        lent.call(lib.hop_apsp_rows, graph._pointer, ctypes.byref(given), c.hop_apsp_rows_fn(),
                  None, ctypes.byref(summary))
    exact = kind.startswith("int")
    return ApspSummary(
        rows=summary.rows, connected=summary.connected,
        mean=summary.mean if summary.connected else None,
        diameter=summary.diameter_int if exact else summary.diameter,
        farthest=(name_of(graph, summary.diameter_from, index),
                  name_of(graph, summary.diameter_to, index)),
        radius=summary.radius_int if exact else summary.radius,
        center=name_of(graph, summary.center, index), eccentricities=farthest, report=report)


def rank(
    successors: Any, *, heads: Any = None, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, **how: Unpack[How],
) -> RankResult:
    """List ranking: ``ranks[i]`` is the number of links from element i to the tail of its list.

    successors: each element's successor; a tail is its own.
    heads: the lists that are to be ranked; None: element 0 is the head of one list that has all
        the elements. Elements that no head leads to get :data:`NO_RANK`."""
    following = array_of("successors", successors)
    if following.ndim != 1:
        raise ValueError(f"successors must have one dimension, not {following.ndim}")
    links = vertices_of("successors", following, max(following.size, 1))
    first = None if heads is None else vertices_of("heads", heads, len(links))
    run, report = run_of(variant, params, certify)
    given = make(c.hop_rank_options, run=ctypes.pointer(run), heads=address(first),
                 head_count=0 if first is None else len(first))
    ranks = np.empty(len(links), np.uint32)
    with context(how) as lent:
        lent.call(lib.hop_rank, address(links), len(links), ctypes.byref(given), address(ranks))
    return RankResult(links, report, given, first, ranks)

