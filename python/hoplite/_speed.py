# SPDX-License-Identifier: Apache-2.0
"""The extension module where it is there, else its replacement in Python. HOPLITE_EXTENSION=0
leaves it aside, and so does a free-threaded Python: objects have another layout there than in the
limited API, but 3.13 loads such a module all the same, and crashes."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any

walk: Any
try:
    if (os.environ.get("HOPLITE_EXTENSION") == "0" or sys.version_info < (3, 11)
            or sysconfig.get_config_var("Py_GIL_DISABLED")):
        raise ImportError
    from . import _walk as walk  # type: ignore[attr-defined,no-redef]
    compiled = True
except ImportError:
    from . import _slow as walk
    compiled = False
