# SPDX-License-Identifier: Apache-2.0
"""What the library has: variants, devices, formats; and what it would choose, and why."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _binding as c
from ._arrays import address, vertices_of
from ._calling import How, context
from ._graph import Graph
from ._loading import lib, make
from ._names import numbers_of
from ._running import PLACES, Params, Report, run_of
from ._signatures import Unpack

PROBLEMS: Dict[str, int] = {
    lib.hop_problem_name(i).decode(): i for i in range(c.HOP_PROBLEM_COUNT)}
PARAMETER_TYPES = {c.HOP_PARAMETER_INTEGER: "integer", c.HOP_PARAMETER_REAL: "real",
                   c.HOP_PARAMETER_FLAG: "flag", c.HOP_PARAMETER_CHOICE: "choice"}
DEVICE_TYPES = {c.HOP_DEVICE_CPU: "cpu", c.HOP_DEVICE_GPU: "gpu", c.HOP_DEVICE_OTHER: "other"}


class Parameter(NamedTuple):
    """A parameter of a variant or a family: ``type`` is "integer", "real", "flag" or "choice"."""

    name: str
    summary: str
    type: str
    required: bool
    minimum: float
    maximum: float
    default: Union[int, float, bool, str]
    choices: Tuple[str, ...]


class Variant(NamedTuple):
    """One variant of a problem; ``place`` is "host" or "device"."""

    name: str
    place: str
    summary: str
    source: str
    parameters: Tuple[Parameter, ...]


class Device(NamedTuple):
    """A device besides the host; ``device="opencl:0.0"`` uses it, ``type`` is "cpu", "gpu" or
    "other". If it is not usable, ``reason`` says why."""

    name: str
    title: str
    vendor: str
    platform: str
    driver: str
    type: str
    memory: int
    compute_units: int
    usable: bool
    reason: str


class Format(NamedTuple):
    """A file format of :meth:`Graph.read` and :meth:`Graph.write`."""

    name: str
    summary: str
    suffixes: Tuple[str, ...]
    can_read: bool
    can_write: bool


class Family(NamedTuple):
    """A family of graphs of :mod:`hoplite.generate`."""

    name: str
    summary: str
    source: str
    is_list: bool
    parameters: Tuple[Parameter, ...]


def parameter_of(raw: Any) -> Parameter:
    kind = PARAMETER_TYPES[raw.type]
    choices = tuple(raw.choices.decode().split()) if raw.choices else ()
    standard: Union[int, float, bool, str] = raw.standard
    if kind == "integer":
        standard = int(raw.standard)
    elif kind == "flag":
        standard = bool(raw.standard)
    elif kind == "choice":
        standard = choices[int(raw.standard)]
    return Parameter(raw.name.decode(), raw.summary.decode(), kind, raw.required, raw.minimum,
                     raw.maximum, standard, choices)


def parameters_of(raw: Any) -> Tuple[Parameter, ...]:
    return tuple(parameter_of(lib.hop_parameter_at(raw.parameters, i).contents)
                 for i in range(raw.parameter_count))


def problem_number(problem: str) -> int:
    if problem not in PROBLEMS:
        raise ValueError(f"problem must be one of {', '.join(PROBLEMS)}, not {problem!r}")
    return PROBLEMS[problem]


def variants(problem: str) -> List[Variant]:
    """The variants of "rank", "components", "bfs", "sssp" or "apsp"; the first is the sequential
    reference."""
    number = problem_number(problem)
    found = []
    for i in range(lib.hop_variant_count(number)):
        raw = lib.hop_variant_at(number, i).contents
        found.append(Variant(raw.name.decode(), PLACES[raw.place], raw.summary.decode(),
                             raw.source.decode(), parameters_of(raw)))
    return found


def families() -> List[Family]:
    """The families of graphs that can be generated."""
    rows = (lib.hop_family_at(i).contents for i in range(lib.hop_family_count()))
    return [Family(raw.name.decode(), raw.summary.decode(), raw.source.decode(), raw.is_list,
                   parameters_of(raw)) for raw in rows]


def formats() -> List[Format]:
    """The file formats that are known."""
    rows = (lib.hop_format_at(i).contents for i in range(lib.hop_format_count()))
    return [Format(raw.name.decode(), raw.summary.decode(), tuple(raw.suffixes.decode().split()),
                   raw.can_read, raw.can_write) for raw in rows]


class Devices(List[Device]):
    """A list of devices. ``advice`` says what is missing for more of them, if anything is."""

    advice: str = ""


def devices(**how: Unpack[How]) -> Devices:
    """The devices of this machine besides its own cores, usable or not."""
    found = Devices()
    listed = ctypes.c_void_p()
    with context(how) as lent:
        lent.call(lib.hop_devices_find, ctypes.byref(listed))
    try:
        for i in range(lib.hop_devices_count(listed)):
            raw = lib.hop_devices_at(listed, i).contents
            texts = {name: getattr(raw, name).decode("utf-8", "replace")
                     for name in ("name", "title", "vendor", "platform", "driver", "reason")}
            found.append(Device(type=DEVICE_TYPES[raw.type], memory=raw.memory,
                                compute_units=raw.compute_units, usable=raw.usable, **texts))
        found.advice = lib.hop_devices_advice(listed).decode("utf-8", "replace")
    finally:
        lib.hop_devices_free(listed)
    return found


def explain(
    problem: str, graph: Any, sources: Any = None, *, variant: Optional[str] = None,
    params: Params = None, index: bool = False, **how: Unpack[How],
) -> Report:
    """Which variant a call would run, why, and how much memory it would take: nothing is searched.
    For "rank" the second argument is the array of successors. ``sources`` None: the first vertex.
    """
    number = problem_number(problem)
    run, report = run_of(variant, params, False, plan=True)
    byref, pointer = ctypes.byref, ctypes.pointer(run)
    # Results of a plan: nothing is written there.
    unwritten = ctypes.c_uint64()
    nowhere, elsewhere = byref(unwritten), byref(ctypes.c_uint64())
    if number == c.HOP_PROBLEM_RANK:
        links = vertices_of("successors", graph, max(np.size(graph), 1))
        given = make(c.hop_rank_options, run=pointer)
        with context(how) as lent:
            lent.call(lib.hop_rank, address(links), len(links), byref(given), nowhere)
        return report
    if not isinstance(graph, Graph):
        raise TypeError(f"a hoplite.Graph is needed, not {type(graph).__name__}")
    first = None
    if graph.vertices:
        first = (np.zeros(1, np.uint32) if sources is None else
                 numbers_of(graph, "sources", sources, index))
    place, count = address(first), 0 if first is None else len(first)
    with context(how) as lent:
        if number == c.HOP_PROBLEM_BFS:
            lent.call(lib.hop_bfs, graph._pointer, place, count,
                      byref(make(c.hop_bfs_options, run=pointer)), nowhere, elsewhere)
        elif number == c.HOP_PROBLEM_SSSP:
            weights = ctypes.c_int()
            lib.hop_graph_weights(graph._pointer, byref(weights))
            room = c.hop_span(ctypes.addressof(unwritten), 2**64 - 1,
                              lib.hop_distance_type(weights.value))
            lent.call(lib.hop_sssp, graph._pointer, place, count,
                      byref(make(c.hop_sssp_options, run=pointer)), byref(room), elsewhere)
        elif number == c.HOP_PROBLEM_COMPONENTS:
            lent.call(lib.hop_components, graph._pointer,
                      byref(make(c.hop_components_options, run=pointer)), nowhere, None)
        else:
            plain = make(c.hop_apsp_options, run=pointer)
            kind = lib.hop_apsp_distance_type(graph._pointer, byref(plain))
            room = c.hop_span(ctypes.addressof(unwritten), 2**64 - 1, kind)
            lent.call(lib.hop_apsp, graph._pointer, byref(plain), byref(room), None)
    return report
