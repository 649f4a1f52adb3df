/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of hop_distance_pairs: what is asked, the groups, and the way without them.
 *
 * Pairs are grouped by sorting one number each: the vertex that they are grouped by, above the
 * index of the pair. That is the source; or the target, where a search may begin at either end and
 * there are fewer targets. Batches of more than SLICE pairs are done slice by slice.
 *
 * Where the searches of sssp_pairs_search.c may not be used (negative weights, sums that may leave
 * int64, a certificate, a variant of sssp that was named), there is one hop_sssp per source. */
#include <string.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/span.h"
#include "core/try.h"
#include "sssp/sssp_pairs.h"

enum { SLICE = 1 << 24, REPORT_PAIRS = 1 << 20 };

/* ---- what is asked --------------------------------------------------------------------------- */

static hop_status check_end(hop_context *context, const char *what, uint64_t index, hop_vertex v,
                            hop_vertex n) {
    if (v < n)
        return HOP_OK;
    hop__fail(context, HOP_ERR_ARGUMENT,
              "pairs: the %s of pair %llu is vertex %u, but there are only %u vertices", what,
              (unsigned long long)index, v, n);
    return hop__note_range(context, v, n);
}

static hop_status pairs_take(hop_context *context, const hop_graph *graph, const hop_edge *pairs,
                             uint64_t count, const hop_pairs_options *given, hop_run *run,
                             hop__sssp_query *query) {
    hop_status status;
    hop_pairs_options options = HOP_PAIRS_OPTIONS_INIT;
    HOP_TRY(status,
            hop__options_take(context, "HOP_PAIRS_OPTIONS_INIT", given, &options, sizeof options));
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "pairs: the graph is NULL");
    if (!pairs && count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "pairs: %llu pairs, but their array is NULL",
                         (unsigned long long)count);
    HOP_TRY(status, hop__run_take(context, options.run, run));
    for (uint64_t i = 0; i < count; i++) {
        HOP_TRY(status, check_end(context, "source", i, pairs[i].from, graph->vertices));
        HOP_TRY(status, check_end(context, "target", i, pairs[i].to, graph->vertices));
    }
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__sssp_describe(context, graph, query));
done:
    return status;
}

/* Whether each source takes a search by hop_sssp. */
static bool is_by_sssp(const hop__sssp_query *query, const hop_run *run) {
    bool named =
        hop__is_named(run) && !hop__row_named(&hop__pairs_problem, run->variant, HOP_PLACE_HOST);
    return named || (!hop__is_named(run) &&
                     (query->negative || query->wide || run->certify != HOP_CERTIFY_NONE));
}

/* A row of ours that was named, but cannot. */
static hop_status check_named(hop_context *context, const hop__sssp_query *query,
                              const hop_run *run) {
    char reason[HOP__REASON];
    const hop__sssp_task task = {.query = *query};
    if (run->certify != HOP_CERTIFY_NONE)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "pairs: %s stops before there is enough to certify; a variant of sssp, or "
                         "auto, searches so that it can be",
                         run->variant);
    if (hop__sssp_refuse_negative(&task, reason))
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "pairs: %s cannot do this: %s", run->variant,
                         reason);
    if (query->wide)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "pairs: %s cannot do this: sums of weights may leave int64", run->variant);
    return HOP_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Fills in the keys and counts the groups. */
static hop_status make_keys(hop_context *context, hop__pairs_task *task, uint64_t *keys,
                            bool turned) {
    uint64_t begin = 0;
    hop_status status;
    bool begun = hop__progress_join(context, "pairs: group");
    for (uint64_t i = 0; i < task->count; i++) {
        keys[i] = (uint64_t)(turned ? task->pairs[i].to : task->pairs[i].from) << 32 | i;
        if (i % REPORT_PAIRS == 0 && !hop__progress_add(context, 0))
            break;
    }
    HOP_TRY(status, hop__progress_leave(context, begun));
    HOP_TRY(status, hop__sort_u64(context, keys, task->count,
                                  32 + hop__bit_width(task->query.graph->vertices)));
    task->keys = keys;
    task->turned = turned;
    task->groups = task->small = 0;
    for (uint64_t i = 1; i <= task->count; i++)
        if (i == task->count || keys[i] >> 32 != keys[begin] >> 32) {
            task->groups++;
            task->small += i - begin <= HOP__PAIRS_FEW;
            begin = i;
        }
done:
    return status;
}

/* By sources, or by targets if those are fewer and a search may begin there. */
static hop_status group(hop_context *context, hop__pairs_task *task, uint64_t *keys) {
    const hop_graph *graph = task->query.graph;
    const hop_graph *backward = graph->directed ? task->query.reverse : graph;
    hop_status status;
    task->graph = graph;
    task->backward = backward;
    HOP_TRY(status, make_keys(context, task, keys, false));
    if (!backward || task->query.distance_type != HOP_TYPE_INT64 || task->groups < 2)
        goto done;
    uint64_t groups = task->groups;
    HOP_TRY(status, make_keys(context, task, keys, true));
    if (task->groups >= groups) {
        HOP_TRY(status, make_keys(context, task, keys, false));
    } else {
        task->graph = backward;
        task->backward = graph;
    }
done:
    return status;
}

/* ---- a slice --------------------------------------------------------------------------------- */

