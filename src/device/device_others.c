/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices that a context names after its first. Each has a context of its own, which belongs to
 * the first device: it is made when a variant first asks for the others, and freed with it, so that
 * graphs stay on them too. These contexts draw on the caller's budget of memory, have one thread,
 * and never call back: that is for the caller's thread. */
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "device/backend.h"

hop__device *hop__device_other(const hop__device *device, unsigned i) {
    return i < device->other_count ? device->others[i]->device : NULL;
}

/* A context for the device of this name, with the device open. */
static hop_status open_one(hop__device *device, const char *name, hop_context **other) {
    hop_context *context = device->context;
    hop_context_options options = context->options;
    hop__device *opened;
    options.device = name;
    options.threads = 1;
    options.progress = NULL;
    options.log = NULL;
    hop_status status = hop_context_create(&options, other);
    if (status != HOP_OK)
        return hop__fail(context, status, "no context for device %s", name);
    hop__pool_release((*other)->pool);
    (*other)->pool = hop__pool_retain(context->pool);
    status = hop__device_of(*other, &opened);
    if (status == HOP_OK)
        return HOP_OK;
    hop__fail_as(context, status, *other);
    hop_context_free(*other);
    return status;
}

hop_status hop__device_others_open(hop__device *device) {
    const char *names = hop__device_more(device->context);
    hop_status status = HOP_OK;
    for (unsigned i = 0; names != NULL && *names != '\0'; i++) {
        char name[64] = "";
        const size_t length = strcspn(names, "+");
        if (i == HOP__OTHERS_MOST || length >= sizeof name)
            return hop__fail(device->context, HOP_ERR_ARGUMENT, "at most %d devices at once",
                             HOP__OTHERS_MOST + 1);
        memcpy(name, names, length);
        if (i == device->other_count) {
            HOP_TRY(status, open_one(device, name, &device->others[i]));
            device->other_count++;
        }
        hop__device *opened;
        status = hop__device_of(device->others[i], &opened);
        if (status != HOP_OK)
            return hop__fail_as(device->context, status, device->others[i]);
        names += length + (names[length] == '+');
    }
done:
    return status;
}

void hop__device_others_close(hop__device *device) {
    while (device->other_count > 0)
        hop_context_free(device->others[--device->other_count]);
}

void hop__device_others_trim(hop__device *device) {
    for (unsigned i = 0; i < device->other_count; i++)
        hop_device_trim(device->others[i]);
}
