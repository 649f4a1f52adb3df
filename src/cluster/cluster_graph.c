/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph of cluster_graph.h from rows and targets, and what users ask of it. */
#include "cluster/cluster_graph.h"

#include "core/memory.h"
#include "core/try.h"

hop_status hop__cluster_graph_create(hop_cluster *cluster, uint64_t vertices, uint64_t arcs,
                                     bool directed, hop_cluster_graph **slot) {
    hop_cluster_graph *graph = NULL;
    hop_status status =
        hop__alloc_zero(cluster->context, "cluster: graph", 1, sizeof *graph, &graph);
    *slot = graph;
    if (status != HOP_OK)
        return status;
    graph->vertices = vertices;
    graph->arcs = arcs;
    graph->directed = directed;
    graph->ranks = cluster->ranks;
    graph->first_vertex = hop__even_start(vertices, cluster->ranks, cluster->rank);
    graph->vertex_count = hop__even_size(vertices, cluster->ranks, cluster->rank);
    graph->first_arc = hop__even_start(arcs, cluster->ranks, cluster->rank);
    graph->arc_count = hop__even_size(arcs, cluster->ranks, cluster->rank);
    return HOP_OK;
}

/* Targets become indices of the different ones: sorted with their places, 16 bytes an arc. */
static hop_status make_ghosts(hop_context *context, hop_cluster_graph *graph) {
    unsigned place_bits = hop__bit_width(graph->arc_count);
    uint64_t count = graph->arc_count, ghosts = 0;
    hop__u128 *keys = NULL, mask = ((hop__u128)1 << place_bits) - 1;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "cluster: targets", count, sizeof *keys, &keys));
    for (uint64_t arc = 0; arc < count; arc++)
        keys[arc] = (hop__u128)graph->ends[arc] << place_bits | arc;
    HOP_TRY(status,
            hop__sort_u128(context, keys, count, place_bits + hop__id_bits(graph->vertices)));
    for (uint64_t i = 0; i < count; i++)
        ghosts += i == 0 || keys[i] >> place_bits != keys[i - 1] >> place_bits;
    HOP_TRY(status, hop__alloc(context, "cluster: different targets", ghosts, sizeof *graph->ghosts,
                               &graph->ghosts));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t target = (uint64_t)(keys[i] >> place_bits);
        if (i == 0 || graph->ghosts[graph->ghost_count - 1] != target)
            graph->ghosts[graph->ghost_count++] = target;
        graph->ends[keys[i] & mask] = graph->ghost_count - 1;
    }
done:
    hop__free(keys);
    return status;
}

static uint64_t count_loops(const hop_cluster_graph *graph) {
    uint64_t loops = 0;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            loops += graph->ghosts[graph->ends[arc]] == graph->rows[row];
    return loops;
}

hop_status hop__cluster_graph_finish(hop_cluster *cluster, hop_cluster_graph *graph,
                                     hop_status status) {
    uint64_t mine[2] = {UINT64_MAX, UINT64_MAX};
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, "cluster: bounds", 2 * (uint64_t)cluster->ranks,
                            sizeof *graph->bounds, &graph->bounds);
    if (status == HOP_OK)
        status = make_ghosts(cluster->context, graph);
    HOP_TRY(status, hop__agree(cluster, status));
    if (graph->row_count > 0) {
        mine[0] = graph->rows[0];
        mine[1] = graph->rows[graph->row_count - 1];
    }
    HOP_TRY(status, hop__gather_all(cluster, mine, 2, graph->bounds));
    graph->loops = count_loops(graph);
    HOP_TRY(status, hop__sum_all(cluster, &graph->loops, 1));
done:
    return status;
}

uint32_t hop__first_holder(const hop_cluster_graph *graph, uint64_t vertex) {
    uint32_t low = 0, high = graph->ranks;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->bounds[2 * (size_t)middle + 1] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void hop__count_owners(const hop_cluster_graph *graph, const uint64_t *ids, uint64_t count,
                       uint64_t *counts) {
    for (uint32_t rank = 0; rank < graph->ranks; rank++)
        counts[rank] = 0;
    for (uint64_t i = 0; i < count; i++)
        counts[hop__owner(graph, ids[i])]++;
}

void hop_cluster_graph_free(hop_cluster_graph *graph) {
    if (graph == NULL)
        return;
    hop__free(graph->rows);
    hop__free(graph->starts);
    hop__free(graph->ends);
    hop__free(graph->ghosts);
    hop__free(graph->bounds);
    hop__free(graph);
}

uint64_t hop_cluster_graph_vertices(const hop_cluster_graph *graph) {
    return graph->vertices;
}

uint64_t hop_cluster_graph_arcs(const hop_cluster_graph *graph) {
    return graph->arcs;
}

uint64_t hop_cluster_graph_loops(const hop_cluster_graph *graph) {
    return graph->loops;
}

uint64_t hop_cluster_graph_edges(const hop_cluster_graph *graph) {
    return graph->directed ? graph->arcs : graph->loops + (graph->arcs - graph->loops) / 2;
}

bool hop_cluster_graph_directed(const hop_cluster_graph *graph) {
    return graph->directed;
}

uint64_t hop_cluster_first(const hop_cluster_graph *graph) {
    return graph->first_vertex;
}

uint64_t hop_cluster_count(const hop_cluster_graph *graph) {
    return graph->vertex_count;
}

uint64_t hop_cluster_arcs(const hop_cluster_graph *graph) {
    return graph->arc_count;
}
