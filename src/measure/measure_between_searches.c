/* SPDX-License-Identifier: Apache-2.0
 *
 * searches: betweenness by Dijkstra's search from each source, with weights above 0 or without. The
 * reference, and what the certifier makes of rows of distances.
 *
 * Distances say which arcs lie on shortest paths: those from a nearer vertex to a farther one whose
 * weight, added in the type of the distances, is the difference. Along these the vertices are taken
 * in an order in which each comes after all before it (Kahn 1962), to count paths; dependencies are
 * added up in the reverse of that order (Brandes 2001). Arcs whose weights are lost in rounding
 * between vertices that are as far away have no order: HOP__BETWEEN_ABSORBED.
 *
 * Cost: O((n + m) log n) per source; per thread and vertex, 32 bytes and what the search takes. */
#include <math.h>

#include "core/try.h"
#include "measure/measure_between.h"
#include "sssp/sssp_dijkstra.h"

typedef struct searches_worker {
    hop__dijkstra dijkstra;
    void *distances;
    hop__between_paths paths;
} searches_worker;

void hop__between_paths_blocks(hop__workspace *space, size_t at, hop_vertex n) {
    HOP__BLOCK_AT(space, at, "betweenness: counts", n, hop__between_paths, counts);
    HOP__BLOCK_AT(space, at, "betweenness: shares", n, hop__between_paths, shares);
    HOP__BLOCK_AT(space, at, "betweenness: arcs in", n, hop__between_paths, into)->zero = true;
    HOP__BLOCK_AT(space, at, "betweenness: order", n, hop__between_paths, order);
}

static void searches_worker_blocks(const hop__between_task *task, hop__workspace *space) {
    const hop_vertex n = task->graph->vertices;
    hop__dijkstra_blocks(space, offsetof(searches_worker, dijkstra), task->graph, false);
    hop__block_add(space, "betweenness: distances", n, hop_type_size(task->query.distance_type),
                   offsetof(searches_worker, distances));
    hop__between_paths_blocks(space, offsetof(searches_worker, paths), n);
}

static void searches_begin(const hop__between_task *task, void *given) {
    hop__dijkstra_begin(&((searches_worker *)given)->dijkstra, task->graph);
}

/* Whether the arc from v, which is reached, lies on a shortest path. */
static bool is_on_path(const hop_graph *graph, const void *distances, hop_vertex v, uint64_t arc) {
    const hop_vertex w = graph->targets[arc];
    const int64_t *whole = distances;
    const float *singles = distances;
    const double *reals = distances;
    switch (graph->weight_type) {
    case HOP_TYPE_INT32:
        return whole[v] < whole[w] && whole[v] + ((const int32_t *)graph->weights)[arc] == whole[w];
    case HOP_TYPE_INT64:
        return whole[v] < whole[w] && whole[v] + ((const int64_t *)graph->weights)[arc] == whole[w];
    case HOP_TYPE_FLOAT32:
        return singles[v] < singles[w] &&
               singles[v] + ((const float *)graph->weights)[arc] == singles[w];
    case HOP_TYPE_FLOAT64:
        return reals[v] < reals[w] && reals[v] + ((const double *)graph->weights)[arc] == reals[w];
    default:
        return whole[v] + 1 == whole[w];
    }
}

static bool is_reached(const hop_graph *graph, const void *distances, hop_vertex v) {
    return graph->weight_type == HOP_TYPE_FLOAT32 ? isfinite(((const float *)distances)[v])
           : graph->weight_type == HOP_TYPE_FLOAT64
               ? isfinite(((const double *)distances)[v])
               : ((const int64_t *)distances)[v] != HOP_NO_DISTANCE;
}

/* Whether the arc from v gives another vertex its distance, but that of v is the same. */
static bool is_absorbed(const hop_graph *graph, const void *distances, hop_vertex v, uint64_t arc) {
    const hop_vertex w = graph->targets[arc];
    const float *singles = distances;
    const double *reals = distances;
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        return w != v && singles[v] == singles[w] &&
               singles[v] + ((const float *)graph->weights)[arc] == singles[w];
    return graph->weight_type == HOP_TYPE_FLOAT64 && w != v && reals[v] == reals[w] &&
           reals[v] + ((const double *)graph->weights)[arc] == reals[w];
}

