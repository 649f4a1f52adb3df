/* SPDX-License-Identifier: Apache-2.0
 *
 * bellman-ford: the search of Bellman and Ford from every vertex. D2, 3.2.3.
 *
 * In parallel over the sources, with one workspace per thread (sssp_bellman_ford.c has the search
 * itself). It takes all weights; the only one for negative floating-point weights, whose sums it
 * keeps exact until the end, and for int64 weights so large that sums leave int64 on the way.
 *
 * Cost: O(n^2 m) work at worst, as a rule a few times that of dijkstra; per thread 5 bytes per
 * vertex, with negative weights 16 more and the exact sums (16 as a rule) where there are any; 8
 * for int32 distances. */
#include "apsp/apsp_sources.h"
#include "core/try.h"

static void bellman_ford_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__apsp_scratch_blocks(space, task);
    hop__block *searches =
        HOP__BLOCK(space, "apsp: searches", task->workers, hop__apsp_sources, bellman_ford);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__bellman_ford_blocks(space, 0, &task->query);
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop__apsp_sources *sources = task->state;
    hop_status status;
    HOP_TRY(status,
            hop__workspace_open(context, NULL, bellman_ford_blocks, task, sources, task->space));
    for (unsigned i = 0; i < task->workers; i++)
        sources->bellman_ford[i].query = &task->query;
done:
    return status;
}

static hop__search_end search(hop_context *context, const hop__apsp_task *task,
                              hop__apsp_sources *sources, unsigned worker, hop_vertex source,
                              void *distances, hop_vertex *place) {
    (void)task;
    return hop__bellman_ford_run(context, &sources->bellman_ford[worker], &source, 1, distances,
                                 NULL, place);
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    return hop__apsp_sources_run(context, task, "apsp: bellman-ford", 0, search, first, count, out);
}

const hop__apsp_variant hop__apsp_bellman_ford = {
    .row = {.about = {.name = "bellman-ford",
                      .summary = "the search of Bellman and Ford from each vertex; any weights",
                      .source = "Kemp 2012, 3.2.3 (Bellman 1958, Moore 1959)",
                      .place = HOP_PLACE_HOST},
            .blocks = bellman_ford_blocks},
    .state_bytes = sizeof(hop__apsp_sources),
    .exact = true,
    .start = start,
    .rows = rows,
    .finish = hop__apsp_sources_finish,
};
