/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of all OpenCL platforms, their limits and capabilities, and whether this library can
 * use them. What a driver does not answer counts as 0 or empty. */
#include <stdio.h>
#include <string.h>

#include "device/opencl/opencl_internal.h"

enum { PLATFORMS = 16, DEVICES = 64, EXTENSIONS = 8192, GROUP_LEAST = 64, LOCAL_LEAST = 32 << 10 };

typedef struct place {
    const hop__opencl *call;
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type; /* asked once: all that follows from it fits together */
} place;

static void platform_text(const place *at, cl_platform_info what, char *text, size_t size) {
    char value[1024] = "";
    if (at->call->GetPlatformInfo(at->platform, what, sizeof value, value, NULL) != CL_SUCCESS)
        value[0] = '\0';
    value[sizeof value - 1] = '\0';
    snprintf(text, size, "%s", value);
}

static void device_text(const place *at, cl_device_info what, char *text, size_t size) {
    char value[1024] = "";
    if (at->call->GetDeviceInfo(at->device, what, sizeof value, value, NULL) != CL_SUCCESS)
        value[0] = '\0';
    value[sizeof value - 1] = '\0';
    const char *start = value + strspn(value, " ");
    snprintf(text, size, "%s", start);
}

/* A number of 4 or 8 bytes, whichever the driver writes. */
static uint64_t device_number(const place *at, cl_device_info what) {
    union {
        cl_uint small;
        cl_ulong large;
    } value = {.large = 0};
    size_t size = 0;
    if (at->call->GetDeviceInfo(at->device, what, sizeof value, &value, &size) != CL_SUCCESS)
        return 0;
    return size == sizeof value.small ? value.small : value.large;
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static place place_of(const hop__opencl *call, cl_platform_id platform, cl_device_id device) {
    place at = {.call = call, .platform = platform, .device = device};
    at.type = device_number(&at, CL_DEVICE_TYPE);
    return at;
}

static hop_device_type type_of(const place *at) {
    if ((at->type & CL_DEVICE_TYPE_GPU) != 0)
        return HOP_DEVICE_GPU;
    return (at->type & CL_DEVICE_TYPE_CPU) != 0 ? HOP_DEVICE_CPU : HOP_DEVICE_OTHER;
}

/* OpenCL C 3.0 may have a fence for the whole device; drivers of 1.2 do not know the question. */
static bool has_fence(const place *at) {
    enum { FENCE_CAPABILITIES = 0x1064, IN_SEQUENCE = 1 << 2, WHOLE_DEVICE = 1 << 5 };
    const uint64_t need = IN_SEQUENCE | WHOLE_DEVICE;
    return (at->type & CL_DEVICE_TYPE_CPU) == 0 &&
           (device_number(at, FENCE_CAPABILITIES) & need) == need;
}

bool hop__opencl_has_fence(const hop__opencl *call, cl_device_id device) {
    const place at = place_of(call, NULL, device);
    return has_fence(&at);
}

/* How the work should be cut, and whether the device has the host's memory: processors do by their
 * nature, integrated GPUs say so. */
static unsigned shape_of(const place *at) {
    if (type_of(at) == HOP_DEVICE_CPU)
        return HOP_DEVICE_SHARED | HOP_DEVICE_CHUNKED | HOP_DEVICE_FEW;
    return device_number(at, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0 ? HOP_DEVICE_SHARED : 0;
}

static unsigned capabilities_of(const place *at) {
    char words[EXTENSIONS] = "";
    if (at->call->GetDeviceInfo(at->device, CL_DEVICE_EXTENSIONS, sizeof words, words, NULL) !=
        CL_SUCCESS)
        words[0] = '\0';
    words[sizeof words - 1] = '\0';
    uint64_t floats = device_number(at, CL_DEVICE_SINGLE_FP_CONFIG);
    uint64_t doubles = device_number(at, CL_DEVICE_DOUBLE_FP_CONFIG);
    unsigned found = shape_of(at);
    if (has_word(words, "cl_khr_int64_base_atomics") &&
        has_word(words, "cl_khr_int64_extended_atomics"))
        found |= HOP_DEVICE_ATOMIC64;
    if (doubles != 0)
        found |= HOP_DEVICE_FLOAT64;
    if ((floats & CL_FP_DENORM) != 0)
        found |= HOP_DEVICE_SUBNORMAL32;
    if ((doubles & CL_FP_DENORM) != 0)
        found |= HOP_DEVICE_SUBNORMAL64;
    /* mem_fence of OpenCL C 1.2 is for a work-group; for processors the shim has another. */
    if ((at->type & CL_DEVICE_TYPE_CPU) != 0 || has_fence(at))
        found |= HOP_DEVICE_FENCE;
    return found;
}

/* Says why the device is of no use here; empty when it is. */
static void judge(const place *at, hop_device_info *info) {
    char version[128] = "", profile[32] = "";
    int major = 0, minor = 0;
    device_text(at, CL_DEVICE_VERSION, version, sizeof version);
    device_text(at, CL_DEVICE_PROFILE, profile, sizeof profile);
    bool known = sscanf(version, "OpenCL %d.%d", &major, &minor) == 2;
    char *reason = info->reason;
    size_t size = sizeof info->reason;
    if (device_number(at, CL_DEVICE_AVAILABLE) == 0)
        snprintf(reason, size, "the driver says that it is not available");
    else if (device_number(at, CL_DEVICE_COMPILER_AVAILABLE) == 0)
        snprintf(reason, size, "its driver has no compiler");
    else if (!known || major < 1 || (major == 1 && minor < 2))
        snprintf(reason, size, "it has '%.64s', and OpenCL 1.2 is needed", version);
    else if (strcmp(profile, "FULL_PROFILE") != 0)
        snprintf(reason, size, "it has the profile '%s', and FULL_PROFILE is needed", profile);
    else if (device_number(at, CL_DEVICE_ENDIAN_LITTLE) == 0)
        snprintf(reason, size, "its words have their bytes in another order than the host's");
    else if (info->group_size < GROUP_LEAST)
        snprintf(reason, size, "its groups have at most %u work-items, and %d are needed",
                 info->group_size, GROUP_LEAST);
    else if (info->local_memory < LOCAL_LEAST)
        snprintf(reason, size, "its groups share %llu bytes, and %d are needed",
                 (unsigned long long)info->local_memory, LOCAL_LEAST);
    else if (info->memory == 0 || info->allocation == 0)
        snprintf(reason, size, "its driver does not say how much memory it has");
    info->usable = reason[0] == '\0';
}

static void describe(const place *at, unsigned platform, unsigned device, hop_device_info *info) {
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    snprintf(info->name, sizeof info->name, "opencl:%u.%u", platform, device);
    device_text(at, CL_DEVICE_NAME, info->title, sizeof info->title);
    device_text(at, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    platform_text(at, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    device_text(at, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    info->type = type_of(at);
    info->capabilities = capabilities_of(at);
    info->memory = device_number(at, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->allocation = device_number(at, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory = device_number(at, CL_DEVICE_LOCAL_MEM_SIZE);
    info->group_size = (uint32_t)device_number(at, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->compute_units = (uint32_t)device_number(at, CL_DEVICE_MAX_COMPUTE_UNITS);
    judge(at, info);
}

static cl_uint platforms_of(const hop__opencl *call, cl_platform_id platforms[PLATFORMS]) {
    cl_uint count = 0;
    if (call->GetPlatformIDs(PLATFORMS, platforms, &count) != CL_SUCCESS)
        return 0;
    return count < PLATFORMS ? count : PLATFORMS;
}

static cl_uint devices_of(const hop__opencl *call, cl_platform_id platform,
                          cl_device_id devices[DEVICES]) {
    cl_uint count = 0;
    if (call->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &count) != CL_SUCCESS)
        return 0;
    return count < DEVICES ? count : DEVICES;
}

hop_status hop__opencl_list(hop_context *context, hop__device_list *list, char advice[256]) {
    hop__opencl call;
    cl_platform_id platforms[PLATFORMS];
    cl_device_id devices[DEVICES];
    if (!hop__opencl_load(&call, advice))
        return HOP_OK;
    size_t before = list->count;
    cl_uint platform_count = platforms_of(&call, platforms);
    for (unsigned p = 0; p < platform_count; p++) {
        cl_uint device_count = devices_of(&call, platforms[p], devices);
        for (unsigned d = 0; d < device_count; d++) {
            hop_device_info info;
            place at = place_of(&call, platforms[p], devices[d]);
            describe(&at, p, d, &info);
            hop_status status = hop__device_list_add(context, list, &info);
            if (status != HOP_OK)
                return status;
        }
    }
    if (list->count == before)
        snprintf(advice, 256,
                 "OpenCL: the loader is there but no driver gave it a device (on Debian: apt "
                 "install pocl-opencl-icd for the processor, or your vendor's driver; drivers are "
                 "listed in /etc/OpenCL/vendors or OCL_ICD_VENDORS)");
    return HOP_OK;
}

bool hop__opencl_find(const hop__opencl *call, const char *name, cl_platform_id *platform,
                      cl_device_id *device) {
    unsigned p, d;
    cl_platform_id platforms[PLATFORMS];
    cl_device_id devices[DEVICES];
    if (sscanf(name, "opencl:%u.%u", &p, &d) != 2 || p >= platforms_of(call, platforms) ||
        d >= devices_of(call, platforms[p], devices))
        return false;
    *platform = platforms[p];
    *device = devices[d];
    return true;
}
