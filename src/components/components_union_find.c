/* SPDX-License-Identifier: Apache-2.0
 *
 * union-find: every edge joins the trees of its ends. The sequential algorithm on edges that D0
 * 7.2 asks for.
 *
 * labels[] is the forest: a parent is never above its child, because the larger root is linked
 * below the smaller one, so a root is the smallest vertex of its tree. Finding halves the path
 * that it walks. At the end every vertex is pointed to its root.
 *
 * Cost: O(m log n) at worst, nearly linear in practice; each edge once; no memory. */
#include "components/components_internal.h"
#include "core/progress.h"

enum { REPORT_ARCS = 1 << 18 };

static hop_vertex find(hop_vertex *parents, hop_vertex v) {
    while (parents[v] != v) {
        hop_vertex grand = parents[parents[v]];
        parents[v] = grand;
        v = grand;
    }
    return v;
}

static hop_status union_find_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    hop_vertex *parents = task->labels;
    uint64_t reported = 0;
    for (hop_vertex v = 0; v < graph->vertices; v++)
        parents[v] = v;
    hop__progress_begin(context, "components: union-find", graph->arcs);
    for (hop_vertex u = 0; u < graph->vertices; u++) {
        uint64_t end = hop__offset(graph, (uint64_t)u + 1);
        hop_vertex root = find(parents, u);
        for (uint64_t i = hop__offset(graph, u); i < end; i++) {
            if (!hop__components_counts(graph, u, graph->targets[i]))
                break; /* rows are sorted: the rest is above u */
            hop_vertex other = find(parents, graph->targets[i]);
            if (other == root)
                continue;
            hop_vertex low = other < root ? other : root, high = other < root ? root : other;
            parents[high] = low;
            root = low;
        }
        if (end - reported >= REPORT_ARCS) {
            if (!hop__progress_add(context, end - reported))
                break;
            reported = end;
        }
    }
    hop__components_flatten(parents, graph->vertices);
    task->report->relaxations = graph->arcs;
    return hop__progress_end(context);
}

const hop__components_variant hop__components_union_find = {
    .row = {.about = {.name = "union-find",
                      .summary = "every edge joins two trees; paths are halved",
                      .source = "D0 7.2",
                      .place = HOP_PLACE_HOST}},
    .run = union_find_run,
};
