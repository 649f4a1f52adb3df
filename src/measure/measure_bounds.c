/* SPDX-License-Identifier: Apache-2.0
 *
 * bounds: eccentricities of an undirected graph by a few searches. Takes and Kosters, "Computing
 * the eccentricity distribution of large graphs", Algorithms 6(1), 2013.
 *
 * A search from s with eccentricity e bounds that of every vertex v that it reaches, at distance d:
 *     max(d, e - d) <= e(v) <= e + d.
 * So a few vertices, by turns one that may be the farthest from something and one that may be the
 * most central, leave little open for most; what the measure asks for says whose bounds are still
 * of interest (row.matters). Any vertex of the same component may be the one, also where its own
 * bounds are of no interest any more: central ones lower high the most, far ones raise low. On
 * graphs where bounds do not close, such as circles, what is left after ROUNDS searches is searched
 * for as all other measures are, many vertices at a time, so that it never costs much more than
 * those.
 *
 * Components: a vertex is no farther than its component has other vertices, if arcs count 1. Those
 * of at most SMALL vertices are not worth a search of the whole graph: they are of the rest, too.
 *
 * Invariants: low[v] <= e(v) <= high[v]; both are e(v) where a search was made.
 * Cost: as a rule 5 to 16 searches by all threads, and as many passes over the vertices; at worst
 * that of bits or searches and ROUNDS searches more. 28 bytes per vertex beside the search. */
#include <stdio.h>

#include "core/try.h"
#include "hoplite/bfs.h"
#include "hoplite/components.h"
#include "measure/measure_internal.h"

enum { ROUNDS = 64, SMALL = 64, CHUNK = 1 << 13, BATCH = 512 };
enum { FEW = 8 /* vertices left: their own searches are as good as any other */ };

#define NOT_WORTH HOP_NO_VERTEX /* the label of components that get no search of their own */

typedef struct bounds_state {
    uint64_t *low, *high;
    void *distances; /* levels, or int64 with weights */
    hop_vertex *labels, *left;
    /* Over all vertices: */
    uint64_t least_high, most_low;
    hop_vertex left_count;
} bounds_state;

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__measure_task *task = given;
    const char *why = NULL;
    if (!task->measure->farthest_only)
        why = "it finds eccentricities, and no more than those";
    else if (task->graph->directed)
        why = "in a directed graph the way there says nothing of the way back";
    else if (task->vertices)
        why = "it finds the values of all vertices together, and some are wanted";
    else if (!hop__measure_is_whole(task))
        why = "sums of floating-point numbers round, so bounds are none";
    snprintf(reason, HOP__REASON, "%s", why ? why : "");
    return why != NULL;
}

static bool is_weighted(const hop__measure_task *task) {
    return task->graph->weight_type != HOP_TYPE_NONE;
}

static void bounds_blocks(const void *given, hop__workspace *space) {
    const hop__measure_task *task = given;
    const hop_vertex n = task->graph->vertices;
    HOP__BLOCK(space, "measure: lower bounds", n, bounds_state, low);
    HOP__BLOCK(space, "measure: upper bounds", n, bounds_state, high);
    HOP__BLOCK(space, "measure: components", n, bounds_state, labels);
    HOP__BLOCK(space, "measure: vertices left", n, bounds_state, left);
    hop__block_add(space, "measure: distances", n, is_weighted(task) ? 8 : 4,
                   offsetof(bounds_state, distances));
}

/* One search of the whole graph. With `run` of a plan: what it takes. */
static hop_status search(hop_context *context, const hop__measure_task *task, hop_vertex source,
                         const hop_run *run, void *distances) {
    hop_sssp_options weighted = HOP_SSSP_OPTIONS_INIT;
    hop_bfs_options plain = HOP_BFS_OPTIONS_INIT;
    weighted.run = plain.run = run;
    if (!is_weighted(task))
        return hop_bfs(context, task->graph, &source, 1, &plain, distances, NULL);
    const hop_span span = {distances, task->graph->vertices, HOP_TYPE_INT64};
    return hop_sssp(context, task->graph, &source, 1, &weighted, &span, NULL);
}

