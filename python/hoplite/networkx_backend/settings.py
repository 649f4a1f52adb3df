# SPDX-License-Identifier: Apache-2.0
"""What a user has set in nx.config.backends.hoplite; None there is the usual. The names and their
defaults are in hoplite_networkx_info, which NetworkX asks when it is imported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Dict

import networkx as nx  # type: ignore[import-untyped]

from hoplite_networkx_info import DEFAULT_CONFIG

HOW = ("threads", "device", "memory")
# The one object of this name: setting a value, also for a while, changes it. Without an entry point
# (a tree that is not installed) NetworkX has none.
CONFIG: Any = getattr(nx.config.backends, "hoplite", SimpleNamespace(**DEFAULT_CONFIG))


def configured() -> Dict[str, Any]:
    """Keywords for the library."""
    found = ((key, getattr(CONFIG, key)) for key in HOW)
    return {key: value for key, value in found if value is not None}
