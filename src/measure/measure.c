/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of the measures: which one, of which vertices, in which direction; the pick; how much
 * fits the budget. The table of measures is in measure_values.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bfs/bfs_many.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/span.h"
#include "core/try.h"
#include "io/text/text_print.h"
#include "measure/measure_internal.h"

enum { BOUNDS_FROM = 256 }; /* vertices; below, all searches at once are done sooner */

static const hop__variant *const variants[] = {
    &hop__measure_searches.row,
    &hop__measure_bits.row,
    &hop__measure_bounds.row,
};

size_t hop_measure_count(void) {
    return hop__measures_count;
}

const hop_measure *hop_measure_at(size_t index) {
    return index < hop__measures_count ? &hop__measures[index].about : NULL;
}

const hop__measure_row *hop__measure_named(const char *name) {
    for (size_t i = 0; name && i < hop__measures_count; i++)
        if (strcmp(hop__measures[i].about.name, name) == 0)
            return &hop__measures[i];
    return NULL;
}

const hop_measure *hop_measure_find(const char *name) {
    const hop__measure_row *row = hop__measure_named(name);
    return row ? &row->about : NULL;
}

hop_type hop__measure_type(const hop__measure_row *measure, hop_weight_type weights) {
    hop_type distances = hop_distance_type(weights);
    switch (measure->kind) {
    case HOP__MEASURE_DISTANCE:
        return distances;
    case HOP__MEASURE_SUM:
        return distances == HOP_TYPE_INT64 ? HOP_TYPE_INT64 : HOP_TYPE_FLOAT64;
    case HOP__MEASURE_VERTICES:
        return HOP_TYPE_UINT32;
    case HOP__MEASURE_COUNT:
        return HOP_TYPE_UINT64;
    default:
        return HOP_TYPE_FLOAT64;
    }
}

hop_type hop_measure_type(const hop_graph *graph, const char *name) {
    const hop__measure_row *row = hop__measure_named(name);
    return row && graph ? hop__measure_type(row, graph->weight_type) : HOP_TYPE_NONE;
}

static uint64_t room_of(const hop__measure_row *row, const hop_graph *graph,
                        const hop_measure_options *options) {
    if (row->about.shape == HOP_MEASURE_NUMBER)
        return 1;
    if (row->about.shape == HOP_MEASURE_ARC)
        return graph->arcs;
    return options->vertices && row->about.shape == HOP_MEASURE_VERTEX ? options->vertex_count
                                                                       : graph->vertices;
}

uint64_t hop_measure_room(const hop_graph *graph, const char *name,
                          const hop_measure_options *given) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    const hop__measure_row *row = hop__measure_named(name);
    if (!graph || !row || hop__options_copy(given, &options, sizeof options) != HOP__OPTIONS_GOOD)
        return 0;
    return room_of(row, graph, &options);
}

double hop_measure_bound(const hop_graph *graph, const char *name, const hop_measure_options *given,
                         double failure) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    const hop__measure_row *row = hop__measure_named(name);
    if (!graph || !row || !row->bound ||
        hop__options_copy(given, &options, sizeof options) != HOP__OPTIONS_GOOD)
        return NAN;
    if (options.samples == 0 || options.samples >= graph->vertices)
        return 0;
    return row->bound(graph, &options, failure);
}

/* No option that the measure would not look at. */
static hop_status check_options(hop_context *context, const hop__measure_row *row,
                                const hop_measure_options *options) {
    const struct {
        bool given;
        unsigned bit;
        const char *says;
    } each[] = {
        {options->direction != HOP_MEASURE_USUAL, HOP_MEASURE_TAKES_DIRECTION, "no direction"},
        {!options->scaled, HOP_MEASURE_TAKES_SCALED, "one scale only"},
        {options->within != HOP_NO_LEVEL, HOP_MEASURE_TAKES_WITHIN, "no limit (within)"},
        {options->vertices != NULL, HOP_MEASURE_TAKES_VERTICES,
         "no list of vertices: it is about all"},
        {options->samples != 0, HOP_MEASURE_TAKES_SAMPLES, "no samples"},
        {options->centers != NULL || options->center_count > 0, HOP_MEASURE_TAKES_CENTERS,
         "no centers"},
    };
    for (size_t i = 0; i < HOP_LENGTH(each); i++)
        if (each[i].given && !(row->about.takes & each[i].bit))
            return hop__fail(context, HOP_ERR_ARGUMENT, "measure: %s has %s", row->about.name,
                             each[i].says);
    return HOP_OK;
}

