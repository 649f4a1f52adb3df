# SPDX-License-Identifier: Apache-2.0
"""From file to file, for graphs that need not fit in memory."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional, Sequence, Union

from . import _binding as c
from ._calling import How, context, naming
from ._loading import lib, make
from ._reading import advising, file_name, read_options, text_or_none
from ._signatures import Unpack


def convert(
    source: Union[str, bytes, os.PathLike[Any]], target: Union[str, bytes, os.PathLike[Any]], *,
    format: Optional[str] = None, directed: Optional[bool] = None, duplicates: str = "min",
    loops: str = "keep", weights: bool = True, columns: Union[str, Sequence[str], None] = None,
    delimiter: Optional[str] = None, header: Optional[bool] = None, names: bool = False,
    max_line: Union[int, str, None] = None, max_bytes: Union[int, str, None] = None,
    to: Optional[str] = None, labels: bool = True,
    scratch: Union[str, bytes, os.PathLike[Any], None] = None, **how: Unpack[How],
) -> None:
    """Reads a graph and writes it in another format. A native file (.npz) is built in memory if
    that fits the budget, else on disk, from formats of text with an edge per line; its bytes are
    the same either way. Open it by :meth:`Graph.read`.

    to: the format of the target; None: by its suffix.
    labels: False numbers the vertices from 0.
    scratch: the folder for scratch files, which have no names; None: that of the target.

    The others are those of :meth:`Graph.read`."""
    read = read_options(
        format=format, directed=directed, duplicates=duplicates, loops=loops, weights=weights,
        columns=columns, delimiter=delimiter, header=header, names=names, max_line=max_line,
        max_bytes=max_bytes)
    write = make(c.hop_write_options, format=text_or_none("to", to), drop_labels=not labels)
    given = make(c.hop_convert_options, scratch=None if scratch is None else file_name(scratch),
                 write=ctypes.pointer(write))
    with naming(source), advising(columns, names), context(how) as lent:
        lent.call(lib.hop_graph_convert, file_name(source), ctypes.byref(read), file_name(target),
                  ctypes.byref(given), None)
