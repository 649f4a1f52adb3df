# SPDX-License-Identifier: Apache-2.0
"""The backend `hoplite` of NetworkX: set ``nx.config.backend_priority = ["hoplite"]``, or give
``backend="hoplite"`` to a call. NetworkX loads this module with the first such call.

What NetworkX looks for in it: the functions by name, convert_from_nx, convert_to_nx, can_run,
should_run. docs/networkx.md says what is the same as in NetworkX, what is declined, and why."""

from __future__ import annotations

from typing import Any, Callable, Dict

from hoplite_networkx_info import FUNCTIONS as _DESCRIBED

from . import dense, depth, generic, measured, shapes, spanning, strong, ties, unweighted, weighted
from .deciding import can_run, should_run
from .nodes import NodeGraph, convert_from_nx, convert_to_nx

MODULES = unweighted, weighted, dense, measured, generic, depth, shapes, ties, strong, spanning
FUNCTIONS: Dict[str, Callable[..., Any]] = {
    name: next(getattr(module, name) for module in MODULES if hasattr(module, name))
    for name in _DESCRIBED
}
globals().update(FUNCTIONS)

__all__ = ["FUNCTIONS", "NodeGraph", "can_run", "convert_from_nx", "convert_to_nx", "should_run"]
