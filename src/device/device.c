/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing the context's device, its failures, its queues and timers; see device.h. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/try.h"
#include "device/backend.h"
#include "device/program_cache.h"

enum { FINISH_TRIES = 3, SHRINK_TRIES = 3 };

bool hop__device_chosen(const hop_context *context) {
    const char *name = context->options.device;
    return name != NULL && name[0] != '\0' && strcmp(name, "cpu") != 0;
}

/* The device of the first of these names, or NULL; others may follow it, with `+` between. */
static const hop_device_info *find_first(const hop__device_list *list, const char *names) {
    size_t length = strcspn(names, "+");
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->infos[i].name) == length &&
            memcmp(names, list->infos[i].name, length) == 0)
            return &list->infos[i];
    return NULL;
}

/* Whether all the names are names of devices: a variant may come to the others late, or never. */
static bool all_exist(const hop__device_list *list, const char *names) {
    for (const char *plus; find_first(list, names) != NULL; names = plus + 1)
        if ((plus = strchr(names, '+')) == NULL)
            return true;
    return false;
}

const char *hop__device_more(const hop_context *context) {
    const char *plus = hop__device_chosen(context) ? strchr(context->options.device, '+') : NULL;
    return plus ? plus + 1 : NULL;
}

hop_context *hop__device_context(const hop__device *device) {
    return device->context;
}

const hop_device_info *hop__device_info(const hop__device *device) {
    return &device->info;
}

bool hop__device_lost(const hop__device *device) {
    return device->info.lost || hop__device_forked(device);
}

hop__memory_usage hop__device_usage(const hop__device *device) {
    return (hop__memory_usage){device->budget, device->used, device->peak};
}

/* --- failures -------------------------------------------------------------------------------- */

#define ALL_QUEUES (-1)
static void timers_collect(hop__device *device, int queue, hop_status *status);

/* Waits for what is under way, whatever the driver says to it. A driver that failed once is asked
 * again, because the arrays that it may still write to are about to be freed. */
void hop__device_drain(hop__device *device) {
    bool nested = device->draining;
    device->draining = true;
    for (hop__queue queue = 0; queue < HOP__QUEUE_COUNT; queue++)
        for (int i = 0; i < FINISH_TRIES; i++)
            if (device->backend->finish(device, queue) == HOP_OK)
                break;
    timers_collect(device, ALL_QUEUES, NULL);
    device->busy = 0;
    device->draining = nested;
}

hop_status hop__device_fail(hop__device *device, hop__fault fault, const char *format, ...) {
    device->failures++;
    if (device->draining)
        return HOP_ERR_DEVICE; /* the first failure is the one to tell */
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hop__device_drain(device);
    if (fault == HOP__FAULT_LOST) {
        device->info.lost = true;
        snprintf(device->info.reason, sizeof device->info.reason, "%.255s", text);
        hop__log(device->context, HOP_LOG_WARNING, "device %s is lost: %s", device->info.name,
                 text);
    }
    bool memory = fault == HOP__FAULT_MEMORY;
    hop__fail(device->context, memory ? HOP_ERR_MEMORY : HOP_ERR_DEVICE, "device %s: %s",
              device->info.name, text);
    return hop__note_name(device->context, memory ? HOP_KIND_DEVICE_MEMORY : HOP_KIND_DEVICE,
                          device->info.name);
}

hop_status hop__device_distrust(hop__device *device, const hop_context *tried) {
    size_t length = tried->failure.detail.fault_bytes; /* what to do is said again each time */
    device->info.lost = true;
    snprintf(device->info.reason, sizeof device->info.reason, "%.*s",
             length < 255 ? (int)length : 255, tried->failure.message);
    hop__log(device->context, HOP_LOG_WARNING, "device %s is not used: %s", device->info.name,
             tried->failure.message);
    return hop__fail_as(device->context, HOP_ERR_DEVICE, tried);
}

/* A driver that is asked anything in a child may wait for ever. */
bool hop__device_forked(const hop__device *device) {
    return device->process != (int)getpid();
}

hop_status hop__device_alive(hop__device *device) {
    if (hop__device_forked(device) && !device->info.lost) {
        device->info.lost = true;
        snprintf(device->info.reason, sizeof device->info.reason,
                 "the process was forked, and devices do not follow: open them in the child only");
    }
    if (!device->info.lost)
        return HOP_OK;
    hop__fail(device->context, HOP_ERR_DEVICE, "device %s is lost since it failed with: %.255s",
              device->info.name, device->info.reason);
    hop__note_name(device->context, HOP_KIND_DEVICE, device->info.name);
    return hop__remedy(device->context, HOP_REMEDY_USE_HOST, "use another or the host");
}

