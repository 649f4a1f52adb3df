/* SPDX-License-Identifier: Apache-2.0
 *
 * delta-stepping: vertices relax their arcs roughly nearest first, on all threads at once, until
 * nothing changes. Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
 * 2003; without barriers, work being taken from whoever is behind, after D'Antonio, Mai, Tsigas and
 * Vandierendonck, "Wasp: efficient asynchronous single-source shortest path on multicore systems",
 * 2025.
 *
 * A cell is 64 bits: distance above parent, where 31 bits are enough for distances (float32 always
 * is); lowering it by compare-and-swap gives the least distance and of the tight vertices the
 * smallest, whatever the order. Where 31 bits are too few that is found out on the way, and the
 * search is done again with cells that hold a distance of 64 bits; their parents come from
 * sssp_parents.c, in another pass.
 *
 * Most arcs of a graph of small diameter lead to vertices that are nearer by other ways. So after a
 * while, if there are many arcs per vertex, only sums up to a horizon are relaxed; the others cost
 * a look at the weight and no access to the target. When all is settled up to the horizon, it is
 * moved on and the settled vertices relax what has come within it; or, when the vertices that are
 * left have few arcs, these look at their neighbours instead: the settled vertices never relax the
 * rest of their arcs. Needs arcs by target: an undirected graph, or a reverse that is prepared.
 *
 * Delta, the width of a bucket, is a power of two near the median weight by the arcs per vertex, a
 * small factor aside; too small costs order, too large costs arcs relaxed twice. It has no part in
 * the answer.
 *
 * Invariants:
 *  1. A cell only falls, and is always that of a path. A vertex whose distance falls gets an entry
 *     in the queue; when the queue is empty no arc within the limit makes a distance fall.
 *  2. Every tight arc is relaxed (or pulled) with the final distance of its start: the last entry
 *     of a vertex has it. So the smallest tight vertex is in the cell. An arc between equal
 *     distances offers no parent; who has none is left to hop__sssp_level_parents.
 *
 * Cost: one random access per arc, per sixth arc if the horizon works; 10.2 bytes per vertex, 8
 * more for float32. The estimate has those of dijkstra, in their place, if they are more.
 *
 * What bounds the work for the worst input: within a bucket vertices come in no order, so nothing
 * in the search itself. The guard does (delta_guard.c): it leaves the search to dijkstra when more
 * than about half of the arcs have been relaxed in vain, and dijkstra goes on from what is queued.
 * So there are about 2 m relaxations at most, and as many entries, each of which moves 33 times at
 * most; passes for a horizon look at m / 2 arcs and those of the last pass, m / 2 at most. */
#include <math.h>
#include <stddef.h>

#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"
#include "problem/phases.h"
#include "sssp/delta/delta_job.h"

enum {
    MEMBER_ARCS = 1 << 14,
    RESUME_GRAIN = 1 << 10,
    /* Shares of all arcs: when there is a horizon from, when vertices that are left pull, when they
     * need no horizon. */
    FIRST_SHARE = 64,
    PULL_SHARE = 2,
    REST_SHARE = 16,
    LOOK_SHARE = 2, /* of arcs that passes for a horizon look at */
};

/* Parts of a run: the search, what dijkstra does of it, and parents. */
enum { SEARCH = 1, REST = 2, PARENTS = 3 };

static bool is_cancelled(const hop__delta_job *job) {
    return !hop__progress_add(job->context, 0);
}

/* Until nothing is left within the limit, or the job pauses. False when the rest is for
 * dijkstra. */
static bool search(hop__delta_job *job) {
    bool again;
    hop__phase(job->context, "search");
    do {
        /* What was seen between two searches is not about this one. */
        atomic_store(&job->guard.tripped, false);
        hop__team_of(job->context, job->team, hop__sssp_work(job->graph), job->steps->search, job);
        again = atomic_load(&job->guard.tripped) && !is_cancelled(job);
        if (!hop__delta_is_wasteful(job) || is_cancelled(job))
            continue;
        if (job->queue.exhausted || hop__workspace_has_room(job->space, REST))
            return false;
        job->guard.on = false; /* slow is better than not at all */
    } while (again);
    return true;
}

