# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. Every failure of the library is an :class:`Error` with the library's message;
the subclass says what a program can do about it, and is also the built-in exception that one would
expect (a ``ValueError``, a ``MemoryError``)."""

from __future__ import annotations

import errno as _errno
import os
from typing import Any, Dict, Optional, Type

from . import _binding as c


class Error(Exception):
    """Any failure of the library. The message is for people. For programs there are: ``kind``, what
    went wrong, such as "budget", "syntax", "vertex" or "system"; ``remedy``, what would help, such
    as "raise_memory" or "other_variant"; where it was: ``file``, ``line``, ``offset``, ``vertex``,
    ``arc`` (positions, where there is a graph); ``needed`` and ``available``, in bytes or what else
    the kind counts; ``enough``, a value that would do; ``name``, of the option, parameter, variant
    or device; ``found``, what was found instead; ``reason``, why a variant cannot do it. Each is
    None where it is not known. The header detail.h lists kinds and remedies."""

    kind: Optional[str] = None
    remedy: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    offset: Optional[int] = None
    vertex: Optional[int] = None
    arc: Optional[int] = None
    needed: Optional[int] = None
    available: Optional[int] = None
    enough: Optional[int] = None
    name: Optional[str] = None
    found: Optional[str] = None
    reason: Optional[str] = None


class OutOfMemoryError(Error, MemoryError):
    """The system had no memory to give."""


class BudgetError(Error, MemoryError):
    """Refused before anything was allocated: it needs more than the budget (``memory=``)."""


class ArgumentError(Error, ValueError):
    """The call itself is wrong: a value out of range, an unknown variant or parameter."""


class InputError(Error, ValueError):
    """The data is wrong: a malformed file, a vertex out of range, a NaN among the weights."""


class FileError(Error, OSError):
    """The system refused: no such file, no permission, disk full. ``errno`` and ``strerror`` are
    the system's, ``filename`` is the path that was given; None where they are not known. Where
    there is no such file it is a ``FileNotFoundError`` too, and without permission a
    ``PermissionError``."""

    def __init__(self, message: str = "", errno: Optional[int] = None,
                 filename: Any = None) -> None:
        super().__init__(message)
        self.errno, self.filename = errno, filename
        self.strerror = None if errno is None else os.strerror(errno)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.errno, self.filename), self.__dict__


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class ForbiddenFileError(FileError, PermissionError):
    """There is no permission."""


def file_error(message: str, code: Optional[int]) -> FileError:
    """The exception for a failure of the system with this errno."""
    kinds: Dict[Optional[int], Type[FileError]] = {
        _errno.ENOENT: MissingFileError, _errno.EACCES: ForbiddenFileError,
        _errno.EPERM: ForbiddenFileError}
    return kinds.get(code, FileError)(message, code)


class UnsupportedError(Error, NotImplementedError):
    """Well-formed, but not something that this library, or this variant, can do."""


class CancelledError(Error):
    """The progress callback returned False."""


class NegativeCycleError(Error):
    """There are no shortest paths: a cycle has a negative sum. ``cycle`` is one, as an array of
    vertices, the smallest first; None where it was not returned."""

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
