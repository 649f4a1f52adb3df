/* SPDX-License-Identifier: Apache-2.0
 *
 * The last step of every graph: vertices become indices of the different ends of this rank's arcs,
 * and ranks learn which of their vertices the others know (cluster_graph.h).
 *
 * Where there are few vertices for the arcs of this rank, at most 64 per arc, the different ends
 * are found by a bit for each vertex, and an index by counting bits; otherwise by sorting, and by
 * binary searches. Bytes sent: 4 for each different end that is another rank's. Memory: 3/16 byte
 * per vertex of the graph, at most 12 per arc; or 32 per arc. */
#include <inttypes.h>

#include "cluster/cluster_bits.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/try.h"

enum { VERTICES_PER_ARC = 64 };

static hop_status too_many(hop_context *context, const char *what, uint64_t count) {
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "cluster: %" PRIu64 " %s on one rank, at most 2^32 - 2 are possible; use more "
                     "ranks",
                     count, what);
}

static hop_status ids_room(hop_context *context, hop_cluster_graph *graph, uint64_t count) {
    if (count >= UINT32_MAX)
        return too_many(context, "different ends of arcs", count);
    return hop__alloc(context, "cluster: different ends", count, sizeof *graph->ids, &graph->ids);
}

/* ---- by bits --------------------------------------------------------------------------------- */

typedef struct bit_index {
    uint64_t *bits;   /* of each vertex: whether it is an end here */
    uint32_t *before; /* set bits before each word */
} bit_index;

static uint32_t bit_place(const bit_index *index, uint64_t vertex) {
    uint64_t word = index->bits[vertex / 64], below = (UINT64_C(1) << vertex % 64) - 1;
    return index->before[vertex / 64] + (uint32_t)__builtin_popcountll(word & below);
}

static void ids_list(const bit_index *index, uint64_t words, hop_cluster_graph *graph) {
    for (uint64_t w = 0; w < words; w++) {
        index->before[w] = (uint32_t)graph->id_count;
        for (uint64_t left = index->bits[w]; left != 0; left &= left - 1)
            graph->ids[graph->id_count++] = 64 * w + (unsigned)__builtin_ctzll(left);
    }
}

static hop_status ids_by_bits(hop_context *context, hop_cluster_graph *graph,
                              const hop__wide_arcs *arcs) {
    uint64_t words = hop__bitmap_words(graph->vertices), count = 0;
    bit_index index = {NULL, NULL};
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "cluster: ends", words, 8, &index.bits));
    HOP_TRY(status, hop__alloc(context, "cluster: ends", words, 4, &index.before));
    for (uint64_t row = 0; row < graph->row_count; row++)
        hop__bitmap_set(index.bits, arcs->rows[row]);
    for (uint64_t arc = 0; arc < graph->arc_count; arc++)
        hop__bitmap_set(index.bits, arcs->ends[arc]);
    for (uint64_t w = 0; w < words; w++)
        count += (unsigned)__builtin_popcountll(index.bits[w]);
    HOP_TRY(status, ids_room(context, graph, count));
    ids_list(&index, words, graph);
    for (uint64_t row = 0; row < graph->row_count; row++)
        graph->rows[row] = bit_place(&index, arcs->rows[row]);
    for (uint64_t arc = 0; arc < graph->arc_count; arc++)
        graph->ends[arc] = bit_place(&index, arcs->ends[arc]);
done:
    hop__free(index.bits);
    hop__free(index.before);
    return status;
}

/* ---- by sorting ------------------------------------------------------------------------------ */

static uint32_t sorted_place(const hop_cluster_graph *graph, uint64_t vertex) {
    uint64_t low = 0, count = graph->id_count;
    while (count > 1) {
        uint64_t half = count / 2;
        low += graph->ids[low + half] <= vertex ? half : 0;
        count -= half;
    }
    return (uint32_t)low;
}

static hop_status ids_by_sorting(hop_context *context, hop_cluster_graph *graph,
                                 const hop__wide_arcs *arcs) {
    uint64_t most = graph->row_count + graph->arc_count, *all = NULL, count = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "cluster: ends", most, sizeof *all, &all));
    for (uint64_t row = 0; row < graph->row_count; row++)
        all[row] = arcs->rows[row];
    for (uint64_t arc = 0; arc < graph->arc_count; arc++)
        all[graph->row_count + arc] = arcs->ends[arc];
    HOP_TRY(status, hop__sort_u64(context, all, most, hop__id_bits(graph->vertices)));
    for (uint64_t i = 0; i < most; i++)
        count += i == 0 || all[i] != all[i - 1];
    HOP_TRY(status, ids_room(context, graph, count));
    for (uint64_t i = 0; i < most; i++)
        if (i == 0 || all[i] != all[i - 1])
            graph->ids[graph->id_count++] = all[i];
    for (uint64_t row = 0; row < graph->row_count; row++)
        graph->rows[row] = sorted_place(graph, arcs->rows[row]);
    for (uint64_t arc = 0; arc < graph->arc_count; arc++)
        graph->ends[arc] = sorted_place(graph, arcs->ends[arc]);
done:
    hop__free(all);
    return status;
}

