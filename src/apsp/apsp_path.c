/* SPDX-License-Identifier: Apache-2.0
 *
 * A shortest path from a row of distances: a breadth-first pass over arcs x -> y that are tight,
 * d[x] + w = d[y], backwards from the target if there are reverse arcs, else forwards from the
 * source. Every path of tight arcs from the source is a shortest one; the pass finds one with the
 * fewest arcs, and does not run round where weights of 0 do. A floating-point row without tight
 * arcs to the target was added up in another order: then arcs count that are tight within the
 * tolerance of apsp.h, as those of a shortest path are.
 *
 * Cost: O(n + m) at most, backwards as a rule far less; 8 bytes per vertex. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "apsp/apsp_internal.h"
#include "core/progress.h"
#include "core/span.h"
#include "core/try.h"
#include "graph/numbers.h"

enum { POLL_ARCS = 1 << 18 };

typedef struct path_job {
    hop_context *context;
    const hop_graph *arcs; /* the graph, or its reverse */
    bool backwards;
    hop_weight_type type;
    const void *row;
    hop_vertex begin, end; /* of the pass */
    hop_vertex *came_from, *queue;
    bool rounded; /* tight within the tolerance */
} path_job;

static int64_t integer_at(hop_weight_type type, const void *array, uint64_t i) {
    return type == HOP_TYPE_INT32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static double real_at(hop_weight_type type, const void *array, uint64_t i) {
    return type == HOP_TYPE_FLOAT32 ? (double)((const float *)array)[i]
                                    : ((const double *)array)[i];
}

static bool is_reached(const path_job *job, hop_vertex v) {
    if (job->type == HOP_TYPE_INT32)
        return ((const int32_t *)job->row)[v] != HOP_NO_DISTANCE_32;
    if (job->type == HOP_TYPE_INT64)
        return ((const int64_t *)job->row)[v] != HOP_NO_DISTANCE;
    return isfinite(real_at(job->type, job->row, v));
}

static bool is_tight_integer(const path_job *job, hop_vertex x, hop_vertex y, uint64_t arc) {
    const hop_graph *graph = job->arcs;
    int64_t weight = 1, sum;
    if (graph->weight_type != HOP_TYPE_NONE)
        weight = integer_at(graph->weight_type, graph->weights, arc);
    return !__builtin_add_overflow(integer_at(job->type, job->row, x), weight, &sum) &&
           sum == integer_at(job->type, job->row, y);
}

static bool is_tight_real(const path_job *job, hop_vertex x, hop_vertex y, uint64_t arc) {
    double weight = real_at(job->arcs->weight_type, job->arcs->weights, arc);
    double from = real_at(job->type, job->row, x), to = real_at(job->type, job->row, y);
    /* The sum of two floats as a double, rounded to float, is what their sum as floats is. */
    double sum = job->type == HOP_TYPE_FLOAT32 ? (double)(float)(from + weight) : from + weight;
    double epsilon = job->type == HOP_TYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    if (!job->rounded)
        return sum == to;
    return isfinite(sum) &&
           fabs(sum - to) <= (double)(job->arcs->vertices - 1) * epsilon * (sum > to ? sum : to);
}

/* Whether arc number `arc`, between the vertex u that the pass is at and v, is tight. */
static bool is_tight(const path_job *job, hop_vertex u, hop_vertex v, uint64_t arc) {
    hop_vertex x = job->backwards ? v : u, y = job->backwards ? u : v;
    if (!is_reached(job, v))
        return false;
    return hop__is_integer_type(job->type) ? is_tight_integer(job, x, y, arc)
                                           : is_tight_real(job, x, y, arc);
}

/* Fills in came_from until the end is found. */
static bool find_end(path_job *job) {
    uint64_t arcs = 0, tail = 1;
    memset(job->came_from, 0xff, job->arcs->vertices * sizeof *job->came_from);
    job->came_from[job->begin] = job->begin;
    job->queue[0] = job->begin;
    for (uint64_t head = 0; head < tail; head++) {
        hop_vertex u = job->queue[head];
        if (u == job->end)
            return true;
        uint64_t stop = hop__offset(job->arcs, (uint64_t)u + 1);
        for (uint64_t i = hop__offset(job->arcs, u); i < stop; i++) {
            hop_vertex v = job->arcs->targets[i];
            if (++arcs % POLL_ARCS == 0 && !hop__progress_add(job->context, POLL_ARCS))
                return false;
            if (job->came_from[v] == HOP_NO_VERTEX && is_tight(job, u, v, i)) {
                job->came_from[v] = u;
                job->queue[tail++] = v;
            }
        }
    }
    return false;
}

static hop_status write_path(const path_job *job, hop_vertex *path, hop_vertex room,
                             hop_vertex *length) {
    hop_vertex count = 1, at = 0;
    for (hop_vertex v = job->end; v != job->begin; v = job->came_from[v])
        count++;
    *length = count;
    if (!path)
        return HOP_OK;
    if (count > room)
        return hop__fail(job->context, HOP_ERR_ARGUMENT,
                         "apsp: path: it has %u vertices, but there is room for %u", count, room);
    for (hop_vertex v = job->end; at < count; v = job->came_from[v], at++)
        path[job->backwards ? at : count - 1 - at] = v;
    return HOP_OK;
}

static hop_status check_path(hop_context *context, const hop__apsp_task *task, hop_vertex source,
                             hop_vertex target, const void *row) {
    const hop__sssp_query *query = &task->query;
    hop_vertex n = query->graph->vertices;
    if (source >= n || target >= n)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "apsp: path: from %u to %u, but there are only %u vertices", source,
                         target, n);
    if (!row)
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: path: the row is NULL");
    if (query->negative && query->distance_type != HOP_TYPE_INT64)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "apsp: path: with negative floating-point weights the distances do not "
                         "tell the path; hop_sssp gives parents");
    return HOP_OK;
}

