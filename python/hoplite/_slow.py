# SPDX-License-Identifier: Apache-2.0
"""What the extension module _walk does, in Python, for where it is not built: the same functions,
arguments and results, some ten times slower. See python/extension for what each is."""

from __future__ import annotations

import heapq
import math
from collections import deque
from operator import index as whole_number
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import numpy as np

NONE = 2**32 - 1
REAL, WHOLE, MISSING = 0, 1, 2


def nodes(adjacency: Any) -> Tuple[List[Any], bool]:
    found = list(adjacency)
    return found, all(type(node) is int and node == i for i, node in enumerate(found))


def count(adjacency: Any) -> int:
    return sum(map(len, adjacency.values()))


def weight_of(data: Any, attribute: Any) -> Any:
    """(value, kind), or a text that says why it cannot be used."""
    if attribute not in data:
        return 1, MISSING
    value = data[attribute]
    if isinstance(value, float):
        if not math.isfinite(value):
            return f"a weight ({type(value).__name__}) is infinite or not a number"
        return float(value), REAL
    try:
        value = whole_number(value)
    except TypeError:
        return (f"a weight is of type {type(value).__name__}, "
                "neither an integer nor a float")
    if not -2**63 <= value < 2**63:
        return f"a weight ({type(value).__name__}) does not fit 64 bits"
    return value, WHOLE


def edge_weight(data: Any, attribute: Any, multigraph: bool) -> Any:
    """Of parallel edges the lightest counts."""
    if not multigraph:
        return weight_of(data, attribute)
    lightest = None
    for edge in data.values():
        found = weight_of(edge, attribute)
        if isinstance(found, str):
            return found
        if lightest is None or found[0] < lightest[0]:
            lightest = found
    return lightest


def rows(adjacency: Any, index: Optional[Dict[Any, int]], attribute: Any, multigraph: bool,
         _undirected: bool, offsets: Any, targets: Any, weights: Any, kinds: Any) -> Any:
    if index is None:
        return 1
    found: List[Tuple[Any, int]] = []
    filled = 0
    offsets[0] = 0
    for v, row in enumerate(adjacency.values()):
        for node, data in row.items():
            targets[filled + len(found)] = index[node]
            if weights is not None:
                weight = edge_weight(data, attribute, multigraph)
                if isinstance(weight, str):
                    return weight
                found.append(weight)
            else:
                filled += 1
        if weights is not None:
            for value, kind in found:
                (weights.view(np.float64) if kind == REAL else weights)[filled] = value
                kinds[filled] = kind
                filled += 1
            found.clear()
        offsets[v + 1] = filled
    return 0


def sort(offsets: Any, targets: Any, weights: Any, sorted_targets: Any,
         sorted_weights: Any) -> None:
    tails = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((targets, tails))
    sorted_targets[:] = targets[order]
    if weights is not None:
        sorted_weights[:] = weights[order]


def take(nodes_: List[Any], ids: Any) -> List[Any]:
    return [nodes_[i] for i in ids.tolist()]


def lists(nodes_: List[Any], ids: Any, starts: Any) -> List[List[Any]]:
    taken, at = take(nodes_, ids), starts.tolist()
    return [taken[a:b] for a, b in zip(at, at[1:])]


def sets(nodes_: List[Any], ids: Any, starts: Any) -> List[Any]:
    return [set(part) for part in lists(nodes_, ids, starts)]


def table(nodes_: List[Any], ids: Any, values: Any, whole: Any, _type: str) -> Dict[Any, Any]:
    found = values[ids].tolist()
    if whole is not None:
        found = [int(x) if w else x for x, w in zip(found, whole[ids].tolist())]
    return dict(zip(take(nodes_, ids), found))


def path(nodes_: List[Any], parents: Any, end: int, forward: bool) -> List[Any]:
    way, v = [], end
    while v != NONE:
        way.append(nodes_[v])
        v = int(parents[v])
    return way if forward else way[::-1]