static hop_status solve_slice(hop_context *context, hop__pairs_task *task, uint64_t *keys,
                              const hop_run *run) {
    hop__call call = {.problem = &hop__pairs_problem, .task = task, .run = *run};
    hop_status status = group(context, task, keys);
    hop__memory_usage usage = hop__pool_usage(context->pool);
    task->free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    unsigned most = hop__team_limit(context);
    task->most_workers = task->groups == 0     ? 1
                         : task->groups < most ? (unsigned)task->groups
                                               : most;
    task->workers = task->most_workers;
    call.empty = task->count == 0;
    return hop__solve(context, &call, status);
}

typedef struct sssp_way {
    void *distances;     /* n */
    hop_vertex *targets; /* as many as pairs */
} sssp_way;

/* One source, by hop_sssp; with weights below 0 it must be searched whole in any case. */
static hop_status solve_source(hop_context *context, const hop__pairs_task *task, sssp_way *way,
                               const hop_run *run, uint64_t begin, uint64_t end) {
    const hop_graph *graph = task->query.graph;
    const size_t size = hop_type_size(task->query.distance_type);
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_vertex source = (hop_vertex)(task->keys[begin] >> 32);
    options.run = run;
    if (!task->query.negative && end - begin < UINT32_MAX) {
        for (uint64_t i = begin; i < end; i++)
            way->targets[i - begin] = task->pairs[(uint32_t)task->keys[i]].to;
        options.targets = way->targets;
        options.target_count = (hop_vertex)(end - begin);
    }
    hop_span all = {way->distances, graph->vertices, task->query.distance_type};
    hop_status status =
        hop_sssp(context, graph, &source, 1, &options, way->distances ? &all : NULL, NULL);
    if (status != HOP_OK || run->plan)
        return status;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t index = (uint32_t)task->keys[i];
        memcpy((char *)task->distances + index * size,
               (const char *)way->distances + task->pairs[index].to * size, size);
    }
    return HOP_OK;
}

static hop_status solve_by_sssp(hop_context *context, hop__pairs_task *task, uint64_t *keys,
                                sssp_way *way, const hop_run *run, hop_report *sums) {
    hop_status status;
    uint64_t begin = 0;
    HOP_TRY(status, make_keys(context, task, keys, false));
    while (begin < task->count) {
        uint64_t end = begin + 1;
        hop_report one = {0};
        hop_run each = *run;
        each.report = &one;
        while (end < task->count && keys[end] >> 32 == keys[begin] >> 32)
            end++;
        status = solve_source(context, task, way, &each, begin, end);
        hop__report_add(sums, &one);
        if (status != HOP_OK || run->plan)
            break;
        begin = end;
    }
done:
    return status;
}

/* ---- all slices ------------------------------------------------------------------------------ */

static hop_status solve_slices(hop_context *context, hop__pairs_task *task, const hop_run *run,
                               bool by_sssp, hop_report *sums) {
    const hop_edge *pairs = task->pairs;
    const size_t size = hop_type_size(task->query.distance_type);
    uint64_t left = task->count, room = left < SLICE ? left : SLICE;
    char *distances = task->distances;
    uint64_t *keys = NULL;
    sssp_way way = {0};
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "pairs: order", room, sizeof *keys, &keys));
    if (by_sssp)
        HOP_TRY(status,
                hop__alloc(context, "pairs: targets", room, sizeof *way.targets, &way.targets));
    if (by_sssp && !run->plan)
        HOP_TRY(status, hop__alloc(context, "pairs: distances", task->query.graph->vertices, size,
                                   &way.distances));
    do {
        hop_report one = {0};
        hop_run each = *run;
        each.report = &one;
        task->count = left < room ? left : room;
        task->pairs = pairs;
        task->distances = distances;
        task->searches = task->relaxations = 0;
        if (by_sssp) {
            HOP_TRY(status, solve_by_sssp(context, task, keys, &way, run, sums));
        } else {
            status = solve_slice(context, task, keys, &each);
            hop__report_add(sums, &one);
            HOP_TRY(status, status);
        }
        pairs += task->count;
        if (distances)
            distances += task->count * size;
        left -= task->count;
    } while (left > 0 && !run->plan);
done:
    sums->memory_bytes += hop__block_bytes(room, sizeof *keys);
    hop__free(keys);
    hop__free(way.targets);
    hop__free(way.distances);
    return status;
}

hop_status hop_distance_pairs(hop_context *context, const hop_graph *graph, const hop_edge *pairs,
                              uint64_t count, const hop_pairs_options *given,
                              const hop_span *distances) {
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop_status status;
    hop_run run = HOP_RUN_INIT;
    hop_report sums = {0};
    hop__pairs_task task = {.pairs = pairs, .count = count};
    hop__cycle_drop(context);
    HOP_TRY(status, pairs_take(context, graph, pairs, count, given, &run, &task.query));
    HOP_TRY(status, hop__span_take(context, "pairs: distances", distances, task.query.distance_type,
                                   count, &task.distances));
    if (!task.distances && count > 0 && !run.plan)
        return hop__fail(context, HOP_ERR_ARGUMENT, "pairs: the distances are NULL");
    bool by_sssp = is_by_sssp(&task.query, &run);
    if (!by_sssp && hop__is_named(&run))
        HOP_TRY(status, check_named(context, &task.query, &run));
    status = solve_slices(context, &task, &run, by_sssp, &sums);
    sums.step_count = 0;
    hop__report_give(run.report, sums);
done:
    return status;
}
