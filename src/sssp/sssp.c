/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of sssp: validates, chooses a variant, checks the memory, runs it, certifies, and cuts
 * what targets and cutoff exclude where the variant could not.
 *
 * Distances are always computed: when the caller does not want them, the front has them in an
 * array of its own. Parents are computed unasked where the cut or the certificate needs them. */
#include <stdio.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/span.h"
#include "core/try.h"
#include "sssp/sssp_internal.h"

static const hop__variant *const variants[] = {
    &hop__sssp_dijkstra.row,
    &hop__sssp_bellman_ford.row,
    &hop__sssp_delta_stepping.row,
    /* for devices */
    &hop__sssp_device_harish_narayanan.row,
    &hop__sssp_device_speculate.row,
    &hop__sssp_device_delta_stepping.row,
};
static const hop__variant *pick(const void *given, char reason[HOP__REASON]) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    double least = graph->shared->facts.min_weight;
    if (task->query.negative) {
        snprintf(reason, HOP__REASON, "the least weight is %.9g, and only it takes weights below 0",
                 least);
        return &hop__sssp_bellman_ford.row;
    }
    /* Where the two take the same time (docs/sssp.md): few arcs per vertex suit its short rows. */
    hop__tuned which = graph->arcs / 8 < graph->vertices ? HOP__SSSP_SMALL_SPARSE
                       : task->threads > 1               ? HOP__SSSP_SMALL
                                                         : HOP__SSSP_SMALL_ALONE;
    double enough = task->tuning->values[which];
    char limit[HOP__TUNED_TEXT];
    hop__tuned_text(task->tuning, which, limit);
    bool large = graph->vertices >= enough, stops = task->query.target_count > 0;
    char weights[64];
    if (graph->weight_type == HOP_WEIGHT_NONE)
        snprintf(weights, sizeof weights, "the graph has no weights, so none is below 0");
    else if (graph->arcs == 0)
        snprintf(weights, sizeof weights, "the graph has no arcs");
    else
        snprintf(weights, sizeof weights, "the least weight is %.9g, so none is below 0", least);
    if (large && !stops) {
        snprintf(reason, HOP__REASON, "%s, and from %.0f vertices on it is the fastest (%s)",
                 weights, enough, limit);
        return &hop__sssp_delta_stepping.row;
    }
    if (stops)
        snprintf(reason, HOP__REASON, "%s, and it stops at the last target", weights);
    else
        snprintf(reason, HOP__REASON, "%s, and for a small graph it is the fastest (%s)", weights,
                 limit);
    return &hop__sssp_dijkstra.row;
}

const hop__problem hop__sssp_problem = {
    .name = "sssp", .rows = variants, .row_count = HOP_LENGTH(variants), .pick = pick};

/* What the front allocates itself. */
typedef struct own_arrays {
    void *distances;
    hop_vertex *parents;
} own_arrays;

static size_t distance_bytes(const hop__sssp_query *query) {
    return hop_type_size(query->distance_type);
}

/* Parents are needed to cut a whole result, and to certify floating-point sums that are exact. */
static bool needs_parents(const hop__sssp_query *query, const hop_run *run) {
    return query->negative && (query->limited || (run->certify != HOP_CERTIFY_NONE &&
                                                  query->distance_type != HOP_WEIGHT_INT64));
}

/* What the whole call will allocate, against the budget: the front's arrays, and the most that is
 * needed at a time by the row, the certifier and the cut. */
static hop_status check_memory(hop_context *context, const hop_run *run, const hop__sssp_task *task,
                               hop__choice *choice) {
    const hop__sssp_query *query = &task->query;
    uint64_t n = query->graph->vertices;
    uint64_t later = 0, beside = 0;
    if (run->certify != HOP_CERTIFY_NONE)
        later = hop__sssp_certify_memory(query, task->wants_parents);
    uint64_t cut = query->negative && query->limited ? hop__sssp_cut_memory(query) : 0;
    later = cut > later ? cut : later;
    if (!task->distances)
        beside += hop__block_bytes(n, distance_bytes(query));
    if (!task->parents && task->wants_parents)
        beside += hop__block_bytes(n, sizeof(hop_vertex));
    return hop__check_need(context, &hop__sssp_problem, task, later, beside, choice);
}

static hop_status make_own(hop_context *context, hop__sssp_task *task, own_arrays *own) {
    hop_status status = HOP_OK;
    hop_vertex n = task->query.graph->vertices;
    if (!task->distances) {
        HOP_TRY(status, hop__alloc(context, "sssp: distances", n, distance_bytes(&task->query),
                                   &own->distances));
        task->distances = own->distances;
    }
    if (!task->parents && task->wants_parents) {
        HOP_TRY(status, hop__alloc(context, "sssp: parents", n, sizeof(hop_vertex), &own->parents));
        task->parents = own->parents;
    }
done:
    return status;
}

/* The variant, and whether its distances fit. */
static hop_status search(hop_context *context, hop__sssp_task *task, hop__choice *choice) {
    hop__run_begin(context, choice);
    unsigned most = hop__team_limit(context);
    task->threads = most < task->threads ? most : task->threads;
    hop_status status = ((const hop__sssp_variant *)choice->row)->run(context, task);
    if (status == HOP_OK && task->query.wide && !task->query.negative) {
        hop__phase(context, "check range");
        status = hop__sssp_check_range(context, task);
    }
    hop__run_end(context, choice);
    choice->report.rounds = task->rounds;
    choice->report.relaxations = task->relaxations;
    return status;
}

