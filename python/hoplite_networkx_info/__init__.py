# SPDX-License-Identifier: Apache-2.0
"""What NetworkX asks of every installed backend when it is imported: names and a few words. So
this is a package of its own, which loads neither the library nor NumPy."""

from __future__ import annotations

from typing import Any, Dict

SETTLED = ("Distances, their order and paths equal NetworkX's; weights are integers or floats, "
           "none negative.")
RELAXED = "Distances, their order, predecessors and paths equal NetworkX's, at the speed of C."
SEARCH = "Results and their order equal NetworkX's."
EQUAL_FIRST = "Kruskal's; of equal edges the first, as NetworkX has them."
BOUNDED = "By a few searches where the graph is undirected."
REDUCED = "By up to 512 searches at once without weights. Sums of floats within rounding."
TIES = "Of several shortest paths another one may be found."

FUNCTIONS: Dict[str, str] = {
    "connected_components": SEARCH,
    "number_connected_components": SEARCH,
    "node_connected_component": SEARCH,
    "is_connected": SEARCH,
    "weakly_connected_components": SEARCH,
    "number_weakly_connected_components": SEARCH,
    "is_weakly_connected": SEARCH,
    "bfs_edges": SEARCH,
    "bfs_tree": SEARCH,
    "bfs_predecessors": SEARCH,
    "bfs_successors": SEARCH,
    "bfs_layers": SEARCH,
    "descendants_at_distance": SEARCH,
    "descendants": SEARCH,
    "ancestors": SEARCH,
    "single_source_shortest_path": SEARCH,
    "single_source_shortest_path_length": SEARCH,
    "single_target_shortest_path": SEARCH,
    "single_target_shortest_path_length": SEARCH,
    "all_pairs_shortest_path": SEARCH,
    "all_pairs_shortest_path_length": SEARCH,
    "bidirectional_shortest_path": SEARCH,
    "predecessor": SEARCH,
    "has_path": SEARCH,
    "single_source_dijkstra": SETTLED,
    "single_source_dijkstra_path": SETTLED,
    "single_source_dijkstra_path_length": SETTLED,
    "dijkstra_path": SETTLED,
    "dijkstra_path_length": SETTLED,
    "multi_source_dijkstra": SETTLED,
    "multi_source_dijkstra_path": SETTLED,
    "multi_source_dijkstra_path_length": SETTLED,
    "dijkstra_predecessor_and_distance": SETTLED,
    "bidirectional_dijkstra": SETTLED,
    "single_source_bellman_ford": RELAXED,
    "single_source_bellman_ford_path": RELAXED,
    "single_source_bellman_ford_path_length": RELAXED,
    "bellman_ford_path": RELAXED,
    "bellman_ford_path_length": RELAXED,
    "bellman_ford_predecessor_and_distance": RELAXED,
    "goldberg_radzik": TIES,
    "negative_edge_cycle": "Exact also where rounding would hide a cycle, or show one.",
    "find_negative_cycle": RELAXED,
    "floyd_warshall": "Distances of floats may differ in the last digits.",
    "floyd_warshall_numpy": "Distances of floats may differ in the last digits.",
    "floyd_warshall_predecessor_and_distance": TIES,
    "johnson": TIES,
    "all_pairs_dijkstra": SETTLED,
    "all_pairs_dijkstra_path": SETTLED,
    "all_pairs_dijkstra_path_length": SETTLED,
    "all_pairs_bellman_ford_path": RELAXED,
    "all_pairs_bellman_ford_path_length": RELAXED,
    "eccentricity": BOUNDED,
    "diameter": BOUNDED,
    "radius": BOUNDED,
    "center": BOUNDED,
    "periphery": BOUNDED,
    "barycenter": REDUCED,
    "average_shortest_path_length": REDUCED,
    "wiener_index": REDUCED,
    "global_efficiency": REDUCED,
    "closeness_centrality": REDUCED,
    "harmonic_centrality": REDUCED,
    "betweenness_centrality": "Without k: exact. Sums of floats within rounding.",
    "edge_betweenness_centrality": "Without k: exact. Sums of floats within rounding.",
    "all_shortest_paths": SEARCH,
    "single_source_all_shortest_paths": SEARCH,
    "all_pairs_all_shortest_paths": SEARCH,
    "voronoi_cells": SETTLED,
    "bfs_labeled_edges": SEARCH,
    "dfs_edges": SEARCH,
    "dfs_tree": SEARCH,
    "dfs_predecessors": SEARCH,
    "dfs_successors": SEARCH,
    "dfs_preorder_nodes": SEARCH,
    "dfs_postorder_nodes": SEARCH,
    "is_directed_acyclic_graph": SEARCH,
    "topological_sort": SEARCH,
    "topological_generations": SEARCH,
    "dag_longest_path": SEARCH,
    "dag_longest_path_length": SEARCH,
    "transitive_closure": SEARCH,
    "transitive_reduction": SEARCH,
    "is_strongly_connected": SEARCH,
    "strongly_connected_components": SEARCH,
    "number_strongly_connected_components": SEARCH,
    "kosaraju_strongly_connected_components": SEARCH,
    "condensation": SEARCH,
    "attracting_components": SEARCH,
    "number_attracting_components": SEARCH,
    "is_attracting_component": SEARCH,
    "is_semiconnected": SEARCH,
    "is_aperiodic": SEARCH,
    "is_tree": SEARCH,
    "is_forest": SEARCH,
    "is_arborescence": SEARCH,
    "is_branching": SEARCH,
    "is_bipartite": SEARCH,
    "is_eulerian": SEARCH,
    "is_semieulerian": SEARCH,
    "has_eulerian_path": SEARCH,
    "minimum_spanning_edges": EQUAL_FIRST,
    "minimum_spanning_tree": EQUAL_FIRST,
    "maximum_spanning_edges": EQUAL_FIRST,
    "maximum_spanning_tree": EQUAL_FIRST,
    "efficiency": SEARCH,
    "local_efficiency": REDUCED,
    "harmonic_diameter": REDUCED,
    "global_reaching_centrality": REDUCED,
    "local_reaching_centrality": SEARCH,
    "group_closeness_centrality": SETTLED,
    "schultz_index": REDUCED,
    "gutman_index": REDUCED,
    "hyper_wiener_index": REDUCED,
    "shortest_path": SEARCH,
    "shortest_path_length": SEARCH,
}


