/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes graphs of the rows of a file, and applies the options of reading to them.
 *
 * Most files hold sorted rows without parallel arcs, and the options ask for nothing: then the
 * arrays that were read become the graph's own, and nothing is moved. Only where something is to
 * change are the arcs built anew, from the graph itself as the source of edges. */
#include "io/formats/csr_build.h"

#include <stdatomic.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/csr_source.h"

enum { ROWS_GRAIN = 1 << 13 };

void hop__csr_arrays_clear(hop__csr_arrays *arrays) {
    hop__free(arrays->offsets);
    hop__free(arrays->targets);
    hop__free(arrays->weights);
    hop__free(arrays->labels);
    hop__free(arrays->name_offsets);
    hop__free(arrays->name_bytes);
    *arrays = (hop__csr_arrays){0};
}

/* Gives one array to the graph if that has borrowed it; otherwise the caller keeps and frees it. */
static void adopt_array(const void *used, void *array, void **own, void **kept) {
    if (array == NULL || used != array)
        return;
    *own = array;
    *kept = NULL;
}

static void adopt(hop_graph *graph, hop__csr_arrays *arrays) {
    void *targets = arrays->targets, *labels = arrays->labels;
    adopt_array(graph->offsets, arrays->offsets, &graph->own_offsets, &arrays->offsets);
    adopt_array(graph->targets, targets, &graph->own_targets, &targets);
    adopt_array(graph->weights, arrays->weights, &graph->own_weights, &arrays->weights);
    adopt_array(graph->labels, labels, &graph->own_labels, &labels);
    arrays->targets = targets;
    arrays->labels = labels;
    if (graph->names != NULL && graph->names->offsets == arrays->name_offsets) {
        graph->names->own_offsets = arrays->name_offsets;
        graph->names->own_bytes = arrays->name_bytes;
        arrays->name_offsets = NULL;
        arrays->name_bytes = NULL;
    }
    graph->borrowed = false;
}

/* ---- parallel arcs ------------------------------------------------------------------------- */

typedef struct rows_job {
    const hop_graph *graph;
    atomic_bool found;
} rows_job;

static void find_parallel(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    rows_job *work = arg;
    const hop_graph *graph = work->graph;
    (void)thread;
    if (atomic_load_explicit(&work->found, memory_order_relaxed))
        return;
    for (uint64_t v = begin; v < end; v++) {
        bool equal = false;
        for (uint64_t i = hop__offset(graph, v) + 1; i < hop__offset(graph, v + 1); i++)
            equal |= graph->targets[i] == graph->targets[i - 1];
        if (equal) {
            atomic_store_explicit(&work->found, true, memory_order_relaxed);
            return;
        }
    }
}

static bool has_parallel(hop_context *context, const hop_graph *graph) {
    rows_job work = {graph, false};
    hop__for(context, graph->vertices, ROWS_GRAIN, find_parallel, &work);
    return atomic_load(&work.found);
}

/* ---- options ------------------------------------------------------------------------------- */

/* Builds a directed graph anew, directed or not, by the options. */
static hop_status rebuild_arcs(hop_context *context, const hop_graph *graph, bool directed,
                               const hop_read_options *options, bool merge, hop_graph **result) {
    hop__csr_source user = {hop__graph_csr(graph), false};
    hop__edge_source source = hop__csr_edge_source(&user);
    hop__build build = {graph->vertices, directed,
                        merge || !directed ? options->duplicates : HOP_DUPLICATES_KEEP,
                        options->loops, "arc"};
    hop__names names = hop__graph_names(graph);
    return hop__graph_build_named(context, &source, &build, names, result);
}

/* Puts `next` in the place of *graph, and the names with it. */
static void replace(hop_graph **graph, hop_graph *next) {
    next->first_id = (*graph)->first_id;
    next->labels = (*graph)->labels;
    next->own_labels = (*graph)->own_labels;
    (*graph)->own_labels = NULL;
    next->names = (*graph)->names;
    (*graph)->names = NULL;
    hop_graph_release(*graph);
    *graph = next;
}

/* A mapped file's labels go with the mapping; a graph that is built anew needs its own. */
static hop_status own_labels(hop_context *context, hop_graph *graph) {
    if (graph->names != NULL) {
        hop__vertex_names *own = NULL;
        hop_status shared = hop__vertex_names_share(context, graph->names, &own);
        if (shared == HOP_OK) {
            hop__vertex_names_release(graph->names);
            graph->names = own;
        }
        return shared;
    }
    if (graph->labels == NULL || graph->own_labels != NULL)
        return HOP_OK;
    hop_status status =
        hop__alloc(context, "labels", graph->vertices, sizeof *graph->labels, &graph->own_labels);
    if (status == HOP_OK) {
        memcpy(graph->own_labels, graph->labels, graph->vertices * sizeof *graph->labels);
        graph->labels = graph->own_labels;
    }
    return status;
}

