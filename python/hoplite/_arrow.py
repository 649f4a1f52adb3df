# SPDX-License-Identifier: Apache-2.0
"""Arrow's C data interface without pyarrow: columns of pyarrow, polars, pandas or DuckDB as NumPy
arrays on the same memory.

An object that has __arrow_c_array__ or __arrow_c_stream__ hands over capsules with the structs
below; whoever holds a capsule owns what it points to, so arrays keep theirs alive."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._loading import freed_by

FORMATS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
           "e": "f2", "f": "f4", "g": "f8"}


class Schema(ctypes.Structure):
    """struct ArrowSchema"""


class Data(ctypes.Structure):
    """struct ArrowArray"""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]
Data._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Data))), ("dictionary", ctypes.POINTER(Data)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Data))),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema",
     ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Data))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p),
]


def inside(capsule: Any, name: bytes, struct: Any) -> Any:
    """The struct that a capsule points to."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return struct.from_address(pointer(capsule, name))


@functools.lru_cache(maxsize=64)
def chunk_type(release: int) -> Any:
    """An ArrowArray that this function releases when nothing refers to it any more."""
    function = ctypes.CFUNCTYPE(None, ctypes.POINTER(Data))(release)
    return type("Chunk", (Data,), {"__del__": freed_by(function)})


class View:
    """A buffer of Arrow for NumPy; `owner` stays alive as long as the array."""

    def __init__(self, owner: Any, pointer: int, count: int, code: str) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": (count,), "typestr": np.dtype(code).str, "data": (pointer, True),
        }


def column(owner: Any, name: str, schema: Any, data: Any, parent: Any = None) -> npt.NDArray[Any]:
    """The values of one array without nulls: numbers in place, texts as an array of objects.
    `parent` is the struct array that it is a column of, whose offset and length hold for it too."""
    form = schema.format.decode()
    start = data.offset + (0 if parent is None else parent.offset)
    count = data.length if parent is None else parent.length
    # The counts are of whole arrays; what is used may be a part of them.
    if has_nulls(data, start, count) or (
            parent is not None and has_nulls(parent, parent.offset, count)):
        raise ValueError(f"{name} has nulls; leave out such rows, in pandas by dropna(), in Arrow "
                         "by drop_null()")
    if form in TEXTS and not schema.dictionary:
        made = np.empty(count, object)
        made[:] = TEXTS[form](data, start, count)
        return made
    if form not in FORMATS or schema.dictionary:
        raise TypeError(f"{name}: Arrow's type {form!r} is not a plain number, nor a text")
    code = FORMATS[form]
    if count == 0 or not data.buffers[1]:
        return np.empty(0, code)
    pointer = data.buffers[1] + start * np.dtype(code).itemsize
    return np.asarray(View(owner, pointer, count, code))


def has_nulls(data: Any, start: int, count: int) -> bool:
    """Whether the validity bitmap, if there is one, has a 0 in this range."""
    if data.null_count == 0 or not data.buffers[0] or count == 0:
        return False
    size = (start + count + 7) // 8
    bits = np.unpackbits(np.asarray(View(None, data.buffers[0], size, "u1")), bitorder="little")
    return not bits[start:start + count].all()


def decoded(found: Any) -> str:
    return str(found, "utf-8", "surrogateescape")


def plain_texts(data: Any, start: int, count: int, wide: str) -> List[str]:
    """Strings by offsets into one buffer."""
    if count == 0:
        return []
    first = data.buffers[1] + start * np.dtype(wide).itemsize
    offsets = np.asarray(View(None, first, count + 1, wide)).tolist()
    if offsets[-1] == 0 or not data.buffers[2]:
        return [""] * count
    held = np.asarray(View(None, data.buffers[2], offsets[-1], "u1")).data
    return [decoded(held[a:b]) for a, b in zip(offsets, offsets[1:])]


def viewed_texts(data: Any, start: int, count: int) -> List[str]:
    """Strings by views of 16 bytes: the length, then the text itself if it has 12 bytes or less,
    else its first four, the number of a buffer and where it begins there."""
    if count == 0:
        return []
    raw = np.asarray(View(None, data.buffers[1] + 16 * start, 16 * count, "u1")).data
    words = np.frombuffer(raw, "i4").reshape(count, 4).tolist()
    found = []
    for i, (length, _, buffer, begin) in enumerate(words):
        if length <= 12:
            found.append(decoded(raw[16 * i + 4:16 * i + 4 + length]))
        else:
            where = data.buffers[2 + buffer] + begin
            found.append(decoded(ctypes.string_at(where, length)))
    return found