# What is declined beyond what no function takes, and by which: docs/networkx.md has the reasons.
DECLINED: Dict[str, str] = {
    "weights that are no integers of 64 bits and no floats, and functions of edges":
        "single_source_dijkstra single_source_dijkstra_path "
        "single_source_dijkstra_path_length dijkstra_path dijkstra_path_length "
        "multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length "
        "dijkstra_predecessor_and_distance bidirectional_dijkstra single_source_bellman_ford "
        "single_source_bellman_ford_path single_source_bellman_ford_path_length "
        "bellman_ford_path bellman_ford_path_length bellman_ford_predecessor_and_distance "
        "goldberg_radzik negative_edge_cycle find_negative_cycle floyd_warshall "
        "floyd_warshall_numpy floyd_warshall_predecessor_and_distance johnson "
        "all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length "
        "all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length eccentricity diameter "
        "radius center periphery barycenter average_shortest_path_length wiener_index "
        "closeness_centrality harmonic_centrality betweenness_centrality "
        "edge_betweenness_centrality all_shortest_paths single_source_all_shortest_paths "
        "all_pairs_all_shortest_paths voronoi_cells dag_longest_path dag_longest_path_length "
        "minimum_spanning_edges minimum_spanning_tree maximum_spanning_edges "
        "maximum_spanning_tree harmonic_diameter group_closeness_centrality schultz_index "
        "gutman_index hyper_wiener_index shortest_path shortest_path_length",
    "negative weights":
        "single_source_dijkstra single_source_dijkstra_path "
        "single_source_dijkstra_path_length dijkstra_path dijkstra_path_length "
        "multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length "
        "dijkstra_predecessor_and_distance bidirectional_dijkstra all_pairs_dijkstra "
        "all_pairs_dijkstra_path all_pairs_dijkstra_path_length eccentricity diameter radius "
        "center periphery barycenter wiener_index closeness_centrality harmonic_centrality "
        "betweenness_centrality edge_betweenness_centrality voronoi_cells harmonic_diameter "
        "group_closeness_centrality schultz_index gutman_index hyper_wiener_index",
    "weights":
        "global_reaching_centrality local_reaching_centrality",
    "sort_neighbors":
        "bfs_edges bfs_tree bfs_predecessors bfs_successors dfs_edges dfs_tree "
        "dfs_predecessors dfs_successors dfs_preorder_nodes dfs_postorder_nodes",
    "usebounds":
        "diameter radius center periphery",
    "sp":
        "eccentricity barycenter closeness_centrality harmonic_diameter",
    "attr, and with weights graphs that are not connected or have floats":
        "barycenter",
    "trees without weights":
        "center barycenter",
    "nbunch and sources":
        "harmonic_centrality",
    "paths":
        "local_reaching_centrality",
    "topo_order":
        "dag_longest_path",
    "scc":
        "condensation",
    "a part of the graph by source":
        "kosaraju_strongly_connected_components",
    "k":
        "betweenness_centrality edge_betweenness_centrality",
    "endpoints":
        "betweenness_centrality",
    "weights of 0, and weights of multigraphs":
        "betweenness_centrality",
    "weights of 0, and multigraphs":
        "edge_betweenness_centrality",
    "default_weight other than 1":
        "dag_longest_path dag_longest_path_length",
    "multigraphs":
        "dag_longest_path dag_longest_path_length is_tree is_forest is_arborescence "
        "is_branching is_eulerian is_semieulerian has_eulerian_path minimum_spanning_edges "
        "minimum_spanning_tree maximum_spanning_edges maximum_spanning_tree",
    'algorithm other than "kruskal"':
        "minimum_spanning_edges minimum_spanning_tree maximum_spanning_edges "
        "maximum_spanning_tree",
}

