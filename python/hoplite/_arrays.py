# SPDX-License-Identifier: Apache-2.0
"""Arrays from users: anything with numbers becomes an array that the library can read, without a
copy where that is possible, or a clear exception. And arrays of the library as NumPy's."""

from __future__ import annotations

import ctypes
import numbers
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _binding as c
from ._arrow import arrow_array

Array = npt.NDArray[Any]
VertexArray = npt.NDArray[np.uint32]

# The library's weight types by NumPy's, and what other types become.
WEIGHT_TYPES: Dict[str, int] = {
    "int32": c.HOP_TYPE_INT32, "int64": c.HOP_TYPE_INT64,
    "float32": c.HOP_TYPE_FLOAT32, "float64": c.HOP_TYPE_FLOAT64,
}
TYPES = {**WEIGHT_TYPES, "uint32": c.HOP_TYPE_UINT32, "uint64": c.HOP_TYPE_UINT64}
LEAVE_OUT = "; leave out rows with missing values, in pandas by dropna()"
BLOCK = 2**22  # entries that are looked at together
WEIGHT_NAMES = {value: name for name, value in WEIGHT_TYPES.items()}
WIDENED = {"bool": "int32", "int8": "int32", "uint8": "int32", "int16": "int32", "uint16": "int32",
           "uint32": "int64", "uint64": "int64", "float16": "float32"}


def span_of(found: Optional[Array]) -> Any:
    """The array as the library's calls take one whose type depends on the graph, or None. """
    if found is None:
        return None
    return ctypes.byref(c.hop_span(address(found), found.size, TYPES[found.dtype.name]))


def view_of(found: Optional[Array]) -> Any:
    """The same of an array that is only read."""
    if found is None:
        return None
    return ctypes.byref(c.hop_view(address(found), found.size, TYPES[found.dtype.name]))


def no_numbers(name: str, value: Any, found: Array) -> str:
    """The end of the message that something holds no numbers: what it holds, and what to do."""
    ends = name in ("source", "target", "edges")
    if found.dtype.kind in "UST" or found.size and isinstance(found.flat[0], (str, bytes)):
        return ", not texts" + ("; Graph.read reads files" if ends and not found.ndim else "")
    if found.dtype.kind != "O":
        return f", not {found.dtype}"
    if found.ndim:
        return no_number_among(found)
    said = f", not {type(value).__name__}"
    if isinstance(value, dict) and ends:
        return said + "; of neighbours d[u] the edges are [(u, v) for u in d for v in d[u]]"
    return said + ("; list() makes a list of it" if hasattr(value, "__iter__") else "")


def no_number_among(found: Array) -> str:
    """The same of an array of objects: the first that is no number."""
    for place, entry in enumerate(found.flat):
        if isinstance(entry, (list, tuple)):
            return ", and its rows differ in length"
        if not isinstance(entry, numbers.Number):
            return f", and entry {place} is {entry!r}{LEAVE_OUT if found.size > 1 else ''}"
    return ", not objects; .astype('int64'), or 'float64', makes numbers of them"


def no_integers(found: Array) -> str:
    """The end of the message that an array holds no integers: what it holds, and what to do."""
    if found.dtype.kind != "f" or not found.size:
        return f", not {found.dtype}"
    missing = np.flatnonzero(np.isnan(found))
    if missing.size:
        return f", and entry {missing[0]} is NaN{LEAVE_OUT}"
    broken = np.flatnonzero(found != np.floor(found))
    if broken.size:
        return f", and entry {broken[0]} is {found.flat[broken[0]]}"
    return f", not {found.dtype}; .astype('int64') makes integers of whole numbers"


def large_integers(value: Any) -> Optional[Array]:
    """A list of Python's integers of which NumPy makes floats since some are beyond 2^63."""
    entries = np.asarray(value, object)
    if all(type(entry) is int and 0 <= entry < 2**64 for entry in entries.flat):
        return entries.astype(np.uint64)
    return None