hop_status hop__measure_refuse_sum(hop_context *context, const hop__measure_task *task) {
    hop__fail(context, HOP_ERR_UNSUPPORTED, "measure: %s: a sum of distances does not fit 64 bits",
              task->measure->about.name);
    hop__note_vertex(context, HOP_KIND_OVERFLOW, 0);
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "scale the weights down or use float64");
}

const hop__measure_variant *hop__measure_each(const hop__measure_task *task) {
    return task->graph->weight_type == HOP_TYPE_NONE ? &hop__measure_bits : &hop__measure_searches;
}

static const hop__variant *measure_pick(const void *given, char reason[HOP__REASON]) {
    const hop__measure_task *task = given;
    char text[HOP__REASON];
    if (task->graph->vertices >= BOUNDS_FROM && !hop__measure_bounds.row.refuse(task, text)) {
        snprintf(reason, HOP__REASON, "a few searches bound the eccentricities of all %u vertices",
                 task->graph->vertices);
        return &hop__measure_bounds.row;
    }
    if (!hop__measure_bits.row.refuse(task, text)) {
        snprintf(reason, HOP__REASON, "there are no weights, so up to %d searches are made at once",
                 HOP__MANY_SOURCES);
        return &hop__measure_bits.row;
    }
    snprintf(reason, HOP__REASON, "weights are added up, by a search from each vertex");
    return &hop__measure_searches.row;
}

/* One call. */
typedef struct measure_call {
    hop__call base; /* first: the operations get it */
    hop__measure_task task;
    const hop_graph *graph; /* the caller's */
    hop_graph *turned;      /* NULL, or with its arcs turned round for this call */
    uint64_t free_bytes;
    unsigned threads;
} measure_call;

static void kept_blocks(const void *given, hop__workspace *space) {
    const hop__measure_task *task = given;
    if (task->measure->about.shape != HOP_MEASURE_LEVELS)
        HOP__BLOCK(space, "measure: facts", task->count, hop__measure_task, facts);
}

/* Arcs turned round, as long as the call, beside `rest`; and what the builder takes meanwhile:
 * keys, sort buffers, and buffers that are an eighth of the budget at most. Where the budget does
 * not do, that is an eighth of the one that would. */
uint64_t hop__measure_turn_bytes(const hop_graph *graph, uint64_t free_bytes, uint64_t rest) {
    uint64_t arcs = graph->arcs * 28 + (uint64_t)graph->vertices * 12, most = 64 << 20;
    uint64_t eighth = free_bytes / 8, least = (rest + arcs) / 7 + 1;
    eighth = eighth > least ? eighth : least;
    return arcs + (eighth < most ? eighth : most);
}

hop_status hop__measure_turn(hop_context *context, const hop_graph *graph, bool plan,
                             hop__turned *turned) {
    const hop__memory_usage before = hop__pool_usage(context->pool);
    const size_t width = graph->arcs > UINT32_MAX ? 8 : 4;
    hop_status status;
    turned->making = hop__measure_turn_bytes(graph, before.budget - before.used, 0);
    turned->held = hop__block_bytes((uint64_t)graph->vertices + 1, width) +
                   hop__block_bytes(graph->arcs, sizeof(hop_vertex)) +
                   hop__block_bytes(graph->arcs, hop_type_size(graph->weight_type));
    if (plan)
        return hop__reserve_check(context, "measure: the graph turned round", turned->held);
    status = hop_graph_reverse(context, graph, &turned->graph);
    turned->held = hop__pool_usage(context->pool).used - before.used;
    return status;
}

