/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches for pairs that end as soon as they may: one for each group, by one thread; groups side
 * by side. No weight is negative, and no sum leaves its type.
 *
 * one-sided: Dijkstra's search (sssp_dijkstra.c) until the last target of the group is settled.
 * bidirectional: a group of few pairs is searched from both ends of each, in turns, until what both
 * have settled last is together at least the shortest way found so far (Pohl, "Bi-directional
 * search", 1971). For integers only: a rounded sum from the other end would be another one.
 *
 * A worker's arrays are cleared once; after that a search costs what it reaches.
 *
 * Distances do not depend on who searches what, so the number of threads does not matter. */
#include <stdio.h>
#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/sssp_dijkstra.h"
#include "sssp/sssp_pairs.h"

typedef struct pairs_cost {
    uint64_t count, arcs; /* searches, and what they have relaxed */
} pairs_cost;

typedef struct pairs_worker {
    hop__dijkstra searches[2]; /* of the graph, and of the one turned round */
    hop__dijkstra_trace traces[2];
    uint64_t *targets; /* a bit each */
    bool ready;
    uint64_t count;      /* of searches */
    pairs_cost one, two; /* of those from one end, and from both */
} pairs_worker;

typedef struct pairs_state {
    pairs_worker *workers;
} pairs_state;

static void list_blocks(const hop__pairs_task *task, unsigned ends, hop__workspace *space) {
    const hop_graph *graph = task->graph;
    size_t size = hop_type_size(task->query.distance_type);
    hop__block *workers = HOP__BLOCK(space, "pairs: searches", task->workers, pairs_state, workers);
    workers->zero = true;
    hop__block_within(space, workers);
    for (unsigned end = 0; end < ends; end++) {
        size_t trace = offsetof(pairs_worker, traces) + end * sizeof(hop__dijkstra_trace);
        hop__dijkstra_blocks(space, offsetof(pairs_worker, searches) + end * sizeof(hop__dijkstra),
                             end == 0 ? graph : task->backward, false);
        hop__block_add(space, "pairs: distances", graph->vertices, size,
                       trace + offsetof(hop__dijkstra_trace, distances));
        HOP__BLOCK_AT(space, trace, "pairs: reached", graph->vertices, hop__dijkstra_trace,
                      reached);
    }
    HOP__BLOCK(space, "pairs: targets", hop__bitmap_words(graph->vertices), pairs_worker, targets)
        ->zero = true;
    hop__block_within(space, NULL);
}

static void one_sided_blocks(const void *task, hop__workspace *space) {
    list_blocks(task, 1, space);
}

static void bidirectional_blocks(const void *task, hop__workspace *space) {
    list_blocks(task, 2, space);
}

/* ---- one group ------------------------------------------------------------------------------ */

typedef struct pairs_job {
    hop_context *context;
    hop__pairs_task *task;
    pairs_worker *workers;
    bool both;                 /* ends */
    atomic_uint_fast64_t next; /* the first key that nobody has taken */
    atomic_bool stopped;
} pairs_job;

static hop_vertex end_of(uint64_t key) {
    return (hop_vertex)(key >> 32);
}

/* The pair's other end: where the search is to come. */
static hop_vertex goal_of(const hop__pairs_task *task, uint64_t key) {
    const hop_edge *pair = &task->pairs[(uint32_t)key];
    return task->turned ? pair->from : pair->to;
}

static void *place_of(const hop__pairs_task *task, uint64_t key) {
    return (char *)task->distances + (uint32_t)key * hop_type_size(task->query.distance_type);
}

static bool make_ready(const pairs_job *job, pairs_worker *worker) {
    const hop_graph *graphs[2] = {job->task->graph, job->task->backward};
    if (worker->ready)
        return true;
    worker->ready = true;
    for (unsigned end = 0; end < (job->both ? 2 : 1); end++) {
        hop__dijkstra_begin(&worker->searches[end], graphs[end]);
        if (!hop__dijkstra_clear(job->context, &worker->searches[end], &worker->traces[end]))
            return false;
    }
    return true;
}

static uint64_t relaxed(const pairs_worker *worker) {
    return worker->searches[0].relaxations + worker->searches[1].relaxations;
}

/* Whether so many pairs are done sooner from both ends each than by one search, by what both have
 * taken so far; of a search from one end nothing is known at first but that it may see the graph.
 */
static bool are_few(const pairs_job *job, const pairs_worker *worker, uint64_t count) {
    double one = worker->one.count > 0 ? (double)worker->one.arcs / (double)worker->one.count
                                       : (double)job->task->graph->arcs / 2;
    double two = worker->two.count > 0 ? (double)worker->two.arcs / (double)worker->two.count : 0;
    return job->both && count <= HOP__PAIRS_FEW && (double)count * two <= one;
}

static void note_cost(pairs_cost *cost, const pairs_worker *worker, uint64_t before) {
    cost->count++;
    cost->arcs += relaxed(worker) - before;
}

/* Pairs of a group from both ends, as long as that seems the shorter way for those that are left;
 * *begin is the first of them in the end. */
static bool search_few(const pairs_job *job, pairs_worker *worker, uint64_t *begin, uint64_t end) {
    const hop__pairs_task *task = job->task;
    for (; *begin < end && are_few(job, worker, end - *begin); ++*begin) {
        uint64_t key = task->keys[*begin], before = relaxed(worker);
        worker->count++;
        if (!hop__dijkstra_between(job->context, worker->searches, worker->traces, end_of(key),
                                   goal_of(task, key), place_of(task, key)))
            return false;
        note_cost(&worker->two, worker, before);
    }
    return true;
}

static bool search_group(const pairs_job *job, pairs_worker *worker, uint64_t begin, uint64_t end) {
    const hop__pairs_task *task = job->task;
    const size_t size = hop_type_size(task->query.distance_type);
    hop__dijkstra_trace *trace = &worker->traces[0];
    uint64_t targets = 0;
    if (!make_ready(job, worker) || !search_few(job, worker, &begin, end))
        return false;
    if (begin == end)
        return true;
    uint64_t before = relaxed(worker);
    for (uint64_t i = begin; i < end; i++)
        targets += hop__bitmap_claim(worker->targets, goal_of(task, task->keys[i]));
    worker->count++;
    bool done = hop__dijkstra_reach(job->context, &worker->searches[0], trace,
                                    end_of(task->keys[begin]), worker->targets, targets);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex goal = goal_of(task, task->keys[i]);
        memcpy(place_of(task, task->keys[i]), (const char *)trace->distances + goal * size, size);
        worker->targets[goal / 64] = 0; /* all of its bits are of this group */
    }
    hop__dijkstra_untrace(&worker->searches[0], trace);
    note_cost(&worker->one, worker, before);
    return done;
}

