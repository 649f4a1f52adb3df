/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies and fills of CUDA and HIP. Small arrays of the host are copied as they are, large ones by
 * way of pinned memory (cuda_stage.c). */
#include "core/try.h"
#include "device/cuda/cuda_internal.h"

static hop__cuda_code put(const hop__cuda_driver *driver, const hop__cuda_movement *what) {
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

hop_status hop__cuda_move_fail(hop__device *device, const hop__cuda_movement *what,
                               hop__cuda_code code) {
    return hop__cuda_fail(device, what->call, false, code, "%zu bytes at %llu of '%s'", what->bytes,
                          (unsigned long long)what->offset, what->buffer->what);
}

/* In the stream of the queue, with the time that it takes if that is asked for. */
static hop_status put_timed(hop__device *device, const hop__cuda_movement *what, bool staged,
                            uintptr_t *handle) {
    hop__queue queue = staged ? HOP__QUEUE_COPY : what->queue;
    hop__cuda_mark *timer;
    hop_status status = hop__cuda_timer_begin(device, queue, &timer);
    if (status != HOP_OK)
        return status;
    if (staged) {
        status = hop__cuda_stage_move(device, what);
    } else {
        hop__cuda_code code = put(hop__cuda_of(device), what);
        status = code != 0 ? hop__cuda_move_fail(device, what, code) : HOP_OK;
    }
    return hop__cuda_timer_end(device, queue, timer, status, handle);
}

/* One that goes through pinned memory is in the stream of copies; where another queue has asked for
 * it, it waits for what is in that queue, and the queue for it. */
static hop_status move(hop__device *device, const hop__cuda_movement *what, uintptr_t *handle) {
    hop_status status;
    const void *array = what->host_from != NULL ? what->host_from : what->host_to;
    bool staged = false;
    if (array != NULL) {
        HOP_TRY(status, hop__cuda_stage_clear(device, array, what->bytes));
        HOP_TRY(status, hop__cuda_stage_open(device, what->bytes, &staged));
    }
    if (staged)
        HOP_TRY(status, hop__cuda_order(device, what->queue, HOP__QUEUE_COPY));
    HOP_TRY(status, put_timed(device, what, staged, handle));
    if (staged)
        HOP_TRY(status, hop__cuda_order(device, HOP__QUEUE_COPY, what->queue));
done:
    if (status != HOP_OK) {
        hop__cuda_timer_give(hop__cuda_of(device), (hop__cuda_mark *)*handle);
        *handle = 0;
    }
    return status;
}

static hop_status moved(hop__device *device, const hop__cuda_movement *what, uintptr_t *handle) {
    *handle = 0;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = move(device, what, handle);
    hop__cuda_leave(device);
    return status;
}

hop_status hop__cuda_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                           const void *source, uintptr_t *timer) {
    return moved(buffer->device,
                 &(hop__cuda_movement){.call = HOP__CUDA_CALL(MemcpyHtoDAsync),
                                       .queue = queue,
                                       .buffer = buffer,
                                       .offset = offset,
                                       .bytes = bytes,
                                       .to = buffer->handle + offset,
                                       .host_from = source},
                 timer);
}

hop_status hop__cuda_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, size_t bytes,
                          void *target, uintptr_t *timer) {
    return moved(buffer->device,
                 &(hop__cuda_movement){.call = HOP__CUDA_CALL(MemcpyDtoHAsync),
                                       .queue = queue,
                                       .buffer = buffer,
                                       .offset = offset,
                                       .bytes = bytes,
                                       .from = buffer->handle + offset,
                                       .host_to = target},
                 timer);
}

hop_status hop__cuda_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                          uint64_t target_offset, size_t bytes, uintptr_t *timer) {
    return moved(source->device,
                 &(hop__cuda_movement){.call = HOP__CUDA_CALL(MemcpyDtoDAsync),
                                       .queue = HOP__QUEUE_COMPUTE,
                                       .buffer = target,
                                       .offset = target_offset,
                                       .bytes = bytes,
                                       .to = target->handle + target_offset,
                                       .from = source->handle + source_offset},
                 timer);
}

hop_status hop__cuda_fill(hop__buffer *buffer, uint64_t offset, size_t bytes, uint32_t word,
                          uintptr_t *timer) {
    return moved(buffer->device,
                 &(hop__cuda_movement){.call = HOP__CUDA_CALL(MemsetD32Async),
                                       .queue = HOP__QUEUE_COMPUTE,
                                       .buffer = buffer,
                                       .offset = offset,
                                       .bytes = bytes,
                                       .to = buffer->handle + offset,
                                       .word = word},
                 timer);
}
