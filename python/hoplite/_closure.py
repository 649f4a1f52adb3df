# SPDX-License-Identifier: Apache-2.0
"""The transitive closure: which vertices each vertex reaches."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrays import Array, VertexArray, address, borrowed
from ._calling import How, context
from ._graph import Graph
from ._loading import lib, make
from ._names import names_of, numbers_of
from ._problems import graph_argument
from ._running import Certify, run_of
from ._signatures import Unpack
from .errors import BudgetError

ITSELF = {"cycles": c.HOP_CLOSURE_CYCLES, "never": c.HOP_CLOSURE_NEVER,
          "always": c.HOP_CLOSURE_ALWAYS}
RowsFunction = Callable[[int, npt.NDArray[np.uint64], VertexArray], Optional[bool]]


def closure_options(graph: Graph, sources: Any, backward: bool, itself: str, certify: Certify,
                    index: bool, together: bool = False) -> Tuple[Any, int, Any]:
    """The options, how many rows there will be, and what must live as long."""
    if itself not in ITSELF:
        raise ValueError(f"itself must be 'cycles', 'never' or 'always', not {itself!r}")
    n = graph_argument(graph).vertices
    wanted = None if sources is None else numbers_of(graph, "sources", sources, index)
    run, report = run_of(None, None, certify)
    given = make(c.hop_closure_options, run=ctypes.pointer(run), backward=bool(backward),
                 self=ITSELF[itself], together=together)
    if wanted is not None:
        given.sources, given.source_count = address(wanted), len(wanted)
        if not len(wanted):  # an empty array has no address
            given.sources = address(np.zeros(1, np.uint32))
    rows = n if wanted is None else len(wanted)
    return given, min(rows, 1) if together else rows, (run, report, wanted)


def closure_rows(
    graph: Graph, rows: RowsFunction, *, sources: Any = None, backward: bool = False,
    itself: str = "cycles", certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> int:
    """What each vertex reaches, by blocks of rows, however large they are together: calls
    ``rows(first, offsets, vertices)`` in ascending order. Row ``first + i`` is
    ``vertices[offsets[i]:offsets[i + 1]]``, ascending, by position. The arrays are valid during
    the call only: copy what is to stay. Returning False stops (:class:`CancelledError`). Returns
    how many vertices all rows have together.

    sources: the vertices that have a row, in this order; None: all.
    backward: what reaches the vertex instead.
    itself: whether a vertex is in its own row: where a path leads back to it ("cycles"; an
        undirected edge leads there and back), "never" or "always".
    certify: find each row again by a search along the arcs.
    index: sources are positions 0 .. n-1, not ids."""
    given, count, _kept = closure_options(graph, sources, backward, itself, certify, index)
    following, pairs = 0, ctypes.c_uint64()

    with context(how) as lent:
        def hand_over(_user: Any, first: int, made: int, begins: Any, found: Any) -> bool:
            nonlocal following
            try:
                if first != following:
                    raise KeyboardInterrupt
                following = first + made
                offsets = borrowed(given, begins, made + 1, "u8")
                vertices = borrowed(given, found, int(offsets[-1]), "u4")
                if rows(first, offsets, vertices) is not False:
                    return True
                lent.stopped = True
            except BaseException as error:  # pylint: disable=broad-except
                lent.raised = error
            return False

        lent.call(lib.hop_closure_rows, graph._pointer, ctypes.byref(given),
                  c.hop_closure_rows_fn(hand_over), None, ctypes.byref(pairs))
        if following != count:
            raise KeyboardInterrupt
    return pairs.value


def closure_counts(
    graph: Graph, *, sources: Any = None, backward: bool = False, itself: str = "cycles",
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> VertexArray:
    """How many vertices each vertex reaches, without making the rows of :func:`closure_rows`,
    which has the same arguments."""
    given, count, _kept = closure_options(graph, sources, backward, itself, certify, index)
    counts = np.empty(count, np.uint32)
    with context(how) as lent:
        lent.call(lib.hop_closure_counts, graph._pointer, ctypes.byref(given), address(counts),
                  None)
    return counts


def too_large(needed: int, available: int) -> BudgetError:
    made = BudgetError(f"closure: its rows take {needed >> 20} MiB and more, and the budget is "
                       f"{available >> 20} MiB; raise it (memory=), or take them some at a time "
                       "by closure_rows")
    made.kind, made.remedy = "budget", "raise_memory"
    made.needed, made.available = needed, available
    return made


def closure(
    graph: Graph, *, sources: Any = None, backward: bool = False, itself: str = "cycles",
    certify: Certify = False, index: bool = False, **how: Unpack[How],
) -> Tuple[npt.NDArray[np.uint64], Array]:
    """The transitive closure as a whole, ``(offsets, vertices)``: what the vertex at position i (or
    ``sources[i]``) reaches is ``vertices[offsets[i]:offsets[i + 1]]``, ascending by position; ids,
    with ``index`` positions. It may have as many as n * n entries: :func:`closure_counts` says how
    many, and :func:`closure_rows`, which has the same arguments, keeps a few rows at a time. What
    does not fit the memory is given up as soon as that is seen (:class:`BudgetError`)."""
    counts: List[Array] = [np.zeros(1, np.uint64)]
    parts: List[Array] = [np.empty(0, np.uint32)]
    needed = 0  # of rows, and of the array that they become
    with context(how) as lent:
        budget = int(lib.hop_context_memory_budget(lent.pointer))

    def keep(_first: int, offsets: Array, vertices: Array) -> None:
        nonlocal needed
        needed += 2 * vertices.nbytes
        if needed > budget:
            raise too_large(needed, budget)
        counts.append(np.diff(offsets))
        parts.append(vertices.copy())

    closure_rows(graph, keep, sources=sources, backward=backward, itself=itself, certify=certify,
                 index=index, **how)
    offsets: Array = np.cumsum(np.concatenate(counts), dtype=np.uint64)
    return offsets, names_of(graph, np.concatenate(parts), index)


def reached(graph: Graph, sources: Any, backward: bool, itself: str, certify: Certify, index: bool,
            how: Any) -> Array:
    """What at least one of the sources reaches."""
    given, _count, _kept = closure_options(graph, sources, backward, itself, certify, index, True)
    parts: List[Array] = [np.empty(0, np.uint32)]
    with context(how) as lent:
        def hand_over(_user: Any, _first: int, _made: int, begins: Any, found: Any) -> bool:
            try:
                count = int(borrowed(given, begins, 2, "u8")[1])
                parts.append(borrowed(given, found, count, "u4").copy())
                return True
            except BaseException as error:  # pylint: disable=broad-except
                lent.raised = error
            return False

        lent.call(lib.hop_closure_rows, graph._pointer, ctypes.byref(given),
                  c.hop_closure_rows_fn(hand_over), None, None)
    return names_of(graph, parts[-1], index)


def descendants(
    graph: Graph, sources: Any, *, itself: str = "never", certify: Certify = False,
    index: bool = False, **how: Unpack[How],
) -> Array:
    """The vertices that at least one of the sources reaches, ascending by position.

    sources: one vertex, or several.
    itself: whether sources are among them: "never", "always", or where a path from one of them
        leads there ("cycles").
    certify: find them again by a search along the arcs.
    index: vertices, given and returned, are positions 0 .. n-1, not ids."""
    return reached(graph, sources, False, itself, certify, index, how)


def ancestors(
    graph: Graph, sources: Any, *, itself: str = "never", certify: Certify = False,
    index: bool = False, **how: Unpack[How],
) -> Array:
    """The vertices that reach at least one of the sources; as :func:`descendants`."""
    return reached(graph, sources, True, itself, certify, index, how)
