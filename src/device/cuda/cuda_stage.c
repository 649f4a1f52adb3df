/* SPDX-License-Identifier: Apache-2.0
 *
 * Large arrays of the host, by way of pinned memory. A driver copies from and to memory that the
 * system may page out by way of a buffer of its own, and lets the host wait, so that nothing runs
 * beside it. Here the host copies into one of two pinned slots while the copy out of the other is
 * under way in the stream of copies.
 *
 * Invariants
 *  1. Copies between slots and the device are in the stream of HOP__QUEUE_COPY. One that was asked
 *     for in the other queue is put in its order by events before and behind it (cuda_copy.c).
 *  2. A slot that is `busy` is not touched by the host before its mark is done, which is recorded
 *     behind its copy.
 *  3. A write has read the array when it returns. A read has not written to it: what is in a slot
 *     with a `target` goes there when the slot is used again, or when the host has waited for a
 *     queue or an event and the mark is done: so whoever waited for a read, directly or not, finds
 *     it in the array. When waiting has failed, nothing goes there any more.
 *  4. The slots are made at the first large copy and stay until hop_device_trim, or until the
 *     device is closed. They count against the budget of the host, and are part of what a run says
 *     it needs (hop__device_pinned_need). Where the budget or the driver has no room for them,
 *     arrays are copied as they are. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "device/cuda/cuda_internal.h"

enum { SLOT = 2 << 20, SLOT_LEAST = 64 << 10, ARRAY_LEAST = 256 << 10 };

/* As HOPLITE_PINNED says; or an eighth of the budget for both, but not more than is of use. */
static size_t slot_bytes(const hop_context *context) {
    const char *given = secure_getenv("HOPLITE_PINNED");
    char *end = NULL;
    unsigned long long bytes = given != NULL ? strtoull(given, &end, 10) : 0;
    if (given != NULL && given[0] >= '0' && given[0] <= '9' && *end == '\0' && bytes <= 1u << 30)
        return (size_t)bytes;
    size_t share = hop__share_bytes(context, 0, HOP__CUDA_SLOTS * (size_t)SLOT) / HOP__CUDA_SLOTS;
    return share < SLOT_LEAST ? 0 : share;
}

void hop__cuda_stage_setup(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    driver->slot_bytes = slot_bytes(device->context);
    device->pinned_most = HOP__CUDA_SLOTS * (uint64_t)driver->slot_bytes;
    device->pinned_from = driver->slot_bytes < ARRAY_LEAST ? driver->slot_bytes : ARRAY_LEAST;
}

/* --- the slots ------------------------------------------------------------------------------- */

static void slots_free(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    for (int i = 0; i < HOP__CUDA_SLOTS; i++) {
        hop__cuda_slot *slot = &driver->slots[i];
        if (slot->memory != NULL)
            hop__cuda_note(driver, driver->call.MemFreeHost(slot->memory));
        hop__cuda_mark_give(driver, slot->mark);
        *slot = (hop__cuda_slot){0};
    }
    hop__uncharge(device->context, device->pinned);
    device->pinned = 0;
}

void hop__cuda_stage_close(hop__device *device) {
    if (device->pinned > 0)
        slots_free(device);
}

void hop__cuda_trim(hop__device *device) {
    if (device->pinned == 0)
        return;
    hop__device_drain(device);
    if (hop__cuda_enter_to_free(hop__cuda_of(device))) {
        slots_free(device);
        hop__cuda_leave(device);
    }
}

static hop_status slots_make(hop__device *device) {
    hop_status status;
    hop__cuda_driver *driver = hop__cuda_of(device);
    for (int i = 0; i < HOP__CUDA_SLOTS; i++) {
        hop__cuda_slot *slot = &driver->slots[i];
        void *memory = NULL;
        HOP_TRY(status, hop__cuda_mark_take(device, false, &slot->mark));
        hop__cuda_code code = driver->call.MemHostAlloc(&memory, driver->slot_bytes, 0);
        if (hop__cuda_note(driver, code) != 0 && driver->gone != 0)
            return hop__cuda_fail(device, HOP__CUDA_CALL(MemHostAlloc), false, code,
                                  "%zu bytes of pinned memory", driver->slot_bytes);
        if (code != 0) { /* it can be done without */
            hop__log(device->context, HOP_LOG_INFO,
                     "device %s: %s gave no %zu bytes of pinned memory: %s (%u); large arrays are "
                     "copied without",
                     device->info.name,
                     hop__cuda_name_of(&driver->call, HOP__CUDA_CALL(MemHostAlloc)).text,
                     driver->slot_bytes, hop__cuda_code_name(&driver->call, code), code);
            driver->slot_bytes = 0;
            device->pinned_most = 0;
            return HOP_OK;
        }
        slot->memory = memory;
    }
done:
    return status;
}

