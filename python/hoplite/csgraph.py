# SPDX-License-Identifier: Apache-2.0
"""A drop-in for ``scipy.sparse.csgraph``: the same names, signatures, types and errors.

    from hoplite import csgraph
    csgraph.dijkstra(matrix, indices=[0, 7], return_predecessors=True)

The functions that :data:`HERE` names run on the library; all other names of SciPy's module are
SciPy's own. A call that cannot be done here, or would not be quicker, goes to SciPy's function;
:data:`calls` counts both, and the logger ``hoplite`` says why (level DEBUG). docs/csgraph.md says
what is different."""

from __future__ import annotations

import collections
import functools
import logging
import math
import numbers
from typing import Any, Callable, Counter, List, Optional, Tuple, TypeVar

import numpy as np
import scipy.sparse as _sparse  # type: ignore[import-untyped]
import scipy.sparse.csgraph as _scipy  # type: ignore[import-untyped]

from . import _binding as c
from ._graph import Graph
from ._orders import left_in_turn
from ._problems import apsp, components, sssp, strong_components
from ._spanning import forest_of_edges
from ._speed import compiled, walk
from .errors import InputError
from .errors import NegativeCycleError as _NegativeCycle
from .errors import UnsupportedError

#: The functions of SciPy's module that run here.
HERE: List[str] = []
#: How often each ran here, and by SciPy: keys are (name, "hoplite") and (name, "scipy").
calls: Counter[Tuple[str, str]] = collections.Counter()
#: Nodes plus stored entries, times searches, from which on a call runs here; 0: whatever the gain.
run_from: int = 12_000

NOTHING = -9999  # SciPy's predecessor of a node that has none
EXACT = 2.0**53  # integers up to here are doubles too
SYMMETRIZED = 4  # searches that are worth making a matrix symmetric
# Times run_from, for one pass over the matrix: SciPy's search is quick where neighbours are near.
COMPONENTS = 10
BLOCK = 2**20  # numbers that are converted at a time
NegativeCycleError = _scipy.NegativeCycleError

_log = logging.getLogger("hoplite")
Function = TypeVar("Function", bound=Callable[..., Any])


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_scipy, name)


def __dir__() -> List[str]:
    return sorted({*globals(), *_scipy.__all__})


class _Declined(Exception):
    """This call is for SciPy; the text says why."""


def _drop_in(function: Function) -> Function:
    """SciPy's function of the same name, by this one where it can."""
    name = function.__name__
    theirs = getattr(_scipy, name)
    HERE.append(name)

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            found = function(*args, **keywords)
        except (_Declined, InputError, UnsupportedError) as error:
            _log.debug("csgraph: %s is left to SciPy: %s", name, error)
        except Exception:
            calls[name, "hoplite"] += 1
            raise
        else:
            calls[name, "hoplite"] += 1
            return found
        calls[name, "scipy"] += 1
        return theirs(*args, **keywords)

    call.__doc__ = (f"{function.__doc__}\n\n"
                    f"Arguments and results are those of ``scipy.sparse.csgraph.{name}``.")
    return call  # type: ignore[return-value]


# Matrices.


def _rows_of(csgraph: Any, copied: bool = True) -> Any:
    """A square matrix as rows, by SciPy's rules of what an edge is; not copied where it is that
    already. Other types than float64 SciPy copies, which sorts the rows and adds up what is there
    twice; `copied`: where it does so."""
    if _sparse.issparse(csgraph):
        rows = csgraph.tocsr()
    elif np.ma.isMaskedArray(csgraph):
        rows = _scipy.csgraph_from_masked(csgraph)
    elif isinstance(csgraph, (np.ndarray, list, tuple)):
        rows = _scipy.csgraph_from_dense(csgraph)
    else:
        raise _Declined(f"the graph is a {type(csgraph).__name__}")
    if rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
        raise _Declined("the matrix is not square")
    if rows.shape[0] == 0:
        raise _Declined("the matrix is empty")
    if rows.data.dtype.kind not in "biuf":
        raise _Declined(f"weights are {rows.data.dtype}")
    if copied and rows.data.dtype != np.float64 and not rows.has_canonical_format:
        return rows.astype(np.float64)
    return rows


def _enough(rows: Any, searches: int = 1, least: float = 1) -> None:
    """Whether the work is worth the call."""
    if (rows.shape[0] + rows.nnz) * searches < least * run_from:
        raise _Declined(f"{rows.shape[0]} nodes, {rows.nnz} entries: too small to gain")


