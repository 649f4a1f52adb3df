/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of OpenCL that the library under test asks for, on fibers. Everything is done when
 * it is put into a queue, but for copies that are put off (fibers_late.c): what comes behind them
 * in their queue, or waits for an event, has them made. Objects have one owner: nothing here is
 * retained. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fibers.h"

#define EXPORT __attribute__((visibility("default")))

enum { CANARY_BYTES = 64, CANARY = 0x5c, GIVEN_BYTES = 16, LOG_BYTES = 1 << 16 };

struct _cl_platform_id {
    int unused;
};
struct _cl_device_id {
    cl_device_type type;
    const char *name;
};
struct _cl_context {
    int unused;
};
struct _cl_command_queue {
    int unused;
};
struct _cl_event {
    cl_ulong begin, end;
    cl_command_queue queue;
    uint64_t late; /* copies up to here are before it */
};
struct _cl_mem {
    char *memory;
    size_t bytes;
    bool borrowed;
};
struct _cl_program {
    char *text;
    char key[40];
    char *log;
    fibers_program built;
};
struct _cl_kernel {
    cl_program program;
    const fibers_kernel *kernel;
    struct {
        bool given;
        cl_mem buffer;
        _Alignas(16) char value[GIVEN_BYTES];
    } arguments[FIBERS_PARAMETERS];
};

enum { FENCE_CAPABILITIES = 0x1064 }; /* of OpenCL 3.0, which these headers may not have */

static struct _cl_platform_id platform;
static struct _cl_device_id devices[] = {{CL_DEVICE_TYPE_GPU, "Fibers in the form for GPUs"},
                                         {CL_DEVICE_TYPE_CPU, "Fibers in the form for CPUs"}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- questions ------------------------------------------------------------------------------- */

static cl_int answer(const void *value, size_t bytes, size_t room, void *out, size_t *needed) {
    if (needed != NULL)
        *needed = bytes;
    if (out == NULL)
        return CL_SUCCESS;
    if (room < bytes)
        return CL_INVALID_VALUE;
    memcpy(out, value, bytes);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *out, size_t *needed) {
    return answer(text, strlen(text) + 1, room, out, needed);
}

EXPORT cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count) {
    if (count != NULL)
        *count = 1;
    if (out != NULL && room > 0)
        out[0] = &platform;
    return CL_SUCCESS;
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id which, cl_platform_info what, size_t room, void *out,
                                size_t *needed) {
    (void)which;
    const char *text = what == CL_PLATFORM_NAME      ? "Hoplite fibers"
                       : what == CL_PLATFORM_VERSION ? "OpenCL 1.2 fibers"
                                                     : "";
    return answer_text(text, room, out, needed);
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id which, cl_device_type type, cl_uint room,
                             cl_device_id *out, cl_uint *count) {
    cl_uint found = 0;
    (void)which;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (type == CL_DEVICE_TYPE_ALL || (type & devices[i].type) != 0) {
            if (out != NULL && found < room)
                out[found] = &devices[i];
            found++;
        }
    if (count != NULL)
        *count = found;
    return found > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int device_text(cl_device_id device, cl_device_info what, size_t room, void *out,
                          size_t *needed) {
    char version[40];
    switch (what) {
    case CL_DEVICE_NAME:
        return answer_text(device->name, room, out, needed);
    case CL_DEVICE_VENDOR:
        return answer_text("Hoplite", room, out, needed);
    case CL_DEVICE_VERSION:
        return answer_text("OpenCL 1.2 fibers", room, out, needed);
    case CL_DRIVER_VERSION:
        fibers_version(version);
        return answer_text(version, room, out, needed);
    case CL_DEVICE_PROFILE:
        return answer_text("FULL_PROFILE", room, out, needed);
    case CL_DEVICE_EXTENSIONS:
        return answer_text("cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_fp64",
                           room, out, needed);
    default:
        return CL_INVALID_VALUE;
    }
}

EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out,
                              size_t *needed) {
    cl_ulong wide = 0;
    cl_uint narrow = 1;
    size_t size = FIBERS_GROUP_MOST;
    cl_device_fp_config floats = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    switch (what) {
    case CL_DEVICE_TYPE:
        return answer(&device->type, sizeof device->type, room, out, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        narrow = 2;
        return answer(&narrow, sizeof narrow, room, out, needed);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
        return answer(&narrow, sizeof narrow, room, out, needed);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: /* the GPU is one with a memory of its own */
        narrow = device->type == CL_DEVICE_TYPE_CPU;
        return answer(&narrow, sizeof narrow, room, out, needed);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        narrow = 1024;
        return answer(&narrow, sizeof narrow, room, out, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return answer(&size, sizeof size, room, out, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        wide = (cl_ulong)4 << 30;
        return answer(&wide, sizeof wide, room, out, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        wide = (cl_ulong)1 << 30;
        return answer(&wide, sizeof wide, room, out, needed);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        wide = 32 << 10;
        return answer(&wide, sizeof wide, room, out, needed);
    case FENCE_CAPABILITIES: /* in sequence, the whole device: one thread runs all items */
        wide = 1 << 2 | 1 << 5;
        return answer(&wide, sizeof wide, room, out, needed);
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return answer(&floats, sizeof floats, room, out, needed);
    default:
        return device_text(device, what, room, out, needed);
    }
}

/* --- contexts, queues, events ---------------------------------------------------------------- */

static void *made(size_t bytes, cl_int *error) {
    void *object = calloc(1, bytes);
    if (error != NULL)
        *error = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return object;
}

static cl_int released(void *object) {
    free(object);
    return CL_SUCCESS;
}

EXPORT cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                                  const cl_device_id *which,
                                  void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                            void *),
                                  void *user, cl_int *error) {
    (void)properties, (void)count, (void)which, (void)notify, (void)user;
    return made(sizeof(struct _cl_context), error);
}

EXPORT cl_int clReleaseContext(cl_context context) {
    return released(context);
}

EXPORT cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties,
                                             cl_int *error) {
    (void)context, (void)device, (void)properties;
    return made(sizeof(struct _cl_command_queue), error);
}

/* Makes what was put off in the queue. */
static void settle(cl_command_queue queue) {
    fibers_late_settle(queue, UINT64_MAX);
}

static void settle_events(cl_uint count, const cl_event *list) {
    for (cl_uint i = 0; i < count; i++)
        fibers_late_settle(list[i]->queue, list[i]->late);
}

EXPORT cl_int clReleaseCommandQueue(cl_command_queue queue) {
    settle(queue);
    return released(queue);
}

EXPORT cl_int clFlush(cl_command_queue queue) {
    (void)queue;
    return CL_SUCCESS;
}

EXPORT cl_int clFinish(cl_command_queue queue) {
    settle(queue);
    return CL_SUCCESS;
}

static cl_ulong now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (cl_ulong)time.tv_sec * 1000000000 + (cl_ulong)time.tv_nsec;
}

