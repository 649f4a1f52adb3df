# SPDX-License-Identifier: Apache-2.0
"""What all problems share: which variant runs with which parameters, and what it reports."""

from __future__ import annotations

import contextlib
import ctypes
from types import SimpleNamespace
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional,
                    Tuple, Union)

from . import _binding as c
from ._arrays import copied
from ._loading import freed_by, lib, make
from ._names import names_of
from .errors import NegativeCycleError

if TYPE_CHECKING:
    from ._calling import Context
    from ._graph import Graph

Certify = Union[bool, str]
Params = Optional[Mapping[str, Union[int, float, bool, str]]]
CERTIFY = {"canonical": c.HOP_CERTIFY_CANONICAL, "valid": c.HOP_CERTIFY_VALID}
ADDRESSES = ctypes.c_void_p, ctypes.c_char_p
PLAIN: Any = ctypes.c_void_p.__base__  # of all fields that are no structs, arrays or pointers
NUMBERS = ("memory_bytes", "device_bytes", "file_bytes", "copy_bytes", "kept_bytes", "seconds",
           "certify_seconds", "compile_seconds", "rounds", "relaxations")
PLACES = {c.HOP_PLACE_HOST: "host", c.HOP_PLACE_DEVICE: "device"}


class Phase(NamedTuple):
    """A part of a run: `kind` is "compute" or "copy"; bytes and items are 0 if not counted."""

    name: str
    kind: str
    calls: int
    seconds: float
    bytes: int
    items: int


class Told(ctypes.c_void_p):
    """A report of the library: filled in by a call, and freed with this."""

    __del__ = freed_by(lib.hop_report_free)

    def __init__(self) -> None:
        super().__init__()
        if lib.hop_report_create(0, ctypes.byref(self)) != c.HOP_OK:
            raise MemoryError("no memory for the report of a run")

    def fields(self) -> Dict[str, Any]:
        """What it says, without pointers."""
        ran = lib.hop_report_variant(self)
        said: Dict[str, Any] = {name: getattr(lib, f"hop_report_{name}")(self) for name in NUMBERS}
        said["variant"] = ran.contents.name.decode() if ran else None
        said["place"] = PLACES[ran.contents.place] if ran else None
        said["device"] = lib.hop_report_device(self).decode()
        said["reason"] = lib.hop_report_reason(self).decode("utf-8", "replace")
        phases = (lib.hop_report_phase(self, i).contents
                  for i in range(lib.hop_report_phase_count(self)))
        said["phases"] = [Phase(one.name.decode(), "copy" if one.kind else "compute", one.calls,
                                one.seconds, one.bytes, one.items) for one in phases]
        counters = (lib.hop_report_counter(self, i).contents
                    for i in range(lib.hop_report_counter_count(self)))
        said["counters"] = {one.name.decode(): int(one.value) for one in counters}
        return said


