/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front finds out for all variants: negative cycles, and distances that do not fit.
 *
 * A cycle of negative sum is found before any variant runs, by one search of Bellman and Ford from
 * all vertices at once, each at distance 0: it reaches every cycle, its sums are exact, and what it
 * leaves otherwise are potentials p <= 0 with p[v] <= p[u] + w along every arc. Since p[v] is the
 * least distance from any vertex to v, one that does not fit its type is a distance of some pair
 * that does not.
 *
 * Cost: O(n m) at worst, as a rule a few passes over the arcs; 37 bytes per vertex, and the exact
 * sums where there are any. */
#include <stdatomic.h>

#include "apsp/apsp_internal.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/bellman/sssp_bellman_rounds.h"

enum { POLL_ARCS = 1 << 18 };

/* Fewer workers than threads: memory is short, or few rows are wanted; the queue needs the
 * least. */
static hop__bellman_order order_of(const hop__apsp_task *task) {
    return task->workers < task->threads ? HOP__BELLMAN_QUEUE : HOP__BELLMAN_AUTO;
}

/* The state is a hop__bellman_search. */
static void cycle_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__bellman_search_blocks(space, 0, &task->query, order_of(task), task->threads);
}

uint64_t hop__apsp_find_cycle_memory(const hop__apsp_task *task) {
    uint64_t n = task->query.graph->vertices;
    uint64_t arrays = hop__apsp_add(hop__block_bytes(n, sizeof(hop_vertex)),
                                    hop__block_bytes(n, sizeof(int64_t)));
    uint64_t search = hop__blocks_need(cycle_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    return hop__apsp_add(arrays, search);
}

/* The search is over; says what came of it. */
static hop_status judge(hop_context *context, hop__apsp_task *task,
                        const hop__bellman_search *search) {
    if (search->end == HOP__SEARCH_BEYOND) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "apsp: the least distance to vertex %s does not fit %s",
                  hop__name(task->query.graph, search->place).s,
                  hop_type_name(task->query.distance_type));
        hop__note_vertex(context, HOP_KIND_OVERFLOW, search->place);
        return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "scale the weights down");
    }
    if (search->end != HOP__SEARCH_CYCLE)
        return HOP_OK;
    return hop__cycle_keep(context, "apsp", task->query.graph, search->ford.tree, search->place);
}

hop_status hop__apsp_find_cycle(hop_context *context, hop__apsp_task *task, bool potentials) {
    hop_vertex n = task->query.graph->vertices, *sources = NULL;
    hop__bellman_search search = {0};
    hop__workspace space = {0};
    int64_t *distances = NULL; /* or floating-point ones, in the same place */
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "apsp: sources", n, sizeof *sources, &sources));
    HOP_TRY(status, hop__alloc(context, "apsp: potentials", n, sizeof *distances, &distances));
    for (hop_vertex v = 0; v < n; v++)
        sources[v] = v;
    hop__progress_begin(context, "apsp: negative cycles", 0);
    HOP_TRY(status, hop__workspace_open(context, NULL, cycle_blocks, task, &search, &space));
    HOP_TRY(status, hop__bellman_search_run(&space, &task->query, order_of(task), task->threads,
                                            sources, n, distances, NULL, &search));
    task->relaxations += search.ford.relaxations;
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, judge(context, task, &search));
    if (potentials) {
        task->potentials = distances;
        distances = NULL;
    }
done:
    hop__workspace_close(&space, status);
    hop__free(sources);
    hop__free(distances);
    return status;
}

typedef struct range_job {
    hop_context *context;
    const hop_graph *graph;
    const int64_t *rows;
    atomic_uint_fast64_t pair; /* row << 32 | target of one that does not fit; else UINT64_MAX */
} range_job;

/* False with an arc from what is reached to what is not. */
static bool row_fits(const range_job *job, const int64_t *row, hop_vertex *target) {
    const hop_graph *graph = job->graph;
    uint64_t reported = 0;
    for (uint64_t u = 0; u < graph->vertices; u++) {
        uint64_t end = hop__offset(graph, u + 1);
        if (end - reported >= POLL_ARCS || u + 1 == graph->vertices) {
            if (!hop__progress_add(job->context, end - reported))
                return true; /* cancelled: nobody asks any more */
            reported = end;
        }
        for (uint64_t i = hop__offset(graph, u); i < end && row[u] != HOP_NO_DISTANCE; i++)
            if (row[graph->targets[i]] == HOP_NO_DISTANCE) {
                *target = graph->targets[i];
                return false;
            }
    }
    return true;
}

static void check_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    range_job *job = arg;
    hop_vertex target;
    (void)thread;
    for (uint64_t r = begin; r < end; r++) {
        if (!row_fits(job, job->rows + r * job->graph->vertices, &target))
            atomic_store(&job->pair, r << 32 | target);
    }
}

hop_status hop__apsp_check_range(hop_context *context, const hop__apsp_task *task, hop_vertex first,
                                 hop_vertex count, const void *rows) {
    range_job job = {context, task->query.graph, rows, UINT64_MAX};
    if (!task->query.wide || task->query.negative)
        return HOP_OK;
    hop__phase(context, "check range");
    hop__progress_begin(context, "apsp: range of distances",
                        hop__apsp_times(count, task->query.graph->arcs));
    hop__for(context, count, 1, check_rows, &job);
    hop_status status = hop__progress_end(context);
    uint64_t pair = atomic_load(&job.pair);
    if (status != HOP_OK || pair == UINT64_MAX)
        return status;
    return hop__apsp_refuse_distance(
        context, task, hop__apsp_vertex(task, first + (hop_vertex)(pair >> 32)), (hop_vertex)pair);
}