def paths(nodes_: List[Any], order: Any, parents: Any, forward: bool, most: int) -> Any:
    found: Dict[int, List[Any]] = {}
    total = 0
    for v, parent in zip(order.tolist(), parents[order].tolist()):
        before = [] if parent == NONE else found[parent]
        found[v] = [nodes_[v]] + before if forward else before + [nodes_[v]]
        total += len(found[v])
        if total > most:
            return None
    return {nodes_[v]: way for v, way in found.items()}


def near(nodes_: Any, _addresses: Any, offsets: Any, targets: Any, source: int,
         limit: int) -> Dict[Any, int]:
    n = len(nodes_)
    order, starts = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
    levels = search(offsets, targets, np.array([source], np.uint32), limit, order, starts, None)
    sizes = np.diff(starts[:levels + 1])
    away = np.repeat(np.arange(levels), sizes).tolist()
    return dict(zip(take(nodes_, order[:len(away)]), away))


def ways(nodes_: List[Any], offsets: Any, targets: Any, source: int, limit: int, forward: bool,
         most: int) -> Any:
    n = len(nodes_)
    order, starts = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
    parents = np.empty(n, np.uint32)
    levels = search(offsets, targets, np.array([source], np.uint32), limit, order, starts, parents)
    return paths(nodes_, order[:int(starts[levels])], parents, forward, most)


