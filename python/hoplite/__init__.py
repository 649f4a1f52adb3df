# SPDX-License-Identifier: Apache-2.0
"""Hoplite: list ranking, connected components, breadth-first search and shortest paths on large
graphs, on all cores and OpenCL devices, with NumPy arrays in and out.

    import hoplite
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2), (5, 6)])
    hoplite.bfs(graph, 0).levels

A graph comes from Graph.from_edges, from_scipy, from_numpy, from_arrow, from_csr or read, or from
hoplite.generate. Problems: bfs, sssp, apsp, components, rank, distances, distance_table, measure,
spanning_forest, closure, strong_components. help(hoplite.bfs) has the options of a call.
"""

from __future__ import annotations

import typing as _typing

from . import _calling, errors, generate, on_device
from ._all_paths import AllPaths, all_paths
from ._binding import HOP_NO_DISTANCE as NO_DISTANCE
from ._binding import HOP_NO_DISTANCE_32 as NO_DISTANCE_32
from ._binding import HOP_NO_LEVEL as NO_LEVEL
from ._binding import HOP_NO_RANK as NO_RANK
from ._binding import HOP_NO_VERTEX as NO_VERTEX
from ._calling import How, device_trim, options
from ._closure import ancestors, closure, closure_counts, closure_rows, descendants
from ._convert import convert
from ._distance_tables import distance_table, distance_table_rows
from ._graph import Graph, GraphInfo
from ._index import Index
from ._loading import lib as _lib
from ._measures import Measure, measure, measure_bound, measure_error, measures
from ._problems import (apsp, apsp_rows, apsp_summary, bfs, components, distances, rank,
                        sssp, strong_components, topological_order)
from ._results import (ApspResult, ApspSummary, BfsResult, ComponentsResult, RankResult, Result,
                       SsspResult, StrongResult, Tree)
from ._running import Phase, Report
from ._signatures import spell_out as _spell_out
from ._spanning import SpanningResult, spanning_forest
from ._tables import (Device, Devices, Family, Format, Parameter, Variant, devices, explain,
                      families, formats, variants)
from .errors import (ArgumentError, BudgetError, CancelledError, CertificateError, DeviceError,
                     Error, FileError, InputError, NegativeCycleError, OutOfMemoryError,
                     UnsupportedError)

__version__: str = _lib.hop_version().decode()


def certify(result: Result, mode: str = "canonical", *, tolerance: float = 0.0) -> None:
    """Certifies a result: the same as ``result.certify(mode)``; a tolerance is for sssp alone."""
    if not isinstance(result, Result):
        raise TypeError(f"a result of this package is needed, not {type(result).__name__}")
    if not tolerance:
        result.certify(mode)
    elif isinstance(result, SsspResult):
        result.certify("valid" if mode == "canonical" else mode, tolerance=tolerance)
    else:
        raise TypeError("a tolerance is for results of sssp")


# What other libraries call it.
_CALLED_ELSEWHERE = {
    "bellman_ford": "sssp", "breadth_first_search": "bfs", "connected_components": "components",
    "dijkstra": "sssp", "floyd_warshall": "apsp", "from_edges": "Graph.from_edges",
    "johnson": "apsp", "minimum_spanning_tree": "spanning_forest", "read": "Graph.read",
    "shortest_path": "sssp", "transitive_closure": "closure",
}

if not _typing.TYPE_CHECKING:  # for which every name would exist then
    def __getattr__(name: str) -> None:
        hint = ""
        if name in _CALLED_ELSEWHERE:
            hint = f"; here it is hoplite.{_CALLED_ELSEWHERE[name]}"
        elif name.replace("_", "-") in (known.name for known in measures()):
            hint = f"; hoplite.measure(graph, {name.replace('_', '-')!r}) computes it"
        raise AttributeError(f"module 'hoplite' has no attribute {name!r}{hint}")


__all__ = [
    "AllPaths", "ApspResult", "ApspSummary", "ArgumentError", "BfsResult", "BudgetError",
    "CancelledError", "CertificateError", "ComponentsResult", "Device", "DeviceError",
    "Devices", "Error", "Family", "FileError", "Format", "Graph", "GraphInfo", "How", "Index",
    "InputError", "Measure", "NO_DISTANCE", "NO_DISTANCE_32", "NO_LEVEL", "NO_RANK",
    "NO_VERTEX", "NegativeCycleError", "OutOfMemoryError", "Parameter", "Phase", "RankResult",
    "Report", "Result", "SpanningResult", "SsspResult", "StrongResult", "Tree",
    "UnsupportedError", "Variant", "all_paths", "ancestors", "apsp", "apsp_rows",
    "apsp_summary", "bfs", "certify", "closure", "closure_counts", "closure_rows", "components",
    "convert", "descendants", "device_trim", "devices", "distance_table", "distance_table_rows",
    "distances", "errors", "explain", "families", "formats", "generate", "measure",
    "measure_bound", "measure_error", "measures", "on_device", "options", "rank",
    "spanning_forest", "sssp", "strong_components", "topological_order", "variants",
]

_spell_out([globals()[name] for name in __all__] + list(vars(generate).values()) +
           [getattr(on_device, name) for name in on_device.__all__],
           {**vars(_calling), **vars(generate), **vars(on_device)}, how=How, recipe=generate.Recipe)
