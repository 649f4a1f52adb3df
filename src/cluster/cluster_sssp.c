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
 * smaller sum always wins, so the answer does not depend on the order, nor on that step.
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
 *    of after its last change, so all tight arcs have been looked at with the last distances.
 *
 * Bytes sent: 16 for each vertex in a round whose row another rank holds; 12 for each end of others
 * in a round in which it was improved here: at most 12 R D, R improvements of an end, 1 where all
 * weights are equal. Parents: 8 for each end that others know, 12 for each that has a tight arc.
 * Memory: 25 bytes per different end, 25 per vertex of this rank, 28 per vertex told in a round. */
#include "cluster/cluster_sssp.h"

#include <math.h>
#include <string.h>

#include "cluster/cluster_checkpoint.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/try.h"
#include "graph/graph_internal.h"

#define NO_END UINT32_MAX

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    uint64_t none;
    /* Of this rank's vertices. */
    uint64_t *keys, *parents;
    uint64_t *near, near_count; /* vertices */
    uint32_t *far;              /* numbers of them */
    uint64_t far_count;
    uint64_t *is_near, *is_far; /* bits: on the list */
    uint64_t limit;
    /* Of the ends here. */
    uint64_t *best, *last; /* last: their distances in the end */
    uint32_t *found, *sources;
    uint64_t found_count;
    uint64_t *is_found;
    unsigned char *layers, *end_layers; /* see layer_find */
} search;

/* ---- rounds ---------------------------------------------------------------------------------- */

/* A distance that vertex number `at` may have. */
static void vertex_improve(void *user, uint32_t at, uint64_t key) {
    search *work = user;
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

static inline void end_improve(search *work, uint32_t end, uint64_t sum) {
    work->best[end] = sum;
    if (!hop__bitmap_get(work->is_found, end))
        work->found[work->found_count++] = end;
    hop__bitmap_set(work->is_found, end);
}

/* Distances and sources by the arcs of a row. The type is a constant: there is a loop for each. */
static inline void row_relax(search *work, hop_type type, uint64_t row, uint64_t key) {
    const hop_cluster_graph *graph = work->graph;
    const uint32_t *ends = graph->ends;
    uint32_t from = graph->rows[row], *sources = work->sources;
    if (key < work->best[from]) {
        work->best[from] = key;
        if (sources != NULL)
            sources[from] = NO_END;
    }
    for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
        uint64_t sum = hop__key_add(type, graph->weights, key, arc), best = work->best[ends[arc]];
        if (sum > best)
            continue;
        if (sum < best) {
            end_improve(work, ends[arc], sum);
            if (sources != NULL)
                sources[ends[arc]] = key < sum ? from : NO_END;
        } else if (sources != NULL && key < sum && from < sources[ends[arc]]) {
            sources[ends[arc]] = from;
        }
    }
}

#define ROWS_RELAX(type)                                                                           \
    case type:                                                                                     \
        for (uint64_t i = 0; i < orders->count; i++)                                               \
            row_relax(work, type, rows[2 * i], rows[2 * i + 1]);                                   \
        break;

static void rows_relax(search *work, const hop__inbox *orders) {
    const uint64_t *rows = orders->records;
    switch (work->graph->weight_type) {
        ROWS_RELAX(HOP_TYPE_INT32)
        ROWS_RELAX(HOP_TYPE_INT64)
        ROWS_RELAX(HOP_TYPE_FLOAT32)
        ROWS_RELAX(HOP_TYPE_FLOAT64)
        ROWS_RELAX(HOP_TYPE_NONE)
    default:
        break;
    }
}

static hop_status round_run(search *work) {
    const hop_cluster_graph *graph = work->graph;
    hop__told_rows told = {work->near, work->near_count, work->keys};
    hop__inbox orders, inbox = {NULL, 0, NULL, NULL};
    uint64_t arcs;
    hop_status status =
        hop__sort_u64(work->context, work->near, work->near_count, hop__id_bits(graph->vertices));
    HOP_TRY(status,
            hop__rows_tell(work->cluster, graph, "sssp: near", status, &told, &orders, &arcs));
    for (uint64_t i = 0; i < work->near_count; i++) {
        uint64_t at = work->near[i] - graph->first_vertex;
        work->is_near[at / 64] &= ~(UINT64_C(1) << at % 64);
    }
    work->near_count = work->found_count = 0;
    rows_relax(work, &orders);
    hop__found_ends found = {work->found, work->found_count, work->best, NULL};
    HOP_TRY(status, hop__words_tell(work->cluster, graph, "sssp: targets", HOP_OK, &found, &inbox));
    for (uint64_t i = 0; i < work->found_count; i++)
        work->is_found[work->found[i] / 64] = 0;
    hop__words_take(work->cluster, graph, &found, &inbox, work, vertex_improve);
done:
    hop__inbox_clear(&orders);
    hop__inbox_clear(&inbox);
    return status;
}

