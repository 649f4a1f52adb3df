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


# nx.config.backends.hoplite; None: as without it.
DEFAULT_CONFIG: Dict[str, Any] = {
    "threads": None,  # at most so many; None: all cores
    "device": None,  # such as "opencl:0.0"; None: the processor
    "memory": None,  # bytes that one call may allocate, or a text such as "4 GiB"
    "pass_from": None,  # nodes plus arcs from which on one pass over a graph is taken
    "pairs_from": None,  # the same, for one search per node
    "between_from": None,  # nodes from which on a search between two nodes is taken
}


def get_info() -> Dict[str, Any]:
    """For the entry point networkx.backend_info."""
    return {
        "backend_name": "hoplite",
        "project": "hoplite",
        "package": "hoplite",
        "description": "Components, breadth-first search and shortest paths of large graphs in C, "
                       "with the results of NetworkX, in its order.",
        "default_config": dict(DEFAULT_CONFIG),
        "short_summary": "Components, breadth-first search and shortest paths on all cores.",
        "functions": {name: {"additional_docs": text} for name, text in FUNCTIONS.items()},
    }