class Report:
    """What a run tells about itself."""

    def __init__(self, told: Told) -> None:
        self._told: Optional[Told] = told
        self._said: Optional[Dict[str, Any]] = None

    def _get(self, name: str) -> Any:
        """Looked at once, by the first who asks, when the call has returned."""
        if self._said is None:
            assert self._told is not None
            self._said = self._told.fields()
        return self._said[name]

    @property
    def variant(self) -> Optional[str]:
        """The variant that ran; None when nothing did."""
        name: Optional[str] = self._get("variant")
        return name

    @property
    def place(self) -> Optional[str]:
        """"host" or "device"."""
        place: Optional[str] = self._get("place")
        return place

    @property
    def device(self) -> str:
        """The device that it ran on, such as "opencl:0.0"; empty: the host."""
        return str(self._get("device"))

    @property
    def reason(self) -> str:
        """Why this variant."""
        return str(self._get("reason"))

    @property
    def memory_bytes(self) -> int:
        """Estimated need beside graph and results, before the run."""
        return int(self._get("memory_bytes"))

    @property
    def device_bytes(self) -> int:
        """Estimated need of the device's memory, before the run."""
        return int(self._get("device_bytes"))

    @property
    def copy_bytes(self) -> int:
        """Of the graph, that were copied to a device with a memory of its own; 0 when it was there
        already, see :meth:`Graph.prepare`."""
        return int(self._get("copy_bytes"))

    @property
    def kept_bytes(self) -> int:
        """Of the graph, that were there before."""
        return int(self._get("kept_bytes"))

    @property
    def seconds(self) -> float:
        """Of the variant alone."""
        return float(self._get("seconds"))

    @property
    def compile_seconds(self) -> float:
        """Part of `seconds`: the device's driver compiled kernels, which it does once."""
        return float(self._get("compile_seconds"))

    @property
    def certify_seconds(self) -> float:
        """Of the check; 0 when not asked for."""
        return float(self._get("certify_seconds"))

    @property
    def rounds(self) -> int:
        """Levels, passes or iterations, as the variant counts them."""
        return int(self._get("rounds"))

    @property
    def relaxations(self) -> int:
        """Arcs looked at."""
        return int(self._get("relaxations"))

    @property
    def phases(self) -> List[Phase]:
        """What the time went into, in the order in which phases began first."""
        return list(self._get("phases"))

    @property
    def counters(self) -> Dict[str, int]:
        """Counters beside rounds and relaxations."""
        return dict(self._get("counters"))

    def __getstate__(self) -> Dict[str, Any]:
        self._get("variant")
        return dict(self._said or {})

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._told, self._said = None, dict(state)

    def __repr__(self) -> str:
        if self.variant is None:
            return "<Report: nothing ran>"
        where = self.device or "host"
        compiled = (f", of which {self.compile_seconds:.6f} s or more for compiling, once"
                    if self.compile_seconds > self.seconds / 10 else "")
        took = f", {self.seconds:.6f} s" if self.seconds else ""  # explain() runs nothing
        return f"<Report: {self.variant} on {where}{took}{compiled}: {self.reason}>"


def plain_fields(raw: Any) -> SimpleNamespace:
    """The fields of a struct that are numbers; not its size, and no pointers."""
    return SimpleNamespace(**{
        name: getattr(raw, name) for name, kind in raw._fields_
        if name != "size" and issubclass(kind, PLAIN) and not issubclass(kind, ADDRESSES)})


def settings_of(params: Params) -> Any:
    """The library's array of settings, or None; names may be written with underscores."""
    if not params:
        return None
    made = (c.hop_setting * len(params))()
    for setting, (name, value) in zip(made, params.items()):
        if not isinstance(name, str):
            raise TypeError(f"the name of a parameter must be a text, not {type(name).__name__}")
        setting.name = name.replace("_", "-").encode()
        if isinstance(value, str):
            setting.word = value.encode()
            continue
        try:
            setting.value = float(value)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"parameter {name}: {value!r} is neither a number nor a word") from None
        if isinstance(value, int) and int(setting.value) != value:
            raise ValueError(f"parameter {name}: {value} cannot be expressed exactly")
    return made


def certify_mode(certify: Certify) -> int:
    if certify is False or certify is None:
        return c.HOP_CERTIFY_NONE
    if certify is True:
        return c.HOP_CERTIFY_CANONICAL
    if certify not in CERTIFY:
        raise ValueError(f"certify must be False, True, 'canonical' or 'valid', not {certify!r}")
    return CERTIFY[certify]


def run_of(variant: Optional[str], params: Params, certify: Certify,
           plan: bool = False) -> Tuple[Any, Report]:
    """The library's struct of how to run, and the report that the run will fill in."""
    if variant is not None and not isinstance(variant, str):
        raise TypeError(f"variant must be a text, not {type(variant).__name__}")
    told = Told()
    run = make(c.hop_run, certify=certify_mode(certify), plan=plan, report=told)
    if variant is not None:
        run.variant = variant.encode()
    settings = settings_of(params)
    if settings is not None:
        run.settings, run.setting_count = settings, len(settings)
        run.setting_size = ctypes.sizeof(c.hop_setting)
    return run, Report(told)


@contextlib.contextmanager
def naming_cycle(graph: Graph, index: bool, lent: Context) -> Iterator[None]:
    """Gives the negative cycle that a call has found to its exception."""
    try:
        yield
    except NegativeCycleError as error:
        length = ctypes.c_uint32()
        found = lib.hop_context_cycle(lent.pointer, ctypes.byref(length))
        error.cycle = names_of(graph, copied(found, length.value, "u4"), index)
        raise
