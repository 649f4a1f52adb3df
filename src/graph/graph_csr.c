/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph of CSR arrays that the caller has: borrowed where they are in our form (sorted rows,
 * 4-byte targets), else copied through the builder, which sorts them. */
#include <string.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/csr_source.h"
#include "graph/graph_facts.h"
#include "graph/numbers.h"

static hop_status check_arguments(hop_context *context, const hop_csr *csr) {
    if (csr->vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT, "csr: %llu vertices, at most %u are possible",
                         (unsigned long long)csr->vertices, (unsigned)HOP_MAX_VERTICES);
    if ((csr->offset_bytes != 4 && csr->offset_bytes != 8) ||
        (csr->target_bytes != 4 && csr->target_bytes != 8))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "csr: offsets of %zu and targets of %zu bytes; each must be 4 or 8",
                         csr->offset_bytes, csr->target_bytes);
    if (!csr->offsets)
        return hop__fail(context, HOP_ERR_ARGUMENT, "csr: no offsets; n + 1 are needed");
    if (!hop__is_weight_type(csr->weight_type))
        return hop__fail(context, HOP_ERR_ARGUMENT, "csr: weight type %d does not exist",
                         (int)csr->weight_type);
    if (csr->first_id != 0 && csr->labels != NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "csr: both labels and a first id (%llu); the labels say it already",
                         (unsigned long long)csr->first_id);
    if (csr->name_offsets != NULL && (csr->labels != NULL || csr->first_id != 0 ||
                                      (csr->name_bytes == NULL && csr->vertices > 0)))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "csr: names need their bytes, and neither labels nor a first id");
    return hop__first_id_check(context, "csr", csr->first_id, csr->vertices);
}

/* Offsets must be sound before anything walks along them. */
typedef struct offsets_job {
    const hop_graph *graph;
    uint64_t bad;
    atomic_bool unsorted;
} offsets_job;

static void offsets_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    offsets_job *work = arg;
    const hop_graph *graph = work->graph;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t start = hop__offset(graph, v), stop = hop__offset(graph, v + 1);
        if (start > stop || stop > graph->arcs) {
            hop__lower_u64(&work->bad, v);
            return;
        }
    }
    if (graph->targets != NULL && !hop__rows_are_sorted(graph, begin, end))
        atomic_store_explicit(&work->unsorted, true, memory_order_relaxed);
}

static hop_status check_offsets(hop_context *context, const hop_graph *graph, bool *unsorted) {
    offsets_job work = {graph, UINT64_MAX, false};
    if (hop__offset(graph, 0) != 0)
        return hop__fail(context, HOP_ERR_INPUT, "csr: the first offset is %llu, must be 0",
                         (unsigned long long)hop__offset(graph, 0));
    hop__for(context, graph->vertices, 1 << 13, offsets_range, &work);
    uint64_t v = hop__load_u64(&work.bad);
    *unsorted = atomic_load(&work.unsorted);
    if (v == UINT64_MAX)
        return HOP_OK;
    hop__fail(context, HOP_ERR_INPUT,
              "csr: row %llu goes from offset %llu to %llu; offsets must not fall and end "
              "at the %llu arcs",
              (unsigned long long)v, (unsigned long long)hop__offset(graph, v),
              (unsigned long long)hop__offset(graph, v + 1), (unsigned long long)graph->arcs);
    return hop__note_vertex(context, HOP_KIND_DATA, v);
}

/* Fills in `graph` with the caller's arrays as they are. */
static hop_status borrow(hop_context *context, const hop_csr *csr, bool directed,
                         hop_graph *graph) {
    graph->vertices = (hop_vertex)csr->vertices;
    graph->directed = directed;
    graph->offset_bytes = csr->offset_bytes;
    graph->offsets = csr->offsets;
    graph->weights = csr->weights;
    graph->weight_type = csr->weight_type;
    graph->labels = csr->labels;
    graph->first_id = csr->first_id;
    graph->arcs = hop__offset(graph, graph->vertices);
    if (csr->target_bytes == 4)
        graph->targets = csr->targets;
    if (graph->arcs > 2 * HOP_MAX_EDGES)
        return hop__fail(context, HOP_ERR_INPUT, "csr: %llu arcs, at most 2^41 are possible",
                         (unsigned long long)graph->arcs);
    if (graph->arcs > 0 && !csr->targets)
        return hop__fail(context, HOP_ERR_ARGUMENT, "csr: %llu arcs, but no targets",
                         (unsigned long long)graph->arcs);
    if (graph->arcs > 0 && (csr->weight_type != HOP_TYPE_NONE) != (csr->weights != NULL))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "csr: weight type is %s, but the weights are %s",
                         hop_type_name(csr->weight_type), csr->weights ? "given" : "NULL");
    return HOP_OK;
}

static hop_status copy_array(hop_context *context, const char *what, const void *from,
                             uint64_t count, size_t size, void **own) {
    hop_status status = hop__alloc(context, what, count, size, own);
    if (status == HOP_OK && count > 0 && size > 0)
        memcpy(*own, from, (size_t)count * size);
    return status;
}

/* Replaces the borrowed arrays of a graph by copies. */
static hop_status own_arrays(hop_context *context, hop_graph *graph) {
    hop_status status;
    size_t weight_size = hop_type_size(graph->weight_type);
    HOP_TRY(status,
            copy_array(context, "csr: offsets", graph->offsets, (uint64_t)graph->vertices + 1,
                       graph->offset_bytes, &graph->own_offsets));
    HOP_TRY(status, copy_array(context, "csr: targets", graph->targets, graph->arcs,
                               sizeof(hop_vertex), &graph->own_targets));
    HOP_TRY(status, copy_array(context, "csr: weights", graph->weights, graph->arcs, weight_size,
                               &graph->own_weights));
    graph->offsets = graph->own_offsets;
    graph->targets = graph->own_targets;
    graph->weights = weight_size ? graph->own_weights : NULL;
done:
    return status;
}

