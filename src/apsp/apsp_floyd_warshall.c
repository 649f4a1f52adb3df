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

#define TEMPLATE "apsp/floyd_warshall_template.h"
#include "graph/each_weighted.h"

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop__sssp_query *query = &task->query;
    if (!query->negative || (query->distance_type == HOP_TYPE_INT64 && !query->wide))
        return false;
    if (query->distance_type == HOP_TYPE_INT64)
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
#define ITEM(domain, type) [type] = domain##_rounds,
    static void (*const rounds[])(hop_context *, hop__apsp_task *,
                                  void *) = {HOP__EACH_WEIGHTED(ITEM)};
#undef ITEM
    uint64_t n = task->query.graph->vertices, total = hop__apsp_times(n * n, n);
    (void)first;
    (void)count;
    hop__progress_begin(context, "apsp: floyd-warshall", total == UINT64_MAX ? 0 : total);
    hop__phase(context, "fill");
    bool filled = hop__apsp_fill_whole(context, task->query.graph, task->distance_type, false, out);
    hop__phase(context, "rounds");
    if (filled)
        rounds[task->distance_type](context, task, out);
    task->rounds = n;
    return hop__progress_end(context);
}

const hop__apsp_variant hop__apsp_floyd_warshall = {
    .row = {.about = {.name = "floyd-warshall",
                      .summary = "the plain triple loop over the whole matrix",
                      .source = "Kemp 2012, algorithm 4 (Floyd 1962)",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse},
    .whole = true,
    .rows = rows,
};
