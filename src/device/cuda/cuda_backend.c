/* SPDX-License-Identifier: Apache-2.0
 *
 * The backends of CUDA and HIP: opening, buffers, copies, events, timers, queues. They use the
 * device's primary context, which others in the process may use too, and two streams that wait for
 * nobody else's. */
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
    return cuda_streams(device);
}

static void timer_destroy(hop__device *device, hop__cuda_timer *timer) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    if (timer->begin != NULL)
        hop__cuda_note(driver, driver->call.EventDestroy(timer->begin));
    if (timer->end != NULL)
        hop__cuda_note(driver, driver->call.EventDestroy(timer->end));
    allocator->release(allocator->user, timer, sizeof *timer);
}

static void cuda_close(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    if (driver == NULL)
        return;
    if (driver->context != NULL) {
        /* Without the context current the driver frees all with it. */
        bool current = hop__cuda_enter_to_free(driver);
        while (driver->timers != NULL) {
            hop__cuda_timer *timer = driver->timers;
            driver->timers = timer->next;
            timer_destroy(device, timer);
        }
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

/* --- timers ---------------------------------------------------------------------------------- */

static void timer_return(hop__cuda_driver *driver, hop__cuda_timer *timer) {
    timer->next = driver->timers;
    driver->timers = timer;
}

static hop_status timer_make(hop__device *device, hop__cuda_timer **timer) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    hop__cuda_timer *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL)
        return hop__fail(device->context, HOP_ERR_MEMORY, "device %s: no memory for a timer",
                         device->info.name);
    *made = (hop__cuda_timer){0};
    hop__cuda_code code = driver->call.EventCreate(&made->begin, 0);
    if (code != 0)
        made->begin = NULL;
    else if ((code = driver->call.EventCreate(&made->end, 0)) != 0)
        made->end = NULL;
    if (code == 0) {
        *timer = made;
        return HOP_OK;
    }
    timer_destroy(device, made);
    return hop__cuda_fail(device, HOP__CUDA_CALL(EventCreate), false, code, "%s", "for a timer");
}

hop_status hop__cuda_timer_begin(hop__device *device, hop__queue queue, hop__cuda_timer **timer) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    *timer = driver->timers;
    if (*timer != NULL) {
        driver->timers = (*timer)->next;
    } else {
        hop_status status = timer_make(device, timer);
        if (status != HOP_OK)
            return status;
    }
    hop__cuda_code code = driver->call.EventRecord((*timer)->begin, driver->streams[queue]);
    if (code == 0)
        return HOP_OK;
    timer_return(driver, *timer);
    *timer = NULL;
    return hop__cuda_fail(device, HOP__CUDA_CALL(EventRecord), false, code, "queue %d", (int)queue);
}

hop_status hop__cuda_timer_end(hop__device *device, hop__queue queue, hop__cuda_timer *timer,
                               hop_status status, uintptr_t *handle) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    *handle = 0;
    if (status == HOP_OK) {
        hop__cuda_code code = driver->call.EventRecord(timer->end, driver->streams[queue]);
        if (code == 0) {
            *handle = (uintptr_t)timer;
            return HOP_OK;
        }
        status = hop__cuda_fail(device, HOP__CUDA_CALL(EventRecord), false, code, "queue %d",
                                (int)queue);
    }
    timer_return(driver, timer);
    return status;
}

static hop_status cuda_timer_read(hop__device *device, uintptr_t handle, double *seconds) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_timer *timer = (hop__cuda_timer *)handle;
    float milliseconds = 0;
    hop_status status = hop__cuda_enter(device);
    if (status == HOP_OK) {
        hop__cuda_code code =
            driver->call.EventElapsedTime(&milliseconds, timer->begin, timer->end);
        if (code != 0)
            status = hop__cuda_fail(device, HOP__CUDA_CALL(EventElapsedTime), true, code, "%s",
                                    "of finished work");
        hop__cuda_leave(device);
    }
    *seconds = (double)milliseconds * 1e-3;
    timer_return(driver, timer);
    return status;
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

/* A copy or fill, as the functions below put it into the stream. */
typedef struct movement {
    size_t call;
    hop__queue queue;
    const hop__buffer *buffer; /* for the message */
    uint64_t offset;
    size_t bytes;
    hop__cuda_address to, from;
    const void *host_from;
    void *host_to;
    uint32_t word;
} movement;

