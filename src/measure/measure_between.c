/* SPDX-License-Identifier: Apache-2.0
 *
 * Betweenness: the front: which sources, the pick, how many threads there is memory for, the sums
 * in their order (measure_between.h), the certificate.
 *
 * Of k sources instead of all n, drawn without replacement, the value is n / k times their sum. Of
 * a vertex, the dependency on a source is between 0 and n - 2. So by Hoeffding's inequality, and
 * since one failure of n is as likely as the sum, the scaled values are all within
 *     n / (n - 1) * sqrt(ln(2 n / p) / (2 k))
 * of the right ones, but for a share p of the seeds (Brandes and Pich, "Centrality estimation in
 * large networks", 2007). That of an edge is between 0 and n - 1, so there it is
 *     sqrt(ln(2 m / p) / (2 k)).
 *
 * Of arcs, those of an undirected edge are added up when all searches are done: one that is on
 * shortest paths from a source is so in one direction only. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/try.h"
#include "measure/measure_between.h"

enum {
    FEW_PARTS = 4, /* where each has more sums than: */
    MANY = 1 << 20,
    SAMPLE_STREAM = 28,
};
static const double tolerance = 1e-9; /* of the certificate: sums are in another order there */

static const hop__variant *const rows[] = {&hop__between_searches.row, &hop__between_lanes.row};

typedef struct between_call {
    hop__call base; /* first: the operations get it */
    hop__between_task task;
    unsigned threads;
    uint64_t free_bytes;
} between_call;

typedef struct between_state {
    char *workers; /* first: the workers' blocks are within it */
} between_state;

typedef struct between_job {
    hop_context *context;
    const hop__between_task *task;
    const hop__between_variant *variant;
    char *workers;
    atomic_uint next;
    atomic_int ended; /* a hop__between_end */
} between_job;

double hop_measure_error(hop_vertex n, hop_vertex samples, double failure) {
    if (samples == 0 || samples >= n || n < 2)
        return 0;
    return n / (n - 1.0) * sqrt(log(2.0 * n / failure) / (2.0 * samples));
}

/* Values that are not by the number of pairs are so many times as large. */
static double spread_of(const hop_graph *graph, const hop_measure_options *options, double pairs) {
    return options->scaled ? 1 : graph->directed ? pairs : pairs / 2;
}

double hop__between_bound(const hop_graph *graph, const hop_measure_options *options,
                          double failure) {
    const double n = graph->vertices;
    return hop_measure_error(graph->vertices, options->samples, failure) *
           spread_of(graph, options, (n - 1) * (n - 2));
}

double hop__between_edges_bound(const hop_graph *graph, const hop_measure_options *options,
                                double failure) {
    const double n = graph->vertices;
    const double edges = (double)(graph->directed ? graph->arcs : (graph->arcs + 1) / 2);
    return sqrt(log(2 * (edges > 1 ? edges : 1) / failure) / (2.0 * options->samples)) *
           spread_of(graph, options, n * (n - 1));
}

void hop__between_blocks(const hop__between_variant *variant, const hop__between_task *task,
                         hop__workspace *space) {
    hop__block *workers = hop__block_add(space, "betweenness: workers", task->workers,
                                         variant->worker_bytes, offsetof(between_state, workers));
    workers->zero = true;
    hop__block_within(space, workers);
    variant->worker_blocks(task, space);
    hop__block_within(space, NULL);
}

static void kept_blocks(const void *given, hop__workspace *space) {
    const hop__between_task *task = given;
    HOP__BLOCK(space, "betweenness: sums", task->parts * task->width, hop__between_task, sums)
        ->zero = true;
}

static const hop__variant *between_pick(const void *given, char reason[HOP__REASON]) {
    const hop__between_task *task = given;
    if (task->graph->weight_type != HOP_TYPE_NONE) {
        snprintf(reason, HOP__REASON, "weights are added up, by a search from each source");
        return &hop__between_searches.row;
    }
    snprintf(reason, HOP__REASON, "there are no weights, so %d sources are searched from at once",
             HOP__BETWEEN_BATCH);
    return &hop__between_lanes.row;
}

/* --- the run --------------------------------------------------------------------------------- */

