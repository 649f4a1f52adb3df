/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms: how a kernel is cut into groups and items on a device; and launching by name. */
#include <string.h>

#include "kernels/launching.h"

enum { DEFINES = 16, GROUPS_PER_UNIT = 8, GROUPS_MOST = 1024 };

const hop_parameter hop__form_parameters[HOP__FORM_PARAMETERS] = {
    [HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,
    [HOP__FORM_CUT] = HOP__FORM_CUT_ROW,
};

hop__form hop__form_of(const hop__device *device, const double *values) {
    bool chunked = hop__form_chunked(device, NULL);
    unsigned cut = (unsigned)values[HOP__FORM_CUT];
    return (hop__form){.group = (uint32_t)values[HOP__FORM_GROUP],
                       .other = cut != 0 && chunked != (cut == 1)};
}

bool hop__form_chunked(const hop__device *device, const hop__form *form) {
    bool chunked = (hop__device_info(device)->capabilities & HOP_DEVICE_CHUNKED) != 0;
    return form && form->other ? !chunked : chunked;
}

uint32_t hop__form_group(const hop__device *device, const hop__form *form) {
    uint32_t group = form && form->group ? form->group : HOP__FORM_GROUP_STANDARD;
    uint32_t most = hop__device_info(device)->group_size;
    return group < most ? group : most;
}

hop_status hop__form_program(hop__device *device, const hop__form *form,
                             const hop__program_source *source, const hop__define *more,
                             size_t more_count, hop__program **program) {
    hop__define defines[DEFINES] = {{"WG", hop__form_group(device, form)},
                                    {"WORK_CHUNKED", hop__form_chunked(device, form)}};
    *program = NULL;
    if (more_count > DEFINES - 2)
        return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT,
                         "program %s: %zu definitions, the most is %d", source->name, more_count,
                         DEFINES - 2);
    if (more_count > 0)
        memcpy(defines + 2, more, more_count * sizeof *more);
    return hop__program_get(device, source, defines, 2 + more_count, program);
}

hop__shape hop__form_shape(const hop__device *device, const hop__form *form, uint64_t count) {
    return hop__fill_device(device, count, hop__form_group(device, form));
}

hop_status hop__buffer_holds(hop__device *device, const hop__buffer *buffer, uint64_t count,
                             size_t bytes, const char *what) {
    if (count <= hop__buffer_bytes(buffer) / bytes)
        return HOP_OK;
    return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT,
                     "%s: %llu elements of %zu bytes, and a buffer of %llu bytes", what,
                     (unsigned long long)count, bytes,
                     (unsigned long long)hop__buffer_bytes(buffer));
}

hop_status hop__launch_named(hop__program *program, const char *name, hop__shape shape,
                             const hop__argument *arguments, size_t argument_count) {
    hop__kernel *kernel;
    hop_status status = hop__kernel_get(program, name, &kernel);
    return status != HOP_OK ? status : hop__launch(kernel, shape, arguments, argument_count);
}

hop__workers hop__workers_for(const hop__device *device, const hop__form *form, uint64_t count,
                              uint32_t group, uint64_t range) {
    uint64_t units = hop__device_info(device)->compute_units;
    uint64_t groups = count / (hop__form_chunked(device, form) ? range * group : range);
    uint64_t most = (units > 0 ? units : 1) * GROUPS_PER_UNIT;
    most = most < GROUPS_MOST ? most : GROUPS_MOST;
    groups = groups < 1 ? 1 : groups < most ? groups : most;
    hop__workers workers = {.group = group, .groups = (uint32_t)groups};
    workers.count = hop__form_chunked(device, form) ? workers.groups * group : workers.groups;
    return workers;
}
