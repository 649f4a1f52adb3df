/* SPDX-License-Identifier: Apache-2.0
 * Strong components: the front: what is asked, the pick, the operations of the driver. */
#include <stdio.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/graph_facts.h"
#include "strong/strong_internal.h"

enum { SMALL = 1 << 14 /* vertices and arcs; below, the passes take as long as the search */ };

static const hop__variant *const variants[] = {
    &hop__strong_tarjan.row,
    &hop__strong_sweeps.row,
    &hop__strong_ranges.row,
};

static const hop__variant *strong_pick(const void *given, char reason[HOP__REASON]) {
    const hop__strong_task *task = given;
    const hop_graph *graph = task->graph;
    if (graph->vertices + graph->arcs < SMALL) {
        snprintf(reason, HOP__REASON, "with %u vertices and %llu arcs one search is done at once",
                 graph->vertices, (unsigned long long)graph->arcs);
        return &hop__strong_tarjan.row;
    }
    if (hop__ids_are_near(graph)) {
        snprintf(reason, HOP__REASON,
                 "neighbours have near numbers, so ranges of them hang together by their borders");
        return &hop__strong_ranges.row;
    }
    snprintf(reason, HOP__REASON,
             "neighbours have numbers far apart: passes from front to back find what a search in "
             "depth would jump about for");
    return &hop__strong_sweeps.row;
}

static hop_vertex count_labels(const hop_vertex *labels, hop_vertex n) {
    hop_vertex count = 0;
    for (hop_vertex v = 0; v < n; v++)
        count += labels[v] == v;
    return count;
}

static hop_status strong_run(hop_context *context, hop__call *call) {
    const hop__strong_task *task = call->task;
    hop_status status = ((const hop__strong_variant *)call->row)->run(context, task);
    if (status != HOP_OK)
        return status;
    hop__phase(context, "count");
    *task->count = count_labels(task->labels, task->graph->vertices);
    return HOP_OK;
}

static uint64_t strong_later(const hop_context *context, const hop__call *call) {
    const hop__strong_task *task = call->task;
    return call->run.certify != HOP_CERTIFY_NONE
               ? hop__strong_certify_memory(context, task->graph, call->run.certify)
               : 0;
}

static hop_status strong_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__strong_task *task = call->task;
    (void)ended;
    return hop__strong_certify(context, task->graph, call->run.certify, task->labels, *task->count);
}

const hop__problem hop__strong_problem = {.name = "strong",
                                          .rows = variants,
                                          .row_count = HOP_LENGTH(variants),
                                          .pick = strong_pick,
                                          .later = strong_later,
                                          .run = strong_run,
                                          .certify = strong_certify};

/* Reads what the caller gave. */
static hop_status take(hop_context *context, const hop_graph *graph, const hop_vertex *labels,
                       const hop_strong_options *given, hop_run *run) {
    hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
    hop_status status;
    if (!graph || (!labels && graph->vertices > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "strong: no %s",
                         graph ? "array of labels" : "graph");
    HOP_TRY(status,
            hop__options_take(context, "HOP_STRONG_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    HOP_TRY(status, hop_graph_check(context, graph));
done:
    return status;
}

hop_status hop_strong_components(hop_context *context, const hop_graph *graph,
                                 const hop_strong_options *options, hop_vertex *labels,
                                 hop_vertex *count) {
    hop_status status;
    hop_vertex found = 0;
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__strong_task task = {.graph = graph, .labels = labels, .count = &found};
    hop__call call = {.problem = &hop__strong_problem, .task = &task, .arrays = {labels}};
    task.report = &call.report;
    task.values = call.values;
    HOP_TRY(status, take(context, graph, labels, options, &call.run));
    call.work = graph->vertices + graph->arcs;
    call.threads = hop__team_for(context, call.work);
    call.empty = graph->vertices == 0;
done:
    status = hop__solve(context, &call, status);
    if (status == HOP_OK && count && !call.run.plan)
        *count = found;
    return status;
}

hop_status hop_strong_certify(hop_context *context, const hop_graph *graph,
                              const hop_strong_options *options, const hop_vertex *labels,
                              hop_vertex count) {
    hop_run run;
    hop_status status = context ? take(context, graph, labels, options, &run) : HOP_ERR_ARGUMENT;
    return status == HOP_OK ? hop__strong_certify(context, graph, run.certify, labels, count)
                            : status;
}
