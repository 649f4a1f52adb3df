/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of NVIDIA's driver, their limits and capabilities, and what to compile for each. What
 * the driver does not answer counts as 0 or empty. */
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
static bool choose_target(const hop__nvrtc *nvrtc, int capability, hop__cuda_target *target,
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
    *target = (hop__cuda_target){.architecture = best, .ptx = best != capability || ptx_wanted()};
    return true;
}

static int capability_of(const hop__cuda *call, hop__cuda_device device) {
    return 10 * attribute(call, device, HOP__CUDA_MAJOR) + attribute(call, device, HOP__CUDA_MINOR);
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
static void describe_driver(const hop__cuda *call, const hop__nvrtc *nvrtc, int capability,
                            hop_device_info *info) {
    int version = 0, major = 0, minor = 0;
    hop__cuda_target target = {0};
    if (call->DriverGetVersion(&version) != 0)
        version = 0;
    if (nvrtc == NULL) {
        snprintf(info->driver, sizeof info->driver, "%d.%d", version / 1000, version % 1000 / 10);
        return;
    }
    if (nvrtc->Version(&major, &minor) != 0)
        major = minor = 0;
    bool found = choose_target(nvrtc, capability, &target, info->reason);
    snprintf(info->driver, sizeof info->driver, "%d.%d, NVRTC %d.%d%s%.0d%s", version / 1000,
             version % 1000 / 10, major, minor,
             !found       ? ""
             : target.ptx ? ", compute_"
                          : ", sm_",
             target.architecture, found && target.ptx ? " as PTX" : "");
}

static void describe(const hop__cuda *call, const hop__nvrtc *nvrtc, const char *missing,
                     int number, hop_device_info *info) {
    hop__cuda_device device;
    size_t bytes = 0;
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    snprintf(info->name, sizeof info->name, "cuda:%d", number);
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
    snprintf(info->platform, sizeof info->platform, "CUDA");
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
    info->capabilities =
        HOP_DEVICE_ATOMIC64 | HOP_DEVICE_FLOAT64 | HOP_DEVICE_SUBNORMAL32 | HOP_DEVICE_SUBNORMAL64;
    info->memory = info->allocation = bytes;
    info->local_memory = (uint64_t)attribute(call, device, HOP__CUDA_MAX_SHARED);
    info->group_size = (uint32_t)attribute(call, device, HOP__CUDA_MAX_THREADS);
    info->compute_units = (uint32_t)attribute(call, device, HOP__CUDA_UNITS);
    if (nvrtc == NULL)
        snprintf(info->reason, sizeof info->reason, "%s", missing);
    describe_driver(call, nvrtc, capability_of(call, device), info);
    judge(info);
}

/* How many devices there are; 0 with the reason. */
static int count_devices(const hop__cuda *call, char advice[256]) {
    int count = 0;
    const char *name = NULL;
    hop__cuda_code code = call->Init(0);
    if (code == 0)
        code = call->DeviceGetCount(&count);
    if (code == 0 && count > 0)
        return count;
    if (code == 0 || code == HOP__CUDA_NO_DEVICE)
        snprintf(advice, 256, "CUDA: NVIDIA's driver is there but finds no GPU");
    else if (call->GetErrorName(code, &name) == 0 && name != NULL)
        snprintf(advice, 256, "CUDA: NVIDIA's driver does not start: %.100s (%u)", name, code);
    else
        snprintf(advice, 256, "CUDA: NVIDIA's driver does not start: code %u", code);
    return 0;
}

/* Who has other devices and does not ask for CUDA need not hear that there is no GPU of NVIDIA. */
static bool asked_for(const hop_context *context) {
    const char *name = context->options.device, *library = secure_getenv("HOPLITE_CUDA_LIB");
    return (name != NULL && strstr(name, "cuda:") != NULL) || library != NULL;
}

hop_status hop__cuda_list(hop_context *context, hop__device_list *list, char advice[256]) {
    hop__cuda call;
    hop__nvrtc nvrtc;
    char missing[256] = "";
    bool loaded = hop__cuda_load(&call, advice);
    int count = loaded ? count_devices(&call, advice) : 0;
    if (count == 0 && list->count > 0 && !asked_for(context))
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

bool hop__cuda_find(const hop__cuda *call, const hop__nvrtc *nvrtc, const char *name,
                    hop__cuda_device *device, hop__cuda_target *target, char why[256]) {
    int number;
    snprintf(why, 256, "it is no longer there");
    if (sscanf(name, "cuda:%d", &number) != 1 || call->Init(0) != 0 ||
        call->DeviceGet(device, number) != 0)
        return false;
    return choose_target(nvrtc, capability_of(call, *device), target, why);
}
