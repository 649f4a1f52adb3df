/* SPDX-License-Identifier: Apache-2.0
 *
 * distance[v] = the least sum of weights on a path from the sources; parent[v] as hop_sssp has it.
 *
 * Distances by delta-stepping (Meyer, Sanders, 2003), pushed, with two lists instead of many
 * buckets: owners keep vertices whose distance has changed in `near`, up to a limit, or in `far`.
 * A round:
 *
 *     owners of what is near tell the holders of the rows, with the distance
 *     holders add the weights; the least for each end, if less than all before, goes to its owner
 *     owners keep it if it is less than theirs: the vertex is near, or far
 *
 * When nothing is near, the limit becomes the least distance of all that is far, and some more. A
 * smaller sum always wins, so the answer does not depend on the order, nor on that step. Undirected
 * graphs with weights and many arcs per vertex have a horizon, beyond which nobody looks, and what
 * is left in the end looks back: cluster_sssp_horizon.c.
 *
 * Parents: an arc from u to v is tight if d[u] + w = d[v]. The smallest u with a tight arc and
 * d[u] < d[v], which holders of arcs have kept with the least sum of each end; then, layer by
 * layer, for vertices that have none (all tight arcs to them weigh nothing), the smallest u of the
 * layer before.
 *
 * 1. best[end]: the least distance of an end that this rank has heard or told of. What is not less
 *    is not sent.
 * 2. Ends are told of once in a round, with the least sum.
 * 3. sources[end]: the smallest row here that was nearer and gave best[end], or none. A row is told
 *    of after its last change, so all tight arcs have been looked at with the last distances, or
 *    are pulled.
 *
 * Bytes sent: 16 for each vertex in a round whose row another rank holds; 12 for each end of others
 * in a round in which it was improved here: at most 12 R D, R improvements of an end, 1 where all
 * weights are equal. Parents: 8 for each end that others know, 12 for each that has a tight arc.
 * Memory: 25 bytes per different end, 21 per vertex of this rank, 28 per vertex told in a round. */
#include "cluster/cluster_sssp_search.h"

#include <math.h>
#include <string.h>

#include "cluster/cluster_checkpoint.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum {
    PICKS = 256, /* arcs that are looked through at a time */
    AHEAD = 4,   /* rows that are asked for early, and how many arcs of them */
    AHEAD_ARCS = 64,
    LONG_ROW = 32, /* mean rows: random graphs have none, those with hubs have */
};

/* ---- rounds ---------------------------------------------------------------------------------- */

void hop__paths_improve(void *user, uint32_t at, uint64_t key) {
    hop__paths *work = user;
    if (key >= work->keys[at])
        return;
    work->keys[at] = key;
    if (key <= work->limit) {
        if (!hop__bitmap_get(work->is_near, at))
            work->near[work->near_count++] = work->graph->first_vertex + at;
        hop__bitmap_set(work->is_near, at);
    } else {
        if (!hop__bitmap_get(work->is_far, at))
            work->far[work->far_count++] = at;
        hop__bitmap_set(work->is_far, at);
    }
}

static inline void end_improve(hop__paths *work, uint32_t end, uint64_t sum) {
    work->best[end] = sum;
    if (!hop__bitmap_get(work->is_found, end))
        work->found[work->found_count++] = end;
    hop__bitmap_set(work->is_found, end);
}

/* Those of `count` arcs whose sums are looked at, and a hint that their ends will be. Often they
 * are few: without a branch, which could not be foreseen. */
static inline uint32_t arcs_pick(const hop__paths *work, hop_type type, uint64_t key,
                                 uint64_t begin, uint32_t count, uint32_t picks[PICKS]) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t first = work->first, most = work->horizon - first;
    uint32_t picked = 0;
    for (uint32_t k = 0; k < count; k++) {
        picks[picked] = k;
        picked += hop__key_add(type, graph->weights, key, begin + k) - first <= most;
    }
    for (uint32_t k = 0; k < picked; k++)
        __builtin_prefetch(&work->best[graph->ends[begin + picks[k]]]);
    return picked;
}

