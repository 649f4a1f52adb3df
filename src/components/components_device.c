/* SPDX-License-Identifier: Apache-2.0
 * The labels of components on a device; see components_device.h. */
#include "components/components_device.h"

#include "kernels/launching.h"

enum { FLAG_ROOTS = 2 }; /* as in forest.cl */

void hop__device_forest_blocks(hop__workspace *space, const hop__components_task *task,
                               const double *values) {
    hop__form form = hop__form_of(space->device, values);
    hop__shape shape = hop__form_shape(space->device, &form, (uint64_t)1 << 32);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "flags of kernels",
                       HOP__FLAGS * sizeof(uint32_t));
    hop__buffer_add(space, "components: where items stopped",
                    (uint64_t)shape.groups[0] * shape.group[0], 2 * sizeof(uint64_t),
                    offsetof(hop__device_forest, resume));
    hop__borrow_add(space, "components: labels", task->graph->vertices, sizeof(hop_vertex),
                    offsetof(hop__device_forest, labels), task->labels, false);
}

hop_status hop__device_forest_open(hop_context *context, const hop__components_task *task,
                                   hop__blocks_fn blocks, hop__workspace *space,
                                   hop__device_forest *forest) {
    hop_status status;
    *forest = (hop__device_forest){.context = context,
                                   .space = space,
                                   .report = task->report,
                                   .n = task->graph->vertices,
                                   .steps = HOP__STEPS};
    HOP_TRY(status, hop__device_of(context, &forest->device));
    HOP_TRY(status, hop__workspace_open(context, forest->device, blocks, task, forest, space));
done:
    return status;
}

hop_status hop__device_forest_begin(hop__device_forest *forest, const hop__program_source *source,
                                    const hop__define *defines, size_t define_count,
                                    const double *form) {
    hop_status status;
    hop__form asked = hop__form_of(forest->device, form);
    hop__argument arguments[] = {hop__arg_buffer(forest->labels)};
    HOP_TRY(status, hop__sweeper_begin(forest->device, &asked, NULL, &forest->sweeper));
    HOP_TRY(status, hop__form_program(forest->device, &asked, source, defines, define_count,
                                      &forest->sweeper.program));
    HOP_TRY(status, hop__device_forest_sweep(forest, "start", forest->n, 4, arguments, 1));
done:
    return status;
}

hop_status hop__device_forest_finish(hop__device_forest *forest, hop_vertex *count) {
    hop_status status;
    uint32_t roots = 0;
    bool late = true;
    hop__argument arguments[] = {hop__arg_buffer(forest->labels),
                                 hop__arg_buffer(forest->sweeper.flags)};
    while (late) {
        HOP_TRY(status, hop__sweep_clear(&forest->sweeper, FLAG_ROOTS));
        HOP_TRY(status, hop__device_forest_early(forest, "count_roots", forest->n, 4, arguments,
                                                 HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__buffer_return(forest->labels));
        HOP_TRY(status, hop__sweep_read(&forest->sweeper, FLAG_ROOTS, &roots, &late));
    }
    *count = roots;
    hop__count(forest->context, "launches", forest->sweeper.launches);
done:
    return status;
}

void hop__device_forest_end(hop__device_forest *forest, hop_status status) {
    hop__workspace_close(forest->space, status);
    hop__sweeper_end(&forest->sweeper);
}

hop_status hop__device_forest_sweep(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count) {
    return hop__sweep_over(&forest->sweeper, kernel, count, bytes, arguments, argument_count);
}

hop_status hop__device_forest_early(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count) {
    hop__sweep sweep = {.kernel = kernel,
                        .count = count,
                        .bytes = bytes,
                        .early = true,
                        .arguments = arguments,
                        .argument_count = argument_count};
    return hop__sweep_run(&forest->sweeper, &sweep);
}

hop_status hop__device_forest_trips(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count) {
    hop__sweep sweep = {.kernel = kernel,
                        .count = count,
                        .bytes = bytes,
                        .may_leave = true,
                        .arguments = arguments,
                        .argument_count = argument_count};
    return hop__sweep_run(&forest->sweeper, &sweep);
}

hop_status hop__device_forest_shortcut(hop__device_forest *forest) {
    hop__argument arguments[] = {hop__arg_buffer(forest->labels)};
    return hop__device_forest_trips(forest, "shortcut", forest->n, 8, arguments, 1);
}

uint64_t hop__device_block(const hop__device_forest *forest, uint64_t count, size_t size,
                           unsigned slots, uint64_t beside) {
    uint64_t rest = hop__device_left(forest->device), room = hop__device_room(forest->device);
    rest = rest > beside ? rest - beside : 0;
    room = room < rest ? room : rest;
    if (count <= room / size)
        return count > 0 ? count : 1;
    uint64_t most = rest / slots < room ? rest / slots : room;
    most = most / size / HOP__BLOCK_GRAIN * HOP__BLOCK_GRAIN;
    return most > 0 ? most : HOP__BLOCK_GRAIN;
}