/* The horizon is moved on, to a bucket: what is settled relaxes the arcs that are within it now. */
static void resume(hop__delta_job *job, uint64_t bucket) {
    if (!hop__delta_set_limit(job, bucket, job->delta))
        hop__delta_open_limit(job);
    hop__phase(job->context, "resume");
    hop__for(job->context, job->graph->vertices, RESUME_GRAIN, job->steps->resume, job);
}

/* What is not settled takes the best from what is. */
static void pull(hop__delta_job *job) {
    const uint64_t n = job->graph->vertices;
    hop__delta_open_limit(job);
    hop__phase(job->context, "pull");
    hop__for(job->context, n, HOP__DELTA_FILL_GRAIN, job->steps->mark, job);
    hop__for(job->context, n, HOP__DELTA_PULL_GRAIN, job->steps->pull, job);
}

/* How far to go next, when `done` of the arcs, `before` of them a stride ago, are settled: to three
 * quarters of them, if they go on growing like that. */
static uint64_t next_stride(uint64_t stride, uint64_t before, uint64_t done, uint64_t arcs) {
    double grown = log((double)done / (double)before),
           left = log(.75 * (double)arcs / (double)done);
    double strides = left > 0 ? 1.3 * left / grown : 1;
    strides = strides < .5 ? .5 : strides > 4 ? 4 : strides;
    return 1 + (uint64_t)((double)stride * strides);
}

/* The search with a horizon; see the top. False when the rest is for dijkstra. */
static bool search_far(hop__delta_job *job, uint64_t stride) {
    const uint64_t arcs = job->graph->arcs;
    uint64_t done, before, looked = 0;
    job->pause_arcs = arcs / FIRST_SHARE / job->team + 1;
    bool go_on = search(job);
    job->pause_arcs = 0;
    done = hop__delta_total(job, offsetof(hop__delta_worker, processed));
    hop__delta_set_whole(job, hop__delta_least(&job->queue));
    uint64_t bucket = hop__delta_farthest(&job->queue) + stride;
    while (go_on && !is_cancelled(job) && hop__delta_set_limit(job, bucket, job->delta)) {
        go_on = search(job);
        before = done;
        done = hop__delta_total(job, offsetof(hop__delta_worker, processed));
        if (!go_on || is_cancelled(job))
            return go_on;
        job->low_integer = job->limit_integer;
        job->low_real = job->limit_real;
        /* Where little is added by a stride the horizon is of no use: passes over all vertices must
         * be few on any graph, and look at few arcs. */
        bool pulls = done + arcs / PULL_SHARE >= arcs;
        looked += pulls ? arcs - (done < arcs ? done : arcs) : done;
        bool last = done - before <= before / 8 || done + arcs / REST_SHARE >= arcs ||
                    looked > arcs / LOOK_SHARE;
        stride = last ? 0 : next_stride(stride, before, done, arcs);
        bucket = last ? UINT32_MAX : bucket + stride;
        if (pulls)
            pull(job);
        else
            resume(job, bucket);
    }
    hop__delta_open_limit(job);
    return go_on && (is_cancelled(job) || search(job));
}

static void count_work(hop__delta_job *job) {
    job->task->rounds += hop__delta_total(job, offsetof(hop__delta_worker, settled));
    job->task->relaxations += hop__delta_total(job, offsetof(hop__delta_worker, relaxations));
    hop__phase_items(job->context, job->task->relaxations);
    hop__count(job->context, "chunks taken from others",
               hop__delta_total(job, offsetof(hop__delta_worker, steals)));
    hop__count(job->context, "moves", hop__delta_total(job, offsetof(hop__delta_worker, moved)));
    if (job->widenings > 0)
        hop__count(job->context, "keys begun anew", job->widenings);
}

