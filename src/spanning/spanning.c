/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimum spanning forests: the front: what is asked, of a graph or of a list of edges; how weights
 * become keys; the pick; the operations of the driver. */
#include <math.h>
#include <stdio.h>

#include "core/atomic.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"
#include "spanning/spanning_internal.h"

enum {
    SMALL = 1 << 12 /* vertices and edges; below, rounds take as long as the sort */,
    GRAIN = 1 << 15
};

static const hop__variant *const variants[] = {
    &hop__spanning_kruskal.row,
    &hop__spanning_boruvka.row,
};

static const hop__variant *spanning_pick(const void *given, char reason[HOP__REASON]) {
    const hop__spanning_task *task = given;
    if (task->listed >= UINT32_MAX || task->vertices + task->listed < SMALL) {
        snprintf(reason, HOP__REASON, "with %u vertices and %llu edges all are sorted at once",
                 task->vertices, (unsigned long long)task->listed);
        return &hop__spanning_kruskal.row;
    }
    snprintf(reason, HOP__REASON, "the first edges of all parts are found at once");
    return &hop__spanning_boruvka.row;
}

static hop_status spanning_run(hop_context *context, hop__call *call) {
    const hop__spanning_task *task = call->task;
    hop_status status = ((const hop__spanning_variant *)call->row)->run(context, task);
    if (status != HOP_OK)
        return status;
    hop__phase(context, "order");
    return hop__sort_u64(context, task->numbers, *task->count, hop__bit_width(task->places));
}

/* The sort of the numbers, or the certifier. */
static uint64_t spanning_later(const hop_context *context, const hop__call *call) {
    const hop__spanning_task *task = call->task;
    uint64_t sort = hop__sort_memory(context, task->vertices, hop__bit_width(task->places),
                                     sizeof *task->numbers);
    uint64_t proof =
        call->run.certify != HOP_CERTIFY_NONE ? hop__spanning_certify_memory(context, task) : 0;
    return sort > proof ? sort : proof;
}

static hop_status spanning_certify(hop_context *context, hop__call *call, hop_status ended) {
    const hop__spanning_task *task = call->task;
    (void)ended;
    return hop__spanning_certify(context, task, call->run.certify, task->numbers, *task->count);
}

const hop__problem hop__spanning_problem = {.name = "spanning",
                                            .rows = variants,
                                            .row_count = HOP_LENGTH(variants),
                                            .pick = spanning_pick,
                                            .later = spanning_later,
                                            .run = spanning_run,
                                            .certify = spanning_certify};

/* What a pass over a list of edges finds. */
typedef struct list_facts {
    const hop_edges *edges;
    uint64_t vertices, low, high;
    uint64_t wrong_id, wrong_weight; /* the smallest number of an edge with one */
} list_facts;

static bool is_number(const hop_edges *edges, uint64_t at) {
    return edges->weight_type == HOP_TYPE_FLOAT32   ? !isnan(((const float *)edges->weights)[at])
           : edges->weight_type == HOP_TYPE_FLOAT64 ? !isnan(((const double *)edges->weights)[at])
                                                    : true;
}

static void look_at_list(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    list_facts *facts = arg;
    const hop_edges *edges = facts->edges;
    uint64_t low = UINT64_MAX, high = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bits = hop__weight_bits(edges->weight_type, edges->weights, i);
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
        if (hop__edge_id(edges, edges->from, i) >= facts->vertices ||
            hop__edge_id(edges, edges->to, i) >= facts->vertices)
            hop__lower_u64(&facts->wrong_id, i);
        if (!is_number(edges, i))
            hop__lower_u64(&facts->wrong_weight, i);
    }
    hop__lower_u64(&facts->low, low);
    hop__raise_u64(&facts->high, high);
}

static hop_status refuse_edge(hop_context *context, const list_facts *facts) {
    const hop_edges *edges = facts->edges;
    const bool id = facts->wrong_id != UINT64_MAX;
    const uint64_t at = id ? facts->wrong_id : facts->wrong_weight;
    if (id)
        return hop__fail(context, HOP_ERR_INPUT,
                         "spanning: edge %llu is from %llu to %llu, and there are %llu vertices",
                         (unsigned long long)at,
                         (unsigned long long)hop__edge_id(edges, edges->from, at),
                         (unsigned long long)hop__edge_id(edges, edges->to, at),
                         (unsigned long long)facts->vertices);
    return hop__fail(context, HOP_ERR_INPUT,
                     "spanning: the weight of edge %llu is not a number (NaN)",
                     (unsigned long long)at);
}

static void set_order(hop__spanning_order *order, uint64_t low, uint64_t high, bool maximum) {
    order->low = low;
    order->high = high;
    order->maximum = maximum;
    order->shift = high > low ? 64 - hop__bit_width(high - low) : 0;
}

