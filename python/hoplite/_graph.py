# SPDX-License-Identifier: Apache-2.0
"""The graph: immutable compressed sparse rows, made from arrays, files or recipes."""

from __future__ import annotations

import ctypes
import importlib
import os
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import (WEIGHT_NAMES, Array, VertexArray, address, array_of, borrowed, contiguous,
                      integers, no_integers, span_of, unsigned, vertices_of, weights_of)
from ._arrow import arrow_columns
from ._calling import How, byte_count, context, naming, truth, whole
from ._edges import edge_ends
from ._html import html_table
from ._loading import freed_by, lib, make
from ._names import has_texts, name_of, names_of, number_of, numbers_of, places
from ._plot import bar_plot, by_powers
from ._reading import (DUPLICATES, LOOPS, advising, file_name, read_options,
                       text_or_none, word)
from ._signatures import Self, Unpack
from ._text import edge_texts, numbered, packed, text_number, texts_at, texts_of

IDS = {"dense": c.HOP_IDS_DENSE, "sparse": c.HOP_IDS_SPARSE}


class Owned(ctypes.c_void_p):
    """A pointer to a graph that the library makes, released with this."""

    __del__ = freed_by(lib.hop_graph_release)
    keep: Any = None  # what it borrows, for as long


class Graph:
    """An immutable graph, as compressed sparse rows sorted by target.

    Vertices are named by their ids in the input, integers or texts, in all calls. Arrays go by
    positions; so entry v of a result, :attr:`offsets` and the numbers in :attr:`targets` are about
    the vertex with the v-th id. Where ids are 0 .. n-1 the two are the same; else :meth:`find` and
    :meth:`names` translate, and ``index=True`` says that a call means positions.

    An undirected graph stores each edge as two arcs and a self-loop as one. Made by the
    ``from_...`` methods, :meth:`read` and :mod:`hoplite.generate`; may be used by several threads
    at once, and sent to other processes (pickled)."""

    __slots__ = ("_pointer", "_info", "_named", "_hash", "_away", "__weakref__")

    def __init__(self, pointer: Optional[Owned] = None, keep: Any = None) -> None:
        """For the package itself: takes over a pointer of the library."""
        if not isinstance(pointer, Owned):
            raise TypeError("a Graph is made by Graph.from_edges, from_csr, from_numpy, "
                            "from_scipy, from_arrow or read, or by hoplite.generate, not by "
                            "Graph()")
        self._pointer = pointer
        pointer.keep = keep  # arrays that the library borrows
        self._hash: Optional[int] = None
        self._info: Optional[GraphInfo] = None
        self._away = False  # its rows may be on a device alone
        self._named: Optional[bool] = None  # see _names.is_named

    # Making one.

    @classmethod
    def from_edges(
        cls, source: Any, target: Any = None, weights: Any = None, *,
        vertices: Optional[int] = None, directed: bool = False, duplicates: str = "min",
        loops: str = "keep", ids: str = "dense", labels: Any = None, first_id: int = 0,
        **how: Unpack[How],
    ) -> Self:
        """Builds a graph from edges in any order.

        source, target: arrays of ids, or ``source`` alone as an array of pairs.
        weights: one per edge, or None.
        vertices: their number; None: up to the largest id.
        duplicates: what becomes of parallel edges: "min", "max", "sum", "first", "last" or "keep".
        loops: "keep" or "drop".
        ids: "dense": ids are ``first_id``, ``first_id + 1`` ..., those without an edge too;
            "sparse": any numbers, and the vertices are those that occur.
        labels: with "sparse", the ids of all vertices, ascending, so that isolated ones exist too.
        first_id: with "dense", the least id: 1 for edges that count from 1.

        Ends may be texts, such as ("alice", "bob"): then vertices have names, and are numbered in
        the order of their bytes in UTF-8; ``labels``, if given, are the names of all vertices in
        that order. Arrays of 32- and 64-bit integers are read in place, with any stride."""
        texts = edge_texts(source, target)
        if texts is not None:
            if vertices is not None or first_id:
                raise ValueError("vertices with names are those of the edges, or of labels=; "
                                 "vertices= and first_id= are for numbers")
            listed, pairs = numbered(*texts, labels)
            return cls._from_named(listed, pairs, weights, directed, duplicates, loops, how)
        first, second, stride = edge_ends(source, target)
        values, weight_type = weights_of(weights, len(first))
        names = None if labels is None else contiguous(integers("labels", labels).astype(np.uint64))
        count = whole("vertices", 0 if vertices is None else vertices, 0, c.HOP_MAX_VERTICES)
        if names is not None:
            if ids != "sparse":
                raise ValueError("labels need ids='sparse'")
            if vertices is not None and count != len(names):
                raise ValueError(f"there are {len(names)} labels for {count} vertices")
            count = len(names)
        edges = make(c.hop_edges, count=len(first), to=address(second), stride=stride,
                     id_bytes=first.dtype.itemsize, weights=address(values),
                     weight_type=weight_type)
        setattr(edges, "from", address(first))
        given = make(c.hop_build_options, vertices=count, directed=truth("directed", directed),
                     duplicates=word("duplicates", duplicates, DUPLICATES),
                     loops=word("loops", loops, LOOPS), ids=word("ids", ids, IDS),
                     labels=address(names), first_id=whole("first_id", first_id, 0, 2**64 - 1))
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_from_edges, ctypes.byref(edges), ctypes.byref(given),
                      ctypes.byref(made))
        return cls(made)

    @classmethod
    def _from_named(cls, names: Sequence[str], pairs: Array, weights: Any, directed: bool,
                    duplicates: str, loops: str, how: How) -> Self:
        """From edges by number, and the names of all vertices."""
        offsets, held = packed(names)
        values, weight_type = weights_of(weights, len(pairs))
        pairs = contiguous(pairs)
        edges = make(c.hop_edges, count=len(pairs), to=pairs.ctypes.data + 4, stride=8, id_bytes=4,
                     weights=address(values), weight_type=weight_type)
        setattr(edges, "from", address(pairs))
        given = make(c.hop_build_options, vertices=len(names), directed=truth("directed", directed),
                     duplicates=word("duplicates", duplicates, DUPLICATES),
                     loops=word("loops", loops, LOOPS), name_offsets=address(offsets),
                     name_bytes=address(held))
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_from_edges, ctypes.byref(edges), ctypes.byref(given),
                      ctypes.byref(made))
        return cls(made)

    @classmethod
    def from_csr(
        cls, offsets: Any, targets: Any, weights: Any = None, *, directed: bool = True,
        labels: Any = None, first_id: int = 0, copy: bool = False, trusted: bool = False,
        **how: Unpack[How],
    ) -> Self:
        """A graph of rows: the neighbours of v are ``targets[offsets[v]:offsets[v+1]]``. The id of
        row v is ``labels[v]``, ascending, or else ``first_id + v``; targets are rows. Labels may be
        texts, in the order of their bytes in UTF-8.

        Arrays are borrowed, not copied, where rows are sorted and targets have 32 bits; they must
        then stay unchanged as long as the graph lives. :attr:`GraphInfo.borrowed` tells. They are
        checked unless ``trusted`` (with wrong arrays everything is then undefined). ``directed``
        False says that every arc is there in both directions, with the same weight; that is
        checked too."""
        rows = plain_integers("offsets", offsets)
        ends = plain_integers("targets", targets)
        if rows.size == 0:
            raise ValueError("offsets must have one entry more than there are vertices, at least 1")
        n = rows.size - 1
        if n > c.HOP_MAX_VERTICES:
            raise ValueError(f"there are {n} vertices, more than {c.HOP_MAX_VERTICES}")
        if int(rows[-1]) != ends.size:
            raise ValueError(f"offsets end with {int(rows[-1])}, and there are {ends.size} targets")
        values, weight_type = weights_of(weights, ends.size)
        names, texts = None, None if labels is None else texts_of("labels", labels)
        if labels is not None and texts is None:
            names = contiguous(integers("labels", labels).astype(np.uint64, copy=False))
        if labels is not None and np.size(labels) != n:
            raise ValueError(f"there are {np.size(labels)} labels for {n} vertices")
        where, held = (None, None) if texts is None else packed(texts.ravel().tolist())
        csr = make(c.hop_csr, vertices=n, offsets=address(rows), offset_bytes=rows.dtype.itemsize,
                   targets=address(ends), target_bytes=ends.dtype.itemsize,
                   weights=address(values), weight_type=weight_type, labels=address(names),
                   first_id=whole("first_id", first_id, 0, 2**64 - 1),
                   name_offsets=address(where), name_bytes=address(held))
        given = make(c.hop_csr_options, directed=truth("directed", directed),
                     trusted=bool(trusted), copy=bool(copy))
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_from_csr, ctypes.byref(csr), ctypes.byref(given),
                      ctypes.byref(made))
        graph = cls(made, (rows, ends, values, names, where, held))
        return graph

    @classmethod
    def from_numpy(cls, matrix: Any, *, directed: bool = True, **how: Unpack[How]) -> Self:
        """A graph of a dense square matrix: entry (u, v) is the weight of the arc from u to v.
        0, infinity and NaN mean that there is none; a matrix of bool gives no weights."""
        dense = array_of("matrix", matrix)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise ValueError(f"matrix must be square, not of shape {dense.shape}")
        there = dense != 0
        if dense.dtype.kind == "f":
            there &= np.isfinite(dense)
        offsets = np.zeros(len(dense) + 1, np.int64)
        np.cumsum(there.sum(axis=1), out=offsets[1:])
        targets = np.nonzero(there)[1].astype(np.uint32)
        weights = None if dense.dtype.kind == "b" else dense[there]
        return cls.from_csr(offsets, targets, weights, directed=directed, **how)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, directed: bool = True, weights: bool = True, copy: bool = False,
        **how: Unpack[How],
    ) -> Self:
        """A graph of a sparse square matrix or array of SciPy: entry (u, v) is the weight of the
        arc from u to v, stored zeros included; a matrix of bool gives no weights, nor does
        ``weights=False``. A CSR matrix with sorted indices is borrowed, not copied (see
        :meth:`from_csr`); other formats are converted by SciPy first."""
        if not hasattr(matrix, "tocsr"):
            dense = "; from_numpy takes a dense one" if isinstance(matrix, np.ndarray) else ""
            raise TypeError("a sparse matrix of SciPy is needed, "
                            f"not {type(matrix).__name__}{dense}")
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"matrix must be square, not of shape {matrix.shape}")
        rows = matrix.tocsr()
        count = int(rows.indptr[-1])  # the arrays may be longer
        values = rows.data[:count] if weights and rows.data.dtype.kind != "b" else None
        return cls.from_csr(rows.indptr, rows.indices[:count], values, directed=directed, copy=copy,
                            **how)

    @classmethod
    def from_arrow(
        cls, table: Any, source: Optional[str] = None, target: Optional[str] = None,
        weight: Optional[str] = None, *, vertices: Optional[int] = None, directed: bool = False,
        duplicates: str = "min", loops: str = "keep", ids: str = "dense", labels: Any = None,
        first_id: int = 0, **how: Unpack[How],
    ) -> Self:
        """Builds a graph from a table of edges that has the Arrow C interface: of pyarrow, polars,
        pandas, DuckDB. ``source``, ``target`` and ``weight`` name columns; without names the first
        two are the ends, and there are no weights. Tables in one chunk are not copied. The rest is
        as in :meth:`from_edges`."""
        first, second, values = arrow_columns(table, source, target, weight)
        return cls.from_edges(first, second, values, vertices=vertices, directed=directed,
                              duplicates=duplicates, loops=loops, ids=ids, labels=labels,
                              first_id=first_id, **how)

    # What it is.

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(lib.hop_graph_vertices(self._pointer))

    @property
    def arcs(self) -> int:
        """The number of arcs: for an undirected graph two per edge, one per self-loop."""
        return int(lib.hop_graph_arcs(self._pointer))

    @property
    def edges(self) -> int:
        """The number of edges: of an undirected graph each counts once."""
        return self.info().edges

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return bool(lib.hop_graph_directed(self._pointer))

    @property
    def weight_type(self) -> Optional[npt.DTypeLike]:
        """The NumPy type of the weights: int32, int64, float32, float64, or None."""
        kind = ctypes.c_int()
        lib.hop_graph_weights(self._pointer, ctypes.byref(kind))
        return np.dtype(WEIGHT_NAMES[kind.value]) if kind.value else None

    @property
    def offsets(self) -> Array:
        """Where rows begin and end, n + 1 of them: a read-only view of the graph's own array."""
        width = ctypes.c_size_t()
        self._need_arcs()
        pointer = lib.hop_graph_offsets(self._pointer, ctypes.byref(width))
        return borrowed(self, pointer, self.vertices + 1, f"u{width.value}")

    @property
    def targets(self) -> VertexArray:
        """The ends of all arcs, row after row: a read-only view."""
        self._need_arcs()
        return borrowed(self, lib.hop_graph_targets(self._pointer), self.arcs, "u4")

    @property
    def weights(self) -> Optional[Array]:
        """The weights of all arcs, a read-only view; None when there are none."""
        kind = self.weight_type
        if kind is None:
            return None
        self._need_arcs()
        pointer = lib.hop_graph_weights(self._pointer, None)
        return borrowed(self, pointer, self.arcs, np.dtype(kind).name)

    def _need_arcs(self) -> None:
        if self.external:
            raise ValueError("the arcs of this graph are on disk; Graph.read has them in memory")
        if self._away:
            with context({}) as lent:
                lent.call(lib.hop_graph_check, self._pointer)
            self._away = False

    @property
    def labels(self) -> Optional[Array]:
        """The ids of the vertices, ascending: that of position v is ``labels[v]``; None: it is v.
        A new array where they are in a row, which the graph keeps as :attr:`first_id`, and where
        they are names: an array of strings (objects)."""
        if has_texts(self):
            return texts_at(self, None)
        pointer = lib.hop_graph_labels(self._pointer)
        if pointer:
            return borrowed(self, pointer, self.vertices, "u8")
        first = self.first_id
        return np.arange(first, first + self.vertices, dtype=np.uint64) if first else None

    @property
    def first_id(self) -> int:
        """The least id: 1 for files that count from 1. 0 where there is no vertex."""
        return int(lib.hop_graph_first_id(self._pointer))

    def find(self, label: Any) -> Any:
        """Where vertices are in the arrays: the position of one id, or an array of those of
        several. KeyError if there is no such vertex."""
        if has_texts(self):
            return found_texts(self, label)
        if np.ndim(label) == 0 and not isinstance(label, (str, bytes)):
            number = whole("label", label, 0, 2**64 - 1)
            found = int(lib.hop_graph_find(self._pointer, number))
            if found == c.HOP_NO_VERTEX:
                raise KeyError(label)
            return found
        given = integers("label", label).astype(np.uint64, copy=False)
        at, known = places(self, given)
        if not known.all():
            raise KeyError(int(given[np.argmin(known)]))
        return at.astype(np.uint32)

    def names(self, positions: Any = None) -> Array:
        """The ids of the vertices at these positions, such as ``result.parents``, of any shape;
        None: of all. ``NO_VERTEX`` among them is the largest number of the type, or None where ids
        are names."""
        if positions is None:
            found = self.labels
            return np.arange(self.vertices, dtype=np.uint32) if found is None else found
        given = array_of("positions", positions)
        if given.dtype.kind not in "iu":
            raise TypeError(f"positions must hold integers{no_integers(given)}")
        none = given == c.HOP_NO_VERTEX
        flat = vertices_of("positions", np.where(none, 0, given).ravel(), max(self.vertices, 1))
        made = names_of(self, flat, False).reshape(given.shape)
        if none.any():
            made = made.copy()
            made[none] = None if made.dtype.kind == "O" else np.iinfo(made.dtype).max
        return made

    def neighbors(self, vertex: Any, *, index: bool = False) -> Array:
        """The ends of the arcs that leave a vertex, by their ids. With ``index`` vertices are
        positions; then, and where ids are positions, a read-only view of :attr:`targets`."""
        v = number_of(self, "vertex", vertex, index)
        rows = self.offsets
        return names_of(self, self.targets[int(rows[v]):int(rows[v + 1])], index)

    def degree(self, vertex: Any, *, index: bool = False) -> int:
        """How many arcs leave a vertex, which is named by its id, or by ``index`` its position."""
        v = number_of(self, "vertex", vertex, index)
        rows = self.offsets
        return int(rows[v + 1]) - int(rows[v])

    def info(self, **how: Unpack[How]) -> GraphInfo:
        """What is known about the graph; the first call of a mapped file's graph checks it."""
        if self._info is None:
            raw = c.hop_graph_info()
            raw.size = ctypes.sizeof(raw)
            with context(how) as lent:
                lent.call(lib.hop_graph_describe, self._pointer, ctypes.byref(raw))
            self._info = GraphInfo(raw)
            if raw.vertices:
                self._info.max_degree_vertex = name_of(self, raw.max_degree_vertex, False)
        return self._info

    # Files.

    @classmethod
    def read(
        cls, path: Union[str, bytes, os.PathLike[Any]], *, format: Optional[str] = None,
        directed: Optional[bool] = None, duplicates: str = "min", loops: str = "keep",
        weights: bool = True, in_memory: bool = False, trusted: bool = False, verify: bool = False,
        columns: Union[str, Sequence[str], None] = None, delimiter: Optional[str] = None,
        header: Optional[bool] = None, names: bool = False,
        max_line: Union[int, str, None] = None, max_bytes: Union[int, str, None] = None,
        **how: Unpack[How],
    ) -> Self:
        """Reads a file; :func:`formats` lists what there is, and the file's contents tell which.

        directed: None: as the file says.
        weights: False drops them.
        in_memory: read a native file (.npz) instead of mapping it.
        trusted: do not check a mapped file; with a corrupt one everything is then undefined.
        verify: compare a native file with the hash stored in it.
        columns: of a table, which are the ends and the weight: "1,2,4" (numbers from 1),
            "from,to,cost" or a list of names.
        delimiter: between columns, one character, " " for any blanks; None: as the first line.
        header: whether the first line names the columns; None: seen from the first two lines.
        names: ids are texts, also where they look like numbers; False: the first edge decides.
        max_line: refuse text with a longer line, in bytes or as "1 GiB"; None: 16 MiB as a rule.
        max_bytes: refuse more text, once decompressed; None: 1 TiB, or 1032 times the file."""
        given = read_options(
            format=format, directed=directed, duplicates=duplicates, loops=loops, weights=weights,
            columns=columns, delimiter=delimiter, header=header, names=names, max_line=max_line,
            max_bytes=max_bytes)
        given.in_memory, given.trusted, given.verify = bool(in_memory), bool(trusted), bool(verify)
        made = Owned()
        with naming(path), advising(columns, names), context(how) as lent:
            lent.call(lib.hop_graph_read, file_name(path), ctypes.byref(given), ctypes.byref(made))
        return cls(made)

    @classmethod
    def open_external(
        cls, path: Union[str, bytes, os.PathLike[Any]], *, cache: Union[int, str, None] = None,
        **how: Unpack[How],
    ) -> Self:
        """Opens a native file (.npz) whose arcs stay on disk: for :func:`components`,
        :func:`bfs` and :func:`sssp` of graphs larger than memory. Each block that is read is
        verified.

        cache: memory for blocks of the file, in bytes or as "1 GiB"; None: three quarters
            of what the budget has left."""
        given = make(c.hop_external_options, cache_bytes=byte_count("cache", cache))
        made = Owned()
        with naming(path), context(how) as lent:
            lent.call(lib.hop_graph_open_external, file_name(path), ctypes.byref(given),
                      ctypes.byref(made))
        return cls(made)

    @classmethod
    def join_file(
        cls, path: Union[str, bytes, os.PathLike[Any]], *, format: Optional[str] = None,
        directed: Optional[bool] = None, loops: str = "keep",
        columns: Union[str, Sequence[str], None] = None, delimiter: Optional[str] = None,
        header: Optional[bool] = None, names: bool = False,
        max_line: Union[int, str, None] = None, max_bytes: Union[int, str, None] = None,
        **how: Unpack[How],
    ) -> Self:
        """Reads a file of edges for :func:`components` alone: where the graph does not fit the
        memory budget, its edges are joined as they come, and not kept; :attr:`joined` says whether
        that was so. Vertices, names and components are those of :meth:`read`, whose options these
        are."""
        given = read_options(
            format=format, directed=directed, duplicates="min", loops=loops, weights=True,
            columns=columns, delimiter=delimiter, header=header, names=names, max_line=max_line,
            max_bytes=max_bytes)
        made = Owned()
        with naming(path), advising(columns, names), context(how) as lent:
            lent.call(lib.hop_graph_join_file, file_name(path), ctypes.byref(given),
                      ctypes.byref(made))
        return cls(made)

    @property
    def joined(self) -> bool:
        """Whether the edges were joined, and not kept: :meth:`join_file`."""
        return bool(lib.hop_graph_joined(self._pointer))

    @property
    def external(self) -> bool:
        """Whether the arcs are on disk: :meth:`open_external`."""
        return bool(lib.hop_graph_external(self._pointer))

    def write(
        self, path: Union[str, bytes, os.PathLike[Any]], *, format: Optional[str] = None,
        gzip: bool = False, weights: bool = True, labels: bool = True, **how: Unpack[How],
    ) -> None:
        """Writes a file, which takes its place when it is complete. The format is that of the
        suffix unless it is given; one that cannot hold the weights or labels refuses, unless they
        are dropped by ``weights=False`` or ``labels=False``."""
        given = make(c.hop_write_options, format=text_or_none("format", format), gzip=bool(gzip),
                     drop_weights=not weights, drop_labels=not labels)
        with naming(path), context(how) as lent:
            lent.call(lib.hop_graph_write, self._pointer, file_name(path), ctypes.byref(given))

    # Other graphs from this one.

    def reverse(self, **how: Unpack[How]) -> Graph:
        """The graph with every arc turned round."""
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_reverse, self._pointer, ctypes.byref(made))
        return Graph(made, self._pointer.keep)

    def symmetrize(self, duplicates: str = "min", **how: Unpack[How]) -> Graph:
        """The undirected graph of the same edges; ``duplicates`` says which weight stays where both
        directions exist."""
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_symmetrize, self._pointer,
                      word("duplicates", duplicates, DUPLICATES), ctypes.byref(made))
        return Graph(made, self._pointer.keep)

    def subgraph(self, vertices: Any, *, index: bool = False, **how: Unpack[How]) -> Graph:
        """The graph of these vertices and the edges between them, which keep their ids. With
        ``index`` they are given by their positions."""
        kept = np.unique(numbers_of(self, "vertices", vertices, index))
        made = Owned()
        with context(how) as lent:
            lent.call(lib.hop_graph_subgraph, self._pointer, address(kept), len(kept),
                      ctypes.byref(made))
        return Graph(made, self._pointer.keep)

    def prepare(self, *, reverse: bool = False, diameter: bool = False, on_device: bool = False,
                **how: Unpack[How]) -> None:
        """Makes derived data that later calls use, and keeps it with the graph: arcs by target
        (for searches in directed graphs), a lower bound of the diameter.

        With ``on_device`` the graph is brought to the memory of the device that ``device`` names;
        without, the first call that names it copies it. Later calls find it there, of any problem
        and any thread, as long as ``threads``, ``memory`` and the level of the logger are the same;
        calls at the same time have copies of their own. :func:`device_trim` frees it."""
        what = (c.HOP_PREPARE_REVERSE * bool(reverse) | c.HOP_PREPARE_DIAMETER * bool(diameter)
                | c.HOP_PREPARE_DEVICE * bool(on_device))
        with context(how) as lent:
            lent.call(lib.hop_graph_prepare, self._pointer, what)
        self._info = None

    # The same in other forms.

    def edge_list(self, *, once: bool = True,
                  **how: Unpack[How]) -> Tuple[VertexArray, Optional[Array]]:
        """The edges as an array of shape (m, 2), by position, and their weights or None. ``once``:
        each edge of an undirected graph once, not in both directions."""
        count = ctypes.c_uint64()
        with context(how) as lent:
            lent.call(lib.hop_graph_edge_count, self._pointer, bool(once), ctypes.byref(count))
            edges = np.empty((count.value, 2), np.uint32)
            kind = self.weight_type
            weights = None if kind is None else np.empty(count.value, kind)
            lent.call(lib.hop_graph_edge_list, self._pointer, bool(once),
                      ctypes.cast(address(edges) or 0, ctypes.POINTER(c.hop_edge)),
                      count.value, span_of(weights))
        return edges, weights

    def to_scipy(self) -> Any:
        """A SciPy CSR array on the graph's own memory where SciPy's types allow it; weights of 1
        (int64) where there are none."""
        sparse = importlib.import_module("scipy.sparse")
        wide = np.int32 if self.arcs < 2**31 and self.vertices < 2**31 else np.int64
        weights = np.ones(self.arcs, np.int64) if self.weights is None else self.weights
        n = self.vertices
        made = sparse.csr_array((n, n), dtype=weights.dtype)
        made.data = weights
        made.indices = same_bits(self.targets, wide)
        made.indptr = same_bits(self.offsets, wide)
        return made

    def hash(self, **how: Unpack[How]) -> int:
        """A hash of the contents: equal graphs have equal hashes on every machine."""
        found = ctypes.c_uint64()
        with context(how) as lent:
            lent.call(lib.hop_graph_hash, self._pointer, ctypes.byref(found))
        return found.value

    def __reduce__(self) -> Tuple[Any, ...]:
        return unpickled, (np.array(self.offsets), np.array(self.targets),
                           None if self.weights is None else np.array(self.weights),
                           self.labels if self.info().labelled or has_texts(self) else None,
                           self.directed, self.first_id)

    def __copy__(self) -> Graph:
        return self  # which never changes

    def __deepcopy__(self, _memo: Any) -> Graph:
        """The graph itself, unless its arrays are someone else's: those may change later."""
        where = self.info()
        if not (where.borrowed or where.mapped):
            return self
        rebuild, arrays = self.__reduce__()
        made: Graph = rebuild(*arrays)
        return made

    def __eq__(self, other: object) -> bool:
        """Whether the contents are the same: direction, rows, weights with their type, labels."""
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        if (self.vertices, self.arcs, self.directed, self.weight_type) != (
                other.vertices, other.arcs, other.directed, other.weight_type):
            return False
        return all(same_array(a, b) for a, b in (
            (self.offsets, other.offsets), (self.targets, other.targets),
            (self.weights, other.weights), (self.labels, other.labels)))

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = self.hash()
        return self._hash

    def __len__(self) -> int:
        return self.vertices

    def __repr__(self) -> str:
        return f"<hoplite.Graph: {self._summary()}>"

    def _summary(self) -> str:
        arcs = self.arcs if self.directed else self.info().edges
        kind = self.weight_type
        things = ("arc" if self.directed else "edge") + ("" if arcs == 1 else "s")
        vertices = f"{self.vertices:,} {'vertex' if self.vertices == 1 else 'vertices'}"
        return (f"{vertices}, {arcs:,} {things}, "
                f"{'no weights' if kind is None else f'weights {kind}'}")

    def _repr_html_(self) -> str:
        facts = self.info()
        rows = [("vertices", f"{facts.vertices:,}, {facts.isolated:,} of them isolated"),
                ("arcs" if facts.directed else "edges",
                 f"{facts.edges:,}, {facts.loops:,} of them loops"),
                ("degree", f"{facts.min_degree:,} to {facts.max_degree:,}"),
                ("weights", "none" if facts.weight_type is None else
                 f"{facts.weight_type}, {facts.min_weight} to {facts.max_weight}"),
                ("arrays", f"{facts.memory_bytes:,} bytes, " +
                 ("borrowed" if facts.borrowed else "mapped" if facts.mapped else "own"))]
        return html_table("hoplite.Graph", rows)

    def plot(self, ax: Any = None) -> Any:
        """Draws a bar chart of the degrees with matplotlib (of a directed graph those of outgoing
        arcs). On ``ax``, or on a new figure; returns the axes."""
        what = "out-degree" if self.directed else "degree"
        return bar_plot(f"vertices by {what}", *by_powers(np.diff(self.offsets)), ax)


