# SPDX-License-Identifier: Apache-2.0
"""Graphs and lists by recipe: one function per family of the library. The same parameters and seed
(``seed=``, 1 by default) give the same graph on every machine.

All but :func:`list` take weights: ``weights="int32"`` (or "int64", "float32", "float64"), uniform
from ``min_weight`` to ``max_weight``, both included; "none" for a family that has them by itself.
The command ``hoplite generate FAMILY --help`` explains the parameters."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional, TypedDict

import numpy as np

from . import _binding as _c
from ._arrays import WEIGHT_TYPES as _WEIGHT_TYPES
from ._arrays import VertexArray as _VertexArray
from ._arrays import address as _address
from ._calling import How as _How
from ._calling import context as _context
from ._calling import how_with_defaults as _how_with_defaults
from ._calling import whole as _whole
from ._graph import Graph as _Graph
from ._graph import Owned as _Owned
from ._loading import lib as _lib
from ._loading import make as _make
from ._running import settings_of as _settings_of
from ._signatures import Unpack


class Recipe(_How, total=False):
    """Weights, and how the call is done (see :class:`hoplite.How`)."""

    weights: Optional[str]
    min_weight: Optional[float]
    max_weight: Optional[float]


def graph(family: str, params: Mapping[str, Any], **recipe: Unpack[Recipe]) -> _Graph:
    """A graph of a family by its name, such as "rmat", with its parameters by name."""
    weights = recipe.pop("weights", None)
    low, high = recipe.pop("min_weight", None), recipe.pop("max_weight", None)
    settings = _settings_of(params)
    given = _make(_c.hop_generate_options,
                  seed=_whole("seed", _how_with_defaults(recipe).get("seed", 1), 0, 2**64 - 1))
    if settings is not None:
        given.settings, given.setting_count = settings, len(settings)
        given.setting_size = ctypes.sizeof(_c.hop_setting)
    if weights is not None:
        if weights not in _WEIGHT_TYPES and weights != "none":
            raise ValueError(f"weights must be one of {', '.join(_WEIGHT_TYPES)}, none; "
                             f"not {weights!r}")
        given.weight_type = _WEIGHT_TYPES.get(weights, _c.HOP_TYPE_NONE)
    if low is not None:
        given.min_weight = low
    if high is not None:
        given.max_weight = high
    made = _Owned()
    with _context(recipe) as lent:
        lent.call(_lib.hop_graph_generate, family.encode(), ctypes.byref(given),
                  ctypes.byref(made))
    return _Graph(made)


def list(n: int, **how: Unpack[_How]) -> _VertexArray:
    """A list in random order for :func:`hoplite.rank`: the successor of each element. Element 0 is
    the head, and the tail is its own successor."""
    count = _whole("n", n, 0, _c.HOP_MAX_VERTICES)
    successors = np.empty(count, np.uint32)
    seed = _whole("seed", _how_with_defaults(how).get("seed", 1), 0, 2**64 - 1)
    with _context(how) as lent:
        lent.call(_lib.hop_list_generate, count, seed, _address(successors))
    return successors


def list_graph(n: int, count: int = 1, **recipe: Unpack[Recipe]) -> _Graph:
    """One or more lists, their vertices spread at random."""
    return graph("list-graph", {"n": n, "count": count}, **recipe)


def tree_graph(n: int, count: int = 1, k: int = 2, **recipe: Unpack[Recipe]) -> _Graph:
    """One or more random trees of at most k children per vertex."""
    return graph("tree-graph", {"n": n, "count": count, "k": k}, **recipe)


def density(m: int, delta: float, count: int = 1, **recipe: Unpack[Recipe]) -> _Graph:
    """A random graph of m arcs (two per edge) and density delta, in ``count`` sub-graphs."""
    return graph("density", {"m": m, "delta": delta, "count": count}, **recipe)


def erdos_renyi(n: int, m: int, directed: bool = False, **recipe: Unpack[Recipe]) -> _Graph:
    """G(n, m): m different random edges between n vertices."""
    return graph("erdos-renyi", {"n": n, "m": m, "directed": directed}, **recipe)


def degree(n: int, min_degree: int = 2, max_degree: int = 6, **recipe: Unpack[Recipe]) -> _Graph:
    """A directed graph with degrees between two bounds; weights are int32, 1 to 1000."""
    return graph("degree", {"n": n, "min_degree": min_degree, "max_degree": max_degree}, **recipe)


def rmat(
    scale: int, edge_factor: int = 16, a: float = 0.57, b: float = 0.19, c: float = 0.19,
    d: float = 0.05, directed: bool = False, shuffle: bool = True,
    **recipe: Unpack[Recipe],
) -> _Graph:
    """A scale-free graph of 2**scale vertices, by recursive quarters of the matrix."""
    return graph("rmat", {"scale": scale, "edge_factor": edge_factor, "a": a, "b": b,
        "c": c, "d": d, "directed": directed, "shuffle": shuffle}, **recipe)


def fanout(
    n: int = 10485760, k: int = 4, directed: bool = True,
    **recipe: Unpack[Recipe],
) -> _Graph:
    """A tree of fixed fan-out k, whose levels grow k-fold."""
    return graph("fanout", {"n": n, "k": k, "directed": directed}, **recipe)


def grid(
    rows: int, cols: int, diagonals: bool = False, removed: float = 0.0, shuffle: bool = False,
    **recipe: Unpack[Recipe],
) -> _Graph:
    """A lattice of rows and columns, with a share of the edges removed."""
    return graph("grid", {"rows": rows, "cols": cols, "diagonals": diagonals,
        "removed": removed, "shuffle": shuffle}, **recipe)


def road(
    rows: int, cols: int, extra: float = 0.35, bends: int = 2, shuffle: bool = False,
    **recipe: Unpack[Recipe],
) -> _Graph:
    """A connected planar network of low degree; weights, if asked for, are lengths."""
    return graph("road", {"rows": rows, "cols": cols, "extra": extra,
        "bends": bends, "shuffle": shuffle}, **recipe)