# Where the functions are: python/hoplite/networkx_backend/FILE.py.
FILES: Dict[str, str] = {
    "unweighted":
        "connected_components number_connected_components node_connected_component "
        "is_connected weakly_connected_components number_weakly_connected_components "
        "is_weakly_connected bfs_edges bfs_tree bfs_predecessors bfs_successors bfs_layers "
        "descendants_at_distance descendants ancestors single_source_shortest_path "
        "single_source_shortest_path_length single_target_shortest_path "
        "single_target_shortest_path_length all_pairs_shortest_path "
        "all_pairs_shortest_path_length bidirectional_shortest_path predecessor has_path",
    "weighted":
        "single_source_dijkstra single_source_dijkstra_path "
        "single_source_dijkstra_path_length dijkstra_path dijkstra_path_length "
        "multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length "
        "dijkstra_predecessor_and_distance bidirectional_dijkstra single_source_bellman_ford "
        "single_source_bellman_ford_path single_source_bellman_ford_path_length "
        "bellman_ford_path bellman_ford_path_length bellman_ford_predecessor_and_distance "
        "goldberg_radzik negative_edge_cycle find_negative_cycle all_pairs_dijkstra "
        "all_pairs_dijkstra_path all_pairs_dijkstra_path_length all_pairs_bellman_ford_path "
        "all_pairs_bellman_ford_path_length",
    "dense":
        "floyd_warshall floyd_warshall_numpy floyd_warshall_predecessor_and_distance johnson "
        "average_shortest_path_length schultz_index gutman_index hyper_wiener_index",
    "measured":
        "eccentricity diameter radius center periphery barycenter wiener_index "
        "global_efficiency closeness_centrality harmonic_centrality betweenness_centrality "
        "edge_betweenness_centrality efficiency local_efficiency harmonic_diameter "
        "global_reaching_centrality local_reaching_centrality group_closeness_centrality",
    "ties":
        "all_shortest_paths single_source_all_shortest_paths all_pairs_all_shortest_paths "
        "voronoi_cells bfs_labeled_edges",
    "depth":
        "dfs_edges dfs_tree dfs_predecessors dfs_successors dfs_preorder_nodes "
        "dfs_postorder_nodes is_directed_acyclic_graph topological_sort "
        "topological_generations dag_longest_path dag_longest_path_length transitive_closure "
        "transitive_reduction",
    "shapes":
        "is_strongly_connected is_aperiodic is_tree is_forest is_arborescence is_branching "
        "is_bipartite is_eulerian is_semieulerian has_eulerian_path",
    "strong":
        "strongly_connected_components number_strongly_connected_components "
        "kosaraju_strongly_connected_components condensation attracting_components "
        "number_attracting_components is_attracting_component is_semiconnected",
    "spanning":
        "minimum_spanning_edges minimum_spanning_tree maximum_spanning_edges "
        "maximum_spanning_tree",
    "generic":
        "shortest_path shortest_path_length",
}