/* The sources of a batch; how many. */
static unsigned batch_sources(const hop__between_task *task, uint64_t batch,
                              hop_vertex sources[HOP__BETWEEN_BATCH]) {
    uint64_t first = batch * HOP__BETWEEN_BATCH;
    unsigned count = 0;
    for (uint64_t i = first; i < task->source_count && count < HOP__BETWEEN_BATCH; i++)
        sources[count++] = task->sources ? task->sources[i] : (hop_vertex)i;
    return count;
}

static void work_on_parts(void *arg, unsigned thread, unsigned threads) {
    between_job *job = arg;
    const hop__between_task *task = job->task;
    void *worker = job->workers + thread * job->variant->worker_bytes;
    (void)threads;
    for (unsigned part; (part = atomic_fetch_add(&job->next, 1)) < task->parts;) {
        double *sums = task->sums + part * task->width;
        hop_vertex sources[HOP__BETWEEN_BATCH];
        unsigned count;
        for (uint64_t batch = part; (count = batch_sources(task, batch, sources)) > 0;
             batch += task->parts) {
            hop__between_end end =
                job->variant->batch(job->context, task, worker, sources, count, sums);
            if (end != HOP__BETWEEN_DONE)
                atomic_store(&job->ended, (int)end);
            if (atomic_load(&job->ended) != HOP__BETWEEN_DONE)
                return;
        }
    }
}

/* What the ordered sums are multiplied by. */
static double factor_of(const hop__between_task *task) {
    double n = task->graph->vertices, k = task->source_count;
    double factor = k < n ? n / k : 1;
    double pairs = task->of_arcs ? n * (n - 1) : (n - 1) * (n - 2);
    if (task->scaled)
        return pairs > 0 ? factor / pairs : factor;
    return task->graph->directed ? factor : factor / 2;
}

/* Adds the parts to the first. */
static void add_parts(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const hop__between_task *task = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        for (unsigned part = 1; part < task->parts; part++)
            task->sums[i] += task->sums[part * task->width + i];
}

/* Of an undirected edge u, v the arc the other way; of parallel ones one of the same weight, which
 * has the same sums. */
static uint64_t arc_back(const hop_graph *graph, hop_vertex u, uint64_t arc) {
    const size_t bytes = hop_type_size(graph->weight_type);
    const char *weights = graph->weights;
    uint64_t back = hop__first_arc(graph, graph->targets[arc], u);
    while (bytes > 0 && memcmp(weights + back * bytes, weights + arc * bytes, bytes) != 0)
        back++;
    return back;
}

/* The value that these sums make of vertex v, or of an arc of v. */
static double value_of(const hop__between_task *task, const double *sums, hop_vertex v,
                       uint64_t at) {
    const hop_graph *graph = task->graph;
    double sum = sums[at];
    if (task->of_arcs && !graph->directed && graph->targets[at] != v)
        sum += sums[arc_back(graph, v, at)];
    return sum * factor_of(task);
}

static uint64_t first_of(const hop__between_task *task, uint64_t v) {
    return task->of_arcs ? hop__offset(task->graph, v) : v;
}

static void put_values(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const hop__between_task *task = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t at = first_of(task, v); at < first_of(task, v + 1); at++)
            task->values[at] = value_of(task, task->sums, (hop_vertex)v, at);
}

static hop_status refuse_paths(hop_context *context, hop__between_end end) {
    if (end == HOP__BETWEEN_ABSORBED) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "betweenness: a weight is so small beside a distance that it is lost in "
                  "rounding, and paths cannot be counted");
        return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "use float64, or integers");
    }
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "betweenness: there are more shortest paths to one vertex, beside another as "
                     "far away, than float64 can count (2^950 times as many)");
}

static hop_status between_run(hop_context *context, hop__call *given) {
    hop__between_task *task = &((between_call *)given)->task;
    const hop__between_variant *variant = (const hop__between_variant *)given->row;
    between_state state = {0};
    between_job job = {.context = context, .task = task, .variant = variant};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, variant->row.blocks, task, &state, &space));
    job.workers = state.workers;
    for (unsigned i = 0; i < task->workers; i++)
        variant->begin(task, state.workers + i * variant->worker_bytes);
    hop__phase(context, "searches");
    hop__phase_items(context, task->source_count);
    hop__progress_begin(context, "betweenness", task->source_count);
    hop__team_loose(context, task->workers, work_on_parts, &job);
    HOP_TRY(status, hop__progress_end(context));
    const hop__between_end ended = (hop__between_end)atomic_load(&job.ended);
    if (ended != HOP__BETWEEN_DONE) {
        status = refuse_paths(context, ended);
        goto done;
    }
    hop__phase(context, "sums");
    hop__for(context, task->width, 1 << 14, add_parts, task);
    hop__for(context, task->graph->vertices, 1 << 12, put_values, task);
    for (unsigned i = 0; i < task->workers; i++)
        given->report.relaxations +=
            variant->relaxations(state.workers + i * variant->worker_bytes);
    given->report.rounds = task->source_count;
