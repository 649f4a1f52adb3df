/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of a graph without cycles, and the condensation, which has none.
 *
 * Order: Kahn, "Topological sorting of large networks", 1962. Vertices to which no arc leads from
 * one that is left are taken away, all that there are at a time: a level. Within a level they are
 * in ascending order, so the order depends on the graph alone. When vertices are left, each has an
 * arc from another one of them: going back from the smallest along the smallest such vertices ends
 * in a cycle.
 *
 * Cost: O(n + m), and sorting the levels; by one thread; 8 bytes per vertex, and 4 per vertex of a
 * level that is sorted. */
#include <stdio.h>
#include <string.h>

#include "core/options.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/csr_source.h"
#include "strong/strong_internal.h"

enum { FEW = 32, REPORT = 1 << 14, NAMED = 12 };

typedef struct order_job {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *order, *levels;
    uint64_t *into; /* arcs from vertices that are left; later: the vertex before, on a cycle */
    hop_vertex placed;
} order_job;

static hop_status sort_level(hop_context *context, hop_vertex *vertices, uint64_t count) {
    bool sorted = true;
    for (uint64_t i = 1; i < count && sorted; i++)
        sorted = vertices[i - 1] < vertices[i];
    if (sorted)
        return HOP_OK;
    if (count > FEW)
        return hop__sort_u32(context, vertices, count, 32);
    for (uint64_t i = 1; i < count; i++) {
        hop_vertex v = vertices[i];
        uint64_t at = i;
        for (; at > 0 && vertices[at - 1] > v; at--)
            vertices[at] = vertices[at - 1];
        vertices[at] = v;
    }
    return HOP_OK;
}

static void count_into(order_job *job) {
    const hop_graph *graph = job->graph;
    memset(job->into, 0, graph->vertices * sizeof *job->into);
    for (uint64_t i = 0; i < graph->arcs; i++)
        job->into[graph->targets[i]]++;
    for (hop_vertex v = 0; v < graph->vertices; v++)
        if (job->into[v] == 0)
            job->order[job->placed++] = v;
}

/* Takes away level after level. */
static hop_status place_levels(order_job *job, uint64_t *rounds) {
    const hop_graph *graph = job->graph;
    hop_vertex begin = 0, level = 0, steps = 0;
    hop_status status = HOP_OK;
    while (begin < job->placed) {
        const hop_vertex end = job->placed;
        HOP_TRY(status, sort_level(job->context, job->order + begin, end - begin));
        for (; begin < end; begin++) {
            uint64_t v = job->order[begin], stop = hop__offset(graph, v + 1);
            if (job->levels)
                job->levels[v] = level;
            for (uint64_t i = hop__offset(graph, v); i < stop; i++)
                if (--job->into[graph->targets[i]] == 0)
                    job->order[job->placed++] = graph->targets[i];
            if (++steps % REPORT == 0 && !hop__progress_add(job->context, REPORT))
                return HOP_OK; /* the phase's end says so */
        }
        level++;
        (*rounds)++;
    }
done:
    return status;
}

/* Of those that are left, a cycle goes to `order`; its length. A vertex is left if an arc still
 * leads to it. */
static hop_vertex find_cycle(order_job *job) {
    const hop_graph *graph = job->graph;
    const hop_vertex n = graph->vertices;
    hop_vertex length = 0, smallest = n, at;
    for (hop_vertex v = n; v-- > 0;)
        if (job->into[v] > 0)
            job->into[v] = n + UINT64_C(1);
    for (hop_vertex v = n; v-- > 0;) { /* downwards, so that the smallest is written last */
        uint64_t end = hop__offset(graph, (uint64_t)v + 1);
        if (job->into[v] == 0)
            continue;
        smallest = v;
        for (uint64_t i = hop__offset(graph, v); i < end; i++)
            if (job->into[graph->targets[i]] > 0)
                job->into[graph->targets[i]] = v + UINT64_C(1);
    }
    at = smallest;
    for (hop_vertex i = 0; i < n; i++) /* after n steps back it is on a cycle */
        at = (hop_vertex)(job->into[at] - 1);
    smallest = at;
    for (hop_vertex v = (hop_vertex)(job->into[at] - 1); v != at;
         v = (hop_vertex)(job->into[v] - 1))
        smallest = v < smallest ? v : smallest;
    at = smallest;
    do {
        job->order[length++] = at;
        at = (hop_vertex)(job->into[at] - 1);
    } while (at != smallest);
    for (hop_vertex i = 1, j = length - 1; i < j; i++, j--) { /* it was found backwards */
        hop_vertex swap = job->order[i];
        job->order[i] = job->order[j];
        job->order[j] = swap;
    }
    return length;
}

