/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows of distances say as a whole, gathered while they come by: eccentricities, the greatest
 * and the least of them, the mean distance. So all of it is there without a matrix.
 *
 * Rows are looked at in parallel, each by one thread from its first distance to its last, and put
 * together in their order; so sums have the same bits on any number of threads and for any size of
 * the blocks. Cost: one pass over each row; no memory. */
#include <math.h>
#include <string.h>

#include "apsp/apsp_internal.h"
#include "core/parallel.h"

enum { ROWS_AT_ONCE = 256 };

/* One row. */
typedef struct row_facts {
    double sum;
    hop_vertex farthest; /* of what is reached; of several the first, of none the vertex itself */
    hop_vertex reached;  /* itself included */
} row_facts;

typedef struct summary_job {
    const hop__apsp_task *task;
    hop_vertex first; /* row of the call */
    const char *rows;
    row_facts *facts;
} summary_job;

#define TEMPLATE "apsp/apsp_summary_template.h"
#include "graph/each_weighted.h"

static void look_at_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
#define ITEM(domain, type) [type] = look_##domain,
    static row_facts (*const look[])(const void *, hop_vertex,
                                     hop_vertex) = {HOP__EACH_WEIGHTED(ITEM)};
#undef ITEM
    summary_job *job = arg;
    const hop__apsp_task *task = job->task;
    (void)thread;
    for (uint64_t r = begin; r < end; r++)
        job->facts[r] = look[task->distance_type](
            job->rows + r * hop__apsp_row_bytes(task), task->query.graph->vertices,
            hop__apsp_vertex(task, job->first + (hop_vertex)r));
}

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

/* Integers are compared as such: beyond 2^53 different ones are the same double. */
static void take_row(hop_apsp_summary *summary, hop_weight_type type, hop_vertex from,
                     const row_facts *facts, const void *row) {
    int64_t whole = integer_at(type, row, facts->farthest);
    double number = number_at(type, row, facts->farthest);
    bool first = summary->rows++ == 0;
    bool integer = hop__is_integer_type(type);
    summary->connected += facts->reached - 1u;
    summary->sum += facts->sum;
    if (first || (integer ? whole > summary->diameter_int : number > summary->diameter)) {
        summary->diameter = number;
        summary->diameter_int = whole;
        summary->diameter_from = from;
        summary->diameter_to = facts->farthest;
    }
    if (first || (integer ? whole < summary->radius_int : number < summary->radius)) {
        summary->radius = number;
        summary->radius_int = whole;
        summary->center = from;
    }
}

void hop__apsp_summarize(hop_context *context, const hop__apsp_task *task, hop_vertex first,
                         hop_vertex count, const void *rows, hop_apsp_summary *summary,
                         void *eccentricities) {
    row_facts facts[ROWS_AT_ONCE];
    const size_t row_bytes = hop__apsp_row_bytes(task), size = hop_type_size(task->distance_type);
    hop__phase(context, "summary");
    for (hop_vertex done = 0; done < count; done += ROWS_AT_ONCE) {
        hop_vertex some = count - done < ROWS_AT_ONCE ? count - done : ROWS_AT_ONCE;
        const char *from = (const char *)rows + done * row_bytes;
        summary_job job = {task, first + done, from, facts};
        hop__for(context, some, 1, look_at_rows, &job);
        for (hop_vertex r = 0; r < some; r++) {
            hop_vertex vertex = hop__apsp_vertex(task, first + done + r);
            take_row(summary, task->distance_type, vertex, &facts[r], from + r * row_bytes);
            if (eccentricities)
                memcpy((char *)eccentricities + ((size_t)first + done + r) * size,
                       from + r * row_bytes + facts[r].farthest * size, size);
        }
    }
    if (summary->connected > 0)
        summary->mean = summary->sum / (double)summary->connected;
}
