/* SPDX-License-Identifier: Apache-2.0
 *
 * Components straight from a file of edges or a recipe, within a budget that has no room for the
 * graph: an outsider (edge_source.h) that joins the edges as they come. What it gives back is a
 * graph without arcs that knows the labels of its components, which `stream` hands out. */
#include <inttypes.h>
#include <stdio.h>

#include "components/components_forest.h"
#include "components/components_id_forest.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "hoplite/store.h"

/* Beside a graph in memory: labels and sizes, and what a variant takes. */
enum { BESIDE = 12 };

typedef struct joining {
    hop__outsider outsider; /* first: for a context */
    hop__id_forest forest;
} joining;

/* ---- edges of files ------------------------------------------------------------------------- */

static void joiner_begin(hop__outsider *outsider, bool labels) {
    joining *work = (joining *)outsider;
    hop__id_forest_clear(&work->forest);
    work->forest.labels = labels;
}

static hop_status joiner_add(hop_context *context, hop__outsider *outsider, const void *from,
                             const void *to, size_t id_bytes, uint64_t count) {
    return hop__id_forest_add(context, &((joining *)outsider)->forest, from, to, id_bytes, count);
}

static hop_status joiner_number(hop_context *context, hop__outsider *outsider, uint64_t **labels,
                                uint64_t *first_id, uint64_t *count) {
    return hop__id_forest_number(context, &((joining *)outsider)->forest, labels, first_id, count);
}

static hop_status joiner_finish(hop_context *context, hop__outsider *outsider,
                                const hop__edge_source *source, const hop__build *build,
                                hop__id_ranks ranks, hop_graph **result) {
    joining *work = (joining *)outsider;
    hop_graph *graph = NULL;
    hop_status status;
    HOP_TRY(status, hop__graph_create(context, &graph));
    HOP_TRY(status,
            hop__id_forest_finish(context, &work->forest, build->vertices, ranks, &graph->joined));
    graph->vertices = build->vertices;
    graph->edges_given = source->count;
    graph->directed = build->directed;
    graph->weight_type = source->weight_type;
    graph->shared->facts.max_degree_vertex = build->vertices > 0 ? 0 : HOP_NO_VERTEX;
    atomic_store(&graph->shared->state, HOP__CHECKED);
    *result = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    return status;
}

static const hop__joiner joiner = {joiner_begin, joiner_add, joiner_number, joiner_finish};

/* ---- edges that can be asked for ------------------------------------------------------------ */

typedef struct source_job {
    hop_context *context;
    const hop__edge_source *source;
    hop_vertex *parents;
    uint64_t vertices;
    uint64_t bad; /* atomic: the first edge whose end is no vertex */
} source_job;

static void source_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    source_job *work = arg;
    hop_vertex from[HOP__SOURCE_BLOCK], to[HOP__SOURCE_BLOCK];
    double weights[HOP__SOURCE_BLOCK];
    bool weighted = work->source->weight_type != HOP_TYPE_NONE;
    uint64_t first = begin;
    (void)thread;
    while (first < end) {
        uint32_t count =
            end - first < HOP__SOURCE_BLOCK ? (uint32_t)(end - first) : (uint32_t)HOP__SOURCE_BLOCK;
        work->source->fill(work->source->user, first, count, from, to, weighted ? weights : NULL);
        for (uint32_t i = 0; i < count; i++)
            if (from[i] < work->vertices && to[i] < work->vertices)
                hop__rem_join(work->parents, from[i], to[i]);
            else
                hop__lower_u64(&work->bad, first + i);
        first += count;
        if (!hop__progress_add(work->context, count))
            return;
    }
}

static hop_status join_source(hop_context *context, hop__outsider *outsider,
                              const hop__edge_source *source, const hop__build *build,
                              hop__names names, hop_graph **graph) {
    joining *work = (joining *)outsider;
    hop__id_forest *forest = &work->forest;
    hop_status status;
    (void)names;
    joiner_begin(outsider, false);
    if (hop__block_bytes(build->vertices, 4) > hop__pool_usage(context->pool).budget)
        return hop__fail_total(context, build->what,
                               hop__pool_usage(context->pool).used + 4ull * build->vertices,
                               build->vertices, source->count, false);
    HOP_TRY(status,
            hop__alloc(context, "components: parents", build->vertices, 4, &forest->parents));
    forest->room = build->vertices;
    hop__forest_start(context, forest->parents, build->vertices);
    source_job job = {context, source, forest->parents, build->vertices, UINT64_MAX};
    hop__progress_begin(context, "components: stream", source->count);
    hop__for(context, source->count, 16 * HOP__SOURCE_BLOCK, source_range, &job);
    HOP_TRY(status, hop__progress_end(context));
    if (job.bad != UINT64_MAX)
        HOP_TRY(status, hop__fail(context, HOP_ERR_INPUT,
                                  "%s %" PRIu64 ": ids must be below the %u vertices", build->what,
                                  job.bad, build->vertices));
    status = joiner_finish(context, outsider, source, build, (hop__id_ranks){0}, graph);
done:
    return status;
}

/* ---- the fronts ----------------------------------------------------------------------------- */

static const joining nothing_joined = {.outsider = {join_source, NULL, &joiner, BESIDE}};

/* Of a file, or of a family. */
static hop_status join_edges(hop_context *context, bool file, const char *name, const void *options,
                             hop_graph **graph) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    joining work = nothing_joined;
    context->outsider = &work.outsider;
    hop_status status = file ? hop_graph_read(context, name, options, graph)
                             : hop_graph_generate(context, name, options, graph);
    context->outsider = NULL;
    hop__id_forest_clear(&work.forest);
    return status;
}

hop_status hop_graph_join_file(hop_context *context, const char *path,
                               const hop_read_options *options, hop_graph **graph) {
    return join_edges(context, true, path, options, graph);
}

hop_status hop_graph_join_family(hop_context *context, const char *family,
                                 const hop_generate_options *recipe, hop_graph **graph) {
    return join_edges(context, false, family, recipe, graph);
}

bool hop_graph_joined(const hop_graph *graph) {
    return graph->joined != NULL;
}