hop_status hop__cuda_stage_open(hop__device *device, size_t bytes, bool *staged) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    *staged = driver->slot_bytes > 0 && bytes >= device->pinned_from;
    if (!*staged || device->pinned > 0)
        return HOP_OK;
    *staged = hop__charge(device->context, device->pinned_most);
    if (!*staged)
        return HOP_OK;
    device->pinned = device->pinned_most;
    hop_status status = slots_make(device);
    *staged = status == HOP_OK && driver->slot_bytes > 0;
    if (!*staged)
        slots_free(device);
    return status;
}

/* --- what is in them ------------------------------------------------------------------------- */

static void land(hop__cuda_slot *slot) {
    if (slot->target != NULL)
        memcpy(slot->target, slot->memory, slot->bytes);
    slot->target = NULL;
    slot->busy = false;
}

/* Of the other queue the driver is asked, because this one may have waited for it. */
hop_status hop__cuda_stage_land(hop__device *device, hop__queue queue, uint64_t number) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    for (unsigned i = 0; i < HOP__CUDA_SLOTS; i++) {
        hop__cuda_slot *slot = &driver->slots[(driver->slot_next + i) % HOP__CUDA_SLOTS];
        if (slot->target == NULL)
            continue;
        bool waited = slot->queue == queue && slot->number < number;
        hop__cuda_code code = waited ? 0 : driver->call.EventQuery(slot->mark->event);
        if (code == 0)
            land(slot);
        else if (code != HOP__CUDA_NOT_READY)
            return hop__cuda_fail(device, HOP__CUDA_CALL(EventQuery), true, code, "%s",
                                  "of a copy");
    }
    return HOP_OK;
}

void hop__cuda_stage_drop(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    for (int i = 0; i < HOP__CUDA_SLOTS; i++)
        driver->slots[i].target = NULL;
}

/* Waits until the host may touch it. */
static hop_status slot_wait(hop__device *device, hop__cuda_slot *slot) {
    if (!slot->busy)
        return HOP_OK;
    hop__cuda_code code = hop__cuda_of(device)->call.EventSynchronize(slot->mark->event);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(EventSynchronize), true, code, "%s",
                              "of a copy");
    land(slot);
    return HOP_OK;
}

hop_status hop__cuda_stage_clear(hop__device *device, const void *array, size_t bytes) {
    hop_status status = HOP_OK;
    hop__cuda_driver *driver = hop__cuda_of(device);
    uintptr_t begin = (uintptr_t)array, end = begin + bytes;
    for (unsigned i = 0; i < HOP__CUDA_SLOTS && status == HOP_OK; i++) {
        hop__cuda_slot *slot = &driver->slots[(driver->slot_next + i) % HOP__CUDA_SLOTS];
        uintptr_t target = (uintptr_t)slot->target;
        if (target != 0 && target < end && begin < target + slot->bytes)
            status = slot_wait(device, slot);
    }
    return status;
}

static hop__cuda_code put_piece(hop__device *device, const hop__cuda_movement *what,
                                hop__cuda_slot *slot, size_t moved) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_stream stream = driver->streams[HOP__QUEUE_COPY];
    slot->busy = true;
    if (what->host_from == NULL)
        return driver->call.MemcpyDtoHAsync(slot->memory, what->from + moved, slot->bytes, stream);
    memcpy(slot->memory, (const char *)what->host_from + moved, slot->bytes);
    return driver->call.MemcpyHtoDAsync(what->to + moved, slot->memory, slot->bytes, stream);
}

hop_status hop__cuda_stage_move(hop__device *device, const hop__cuda_movement *what) {
    hop_status status;
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_slot *slot = NULL;
    for (size_t moved = 0; moved < what->bytes; moved += slot->bytes) {
        size_t rest = what->bytes - moved, most = driver->slot_bytes;
        slot = &driver->slots[driver->slot_next];
        driver->slot_next = (driver->slot_next + 1) % HOP__CUDA_SLOTS;
        if (what->host_from != NULL || slot->target != NULL) /* else the host leaves it alone */
            HOP_TRY(status, slot_wait(device, slot));
        slot->bytes = rest < most ? rest : most;
        hop__cuda_code code = put_piece(device, what, slot, moved);
        if (code != 0)
            return hop__cuda_move_fail(device, what, code);
        HOP_TRY(status, hop__cuda_mark_record(device, slot->mark, HOP__QUEUE_COPY));
        slot->queue = what->queue;
        slot->number = slot->mark->number;
        if (what->host_to != NULL)
            slot->target = (char *)what->host_to + moved;
    }
    status = HOP_OK;
done:
    return status;
}
