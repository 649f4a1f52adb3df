# SPDX-License-Identifier: Apache-2.0
"""How a file of a graph is to be read, and what may help where it cannot be."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional, Sequence, Union

import numpy as np

from . import _binding as c
from ._calling import byte_count, truth
from ._loading import make
from .errors import InputError

DUPLICATES = {"min": c.HOP_DUPLICATES_MIN, "max": c.HOP_DUPLICATES_MAX,
              "sum": c.HOP_DUPLICATES_SUM, "first": c.HOP_DUPLICATES_FIRST,
              "last": c.HOP_DUPLICATES_LAST, "keep": c.HOP_DUPLICATES_KEEP}
LOOPS = {"keep": c.HOP_LOOPS_KEEP, "drop": c.HOP_LOOPS_DROP}
HEADERS = {None: c.HOP_HEADER_AUTO, True: c.HOP_HEADER_YES, False: c.HOP_HEADER_NO}


def word(name: str, value: Any, table: Dict[str, int]) -> int:
    if not isinstance(value, str) or value not in table:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, table))}, not {value!r}")
    return table[value]


def read_options(
    *, format: Optional[str], directed: Optional[bool], duplicates: str, loops: str, weights: bool,
    columns: Union[str, Sequence[str], None], delimiter: Optional[str], header: Optional[bool],
    names: bool,
    max_line: Union[int, str, None], max_bytes: Union[int, str, None],
) -> Any:
    """The options of reading, as :meth:`Graph.read` takes them."""
    direction = c.HOP_DIRECTION_FILE
    if directed is not None:
        direction = (c.HOP_DIRECTION_DIRECTED if truth("directed", directed)
                     else c.HOP_DIRECTION_UNDIRECTED)
    return make(c.hop_read_options, format=text_or_none("format", format), direction=direction,
                duplicates=word("duplicates", duplicates, DUPLICATES),
                loops=word("loops", loops, LOOPS),
                drop_weights=not truth("weights", weights),
                columns=text_or_none("columns", columns_text(columns)),
                delimiter=one_byte(delimiter), header=HEADERS[header_said(header)],
                names=truth("names", names),
                max_line=byte_count("max_line", max_line),
                max_bytes=byte_count("max_bytes", max_bytes))


def columns_text(columns: Any) -> Any:
    """Columns as the library takes them, also from a list of their names."""
    if not isinstance(columns, (list, tuple)):
        return columns
    if not all(isinstance(name, str) for name in columns):
        raise TypeError('columns are names, or numbers from 1 in a text such as "1,2,4", not '
                        f"{columns!r}")
    commas = [name for name in columns if "," in name]
    if commas:
        raise ValueError(f"columns: the name {commas[0]!r} has a comma; say its number from 1, in "
                         'a text such as "1,2,4"')
    return ",".join(columns)


def header_said(header: Any) -> Optional[bool]:
    """Whether there is a line of names; None: not said. A number means a line elsewhere."""
    if header is None or isinstance(header, (bool, np.bool_)):
        return None if header is None else bool(header)
    raise TypeError("header must be True if the first line has the names of the columns, False if "
                    f"it has not, or None (seen from the first two lines), not {header!r}")


def file_name(path: Any) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a file name must not have a zero byte")
    return name


def text_or_none(name: str, value: Any) -> Optional[bytes]:
    if value is not None and not isinstance(value, str):
        like = ' such as "from,to,weight", or a list of names' if name == "columns" else ""
        raise TypeError(f"{name} must be a text{like}, not {type(value).__name__}")
    return None if value is None else value.encode()


def one_byte(delimiter: Optional[str]) -> bytes:
    """A delimiter as the library takes it; None: seen from the file."""
    found = text_or_none("delimiter", delimiter)
    if found is None:
        return b"\0"
    if len(found) != 1 or found == b"\0":
        raise ValueError(f"delimiter must be one character of ASCII, not {delimiter!r}")
    return found


def table_hint(error: InputError, columns: Any, names: bool) -> str:
    """What may help where a table could not be read; "" if the message says all."""
    kind, found = getattr(error, "kind", None), getattr(error, "found", None) or ""
    if kind == "word" and re.fullmatch(r"-?[0-9]+,[0-9]+", found):
        return ("numbers have a decimal point here; pandas.read_csv(..., decimal=\",\") reads "
                "others, and Graph.from_edges takes its columns")
    said = [] if kind != "id" or names else ["names=True takes ids as text"]
    if kind in ("id", "word", "fields") and columns is None:
        said.append('columns="from,to,weight" says which columns to read, by name or number')
    return ", ".join(said)


@contextmanager
def advising(columns: Any, names: bool) -> Iterator[None]:
    """What may help, in terms of Python, behind the message of a file that cannot be read."""
    try:
        yield
    except InputError as error:
        hint = table_hint(error, columns, names)
        if hint:
            error.args = (f"{error}; {hint}",)
        raise
