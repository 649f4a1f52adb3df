/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of the caller that are in the device's memory already: a list of ranges that were lent. A
 * buffer over an array inside of one is that array, as where the device works in the host's memory:
 * see hop__device_has_array. */
#include <string.h>

#include "core/try.h"
#include "device/backend.h"

/* The range that the array begins in; NULL: it is the host's. */
static const hop__lent *find(const hop__device *device, const void *array) {
    const hop__lent *each = device != NULL && array != NULL ? device->lent : NULL;
    while (each != NULL && (uintptr_t)array - each->begin >= each->bytes)
        each = each->next;
    return each;
}

bool hop__device_lends(const hop__device *device, const void *array) {
    return find(device, array) != NULL;
}

bool hop__device_has_array(const hop__device *device, const void *array) {
    return hop__device_shares_memory(device) || find(device, array) != NULL;
}

hop_status hop__lent_check(hop__device *device, const char *what, uint64_t bytes,
                           const void *array) {
    const hop__lent *range = find(device, array);
    if (range == NULL || bytes <= range->bytes - ((uintptr_t)array - range->begin))
        return HOP_OK;
    return hop__fail(device->context, HOP_ERR_ARGUMENT,
                     "%s: %llu bytes are needed, and %llu of the device's memory were lent", what,
                     (unsigned long long)bytes,
                     (unsigned long long)(range->bytes - ((uintptr_t)array - range->begin)));
}

hop_status hop__lent_refuse(hop_context *context, const char *what, const void *array) {
    if (!hop__device_lends(context->device, array))
        return HOP_OK;
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "%s: the array is in the memory of %s, and the host would have to read it",
                     what, context->device->info.name);
}

void hop__lent_drop(hop__device *device) {
    const hop_allocator *allocator = &device->context->options.allocator;
    while (device->lent != NULL) {
        hop__lent *first = device->lent;
        device->lent = first->next;
        allocator->release(allocator->user, first, sizeof *first);
    }
}

/* The context's device, if it has addresses of its own. */
static hop_status open_device(hop_context *context, hop__device **device) {
    hop_status status = hop__device_of(context, device);
    if (status != HOP_OK || (*device)->backend->follow != NULL)
        return status;
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "device %s: only CUDA and HIP have addresses that can be lent",
                     (*device)->info.name);
}

hop_status hop__lent_must(hop__device *device, const char *what, const void *array) {
    if (hop__device_lends(device, array))
        return HOP_OK;
    return hop__fail(device->context, HOP_ERR_ARGUMENT,
                     "%s: the array was not lent to the context's device", what);
}

hop_status hop__lent_fetch(hop__device *device, const char *what, const void *from, uint64_t count,
                           size_t size, void *slot) {
    hop_status status;
    hop__buffer *buffer = NULL;
    void *to = NULL;
    if (from == NULL)
        return HOP_OK;
    HOP_TRY(status, hop__lent_must(device, what, from));
    HOP_TRY(status, hop__alloc(device->context, what, count, size, slot));
    memcpy(&to, slot, sizeof to);
    HOP_TRY(status,
            hop__buffer_borrow(device, what, count * size, (void *)(uintptr_t)from, true, &buffer));
    HOP_TRY(status, hop__buffer_read_now(buffer, 0, count * size, to));
done:
    hop__buffer_free(buffer);
    return status;
}

hop_status hop_device_lend(hop_context *context, const void *array, uint64_t bytes) {
    hop_status status;
    hop__device *device = NULL;
    if (context == NULL || array == NULL || bytes == 0)
        return hop__missing(context, "hop_device_lend");
    HOP_TRY(status, open_device(context, &device));
    const hop_allocator *allocator = &context->options.allocator;
    hop__lent *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL)
        return hop__fail(context, HOP_ERR_MEMORY, "device %s: the allocator refused %zu bytes",
                         device->info.name, sizeof *made);
    *made = (hop__lent){.next = device->lent, .begin = (uintptr_t)array, .bytes = bytes};
    device->lent = made;
done:
    return status;
}

void hop_device_take_back(hop_context *context, const void *array) {
    if (context == NULL || context->device == NULL)
        return;
    const hop_allocator *allocator = &context->options.allocator;
    for (hop__lent **link = &context->device->lent; *link != NULL; link = &(*link)->next)
        if ((*link)->begin == (uintptr_t)array) {
            hop__lent *found = *link;
            *link = found->next;
            allocator->release(allocator->user, found, sizeof *found);
            return;
        }
}

hop_status hop_device_follow(hop_context *context, void *stream) {
    hop_status status;
    hop__device *device = NULL;
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    HOP_TRY(status, open_device(context, &device));
    status = device->backend->follow(device, stream);
done:
    return status;
}
