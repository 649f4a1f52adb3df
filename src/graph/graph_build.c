/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a graph from edges in any order.
 *
 * The arcs are partitioned by source vertex (partition.h), each bucket is sorted where it stands
 * and its duplicates are merged (rows.h), gaps are closed, and the array of keys has become the
 * array of targets. So the peak is the keys (4 to 8 bytes per arc) and the weights, and the
 * targets cost nothing more.
 *
 * Cost: two passes over the edges, one over the arcs. Figures:
 * docs/measurements/building-and-reading.md. */
#include <stdio.h>
#include <string.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/scan.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "graph/graph_facts.h"
#include "graph/graph_internal.h"
#include "graph/numbers.h"
#include "graph/relabel.h"
#include "graph/rows.h"

enum { BUCKET_BITS = 12, WRITE_BYTES = 5 << 20 };

hop__names hop__graph_names(const hop_graph *graph) {
    return (hop__names){graph->labels, graph->first_id, graph->names};
}

hop__vertex_text hop__names_text(const hop__names *names, uint64_t vertex) {
    hop__vertex_text text;
    size_t length;
    if (names->texts != NULL && vertex < names->texts->count) {
        const char *name = hop__name_at(names->texts, vertex, &length);
        return hop__name_text(name, length);
    }
    snprintf(text.s, sizeof text.s, "%llu",
             (unsigned long long)(names->labels != NULL ? names->labels[vertex]
                                                        : names->first_id + vertex));
    return text;
}

hop_status hop__build_overflowed(hop_context *context, const hop__build *build, hop__names names,
                                 uint64_t arc) {
    hop__fail(context, HOP_ERR_INPUT,
              "%s: the weights of the edges from %s to %s add up to more than their type holds",
              build->what, hop__names_text(&names, arc >> 32).s,
              hop__names_text(&names, (uint32_t)arc).s);
    hop__note_vertex(context, HOP_KIND_DATA,
                     names.labels != NULL ? names.labels[arc >> 32] : names.first_id + (arc >> 32));
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS,
                       "use a wider type or another rule for duplicates");
}

static hop_status id_too_large(hop_context *context, uint64_t id, uint64_t most) {
    hop__fail(context, HOP_ERR_INPUT, "edges: the largest id is %llu, but ids must be below %llu",
              (unsigned long long)id, (unsigned long long)most);
    hop__note_vertex(context, HOP_KIND_DATA, id);
    return hop__remedy(context, HOP_REMEDY_SPARSE_IDS, "take them as sparse ids");
}

void hop__degrees_scan(const hop_context *context, void *degrees, size_t bytes, uint64_t n) {
    if (bytes == 4)
        hop__scan_u32(context, degrees, n + 1);
    else
        hop__scan_u64(context, degrees, n + 1);
}

/* Partitions and sorts into the arrays of `graph`. */
static hop_status build_arrays(hop_context *context, const hop__edge_source *source,
                               const hop__build *build, hop__names names, hop_graph *graph) {
    hop_status status;
    uint64_t n = build->vertices, kept = 0;
    unsigned bits = n > 1 ? hop__bit_width(n - 1) : 0;
    hop__partition_shape shape = {
        bits,        bits,        n,    n, !build->directed, build->loops == HOP_LOOPS_DROP,
        BUCKET_BITS, build->what, names};
    hop__partition arcs;
    hop__rows rows = {build->duplicates, source->weight_type, NULL, 4, 0, UINT64_MAX};
    HOP_TRY(status, hop__partition_make(context, source, &shape, &arcs));
    rows.degree_bytes = arcs.arcs <= UINT32_MAX && !build->wide ? 4 : 8;
    HOP_TRY(status, hop__alloc_zero(context, "build: offsets", n + 1, rows.degree_bytes,
                                    &graph->own_offsets));
    rows.degrees = graph->own_offsets;
    HOP_TRY(status, hop__rows_sort(context, &rows, &arcs, 0, arcs.low, arcs.weights, &kept));
    if (rows.overflow != UINT64_MAX) {
        status = hop__build_overflowed(context, build, names, rows.overflow);
        goto done;
    }
    hop__degrees_scan(context, graph->own_offsets, rows.degree_bytes, n);
    HOP_TRY(status, hop__resize(context, "build: targets", kept, 4, &arcs.low));
    HOP_TRY(status, hop__resize(context, "build: weights", kept, arcs.weight_bytes, &arcs.weights));
    graph->own_targets = arcs.low;
    graph->own_weights = arcs.weights;
    arcs.low = NULL;
    arcs.weights = NULL;
    graph->arcs = kept;
    graph->offset_bytes = rows.degree_bytes;
    graph->shared->facts.loops = atomic_load(&rows.loops);
done:
    hop__partition_clear(&arcs);
    return status;
}