def _graph_of(rows: Any, directed: bool, weighted: bool, searches: int = 1) -> Graph:
    """The library's graph. Weights are doubles as SciPy's are, or integers whose sums are exact
    either way."""
    data = rows.data[:rows.nnz] if weighted else None
    if data is not None and data.dtype not in (np.int32, np.int64):
        data = data.astype(np.float64, copy=False)
    graph = _made(rows, data, directed, searches)
    if data is None or not graph.arcs:
        return graph
    about = graph.info()
    largest = max(abs(about.min_weight or 0), abs(about.max_weight or 0))
    if not math.isfinite(largest):
        raise _Declined("some weight is infinite")
    if data.dtype.kind == "i" and largest * rows.shape[0] > EXACT:
        return _made(rows, data.astype(np.float64), directed, searches)
    return graph


def _made(rows: Any, data: Any, directed: bool, searches: int) -> Graph:
    ends = rows.indices[:rows.nnz]
    if directed:
        return Graph.from_csr(rows.indptr, ends, data)
    try:
        return Graph.from_csr(rows.indptr, ends, data, directed=False)
    except InputError:  # not symmetric: the lesser of both directions counts
        if run_from and searches < SYMMETRIZED:
            raise _Declined("a few undirected searches of a matrix that is not symmetric") from None
        n = rows.shape[0]
        tails = np.repeat(np.arange(n, dtype=np.uint32), np.diff(rows.indptr))
        return Graph.from_edges(tails, ends, data, vertices=n, directed=False, duplicates="min")


def _is_negative(graph: Graph) -> bool:
    return graph.weight_type is not None and (graph.info().min_weight or 0) < 0


def _sources_of(indices: Any, n: int, min_only: bool = False) -> Tuple[Any, Tuple[int, ...]]:
    """The nodes that are searched from, and the shape of the result."""
    if indices is None:
        return np.arange(n, dtype=np.int32), (n,) if min_only else (n, n)
    found = np.array(indices, order="C", dtype=np.int32)
    shape = (n,) if min_only else (*found.shape, n)
    flat = np.atleast_1d(found).reshape(-1)
    flat[flat < 0] += n
    if len(flat) and (flat.min() < 0 or flat.max() >= n):
        raise ValueError("indices out of range 0...N")
    return flat, shape


# Results.


def _as_floats(found: Any) -> Any:
    """Distances as SciPy has them; in the same memory."""
    if found.dtype == np.float64:
        return found
    flat, made = found.reshape(-1), found.reshape(-1).view(np.float64)
    for first in range(0, len(flat), BLOCK):
        part = flat[first:first + BLOCK]
        real = part.astype(np.float64)
        real[part == c.HOP_NO_DISTANCE] = np.inf
        made[first:first + BLOCK] = real
    return made.reshape(found.shape)


def _predecessors_of(parents: Any, sources: Any) -> Any:
    """In the same memory."""
    made = parents.view(np.int32)
    made[made < 0] = NOTHING
    made[sources] = NOTHING
    return made


def _negative_cycle(error: _NegativeCycle) -> Exception:
    """SciPy's exception; `cycle` has the nodes."""
    assert error.cycle is not None
    made: Exception = NegativeCycleError(f"Negative cycle detected on node {error.cycle[0]}")
    made.cycle = error.cycle  # type: ignore[attr-defined]
    return made


def _searched(graph: Graph, sources: Any, trees: bool, limit: float = np.inf) -> Tuple[Any, Any]:
    """Distances from each source, a row each, and predecessors or None."""
    n = graph.vertices
    every = len(sources) == n and bool((sources == np.arange(n)).all())
    try:
        if not trees and limit == np.inf and len(sources) > 1:
            try:
                return _as_floats(apsp(graph, sources=None if every else sources).distances), None
            except _NegativeCycle:
                if every:
                    raise  # else perhaps no source reaches it: each search says so
        distances = np.empty((len(sources), n))
        parents = np.empty((len(sources), n), np.int32) if trees else None
        for i, source in enumerate(sources):
            found = sssp(graph, [source], parents=trees,
                         cutoff=None if limit == np.inf else limit)
            distances[i] = _as_floats(found.distances)
            if parents is not None:
                parents[i] = _predecessors_of(found.parents, source)
        return distances, parents
    except _NegativeCycle as error:
        raise _negative_cycle(error) from None


def _shaped(found: Tuple[Any, Any], shape: Tuple[int, ...]) -> Any:
    distances, parents = found
    distances = distances.reshape(shape)
    return distances if parents is None else (distances, parents.reshape(shape))


