/* SPDX-License-Identifier: Apache-2.0
 *
 * dijkstra: the search of Dijkstra from every vertex. D2, 3.2.2.
 *
 * In parallel over the sources, with one heap per thread (sssp_dijkstra.c has the search itself).
 * The way to go for graphs with few arcs and no negative weight.
 *
 * Cost: O(n (n + m) log n) work; per thread 12 bytes per vertex (24 for float64, or where distance
 * and vertex do not fit 64 bits), 8 more for int32 distances. */
#include <stdio.h>

#include "apsp/apsp_sources.h"
#include "core/try.h"
#include "io/text/text_print.h"

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    if (!task->query.negative)
        return false;
    char text[HOP__WEIGHT_TEXT];
    uint64_t arc = hop__sssp_negative_arc(graph, false);
    snprintf(reason, HOP__REASON,
             "the arc from %s to %s has the weight %s; johnson and bellman-ford take weights "
             "below 0",
             hop__name(graph, hop__row_of_arc(graph, arc)).s,
             hop__name(graph, graph->targets[arc]).s,
             hop__weight_text(graph->weight_type, graph->weights, arc, text));
    return true;
}

static void dijkstra_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__apsp_scratch_blocks(space, task);
    hop__apsp_dijkstra_blocks(space, task, task->query.graph);
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop_status status;
    HOP_TRY(status,
            hop__workspace_open(context, NULL, dijkstra_blocks, task, task->state, task->space));
    hop__apsp_dijkstra_begin(task, task->query.graph);
done:
    return status;
}

static hop__search_end search(hop_context *context, const hop__apsp_task *task,
                              hop__apsp_sources *sources, unsigned worker, hop_vertex source,
                              void *distances, hop_vertex *place) {
    (void)task;
    (void)place;
    return hop__dijkstra_run(context, &sources->dijkstra[worker], source, distances)
               ? HOP__SEARCH_DONE
               : HOP__SEARCH_CANCELLED;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    return hop__apsp_sources_run(context, task, "apsp: dijkstra", task->query.graph->arcs, search,
                                 first, count, out);
}

const hop__apsp_variant hop__apsp_dijkstra = {
    .row = {.about = {.name = "dijkstra",
                      .summary = "Dijkstra's search from each vertex; no weight below 0",
                      .source = "Kemp 2012, 3.2.2 (Dijkstra 1959)",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse,
            .blocks = dijkstra_blocks},
    .state_bytes = sizeof(hop__apsp_sources),
    .exact = true,
    .start = start,
    .rows = rows,
    .finish = hop__apsp_sources_finish,
};
