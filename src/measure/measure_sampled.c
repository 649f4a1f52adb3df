/* SPDX-License-Identifier: Apache-2.0
 *
 * Closeness and harmonic centrality by samples: distances from k vertices, drawn without
 * replacement by the context's seed, in the place of all n (Eppstein and Wang, "Fast approximation
 * of centrality", 2001).
 *
 * Of a vertex v, the other vertices among the k (all of them, or k - 1 if it is one itself) are a
 * sample of all n - 1 others, and means over them stand for means over all. So where every vertex
 * reaches v and no distance is above D, 1 / closeness is a mean of numbers between 0 and D, and by
 * Hoeffding's inequality, since one failure of n is as likely as the sum, all are within
 *     D sqrt(ln(2 n / p) / (2 (k - 1)))
 * of the right ones, but for a share p of the seeds. Harmonic is n - 1 times a mean of numbers
 * between 0 and 1 / w, w the least weight, or 1 without weights.
 *
 * Rows of distances come from apsp, in ascending order, and are added up on one thread: the same
 * bits whatever found them, and certified by its certifier. Cost: k searches, and O(k n). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "measure/measure_internal.h"

typedef struct sampled_call {
    hop__measure_task task;
    const hop_vertex *sources;
    hop_vertex source_count;
    bool harmonic, fits;
    uint64_t before;           /* bytes in use when the call began */
    uint32_t *reached;         /* by so many others of the sources */
    hop__measure_number *sums; /* of distances, or of their inverses */
    hop__turned turned;
} sampled_call;

static double share_of(hop_vertex n, hop_vertex samples, double failure) {
    return sqrt(log(2.0 * n / failure) / (2.0 * (samples - 1.0)));
}

double hop__closeness_bound(const hop_graph *graph, const hop_measure_options *options,
                            double failure) {
    return options->samples > 1 ? share_of(graph->vertices, options->samples, failure) : HUGE_VAL;
}

double hop__harmonic_bound(const hop_graph *graph, const hop_measure_options *options,
                           double failure) {
    const bool weighted = graph->weight_type != HOP_TYPE_NONE && graph->arcs > 0;
    const double least = weighted ? graph->shared->facts.min_weight : 1;
    if (options->samples < 2 || !(least > 0))
        return HUGE_VAL;
    return (graph->vertices - 1.0) / least * share_of(graph->vertices, options->samples, failure);
}

/* What one row says. */
static void add_row(sampled_call *call, hop_vertex source, const void *distances) {
    const bool whole = hop__measure_is_whole(&call->task);
    for (hop_vertex v = 0; v < call->task.graph->vertices; v++) {
        const int64_t exact = whole ? ((const int64_t *)distances)[v] : 0;
        const double real =
            whole ? (double)exact : hop__sssp_distance(&call->task.query, distances, v);
        if (v == source || (whole ? exact == HOP_NO_DISTANCE : isinf(real)))
            continue;
        call->reached[v]++;
        if (call->harmonic)
            call->sums[v].real += real > 0 ? 1 / real : 0;
        else if (whole)
            call->fits &=
                !__builtin_add_overflow(call->sums[v].whole, (uint64_t)exact, &call->sums[v].whole);
        else
            call->sums[v].real += real;
    }
}

static bool add_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    sampled_call *call = user;
    const size_t bytes = call->task.graph->vertices * hop_type_size(rows->type);
    for (hop_vertex i = 0; i < count; i++)
        add_row(call, call->sources[first + i], (const char *)rows->items + i * bytes);
    return true;
}

static int compare_vertices(const void *a, const void *b) {
    const hop_vertex left = *(const hop_vertex *)a, right = *(const hop_vertex *)b;
    return left < right ? -1 : left > right;
}

static double value_of(const sampled_call *call, hop_vertex v) {
    const bool drawn =
        bsearch(&v, call->sources, call->source_count, sizeof v, compare_vertices) != NULL;
    const double others = call->source_count - (drawn ? 1.0 : 0.0), n = call->task.graph->vertices;
    if (others < 1)
        return 0;
    if (call->harmonic)
        return call->sums[v].real * ((n - 1) / others);
    const double sum =
        hop__measure_is_whole(&call->task) ? (double)call->sums[v].whole : call->sums[v].real;
    const double value = sum > 0 ? call->reached[v] / sum : 0;
    return call->task.scaled ? value * (call->reached[v] / others) : value;
}

