# SPDX-License-Identifier: Apache-2.0
"""Names of text: between the strings of Python, NumPy, pandas and Arrow and the library's form,
which is that of Arrow's large strings: one array of offsets, one of bytes.

A name is UTF-8; bytes that are not are kept by "surrogateescape", as in file names. The library
numbers vertices in the order of the bytes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import LEAVE_OUT, Array, VertexArray, borrowed
from ._arrow import arrow_texts
from ._loading import lib

if TYPE_CHECKING:
    from ._graph import Graph

NO_VERTEX = c.HOP_NO_VERTEX
Texts = npt.NDArray[np.object_]


def encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def as_array(names: Sequence[str]) -> Texts:
    """A list as an array of objects: strings stay one entry each."""
    made = np.empty(len(names), object)
    made[:] = names
    return made


def texts_of(name: str, value: Any, pairs: bool = False) -> Optional[Texts]:
    """The value as an array of strings; None when it does not hold texts. One that holds texts and
    something else is an error, and so is one without two columns where `pairs` are wanted."""
    if hasattr(value, "dictionary_decode"):  # Arrow's categories
        value = value.dictionary_decode()
    if hasattr(value, "__arrow_c_array__"):
        listed = arrow_texts(name, value)
        return None if listed is None else as_array(listed)
    if isinstance(value, (list, tuple)):
        first: Any = value
        while isinstance(first, (list, tuple, np.ndarray)) and len(first):
            first = first[0]
        if not isinstance(first, (str, bytes)):
            return None
    elif getattr(getattr(value, "dtype", None), "kind", "O") not in "OUST":
        return None
    elif not hasattr(value, "__array__"):
        return None
    found = np.asarray(value, object)
    if not found.size or not isinstance(found.flat[0], (str, bytes)):
        return None
    if pairs and (found.ndim != 2 or found.shape[1] != 2):
        raise ValueError(f"edges must be pairs, an array of shape (m, 2), not {found.shape}; "
                         "weights are given apart, by weights=")
    return checked(name, found)


def checked(name: str, found: Texts) -> Texts:
    """All entries as strings."""
    plain = True
    for place, entry in enumerate(found.flat):
        if isinstance(entry, bytes):
            plain = False
        elif not isinstance(entry, str):
            missing = entry is None or entry != entry
            raise TypeError(f"{name} must hold texts alone: entry {place} is {entry!r}"
                            f"{LEAVE_OUT if missing else ''}")
    if plain:
        return found
    listed = [entry.decode("utf-8", "surrogateescape") if isinstance(entry, bytes) else str(entry)
              for entry in found.flat]
    return as_array(listed).reshape(found.shape)


def edge_texts(source: Any, target: Any) -> Optional[Tuple[Texts, Texts]]:
    """The two ends of edges between named vertices; None when the ends are not texts."""
    first = texts_of("edges" if target is None else "source", source, pairs=target is None)
    if target is None:
        return None if first is None else (first[:, 0], first[:, 1])
    second = texts_of("target", target)
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise TypeError("source and target must both hold texts, or both integers")
    if first.ndim != 1 or second.ndim != 1:
        raise ValueError("source and target must have one dimension")
    if first.size != second.size:
        raise ValueError(f"there are {first.size} sources and {second.size} targets")
    return first, second


def numbered(first: Texts, second: Texts, labels: Any) -> Tuple[List[str], VertexArray]:
    """The names of the vertices in the order of their bytes, and the edges by their numbers.
    `labels`: all names, or None: those of the edges."""
    both: List[str] = first.tolist() + second.tolist()
    if labels is None:
        names = sorted(set(both), key=encoded)
    else:
        given = texts_of("labels", labels)
        if given is None:
            raise TypeError("labels must hold texts, as the edges do")
        names = given.ravel().tolist()
    place: Dict[str, int] = {name: v for v, name in enumerate(names)}
    try:
        numbers = np.fromiter(map(place.__getitem__, both), np.uint32, len(both))
    except KeyError as missing:
        raise ValueError(f"labels: {missing.args[0]!r} is an end of an edge and not among "
                         "them") from None
    return names, np.stack((numbers[:len(first)], numbers[len(first):]), axis=1)


def packed(names: Sequence[str]) -> Tuple[Array, Array]:
    """Names in the library's form."""
    parts = [encoded(name) for name in names]
    offsets = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, parts), np.uint64, len(parts)), out=offsets[1:])
    return offsets, np.frombuffer(b"".join(parts) + b"\0", np.uint8)


def arrays_of(graph: Graph) -> Optional[Tuple[Array, Array]]:
    """The graph's own offsets and bytes, read-only; None when its vertices have no names."""
    if not lib.hop_graph_named(graph._pointer):
        return None
    graph.info()  # which checks them, if that was not done yet
    where = ctypes.c_void_p()
    pointer = lib.hop_graph_names(graph._pointer, ctypes.byref(where))
    offsets = borrowed(graph, pointer, graph.vertices + 1, "u8")
    return offsets, borrowed(graph, where.value, int(offsets[-1]), "u1")


def texts_at(graph: Graph, numbers: Optional[Array]) -> Texts:
    """The names of the vertices with these numbers; None: of all."""
    arrays = arrays_of(graph)
    assert arrays is not None
    offsets, held = arrays
    begin = offsets[:-1] if numbers is None else offsets[numbers]
    end = offsets[1:] if numbers is None else offsets[np.asarray(numbers, np.int64) + 1]
    view = held.data
    return as_array([str(view[a:b], "utf-8", "surrogateescape")
                     for a, b in zip(begin.tolist(), end.tolist())])


def text_number(graph: Graph, name: Any) -> int:
    """The number of the vertex with this name, or HOP_NO_VERTEX. TypeError if it is no text."""
    if isinstance(name, str):
        name = encoded(name)
    if not isinstance(name, bytes):
        raise TypeError(f"the vertices of this graph have names of text; {name!r} is not one "
                        "(index=True takes positions)")
    return int(lib.hop_graph_find_name(graph._pointer, name, len(name)))


def text_range(graph: Graph) -> str:
    """What the names are, for a message."""
    if graph.vertices == 0:
        return "there are none"
    first, last = texts_at(graph, np.array([0, graph.vertices - 1]))
    return f"names go from {first!r} to {last!r}"