/* The bits of a graph's least and greatest weights. */
static void order_graph(const hop_graph *graph, bool maximum, hop__spanning_order *order) {
    const hop__facts *facts = &graph->shared->facts;
    const double reals[2] = {facts->min_weight, facts->max_weight};
    const float floats[2] = {(float)reals[0], (float)reals[1]};
    const int64_t wide[2] = {facts->min_weight_int, facts->max_weight_int};
    const int32_t narrow[2] = {(int32_t)wide[0], (int32_t)wide[1]};
    const void *range = graph->weight_type == HOP_TYPE_FLOAT64   ? (const void *)reals
                        : graph->weight_type == HOP_TYPE_FLOAT32 ? (const void *)floats
                        : graph->weight_type == HOP_TYPE_INT64   ? (const void *)wide
                                                                 : (const void *)narrow;
    order->type = graph->weight_type;
    order->weights = graph->weights;
    if (graph->arcs > 0)
        set_order(order, hop__weight_bits(graph->weight_type, range, 0),
                  hop__weight_bits(graph->weight_type, range, 1), maximum);
}

/* Reads what the caller gave, beside the edges. */
static hop_status take_options(hop_context *context, const hop_spanning_options *given,
                               const void *numbers, uint64_t vertices,
                               hop_spanning_options *options, hop_run *run) {
    hop_status status;
    if (!numbers && vertices > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "spanning: no array of numbers");
    HOP_TRY(status, hop__options_take(context, "HOP_SPANNING_OPTIONS_INIT", given, options,
                                      sizeof *options));
    HOP_TRY(status, hop__run_take(context, options->run, run));
done:
    return status;
}

static hop_status take_graph(hop_context *context, const hop_graph *graph,
                             const hop_spanning_options *given, const uint64_t *numbers,
                             hop__spanning_task *task, hop_run *run) {
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    hop_status status;
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "spanning: no graph");
    HOP_TRY(status, take_options(context, given, numbers, graph->vertices, &options, run));
    HOP_TRY(status, hop_graph_check(context, graph));
    task->graph = graph;
    task->vertices = graph->vertices;
    task->places = graph->arcs;
    task->listed = graph->directed ? graph->arcs : (graph->arcs - graph->shared->facts.loops) / 2;
    order_graph(graph, options.maximum, &task->order);
done:
    return status;
}

static hop_status take_list(hop_context *context, const hop_edges *edges, hop_vertex vertices,
                            const hop_spanning_options *given, const uint64_t *numbers,
                            hop__spanning_task *task, hop_run *run) {
    hop_spanning_options options = HOP_SPANNING_OPTIONS_INIT;
    list_facts facts = {&task->edges, vertices, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX};
    hop_status status;
    if (!edges || vertices > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT, "spanning: %s",
                         edges ? "too many vertices" : "no edges");
    HOP_TRY(status, take_options(context, given, numbers, vertices, &options, run));
    task->edges = (hop_edges)HOP_EDGES_INIT;
    HOP_TRY(status,
            hop__options_take(context, "HOP_EDGES_INIT", edges, &task->edges, sizeof task->edges));
    HOP_TRY(status, hop__edges_check(context, &task->edges));
    hop__for(context, task->edges.count, GRAIN, look_at_list, &facts);
    if (facts.wrong_id != UINT64_MAX || facts.wrong_weight != UINT64_MAX)
        return refuse_edge(context, &facts);
    task->vertices = vertices;
    task->places = task->listed = task->edges.count;
    task->order.type = task->edges.weight_type;
    task->order.weights = task->edges.weights;
    if (task->places > 0)
        set_order(&task->order, facts.low, facts.high, options.maximum);
done:
    return status;
}

/* Runs a call whose task was read. */
static hop_status solve(hop_context *context, hop__call *call, hop_status status,
                        hop_vertex *count) {
    hop__spanning_task *task = call->task;
    hop_vertex found = 0;
    call->problem = &hop__spanning_problem;
    call->arrays[0] = task->numbers;
    call->work = task->vertices + task->places;
    call->threads = hop__team_for(context, call->work);
    call->empty = task->vertices == 0;
    task->count = &found;
    task->report = &call->report;
    task->values = call->values;
    task->sort_bytes =
        hop__sort_memory(context, task->listed, hop__spanning_sort_bits(task), sizeof(hop__u128));
    status = hop__solve(context, call, status);
    if (status == HOP_OK && count && !call->run.plan)
        *count = found;
    return status;
}

hop_status hop_spanning_forest(hop_context *context, const hop_graph *graph,
                               const hop_spanning_options *options, uint64_t *arcs,
                               hop_vertex *count) {
    hop__spanning_task task = {.numbers = arcs};
    hop__call call = {.task = &task};
    if (!context)
        return HOP_ERR_ARGUMENT;
    return solve(context, &call, take_graph(context, graph, options, arcs, &task, &call.run),
                 count);
}

hop_status hop_spanning_forest_of_edges(hop_context *context, const hop_edges *edges,
                                        hop_vertex vertices, const hop_spanning_options *options,
                                        uint64_t *numbers, hop_vertex *count) {
    hop__spanning_task task = {.numbers = numbers};
    hop__call call = {.task = &task};
    if (!context)
        return HOP_ERR_ARGUMENT;
    return solve(context, &call,
                 take_list(context, edges, vertices, options, numbers, &task, &call.run), count);
}

hop_status hop_spanning_certify(hop_context *context, const hop_graph *graph,
                                const hop_spanning_options *options, const uint64_t *arcs,
                                hop_vertex count) {
    hop__spanning_task task = {0};
    hop_run run;
    hop_status status =
        context ? take_graph(context, graph, options, arcs, &task, &run) : HOP_ERR_ARGUMENT;
    return status == HOP_OK ? hop__spanning_certify(context, &task, run.certify, arcs, count)
                            : status;
}
