# SPDX-License-Identifier: Apache-2.0
"""All shortest paths from a vertex."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import Array, VertexArray, address, borrowed, copied
from ._calling import How, context, real
from ._graph import Graph
from ._loading import freed_by, lib, make
from ._names import names_of, number_of, numbers_of
from ._problems import distance_type, graph_argument
from ._running import Certify, run_of
from ._signatures import Unpack


class Owned(ctypes.c_void_p):
    """What the library found, freed with this."""

    __del__ = freed_by(lib.hop_path_dag_free)


class Walk(ctypes.c_void_p):
    """A list of paths on its way, freed with this."""

    __del__ = freed_by(lib.hop_path_walk_free)


class AllPaths:
    """What :func:`all_paths` returns. By position: ``distances``; ``counts``, how many shortest
    paths lead to each vertex (see :meth:`count`); and the arcs that they are made of: the
    predecessors of v are ``targets[offsets[v]:offsets[v + 1]]``, ascending."""

    graph: Graph
    distances: Array
    counts: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.uint64]
    targets: VertexArray

    def __init__(self, graph: Graph, made: Owned) -> None:
        n = graph.vertices
        self.graph, self._pointer = graph, made
        self.distances = borrowed(made, lib.hop_path_dag_distances(made, None), n,
                                  distance_type(graph))
        self.counts = borrowed(made, lib.hop_path_dag_counts(made), n, "u8")
        self.offsets = borrowed(made, lib.hop_path_dag_offsets(made), n + 1, "u8")
        self.targets = borrowed(made, lib.hop_path_dag_predecessors(made),
                                int(self.offsets[-1]), "u4")

    def __repr__(self) -> str:
        return f"<hoplite.AllPaths: of {self.graph.vertices:,} vertices; paths(target) lists them>"

    def count(self, target: Any, *, index: bool = False) -> Optional[int]:
        """How many shortest paths lead to the target. None: that is not counted, since a path may
        pass a cycle of weight 0. More than 2**64 - 3 are an :class:`OverflowError`."""
        found = int(self.counts[number_of(self.graph, "target", target, index)])
        if found == c.HOP_PATHS_MANY:
            raise OverflowError("there are more than 2**64 - 3 shortest paths")
        return None if found == c.HOP_PATHS_UNKNOWN else found

    def predecessors(self, vertex: Any, *, index: bool = False) -> Array:
        """The vertices that come before this one on a shortest path."""
        v = number_of(self.graph, "vertex", vertex, index)
        found = self.targets[int(self.offsets[v]):int(self.offsets[v + 1])]
        return names_of(self.graph, found, index)

    def paths(self, target: Any, *, index: bool = False, **how: Unpack[How]) -> Iterator[Array]:
        """The shortest paths to the target, one after the other, as arrays of ids (with ``index``
        positions): in the order of their positions, those that begin with the smallest first."""
        end = number_of(self.graph, "target", target, index)
        return self._walk(end, index, how)

    def _walk(self, end: int, index: bool, how: Any) -> Iterator[Array]:
        walk, path, length = Walk(), ctypes.c_void_p(), ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_path_walk_create, self._pointer, end, ctypes.byref(walk))
        while True:
            with context(how) as lent:
                lent.call(lib.hop_path_walk_next, walk, ctypes.byref(path), ctypes.byref(length))
            if not length.value or path.value is None:
                return
            yield names_of(self.graph, copied(path.value, length.value, "u4"), index)


def all_paths(
    graph: Graph, source: Any, *, targets: Any = None, cutoff: Optional[float] = None,
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> AllPaths:
    """All shortest paths from the source, by weights where the graph has any: how many there are,
    the arcs that they are made of, and one after the other by :meth:`AllPaths.paths`.

    targets: stop when these are found; what is farther counts as not reached.
    cutoff: go no farther than this distance.
    certify: certify the distances, and compare predecessors and counts with the arcs.
    index: source and targets are positions 0 .. n-1, not ids.

    An arc counts if its weight, added to the distance of its tail, gives exactly that of its head.
    No vertex is on a path twice, so parallel arcs make no second path. Floats below 0 raise
    :class:`UnsupportedError`."""
    graph_argument(graph)
    begin = number_of(graph, "source", source, index)
    run, _report = run_of(None, None, certify)
    given = make(c.hop_path_dag_options, run=ctypes.pointer(run))
    wanted = None if targets is None else numbers_of(graph, "targets", targets, index)
    if wanted is not None:
        given.targets, given.target_count = address(wanted), len(wanted)
    if cutoff is not None:
        given.cutoff = real("cutoff", cutoff)
    made = Owned()
    with context(how) as lent:
        lent.call(lib.hop_path_dag_create, graph._pointer, begin, ctypes.byref(given),
                  ctypes.byref(made))
    return AllPaths(graph, made)
