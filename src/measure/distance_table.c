/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of distances between two sets of vertices (hoplite/table.h).
 *
 * hop_apsp_rows finds rows of all pairs, of which the columns of the targets are kept. If there
 * are fewer targets than sources, it searches from the targets along the arcs turned round, and
 * each of its rows is a column of the table; then a block of the table's rows has to be there
 * until the last column has come. So many rows are in a block as fit into half of the budget; of a
 * table in the caller's memory, all.
 *
 * Invariants:
 * 1. An entry is made by one search, whichever way: the same integer. Floating point is added up
 *    from the source on, so there the sources are searched, and by variants with the bits of sssp.
 * 2. The searches are blocks * targets, or sources, whichever is less.
 *
 * Cost: so many searches, and O(rows * columns); rows of all pairs for a few searches at a time. */
#include <stdio.h>
#include <string.h>

#include "core/checked.h"
#include "core/options.h"
#include "core/progress.h"
#include "core/span.h"
#include "core/try.h"
#include "hoplite/table.h"
#include "measure/measure_internal.h"
#include "problem/report.h"

typedef struct table_call {
    const hop_graph *graph;
    hop__sssp_query query;
    const hop_vertex *sources, *targets; /* NULL: all */
    hop_vertex rows, columns;
    hop_type type;
    size_t size; /* of an entry */
    /* Where entries go: the caller's table, or a block of its rows, handed over as it is done. */
    char *table;
    hop_apsp_rows_fn take;
    void *user;
    bool turned, turn; /* from the targets; turn: the graph is still to be reversed */
    hop_vertex block_rows;
    char *block;
    hop_vertex first, count; /* rows of the block under way, if turned */
    bool stopped;            /* by the callback */
} table_call;

static inline hop_vertex source_at(const table_call *call, uint64_t row) {
    return call->sources ? call->sources[row] : (hop_vertex)row;
}

/* Hands over rows, if somebody takes them. */
static bool hand_over(table_call *call, hop_vertex first, hop_vertex count, const void *items) {
    const hop_view view = {items, (uint64_t)count * call->columns, call->type};
    if (call->take && !call->take(call->user, first, count, &view))
        call->stopped = true;
    return !call->stopped;
}

/* ---- from the sources ------------------------------------------------------------------------ */

/* The columns of the targets, of one row of all. */
static void gather(const table_call *call, const char *row, char *entries) {
    if (!call->targets) {
        memcpy(entries, row, call->columns * call->size);
    } else if (call->size == 4) {
        for (uint64_t i = 0; i < call->columns; i++)
            memcpy(entries + i * 4, row + call->targets[i] * UINT64_C(4), 4);
    } else {
        for (uint64_t i = 0; i < call->columns; i++)
            memcpy(entries + i * 8, row + call->targets[i] * UINT64_C(8), 8);
    }
}

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    table_call *call = user;
    const uint64_t n = call->graph->vertices, columns = call->columns;
    const char *row = rows->items;
    for (hop_vertex i = 0; i < count; i++, row += n * call->size) {
        char *entries =
            call->table ? call->table + (first + i) * columns * call->size : call->block;
        gather(call, row, entries);
        if (!hand_over(call, first + i, 1, entries))
            return false;
    }
    return true;
}

/* ---- from the targets ------------------------------------------------------------------------ */

