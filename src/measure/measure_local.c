/* SPDX-License-Identifier: Apache-2.0
 *
 * Local efficiency: of each vertex, the efficiency of the graph of its neighbours alone, those that
 * it has arcs to: how well they do without it (Latora and Marchiori, "Efficient behavior of
 * small-world networks", 2001). No weights.
 *
 * The neighbours of a vertex are numbered, and the arcs between them gathered: from the rows of the
 * neighbours, or, of a row that is far longer than they are many, by looking for each of them. Then
 * searches breadth first from 64 of them at once, a bit each, that count how many pairs are how far
 * apart. Counts are whole numbers, and the sum over distances is ascending: the same bits whatever
 * the threads, which take one vertex after another.
 *
 * Cost: for each vertex v of d(v) neighbours with a(v) arcs between them O(d(v) (d(v) + a(v))) in
 * words of 64 bits; per thread 4 bytes per vertex, and up to min(m, D^2) arcs, D the greatest
 * degree. */
#include <stdio.h>
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "measure/measure_local.h"

enum { BITS = 64, LONG_ROW = 16 /* times as long as there are neighbours */ };

typedef struct local_worker {
    uint32_t *place;   /* n: 1 + the number of a neighbour; 0 between vertices */
    hop_vertex *near;  /* D: the neighbours, ascending */
    uint64_t *begins;  /* D + 1: of their arcs */
    uint32_t *targets; /* numbers of neighbours */
    uint64_t *seen, *found, *next;
    uint32_t *active, *later; /* neighbours that have bits in `found`, and in `next` */
    uint64_t *pairs;          /* D + 1: ordered pairs at each distance */
} local_worker;

typedef struct local_state {
    local_worker *workers;
} local_state;

typedef struct local_call {
    hop__call base; /* first: the operations get it */
    hop__local_task task;
    unsigned threads;
    uint64_t free_bytes;
} local_call;

typedef struct local_job {
    hop_context *context;
    const hop__local_task *task;
    local_worker *workers;
    atomic_uint_fast64_t next;
} local_job;

static void local_blocks(const void *given, hop__workspace *space) {
    const hop__local_task *task = given;
    const uint64_t most = task->graph->shared->facts.max_degree, arcs = task->graph->arcs;
    const bool few = most < UINT32_MAX && most * most < arcs;
    hop__block *workers =
        HOP__BLOCK(space, "local efficiency: workers", task->workers, local_state, workers);
    workers->zero = true;
    hop__block_within(space, workers);
    HOP__BLOCK(space, "local efficiency: places", task->graph->vertices, local_worker, place)
        ->zero = true;
    HOP__BLOCK(space, "local efficiency: neighbours", most, local_worker, near);
    HOP__BLOCK(space, "local efficiency: rows", most + 1, local_worker, begins);
    HOP__BLOCK(space, "local efficiency: arcs", few ? most * most : arcs, local_worker, targets);
    HOP__BLOCK(space, "local efficiency: seen", most, local_worker, seen);
    HOP__BLOCK(space, "local efficiency: found", most, local_worker, found);
    HOP__BLOCK(space, "local efficiency: next", most, local_worker, next)->zero = true;
    HOP__BLOCK(space, "local efficiency: active", most, local_worker, active);
    HOP__BLOCK(space, "local efficiency: later", most, local_worker, later);
    HOP__BLOCK(space, "local efficiency: pairs", most + 1, local_worker, pairs)->zero = true;
    hop__block_within(space, NULL);
}

/* The different targets of v; how many. */
static uint32_t neighbours_of(const hop_graph *graph, hop_vertex v, hop_vertex *near) {
    const uint64_t end = hop__offset(graph, (uint64_t)v + 1);
    uint32_t count = 0;
    for (uint64_t i = hop__offset(graph, v); i < end; i++)
        if (count == 0 || near[count - 1] != graph->targets[i])
            near[count++] = graph->targets[i];
    return count;
}

/* The arcs between the neighbours. */
static void gather_arcs(const hop_graph *graph, local_worker *worker, uint32_t count) {
    uint64_t arcs = 0;
    for (uint32_t i = 0; i < count; i++)
        worker->place[worker->near[i]] = i + 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t u = worker->near[i], end = hop__offset(graph, u + 1);
        const uint64_t begin = hop__offset(graph, u);
        worker->begins[i] = arcs;
        if ((end - begin) / LONG_ROW > count) {
            for (uint32_t k = 0; k < count; k++) {
                uint64_t at = hop__first_arc(graph, u, worker->near[k]);
                if (at < end && graph->targets[at] == worker->near[k])
                    worker->targets[arcs++] = k;
            }
            continue;
        }
        for (uint64_t at = begin; at < end; at++)
            if (worker->place[graph->targets[at]] != 0)
                worker->targets[arcs++] = worker->place[graph->targets[at]] - 1;
    }
    worker->begins[count] = arcs;
    for (uint32_t i = 0; i < count; i++)
        worker->place[worker->near[i]] = 0;
}

/* One level of up to 64 searches; how many pairs it finds. */
static uint64_t step(local_worker *worker, uint32_t *active_count) {
    uint32_t later = 0, kept = 0;
    uint64_t pairs = 0;
    for (uint32_t k = 0; k < *active_count; k++) {
        const uint32_t u = worker->active[k];
        for (uint64_t i = worker->begins[u]; i < worker->begins[u + 1]; i++) {
            const uint32_t w = worker->targets[i];
            if (worker->next[w] == 0)
                worker->later[later++] = w;
            worker->next[w] |= worker->found[u];
        }
    }
    for (uint32_t k = 0; k < later; k++) {
        const uint32_t w = worker->later[k];
        const uint64_t fresh = worker->next[w] & ~worker->seen[w];
        worker->next[w] = 0;
        if (fresh == 0)
            continue;
        worker->seen[w] |= fresh;
        worker->found[w] = fresh;
        worker->active[kept++] = w;
        pairs += (uint64_t)__builtin_popcountll(fresh);
    }
    *active_count = kept;
    return pairs;
}