/* False when a weight is lost. */
static bool count_into(const hop_graph *graph, const void *distances, hop__between_paths *paths) {
    bool absorbed = false;
    for (hop_vertex v = 0; v < graph->vertices; v++) {
        uint64_t end = hop__offset(graph, (uint64_t)v + 1);
        paths->counts[v] = 0;
        if (!is_reached(graph, distances, v))
            continue;
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            paths->into[graph->targets[i]] += is_on_path(graph, distances, v, i);
            absorbed |= is_absorbed(graph, distances, v, i);
        }
    }
    return !absorbed;
}

/* Dependencies, in the reverse of the order; the source has arcs, but none itself. */
static void add_shares(const hop__between_task *task, const void *distances,
                       hop__between_paths *paths, hop_vertex placed, double *sums) {
    const hop_graph *graph = task->graph;
    for (hop_vertex k = placed; k-- > (task->of_arcs ? 0 : 1);) {
        const hop_vertex v = paths->order[k];
        uint64_t end = hop__offset(graph, (uint64_t)v + 1);
        double sum = 0;
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            if (!is_on_path(graph, distances, v, i))
                continue;
            const double share = paths->shares[graph->targets[i]];
            sum += share;
            if (task->of_arcs)
                sums[i] += share * paths->counts[v];
        }
        sum *= paths->counts[v];
        paths->shares[v] = (1 + sum) / paths->counts[v];
        if (!task->of_arcs)
            sums[v] += sum;
    }
}

hop__between_end hop__between_add(const hop__between_task *task, hop_vertex source,
                                  const void *distances, hop__between_paths *paths, double *sums) {
    const hop_graph *graph = task->graph;
    hop_vertex placed = 1;
    bool counted = true;
    if (!count_into(graph, distances, paths))
        return HOP__BETWEEN_ABSORBED;
    paths->counts[source] = 1;
    paths->order[0] = source;
    for (hop_vertex k = 0; k < placed; k++) {
        const hop_vertex v = paths->order[k];
        uint64_t end = hop__offset(graph, (uint64_t)v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            if (!is_on_path(graph, distances, v, i))
                continue;
            const hop_vertex w = graph->targets[i];
            paths->counts[w] += paths->counts[v];
            if (--paths->into[w] == 0)
                paths->order[placed++] = w;
        }
        counted = counted && isfinite(paths->counts[v]);
    }
    if (!counted)
        return HOP__BETWEEN_UNCOUNTED;
    add_shares(task, distances, paths, placed, sums);
    return HOP__BETWEEN_DONE;
}

static hop__between_end searches_batch(hop_context *context, const hop__between_task *task,
                                       void *given, const hop_vertex *sources, unsigned count,
                                       double *sums) {
    searches_worker *worker = given;
    for (unsigned i = 0; i < count; i++) {
        if (!hop__dijkstra_run(context, &worker->dijkstra, sources[i], worker->distances))
            return HOP__BETWEEN_CANCELLED;
        hop__between_end end =
            hop__between_add(task, sources[i], worker->distances, &worker->paths, sums);
        if (end != HOP__BETWEEN_DONE)
            return end;
    }
    return HOP__BETWEEN_DONE;
}

static uint64_t searches_relaxations(const void *worker) {
    return ((const searches_worker *)worker)->dijkstra.relaxations;
}

static void searches_blocks(const void *task, hop__workspace *space) {
    hop__between_blocks(&hop__between_searches, task, space);
}

const hop__between_variant hop__between_searches = {
    .row = {.about = {.name = "searches",
                      .summary = "Dijkstra's search from each source; weights above 0, or none",
                      .source = "Brandes 2001",
                      .place = HOP_PLACE_HOST},
            .blocks = searches_blocks},
    .worker_bytes = sizeof(searches_worker),
    .worker_blocks = searches_worker_blocks,
    .begin = searches_begin,
    .batch = searches_batch,
    .relaxations = searches_relaxations,
};
