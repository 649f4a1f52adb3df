/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph from arcs that lie anywhere: a sample sort, so that a vertex of many arcs is spread like
 * any others, since its arcs differ in their targets.
 *
 *     sort and merge what is here
 *     splitters from SAMPLES evenly spaced arcs of each rank; arcs to the rank of their range
 *     sort and merge what came: equal arcs have come to the same rank
 *     arcs to the rank of their position: exactly even, whatever the splitters were
 *
 * The result does not depend on the number of ranks, nor on where the arcs were: it is the sorted
 * set of them (with HOP_DUPLICATES_KEEP, the multiset). Without weights all rules of merging are
 * one.
 *
 * Bytes sent: 16 per arc and exchange, so at most 32 (1 - 1/p) arcs/p per rank where the arcs were
 * anywhere; what is merged here is not sent.
 * Memory: 16 bytes per arc three times (sent, received, scratch of the sort). */
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"

enum { SAMPLES = 64 };

static hop_status sort_merge(hop_context *context, bool keep, hop__arc_keys *arcs) {
    hop_status status = hop__sort_u128(context, arcs->keys, arcs->count, 2 * arcs->id_bits);
    if (status != HOP_OK || keep)
        return status;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < arcs->count; i++)
        if (i == 0 || arcs->keys[i] != arcs->keys[kept - 1])
            arcs->keys[kept++] = arcs->keys[i];
    arcs->count = kept;
    return HOP_OK;
}

/* A sample: the arc, and how many arcs it stands for. */
typedef struct sample {
    uint64_t source, target, weight;
} sample;

static int sample_order(const void *left, const void *right) {
    const sample *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->target == b->target ? 0 : a->target < b->target ? -1 : 1;
}

static void samples_draw(const hop__arc_keys *arcs, sample samples[SAMPLES]) {
    uint64_t mask = (UINT64_C(1) << (arcs->id_bits - 1)) * 2 - 1;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        samples[i] = (sample){0, 0, hop__even_size(arcs->count, SAMPLES, i)};
        if (samples[i].weight == 0)
            continue;
        hop__u128 key = arcs->keys[hop__even_start(arcs->count, SAMPLES, i)];
        samples[i].source = (uint64_t)(key >> arcs->id_bits);
        samples[i].target = (uint64_t)key & mask;
    }
}

/* The first arc of each rank but the first: where the weights pass its share. */
static void splitters_choose(const sample *samples, uint64_t count, uint32_t ranks,
                             unsigned id_bits, hop__u128 *splitters) {
    uint64_t total = 0, before = 0, next = 0;
    for (uint64_t i = 0; i < count; i++)
        total += samples[i].weight;
    for (uint32_t rank = 1; rank < ranks; rank++) {
        uint64_t share = hop__even_start(total, ranks, rank);
        while (next < count && before < share)
            before += samples[next++].weight;
        splitters[rank - 1] =
            next == count ? ~(hop__u128)0
                          : (hop__u128)samples[next].source << id_bits | samples[next].target;
    }
}

/* How many arcs go to each rank; equal ones to the same. */
static void count_ranges(const hop__arc_keys *arcs, const hop__u128 *splitters, uint32_t ranks,
                         uint64_t *counts) {
    uint64_t begin = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t low = begin, high = arcs->count;
        while (low < high && rank + 1 < ranks) {
            uint64_t middle = low + (high - low) / 2;
            if (arcs->keys[middle] < splitters[rank])
                low = middle + 1;
            else
                high = middle;
        }
        counts[rank] = (rank + 1 < ranks ? low : arcs->count) - begin;
        begin += counts[rank];
    }
}

/* The same splitters on all ranks. */
static hop_status splitters_make(hop_cluster *cluster, hop_status status, const hop__arc_keys *arcs,
                                 hop__u128 *splitters) {
    uint64_t count = (uint64_t)SAMPLES * cluster->ranks;
    sample mine[SAMPLES], *samples = NULL;
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, "build: samples", count, sizeof *samples, &samples);
    HOP_TRY(status, hop__agree(cluster, status));
    samples_draw(arcs, mine);
    HOP_TRY(status,
            hop__gather_all(cluster, (const uint64_t *)mine, SAMPLES * 3, (uint64_t *)samples));
    qsort(samples, (size_t)count, sizeof *samples, sample_order);
    splitters_choose(samples, count, cluster->ranks, arcs->id_bits, splitters);
done:
    hop__free(samples);
    return status;
}

