/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances between all pairs where tiles do not do: floating-point weights, whose sums depend on
 * the order in which a path is added up, and weights below 0. Every rank gets all arcs, builds the
 * graph, and searches from its share of the vertices with the library's variants that give the bits
 * of hop_sssp; the certifier gets the arcs again, and has the library check each row.
 *
 * That all ranks have the arcs of all is checked by the sum of the hashes of the arcs: an arc that
 * was lost on the way, or came twice, could not be seen from the distances.
 *
 * Cost: n m / p sums, and a logarithm. Bytes sent: 8 and a weight for each arc of the rank, to each
 * other rank. Memory: the rows, n^2 / p distances; the graph, 8 bytes and two weights for each arc
 * of all ranks, while it is built three times as much. */
#include <string.h>

#include "cluster/cluster_matrix.h"
#include "core/memory.h"
#include "core/try.h"
#include "hoplite/apsp.h"

/* The arcs of all ranks. */
typedef struct arc_lists {
    uint32_t *sources, *targets;
    unsigned char *weights;
    size_t weight_bytes;
} arc_lists;

static hop_status lists_make(hop_cluster *cluster, const hop_cluster_graph *graph,
                             arc_lists *lists) {
    hop_context *context = cluster->context;
    hop_status status;
    lists->weight_bytes = graph->weights != NULL ? hop_type_size(graph->weight_type) : 0;
    HOP_TRY(status, hop__alloc(context, "apsp: arcs", graph->arcs, 4, &lists->sources));
    HOP_TRY(status, hop__alloc(context, "apsp: arcs", graph->arcs, 4, &lists->targets));
    if (lists->weight_bytes > 0)
        HOP_TRY(status, hop__alloc(context, "apsp: arcs", graph->arcs, lists->weight_bytes,
                                   &lists->weights));
done:
    return status;
}

static void lists_free(arc_lists *lists) {
    hop__free(lists->sources);
    hop__free(lists->targets);
    hop__free(lists->weights);
}

/* This rank's arcs, to their places; the sum of their hashes. */
static uint64_t lists_fill(const hop_cluster_graph *graph, const arc_lists *lists) {
    uint64_t sum = 0;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
            uint64_t source = hop__row_vertex(graph, row), target = hop__end_vertex(graph, arc);
            lists->sources[graph->first_arc + arc] = (uint32_t)source;
            lists->targets[graph->first_arc + arc] = (uint32_t)target;
            sum += hop__hash_three(source, target, hop__weight_bits(graph, arc));
        }
    if (lists->weight_bytes > 0 && graph->arc_count > 0)
        memcpy(lists->weights + graph->first_arc * lists->weight_bytes, graph->weights,
               graph->arc_count * lists->weight_bytes);
    return sum;
}

/* Each rank in turn sends its part of one of the lists, `bytes` for each arc. */
static hop_status list_share(hop_cluster *cluster, const hop_cluster_graph *graph, void *list,
                             size_t bytes) {
    hop__members all = {0, 1, cluster->ranks};
    hop_status status = HOP_OK;
    for (uint32_t rank = 0; status == HOP_OK && bytes > 0 && rank < cluster->ranks; rank++) {
        uint64_t first = hop__even_start(graph->arcs, cluster->ranks, rank);
        uint64_t count = hop__even_size(graph->arcs, cluster->ranks, rank);
        if (count > 0)
            status = hop__share_known(cluster, "apsp: all arcs", all, rank,
                                      (unsigned char *)list + first * bytes, count * bytes);
    }
    return status;
}

static hop_status lists_check(hop_context *context, const hop_cluster_graph *graph,
                              const arc_lists *lists, uint64_t sum) {
    for (uint64_t arc = 0; arc < graph->arcs; arc++) {
        uint64_t bits = 0;
        if (lists->weight_bytes > 0)
            memcpy(&bits, lists->weights + arc * lists->weight_bytes, lists->weight_bytes);
        sum -= hop__hash_three(lists->sources[arc], lists->targets[arc], bits);
    }
    return sum == 0 ? HOP_OK
                    : hop__fail(context, HOP_ERR_INPUT,
                                "apsp: the arcs that came are not those that the ranks have");
}

