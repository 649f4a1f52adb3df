/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers that stay on the device for the next run; the rules are in device.h.
 *
 * They are in a list, the one that was used last first, which is short: a graph has at most five
 * arrays. The list belongs to the device, which serves one call at a time: so there is no lock.
 *
 * Invariants
 *  1. `idle` is the sum of the bytes of those without users; all of these are sure.
 *  2. A buffer in the list holds the life of its array, so that no other array can have it. */
#include <string.h>

#include "core/try.h"
#include "device/backend.h"

/* They live as long as the context at most and are not charged to the budget of the host, like the
 * device itself. */
static hop_status struct_make(hop__device *device, const char *what, const hop__life *life,
                              hop__buffer **made) {
    const hop_allocator *allocator = &device->context->options.allocator;
    /* Where there is no life, there was no memory for it. */
    *made = life != NULL ? allocator->allocate(allocator->user, sizeof **made, 64) : NULL;
    if (*made == NULL) {
        hop__fail(device->context, HOP_ERR_MEMORY, "%s: the allocator refused %zu bytes", what,
                  sizeof **made);
        return hop__note_kind(device->context, HOP_KIND_MEMORY);
    }
    memset(*made, 0, sizeof **made);
    return HOP_OK;
}

static void struct_free(hop__buffer *buffer) {
    const hop_allocator *allocator = &buffer->device->context->options.allocator;
    hop__life_drop(buffer->life);
    allocator->release(allocator->user, buffer, sizeof *buffer);
}

/* Takes it out of the list. */
static void take_out(hop__buffer *buffer) {
    hop__buffer **link = &buffer->device->kept;
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
}

static void put_first(hop__buffer *buffer) {
    buffer->next = buffer->device->kept;
    buffer->device->kept = buffer;
}

static void discard(hop__buffer *buffer) {
    take_out(buffer);
    if (!buffer->lent)
        hop__buffer_close(buffer);
    struct_free(buffer);
}

/* What it takes of the budget. */
static uint64_t charge(const hop__buffer *buffer) {
    return buffer->lent ? 0 : buffer->bytes;
}

static void discard_idle(hop__buffer *buffer) {
    buffer->device->idle -= charge(buffer);
    discard(buffer);
}

static hop__buffer *find(const hop__device *device, uint64_t bytes, const void *array,
                         const hop__life *life) {
    hop__buffer *each = device->kept;
    while (each != NULL && (each->life != life || each->array != array || each->bytes != bytes))
        each = each->next;
    return each;
}

bool hop__buffer_is_kept(const hop__device *device, uint64_t bytes, const void *array,
                         const hop__life *life) {
    return life != NULL && find(device, bytes, array, life) != NULL;
}

/* A buffer with one user, and its copy under way. */
static hop_status keep_new(hop__device *device, const char *what, uint64_t bytes, void *array,
                           hop__life *life, hop__buffer **buffer) {
    hop__buffer *made;
    hop_status status = struct_make(device, what, life, &made);
    if (status != HOP_OK)
        return status;
    *made = (hop__buffer){.device = device,
                          .what = what,
                          .bytes = bytes,
                          .array = array,
                          .life = hop__life_hold(life),
                          .users = 1,
                          .failures = device->failures};
    status = hop__buffer_open(made);
    if (status != HOP_OK) {
        struct_free(made);
        return status;
    }
    made->failures = device->failures; /* opening may have taken two attempts */
    put_first(made);
    status = hop__buffer_write(made, 0, bytes, array);
    if (status != HOP_OK) { /* whoever failed: what it holds is not the array */
        hop__device_drain(device);
        discard(made);
        return status;
    }
    device->moved.copied += bytes;
    *buffer = made;
    return HOP_OK;
}

hop_status hop__buffer_keep(hop__device *device, const char *what, uint64_t bytes,
                            const void *array, hop__life *life, hop__buffer **buffer) {
    void *own = (void *)(uintptr_t)array; /* kernels do not write to it */
    *buffer = NULL;
    if (life == NULL || bytes == 0 || hop__device_shares_memory(device))
        return hop__buffer_borrow(device, what, bytes, own, true, buffer);
    hop__buffer *found = find(device, bytes, array, life);
    if (found == NULL)
        return keep_new(device, what, bytes, own, life, buffer);
    hop_status status = hop__device_alive(device);
    if (status != HOP_OK)
        return status;
    if (found->users++ == 0)
        device->idle -= charge(found);
    hop__device_mark(device);
    take_out(found);
    put_first(found);
    device->moved.found += bytes;
    *buffer = found;
    return HOP_OK;
}

hop_status hop__buffer_adopt(hop__device *device, const char *what, uint64_t bytes,
                             const void *array, hop__life *life, const void *address) {
    hop__buffer *made;
    hop_status status = struct_make(device, what, life, &made);
    if (status != HOP_OK)
        return status;
    *made = (hop__buffer){.device = device,
                          .what = what,
                          .bytes = bytes,
                          .handle = (uintptr_t)address,
                          .array = (void *)(uintptr_t)array,
                          .lent = true,
                          .life = hop__life_hold(life),
                          .sure = true};
    put_first(made);
    return HOP_OK;
}

void hop__buffer_leave(hop__buffer *buffer) {
    hop__device *device = buffer->device;
    if (--buffer->users > 0)
        return;
    if (!buffer->sure) {
        hop__device_drain(device); /* the array may go once it is idle */
        buffer->sure = device->failures == buffer->failures && !device->info.lost;
    }
    if (buffer->sure && !hop__life_ended(buffer->life))
        device->idle += charge(buffer);
    else
        discard(buffer);
}

void hop__device_trim(hop__device *device, bool ended) {
    if (!ended)
        hop__spares_free(device, UINT64_MAX);
    for (hop__buffer *each = device->kept, *next; each != NULL; each = next) {
        next = each->next;
        if (each->users == 0 && ((!ended && !each->lent) || hop__life_ended(each->life)))
            discard_idle(each);
    }
}

void hop__device_make_room(hop__device *device, uint64_t bytes) {
    hop__spares_free(device, bytes);
    while (device->idle > 0 && bytes > device->budget - device->used) {
        hop__buffer *oldest = NULL;
        for (hop__buffer *each = device->kept; each != NULL; each = each->next)
            if (each->users == 0 && !each->lent)
                oldest = each;
        discard_idle(oldest);
    }
}

void hop__device_abandon(hop__device *device) {
    bool forked = hop__device_forked(device); /* the driver's side is the parent's then */
    while (device->kept != NULL) {
        hop__buffer *first = device->kept;
        device->kept = first->next;
        if (!forked && !first->lent)
            hop__buffer_close(first);
        struct_free(first);
    }
    device->idle = 0;
    hop__spares_abandon(device);
}

void hop__device_count_copied(hop__device *device, uint64_t bytes) {
    device->moved.copied += bytes;
}

hop__kept_bytes hop__device_kept_bytes(const hop__device *device) {
    return device->moved;
}