# Shortest paths.


def _dijkstra(csgraph: Any, directed: bool, indices: Any, trees: bool, unweighted: bool,
              limit: Any, min_only: bool) -> Any:
    if not isinstance(limit, numbers.Real) or limit != limit:
        raise _Declined("limit is not a number")
    limit = float(limit)
    rows = _rows_of(csgraph)
    sources, shape = _sources_of(indices, rows.shape[0], min_only)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    if not len(sources):
        raise _Declined("there are no indices")
    searches = 1 if min_only else len(sources)
    _enough(rows, searches)
    graph = _graph_of(rows, directed, not unweighted, searches)
    if _is_negative(graph) or unweighted and rows.data.min(initial=0) < 0:
        raise _Declined("Dijkstra's algorithm with a negative weight")
    if not min_only:
        return _shaped(_searched(graph, sources, trees, limit), shape)
    found = sssp(graph, sources, parents=trees, cutoff=None if limit == np.inf else limit)
    distances = _as_floats(found.distances)
    if not trees:
        return distances
    origins = _origins_of(found.parents)
    return distances, _predecessors_of(found.parents, sources), origins


def _origins_of(parents: Any) -> Any:
    """The root of each node's tree: sources are their own parents."""
    roots = parents.astype(np.int64)
    there = np.flatnonzero(parents != c.HOP_NO_VERTEX)
    while True:
        following = roots[roots[there]]
        if (following == roots[there]).all():
            break
        roots[there] = following
    found = np.full(len(parents), NOTHING, np.int32)
    found[there] = roots[there]
    return found


@_drop_in
def dijkstra(csgraph: Any, directed: bool = True, indices: Any = None,
             return_predecessors: bool = False, unweighted: bool = False, limit: Any = np.inf,
             min_only: bool = False) -> Any:
    """Shortest paths from some nodes or all, by weights that are not negative."""
    return _dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)


def _bellman_ford(csgraph: Any, directed: bool, indices: Any, trees: bool, unweighted: bool,
                  everywhere: bool) -> Any:
    """Weights of either sign; `everywhere`: a negative cycle counts wherever it is."""
    rows = _rows_of(csgraph)
    sources, shape = _sources_of(indices, rows.shape[0])
    if not len(sources):
        raise _Declined("there are no indices")
    _enough(rows, len(sources) if everywhere else len(sources) * rows.shape[0])
    graph = _graph_of(rows, directed, not unweighted, SYMMETRIZED)
    if everywhere and indices is not None and _is_negative(graph):
        try:
            sssp(graph, np.arange(rows.shape[0], dtype=np.uint32), parents=False)
        except _NegativeCycle as error:
            raise _negative_cycle(error) from None
    return _shaped(_searched(graph, sources, trees), shape)


@_drop_in
def bellman_ford(csgraph: Any, directed: bool = True, indices: Any = None,
                 return_predecessors: bool = False, unweighted: bool = False) -> Any:
    """Shortest paths from some nodes or all, by weights of either sign."""
    return _bellman_ford(csgraph, directed, indices, return_predecessors, unweighted, False)


@_drop_in
def johnson(csgraph: Any, directed: bool = True, indices: Any = None,
            return_predecessors: bool = False, unweighted: bool = False) -> Any:
    """Shortest paths from some nodes or all, by weights of either sign."""
    return _bellman_ford(csgraph, directed, indices, return_predecessors, unweighted, True)


def _floyd_warshall(csgraph: Any, directed: bool, trees: bool, unweighted: bool,
                    overwrite: bool) -> Any:
    if np.ma.isMaskedArray(csgraph):
        raise _Declined("of a masked array SciPy leaves out zeros here, and not elsewhere")
    if _sparse.issparse(csgraph) and csgraph.format not in ("csr", "csc", "lil"):
        raise _Declined("SciPy has the words")
    rows = _rows_of(csgraph, copied=False)
    n = rows.shape[0]
    _enough(rows, n)
    if trees and run_from and rows.nnz > n * n // 8:
        raise _Declined("predecessors of a dense matrix: SciPy finds them with the distances")
    if rows.diagonal().min() < 0:
        raise _Declined("negative weights on the diagonal, which do not count here")
    if unweighted and np.isinf(rows.data[:rows.nnz]).any():
        raise _Declined("some weight is infinite, which is no edge here, and one elsewhere")
    graph = _graph_of(rows, directed, not unweighted, n)
    if not (overwrite and _is_plain(csgraph)):
        return _shaped(_searched(graph, np.arange(n, dtype=np.int32), trees), (n, n))
    if not trees and graph.weight_type == np.float64:
        try:
            return apsp(graph, out=csgraph).distances
        except _NegativeCycle as error:
            raise _negative_cycle(error) from None
    csgraph[...], parents = _searched(graph, np.arange(n, dtype=np.int32), trees)
    return csgraph if parents is None else (csgraph, parents)


