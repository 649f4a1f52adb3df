/* SPDX-License-Identifier: Apache-2.0
 *
 * The horizon of shortest paths: most arcs of a graph with many arcs per vertex lead to vertices
 * that are nearer by other ways. So after a while only sums up to a horizon are looked at; others
 * cost a look at the weight, and none at the end. When all up to the horizon is settled
 *
 *     while that is less than half of the arcs: the horizon is moved, and settled rows look at the
 *     sums that have come within it. Nobody need be told of them: a holder knows their distances;
 *     then: rows that are left look at their ends instead, which are where their arcs come from in
 *     an undirected graph, and take the best of those that are settled. What settled rows have left
 *     out is never looked at.
 *
 * 1. When nothing up to the horizon is open, distances up to it are final; all others are beyond.
 * 2. best[row] <= horizon: settled, and this is the distance, since holders were told of it.
 * 3. A row that is left and has settled ends only is closed: it can be of use to no other. So only
 *    open ones are told of any more.
 * 4. All ranks set the same horizon: it is made of what they have in common, by basic operations.
 *
 * Source: the pull of long arcs by Chakaravarthy, Checconi, Petrini and Sabharwal, "Scalable single
 * source shortest path algorithms for massively parallel systems", 2014; the horizon is that of
 * sssp_delta_stepping.c. Bytes sent: 8 for each end that others know, and 12 for each row that is
 * left and another rank owns. */
#include <string.h>

#include "cluster/cluster_sssp_search.h"
#include "core/bitmap.h"
#include "core/try.h"

enum {
    FIRST_SHARE = 256, /* of all arcs: when there is a horizon from */
    PULL_SHARE = 2,    /* and when rows that are left pull */
    MOVES = 8,         /* of the horizon at most: for each all settled arcs are looked at */
    LEAST_DEGREE = 8,
};
/* In what owners are told of a row: it is not open. Above all keys. */
#define CLOSED (UINT64_C(1) << 63)

double hop__horizon_stride(const hop_cluster_graph *graph) {
    double degree = hop__mean_degree(graph);
    if (graph->directed || graph->weight_type == HOP_TYPE_NONE || degree < LEAST_DEGREE)
        return 0;
    double stride = 2 * graph->mean_weight / degree;
    bool whole = hop_distance_type(graph->weight_type) == HOP_TYPE_INT64;
    return whole && stride < 1 ? 1 : stride;
}

void hop__horizon_begin(hop__paths *work, uint64_t told) {
    const hop_cluster_graph *graph = work->graph;
    if (work->horizon == UINT64_MAX && work->stride > 0 && told >= graph->arcs / FIRST_SHARE)
        work->horizon = hop__key_after(graph->weight_type, work->limit, work->stride);
}

/* ---- moving it ------------------------------------------------------------------------------- */

static uint64_t settled_count(const hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t arcs = 0;
    for (uint64_t row = 0; row < graph->row_count; row++)
        if (work->best[graph->rows[row]] <= work->horizon)
            arcs += graph->starts[row + 1] - graph->starts[row];
    return arcs;
}

/* By twice as much as before; false where that is nowhere, or has been done often. */
static bool horizon_move(hop__paths *work) {
    work->stride *= 2;
    uint64_t horizon = hop__key_after(work->graph->weight_type, work->horizon, work->stride);
    if (horizon <= work->horizon || work->moves++ == MOVES)
        return false;
    work->first = work->horizon + 1;
    work->horizon = horizon;
    return true;
}

/* What settled rows have left out, as far as it is within the new horizon. */
static hop_status rows_resume(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    work->found_count = 0;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t key = work->best[graph->rows[row]];
        if (key < work->first)
            hop__paths_relax(work, row, key);
    }
    for (uint64_t at = 0; at < graph->vertex_count; at++)
        if (work->keys[at] >= work->first && work->keys[at] <= work->horizon) {
            hop__bitmap_set(work->is_far, at);
            work->far[work->far_count++] = (uint32_t)at;
        }
    work->first = 0;
    return hop__paths_tell(work, "sssp: horizon");
}

/* ---- pulling --------------------------------------------------------------------------------- */

/* The best that settled ends give a row that is left; whether it has others. The type is a
 * constant: there is a loop for each. */