uint64_t hop__build_bytes(const hop_context *context, uint64_t vertices, uint64_t edges,
                          bool directed, hop_weight_type type) {
    uint64_t arcs = directed ? edges : 2 * edges, team = hop__team_limit(context);
    uint64_t scratch = arcs < HOP__BUCKET_LIMIT ? arcs : HOP__BUCKET_LIMIT, weight;
    unsigned bits = hop__bit_width(vertices);
    hop__partition shape = {0};
    hop__partition_shape keys = {bits, bits, vertices, vertices, !directed, false, BUCKET_BITS, ""};
    hop__partition_choose(&shape, &keys, arcs);
    weight = hop_type_size(type);
    uint64_t per_arc = 4 + shape.high_bytes + weight;
    uint64_t lane = (UINT64_C(1) << shape.bucket_bits) * (24 + 16 * per_arc) + 1024;
    uint64_t lists = scratch * ((shape.high_bytes > 0 ? 16 : 4) + weight) + 1024;
    return arcs * per_arc + (vertices + 1) * (arcs <= UINT32_MAX ? 4 : 8) + team * (lane + lists) +
           (UINT64_C(64) << 10);
}

bool hop__build_fits(const hop_context *context, uint64_t vertices, uint64_t edges, bool directed,
                     hop_weight_type type) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t need = hop__build_bytes(context, vertices, edges, directed, type);
    if (context->outsider != NULL) /* it is to be written, too: buffers, and checksums of blocks */
        need += WRITE_BYTES + (directed ? edges : 2 * edges) * (4 + hop_type_size(type)) / 2048 +
                context->outsider->beside * vertices;
    return usage.used <= usage.budget && need <= usage.budget - usage.used;
}

hop_status hop__graph_build(hop_context *context, const hop__edge_source *source,
                            const hop__build *build, hop_graph **result) {
    return hop__graph_build_named(context, source, build, (hop__names){NULL, 0, NULL}, result);
}

hop_status hop__graph_build_named(hop_context *context, const hop__edge_source *source,
                                  const hop__build *build, hop__names names, hop_graph **result) {
    hop_graph *graph = NULL;
    hop__outsider *outsider = context->outsider;
    uint64_t used = hop__pool_usage(context->pool).used;
    hop_status status;
    if (source->count > HOP_MAX_EDGES)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %llu edges, at most 2^40 are possible",
                         build->what, (unsigned long long)source->count);
    if (outsider != NULL &&
        (source->next != NULL || !hop__build_fits(context, build->vertices, source->count,
                                                  build->directed, source->weight_type)))
        return outsider->build(context, outsider, source, build, names, result);
    HOP_TRY(status, hop__graph_create(context, &graph));
    HOP_TRY(status, build_arrays(context, source, build, names, graph));
    graph->vertices = build->vertices;
    graph->edges_given = source->count;
    graph->directed = build->directed;
    graph->weight_type = source->weight_type;
    graph->offsets = graph->own_offsets;
    graph->targets = graph->own_targets;
    graph->weights = source->weight_type == HOP_TYPE_NONE ? NULL : graph->own_weights;
    HOP_TRY(status, hop__facts_measure(context, graph, &graph->shared->facts));
    atomic_store(&graph->shared->state, HOP__CHECKED);
    *result = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    if (status == HOP_ERR_BUDGET && outsider != NULL) /* a vertex with most of the arcs */
        return outsider->build(context, outsider, source, build, names, result);
    if (status == HOP_ERR_BUDGET)
        status = hop__fail_total(context, build->what,
                                 used + (build->wide ? 4ull * build->vertices : 0) +
                                     hop__build_bytes(context, build->vertices, source->count,
                                                      build->directed, source->weight_type),
                                 build->vertices, source->count, false);
    return status;
}

