# SPDX-License-Identifier: Apache-2.0
"""Measures of distances: closeness, eccentricities, diameter and others, without the distances."""

from __future__ import annotations

import ctypes
import difflib
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _binding as c
from ._arrays import TYPES, address, span_of
from ._calling import How, context, whole
from ._graph import Graph
from ._loading import lib, make
from ._names import names_of, numbers_of
from ._problems import graph_argument
from ._running import Certify, run_of
from ._signatures import Unpack

TYPE_NAMES = {value: name for name, value in TYPES.items()}
SHAPES = {c.HOP_MEASURE_VERTEX: "vertex", c.HOP_MEASURE_NUMBER: "number",
          c.HOP_MEASURE_SET: "set", c.HOP_MEASURE_LEVELS: "levels",
          c.HOP_MEASURE_LABELS: "labels", c.HOP_MEASURE_ORDER: "order",
          c.HOP_MEASURE_ARCS: "arcs", c.HOP_MEASURE_ARC: "arc",
          c.HOP_MEASURE_CELLS: "cells"}
TAKES = {"direction": c.HOP_MEASURE_TAKES_DIRECTION, "scaled": c.HOP_MEASURE_TAKES_SCALED,
         "within": c.HOP_MEASURE_TAKES_WITHIN, "vertices": c.HOP_MEASURE_TAKES_VERTICES,
         "samples": c.HOP_MEASURE_TAKES_SAMPLES, "centers": c.HOP_MEASURE_TAKES_CENTERS}
DIRECTIONS = {None: c.HOP_MEASURE_USUAL, "in": c.HOP_MEASURE_INWARD,
              "out": c.HOP_MEASURE_OUTWARD}


class Measure(NamedTuple):
    """A row of :func:`measures`. ``shape`` is "vertex" (a value for each), "number" (one), "set"
    (some vertices), "levels" (a value for each distance), "labels" (for each vertex the smallest of
    those that are put together with it), "order" (all vertices), "arcs" (numbers of some arcs),
    "arc" (a value for each) or "cells" (for each vertex another, or none); ``inward``: by distances
    to the vertex, unless the call says otherwise; ``takes``: which of the keywords of
    :func:`measure` that some measures have."""

    name: str
    summary: str
    definition: str
    source: str
    shape: str
    inward: bool
    takes: Tuple[str, ...]


def measure_of(raw: Any) -> Measure:
    return Measure(raw.name.decode(), raw.summary.decode(), raw.definition.decode(),
                   raw.source.decode(), SHAPES[raw.shape], bool(raw.inward),
                   tuple(word for word, bit in TAKES.items() if raw.takes & bit))


def measures() -> List[Measure]:
    """What :func:`measure` knows."""
    return [measure_of(lib.hop_measure_at(i).contents) for i in range(lib.hop_measure_count())]


def share(name: str, value: float) -> float:
    if not 0 < value <= 1:
        raise ValueError(f"{name} must be above 0, and 1 at most, not {value}")
    return value


def measure_error(vertices: int, samples: int, failure: float = 0.1) -> float:
    """How far a scaled value of betweenness by so many samples may be from the exact one: no value
    is farther, for all seeds but a share ``failure`` of them."""
    error: float = lib.hop_measure_error(whole("vertices", vertices, 0, c.HOP_MAX_VERTICES),
                                         whole("samples", samples, 0, c.HOP_NO_LEVEL),
                                         share("failure", failure))
    return error


def measure_bound(graph: Graph, name: str, samples: int, *, scaled: bool = True,
                  failure: float = 0.1) -> float:
    """How far a value of a measure by so many samples may be from the exact one: no value of this
    graph is farther, for all seeds but a share ``failure`` of them. Of closeness: how far 1 / value
    may be, in units of the greatest distance, where all vertices reach each other."""
    graph_argument(graph)
    given = make(c.hop_measure_options, scaled=bool(scaled),
                 samples=whole("samples", samples, 1, c.HOP_NO_LEVEL))
    bound: float = lib.hop_measure_bound(graph._pointer, str(name).encode(), ctypes.byref(given),
                                         share("failure", failure))
    if bound != bound:
        takers = [one.name for one in measures() if "samples" in one.takes]
        raise ValueError(f"{name!r} is not by samples; {', '.join(takers)} may be")
    return bound