def _is_plain(array: Any) -> bool:
    """Whether SciPy would write the distances into the array that it was given."""
    return (type(array) is np.ndarray and array.dtype == np.float64 and array.flags.c_contiguous
            and array.flags.writeable and array.flags.aligned)


@_drop_in
def floyd_warshall(csgraph: Any, directed: bool = True, return_predecessors: bool = False,
                   unweighted: bool = False, overwrite: bool = False) -> Any:
    """Shortest paths between all nodes, by weights of either sign."""
    return _floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)


def _method_of(csgraph: Any, indices: Any) -> str:
    """What SciPy takes for "auto"."""
    if np.ma.isMaskedArray(csgraph):  # perhaps without a mask, of which it makes no rows
        entries, weights = csgraph.count(), csgraph.compressed()
    else:
        rows = _rows_of(csgraph, copied=False)
        entries, weights = rows.nnz, rows.data[:rows.nnz]
    if _sparse.issparse(csgraph):
        entries = csgraph.nnz
    if indices is None and entries >= csgraph.shape[0]**2 / 4:
        return "FW"
    return "J" if (weights < 0).any() else "D"


@_drop_in
def shortest_path(csgraph: Any, method: str = "auto", directed: bool = True,
                  return_predecessors: bool = False, unweighted: bool = False,
                  overwrite: bool = False, indices: Any = None) -> Any:
    """Shortest paths by the named algorithm, or by the one that SciPy would choose."""
    if method == "auto":
        method = _method_of(csgraph, indices)
    trees = return_predecessors
    if method == "D":
        return _dijkstra(csgraph, directed, indices, trees, unweighted, np.inf, False)
    if method in ("BF", "J"):
        return _bellman_ford(csgraph, directed, indices, trees, unweighted, method == "J")
    if method == "FW" and indices is None:
        return _floyd_warshall(csgraph, directed, trees, unweighted, overwrite)
    raise _Declined("SciPy has the words")


# Components and searches.


@_drop_in
def connected_components(csgraph: Any, directed: bool = True, connection: str = "weak",
                         return_labels: bool = True) -> Any:
    """The components of a graph: weak ones are numbered by their first nodes, strong ones in the
    order in which a depth-first search leaves them."""
    rows = _rows_of(csgraph)
    kind = str(connection).lower()
    if kind not in ("weak", "strong"):
        raise _Declined("SciPy has the words")
    _enough(rows, least=COMPONENTS)
    graph = _graph_of(rows, True, False)
    if kind == "strong" and directed:
        return _strong(rows, graph, return_labels)
    found = components(graph)
    if not return_labels:
        return found.count
    firsts = found.labels == np.arange(len(found.labels), dtype=np.uint32)
    return found.count, (np.cumsum(firsts, dtype=np.int32) - 1)[found.labels]


def _strong(rows: Any, graph: Graph, return_labels: bool) -> Any:
    if return_labels and not compiled:
        raise _Declined("there is no extension module")
    found = strong_components(graph)
    if not return_labels:
        return found.count
    offsets, ends = rows.indptr.astype(np.int64, copy=False), rows.indices[:rows.nnz]
    count, numbers = left_in_turn(offsets, ends.astype(np.int32, copy=False).view(np.uint32),
                                  found.labels)
    return count, numbers.view(np.int32)


def _searchable(csgraph: Any, i_start: Any, directed: bool) -> Tuple[Any, Any]:
    """The rows of a matrix, for searches in which neighbours come as they are stored."""
    if not compiled:
        raise _Declined("there is no extension module")
    rows = _rows_of(csgraph)
    n = rows.shape[0]
    if isinstance(i_start, bool) or not isinstance(i_start, (int, np.integer)) or \
            not 0 <= i_start < n:
        raise _Declined("the start is not a node")
    _enough(rows)
    if run_from and rows.data.dtype == np.float64:
        raise _Declined("SciPy copies weights that are not doubles; these it searches as quickly")
    ends = rows.indices[:rows.nnz]
    offsets = rows.indptr.astype(np.int64, copy=False)
    if not directed and not _is_symmetric(rows):
        raise _Declined("an undirected search of a matrix that is not symmetric")
    sound = offsets[0] == 0 and bool((offsets[1:] >= offsets[:-1]).all()) and \
        (not len(ends) or 0 <= ends.min() and ends.max() < n)
    if not sound:
        raise _Declined("the rows of the matrix are damaged")
    return offsets, ends.astype(np.int32, copy=False).view(np.uint32)