static hop_status refuse_cycle(const order_job *job, hop_vertex length) {
    char text[512];
    size_t used = 0;
    for (hop_vertex i = 0; i < length && i < NAMED && used < sizeof text - 64; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ",
                                 hop__name(job->graph, job->order[i]).s);
    snprintf(text + (used < sizeof text - 64 ? used : sizeof text - 64), 64, "%s%.40s",
             length > NAMED ? "... " : "", hop__name(job->graph, job->order[0]).s);
    hop__fail(job->context, HOP_ERR_INPUT,
              "topological order: the graph has none, because it has a cycle (%u arc%s): %s",
              length, length == 1 ? "" : "s", text);
    return hop__note_vertex(job->context, HOP_KIND_DATA, job->order[0]);
}

/* --- the front ------------------------------------------------------------------------------- */

typedef struct order_task {
    order_job job;
    hop_vertex *cycle_length; /* never NULL */
    hop_report *report;
    uint64_t sort_bytes; /* of the largest level that there may be */
} order_task;

static void order_blocks(const void *given, hop__workspace *space) {
    const order_task *task = given;
    HOP__BLOCK(space, "order: arcs in", task->job.graph->vertices, order_job, into);
    hop__block_reserve(space, HOP__MEMORY_HOST, "order: sort of a level", task->sort_bytes)
        ->elastic = true;
}

static hop_status order_run(hop_context *context, hop__call *call) {
    order_task *task = call->task;
    order_job *job = &task->job;
    hop__workspace space;
    hop_status status, ended;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, order_blocks, task, job, &space));
    hop__phase(context, "levels");
    hop__phase_items(context, job->graph->arcs);
    hop__progress_begin(context, "order", job->graph->vertices);
    job->placed = 0;
    count_into(job);
    status = place_levels(job, &task->report->rounds);
    ended = hop__progress_end(context);
    HOP_TRY(status, status != HOP_OK ? status : ended);
    if (job->placed < job->graph->vertices) {
        *task->cycle_length = find_cycle(job);
        status = refuse_cycle(job, *task->cycle_length);
    }
done:
    hop__workspace_close(&space, status);
    return status;
}

static uint64_t order_later(const hop_context *context, const hop__call *call) {
    const order_task *task = call->task;
    (void)context;
    return call->run.certify != HOP_CERTIFY_NONE
               ? 2 * hop__block_bytes(task->job.graph->vertices, sizeof(hop_vertex))
               : 0;
}

static hop_status refuse_place(const order_job *job, hop_vertex v, const char *what) {
    hop__fail(job->context, HOP_ERR_CERTIFICATE, "order: vertex %s %s", hop__name(job->graph, v).s,
              what);
    return hop__note_vertex(job->context, HOP_KIND_CERTIFICATE, v);
}

/* Every vertex once; no arc back; levels as the arcs have them, ascending, then by number. */
static hop_status check_places(const order_job *job, hop_vertex *places, hop_vertex *levels) {
    const hop_graph *graph = job->graph;
    const hop_vertex n = graph->vertices;
    for (hop_vertex v = 0; v < n; v++) {
        places[v] = HOP_NO_VERTEX;
        levels[v] = 0;
    }
    for (hop_vertex i = 0; i < n; i++) {
        if (job->order[i] >= n || places[job->order[i]] != HOP_NO_VERTEX)
            return refuse_place(job, job->order[i], "is there twice, or not one of the graph");
        places[job->order[i]] = i;
    }
    for (hop_vertex i = 0; i < n; i++) {
        hop_vertex v = job->order[i];
        uint64_t end = hop__offset(graph, (uint64_t)v + 1);
        for (uint64_t k = hop__offset(graph, v); k < end; k++) {
            hop_vertex w = graph->targets[k];
            if (places[w] <= i)
                return refuse_place(job, v, "has an arc back");
            levels[w] = levels[w] > levels[v] ? levels[w] : levels[v] + 1;
        }
        if (job->levels && job->levels[v] != levels[v])
            return refuse_place(job, v, "has another level");
        hop_vertex before = i > 0 ? job->order[i - 1] : v;
        if (levels[before] > levels[v] || (levels[before] == levels[v] && before > v))
            return refuse_place(job, v, "does not follow by level and number");
    }
    return HOP_OK;
}

static hop_status order_certify(hop_context *context, hop__call *call, hop_status ended) {
    const order_task *task = call->task;
    const hop_vertex n = task->job.graph->vertices;
    hop_vertex *places = NULL, *levels = NULL;
    hop_status status;
    (void)ended;
    HOP_TRY(status, hop__alloc(context, "order: certify", n, sizeof *places, &places));
    HOP_TRY(status, hop__alloc(context, "order: certify", n, sizeof *levels, &levels));
    status = check_places(&task->job, places, levels);
done:
    hop__free(places);
    hop__free(levels);
    return status;
}