def search(offsets: Any, targets: Any, sources: Any, limit: int, order: Any, starts: Any,
           parents: Any) -> int:
    seen = np.zeros(len(offsets) - 1, bool)
    frontier = sources[np.sort(np.unique(sources, return_index=True)[1])]
    seen[frontier] = True
    if parents is not None:
        parents[:] = NONE
    filled = levels = 0
    starts[0] = 0
    while len(frontier):
        order[filled:filled + len(frontier)] = frontier
        filled += len(frontier)
        levels += 1
        starts[levels] = filled
        if levels > limit:
            break
        sizes = offsets[frontier + 1] - offsets[frontier]
        arcs = np.arange(sizes.sum()) + np.repeat(
            offsets[frontier] - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
        ends, origins = targets[arcs], np.repeat(frontier, sizes)
        fresh = ~seen[ends]
        ends, origins = ends[fresh], origins[fresh]
        first = np.sort(np.unique(ends, return_index=True)[1])
        frontier = ends[first]
        seen[frontier] = True
        if parents is not None:
            parents[frontier] = origins[first]
    return levels


def deep(offsets: Any, targets: Any, roots: Any, limit: int, order: Any, parents: Any,
         post: Any) -> Tuple[int, int]:
    at, ends = offsets.tolist(), targets.tolist()
    seen: Set[int] = set()
    found: List[int] = []
    left: List[int] = []
    for root in roots.tolist():
        if root in seen:
            continue
        seen.add(root)
        parents[root] = NONE
        found.append(root)
        stack = [(root, iter(ends[at[root]:at[root + 1]]))]
        while stack:
            u, heads = stack[-1]
            for v in heads:
                if v not in seen:
                    seen.add(v)
                    parents[v] = u
                    found.append(v)
                    if len(stack) < limit:
                        stack.append((v, iter(ends[at[v]:at[v + 1]])))
                        break
            else:
                left.append(u)
                stack.pop()
    order[:len(found)] = found
    if post is not None:
        post[:len(left)] = left
    return len(found), len(left)


def peel(offsets: Any, targets: Any, order: Any, starts: Any) -> int:
    at, ends = offsets.tolist(), targets.tolist()
    n = len(at) - 1
    missing = np.bincount(targets, minlength=n).tolist()
    found = [v for v in range(n) if not missing[v]]
    levels = first = 0
    starts[0] = 0
    while first < len(found):
        last = len(found)
        levels += 1
        starts[levels] = last
        for u in found[first:last]:
            for v in ends[at[u]:at[u + 1]]:
                missing[v] -= 1
                if not missing[v]:
                    found.append(v)
        first = last
    order[:len(found)] = found
    return levels


def longest(offsets: Any, targets: Any, weights: Any, order: Any, sums: Any, parents: Any) -> None:
    at, tails = offsets.tolist(), targets.tolist()
    costs = [1] * len(tails) if weights is None else weights.tolist()
    best = [0] * (len(at) - 1)
    for v in order.tolist():
        ways = [(best[tails[arc]] + costs[arc], tails[arc]) for arc in range(at[v], at[v + 1])]
        chosen = max(ways, key=lambda way: way[0]) if ways else (0, v)
        best[v], parents[v] = chosen if chosen[0] >= 0 else (0, v)
    sums[:len(best)] = best


def addresses(nodes_: Tuple[Any, ...], out: Any) -> None:
    """Nothing here needs them."""


def layers(nodes_: Tuple[Any, ...], _addresses: Any, offsets: Any, targets: Any,
           sources: Any) -> Iterator[List[Any]]:
    at, ends = offsets.tolist(), targets.tolist()
    level = list(dict.fromkeys(sources.tolist()))
    seen = set(level)
    while level:
        yield [nodes_[v] for v in level]
        following: List[int] = []
        for u in level:
            for v in ends[at[u]:at[u + 1]]:
                if v not in seen:
                    seen.add(v)
                    following.append(v)
        level = following


def meet(offsets: Any, targets: Any, back_offsets: Any, back_targets: Any, source: int,
         target: int, space: Any = None) -> Optional[List[int]]:
    if source == target:
        return [source]
    sides = [(offsets, targets, {source: NONE}, [source]),
             (back_offsets, back_targets, {target: NONE}, [target])]
    fringes = [sides[0][3], sides[1][3]]
    while fringes[0] and fringes[1]:
        way = 0 if len(fringes[0]) <= len(fringes[1]) else 1
        rows_, ends, here, _ = sides[way]
        there = sides[1 - way][2]
        level, fringes[way] = fringes[way], []
        for v in level:
            for w in ends[rows_[v]:rows_[v + 1]].tolist():
                if w not in here:
                    here[w] = v
                    fringes[way].append(w)
                if w in there:
                    return joined(sides[0][2], sides[1][2], w)
    return None


def between(out: Any, into: Any, source: int, target: int,
            space: Any = None) -> Optional[Tuple[Any, List[int]]]:
    """NetworkX's two-sided search by weights, step by step."""
    arcs, seen = (out, into), ({source: 0}, {target: 0})
    done: Tuple[Set[int], Set[int]] = set(), set()
    before = {source: NONE}, {target: NONE}
    heaps: Any = [(0, 0, source)], [(0, 1, target)]
    count, way, best, met = 2, 1, None, NONE
    while heaps[0] and heaps[1]:
        way = 1 - way
        here, there = seen[way], seen[1 - way]
        distance, _, v = heapq.heappop(heaps[way])
        if v in done[way]:
            continue
        done[way].add(v)
        if v in done[1 - way]:
            return best, joined(before[0], before[1], met)
        for w, cost in costs_of(arcs[way], v):
            far = distance + cost
            if w in done[way] or (w in here and far >= here[w]):
                continue
            here[w], before[way][w] = far, v
            heapq.heappush(heaps[way], (far, count, w))
            count += 1
            if w in there and (best is None or best > far + there[w]):
                best, met = far + there[w], w
    return None


def costs_of(arcs: Any, v: int) -> Iterator[Tuple[int, Any]]:
    """The neighbours of v and what it costs to go there, as numbers of Python."""
    offsets, targets, weights, kinds = arcs
    row = slice(int(offsets[v]), int(offsets[v + 1]))
    ends = targets[row].tolist()
    costs = [1] * len(ends) if weights is None else weights[row].tolist()
    if kinds is not None:
        costs = [int(cost) if whole else cost for cost, whole in zip(costs, kinds[row].tolist())]
    return zip(ends, costs)


def joined(before: Dict[int, int], after: Dict[int, int], met: int) -> List[int]:
    way, v = [], met
    while v != NONE:
        way.append(v)
        v = before[v]
    way.reverse()
    v = after[met]
    while v != NONE:
        way.append(v)
        v = after[v]
    return way


def settle(offsets: Any, targets: Any, weights: Any, distances: Any, sources: Any, order: Any,
           parents: Any, kinds: Any, whole: Any) -> int:
    far = math.inf if distances.dtype.kind == "f" else 2**63 - 1
    away, at, ends = distances.tolist(), offsets.tolist(), targets.tolist()
    cost = [1] * len(ends) if weights is None else weights.tolist()
    ranges: Dict[Any, List[int]] = {d: [] for d in sorted(set(away)) if d != far}
    pushed = [d == far for d in away]

    def push(v: int, u: int, arc: int) -> None:
        pushed[v] = True
        ranges[away[v]].append(v)
        if parents is not None:
            parents[v] = u
        if whole is not None:
            whole[v] = u == NONE or (kinds is not None and whole[u] and bool(kinds[arc]))

    for v in sources.tolist():
        if not pushed[v]:
            push(v, NONE, -1)
    filled = 0
    for range_ in ranges.values():
        for u in range_:  # which may grow meanwhile
            order[filled] = u
            filled += 1
            for arc in range(at[u], at[u + 1]):
                v = ends[arc]
                if not pushed[v] and away[u] + cost[arc] == away[v]:
                    push(v, u, arc)
    if filled != sum(d != far for d in away):
        raise RuntimeError("the distances are not those of this graph")
    return filled


def relax(offsets: Any, targets: Any, weights: Any, sources: Any, heuristic: bool, distances: Any,
          order: Any, kinds: Any, whole: Any) -> Tuple[int, Optional[int], bytes, bytes]:
    at, ends = offsets.tolist(), targets.tolist()
    cost = [1] * len(ends) if weights is None else weights.tolist()
    n = len(at) - 1
    away: Dict[int, Any] = dict.fromkeys(sources.tolist(), 0)
    before: Dict[int, List[int]] = {v: [] for v in away}
    last: Dict[int, Optional[int]] = dict.fromkeys(away)
    recent: Dict[int, Tuple[Optional[int], Optional[int]]] = dict.fromkeys(away, (None, None))
    times: Dict[int, int] = {}
    queue, queued = deque(away), set(away)
    is_whole = dict.fromkeys(away, True)

    def scan(u: int) -> Optional[int]:
        if any(p in queued for p in before[u]):
            return None
        here = away[u]
        for arc in range(at[u], at[u + 1]):
            v: int = ends[arc]
            there = here + cost[arc]
            if v not in away or there < away[v]:
                if heuristic:
                    if v in recent[u]:
                        before.setdefault(v, []).append(u)
                        return v
                    recent[v] = recent[u] if last.get(v) == u else (u, v)
                if v not in queued:
                    queue.append(v)
                    queued.add(v)
                    times[v] = times.get(v, 0) + 1
                    if times[v] == n:
                        return v
                away[v], before[v], last[v] = there, [u], u
                is_whole[v] = kinds is not None and is_whole[u] and bool(kinds[arc])
            elif there == away[v]:
                before[v].append(u)
        return None

    found = None
    while queue and found is None:
        u = queue.popleft()
        queued.remove(u)
        found = scan(u)
    for i, (v, d) in enumerate(away.items()):
        order[i], distances[v] = v, d
        if whole is not None:
            whole[v] = is_whole[v]
    chains = [before.get(v, []) for v in range(n)]
    starts = np.cumsum([0] + [len(chain) for chain in chains]).astype(np.uint32)
    items = np.array([u for chain in chains for u in chain], np.uint32)
    return len(away), found, starts.tobytes(), items.tobytes()
