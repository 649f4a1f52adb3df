# SPDX-License-Identifier: Apache-2.0
"""Orders that follow from a search in depth, for those that compare with other libraries."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._speed import walk

ALL_DEPTHS = 2**32 - 2


def left_in_turn(offsets: Any, targets: Any, labels: Any) -> Tuple[int, Any]:
    """The number of strong components, and for each vertex that of its component: in the order in
    which a depth-first search from vertex 0 on leaves the last vertex of each. So arcs lead to the
    same number or a smaller one."""
    n = len(labels)
    vertices = np.arange(n, dtype=np.uint32)
    order, parents, post = (np.empty(n, np.uint32) for _ in range(3))
    walk.deep(offsets, targets, vertices, ALL_DEPTHS, order, parents, post)
    left = np.empty(n, np.int64)
    left[labels[post]] = np.arange(n)  # of each label the last
    roots = np.flatnonzero(labels == vertices)
    place = np.empty(n, np.uint32)
    place[roots[np.argsort(left[roots])]] = np.arange(len(roots), dtype=np.uint32)
    return len(roots), place[labels]