/* An arc from end `from`, whose distance is `key`. */
static inline void arc_relax(hop__paths *work, uint32_t from, uint64_t key, uint64_t sum,
                             uint32_t end) {
    uint32_t *sources = work->sources;
    uint64_t best = work->best[end];
    if (sum > best)
        return;
    if (sum < best) {
        end_improve(work, end, sum);
        if (sources != NULL)
            sources[end] = key < sum ? from : HOP__NO_END;
    } else if (sources != NULL && key < sum && from < sources[end]) {
        sources[end] = from;
    }
}

/* The type is a constant: there is a loop for each. */
static inline void row_relax(hop__paths *work, hop_type type, uint64_t row, uint64_t key) {
    const hop_cluster_graph *graph = work->graph;
    uint32_t from = graph->rows[row], picks[PICKS];
    uint64_t end = graph->starts[row + 1];
    for (uint64_t begin = graph->starts[row]; begin < end; begin += PICKS) {
        uint32_t count = end - begin < PICKS ? (uint32_t)(end - begin) : PICKS;
        uint32_t picked = arcs_pick(work, type, key, begin, count, picks);
        for (uint32_t k = 0; k < picked; k++) {
            uint64_t arc = begin + picks[k];
            arc_relax(work, from, key, hop__key_add(type, graph->weights, key, arc),
                      graph->ends[arc]);
        }
    }
}

void hop__paths_relax(hop__paths *work, uint64_t row, uint64_t key) {
    switch (work->graph->weight_type) {
    case HOP_TYPE_INT32:
        row_relax(work, HOP_TYPE_INT32, row, key);
        break;
    case HOP_TYPE_INT64:
        row_relax(work, HOP_TYPE_INT64, row, key);
        break;
    case HOP_TYPE_FLOAT32:
        row_relax(work, HOP_TYPE_FLOAT32, row, key);
        break;
    case HOP_TYPE_FLOAT64:
        row_relax(work, HOP_TYPE_FLOAT64, row, key);
        break;
    default:
        row_relax(work, HOP_TYPE_NONE, row, key);
        break;
    }
}

/* The first arcs of a row: what comes next is rarely beside what came last. */
static inline void row_prefetch(const hop_cluster_graph *graph, uint64_t row) {
    uint64_t arc = graph->starts[row], end = arc + AHEAD_ARCS;
    size_t size = hop_type_size(graph->weight_type);
    for (end = end < graph->starts[row + 1] ? end : graph->starts[row + 1]; arc < end; arc += 16) {
        __builtin_prefetch(&graph->ends[arc]);
        if (graph->weights != NULL)
            __builtin_prefetch((const char *)graph->weights + arc * size);
    }
}

/* Rows that this rank was told of, with their distances. */
static void rows_relax(hop__paths *work, const hop__inbox *orders) {
    const uint64_t *rows = orders->records;
    for (uint64_t i = 0; i < orders->count; i++) {
        if (i + 2 * AHEAD < orders->count)
            __builtin_prefetch(&work->graph->starts[rows[2 * (i + 2 * AHEAD)]]);
        if (i + AHEAD < orders->count)
            row_prefetch(work->graph, rows[2 * (i + AHEAD)]);
        uint64_t row = rows[2 * i], key = rows[2 * i + 1];
        uint32_t from = work->graph->rows[row];
        if (key < work->best[from]) {
            work->best[from] = key;
            if (work->sources != NULL)
                work->sources[from] = HOP__NO_END;
        }
        hop__paths_relax(work, row, key);
    }
}