/* The graph of all ranks on this one. Arcs of both directions are there, so it is directed. */
static hop_status whole_make(hop_cluster *cluster, const hop_cluster_graph *graph,
                             hop_graph **whole) {
    hop_context *context = cluster->context;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    arc_lists lists = {NULL, NULL, NULL, 0};
    uint64_t sum = 0;
    hop_status status = lists_make(cluster, graph, &lists);
    if (status == HOP_OK)
        sum = lists_fill(graph, &lists);
    HOP_TRY(status, hop__sum_agreed(cluster, status, &sum, 1));
    HOP_TRY(status, list_share(cluster, graph, lists.sources, 4));
    HOP_TRY(status, list_share(cluster, graph, lists.targets, 4));
    HOP_TRY(status, list_share(cluster, graph, lists.weights, lists.weight_bytes));
    status = lists_check(context, graph, &lists, sum);
    edges.count = graph->arcs;
    edges.from = lists.sources;
    edges.to = lists.targets;
    edges.weights = lists.weights;
    edges.weight_type = graph->weight_type;
    options.vertices = graph->vertices;
    options.directed = true;
    if (status == HOP_OK)
        status = hop_graph_from_edges(context, &edges, &options, whole);
    status = hop__agree(cluster, status);
done:
    lists_free(&lists);
    return status;
}

/* What the library is asked for: the rows of this rank. */
typedef struct rows_call {
    hop_graph *whole;
    hop_vertex *sources;
    hop_run run;
    hop_apsp_options options;
} rows_call;

static hop_status rows_open(hop_cluster *cluster, const hop_cluster_graph *graph,
                            const hop_cluster_matrix *matrix, rows_call *call) {
    hop_status status = hop__alloc(cluster->context, "apsp: sources", matrix->rows,
                                   sizeof *call->sources, &call->sources);
    for (uint64_t i = 0; status == HOP_OK && i < matrix->rows; i++)
        call->sources[i] = (hop_vertex)(matrix->first_row + i);
    call->run = (hop_run)HOP_RUN_INIT;
    call->options = (hop_apsp_options)HOP_APSP_OPTIONS_INIT;
    call->options.run = &call->run;
    call->options.sources = call->sources;
    call->options.source_count = (hop_vertex)matrix->rows;
    HOP_TRY(status, hop__agree(cluster, status));
    status = whole_make(cluster, graph, &call->whole);
done:
    return status;
}

static void rows_close(rows_call *call) {
    hop__free(call->sources);
    hop_graph_release(call->whole);
}

hop_status hop__matrix_rows_run(hop_cluster *cluster, const hop_cluster_graph *graph,
                                hop_cluster_matrix *matrix) {
    rows_call call = {.whole = NULL};
    hop_span rows = {matrix->numbers, matrix->rows * matrix->vertices, matrix->type};
    hop_status status = rows_open(cluster, graph, matrix, &call);
    if (status == HOP_OK) {
        call.run.variant = "johnson";
        if (matrix->rows > 0)
            status = hop_apsp(cluster->context, call.whole, &call.options, &rows, NULL);
        if (status == HOP_ERR_UNSUPPORTED) { /* negative sums that only exact ones can hold */
            call.run.variant = "bellman-ford";
            status = hop_apsp(cluster->context, call.whole, &call.options, &rows, NULL);
        }
        status = hop__agree(cluster, status);
    }
    rows_close(&call);
    return status;
}

hop_status hop__matrix_rows_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                    const hop_cluster_matrix *matrix) {
    rows_call call = {.whole = NULL};
    hop_view rows = {matrix->numbers, matrix->rows * matrix->vertices, matrix->type};
    hop_status status = rows_open(cluster, graph, matrix, &call);
    if (status == HOP_OK) {
        call.run.variant = "bellman-ford"; /* any that gives the bits of hop_sssp */
        if (matrix->rows > 0)
            status = hop_apsp_certify(cluster->context, call.whole, &call.options, 0,
                                      call.options.source_count, &rows);
        status = hop__agree(cluster, status);
    }
    rows_close(&call);
    return status;
}