static uint64_t distance_of(const hop__measure_task *task, const void *distances, hop_vertex v) {
    return is_weighted(task) ? (uint64_t)((const int64_t *)distances)[v]
                             : ((const uint32_t *)distances)[v];
}

static bool is_reached(const hop__measure_task *task, const void *distances, hop_vertex v) {
    return is_weighted(task) ? ((const int64_t *)distances)[v] != HOP_NO_DISTANCE
                             : ((const uint32_t *)distances)[v] != HOP_NO_LEVEL;
}

/* The components, and with them the first bounds. left[] holds their sizes meanwhile. */
static hop_status begin(hop_context *context, const hop__measure_task *task, bounds_state *state) {
    const hop_vertex n = task->graph->vertices;
    hop_vertex count;
    hop_status status;
    HOP_TRY(status, hop_components(context, task->graph, NULL, state->labels, &count));
    HOP_TRY(status, hop_components_sizes(context, state->labels, n, state->left));
    for (hop_vertex v = 0; v < n; v++) {
        hop_vertex size = state->left[state->labels[v]];
        state->low[v] = size > 1 && !is_weighted(task);
        state->high[v] = is_weighted(task) && size > 1 ? HOP_NO_DISTANCE : size - 1;
    }
    for (hop_vertex v = 0; v < n; v++)
        if (state->left[state->labels[v]] <= SMALL)
            state->labels[v] = NOT_WORTH;
done:
    return status;
}

/* The bounds of the graph, then the vertices whose bounds are of interest. */
static void list_left(const hop__measure_task *task, bounds_state *state) {
    const hop_vertex n = task->graph->vertices;
    state->least_high = UINT64_MAX;
    state->most_low = 0;
    state->left_count = 0;
    for (hop_vertex v = 0; v < n; v++) {
        if (state->high[v] < state->least_high)
            state->least_high = state->high[v];
        if (state->low[v] > state->most_low)
            state->most_low = state->low[v];
    }
    for (hop_vertex v = 0; v < n; v++)
        if (task->measure->matters(state->low[v], state->high[v], state->least_high,
                                   state->most_low))
            state->left[state->left_count++] = v;
}

/* Takes v for *best if it is better: may be farther, or is nearer at least; of several one with the
 * most arcs. */
static void prefer(const hop__measure_task *task, const bounds_state *state, bool farthest,
                   hop_vertex v, hop_vertex *best) {
    const hop_graph *graph = task->graph;
    const uint64_t *by = farthest ? state->high : state->low;
    if (*best != HOP_NO_VERTEX && by[v] == by[*best]) {
        if (hop__offset(graph, (uint64_t)v + 1) - hop__offset(graph, v) >
            hop__offset(graph, (uint64_t)*best + 1) - hop__offset(graph, *best))
            *best = v;
    } else if (*best == HOP_NO_VERTEX || (farthest ? by[v] > by[*best] : by[v] < by[*best])) {
        *best = v;
    }
}

/* From where to search: the vertex that may be farthest, or most central, of a component where some
 * are left; of the few that are left one of them. HOP_NO_VERTEX: none is left that is worth it. */
static hop_vertex choose(const hop__measure_task *task, const bounds_state *state, bool farthest) {
    hop_vertex best = HOP_NO_VERTEX, home;
    for (hop_vertex i = 0; i < state->left_count; i++)
        if (state->labels[state->left[i]] != NOT_WORTH)
            prefer(task, state, farthest, state->left[i], &best);
    if (best == HOP_NO_VERTEX || state->left_count <= FEW)
        return best;
    home = state->labels[best];
    for (hop_vertex v = 0; v < task->graph->vertices; v++)
        if (state->labels[v] == home && state->low[v] < state->high[v])
            prefer(task, state, farthest, v, &best);
    return best;
}

/* What the distances from `source` say about all that they reach. */
static void tighten(const hop__measure_task *task, bounds_state *state, hop_vertex source) {
    const hop_vertex n = task->graph->vertices;
    uint64_t far = 0;
    for (hop_vertex v = 0; v < n; v++)
        if (is_reached(task, state->distances, v) && distance_of(task, state->distances, v) > far)
            far = distance_of(task, state->distances, v);
    for (hop_vertex v = 0; v < n; v++) {
        if (!is_reached(task, state->distances, v))
            continue;
        uint64_t d = distance_of(task, state->distances, v), low = d > far - d ? d : far - d;
        if (low > state->low[v])
            state->low[v] = low;
        if (far + d < state->high[v])
            state->high[v] = far + d;
    }
    state->low[source] = state->high[source] = far;
}

