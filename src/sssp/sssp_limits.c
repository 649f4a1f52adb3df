/* SPDX-License-Identifier: Apache-2.0
 *
 * What targets and cutoff leave of a result, and whether distances fit their type. Passes over the
 * vertices (one over the arcs for the latter, and only where weights are so large that sums may not
 * fit), in parallel. */
#include <stdio.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/real_bits.h"
#include "core/try.h"
#include "problem/select_key.h"
#include "sssp/sssp_internal.h"
#include "store/arc_visit.h"

enum { VERTEX_GRAIN = 1 << 16 };

/* The limit is kept as a vertex: the farthest target, or of the nearest the last. So distances are
 * compared with distances. */
typedef struct cut_job {
    hop_context *context;
    const hop__sssp_query *query;
    void *distances;
    hop_vertex *parents;
    hop_vertex farthest;
    const uint64_t *kept; /* a bit each, or NULL */
} cut_job;

/* d[u] < d[v]. */
static bool is_nearer(const hop__sssp_query *query, const void *distances, uint64_t u, uint64_t v) {
    if (query->distance_type == HOP_TYPE_INT64)
        return ((const int64_t *)distances)[u] < ((const int64_t *)distances)[v];
    return hop__sssp_distance(query, distances, u) < hop__sssp_distance(query, distances, v);
}

/* The farthest of the targets, or HOP_NO_VERTEX when one is not reached, or beyond the cutoff, or
 * there are none. */
static hop_vertex farthest_target(const hop__sssp_query *query, const void *distances) {
    hop_vertex farthest = HOP_NO_VERTEX;
    for (hop_vertex i = 0; i < query->target_count; i++) {
        hop_vertex v = query->targets[i];
        double distance = hop__sssp_distance(query, distances, v);
        if (distance == HUGE_VAL || distance > query->cutoff)
            return HOP_NO_VERTEX;
        if (farthest == HOP_NO_VERTEX || is_nearer(query, distances, farthest, v))
            farthest = v;
    }
    return farthest;
}

/* The distance as a number that is ordered as distances are; none of them is -0.0. */
static uint64_t distance_key(const void *user, uint64_t v) {
    const cut_job *job = user;
    const uint64_t top = UINT64_C(1) << 63;
    if (job->query->distance_type == HOP_TYPE_INT64)
        return (uint64_t)((const int64_t *)job->distances)[v] ^ top;
    uint64_t bits = hop__double_bits(hop__sssp_distance(job->query, job->distances, v));
    return bits & top ? ~bits : bits | top;
}

hop_vertex hop__sssp_last_nearest(const hop__sssp_query *query, const void *distances) {
    const cut_job job = {.query = query, .distances = (void *)distances};
    uint64_t n = query->graph->vertices, v = 0;
    uint64_t key = hop__select_key(distance_key, &job, n, query->settle, 64);
    if (query->settle == 0 || query->settle > n)
        return HOP_NO_VERTEX;
    while (distance_key(&job, v) != key)
        v++;
    double distance = hop__sssp_distance(query, distances, v);
    return distance < HUGE_VAL && distance <= query->cutoff ? (hop_vertex)v : HOP_NO_VERTEX;
}

/* The vertex that limits the result, or HOP_NO_VERTEX. */
static hop_vertex limit_vertex(const hop__sssp_query *query, const void *distances) {
    hop_vertex target = farthest_target(query, distances);
    hop_vertex nearest = hop__sssp_last_nearest(query, distances);
    if (target == HOP_NO_VERTEX || nearest == HOP_NO_VERTEX)
        return target == HOP_NO_VERTEX ? nearest : target;
    return is_nearer(query, distances, nearest, target) ? nearest : target;
}

static bool is_within(const cut_job *job, uint64_t v) {
    double distance = hop__sssp_distance(job->query, job->distances, v);
    if (distance == HUGE_VAL || distance > job->query->cutoff)
        return false;
    return job->farthest == HOP_NO_VERTEX ||
           !is_nearer(job->query, job->distances, job->farthest, v);
}

static void take_out(cut_job *job, uint64_t v) {
    switch (job->query->distance_type) {
    case HOP_TYPE_FLOAT32:
        ((float *)job->distances)[v] = (float)HUGE_VAL;
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)job->distances)[v] = HUGE_VAL;
        break;
    default:
        ((int64_t *)job->distances)[v] = HOP_NO_DISTANCE;
        break;
    }
    if (job->parents)
        job->parents[v] = HOP_NO_VERTEX;
}