/* Far ones that have come near meanwhile, and were told of then, go; the least of the others. */
static uint64_t far_tidy(search *work) {
    uint64_t kept = 0, least = UINT64_MAX;
    for (uint64_t i = 0; i < work->far_count; i++) {
        uint32_t at = work->far[i];
        if (work->keys[at] <= work->limit) {
            work->is_far[at / 64] &= ~(UINT64_C(1) << at % 64);
            continue;
        }
        work->far[kept++] = at;
        least = work->keys[at] < least ? work->keys[at] : least;
    }
    work->far_count = kept;
    return least;
}

static void far_split(search *work) {
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

/* `key` and a step, which is short where vertices have many arcs: what is found by the first of
 * them is improved less often then. */
static uint64_t limit_after(const hop_cluster_graph *graph, uint64_t key) {
    double degree = (double)graph->arcs / (double)(graph->vertices > 0 ? graph->vertices : 1);
    double step = graph->mean_weight * (degree * degree > 8 ? 32 / (degree * degree) : 4);
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        return hop__float_bits(hop__float_from((uint32_t)key) + (float)step);
    if (graph->weight_type == HOP_TYPE_FLOAT64)
        return hop__double_bits(hop__double_from(key) + step);
    return step < 0x1p62 ? hop__key_integer(key + (uint64_t)step) : INT64_MAX - 1;
}

static hop_status distances_find(search *work, hop__checkpoint *saved) {
    hop_status status;
    for (;;) {
        uint64_t sums[2] = {work->near_count, hop__checkpoint_due(saved)}, least;
        HOP_TRY(status, hop__sum_all(work->cluster, sums, 2));
        HOP_TRY(status, hop__checkpoint_write(saved, sums[1], work->limit));
        if (sums[0] > 0) {
            HOP_TRY(status, round_run(work));
            continue;
        }
        least = far_tidy(work);
        HOP_TRY(status, hop__min_all(work->cluster, &least, 1));
        if (least == UINT64_MAX)
            goto done;
        work->limit = limit_after(work->graph, least);
        far_split(work);
    }
done:
    return status;
}

/* Whether a path may be too long for int64. */
static bool is_long(const hop_cluster_graph *graph) {
    return hop_distance_type(graph->weight_type) == HOP_TYPE_INT64 && graph->vertices > 1 &&
           graph->most_weight >= INT64_MAX / (graph->vertices - 1);
}

/* A sum that does not fit must not have been the only one of a vertex. */
static hop_status range_check(const search *work) {
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

/* ---- parents --------------------------------------------------------------------------------- */

enum { LAYER_NONE, LAYER_LAST, LAYER_BEFORE, LAYER_NEW };

/* Ends whose least sum here is their distance. */
static void sources_keep(search *work) {
    work->found_count = 0;
    for (uint32_t end = 0; end < work->graph->id_count; end++)
        if (work->sources[end] != NO_END && work->best[end] == work->last[end] &&
            work->best[end] < work->none)
            work->found[work->found_count++] = end;
}

/* Whether an arc leads to an end as far as its row that has no layer yet, and is tight. */
static bool is_candidate(const search *work, uint64_t key, uint64_t arc) {
    uint32_t end = work->graph->ends[arc];
    return key == work->last[end] && work->end_layers[end] == LAYER_NONE &&
           hop__key_add(work->graph->weight_type, work->graph->weights, key, arc) == key;
}

/* Rows of the last layer, which are ascending: the first that reaches an end is the smallest. */
static void candidates_find(search *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t i = 0; i < graph->id_count; i++)
        work->sources[i] = NO_END;
    work->found_count = 0;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint32_t from = graph->rows[row];
        if (work->last[from] >= work->none || work->end_layers[from] != LAYER_LAST)
            continue;
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            if (work->sources[graph->ends[arc]] == NO_END &&
                is_candidate(work, work->last[from], arc)) {
                work->sources[graph->ends[arc]] = from;
                work->found[work->found_count++] = graph->ends[arc];
            }
    }
}

static void parent_take(void *user, uint32_t at, uint64_t parent) {
    search *work = user;
    if (work->layers[at] != LAYER_NONE && work->layers[at] != LAYER_NEW)
        return; /* a source */
    work->layers[at] = LAYER_NEW;
    if (parent < work->parents[at])
        work->parents[at] = parent;
}

static hop_status layer_find(search *work, bool layered, uint64_t left[2]) {
    const hop_cluster_graph *graph = work->graph;
    hop__inbox inbox;
    hop_status status = HOP_OK;
    if (layered) {
        HOP_TRY(status, hop__fetch_ends(work->cluster, graph, "sssp: layers", HOP_OK, 1,
                                        work->layers, work->end_layers));
        candidates_find(work);
    } else {
        sources_keep(work);
    }
    hop__found_ends found = {work->found, work->found_count, graph->ids, work->sources};
    HOP_TRY(status, hop__words_tell(work->cluster, graph, "sssp: parents", HOP_OK, &found, &inbox));
    hop__words_take(work->cluster, graph, &found, &inbox, work, parent_take);
    hop__inbox_clear(&inbox);
    left[0] = left[1] = 0; /* without a parent; of this layer */
    for (uint64_t v = 0; v < graph->vertex_count; v++) {
        left[0] += work->layers[v] == LAYER_NONE && work->keys[v] < work->none;
        left[1] += work->layers[v] == LAYER_NEW;
        if (work->layers[v] == LAYER_LAST && layered)
            work->layers[v] = LAYER_BEFORE;
        if (work->layers[v] == LAYER_NEW)
            work->layers[v] = LAYER_LAST;
    }
    HOP_TRY(status, hop__sum_all(work->cluster, left, 2));
done:
    return status;
}