/* Calls a directed graph undirected if its arcs are symmetric; *symmetric says whether. */
static hop_status declare_undirected(hop_context *context, hop_graph *graph, bool *symmetric) {
    hop__facts facts;
    graph->directed = false;
    hop_status status = hop__graph_verify(context, graph, &facts);
    *symmetric = status == HOP_OK;
    if (*symmetric)
        graph->shared->facts = facts;
    else
        graph->directed = true;
    return status == HOP_ERR_INPUT ? HOP_OK : status;
}

hop_status hop__csr_apply_options(hop_context *context, const hop_read_options *options, bool merge,
                                  hop_graph **slot) {
    hop_graph *graph = *slot, *next = NULL;
    bool directed = hop__directed(options, graph->directed);
    bool to_undirected = graph->directed && !directed;
    hop_status status = HOP_OK;
    if (!graph->directed && directed)
        graph->directed = true; /* both arcs of every edge are there */
    if (!to_undirected && options->loops == HOP_LOOPS_KEEP && !merge)
        return HOP_OK;
    HOP_TRY(status, hop_graph_check(context, graph));
    bool symmetric = true;
    if (to_undirected)
        HOP_TRY(status, declare_undirected(context, graph, &symmetric));
    bool loops = options->loops == HOP_LOOPS_DROP && graph->shared->facts.loops > 0;
    bool parallel =
        merge && options->duplicates != HOP_DUPLICATES_KEEP && has_parallel(context, graph);
    if (symmetric && !loops && !parallel)
        return HOP_OK;
    HOP_TRY(status, own_labels(context, graph));
    if (graph->directed)
        HOP_TRY(status, rebuild_arcs(context, graph, directed, options, merge, &next));
    else
        HOP_TRY(status, hop__graph_rebuild(context, graph,
                                           merge ? options->duplicates : HOP_DUPLICATES_KEEP,
                                           options->loops, &next));
    replace(slot, next);
done:
    return status;
}

/* HOP_ERR_BUDGET with what the arrays of a file take in all. */
static hop_status fail_total(hop_context *context, const hop__csr_header *header) {
    uint64_t n = header->vertices, arcs = header->arcs;
    uint64_t block = UINT64_C(1) << 19; /* what is in use beside them */
    uint64_t bytes =
        (n + 1) * (arcs <= UINT32_MAX ? 4 : 8) + arcs * (4 + header->weight_bytes) + block;
    hop__fail_total(context, "read", bytes, n, header->directed ? arcs : arcs / 2, false);
    return hop__note_enough(context, HOP_UNKNOWN); /* what was in use before comes on top */
}

hop_status hop__csr_read(hop_context *context, hop__input *input, const hop_read_options *options,
                         const hop__csr_header *header, hop__csr_read_fn read, const void *layout,
                         hop_graph **graph) {
    hop__csr_arrays arrays = {.vertices = header->vertices, .directed = header->directed};
    hop_status status, ended;
    *graph = NULL;
    HOP_TRY(status,
            hop__read_limits_check(context, hop__input_name(input), options, header->vertices,
                                   header->directed ? header->arcs : header->arcs / 2));
    hop__progress_begin(context, "read", hop__input_size(input));
    status = read(context, input, layout, &arrays);
    ended = hop__progress_end(context);
    if (status == HOP_ERR_BUDGET)
        status = fail_total(context, header);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    status = hop__csr_arrays_build(context, &arrays, options, graph);
    if (status != HOP_OK)
        hop__fail_prefix(context, hop__input_name(input));
done:
    hop__csr_arrays_clear(&arrays);
    return status;
}

hop_status hop__csr_arrays_build(hop_context *context, hop__csr_arrays *arrays,
                                 const hop_read_options *options, hop_graph **graph) {
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_status status;
    *graph = NULL;
    if (options->drop_weights) {
        hop__free(arrays->weights);
        arrays->weights = NULL;
        arrays->weight_type = HOP_TYPE_NONE;
    }
    csr.vertices = arrays->vertices;
    csr.offsets = arrays->offsets;
    csr.offset_bytes = arrays->offset_bytes;
    csr.targets = arrays->targets;
    csr.weights = arrays->weights;
    csr.weight_type = arrays->weight_type;
    csr.labels = arrays->labels;
    csr.first_id = arrays->first_id;
    csr.name_offsets = arrays->name_offsets;
    csr.name_bytes = arrays->name_bytes;
    if (arrays->name_offsets != NULL && arrays->name_offsets[arrays->vertices] != arrays->name_size)
        HOP_TRY(status,
                hop__fail(context, HOP_ERR_INPUT, "graph: the names end at byte %llu of %llu",
                          (unsigned long long)arrays->name_offsets[arrays->vertices],
                          (unsigned long long)arrays->name_size));
    how.directed = arrays->directed || options->direction == HOP_DIRECTION_DIRECTED;
    HOP_TRY(status, hop_graph_from_csr(context, &csr, &how, graph));
    adopt(*graph, arrays);
    HOP_TRY(status, hop__csr_apply_options(context, options, true, graph));
done:
    hop__csr_arrays_clear(arrays);
    if (status != HOP_OK) {
        hop_graph_release(*graph);
        *graph = NULL;
    }
    return status;
}
