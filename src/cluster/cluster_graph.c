/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph of cluster_graph.h: its cuts, who has what, and what users ask of it. */
#include "cluster/cluster_graph.h"

#include <math.h>

#include "cluster/cluster_keys.h"
#include "core/memory.h"
#include "core/try.h"
#include "graph/graph_internal.h"

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

/* Where the vertices of each owner begin is known: as many searches as ranks. */
void hop__count_owners(const hop_cluster_graph *graph, const uint64_t *ids, uint64_t count,
                       uint64_t *counts) {
    uint64_t begin = 0;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint64_t stop = hop__even_start(graph->vertices, graph->ranks, rank + 1);
        uint64_t low = begin, high = count;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (ids[middle] < stop)
                low = middle + 1;
            else
                high = middle;
        }
        counts[rank] = low - begin;
        begin = low;
    }
}

hop_status hop__cluster_weigh(hop_cluster *cluster, hop_cluster_graph *graph) {
    bool integers = hop_distance_type(graph->weight_type) == HOP_TYPE_INT64;
    uint64_t facts[3] = {0, 0, 1}, counted = 0;
    double sum = 0;
    for (uint64_t arc = 0; arc < graph->arc_count; arc++) {
        double weight = hop__weight_as_double(graph->weight_type, graph->weights, arc);
        uint64_t key = integers ? hop__key_add(graph->weight_type, graph->weights, 0, arc) : 0;
        facts[0] |= weight < 0;
        facts[2] = key > facts[2] ? key : facts[2];
        if (!isfinite(weight))
            continue;
        sum += weight > 0 ? weight : 0;
        counted++;
    }
    double mean = counted > 0 && isfinite(sum) ? sum / (double)counted : 0;
    facts[1] = hop__double_bits(mean); /* not negative: in the order of their bits */
    hop_status status = hop__max_all(cluster, facts, 3);
    graph->negative = facts[0] != 0;
    graph->most_weight = facts[2];
    graph->mean_weight = hop__double_from(facts[1]);
    return status;
}

void hop_cluster_graph_free(hop_cluster_graph *graph) {
    if (graph == NULL)
        return;
    hop__free(graph->rows);
    hop__free(graph->starts);
    hop__free(graph->ends);
    hop__free(graph->ids);
    hop__free(graph->id_starts);
    hop__free(graph->known);
    hop__free(graph->known_starts);
    hop__free(graph->id_counts);
    hop__free(graph->known_counts);
    hop__free(graph->masks);
    hop__free(graph->bounds);
    hop__free(graph->weights);
    hop__free(graph->labels);
    hop__free(graph->path);
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

hop_type hop_cluster_graph_weight_type(const hop_cluster_graph *graph) {
    return graph->weight_type;
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
