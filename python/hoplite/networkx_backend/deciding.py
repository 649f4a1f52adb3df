# SPDX-License-Identifier: Apache-2.0
"""Whether a call can be run here, and whether it should: NetworkX asks both before each call, and
logs the reason if not (logger "networkx", level DEBUG).

can_run: what is asked for must have a meaning for arrays. Weights are looked at only where the
graph will be converted anyway, or was; else the call itself raises NotImplementedError with the
same reason, and NetworkX goes on to the next backend.

should_run: a conversion walks all edges, once per graph and attribute; NetworkX keeps the result
until the graph changes. One search that looks at a few nodes is not worth it; several are. So what
such searches have cost NetworkX is added up, by counting them, and when it is about as much as a
conversion, the next one converts: then all of them together never take much more than twice what
would have been best. The sum stands beside what NetworkX keeps of the graph, and goes with it.
Loops ask thousands of times, so a call that is declined must cost next to nothing: see
tests/networkx/test_networkx_between.py.

What NetworkX keeps with a view may be older than the graph behind it, so can_run, which is asked
before every call, drops it (see views.py)."""

from __future__ import annotations

import inspect
from itertools import islice
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import networkx as nx  # type: ignore[import-untyped]

from .._speed import compiled
from .nodes import NAME, NodeGraph, convert_from_nx
from .settings import CONFIG
from .views import is_quick, is_view

Answer = Union[bool, str]

# Nodes plus arcs from which on one pass is worth a conversion, and so is one search per node.
PASS_FROM = 3000 if compiled else 2**62
PAIRS_FROM = 60 if compiled else 400
SAMPLE = 50
BETWEEN_FROM = 1000  # nodes from which on a search between two is worth it, the graph being there

LIMITS = ("cutoff", "depth_limit", "distance")
LOCAL = {"bidirectional_shortest_path", "has_path", "bidirectional_dijkstra",
         "descendants_at_distance", "efficiency"}
# Between two nodes, but everything is searched.
EVERYWHERE = {"bellman_ford_path", "bellman_ford_path_length", "all_shortest_paths"}
# What a local search costs NetworkX, as a share of a conversion: low values of what was measured
# (random graphs and grids of 100,000 nodes: 0.006 and 4.5, 0.06 and 7.6, 3.9 and 11.5).
COUNTED_SHARE, TWO_SIDED_SHARE, ONE_SIDED_SHARE = 1 / 16, 1 / 4, 1.0
SPENT = "hoplite: spent on local searches"  # key in what NetworkX keeps with a graph
DEEPEST = 2  # functions of NetworkX that one makes of another
PAIRS = {"all_pairs_shortest_path", "all_pairs_shortest_path_length", "all_pairs_dijkstra",
         "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length",
         "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length", "floyd_warshall",
         "floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance", "johnson",
         "eccentricity", "diameter", "radius", "center", "periphery", "barycenter",
         "average_shortest_path_length", "wiener_index", "global_efficiency",
         "closeness_centrality", "harmonic_centrality", "all_pairs_all_shortest_paths",
         "transitive_closure", "transitive_reduction", "local_efficiency", "harmonic_diameter",
         "global_reaching_centrality", "betweenness_centrality", "schultz_index",
         "edge_betweenness_centrality",
         "gutman_index", "hyper_wiener_index"}
SETTLING = {"single_source_dijkstra", "single_source_dijkstra_path",
            "single_source_dijkstra_path_length", "dijkstra_path", "dijkstra_path_length",
            "multi_source_dijkstra", "multi_source_dijkstra_path",
            "multi_source_dijkstra_path_length", "dijkstra_predecessor_and_distance",
            "bidirectional_dijkstra", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
            "all_pairs_dijkstra_path_length", "eccentricity", "diameter", "radius", "center",
            "periphery", "barycenter", "wiener_index", "closeness_centrality",
            "harmonic_centrality", "voronoi_cells", "harmonic_diameter", "schultz_index",
            "gutman_index", "hyper_wiener_index", "group_closeness_centrality",
            "betweenness_centrality", "edge_betweenness_centrality"}
UNWEIGHTED = {"global_reaching_centrality", "local_reaching_centrality"}
COUNTING = {"is_tree", "is_forest", "is_arborescence", "is_branching", "is_eulerian",
            "is_semieulerian", "has_eulerian_path", "dag_longest_path", "dag_longest_path_length"}
SPANNING = {"minimum_spanning_edges", "minimum_spanning_tree", "maximum_spanning_edges",
            "maximum_spanning_tree"}
