/* SPDX-License-Identifier: Apache-2.0
 *
 * tarjan: one search in depth (strong_search.h) from each vertex that was not visited yet. The
 * sequential reference.
 *
 * Cost: O(n + m), each arc once; 8 bytes per vertex. */
#include "core/progress.h"
#include "core/try.h"
#include "strong/strong_search.h"

static void tarjan_blocks(const void *given, hop__workspace *space) {
    const hop_vertex n = ((const hop__strong_task *)given)->graph->vertices;
    HOP__BLOCK(space, "strong: ranks", n, hop__strong_search, ranks)->zero = true;
    HOP__BLOCK(space, "strong: stack", n, hop__strong_search, stack);
}

static hop_status tarjan_run(hop_context *context, const hop__strong_task *task) {
    const hop_vertex n = task->graph->vertices;
    hop__strong_search search = {
        .context = context, .graph = task->graph, .labels = task->labels, .end = n};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, tarjan_blocks, task, &search, &space));
    hop__progress_begin(context, "strong: tarjan", n);
    hop__phase(context, "search");
    hop__phase_items(context, task->graph->arcs);
    for (hop_vertex v = 0; v < n && !search.stopped; v++)
        if (search.ranks[v] == HOP__STRONG_OPEN)
            hop__strong_search_from(&search, v);
    HOP_TRY(status, hop__progress_end(context));
    task->report->relaxations = task->graph->arcs;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__strong_variant hop__strong_tarjan = {
    .row = {.about = {.name = "tarjan",
                      .summary = "one search in depth, by one thread",
                      .source = "Tarjan 1972",
                      .place = HOP_PLACE_HOST},
            .blocks = tarjan_blocks},
    .run = tarjan_run,
};
