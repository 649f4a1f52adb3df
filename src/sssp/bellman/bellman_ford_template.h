/* SPDX-License-Identifier: Apache-2.0
 *
 * The searches of sssp_bellman_ford.c for one domain (graph/numbers.h). Before including: DOMAIN;
 * SEARCH, the search, which begins its name:
 *   plain   no negative weight
 *   tree    some negative weight, and int64 holds every sum
 *   exact   some negative weight, and sums are numbers of exact_sum.h
 * and, since the preprocessor compares no names, SEARCH_PLAIN or SEARCH_EXACT for these two. */
#include "graph/domain_begin.h"

#define BELLMAN_FORD(name) HOP__JOIN(SEARCH, HOP__JOIN(DOMAIN, name))

#if defined(SEARCH_PLAIN)

/* A queue of the vertices whose distance has changed. There is no cycle to be found: true. */
static inline bool BELLMAN_FORD(relax)(bellman_run *run, hop_vertex u, uint64_t begin,
                                       uint64_t end) {
    const hop_vertex *targets = run->graph->targets;
    const WEIGHT *weights = run->graph->weights;
    DISTANCE *d = run->distances;
    hop_vertex *parents = run->parents;
    const DISTANCE limit = (DISTANCE)HOP__FIELD(run->query, cutoff, DOMAIN);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        SUM sum = NUMBER(add)((SUM)d[u], weights, i);
        if (sum < (SUM)d[v] && sum <= (SUM)limit) {
            d[v] = (DISTANCE)sum;
            if (parents)
                parents[v] = u;
            enqueue(run, v);
        } else if (!NUMBER(is_real) && parents && sum == (SUM)d[v] && sum <= (SUM)limit &&
                   u < parents[v]) {
            parents[v] = u; /* of reals later: tight arcs may join equal distances */
        }
    }
    return true;
}

#else

/* The same, and the tree of ways is kept, so that a vertex whose distance falls takes everything
 * behind it out of the tree and the queue. False when u is behind v: the way from v to u and the
 * arc back are a cycle, which `place` is on. */
static inline bool BELLMAN_FORD(relax)(bellman_run *run, hop_vertex u, uint64_t begin,
                                       uint64_t end) {
    const hop_vertex *targets = run->graph->targets;
    const WEIGHT *weights = run->graph->weights;
#if defined(SEARCH_EXACT)
    const hop__exact scale = run->query->exact;
    uint64_t *sums = run->space->sums, sum[HOP__EXACT_WORDS];
#else
    DISTANCE *d = run->distances, sum;
#endif
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        if (NUMBER(is_barrier)(weights, i))
            continue;
#if defined(SEARCH_EXACT)
        uint64_t *old = hop__exact_at(&scale, sums, v);
        hop__exact_add(&scale, hop__exact_at(&scale, sums, u), NUMBER(term)(&scale, weights, i),
                       sum);
        if (hop__exact_compare(&scale, sum, old) >= 0)
            continue;
#else
        sum = NUMBER(step)(d[u], weights, i);
        if (sum >= d[v])
            continue;
#endif
        if (!cut_off(run, v, u)) {
            run->space->tree[v] = u;
            run->place = v;
            return false;
        }
#if defined(SEARCH_EXACT)
        hop__exact_copy(&scale, sum, old);
#else
        d[v] = sum;
#endif
        hang_below(run, v, u);
        enqueue(run, v);
    }
    return true;
}

#endif

static hop__search_end BELLMAN_FORD(search)(bellman_run *run) {
    while (run->count > 0) {
        hop_vertex u;
        if (!dequeue(run, &u))
            continue;
        uint64_t begin = hop__offset(run->graph, u), end = hop__offset(run->graph, (uint64_t)u + 1);
        while (begin < end) {
            uint64_t stop = end - begin > REPORT_ARCS ? begin + REPORT_ARCS : end;
            if (!BELLMAN_FORD(relax)(run, u, begin, stop))
                return HOP__SEARCH_CYCLE;
            run->unreported += stop - begin;
            begin = stop;
            if (run->unreported >= REPORT_ARCS && !report(run))
                return HOP__SEARCH_CANCELLED;
        }
    }
    return HOP__SEARCH_DONE;
}

#undef BELLMAN_FORD
#include "graph/domain_end.h"
