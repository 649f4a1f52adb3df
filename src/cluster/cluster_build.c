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
 * Weights lie beside the keys, and go where these go. To sort them, a key has the place of its arc
 * in its low bits: so equal arcs keep their order, and as ranks send in their order and receive in
 * that of the ranks, it is the order of the edges all the way: FIRST, LAST and SUM are those of one
 * machine. SUM adds up in that order too, so it is not begun before all of them are together.
 *
 * Bytes sent: 16 per arc and exchange, and those of its weight, so at most 32 (1 - 1/p) arcs/p per
 * rank where the arcs were anywhere; what is merged here is not sent.
 * Memory: 16 bytes per arc three times (sent, received, scratch of the sort), its weight twice. */
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"
#include "graph/weight.h"

enum { SAMPLES = 64 };

static hop_status sort_keys(hop_context *context, hop__arc_keys *arcs) {
    return hop__sort_u128(context, arcs->keys, arcs->count, 2 * arcs->id_bits);
}

/* Equal arcs stay in their order, and weights go with them. */
static hop_status sort_weighted(hop_context *context, hop__arc_keys *arcs) {
    size_t size = hop_type_size(arcs->type);
    unsigned bits = hop__id_bits(arcs->count);
    uint64_t mask = (UINT64_C(1) << bits) - 1; /* no rank has 2^63 arcs */
    unsigned char *sorted = NULL;
    hop_status status;
    if (2 * arcs->id_bits + bits > 128)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "build: %llu arcs with weights on one rank, between vertices whose ids "
                         "have %u bits; use more ranks",
                         (unsigned long long)arcs->count, arcs->id_bits);
    for (uint64_t i = 0; i < arcs->count; i++)
        arcs->keys[i] = arcs->keys[i] << bits | i;
    HOP_TRY(status, hop__sort_u128(context, arcs->keys, arcs->count, 2 * arcs->id_bits + bits));
    HOP_TRY(status, hop__alloc(context, "build: weights", arcs->count, size, &sorted));
    for (uint64_t i = 0; i < arcs->count; i++) {
        uint64_t place = (uint64_t)arcs->keys[i] & mask;
        memcpy(sorted + size * i, arcs->weights + size * place, size);
        arcs->keys[i] >>= bits;
    }
    hop__free(arcs->weights);
    arcs->weights = sorted;
done:
    return status;
}

static hop_status sum_too_large(hop_context *context, const hop__build *build,
                                const hop__arc_keys *arcs, uint64_t arc) {
    uint64_t from = (uint64_t)(arcs->keys[arc] >> arcs->id_bits);
    hop__fail(context, HOP_ERR_INPUT,
              "%s: the weights of the edges from %llu to %llu add up to more than their type holds",
              build->what, (unsigned long long)from,
              (unsigned long long)(arcs->keys[arc] - ((hop__u128)from << arcs->id_bits)));
    hop__note_vertex(context, HOP_KIND_DATA, from);
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS,
                       "use a wider type or another rule for duplicates");
}

/* `last`: all arcs between two vertices are here. */
static hop_status sort_merge(hop_context *context, const hop__build *build, bool last,
                             hop__arc_keys *arcs) {
    bool weighted = arcs->type != HOP_TYPE_NONE;
    size_t size = hop_type_size(arcs->type);
    hop_status status = weighted ? sort_weighted(context, arcs) : sort_keys(context, arcs);
    bool wait = weighted && !last && build->duplicates == HOP_DUPLICATES_SUM;
    if (status != HOP_OK || build->duplicates == HOP_DUPLICATES_KEEP || wait)
        return status;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < arcs->count; i++) {
        if (i == 0 || arcs->keys[i] != arcs->keys[kept - 1]) {
            if (weighted)
                memmove(arcs->weights + size * kept, arcs->weights + size * i, size);
            arcs->keys[kept++] = arcs->keys[i];
        } else if (weighted && !hop__weight_merge(arcs->type, build->duplicates, arcs->weights,
                                                  kept - 1, arcs->weights, i)) {
            return sum_too_large(context, build, arcs, i);
        }
    }
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

void hop__arc_keys_clear(hop__arc_keys *arcs) {
    hop__free(arcs->keys);
    hop__free(arcs->weights);
    arcs->keys = NULL;
    arcs->weights = NULL;
}

/* Sends arcs, counts[r] of them to rank r in turn: those that come are these then. */
static hop_status arcs_send(hop_cluster *cluster, const char *phase, const uint64_t *counts,
                            hop__arc_keys *arcs) {
    hop__inbox keys = {NULL, 0, NULL, NULL}, weights = {NULL, 0, NULL, NULL};
    hop_status status;
    HOP_TRY(status, hop__exchange_kept(cluster, phase, HOP_OK, sizeof *arcs->keys, arcs->keys,
                                       counts, &keys));
    hop__free(arcs->keys);
    arcs->keys = keys.records;
    arcs->count = keys.count;
    keys.records = NULL;
    if (arcs->type == HOP_TYPE_NONE)
        goto done;
    HOP_TRY(status, hop__exchange_kept(cluster, "build: weights", HOP_OK, hop_type_size(arcs->type),
                                       arcs->weights, counts, &weights));
    hop__free(arcs->weights);
    arcs->weights = weights.records;
    weights.records = NULL;
done:
    hop__inbox_clear(&keys);
    hop__inbox_clear(&weights);
    return status;
}

/* Sends arcs to the rank of their position among all. */
static hop_status spread_evenly(hop_cluster *cluster, hop__arc_keys *arcs, uint64_t *counts,
                                uint64_t *total) {
    uint64_t before;
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
    HOP_TRY(status, arcs_send(cluster, "build: positions", counts, arcs));
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
    hop_context *context = cluster->context;
    hop_cluster_graph *graph = NULL;
    hop__wide_arcs wide = {NULL, NULL};
    hop__u128 *splitters = NULL;
    uint64_t *counts = NULL, total;
    if (status == HOP_OK)
        status =
            hop__alloc(context, "build: splitters", cluster->ranks, sizeof *splitters, &splitters);
    if (status == HOP_OK)
        status = hop__alloc(context, "build: counts", cluster->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        status = sort_merge(context, build, false, arcs);
    HOP_TRY(status, splitters_make(cluster, status, arcs, splitters));
    count_ranges(arcs, splitters, cluster->ranks, counts);
    HOP_TRY(status, arcs_send(cluster, "build: arcs", counts, arcs));
    HOP_TRY(status, hop__agree(cluster, sort_merge(context, build, true, arcs)));
    HOP_TRY(status, spread_evenly(cluster, arcs, counts, &total));
    status = hop__cluster_graph_create(cluster, vertices, total, build->directed, &graph);
    if (status == HOP_OK)
        status = rows_make(context, arcs, graph, &wide);
    if (status == HOP_OK) {
        graph->weights = arcs->weights;
        graph->weight_type = arcs->type;
        arcs->weights = NULL;
    }
    hop__arc_keys_clear(arcs);
    HOP_TRY(status, hop__cluster_graph_finish(cluster, graph, status, &wide));
    if (graph->weight_type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__cluster_weigh(cluster, graph));
    *slot = graph;
    graph = NULL;
done:
    hop__arc_keys_clear(arcs);
    hop__free(splitters);
    hop__free(counts);
    hop_cluster_graph_free(graph);
    return status;
}
