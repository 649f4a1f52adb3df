/* SPDX-License-Identifier: Apache-2.0
 *
 * Metric weights of floating-point ones: see index_internal.h.
 *
 * `reach` is twice the distance of the farthest vertex from that of most arcs: in an undirected
 * graph no distance of that component is beyond it. Elsewhere one may be; then a search takes
 * longer, and the answer is the same. */
#include <float.h>
#include <math.h>

#include "core/parallel.h"
#include "core/try.h"
#include "graph/rows.h"
#include "hoplite/sssp.h"
#include "index/index_internal.h"

enum { GRAIN = 1 << 15, METRIC_MOST = (1 << 30) - 1 };

typedef struct metric_job {
    const hop_graph *graph;
    const hop__metric *metric;
    double loss; /* by the rounding of an addition, at most */
    int32_t *weights;
} metric_job;

/* Rounded down in any case: 1 - 2^-50 outweighs what the operations before it round up. */
static int32_t metric_weight(const metric_job *job, double weight) {
    double units = (weight - job->loss) / job->metric->unit * (1 - 0x1p-50);
    return units <= 0 ? 0 : units < METRIC_MOST ? (int32_t)units : METRIC_MOST;
}

static void weigh(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const metric_job *job = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        job->weights[i] = metric_weight(
            job, hop__weight_as_double(job->graph->weight_type, job->graph->weights, i));
}

/* The distance of the farthest vertex from that of most arcs. */
static hop_status measure(hop_context *context, const hop_graph *graph, double *farthest) {
    hop_status status;
    void *distances = NULL;
    const hop_vertex from = graph->shared->facts.max_degree_vertex;
    const size_t size = hop_type_size(graph->weight_type);
    *farthest = 0;
    HOP_TRY(status, hop__alloc(context, "index: distances", graph->vertices, size, &distances));
    HOP_TRY(status, hop_sssp(context, graph, &from, 1, NULL,
                             &(hop_span){distances, graph->vertices, graph->weight_type}, NULL));
    for (uint64_t v = 0; v < graph->vertices; v++) {
        double distance = hop__weight_as_double(graph->weight_type, distances, v);
        if (!isinf(distance) && distance > *farthest)
            *farthest = distance;
    }
done:
    hop__free(distances);
    return status;
}

hop_status hop__metric_make(hop_context *context, hop_index *index, hop_graph **metric) {
    const hop_graph *graph = index->graph;
    hop__metric *own = &index->metric;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_status status = HOP_OK;
    double farthest;
    int32_t *weights = NULL;
    *own = (hop__metric){.real = graph->weight_type == HOP_TYPE_FLOAT32 ||
                                 graph->weight_type == HOP_TYPE_FLOAT64,
                         .unit = 1};
    if (!own->real || graph->vertices == 0) {
        *metric = hop_graph_retain(index->graph);
        return HOP_OK;
    }
    HOP_TRY(status, measure(context, graph, &farthest));
    own->reach = farthest < DBL_MAX / 2 ? 2 * farthest : DBL_MAX;
    own->unit = own->reach > 0 ? ldexp(1, ilogb(own->reach) - 29) : 1;
    own->unit = own->unit > 0 ? own->unit : DBL_TRUE_MIN;
    const double half = graph->weight_type == HOP_TYPE_FLOAT32 ? 0x1p-24 : 0x1p-53;
    HOP_TRY(status, hop__alloc(context, "index: weights", graph->arcs, sizeof *weights, &weights));
    metric_job job = {graph, own, 1.01 * half * own->reach, weights};
    hop__for(context, graph->arcs, GRAIN, weigh, &job);
    csr.vertices = graph->vertices;
    csr.offsets = graph->offsets;
    csr.offset_bytes = graph->offset_bytes;
    csr.targets = graph->targets;
    csr.weights = weights;
    csr.weight_type = HOP_TYPE_INT32;
    csr.release = hop__free;
    csr.owner = weights;
    options.directed = graph->directed;
    HOP_TRY(status, hop_graph_from_csr(context, &csr, &options, metric));
    weights = NULL;
done:
    hop__free(weights);
    return status;
}
