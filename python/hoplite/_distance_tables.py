# SPDX-License-Identifier: Apache-2.0
"""Tables of distances between two sets of vertices."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _binding as c
from ._arrays import Array, VertexArray, address, span_of
from ._calling import How, context
from ._graph import Graph
from ._loading import lib, make
from ._names import numbers_of
from ._problems import RowTaker, distance_type, graph_argument, matrix_for
from ._running import Certify, Params, naming_cycle, run_of
from ._signatures import Unpack


def side_of(graph: Graph, name: str, given: Any, index: bool) -> Optional[VertexArray]:
    return None if given is None else numbers_of(graph, name, given, index)


def table_options(graph: Graph, run: Any, sources: Optional[VertexArray],
                  targets: Optional[VertexArray]) -> Tuple[Any, Tuple[int, int]]:
    """And the shape of the table. The vertices must outlive the options."""
    given = make(c.hop_table_options, run=ctypes.pointer(run))
    if sources is not None:
        given.sources, given.source_count = address(sources), len(sources)
    if targets is not None:
        given.targets, given.target_count = address(targets), len(targets)
    n = graph.vertices
    return given, (n if sources is None else len(sources), n if targets is None else len(targets))


def distance_table(
    graph: Graph, sources: Any = None, targets: Any = None, *, out: Optional[Array] = None,
    variant: Optional[str] = None, params: Params = None, certify: Certify = False,
    index: bool = False, **how: Unpack[How],
) -> Array:
    """The distances from each source to each target: row i, column j is that from ``sources[i]`` to
    ``targets[j]``, as :func:`sssp` defines it. Where there is no path it is
    :data:`NO_DISTANCE` or infinity.

    sources, targets: vertices, in any order, as often as they are named; None: all.
    out: the array to write into, such as a numpy.memmap or ``numpy.lib.format.open_memmap``;
        None: a new one, which is refused (:class:`BudgetError`) when it does not fit the memory.
    variant: one of apsp; None: the library chooses.
    certify: certify each search before its distances are taken.
    index: sources and targets are positions 0 .. n-1, not ids.

    There are as many searches as sources, or, with weights that are integers or none, as targets if
    these are fewer. Searches cover the graph: for a few pairs that are near each other,
    :func:`distances` stops early. :func:`distance_table_rows` gives the rows block by block."""
    graph_argument(graph)
    rows, columns = side_of(graph, "sources", sources, index), \
        side_of(graph, "targets", targets, index)
    run, _report = run_of(variant, params, certify)
    given, shape = table_options(graph, run, rows, columns)
    kind = distance_type(graph)
    with context(how) as lent, naming_cycle(graph, index, lent):
        table = matrix_for(lent, graph, out, shape, kind, lib.hop_distance_table_bytes, given)
        if table.size:
            lent.call(lib.hop_distance_table, graph._pointer, ctypes.byref(given), span_of(table))
    return table


def distance_table_rows(
    graph: Graph, rows: Callable[[int, Array], Optional[bool]], sources: Any = None,
    targets: Any = None, *, variant: Optional[str] = None, params: Params = None,
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> None:
    """:func:`distance_table` by blocks of rows that fit the memory: calls ``rows(first, block)`` in
    ascending order, where ``block[i]`` are the distances from ``sources[first + i]``. The block is
    valid during the call only: copy what is to stay. Returning False stops
    (:class:`CancelledError`)."""
    graph_argument(graph)
    starts, ends = side_of(graph, "sources", sources, index), \
        side_of(graph, "targets", targets, index)
    run, _report = run_of(variant, params, certify)
    given, shape = table_options(graph, run, starts, ends)
    if 0 in shape:
        return
    with context(how) as lent, naming_cycle(graph, index, lent):
        taker = RowTaker(lent, rows, shape[1], np.dtype(distance_type(graph)))
        lent.call(lib.hop_distance_table_rows, graph._pointer, ctypes.byref(given),
                  c.hop_apsp_rows_fn(taker), None)
        taker.finish(shape[0])