/* Makes the queue, chooses, and fills the cells. */
static hop_status prepare(hop__delta_job *job, uint32_t *stride) {
    hop_status status;
    const hop__sssp_task *task = job->task;
    job->packed = hop__delta_starts_packed(job->graph);
    job->steps = hop__delta_steps_of(job->graph->weight_type, job->packed);
    job->pick = hop__delta_pick_for(hop__cpu());
    job->none = !hop__delta_is_real(job) ? (uint64_t)HOP_NO_DISTANCE
                : job->packed ? (uint64_t)hop__float_bits((float)HUGE_VAL) << 32 | HOP_NO_VERTEX
                              : hop__double_bits(HUGE_VAL);
    uint64_t reached = job->reach.whole ? job->reach.count : job->graph->vertices;
    HOP_TRY(status, hop__delta_queue_begin(job->space, reached, task->threads, &job->queue));
    /* Below some ten thousand arcs for each, more members only get into each other's way. */
    uint64_t useful = 1 + (job->graph->arcs + job->graph->vertices) / MEMBER_ARCS;
    job->team = job->reach.whole ? 1 : useful < task->threads ? (unsigned)useful : task->threads;
    job->queue.key_of = job->steps->key_of;
    job->queue.key_arg = job;
    hop__delta_plan plan = hop__delta_make_plan(job, task->values[0]);
    *stride = job->reach.whole ? 0 : plan.stride;
    hop__delta_set_keys(job, plan.delta, 0, HOP__DELTA_FINE);
    hop__delta_open_limit(job);
    job->leaves = plan.leaves;
    job->short_rows = plan.short_rows;
    job->alone = task->threads == 1 || (job->team == 1 && *stride == 0);
    hop__delta_guard_start(job, *stride > 0);
    if (*stride > 0)
        HOP_TRY(status, hop__workspace_take(job->space, &job->settled,
                                            hop__bitmap_words(job->graph->vertices)));
    hop__progress_begin(job->context, "sssp: delta-stepping", job->graph->arcs);
    hop__phase(job->context, "fill");
    hop__delta_start(job);
done:
    return status;
}

/* All of the search, or as much as can be done without waste: then false, and `open` is the least
 * cell of a vertex that may not have relaxed all its arcs. */
static bool search_all(hop__delta_job *job, uint32_t stride, uint64_t *open) {
    bool go_on = stride > 0 ? search_far(job, stride) : search(job);
    *open = 0; /* where there is a horizon: settled vertices have not either */
    if (!go_on && job->pruned)
        return false;
    while (go_on && !is_cancelled(job)) {
        if (!hop__delta_is_empty(&job->queue))
            go_on = hop__delta_widen(job);
        else if (hop__delta_is_too_small(job))
            hop__delta_enlarge(job);
        else
            return true;
        go_on = go_on && search(job);
    }
    *open = hop__delta_open_cell(job);
    return go_on;
}

/* Distances of the whole search; parents too if the cells have them. */
static hop_status run_search(hop__delta_job *job) {
    hop_status status;
    uint32_t stride;
    uint64_t open_cell;
    HOP_TRY(status, prepare(job, &stride));
    bool whole = search_all(job, stride, &open_cell);
    count_work(job);
    HOP_TRY(status, hop__progress_end(job->context));
    bool rest = false;
    if (!whole) {
        HOP_TRY(status, hop__workspace_take(job->space, &job->open,
                                            hop__bitmap_words(job->graph->vertices)));
        rest = hop__delta_mark_open(job, open_cell, job->open);
    }
    hop__phase(job->context, "unpack");
    if (job->packed)
        hop__delta_unpack(job);
    HOP_TRY(status, hop__workspace_stage(job->space, REST));
    if (!rest)
        goto done;
    hop__count(job->context, "searches left to dijkstra", 1);
    hop__dijkstra_known known = {.open = job->open, .parents = job->packed, .level = job->level};
    HOP_TRY(status, hop__dijkstra_finish(job->space, &job->rest, job->task, &known));
    atomic_fetch_add(&job->missing, known.level_count);
done:
    return status;
}

/* Nothing but layers is left to find then. */
static bool is_all_zero(const hop__sssp_task *task) {
    const hop_graph *graph = task->query.graph;
    bool cut = task->query.distance_type == HOP_TYPE_INT64 ? task->query.cutoff_integer < 0
                                                           : task->query.cutoff_real < 0;
    return task->wants_parents && graph->arcs > 0 && graph->weight_type != HOP_TYPE_NONE && !cut &&
           graph->shared->facts.max_weight <= 0;
}

