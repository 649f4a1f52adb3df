/* SPDX-License-Identifier: Apache-2.0
 * Graphs made from a graph: reversed, symmetric, the part on some vertices. */
#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/scan.h"
#include "core/try.h"
#include "graph/csr_source.h"
#include "graph/graph_facts.h"

static hop_status copy_labels(hop_context *context, const hop_graph *from, hop_graph *to) {
    to->first_id = from->first_id;
    if (from->names)
        return hop__vertex_names_share(context, from->names, &to->names);
    if (!from->labels)
        return HOP_OK;
    hop_status status = hop__alloc(context, "labels", from->vertices, 8, &to->own_labels);
    if (status == HOP_OK && from->vertices > 0)
        memcpy(to->own_labels, from->labels, (size_t)from->vertices * 8);
    to->labels = to->own_labels;
    return status;
}

/* Builds from the arcs of `graph`, turned round or not. */
static hop_status build_from(hop_context *context, const hop_graph *graph, bool swap,
                             const hop__build *build, hop_graph **result) {
    hop_graph *made = NULL;
    hop_status status;
    HOP_TRY(status, hop_graph_check(context, graph));
    hop__csr_source user = {hop__graph_csr(graph), swap};
    hop__edge_source source = hop__csr_edge_source(&user);
    hop__names names = hop__graph_names(graph);
    HOP_TRY(status, hop__graph_build_named(context, &source, build, names, &made));
    HOP_TRY(status, copy_labels(context, graph, made));
    *result = made;
    made = NULL;
done:
    hop_graph_release(made);
    return status;
}

hop_status hop_graph_reverse(hop_context *context, const hop_graph *graph, hop_graph **result) {
    if (!context || !graph || !result)
        return hop__missing(context, "hop_graph_reverse");
    /* Kernels that read both have one width of offsets. */
    hop__build build = {graph->vertices, true,           HOP_DUPLICATES_KEEP,
                        HOP_LOOPS_KEEP,  "reverse: arc", graph->offset_bytes == 8};
    hop_status status = build_from(context, graph, true, &build, result);
    if (status != HOP_OK)
        return status;
    (*result)->directed = graph->directed;
    (*result)->edges_given = 0; /* these were arcs */
    return HOP_OK;
}

hop_status hop__graph_reverse_bare(hop_context *context, const hop_graph *graph,
                                   hop_graph **result) {
    hop_graph bare = *graph;
    bare.weights = NULL;
    bare.weight_type = HOP_TYPE_NONE;
    return hop_graph_reverse(context, &bare, result);
}

uint64_t hop__reverse_bytes(const hop_graph *graph) {
    return graph->arcs * 20 + (uint64_t)graph->vertices * 12 + (64 << 20);
}

hop_status hop__graph_rebuild(hop_context *context, const hop_graph *graph,
                              hop_duplicates duplicates, hop_loops loops, hop_graph **result) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_edge *pairs = NULL;
    void *weights = NULL;
    hop_status status;
    HOP_TRY(status, hop_graph_edge_count(context, graph, true, &edges.count));
    HOP_TRY(status, hop__alloc(context, "rebuild: edges", edges.count, sizeof *pairs, &pairs));
    if (graph->weight_type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__alloc(context, "rebuild: weights", edges.count,
                                   hop_type_size(graph->weight_type), &weights));
    const hop_span room = {weights, edges.count, graph->weight_type};
    HOP_TRY(status,
            hop_graph_edge_list(context, graph, true, pairs, edges.count, weights ? &room : NULL));
    edges.from = &pairs->from;
    edges.to = &pairs->to;
    edges.stride = sizeof *pairs;
    edges.weights = weights;
    edges.weight_type = graph->weight_type;
    build.vertices = graph->vertices;
    build.duplicates = duplicates;
    build.loops = loops;
    hop__names names = hop__graph_names(graph);
    HOP_TRY(status, hop__graph_from_edges(context, &edges, &build, names, result));
done:
    hop__free(pairs);
    hop__free(weights);
    return status;
}

hop_status hop_graph_symmetrize(hop_context *context, const hop_graph *graph,
                                hop_duplicates duplicates, hop_graph **result) {
    if (!context || !graph || !result)
        return hop__missing(context, "hop_graph_symmetrize");
    if (duplicates >= HOP_DUPLICATES_KEEP)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "symmetrize: duplicates must be merged (min, max, sum, first or last)");
    hop__build build = {graph->vertices, false, duplicates, HOP_LOOPS_KEEP, "symmetrize: edge"};
    if (graph->directed)
        return build_from(context, graph, false, &build, result);
    hop_graph *made = NULL; /* its two arcs are one edge, whose weight counts once */
    hop_status status;
    HOP_TRY(status, hop__graph_rebuild(context, graph, duplicates, HOP_LOOPS_KEEP, &made));
    HOP_TRY(status, copy_labels(context, graph, made));
    *result = made;
    made = NULL;
done:
    hop_graph_release(made);
    return status;
}

/* The part of a graph on some vertices. */
typedef struct subgraph_job {
    hop_context *context;
    const hop_graph *graph;
    const hop_vertex *vertices;
    const hop_vertex *names; /* new number of each old vertex, or HOP_NO_VERTEX */
    uint64_t *offsets;
    hop_vertex *targets;
    unsigned char *weights;
    atomic_uint_fast64_t loops;
} subgraph_job;

