/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of bfs: what is asked, the pick, the operations of the driver.
 *
 * Levels are always computed, because canonical parents are defined by them: when the caller does
 * not want them, they are kept in 4 bytes per vertex of our own. */
#include <stdio.h>

#include "bfs/bfs_internal.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "problem/select_key.h"

static const hop__variant *const variants[] = {
    &hop__bfs_sequential.row,
    &hop__bfs_direction_optimizing.row,
    &hop__bfs_semi_external.row,
    /* for devices */
    &hop__bfs_device_frontier.row,
    &hop__bfs_device_frontier_block.row,
    &hop__bfs_device_frontier_tiered.row,
    &hop__bfs_device_persistent.row,
    &hop__bfs_device_vertex_parallel.row,
    &hop__bfs_device_direction_optimizing.row,
};

/* Reads everything of a call that says what is asked, and checks it. The caller frees what was
 * brought from the device, of sources and targets. */
static hop_status take_query(hop_context *context, const hop_graph *graph,
                             const hop_vertex *sources, hop_vertex source_count,
                             const hop_bfs_options *given, hop_run *run, hop__bfs_query *query,
                             hop_vertex *brought[2]) {
    hop_status status;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "bfs: the graph is NULL");
    HOP_TRY(status,
            hop__options_take(context, "HOP_BFS_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    hop_vertex n = hop_graph_vertices(graph);
    HOP_TRY(status,
            hop__vertices_bring(context, "bfs: sources", &sources, source_count, &brought[0]));
    HOP_TRY(status, hop__vertices_bring(context, "bfs: targets", &options.targets,
                                        options.target_count, &brought[1]));
    HOP_TRY(status, hop__vertices_check(context, "bfs", "source", sources, source_count, n));
    HOP_TRY(status, hop__vertices_check(context, "bfs", "target", options.targets,
                                        options.target_count, n));
    HOP_TRY(status, hop__graph_check_away(context, graph));
    *query = (hop__bfs_query){.graph = graph,
                              .sources = sources,
                              .source_count = source_count,
                              .targets = options.targets,
                              .target_count = options.target_count,
                              .max_level = options.max_level,
                              .nearest = options.nearest};
done:
    return status;
}

/* Below some 10,000 vertices and arcs a search is over before a second thread is awake, and the
 * sequential one has less to set up; see docs/bfs.md for the measurement. */
static const hop__variant *bfs_pick(const void *given, char reason[HOP__REASON]) {
    const hop__bfs_task *task = given;
    const hop_graph *graph = task->query.graph;
    uint64_t size = graph->vertices + graph->arcs;
    if (graph->store != NULL) {
        snprintf(reason, HOP__REASON,
                 "the arcs of the graph are on disk, and it reads the blocks that a level needs");
        return &hop__bfs_semi_external.row;
    }
    char limit[HOP__TUNED_TEXT];
    hop__tuned_text(task->tuning, HOP__BFS_SMALL, limit);
    if ((double)size < task->tuning->values[HOP__BFS_SMALL]) {
        snprintf(reason, HOP__REASON,
                 "%llu vertices and arcs are fewer than those from which threads pay (%s)",
                 (unsigned long long)size, limit);
        return &hop__bfs_sequential.row;
    }
    snprintf(reason, HOP__REASON, "it is the fastest on graphs that are not small (%s)%s", limit,
             hop_graph_prepared_reverse(graph)
                 ? ""
                 : "; its reverse arcs are not prepared: with them large levels could be "
                   "found bottom-up, reading few arcs");
    return &hop__bfs_direction_optimizing.row;
}

static void bfs_kept(const void *given, hop__workspace *space) {
    const hop__bfs_task *task = given;
    if (!task->levels)
        HOP__BLOCK(space, "bfs: levels", task->query.graph->vertices, hop__bfs_task, levels);
}

static uint64_t bfs_later(const hop_context *context, const hop__call *call) {
    const hop__bfs_task *task = call->task;
    (void)context;
    return call->run.certify != HOP_CERTIFY_NONE ? hop__bfs_certify_memory(&task->query) : 0;
}

static uint64_t level_key(const void *levels, uint64_t v) {
    return ((const hop_vertex *)levels)[v];
}

hop_vertex hop__bfs_nearest_level(const hop__bfs_query *query, const hop_vertex *levels) {
    uint64_t n = query->graph->vertices, place = query->nearest;
    if (query->nearest == 0)
        return HOP_NO_LEVEL;
    for (uint64_t v = 0; v < n; v++) /* the sources */
        place += levels[v] == 0;
    uint64_t level = hop__select_key(level_key, levels, n, place, 32);
    return level < HOP_NO_LEVEL ? (hop_vertex)level : HOP_NO_LEVEL;
}

/* What is beyond the nearest vertices is taken out. */
static void cut(hop__bfs_task *task) {
    hop_vertex last = hop__bfs_nearest_level(&task->query, task->levels);
    for (uint64_t v = 0; v < task->query.graph->vertices && last != HOP_NO_LEVEL; v++)
        if (task->levels[v] > last) {
            task->levels[v] = HOP_NO_LEVEL;
            if (task->parents)
                task->parents[v] = HOP_NO_VERTEX;
        }
}

static hop_status bfs_run(hop_context *context, hop__call *call) {
    hop__bfs_task *task = call->task;
    unsigned most = hop__team_limit(context);
    task->threads = most < call->threads ? most : call->threads;
    task->rounds = task->relaxations = 0;
    hop_status status = ((const hop__bfs_variant *)call->row)->run(context, task);
    if (status == HOP_OK && call->row->about.place == HOP_PLACE_DEVICE)
        cut(task);
    call->report.rounds = task->rounds;
    call->report.relaxations = task->relaxations;
    return status;
}

static hop_status bfs_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__bfs_task *task = call->task;
    (void)ended;
    return hop__bfs_certify(context, &task->query, call->run.certify == HOP_CERTIFY_CANONICAL,
                            task->levels, task->parents);
}

