/* SPDX-License-Identifier: Apache-2.0
 *
 * bfs: a search breadth first from every vertex, where each arc counts the same. D3, D2 3.2.
 *
 * In parallel over the sources, with one queue per thread: a vertex enters it once, in the order of
 * levels, so a slice of it is the frontier. The row of the matrix is all else that a search
 * remembers: what is not in it yet is new. So the row is cleared, nothing else is, and nobody looks
 * at arcs any more when all of it is filled in.
 *
 * A level is found from the frontier, or, where that has most of the arcs, from what is not reached
 * yet (Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012), if
 * the graph is undirected or its reverse arcs are prepared. Both find the same vertices.
 *
 * Every arc must have the same weight, or none, which is 1: then the k-th vertex on any way is k
 * times that weight away. Integers only; sums of floating-point numbers round on the way.
 *
 * Cost: O(n (n + m)) work, with a level from below fewer arcs; per thread 4 bytes per vertex. */
#include <stdio.h>

#include "apsp/apsp_sources.h"
#include "core/checked.h"
#include "core/progress.h"
#include "core/try.h"

enum { REPORT_ARCS = 1 << 16, FILL_VERTICES = 1 << 20 };
enum { LOOK_SHARE = 4, SCAN_SHARE = 1 }; /* see from_below */

/* One search. */
typedef struct breadth_run {
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: NULL where there is none */
    const hop_vertex *head;           /* of the queue: where the frontier begins */
    hop_vertex *tail;
    int64_t step;        /* what an arc counts */
    uint64_t behind;     /* arcs of what is in the queue before the frontier */
    uint64_t unreported; /* vertices and arcs */
    uint64_t relaxations;
} breadth_run;

static bool report(breadth_run *run) {
    uint64_t amount = run->unreported;
    run->unreported = 0;
    return hop__progress_add(run->context, amount);
}

/* Whether the next level is found from what is not reached yet: when the arcs of the frontier are
 * more than that will look at, which is a place of the row for each vertex, and of the arcs that
 * are left a share, since a vertex stops at the first that fits. */
static bool from_below(breadth_run *run) {
    uint64_t arcs = 0, n = run->graph->vertices;
    if (!run->reverse)
        return false;
    for (const hop_vertex *u = run->head; u < run->tail; u++)
        arcs += hop__offset(run->graph, (uint64_t)*u + 1) - hop__offset(run->graph, *u);
    run->behind += arcs;
    return arcs > (run->graph->arcs - run->behind) / LOOK_SHARE + n / SCAN_SHARE;
}

#define DOMAIN int32
#include "apsp/apsp_bfs_template.h"
#define DOMAIN int64
#include "apsp/apsp_bfs_template.h"

bool hop__apsp_refuse_weights(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    const hop__facts *facts = &graph->shared->facts;
    uint64_t most;
    reason[0] = '\0';
    if (graph->weight_type == HOP_TYPE_NONE)
        return false;
    if (task->query.distance_type != HOP_TYPE_INT64)
        snprintf(reason, HOP__REASON,
                 "it counts arcs, and the weights are %s; dijkstra adds them up",
                 hop_type_name(graph->weight_type));
    else if (facts->min_weight_int != facts->max_weight_int)
        snprintf(reason, HOP__REASON,
                 "it counts arcs, and their weights differ, from %lld to %lld; dijkstra adds them "
                 "up",
                 (long long)facts->min_weight_int, (long long)facts->max_weight_int);
    else if (task->query.negative ||
             !hop__mul_u64(graph->vertices - UINT64_C(1), (uint64_t)facts->max_weight_int, &most) ||
             most >= HOP_NO_DISTANCE)
        snprintf(reason, HOP__REASON, "%u arcs of weight %lld %s", graph->vertices - 1,
                 (long long)facts->max_weight_int,
                 task->query.negative ? "have a sum below 0; johnson takes such weights"
                                      : "may leave int64; dijkstra looks after that");
    return reason[0] != '\0';
}

static void breadth_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__block *queues =
        HOP__BLOCK(space, "apsp: searches", task->workers, hop__apsp_sources, queues);
    queues->zero = true;
    hop__block_within(space, queues);
    hop__block_add(space, "apsp: queue", task->query.graph->vertices, sizeof(hop_vertex), 0);
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    return hop__workspace_open(context, NULL, breadth_blocks, task, task->state, task->space);
}

static hop__search_end search(hop_context *context, const hop__apsp_task *task,
                              hop__apsp_sources *sources, unsigned worker, hop_vertex source,
                              void *distances, hop_vertex *place) {
    const hop_graph *graph = task->query.graph;
    breadth_run run = {
        .context = context,
        .graph = graph,
        .reverse = hop_graph_prepared_reverse(graph),
        .head = sources->queues[worker],
        .tail = sources->queues[worker],
        .step = graph->weight_type == HOP_TYPE_NONE ? 1 : graph->shared->facts.max_weight_int};
    (void)place;
    bool done = task->distance_type == HOP_TYPE_INT32 ? int32_search(&run, source, distances)
                                                      : int64_search(&run, source, distances);
    atomic_fetch_add_explicit(&sources->relaxations, run.relaxations, memory_order_relaxed);
    return done ? HOP__SEARCH_DONE : HOP__SEARCH_CANCELLED;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    const hop_graph *graph = task->query.graph;
    return hop__apsp_sources_run(context, task, "apsp: bfs", graph->arcs + graph->vertices, search,
                                 first, count, out);
}

const hop__apsp_variant hop__apsp_bfs = {
    .row = {.about = {.name = "bfs",
                      .summary = "a search breadth first from each vertex; no weights, or all of "
                                 "them the same integer",
                      .source = "CSE 599 I",
                      .place = HOP_PLACE_HOST},
            .refuse = hop__apsp_refuse_weights,
            .blocks = breadth_blocks},
    .state_bytes = sizeof(hop__apsp_sources),
    .exact = true,
    .start = start,
    .rows = rows,
    .finish = hop__apsp_sources_finish,
};
