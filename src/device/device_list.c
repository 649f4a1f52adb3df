/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of this machine, over all backends; and the public functions that list them. The
 * drivers are asked each time: devices come and go, and the library keeps no globals. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "device/backend.h"

const hop__backend *const hop__backends[] = {&hop__opencl_backend, &hop__cuda_backend,
                                             &hop__hip_backend};
const size_t hop__backend_count = HOP_LENGTH(hop__backends);

hop_status hop__device_list_add(hop_context *context, hop__device_list *list,
                                const hop_device_info *info) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        hop_status status =
            hop__resize(context, "list of devices", capacity, sizeof *info, &list->infos);
        if (status != HOP_OK)
            return status;
        list->capacity = capacity;
    }
    list->infos[list->count++] = *info;
    return HOP_OK;
}

/* The context's own device may have been lost since it was listed. */
static void mark_lost(const hop_context *context, hop_device_info *info) {
    const hop__device *own = context->device;
    if (own == NULL || !own->info.lost || strcmp(own->info.name, info->name) != 0)
        return;
    info->lost = true;
    memcpy(info->reason, own->info.reason, sizeof info->reason);
}

hop_status hop__devices_list(hop_context *context, hop__device_list *list, char advice[512]) {
    hop_status status = HOP_OK;
    *list = (hop__device_list){0};
    advice[0] = '\0';
    HOP_TRY(status, hop__alloc(context, "list of devices", 8, sizeof *list->infos, &list->infos));
    list->capacity = 8;
    for (size_t i = 0; i < hop__backend_count; i++) {
        char missing[256] = "";
        HOP_TRY(status, hop__backends[i]->list(context, list, missing));
        size_t length = strlen(advice);
        if (missing[0] != '\0')
            snprintf(advice + length, 512 - length, "%s%s", length > 0 ? "\n" : "", missing);
    }
    for (size_t i = 0; i < list->count; i++)
        mark_lost(context, &list->infos[i]);
done:
    if (status != HOP_OK) {
        hop__free(list->infos);
        *list = (hop__device_list){0};
    }
    return status;
}

struct hop_devices {
    hop__device_list list;
    char advice[512];
};

hop_status hop_devices_find(hop_context *context, hop_devices **devices) {
    if (context == NULL || devices == NULL)
        return hop__missing(context, "hop_devices_find");
    hop_devices *found = NULL;
    *devices = NULL;
    hop_status status = hop__alloc_zero(context, "list of devices", 1, sizeof *found, &found);
    if (status == HOP_OK)
        status = hop__devices_list(context, &found->list, found->advice);
    if (status == HOP_OK)
        *devices = found;
    else
        hop__free(found);
    return status;
}

void hop_devices_free(hop_devices *devices) {
    if (devices != NULL)
        hop__free(devices->list.infos);
    hop__free(devices);
}

size_t hop_devices_count(const hop_devices *devices) {
    return devices->list.count;
}

const hop_device_info *hop_devices_at(const hop_devices *devices, size_t index) {
    return index < devices->list.count ? &devices->list.infos[index] : NULL;
}

const char *hop_devices_advice(const hop_devices *devices) {
    return devices->advice;
}

hop_status hop__device_info_out(hop_context *context, const hop_device_info *from,
                                hop_device_info *to) {
    size_t size = to->size;
    if (size < sizeof size || size > 1 << 16)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "devices: the info has size %zu; set it to sizeof(hop_device_info)", size);
    memcpy(to, from, size < sizeof *from ? size : sizeof *from);
    to->size = size;
    return HOP_OK;
}
