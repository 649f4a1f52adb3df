# SPDX-License-Identifier: Apache-2.0
"""An index for repeated shortest paths between two vertices."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional, Union

import numpy as np

from . import _binding as c
from ._arrays import Array, address, span_of
from ._calling import How, context, whole
from ._graph import Graph
from ._loading import freed_by, lib, make
from ._names import names_of, number_of
from ._problems import distance_type, graph_argument, pair_address, pair_numbers
from ._reading import file_name
from ._signatures import Unpack

KINDS = {None: c.HOP_INDEX_AUTO, "contraction": c.HOP_INDEX_CONTRACTION,
         "landmarks": c.HOP_INDEX_LANDMARKS}


class Owned(ctypes.c_void_p):
    """A pointer to an index that the library makes, freed with this."""

    __del__ = freed_by(lib.hop_index_free)


class Index:
    """An index of a graph, for shortest paths from one vertex to another that are asked for again
    and again. Distances and paths are those of :func:`sssp`, bit by bit. Any number of threads may
    ask at once.

    graph: no weight of which may be negative.
    kind: "contraction", for graphs like road networks, or "landmarks", for any; None: the first,
        unless the graph is not made for it.
    landmarks: how many, from 1 to 64.

    ``index.kind`` says which kind it became, ``index.bytes`` how large it is, without the
    graph."""

    def __init__(self, graph: Graph, kind: Optional[str] = None, *, landmarks: int = 16,
                 **how: Unpack[How]) -> None:
        if not isinstance(kind, (str, type(None))) or kind not in KINDS:
            raise ValueError(f'kind must be "contraction", "landmarks" or None, not {kind!r}')
        given = make(c.hop_index_options, kind=KINDS[kind],
                     landmarks=whole("landmarks", landmarks, 0, 2**32 - 1))
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_index_build, graph_argument(graph)._pointer, ctypes.byref(given),
                      ctypes.byref(made))
        self._take(graph, made)

    def _take(self, graph: Graph, made: Any) -> None:
        self.graph, self._pointer = graph, made
        info = make(c.hop_index_info)
        with context({}) as lent:
            lent.call(lib.hop_index_describe, made, ctypes.byref(info))
        self.kind = next(name for name, value in KINDS.items() if value == info.kind)
        self.bytes = int(info.bytes)

    def __repr__(self) -> str:
        return (f"<hoplite.Index: {self.kind}, {self.bytes:,} bytes, for {self.graph.vertices:,} "
                "vertices>")

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]], graph: Graph, **how: Unpack[How]) -> Index:
        """The index of this graph from a file; that of another graph is an
        :class:`InputError`."""
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_index_open, file_name(path), graph_argument(graph)._pointer,
                      ctypes.byref(made))
        index = cls.__new__(cls)
        index._take(graph, made)
        return index

    def save(self, path: Union[str, os.PathLike[str]], **how: Unpack[How]) -> None:
        """Writes the index to a file, a NumPy archive."""
        with context(how) as lent:
            lent.call(lib.hop_index_save, self._pointer, file_name(path))

    def distances(self, pairs: Any, *, certify: bool = False, index: bool = False,
                  **how: Unpack[How]) -> Array:
        """Distances of many pairs, as :func:`hoplite.distances` gives them.

        pairs: an array of two columns, or a list of pairs (from, to).
        certify: compare with searches that use no index.
        index: pairs are positions 0 .. n-1, not ids."""
        ends, count = pair_numbers(self.graph, pairs, index)
        found = np.empty(count, distance_type(self.graph))
        with context(how) as lent:
            lent.call(lib.hop_index_distances, self._pointer, pair_address(ends), count,
                      span_of(found))
            if certify:
                lent.call(lib.hop_index_certify, self._pointer, pair_address(ends), count)
        return found

    def path(self, source: Any, target: Any, *, index: bool = False, **how: Unpack[How]) -> Array:
        """The path that the parents of :func:`sssp` describe, both ends included; empty if there is
        none. Vertices are ids; with ``index`` positions."""
        begin = number_of(self.graph, "source", source, index)
        end = number_of(self.graph, "target", target, index)
        length = ctypes.c_uint32()
        with context(how) as lent:
            lent.call(lib.hop_index_path, self._pointer, begin, end, None, 0,
                      ctypes.byref(length), None)
            way = np.empty(length.value, np.uint32)
            if len(way):
                lent.call(lib.hop_index_path, self._pointer, begin, end, address(way), len(way),
                          None, None)
        return names_of(self.graph, way, index)
