/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL backend: opening, buffers, copies, events, queues. OpenCL 1.2, nothing newer. */
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "device/opencl/opencl_internal.h"

enum { LARGE = 4 << 20 }; /* bytes of a buffer from which on its pages matter */

/* Of drivers for processors these two compile the text themselves; others, such as Rusticl, make
 * SPIR-V of it first, and abort on clang's prefetch. */
static bool knows_prefetch(const hop_device_info *info) {
    return (info->capabilities & HOP_DEVICE_CHUNKED) != 0 &&
           (strcmp(info->platform, "Portable Computing Language") == 0 ||
            strncmp(info->platform, "Intel(R)", 8) == 0);
}

static hop_status opencl_open(hop__device *device) {
    char advice[256] = "";
    const hop_allocator *allocator = &device->context->options.allocator;
    hop__opencl_driver *driver = allocator->allocate(allocator->user, sizeof *driver, 64);
    if (driver == NULL)
        return hop__fail(device->context, HOP_ERR_MEMORY, "device %s: no memory for its driver",
                         device->info.name);
    memset(driver, 0, sizeof *driver);
    device->driver = driver;
    device->prefetch = knows_prefetch(&device->info);
    if (!hop__opencl_load(&driver->call, advice))
        return hop__device_fail(device, HOP__FAULT_CALL, "%s", advice);
    if (!hop__opencl_find(&driver->call, device->info.name, &driver->platform, &driver->device))
        return hop__device_fail(device, HOP__FAULT_CALL, "it is no longer there");
    cl_int code;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)driver->platform, 0};
    driver->context = driver->call.CreateContext(properties, 1, &driver->device, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        driver->context = NULL;
        return hop__opencl_fail(device, "clCreateContext", false, code, "%s", device->info.title);
    }
    for (int i = 0; i < HOP__QUEUE_COUNT; i++) {
        driver->queues[i] = driver->call.CreateCommandQueue(driver->context, driver->device,
                                                            CL_QUEUE_PROFILING_ENABLE, &code);
        if (code != CL_SUCCESS) {
            driver->queues[i] = NULL;
            return hop__opencl_fail(device, "clCreateCommandQueue", false, code, "number %d", i);
        }
    }
    return HOP_OK;
}

static void opencl_close(hop__device *device) {
    hop__opencl_driver *driver = hop__opencl_of(device);
    if (driver == NULL)
        return;
    for (int i = 0; i < HOP__QUEUE_COUNT; i++)
        if (driver->queues[i] != NULL)
            driver->call.ReleaseCommandQueue(driver->queues[i]);
    if (driver->context != NULL)
        driver->call.ReleaseContext(driver->context);
    hop__opencl_build_settle();
    const hop_allocator *allocator = &device->context->options.allocator;
    allocator->release(allocator->user, driver, sizeof *driver);
    device->driver = NULL;
}

static hop_status buffer_create(hop__buffer *buffer, cl_mem_flags flags, void *array) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_int code;
    size_t bytes = buffer->bytes > 0 ? buffer->bytes : sizeof(cl_ulong);
    cl_mem made =
        driver->call.CreateBuffer(driver->context, CL_MEM_READ_WRITE | flags, bytes, array, &code);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(buffer->device, "clCreateBuffer", false, code,
                                "%zu bytes for '%s', %llu in use", bytes, buffer->what,
                                (unsigned long long)buffer->device->used);
    buffer->handle = (uintptr_t)made;
    return HOP_OK;
}

/* Drivers for processors take memory in pages of 4 KiB, and random accesses to a large array then
 * wait for the page table at every step. So the pages are asked for in large ones before they are
 * touched. Where that fails it is slower, not wrong. */
static void advise_pages(hop__buffer *buffer) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_command_queue queue = driver->queues[HOP__QUEUE_COMPUTE];
    cl_int code;
    void *mapped = driver->call.EnqueueMapBuffer(queue, (cl_mem)buffer->handle, CL_TRUE,
                                                 CL_MAP_WRITE_INVALIDATE_REGION, 0, buffer->bytes,
                                                 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return;
    hop__advise_huge(mapped, buffer->bytes);
    code = driver->call.EnqueueUnmapMemObject(queue, (cl_mem)buffer->handle, mapped, 0, NULL, NULL);
    (void)code;
}

