/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes of measure_voronoi.c for one domain (graph/numbers.h). Before including: DOMAIN. */
#include "graph/domain_begin.h"

#define VORONOI(name) HOP__JOIN(DOMAIN, name)

static bool VORONOI(is_reached_at)(const voronoi_job *job, hop_vertex v) {
    return NUMBER(is_reached)(((const DISTANCE *)job->distances)[v]);
}

/* Arc i, from u, which is reached, to v. */
static inline bool VORONOI(is_tight_arc)(const voronoi_job *job, uint64_t u, uint64_t i,
                                         uint64_t v) {
    const DISTANCE *d = job->distances;
    return NUMBER(is_reached)(d[v]) &&
           NUMBER(is_tight)(d[u], (const WEIGHT *)job->graph->weights, i, d[v]);
}

static bool VORONOI(take)(voronoi_job *job, hop_vertex center) {
    const hop_graph *graph = job->graph;
    uint64_t head = 0, tail = 0;
    job->cells[center] = center;
    job->queue[tail++] = center;
    while (head < tail) {
        const uint64_t u = job->queue[head++], end = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            const hop_vertex v = graph->targets[i];
            if (job->cells[v] != HOP_NO_VERTEX || !VORONOI(is_tight_arc)(job, u, i, v))
                continue;
            job->cells[v] = center;
            job->queue[tail++] = v;
        }
        if (head % POLL == 0 && !hop__progress_add(job->context, POLL))
            return false;
    }
    return hop__progress_add(job->context, head % POLL);
}

static bool VORONOI(arcs)(voronoi_job *job) {
    const hop_graph *graph = job->graph;
    for (uint64_t u = 0; u < graph->vertices; u++) {
        const uint64_t end = hop__offset(graph, u + 1);
        if (u % POLL == 0 && !hop__progress_add(job->context, POLL))
            return true;
        if (job->cells[u] == HOP_NO_VERTEX)
            continue;
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            const hop_vertex v = graph->targets[i];
            if (job->cells[v] <= job->cells[u] || !VORONOI(is_tight_arc)(job, u, i, v))
                continue;
            job->wrong = v;
            return false;
        }
    }
    return true;
}

static bool VORONOI(mark)(voronoi_job *job) {
    const hop_graph *graph = job->graph;
    uint64_t head = 0, tail = 0;
    for (hop_vertex v = 0; v < graph->vertices; v++)
        if (job->cells[v] == v) {
            hop__bitmap_set(job->marks, v);
            job->queue[tail++] = v;
        }
    while (head < tail) {
        const uint64_t u = job->queue[head++], end = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            const hop_vertex v = graph->targets[i];
            if (job->cells[v] != job->cells[u] || hop__bitmap_get(job->marks, v) ||
                !VORONOI(is_tight_arc)(job, u, i, v))
                continue;
            hop__bitmap_set(job->marks, v);
            job->queue[tail++] = v;
        }
        if (head % POLL == 0 && !hop__progress_add(job->context, POLL))
            return false;
    }
    job->reached = tail;
    return true;
}

#undef VORONOI
#include "graph/domain_end.h"
