/* SPDX-License-Identifier: Apache-2.0
 *
 * Certifies a measure: the distances are found once more, by apsp, whose certifier checks every row
 * by the arcs alone; the facts are worked out from the rows, and the values that they make must be
 * those of the caller, bit by bit. So neither the bits nor the bounds that found them are trusted.
 * Cost: O(n (n + m)); a block of rows, and the facts and values once more. */
#include <string.h>

#include "core/try.h"
#include "measure/measure_internal.h"

typedef struct second_look {
    hop__measure_task task; /* the same with facts of its own */
    uint32_t *counts;
    hop__measure_facts *facts;
    uint64_t *levels;
    void *values;
    bool fits;
} second_look;

static size_t value_bytes(const hop__measure_task *task) {
    return hop_type_size(hop__measure_type(task->measure, task->graph->weight_type));
}

/* How many values there may be. */
static uint64_t value_room(const hop__measure_task *task) {
    hop_measure_shape shape = task->measure->about.shape;
    return shape == HOP_MEASURE_NUMBER ? 1 : task->count;
}

static void look_blocks(const void *given, hop__workspace *space) {
    const hop__measure_task *task = given;
    const hop_vertex n = task->graph->vertices;
    HOP__BLOCK(space, "measure: counts", n, second_look, counts)->zero = true;
    HOP__BLOCK(space, "measure: facts again", task->count, second_look, facts);
    if (task->levels)
        HOP__BLOCK(space, "measure: levels again", n, second_look, levels)->zero = true;
    hop__block_add(space, "measure: values again", value_room(task), value_bytes(task),
                   offsetof(second_look, values));
}

/* Floating-point rows must have the bits of hop_sssp. */
static hop_apsp_options options_of(const hop__measure_task *task, hop_run *run) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    run->certify = HOP_CERTIFY_CANONICAL;
    run->variant = hop__measure_is_whole(task) ? NULL : "dijkstra";
    options.run = run;
    options.sources = task->vertices;
    options.source_count = task->vertices ? task->count : 0;
    return options;
}

static bool look_at_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    second_look *look = user;
    const size_t bytes = look->task.graph->vertices * hop_type_size(rows->type);
    for (hop_vertex i = 0; i < count; i++)
        look->fits &= hop__measure_look(&look->task, (const char *)rows->items + i * bytes,
                                        look->counts, &look->facts[first + i]);
    return true;
}

static hop_status compare(hop_context *context, const hop__measure_task *task,
                          const second_look *look, hop_vertex count) {
    const size_t bytes = value_bytes(task);
    const char *theirs = task->values, *ours = look->values;
    for (hop_vertex i = 0; i < count && i < task->value_count; i++)
        if (memcmp(theirs + i * bytes, ours + i * bytes, bytes) != 0)
            return hop__fail(context, HOP_ERR_CERTIFICATE,
                             "measure: %s: value number %u is not that of certified distances",
                             task->measure->about.name, i);
    if (count != task->value_count)
        return hop__fail(context, HOP_ERR_CERTIFICATE, "measure: %s: %u values, %u expected",
                         task->measure->about.name, task->value_count, count);
    return HOP_OK;
}

hop_status hop__measure_certify(hop_context *context, const hop__measure_task *task) {
    second_look look = {.task = *task, .fits = true};
    hop__workspace space;
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = options_of(task, &run);
    hop_vertex count = 0;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, look_blocks, task, &look, &space));
    look.task.facts = look.facts;
    look.task.levels = look.levels;
    HOP_TRY(status, hop_apsp_rows(context, task->graph, &options, look_at_rows, &look, NULL));
    if (look.fits)
        HOP_TRY(status, task->measure->finish(context, &look.task, look.values, &count));
    else
        HOP_TRY(status, hop__measure_refuse_sum(context, task));
    status = compare(context, task, &look, count);
done:
    hop__workspace_close(&space, status);
    return status;
}

hop_status hop__certified_rows_memory(hop_context *context, const hop_graph *graph,
                                      const hop_apsp_options *rows, hop_apsp_rows_fn look,
                                      uint64_t *bytes) {
    hop_run run = *rows->run;
    hop_apsp_options options = *rows;
    hop_report *report = NULL;
    hop_status status;
    *bytes = 0;
    HOP_TRY(status, hop_report_create(0, &report));
    run.plan = true;
    run.report = report;
    options.run = &run;
    HOP_TRY(status, hop_apsp_rows(context, graph, &options, look, NULL, NULL));
    *bytes = hop_report_memory_bytes(report);
done:
    hop_report_free(report);
    return status;
}

hop_status hop__measure_certify_memory(hop_context *context, const hop__measure_task *task,
                                       uint64_t *bytes) {
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = options_of(task, &run);
    hop_status status =
        hop__certified_rows_memory(context, task->graph, &options, look_at_rows, bytes);
    *bytes += hop__blocks_need(look_blocks, task, NULL).bytes[HOP__MEMORY_HOST];
    return status;
}
