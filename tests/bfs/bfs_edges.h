/* SPDX-License-Identifier: Apache-2.0
 * Larger graphs for the tests of bfs, from lists of edges, and a search to compare with that is
 * simple enough to be believed. */
#ifndef HOPLITE_TESTS_BFS_EDGES_H
#define HOPLITE_TESTS_BFS_EDGES_H

#include "bfs/bfs_testing.h"

typedef struct edge_list {
    hop_edge *edges;
    uint64_t count, room;
} edge_list;

static inline void add(edge_list *list, hop_vertex from, hop_vertex to) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->edges = realloc(list->edges, list->room * sizeof *list->edges);
    }
    list->edges[list->count++] = (hop_edge){from, to};
}

/* The graph of a list, which is freed. */
static inline hop_graph *build_edges(hop_context *context, edge_list *list, bool directed,
                                     bool reverse) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = list->count;
    edges.from = &list->edges[0].from;
    edges.to = &list->edges[0].to;
    edges.stride = sizeof(hop_edge);
    options.directed = directed;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    if (reverse)
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    free(list->edges);
    return graph;
}

/* One queue, and the smallest parent by comparing. */
static inline void simple_search(const hop_graph *graph, hop_vertex source, hop_vertex *levels,
                                 hop_vertex *parents) {
    hop_vertex n = hop_graph_vertices(graph), *queue = malloc(4 * (size_t)n + 4);
    size_t width, head = 0, tail = 0;
    const uint32_t *offsets = hop_graph_offsets(graph, &width);
    const hop_vertex *targets = hop_graph_targets(graph);
    assert_int_equal(width, 4);
    memset(levels, 0xff, 4 * (size_t)n);
    memset(parents, 0xff, 4 * (size_t)n);
    levels[source] = 0;
    parents[source] = source;
    queue[tail++] = source;
    while (head < tail) {
        hop_vertex u = queue[head++];
        for (uint32_t i = offsets[u]; i < offsets[u + 1]; i++) {
            hop_vertex v = targets[i];
            if (levels[v] == NONE) {
                levels[v] = levels[u] + 1;
                queue[tail++] = v;
            }
            if (levels[v] == levels[u] + 1 && u < parents[v])
                parents[v] = u;
        }
    }
    free(queue);
}

#endif
