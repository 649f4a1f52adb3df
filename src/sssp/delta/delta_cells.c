/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of delta-stepping: how they begin, and how they become results. */
#include <math.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/progress.h"
#include "sssp/delta/delta_job.h"

enum {
    REACH_SLOTS = 4 * HOP__DELTA_REACH, /* a power of two */
    REACH_ARCS = 1 << 13,               /* that a probe follows at most */
};

/* Whether v is new to the table, in which it is now. */
static bool note(hop_vertex table[REACH_SLOTS], hop_vertex v) {
    uint32_t slot = v * UINT32_C(2654435769) % REACH_SLOTS;
    for (; table[slot] != HOP_NO_VERTEX; slot = (slot + 1) % REACH_SLOTS)
        if (table[slot] == v)
            return false;
    table[slot] = v;
    return true;
}

void hop__delta_probe(hop__delta_job *job) {
    const hop__sssp_query *query = &job->task->query;
    hop__delta_reach *reach = &job->reach;
    hop_vertex table[REACH_SLOTS];
    uint64_t arcs = 0;
    memset(table, 0xff, sizeof table);
    reach->count = 0;
    reach->whole = false;
    if (query->source_count > HOP__DELTA_REACH)
        return;
    for (hop_vertex i = 0; i < query->source_count; i++)
        if (note(table, query->sources[i]))
            reach->list[reach->count++] = query->sources[i];
    for (hop_vertex at = 0; at < reach->count; at++) {
        uint64_t i = hop__offset(job->graph, reach->list[at]);
        uint64_t end = hop__offset(job->graph, (uint64_t)reach->list[at] + 1);
        arcs += end - i;
        if (arcs > REACH_ARCS)
            return;
        for (; i < end; i++) {
            if (!note(table, job->graph->targets[i]))
                continue;
            if (reach->count == HOP__DELTA_REACH)
                return;
            reach->list[reach->count++] = job->graph->targets[i];
        }
    }
    reach->whole = true;
}

/* Where the sources reach few vertices the results are filled too. */
static void fill_cells(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    float *reals = hop__delta_is_real(job) ? job->task->distances : NULL;
    bool results = job->packed && job->reach.whole;
    (void)thread;
    if (results && job->task->parents)
        memset(job->task->parents + begin, 0xff, (end - begin) * sizeof(hop_vertex));
    for (uint64_t v = begin; results && reals && v < end; v++)
        reals[v] = (float)HUGE_VAL;
    for (uint64_t v = begin; v < end; v++)
        job->cells[v] = job->none;
}

static bool is_beyond_cutoff(const hop__sssp_query *query) {
    return query->distance_type == HOP_TYPE_INT64 ? query->cutoff_integer < 0
                                                  : query->cutoff_real < 0;
}

/* Sources are queued with the first member; others take from it. */
void hop__delta_start(hop__delta_job *job) {
    const hop__sssp_query *query = &job->task->query;
    hop__for(job->context, job->graph->vertices, HOP__DELTA_FILL_GRAIN, fill_cells, job);
    if (is_beyond_cutoff(query))
        return;
    for (hop_vertex i = 0; i < query->source_count; i++) {
        hop_vertex s = query->sources[i];
        if (job->cells[s] != job->none)
            continue;
        job->cells[s] = job->packed ? s : 0;
        job->queue.workers[0].reached++;
        hop__delta_put(&job->queue.workers[0], 0, s);
    }
}

/* Cells with parents become distances and parents. */
static void unpack_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    hop_vertex *parents = job->task->parents;
    float *reals = hop__delta_is_real(job) ? job->task->distances : NULL;
    uint64_t missing = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t cell = job->cells[v];
        if (reals)
            reals[v] = hop__float_of(cell);
        else if (cell != job->none)
            job->cells[v] = cell >> 32;
        if (parents)
            parents[v] = (hop_vertex)cell;
        missing += cell != job->none && (hop_vertex)cell == HOP_NO_VERTEX;
    }
    if (missing > 0)
        atomic_fetch_add(&job->missing, missing);
}

static uint64_t longest_arc(const hop_graph *graph) {
    return graph->weight_type == HOP_TYPE_NONE ? 1 : (uint64_t)graph->shared->facts.max_weight_int;
}

/* Whether an arc leads from u, which is reached, to a vertex that is not: if it is settled, because
 * the sum did not fit. */
static bool leads_too_far(const hop__delta_job *job, uint64_t u, uint64_t length) {
    if (length + longest_arc(job->graph) <= HOP__DELTA_PACKED_MOST)
        return false;
    uint64_t i = hop__offset(job->graph, u), end = hop__offset(job->graph, u + 1);
    while (i < end && hop__load_u64(&job->cells[job->graph->targets[i]]) != job->none)
        i++;
    return i < end;
}

