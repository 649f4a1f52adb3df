/* SPDX-License-Identifier: Apache-2.0
 *
 * johnson: Dijkstra's search from every vertex after the weights have been made non-negative.
 * Johnson, "Efficient algorithms for shortest paths in sparse networks", JACM 1977.
 *
 * One search of Bellman and Ford from all vertices at once (the front's, which looks for negative
 * cycles) leaves potentials p with p[v] <= p[u] + w. The weights w + p[u] - p[v] are then not
 * negative, and along a path from s to t all p in between cancel: each distance from s to t comes
 * out larger by p[s] - p[t], which is taken off again. Without negative weights p is 0 and nothing
 * is changed.
 *
 * Let W be the largest |w|. Potentials are in [-(n-1) W, 0], so a changed weight is at most n W,
 * and a changed distance at most 2 (n-1) W. Refused unless 2 n W fits int64; then sums of the
 * search, below 3 n W, do not wrap as uint64_t. Negative floating-point weights are refused:
 * potentials would have to be rounded, and rounded weights give other paths.
 *
 * Cost: one Bellman-Ford, then as dijkstra; 8 bytes per arc for the changed weights. */
#include <stdio.h>

#include "apsp/apsp_sources.h"
#include "core/checked.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum { ROW_GRAIN = 256 };

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    uint64_t heaviest = 0, sum;
    if (!task->query.negative)
        return false;
    if (task->query.distance_type != HOP_TYPE_INT64) {
        snprintf(reason, HOP__REASON,
                 "with negative floating-point weights the potentials would be rounded; "
                 "bellman-ford adds exactly");
        return true;
    }
    heaviest = hop__apsp_heaviest(graph);
    if (hop__mul_u64(2 * (uint64_t)graph->vertices, heaviest, &sum) && sum < INT64_MAX)
        return false;
    snprintf(reason, HOP__REASON,
             "2 * %u vertices * the weight %llu does not fit int64; bellman-ford adds exactly",
             graph->vertices, (unsigned long long)heaviest);
    return true;
}

/* The searches are in the graph of changed weights; before there is one, in whatever has the most
 * of them that there can be. */
static void johnson_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const hop_graph *graph = task->query.graph;
    const hop__apsp_sources *sources = task->state;
    hop__apsp_scratch_blocks(space, task);
    if (!task->query.negative) {
        hop__apsp_dijkstra_blocks(space, task, graph);
        return;
    }
    HOP__BLOCK(space, "johnson: weights", graph->arcs, hop__apsp_sources, weights);
    hop__block_reserve(space, HOP__MEMORY_HOST, "johnson: graph",
                       hop__block_bytes(1, sizeof(hop_graph)) +
                           hop__block_bytes(1, sizeof(hop__shared)));
    hop__shared heaviest = {.facts.max_weight_int =
                                (int64_t)(hop__apsp_heaviest(graph) * graph->vertices)};
    const hop_graph bound = {.vertices = graph->vertices,
                             .arcs = graph->arcs,
                             .weight_type = HOP_TYPE_INT64,
                             .shared = &heaviest};
    hop__block_stage(space, 1);
    hop__apsp_dijkstra_blocks(space, task,
                              sources && sources->reweighted ? sources->reweighted : &bound);
}

typedef struct reweight_job {
    hop_context *context;
    const hop_graph *graph;
    const int64_t *potentials;
    int64_t *weights;
} reweight_job;

static void reweight_rows(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    reweight_job *job = arg;
    const hop_graph *graph = job->graph;
    (void)thread;
    if (!hop__progress_add(job->context, hop__offset(graph, end) - hop__offset(graph, begin)))
        return;
    for (uint64_t u = begin; u < end; u++) {
        uint64_t stop = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < stop; i++) {
            int64_t weight = graph->weight_type == HOP_TYPE_INT32
                                 ? ((const int32_t *)graph->weights)[i]
                                 : ((const int64_t *)graph->weights)[i];
            job->weights[i] = weight + job->potentials[u] - job->potentials[graph->targets[i]];
        }
    }
}

/* The same arcs with other weights; nothing but the weights is copied. */
static hop_status reweight(hop_context *context, hop__apsp_task *task) {
    hop__apsp_sources *sources = task->state;
    const hop_graph *graph = task->query.graph;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_status status;
    reweight_job job = {context, graph, task->potentials, sources->weights};
    hop__progress_begin(context, "johnson: weights", graph->arcs);
    hop__phase(context, "reweight");
    hop__phase_items(context, graph->arcs);
    hop__for(context, graph->vertices, ROW_GRAIN, reweight_rows, &job);
    HOP_TRY(status, hop__progress_end(context));
    csr.vertices = graph->vertices;
    csr.offsets = graph->offsets;
    csr.offset_bytes = graph->offset_bytes;
    csr.targets = graph->targets;
    csr.weights = sources->weights;
    csr.weight_type = HOP_TYPE_INT64;
    options.trusted = true; /* the arcs are those of a graph that is checked */
    HOP_TRY(status, hop_graph_from_csr(context, &csr, &options, &sources->reweighted));
done:
    return status;
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    hop__apsp_sources *sources = task->state;
    hop_status status;
    HOP_TRY(status, hop__workspace_open(context, NULL, johnson_blocks, task, sources, task->space));
    if (task->potentials) {
        HOP_TRY(status, reweight(context, task));
        HOP_TRY(status, hop__workspace_stage(task->space, 1));
    }
    hop__apsp_dijkstra_begin(task, task->potentials ? sources->reweighted : task->query.graph);
done:
    return status;
}

static hop__search_end search(hop_context *context, const hop__apsp_task *task,
                              hop__apsp_sources *sources, unsigned worker, hop_vertex source,
                              void *distances, hop_vertex *place) {
    (void)place;
    if (!hop__dijkstra_run(context, &sources->dijkstra[worker], source, distances))
        return HOP__SEARCH_CANCELLED;
    if (!task->potentials)
        return HOP__SEARCH_DONE;
    int64_t *d = distances, begin = task->potentials[source];
    for (uint64_t v = 0; v < task->query.graph->vertices; v++)
        if (d[v] != HOP_NO_DISTANCE)
            d[v] += task->potentials[v] - begin;
    return HOP__SEARCH_DONE;
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    return hop__apsp_sources_run(context, task, "apsp: johnson", task->query.graph->arcs, search,
                                 first, count, out);
}

const hop__apsp_variant hop__apsp_johnson = {
    .row = {.about = {.name = "johnson",
                      .summary = "one Bellman-Ford makes the weights non-negative, then Dijkstra's "
                                 "search from each vertex",
                      .source = "Johnson, JACM 1977",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse,
            .blocks = johnson_blocks},
    .state_bytes = sizeof(hop__apsp_sources),
    .exact = true,
    .wants_potentials = true,
    .start = start,
    .rows = rows,
    .finish = hop__apsp_sources_finish,
};
