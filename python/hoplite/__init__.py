# SPDX-License-Identifier: Apache-2.0
"""Hoplite: list ranking, connected components, breadth-first search and shortest paths on large
graphs, on all cores and OpenCL devices, with NumPy arrays in and out.

    import hoplite
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2), (5, 6)])
    hoplite.bfs(graph, 0).levels
"""

from __future__ import annotations

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