static hop__cuda_code put(const hop__cuda_driver *driver, const movement *what) {
    hop__cuda_stream stream = driver->streams[what->queue];
    if (what->host_from != NULL)
        return driver->call.MemcpyHtoDAsync(what->to, what->host_from, what->bytes, stream);
    if (what->host_to != NULL)
        return driver->call.MemcpyDtoHAsync(what->host_to, what->from, what->bytes, stream);
    if (what->from != 0)
        return driver->call.MemcpyDtoDAsync(what->to, what->from, what->bytes, stream);
    return driver->call.MemsetD32Async(what->to, what->word, what->bytes / sizeof what->word,
                                       stream);
}

static hop_status moved(hop__device *device, const movement *what, uintptr_t *handle) {
    hop__cuda_timer *timer = NULL;
    *handle = 0;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = hop__cuda_timer_begin(device, what->queue, &timer);
    if (status == HOP_OK) {
        hop__cuda_code code = put(hop__cuda_of(device), what);
        if (code != 0)
            status =
                hop__cuda_fail(device, what->call, false, code, "%zu bytes at %llu of '%s'",
                               what->bytes, (unsigned long long)what->offset, what->buffer->what);
        status = hop__cuda_timer_end(device, what->queue, timer, status, handle);
    }
    hop__cuda_leave(device);
    return status;
}

static hop_status cuda_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                             const void *source, uintptr_t *timer) {
    return moved(buffer->device,
                 &(movement){.call = HOP__CUDA_CALL(MemcpyHtoDAsync),
                             .queue = queue,
                             .buffer = buffer,
                             .offset = offset,
                             .bytes = bytes,
                             .to = buffer->handle + offset,
                             .host_from = source},
                 timer);
}

static hop_status cuda_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                            void *target, uintptr_t *timer) {
    return moved(buffer->device,
                 &(movement){.call = HOP__CUDA_CALL(MemcpyDtoHAsync),
                             .queue = queue,
                             .buffer = buffer,
                             .offset = offset,
                             .bytes = bytes,
                             .from = buffer->handle + offset,
                             .host_to = target},
                 timer);
}

static hop_status cuda_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                            uint64_t target_offset, size_t bytes, uintptr_t *timer) {
    return moved(source->device,
                 &(movement){.call = HOP__CUDA_CALL(MemcpyDtoDAsync),
                             .queue = HOP__QUEUE_COMPUTE,
                             .buffer = target,
                             .offset = target_offset,
                             .bytes = bytes,
                             .to = target->handle + target_offset,
                             .from = source->handle + source_offset},
                 timer);
}

static hop_status cuda_fill(hop__buffer *buffer, uint64_t offset, size_t bytes, uint32_t word,
                            uintptr_t *timer) {
    return moved(buffer->device,
                 &(movement){.call = HOP__CUDA_CALL(MemsetD32Async),
                             .queue = HOP__QUEUE_COMPUTE,
                             .buffer = buffer,
                             .offset = offset,
                             .bytes = bytes,
                             .to = buffer->handle + offset,
                             .word = word},
                 timer);
}

/* --- events and queues ----------------------------------------------------------------------- */

static hop_status event_record(hop__event *event, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(event->device);
    hop__cuda_event made = NULL;
    hop__cuda_code code = driver->call.EventCreate(&made, HOP__CUDA_UNTIMED);
    if (code != 0)
        return hop__cuda_fail(event->device, HOP__CUDA_CALL(EventCreate), false, code, "queue %d",
                              (int)queue);
    code = driver->call.EventRecord(made, driver->streams[queue]);
    if (code != 0) {
        hop__cuda_note(driver, driver->call.EventDestroy(made));
        return hop__cuda_fail(event->device, HOP__CUDA_CALL(EventRecord), false, code, "queue %d",
                              (int)queue);
    }
    event->handle = (uintptr_t)made;
    return HOP_OK;
}

static hop_status cuda_event_record(hop__event *event, hop__queue queue) {
    hop_status status = hop__cuda_enter(event->device);
    if (status != HOP_OK)
        return status;
    status = event_record(event, queue);
    hop__cuda_leave(event->device);
    return status;
}