static hop_status opencl_buffer_create(hop__buffer *buffer) {
    hop_status status = buffer_create(buffer, 0, NULL);
    bool cores = (buffer->device->info.capabilities & HOP_DEVICE_CHUNKED) != 0;
    if (status == HOP_OK && cores && buffer->bytes >= LARGE)
        advise_pages(buffer);
    return status;
}

static hop_status opencl_buffer_share(hop__buffer *buffer) {
    return buffer_create(buffer, CL_MEM_USE_HOST_PTR, buffer->array);
}

/* Drivers may keep a copy of a host array, such as of one that is not aligned as they like; mapping
 * brings it up to date. */
static hop_status opencl_buffer_reveal(hop__buffer *buffer) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_command_queue queue = driver->queues[HOP__QUEUE_COMPUTE];
    cl_int code;
    void *mapped =
        driver->call.EnqueueMapBuffer(queue, (cl_mem)buffer->handle, CL_FALSE, CL_MAP_READ, 0,
                                      buffer->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(buffer->device, "clEnqueueMapBuffer", false, code,
                                "%llu bytes of '%s'", (unsigned long long)buffer->bytes,
                                buffer->what);
    code = driver->call.EnqueueUnmapMemObject(queue, (cl_mem)buffer->handle, mapped, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(buffer->device, "clEnqueueUnmapMemObject", false, code, "'%s'",
                                buffer->what);
    return HOP_OK;
}

static void opencl_buffer_free(hop__buffer *buffer) {
    hop__opencl_of(buffer->device)->call.ReleaseMemObject((cl_mem)buffer->handle);
    buffer->handle = 0;
}

static hop_status copied(hop__device *device, const char *call, cl_int code,
                         const hop__buffer *buffer, uint64_t offset, size_t bytes, cl_event event,
                         uintptr_t *timer) {
    *timer = code == CL_SUCCESS ? (uintptr_t)event : 0;
    if (code == CL_SUCCESS)
        return HOP_OK;
    return hop__opencl_fail(device, call, false, code, "%zu bytes at %llu of '%s'", bytes,
                            (unsigned long long)offset, buffer->what);
}

static hop_status opencl_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                               const void *source, uintptr_t *timer) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_event event = NULL;
    cl_int code = driver->call.EnqueueWriteBuffer(driver->queues[queue], (cl_mem)buffer->handle,
                                                  CL_FALSE, offset, bytes, source, 0, NULL, &event);
    return copied(buffer->device, "clEnqueueWriteBuffer", code, buffer, offset, bytes, event,
                  timer);
}

static hop_status opencl_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                              void *target, uintptr_t *timer) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_event event = NULL;
    cl_int code = driver->call.EnqueueReadBuffer(driver->queues[queue], (cl_mem)buffer->handle,
                                                 CL_FALSE, offset, bytes, target, 0, NULL, &event);
    return copied(buffer->device, "clEnqueueReadBuffer", code, buffer, offset, bytes, event, timer);
}

static hop_status opencl_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                              uint64_t target_offset, size_t bytes, uintptr_t *timer) {
    hop__opencl_driver *driver = hop__opencl_of(source->device);
    cl_event event = NULL;
    cl_int code = driver->call.EnqueueCopyBuffer(
        driver->queues[HOP__QUEUE_COMPUTE], (cl_mem)source->handle, (cl_mem)target->handle,
        source_offset, target_offset, bytes, 0, NULL, &event);
    return copied(source->device, "clEnqueueCopyBuffer", code, target, target_offset, bytes, event,
                  timer);
}

static hop_status opencl_fill(hop__buffer *buffer, uint64_t offset, size_t bytes, uint32_t word,
                              uintptr_t *timer) {
    hop__opencl_driver *driver = hop__opencl_of(buffer->device);
    cl_event event = NULL;
    cl_int code =
        driver->call.EnqueueFillBuffer(driver->queues[HOP__QUEUE_COMPUTE], (cl_mem)buffer->handle,
                                       &word, sizeof word, offset, bytes, 0, NULL, &event);
    return copied(buffer->device, "clEnqueueFillBuffer", code, buffer, offset, bytes, event, timer);
}

/* --- events ---------------------------------------------------------------------------------- */

