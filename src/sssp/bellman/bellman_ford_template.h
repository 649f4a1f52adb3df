/* SPDX-License-Identifier: Apache-2.0
 *
 * The two searches of sssp_bellman_ford.c for one type of weights. Before including, for each
 * instance (undefined again at the end):
 *   BELLMAN_FORD(name)    makes names unique
 *   ARRAYS(run)           declares what the others need
 *   SEARCH_PLAIN or SEARCH_TREE   which search is wanted
 *   SKIP(i)               arc i is as if it were not there
 *   ADD(u, i)             sets what the next ones compare: the distance of u plus arc i
 *   IMPROVES(v)           whether that is less than the distance of v (and within the limit)
 *   EQUALS(v)             whether it is the same; SEARCH_PLAIN only
 *   STORE(v)              makes it the distance of v */

#if defined(SEARCH_PLAIN)

/* No negative weight: a queue of the vertices whose distance has changed. */
static inline void BELLMAN_FORD(relax)(bellman_run *run, hop_vertex u, uint64_t begin,
                                       uint64_t end) {
    const hop_vertex *targets = run->graph->targets;
    hop_vertex *parents = run->parents;
    ARRAYS(run);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        ADD(u, i);
        if (IMPROVES(v)) {
            STORE(v);
            if (parents)
                parents[v] = u;
            enqueue(run, v);
        } else if (parents && EQUALS(v) && u < parents[v]) {
            parents[v] = u;
        }
    }
}

#else

/* Some negative weight: the same, and the tree of ways is kept, so that a vertex whose distance
 * falls takes everything behind it out of the tree and the queue. False when u is behind v: the way
 * from v to u and the arc back are a cycle, which `place` is on. */
static inline bool BELLMAN_FORD(relax)(bellman_run *run, hop_vertex u, uint64_t begin,
                                       uint64_t end) {
    const hop_vertex *targets = run->graph->targets;
    ARRAYS(run);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        if (SKIP(i))
            continue;
        ADD(u, i);
        if (!IMPROVES(v))
            continue;
        if (!cut_off(run, v, u)) {
            run->space->tree[v] = u;
            run->place = v;
            return false;
        }
        STORE(v);
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
#if defined(SEARCH_PLAIN)
            BELLMAN_FORD(relax)(run, u, begin, stop);
#else
            if (!BELLMAN_FORD(relax)(run, u, begin, stop))
                return HOP__SEARCH_CYCLE;
#endif
            run->unreported += stop - begin;
            begin = stop;
            if (run->unreported >= REPORT_ARCS && !report(run))
                return HOP__SEARCH_CANCELLED;
        }
    }
    return HOP__SEARCH_DONE;
}

#undef BELLMAN_FORD
#undef ARRAYS
#undef SKIP
#undef ADD
#undef IMPROVES
#undef EQUALS
#undef STORE