static hop_status ids_make(hop_context *context, hop_cluster_graph *graph,
                           const hop__wide_arcs *arcs) {
    hop_status status;
    if (graph->vertex_count >= UINT32_MAX)
        return too_many(context, "vertices", graph->vertex_count);
    HOP_TRY(status, hop__alloc(context, "cluster: rows", graph->row_count, sizeof *graph->rows,
                               &graph->rows));
    HOP_TRY(status, hop__alloc(context, "cluster: arcs", graph->arc_count, sizeof *graph->ends,
                               &graph->ends));
    if (graph->vertices / VERTICES_PER_ARC <= graph->arc_count)
        status = ids_by_bits(context, graph, arcs);
    else
        status = ids_by_sorting(context, graph, arcs);
done:
    return status;
}

/* ---- who knows what -------------------------------------------------------------------------- */

static void starts_sum(const uint64_t *counts, uint32_t ranks, uint64_t *starts) {
    starts[0] = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        starts[rank + 1] = starts[rank] + counts[rank];
}

/* Tells the owners of the ids which of their vertices these are. */
static hop_status known_make(hop_cluster *cluster, hop_cluster_graph *graph, hop_status status) {
    hop_context *context = cluster->context;
    uint32_t ranks = cluster->ranks, *places = NULL; /* there may be no graph on this rank */
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    if (status == HOP_OK)
        status = hop__alloc(context, "cluster: ends", graph->id_count, sizeof *places, &places);
    if (status == HOP_OK)
        status = hop__alloc(context, "cluster: counts", ranks, 8, &graph->id_counts);
    if (status == HOP_OK)
        status = hop__alloc(context, "cluster: starts", ranks + 1, 8, &graph->id_starts);
    if (status == HOP_OK)
        status = hop__alloc(context, "cluster: starts", ranks + 1, 8, &graph->known_starts);
    if (status == HOP_OK) {
        hop__count_owners(graph, graph->ids, graph->id_count, graph->id_counts);
        starts_sum(graph->id_counts, ranks, graph->id_starts);
        for (uint32_t rank = 0; rank < ranks; rank++)
            for (uint64_t i = graph->id_starts[rank]; i < graph->id_starts[rank + 1]; i++)
                places[i] =
                    (uint32_t)(graph->ids[i] - hop__even_start(graph->vertices, ranks, rank));
    }
    HOP_TRY(status, hop__exchange_kept(cluster, "build: ends", status, sizeof *places, places,
                                       graph != NULL ? graph->id_counts : NULL, &inbox));
    graph->known = inbox.records;
    graph->known_counts = inbox.counts;
    starts_sum(graph->known_counts, ranks, graph->known_starts);
done:
    hop__free(places);
    return status;
}

static uint64_t count_loops(const hop_cluster_graph *graph) {
    uint64_t loops = 0;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            loops += graph->ends[arc] == graph->rows[row];
    return loops;
}

/* The longest row here, of several the first: how many arcs, and its vertex. */
static void longest_find(const hop_cluster_graph *graph, uint64_t longest[2]) {
    longest[0] = longest[1] = 0;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t arcs = graph->starts[row + 1] - graph->starts[row];
        if (arcs > longest[0]) {
            longest[0] = arcs;
            longest[1] = hop__row_vertex(graph, row);
        }
    }
}

/* The bounds of all ranks, and the hub. */
static hop_status bounds_share(hop_cluster *cluster, hop_cluster_graph *graph) {
    uint64_t mine[4] = {UINT64_MAX, UINT64_MAX, 0, 0};
    if (graph->row_count > 0) {
        mine[0] = hop__row_vertex(graph, 0);
        mine[1] = hop__row_vertex(graph, graph->row_count - 1);
        longest_find(graph, mine + 2);
    }
    hop_status status = hop__gather_all(cluster, mine, 4, cluster->headers);
    for (uint32_t rank = 0; status == HOP_OK && rank < graph->ranks; rank++) {
        const uint64_t *theirs = cluster->headers + 4 * (size_t)rank;
        graph->bounds[2 * (size_t)rank] = theirs[0];
        graph->bounds[2 * (size_t)rank + 1] = theirs[1];
        graph->hub = theirs[2] > graph->hub_arcs ? theirs[3] : graph->hub;
        graph->hub_arcs = theirs[2] > graph->hub_arcs ? theirs[2] : graph->hub_arcs;
    }
    return status;
}

hop_status hop__cluster_graph_finish(hop_cluster *cluster, hop_cluster_graph *graph,
                                     hop_status status, hop__wide_arcs *arcs) {
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, "cluster: bounds", 2 * (uint64_t)cluster->ranks,
                            sizeof *graph->bounds, &graph->bounds);
    if (status == HOP_OK)
        status = ids_make(cluster->context, graph, arcs);
    hop__free(arcs->rows);
    hop__free(arcs->ends);
    *arcs = (hop__wide_arcs){NULL, NULL};
    HOP_TRY(status, known_make(cluster, graph, status));
    HOP_TRY(status, bounds_share(cluster, graph));
    graph->loops = count_loops(graph);
    status = hop__masks_make(cluster->context, graph);
    HOP_TRY(status, hop__sum_agreed(cluster, status, &graph->loops, 1));
done:
    return status;
}