# What decides from which size on a call is taken that names no backend.
PAIRS = ("all_pairs_shortest_path all_pairs_shortest_path_length floyd_warshall "
         "floyd_warshall_numpy floyd_warshall_predecessor_and_distance johnson "
         "all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length "
         "all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length eccentricity "
         "diameter radius center periphery barycenter average_shortest_path_length "
         "wiener_index global_efficiency closeness_centrality harmonic_centrality "
         "betweenness_centrality edge_betweenness_centrality all_pairs_all_shortest_paths "
         "transitive_closure transitive_reduction local_efficiency harmonic_diameter "
         "global_reaching_centrality schultz_index gutman_index hyper_wiener_index").split()
BETWEEN = ("descendants_at_distance bidirectional_shortest_path has_path "
           "bidirectional_dijkstra efficiency").split()
PERHAPS_BETWEEN = ("bfs_edges bfs_tree bfs_predecessors bfs_successors "
                   "single_source_shortest_path single_source_shortest_path_length "
                   "single_target_shortest_path single_target_shortest_path_length "
                   "predecessor single_source_dijkstra single_source_dijkstra_path "
                   "single_source_dijkstra_path_length dijkstra_path dijkstra_path_length "
                   "multi_source_dijkstra multi_source_dijkstra_path "
                   "multi_source_dijkstra_path_length dijkstra_predecessor_and_distance "
                   "single_source_bellman_ford bellman_ford_predecessor_and_distance "
                   "dfs_edges dfs_tree dfs_predecessors dfs_successors dfs_preorder_nodes "
                   "dfs_postorder_nodes").split()

# The address of the file pyproject.toml in the published sources, without its name; RELEASING.md
# says who fills it in. While it is empty NetworkX is told no addresses.
SOURCES = ""

# nx.config.backends.hoplite; None: as without it.
DEFAULT_CONFIG: Dict[str, Any] = {
    "threads": None,  # at most so many; None: all cores
    "device": None,  # such as "opencl:0.0"; None: the processor
    "memory": None,  # bytes that one call may allocate, or a text such as "4 GiB"
    "pass_from": None,  # nodes plus arcs from which on one pass over a graph is taken
    "pairs_from": None,  # the same, for one search per node
    "between_from": None,  # nodes from which on a search between two nodes is taken
}


def what_is_said(name: str) -> str:
    """For the section "Backends" of a function's documentation."""
    lines = [FUNCTIONS[name]]
    declined = [what for what, names in DECLINED.items() if name in names.split()]
    if declined:
        lines.append(f"Left to NetworkX: {'; '.join(declined)}.")
    few = "1,000 nodes on, when some have run in NetworkX"
    if name.startswith("shortest_path"):
        least = f"60 nodes and arcs for all pairs, 3,000 for one node, between two from {few}"
    elif name in PAIRS:
        least = "60 nodes and arcs on"
    elif name in BETWEEN:
        least = few
    else:
        least = "3,000 nodes and arcs on"
        if name in PERHAPS_BETWEEN:
            least += f", with a target or a limit from {few}"
    lines.append(f"Calls that name no backend run here from {least}.")
    return "\n".join(lines)


def get_info() -> Dict[str, Any]:
    """For the entry point networkx.backend_info. No function has parameters beyond NetworkX's, so
    none has additional_parameters: threads, device and memory are in the configuration."""
    functions = {name: {"additional_docs": what_is_said(name)} for name in FUNCTIONS}
    info: Dict[str, Any] = {
        "backend_name": "hoplite",
        "project": "hoplite",
        "package": "hoplite",
        "description": "Components, breadth-first search and shortest paths of large graphs in C, "
                       "with the results of NetworkX, in its order.",
        "default_config": dict(DEFAULT_CONFIG),
        "short_summary": "Components, breadth-first search and shortest paths on all cores.",
        "functions": functions,
    }
    if SOURCES:
        info["url"] = f"{SOURCES}/docs/networkx.md"
        for file, names in FILES.items():
            for name in names.split():
                functions[name]["url"] = f"{SOURCES}/python/hoplite/networkx_backend/{file}.py"
    return info
