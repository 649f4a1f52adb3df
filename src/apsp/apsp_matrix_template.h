/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of apsp_matrix.c for entries of one DOMAIN (graph/numbers.h). */
#include "graph/domain_begin.h"

#define MATRIX(name) HOP__JOIN(DOMAIN, name)

/* Rows of an area as the arcs say: the lightest of parallel ones; a loop is no way from a vertex to
 * itself. */
static void MATRIX(fill)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const fill_job *job = arg;
    const hop_graph *graph = job->graph;
    const uint64_t low = job->area.column, high = low + job->area.columns;
    const ENTRY unreached = job->is_far ? NUMBER(far)() : NUMBER(no_entry)();
    (void)thread;
    if (job->progress && !hop__progress_add(job->progress, 0))
        return;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t u = job->area.row + i;
        ENTRY *row = (ENTRY *)job->out + i * job->stride;
        for (uint64_t j = 0; j < job->area.columns; j++)
            row[j] = unreached;
        if (u >= low && u < high)
            row[u - low] = 0;
        const uint64_t stop = hop__offset(graph, u + 1);
        for (uint64_t a = hop__first_arc(graph, u, low); a < stop && graph->targets[a] < high;
             a++) {
            const hop_vertex v = graph->targets[a];
            const ENTRY weight = NUMBER(arc)(graph, a);
            if (v != u && weight < row[v - low])
                row[v - low] = weight;
        }
    }
}

/* `count` entries that are far. */
static void MATRIX(fill_far)(void *out, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        ((ENTRY *)out)[i] = NUMBER(far)();
}

/* What is far is not reached. */
static void MATRIX(mark)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    ENTRY *d = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        d[i] = d[i] > NUMBER(far)() / 2 ? NUMBER(no_entry)() : d[i];
}

#undef MATRIX
#include "graph/domain_end.h"