/* What the call needs with task.words and task.workers. */
static hop_status need_of(hop_context *context, measure_call *call, uint64_t *bytes) {
    hop__measure_task *task = &call->task;
    const hop__measure_variant *row = (const hop__measure_variant *)call->base.row;
    uint64_t run = hop__variant_need(&row->row, task, NULL).bytes[HOP__MEMORY_HOST], beside = 0;
    uint64_t proof = 0;
    hop_status status = HOP_OK;
    if (row->beside)
        HOP_TRY(status, row->beside(context, task, &beside));
    if (call->base.run.certify != HOP_CERTIFY_NONE)
        HOP_TRY(status, hop__measure_certify_memory(context, task, &proof));
    run = run + beside < run ? UINT64_MAX : run + beside;
    run = proof > run ? proof : run;
    uint64_t kept = hop__blocks_need(kept_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    run = run + kept < run ? UINT64_MAX : run + kept;
    uint64_t turned = task->turn ? hop__measure_turn_bytes(task->graph, call->free_bytes, run) : 0;
    *bytes = run + turned < run ? UINT64_MAX : run + turned;
done:
    return status;
}

/* As many words and threads as there is memory for. */
static hop_status measure_fit(hop_context *context, hop__call *given) {
    measure_call *call = (measure_call *)given;
    hop__measure_task *task = &call->task;
    uint64_t need = 0;
    hop_status status;
    task->workers = call->threads < task->count ? call->threads : task->count;
    task->words = hop__many_words(task->count / task->workers, HOP__MANY_WORDS);
    for (;;) {
        HOP_TRY(status, need_of(context, call, &need));
        if (need <= call->free_bytes || (task->words == 1 && task->workers == 1))
            break;
        if (task->words > 1)
            task->words /= 2;
        else
            task->workers--;
    }
    given->report.memory_bytes = need;
done:
    return status;
}

static hop_status measure_run(hop_context *context, hop__call *given) {
    measure_call *call = (measure_call *)given;
    hop__measure_task *task = &call->task;
    hop_status status = HOP_OK;
    if (task->turn) {
        hop__phase(context, "turn");
        HOP_TRY(status, hop_graph_reverse(context, call->graph, &call->turned));
        task->graph = call->turned;
        task->into = call->graph;
        task->turn = false;
    }
    if (task->measure->about.shape == HOP_MEASURE_LEVELS) {
        task->levels = task->values;
        memset(task->levels, 0, 8 * (size_t)task->graph->vertices);
    }
    HOP_TRY(status, ((const hop__measure_variant *)given->row)->run(context, task));
    hop__phase(context, "values");
    HOP_TRY(status, task->measure->finish(context, task, task->values, &task->value_count));
done:
    given->report.rounds = task->rounds;
    given->report.relaxations = task->relaxations;
    return status;
}

static hop_status measure_certify(hop_context *context, hop__call *given, hop_status ended) {
    (void)ended;
    return hop__measure_certify(context, &((measure_call *)given)->task);
}

const hop__problem hop__measure_problem = {.name = "measure",
                                           .rows = variants,
                                           .row_count = HOP_LENGTH(variants),
                                           .pick = measure_pick,
                                           .kept = kept_blocks,
                                           .fit = measure_fit,
                                           .run = measure_run,
                                           .certify = measure_certify};

hop_status hop__measure_direct(hop_context *context, const hop_graph *graph,
                               hop_measure_direction direction, hop__measure_task *task) {
    const hop_graph *reverse = hop_graph_prepared_reverse(graph);
    if ((unsigned)direction > HOP_MEASURE_INWARD)
        return hop__fail(context, HOP_ERR_ARGUMENT, "measure: there is no direction number %d",
                         (int)direction);
    bool inward = direction == HOP_MEASURE_USUAL ? task->measure->about.inward
                                                 : direction == HOP_MEASURE_INWARD;
    inward = inward && graph->directed;
    task->turn = inward && !reverse;
    task->graph = inward && reverse ? reverse : graph;
    task->into = inward && reverse ? graph : reverse;
    return HOP_OK;
}

static hop_status take_vertices(hop_context *context, const hop_measure_options *options,
                                hop__measure_task *task) {
    const hop_vertex n = task->graph->vertices;
    task->vertices = options->vertices;
    task->count = options->vertices ? options->vertex_count : n;
    return hop__vertices_check(context, "measure", "vertex", options->vertices,
                               options->vertex_count, n);
}

static hop_status check_arcs(hop_context *context, const hop_graph *graph,
                             const hop__measure_row *row) {
    if (!row->counts_arcs || graph->weight_type == HOP_TYPE_NONE)
        return HOP_OK;
    hop__fail(context, HOP_ERR_UNSUPPORTED,
              "measure: %s counts arcs, and the graph has weights (%s)", row->about.name,
              hop_type_name(graph->weight_type));
    return hop__remedy(context, HOP_REMEDY_DROP_WEIGHTS, "drop the weights");
}

static hop_status take_measure(hop_context *context, const hop_graph *graph, const char *name,
                               hop__measure_task *task) {
    task->measure = hop__measure_named(name);
    if (!graph || !name)
        return hop__fail(context, HOP_ERR_ARGUMENT, "measure: the %s is NULL",
                         graph ? "name" : "graph");
    if (!task->measure)
        return hop__fail(context, HOP_ERR_ARGUMENT, "measure: there is no measure \"%s\"", name);
    return check_arcs(context, graph, task->measure);
}

hop_status hop__measure_weights(hop_context *context, const hop_graph *graph,
                                const hop__measure_task *task) {
    char text[HOP__WEIGHT_TEXT];
    if (task->query.negative) {
        uint64_t arc = hop__sssp_negative_arc(graph, false);
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "measure: the arc from %s to %s has the weight %s, and measures are for "
                  "distances from 0 on",
                  hop__name(graph, hop__row_of_arc(graph, arc)).s,
                  hop__name(graph, graph->targets[arc]).s,
                  hop__weight_text(graph->weight_type, graph->weights, arc, text));
        return hop__note_vertex(context, HOP_KIND_UNSUPPORTED,
                                (hop_vertex)hop__row_of_arc(graph, arc));
    }
    return task->query.wide ? hop__measure_refuse_sum(context, task) : HOP_OK;
}

