/* SPDX-License-Identifier: Apache-2.0
 *
 * From the edges of a file to a graph.
 *
 * Ids that are labels are numbered first (graph/relabel.h); the arrays of the file are freed
 * before the graph is built, so that both never exist beside the builder's. Peak: the file's
 * arrays plus 8 bytes per edge while relabelling; 8 bytes per edge plus the builder's afterwards.
 */
#include "core/memory.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "graph/relabel.h"
#include "io/format.h"

void hop__edge_list_clear(hop__edge_list *list) {
    hop__free(list->from);
    hop__free(list->to);
    hop__free(list->weights);
    hop__free(list->labels);
    *list = (hop__edge_list){0};
}

/* Replaces labels by vertex numbers. The labels of the graph, or NULL, go to *labels. */
static hop_status number_vertices(hop_context *context, hop__edge_list *list, uint64_t **labels) {
    hop_edges edges = HOP_EDGES_INIT;
    hop__relabelled dense = {0};
    hop_status status;
    edges.count = list->count + list->lone;
    edges.from = list->from;
    edges.to = list->to;
    edges.id_bytes = edges.stride = list->id_bytes;
    HOP_TRY(status, hop__relabel(context, &edges, list->labels, list->vertices, &dense));
    hop__free(list->from);
    hop__free(list->to);
    hop__free(list->labels);
    list->from = dense.from;
    list->to = dense.to;
    list->labels = NULL;
    list->lone = 0;
    list->id_bytes = 4;
    list->vertices = dense.vertices;
    list->stated = true;
    list->ids = HOP_IDS_DENSE;
    *labels = dense.labels;
done:
    return status;
}

hop_status hop__edge_list_build(hop_context *context, hop__edge_list *list,
                                const hop_read_options *options, hop_graph **graph) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    uint64_t *labels = NULL;
    hop_status status;
    *graph = NULL;
    HOP_TRY(status, hop__read_limits_check(context, "read", options, list->vertices, list->count));
    if (list->ids == HOP_IDS_SPARSE) {
        HOP_TRY(status, number_vertices(context, list, &labels));
        HOP_TRY(status,
                hop__read_limits_check(context, "read", options, list->vertices, list->count));
    }
    edges.count = list->count;
    edges.from = list->from;
    edges.to = list->to;
    edges.id_bytes = list->id_bytes;
    edges.weights = list->weights;
    edges.weight_type = list->weight_type;
    build.vertices = list->vertices;
    build.directed = hop__directed(options, list->directed);
    build.duplicates = options->duplicates;
    build.loops = options->loops;
    HOP_TRY(status, hop_graph_from_edges(context, &edges, &build, graph));
    (*graph)->labels = (*graph)->own_labels = labels;
    labels = NULL;
done:
    hop__free(labels);
    hop__edge_list_clear(list);
    return status;
}