done:
    hop__workspace_close(&space, status);
    return status;
}

/* --- the certificate ------------------------------------------------------------------------- */

typedef struct between_look {
    const hop__between_task *task;
    hop__between_paths paths;
    double *sums;
    hop__between_end ended;
} between_look;

static void look_blocks(const void *given, hop__workspace *space) {
    const hop__between_task *task = given;
    hop__between_paths_blocks(space, offsetof(between_look, paths), task->graph->vertices);
    HOP__BLOCK(space, "betweenness: sums again", task->width, between_look, sums)->zero = true;
}

static hop_apsp_options rows_of(const hop__between_task *task, hop_run *run) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    run->certify = HOP_CERTIFY_CANONICAL;
    run->variant = task->query.distance_type == HOP_TYPE_INT64 ? NULL : "dijkstra";
    options.run = run;
    options.sources = task->sources;
    options.source_count = task->sources ? task->source_count : 0;
    return options;
}

static bool look_at_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *given) {
    between_look *look = user;
    const size_t bytes = look->task->graph->vertices * hop_type_size(given->type);
    for (hop_vertex i = 0; i < count && look->ended == HOP__BETWEEN_DONE; i++)
        look->ended = hop__between_add(
            look->task, look->task->sources ? look->task->sources[first + i] : first + i,
            (const char *)given->items + i * bytes, &look->paths, look->sums);
    return true;
}

static hop_status compare_values(hop_context *context, const between_look *look) {
    const hop__between_task *task = look->task;
    for (hop_vertex v = 0; v < task->graph->vertices; v++)
        for (uint64_t at = first_of(task, v); at < first_of(task, (uint64_t)v + 1); at++) {
            double right = value_of(task, look->sums, v, at);
            if (fabs(task->values[at] - right) <= tolerance * right)
                continue;
            hop__fail(context, HOP_ERR_CERTIFICATE,
                      "betweenness: %s %s%s%s has %.17g, and certified distances say %.17g",
                      task->of_arcs ? "the arc from" : "vertex", hop__name(task->graph, v).s,
                      task->of_arcs ? " to " : "",
                      task->of_arcs ? hop__name(task->graph, task->graph->targets[at]).s : "",
                      task->values[at], right);
            return hop__note_vertex(context, HOP_KIND_CERTIFICATE, v);
        }
    return HOP_OK;
}

/* Finds and certifies the distances again, and adds up what they say. */
static hop_status between_certify(hop_context *context, hop__call *given, hop_status ended) {
    const hop__between_task *task = &((between_call *)given)->task;
    between_look look = {.task = task, .ended = HOP__BETWEEN_DONE};
    hop__workspace space;
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = rows_of(task, &run);
    hop_status status;
    (void)ended;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, look_blocks, task, &look, &space));
    HOP_TRY(status, hop_apsp_rows(context, task->graph, &options, look_at_rows, &look, NULL));
    if (look.ended != HOP__BETWEEN_DONE)
        HOP_TRY(status, refuse_paths(context, look.ended));
    status = compare_values(context, &look);
done:
    hop__workspace_close(&space, status);
    return status;
}