/* --- opening --------------------------------------------------------------------------------- */

static void device_close(hop__device *device) {
    hop_allocator allocator = device->context->options.allocator;
    hop__device_others_close(device);
    if (!hop__device_forked(device))
        hop__device_drain(device);
    hop__device_abandon(device);
    hop__lent_drop(device);
    if (!hop__device_forked(device)) {
        while (device->programs != NULL) {
            hop__program *next = device->programs->next;
            hop__program_free(device->programs);
            device->programs = next;
        }
        device->backend->close(device);
    } /* else what the driver gave stays with it: the parent frees it */
    if (device->cache >= 0)
        close(device->cache);
    device->context->device = NULL;
    allocator.release(allocator.user, device, sizeof *device);
}

static const hop__backend *backend_of(const char *name) {
    for (size_t i = 0; i < hop__backend_count; i++) {
        size_t length = strlen(hop__backends[i]->name);
        if (strncmp(name, hop__backends[i]->name, length) == 0 && name[length] == ':')
            return hop__backends[i];
    }
    return NULL;
}

static hop_status no_such_device(hop_context *context, const hop__device_list *list,
                                 const char *advice) {
    char names[256] = "cpu";
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", list->infos[i].name);
    }
    hop__fail(context, HOP_ERR_DEVICE, "%.63s: no such device", context->options.device);
    hop__note_found(context, HOP_KIND_UNKNOWN_DEVICE, context->options.device,
                    strlen(context->options.device));
    return hop__remedy(context, HOP_REMEDY_OTHER_DEVICE, "this machine has: %s%s%s", names,
                       advice[0] != '\0' ? ". " : "", advice);
}

static hop_status find_device(hop_context *context, hop_device_info *info) {
    char advice[512];
    hop__device_list list;
    hop_status status = hop__devices_list(context, &list, advice);
    if (status != HOP_OK)
        return status;
    const hop_device_info *first = find_first(&list, context->options.device);
    if (!all_exist(&list, context->options.device))
        status = no_such_device(context, &list, advice);
    else if (!first->usable) {
        hop__fail(context, HOP_ERR_DEVICE, "device %s cannot be used: %s", first->name,
                  first->reason);
        status = hop__note_name(context, HOP_KIND_DEVICE, first->name);
    } else
        *info = *first;
    hop__free(list.infos);
    return status;
}

/* Without the cache everything works, only slower: so it is not an error. */
static void open_cache(hop__device *device) {
    char *path = device->cache_path, why[256];
    device->cache = hop__cache_open(path, why);
    if (device->cache < 0)
        hop__log(device->context, path[0] != '\0' ? HOP_LOG_WARNING : HOP_LOG_INFO,
                 "kernel cache %s is not used: %s", path, why);
}

/* Lives as long as the context, so, like it, it is not charged to the budget. */
static hop_status device_create(hop_context *context, const hop_device_info *info) {
    const hop_allocator *allocator = &context->options.allocator;
    hop__device *device = allocator->allocate(allocator->user, sizeof *device, 64);
    if (device == NULL)
        return hop__fail(context, HOP_ERR_MEMORY, "device %s: the allocator refused %zu bytes",
                         info->name, sizeof *device);
    memset(device, 0, sizeof *device);
    device->backend = backend_of(info->name);
    device->context = context;
    device->info = *info;
    device->process = (int)getpid();
    device->budget = info->memory;
    if (context->options.device_memory != 0 && context->options.device_memory < info->memory)
        device->budget = context->options.device_memory;
    device->to_device = (hop__tally){.name = "copy to device", .copy = true};
    device->to_host = (hop__tally){.name = "copy to host", .copy = true};
    device->fill = (hop__tally){.name = "fill", .copy = true};
    context->device = device;
    context->device_close = device_close;
    open_cache(device);
    hop_status status = device->backend->open(device);
    if (status != HOP_OK)
        device_close(device);
    return status;
}

