/* SPDX-License-Identifier: Apache-2.0
 *
 * Connected components: the front (what is asked, the pick, the operations of the driver), and what
 * can be said from labels alone. */
#include <stdio.h>

#include "components/components_internal.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/scan.h"
#include "core/try.h"
#include "graph/graph_facts.h"

enum {
    GRAIN = 1 << 16,
    DENSE = 5, /* ends of edges per vertex; the graphs of `hoplite tune` have 16 */
};

static const hop__variant *const variants[] = {
    &hop__components_dfs.row,
    &hop__components_union_find.row,
    &hop__components_shiloach_vishkin.row,
    &hop__components_graft.row,
    &hop__components_graft_update.row,
    &hop__components_stages.row,
    &hop__components_rem.row,
    &hop__components_afforest.row,
    &hop__components_giant_first.row,
    &hop__components_ranges.row,
    &hop__components_stream.row,
    &hop__components_device_shiloach_vishkin.row,
    &hop__components_device_graft.row,
    &hop__components_device_graft_update.row,
    &hop__components_device_stages.row,
    &hop__components_device_rem.row,
    &hop__components_device_sorted.row,
    &hop__components_device_afforest.row,
};
/* Small graphs: threads and the search for a giant component take as long as all else. The search
 * skips arcs, so it pays early where there are many for each vertex, and late where `ranges` is at
 * its best; the factors are measured, like the constant. */
static const hop__variant *components_pick(const void *user, char reason[HOP__REASON]) {
    const hop__components_task *task = user;
    const hop_graph *graph = task->graph;
    if (graph->joined != NULL) {
        snprintf(reason, HOP__REASON, "the edges were joined while they were read, and not kept");
        return &hop__components_stream.row;
    }
    if (graph->store != NULL) {
        snprintf(reason, HOP__REASON,
                 "the arcs of the graph are on disk, and it reads them once, from front to back");
        return &hop__components_stream.row;
    }
    uint64_t ends = graph->directed ? 2 * graph->arcs : graph->arcs;
    bool dense = ends / DENSE >= graph->vertices;
    double small = task->tuning->values[HOP__COMPONENTS_SMALL];
    char limit[HOP__TUNED_TEXT];
    hop__tuned_text(task->tuning, HOP__COMPONENTS_SMALL, limit);
    if ((double)graph->arcs < small * (dense ? 1 : 8)) {
        bool near = !graph->directed && hop__ids_are_near(graph);
        snprintf(reason, HOP__REASON,
                 "with %llu arcs a search for a giant component would take longer, and ids of "
                 "neighbours are %s (%s)",
                 (unsigned long long)graph->arcs, near ? "near" : "not near", limit);
        if (near)
            return &hop__components_ranges.row;
        if ((double)graph->arcs < small * (dense ? 1 : 4))
            return &hop__components_rem.row;
    }
    snprintf(reason, HOP__REASON,
             "it skips most arcs where there is a giant component, and a short search tells early "
             "where there is none (%s)",
             limit);
    return &hop__components_giant_first.row;
}

/* Vertices that are their own label. */
typedef struct roots_job {
    const hop_vertex *labels;
    atomic_uint_fast64_t count;
} roots_job;

static void roots_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    roots_job *work = arg;
    uint64_t count = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        count += work->labels[v] == v;
    atomic_fetch_add(&work->count, count);
}

static hop_vertex count_roots(const hop_context *context, const hop_vertex *labels, hop_vertex n) {
    roots_job work = {labels, 0};
    hop__for(context, n, GRAIN, roots_range, &work);
    return (hop_vertex)atomic_load(&work.count);
}

static uint64_t components_later(const hop_context *context, const hop__call *call) {
    const hop__components_task *task = call->task;
    hop_certify mode = call->run.certify;
    return mode != HOP_CERTIFY_NONE ? hop__components_certify_memory(context, task->graph, mode)
                                    : 0;
}

static hop_status components_run(hop_context *context, hop__call *call) {
    const hop__components_task *task = call->task;
    hop_status status = HOP_OK;
    *task->count = HOP_NO_VERTEX;
    if (task->graph->vertices > 0)
        status = ((const hop__components_variant *)call->row)->run(context, task);
    if (status == HOP_OK && *task->count == HOP_NO_VERTEX) {
        hop__phase(context, "count");
        hop__phase_bytes(context, 4 * (uint64_t)task->graph->vertices);
        *task->count = count_roots(context, task->labels, task->graph->vertices);
    }
    return status;
}

static hop_status components_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__components_task *task = call->task;
    (void)ended;
    return hop__components_certify(context, task->graph, call->run.certify, task->labels,
                                   *task->count);
}

const hop__problem hop__components_problem = {.name = "components",
                                              .rows = variants,
                                              .row_count = HOP_LENGTH(variants),
                                              .pick = components_pick,
                                              .later = components_later,
                                              .run = components_run,
                                              .certify = components_certify};

