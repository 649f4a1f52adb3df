/* SPDX-License-Identifier: Apache-2.0
 *
 * dfs: search from every vertex that has no label yet, in ascending order, so that the vertex
 * where a search begins is the smallest of its component. D0 6.1.1, the baseline on rows.
 *
 * A vertex is labelled when it is put on the stack, so the stack holds each once: n entries. A
 * directed graph is searched against its arcs too: over the reversed arcs that were prepared
 * with it, else over a reversed copy that is made for the call. D0 reports the conversion from
 * edges to rows apart; here the rows are what a graph is, so only that copy remains of it: the
 * phase "reverse arcs" of the report.
 *
 * Cost: O(n + m), each arc read once in each direction; 4 bytes per vertex, and for a directed
 * graph without prepared reverse arcs the copy: at most 14 bytes per arc and 12 per vertex. */
#include "components/components_internal.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"

enum { REPORT = 1 << 14, CLEARED = 1 << 18 /* vertices between looks for a cancellation */ };

/* The state is the pointer to the stack. */
static void dfs_blocks(const void *user, hop__workspace *space) {
    const hop_graph *graph = ((const hop__components_task *)user)->graph;
    uint64_t n = graph->vertices;
    hop__block_add(space, "components: stack", n, sizeof(hop_vertex), 0);
    if (!hop_graph_prepared_reverse(graph))
        hop__block_reserve(space, HOP__MEMORY_HOST, "components: reverse arcs",
                           hop__reverse_bytes(graph))
            ->elastic = true;
}

/* Labels what can be reached from the top of the stack over the rows of one direction. */
static hop_vertex visit(const hop_graph *graph, hop_vertex vertex, hop_vertex *labels,
                        hop_vertex label, hop_vertex *stack, hop_vertex height) {
    uint64_t end = hop__offset(graph, (uint64_t)vertex + 1);
    for (uint64_t i = hop__offset(graph, vertex); i < end; i++) {
        hop_vertex next = graph->targets[i];
        if (labels[next] == HOP_NO_VERTEX) {
            labels[next] = label;
            stack[height++] = next;
        }
    }
    return height;
}

static hop_status search(hop_context *context, const hop_graph *graph, const hop_graph *reverse,
                         hop_vertex *labels, hop_vertex *stack) {
    hop_vertex n = graph->vertices;
    uint64_t visited = 0;
    hop__progress_begin(context, "components: dfs", n);
    hop__phase(context, "clear");
    hop__phase_bytes(context, 4 * (uint64_t)n);
    for (uint64_t end, v = 0; v < n; v = end) {
        end = n - v < CLEARED ? n : v + CLEARED;
        for (uint64_t i = v; i < end; i++)
            labels[i] = HOP_NO_VERTEX;
        if (!hop__progress_add(context, 0))
            return hop__progress_end(context);
    }
    hop__phase(context, "search");
    /* Of each arc the target and its label; of each vertex the stack twice, label and offsets. */
    hop__phase_bytes(context, (graph->directed ? 16 : 8) * graph->arcs +
                                  (12 + 2 * (uint64_t)graph->offset_bytes) * n);
    for (hop_vertex root = 0; root < n; root++) {
        if (labels[root] != HOP_NO_VERTEX)
            continue;
        hop_vertex height = 1;
        labels[root] = root;
        stack[0] = root;
        while (height > 0) {
            hop_vertex vertex = stack[--height];
            height = visit(graph, vertex, labels, root, stack, height);
            if (graph->directed)
                height = visit(reverse, vertex, labels, root, stack, height);
            if (++visited % REPORT == 0 && !hop__progress_add(context, REPORT))
                return hop__progress_end(context);
        }
    }
    return hop__progress_end(context);
}

static hop_status dfs_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph, *reverse = hop_graph_prepared_reverse(graph);
    hop_graph *copy = NULL;
    hop_vertex *stack = NULL;
    hop__workspace space = {0};
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, dfs_blocks, task, &stack, &space));
    if (!reverse) {
        double start = hop__now();
        hop__phase_copy(context, "reverse arcs");
        HOP_TRY(status, hop__graph_reverse_bare(context, graph, &copy));
        hop__log(context, HOP_LOG_INFO,
                 "components: reversed arcs made in %.3f s; prepare them "
                 "once to save that",
                 hop__now() - start);
        reverse = copy;
    }
    status = search(context, graph, reverse, task->labels, stack);
    task->report->relaxations = graph->arcs * (graph->directed ? 2 : 1);
done:
    hop__workspace_close(&space, status);
    hop_graph_release(copy);
    return status;
}

const hop__components_variant hop__components_dfs = {
    .row = {.about = {.name = "dfs",
                      .summary = "search from each vertex that has no label yet",
                      .source = "Yogaratnam 2010, 6.1.1",
                      .place = HOP_PLACE_HOST,
                      .uses = HOP_PREPARE_REVERSE},
            .blocks = dfs_blocks},
    .run = dfs_run,
};