static bool is_zero(const path_job *job, hop_vertex v) {
    return hop__is_integer_type(job->type) ? integer_at(job->type, job->row, v) == 0
                                           : real_at(job->type, job->row, v) == 0;
}

/* The pass, and for rounded sums a second one. */
static hop_status find_path(hop_context *context, path_job *job, hop_vertex source,
                            hop_vertex target) {
    hop__progress_begin(context, "apsp: path", job->arcs->arcs);
    bool own = is_zero(job, source), found = own && find_end(job);
    if (own && !found && (job->type == HOP_TYPE_FLOAT32 || job->type == HOP_TYPE_FLOAT64)) {
        job->rounded = true;
        found = find_end(job);
    }
    hop_status status = hop__progress_end(context);
    if (status != HOP_OK || found)
        return status;
    return hop__fail(context, HOP_ERR_INPUT,
                     "apsp: path: no path from %s to %s has the length that the row says; is it "
                     "the row of %s?",
                     hop__name(job->arcs, source).s, hop__name(job->arcs, target).s,
                     hop__name(job->arcs, source).s);
}

hop_status hop_apsp_path(hop_context *context, const hop_graph *graph,
                         const hop_apsp_options *given, hop_vertex source, hop_vertex target,
                         const hop_view *view, hop_vertex *path, hop_vertex room,
                         hop_vertex *length) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_apsp_options options;
    hop_run run;
    hop_vertex count = 0;
    hop__apsp_task task = {.by_rows = true};
    path_job job = {.context = context};
    const void *row;
    if (length)
        *length = 0;
    HOP_TRY(status, hop__apsp_take(context, graph, given, &options, &run, &task));
    HOP_TRY(status, hop__view_take(context, "apsp: path: row", view, task.distance_type,
                                   graph->vertices, &row));
    HOP_TRY(status, check_path(context, &task, source, target, row));
    job.row = row;
    job.type = task.distance_type;
    if (!is_reached(&job, target))
        goto done;
    const hop_graph *reverse = hop_graph_prepared_reverse(graph);
    job.backwards = reverse != NULL;
    job.arcs = reverse ? reverse : graph;
    job.begin = job.backwards ? target : source;
    job.end = job.backwards ? source : target;
    HOP_TRY(status,
            hop__alloc(context, "apsp: path", graph->vertices, sizeof *job.queue, &job.queue));
    HOP_TRY(status, hop__alloc(context, "apsp: path", graph->vertices, sizeof *job.came_from,
                               &job.came_from));
    HOP_TRY(status, find_path(context, &job, source, target));
    status = write_path(&job, path, room, &count);
    if (length)
        *length = count;
done:
    hop__free(job.queue);
    hop__free(job.came_from);
    return status;
}