static hop_status certify_bytes(hop_context *context, const hop__between_task *task,
                                uint64_t *bytes) {
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = rows_of(task, &run);
    hop_status status =
        hop__certified_rows_memory(context, task->graph, &options, look_at_rows, bytes);
    *bytes += hop__blocks_need(look_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    return status;
}

/* As many threads as there is memory for. */
static hop_status between_fit(hop_context *context, hop__call *given) {
    between_call *call = (between_call *)given;
    hop__between_task *task = &call->task;
    const uint64_t kept = hop__blocks_need(kept_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    uint64_t need, proof = 0;
    hop_status status = HOP_OK;
    if (given->run.certify != HOP_CERTIFY_NONE)
        HOP_TRY(status, certify_bytes(context, task, &proof));
    for (task->workers = call->threads < task->parts ? call->threads : task->parts;;
         task->workers--) {
        need = hop__variant_need(given->row, task, NULL).bytes[HOP__MEMORY_HOST];
        need = need > proof ? need : proof;
        need = need + kept < need ? UINT64_MAX : need + kept;
        if (need <= call->free_bytes || task->workers == 1)
            break;
    }
    given->report.memory_bytes = need;
done:
    return status;
}

const hop__problem hop__between_problem = {.name = "betweenness",
                                           .rows = rows,
                                           .row_count = HOP_LENGTH(rows),
                                           .pick = between_pick,
                                           .kept = kept_blocks,
                                           .fit = between_fit,
                                           .run = between_run,
                                           .certify = between_certify};

/* --- the front ------------------------------------------------------------------------------- */

/* The first of a random order of the vertices. */
hop_status hop__measure_draw(hop_context *context, hop_vertex n, hop_vertex samples,
                             hop_vertex **sources) {
    uint64_t *drawn = NULL;
    hop_vertex count = 0;
    hop__shuffle shuffle;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "measure: drawn", hop__bitmap_words(n), sizeof *drawn,
                                    &drawn));
    HOP_TRY(status, hop__alloc(context, "measure: sources", samples, sizeof **sources, sources));
    hop__shuffle_init(&shuffle, n, hop_context_seed(context), SAMPLE_STREAM);
    for (hop_vertex i = 0; i < samples; i++)
        hop__bitmap_set(drawn, hop__shuffle_at(&shuffle, i));
    for (hop_vertex v = 0; v < n; v++)
        if (hop__bitmap_get(drawn, v))
            (*sources)[count++] = v;
done:
    hop__free(drawn);
    return status;
}

static hop_status check_weights(hop_context *context, const hop_graph *graph,
                                const hop__between_task *task) {
    if (graph->weight_type == HOP_TYPE_NONE || graph->arcs == 0)
        return HOP_OK;
    if (graph->shared->facts.min_weight <= 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "betweenness: the least weight is %g, and paths are counted where all "
                         "weights are above 0",
                         graph->shared->facts.min_weight);
    if (!task->query.wide)
        return HOP_OK;
    hop__fail(context, HOP_ERR_UNSUPPORTED, "betweenness: a sum of weights may not fit 64 bits");
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "scale the weights down or use float64");
}

static hop_status solve(hop_context *context, const hop_graph *graph,
                        const hop_measure_options *options, bool of_arcs, double *values) {
    between_call call = {.threads = 0};
    hop__between_task *task = &call.task;
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t before = usage.used;
    hop_vertex *sources = NULL;
    hop_status status;
    call.base.problem = &hop__between_problem;
    call.base.task = task;
    HOP_TRY(status, hop__run_take(context, options->run, &call.base.run));
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__sssp_describe(context, graph, &task->query));
    HOP_TRY(status, check_weights(context, graph, task));
    task->graph = graph;
    task->scaled = options->scaled;
    task->values = values;
    task->of_arcs = of_arcs;
    task->width = of_arcs ? graph->arcs : graph->vertices;
    task->source_count = graph->vertices;
    task->parts = task->width > MANY ? FEW_PARTS : HOP__BETWEEN_PARTS;
    if (options->samples > 0 && options->samples < graph->vertices) {
        HOP_TRY(status, hop__measure_draw(context, graph->vertices, options->samples, &sources));
        task->sources = sources;
        task->source_count = options->samples;
    }
    usage = hop__pool_usage(context->pool);
    call.base.held = usage.used - before;
    call.free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    call.threads = hop__team_limit(context);
    call.base.empty = task->width == 0;
done:
    status = hop__solve(context, &call.base, status);
    hop__free(sources);
    return status;
}

hop_status hop__between_solve(hop_context *context, const hop_graph *graph,
                              const hop_measure_options *options, void *values, hop_vertex *count) {
    (void)count;
    return solve(context, graph, options, false, values);
}

hop_status hop__between_edges(hop_context *context, const hop_graph *graph,
                              const hop_measure_options *options, void *values, hop_vertex *count) {
    (void)count;
    return solve(context, graph, options, true, values);
}
