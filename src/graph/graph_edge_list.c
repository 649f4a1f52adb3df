/* SPDX-License-Identifier: Apache-2.0
 * The edge-list view of a graph, written into the caller's arrays in the order of the rows. */
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/scan.h"
#include "core/span.h"
#include "core/try.h"
#include "graph/graph_internal.h"

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    bool once;
    uint64_t *slots; /* first edge of each row when `once`, else NULL */
    hop_edge *edges;
    unsigned char *weights;
} job;

/* The first arc of row v that is listed: all, or those to v and above. */
static uint64_t first_listed(const job *work, uint64_t v) {
    return work->once ? hop__first_arc(work->graph, v, v) : hop__offset(work->graph, v);
}

static void count_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        work->slots[v] = hop__offset(work->graph, v + 1) - first_listed(work, v);
}

static void copy_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    size_t size = hop_type_size(graph->weight_type);
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t first = first_listed(work, v), stop = hop__offset(graph, v + 1);
        uint64_t out = work->slots ? work->slots[v] : first;
        for (uint64_t i = first; i < stop; i++)
            work->edges[out + i - first] = (hop_edge){(hop_vertex)v, graph->targets[i]};
        if (work->weights && stop > first)
            memcpy(work->weights + out * size, (const unsigned char *)graph->weights + first * size,
                   (stop - first) * size);
    }
}

hop_status hop_graph_edge_count(hop_context *context, const hop_graph *graph, bool once,
                                uint64_t *count) {
    if (!context || !graph || !count)
        return hop__missing(context, "hop_graph_edge_count");
    hop_status status = hop_graph_check(context, graph);
    if (status != HOP_OK)
        return status;
    uint64_t loops = graph->shared->facts.loops;
    *count = once && !graph->directed ? (graph->arcs - loops) / 2 + loops : graph->arcs;
    return HOP_OK;
}

hop_status hop_graph_edge_list(hop_context *context, const hop_graph *graph, bool once,
                               hop_edge *edges, uint64_t room, const hop_span *weights) {
    if (!context || !graph || (!edges && graph->arcs > 0))
        return hop__missing(context, "hop_graph_edge_list");
    job work = {context, graph, once && !graph->directed, NULL, edges, NULL};
    hop_status status;
    uint64_t count;
    void *items = NULL;
    HOP_TRY(status, hop_graph_edge_count(context, graph, once, &count));
    if (room < count) {
        hop__fail(context, HOP_ERR_ARGUMENT,
                  "edge list: the array has room for %llu edges, but there are %llu",
                  (unsigned long long)room, (unsigned long long)count);
        return hop__note_need(context, HOP_KIND_ARGUMENT, count, room);
    }
    if (graph->weight_type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__span_take(context, "edge list: weights", weights, graph->weight_type,
                                       count, &items));
    work.weights = items;
    if (work.once) {
        HOP_TRY(status, hop__alloc(context, "edge list", graph->vertices, 8, &work.slots));
        hop__for(context, graph->vertices, 1 << 12, count_range, &work);
        hop__scan_u64(context, work.slots, graph->vertices);
    }
    hop__progress_begin(context, "edge list", graph->vertices);
    hop__for(context, graph->vertices, 1 << 12, copy_range, &work);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__free(work.slots);
    return status;
}
