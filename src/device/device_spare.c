/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the device that a call has given back, for the next call: what a driver takes to give
 * and to take back a dozen buffers is more than a small search.
 *
 *  1. A spare is of the size that is asked for, to the byte, as calls on the same graph ask for.
 *  2. What is freed while a queue has commands is none: whoever gets a spare may use it at once,
 *     from any queue. (Queues are not waited for here, where a failure could not be told.)
 *  3. Spares are not part of `used`, but with it they are within the budget: they give way, the
 *     oldest first, to whatever needs room, before buffers that are kept do.
 *  4. There are none where the device works in the host's memory, which others need more, and none
 *     of a device on which anything has failed. */
#include <string.h>

#include "device/backend.h"

static hop__spare take_out(hop__device *device, unsigned at) {
    hop__spare taken = device->spares[at];
    device->spare_bytes -= taken.bytes;
    device->spare_count--;
    memmove(device->spares + at, device->spares + at + 1,
            (device->spare_count - at) * sizeof *device->spares);
    return taken;
}

static void discard_oldest(hop__device *device) {
    hop__spare oldest = take_out(device, 0);
    hop__buffer buffer = {
        .device = device, .what = "spare", .bytes = oldest.bytes, .handle = oldest.handle};
    device->backend->buffer_free(&buffer);
}

bool hop__spare_take(hop__buffer *buffer) {
    hop__device *device = buffer->device;
    if (device->failures > 0) /* since they were put here */
        hop__spares_free(device, UINT64_MAX);
    unsigned at = device->spare_count;
    while (at > 0 && device->spares[at - 1].bytes != buffer->bytes)
        at--;
    if (at == 0)
        return false;
    buffer->handle = take_out(device, at - 1).handle;
    return true;
}

bool hop__spare_put(hop__buffer *buffer) {
    hop__device *device = buffer->device;
    if (hop__device_shares_memory(device) || device->busy != 0 || device->failures > 0 ||
        device->info.lost || hop__device_forked(device))
        return false;
    if (device->spare_count == HOP__SPARES)
        discard_oldest(device);
    device->spares[device->spare_count].handle = buffer->handle;
    device->spares[device->spare_count++].bytes = buffer->bytes;
    device->spare_bytes += buffer->bytes;
    return true;
}

void hop__spares_free(hop__device *device, uint64_t room) {
    while (device->spare_count > 0 && room > device->budget - device->used - device->spare_bytes)
        discard_oldest(device);
}

void hop__spares_abandon(hop__device *device) {
    if (!hop__device_forked(device)) /* the driver's side is the parent's then */
        hop__spares_free(device, UINT64_MAX);
    device->spare_count = 0;
    device->spare_bytes = 0;
}
