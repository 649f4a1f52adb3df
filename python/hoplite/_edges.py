# SPDX-License-Identifier: Apache-2.0
"""The ends of edges, from what users have: pairs or two arrays of numbers."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._arrays import Array, array_of, contiguous, integers, no_integers


def shape_hint(shape: Tuple[int, ...]) -> str:
    """How to make pairs of what was given."""
    said = ""
    if len(shape) == 2 and shape[1] == 3:
        said = ("; of triples (u, v, weight) give the third column apart: "
                "from_edges(e[:, :2], weights=e[:, 2]), with the ends as integers")
    if len(shape) == 2 and shape[0] == 2:
        said += ("; of a row of sources above one of targets " if said else "; ")
        said += "transpose it: from_edges(e.T), or give the rows apart: from_edges(e[0], e[1])"
    if shape == (2,):
        said = "; one edge is a list of one pair: from_edges([(u, v)])"
    return said


def edge_ends(source: Any, target: Any) -> Tuple[Array, Array, int]:
    """The two ends of the edges as arrays of the same type, and the bytes from one to the next."""
    if target is None:
        if hasattr(source, "number_of_nodes"):
            raise TypeError("edges must be pairs, not a graph of NetworkX; take from_edges("
                            "graph.edges), or, with its weights, Graph.from_scipy(networkx."
                            "to_scipy_sparse_array(graph), directed=graph.is_directed())")
        pairs = array_of("edges", source)
        if pairs.size == 0 and pairs.ndim < 2:
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError("edges must be pairs, an array of shape (m, 2), "
                             f"not {pairs.shape}{shape_hint(pairs.shape)}")
        if pairs.dtype.kind not in "iu":
            raise TypeError(f"edges must hold integers{no_integers(pairs)}")
        first, second = integers("edges", pairs[:, 0]), integers("edges", pairs[:, 1])
    else:
        if np.ndim(source) == 2 and np.shape(source)[1] == 2:
            raise ValueError("source has pairs already, so the second argument is too much; "
                             "weights are given by name, as weights=")
        first, second = integers("source", source), integers("target", target)
    if first.size != second.size:
        raise ValueError(f"there are {first.size} sources and {second.size} targets")
    if first.dtype != second.dtype:
        first, second = first.astype(np.uint64, copy=False), second.astype(np.uint64, copy=False)
    width = first.dtype.itemsize
    stride = first.strides[0] if first.size else width
    regular = stride == (second.strides[0] if second.size else width) and stride >= width
    if not regular or stride % width or not (first.flags.aligned and second.flags.aligned):
        first, second, stride = contiguous(first), contiguous(second), width
    return first, second, stride
