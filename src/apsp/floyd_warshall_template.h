/* SPDX-License-Identifier: Apache-2.0
 *
 * The triple loop of apsp_floyd_warshall.c for entries of one DOMAIN (graph/numbers.h). */
#include "graph/domain_begin.h"

#define FLOYD_WARSHALL(name) HOP__JOIN(DOMAIN, name)

/* Ways from one vertex over a second one, at distance `first`, whose row is `via`. */
static void FLOYD_WARSHALL(relax)(ENTRY *restrict row, const ENTRY *restrict via, ENTRY first,
                                  uint64_t n) {
    /* What integers must be below, so that their sum with `first` is less than "not reached". */
    const ENTRY limit = NUMBER(no_entry)() - (!NUMBER(is_real) && first >= 0 ? first : 0);
    for (uint64_t j = 0; j < n; j++) {
        ENTRY sum = NUMBER(wrap)(first, via[j]);
        /* Both sides without a jump, so that the loop becomes vector code. */
        row[j] = ((NUMBER(is_real) | (via[j] < limit)) & (sum < row[j])) ? sum : row[j];
    }
}

static void FLOYD_WARSHALL(rounds)(hop_context *context, hop__apsp_task *task, void *rows) {
    const uint64_t n = task->query.graph->vertices;
    ENTRY *matrix = rows;
    uint64_t unreported = 0;
    hop__phase_items(context, n * n * n);
    for (uint64_t k = 0; k < n; k++) {
        const ENTRY *via = matrix + k * n;
        for (uint64_t i = 0; i < n; i++) {
            ENTRY first = matrix[i * n + k];
            if (i != k && first != NUMBER(no_entry)()) {
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
#include "graph/domain_end.h"