static void cut_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    cut_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        /* The farthest one stays in any case, since the others are compared with it. */
        if (v != job->farthest && (job->kept ? !hop__bitmap_get(job->kept, v) : !is_within(job, v)))
            take_out(job, v);
    (void)hop__progress_add(job->context, end - begin);
}

void hop__sssp_cut(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    cut_job job = {
        context, query, task->distances, task->parents, limit_vertex(query, task->distances), NULL};
    if (job.farthest != HOP_NO_VERTEX)
        hop__for(context, query->graph->vertices, VERTEX_GRAIN, cut_range, &job);
}

/* Marks what is within the limits, and what is on the ways to it. Every vertex is marked once. */
static void mark_kept(const cut_job *job, uint64_t *kept) {
    for (uint64_t v = 0; v < job->query->graph->vertices; v++) {
        if (v % VERTEX_GRAIN == 0 && !hop__progress_add(job->context, VERTEX_GRAIN))
            return;
        if (!is_within(job, v))
            continue;
        for (hop_vertex u = (hop_vertex)v; !hop__bitmap_get(kept, u); u = job->parents[u])
            hop__bitmap_set(kept, u);
    }
}

hop_status hop__sssp_cut_whole(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    hop_vertex n = query->graph->vertices;
    uint64_t *kept = NULL;
    hop_status status;
    cut_job job = {
        context, query, task->distances, task->parents, limit_vertex(query, task->distances), NULL};
    HOP_TRY(status,
            hop__alloc_zero(context, "sssp: limits", hop__bitmap_words(n), sizeof *kept, &kept));
    hop__progress_begin(context, "sssp: limits", 2 * (uint64_t)n);
    mark_kept(&job, kept);
    job.kept = kept;
    hop__for(context, n, VERTEX_GRAIN, cut_range, &job);
    status = hop__progress_end(context);
done:
    hop__free(kept);
    return status;
}

uint64_t hop__sssp_cut_memory(const hop__sssp_query *query) {
    return hop__block_bytes(hop__bitmap_words(query->graph->vertices), sizeof(uint64_t));
}

/* Arcs from what is reached to what is not, when nothing limits the search. */
typedef struct range_job {
    hop_context *context;
    const hop_graph *graph;
    const int64_t *distances;
    uint64_t arc; /* the smallest as from << 32 | to, or UINT64_MAX */
} range_job;

static void find_beyond(void *arg, const hop__arc_block *block, unsigned thread) {
    range_job *job = arg;
    (void)thread;
    for (hop__walk row = hop__walk_first(job->graph, block); row.begin < block->end;
         hop__walk_next(job->graph, block, &row))
        for (uint64_t i = row.begin; i < row.end && job->distances[row.vertex] != HOP_NO_DISTANCE;
             i++) {
            hop_vertex v = block->targets[i - block->begin];
            if (job->distances[v] == HOP_NO_DISTANCE)
                hop__lower_u64(&job->arc, row.vertex << 32 | v);
        }
    (void)hop__progress_add(job->context, block->end - block->begin);
}

hop_status hop__sssp_check_range(hop_context *context, const hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    const hop_graph *graph = query->graph;
    range_job job = {context, graph, task->distances, UINT64_MAX};
    hop__arcs *arcs = NULL;
    hop_status status, ended;
    /* A limit that is reached stops the search before sums get that far. */
    if (query->cutoff_integer < HOP_NO_DISTANCE - 1 ||
        limit_vertex(query, task->distances) != HOP_NO_VERTEX)
        return HOP_OK;
    HOP_TRY(status, hop__arcs_open(context, graph, false, &arcs));
    hop__progress_begin(context, "sssp: range of distances", graph->arcs);
    status = hop__arcs_visit(context, arcs, NULL, find_beyond, &job);
    ended = hop__progress_end(context);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    if (job.arc == UINT64_MAX)
        goto done;
    uint64_t u = job.arc >> 32;
    status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                       "sssp: vertex %s is %lld away, and with the arc from it to %s the sum, a "
                       "shortest distance, does not fit int64; scale the weights down or use "
                       "float64",
                       hop__name(graph, u).s, (long long)job.distances[u],
                       hop__name(graph, (hop_vertex)job.arc).s);
done:
    hop__arcs_close(arcs);
    return status;
}