hop_status hop__device_of(hop_context *context, hop__device **device) {
    *device = NULL;
    if (!hop__device_chosen(context)) {
        hop__fail(context, HOP_ERR_DEVICE, "no device is chosen");
        hop__note_kind(context, HOP_KIND_NO_DEVICE);
        return hop__remedy(context, HOP_REMEDY_CHOOSE_DEVICE,
                           "name one in the options of the context");
    }
    if (context->device == NULL) {
        hop_device_info info;
        hop_status status = find_device(context, &info);
        if (status == HOP_OK)
            status = device_create(context, &info);
        if (status != HOP_OK)
            return status;
    }
    hop_status status = hop__device_alive(context->device);
    if (status == HOP_OK) {
        hop__device_trim(context->device, true);
        *device = context->device;
    }
    return status;
}

hop_status hop_device_open(hop_context *context, hop_device_info *info) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (!hop__device_chosen(context))
        return hop__fail(context, HOP_ERR_ARGUMENT, "the context has no device");
    hop__device *device;
    hop_status status = hop__device_of(context, &device);
    if (info != NULL && context->device != NULL) {
        hop_status copied = hop__device_info_out(context, &context->device->info, info);
        status = status == HOP_OK ? copied : status;
    }
    return status;
}

uint64_t hop_device_memory_budget(const hop_context *context) {
    return context->device == NULL ? 0 : hop__device_usage(context->device).budget;
}

uint64_t hop_device_memory_used(const hop_context *context) {
    return context->device == NULL ? 0 : hop__device_usage(context->device).used;
}

uint64_t hop_device_memory_peak(const hop_context *context) {
    return context->device == NULL ? 0 : hop__device_usage(context->device).peak;
}

void hop_device_trim(hop_context *context) {
    if (context == NULL || context->device == NULL || hop__device_forked(context->device))
        return;
    hop__device_others_trim(context->device);
    hop__device_trim(context->device, false);
    if (context->device->backend->trim != NULL)
        context->device->backend->trim(context->device);
}

/* --- queues and timers ----------------------------------------------------------------------- */

static bool of_queue(const hop__timer *timer, int queue) {
    return queue == ALL_QUEUES || timer->queue == (hop__queue)queue;
}

static void count_in(hop__tally *tally, uint64_t bytes, uint64_t items, double seconds) {
    tally->calls++;
    tally->seconds += seconds;
    tally->bytes += bytes;
    tally->items += items;
}

/* All timers of the queue are done. Fails with the first command that did; `status` NULL: no
 * matter. */
static void timers_collect(hop__device *device, int queue, hop_status *status) {
    size_t kept = 0;
    for (size_t i = 0; i < device->timer_count; i++) {
        hop__timer *timer = &device->timers[i];
        uintptr_t handle = timer->handle;
        if (handle == 0 || !of_queue(timer, queue))
            continue;
        timer->handle = 0; /* a failure comes back here */
        double seconds = 0;
        hop_status read = device->backend->timer_read(device, handle, &seconds);
        if (read == HOP_OK) {
            count_in(timer->tally, timer->bytes, timer->items, seconds);
        } else if (status != NULL && *status == HOP_OK) {
            *status = read;
        }
    }
    for (size_t i = 0; i < device->timer_count; i++)
        if (!of_queue(&device->timers[i], queue))
            device->timers[kept++] = device->timers[i];
    device->timer_count = kept;
}

hop_status hop__timer_add(hop__device *device, hop__queue queue, hop__tally *tally,
                          uintptr_t handle, uint64_t bytes, uint64_t items) {
    hop__timer last = {handle, tally, bytes, items, queue};
    if (handle == 0) { /* there is no time to wait for */
        count_in(tally, bytes, items, 0);
        return HOP_OK;
    }
    if (device->timer_count == HOP__TIMERS) {
        hop_status status = hop__device_finish(device);
        device->timers[device->timer_count++] = last;
        if (status != HOP_OK)
            hop__device_drain(device);
        return status;
    }
    device->timers[device->timer_count++] = last;
    return HOP_OK;
}

hop_status hop__device_flush(hop__device *device) {
    hop_status status;
    HOP_TRY(status, hop__device_alive(device));
    for (hop__queue queue = 0; queue < HOP__QUEUE_COUNT; queue++)
        HOP_TRY(status, device->backend->flush(device, queue));
done:
    return status;
}

hop_status hop__device_finish(hop__device *device) {
    hop_status status;
    HOP_TRY(status, hop__device_alive(device));
    for (hop__queue queue = 0; queue < HOP__QUEUE_COUNT; queue++)
        HOP_TRY(status, device->backend->finish(device, queue));
    device->busy = 0;
    timers_collect(device, ALL_QUEUES, &status);
done:
    return status;
}

