/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked: the options, the type of the distances and whether it holds them, the bytes of
 * the matrix. */
#include <stdio.h>

#include "apsp/apsp_internal.h"
#include "core/checked.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/numbers.h"

hop_weight_type hop_apsp_distance_type(const hop_graph *graph, const hop_apsp_options *given) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_weight_type type = hop_distance_type(graph ? graph->weight_type : HOP_TYPE_NONE);
    if (hop__options_copy(given, &options, sizeof options) == HOP__OPTIONS_GOOD &&
        options.distance_type == HOP_TYPE_INT32 && type == HOP_TYPE_INT64)
        return HOP_TYPE_INT32;
    return type;
}

uint64_t hop__apsp_heaviest(const hop_graph *graph) {
    const hop__facts *facts = &graph->shared->facts;
    if (graph->arcs == 0)
        return 0;
    if (graph->weight_type == HOP_TYPE_NONE)
        return 1;
    uint64_t below = facts->min_weight_int < 0 ? 0 - (uint64_t)facts->min_weight_int : 0;
    uint64_t above = facts->max_weight_int > 0 ? (uint64_t)facts->max_weight_int : 0;
    return below > above ? below : above;
}

static hop_status refuse_int32(hop_context *context, const hop_graph *graph, uint64_t heaviest) {
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "apsp: int32 distances: a path may have %u arcs of weight up to %llu, and the "
                     "sum must be below %d; use int64 (the default)",
                     graph->vertices - 1, (unsigned long long)heaviest, HOP_NO_DISTANCE_32);
}

static hop_status take_type(hop_context *context, hop_weight_type asked, hop__apsp_task *task) {
    const hop_graph *graph = task->query.graph;
    hop_weight_type own = task->query.distance_type;
    uint64_t farthest, last = graph->vertices > 0 ? graph->vertices - 1 : 0;
    task->distance_type = asked == HOP_TYPE_NONE ? own : asked;
    if (!hop__is_weight_type(asked))
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: there is no type of distances number %d",
                         (int)asked);
    if (task->distance_type == own)
        return HOP_OK;
    if (own != HOP_TYPE_INT64 || asked != HOP_TYPE_INT32)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "apsp: weights of type %s give distances of type %s%s, not %s",
                         hop_type_name(graph->weight_type), hop_type_name(own),
                         own == HOP_TYPE_INT64 ? " or int32" : "", hop_type_name(asked));
    uint64_t heaviest = hop__apsp_heaviest(graph);
    if (!hop__mul_u64(last, heaviest, &farthest) || farthest >= HOP_NO_DISTANCE_32)
        return refuse_int32(context, graph, heaviest);
    return HOP_OK;
}

/* The rows that are wanted. */
static hop_status take_sources(hop_context *context, const hop_apsp_options *options,
                               hop__apsp_task *task) {
    const hop_vertex n = task->query.graph->vertices;
    task->sources = options->sources;
    task->row_count = options->sources ? options->source_count : n;
    return hop__vertices_check(context, "apsp", "source", options->sources, options->source_count,
                               n);
}

hop_status hop__apsp_take(hop_context *context, const hop_graph *graph,
                          const hop_apsp_options *given, hop_apsp_options *options, hop_run *run,
                          hop__apsp_task *task) {
    hop_status status;
    hop__memory_usage usage = hop__pool_usage(context->pool);
    *options = (hop_apsp_options)HOP_APSP_OPTIONS_INIT;
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "apsp: the graph is NULL");
    HOP_TRY(status,
            hop__options_take(context, "HOP_APSP_OPTIONS_INIT", given, options, sizeof *options));
    HOP_TRY(status, hop__run_take(context, options->run, run));
    HOP_TRY(status, hop_graph_check(context, graph));
    status = hop__sssp_describe(context, graph, &task->query);
    if (status != HOP_OK) {
        hop__fail_prefix(context, "apsp");
        goto done;
    }
    HOP_TRY(status, take_type(context, options->distance_type, task));
    HOP_TRY(status, take_sources(context, options, task));
    task->free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    task->threads = hop__team_limit(context);
    task->tuning = &context->tuning;
    task->scratch = options->scratch;
    task->device_bytes = context->options.device_memory;
    task->workers = task->threads < task->row_count ? task->threads : task->row_count;
    task->workers += task->workers == 0; /* no rows */
done:
    return status;
}

/* Whether int32 would hold the distances, which are int64. */
static bool can_halve(const hop__apsp_task *task) {
    uint64_t farthest, last = task->query.graph->vertices - UINT64_C(1);
    return task->distance_type == HOP_TYPE_INT64 &&
           hop__mul_u64(last, hop__apsp_heaviest(task->query.graph), &farthest) &&
           farthest < HOP_NO_DISTANCE_32;
}

hop_status hop__apsp_refuse_bytes(hop_context *context, const char *what,
                                  const hop__apsp_task *task, uint64_t bytes, bool matrix) {
    char need[32] = "more than 2^64 bytes", left[32];
    hop_vertex n = task->query.graph->vertices;
    if (bytes != UINT64_MAX)
        hop__size_text(bytes, need);
    hop__size_text(task->free_bytes, left);
    if (matrix)
        hop__fail(context, HOP_ERR_BUDGET,
                  "apsp: %s: the matrix of %u x %u %s distances needs %s (%llu bytes), but %s of "
                  "the budget is free; row blocks, from a variant that searches from each source, "
                  "need less%s",
                  what, n, n, hop_type_name(task->distance_type), need, (unsigned long long)bytes,
                  left, can_halve(task) ? ", int32 distances half of that" : "");
    else
        hop__fail(context, HOP_ERR_BUDGET,
                  "apsp: %s: %s (%llu bytes) needed, but %s (%llu bytes) of the budget is free",
                  what, need, (unsigned long long)bytes, left,
                  (unsigned long long)task->free_bytes);
    hop__note_need(context, HOP_KIND_BUDGET, bytes, task->free_bytes);
    return hop__remedy(context, HOP_REMEDY_RAISE_MEMORY, "raise the memory budget");
}

hop_status hop__apsp_refuse_distance(hop_context *context, const hop__apsp_task *task,
                                     hop_vertex source, hop_vertex target) {
    hop__fail(context, HOP_ERR_UNSUPPORTED, "apsp: the distance from %s to %s does not fit %s",
              hop__name(task->query.graph, source).s, hop__name(task->query.graph, target).s,
              hop_type_name(task->distance_type));
    hop__note_vertex(context, HOP_KIND_OVERFLOW, target);
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "scale the weights down%s",
                       task->query.distance_type == HOP_TYPE_INT64 ? " or use float64" : "");
}

hop_status hop_apsp_matrix_bytes(hop_context *context, const hop_graph *graph,
                                 const hop_apsp_options *given, uint64_t *bytes) {
    if (!context || !bytes)
        return hop__missing(context, "hop_apsp_matrix_bytes");
    hop_status status;
    hop_apsp_options options;
    hop_run run;
    hop__apsp_task task = {.by_rows = false};
    *bytes = 0;
    HOP_TRY(status, hop__apsp_take(context, graph, given, &options, &run, &task));
    *bytes = hop__apsp_times(hop__apsp_row_bytes(&task), task.row_count);
    if (*bytes > task.free_bytes)
        status = hop__apsp_refuse_bytes(context, "whole", &task, *bytes, true);
done:
    return status;
}
