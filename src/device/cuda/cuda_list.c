/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of NVIDIA's or AMD's driver, their limits and capabilities, and what to compile for
 * each. What the driver does not answer counts as 0 or empty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_internal.h"

enum { ARCHITECTURES = 64, GROUP_LEAST = 64, LOCAL_LEAST = 32 << 10 };

static int attribute(const hop__cuda *call, hop__cuda_device device, unsigned which) {
    int value = 0;
    if (call->DeviceGetAttribute(&value, which, device) != 0 || value < 0)
        return 0;
    return value;
}

/* HOPLITE_CUDA_PTX=1: PTX in any case, which lets the driver compile. */
static bool ptx_wanted(void) {
    const char *given = secure_getenv("HOPLITE_CUDA_PTX");
    return given != NULL && strcmp(given, "1") == 0;
}

/* A cubin if the compiler knows the architecture; else PTX for the newest one below it. */
static bool choose_sm(const hop__nvrtc *nvrtc, int capability, hop__cuda_target *target,
                      char why[256]) {
    int known[ARCHITECTURES], count = 0, oldest = 0, best = 0;
    if (nvrtc->GetNumSupportedArchs(&count) != 0 || count <= 0 || count > ARCHITECTURES ||
        nvrtc->GetSupportedArchs(known) != 0)
        count = 0;
    for (int i = 0; i < count; i++) {
        if (known[i] <= capability && known[i] > best)
            best = known[i];
        if (oldest == 0 || known[i] < oldest)
            oldest = known[i];
    }
    if (best == 0) {
        snprintf(why, 256,
                 "its compute capability is %d.%d, and this NVRTC compiles for %d.%d and later; an "
                 "older NVRTC may do",
                 capability / 10, capability % 10, oldest / 10, oldest % 10);
        return false;
    }
    target->ptx = best != capability || ptx_wanted();
    snprintf(target->name, sizeof target->name, "%s_%d", target->ptx ? "compute" : "sm", best);
    snprintf(target->option, sizeof target->option, "-arch=%s", target->name);
    return true;
}

static int capability_of(const hop__cuda *call, hop__cuda_device device) {
    return 10 * attribute(call, device, HOP__CUDA_MAJOR) + attribute(call, device, HOP__CUDA_MINOR);
}

/* The architecture is a word in the device's properties, "gfx90a:sramecc+:xnack-". Where it is in
 * the struct, and how long that is, depends on the version; nothing else in it begins like that. */
static bool choose_gfx(const hop__cuda *call, int number, hop__cuda_target *target, char why[256]) {
    union {
        char bytes[16384];
        uint64_t aligned;
    } properties;
    memset(&properties, 0, sizeof properties);
    hop__cuda_code (*ask)(void *, int) =
        call->GetNewProperties != NULL ? call->GetNewProperties : call->GetProperties;
    if (ask != NULL && ask(&properties, number) == 0)
        for (size_t i = 0; i + sizeof target->name < sizeof properties; i++) {
            const char *word = properties.bytes + i;
            if (memcmp(word, "gfx", 3) != 0 || strspn(word + 3, "0123456789abcdef") < 3)
                continue;
            size_t length = strspn(word, "gfx0123456789abcdef:+-srmeccnk");
            if (length >= sizeof target->name)
                continue;
            target->ptx = false;
            snprintf(target->name, sizeof target->name, "%.*s", (int)length, word);
            snprintf(target->option, sizeof target->option,
                     "-"
                     "-offload-arch=%s",
                     target->name);
            return true;
        }
    snprintf(why, 256, "its driver does not say of which architecture it is");
    return false;
}

static bool choose_target(const hop__cuda *call, const hop__nvrtc *nvrtc, hop__cuda_device device,
                          int number, hop__cuda_target *target, char why[256]) {
    *target = (hop__cuda_target){0};
    return call->dialect == &hop__dialect_hip
               ? choose_gfx(call, number, target, why)
               : choose_sm(nvrtc, capability_of(call, device), target, why);
}

/* Says why the device is of no use here; empty when it is. */
static void judge(hop_device_info *info) {
    char *reason = info->reason;
    size_t size = sizeof info->reason;
    if (reason[0] != '\0')
        return;
    if (info->group_size < GROUP_LEAST)
        snprintf(reason, size, "its groups have at most %u work-items, and %d are needed",
                 info->group_size, GROUP_LEAST);
    else if (info->local_memory < LOCAL_LEAST)
        snprintf(reason, size, "its groups share %llu bytes, and %d are needed",
                 (unsigned long long)info->local_memory, LOCAL_LEAST);
    else if (info->memory == 0)
        snprintf(reason, size, "its driver does not say how much memory it has");
    info->usable = reason[0] == '\0';
}

/* The version of the driver and the compiler, and the architecture: compiled programs are kept by
 * it. */
static void describe_driver(const hop__cuda *call, const hop__nvrtc *nvrtc, hop__cuda_device device,
                            int number, hop_device_info *info) {
    int driver, driver_minor, major = 0, minor = 0;
    hop__cuda_target target;
    hop__cuda_version(call, &driver, &driver_minor);
    if (nvrtc == NULL) {
        snprintf(info->driver, sizeof info->driver, "%d.%d", driver, driver_minor);
        return;
    }
    if (nvrtc->Version(&major, &minor) != 0)
        major = minor = 0;
    bool found = choose_target(call, nvrtc, device, number, &target, info->reason);
    snprintf(info->driver, sizeof info->driver, "%d.%d, %s %d.%d%s%s%s", driver, driver_minor,
             call->dialect->compiler, major, minor, found ? ", " : "", target.name,
             target.ptx ? " as PTX" : "");
    /* Before the ninth generation AMD's GPUs flush small floats to 0. */
    if (found && call->dialect == &hop__dialect_hip && target.name[3] < '9' &&
        strspn(target.name + 3, "0123456789abcdef") == 3)
        info->capabilities &= ~(unsigned)HOP_DEVICE_SUBNORMAL32;
}

