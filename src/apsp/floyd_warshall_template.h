/* SPDX-License-Identifier: Apache-2.0
 *
 * The triple loop of apsp_floyd_warshall.c for one type of distances. Before including, for each
 * instance (undefined again at the end):
 *   FLOYD_WARSHALL(name)   makes names unique
 *   DISTANCE, NONE         the type, and what stands for "not reached"
 *   WEIGHT(graph, arc)     a weight as a DISTANCE, never -0.0
 *   LIMIT(first)           what a distance must be below, so that first + it is less than NONE
 *   FITS(distance, limit)  whether it is; true where sums cannot wrap
 *   ADD(a, b)              their sum, if b fits LIMIT(a) */

/* The arcs: the lightest of parallel ones; a loop is no way from a vertex to itself. */
static bool FLOYD_WARSHALL(fill)(hop_context *context, const hop_graph *graph, DISTANCE *matrix) {
    const uint64_t n = graph->vertices;
    for (uint64_t u = 0; u < n; u++) {
        DISTANCE *row = matrix + u * n;
        for (uint64_t v = 0; v < n; v++)
            row[v] = NONE;
        row[u] = 0;
        uint64_t end = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            hop_vertex v = graph->targets[i];
            if (v != u && WEIGHT(graph, i) < row[v])
                row[v] = WEIGHT(graph, i);
        }
        if (!hop__progress_add(context, 0))
            return false;
    }
    return true;
}

/* Ways from one vertex over a second one, at distance `first`, whose row is `via`. */
static void FLOYD_WARSHALL(relax)(DISTANCE *restrict row, const DISTANCE *restrict via,
                                  DISTANCE first, uint64_t n) {
    const DISTANCE limit = LIMIT(first);
    (void)limit;
    for (uint64_t j = 0; j < n; j++) {
        DISTANCE sum = ADD(first, via[j]);
        /* Both sides without a jump, so that the loop becomes vector code. */
        row[j] = (FITS(via[j], limit) & (sum < row[j])) ? sum : row[j];
    }
}

static void FLOYD_WARSHALL(run)(hop_context *context, hop__apsp_task *task, void *rows) {
    const uint64_t n = task->query.graph->vertices;
    DISTANCE *matrix = rows;
    uint64_t unreported = 0;
    hop__phase(context, "fill");
    if (!FLOYD_WARSHALL(fill)(context, task->query.graph, matrix))
        return;
    hop__phase(context, "rounds");
    hop__phase_items(context, n * n * n);
    for (uint64_t k = 0; k < n; k++) {
        const DISTANCE *via = matrix + k * n;
        for (uint64_t i = 0; i < n; i++) {
            DISTANCE first = matrix[i * n + k];
            if (i != k && first != NONE) {
                FLOYD_WARSHALL(relax)(matrix + i * n, via, first, n);
                task->relaxations += n;
            }
            unreported += n;
            if (unreported >= REPORT_PAIRS || i + 1 == n) {
                if (!hop__progress_add(context, unreported))
                    return;
                unreported = 0;
            }
        }
    }
}

#undef FLOYD_WARSHALL
#undef DISTANCE
#undef NONE
#undef WEIGHT
#undef LIMIT
#undef FITS
#undef ADD
