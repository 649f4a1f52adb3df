/* SPDX-License-Identifier: Apache-2.0
 *
 * floyd-warshall: the plain triple loop over the matrix. D2, algorithm 4 (Floyd 1962).
 *
 * The matrix begins as the arcs. In round k, every pair (i, j) is given the way over vertex k if
 * that is shorter; so after it, entries are shortest over paths with no vertex above k inside.
 * In place: row and column k do not change in round k, because entry (k, k) is 0.
 *
 * The baseline that the other variants on the matrix are compared with: one thread, no blocks. Its
 * time does not depend on the number of arcs, unless vertices do not reach each other: a row that
 * does not reach k is skipped in round k.
 *
 * Sums never wrap. Let a be the entry (i, k), reached. For a >= 0 a sum is taken only if the other
 * entry is below NONE - a; for a < 0 only if it is reached, and then the sum, that of a walk from i
 * to j, is no less than a distance, which fits. The latter needs that all sums of paths fit, so
 * that negative weights whose sums may leave int64 are refused. Negative floating-point weights
 * are refused too: there is no bound on what rounding does along the way (see sssp.h).
 *
 * Cost: n^3 sums, no memory beside the matrix. */
#include <math.h>
#include <stdio.h>

#include "apsp/apsp_matrix.h"
#include "core/progress.h"

enum { REPORT_PAIRS = 1 << 20 };

#define FLOYD_WARSHALL(name) int32_##name
#define DISTANCE             int32_t
#define NONE                 HOP_NO_DISTANCE_32
#define WEIGHT(graph, arc)   ((int32_t)hop__apsp_integer_weight(graph, arc))
#define LIMIT(first)         ((first) >= 0 ? NONE - (first) : NONE)
#define FITS(value, limit)   ((value) < (limit))
#define ADD(a, b)            ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#include "apsp/floyd_warshall_template.h"

#define FLOYD_WARSHALL(name) int64_##name
#define DISTANCE             int64_t
#define NONE                 HOP_NO_DISTANCE
#define WEIGHT(graph, arc)   hop__apsp_integer_weight(graph, arc)
#define LIMIT(first)         ((first) >= 0 ? NONE - (first) : NONE)
#define FITS(value, limit)   ((value) < (limit))
#define ADD(a, b)            ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#include "apsp/floyd_warshall_template.h"

/* 0 + w is w, but never -0.0. */
#define FLOYD_WARSHALL(name) float32_##name
#define DISTANCE             float
#define NONE                 ((float)HUGE_VAL)
#define WEIGHT(graph, arc)   (0.0f + ((const float *)(graph)->weights)[arc])
#define LIMIT(first)         NONE
#define FITS(value, limit)   true
#define ADD(a, b)            ((a) + (b))
#include "apsp/floyd_warshall_template.h"

#define FLOYD_WARSHALL(name) float64_##name
#define DISTANCE             double
#define NONE                 HUGE_VAL
#define WEIGHT(graph, arc)   (0.0 + ((const double *)(graph)->weights)[arc])
#define LIMIT(first)         NONE
#define FITS(value, limit)   true
#define ADD(a, b)            ((a) + (b))
#include "apsp/floyd_warshall_template.h"

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop__sssp_query *query = &task->query;
    if (!query->negative || (query->distance_type == HOP_WEIGHT_INT64 && !query->wide))
        return false;
    if (query->distance_type == HOP_WEIGHT_INT64)
        snprintf(reason, HOP__REASON,
                 "some weight is negative, and sums of %u weights up to %llu may leave int64 on "
                 "the way; bellman-ford adds exactly",
                 query->graph->vertices, (unsigned long long)hop__apsp_heaviest(query->graph));
    else
        snprintf(reason, HOP__REASON,
                 "with negative floating-point weights, sums that are rounded step by step are "
                 "not to be trusted; bellman-ford adds exactly");
    return true;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    static void (*const loops[])(hop_context *, hop__apsp_task *, void *) = {
        [HOP_WEIGHT_INT32] = int32_run,
        [HOP_WEIGHT_INT64] = int64_run,
        [HOP_WEIGHT_FLOAT32] = float32_run,
        [HOP_WEIGHT_FLOAT64] = float64_run,
    };
    uint64_t n = task->query.graph->vertices, total = hop__apsp_times(n * n, n);
    (void)first;
    (void)count;
    hop__progress_begin(context, "apsp: floyd-warshall", total == UINT64_MAX ? 0 : total);
    loops[task->distance_type](context, task, out);
    task->rounds = n;
    return hop__progress_end(context);
}

const hop__apsp_variant hop__apsp_floyd_warshall = {
    .row = {.about = {.name = "floyd-warshall",
                      .summary = "the plain triple loop over the whole matrix",
                      .source = "D2 algorithm 4 (Floyd 1962)",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse},
    .whole = true,
    .rows = rows,
};