class GraphInfo:
    """What is known about a graph: sizes, degrees, range of the weights, where its arrays are."""

    vertices: int
    arcs: int
    edges: int
    loops: int
    isolated: int
    min_degree: int
    max_degree: int
    max_degree_vertex: Any
    offset_bytes: int
    memory_bytes: int
    directed: bool
    labelled: bool
    borrowed: bool
    mapped: bool
    checked: bool
    has_reverse: bool
    has_diameter: bool
    diameter_low: int
    edges_given: int
    first_id: int
    named: bool
    min_weight: Union[int, float, None]
    max_weight: Union[int, float, None]
    weight_type: Optional[str]

    def __init__(self, raw: Any) -> None:
        for name, _ in raw._fields_:
            if name not in ("size", "min_weight_int", "max_weight_int"):
                setattr(self, name, getattr(raw, name))
        self.weight_type = WEIGHT_NAMES.get(raw.weight_type)
        if self.weight_type is None or not raw.arcs:
            self.min_weight = self.max_weight = None
        elif self.weight_type.startswith("int"):
            self.min_weight, self.max_weight = raw.min_weight_int, raw.max_weight_int

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"GraphInfo({inside})"


def unpickled(offsets: Array, targets: Array, weights: Optional[Array], labels: Optional[Array],
              directed: bool, first_id: int = 0) -> Graph:
    """A graph that was sent from another process."""
    return Graph.from_csr(offsets, targets, weights, labels=labels, directed=directed,
                          first_id=first_id if labels is None else 0)