/* The next group that nobody has taken: its keys are begin .. end-1. */
static bool take_group(pairs_job *job, uint64_t *begin, uint64_t *end) {
    const hop__pairs_task *task = job->task;
    *begin = atomic_load_explicit(&job->next, memory_order_relaxed);
    do {
        if (*begin >= task->count || atomic_load_explicit(&job->stopped, memory_order_relaxed))
            return false;
        *end = *begin + 1;
        while (*end < task->count && end_of(task->keys[*end]) == end_of(task->keys[*begin]))
            ++*end;
    } while (!atomic_compare_exchange_weak_explicit(&job->next, begin, *end, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void search_groups(void *arg, unsigned thread, unsigned threads) {
    pairs_job *job = arg;
    uint64_t begin, end;
    (void)threads;
    while (take_group(job, &begin, &end))
        if (!search_group(job, &job->workers[thread], begin, end) ||
            !hop__progress_add(job->context, end - begin))
            atomic_store_explicit(&job->stopped, true, memory_order_relaxed);
}

static hop_status search_all(hop_context *context, hop__pairs_task *task, hop__blocks_fn blocks,
                             bool both) {
    pairs_state state = {0};
    hop__workspace space = {0};
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, blocks, task, &state, &space));
    pairs_job job = {.context = context, .task = task, .workers = state.workers, .both = both};
    hop__progress_begin(context, "pairs", task->count);
    hop__phase(context, "searches");
    hop__phase_items(context, task->count);
    hop__team_loose(context, task->workers, search_groups, &job);
    for (unsigned i = 0; i < task->workers; i++) {
        const pairs_worker *worker = &state.workers[i];
        task->searches += worker->count;
        task->relaxations += worker->searches[0].relaxations + worker->searches[1].relaxations;
    }
    status = hop__progress_end(context);
done:
    hop__workspace_close(&space, status);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

static bool refuse_two(const void *given, char reason[HOP__REASON]) {
    const hop__pairs_task *task = given;
    if (task->query.distance_type != HOP_TYPE_INT64) {
        snprintf(reason, HOP__REASON,
                 "with floating-point weights the sum from the other end may be another one");
        return true;
    }
    if (!task->backward)
        snprintf(reason, HOP__REASON,
                 "the graph is directed, and its reverse arcs are not prepared");
    return !task->backward;
}

static const hop__variant one_sided = {
    .about = {.name = "one-sided",
              .summary = "from each source, until its last target is settled",
              .source = "Dijkstra 1959",
              .place = HOP_PLACE_HOST},
    .blocks = one_sided_blocks};
static const hop__variant bidirectional = {
    .about = {.name = "bidirectional",
              .summary = "from both ends of each pair, until they meet",
              .source = "Pohl 1971",
              .place = HOP_PLACE_HOST,
              .uses = HOP_PREPARE_REVERSE},
    .refuse = refuse_two,
    .blocks = bidirectional_blocks};

static const hop__variant *const variants[] = {&one_sided, &bidirectional};

static const hop__variant *pairs_pick(const void *given, char reason[HOP__REASON]) {
    const hop__pairs_task *task = given;
    char why[HOP__REASON];
    if (refuse_two(task, why)) {
        snprintf(reason, HOP__REASON, "%s", why);
        return &one_sided;
    }
    if (task->small == 0) {
        snprintf(reason, HOP__REASON, "each search is for more than %d pairs", HOP__PAIRS_FEW);
        return &one_sided;
    }
    snprintf(reason, HOP__REASON,
             "integer distances add up the same from either end, and most of the graph need not "
             "be looked at");
    return &bidirectional;
}

/* As many workers as there is memory for; where there is none for one that searches from both ends
 * and nobody has asked for it, from one end. */
static hop_status pairs_fit(hop_context *context, hop__call *call) {
    hop__pairs_task *task = call->task;
    uint64_t need;
    (void)context;
    for (task->workers = task->most_workers;; task->workers--) {
        need = hop__variant_need(call->row, task, NULL).bytes[HOP__MEMORY_HOST];
        if (need <= task->free_bytes || task->workers == 1)
            break;
    }
    if (need > task->free_bytes && call->row == &bidirectional && !hop__is_named(&call->run)) {
        call->row = &one_sided;
        call->report.variant = &one_sided.about;
        snprintf(call->report.reason, sizeof call->report.reason,
                 "there is no memory to search from both ends");
        need = hop__variant_need(call->row, task, NULL).bytes[HOP__MEMORY_HOST];
    }
    call->report.memory_bytes = need;
    return HOP_OK;
}

static hop_status pairs_run(hop_context *context, hop__call *call) {
    hop__pairs_task *task = call->task;
    hop_status status = search_all(context, task, call->row->blocks, call->row == &bidirectional);
    call->report.rounds = task->searches;
    call->report.relaxations = task->relaxations;
    return status;
}

const hop__problem hop__pairs_problem = {.name = "pairs",
                                         .rows = variants,
                                         .row_count = HOP_LENGTH(variants),
                                         .pick = pairs_pick,
                                         .fit = pairs_fit,
                                         .run = pairs_run};
