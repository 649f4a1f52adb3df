# SPDX-License-Identifier: Apache-2.0
"""What is measured by distances between all pairs, none of which is kept: centralities,
eccentricities, sums."""

from __future__ import annotations

import math
from typing import Any, Dict, List

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import UnsupportedError, measure
from .nodes import SINCE_3_7, NodeGraph
from .results import Search, limit_of
from .unweighted import bidirectional_shortest_path, end_of, is_one_component
from .weighted import Settled, is_real, not_negative, source_numbers


# Which are not by distances one way.
UNDIRECTED = ("betweenness", "edge-betweenness", "local-efficiency")


def measured(graph: NodeGraph, name: str, attribute: Any, back: bool = False,
             **asked: Any) -> Any:
    """A measure by distances from the nodes; `back`: to them. Vertices are positions."""
    not_negative(graph, attribute)
    try:
        return measure(graph.library(attribute, back=back), name, index=True,
                       direction=None if name in UNDIRECTED else "out", **asked,
                       **graph.how(len(graph.nodes)))
    except UnsupportedError as error:
        raise NotImplementedError(str(error)) from None


def all_reach_all(graph: NodeGraph) -> bool:
    """Whether one node reaches all others, and they it."""
    return all(len(Search(rows, [0], limit_of(None), parents=False).order) == len(graph.nodes)
               for rows in ((graph.out, graph.into) if graph.directed else (graph.out,)))


# Centralities.


def closeness_centrality(G: NodeGraph, u: Any = None, distance: Any = None,
                         wf_improved: bool = True, *, sp: Any = None) -> Any:
    if sp is not None:
        raise NotImplementedError("sp has the distances already")
    scaled = bool(wf_improved)
    if u is None:
        if not G.nodes:
            return {}
        found = measured(G, "closeness", distance, back=True, scaled=scaled)
        return dict(zip(G.nodes, found.tolist()))
    number = end_of(G, u, f"Source {u} is not in G" if distance is None
                    else f"Node {u} not found in graph")
    return measured(G, "closeness", distance, back=True, scaled=scaled, vertices=[number])[0].item()


def harmonic_centrality(G: NodeGraph, nbunch: Any = None, distance: Any = None,
                        sources: Any = None) -> Dict[Any, Any]:
    if nbunch is not None or sources is not None:
        raise NotImplementedError("only some nodes are asked for")
    if not G.nodes:
        return {}
    values = measured(G, "harmonic", distance, back=True).tolist()
    # In the order in which NetworkX has them; it begins with the integer 0.
    return {node: values[G.find(node)] or 0 for node in set(G.nodes)}


def betweenness_centrality(G: NodeGraph, k: Any = None, normalized: bool = True,
                           weight: Any = None, endpoints: bool = False,
                           seed: Any = None) -> Dict[Any, float]:
    if k is not None and k != len(G) or endpoints:
        raise NotImplementedError("some sources only, or ends of paths too")
    countable_paths(G, weight)
    if not G.nodes:
        return {}
    found = measured(G, "betweenness", weight, scaled=bool(normalized))
    return dict(zip(G.nodes, found.tolist()))


def countable_paths(graph: NodeGraph, weight: Any) -> None:
    weights = graph.weights(weight)
    if weights is not None and (weights.least <= 0 or graph.multigraph):
        raise NotImplementedError("paths of weight 0, or parallel ones, count by how they are met")


def edge_betweenness_centrality(G: NodeGraph, k: Any = None, normalized: bool = True,
                                weight: Any = None, seed: Any = None) -> Dict[Any, float]:
    if k is not None and k != len(G):
        raise NotImplementedError("some sources only")
    if G.multigraph:
        raise NotImplementedError("the keys of parallel edges are not kept")
    countable_paths(G, weight)
    if not len(G.out.targets):
        return {}
    tails = np.repeat(np.arange(len(G), dtype=np.uint32), np.diff(G.out.offsets))
    found = measured(G, "edge-betweenness", weight, scaled=bool(normalized))
    values = np.empty_like(found)  # in the order of NetworkX's rows, not sorted
    values[np.lexsort((G.out.targets, tails))] = found
    once = slice(None) if G.directed else tails <= G.out.targets
    ends = (map(G.nodes.__getitem__, of[once].tolist()) for of in (tails, G.out.targets))
    return dict(zip(zip(*ends), values[once].tolist()))


# Eccentricities.


def infinite(graph: NodeGraph) -> Exception:
    text = ("Found infinite path length because the digraph is not strongly connected"
            if graph.directed else
            "Found infinite path length because the graph is not connected")
    made: Exception = nx.NetworkXError(text)
    return made


def farthest(graph: NodeGraph, name: str, attribute: Any) -> Any:
    """One of the measures by eccentricities, of a graph that must be connected and have nodes."""
    not_negative(graph, attribute)
    if not all_reach_all(graph):
        raise infinite(graph)
    return measured(graph, name, attribute)


def farthest_from(graph: NodeGraph, number: int, attribute: Any) -> Any:
    if attribute is None:
        levels = Search(graph.out, [number], limit_of(None), parents=False)
        if len(levels.order) != len(graph.nodes):
            raise infinite(graph)
        return len(levels.starts) - 2
    found = Settled(graph, [number], attribute, parents=False)
    if len(found.order) != len(graph.nodes):
        raise infinite(graph)
    return found.distance(int(found.order[-1]))