static const char *bfs_host_needs(const hop__call *call) {
    const hop__bfs_task *task = call->task;
    return task->query.nearest > 0 ? "what is beyond the nearest is taken out by the host" : NULL;
}

const hop__problem hop__bfs_problem = {.name = "bfs",
                                       .rows = variants,
                                       .row_count = HOP_LENGTH(variants),
                                       .pick = bfs_pick,
                                       .kept = bfs_kept,
                                       .later = bfs_later,
                                       .host_needs = bfs_host_needs,
                                       .run = bfs_run,
                                       .certify = bfs_certify};

hop_status hop_bfs(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                   hop_vertex source_count, const hop_bfs_options *options, hop_vertex *levels,
                   hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__bfs_task task = {.levels = levels, .parents = parents, .tuning = &context->tuning};
    hop__call call = {.problem = &hop__bfs_problem, .task = &task, .arrays = {levels, parents}};
    hop_vertex *brought[2] = {NULL, NULL};
    hop_status status;
    HOP_TRY(status, take_query(context, graph, sources, source_count, options, &call.run,
                               &task.query, brought));
    if (levels && levels == parents && graph->vertices > 0)
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "bfs: levels and parents are the same array; each needs its own");
    task.values = call.values;
    task.threads = call.threads = hop__team_for(context, graph->vertices + graph->arcs);
    call.work = hop__bfs_work(graph);
    call.external = graph->store != NULL;
    call.graph = graph;
done:
    status = hop__solve(context, &call, status);
    hop__free(brought[0]);
    hop__free(brought[1]);
    return status;
}

hop_status hop_bfs_certify(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                           hop_vertex source_count, const hop_bfs_options *options,
                           const hop_vertex *levels, const hop_vertex *parents) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_run run;
    hop__bfs_query query;
    hop_vertex *brought[2] = {NULL, NULL};
    HOP_TRY(status,
            take_query(context, graph, sources, source_count, options, &run, &query, brought));
    HOP_TRY(status, hop__graph_check_any(context, graph));
    if (!levels && hop_graph_vertices(graph) > 0)
        HOP_TRY(status, hop__fail(context, HOP_ERR_ARGUMENT,
                                  "bfs: certificate: the levels are NULL; parents alone cannot be "
                                  "certified"));
    HOP_TRY(status, hop__lent_refuse(context, "bfs: certificate: levels", levels));
    HOP_TRY(status, hop__lent_refuse(context, "bfs: certificate: parents", parents));
    HOP_TRY(status,
            hop__reserve_check(context, "bfs: certificate", hop__bfs_certify_memory(&query)));
    status = hop__bfs_certify(context, &query, run.certify != HOP_CERTIFY_VALID, levels, parents);
done:
    hop__free(brought[0]);
    hop__free(brought[1]);
    return status;
}