hop_status hop__paths_tell(hop__paths *work, const char *phase) {
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop__found_ends found = {work->found, work->found_count, work->best, NULL};
    hop_status status;
    HOP_TRY(status, hop__words_tell(work->cluster, work->graph, phase, HOP_OK, &found, &inbox));
    for (uint64_t i = 0; i < work->found_count; i++)
        work->is_found[work->found[i] / 64] = 0;
    hop__words_take(work->cluster, work->graph, &found, &inbox, work, hop__paths_improve);
done:
    hop__inbox_clear(&inbox);
    return status;
}

static hop_status round_run(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    hop__told_rows told = {work->near, work->near_count, work->keys};
    hop__inbox orders;
    uint64_t arcs;
    hop_status status =
        hop__sort_u64(work->context, work->near, work->near_count, hop__id_bits(graph->vertices));
    HOP_TRY(status,
            hop__rows_tell(work->cluster, graph, "sssp: near", status, &told, &orders, &arcs));
    work->told_arcs += arcs;
    for (uint64_t i = 0; i < work->near_count; i++) {
        uint64_t at = work->near[i] - graph->first_vertex;
        work->is_near[at / 64] &= ~(UINT64_C(1) << at % 64);
    }
    work->near_count = work->found_count = 0;
    rows_relax(work, &orders);
    status = hop__paths_tell(work, "sssp: targets");
done:
    hop__inbox_clear(&orders);
    return status;
}

/* Far ones that have come near meanwhile, and were told of then, go, and those beyond the horizon,
 * which are found again when it moves; the least of the others. */
static uint64_t far_tidy(hop__paths *work) {
    uint64_t kept = 0, least = UINT64_MAX;
    for (uint64_t i = 0; i < work->far_count; i++) {
        uint32_t at = work->far[i];
        if (work->keys[at] <= work->limit || work->keys[at] > work->horizon) {
            work->is_far[at / 64] &= ~(UINT64_C(1) << at % 64);
            continue;
        }
        work->far[kept++] = at;
        least = work->keys[at] < least ? work->keys[at] : least;
    }
    work->far_count = kept;
    return least;
}

static void far_split(hop__paths *work) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < work->far_count; i++) {
        uint32_t at = work->far[i];
        if (work->keys[at] > work->limit) {
            work->far[kept++] = at;
            continue;
        }
        work->is_far[at / 64] &= ~(UINT64_C(1) << at % 64);
        hop__bitmap_set(work->is_near, at);
        work->near[work->near_count++] = work->graph->first_vertex + at;
    }
    work->far_count = kept;
}

/* From the nearest that is open to the limit: short where vertices have many arcs, since what is
 * found by the first of them is improved less often then, and shorter where improving is what is
 * left to save, since there is a horizon, and some rows are long. */
static double limit_step(const hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    double degree = hop__mean_degree(graph), square = degree * degree, steps = 32;
    if (work->stride > 0)
        steps = (double)graph->hub_arcs > LONG_ROW * degree ? 6 : 48;
    return graph->mean_weight * (square > 8 ? steps / square : HOP__SPARSE_STEP);
}

static hop_status distances_find(hop__paths *work, hop__checkpoint *saved) {
    hop_status status;
    for (uint64_t round = 0;; round++) {
        uint64_t sums[3] = {work->near_count, hop__checkpoint_due(saved), work->told_arcs}, least;
        HOP_TRY(status, hop__sum_all(work->cluster, sums, 3));
        hop__cluster_step(work->cluster, "sssp: rounds", round, 0);
        HOP_TRY(status, hop__checkpoint_write(saved, sums[1], work->limit));
        hop__horizon_begin(work, sums[2]);
        if (sums[0] > 0) {
            HOP_TRY(status, round_run(work));
            continue;
        }
        least = far_tidy(work);
        HOP_TRY(status, hop__min_all(work->cluster, &least, 1));
        if (least > work->horizon) {
            HOP_TRY(status, hop__horizon_pass(work));
            continue;
        }
        if (least == UINT64_MAX)
            goto done;
        work->limit = hop__key_after(work->graph->weight_type, least, work->step);
        work->limit = work->limit < work->horizon ? work->limit : work->horizon;
        far_split(work);
    }
done:
    hop__cluster_step_end(work->cluster);
    return status;
}

