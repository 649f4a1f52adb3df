/* SPDX-License-Identifier: Apache-2.0
 *
 * Voronoi cells: of each vertex, the smallest of the centers that are nearest to it (Erwig, "The
 * graph Voronoi diagram with applications", 2000).
 *
 * One search from all centers at once, by hop_bfs or hop_sssp, says how far the nearest is. Then
 * the centers are taken in ascending order, and each takes what tight arcs lead to from it and
 * nobody has taken. What is reached from a vertex that another has taken, that one has taken too:
 * so every vertex is gone through once, and gets the smallest of the centers from which tight arcs
 * lead to it, whether arcs of weight 0 make cycles or not. Of integers those are all the nearest.
 *
 * The front turns the graph where distances are to the centers. Whatever finds the distances gives
 * the same bits of them, and one thread makes the cells: the same bits whatever the threads.
 *
 * Cost: a search; O(n + m), two random accesses per arc. Per vertex a distance, 4 bytes and 2 bits.
 */
#include <string.h>

#include "core/bitmap.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "hoplite/bfs.h"
#include "measure/measure_internal.h"
#include "problem/report.h"

enum { POLL = 1 << 14 }; /* vertices between two looks at the caller's wish to stop */

typedef struct voronoi_job {
    hop_context *context;
    const hop_graph *graph; /* turned, if distances are to the centers */
    size_t distance_bytes;
    uint64_t *centers; /* n bits */
    void *distances;   /* n, from the nearest center */
    hop_vertex *queue; /* n */
    uint64_t *marks;   /* n bits, of the certificate */
    hop_vertex *cells; /* n, the caller's */
    bool given;        /* they are there, and to be certified */
    uint64_t reached;
    hop__turned turned;
    hop_vertex wrong; /* whose center is not the smallest */
} voronoi_job;

/* Levels of a search without weights, in the way of graph/numbers.h. */
typedef char hop__level_weight;
typedef uint32_t hop__level_distance;

static inline bool hop__level_is_reached(uint32_t level) {
    return level != HOP_NO_LEVEL;
}

static inline bool hop__level_is_tight(uint32_t from, const char *weights, uint64_t arc,
                                       uint32_t to) {
    (void)weights, (void)arc;
    return from + 1 == to;
}

#define DOMAIN level
#include "measure/voronoi_template.h"
#define TEMPLATE "measure/voronoi_template.h"
#include "graph/each_weighted.h"

typedef struct voronoi_passes {
    /* Gives the center what it is the first to reach; false when cancelled. */
    bool (*take)(voronoi_job *job, hop_vertex center);
    /* Whether no arc leads to a smaller center than its target has; false, or cancelled. */
    bool (*arcs)(voronoi_job *job);
    /* Marks all that the centers reach inside their cells, and counts it in job->reached. */
    bool (*mark)(voronoi_job *job);
    bool (*is_reached)(const voronoi_job *job, hop_vertex v);
} voronoi_passes;

static const voronoi_passes *passes_of(hop_weight_type type) {
#define PASSES(domain)                                                                             \
    { domain##_take, domain##_arcs, domain##_mark, domain##_is_reached_at }
#define PASSES_ITEM(domain, type) [type] = PASSES(domain),
    static const voronoi_passes passes[] = {[HOP_TYPE_NONE] = PASSES(level),
                                            HOP__EACH_WEIGHTED(PASSES_ITEM)};
    return &passes[type];
#undef PASSES_ITEM
#undef PASSES
}

static void voronoi_blocks(const void *given, hop__workspace *space) {
    const voronoi_job *job = given;
    const uint64_t n = job->graph->vertices;
    HOP__BLOCK(space, "voronoi: centers", hop__bitmap_words(n), voronoi_job, centers)->zero = true;
    hop__block_add(space, "voronoi: distances", n, job->distance_bytes,
                   offsetof(voronoi_job, distances));
    HOP__BLOCK(space, "voronoi: queue", n, voronoi_job, queue);
    HOP__BLOCK(space, "voronoi: marks", hop__bitmap_words(n), voronoi_job, marks)->zero = true;
}

static hop_status search(hop_context *context, const hop_measure_options *options,
                         const hop_run *run, voronoi_job *job) {
    const hop_weight_type type = job->graph->weight_type;
    if (type == HOP_TYPE_NONE) {
        hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
        bfs.run = run;
        return hop_bfs(context, job->graph, options->centers, options->center_count, &bfs,
                       job->distances, NULL);
    }
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    const hop_span span = {job->distances, job->graph->vertices, hop_distance_type(type)};
    sssp.run = run;
    return hop_sssp(context, job->graph, options->centers, options->center_count, &sssp, &span,
                    NULL);
}

static hop_status make_cells(hop_context *context, voronoi_job *job) {
    const voronoi_passes *passes = passes_of(job->graph->weight_type);
    const hop_vertex n = job->graph->vertices;
    hop_status status = hop__progress_ask(context, "voronoi: cells");
    bool goes_on = status == HOP_OK;
    if (!goes_on)
        return status;
    memset(job->cells, 0xff, n * sizeof *job->cells); /* HOP_NO_VERTEX */
    hop__progress_begin(context, "voronoi: cells", n);
    for (hop_vertex v = 0; goes_on && v < n; v++)
        if (hop__bitmap_get(job->centers, v) && job->cells[v] == HOP_NO_VERTEX)
            goes_on = passes->take(job, v);
    return hop__progress_end(context);
}

static hop_status refuse_cell(hop_context *context, const voronoi_job *job, hop_vertex v,
                              const char *why) {
    hop__fail(context, HOP_ERR_CERTIFICATE, "voronoi: the cell of vertex %s: %s",
              hop__name(job->graph, v).s, why);
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, v);
}