static inline bool row_pull(hop__paths *work, hop_type type, uint64_t row) {
    const hop_cluster_graph *graph = work->graph;
    uint32_t to = graph->rows[row], source = work->sources != NULL ? work->sources[to] : 0;
    uint64_t best = work->best[to];
    bool open = false;
    for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
        uint32_t from = graph->ends[arc];
        uint64_t key = work->last[from];
        if (key > work->horizon) {
            open |= from != to;
            continue;
        }
        uint64_t sum = hop__key_add(type, graph->weights, key, arc);
        if (sum < best || (sum == best && from < source))
            source = from;
        best = sum < best ? sum : best;
    }
    work->best[to] = best;
    if (work->sources != NULL)
        work->sources[to] = source;
    return open;
}

static bool row_pull_typed(hop__paths *work, uint64_t row) {
    switch (work->graph->weight_type) {
    case HOP_TYPE_INT32:
        return row_pull(work, HOP_TYPE_INT32, row);
    case HOP_TYPE_INT64:
        return row_pull(work, HOP_TYPE_INT64, row);
    case HOP_TYPE_FLOAT32:
        return row_pull(work, HOP_TYPE_FLOAT32, row);
    default:
        return row_pull(work, HOP_TYPE_FLOAT64, row);
    }
}

/* Rows that are left. What their owners are told is kept in `last`, where it is beyond the horizon
 * as before. */
static void rows_pull(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    work->found_count = 0;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint32_t to = graph->rows[row];
        if (work->last[to] <= work->horizon)
            continue;
        uint64_t before = work->best[to];
        bool open = row_pull_typed(work, row);
        if (!open && work->best[to] >= before)
            continue;
        work->last[to] = work->best[to] | (open ? 0 : CLOSED);
        work->found[work->found_count++] = to;
    }
}

/* Of a row that is left; is_near is a bit for open ones, as nothing is near. */
static void pulled_take(void *user, uint32_t at, uint64_t key) {
    hop__paths *work = user;
    if ((key & CLOSED) == 0)
        hop__bitmap_set(work->is_near, at);
    key &= ~CLOSED;
    work->keys[at] = key < work->keys[at] ? key : work->keys[at];
}

/* All that is reached and open is far, and nothing else is left to tell of. */
static void far_renew(hop__paths *work) {
    uint64_t words = work->graph->vertex_count / 64 + 1;
    memset(work->is_far, 0, words * sizeof *work->is_far);
    work->far_count = 0;
    for (uint64_t word = 0; word < words; word++)
        for (uint64_t left = work->is_near[word]; left != 0; left &= left - 1) {
            uint32_t at = (uint32_t)(64 * word + (unsigned)__builtin_ctzll(left));
            if (work->keys[at] >= work->none)
                continue;
            hop__bitmap_set(work->is_far, at);
            work->far[work->far_count++] = at;
        }
    memset(work->is_near, 0, words * sizeof *work->is_near);
}

/* Ends that others have brought nearer than this rank knows. */
static void ends_learn(hop__paths *work) {
    for (uint64_t end = 0; end < work->graph->id_count; end++)
        if (work->last[end] < work->best[end]) {
            work->best[end] = work->last[end];
            if (work->sources != NULL)
                work->sources[end] = HOP__NO_END;
        }
}

static hop_status left_pull(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status;
    HOP_TRY(status, hop__fetch_ends(work->cluster, graph, "sssp: settled", HOP_OK, 8, work->keys,
                                    work->last));
    ends_learn(work);
    rows_pull(work);
    hop__found_ends found = {work->found, work->found_count, work->last, NULL};
    HOP_TRY(status, hop__words_tell(work->cluster, graph, "sssp: pulled", HOP_OK, &found, &inbox));
    hop__words_take(work->cluster, graph, &found, &inbox, work, pulled_take);
    far_renew(work);
    work->horizon = UINT64_MAX;
    work->stride = 0;
    work->step = HOP__SPARSE_STEP * graph->mean_weight;
done:
    hop__inbox_clear(&inbox);
    return status;
}

hop_status hop__horizon_pass(hop__paths *work) {
    uint64_t settled = settled_count(work), arcs = work->graph->arcs;
    hop_status status;
    HOP_TRY(status, hop__sum_all(work->cluster, &settled, 1));
    status =
        settled < arcs / PULL_SHARE && horizon_move(work) ? rows_resume(work) : left_pull(work);
done:
    return status;
}