def array_of(name: str, value: Any) -> Array:
    """The value as an array in this machine's byte order. Arrays of NumPy, buffers, DLPack and
    Arrow are taken as they are, lists are converted."""
    found: Array
    if isinstance(value, np.ndarray):
        found = value
    elif hasattr(value, "__arrow_c_array__"):
        found = arrow_array(name, value)
    elif hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        found = np.from_dlpack(value)
    else:
        try:
            found = np.asarray(value)
        except (ValueError, TypeError, OverflowError) as error:
            if "inhomogeneous" in str(error):
                pairs = "; edges are pairs (u, v)" if name == "edges" else ""
                raise TypeError(f"{name} has rows of different length{pairs}") from None
            raise TypeError(f"{name} is not an array of numbers: {error}") from None
    # numpy.ma is imported by its first use, which would hang in a child that was forked meanwhile.
    if type(found) is not np.ndarray and np.any(getattr(found, "mask", False)):
        raise ValueError(f"{name} has masked entries")
    found = np.asarray(found)
    if found.size == 0 and found.dtype == np.float64 and not isinstance(value, np.ndarray):
        found = found.astype(np.int64)  # what an empty list becomes
    if found.dtype == np.float64 and isinstance(value, (list, tuple)) and found.max() >= 2**63:
        exact = large_integers(value)
        found = found if exact is None else exact
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers{no_numbers(name, value, found)}")
    if not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    return found


def integers(name: str, value: Any) -> Array:
    """One dimension of integers of 4 or 8 bytes, none negative, as unsigned ones, any stride."""
    found = array_of(name, value)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers{no_integers(found)}")
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return unsigned(name, found)


def unsigned(name: str, found: Array) -> Array:
    """Signed integers seen as unsigned ones, once none is negative; narrow ones are widened."""
    if found.dtype.kind == "i":
        for begin in range(0, found.size, BLOCK):  # Python handles signals in between
            if found[begin:begin + BLOCK].min() < 0:
                raise ValueError(f"{name} must not be negative, and {found.min()} is")
    if found.dtype.itemsize < 4:
        return found.astype(np.uint32)
    return found.view(f"u{found.dtype.itemsize}")


def contiguous(found: Array) -> Array:
    """In one piece and aligned: the array itself, or a copy."""
    flags = found.flags
    if flags.c_contiguous and flags.aligned:
        return found
    return np.require(found, requirements=("C", "A"))


def vertices_of(name: str, value: Any, n: int) -> VertexArray:
    """One vertex or several, as an array of uint32."""
    if type(value) is int and 0 <= value < n:
        return np.array([value], np.uint32)
    if np.ndim(value) == 0 and not isinstance(value, (str, bytes)):
        value = np.atleast_1d(np.asarray(value))
    found = integers(name, value)
    if found.size and int(found.max()) >= n:
        what = f"vertices go from 0 to {n - 1}" if n else "the graph has none"
        raise ValueError(f"{name}: {found.max()} is not a vertex; {what}")
    if found.size > c.HOP_MAX_VERTICES:
        raise ValueError(f"{name} has {found.size} entries")
    return contiguous(found.astype(np.uint32, copy=False))


def weights_of(value: Any, count: int) -> Tuple[Optional[Array], int]:
    """Weights in a type that the library has, in one piece, and that type. None: no weights."""
    if value is None:
        return None, c.HOP_TYPE_NONE
    found = array_of("weights", value)
    if found.ndim != 1:
        raise ValueError(f"weights must have one dimension, not {found.ndim}")
    if found.size != count:
        raise ValueError(f"there are {found.size} weights for {count} edges")
    name = WIDENED.get(found.dtype.name, found.dtype.name)
    if name not in WEIGHT_TYPES:
        raise TypeError(f"weights of type {found.dtype} are not known; "
                        f"convert them to one of {', '.join(WEIGHT_TYPES)}")
    if found.dtype == np.uint64 and found.size and int(found.max()) >= 2**63:
        raise ValueError(f"weights must be below 2**63, and {found.max()} is not")
    return contiguous(found.astype(name, copy=False)), WEIGHT_TYPES[name]


def address(found: Optional[Array]) -> Optional[int]:
    """Where an array begins, for the library; None: NULL. The caller keeps the array."""
    return None if found is None else found.__array_interface__["data"][0]


class Borrowed:
    """Memory of the library as an array that keeps its owner alive."""

    def __init__(self, owner: Any, pointer: int, count: int, dtype: str) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": (count,), "typestr": np.dtype(dtype).str,
            "data": (pointer, True),
        }


def borrowed(owner: Any, pointer: Optional[int], count: int, dtype: str) -> Array:
    """The library's array, read-only and not copied."""
    if not pointer or count == 0:
        return np.empty(0, dtype)
    return np.asarray(Borrowed(owner, pointer, count, dtype))


def copied(pointer: int, count: int, dtype: str) -> Array:
    """The library's array, copied before it goes."""
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(ctypes.string_at(pointer, size), dtype=dtype).copy()


Numbers = Union[Array, Any]
