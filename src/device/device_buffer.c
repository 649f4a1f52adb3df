/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers, copies and events: ranges, the budget and splitting; the backend does the rest. */
#include "core/checked.h"
#include "core/memory.h"
#include "core/try.h"
#include "device/backend.h"

/* Drivers have had trouble with sizes that do not fit in 32 bits. */
enum { PIECE = 1 << 30 };

bool hop__device_shares_memory(const hop__device *device) {
    return (device->info.capabilities & HOP_DEVICE_SHARED) != 0 && !device->apart;
}

void hop__device_keep_apart(hop__device *device, bool apart) {
    device->apart = apart;
}

void hop__device_cut_slices(hop__device *device, uint64_t most) {
    device->cut = most;
}

uint64_t hop__device_slice_most(const hop__device *device) {
    return device->cut > 0 ? device->cut : UINT64_MAX;
}

void hop__device_mark(hop__device *device) {
    uint64_t busy = device->used - device->idle;
    device->peak = device->used > device->peak ? device->used : device->peak;
    device->busy_peak = busy > device->busy_peak ? busy : device->busy_peak;
}

static hop_status ask_driver(hop__buffer *buffer) {
    const hop__backend *backend = buffer->device->backend;
    return buffer->shared ? backend->buffer_share(buffer) : backend->buffer_create(buffer);
}

hop_status hop__buffer_open(hop__buffer *buffer) {
    hop_status status;
    hop__device *device = buffer->device;
    HOP_TRY(status, hop__device_alive(device));
    HOP_TRY(status, hop__device_check_need(device, buffer->what, buffer->bytes, buffer->bytes));
    if (buffer->shared || !hop__spare_take(buffer)) {
        hop__device_make_room(device, buffer->bytes);
        status = ask_driver(buffer);
        if (status == HOP_ERR_MEMORY && device->idle + device->spare_bytes > 0) {
            hop__device_trim(device, false); /* it has less than it says */
            status = ask_driver(buffer);
        }
        if (status != HOP_OK)
            goto done;
    }
    device->used += buffer->bytes;
    hop__device_mark(device);
    device->live_buffers++;
done:
    return status;
}

static void count_out(hop__buffer *buffer) {
    buffer->device->used -= buffer->bytes;
    buffer->device->live_buffers--;
}

void hop__buffer_close(hop__buffer *buffer) {
    buffer->device->backend->buffer_free(buffer);
    count_out(buffer);
}

/* A buffer of its own, or one that is `array`. */
static hop_status buffer_make(hop__device *device, const char *what, uint64_t bytes, void *array,
                              hop__buffer **buffer) {
    hop_status status;
    hop__buffer *made = NULL;
    *buffer = NULL;
    HOP_TRY(status, hop__alloc_zero(device->context, what, 1, sizeof *made, &made));
    *made = (hop__buffer){
        .device = device, .what = what, .bytes = bytes, .array = array, .shared = array != NULL};
    HOP_TRY(status, hop__buffer_open(made));
    *buffer = made;
done:
    if (status != HOP_OK)
        hop__free(made);
    return status;
}

hop_status hop__buffer_create(hop__device *device, const char *what, uint64_t bytes,
                              hop__buffer **buffer) {
    return buffer_make(device, what, bytes, NULL, buffer);
}

hop_status hop__buffer_borrow(hop__device *device, const char *what, uint64_t bytes, void *array,
                              bool filled, hop__buffer **buffer) {
    hop_status status;
    *buffer = NULL;
    HOP_TRY(status, hop__lent_check(device, what, bytes, array));
    if (hop__device_has_array(device, array) && bytes > 0)
        return buffer_make(device, what, bytes, array, buffer);
    HOP_TRY(status, buffer_make(device, what, bytes, NULL, buffer));
    (*buffer)->array = array;
    if (filled)
        HOP_TRY(status, hop__buffer_write(*buffer, 0, bytes, array));
done:
    if (status != HOP_OK) {
        hop__buffer_free(*buffer);
        *buffer = NULL;
    }
    return status;
}

hop_status hop__buffer_return(hop__buffer *buffer) {
    if (!buffer->shared)
        return hop__buffer_read(buffer, 0, buffer->bytes, buffer->array);
    hop_status status = hop__device_alive(buffer->device);
    return status == HOP_OK ? buffer->device->backend->buffer_reveal(buffer) : status;
}

void hop__buffer_free(hop__buffer *buffer) {
    if (buffer != NULL && buffer->life != NULL) {
        hop__buffer_leave(buffer);
    } else if (buffer != NULL) {
        if (!buffer->shared && hop__spare_put(buffer))
            count_out(buffer);
        else
            hop__buffer_close(buffer);
        hop__free(buffer);
    }
}

uint64_t hop__buffer_bytes(const hop__buffer *buffer) {
    return buffer->bytes;
}