/* Edges of the caller, whose ids count from `first`. */
typedef struct counted_edges {
    const hop_edges *edges;
    uint64_t first;
} counted_edges;

/* An id that is out of range becomes one that no graph has, so that the builder refuses it. */
static inline hop_vertex narrow(uint64_t id, uint64_t first) {
    if (id < first)
        return HOP__ID_BELOW;
    return id - first > HOP_MAX_VERTICES ? HOP__ID_ABOVE : (hop_vertex)(id - first);
}

static void arrays_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                        hop_vertex *to, void *weights) {
    const counted_edges *counted = user;
    const hop_edges *edges = counted->edges;
    if (edges->id_bytes == 4 && edges->stride == 4 && counted->first == 0) {
        memcpy(from, (const uint32_t *)edges->from + first, count * sizeof *from);
        memcpy(to, (const uint32_t *)edges->to + first, count * sizeof *to);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            from[i] = narrow(hop__edge_id(edges, edges->from, first + i), counted->first);
            to[i] = narrow(hop__edge_id(edges, edges->to, first + i), counted->first);
        }
    }
    if (weights) {
        size_t size = hop_type_size(edges->weight_type);
        memcpy(weights, (const unsigned char *)edges->weights + first * size, count * size);
    }
}

/* The largest id of a set of edges, in parallel. */
typedef struct largest {
    const hop_edges *edges;
    uint64_t id;
} largest;

static void largest_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    largest *result = arg;
    const hop_edges *edges = result->edges;
    uint64_t most = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t u = hop__edge_id(edges, edges->from, i), v = hop__edge_id(edges, edges->to, i);
        most = u > most ? u : most;
        most = v > most ? v : most;
    }
    hop__raise_u64(&result->id, most);
}

uint64_t hop__edges_largest_id(hop_context *context, const hop_edges *edges) {
    largest most = {edges, 0};
    hop__for(context, edges->count, 1 << 16, largest_range, &most);
    return hop__load_u64(&most.id);
}

hop_status hop__edges_check(hop_context *context, hop_edges *edges) {
    if (edges->id_bytes != 4 && edges->id_bytes != 8)
        return hop__fail(context, HOP_ERR_ARGUMENT, "edges: id_bytes is %zu, must be 4 or 8",
                         edges->id_bytes);
    if (edges->stride == 0)
        edges->stride = edges->id_bytes;
    if (edges->count > 0 && (!edges->from || !edges->to))
        return hop__fail(context, HOP_ERR_ARGUMENT, "edges: %llu of them, but no array",
                         (unsigned long long)edges->count);
    if (!hop__is_weight_type(edges->weight_type))
        return hop__fail(context, HOP_ERR_ARGUMENT, "edges: weight type %d does not exist",
                         (int)edges->weight_type);
    if (edges->count > 0 && (edges->weight_type != HOP_TYPE_NONE) != (edges->weights != NULL))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "edges: weight type is %s, but the weights are %s",
                         hop_type_name(edges->weight_type), edges->weights ? "given" : "NULL");
    return HOP_OK;
}

static hop_status check_options(hop_context *context, const hop_build_options *options) {
    if (options->duplicates > HOP_DUPLICATES_KEEP || options->loops > HOP_LOOPS_DROP ||
        options->ids > HOP_IDS_SPARSE)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "build: unknown option value (duplicates %d, loops %d, ids %d)",
                         (int)options->duplicates, (int)options->loops, (int)options->ids);
    if (options->vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT, "build: %llu vertices, at most %u are possible",
                         (unsigned long long)options->vertices, (unsigned)HOP_MAX_VERTICES);
    if (options->labels && options->ids != HOP_IDS_SPARSE)
        return hop__fail(context, HOP_ERR_ARGUMENT, "build: labels are for sparse ids only");
    if (options->vertices > 0 && !options->labels && options->ids == HOP_IDS_SPARSE)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "build: %llu vertices, but sparse ids say how many there "
                         "are; leave the number out, or give the labels",
                         (unsigned long long)options->vertices);
    if (options->name_offsets && (options->ids != HOP_IDS_DENSE || options->first_id != 0 ||
                                  (!options->name_bytes && options->vertices > 0)))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "build: names need their bytes, dense ids, and a first id of 0");
    if (options->first_id != 0 && options->ids == HOP_IDS_SPARSE)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "build: first_id is %llu, but sparse ids say themselves "
                         "where they begin; leave it 0",
                         (unsigned long long)options->first_id);
    return hop__first_id_check(context, "build", options->first_id, options->vertices);
}