/* Reads what the caller gave. */
static hop_status take(hop_context *context, const hop_graph *graph, const char *name,
                       const hop_measure_options *given, const hop_span *values,
                       measure_call *call) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop__measure_task *task = &call->task;
    hop__memory_usage usage = hop__pool_usage(context->pool);
    hop_status status;
    HOP_TRY(status, take_measure(context, graph, name, task));
    HOP_TRY(status, hop__options_take(context, "HOP_MEASURE_OPTIONS_INIT", given, &options,
                                      sizeof options));
    HOP_TRY(status, check_options(context, task->measure, &options));
    HOP_TRY(status, hop__run_take(context, options.run, &call->base.run));
    HOP_TRY(status, hop_graph_check(context, graph));
    status = hop__sssp_describe(context, graph, &task->query);
    if (status != HOP_OK) {
        hop__fail_prefix(context, "measure");
        goto done;
    }
    HOP_TRY(status, hop__measure_weights(context, graph, task));
    HOP_TRY(status, hop__measure_direct(context, graph, options.direction, task));
    HOP_TRY(status, take_vertices(context, &options, task));
    uint64_t room = room_of(task->measure, graph, &options);
    HOP_TRY(status, hop__span_take(context, "measure: values", values,
                                   hop__measure_type(task->measure, graph->weight_type), room,
                                   &task->values));
    if (!task->values && room > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "measure: the array of values is NULL");
    task->scaled = options.scaled;
    task->within = options.within;
    call->free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    call->threads = hop__team_limit(context);
    call->base.empty = task->count == 0;
done:
    return status;
}

/* A row that is a problem of its own, at least with these options. */
static hop_status solve_other(hop_context *context, const hop_graph *graph,
                              const hop__measure_row *row, hop__measure_solve_fn *solve,
                              const hop_measure_options *given, const hop_span *values,
                              hop_vertex *count) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    void *array = NULL;
    hop_status status;
    HOP_TRY(status, hop__options_take(context, "HOP_MEASURE_OPTIONS_INIT", given, &options,
                                      sizeof options));
    HOP_TRY(status, check_options(context, row, &options));
    HOP_TRY(status, check_arcs(context, graph, row));
    const uint64_t room = room_of(row, graph, &options);
    hop_vertex found = room < UINT32_MAX ? (hop_vertex)room : UINT32_MAX;
    HOP_TRY(status, hop__span_take(context, "measure: values", values,
                                   hop__measure_type(row, graph->weight_type), room, &array));
    if (!array && room > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "measure: the array of values is NULL");
    HOP_TRY(status, solve(context, graph, &options, array, &found));
    if (count)
        *count = found;
done:
    return status;
}

/* NULL: measured by facts. */
static hop__measure_solve_fn *solver_of(const hop_graph *graph, const hop__measure_row *row,
                                        const hop_measure_options *given) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    if (row->sample && hop__options_copy(given, &options, sizeof options) == HOP__OPTIONS_GOOD &&
        options.samples > 0 && options.samples < graph->vertices)
        return row->sample;
    return row->solve;
}

hop_status hop_measure_run(hop_context *context, const hop_graph *graph, const char *name,
                           const hop_measure_options *options, const hop_span *values,
                           hop_vertex *count) {
    measure_call call = {.graph = graph};
    hop__measure_task *task = &call.task;
    const hop__measure_row *row = hop__measure_named(name);
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__measure_solve_fn *solve = graph && row ? solver_of(graph, row, options) : NULL;
    if (solve)
        return solve_other(context, graph, row, solve, options, values, count);
    call.base.problem = &hop__measure_problem;
    call.base.task = task;
    hop_status status = take(context, graph, name, options, values, &call);
    status = hop__solve(context, &call.base, status);
    hop_graph_release(call.turned);
    if (status != HOP_OK || call.base.run.plan)
        return status;
    if (call.base.empty && task->measure->about.shape == HOP_MEASURE_NUMBER) {
        memset(task->values, 0,
               hop_type_size(hop__measure_type(task->measure, graph->weight_type)));
        task->value_count = 1;
    }
    if (count)
        *count = task->value_count;
    return HOP_OK;
}
