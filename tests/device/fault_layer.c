/* SPDX-License-Identifier: Apache-2.0
 * The layer of fault_layer.h. Every function of OpenCL that the library asks for stands here. */
#pragma GCC visibility push(default)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "device/fault_layer.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_ulong calls;
static atomic_long alive;
static unsigned long failing;
static int failing_code;
static const char *hit;

void fault_arm(unsigned long k, int code) {
    calls = 0;
    failing = k;
    failing_code = code;
    hit = NULL;
}

unsigned long fault_calls(void) {
    return calls;
}

const char *fault_hit(void) {
    return hit;
}

long fault_alive(void) {
    return alive;
}

static atomic_int hold_builds, held_builds;

void fault_hold_builds(int hold) {
    hold_builds = hold;
}

int fault_held_builds(void) {
    return held_builds;
}

static void wait_while_held(void) {
    if (!hold_builds)
        return;
    held_builds++;
    while (hold_builds)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    held_builds--;
}

/* Whether this call is the one. */
static int fails(const char *name) {
    if (atomic_fetch_add(&calls, 1) + 1 != failing)
        return 0;
    hit = name;
    return 1;
}

static void *real(const char *name) {
    static void *loader;
    if (loader == NULL)
        loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = loader != NULL ? dlsym(loader, name) : NULL;
    if (found == NULL) {
        fprintf(stderr, "fault layer: no %s\n", name);
        abort();
    }
    return found;
}

/* The real function, with the type of the one that it stands in for. */
#define REAL(name) ((__typeof__(name) *)(uintptr_t)real(#name))