/* One attempt with the chosen row; a plan ends after the check of the memory. */
static hop_status attempt(hop_context *context, const hop_run *run, hop__sssp_task *task,
                          hop__choice *choice, own_arrays *own) {
    hop_status status;
    HOP_TRY(status, check_memory(context, run, task, choice));
    if (run->plan)
        goto done;
    HOP_TRY(status, make_own(context, task, own));
    task->rounds = task->relaxations = 0;
    status = search(context, task, choice);
done:
    return status;
}

/* `status` is the variant's; HOP_OK and a negative cycle can be checked. */
static hop_status certify(hop_context *context, const hop_run *run, const hop__sssp_task *task,
                          hop__choice *choice, hop_status status) {
    if (run->certify == HOP_CERTIFY_NONE || (status != HOP_OK && status != HOP_ERR_NEGATIVE_CYCLE))
        return status;
    hop__sssp_query whole = task->query;
    if (whole.negative) /* nothing is cut yet */
        hop__sssp_unlimit(&whole);
    hop__certify_begin(choice);
    hop_status proof = HOP_OK;
    if (status == HOP_OK)
        proof = hop__sssp_certify(context, &whole, run->certify == HOP_CERTIFY_CANONICAL,
                                  task->distances, task->parents);
    else
        proof = hop_cycle_certify(context, whole.graph, hop_cycle_vertices(task->cycle),
                                  hop_cycle_length(task->cycle));
    hop__certify_end(choice);
    return proof != HOP_OK ? proof : status;
}

hop_status hop_sssp(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                    hop_vertex source_count, const hop_sssp_options *given,
                    const hop_span *distances, hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop__choice choice = {0};
    own_arrays own = {NULL, NULL};
    hop__sssp_task task = {.parents = parents};
    HOP_TRY(status, hop__sssp_take(context, graph, sources, source_count, given, &options, &run,
                                   &task.query));
    HOP_TRY(status, hop__span_take(context, "sssp: distances", distances, task.query.distance_type,
                                   graph->vertices, &task.distances));
    if (options.tolerance > 0) {
        status =
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "sssp: a tolerance is for hop_sssp_certify; what is found here is exact");
        goto done;
    }
    /* Each is looked at about twice, and written. */
    task.threads = hop__team_for(context, 2 * (hop_graph_vertices(graph) + hop_graph_arcs(graph)));
    task.tuning = &context->tuning;
    task.wants_parents = parents != NULL || needs_parents(&task.query, &run);
    HOP_TRY(status, hop__choose(context, &hop__sssp_problem, &run, &task, &choice));
    task.values = choice.values;
    choice.threads = task.threads;
    choice.work = task.query.negative ? 0 : hop__sssp_work(graph);
    do {
        status = attempt(context, &run, &task, &choice, &own);
    } while (hop__choose_again(context, &hop__sssp_problem, &run, &task, &choice, status));
    if (run.plan)
        goto done;
    HOP_TRY(status, certify(context, &run, &task, &choice, status));
    if (task.query.negative && task.query.limited)
        HOP_TRY(status, hop__sssp_cut_whole(context, &task));
done:
    hop__free(own.distances);
    hop__free(own.parents);
    if (options.cycle)
        *options.cycle = status == HOP_ERR_NEGATIVE_CYCLE ? task.cycle : NULL;
    if (!options.cycle || status != HOP_ERR_NEGATIVE_CYCLE)
        hop_cycle_free(task.cycle);
    return hop__report_out(&run, &choice, status);
}

static hop_status certify_within(hop_context *context, const hop__sssp_query *query,
                                 const hop_sssp_options *options, const hop_run *run,
                                 const void *distances, const hop_vertex *parents) {
    if (run->certify == HOP_CERTIFY_CANONICAL)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "sssp: certificate: what is canonical is so without a tolerance; a "
                         "tolerance of %g is for HOP_CERTIFY_VALID",
                         options->tolerance);
    if (parents)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: certificate: within a tolerance distances alone are checked; leave "
                         "the parents out");
    return hop__sssp_certify_within(context, query, options, distances);
}

hop_status hop_sssp_certify(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                            hop_vertex source_count, const hop_sssp_options *given,
                            const hop_view *view, const hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_sssp_options options;
    hop_run run;
    hop__sssp_query query;
    const void *distances;
    HOP_TRY(status,
            hop__sssp_take(context, graph, sources, source_count, given, &options, &run, &query));
    HOP_TRY(status, hop__view_take(context, "sssp: certificate: distances", view,
                                   query.distance_type, graph->vertices, &distances));
    if (!distances && graph->vertices > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "sssp: certificate: the distances are NULL; parents alone prove nothing");
    if (options.tolerance > 0)
        return certify_within(context, &query, &options, &run, distances, parents);
    if (query.negative && query.limited)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: certificate: with negative weights, what targets or a cutoff have "
                         "taken out is needed to prove the rest; check the whole result");
    if (query.negative && query.distance_type != HOP_WEIGHT_INT64 && !parents)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: certificate: with negative floating-point weights distances are "
                         "exact sums that were rounded; to prove them, the parents are needed");
    HOP_TRY(status, hop__reserve_check(context, "sssp: certificate",
                                       hop__sssp_certify_memory(&query, parents != NULL)));
    status =
        hop__sssp_certify(context, &query, run.certify != HOP_CERTIFY_VALID, distances, parents);
    if (status == HOP_ERR_CERTIFICATE && context->failure.detail.kind == HOP_KIND_DISTANCE &&
        query.distance_type != HOP_WEIGHT_INT64 && !parents)
        hop__remedy(context, HOP_REMEDY_ALLOW_TOLERANCE,
                    "allow a tolerance if others have rounded it");
done:
    return status;
}