/* The same graph with rows sorted, made by the builder. */
static hop_status rebuild(hop_context *context, const hop_csr *csr, bool directed,
                          hop_graph **graph) {
    hop__csr_source user = {*csr, false};
    hop__edge_source source = hop__csr_edge_source(&user);
    hop__build build = {(hop_vertex)csr->vertices, true, HOP_DUPLICATES_KEEP, HOP_LOOPS_KEEP,
                        "csr: arc"};
    hop_status status = hop__graph_build(context, &source, &build, graph);
    if (status != HOP_OK)
        return status;
    (*graph)->directed = directed;
    (*graph)->edges_given = 0; /* these were arcs */
    atomic_store(&(*graph)->shared->state, HOP__UNCHECKED);
    return HOP_OK;
}

static hop_status copy_labels(hop_context *context, const hop_csr *csr, hop__vertex_names *names,
                              hop_graph *graph) {
    graph->labels = NULL;
    graph->first_id = csr->first_id;
    if (csr->name_offsets) {
        hop__vertex_names *own = NULL;
        hop_status status = hop__vertex_names_share(context, names, &own);
        graph->names = own;
        return status;
    }
    if (!csr->labels)
        return HOP_OK;
    hop_status status = copy_array(context, "csr: labels", csr->labels, csr->vertices,
                                   sizeof(uint64_t), &graph->own_labels);
    graph->labels = graph->own_labels;
    return status;
}

/* Decides between borrowing and copying, and does it; *borrowed says which. */
static hop_status take_arrays(hop_context *context, const hop_csr *csr,
                              const hop_csr_options *options, hop_graph **graph, bool *borrowed) {
    hop_status status;
    bool unsorted = false;
    hop__vertex_names *names = NULL;
    HOP_TRY(status, hop__vertex_names_borrow(context, csr->name_offsets, csr->name_bytes,
                                             csr->vertices, UINT64_MAX, &names));
    if (names != NULL && !options->trusted)
        HOP_TRY(status, hop__vertex_names_check(context, names));
    HOP_TRY(status, borrow(context, csr, options->directed, *graph));
    if (!options->trusted)
        HOP_TRY(status, check_offsets(context, *graph, &unsorted));
    *borrowed = !unsorted && csr->target_bytes == 4 && !options->copy;
    if (*borrowed) {
        (*graph)->names = names;
        return HOP_OK;
    }
    if (unsorted || csr->target_bytes == 8) {
        hop__log(context, HOP_LOG_INFO, "csr: copied, because %s",
                 unsorted ? "its rows are not sorted" : "its targets have 8 bytes");
        hop_graph_release(*graph);
        *graph = NULL;
        HOP_TRY(status, rebuild(context, csr, options->directed, graph));
    } else {
        HOP_TRY(status, own_arrays(context, *graph));
    }
    HOP_TRY(status, copy_labels(context, csr, names, *graph));
done:
    hop__vertex_names_release(names);
    return status;
}

typedef struct loops_job {
    const hop_graph *graph;
    atomic_uint_fast64_t loops;
} loops_job;

static void loops_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    loops_job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t loops = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        loops += hop__row_loops(graph, v);
    atomic_fetch_add(&work->loops, loops);
}

/* What a check would find out about arrays that are taken on trust. */
static hop_status measure(hop_context *context, hop_graph *graph) {
    loops_job work = {graph, 0};
    hop__for(context, graph->vertices, 1 << 12, loops_range, &work);
    graph->shared->facts.loops = atomic_load(&work.loops);
    return hop__facts_measure(context, graph, &graph->shared->facts);
}

/* Labels first, first + 1 ... need no array. */
static void drop_plain_labels(hop_graph *graph) {
    hop_vertex n = graph->vertices;
    if (!graph->labels || !hop__labels_plain(graph->labels, n))
        return;
    graph->first_id = n > 0 ? graph->labels[0] : 0;
    hop__free(graph->own_labels);
    graph->labels = graph->own_labels = NULL;
}

hop_status hop_graph_from_csr(hop_context *context, const hop_csr *given_csr,
                              const hop_csr_options *given, hop_graph **result) {
    if (!context || !given_csr || !result)
        return hop__missing(context, "hop_graph_from_csr");
    hop_csr full = HOP_CSR_INIT;
    const hop_csr *csr = &full;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    bool borrowed = false;
    hop_status status;
    HOP_TRY(status, hop__options_take(context, "HOP_CSR_INIT", given_csr, &full, sizeof full));
    HOP_TRY(status,
            hop__options_take(context, "HOP_CSR_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, check_arguments(context, csr));
    HOP_TRY(status, hop__graph_create(context, &graph));
    HOP_TRY(status, take_arrays(context, csr, &options, &graph, &borrowed));
    if (options.trusted) {
        HOP_TRY(status, measure(context, graph));
        atomic_store(&graph->shared->state, HOP__TRUSTED);
    } else {
        HOP_TRY(status, hop_graph_check(context, graph));
    }
    drop_plain_labels(graph);
    graph->borrowed = borrowed;
    if (borrowed) {
        graph->release = csr->release;
        graph->owner = csr->owner;
    } else if (csr->release) {
        csr->release(csr->owner);
    }
    *result = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    return status;
}