static void describe(const hop__cuda *call, const hop__nvrtc *nvrtc, const char *missing,
                     int number, hop_device_info *info) {
    hop__cuda_device device;
    size_t bytes = 0;
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    const hop__cuda_dialect *dialect = call->dialect;
    snprintf(info->name, sizeof info->name, "%s:%d", dialect->name, number);
    snprintf(info->vendor, sizeof info->vendor, "%s", dialect->vendor);
    snprintf(info->platform, sizeof info->platform, "%s", dialect->title);
    info->type = HOP_DEVICE_GPU;
    if (call->DeviceGet(&device, number) != 0) {
        snprintf(info->reason, sizeof info->reason, "the driver says that it is not available");
        return;
    }
    if (call->DeviceGetName(info->title, (int)sizeof info->title, device) != 0)
        info->title[0] = '\0';
    info->title[sizeof info->title - 1] = '\0';
    if (call->DeviceTotalMem(&bytes, device) != 0)
        bytes = 0;
    info->capabilities = HOP_DEVICE_ATOMIC64 | HOP_DEVICE_FLOAT64 | HOP_DEVICE_SUBNORMAL32 |
                         HOP_DEVICE_SUBNORMAL64 | HOP_DEVICE_FENCE | HOP_DEVICE_WARPS;
    /* One that is on a bus could read the host's pages too, but not as fast as its own memory. */
    if (attribute(call, device, dialect->integrated) != 0 &&
        attribute(call, device, dialect->pageable) != 0)
        info->capabilities |= HOP_DEVICE_SHARED;
    info->memory = info->allocation = bytes;
    info->local_memory = (uint64_t)attribute(call, device, dialect->max_shared);
    info->group_size = (uint32_t)attribute(call, device, dialect->max_threads);
    info->compute_units = (uint32_t)attribute(call, device, dialect->units);
    if (nvrtc == NULL)
        snprintf(info->reason, sizeof info->reason, "%s", missing);
    describe_driver(call, nvrtc, device, number, info);
    judge(info);
}

/* How many devices there are; 0 with the reason. */
static int count_devices(const hop__cuda *call, char advice[256]) {
    const hop__cuda_dialect *dialect = call->dialect;
    int count = 0;
    hop__cuda_code code = call->Init(0);
    if (code == 0)
        code = call->DeviceGetCount(&count);
    if (code == 0 && count > 0)
        return count;
    if (code == 0 || code == HOP__CUDA_NO_DEVICE || code == HOP__CUDA_INVALID_DEVICE)
        snprintf(advice, 256, "%s: %s is there but finds no GPU", dialect->title, dialect->driver);
    else
        snprintf(advice, 256, "%s: %s does not start: %.100s (%u)", dialect->title, dialect->driver,
                 hop__cuda_code_name(call, code), code);
    return 0;
}

/* Who has other devices and does not ask for these need not hear that there is no such GPU. */
static bool asked_for(const hop__cuda_dialect *dialect, const hop_context *context) {
    const char *name = context->options.device, *library = secure_getenv(dialect->library_variable);
    const char *found = name != NULL ? strstr(name, dialect->name) : NULL;
    return (found != NULL && found[strlen(dialect->name)] == ':') || library != NULL;
}

static hop_status list_devices(const hop__cuda_dialect *dialect, hop_context *context,
                               hop__device_list *list, char advice[256]) {
    hop__cuda call;
    hop__nvrtc nvrtc;
    char missing[256] = "";
    bool loaded = hop__cuda_load(dialect, &call, advice);
    int count = loaded ? count_devices(&call, advice) : 0;
    if (count == 0 && list->count > 0 && !asked_for(dialect, context))
        advice[0] = '\0';
    bool compiler = count > 0 && hop__nvrtc_load(&nvrtc, &call, missing);
    for (int i = 0; i < count; i++) {
        hop_device_info info;
        describe(&call, compiler ? &nvrtc : NULL, missing, i, &info);
        hop_status status = hop__device_list_add(context, list, &info);
        if (status != HOP_OK)
            return status;
    }
    return HOP_OK;
}

hop_status hop__cuda_list(hop_context *context, hop__device_list *list, char advice[256]) {
    return list_devices(&hop__dialect_cuda, context, list, advice);
}

hop_status hop__hip_list(hop_context *context, hop__device_list *list, char advice[256]) {
    return list_devices(&hop__dialect_hip, context, list, advice);
}

bool hop__cuda_find(const hop__cuda *call, const hop__nvrtc *nvrtc, const char *name,
                    hop__cuda_device *device, hop__cuda_target *target, char why[256]) {
    size_t length = strlen(call->dialect->name);
    int number;
    snprintf(why, 256, "it is no longer there");
    if (strncmp(name, call->dialect->name, length) != 0 ||
        sscanf(name + length, ":%d", &number) != 1 || call->Init(0) != 0 ||
        call->DeviceGet(device, number) != 0)
        return false;
    return choose_target(call, nvrtc, *device, number, target, why);
}
