/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a spread graph is that of one machine: its arcs, their weights, and what owners know. */
#ifndef HOPLITE_TESTS_CLUSTER_SAME_H
#define HOPLITE_TESTS_CLUSTER_SAME_H

#include "cluster_testing.h"

static inline uint64_t whole_offset(const hop_graph *graph, uint64_t row) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    return width == 4 ? ((const uint32_t *)offsets)[row] : ((const uint64_t *)offsets)[row];
}

static inline void check_bounds(job *work, const hop_cluster_graph *graph) {
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint32_t holder = hop__first_holder(graph, hop__row_vertex(graph, row));
        CHECK(holder <= work->rank);
        CHECK(row == 0 || holder == work->rank);
        CHECK(hop__holds(graph, work->rank, hop__row_vertex(graph, row)));
    }
    for (uint64_t i = 1; i < graph->id_count; i++)
        CHECK(graph->ids[i - 1] < graph->ids[i]);
    /* Owners know the ids: what they say of their vertices is said of these. */
    uint64_t *own = calloc(graph->vertex_count + 1, 8), *ends = calloc(graph->id_count + 1, 8);
    for (uint64_t i = 0; i < graph->vertex_count; i++)
        own[i] = 3 * (graph->first_vertex + i);
    CHECK_OK(work->context,
             hop__fetch_ends(work->cluster, graph, "test: ends", HOP_OK, 8, own, ends));
    for (uint64_t i = 0; i < graph->id_count; i++)
        CHECK(ends[i] == 3 * graph->ids[i]);
    free(own);
    free(ends);
}

/* Bit by bit. */
static inline void check_weights(const hop_cluster_graph *graph, const hop_graph *whole) {
    hop_weight_type type;
    const void *weights = hop_graph_weights(whole, &type);
    size_t size = hop_type_size(type);
    CHECK(hop_cluster_graph_weight_type(graph) == type);
    CHECK((graph->weights != NULL) == (size > 0));
    if (size > 0 && graph->arc_count > 0)
        CHECK(memcmp(graph->weights, (const char *)weights + size * graph->first_arc,
                     size * graph->arc_count) == 0);
}

/* The arcs of this rank are those of the whole graph at its positions. */
static inline void check_same(job *work, const hop_cluster_graph *graph, const hop_graph *whole) {
    uint64_t vertices = hop_graph_vertices(whole), arcs = hop_graph_arcs(whole), at = 0, sum;
    const hop_vertex *targets = hop_graph_targets(whole);
    CHECK(hop_cluster_graph_vertices(graph) == vertices);
    CHECK(hop_cluster_graph_arcs(graph) == arcs);
    CHECK(hop_cluster_graph_directed(graph) == hop_graph_directed(whole));
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    CHECK_OK(work->context, hop_graph_describe(work->context, whole, &info));
    CHECK(hop_cluster_graph_loops(graph) == info.loops);
    CHECK(hop_cluster_graph_edges(graph) == info.edges);
    CHECK(hop_cluster_arcs(graph) == arcs / work->ranks + (work->rank < arcs % work->ranks));
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t v = hop__row_vertex(graph, row);
        CHECK(graph->starts[row] == at && graph->starts[row + 1] > at);
        for (; at < graph->starts[row + 1]; at++) {
            uint64_t arc = graph->first_arc + at;
            CHECK(whole_offset(whole, v) <= arc && arc < whole_offset(whole, v + 1));
            CHECK(hop__end_vertex(graph, at) == targets[arc]);
        }
    }
    CHECK(at == graph->arc_count);
    check_weights(graph, whole);
    CHECK_OK(work->context, hop_cluster_total(work->cluster, graph->arc_count, &sum, NULL));
    CHECK(sum == arcs);
    CHECK_OK(work->context, hop_cluster_total(work->cluster, graph->vertex_count, &sum, NULL));
    CHECK(sum == vertices);
    check_bounds(work, graph);
}

#endif