/* Rows of some targets: a few columns of the block. Entries are of 8 bytes: integers. */
static bool take_columns(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    table_call *call = user;
    const uint64_t n = call->graph->vertices, columns = call->columns;
    const int64_t *found = rows->items;
    int64_t *block = (int64_t *)call->block;
    for (uint64_t i = 0; i < call->count; i++) {
        const hop_vertex source = source_at(call, call->first + i);
        for (hop_vertex k = 0; k < count; k++)
            block[i * columns + first + k] = found[k * n + source];
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* One call of hop_apsp_rows; what it tells is added to the sums. */
static hop_status search(hop_context *context, table_call *call, const hop_run *run,
                         hop_report *sums) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_report one = {0};
    hop_run each = *run;
    each.report = &one;
    options.run = &each;
    options.sources = call->turned ? call->targets : call->sources;
    options.source_count = !options.sources ? 0 : call->turned ? call->columns : call->rows;
    hop_status status = hop__progress_ask(context, "table");
    if (status != HOP_OK)
        return status;
    status = hop_apsp_rows(context, call->graph, &options, call->turned ? take_columns : take_rows,
                           call, NULL);
    hop__report_add(sums, &one);
    return status;
}

static hop_status search_all(hop_context *context, table_call *call, const hop_run *run,
                             hop_report *sums) {
    hop_status status = HOP_OK;
    if (!call->turned)
        return search(context, call, run, sums);
    for (hop_vertex first = 0; first < call->rows; first += call->count) {
        const hop_vertex left = call->rows - first;
        call->first = first;
        call->count = left < call->block_rows ? left : call->block_rows;
        HOP_TRY(status, search(context, call, run, sums));
        if (run->plan)
            break;
        if (!hand_over(call, first, call->count, call->block))
            return hop__fail(context, HOP_ERR_CANCELLED, "table: cancelled by the caller");
    }
done:
    return status;
}

/* From where to search, and how many rows are in a block. */
static void plan_searches(hop_context *context, table_call *call) {
    const hop__memory_usage usage = hop__pool_usage(context->pool);
    const uint64_t held = call->turn ? hop__measure_turn_bytes(call->graph, 0, 0) : 0;
    const uint64_t free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    const uint64_t row = call->columns * call->size;
    uint64_t fit = free_bytes > held ? (free_bytes - held) / 2 / row : 0;
    fit = !call->take || fit > call->rows ? call->rows : fit;
    call->block_rows = fit > 0 ? (hop_vertex)fit : 1;
    const uint64_t blocks = (call->rows - 1) / call->block_rows + 1;
    call->turned = call->type == HOP_TYPE_INT64 && !call->query.negative && !call->query.wide &&
                   blocks * call->columns < call->rows;
    call->turn = call->turn && call->turned;
    if (!call->turned)
        call->block_rows = 1;
}

static void table_blocks(const void *given, hop__workspace *space) {
    const table_call *call = given;
    hop__block_add(space, "table: rows", (uint64_t)call->block_rows * call->columns, call->size,
                   offsetof(table_call, block));
}

/* Of a table that has a row and a column. */
static hop_status make_table(hop_context *context, hop_run *run, table_call *call) {
    hop__turned turned = {NULL, 0, 0};
    hop_report sums = {0};
    uint64_t block = 0;
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    if (call->turn) {
        HOP_TRY(status, hop__measure_turn(context, call->graph, run->plan, &turned));
        call->graph = turned.graph ? turned.graph : call->graph;
    } else if (call->turned) {
        call->graph = hop_graph_prepared_reverse(call->graph);
    }
    if (call->take) {
        block = hop__blocks_need(table_blocks, call, NULL).bytes[HOP__MEMORY_HOST];
        HOP_TRY(status, run->plan
                            ? hop__reserve_check(context, "table: rows", block)
                            : hop__workspace_open(context, NULL, table_blocks, call, call, &space));
    } else {
        call->block = call->table;
    }
    const bool named = hop__is_named(run);
    if (!named && call->type != HOP_TYPE_INT64)
        run->variant = call->query.negative ? "bellman-ford" : "dijkstra"; /* invariant 1 */
    status = search_all(context, call, run, &sums);
    if (!named && call->type != HOP_TYPE_INT64)
        snprintf(sums.reason, sizeof sums.reason, "its sums are those of sssp, bit by bit");
    sums.memory_bytes += turned.held + block;
    sums.memory_bytes = sums.memory_bytes > turned.making ? sums.memory_bytes : turned.making;
    sums.step_count = 0;
    hop__report_give(run->report, sums);
done:
    hop__workspace_close(&space, status);
    hop_graph_release(turned.graph);
    return status;
}

static hop_status take_options(hop_context *context, const hop_graph *graph,
                               const hop_table_options *given, hop_run *run, table_call *call) {
    hop_table_options options = HOP_TABLE_OPTIONS_INIT;
    hop_status status;
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "table: the graph is NULL");
    HOP_TRY(status,
            hop__options_take(context, "HOP_TABLE_OPTIONS_INIT", given, &options, sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__vertices_check(context, "table", "source", options.sources,
                                        options.source_count, graph->vertices));
    HOP_TRY(status, hop__vertices_check(context, "table", "target", options.targets,
                                        options.target_count, graph->vertices));
    status = hop__sssp_describe(context, graph, &call->query);
    if (status != HOP_OK) {
        hop__fail_prefix(context, "table");
        goto done;
    }
    call->graph = graph;
    call->sources = options.sources;
    call->targets = options.targets;
    call->rows = options.sources ? options.source_count : graph->vertices;
    call->columns = options.targets ? options.target_count : graph->vertices;
    call->type = call->query.distance_type;
    call->size = hop_type_size(call->type);
    call->turn = graph->directed && hop_graph_prepared_reverse(graph) == NULL;
done:
    return status;
}

hop_status hop_distance_table_bytes(hop_context *context, const hop_graph *graph,
                                    const hop_table_options *options, uint64_t *bytes) {
    table_call call = {0};
    hop_run run = HOP_RUN_INIT;
    hop_status status;
    if (!context || !bytes)
        return hop__missing(context, "hop_distance_table_bytes");
    *bytes = 0;
    HOP_TRY(status, take_options(context, graph, options, &run, &call));
    if (!hop__mul_u64((uint64_t)call.rows * call.columns, call.size, bytes))
        *bytes = UINT64_MAX;
    status = hop__reserve_check(context, "table: all distances", *bytes);
done:
    return status;
}

hop_status hop_distance_table(hop_context *context, const hop_graph *graph,
                              const hop_table_options *options, const hop_span *table) {
    table_call call = {0};
    hop_run run = HOP_RUN_INIT;
    void *items = NULL;
    hop_status status;
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__cycle_drop(context);
    HOP_TRY(status, take_options(context, graph, options, &run, &call));
    HOP_TRY(status, hop__span_take(context, "table: table", table, call.type,
                                   (uint64_t)call.rows * call.columns, &items));
    if (call.rows == 0 || call.columns == 0)
        return HOP_OK;
    if (!items && !run.plan)
        return hop__fail(context, HOP_ERR_ARGUMENT, "table: the table is NULL");
    call.table = items;
    plan_searches(context, &call);
    status = make_table(context, &run, &call);
done:
    return status;
}

hop_status hop_distance_table_rows(hop_context *context, const hop_graph *graph,
                                   const hop_table_options *options, hop_apsp_rows_fn rows,
                                   void *user) {
    table_call call = {.take = rows, .user = user};
    hop_run run = HOP_RUN_INIT;
    hop_status status;
    if (!context)
        return HOP_ERR_ARGUMENT;
    hop__cycle_drop(context);
    HOP_TRY(status, take_options(context, graph, options, &run, &call));
    if (!rows)
        return hop__fail(context, HOP_ERR_ARGUMENT, "table: no function takes the rows");
    if (call.rows == 0 || call.columns == 0)
        return HOP_OK;
    plan_searches(context, &call);
    status = make_table(context, &run, &call);
done:
    return status;
}