/* Whether a path may be too long for int64. */
static bool is_long(const hop_cluster_graph *graph) {
    return hop_distance_type(graph->weight_type) == HOP_TYPE_INT64 && graph->vertices > 1 &&
           graph->most_weight >= INT64_MAX / (graph->vertices - 1);
}

/* A sum that does not fit must not have been the only one of a vertex. */
static hop_status range_check(const hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            if (work->last[graph->rows[row]] < work->none &&
                work->last[graph->ends[arc]] >= work->none)
                return hop__fail(work->context, HOP_ERR_UNSUPPORTED,
                                 "sssp: vertex %llu is %llu away and the arc from it to %llu "
                                 "weighs %.0f: their sum, a shortest distance, does not fit int64; "
                                 "scale the weights down or use float64",
                                 (unsigned long long)hop__row_vertex(graph, row),
                                 (unsigned long long)work->last[graph->rows[row]],
                                 (unsigned long long)hop__end_vertex(graph, arc),
                                 hop__weight_as_double(graph->weight_type, graph->weights, arc));
    return HOP_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* An array of the state: where its pointer is, and whether it begins with zeros. */
typedef struct piece {
    void *pointer;
    uint64_t bytes;
    bool zero;
} piece;
enum { PIECE_ALIGNMENT = 64 };

/* All arrays are one block: together they are large enough for huge pages long before each is, and
 * most of them are looked at in random order. */
static hop_status pieces_make(hop__paths *work, const piece *pieces, size_t count) {
    uint64_t bytes = 0; /* of at most 2^32 vertices and ends: no overflow */
    hop_status status;
    for (size_t i = 0; i < count; i++)
        bytes += (pieces[i].bytes + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
    HOP_TRY(status, hop__alloc(work->context, "sssp: state", bytes, 1, &work->block));
    for (size_t i = 0, at = 0; i < count; i++) {
        char *start = work->block + at;
        memcpy(pieces[i].pointer, &start, sizeof start);
        if (pieces[i].zero)
            memset(start, 0, pieces[i].bytes);
        at += (pieces[i].bytes + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
    }
done:
    return status;
}

static hop_status search_open(hop__paths *work, bool with_parents) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t own = graph->vertex_count, ends = graph->id_count;
    const piece pieces[] = {
        {&work->keys, 8 * own, false},
        {&work->near, 8 * own, false},
        {&work->far, 4 * own, false},
        {&work->is_near, own / 64 * 8 + 8, true},
        {&work->is_far, own / 64 * 8 + 8, true},
        {&work->is_found, ends / 64 * 8 + 8, true},
        {&work->best, 8 * ends, false},
        {&work->found, 4 * ends, false},
        {&work->last, 8 * ends, false},
        /* Of parents. */
        {&work->sources, 4 * ends, false},
        {&work->layers, own, false},
        {&work->end_layers, ends, true},
    };
    size_t count = sizeof pieces / sizeof pieces[0] - (with_parents ? 0 : 3);
    hop_status status;
    HOP_TRY(status, pieces_make(work, pieces, count));
    if (with_parents)
        memset(work->sources, 0xff, ends * sizeof *work->sources); /* NO_END */
    for (uint64_t v = 0; v < own; v++)
        work->keys[v] = work->none;
    for (uint64_t i = 0; i < ends; i++)
        work->best[i] = work->none;
done:
    return status;
}

static void sources_set(hop__paths *work, const uint64_t *sources, uint64_t count) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t v = 0; work->parents != NULL && v < graph->vertex_count; v++)
        work->parents[v] = HOP_NO_CLUSTER_VERTEX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = sources[i] - graph->first_vertex;
        if (sources[i] < graph->first_vertex || at >= graph->vertex_count)
            continue;
        if (work->parents != NULL)
            work->parents[at] = sources[i];
        hop__paths_improve(work, (uint32_t)at, 0);
    }
}