def eccentricity(G: NodeGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    if sp is not None:
        raise NotImplementedError("sp has the distances already")
    if SINCE_3_7 and not G.nodes:
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    if v is None:
        return dict(zip(G.nodes, farthest(G, "eccentricity", weight).tolist())) if G.nodes else {}
    number = G.find(v)
    if number >= 0:
        return farthest_from(G, number, weight)
    if not hasattr(v, "__iter__"):
        raise NotImplementedError("v is neither a node nor a collection of nodes")
    found = {}
    for node in v:
        try:
            hash(node)
        except TypeError:
            raise nx.NetworkXError(
                f"Node {node} in sequence nbunch is not a valid node.") from None
        if node in G:
            found[node] = farthest_from(G, G.find(node), weight)
    return found


def extreme(graph: NodeGraph, name: str, e: Any, usebounds: bool, weight: Any) -> Any:
    """Diameter, radius, center or periphery; of eccentricities that the caller has by these."""
    if usebounds is True and e is None and not graph.directed:
        raise NotImplementedError("usebounds asks for a few searches of NetworkX's own")
    if e is None and not graph.nodes:
        e = eccentricity(graph, weight=weight)
    if e is None:
        found = farthest(graph, name, weight)
        return [graph.nodes[v] for v in found] if name in ("center", "periphery") else found
    best = (max if name in ("diameter", "periphery") else min)(e.values())
    return [v for v in e if e[v] == best] if name in ("center", "periphery") else best


def diameter(G: NodeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return extreme(G, "diameter", e, usebounds, weight)


def radius(G: NodeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    return extreme(G, "radius", e, usebounds, weight)


def not_a_tree(graph: NodeGraph, weight: Any) -> None:
    if weight is None and not graph.directed and len(graph.out.targets) <= max(
            2 * len(graph) - 2, 0):
        raise NotImplementedError("of a tree NetworkX finds the center by pruning leaves")


def center(G: NodeGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> List[Any]:
    if e is None:
        not_a_tree(G, weight)
    found: List[Any] = extreme(G, "center", e, usebounds, weight)
    return found


def periphery(G: NodeGraph, e: Any = None, usebounds: bool = False,
              weight: Any = None) -> List[Any]:
    found: List[Any] = extreme(G, "periphery", e, usebounds, weight)
    return found


# Sums.


def barycenter(G: NodeGraph, weight: Any = None, attr: Any = None, sp: Any = None) -> List[Any]:
    if sp is not None:
        raise NotImplementedError("sp has the distances already")
    if attr is not None:
        raise NotImplementedError("attr writes to the graph")
    if is_real(G, weight):
        raise NotImplementedError("which sums of floats are equal depends on their order")
    not_a_tree(G, weight)
    if not G.nodes or not all_reach_all(G):
        raise NotImplementedError("NetworkX has the words for a graph that is not connected")
    return [G.nodes[v] for v in measured(G, "barycenter", weight)]


def wiener_index(G: NodeGraph, weight: Any = None) -> Any:
    if not G.directed:
        connected = is_one_component(G)
    elif not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    else:
        connected = all_reach_all(G)
    if not connected:
        return float("inf")
    found = measured(G, "wiener", weight)
    return found if G.directed else float(found)


def global_efficiency(G: NodeGraph) -> Any:
    if len(G) < 2:
        return 0
    found = measured(G, "efficiency", None)
    return found or 0.0


def efficiency(G: NodeGraph, u: Any, v: Any) -> Any:
    try:
        return 1 / (len(bidirectional_shortest_path(G, u, v)) - 1)
    except nx.NetworkXNoPath:
        return 0


def local_efficiency(G: NodeGraph) -> Any:
    """The mean efficiency of what the neighbours of each node are among themselves."""
    return sum(measured(G, "local-efficiency", None).tolist()) / len(G)


def harmonic_diameter(G: NodeGraph, sp: Any = None, *, weight: Any = None) -> Any:
    if sp is not None:
        raise NotImplementedError("sp has the distances already")
    not_negative(G, weight)
    mean = measured(G, "efficiency", weight) if len(G) > 1 else 0
    if mean:
        return 1 / mean
    return math.inf if len(G) > 1 else math.nan


# What is reached.


def has_size(graph: NodeGraph, weight: Any) -> None:
    if weight is not None:
        raise NotImplementedError("with weights NetworkX's distances are a function of edges")
    if not len(graph.out.targets):
        raise nx.NetworkXError("Size of G must be positive")
    if len(graph) == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined")


def global_reaching_centrality(G: NodeGraph, weight: Any = None, normalized: bool = True) -> Any:
    has_size(G, weight)
    found = measured(G, "reach" if G.directed else "harmonic", None).tolist()
    local = [value / (len(G) - 1) for value in found]
    most = max(local)
    return sum(most - value for value in local) / (len(G) - 1)


def local_reaching_centrality(G: NodeGraph, v: Any, paths: Any = None, weight: Any = None,
                              normalized: bool = True) -> Any:
    if paths is not None:
        raise NotImplementedError("paths has them already")
    has_size(G, weight)
    found = Search(G.out, [end_of(G, v, f"Source {v} not in G")], limit_of(None), parents=False)
    if G.directed:
        return (len(found.order) - 1) / (len(G) - 1)
    sizes = np.diff(found.starts)[1:].tolist()
    return sum(size / (level + 1) for level, size in enumerate(sizes)) / (len(G) - 1)


def group_closeness_centrality(G: NodeGraph, S: Any, weight: Any = None) -> Any:
    group = set(S)
    found = Settled(G, source_numbers(G, group), weight, back=True, parents=False)
    total = sum(found.dict().values())
    return (len(G) - len(group)) / total if total else 0