static hop_status cuda_event_wait(hop__event *event, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(event->device);
    hop_status status = hop__cuda_enter(event->device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code =
        driver->call.StreamWaitEvent(driver->streams[queue], (hop__cuda_event)event->handle, 0);
    if (code != 0)
        status = hop__cuda_fail(event->device, HOP__CUDA_CALL(StreamWaitEvent), false, code,
                                "queue %d", (int)queue);
    hop__cuda_leave(event->device);
    return status;
}

static hop_status cuda_event_sync(hop__event *event) {
    hop__cuda_driver *driver = hop__cuda_of(event->device);
    hop_status status = hop__cuda_enter(event->device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code = driver->call.EventSynchronize((hop__cuda_event)event->handle);
    if (code != 0)
        status = hop__cuda_fail(event->device, HOP__CUDA_CALL(EventSynchronize), true, code, "%s",
                                "one event");
    hop__cuda_leave(event->device);
    return status;
}

static void cuda_event_free(hop__event *event) {
    hop__cuda_driver *driver = hop__cuda_of(event->device);
    if (hop__cuda_enter_to_free(driver)) {
        hop__cuda_note(driver, driver->call.EventDestroy((hop__cuda_event)event->handle));
        hop__cuda_leave(event->device);
    }
    event->handle = 0;
}

static hop_status follow(hop__device *device, void *stream) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_event event = NULL;
    hop_status status = HOP_OK;
    hop__cuda_code code = driver->call.EventCreate(&event, HOP__CUDA_UNTIMED);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(EventCreate), false, code, "%s",
                              "for a stream of the caller");
    code = driver->call.EventRecord(event, stream);
    if (code != 0)
        status = hop__cuda_fail(device, HOP__CUDA_CALL(EventRecord), false, code, "%s",
                                "in a stream of the caller");
    for (int i = 0; i < HOP__QUEUE_COUNT && status == HOP_OK; i++) {
        code = driver->call.StreamWaitEvent(driver->streams[i], event, 0);
        if (code != 0)
            status =
                hop__cuda_fail(device, HOP__CUDA_CALL(StreamWaitEvent), false, code, "queue %d", i);
    }
    hop__cuda_note(driver, driver->call.EventDestroy(event));
    return status;
}

static hop_status cuda_follow(hop__device *device, void *stream) {
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = follow(device, stream);
    hop__cuda_leave(device);
    return status;
}

/* What is in a stream is under way. */
static hop_status cuda_flush(hop__device *device, hop__queue queue) {
    (void)device, (void)queue;
    return HOP_OK;
}

static hop_status cuda_finish(hop__device *device, hop__queue queue) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    if (driver == NULL || driver->streams[queue] == NULL)
        return HOP_OK;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code = driver->call.StreamSynchronize(driver->streams[queue]);
    if (code != 0)
        status = hop__cuda_fail(device, HOP__CUDA_CALL(StreamSynchronize), true, code, "queue %d",
                                (int)queue);
    hop__cuda_leave(device);
    return status;
}

const hop__cuda_dialect *hop__cuda_dialect_of(const hop__backend *backend) {
    return strcmp(backend->name, "hip") == 0 ? &hop__dialect_hip : &hop__dialect_cuda;
}

/* What both have. */
#define CUDA_LIKE                                                                                  \
    .open = cuda_open, .close = cuda_close, .buffer_create = cuda_buffer_create,                   \
    .buffer_free = cuda_buffer_free, .buffer_share = cuda_buffer_share,                            \
    .buffer_reveal = cuda_buffer_reveal, .write = cuda_write, .read = cuda_read,                   \
    .copy = cuda_copy, .fill = cuda_fill, .program_build = hop__cuda_program_build,                \
    .program_load = hop__cuda_program_load, .program_binary = hop__cuda_program_binary,            \
    .program_free = hop__cuda_program_free, .kernel_create = hop__cuda_kernel_create,              \
    .kernel_free = hop__cuda_kernel_free, .launch = hop__cuda_launch,                              \
    .event_record = cuda_event_record, .event_wait = cuda_event_wait,                              \
    .event_sync = cuda_event_sync, .event_free = cuda_event_free, .timer_read = cuda_timer_read,   \
    .follow = cuda_follow, .flush = cuda_flush, .finish = cuda_finish

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