static cl_int ended(cl_command_queue queue, cl_event *event, cl_ulong begin) {
    if (event == NULL)
        return CL_SUCCESS;
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    (*event)->begin = begin;
    (*event)->end = now();
    (*event)->queue = queue;
    (*event)->late = fibers_late_last();
    return CL_SUCCESS;
}

EXPORT cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                          const cl_event *list, cl_event *event) {
    settle_events(count, list);
    return ended(queue, event, now());
}

EXPORT cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                           const cl_event *list, cl_event *event) {
    settle_events(count, list);
    return ended(queue, event, now());
}

EXPORT cl_int clWaitForEvents(cl_uint count, const cl_event *list) {
    settle_events(count, list);
    return CL_SUCCESS;
}

EXPORT cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *out,
                             size_t *needed) {
    cl_int status = CL_COMPLETE;
    (void)event;
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return CL_INVALID_VALUE;
    return answer(&status, sizeof status, room, out, needed);
}

EXPORT cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room,
                                      void *out, size_t *needed) {
    cl_ulong time = what == CL_PROFILING_COMMAND_END ? event->end : event->begin;
    return answer(&time, sizeof time, room, out, needed);
}

EXPORT cl_int clReleaseEvent(cl_event event) {
    return released(event);
}

/* --- buffers --------------------------------------------------------------------------------- */

EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             cl_int *error) {
    (void)context;
    cl_mem buffer = made(sizeof *buffer, error);
    if (buffer == NULL)
        return NULL;
    buffer->bytes = bytes;
    buffer->borrowed = (flags & CL_MEM_USE_HOST_PTR) != 0;
    char *block = buffer->borrowed ? NULL : malloc(bytes + 2 * CANARY_BYTES);
    if (!buffer->borrowed && block == NULL) {
        free(buffer);
        if (error != NULL)
            *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
#if defined(FIBERS_ASAN)
    /* The sanitizer watches the ends of a block, so it must end where the buffer does. */
    free(block);
    block = buffer->borrowed ? NULL : malloc(bytes > 0 ? bytes : 1);
    buffer->memory = buffer->borrowed ? host : block;
#else
    if (block != NULL)
        memset(block, CANARY, bytes + 2 * CANARY_BYTES);
    buffer->memory = buffer->borrowed ? host : block + CANARY_BYTES;
#endif
    pthread_mutex_lock(&lock);
    fibers_buffer_made(buffer->memory, bytes);
    pthread_mutex_unlock(&lock);
    return buffer;
}

/* What stands before and behind the buffer must still be there. */
static bool intact(const struct _cl_mem *buffer) {
#if !defined(FIBERS_ASAN)
    for (size_t i = 1; i <= CANARY_BYTES && !buffer->borrowed; i++)
        if (*(buffer->memory - i) != CANARY || buffer->memory[buffer->bytes + i - 1] != CANARY)
            return false;
#endif
    (void)buffer;
    return true;
}

EXPORT cl_int clReleaseMemObject(cl_mem buffer) {
    if (!intact(buffer)) {
        fprintf(stderr, "fibers: a buffer of %zu bytes was written outside\n", buffer->bytes);
        abort();
    }
    fibers_late_settle(NULL, UINT64_MAX);
    pthread_mutex_lock(&lock);
    fibers_buffer_gone(buffer->memory);
    pthread_mutex_unlock(&lock);
#if defined(FIBERS_ASAN)
    if (!buffer->borrowed)
        free(buffer->memory);
#else
    if (!buffer->borrowed)
        free(buffer->memory - CANARY_BYTES);
#endif
    return released(buffer);
}

static bool inside(cl_mem buffer, size_t offset, size_t bytes) {
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

static cl_int copied(cl_command_queue queue, cl_bool wait, void *to, const void *from, size_t bytes,
                     cl_event *event) {
    cl_ulong begin = now();
    if (!fibers_late_add(queue, to, from, bytes))
        return CL_OUT_OF_HOST_MEMORY;
    if (wait)
        settle(queue);
    return ended(queue, event, begin);
}

EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                   size_t offset, size_t bytes, const void *from, cl_uint count,
                                   const cl_event *list, cl_event *event) {
    settle_events(count, list);
    if (!inside(buffer, offset, bytes))
        return CL_INVALID_VALUE;
    return copied(queue, wait, buffer->memory + offset, from, bytes, event);
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                  size_t offset, size_t bytes, void *to, cl_uint count,
                                  const cl_event *list, cl_event *event) {
    settle_events(count, list);
    if (!inside(buffer, offset, bytes))
        return CL_INVALID_VALUE;
    return copied(queue, wait, to, buffer->memory + offset, bytes, event);
}

EXPORT cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                  size_t from_offset, size_t to_offset, size_t bytes, cl_uint count,
                                  const cl_event *list, cl_event *event) {
    cl_ulong begin = now();
    settle(queue);
    settle_events(count, list);
    if (!inside(from, from_offset, bytes) || !inside(to, to_offset, bytes))
        return CL_INVALID_VALUE;
    memmove(to->memory + to_offset, from->memory + from_offset, bytes);
    return ended(queue, event, begin);
}

EXPORT cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                  size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                                  const cl_event *list, cl_event *event) {
    cl_ulong begin = now();
    settle(queue);
    settle_events(count, list);
    if (!inside(buffer, offset, bytes) || pattern_bytes == 0 || bytes % pattern_bytes != 0)
        return CL_INVALID_VALUE;
    for (size_t at = 0; at < bytes; at += pattern_bytes)
        memcpy(buffer->memory + offset + at, pattern, pattern_bytes);
    return ended(queue, event, begin);
}

EXPORT void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                const cl_event *list, cl_event *event, cl_int *error) {
    settle(queue);
    settle_events(count, list);
    cl_int result = inside(buffer, offset, bytes) ? ended(queue, event, now()) : CL_INVALID_VALUE;
    (void)wait, (void)flags;
    if (error != NULL)
        *error = result;
    return result == CL_SUCCESS ? buffer->memory + offset : NULL;
}

EXPORT cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *mapped,
                                      cl_uint count, const cl_event *list, cl_event *event) {
    (void)buffer, (void)mapped;
    settle(queue);
    settle_events(count, list);
    return ended(queue, event, now());
}

/* --- programs and kernels -------------------------------------------------------------------- */

EXPORT cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const size_t *lengths, cl_int *error) {
    (void)context;
    size_t total = 0;
    cl_program program = made(sizeof *program, error);
    for (cl_uint i = 0; i < count; i++)
        total += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    program->text = calloc(1, total + 1);
    total = 0;
    for (cl_uint i = 0; i < count && program->text; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        memcpy(program->text + total, texts[i], length);
        total += length;
    }
    return program;
}

/* A binary is the name of what is in the cache. */
EXPORT cl_program clCreateProgramWithBinary(cl_context context, cl_uint count,
                                            const cl_device_id *which, const size_t *lengths,
                                            const unsigned char **binaries, cl_int *status,
                                            cl_int *error) {
    (void)context, (void)count, (void)which;
    if (lengths[0] != sizeof((cl_program)0)->key) {
        if (error != NULL)
            *error = CL_INVALID_BINARY;
        return NULL;
    }
    cl_program program = made(sizeof *program, error);
    memcpy(program->key, binaries[0], sizeof program->key);
    if (status != NULL)
        *status = CL_SUCCESS;
    return program;
}