/* The rest, a chunk at a time, by searches of many vertices at once; what one chunk finds may make
 * the others uninteresting. */
static hop_status search_rest(hop_context *context, hop__measure_task *task, bounds_state *state) {
    const hop__measure_variant *each = hop__measure_each(task);
    hop__measure_task part = *task;
    hop__measure_facts *facts = task->facts;
    hop_status status = HOP_OK;
    part.vertices = state->left;
    while (state->left_count > 0) {
        part.count = state->left_count < CHUNK ? state->left_count : CHUNK;
        HOP_TRY(status, each->run(context, &part));
        for (hop_vertex i = 0; i < part.count; i++)
            state->low[state->left[i]] = state->high[state->left[i]] = facts[i].farthest.whole;
        list_left(task, state);
    }
done:
    task->rounds = part.rounds;
    task->relaxations = part.relaxations;
    return status;
}

/* Where arcs count 1, what is left is searched all at once when it has come down to one batch. */
static uint64_t most_searches(const hop__measure_task *task, const bounds_state *state) {
    return state->left_count <= BATCH && !is_weighted(task) ? ROUNDS / 4 : ROUNDS;
}

static hop_status bounds_run(hop_context *context, hop__measure_task *task) {
    bounds_state state = {0};
    hop__workspace space;
    hop_vertex source;
    hop_status status;
    uint64_t searches = 0;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, bounds_blocks, task, &state, &space));
    hop__phase(context, "bounds");
    HOP_TRY(status, begin(context, task, &state));
    list_left(task, &state);
    while (searches < most_searches(task, &state)) {
        source = choose(task, &state, searches % 2 == 1);
        if (source == HOP_NO_VERTEX)
            break;
        HOP_TRY(status, search(context, task, source, NULL, state.distances));
        hop__phase(context, "bounds");
        tighten(task, &state, source);
        list_left(task, &state);
        searches++;
    }
    task->rounds += searches;
    hop__count(context, "searches", searches);
    hop__count(context, "vertices left", state.left_count);
    HOP_TRY(status, search_rest(context, task, &state));
    /* Where bounds are still apart the measure does not tell one from the other. */
    for (hop_vertex v = 0; v < task->graph->vertices; v++)
        task->facts[v] = (hop__measure_facts){.farthest.whole = state.low[v]};
done:
    hop__workspace_close(&space, status);
    return status;
}

/* What a search takes, the components before, or the many searches after. */
static hop_status bounds_beside(hop_context *context, const hop__measure_task *task,
                                uint64_t *bytes) {
    hop_components_options parts = HOP_COMPONENTS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report *report = NULL;
    hop_vertex count, first = 0;
    hop_vertex place[2]; /* a plan writes nothing, but will have an array */
    hop_status status;
    HOP_TRY(status, hop_report_create(0, &report));
    run.plan = true;
    run.report = report;
    parts.run = &run;
    HOP_TRY(status, hop_components(context, task->graph, &parts, place, &count));
    *bytes = hop_report_memory_bytes(report);
    HOP_TRY(status, search(context, task, first, &run, place));
    if (hop_report_memory_bytes(report) > *bytes)
        *bytes = hop_report_memory_bytes(report);
    uint64_t rest =
        hop__variant_need(&hop__measure_each(task)->row, task, NULL).bytes[HOP__MEMORY_HOST];
    if (rest > *bytes)
        *bytes = rest;
done:
    hop_report_free(report);
    return status;
}

const hop__measure_variant hop__measure_bounds = {
    .row = {.about = {.name = "bounds",
                      .summary = "eccentricities by a few searches that bound those of all others; "
                                 "undirected, no weights or integers",
                      .source = "Takes and Kosters 2013",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse,
            .blocks = bounds_blocks},
    .run = bounds_run,
    .beside = bounds_beside,
};