/* A call that gives a code, and one that gives an object (counted if it was made). */
#define FORWARD(name, ...) return fails(#name) ? failing_code : REAL(name)(__VA_ARGS__)
#define CREATE(type, name, code, ...)                                                              \
    do {                                                                                           \
        if (fails(#name)) {                                                                        \
            *(code) = failing_code;                                                                \
            return NULL;                                                                           \
        }                                                                                          \
        type made_ = REAL(name)(__VA_ARGS__);                                                      \
        alive += made_ != NULL;                                                                    \
        return made_;                                                                              \
    } while (0)
/* A command: its event is an object. */
#define ENQUEUE(name, event, ...)                                                                  \
    do {                                                                                           \
        if (fails(#name))                                                                          \
            return failing_code;                                                                   \
        cl_int code_ = REAL(name)(__VA_ARGS__);                                                    \
        alive += code_ == CL_SUCCESS && (event) != NULL;                                           \
        return code_;                                                                              \
    } while (0)
#define RELEASE(name, object)                                                                      \
    do {                                                                                           \
        int failed_ = fails(#name);                                                                \
        cl_int code_ = REAL(name)(object);                                                         \
        alive -= code_ == CL_SUCCESS;                                                              \
        return failed_ ? failing_code : code_;                                                     \
    } while (0)

/* --- platforms and devices ------------------------------------------------------------------- */

cl_int clGetPlatformIDs(cl_uint most, cl_platform_id *platforms, cl_uint *count) {
    FORWARD(clGetPlatformIDs, most, platforms, count);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                         size_t *length) {
    FORWARD(clGetPlatformInfo, platform, what, size, value, length);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most,
                      cl_device_id *devices, cl_uint *count) {
    FORWARD(clGetDeviceIDs, platform, type, most, devices, count);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *length) {
    FORWARD(clGetDeviceInfo, device, what, size, value, length);
}

/* --- contexts and queues --------------------------------------------------------------------- */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *user, cl_int *code) {
    CREATE(cl_context, clCreateContext, code, properties, count, devices, notify, user, code);
}

cl_int clReleaseContext(cl_context context) {
    RELEASE(clReleaseContext, context);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code) {
    CREATE(cl_command_queue, clCreateCommandQueue, code, context, device, properties, code);
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
    RELEASE(clReleaseCommandQueue, queue);
}

cl_int clFlush(cl_command_queue queue) {
    FORWARD(clFlush, queue);
}

cl_int clFinish(cl_command_queue queue) {
    FORWARD(clFinish, queue);
}

/* --- buffers --------------------------------------------------------------------------------- */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *code) {
    CREATE(cl_mem, clCreateBuffer, code, context, flags, size, host, code);
}

cl_int clReleaseMemObject(cl_mem buffer) {
    RELEASE(clReleaseMemObject, buffer);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset,
                            size_t size, const void *source, cl_uint count, const cl_event *list,
                            cl_event *event) {
    ENQUEUE(clEnqueueWriteBuffer, event, queue, buffer, wait, offset, size, source, count, list,
            event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset,
                           size_t size, void *target, cl_uint count, const cl_event *list,
                           cl_event *event) {
    ENQUEUE(clEnqueueReadBuffer, event, queue, buffer, wait, offset, size, target, count, list,
            event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t from,
                           size_t to, size_t size, cl_uint count, const cl_event *list,
                           cl_event *event) {
    ENQUEUE(clEnqueueCopyBuffer, event, queue, source, target, from, to, size, count, list, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size, cl_uint count,
                           const cl_event *list, cl_event *event) {
    ENQUEUE(clEnqueueFillBuffer, event, queue, buffer, pattern, pattern_size, offset, size, count,
            list, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint count, const cl_event *list,
                         cl_event *event, cl_int *code) {
    if (fails("clEnqueueMapBuffer")) {
        *code = failing_code;
        return NULL;
    }
    void *mapped = REAL(clEnqueueMapBuffer)(queue, buffer, wait, flags, offset, size, count, list,
                                            event, code);
    alive += *code == CL_SUCCESS && event != NULL;
    return mapped;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint count,
                               const cl_event *list, cl_event *event) {
    ENQUEUE(clEnqueueUnmapMemObject, event, queue, buffer, mapped, count, list, event);
}

/* --- programs and kernels -------------------------------------------------------------------- */

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code) {
    CREATE(cl_program, clCreateProgramWithSource, code, context, count, texts, lengths, code);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries,
                                     cl_int *status, cl_int *code) {
    CREATE(cl_program, clCreateProgramWithBinary, code, context, count, devices, lengths, binaries,
           status, code);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *user) {
    wait_while_held();
    FORWARD(clBuildProgram, program, count, devices, options, notify, user);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *value,
                        size_t *length) {
    FORWARD(clGetProgramInfo, program, what, size, value, length);
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                             size_t size, void *value, size_t *length) {
    FORWARD(clGetProgramBuildInfo, program, device, what, size, value, length);
}

cl_int clReleaseProgram(cl_program program) {
    RELEASE(clReleaseProgram, program);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    CREATE(cl_kernel, clCreateKernel, code, program, name, code);
}

cl_int clReleaseKernel(cl_kernel kernel) {
    RELEASE(clReleaseKernel, kernel);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    FORWARD(clSetKernelArg, kernel, index, size, value);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t size, void *value,
                                size_t *length) {
    FORWARD(clGetKernelWorkGroupInfo, kernel, device, what, size, value, length);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *all, const size_t *group,
                              cl_uint count, const cl_event *list, cl_event *event) {
    ENQUEUE(clEnqueueNDRangeKernel, event, queue, kernel, dimensions, offset, all, group, count,
            list, event);
}

/* --- events ---------------------------------------------------------------------------------- */

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                   cl_event *event) {
    ENQUEUE(clEnqueueMarkerWithWaitList, event, queue, count, list, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                    cl_event *event) {
    ENQUEUE(clEnqueueBarrierWithWaitList, event, queue, count, list, event);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    FORWARD(clWaitForEvents, count, events);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                      size_t *length) {
    FORWARD(clGetEventInfo, event, what, size, value, length);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value,
                               size_t *length) {
    FORWARD(clGetEventProfilingInfo, event, what, size, value, length);
}

cl_int clReleaseEvent(cl_event event) {
    RELEASE(clReleaseEvent, event);
}