/* Adds up the rows of the sources. */
static hop_status search_sources(hop_context *context, hop_run *run, sampled_call *call) {
    hop_apsp_options rows = HOP_APSP_OPTIONS_INIT;
    uint64_t held = hop__pool_usage(context->pool).used - call->before;
    hop_status status;
    held += call->turned.graph ? 0 : call->turned.held; /* of a plan */
    if (!hop__is_named(run) && !hop__measure_is_whole(&call->task))
        run->variant = "dijkstra"; /* whose bits are those of hop_sssp */
    rows.run = run;
    rows.sources = call->sources;
    rows.source_count = call->source_count;
    HOP_TRY(status, hop_apsp_rows(context, call->task.graph, &rows, add_rows, call, NULL));
    if (run->report) {
        const uint64_t bytes = run->report->memory_bytes + held, making = call->turned.making;
        run->report->memory_bytes = bytes > making ? bytes : making;
    }
    if (!call->fits)
        status = hop__measure_refuse_sum(context, &call->task);
    else if (!run->plan)
        for (hop_vertex i = 0; i < call->task.count; i++)
            ((double *)call->task.values)[i] = value_of(call, hop__measure_vertex(&call->task, i));
done:
    return status;
}

static hop_status sampled_solve(hop_context *context, const hop_graph *graph,
                                const hop_measure_options *options, bool harmonic, void *values) {
    sampled_call call = {
        .harmonic = harmonic, .fits = true, .before = hop__pool_usage(context->pool).used};
    hop__measure_task *task = &call.task;
    /* From the sources: the other way round. */
    const hop_measure_direction direction =
        options->direction == HOP_MEASURE_OUTWARD  ? HOP_MEASURE_INWARD
        : options->direction <= HOP_MEASURE_INWARD ? HOP_MEASURE_OUTWARD
                                                   : options->direction;
    hop_vertex *sources = NULL;
    hop_run run = HOP_RUN_INIT;
    hop_status status;
    HOP_TRY(status, hop__run_take(context, options->run, &run));
    task->measure = hop__measure_named(harmonic ? "harmonic" : "closeness");
    task->scaled = options->scaled;
    task->vertices = options->vertices;
    task->count = options->vertices ? options->vertex_count : graph->vertices;
    task->values = values;
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__sssp_describe(context, graph, &task->query));
    HOP_TRY(status, hop__measure_weights(context, graph, task));
    HOP_TRY(status, hop__measure_direct(context, graph, direction, task));
    HOP_TRY(status, hop__vertices_check(context, "measure", "vertex", options->vertices,
                                        options->vertex_count, graph->vertices));
    if (task->turn) {
        HOP_TRY(status, hop__measure_turn(context, graph, run.plan, &call.turned));
        task->graph = call.turned.graph ? call.turned.graph : task->graph;
    }
    HOP_TRY(status, hop__measure_draw(context, graph->vertices, options->samples, &sources));
    HOP_TRY(status, hop__alloc_zero(context, "measure: reached", graph->vertices,
                                    sizeof *call.reached, &call.reached));
    HOP_TRY(status, hop__alloc_zero(context, "measure: sums", graph->vertices, sizeof *call.sums,
                                    &call.sums));
    call.sources = sources;
    call.source_count = options->samples;
    status = search_sources(context, &run, &call);
done:
    hop__free(call.sums);
    hop__free(call.reached);
    hop__free(sources);
    hop_graph_release(call.turned.graph);
    return status;
}

hop_status hop__sampled_closeness(hop_context *context, const hop_graph *graph,
                                  const hop_measure_options *options, void *values,
                                  hop_vertex *count) {
    (void)count;
    return sampled_solve(context, graph, options, false, values);
}

hop_status hop__sampled_harmonic(hop_context *context, const hop_graph *graph,
                                 const hop_measure_options *options, void *values,
                                 hop_vertex *count) {
    (void)count;
    return sampled_solve(context, graph, options, true, values);
}