static hop_status check_range(const hop__buffer *buffer, uint64_t offset, uint64_t bytes) {
    uint64_t end;
    if (hop__add_u64(offset, bytes, &end) && end <= buffer->bytes)
        return hop__device_alive(buffer->device);
    return hop__fail(buffer->device->context, HOP_ERR_ARGUMENT,
                     "device %s: %llu bytes at %llu are outside of '%s', which has %llu",
                     buffer->device->info.name, (unsigned long long)bytes,
                     (unsigned long long)offset, buffer->what, (unsigned long long)buffer->bytes);
}

static size_t piece(uint64_t bytes) {
    return bytes < PIECE ? (size_t)bytes : PIECE;
}

/* Between a buffer and the host's memory, in pieces: from `source`, or to `target`. */
static hop_status transfer(hop__queue queue, hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                           const char *source, char *target) {
    hop_status status;
    hop__device *device = buffer->device;
    HOP_TRY(status, check_range(buffer, offset, bytes));
    for (uint64_t moved = 0; moved < bytes;) {
        uintptr_t timer = 0;
        device->busy |= 1u << queue;
        size_t now = piece(bytes - moved);
        if (source != NULL)
            HOP_TRY(status, device->backend->write(queue, buffer, offset + moved, now,
                                                   source + moved, &timer));
        else
            HOP_TRY(status, device->backend->read(queue, buffer, offset + moved, now,
                                                  target + moved, &timer));
        HOP_TRY(status, hop__timer_add(device, queue,
                                       source != NULL ? &device->to_device : &device->to_host,
                                       timer, now, 0));
        moved += now;
    }
done:
    return status;
}

hop_status hop__queue_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                            const void *source) {
    return transfer(queue, buffer, offset, bytes, source, NULL);
}

hop_status hop__queue_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                           void *target) {
    return transfer(queue, buffer, offset, bytes, NULL, target);
}

hop_status hop__buffer_write(hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                             const void *source) {
    return hop__queue_write(HOP__QUEUE_COMPUTE, buffer, offset, bytes, source);
}

hop_status hop__buffer_read(hop__buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    return hop__queue_read(HOP__QUEUE_COMPUTE, buffer, offset, bytes, target);
}

hop_status hop__buffer_read_now(hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                                void *target) {
    hop_status status = hop__buffer_read(buffer, offset, bytes, target);
    return status == HOP_OK ? hop__queue_finish(buffer->device, HOP__QUEUE_COMPUTE) : status;
}

hop_status hop__buffer_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                            uint64_t target_offset, uint64_t bytes) {
    hop_status status;
    hop__device *device = source->device;
    HOP_TRY(status, check_range(source, source_offset, bytes));
    HOP_TRY(status, check_range(target, target_offset, bytes));
    device->busy |= 1u << HOP__QUEUE_COMPUTE;
    while (bytes > 0) {
        uintptr_t timer = 0;
        size_t now = piece(bytes);
        HOP_TRY(status,
                device->backend->copy(source, source_offset, target, target_offset, now, &timer));
        HOP_TRY(status, hop__timer_add(device, HOP__QUEUE_COMPUTE, &device->fill, timer, now, 0));
        source_offset += now, target_offset += now, bytes -= now;
    }
done:
    return status;
}

hop_status hop__buffer_fill(hop__buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t word) {
    hop_status status;
    hop__device *device = buffer->device;
    HOP_TRY(status, check_range(buffer, offset, bytes));
    if (offset % sizeof word != 0 || bytes % sizeof word != 0)
        return hop__fail(device->context, HOP_ERR_ARGUMENT,
                         "device %s: fill: %llu bytes at %llu are not whole words",
                         device->info.name, (unsigned long long)bytes, (unsigned long long)offset);
    device->busy |= 1u << HOP__QUEUE_COMPUTE;
    while (bytes > 0) {
        uintptr_t timer = 0;
        size_t now = piece(bytes);
        HOP_TRY(status, device->backend->fill(buffer, offset, now, word, &timer));
        HOP_TRY(status, hop__timer_add(device, HOP__QUEUE_COMPUTE, &device->fill, timer, now, 0));
        offset += now, bytes -= now;
    }
done:
    return status;
}

/* --- events ---------------------------------------------------------------------------------- */

hop_status hop__event_record(hop__device *device, hop__queue queue, hop__event **event) {
    hop_status status;
    hop__event *made = NULL;
    *event = NULL;
    HOP_TRY(status, hop__device_alive(device));
    HOP_TRY(status, hop__alloc_zero(device->context, "event", 1, sizeof *made, &made));
    made->device = device;
    HOP_TRY(status, device->backend->event_record(made, queue));
    device->live_events++;
    *event = made;
done:
    if (status != HOP_OK)
        hop__free(made);
    return status;
}

hop_status hop__event_wait(hop__event *event, hop__queue queue) {
    hop_status status = hop__device_alive(event->device);
    return status == HOP_OK ? event->device->backend->event_wait(event, queue) : status;
}

hop_status hop__event_sync(hop__event *event) {
    hop_status status = hop__device_alive(event->device);
    return status == HOP_OK ? event->device->backend->event_sync(event) : status;
}

void hop__event_free(hop__event *event) {
    if (event == NULL)
        return;
    event->device->backend->event_free(event);
    event->device->live_events--;
    hop__free(event);
}
