/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of `hoplite bench`: host and devices stand side by side, each variant on those that
 * it can run on. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"

const bench_device *device_of_host(void) {
    static const bench_device host = {.name = "cpu", .is_host = true};
    return &host;
}

bool devices_at(const bench *all, hop_place place) {
    for (size_t i = 0; i < all->device_count; i++)
        if (all->devices[i].is_host == (place == HOP_PLACE_HOST))
            return true;
    return false;
}

/* A device that cannot be used is found out before anything is measured. */
static int open_device(bench_device *device) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.device = device->name;
    options.log_level = HOP_LOG_ERROR;
    hop_status status = hop_context_create(&options, &context);
    device->info = (hop_device_info){.size = sizeof device->info};
    if (status == HOP_OK)
        status = hop_device_open(context, &device->info);
    if (status != HOP_OK) {
        complain(CODE_NO_DEVICE, "--device: %s",
                 context != NULL ? failure_text(context).s : hop_status_name(status));
        advise("hoplite devices lists them");
    }
    hop_context_free(context);
    return status == HOP_OK ? CODE_OK : CODE_NO_DEVICE;
}

static int add_device(bench *all, const char *name, size_t length) {
    bench_device device = {.is_host = length == 3 && strncmp(name, "cpu", 3) == 0};
    if (length == 0 || length >= sizeof device.name)
        return complain(CODE_USAGE,
                        "--device: names such as cpu or opencl:0.0 expected, not \"%s\"", name);
    memcpy(device.name, name, length);
    for (size_t i = 0; i < all->device_count; i++)
        if (strcmp(all->devices[i].name, device.name) == 0)
            return CODE_OK;
    int code = device.is_host ? CODE_OK : open_device(&device);
    if (code != CODE_OK)
        return code;
    all->devices = need_memory(all->devices, all->device_count + 1, sizeof *all->devices);
    all->devices[all->device_count++] = device;
    return CODE_OK;
}

/* The host and every device that can be used. */
static int add_all(bench *all) {
    hop_devices *found = NULL;
    hop_status status = hop_devices_find(all->work->context, &found);
    if (status != HOP_OK)
        return session_fail(all->work, status);
    int code = add_device(all, "cpu", 3);
    for (size_t i = 0; i < hop_devices_count(found) && code == CODE_OK; i++) {
        const hop_device_info *info = hop_devices_at(found, i);
        if (info->usable)
            code = add_device(all, info->name, strlen(info->name));
    }
    hop_devices_free(found);
    return code;
}

int devices_take(bench *all) {
    const char *at = all->given->values[OPT_DEVICE_LIST].text;
    int code = CODE_OK;
    if (at == NULL)
        return add_device(all, "cpu", 3);
    if (strcmp(at, "all") == 0)
        return add_all(all);
    for (bool more = true; more && code == CODE_OK;) {
        size_t length = strcspn(at, ",");
        code = add_device(all, at, length);
        more = at[length] == ',';
        at += length + more;
    }
    return code;
}

int rows_devices(bench *all) {
    static const char *const types[] = {"cpu", "gpu", "other"};
    json *out = &all->rows.out;
    int code = CODE_OK;
    for (size_t i = 0; i < all->device_count && code == CODE_OK; i++) {
        const hop_device_info *info = &all->devices[i].info;
        if (all->devices[i].is_host || all->rows.path == NULL)
            continue; /* the host stands in the row of the session */
        row_begin(&all->rows, "device");
        json_string(out, "device", info->name);
        json_string(out, "title", info->title);
        json_string(out, "vendor", info->vendor);
        json_string(out, "platform", info->platform);
        json_string(out, "driver", info->driver);
        json_string(out, "type", types[info->type]);
        json_count(out, "memory_bytes", info->memory);
        json_count(out, "allocation_bytes", info->allocation);
        json_count(out, "local_memory_bytes", info->local_memory);
        json_count(out, "group_size", info->group_size);
        json_count(out, "compute_units", info->compute_units);
        json_bool(out, "atomic64", (info->capabilities & HOP_DEVICE_ATOMIC64) != 0);
        json_bool(out, "float64", (info->capabilities & HOP_DEVICE_FLOAT64) != 0);
        code = row_end(&all->rows);
    }
    return code;
}

int devices_prepare(bench *all, uint64_t budget) {
    unsigned threads = 1;
    for (size_t i = 0; i < all->thread_count; i++)
        if (all->thread_counts[i] > threads)
            threads = all->thread_counts[i];
    for (size_t i = 0; i < all->device_count; i++) {
        bench_device *device = &all->devices[i];
        if (device->is_host)
            continue;
        int code = context_make(all, threads, device->name, budget, &device->context);
        if (code != CODE_OK)
            return code;
    }
    return CODE_OK;
}

void devices_release(bench *all) {
    for (size_t i = 0; i < all->device_count; i++) {
        hop_context_free(all->devices[i].context);
        all->devices[i].context = NULL;
    }
}