static const hop__variant levels_row = {.about = {.name = "levels",
                                                  .summary = "takes away level after level",
                                                  .source = "Kahn 1962",
                                                  .place = HOP_PLACE_HOST},
                                        .blocks = order_blocks};
static const hop__variant *const order_rows[] = {&levels_row};

static const hop__variant *order_pick(const void *task, char reason[HOP__REASON]) {
    (void)task;
    snprintf(reason, HOP__REASON, "it is the only one");
    return &levels_row;
}

const hop__problem hop__order_problem = {.name = "order",
                                         .rows = order_rows,
                                         .row_count = 1,
                                         .pick = order_pick,
                                         .later = order_later,
                                         .run = order_run,
                                         .certify = order_certify};

hop_status hop_topological_order(hop_context *context, const hop_graph *graph,
                                 const hop_strong_options *given, hop_vertex *order,
                                 hop_vertex *levels, hop_vertex *cycle_length) {
    hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
    hop_vertex length = 0;
    hop_status status;
    if (!context || !graph || (!order && graph->vertices > 0))
        return hop__missing(context, "hop_topological_order");
    order_task task = {
        .job = {.context = context, .graph = graph, .order = order, .levels = levels},
        .cycle_length = &length};
    hop__call call = {.problem = &hop__order_problem, .task = &task, .arrays = {order, levels}};
    task.report = &call.report;
    HOP_TRY(status,
            hop__options_take(context, "HOP_STRONG_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, &call.run));
    HOP_TRY(status, hop_graph_check(context, graph));
    task.sort_bytes = hop__sort_memory(context, graph->vertices, 32, sizeof *order);
    call.empty = graph->vertices == 0;
done:
    status = hop__solve(context, &call, status);
    if (cycle_length)
        *cycle_length = length;
    return status;
}

/* --- condensation ---------------------------------------------------------------------------- */

typedef struct condensed_source {
    hop__edge_source arcs;
    const hop_vertex *numbers;
} condensed_source;

static void fill_condensed(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                           hop_vertex *to, void *weights) {
    const condensed_source *source = user;
    source->arcs.fill(source->arcs.user, first, count, from, to, weights);
    for (uint32_t i = 0; i < count; i++) {
        from[i] = source->numbers[from[i]];
        to[i] = source->numbers[to[i]];
    }
}

/* Numbers 0 .. count-1 of the labels, in their order. */
static hop_status number_labels(hop_context *context, const hop_graph *graph,
                                const hop_vertex *labels, hop_vertex *numbers, hop_vertex *count) {
    *count = 0;
    for (hop_vertex v = 0; v < graph->vertices; v++) {
        if (labels[v] > v || labels[labels[v]] != labels[v]) {
            hop__fail(context, HOP_ERR_INPUT,
                      "condensation: vertex %s has label %u, which is not the smallest vertex of a "
                      "component",
                      hop__name(graph, v).s, labels[v]);
            return hop__note_vertex(context, HOP_KIND_DATA, v);
        }
        numbers[v] = labels[v] == v ? (*count)++ : numbers[labels[v]];
    }
    return HOP_OK;
}

hop_status hop_strong_condense(hop_context *context, const hop_graph *graph,
                               const hop_vertex *labels, hop_vertex *numbers,
                               hop_graph **condensed) {
    hop_vertex *own = NULL, count;
    hop_status status;
    if (!context || !graph || !condensed || (!labels && graph->vertices > 0))
        return hop__missing(context, "hop_strong_condense");
    if (labels == numbers && labels)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "condensation: labels and numbers are the same array");
    HOP_TRY(status, hop_graph_check(context, graph));
    if (!numbers) {
        HOP_TRY(status,
                hop__alloc(context, "condensation: numbers", graph->vertices, sizeof *own, &own));
        numbers = own;
    }
    HOP_TRY(status, number_labels(context, graph, labels, numbers, &count));
    hop_graph bare = *graph;
    bare.weights = NULL;
    bare.weight_type = HOP_TYPE_NONE;
    hop__csr_source csr = {hop__graph_csr(&bare), false};
    condensed_source user = {hop__csr_edge_source(&csr), numbers};
    hop__edge_source source = user.arcs;
    source.fill = fill_condensed;
    source.user = &user;
    hop__build build = {count, true, HOP_DUPLICATES_FIRST, HOP_LOOPS_DROP, "condensation: arc"};
    HOP_TRY(status, hop__graph_build(context, &source, &build, condensed));
    (*condensed)->edges_given = 0; /* these were arcs */
done:
    hop__free(own);
    return status;
}
