/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of sssp: what is asked, the pick, the operations of the driver; cuts what targets and
 * cutoff exclude where the variant could not.
 *
 * Distances are always computed: when the caller does not want them, they are kept in an array of
 * our own. Parents are computed unasked where the cut or the certificate needs them. */
#include <stdio.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/span.h"
#include "core/try.h"
#include "sssp/sssp_internal.h"
#include "store/arc_visit.h"

static const hop__variant *const variants[] = {
    &hop__sssp_dijkstra.row,
    &hop__sssp_bellman_ford.row,
    &hop__sssp_delta_stepping.row,
    &hop__sssp_semi_external.row,
    /* for devices */
    &hop__sssp_device_harish_narayanan.row,
    &hop__sssp_device_speculate.row,
    &hop__sssp_device_delta_stepping.row,
};
static const hop__variant *sssp_pick(const void *given, char reason[HOP__REASON]) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    double least = graph->shared->facts.min_weight;
    if (graph->store != NULL) {
        snprintf(reason, HOP__REASON,
                 "the arcs of the graph are on disk, and it reads the blocks that have something "
                 "to tell");
        return &hop__sssp_semi_external.row;
    }
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
    bool large = graph->vertices >= enough, stops = task->query.target_count > 0,
         enough_soon = task->query.settle > 0;
    char weights[64];
    if (graph->weight_type == HOP_TYPE_NONE)
        snprintf(weights, sizeof weights, "the graph has no weights, so none is below 0");
    else if (graph->arcs == 0)
        snprintf(weights, sizeof weights, "the graph has no arcs");
    else
        snprintf(weights, sizeof weights, "the least weight is %.9g, so none is below 0", least);
    if (large && !stops && !enough_soon) {
        snprintf(reason, HOP__REASON, "%s, and from %.0f vertices on it is the fastest (%s)",
                 weights, enough, limit);
        return &hop__sssp_delta_stepping.row;
    }
    if (stops)
        snprintf(reason, HOP__REASON, "%s, and it stops at the last target", weights);
    else if (enough_soon)
        snprintf(reason, HOP__REASON, "%s, and it stops when the nearest are found", weights);
    else
        snprintf(reason, HOP__REASON, "%s, and for a small graph it is the fastest (%s)", weights,
                 limit);
    return &hop__sssp_dijkstra.row;
}

/* Parents are needed to cut a whole result, and to certify floating-point sums that are exact. */
static bool needs_parents(const hop__sssp_query *query, const hop_run *run) {
    return query->negative && (query->limited || (run->certify != HOP_CERTIFY_NONE &&
                                                  query->distance_type != HOP_TYPE_INT64));
}

static void sssp_kept(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    hop_vertex n = task->query.graph->vertices;
    if (!task->distances)
        hop__block_add(space, "sssp: distances", n, hop_type_size(task->query.distance_type),
                       offsetof(hop__sssp_task, distances));
    if (!task->parents && task->wants_parents)
        HOP__BLOCK(space, "sssp: parents", n, hop__sssp_task, parents);
}

/* The certifier, or the cut. */
static uint64_t sssp_later(const hop_context *context, const hop__call *call) {
    const hop__sssp_task *task = call->task;
    const hop__sssp_query *query = &task->query;
    (void)context;
    uint64_t proof = call->run.certify != HOP_CERTIFY_NONE
                         ? hop__sssp_certify_memory(query, task->wants_parents)
                         : 0;
    uint64_t cut = query->negative && query->limited ? hop__sssp_cut_memory(query) : 0;
    uint64_t range = query->wide && !query->negative ? hop__arcs_bytes(query->graph) : 0;
    cut = cut > range ? cut : range;
    return cut > proof ? cut : proof;
}

/* The variant, and whether its distances fit. */
static hop_status sssp_run(hop_context *context, hop__call *call) {
    hop__sssp_task *task = call->task;
    unsigned most = hop__team_limit(context);
    task->threads = most < call->threads ? most : call->threads;
    task->rounds = task->relaxations = 0;
    hop_status status = ((const hop__sssp_variant *)call->row)->run(context, task);
    if (status == HOP_OK && task->query.wide && !task->query.negative) {
        hop__phase(context, "check range");
        status = hop__sssp_check_range(context, task);
    }
    call->report.rounds = task->rounds;
    call->report.relaxations = task->relaxations;
    return status;
}

static hop_status sssp_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__sssp_task *task = call->task;
    hop__sssp_query whole = task->query;
    if (ended == HOP_ERR_NEGATIVE_CYCLE)
        return hop_cycle_certify(context, whole.graph, context->cycle, context->cycle_length);
    if (whole.negative) /* nothing is cut yet */
        hop__sssp_unlimit(&whole);
    return hop__sssp_certify(context, &whole, call->run.certify == HOP_CERTIFY_CANONICAL,
                             task->distances, task->parents);
}

static hop_status sssp_finish(hop_context *context, hop__call *call, hop_status status) {
    hop__sssp_task *task = call->task;
    bool cut = status == HOP_OK && task->query.negative && task->query.limited;
    return cut ? hop__sssp_cut_whole(context, task) : status;
}

