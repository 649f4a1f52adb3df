/* SPDX-License-Identifier: Apache-2.0
 *
 * Derived data that is made on request: the arcs by target, and an estimate of the diameter.
 *
 * The estimate is a lower bound in hops: a BFS from the vertex of largest degree, another from
 * the farthest vertex found, and so on, four in all; the deepest counts. Arcs are followed in
 * their own direction. It covers one component, which in graphs with a giant one is that. Cost:
 * four sequential sweeps, O(n + m) each, and 5 bytes per vertex. */
#include <string.h>

#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum { SWEEPS = 4, REPORT = 1 << 16 };

/* A BFS from `source`: the depth reached and, of the last level, the vertex of smallest degree
 * (a dead end is more likely to be far out), the smallest such. */
static hop_status sweep(hop_context *context, const hop_graph *graph, hop_vertex source,
                        hop_vertex *queue, uint64_t *seen, hop_vertex *depth, hop_vertex *last) {
    uint64_t head = 0, tail = 1, level_end = 1, level_start = 0;
    memset(seen, 0, hop__bitmap_words(graph->vertices) * sizeof *seen);
    hop__bitmap_set(seen, source);
    queue[0] = source;
    *depth = 0;
    for (; head < tail; head++) {
        if (head == level_end) {
            level_start = level_end;
            level_end = tail;
            ++*depth;
        }
        uint64_t end = hop__offset(graph, (uint64_t)queue[head] + 1);
        for (uint64_t i = hop__offset(graph, queue[head]); i < end; i++) {
            hop_vertex v = graph->targets[i];
            if (hop__bitmap_get(seen, v))
                continue;
            hop__bitmap_set(seen, v);
            queue[tail++] = v;
        }
        if (head % REPORT == 0 && !hop__progress_add(context, REPORT))
            return HOP_ERR_CANCELLED;
    }
    uint64_t least = UINT64_MAX;
    for (uint64_t i = level_start; i < tail; i++) {
        uint64_t degree = hop__offset(graph, (uint64_t)queue[i] + 1) - hop__offset(graph, queue[i]);
        if (degree < least || (degree == least && queue[i] < *last)) {
            least = degree;
            *last = queue[i];
        }
    }
    return HOP_OK;
}

static hop_status prepare_diameter(hop_context *context, hop_graph *graph) {
    hop_status status;
    hop_vertex *queue = NULL, deepest = 0, depth = 0;
    uint64_t *seen = NULL;
    hop_vertex source = graph->shared->facts.max_degree_vertex;
    HOP_TRY(status, hop__alloc(context, "diameter: queue", graph->vertices, 4, &queue));
    HOP_TRY(status,
            hop__alloc(context, "diameter: seen", hop__bitmap_words(graph->vertices), 8, &seen));
    hop__progress_begin(context, "diameter", (uint64_t)SWEEPS * graph->vertices);
    for (int i = 0; i < SWEEPS && graph->vertices > 0; i++) {
        if (sweep(context, graph, source, queue, seen, &depth, &source) != HOP_OK)
            break;
        deepest = depth > deepest ? depth : deepest;
    }
    HOP_TRY(status, hop__progress_end(context));
    graph->shared->diameter_low = deepest;
    atomic_store_explicit(&graph->shared->has_diameter, true, memory_order_release);
done:
    hop__free(queue);
    hop__free(seen);
    return status;
}

static hop_status prepare_reverse(hop_context *context, hop_graph *graph) {
    hop_graph *reverse = NULL;
    hop_status status = hop_graph_reverse(context, graph, &reverse);
    if (status == HOP_OK)
        atomic_store_explicit(&graph->shared->reverse, reverse, memory_order_release);
    return status;
}

hop_status hop__graph_derive(hop_context *context, hop_graph *graph, unsigned what) {
    if (!context || !graph)
        return hop__missing(context, "hop_graph_prepare");
    if (what & ~(HOP_PREPARE_REVERSE | HOP_PREPARE_DIAMETER))
        return hop__fail(context, HOP_ERR_ARGUMENT, "prepare: unknown flag in %#x", what);
    hop_status status = hop_graph_check(context, graph);
    if (status != HOP_OK)
        return status;
    hop__shared *shared = graph->shared;
    hop__process_lock_take(&shared->lock);
    if (what & HOP_PREPARE_REVERSE && graph->directed && !atomic_load(&shared->reverse))
        status = prepare_reverse(context, graph);
    if (status == HOP_OK && what & HOP_PREPARE_DIAMETER && !atomic_load(&shared->has_diameter))
        status = prepare_diameter(context, graph);
    hop__process_lock_give(&shared->lock);
    return status;
}
