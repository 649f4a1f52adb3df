# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. Every failure of the library is an :class:`Error` with the library's message;
the subclass says what a program can do about it, and is also the built-in exception that one would
expect (a ``ValueError``, a ``MemoryError``)."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type

from . import _binding as c


class Error(Exception):
    """Any failure of the library."""


class OutOfMemoryError(Error, MemoryError):
    """The system had no memory to give."""


class BudgetError(Error, MemoryError):
    """Refused before anything was allocated: it needs more than the budget (``memory=``)."""


class ArgumentError(Error, ValueError):
    """The call itself is wrong: a value out of range, an unknown variant or parameter."""


class InputError(Error, ValueError):
    """The data is wrong: a malformed file, a vertex out of range, a NaN among the weights."""


class FileError(Error, OSError):
    """The system refused: no such file, no permission, disk full."""


class UnsupportedError(Error, NotImplementedError):
    """Well-formed, but not something that this library, or this variant, can do."""


class CancelledError(Error):
    """The progress callback returned False."""


class NegativeCycleError(Error):
    """There are no shortest paths: a cycle has a negative sum. ``cycle`` is one, as an array of
    vertices, the smallest first; None where it was not handed over."""

    cycle: Optional[Any] = None


class CertificateError(Error):
    """A result was checked and is wrong."""


class DeviceError(Error, RuntimeError):
    """There is no such device, or it failed; the host may do it."""


BY_STATUS: Dict[int, Type[Error]] = {
    c.HOP_ERR_MEMORY: OutOfMemoryError,
    c.HOP_ERR_BUDGET: BudgetError,
    c.HOP_ERR_ARGUMENT: ArgumentError,
    c.HOP_ERR_INPUT: InputError,
    c.HOP_ERR_IO: FileError,
    c.HOP_ERR_UNSUPPORTED: UnsupportedError,
    c.HOP_ERR_CANCELLED: CancelledError,
    c.HOP_ERR_NEGATIVE_CYCLE: NegativeCycleError,
    c.HOP_ERR_CERTIFICATE: CertificateError,
    c.HOP_ERR_DEVICE: DeviceError,
}