/* By the distances, which are certified, and the arcs alone: who is reached has a center, no tight
 * arc leads from a smaller one, and every cell hangs together with its center by tight arcs. */
static hop_status certify_cells(hop_context *context, voronoi_job *job) {
    const voronoi_passes *passes = passes_of(job->graph->weight_type);
    const hop_vertex n = job->graph->vertices;
    uint64_t reached = 0;
    hop_status status = hop__progress_ask(context, "voronoi: certify");
    if (status != HOP_OK)
        return status;
    for (hop_vertex v = 0; v < n; v++) {
        const hop_vertex cell = job->cells[v];
        if ((cell != HOP_NO_VERTEX) != passes->is_reached(job, v))
            return refuse_cell(context, job, v, "it has a center, or is reached, but not both");
        if (cell != HOP_NO_VERTEX && (cell >= n || !hop__bitmap_get(job->centers, cell)))
            return refuse_cell(context, job, v, "around a vertex that is no center");
        if (hop__bitmap_get(job->centers, v) && cell > v)
            return refuse_cell(context, job, v, "it is a center, and nearer to itself");
        reached += cell != HOP_NO_VERTEX;
    }
    hop__progress_begin(context, "voronoi: certify", 2 * (uint64_t)n);
    const bool right = passes->arcs(job), marked = right && passes->mark(job);
    status = hop__progress_end(context);
    if (status != HOP_OK)
        return status;
    if (!right)
        return refuse_cell(context, job, job->wrong, "a smaller center is as near");
    for (hop_vertex v = 0; marked && job->reached < reached && v < n; v++)
        if (job->cells[v] != HOP_NO_VERTEX && !hop__bitmap_get(job->marks, v))
            return refuse_cell(context, job, v, "its center does not lead to it by tight arcs");
    return HOP_OK;
}

/* What came after the search, as a phase of its own. */
static void tell_report(hop_report *report, const voronoi_job *job, double seconds,
                        double certify_seconds) {
    if (!report)
        return;
    report->memory_bytes +=
        job->turned.held + hop__blocks_need(voronoi_blocks, job, NULL).bytes[HOP__MEMORY_HOST];
    if (report->memory_bytes < job->turned.making)
        report->memory_bytes = job->turned.making;
    report->seconds += seconds;
    report->certify_seconds += certify_seconds;
    if (report->phase_count < HOP__REPORT_PHASES && seconds > 0)
        report->phases[report->phase_count++] = (hop_phase){.name = "cells",
                                                            .kind = HOP_PHASE_COMPUTE,
                                                            .calls = 1,
                                                            .seconds = seconds,
                                                            .items = job->graph->vertices};
}

/* Everything but turning the graph. */
static hop_status solve_cells(hop_context *context, const hop_measure_options *options,
                              const hop_run *run, voronoi_job *job) {
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, voronoi_blocks, job, job, &space));
    for (hop_vertex i = 0; i < options->center_count; i++)
        hop__bitmap_set(job->centers, options->centers[i]);
    HOP_TRY(status, search(context, options, run, job));
    const double began = hop__now();
    double ended = began, certified = began;
    if (!run->plan) {
        if (!job->given)
            HOP_TRY(status, make_cells(context, job));
        certified = ended = hop__now();
        if (job->given || run->certify != HOP_CERTIFY_NONE) {
            HOP_TRY(status, certify_cells(context, job));
            certified = hop__now();
        }
    }
    tell_report(run->report, job, ended - began, certified - ended);
done:
    hop__workspace_close(&space, status);
    return status;
}

static hop_status solve(hop_context *context, const hop_graph *graph,
                        const hop_measure_options *options, voronoi_job *job) {
    hop__measure_task task = {.measure = hop__measure_named("voronoi")};
    /* From the centers: the other way round. */
    const hop_measure_direction direction =
        options->direction == HOP_MEASURE_OUTWARD  ? HOP_MEASURE_INWARD
        : options->direction <= HOP_MEASURE_INWARD ? HOP_MEASURE_OUTWARD
                                                   : options->direction;
    hop_run run = HOP_RUN_INIT;
    hop_status status;
    HOP_TRY(status, hop__run_take(context, options->run, &run));
    if (options->center_count == 0)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "measure: voronoi needs its centers: one vertex at least");
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__vertices_check(context, "measure", "center", options->centers,
                                        options->center_count, graph->vertices));
    HOP_TRY(status, hop__sssp_describe(context, graph, &task.query));
    HOP_TRY(status, hop__measure_weights(context, graph, &task));
    HOP_TRY(status, hop__measure_direct(context, graph, direction, &task));
    if (task.turn)
        HOP_TRY(status, hop__measure_turn(context, graph, run.plan, &job->turned));
    job->graph = job->turned.graph ? job->turned.graph : task.graph;
    job->distance_bytes = graph->weight_type == HOP_TYPE_NONE
                              ? sizeof(uint32_t)
                              : hop_type_size(hop_distance_type(graph->weight_type));
    status = solve_cells(context, options, &run, job);
done:
    hop_graph_release(job->turned.graph);
    return status;
}

hop_status hop__voronoi_solve(hop_context *context, const hop_graph *graph,
                              const hop_measure_options *options, void *values, hop_vertex *count) {
    voronoi_job job = {.context = context, .cells = values};
    (void)count;
    return solve(context, graph, options, &job);
}

hop_status hop__voronoi_certify(hop_context *context, const hop_graph *graph,
                                const hop_measure_options *options, hop_vertex *cells) {
    voronoi_job job = {.context = context, .cells = cells, .given = true};
    return solve(context, graph, options, &job);
}