/* Reads what the caller gave. `proof`: the arcs are wanted. */
static hop_status take(hop_context *context, const hop_graph *graph, const hop_vertex *labels,
                       const hop_components_options *given, bool proof, hop_run *run) {
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    hop_status status;
    if (!graph || (!labels && graph->vertices > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "components: no %s",
                         graph ? "array of labels" : "graph");
    HOP_TRY(status, hop__options_take(context, "HOP_COMPONENTS_OPTIONS_INIT", given, &options,
                                      sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    if (graph->joined == NULL || proof || run->certify != HOP_CERTIFY_NONE)
        status =
            proof ? hop__graph_check_any(context, graph) : hop__graph_check_away(context, graph);
done:
    return status;
}

hop_status hop_components_certify(hop_context *context, const hop_graph *graph,
                                  const hop_components_options *options, const hop_vertex *labels,
                                  hop_vertex count) {
    hop_run run;
    hop_status status =
        context ? take(context, graph, labels, options, true, &run) : HOP_ERR_ARGUMENT;
    if (status == HOP_OK)
        status = hop__lent_refuse(context, "components: certificate: labels", labels);
    return status == HOP_OK ? hop__components_certify(context, graph, run.certify, labels, count)
                            : status;
}

hop_status hop_components(hop_context *context, const hop_graph *graph,
                          const hop_components_options *options, hop_vertex *labels,
                          hop_vertex *count) {
    hop_status status;
    hop_vertex found = HOP_NO_VERTEX;
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__components_task task = {
        .graph = graph, .labels = labels, .count = &found, .tuning = &context->tuning};
    hop__call call = {.problem = &hop__components_problem, .task = &task, .arrays = {labels}};
    task.values = call.values;
    task.report = &call.report;
    HOP_TRY(status, take(context, graph, labels, options, false, &call.run));
    call.work = graph->vertices + graph->arcs;
    call.external = graph->store != NULL || graph->joined != NULL;
    call.graph = graph;
    call.threads = hop__team_for(context, call.work);
done:
    status = hop__solve(context, &call, status);
    if (status == HOP_OK && count && !call.run.plan)
        *count = found;
    return status;
}

/* Counts of labels: n at most, so 32 bits hold them. */
hop_status hop_components_sizes(hop_context *context, const hop_vertex *labels, hop_vertex n,
                                hop_vertex *sizes) {
    if (!context || (n > 0 && (!labels || !sizes)))
        return hop__missing(context, "hop_components_sizes");
    for (hop_vertex v = 0; v < n; v++)
        sizes[v] = 0;
    for (hop_vertex v = 0; v < n; v++) {
        if (labels[v] >= n)
            return hop__fail(context, HOP_ERR_INPUT,
                             "components: label %u of vertex %u; labels must be below %u",
                             labels[v], v, n);
        sizes[labels[v]]++;
    }
    return HOP_OK;
}

hop_status hop_components_number(hop_context *context, const hop_vertex *labels, hop_vertex n,
                                 hop_vertex *numbers, hop_vertex *count) {
    if (!context || (n > 0 && (!labels || !numbers)))
        return hop__missing(context, "hop_components_number");
    hop_vertex next = 0;
    /* A label is at most its vertex, so its number stands there when it is needed. */
    for (hop_vertex v = 0; v < n; v++) {
        hop_vertex label = labels[v];
        if (label > v || (label < v && labels != numbers && labels[label] != label))
            return hop__fail(context, HOP_ERR_INPUT,
                             "components: vertex %u has label %u, which is not the smallest vertex "
                             "of a component",
                             v, label);
        numbers[v] = label == v ? next++ : numbers[label];
    }
    if (count)
        *count = next;
    return HOP_OK;
}

hop_status hop_components_largest(hop_context *context, const hop_graph *graph,
                                  const hop_vertex *labels, hop_graph **largest) {
    hop_vertex *sizes = NULL, *members = NULL, best = 0, count = 0;
    hop_status status;
    if (!context || !graph || !largest || (graph->vertices > 0 && !labels))
        return hop__missing(context, "hop_components_largest");
    hop_vertex n = graph->vertices;
    HOP_TRY(status, hop__alloc(context, "components: sizes", n, sizeof *sizes, &sizes));
    HOP_TRY(status, hop_components_sizes(context, labels, n, sizes));
    for (hop_vertex v = 1; v < n; v++)
        if (sizes[v] > sizes[best])
            best = v;
    HOP_TRY(status, hop__alloc(context, "components: largest", n > 0 ? sizes[best] : 0,
                               sizeof *members, &members));
    for (hop_vertex v = 0; v < n; v++)
        if (labels[v] == best)
            members[count++] = v;
    HOP_TRY(status, hop_graph_subgraph(context, graph, members, count, largest));
done:
    hop__free(sizes);
    hop__free(members);
    return status;
}