# Arrow's types of text: string, large string, string view.
TEXTS = {"u": lambda data, start, count: plain_texts(data, start, count, "i4"),
         "U": lambda data, start, count: plain_texts(data, start, count, "i8"),
         "vu": viewed_texts}


def arrow_texts(name: str, value: Any) -> Optional[List[str]]:
    """The texts of an Arrow array; None when it holds something else."""
    schema_capsule, capsule = value.__arrow_c_array__()
    schema = inside(schema_capsule, b"arrow_schema", Schema)
    if schema.format.decode() not in TEXTS or schema.dictionary:
        return None
    data = inside(capsule, b"arrow_array", Data)
    return list(column(capsule, name, schema, data))


def arrow_array(name: str, value: Any) -> npt.NDArray[Any]:
    """An Arrow array (not a table) as a NumPy array on the same memory."""
    schema_capsule, capsule = value.__arrow_c_array__()
    schema = inside(schema_capsule, b"arrow_schema", Schema)
    data = inside(capsule, b"arrow_array", Data)
    return column(capsule, name, schema, data)


def chunks_of(value: Any) -> Tuple[Any, List[Tuple[Any, Any]]]:
    """(schema, [(owner, data)]) of a table, a record batch or a stream of them. The schema is a
    struct whose owner is in the first place of the list's owners."""
    if hasattr(value, "__arrow_c_stream__"):
        capsule = value.__arrow_c_stream__()
        stream = inside(capsule, b"arrow_array_stream", Stream)
        schema = Schema()
        if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) != 0:
            raise ValueError(f"Arrow: {(stream.get_last_error(stream) or b'no schema').decode()}")
        found: List[Tuple[Any, Any]] = []
        while True:
            data = Data()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(data)) != 0:
                schema.release(ctypes.byref(schema))
                raise ValueError(f"Arrow: {(stream.get_last_error(stream) or b'no data').decode()}")
            if not data.release:
                return schema, found
            release = ctypes.cast(data.release, ctypes.c_void_p).value
            chunk = chunk_type(release).from_buffer_copy(data)  # as Arrow says, one moves them
            found.append((chunk, chunk))
    if hasattr(value, "__arrow_c_array__"):
        schema_capsule, capsule = value.__arrow_c_array__()
        schema = inside(schema_capsule, b"arrow_schema", Schema)
        # Both capsules live as long as what refers to the second.
        return schema, [((schema_capsule, capsule), inside(capsule, b"arrow_array", Data))]
    raise TypeError(f"{type(value).__name__} has no Arrow C interface (__arrow_c_stream__)")


def arrow_columns(value: Any, source: Optional[str], target: Optional[str],
                  weight: Optional[str]) -> Tuple[Any, Any, Any]:
    """The columns of these names, each in one piece: on Arrow's memory if it is one there. Without
    names the first two; no weights without a name."""
    schema, chunks = chunks_of(value)
    try:
        if schema.format != b"+s":
            raise TypeError("a table with a column for each end of the edges is needed, not "
                            f"Arrow's type {schema.format.decode()!r}")
        children = [schema.children[i].contents for i in range(schema.n_children)]
        names = [(child.name or b"").decode() for child in children]

        def find(name: Optional[str], place: int) -> npt.NDArray[Any]:
            if name is not None and name not in names:
                raise ValueError(f"there is no column {name!r}; there are {', '.join(names)}")
            if name is None and place >= len(names):
                raise ValueError("a table needs at least two columns")
            at = place if name is None else names.index(name)
            pieces = [column(owner, names[at], children[at], data.children[at].contents, data)
                      for owner, data in chunks]
            if len(pieces) == 1:
                return pieces[0]
            return np.concatenate(pieces) if pieces else np.empty(0, np.int64)

        return find(source, 0), find(target, 1), None if weight is None else find(weight, 0)
    finally:
        if hasattr(value, "__arrow_c_stream__") and schema.release:
            schema.release(ctypes.byref(schema))