def same_bits(found: Array, kind: Any) -> Array:
    """Unsigned integers as signed ones of the same width, not copied; else converted."""
    if found.dtype.itemsize == np.dtype(kind).itemsize:
        return found.view(kind)
    return found.astype(kind)


def found_texts(graph: Graph, label: Any) -> Any:
    """Where vertices with these names are; KeyError for one that there is not."""
    several = texts_of("label", label)
    if several is None and np.ndim(label) == 1 and np.size(label) == 0:
        return np.empty(0, np.uint32)
    listed = [label] if several is None else several.ravel().tolist()
    at = [text_number(graph, name) for name in listed]
    if c.HOP_NO_VERTEX in at:
        raise KeyError(listed[at.index(c.HOP_NO_VERTEX)])
    return at[0] if several is None else np.array(at, np.uint32)


def same_array(a: Optional[Array], b: Optional[Array]) -> bool:
    """Bit for bit, so that 0.0 and -0.0 differ, as their hashes do; offsets may differ in width."""
    if a is None or b is None or (a.dtype.kind == "O") != (b.dtype.kind == "O"):
        return a is b
    if a.dtype.kind == "f":
        a, b = a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")
    return bool(np.array_equal(a, b))


def plain_integers(name: str, value: Any) -> Array:
    """One dimension of integers in one piece, seen as unsigned. A negative one of 32 bits is then
    so large that the library, which checks what it borrows, refuses it."""
    found = array_of(name, value)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers{no_integers(found)}")
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    if found.dtype.itemsize < 4:
        found = unsigned(name, found)
    return contiguous(found).view(f"u{found.dtype.itemsize}")
