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

static uint64_t memory(const void *given) {
    const hop__apsp_task *task = given;
    uint64_t spaces = hop__apsp_times(hop__bellman_ford_memory(&task->query), task->workers);
    spaces = hop__apsp_add(spaces, hop__block_bytes(task->workers, sizeof(hop__bellman_ford)));
    return hop__apsp_add(spaces, hop__apsp_sources_memory(task, true));
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop_status status;
    HOP_TRY(status, hop__apsp_sources_create(context, task, true));
    hop__apsp_sources *sources = task->state;
    HOP_TRY(status, hop__alloc_zero(context, "apsp: searches", sources->workers,
                                    sizeof *sources->bellman_ford, &sources->bellman_ford));
    for (unsigned i = 0; i < sources->workers; i++)
        HOP_TRY(status, hop__bellman_ford_create(context, &task->query, &sources->bellman_ford[i]));
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
                      .source = "D2 3.2.3 (Bellman 1958, Moore 1959)",
                      .place = HOP_PLACE_HOST},
            .memory = memory},
    .exact = true,
    .start = start,
    .rows = rows,
    .finish = hop__apsp_sources_finish,
};