static void find_edge(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    (void)thread;
    for (uint64_t u = begin; u < end && atomic_load(&job->missing) == 0; u++)
        if (job->cells[u] != job->none && leads_too_far(job, u, job->cells[u] >> 32))
            atomic_store(&job->missing, 1);
}

static void find_farthest(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    uint64_t farthest = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (job->cells[v] != job->none && job->cells[v] >> 32 > farthest)
            farthest = job->cells[v] >> 32;
    hop__raise_u64(&job->farthest, farthest);
}

/* Whether packed cells were too small: a sum that did not fit was all that led to some vertex. If
 * the farthest vertex and the largest weight fit together, there was none. */
bool hop__delta_is_too_small(hop__delta_job *job) {
    const hop_graph *graph = job->graph;
    if (!job->packed || hop__delta_is_real(job) || graph->arcs == 0 ||
        job->task->query.cutoff_integer <= (int64_t)HOP__DELTA_PACKED_MOST)
        return false;
    uint64_t weight = longest_arc(graph);
    if (weight * graph->vertices <= HOP__DELTA_PACKED_MOST) /* 31 and 32 bits */
        return false;
    job->farthest = 0;
    hop__for(job->context, graph->vertices, HOP__DELTA_FILL_GRAIN, find_farthest, job);
    if (hop__load_u64(&job->farthest) + weight <= HOP__DELTA_PACKED_MOST)
        return false;
    atomic_store(&job->missing, 0);
    hop__for(job->context, graph->vertices, HOP__DELTA_FILL_GRAIN, find_edge, job);
    return atomic_exchange(&job->missing, 0) != 0;
}

bool hop__delta_mark_cut_off(const hop__delta_job *job, uint64_t *marks) {
    bool some = false;
    if (!job->packed || hop__delta_is_real(job))
        return false;
    for (uint64_t u = 0; u < job->graph->vertices; u++)
        if (job->cells[u] != job->none && leads_too_far(job, u, job->cells[u] >> 32)) {
            hop__bitmap_set(marks, u);
            some = true;
        }
    return some;
}

static void drop_parents(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (job->cells[v] != job->none)
            job->cells[v] >>= 32;
}

static void queue_cut_off(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    hop__delta_worker *worker = &job->queue.workers[thread];
    for (uint64_t u = begin; u < end; u++) {
        if (job->cells[u] == job->none || !leads_too_far(job, u, job->cells[u]))
            continue;
        worker->reached++; /* it is worked on once more, and not in vain */
        hop__delta_put(worker, job->steps->key_of(job, (hop_vertex)u), (hop_vertex)u);
    }
}

void hop__delta_enlarge(hop__delta_job *job) {
    const uint64_t n = job->graph->vertices;
    hop__for(job->context, n, HOP__DELTA_FILL_GRAIN, drop_parents, job);
    job->packed = false;
    job->steps = hop__delta_steps_of(job->graph->weight_type, false);
    job->queue.key_of = job->steps->key_of;
    hop__delta_queue_reset(&job->queue);
    hop__delta_set_keys(job, job->delta, HOP__DELTA_PACKED_MOST - longest_arc(job->graph),
                        HOP__DELTA_FINE);
    hop__delta_open_limit(job);
    hop__for(job->context, n, HOP__DELTA_FILL_GRAIN, queue_cut_off, job);
}

static void requeue_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    for (uint64_t v = begin; v < end; v++)
        if (job->cells[v] != job->none && job->cells[v] >= job->from_cell)
            hop__delta_put(&job->queue.workers[thread], job->steps->key_of(job, (hop_vertex)v),
                           (hop_vertex)v);
}

void hop__delta_requeue(hop__delta_job *job, uint64_t cell) {
    hop__delta_queue_reset(&job->queue);
    hop__delta_open_limit(job);
    job->from_cell = cell;
    hop__for(job->context, job->graph->vertices, HOP__DELTA_FILL_GRAIN, requeue_range, job);
}

void hop__delta_unpack(hop__delta_job *job) {
    for (hop_vertex i = 0; job->reach.whole && i < job->reach.count; i++)
        unpack_range(job, job->reach.list[i], (uint64_t)job->reach.list[i] + 1, 0);
    if (job->reach.whole)
        return;
    hop__for(job->context, job->graph->vertices, HOP__DELTA_FILL_GRAIN, unpack_range, job);
}