SPECIAL = {"center", "barycenter", "closeness_centrality", "harmonic_centrality",
           "betweenness_centrality", "edge_betweenness_centrality", *UNWEIGHTED,
           *COUNTING, *SPANNING}
KNOWN = "sp", "paths", "topo_order", "scc"  # what was computed before
READ_ONCE = "sources", "center_nodes", "S"

_shapes: Dict[str, Tuple[List[str], List[str], Dict[str, Any]]] = {}


def shape_of(name: str) -> Tuple[List[str], List[str], Dict[str, Any]]:
    """The parameters of a function: those that may come by position, the first of them, which have
    no default, and the defaults of all."""
    from . import FUNCTIONS
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    placed = [key for key, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    needed = [key for key in placed if parameters[key].default is inspect.Parameter.empty]
    _shapes[name] = placed, needed, {key: p.default for key, p in parameters.items()}
    return _shapes[name]


def arguments_of(name: str, args: Any, kwargs: Any) -> Optional[Dict[str, Any]]:
    """Arguments by name; None: they do not fit, and NetworkX will say so. (What inspect's bind
    does, in a tenth of the time.)"""
    placed, needed, defaults = _shapes.get(name) or shape_of(name)
    if len(args) > len(placed):
        return None
    for key in needed[len(args):]:
        if key not in kwargs:
            return None
    given = dict(defaults)
    given.update(zip(placed, args))
    for key in kwargs:
        if key not in defaults or key in placed[:len(args)]:
            return None
    given.update(kwargs)
    return given


def refusal(given: Dict[str, Any]) -> Optional[str]:
    """What no graph makes possible."""
    if callable(given.get("weight")):
        return "weight is a function of edges"
    if given.get("sort_neighbors") is not None:
        return "sort_neighbors is a function of nodes"
    for name in KNOWN:
        if given.get(name) is not None:
            return f"{name} has the result of another function already"
    for name in LIMITS:
        if name in given:
            value = given[name]
            if value is not None and (not isinstance(value, (int, float)) or value != value):
                return f"{name} is neither an integer nor a float"
    for name in READ_ONCE:
        if name in given and hasattr(given[name], "__next__"):
            return f"{name} is an iterator, which can be read once only"
    if given.get("usebounds") is True and given.get("e") is None:
        return "usebounds asks for a few searches of NetworkX's own"
    return None


def can_run(name: str, args: Any, kwargs: Any) -> Answer:
    """True, or why not."""
    given = arguments_of(name, args, kwargs)
    if given is None:
        return "the arguments do not fit"
    graph = given["G"]
    if not isinstance(graph, (nx.Graph, NodeGraph)):
        return "G is not a graph"  # NetworkX has words for that
    if is_view(graph):
        forget(graph)
    reason = (special_refusal(name, graph, given) if name in SPECIAL else None) or refusal(given)
    if reason is not None:
        return reason
    weight = given.get("weight")
    if weight is None:
        return True
    found = converted(graph, weight)
    if found is None and isinstance(graph, nx.Graph) and worth(name, graph, given) is True:
        found = convert_now(graph, weight, name in SPANNING)
    return True if found is None else weight_refusal(name, found, given)


def special_refusal(name: str, graph: Any, given: Dict[str, Any]) -> Optional[str]:
    """What is declined of single functions; and the weights of two get the name of all others."""
    if "distance" in given:
        given["weight"] = given.pop("distance")
    if given.get("attr") is not None:
        return "attr writes to the graph"
    if given.get("endpoints") or given.get("k") not in (None, len(graph)):
        return "some sources only, or ends of paths too"
    if name == "edge_betweenness_centrality" and graph.is_multigraph():
        return "the keys of parallel edges are not kept"
    if name in UNWEIGHTED and given.get("weight") is not None:
        return "with weights NetworkX's distances are a function of edges"
    if name in COUNTING and graph.is_multigraph():
        return "parallel edges, which are one edge here, count"
    if name in SPANNING and (given["algorithm"] != "kruskal" or graph.is_multigraph()):
        return "another algorithm takes equal edges in another order; parallel edges are one here"
    if type(given.get("default_weight", 1)) is not int or given.get("default_weight", 1) != 1:
        return "a default weight other than 1"
    if name == "harmonic_centrality" and not given["nbunch"] is given["sources"] is None:
        return "only some nodes are asked for"
    if name in ("center", "barycenter") and is_tree_like(graph, given):
        return "of a tree NetworkX finds the center by pruning leaves"
    return None


def forget(view: Any) -> None:
    """Drops what NetworkX has kept of a view for this backend."""
    kept = (getattr(view, "__networkx_cache__", None) or {}).get("backends")
    if kept is not None:
        kept.pop(NAME, None)


def is_tree_like(graph: Any, given: Dict[str, Any]) -> bool:
    return (given.get("e") is None and given.get("weight") is None and not graph.is_directed()
            and isinstance(graph, nx.Graph) and graph.number_of_edges() <= max(len(graph) - 1, 0))


def weight_refusal(name: str, graph: NodeGraph, given: Dict[str, Any]) -> Answer:
    """Why the weights of a graph cannot be used in this call; or True."""
    weights = graph.held(given["weight"])
    if weights is None:
        return f"the graph was converted without {given['weight']!r}"
    if weights.reason is not None:
        return weights.reason
    settling = name in SETTLING or given.get("method", "") == "dijkstra"
    if settling and weights.least < 0:
        return "Dijkstra's algorithm with a negative weight"
    return True


def converted(graph: Any, weight: Any) -> Optional[NodeGraph]:
    """The graph as arrays, if it is one or NetworkX has kept it."""
    if isinstance(graph, NodeGraph):
        return graph
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get(NAME, {})
    for found in kept.values():
        if isinstance(found, NodeGraph) and (weight is None or weight in found.attributes):
            return found
    return None


def convert_now(graph: Any, weight: Any, whole: bool) -> Optional[NodeGraph]:
    """Converts and puts the result where NetworkX keeps it; it then finds it there. `whole`: of a
    function that wants all attributes kept."""
    cache = getattr(graph, "__networkx_cache__", None)
    if cache is None or not nx.config.cache_converted_graphs or is_view(graph):
        return None
    made = convert_from_nx(graph, edge_attrs={weight: 1}, preserve_edge_attrs=whole,
                           preserve_graph_attrs=True)
    key = (True, True) if whole else (frozenset({(weight, 1)}), False)
    cache.setdefault("backends", {}).setdefault(NAME, {})[key] = made
    return made


def should_run(name: str, args: Any, kwargs: Any) -> Answer:
    """True, or why it would not be quicker."""
    given = arguments_of(name, args, kwargs)
    if given is None:
        return "the arguments do not fit"
    graph = given["G"]
    if not isinstance(graph, nx.Graph):
        return True
    answer = worth(name, graph, given)
    if answer is NOT_YET:
        note(name, graph, given)
    return answer


NOT_YET = "a search between two nodes is not worth converting the whole graph yet"


def local_worth(name: str, graph: Any, given: Dict[str, Any]) -> Answer:
    """The same for a search that may look at a few nodes only."""
    least = CONFIG.between_from
    if len(graph._adj) < (BETWEEN_FROM if least is None else least):
        return "a search between two nodes of a graph this small"
    if converted(graph, given.get("weight")) is not None:
        return True
    kept = getattr(graph, "__networkx_cache__", None) is not None
    if not kept or is_view(graph) or not nx.config.cache_converted_graphs:
        return "a search between two nodes is not worth a conversion that is not kept"
    spent = graph.__networkx_cache__.get(SPENT, NOTHING)
    return True if spent.sum >= 1 and not spent.has(name, given) else NOT_YET


class Spent(NamedTuple):
    """What NetworkX's local searches in a graph have cost, in conversions; and the last of them."""

    sum: float = 0.0
    name: str = ""
    target: Any = None
    within: int = 0  # calls that may still belong to it

    def has(self, name: str, given: Dict[str, Any]) -> bool:
        """Whether a call is part of the last search: has_path is shortest_path is
        bidirectional_shortest_path, and NetworkX asks about each of them."""
        return self.within > 0 and name != self.name and self.target is given.get("target")


NOTHING = Spent()


def note(name: str, graph: Any, given: Dict[str, Any]) -> None:
    """Counts a search that is left to NetworkX."""
    spent = graph.__networkx_cache__.get(SPENT, NOTHING)
    if spent.has(name, given):
        spent = Spent(spent.sum, spent.name, spent.target, spent.within - 1)
    else:
        spent = Spent(spent.sum + share_of(name, given), name, given.get("target"), DEEPEST)
    graph.__networkx_cache__[SPENT] = spent


def share_of(name: str, given: Dict[str, Any]) -> float:
    if given.get("weight") is None or is_limited(given):
        return COUNTED_SHARE
    return TWO_SIDED_SHARE if name in ("shortest_path", "bidirectional_dijkstra") \
        else ONE_SIDED_SHARE


def worth(name: str, graph: Any, given: Dict[str, Any]) -> Answer:
    """Whether a call saves more than it costs."""
    if given.get("e") is not None:
        return "e has the eccentricities already"
    if name in LOCAL or is_local(name, given):
        return local_worth(name, graph, given)
    size = size_of(graph)
    if name in PAIRS or (name.startswith("shortest_path") and given["source"] is None
                         and given["target"] is None):
        if given.get("v") is not None or given.get("u") is not None:
            return one_pass(graph, given, size)
        if size < (PAIRS_FROM if CONFIG.pairs_from is None else CONFIG.pairs_from):
            return f"a graph with {size} nodes and arcs is too small"
        return True
    answer = one_pass(graph, given, size)
    return "NetworkX sees soon that the answer is no" if answer is True and ends_soon(name, graph) \
        else answer


def some_rows(graph: Any) -> Any:
    """The first few nodes, with what leads from them and to them."""
    into = graph._pred if graph.is_directed() else graph._adj
    return ((node, row, into[node]) for node, row in islice(graph._adj.items(), SAMPLE))


def has_dead_end(graph: Any) -> bool:
    return any(not row or not before for _, row, before in some_rows(graph))


def has_lonely(graph: Any) -> bool:
    return any(not row and not before for _, row, before in some_rows(graph))


def has_odd(graph: Any, most: int = 0) -> bool:
    """Whether more than `most` nodes have an edge that no walk along all edges could use."""
    if graph.is_directed():
        return sum(len(row) != len(before) for _, row, before in some_rows(graph)) > most
    return sum((len(row) + (node in row)) % 2 for node, row, _ in some_rows(graph)) > most


def has_three_odd(graph: Any) -> bool:
    return has_odd(graph, 2)


def has_odd_cycle(graph: Any) -> bool:
    """Whether the first few nodes are on a loop, or on a triangle with their first neighbours."""
    return any(node in row or any(row.keys() & graph._adj[v].keys() for v in islice(row, 4))
               for node, row, _ in some_rows(graph))


def is_no_tree(graph: Any) -> bool:
    """By the number of edges, which NetworkX counts first, more slowly."""
    arcs = (len(graph) - 1) * (1 if graph.is_directed() else 2)
    return sum(map(len, graph._adj.values())) != arcs


# NetworkX answers no as soon as it sees why; some do it in no time, others after a pass, so that a
# graph that was converted is better asked here.
AT_ONCE = {"is_eulerian", "is_bipartite", "is_semiconnected"}
ENDS_SOON = {"is_strongly_connected": has_dead_end, "is_aperiodic": has_dead_end,
             "is_semiconnected": has_lonely, "is_eulerian": has_odd,
             "is_semieulerian": has_three_odd, "has_eulerian_path": has_three_odd,
             "is_bipartite": has_odd_cycle, "is_tree": is_no_tree, "is_arborescence": is_no_tree}


def ends_soon(name: str, graph: Any) -> bool:
    return name in ENDS_SOON and (name in AT_ONCE or converted(graph, None) is None) \
        and ENDS_SOON[name](graph)


def size_of(graph: Any) -> int:
    """Nodes and arcs, about: counting all arcs would take as long as a search."""
    rows = [len(row) for row in islice(graph._adj.values(), SAMPLE)]
    return len(graph) + (sum(rows) * len(graph) // len(rows) if rows else 0)


def is_local(name: str, given: Dict[str, Any]) -> bool:
    """Whether the search may end after a few nodes."""
    if name in PAIRS or name in EVERYWHERE or given.get("method") == "bellman-ford":
        return False
    if given.get("target") is not None and (given.get("source") is not None or "sources" in given):
        return True
    return is_limited(given)


def is_limited(given: Dict[str, Any]) -> bool:
    for limit in LIMITS:
        if limit in given and given[limit] is not None:
            return True
    return False


def one_pass(graph: Any, given: Dict[str, Any], size: int) -> Answer:
    if is_view(graph) and not is_quick(graph):
        return "a view of this kind takes about as long to convert as to search"
    if size < (PASS_FROM if CONFIG.pass_from is None else CONFIG.pass_from):
        if not compiled:
            return "without the extension module one pass is not worth a conversion"
        return f"a graph with {size} nodes and arcs is too small"
    return True


