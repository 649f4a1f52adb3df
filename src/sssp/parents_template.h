/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes of sssp_parents.c for one domain (graph/numbers.h). Before including: DOMAIN; SUMS:
 * plain, or exact, and then PARENTS_EXACT is defined as well. */
#include "graph/domain_begin.h"

#define PARENTS(name) HOP__JOIN(SUMS, HOP__JOIN(DOMAIN, name))

#if defined(PARENTS_EXACT)

static inline bool PARENTS(is_reached)(const parents_view *view, uint64_t v) {
    return !hop__exact_is_none(&view->scale, view->sums + v * view->scale.words);
}

/* Arc i, from u, which is reached, to v. */
static inline bool PARENTS(is_tight)(const parents_view *view, uint64_t u, uint64_t i, uint64_t v) {
    const hop__exact *scale = &view->scale;
    const WEIGHT *weights = view->weights;
    uint64_t sum[HOP__EXACT_WORDS];
    if (NUMBER(is_barrier)(weights, i))
        return false;
    hop__exact_add(scale, view->sums + u * scale->words, NUMBER(term)(scale, weights, i), sum);
    return hop__exact_compare(scale, sum, view->sums + v * scale->words) == 0;
}

/* There are negative weights, so all tight arcs make layers, and this is not asked. */
static inline bool PARENTS(is_nearer)(const parents_view *view, uint64_t u, uint64_t v) {
    (void)view, (void)u, (void)v;
    return false;
}

#else

static inline bool PARENTS(is_reached)(const parents_view *view, uint64_t v) {
    return NUMBER(is_reached)(((const DISTANCE *)view->distances)[v]);
}

static inline bool PARENTS(is_tight)(const parents_view *view, uint64_t u, uint64_t i, uint64_t v) {
    const DISTANCE *d = view->distances;
    return NUMBER(is_tight)(d[u], (const WEIGHT *)view->weights, i, d[v]);
}

static inline bool PARENTS(is_nearer)(const parents_view *view, uint64_t u, uint64_t v) {
    const DISTANCE *d = view->distances;
    return d[u] < d[v];
}

#endif

/* Arcs begin .. end-1: each tight one from a nearer u offers u as the parent of its target. A u
 * with a tight arc to a vertex as far is marked. */
static void PARENTS(nearer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->graph;
    const parents_view view = view_of(job, graph);
    (void)thread;
    if (!hop__progress_add(job->context, end - begin))
        return;
    for (uint64_t u = hop__row_of_arc(graph, begin); begin < end; u++) {
        uint64_t stop = hop__offset(graph, u + 1) < end ? hop__offset(graph, u + 1) : end;
        for (uint64_t i = begin; i < stop && PARENTS(is_reached)(&view, u); i++) {
            hop_vertex v = graph->targets[i];
            if (!PARENTS(is_reached)(&view, v) || !PARENTS(is_tight)(&view, u, i, v))
                continue;
            if (PARENTS(is_nearer)(&view, u, v))
                (void)offer_parent(&job->parents[v], (hop_vertex)u);
            else
                (void)hop__bitmap_claim(job->level, u);
        }
        begin = stop;
    }
}

/* Arc i, from u of the layer under way to v, which is queued if that is its first offer; returns
 * the arcs of v then. */
static inline uint64_t PARENTS(offer_layer)(parents_job *job, const parents_view *view,
                                            hop_vertex u, uint64_t i, hop_vertex v) {
    if (hop__bitmap_get(job->layered, v) || !PARENTS(is_reached)(view, v) ||
        !PARENTS(is_tight)(view, u, i, v) || (job->level_only && PARENTS(is_nearer)(view, u, v)) ||
        !offer_parent(&job->parents[v], u))
        return 0;
    job->queue[atomic_fetch_add_explicit(&job->tail, 1, memory_order_relaxed)] = v;
    return hop__any_degree(job->graph, v);
}

/* Vertices queue[begin .. end-1], all of one layer: offers each to the targets of its tight arcs
 * that have no layer yet, and queues these. */
static void PARENTS(next_layer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->graph;
    uint64_t arcs = 0, queued = 0;
    const parents_view view = view_of(job, graph);
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++) {
        hop_vertex u = job->queue[at];
        uint64_t stop = hop__offset(graph, (uint64_t)u + 1), i = hop__offset(graph, u);
        arcs += stop - i;
        for (; i < stop; i++) {
            if (i % POLL_ARCS == 0 && !hop__progress_add(job->context, 0))
                return;
            queued += PARENTS(offer_layer)(job, &view, u, i, graph->targets[i]);
        }
    }
    atomic_fetch_add_explicit(&job->layer_arcs, queued, memory_order_relaxed);
    (void)hop__progress_add(job->context, arcs);
}

/* The same for the rows in a block of a graph on disk. */
static void PARENTS(block_layer)(void *arg, const hop__arc_block *block, unsigned thread) {
    parents_job *job = arg;
    parents_view view = view_of(job, job->graph);
    view.weights = block->weights;
    (void)thread;
    for (hop__walk row = hop__walk_first(job->graph, block); row.begin < block->end;
         hop__walk_next(job->graph, block, &row))
        for (uint64_t i = row.begin; i < row.end && hop__bitmap_get(job->current, row.vertex); i++)
            (void)PARENTS(offer_layer)(job, &view, (hop_vertex)row.vertex, i - block->begin,
                                       block->targets[i - block->begin]);
}

/* The same from the other side: vertices begin .. end-1 that have no layer look for the first of
 * their neighbours, which is the smallest, that is in the layer under way and has a tight arc to
 * them. */
static void PARENTS(pull_layer)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    const hop_graph *graph = job->reverse;
    hop_vertex found[PULL_GRAIN];
    uint64_t arcs = 0, queued = 0, count = 0;
    const parents_view view = view_of(job, graph);
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        if (hop__bitmap_get(job->layered, v) || !PARENTS(is_reached)(&view, v))
            continue;
        uint64_t first = hop__offset(graph, v), stop = hop__offset(graph, v + 1), i = first;
        for (; i < stop; i++) {
            hop_vertex u = graph->targets[i];
            if (hop__bitmap_get(job->current, u) && PARENTS(is_tight)(&view, u, i, v) &&
                !(job->level_only && PARENTS(is_nearer)(&view, u, v)))
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
#include "graph/domain_end.h"