def measure(
    graph: Graph, name: str, *, vertices: Any = None, direction: Optional[str] = None,
    scaled: bool = True, within: Optional[int] = None, samples: Optional[int] = None,
    centers: Any = None, variant: Optional[str] = None,
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> Any:
    """What the distances between all vertices say, without keeping them; and what else is asked
    of a graph as a whole.

    name: "closeness", "diameter" and others; :func:`measures` lists them with their definitions.
    vertices: of measures with a value for each vertex, those that are wanted, in this order.
    direction: in a directed graph, by distances to the vertex ("in") or from it ("out"); None: as
        the measure has it.
    scaled: of closeness: times the share of the vertices that is reached; of betweenness and
        edge-betweenness: by the number of pairs.
    within: of reach: within so many arcs; None: any number.
    samples: of closeness, harmonic, betweenness and edge-betweenness: from so many vertices,
        drawn by the seed, instead of all; see :func:`measure_bound`.
    centers: of voronoi: the vertices around which the cells are.
    variant: "searches", "bits" or "bounds", or one of the measure's own; None: the library chooses.
    certify: find and certify the distances again, and compare; of the other measures: check the
        result by the arcs alone.
    index: vertices, given or returned, are positions 0 .. n-1, not ids.

    Returns an array by position (shape "vertex", or in the order of ``vertices``), a number, an
    array of vertices ("set", "order", and by position "labels"), the number of pairs at each
    distance from 0 on ("levels"), places in ``graph.targets`` ("arcs"), or a value for each of
    these places ("arc"; those of an undirected edge are the same). "cells": the center of each
    vertex; without one the largest number of the type, or None where ids are names.
    Weights count where the graph has them; below 0 they raise :class:`UnsupportedError`."""
    graph_argument(graph)
    if not isinstance(name, str):
        raise TypeError(f"the name of a measure must be a text, not {type(name).__name__}")
    found = lib.hop_measure_find(name.encode())
    if not found:
        known = [one.name for one in measures()]
        near = difflib.get_close_matches(name, known, 1)
        meant = f"did you mean {near[0]!r}? There" if near else "there"
        raise ValueError(f"there is no measure {name!r}; {meant} are {', '.join(known)}")
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be None, 'in' or 'out', not {direction!r}")
    shape = SHAPES[found.contents.shape]
    wanted = None if vertices is None else numbers_of(graph, "vertices", vertices, index)
    run, _report = run_of(variant, None, certify)
    given = make(c.hop_measure_options, run=ctypes.pointer(run), scaled=bool(scaled),
                 direction=DIRECTIONS[direction])
    if wanted is not None:
        given.vertices, given.vertex_count = address(wanted), len(wanted)
    if within is not None:
        given.within = whole("within", within, 0, c.HOP_NO_LEVEL)
    if samples is not None:
        given.samples = whole("samples", samples, 1, c.HOP_NO_LEVEL)
    around = None if centers is None else numbers_of(graph, "centers", centers, index)
    if around is not None:
        given.centers, given.center_count = address(around), len(around)
    room = lib.hop_measure_room(graph._pointer, name.encode(), ctypes.byref(given))
    values = np.empty(room, TYPE_NAMES[lib.hop_measure_type(graph._pointer, name.encode())])
    count = ctypes.c_uint32()
    with context(how) as lent:
        lent.call(lib.hop_measure_run, graph._pointer, name.encode(), ctypes.byref(given),
                  span_of(values), ctypes.byref(count))
    if shape == "number":
        return values[0].item()
    made = values if count.value == room else values[:count.value].copy()
    if shape == "cells":
        return made if index else graph.names(made)
    return names_of(graph, made, index) if shape in ("set", "order", "labels") else made
