/* SPDX-License-Identifier: Apache-2.0
 *
 * stream: union-find over the arcs as they come, each once, in any order; nothing but the forest is
 * in memory. For graphs on disk, whose arcs are read from front to back; those in memory it takes
 * in the same blocks.
 *
 * Blocks of arcs are joined side by side, by Rem's algorithm with splicing (components_rem.c),
 * which does not care for the order; so one pass is enough, and while one part is joined the next
 * is read. Of an undirected edge the arc from the larger end is taken, the other one passed over.
 *
 * Invariant: parents[v] <= v, and parents never grow; so climbing ends.
 *
 * A graph whose edges were joined while they were read (components_joined.c) has its labels
 * already: they are handed out.
 *
 * Cost: one reading of the targets; nearly linear in practice; 4 bytes per vertex, which are the
 * result. */
#include <string.h>

#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/try.h"
#include "problem/arc_counts.h"

enum { AHEAD = 16 };

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *parents;
} job;

static void join_block(void *arg, const hop__arc_block *block, unsigned thread) {
    const job *work = arg;
    const hop_graph *graph = work->graph;
    const hop_vertex *targets = block->targets;
    uint64_t last = block->end - block->begin - 1;
    (void)thread;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row)) {
        uint64_t end = row.end - block->begin;
        for (uint64_t i = row.begin - block->begin; i < end; i++) {
            if (!graph->directed && targets[i] >= row.vertex)
                break; /* rows are sorted: the rest are edges that come up from their other end */
            __builtin_prefetch(&work->parents[targets[i + AHEAD < last ? i + AHEAD : last]]);
            hop__rem_join(work->parents, (hop_vertex)row.vertex, targets[i]);
        }
    }
    (void)hop__progress_add(work->context, block->end - block->begin);
}

static void stream_blocks(const void *given, hop__workspace *space) {
    const hop__components_task *task = given;
    if (task->graph->joined != NULL)
        return;
    hop__block_reserve(space, HOP__MEMORY_HOST, "components: blocks of arcs",
                       hop__arcs_bytes(task->graph));
}

static hop_status hand_out(hop_context *context, const hop__components_task *task) {
    uint64_t bytes = sizeof *task->labels * (uint64_t)task->graph->vertices;
    hop__phase(context, "hand out");
    hop__phase_bytes(context, 2 * bytes);
    memcpy(task->labels, task->graph->joined, bytes);
    return HOP_OK;
}

static hop_status stream_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    job work = {context, graph, task->labels};
    hop__forest forest = {.context = context, .graph = graph, .parents = task->labels};
    hop__arcs *arcs = NULL;
    hop_status status, ended;
    if (graph->joined != NULL)
        return hand_out(context, task);
    HOP_TRY(status, hop__arcs_open(context, graph, false, &arcs));
    hop__advise_huge(task->labels, sizeof *task->labels * (uint64_t)graph->vertices);
    hop__phase(context, "clear");
    hop__phase_bytes(context, 4 * (uint64_t)graph->vertices);
    hop__forest_start(context, work.parents, graph->vertices);
    hop__phase(context, "join");
    hop__phase_items(context, graph->arcs);
    hop__progress_begin(context, "components: stream", graph->arcs);
    status = hop__arcs_visit(context, arcs, NULL, join_block, &work);
    ended = hop__progress_end(context);
    hop__count_reads(context, arcs);
    if (status == HOP_OK)
        status = ended;
    if (status != HOP_OK)
        goto done;
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->relaxations = graph->arcs;
    *task->count = forest.roots;
done:
    hop__arcs_close(arcs);
    return status;
}

const hop__components_variant hop__components_stream = {
    .row = {.about = {.name = "stream",
                      .summary = "union-find over arcs as they come from disk, each once",
                      .source = "Cong 2014, algorithm 4, over blocks of arcs",
                      .place = HOP_PLACE_HOST},
            .blocks = stream_blocks,
            .external = true},
    .run = stream_run,
};
