/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows of distances say as a whole, gathered while they come by: eccentricities, the greatest
 * and the least of them, the mean distance. So all of it is there without a matrix.
 *
 * Rows are looked at in parallel, each by one thread from its first distance to its last, and put
 * together in their order; so sums have the same bits on any number of threads and for any size of
 * the blocks. Cost: one pass over each row; no memory. */
#include <math.h>

#include "apsp/apsp_internal.h"
#include "core/parallel.h"

enum { ROWS_AT_ONCE = 256 };

typedef struct summary_job {
    const hop__apsp_task *task;
    hop_vertex first; /* row of the call */
    const char *rows;
    hop__apsp_facts *facts;
} summary_job;

#define TEMPLATE "apsp/apsp_summary_template.h"
#include "graph/each_weighted.h"

static int64_t integer_at(hop_weight_type type, const void *row, hop_vertex v) {
    return type == HOP_TYPE_INT32   ? ((const int32_t *)row)[v]
           : type == HOP_TYPE_INT64 ? ((const int64_t *)row)[v]
                                    : 0;
}

static double number_at(hop_weight_type type, const void *row, hop_vertex v) {
    return type == HOP_TYPE_FLOAT32   ? (double)((const float *)row)[v]
           : type == HOP_TYPE_FLOAT64 ? ((const double *)row)[v]
                                      : (double)integer_at(type, row, v);
}

hop__apsp_facts hop__apsp_look(const hop__apsp_task *task, hop_vertex source, const void *row) {
#define ITEM(domain, type) [type] = look_##domain,
    static hop__apsp_facts (*const look[])(const void *, hop_vertex,
                                           hop_vertex) = {HOP__EACH_WEIGHTED(ITEM)};
#undef ITEM
    hop__apsp_facts facts = look[task->distance_type](row, task->query.graph->vertices, source);
    facts.whole = integer_at(task->distance_type, row, facts.farthest);
    facts.number = number_at(task->distance_type, row, facts.farthest);
    return facts;
}

static void look_at_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    summary_job *job = arg;
    const hop__apsp_task *task = job->task;
    (void)thread;
    for (uint64_t r = begin; r < end; r++)
        job->facts[r] = hop__apsp_look(task, hop__apsp_vertex(task, job->first + (hop_vertex)r),
                                       job->rows + r * hop__apsp_row_bytes(task));
}

/* Integers are compared as such: beyond 2^53 different ones are the same double. */
static void take_row(hop_apsp_summary *summary, hop_weight_type type, hop_vertex from,
                     const hop__apsp_facts *facts) {
    bool first = summary->rows++ == 0;
    bool integer = hop__is_integer_type(type);
    summary->connected += facts->reached - 1u;
    summary->sum += facts->sum;
    if (first ||
        (integer ? facts->whole > summary->diameter_int : facts->number > summary->diameter)) {
        summary->diameter = facts->number;
        summary->diameter_int = facts->whole;
        summary->diameter_from = from;
        summary->diameter_to = facts->farthest;
    }
    if (first || (integer ? facts->whole < summary->radius_int : facts->number < summary->radius)) {
        summary->radius = facts->number;
        summary->radius_int = facts->whole;
        summary->center = from;
    }
}

static void put_eccentricity(hop_weight_type type, void *array, uint64_t at,
                             const hop__apsp_facts *facts) {
    switch (type) {
    case HOP_TYPE_INT32:
        ((int32_t *)array)[at] = (int32_t)facts->whole;
        break;
    case HOP_TYPE_FLOAT32:
        ((float *)array)[at] = (float)facts->number;
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)array)[at] = facts->number;
        break;
    default:
        ((int64_t *)array)[at] = facts->whole;
        break;
    }
}

void hop__apsp_sum_up(const hop__apsp_task *task, hop_vertex first, hop_vertex count,
                      const hop__apsp_facts *facts, hop_apsp_summary *summary,
                      void *eccentricities) {
    for (hop_vertex r = 0; r < count; r++) {
        take_row(summary, task->distance_type, hop__apsp_vertex(task, first + r), &facts[r]);
        if (eccentricities)
            put_eccentricity(task->distance_type, eccentricities, (uint64_t)first + r, &facts[r]);
    }
    if (summary->connected > 0)
        summary->mean = summary->sum / (double)summary->connected;
}

void hop__apsp_summarize(hop_context *context, const hop__apsp_task *task, hop_vertex first,
                         hop_vertex count, const void *rows, hop_apsp_summary *summary,
                         void *eccentricities) {
    hop__apsp_facts facts[ROWS_AT_ONCE];
    hop__phase(context, "summary");
    for (hop_vertex done = 0; done < count; done += ROWS_AT_ONCE) {
        hop_vertex some = count - done < ROWS_AT_ONCE ? count - done : ROWS_AT_ONCE;
        const char *from = (const char *)rows + done * hop__apsp_row_bytes(task);
        summary_job job = {task, first + done, from, facts};
        hop__for(context, some, 1, look_at_rows, &job);
        hop__apsp_sum_up(task, first + done, some, facts, summary, eccentricities);
    }
}