static void keys_take(hop__arc_keys *arcs, hop__inbox *inbox) {
    hop__free(arcs->keys);
    arcs->keys = inbox->records;
    arcs->count = inbox->count;
    inbox->records = NULL;
    hop__inbox_clear(inbox);
}

/* Sends arcs to the rank of their position among all. */
static hop_status spread_evenly(hop_cluster *cluster, hop__arc_keys *arcs, uint64_t *counts,
                                uint64_t *total) {
    uint64_t before;
    hop__inbox inbox;
    hop_status status;
    *total = arcs->count;
    HOP_TRY(status, hop__sum_all(cluster, total, 1));
    HOP_TRY(status, hop__sum_before(cluster, arcs->count, &before));
    memset(counts, 0, cluster->ranks * sizeof *counts);
    for (uint64_t at = before, end = before + arcs->count; at < end;) {
        uint64_t rank = hop__even_part(*total, cluster->ranks, at);
        uint64_t stop = hop__even_start(*total, cluster->ranks, rank + 1);
        counts[rank] = (stop < end ? stop : end) - at;
        at += counts[rank];
    }
    HOP_TRY(status, hop__exchange_kept(cluster, "build: positions", HOP_OK, sizeof *arcs->keys,
                                       arcs->keys, counts, &inbox));
    keys_take(arcs, &inbox);
done:
    return status;
}

/* Rows and targets from the sorted arcs of this rank. */
static hop_status rows_make(hop_context *context, const hop__arc_keys *arcs,
                            hop_cluster_graph *graph, hop__wide_arcs *wide) {
    unsigned bits = arcs->id_bits;
    uint64_t rows = 0;
    hop_status status;
    for (uint64_t i = 0; i < arcs->count; i++)
        rows += i == 0 || arcs->keys[i] >> bits != arcs->keys[i - 1] >> bits;
    HOP_TRY(status, hop__alloc(context, "cluster: rows", rows, sizeof *wide->rows, &wide->rows));
    HOP_TRY(status, hop__alloc(context, "cluster: starts", rows + 1, sizeof *graph->starts,
                               &graph->starts));
    HOP_TRY(status,
            hop__alloc(context, "cluster: arcs", arcs->count, sizeof *wide->ends, &wide->ends));
    for (uint64_t i = 0; i < arcs->count; i++) {
        uint64_t source = (uint64_t)(arcs->keys[i] >> bits);
        if (graph->row_count == 0 || wide->rows[graph->row_count - 1] != source) {
            wide->rows[graph->row_count] = source;
            graph->starts[graph->row_count++] = i;
        }
        wide->ends[i] = (uint64_t)(arcs->keys[i] - ((hop__u128)source << bits));
    }
    graph->starts[graph->row_count] = arcs->count;
done:
    return status;
}

hop_status hop__cluster_build(hop_cluster *cluster, hop_status status, const hop__build *build,
                              uint64_t vertices, hop__arc_keys *arcs, hop_cluster_graph **slot) {
    bool keep = build->duplicates == HOP_DUPLICATES_KEEP;
    hop_context *context = cluster->context;
    hop_cluster_graph *graph = NULL;
    hop__wide_arcs wide = {NULL, NULL};
    hop__u128 *splitters = NULL;
    uint64_t *counts = NULL, total;
    hop__inbox inbox;
    if (status == HOP_OK)
        status =
            hop__alloc(context, "build: splitters", cluster->ranks, sizeof *splitters, &splitters);
    if (status == HOP_OK)
        status = hop__alloc(context, "build: counts", cluster->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        status = sort_merge(context, keep, arcs);
    HOP_TRY(status, splitters_make(cluster, status, arcs, splitters));
    count_ranges(arcs, splitters, cluster->ranks, counts);
    HOP_TRY(status, hop__exchange_kept(cluster, "build: arcs", HOP_OK, sizeof *arcs->keys,
                                       arcs->keys, counts, &inbox));
    keys_take(arcs, &inbox);
    HOP_TRY(status, hop__agree(cluster, sort_merge(context, keep, arcs)));
    HOP_TRY(status, spread_evenly(cluster, arcs, counts, &total));
    status = hop__cluster_graph_create(cluster, vertices, total, build->directed, &graph);
    if (status == HOP_OK)
        status = rows_make(context, arcs, graph, &wide);
    hop__free(arcs->keys);
    arcs->keys = NULL;
    HOP_TRY(status, hop__cluster_graph_finish(cluster, graph, status, &wide));
    *slot = graph;
    graph = NULL;
done:
    hop__free(arcs->keys);
    arcs->keys = NULL;
    hop__free(splitters);
    hop__free(counts);
    hop_cluster_graph_free(graph);
    return status;
}