hop_status hop__device_conclude(hop__device *device) {
    return device->timer_count > 0 ? hop__device_finish(device) : HOP_OK;
}

hop_status hop__queue_finish(hop__device *device, hop__queue queue) {
    hop_status status;
    HOP_TRY(status, hop__device_alive(device));
    HOP_TRY(status, device->backend->finish(device, queue));
    device->busy &= ~(1u << queue);
    timers_collect(device, (int)queue, &status);
done:
    return status;
}

void hop__device_settle(hop__device *device, hop_status status) {
    if (device != NULL && status != HOP_OK)
        hop__device_drain(device);
}

static hop__tally *tally_at(hop__device *device, size_t i) {
    hop__tally *const own[] = {&device->to_device, &device->to_host, &device->fill};
    if (i < HOP_LENGTH(own))
        return own[i];
    i -= HOP_LENGTH(own);
    for (hop__program *program = device->programs; program != NULL; program = program->next)
        for (hop__kernel *kernel = program->kernels; kernel != NULL; kernel = kernel->next)
            if (i-- == 0)
                return &kernel->tally;
    return NULL;
}

const hop__tally *hop__device_tally(const hop__device *device, size_t i) {
    return tally_at((hop__device *)device, i);
}

void hop__device_time(hop__device *device, bool timed) {
    device->timed = timed;
}

void hop__device_tally_reset(hop__device *device) {
    hop__tally *tally;
    for (size_t i = 0; (tally = tally_at(device, i)) != NULL; i++)
        *tally = (hop__tally){.name = tally->name, .copy = tally->copy};
}

/* --- memory ---------------------------------------------------------------------------------- */

uint64_t hop__device_left(const hop__device *device) {
    return device->budget - device->used + device->idle;
}

uint64_t hop__device_pinned_need(const hop__device *device, uint64_t largest) {
    if (hop__device_shares_memory(device) || largest < device->pinned_from)
        return 0;
    return device->pinned_most - device->pinned;
}

uint64_t hop__device_pinned(const hop__device *device) {
    uint64_t bytes = device != NULL ? device->pinned : 0;
    for (unsigned i = 0; device != NULL && i < device->other_count; i++)
        bytes += hop__device_pinned(device->others[i]->device);
    return bytes;
}

uint64_t hop__device_room(const hop__device *device) {
    uint64_t rest = hop__device_left(device);
    return rest < device->info.allocation ? rest : device->info.allocation;
}

hop_status hop__device_check_need(hop__device *device, const char *what, uint64_t bytes,
                                  uint64_t largest) {
    char need[16], limit[16];
    hop_context *context = device->context;
    uint64_t room = hop__device_left(device);
    if (bytes > room) {
        hop__fail(context, HOP_ERR_BUDGET,
                  "%s: %s needed on device %s, %s of its memory may be used", what,
                  hop__size_text(bytes, need), device->info.name, hop__size_text(room, limit));
        hop__note_name(context, HOP_KIND_DEVICE_MEMORY, device->info.name);
        hop__note_need(context, HOP_KIND_DEVICE_MEMORY, bytes, room);
        if (device->budget == device->info.memory) /* there is no more to be had */
            return hop__remedy(context, HOP_REMEDY_USE_HOST, "use the host");
        return hop__remedy(context, HOP_REMEDY_RAISE_DEVICE_MEMORY,
                           "raise the device's memory budget or use the host");
    }
    if (largest > device->info.allocation) {
        hop__fail(context, HOP_ERR_BUDGET,
                  "%s: one array needs %s on device %s, which gives at most %s at once", what,
                  hop__size_text(largest, need), device->info.name,
                  hop__size_text(device->info.allocation, limit));
        hop__note_name(context, HOP_KIND_DEVICE_MEMORY, device->info.name);
        hop__note_need(context, HOP_KIND_DEVICE_MEMORY, largest, device->info.allocation);
        return hop__remedy(context, HOP_REMEDY_USE_HOST, "use the host");
    }
    return HOP_OK;
}

bool hop__device_shrink(hop__device *device, hop_status status, unsigned *tries, uint64_t *part,
                        uint64_t least) {
    bool memory = status == HOP_ERR_MEMORY || status == HOP_ERR_BUDGET;
    if (!memory || device->info.lost || *tries >= SHRINK_TRIES || *part / 2 < least)
        return false;
    (*tries)++;
    *part /= 2;
    hop__log(device->context, HOP_LOG_INFO, "device %s: trying with parts half as large (%s)",
             device->info.name, device->context->failure.message);
    return true;
}
