/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs, kernels and launches of the OpenCL backend. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "device/opencl/opencl_internal.h"

enum { OPTIONS_LONGEST = 1280 };

/* The fence for a whole device is of OpenCL C 3.0; elsewhere the oldest language will do. */
static void compiler_options(const hop__device *device, const char *options,
                             char all[OPTIONS_LONGEST]) {
    const hop__opencl_driver *driver = hop__opencl_of(device);
    snprintf(all, OPTIONS_LONGEST, "%s %s",
             hop__opencl_has_fence(&driver->call, driver->device) ? "-cl-std=CL3.0"
                                                                  : hop__opencl_backend.flags,
             options);
}

enum { LINES_MOST = 20 };

/* The compiler's words: their first lines to the log, each by itself, and the first line with an
 * error to the message. */
static hop_status report_build(hop__program *program, cl_program made, cl_int code) {
    hop__device *device = program->device;
    hop__opencl_driver *driver = hop__opencl_of(device);
    size_t length = 0;
    char *words = NULL;
    const char *first = "the compiler said nothing";
    if (driver->call.GetProgramBuildInfo(made, driver->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                         &length) == CL_SUCCESS &&
        hop__alloc_zero(device->context, "build log", length + 1, 1, &words) == HOP_OK &&
        driver->call.GetProgramBuildInfo(made, driver->device, CL_PROGRAM_BUILD_LOG, length, words,
                                         NULL) == CL_SUCCESS) {
        const char *line = words;
        for (int i = 0; i < LINES_MOST && *line != '\0'; i++) {
            int end = (int)strcspn(line, "\n");
            hop__log(device->context, HOP_LOG_ERROR, "device %s: program %s: %.*s",
                     device->info.name, program->name, end, line);
            line += end + (line[end] == '\n');
        }
        const char *error = strstr(words, "error:");
        first = error != NULL ? error : words;
    }
    hop_status status = hop__opencl_fail(device, "clBuildProgram", false, code, "program %s: %.*s",
                                         program->name, (int)strcspn(first, "\n"), first);
    hop__free(words);
    return status;
}

static hop_status build(hop__program *program, const char *options) {
    hop__opencl_driver *driver = hop__opencl_of(program->device);
    hop_context *context = program->device->context;
    char all[OPTIONS_LONGEST];
    compiler_options(program->device, options, all);
    cl_program made = (cl_program)program->handle;
    cl_int code = CL_SUCCESS;
    bool alone = hop__progress_join(context, "compile kernels");
    bool built = hop__opencl_build(context, driver, made, all, &code);
    if (!built)
        program->handle = 0; /* the compile under way has it */
    hop_status status = hop__progress_leave(context, alone);
    if (built && code != CL_SUCCESS)
        return report_build(program, made, code);
    return status;
}

hop_status hop__opencl_program_build(hop__program *program, const char *text, const char *options) {
    hop__opencl_driver *driver = hop__opencl_of(program->device);
    cl_int code;
    size_t length = strlen(text);
    cl_program made =
        driver->call.CreateProgramWithSource(driver->context, 1, &text, &length, &code);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(program->device, "clCreateProgramWithSource", false, code,
                                "program %s, %zu bytes", program->name, length);
    program->handle = (uintptr_t)made;
    return build(program, options);
}

hop_status hop__opencl_program_load(hop__program *program, const void *binary, size_t bytes,
                                    const char *options) {
    hop__opencl_driver *driver = hop__opencl_of(program->device);
    cl_int code, loaded = CL_SUCCESS;
    const unsigned char *data = binary;
    char all[OPTIONS_LONGEST];
    cl_program made = driver->call.CreateProgramWithBinary(driver->context, 1, &driver->device,
                                                           &bytes, &data, &loaded, &code);
    if (code != CL_SUCCESS)
        return HOP_ERR_DEVICE;
    compiler_options(program->device, options, all);
    if (loaded == CL_SUCCESS)
        code = driver->call.BuildProgram(made, 1, &driver->device, all, NULL, NULL);
    if (loaded != CL_SUCCESS || code != CL_SUCCESS) {
        driver->call.ReleaseProgram(made);
        return HOP_ERR_DEVICE;
    }
    program->handle = (uintptr_t)made;
    return HOP_OK;
}