/* Adds the pairs of the searches from 64 neighbours; how far they went. */
static uint32_t search_bits(local_worker *worker, uint32_t count, uint32_t first) {
    uint32_t active = 0, level = 0;
    memset(worker->seen, 0, count * sizeof *worker->seen);
    for (uint32_t i = first; i < count && i < first + BITS; i++) {
        worker->seen[i] = worker->found[i] = UINT64_C(1) << (i - first);
        worker->active[active++] = i;
    }
    while (active > 0) {
        uint64_t pairs = step(worker, &active);
        if (pairs > 0)
            worker->pairs[++level] += pairs;
    }
    return level;
}

/* The value of a vertex; false when it is cancelled. */
static bool look_around(hop_context *context, const hop_graph *graph, local_worker *worker,
                        hop_vertex v, double *value) {
    const uint32_t count = neighbours_of(graph, v, worker->near);
    uint32_t deepest = 0;
    bool goes_on = true;
    *value = 0;
    if (count < 2)
        return true;
    gather_arcs(graph, worker, count);
    for (uint32_t first = 0; goes_on && first < count;) {
        uint32_t level = search_bits(worker, count, first);
        deepest = level > deepest ? level : deepest;
        goes_on = hop__progress_add(context, 0);
        first = count - first > BITS ? first + BITS : count;
    }
    for (uint32_t d = 1; d <= deepest; d++) {
        *value += (double)worker->pairs[d] / d;
        worker->pairs[d] = 0;
    }
    *value /= (double)count * (count - 1.0);
    return goes_on;
}

static void look_around_each(void *arg, unsigned thread, unsigned threads) {
    local_job *job = arg;
    const hop__local_task *task = job->task;
    (void)threads;
    for (uint64_t at; (at = atomic_fetch_add(&job->next, 1)) < task->count;)
        if (!look_around(job->context, task->graph, &job->workers[thread],
                         hop__local_vertex(task, at), &task->values[at]) ||
            !hop__progress_add(job->context, 1))
            return;
}

static hop_status local_run(hop_context *context, hop__call *given) {
    hop__local_task *task = &((local_call *)given)->task;
    local_state state = {0};
    local_job job = {.context = context, .task = task};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, local_blocks, task, &state, &space));
    job.workers = state.workers;
    hop__phase(context, "neighbours");
    hop__phase_items(context, task->count);
    hop__progress_begin(context, "local efficiency", task->count);
    hop__team_loose(context, task->workers, look_around_each, &job);
    HOP_TRY(status, hop__progress_end(context));
    given->report.rounds = task->count;
done:
    hop__workspace_close(&space, status);
    return status;
}

static hop_status local_certify(hop_context *context, hop__call *given, hop_status ended) {
    (void)ended;
    return hop__local_certify(context, &((local_call *)given)->task);
}

/* As many threads as there is memory for. */
static hop_status local_fit(hop_context *context, hop__call *given) {
    local_call *call = (local_call *)given;
    hop__local_task *task = &call->task;
    uint64_t proof = 0, need;
    (void)context;
    if (given->run.certify != HOP_CERTIFY_NONE)
        proof = hop__blocks_need(hop__local_certify_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    for (task->workers = call->threads < task->count ? call->threads : task->count;;
         task->workers--) {
        need = hop__variant_need(given->row, task, NULL).bytes[HOP__MEMORY_HOST];
        given->report.memory_bytes = need > proof ? need : proof;
        if (given->report.memory_bytes <= call->free_bytes || task->workers == 1)
            return HOP_OK;
    }
}

static const hop__variant neighbours_row = {
    .about = {.name = "neighbours",
              .summary = "searches from up to 64 neighbours at once, a bit each; no weights",
              .source = "Latora and Marchiori 2001",
              .place = HOP_PLACE_HOST},
    .blocks = local_blocks};
static const hop__variant *const rows[] = {&neighbours_row};

static const hop__variant *local_pick(const void *given, char reason[HOP__REASON]) {
    (void)given;
    snprintf(reason, HOP__REASON, "there is one way");
    return &neighbours_row;
}

const hop__problem hop__local_problem = {.name = "local efficiency",
                                         .rows = rows,
                                         .row_count = HOP_LENGTH(rows),
                                         .pick = local_pick,
                                         .fit = local_fit,
                                         .run = local_run,
                                         .certify = local_certify};

hop_status hop__local_solve(hop_context *context, const hop_graph *graph,
                            const hop_measure_options *options, void *values, hop_vertex *count) {
    local_call call = {.threads = hop__team_limit(context)};
    hop__memory_usage usage = hop__pool_usage(context->pool);
    hop_status status;
    (void)count;
    call.base.problem = &hop__local_problem;
    call.base.task = &call.task;
    call.task.graph = graph;
    call.task.vertices = options->vertices;
    call.task.count = options->vertices ? options->vertex_count : graph->vertices;
    call.task.values = values;
    call.free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    call.base.empty = call.task.count == 0;
    HOP_TRY(status, hop__run_take(context, options->run, &call.base.run));
    HOP_TRY(status, hop_graph_check(context, graph));
    status = hop__vertices_check(context, "measure", "vertex", options->vertices,
                                 options->vertex_count, graph->vertices);
done:
    return hop__solve(context, &call.base, status);
}