/* Sources have themselves, and are of the first layer with all that have a nearer parent. */
static hop_status parents_find(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t left[2];
    hop_status status;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        work->layers[v] = work->parents[v] == HOP_NO_CLUSTER_VERTEX ? LAYER_NONE : LAYER_LAST;
    HOP_TRY(status, layer_find(work, false, left));
    while (left[0] > 0) {
        HOP_TRY(status, layer_find(work, true, left));
        if (left[0] > 0 && left[1] == 0) {
            status = hop__fail(work->context, HOP_ERR_CERTIFICATE,
                               "sssp: %llu vertices with a distance have no parent",
                               (unsigned long long)left[0]);
            goto done;
        }
    }
done:
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static hop_status search_open(search *work, bool with_parents) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t own = graph->vertex_count, ends = graph->id_count;
    hop_context *context = work->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "sssp: distances", own, 8, &work->keys));
    HOP_TRY(status, hop__alloc(context, "sssp: near", own, 8, &work->near));
    HOP_TRY(status, hop__alloc(context, "sssp: far", own, 4, &work->far));
    HOP_TRY(status, hop__alloc_zero(context, "sssp: near", own / 64 + 1, 8, &work->is_near));
    HOP_TRY(status, hop__alloc_zero(context, "sssp: far", own / 64 + 1, 8, &work->is_far));
    HOP_TRY(status, hop__alloc(context, "sssp: ends", ends, 8, &work->best));
    HOP_TRY(status, hop__alloc(context, "sssp: found", ends, 4, &work->found));
    HOP_TRY(status, hop__alloc_zero(context, "sssp: found", ends / 64 + 1, 8, &work->is_found));
    if (with_parents) {
        HOP_TRY(status, hop__alloc(context, "sssp: sources", ends, 4, &work->sources));
        HOP_TRY(status, hop__alloc(context, "sssp: layers", own, 1, &work->layers));
        HOP_TRY(status, hop__alloc_zero(context, "sssp: layers", ends, 1, &work->end_layers));
        memset(work->sources, 0xff, ends * sizeof *work->sources); /* NO_END */
    }
    if (with_parents || is_long(graph))
        HOP_TRY(status, hop__alloc(context, "sssp: ends", ends, 8, &work->last));
    for (uint64_t v = 0; v < own; v++)
        work->keys[v] = work->none;
    for (uint64_t i = 0; i < ends; i++)
        work->best[i] = work->none;
done:
    return status;
}

static void search_close(search *work) {
    hop__free(work->keys);
    hop__free(work->near);
    hop__free(work->far);
    hop__free(work->is_near);
    hop__free(work->is_far);
    hop__free(work->best);
    hop__free(work->last);
    hop__free(work->found);
    hop__free(work->is_found);
    hop__free(work->sources);
    hop__free(work->layers);
    hop__free(work->end_layers);
}

static void sources_set(search *work, const uint64_t *sources, uint64_t count) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t v = 0; work->parents != NULL && v < graph->vertex_count; v++)
        work->parents[v] = HOP_NO_CLUSTER_VERTEX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = sources[i] - graph->first_vertex;
        if (sources[i] < graph->first_vertex || at >= graph->vertex_count)
            continue;
        if (work->parents != NULL)
            work->parents[at] = sources[i];
        vertex_improve(work, (uint32_t)at, 0);
    }
}

/* A checkpoint has distances and the limit. All that are reached are told of again, so that holders
 * know the smallest source of each end. */
static hop_status state_begin(search *work, hop__checkpoint *saved) {
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
            vertex_improve(work, (uint32_t)v, key);
    }
    return status;
}

static hop_status search_run(search *work, hop__cluster_sources from, bool with_parents) {
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
        HOP_TRY(status, parents_find(work));
done:
    return status;
}

/* Where there are parents on some rank there are on all, but those without vertices. */
static hop_status search_begin(search *work, bool *with_parents) {
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
    search work = {
        .cluster = cluster, .context = cluster->context, .graph = graph, .parents = parents};
    bool with_parents;
    hop_status status;
    HOP_TRY(status, hop__cluster_sssp_check(cluster, "hop_cluster_sssp", graph,
                                            (hop__cluster_sources){sources, source_count}, options,
                                            distances));
    work.none = hop__key_none(graph->weight_type);
    HOP_TRY(status, search_begin(&work, &with_parents));
    sources_set(&work, sources, source_count);
    HOP_TRY(status, search_run(&work, (hop__cluster_sources){sources, source_count}, with_parents));
    for (uint64_t v = 0; distances->items != NULL && v < graph->vertex_count; v++)
        hop__key_store(graph->weight_type, work.keys[v], distances->items, v);
done:
    search_close(&work);
    return status;
}
