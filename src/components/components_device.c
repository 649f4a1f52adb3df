/* SPDX-License-Identifier: Apache-2.0
 * The labels of components on a device; see components_device.h. */
#include "components/components_device.h"

#include "kernels/launching.h"

enum { FLAG_ROOTS = 2 }; /* as in forest.cl */
enum { RESUME_BYTES = 2 * sizeof(uint64_t) };

static uint64_t resume_bytes(const hop__sweeper *sweeper) {
    hop__shape shape = hop__sweep_shape(sweeper, (uint64_t)1 << 32);
    return (uint64_t)shape.groups[0] * shape.group[0] * RESUME_BYTES;
}

hop_status hop__device_forest_begin(hop_context *context, const hop__components_task *task,
                                    const hop__program_source *source, const hop__define *defines,
                                    size_t define_count, const double *form,
                                    hop__device_forest *forest) {
    hop_status status;
    *forest = (hop__device_forest){.context = context,
                                   .report = task->report,
                                   .n = task->graph->vertices,
                                   .steps = HOP__STEPS};
    HOP_TRY(status, hop__device_of(context, &forest->device));
    hop__form asked = hop__form_of(forest->device, form);
    HOP_TRY(status, hop__sweeper_begin(forest->device, &asked, NULL, &forest->sweeper));
    HOP_TRY(status, hop__form_program(forest->device, &asked, source, defines, define_count,
                                      &forest->sweeper.program));
    HOP_TRY(status, hop__buffer_create(forest->device, "components: where items stopped",
                                       resume_bytes(&forest->sweeper), &forest->resume));
    HOP_TRY(status,
            hop__buffer_borrow(forest->device, "components: labels", forest->n * sizeof(hop_vertex),
                               task->labels, false, &forest->labels));
    hop__argument arguments[] = {hop__arg_buffer(forest->labels)};
    HOP_TRY(status, hop__device_forest_sweep(forest, "start", forest->n, 4, arguments, 1));
done:
    return status;
}

hop_status hop__device_forest_finish(hop__device_forest *forest, hop_vertex *count) {
    hop_status status;
    uint32_t roots = 0;
    hop__argument arguments[] = {hop__arg_buffer(forest->labels),
                                 hop__arg_buffer(forest->sweeper.flags)};
    HOP_TRY(status, hop__sweep_clear(&forest->sweeper, FLAG_ROOTS));
    HOP_TRY(status, hop__device_forest_sweep(forest, "count_roots", forest->n, 4, arguments,
                                             HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_return(forest->labels));
    HOP_TRY(status, hop__sweep_read(&forest->sweeper, FLAG_ROOTS, &roots));
    *count = roots;
    hop__count(forest->context, "launches", forest->sweeper.launches);
done:
    return status;
}

void hop__device_forest_end(hop__device_forest *forest, hop_status status) {
    hop__device_settle(forest->device, status);
    hop__buffer_free(forest->labels);
    hop__buffer_free(forest->resume);
    hop__sweeper_end(&forest->sweeper);
}

hop_status hop__device_forest_sweep(hop__device_forest *forest, const char *kernel, uint64_t count,
                                    uint64_t bytes, const hop__argument *arguments,
                                    size_t argument_count) {
    return hop__sweep_over(&forest->sweeper, kernel, count, bytes, arguments, argument_count);
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

uint64_t hop__device_host_memory(void) {
    enum {
        OBJECTS = 64,
        OBJECT = 128,
        TEXT = 1 << 16
    }; /* the text of a program is pieced together */
    return OBJECTS * hop__block_bytes(1, OBJECT) + hop__block_bytes(1, TEXT);
}

uint64_t hop__device_forest_memory(const hop_graph *graph, const hop_device_info *device,
                                   const double *form, uint64_t *largest) {
    uint64_t labels = (uint64_t)graph->vertices * sizeof(hop_vertex);
    uint64_t group = (uint64_t)form[HOP__FORM_GROUP];
    if (group == 0)
        group = HOP__FORM_GROUP_STANDARD;
    if (group > device->group_size)
        group = device->group_size;
    uint64_t resume = hop__most_groups(device) * group * RESUME_BYTES;
    *largest = labels > resume ? labels : resume;
    return labels + resume + HOP__FLAGS * sizeof(uint32_t);
}

uint64_t hop__device_block(const hop__device_forest *forest, uint64_t count, size_t size,
                           unsigned slots, uint64_t beside) {
    hop_memory_usage usage = hop__device_usage(forest->device);
    uint64_t rest = usage.budget - usage.used, room = hop__device_room(forest->device);
    rest = rest > beside ? rest - beside : 0;
    room = room < rest ? room : rest;
    if (count <= room / size)
        return count > 0 ? count : 1;
    uint64_t most = rest / slots < room ? rest / slots : room;
    most = most / size / HOP__BLOCK_GRAIN * HOP__BLOCK_GRAIN;
    return most > 0 ? most : HOP__BLOCK_GRAIN;
}