static void count_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    subgraph_job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t old = work->vertices[v], count = 0;
        uint64_t stop = hop__offset(work->graph, old + 1);
        for (uint64_t i = hop__offset(work->graph, old); i < stop; i++)
            count += work->names[work->graph->targets[i]] != HOP_NO_VERTEX;
        work->offsets[v] = count;
    }
}

static void copy_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    subgraph_job *work = arg;
    const hop_graph *graph = work->graph;
    size_t size = hop_type_size(graph->weight_type);
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t old = work->vertices[v], out = work->offsets[v];
        uint64_t stop = hop__offset(graph, old + 1), loops = 0;
        for (uint64_t i = hop__offset(graph, old); i < stop; i++) {
            hop_vertex name = work->names[graph->targets[i]];
            if (name == HOP_NO_VERTEX)
                continue;
            loops += name == v;
            work->targets[out] = name;
            if (size)
                memcpy(work->weights + out * size, (const unsigned char *)graph->weights + i * size,
                       size);
            out++;
        }
        if (loops)
            atomic_fetch_add(&work->loops, loops);
    }
}

static hop_status name_vertices(hop_context *context, const hop_graph *graph,
                                const hop_vertex *vertices, hop_vertex count, hop_vertex **names,
                                hop_graph *made) {
    hop_status status;
    uint64_t *labels = NULL;
    HOP_TRY(status, hop__alloc(context, "subgraph: names", graph->vertices, 4, names));
    HOP_TRY(status, hop__alloc(context, "subgraph: labels", count, 8, &labels));
    made->own_labels = labels;
    made->labels = labels;
    memset(*names, 0xff, (size_t)graph->vertices * 4);
    for (hop_vertex i = 0; i < count; i++) {
        if (vertices[i] >= graph->vertices || (i > 0 && vertices[i] <= vertices[i - 1])) {
            status = hop__fail(context, HOP_ERR_ARGUMENT,
                               "subgraph: vertex number %u of the list is %u; the list must be "
                               "strictly ascending and below %u",
                               i, vertices[i], graph->vertices);
            goto done;
        }
        (*names)[vertices[i]] = i;
        labels[i] = hop_graph_label(graph, vertices[i]);
    }
    if (graph->names != NULL)
        HOP_TRY(status,
                hop__vertex_names_pick(context, graph->names, vertices, count, &made->names));
    if (graph->names != NULL || hop__labels_plain(labels, count)) {
        made->first_id = count > 0 && graph->names == NULL ? labels[0] : 0;
        made->labels = made->own_labels = NULL;
        hop__free(labels);
    }
done:
    return status;
}

/* Counts and copies the rows that stay into the new graph. */
static hop_status copy_rows(subgraph_job *work, hop_vertex count, hop_graph *made) {
    hop_status status, ended;
    hop_context *context = work->context;
    size_t size = hop_type_size(work->graph->weight_type);
    hop__progress_begin(context, "subgraph", 2 * (uint64_t)count);
    HOP_TRY(status, hop__alloc_zero(context, "subgraph: offsets", (uint64_t)count + 1, 8,
                                    &made->own_offsets));
    work->offsets = made->own_offsets;
    hop__for(context, count, 1 << 10, count_range, work);
    made->arcs = hop__scan_u64(context, work->offsets, (uint64_t)count + 1);
    HOP_TRY(status, hop__alloc(context, "subgraph: targets", made->arcs, 4, &made->own_targets));
    HOP_TRY(status, hop__alloc(context, "subgraph: weights", made->arcs, size, &made->own_weights));
    work->targets = made->own_targets;
    work->weights = made->own_weights;
    hop__for(context, count, 1 << 10, copy_range, work);
    made->offset_bytes = 8;
    made->offsets = made->own_offsets;
    made->targets = made->own_targets;
    made->weights = size ? made->own_weights : NULL;
done:
    ended = hop__progress_end(context);
    return status != HOP_OK ? status : ended;
}

hop_status hop_graph_subgraph(hop_context *context, const hop_graph *graph,
                              const hop_vertex *vertices, hop_vertex count, hop_graph **result) {
    hop_graph *made = NULL;
    hop_vertex *names = NULL;
    hop_status status;
    if (!context || !graph || !result || (!vertices && count > 0))
        return hop__missing(context, "hop_graph_subgraph");
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__graph_create(context, &made));
    HOP_TRY(status, name_vertices(context, graph, vertices, count, &names, made));
    subgraph_job work = {context, graph, vertices, names, NULL, NULL, NULL, 0};
    HOP_TRY(status, copy_rows(&work, count, made));
    made->vertices = count;
    made->directed = graph->directed;
    made->weight_type = graph->weight_type;
    made->shared->facts.loops = atomic_load(&work.loops);
    HOP_TRY(status, hop__facts_measure(context, made, &made->shared->facts));
    atomic_store(&made->shared->state, HOP__CHECKED);
    *result = made;
    made = NULL;
done:
    hop__free(names);
    hop_graph_release(made);
    return status;
}
