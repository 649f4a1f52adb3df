/* SPDX-License-Identifier: Apache-2.0
 *
 * The two passes of sssp_parents.c for one type of weights. Before including (all undefined again
 * at the end):
 *   PARENTS(name)         makes names unique
 *   ARRAYS(job, graph)    declares what the others need, for the arcs of that graph
 *   REACHED(v)            whether v has a distance
 *   TIGHT(u, i, v)        whether arc i, from u to v, is tight; u is reached
 *   NEARER(u, v)          d[u] < d[v] */

/* Arcs begin .. end-1: each tight one from a nearer u offers u as the parent of its target. A u
 * with a tight arc to a vertex as far is marked. */
static void PARENTS(nearer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->graph;
    ARRAYS(job, graph);
    (void)thread;
    if (!hop__progress_add(job->context, end - begin))
        return;
    for (uint64_t u = hop__row_of_arc(graph, begin); begin < end; u++) {
        uint64_t stop = hop__offset(graph, u + 1) < end ? hop__offset(graph, u + 1) : end;
        for (uint64_t i = begin; i < stop && REACHED(u); i++) {
            hop_vertex v = graph->targets[i];
            if (!REACHED(v) || !TIGHT(u, i, v))
                continue;
            if (NEARER(u, v))
                (void)offer_parent(&job->parents[v], (hop_vertex)u);
            else
                (void)hop__bitmap_claim(job->level, u);
        }
        begin = stop;
    }
}

/* Vertices queue[begin .. end-1], all of one layer: offers each to the targets of its tight arcs
 * that have no layer yet, and queues these. */
static void PARENTS(next_layer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->graph;
    uint64_t arcs = 0, queued = 0;
    ARRAYS(job, graph);
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++) {
        hop_vertex u = job->queue[at];
        uint64_t stop = hop__offset(graph, (uint64_t)u + 1), i = hop__offset(graph, u);
        arcs += stop - i;
        for (; i < stop; i++) {
            hop_vertex v = graph->targets[i];
            if (i % POLL_ARCS == 0 && !hop__progress_add(job->context, 0))
                return;
            if (hop__bitmap_get(job->layered, v) || !REACHED(v) || !TIGHT(u, i, v) ||
                (job->level_only && NEARER(u, v)))
                continue;
            if (offer_parent(&job->parents[v], u)) {
                job->queue[atomic_fetch_add_explicit(&job->tail, 1, memory_order_relaxed)] = v;
                queued += hop__offset(graph, (uint64_t)v + 1) - hop__offset(graph, v);
            }
        }
    }
    atomic_fetch_add_explicit(&job->layer_arcs, queued, memory_order_relaxed);
    (void)hop__progress_add(job->context, arcs);
}

/* The same from the other side: vertices begin .. end-1 that have no layer look for the first of
 * their neighbours, which is the smallest, that is in the layer under way and has a tight arc to
 * them. */
static void PARENTS(pull_layer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->reverse;
    hop_vertex found[PULL_GRAIN];
    uint64_t arcs = 0, queued = 0, count = 0;
    ARRAYS(job, graph);
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        if (hop__bitmap_get(job->layered, v) || !REACHED(v))
            continue;
        uint64_t first = hop__offset(graph, v), stop = hop__offset(graph, v + 1), i = first;
        for (; i < stop; i++) {
            hop_vertex u = graph->targets[i];
            if (hop__bitmap_get(job->current, u) && TIGHT(u, i, v) &&
                !(job->level_only && NEARER(u, v)))
                break;
        }
        arcs += i - first;
        if (i == stop)
            continue;
        job->parents[v] = graph->targets[i];
        found[count++] = (hop_vertex)v;
        queued += hop__offset(job->graph, v + 1) - hop__offset(job->graph, v);
    }
    uint64_t at = atomic_fetch_add_explicit(&job->tail, count, memory_order_relaxed);
    for (uint64_t k = 0; k < count; k++)
        job->queue[at + k] = found[k];
    atomic_fetch_add_explicit(&job->layer_arcs, queued, memory_order_relaxed);
    (void)hop__progress_add(job->context, arcs);
}

#undef PARENTS
#undef ARRAYS
#undef REACHED
#undef TIGHT
#undef NEARER