static const char *sssp_host_needs(const hop__call *call) {
    const hop__sssp_task *task = call->task;
    return task->wants_parents && !task->query.increasing
               ? "parents over arcs that may count nothing are found by the host"
           : task->query.limited  ? "what targets, a cutoff or the nearest leave is cut by the host"
           : task->query.negative ? "with negative weights the host may have to go on"
           : task->query.wide     ? "whether sums fit their type is looked at by the host"
                                  : NULL;
}

const hop__problem hop__sssp_problem = {.name = "sssp",
                                        .rows = variants,
                                        .row_count = HOP_LENGTH(variants),
                                        .pick = sssp_pick,
                                        .kept = sssp_kept,
                                        .later = sssp_later,
                                        .host_needs = sssp_host_needs,
                                        .run = sssp_run,
                                        .certify = sssp_certify,
                                        .finish = sssp_finish};

hop_status hop_sssp(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                    hop_vertex source_count, const hop_sssp_options *given,
                    const hop_span *distances, hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop__sssp_task task = {.parents = parents, .tuning = &context->tuning};
    hop__call call = {.problem = &hop__sssp_problem, .task = &task};
    hop_vertex *brought[2] = {NULL, NULL};
    hop__cycle_drop(context);
    HOP_TRY(status, hop__sssp_take(context, graph, sources, source_count, given, &options,
                                   &call.run, &task.query, brought));
    HOP_TRY(status, hop__span_take(context, "sssp: distances", distances, task.query.distance_type,
                                   graph->vertices, &task.distances));
    call.arrays[0] = task.distances;
    call.arrays[1] = parents;
    if (options.tolerance > 0)
        status =
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "sssp: a tolerance is for hop_sssp_certify; what is found here is exact");
    task.values = call.values;
    task.wants_parents = parents != NULL || needs_parents(&task.query, &call.run);
    /* Each is looked at about twice, and written. */
    task.threads = call.threads = hop__team_for(context, 2 * (graph->vertices + graph->arcs));
    call.work = task.query.negative ? 0 : hop__sssp_work(graph);
    call.external = graph->store != NULL;
    call.graph = graph;
done:
    status = hop__solve(context, &call, status);
    hop__free(brought[0]);
    hop__free(brought[1]);
    if (status != HOP_ERR_NEGATIVE_CYCLE)
        hop__cycle_drop(context);
    return status;
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

/* What was asked is known. */
static hop_status certify_taken(hop_context *context, const hop__sssp_query *query,
                                const hop_sssp_options *options, const hop_run *run,
                                const hop_view *view, const hop_vertex *parents) {
    hop_status status;
    const hop_graph *graph = query->graph;
    const void *distances;
    HOP_TRY(status, hop__view_take(context, "sssp: certificate: distances", view,
                                   query->distance_type, graph->vertices, &distances));
    if (!distances && graph->vertices > 0)
        return hop__fail(
            context, HOP_ERR_ARGUMENT,
            "sssp: certificate: the distances are NULL; parents alone cannot be certified");
    HOP_TRY(status, hop__lent_refuse(context, "sssp: certificate: distances", distances));
    HOP_TRY(status, hop__lent_refuse(context, "sssp: certificate: parents", parents));
    if (options->tolerance > 0)
        return certify_within(context, query, options, run, distances, parents);
    if (query->negative && query->limited)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: certificate: with negative weights, what targets or a cutoff have "
                         "taken out is needed to certify the rest; check the whole result");
    if (query->negative && query->distance_type != HOP_TYPE_INT64 && !parents)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: certificate: with negative floating-point weights distances are "
                         "exact sums that were rounded; to certify them, the parents are needed");
    HOP_TRY(status, hop__reserve_check(context, "sssp: certificate",
                                       hop__sssp_certify_memory(query, parents != NULL)));
    status =
        hop__sssp_certify(context, query, run->certify != HOP_CERTIFY_VALID, distances, parents);
    if (status == HOP_ERR_CERTIFICATE && context->failure.detail.kind == HOP_KIND_DISTANCE &&
        query->distance_type != HOP_TYPE_INT64 && !parents)
        hop__remedy(context, HOP_REMEDY_ALLOW_TOLERANCE,
                    "allow a tolerance if others have rounded it");
done:
    return status;
}

hop_status hop_sssp_certify(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                            hop_vertex source_count, const hop_sssp_options *given,
                            const hop_view *view, const hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_sssp_options options;
    hop_run run;
    hop__sssp_query query;
    hop_vertex *brought[2] = {NULL, NULL};
    hop_status status = hop__sssp_take(context, graph, sources, source_count, given, &options, &run,
                                       &query, brought);
    if (status == HOP_OK)
        status = hop__graph_check_any(context, graph);
    if (status == HOP_OK)
        status = certify_taken(context, &query, &options, &run, view, parents);
    hop__free(brought[0]);
    hop__free(brought[1]);
    return status;
}