hop_status hop__graph_from_edges(hop_context *context, const hop_edges *edges,
                                 const hop_build_options *options, hop__names names,
                                 hop_graph **graph) {
    counted_edges user = {edges, options->first_id};
    hop__edge_source source = {edges->count, edges->weight_type, arrays_fill, &user};
    hop__build build = {(hop_vertex)options->vertices, options->directed, options->duplicates,
                        options->loops, "edge"};
    if (options->vertices == 0 && edges->count > 0) {
        uint64_t most = hop__edges_largest_id(context, edges);
        if (most >= options->first_id && most - options->first_id >= HOP_MAX_VERTICES)
            return id_too_large(context, most, options->first_id + HOP_MAX_VERTICES);
        build.vertices = most < options->first_id ? 0 : (hop_vertex)(most - options->first_id + 1);
    }
    hop_status status = hop__graph_build_named(context, &source, &build, names, graph);
    if (status == HOP_OK)
        (*graph)->first_id = options->first_id;
    return status;
}

static hop_status build_sparse(hop_context *context, const hop_edges *edges,
                               const hop_build_options *options, hop_graph **graph) {
    hop__relabelled dense;
    hop_status status;
    HOP_TRY(status, hop__relabel(context, edges, options->labels, options->vertices, &dense));
    hop_edges renamed = *edges;
    renamed.from = dense.from;
    renamed.to = dense.to;
    renamed.id_bytes = renamed.stride = 4;
    counted_edges user = {&renamed, 0};
    hop__edge_source source = {edges->count, edges->weight_type, arrays_fill, &user};
    hop__names names = {dense.labels, dense.first_id, NULL};
    hop__build build = {dense.vertices, options->directed, options->duplicates, options->loops,
                        "edge"};
    HOP_TRY(status, hop__graph_build_named(context, &source, &build, names, graph));
    (*graph)->first_id = dense.first_id;
    (*graph)->own_labels = dense.labels;
    (*graph)->labels = dense.labels;
    dense.labels = NULL;
done:
    hop__relabelled_clear(&dense);
    return status;
}

/* Vertices that have names of text. */
static hop_status build_texts(hop_context *context, const hop_edges *edges,
                              const hop_build_options *options, hop_graph **graph) {
    hop__vertex_names *borrowed = NULL, *list = NULL;
    hop_graph *made = NULL;
    hop_status status;
    HOP_TRY(status, hop__vertex_names_borrow(context, options->name_offsets, options->name_bytes,
                                             options->vertices, UINT64_MAX, &borrowed));
    HOP_TRY(status, hop__vertex_names_check(context, borrowed));
    HOP_TRY(status, hop__vertex_names_share(context, borrowed, &list));
    hop__names names = {NULL, 0, list};
    HOP_TRY(status, hop__graph_from_edges(context, edges, options, names, &made));
    made->names = list;
    list = NULL;
    *graph = made;
done:
    hop__vertex_names_release(borrowed);
    hop__vertex_names_release(list);
    return status;
}

hop_status hop_graph_from_edges(hop_context *context, const hop_edges *given,
                                const hop_build_options *given_options, hop_graph **graph) {
    if (!context || !given || !graph)
        return hop__missing(context, "hop_graph_from_edges");
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_status status;
    HOP_TRY(status, hop__options_take(context, "HOP_EDGES_INIT", given, &edges, sizeof edges));
    HOP_TRY(status, hop__options_take(context, "HOP_BUILD_OPTIONS_INIT", given_options, &options,
                                      sizeof options));
    HOP_TRY(status, hop__edges_check(context, &edges));
    HOP_TRY(status, check_options(context, &options));
    if (options.ids == HOP_IDS_SPARSE)
        return build_sparse(context, &edges, &options, graph);
    if (options.name_offsets != NULL)
        return build_texts(context, &edges, &options, graph);
    hop__names names = {NULL, options.first_id, NULL};
    status = hop__graph_from_edges(context, &edges, &options, names, graph);
done:
    return status;
}