/* With what dijkstra needs if it has to end the search. */
static void delta_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    const hop__sssp_query *query = &task->query;
    const hop_graph *graph = query->graph;
    const size_t layers = offsetof(hop__delta_job, layers);
    uint64_t n = graph->vertices, words = hop__bitmap_words(n);
    bool packed = hop__delta_starts_packed(graph);
    bool levels = task->wants_parents && !query->increasing && packed;
    if (is_all_zero(task)) {
        hop__sssp_layers_blocks(space, layers, query);
        return;
    }
    if (levels)
        hop__sssp_level_block(space, layers, query);
    hop__block *open =
        HOP__BLOCK(space, "delta-stepping: open vertices", words, hop__delta_job, open);
    open->zero = open->on_demand = true;
    hop__block_stage(space, SEARCH);
    hop__delta_queue_blocks(space, offsetof(hop__delta_job, queue), n, task->threads);
    if (task->query.reverse && graph->arcs >= HOP__DELTA_FAR_ARCS) /* if there is a horizon */
        HOP__BLOCK(space, "delta-stepping: settled vertices", words, hop__delta_job, settled)
            ->on_demand = true;
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        HOP__BLOCK(space, "delta-stepping: cells", n, hop__delta_job, own_cells);
    hop__block_stage(space, REST);
    hop__dijkstra_blocks(space, offsetof(hop__delta_job, rest), graph, true);
    hop__block_stage(space, PARENTS);
    if (levels)
        hop__sssp_layers_blocks(space, layers, query);
    else if (task->wants_parents &&
             (!packed || graph->weight_type != HOP_TYPE_NONE || n > HOP__DELTA_PACKED_MOST))
        hop__sssp_parents_blocks(space, layers, query); /* or packed cells may be too small */
}

static void advise(const hop__sssp_task *task) {
    uint64_t n = task->query.graph->vertices;
    hop__advise_huge(task->distances, hop_type_size(task->query.distance_type) * n);
    if (task->parents)
        hop__advise_huge(task->parents, sizeof(hop_vertex) * n);
}

static hop_status delta_run_row(hop_context *context, hop__sssp_task *task) {
    const hop_graph *graph = task->query.graph;
    hop__workspace space = {0};
    hop__delta_job job = {.context = context,
                          .task = task,
                          .graph = graph,
                          .reverse = task->query.reverse,
                          .space = &space};
    hop_status status;
    advise(task);
    HOP_TRY(status, hop__workspace_open(context, NULL, delta_blocks, task, &job, &space));
    if (is_all_zero(task)) {
        HOP_TRY(status, hop__sssp_all_zero(&space, &job.layers, task));
        hop__sssp_cut(context, task);
        goto done;
    }
    HOP_TRY(status, hop__workspace_stage(&space, SEARCH));
    job.cells = job.own_cells ? job.own_cells : task->distances;
    job.level = job.layers.level;
    hop__delta_probe(&job);
    HOP_TRY(status, run_search(&job));
    hop__sssp_cut(context, task);
    HOP_TRY(status, hop__workspace_stage(&space, PARENTS));
    if (task->parents && !job.packed)
        HOP_TRY(status, hop__sssp_parents(&space, &job.layers, task, NULL));
    else if (task->parents && atomic_load(&job.missing) > 0)
        HOP_TRY(status, hop__sssp_level_parents(&space, &job.layers, task));
done:
    hop__workspace_close(&space, status);
    return status;
}

static const hop_parameter parameters[] = {
    {.name = "delta",
     .summary = "width of a bucket of distances, rounded down to a power of two; 0: by the weights",
     .type = HOP_PARAMETER_REAL,
     .minimum = 0,
     .maximum = 1e18,
     .standard = 0},
};

const hop__sssp_variant hop__sssp_delta_stepping = {
    .row = {.about = {.name = "delta-stepping",
                      .summary =
                          "nearest buckets first on all threads, without barriers; no weight "
                          "below 0",
                      .source = "Meyer and Sanders 2003; D'Antonio et al. 2025",
                      .place = HOP_PLACE_HOST,
                      .uses = HOP_PREPARE_REVERSE,
                      HOP__PARAMETERS(parameters)},
            .refuse = hop__sssp_refuse_negative,
            .blocks = delta_blocks},
    .run = delta_run_row,
};
