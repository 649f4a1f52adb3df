# SPDX-License-Identifier: Apache-2.0
"""Failures of the library as exceptions: their class by the status, their attributes by the detail,
and what would help in terms of Python. The library names no keywords; it tells as data which remedy
there is, and how much would be enough."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Optional

from . import _binding as c
from ._loading import lib, make
from .errors import BY_STATUS, Error, file_error

NUMBERS = ("line", "offset", "vertex", "arc", "needed", "available", "enough")
TEXTS = ("name", "found", "reason")
# The remedies that a keyword of this package is for; of the others the library's words are said.
WORDS = {
    c.HOP_REMEDY_RAISE_MEMORY: "raise the budget (memory=)",
    c.HOP_REMEDY_FREE_MEMORY: "free memory, or lower the budget (memory=) to be told sooner",
    c.HOP_REMEDY_RAISE_DEVICE_MEMORY: "use the host",
    c.HOP_REMEDY_CHOOSE_DEVICE: "device= names one",
    c.HOP_REMEDY_OTHER_VARIANT: "without variant= one that can is picked",
    c.HOP_REMEDY_SPARSE_IDS: 'for sparse ids use ids="sparse"',
    c.HOP_REMEDY_ALLOW_TOLERANCE: "if others have rounded it: tolerance=1e-4",
    c.HOP_REMEDY_DROP_WEIGHTS: "drop them by weights=False, or choose another format",
    c.HOP_REMEDY_DROP_LABELS: "drop them by labels=False, or choose another format",
}


def budget_text(count: int) -> str:
    """As ``memory=`` takes it: whole KiB, MiB or GiB, at least so many bytes."""
    unit = 2 if count > 10 << 30 else 1 if count > 10 << 20 else 0
    return f"{-(-count // (1024 << 10 * unit))}{'KMG'[unit]}"


def remedy_text(detail: Any) -> Optional[str]:
    """What would help, in terms of Python; None where the library's words are as good."""
    if detail.remedy == c.HOP_REMEDY_RAISE_MEMORY and detail.enough != c.HOP_UNKNOWN:
        return f'raise the budget (memory="{budget_text(detail.enough)}")'
    if detail.remedy == c.HOP_REMEDY_RAISE_LIMIT and detail.name in (b"max_line", b"max_bytes"):
        return f"{detail.name.decode()}= allows more, if that is meant"
    return WORDS.get(detail.remedy)


def attributes(detail: Any) -> Dict[str, Any]:
    """What exceptions have beside their message."""
    found: Dict[str, Any] = {
        "kind": lib.hop_error_kind_name(detail.kind).decode(),
        "remedy": lib.hop_remedy_name(detail.remedy).decode() if detail.remedy else None,
        "file": None if detail.file is None else os.fsdecode(detail.file)}
    for name in NUMBERS:
        value = getattr(detail, name)
        found[name] = None if value == c.HOP_UNKNOWN else value
    for name in TEXTS:
        text = getattr(detail, name)
        found[name] = None if text is None else text.decode("utf-8", "replace")
    return found


def failure(pointer: Optional[ctypes.c_void_p], status: int) -> Error:
    """The exception for the last failure of a context."""
    detail = make(c.hop_error_detail)
    lib.hop_context_detail(pointer, ctypes.byref(detail))
    message = lib.hop_context_message(pointer)
    words = remedy_text(detail)
    if words is not None:
        message = message[:detail.fault_bytes] + f"; {words}".encode()
    text = message.decode("utf-8", "replace") or lib.hop_status_name(status).decode()
    error: Error
    if status == c.HOP_ERR_IO:
        error = file_error(text, detail.system_error or None)
    else:
        error = BY_STATUS.get(status, Error)(text)
    for name, value in attributes(detail).items():
        setattr(error, name, value)
    return error