/* A checkpoint has distances and the limit. All that are reached are told of again, so that holders
 * know the smallest source of each end. */
static hop_status state_begin(hop__paths *work, hop__checkpoint *saved) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status = hop__checkpoint_begin(saved, &work->limit);
    if (status != HOP_OK || !saved->found)
        return status;
    work->near_count = work->far_count = 0;
    memset(work->is_near, 0, (graph->vertex_count / 64 + 1) * sizeof *work->is_near);
    memset(work->is_far, 0, (graph->vertex_count / 64 + 1) * sizeof *work->is_far);
    for (uint64_t v = 0; v < graph->vertex_count; v++) {
        uint64_t key = work->keys[v];
        work->keys[v] = work->none;
        if (key < work->none)
            hop__paths_improve(work, (uint32_t)v, key);
    }
    return status;
}

static hop_status search_run(hop__paths *work, hop__cluster_sources from, bool with_parents) {
    const hop_cluster_graph *graph = work->graph;
    hop__checkpoint saved = {.cluster = work->cluster,
                             .graph = graph,
                             .problem = "sssp",
                             .step_name = "limit",
                             .search = hop__cluster_mix(graph->weight_type, from.sources,
                                                        from.count * sizeof *from.sources),
                             .arrays = {{work->keys, 8}},
                             .array_count = 1};
    hop_status status;
    HOP_TRY(status, state_begin(work, &saved));
    HOP_TRY(status, distances_find(work, &saved));
    if (with_parents || is_long(graph))
        HOP_TRY(status, hop__fetch_ends(work->cluster, graph, "sssp: distances", HOP_OK, 8,
                                        work->keys, work->last));
    if (is_long(graph))
        HOP_TRY(status, hop__agree(work->cluster, range_check(work)));
    if (with_parents)
        HOP_TRY(status, hop__paths_parents(work));
done:
    return status;
}

/* Where there are parents on some rank there are on all, but those without vertices. */
static hop_status search_begin(hop__paths *work, bool *with_parents) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t wanted = work->parents != NULL;
    hop_status status, opened = search_open(work, wanted != 0 || graph->vertex_count == 0);
    HOP_TRY(status, hop__sum_agreed(work->cluster, opened, &wanted, 1));
    *with_parents = wanted != 0;
    if (wanted != 0 && work->parents == NULL && graph->vertex_count > 0)
        opened = hop__missing(work->context, "hop_cluster_sssp");
    if (wanted != 0 && wanted < graph->ranks) /* else all have parents */
        HOP_TRY(status, hop__agree(work->cluster, opened));
done:
    return status;
}

hop_status hop_cluster_sssp(hop_cluster *cluster, const hop_cluster_graph *graph,
                            const uint64_t *sources, uint64_t source_count,
                            const hop_sssp_options *options, const hop_span *distances,
                            uint64_t *parents) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop__paths work = {.cluster = cluster,
                       .context = cluster->context,
                       .graph = graph,
                       .parents = parents,
                       .horizon = UINT64_MAX};
    bool with_parents;
    hop_status status;
    HOP_TRY(status, hop__cluster_sssp_check(cluster, "hop_cluster_sssp", graph,
                                            (hop__cluster_sources){sources, source_count}, options,
                                            distances));
    work.none = hop__key_none(graph->weight_type);
    work.stride = hop__horizon_stride(graph);
    work.step = limit_step(&work);
    HOP_TRY(status, search_begin(&work, &with_parents));
    sources_set(&work, sources, source_count);
    HOP_TRY(status, search_run(&work, (hop__cluster_sources){sources, source_count}, with_parents));
    for (uint64_t v = 0; distances->items != NULL && v < graph->vertex_count; v++)
        hop__key_store(graph->weight_type, work.keys[v], distances->items, v);
done:
    hop__free(work.block);
    return status;
}