def _breadth_first(csgraph: Any, i_start: Any, directed: bool) -> Tuple[Any, Any]:
    """The order of a search, and predecessors."""
    offsets, ends = _searchable(csgraph, i_start, directed)
    n = len(offsets) - 1
    order, starts = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
    parents = np.empty(n, np.uint32)
    levels = walk.search(offsets, ends, np.array([i_start], np.uint32), n, order, starts, parents)
    found = order[:int(starts[levels])].view(np.int32)
    return found, parents


def _depth_first(csgraph: Any, i_start: Any, directed: bool) -> Tuple[Any, Any]:
    """The same, in depth."""
    offsets, ends = _searchable(csgraph, i_start, directed)
    n = len(offsets) - 1
    order, parents = np.empty(n, np.uint32), np.empty(n, np.uint32)
    found, _left = walk.deep(offsets, ends, np.array([i_start], np.uint32), n, order, parents, None)
    return order[:found].view(np.int32), parents


def _is_symmetric(rows: Any) -> bool:
    """Whether an arc is stored in both directions wherever there is one."""
    turned = rows.T.tocsr()
    return bool(rows.has_sorted_indices and np.array_equal(rows.indptr, turned.indptr) and
                np.array_equal(rows.indices[:rows.nnz], turned.indices[:rows.nnz]))


@_drop_in
def breadth_first_order(csgraph: Any, i_start: Any, directed: bool = True,
                        return_predecessors: bool = True) -> Any:
    """The nodes that a breadth-first search finds, in its order."""
    order, parents = _breadth_first(csgraph, i_start, directed)
    return (order, _tree_of(order, parents)) if return_predecessors else order


def _tree_of(order: Any, parents: Any) -> Any:
    found = np.full(len(parents), NOTHING, np.int32)
    found[order[1:]] = parents[order[1:]]
    return found


@_drop_in
def breadth_first_tree(csgraph: Any, i_start: Any, directed: bool = True) -> Any:
    """The tree of a breadth-first search, as a sparse matrix."""
    order, parents = _breadth_first(csgraph, i_start, directed)
    return _scipy.reconstruct_path(csgraph, _tree_of(order, parents), directed)


@_drop_in
def depth_first_order(csgraph: Any, i_start: Any, directed: bool = True,
                      return_predecessors: bool = True) -> Any:
    """The nodes that a depth-first search finds, in its order."""
    order, parents = _depth_first(csgraph, i_start, directed)
    return (order, _tree_of(order, parents)) if return_predecessors else order


@_drop_in
def depth_first_tree(csgraph: Any, i_start: Any, directed: bool = True) -> Any:
    """The tree of a depth-first search, as a sparse matrix."""
    order, parents = _depth_first(csgraph, i_start, directed)
    return _scipy.reconstruct_path(csgraph, _tree_of(order, parents), directed)


@_drop_in
def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """A minimum spanning forest, as a sparse matrix; of equal entries the first counts."""
    rows = _rows_of(csgraph)
    _enough(rows, least=COMPONENTS)
    n, ends = rows.shape[0], rows.indices[:rows.nnz].astype(np.int32, copy=False)
    offsets, data = rows.indptr, rows.data[:rows.nnz].astype(np.float64, copy=False)
    if overwrite or rows.nnz == 0 or not np.array_equal(offsets[:1], [0]) or \
            not bool((offsets[1:] >= offsets[:-1]).all()):
        raise _Declined("SciPy has the words, or is to write into the matrix")
    tails = np.repeat(np.arange(n, dtype=np.uint32), np.diff(offsets))
    places = forest_of_edges(tails, ends.view(np.uint32), data, n)
    starts = np.searchsorted(places, offsets).astype(np.int32)
    made = rows._constructor if hasattr(rows, "_constructor") else type(rows)
    tree = made((data[places], ends[places], starts), (n, n))
    tree.eliminate_zeros()
    return tree


__all__ = sorted({*_scipy.__all__, "HERE", "calls", "run_from"})