EXPORT cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *which,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *user) {
    (void)count, (void)which, (void)notify, (void)user;
    program->log = calloc(1, LOG_BYTES);
    pthread_mutex_lock(&lock);
    bool ok = fibers_build(program->text, options ? options : "", program->key, &program->built,
                           program->log, LOG_BYTES);
    pthread_mutex_unlock(&lock);
    memcpy(program->key, program->built.key, sizeof program->key);
    return ok ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

EXPORT cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                    cl_program_build_info what, size_t room, void *out,
                                    size_t *needed) {
    (void)device;
    if (what != CL_PROGRAM_BUILD_LOG)
        return CL_INVALID_VALUE;
    return answer_text(program->log ? program->log : "", room, out, needed);
}

EXPORT cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *out,
                               size_t *needed) {
    size_t bytes = sizeof program->key;
    if (what == CL_PROGRAM_BINARY_SIZES)
        return answer(&bytes, sizeof bytes, room, out, needed);
    if (what != CL_PROGRAM_BINARIES)
        return CL_INVALID_VALUE;
    if (out != NULL && *(unsigned char **)out != NULL)
        memcpy(*(unsigned char **)out, program->key, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int clReleaseProgram(cl_program program) {
    fibers_unload(&program->built);
    free(program->text);
    free(program->log);
    return released(program);
}

EXPORT cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error) {
    for (uint32_t i = 0; i < program->built.kernel_count; i++)
        if (strcmp(program->built.kernels[i].name, name) == 0) {
            cl_kernel kernel = made(sizeof *kernel, error);
            kernel->program = program;
            kernel->kernel = &program->built.kernels[i];
            return kernel;
        }
    if (error != NULL)
        *error = CL_INVALID_KERNEL_NAME;
    return NULL;
}

EXPORT cl_int clReleaseKernel(cl_kernel kernel) {
    return released(kernel);
}

EXPORT cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info what, size_t room, void *out,
                                       size_t *needed) {
    size_t most = FIBERS_GROUP_MOST;
    (void)kernel, (void)device;
    if (what != CL_KERNEL_WORK_GROUP_SIZE)
        return CL_INVALID_VALUE;
    return answer(&most, sizeof most, room, out, needed);
}

EXPORT cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
    const fibers_kernel *about = kernel->kernel;
    if (index >= about->parameters || index >= FIBERS_PARAMETERS)
        return CL_INVALID_ARG_INDEX;
    if (bytes != about->sizes[index] || bytes > GIVEN_BYTES || value == NULL) {
        fprintf(stderr, "fibers: parameter %u of %s has %u bytes, and %zu are given\n", index,
                about->name, about->sizes[index], bytes);
        return CL_INVALID_ARG_SIZE;
    }
    kernel->arguments[index].given = true;
    kernel->arguments[index].buffer = NULL;
    if (about->pointers[index])
        memcpy(&kernel->arguments[index].buffer, value, bytes);
    else
        memcpy(kernel->arguments[index].value, value, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *items, const size_t *group,
                                     cl_uint count, const cl_event *list, cl_event *event) {
    cl_ulong begin = now();
    void *values[FIBERS_PARAMETERS];
    (void)offset;
    settle(queue);
    settle_events(count, list);
    for (uint32_t i = 0; i < kernel->kernel->parameters; i++) {
        if (!kernel->arguments[i].given)
            return CL_INVALID_KERNEL_ARGS;
        values[i] = kernel->arguments[i].value;
        if (kernel->kernel->pointers[i])
            values[i] = &kernel->arguments[i].buffer->memory;
    }
    if (group == NULL || (dimensions == 2 && (items[1] != 1 || group[1] != 1)) || dimensions > 2)
        return CL_INVALID_WORK_DIMENSION;
    if (group[0] == 0 || group[0] > FIBERS_GROUP_MOST || items[0] % group[0] != 0)
        return CL_INVALID_WORK_GROUP_SIZE;
    fibers_launch launch = {.program = &kernel->program->built,
                            .kernel = kernel->kernel,
                            .arguments = values,
                            .groups = (uint32_t)(items[0] / group[0]),
                            .group_size = (uint32_t)group[0]};
    pthread_mutex_lock(&lock);
    bool ok = fibers_run(&launch);
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < kernel->kernel->parameters && ok; i++)
        if (kernel->kernel->pointers[i] && !intact(kernel->arguments[i].buffer)) {
            fprintf(stderr, "fibers: kernel %s wrote outside of parameter %u\n",
                    kernel->kernel->name, i);
            ok = false;
        }
    return ok ? ended(queue, event, begin) : CL_INVALID_OPERATION;
}