hop_status hop__opencl_program_binary(hop__program *program, void **binary, size_t *bytes) {
    hop__opencl_driver *driver = hop__opencl_of(program->device);
    const hop_allocator *allocator = &program->device->context->options.allocator;
    cl_program made = (cl_program)program->handle;
    size_t size = 0;
    *binary = NULL;
    *bytes = 0;
    if (driver->call.GetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return HOP_OK;
    unsigned char *data = allocator->allocate(allocator->user, size, 64);
    if (data == NULL)
        return HOP_ERR_MEMORY;
    memset(data, 0, size);
    if (driver->call.GetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) ==
        CL_SUCCESS) {
        *binary = data;
        *bytes = size;
    } else {
        allocator->release(allocator->user, data, size);
    }
    return HOP_OK;
}

void hop__opencl_program_free(hop__program *program) {
    if (program->handle != 0)
        hop__opencl_of(program->device)->call.ReleaseProgram((cl_program)program->handle);
    program->handle = 0;
}

hop_status hop__opencl_kernel_create(hop__kernel *kernel, const char *name) {
    hop__device *device = kernel->program->device;
    hop__opencl_driver *driver = hop__opencl_of(device);
    cl_int code;
    size_t most = 0;
    cl_kernel made = driver->call.CreateKernel((cl_program)kernel->program->handle, name, &code);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(device, "clCreateKernel", false, code, "%s of program %s", name,
                                kernel->program->name);
    kernel->handle = (uintptr_t)made;
    code = driver->call.GetKernelWorkGroupInfo(made, driver->device, CL_KERNEL_WORK_GROUP_SIZE,
                                               sizeof most, &most, NULL);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(device, "clGetKernelWorkGroupInfo", false, code, "%s", name);
    kernel->group_most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    return HOP_OK;
}

void hop__opencl_kernel_free(hop__kernel *kernel) {
    if (kernel->handle != 0)
        hop__opencl_of(kernel->program->device)->call.ReleaseKernel((cl_kernel)kernel->handle);
    kernel->handle = 0;
}

hop_status hop__opencl_launch(hop__kernel *kernel, const hop__shape *shape,
                              const hop__argument *arguments, size_t count, uintptr_t *timer) {
    hop__device *device = kernel->program->device;
    hop__opencl_driver *driver = hop__opencl_of(device);
    cl_kernel made = (cl_kernel)kernel->handle;
    cl_int code;
    for (size_t i = 0; i < count; i++) {
        cl_mem buffer = arguments[i].buffer ? (cl_mem)arguments[i].buffer->handle : NULL;
        code = arguments[i].buffer != NULL
                   ? driver->call.SetKernelArg(made, (cl_uint)i, sizeof buffer, &buffer)
                   : driver->call.SetKernelArg(made, (cl_uint)i, arguments[i].size,
                                               &arguments[i].value);
        if (code != CL_SUCCESS)
            return hop__opencl_fail(device, "clSetKernelArg", false, code,
                                    "argument %zu of %s, %zu bytes", i, kernel->tally.name,
                                    arguments[i].size);
    }
    cl_uint dimensions = shape->group[1] > 1 || shape->groups[1] > 1 ? 2 : 1;
    size_t group[2] = {shape->group[0], shape->group[1]};
    size_t all[2] = {group[0] * shape->groups[0], group[1] * shape->groups[1]};
    cl_event event = NULL;
    code = driver->call.EnqueueNDRangeKernel(driver->queues[HOP__QUEUE_COMPUTE], made, dimensions,
                                             NULL, all, group, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(device, "clEnqueueNDRangeKernel", false, code,
                                "%s, %u x %u groups of %u x %u", kernel->tally.name,
                                shape->groups[0], shape->groups[1], shape->group[0],
                                shape->group[1]);
    *timer = (uintptr_t)event;
    return HOP_OK;
}
