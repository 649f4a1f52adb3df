/* SPDX-License-Identifier: Apache-2.0
 *
 * From the edges of a file to a graph.
 *
 * Ids that are labels are numbered first (graph/relabel.h); the arrays of the file are freed
 * before the graph is built, so that both never exist beside the builder's. Peak: the file's
 * arrays plus 8 bytes per edge while relabelling; 8 bytes per edge plus the builder's afterwards.
 */
#include <inttypes.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"
#include "graph/relabel.h"
#include "io/formats/edge_spool.h"
#include "io/formats/format.h"

void hop__edge_list_clear(hop__edge_list *list) {
    hop__free(list->from);
    hop__free(list->to);
    hop__free(list->weights);
    hop__free(list->labels);
    hop__free(list->file);
    hop__vertex_names_release(list->names);
    hop__edge_spool_free(list->spool);
    hop__free(list->ranks);
    *list = (hop__edge_list){0};
}

void hop__edge_list_drop_weights(hop__edge_list *list) {
    hop__free(list->weights);
    list->weights = NULL;
    list->weight_type = HOP_TYPE_NONE;
}

static bool is_label(const hop__edge_list *list, uint64_t id) {
    uint64_t low = 0, high = list->vertices;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (list->labels[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->vertices && list->labels[low] == id;
}

static uint64_t id_at(const hop__edge_list *list, const void *ids, uint64_t edge) {
    return list->id_bytes == 4 ? ((const uint32_t *)ids)[edge] : ((const uint64_t *)ids)[edge];
}

hop_status hop__edge_list_unknown(hop_context *context, const hop__edge_list *list, uint64_t edge,
                                  uint64_t id) {
    hop__fail(context, HOP_ERR_INPUT,
              "line %" PRIu64 " of the edges: vertex %" PRIu64
              ", which is not in the list of vertices",
              list->first_line + edge, id);
    hop__note_line(context, list->first_line + edge);
    return hop__note_vertex(context, HOP_KIND_DATA, id);
}

/* The failure of an edge whose end is not among the vertices, with the line that it stands on. */
static hop_status name_line(hop_context *context, const hop__edge_list *list, hop_status status) {
    for (uint64_t edge = 0; edge < list->count; edge++)
        for (int side = 0; side < 2; side++) {
            uint64_t id = id_at(list, side == 0 ? list->from : list->to, edge);
            if (is_label(list, id))
                continue;
            return hop__edge_list_unknown(context, list, edge, id);
        }
    return status;
}

/* Replaces labels by vertex numbers. The labels of the graph, or NULL, go to *labels; without them
 * list->first_id is set. */
static hop_status number_vertices(hop_context *context, hop__edge_list *list, uint64_t **labels) {
    hop_edges edges = HOP_EDGES_INIT;
    hop__relabelled dense = {0};
    hop_status status;
    edges.count = list->count + list->lone;
    edges.from = list->from;
    edges.to = list->to;
    edges.id_bytes = edges.stride = list->id_bytes;
    status = hop__relabel(context, &edges, list->labels, list->vertices, &dense);
    if (status == HOP_ERR_INPUT && list->labels != NULL && list->first_line != 0)
        status = name_line(context, list, status);
    HOP_TRY(status, status);
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
    list->first_id = dense.first_id;
    *labels = dense.labels;
done:
    return status;
}

hop_status hop__edge_list_fail_total(hop_context *context, const hop__edge_list *list,
                                     const hop_read_options *options, uint64_t used, uint64_t rows,
                                     bool guessed) {
    /* Without a number of vertices ids are labels, which are found by sorting. */
    uint64_t n = list->vertices, weight = hop_type_size(list->weight_type);
    uint64_t arrays = rows * (2 * list->id_bytes + weight);
    uint64_t relabel = arrays + rows * (list->id_bytes == 8 ? 48 : 24);
    uint64_t build =
        rows * (8 + weight) + (n > 0 ? 0 : 8 * rows) +
        hop__build_bytes(context, n > 0 ? n : rows, rows,
                         options->direction == HOP_DIRECTION_DIRECTED, list->weight_type);
    uint64_t text = (uint64_t)hop__team_limit(context) * (UINT64_C(320) << 10) + (1 << 20);
    uint64_t most = n > 0 || build > relabel ? build : relabel;
    most = most > arrays + text ? most : arrays + text;
    return hop__fail_total(context, "read", used + most, n, rows, guessed);
}

/* The graph of edges that are in memory. */
static hop_status build_arrays(hop_context *context, hop__edge_list *list,
                               const hop_read_options *options, uint64_t **labels,
                               hop_graph **graph) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_status status;
    edges.count = list->count;
    edges.from = list->from;
    edges.to = list->to;
    edges.id_bytes = edges.stride = list->id_bytes;
    edges.weights = list->weights;
    edges.weight_type = list->weight_type;
    build.vertices = list->vertices;
    build.directed = hop__directed(options, list->directed);
    build.duplicates = options->duplicates;
    build.loops = options->loops;
    hop__names names = {*labels, list->first_id, list->names};
    HOP_TRY(status, hop__graph_from_edges(context, &edges, &build, names, graph));
    (*graph)->first_id = list->first_id;
    (*graph)->labels = (*graph)->own_labels = *labels;
    (*graph)->names = list->names;
    list->names = NULL;
    *labels = NULL;
done:
    return status;
}

/* Whether edges that are in memory are to be built on disk: beside them there is no room. */
static bool is_crowded(const hop_context *context, const hop__edge_list *list,
                       const hop_read_options *options) {
    return context->outsider != NULL &&
           !hop__build_fits(context, list->vertices, list->count,
                            hop__directed(options, list->directed), list->weight_type);
}

/* Numbers the vertices, if need be, and builds: in memory if that fits. */
static hop_status build_list(hop_context *context, hop__edge_list *list,
                             const hop_read_options *options, uint64_t **labels,
                             hop_graph **graph) {
    uint64_t bytes = list->count * (2 * list->id_bytes + hop_type_size(list->weight_type));
    uint64_t used = hop__pool_usage(context->pool).used;
    hop_status status = HOP_OK;
    if (list->spool == NULL && list->ids == HOP_IDS_SPARSE) {
        status = number_vertices(context, list, labels);
        if (status == HOP_ERR_BUDGET && hop__edge_spool_possible(context, list))
            status = hop__edge_spool_list(context, list);
        else if (status == HOP_ERR_BUDGET)
            status = hop__edge_list_fail_total(context, list, options,
                                               used > bytes ? used - bytes : 0, list->count, false);
        HOP_TRY(status, status);
        HOP_TRY(status,
                hop__read_limits_check(context, "read", options, list->vertices, list->count));
    }
    if (list->spool == NULL && is_crowded(context, list, options))
        HOP_TRY(status, hop__edge_spool_list(context, list));
    status = list->spool != NULL ? hop__edge_spool_build(context, list, options, labels, graph)
                                 : build_arrays(context, list, options, labels, graph);
done:
    return status;
}

hop_status hop__edge_list_build(hop_context *context, const char *name, hop__edge_list *list,
                                const hop_read_options *options, hop_graph **graph) {
    uint64_t *labels = NULL;
    hop_status status;
    *graph = NULL;
    HOP_TRY(status, hop__read_limits_check(context, "read", options, list->vertices, list->count));
    HOP_TRY(status, build_list(context, list, options, &labels, graph));
done:
    hop__free(labels);
    if (status != HOP_OK)
        hop__fail_prefix(context, list->file != NULL ? list->file : name);
    if (status != HOP_OK && list->file != NULL)
        hop__note_file(context, list->file);
    hop__edge_list_clear(list);
    return status;
}