static hop_status opencl_event_record(hop__event *event, hop__queue queue) {
    hop__opencl_driver *driver = hop__opencl_of(event->device);
    cl_event made = NULL;
    cl_int code = driver->call.EnqueueMarkerWithWaitList(driver->queues[queue], 0, NULL, &made);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(event->device, "clEnqueueMarkerWithWaitList", false, code,
                                "queue %d", (int)queue);
    event->handle = (uintptr_t)made;
    return HOP_OK;
}

static hop_status opencl_event_wait(hop__event *event, hop__queue queue) {
    hop__opencl_driver *driver = hop__opencl_of(event->device);
    cl_event made = (cl_event)event->handle;
    cl_int code = driver->call.EnqueueBarrierWithWaitList(driver->queues[queue], 1, &made, NULL);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(event->device, "clEnqueueBarrierWithWaitList", false, code,
                                "queue %d", (int)queue);
    return HOP_OK;
}

static hop_status opencl_event_sync(hop__event *event) {
    hop__opencl_driver *driver = hop__opencl_of(event->device);
    cl_event made = (cl_event)event->handle;
    cl_int code = driver->call.WaitForEvents(1, &made);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(event->device, "clWaitForEvents", true, code, "one event");
    return HOP_OK;
}

static void opencl_event_free(hop__event *event) {
    hop__opencl_of(event->device)->call.ReleaseEvent((cl_event)event->handle);
    event->handle = 0;
}

static hop_status opencl_timer_read(hop__device *device, uintptr_t timer, double *seconds) {
    hop__opencl_driver *driver = hop__opencl_of(device);
    cl_event event = (cl_event)timer;
    cl_int outcome = CL_COMPLETE;
    cl_ulong begin = 0, end = 0;
    cl_int asked = driver->call.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof outcome, &outcome, NULL);
    if (driver->call.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                           NULL) == CL_SUCCESS &&
        driver->call.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                           NULL) == CL_SUCCESS &&
        end > begin)
        *seconds = (double)(end - begin) * 1e-9;
    driver->call.ReleaseEvent(event);
    if (asked != CL_SUCCESS)
        return hop__opencl_fail(device, "clGetEventInfo", true, asked, "of a finished command");
    if (outcome < 0)
        return hop__opencl_fail(device, "a command", true, outcome, "seen after it was queued");
    return HOP_OK;
}

static hop_status opencl_flush(hop__device *device, hop__queue queue) {
    hop__opencl_driver *driver = hop__opencl_of(device);
    cl_int code = driver->call.Flush(driver->queues[queue]);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(device, "clFlush", false, code, "queue %d", (int)queue);
    return HOP_OK;
}

static hop_status opencl_finish(hop__device *device, hop__queue queue) {
    hop__opencl_driver *driver = hop__opencl_of(device);
    if (driver == NULL || driver->queues[queue] == NULL)
        return HOP_OK;
    cl_int code = driver->call.Finish(driver->queues[queue]);
    if (code != CL_SUCCESS)
        return hop__opencl_fail(device, "clFinish", true, code, "queue %d", (int)queue);
    return HOP_OK;
}

const hop__backend hop__opencl_backend = {
    .name = "opencl",
    .flags = "-cl-std=CL1.2",
    .list = hop__opencl_list,
    .open = opencl_open,
    .close = opencl_close,
    .buffer_create = opencl_buffer_create,
    .buffer_free = opencl_buffer_free,
    .buffer_share = opencl_buffer_share,
    .buffer_reveal = opencl_buffer_reveal,
    .write = opencl_write,
    .read = opencl_read,
    .copy = opencl_copy,
    .fill = opencl_fill,
    .program_build = hop__opencl_program_build,
    .program_load = hop__opencl_program_load,
    .program_binary = hop__opencl_program_binary,
    .program_free = hop__opencl_program_free,
    .kernel_create = hop__opencl_kernel_create,
    .kernel_free = hop__opencl_kernel_free,
    .launch = hop__opencl_launch,
    .event_record = opencl_event_record,
    .event_wait = opencl_event_wait,
    .event_sync = opencl_event_sync,
    .event_free = opencl_event_free,
    .timer_read = opencl_timer_read,
    .flush = opencl_flush,
    .finish = opencl_finish,
};
