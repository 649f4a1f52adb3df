/* SPDX-License-Identifier: Apache-2.0
 *
 * The backends of CUDA and HIP: opening, buffers, queues. They use the device's primary context,
 * which others in the process may use too, and two streams, for kernels and for copies, that wait
 * for nobody else's. */
#include <string.h>

#include "core/try.h"
#include "device/cuda/cuda_internal.h"

static hop_status cuda_streams(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    for (int i = 0; i < HOP__QUEUE_COUNT && status == HOP_OK; i++) {
        hop__cuda_code code =
            driver->call.StreamCreate(&driver->streams[i], HOP__CUDA_NON_BLOCKING);
        if (code != 0) {
            driver->streams[i] = NULL;
            status =
                hop__cuda_fail(device, HOP__CUDA_CALL(StreamCreate), false, code, "number %d", i);
        }
    }
    hop__cuda_leave(device);
    return status;
}

static hop_status cuda_open(hop__device *device) {
    char why[256] = "";
    const hop_allocator *allocator = &device->context->options.allocator;
    hop__cuda_driver *driver = allocator->allocate(allocator->user, sizeof *driver, 64);
    if (driver == NULL)
        return hop__fail(device->context, HOP_ERR_MEMORY, "device %s: no memory for its driver",
                         device->info.name);
    memset(driver, 0, sizeof *driver);
    device->driver = driver;
    if (!hop__cuda_load(hop__cuda_dialect_of(device->backend), &driver->call, why) ||
        !hop__nvrtc_load(&driver->nvrtc, &driver->call, why) ||
        !hop__cuda_find(&driver->call, &driver->nvrtc, device->info.name, &driver->device,
                        &driver->target, why))
        return hop__device_fail(device, HOP__FAULT_CALL, "%s", why);
    hop__cuda_code code = driver->call.PrimaryCtxRetain(&driver->context, driver->device);
    if (code != 0) {
        driver->context = NULL;
        return hop__cuda_fail(device, HOP__CUDA_CALL(PrimaryCtxRetain), false, code, "%s",
                              device->info.title);
    }
    hop__cuda_stage_setup(device);
    return cuda_streams(device);
}

static void cuda_close(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    if (driver == NULL)
        return;
    if (driver->context != NULL) {
        /* Without the context current the driver frees all with it. */
        bool current = hop__cuda_enter_to_free(driver);
        hop__cuda_stage_close(device);
        hop__cuda_marks_free(device);
        for (int i = 0; i < HOP__QUEUE_COUNT; i++)
            if (driver->streams[i] != NULL)
                hop__cuda_note(driver, driver->call.StreamDestroy(driver->streams[i]));
        if (current)
            hop__cuda_leave(device);
        driver->call.PrimaryCtxRelease(driver->device);
    }
    hop__cuda_image_drop(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    allocator->release(allocator->user, driver, sizeof *driver);
    device->driver = NULL;
}

/* --- buffers --------------------------------------------------------------------------------- */

static hop_status cuda_buffer_create(hop__buffer *buffer) {
    hop__device *device = buffer->device;
    hop__cuda_address address = 0;
    size_t bytes = buffer->bytes > 0 ? buffer->bytes : sizeof address; /* 0 is refused */
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code = hop__cuda_of(device)->call.MemAlloc(&address, bytes);
    if (code != 0)
        status = hop__cuda_fail(device, HOP__CUDA_CALL(MemAlloc), false, code,
                                "%zu bytes for '%s', %llu in use", bytes, buffer->what,
                                (unsigned long long)device->used);
    else
        buffer->handle = (uintptr_t)address;
    hop__cuda_leave(device);
    return status;
}

/* The driver waits for the work that may use it. On a lost device it fails, and the memory goes
 * with the context. */
static void cuda_buffer_free(hop__buffer *buffer) {
    hop__cuda_driver *driver = hop__cuda_of(buffer->device);
    if (buffer->shared) {
        hop__device_drain(buffer->device); /* the array is its owner's again */
    } else if (hop__cuda_enter_to_free(driver)) {
        hop__cuda_note(driver, driver->call.MemFree(buffer->handle));
        hop__cuda_leave(buffer->device);
    }
    buffer->handle = 0;
}

/* An address of the host is one of the device, on those that have HOP_DEVICE_SHARED. */
static hop_status cuda_buffer_share(hop__buffer *buffer) {
    buffer->handle = (uintptr_t)buffer->array;
    return HOP_OK;
}

/* The host sees it once it has waited. */
static hop_status cuda_buffer_reveal(hop__buffer *buffer) {
    (void)buffer;
    return HOP_OK;
}

/* --- queues ---------------------------------------------------------------------------------- */

/* What is in a stream is under way. */
static hop_status cuda_flush(hop__device *device, hop__queue queue) {
    (void)device, (void)queue;
    return HOP_OK;
}

static hop_status finish(hop__device *device, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code = driver->call.StreamSynchronize(driver->streams[queue]);
    if (code != 0)
        status = hop__cuda_fail(device, HOP__CUDA_CALL(StreamSynchronize), true, code, "queue %d",
                                (int)queue);
    else
        status = hop__cuda_stage_land(device, queue, UINT64_MAX);
    hop__cuda_leave(device);
    return status;
}

/* After a failure the arrays of the host may be gone. */
static hop_status cuda_finish(hop__device *device, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    if (driver == NULL || driver->streams[queue] == NULL)
        return HOP_OK;
    hop_status status = finish(device, queue);
    if (status != HOP_OK)
        hop__cuda_stage_drop(device);
    return status;
}

const hop__cuda_dialect *hop__cuda_dialect_of(const hop__backend *backend) {
    return strcmp(backend->name, "hip") == 0 ? &hop__dialect_hip : &hop__dialect_cuda;
}

/* What both have. */
#define CUDA_LIKE                                                                                  \
    .open = cuda_open, .close = cuda_close, .buffer_create = cuda_buffer_create,                   \
    .buffer_free = cuda_buffer_free, .buffer_share = cuda_buffer_share,                            \
    .buffer_reveal = cuda_buffer_reveal, .write = hop__cuda_write, .read = hop__cuda_read,         \
    .copy = hop__cuda_copy, .fill = hop__cuda_fill, .program_build = hop__cuda_program_build,      \
    .program_load = hop__cuda_program_load, .program_binary = hop__cuda_program_binary,            \
    .program_free = hop__cuda_program_free, .kernel_create = hop__cuda_kernel_create,              \
    .kernel_free = hop__cuda_kernel_free, .launch = hop__cuda_launch,                              \
    .event_record = hop__cuda_event_record, .event_wait = hop__cuda_event_wait,                    \
    .event_sync = hop__cuda_event_sync, .event_free = hop__cuda_event_free,                        \
    .timer_read = hop__cuda_timer_read, .follow = hop__cuda_follow, .flush = cuda_flush,           \
    .finish = cuda_finish, .trim = hop__cuda_trim

const hop__backend hop__cuda_backend = {
    .name = "cuda",
    .flags = "-std=c++17 -default-device -diag-suppress=177 -fmad=false",
    .list = hop__cuda_list,
    CUDA_LIKE,
};
const hop__backend hop__hip_backend = {
    .name = "hip",
    .flags = "-std=c++17 -ffp-contract=off",
    .list = hop__hip_list,
    CUDA_LIKE,
};
