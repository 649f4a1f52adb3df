# SPDX-License-Identifier: Apache-2.0
"""What a user has set in nx.config.backends.hoplite; None there is the usual. The names and their
defaults are in hoplite_networkx_info, which NetworkX asks when it is imported."""

from __future__ import annotations

from typing import Any, Dict

import networkx as nx  # type: ignore[import-untyped]

HOW = ("threads", "device", "memory")


def configured() -> Dict[str, Any]:
    """Keywords for the library."""
    given = getattr(nx.config.backends, "hoplite", None)
    found = ((key, getattr(given, key, None)) for key in HOW)
    return {key: value for key, value in found if value is not None}


def threshold(name: str, usual: int) -> int:
    """The size from which on a call is taken."""
    value = getattr(getattr(nx.config.backends, "hoplite", None), name, None)
    return usual if value is None else int(value)
