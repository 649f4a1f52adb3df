# SPDX-License-Identifier: Apache-2.0
"""Names of vertices: one rule for all calls.

A vertex is named as the graph names it: by its id in the file or in the arrays that the graph was
made from. Where ``index=True`` is said it is a number 0 .. n-1 instead, which is where it stands in
the arrays of graphs and results. Of a graph whose ids are 0 .. n-1 both are the same, and nothing
is translated. Ids are integers, or names of text: strings.

The library works with numbers: the functions here stand between it and the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple, Union

import numpy as np

from ._arrays import Array, VertexArray, borrowed, contiguous, integers, vertices_of
from ._calling import whole
from ._loading import lib
from ._text import NO_VERTEX, text_number, text_range, texts_at, texts_of

if TYPE_CHECKING:
    from ._graph import Graph


def is_named(graph: Graph) -> bool:
    """Whether ids are other than 0 .. n-1; looked up once, as most calls ask."""
    if graph._named is None:
        graph._named = bool(lib.hop_graph_labels(graph._pointer) or has_texts(graph) or
                            lib.hop_graph_first_id(graph._pointer))
    return graph._named


def has_texts(graph: Graph) -> bool:
    """Whether ids are names of text."""
    return bool(lib.hop_graph_named(graph._pointer))


def id_range(graph: Graph) -> str:
    n = graph.vertices
    if has_texts(graph):
        return text_range(graph)
    if n == 0:
        return "there are none"
    last = int(lib.hop_graph_label(graph._pointer, n - 1))
    return f"ids go from {graph.first_id} to {last}"


def unknown(graph: Graph, name: str, value: Union[int, str, bytes]) -> ValueError:
    shown = repr(str(value)) if isinstance(value, str) else repr(value)
    return ValueError(f"{name}: {shown} is not a vertex of the graph; {id_range(graph)}")


def number_of(graph: Graph, name: str, value: Any, index: bool) -> int:
    """The number of a vertex that the caller named."""
    if index or not is_named(graph):
        return whole(name, value, 0, graph.vertices - 1)
    if has_texts(graph):
        label: Union[int, str, bytes] = value
        found = text_number(graph, value)
    else:
        label = whole(name, value, 0, 2**64 - 1)
        found = int(lib.hop_graph_find(graph._pointer, label))
    if found == NO_VERTEX:
        raise unknown(graph, name, label)
    return found


def numbers_of_texts(graph: Graph, name: str, value: Any) -> VertexArray:
    """The numbers of vertices with names of text."""
    found = texts_of(name, value)
    listed = np.atleast_1d(np.asarray(value, object)) if found is None else found
    return np.array([number_of(graph, name, each, False) for each in listed.ravel()], np.uint32)


def places(graph: Graph, found: Array) -> Tuple[Array, Array]:
    """The numbers of ids, and which of them are ids of vertices."""
    n = graph.vertices
    pointer = lib.hop_graph_labels(graph._pointer)
    if pointer:
        labels = borrowed(graph, pointer, n, "u8")
        at: Array = np.searchsorted(labels, found)
        return at, labels[np.minimum(at, n - 1)] == found if n else np.zeros(len(found), bool)
    first = np.uint64(graph.first_id)
    at = found - first  # an id below the first one wraps to one that is too great
    return at, at < np.uint64(n)


def numbers_of(graph: Graph, name: str, value: Any, index: bool) -> VertexArray:
    """The numbers of one or several vertices that the caller named, as an array of uint32."""
    if index or not is_named(graph):
        return vertices_of(name, value, graph.vertices)
    if has_texts(graph):
        return numbers_of_texts(graph, name, value)
    if np.ndim(value) == 0 and not isinstance(value, (str, bytes)):
        value = [number_of(graph, name, value, False)]
        return np.array(value, np.uint32)
    found = integers(name, value).astype(np.uint64, copy=False)
    at, known = places(graph, found)
    if not known.all():
        raise unknown(graph, name, int(found[np.argmin(known)]))
    return contiguous(at.astype(np.uint32))


def names_of(graph: Graph, numbers: VertexArray, index: bool) -> Array:
    """What the caller calls these vertices: the numbers themselves, or their ids as uint64, or as
    objects where they are text."""
    if index or not is_named(graph):
        return numbers
    if has_texts(graph):
        return texts_at(graph, numbers)
    pointer = lib.hop_graph_labels(graph._pointer)
    if pointer:
        return borrowed(graph, pointer, graph.vertices, "u8")[numbers]
    return numbers.astype(np.uint64) + np.uint64(graph.first_id)


def name_of(graph: Graph, number: int, index: bool) -> Any:
    """The same of one vertex."""
    if not index and has_texts(graph):
        return texts_at(graph, np.array([number]))[0]
    return number if index else int(lib.hop_graph_label(graph._pointer, number))
