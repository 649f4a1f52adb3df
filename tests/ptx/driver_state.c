/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices and contexts, the lock, and faults. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptx/driver.h"
#include "ptx/driver_counters.h"

enum { STACK_MOST = 16, SHARED_MOST = 49152, UNITS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t initialised_by;
static struct CUctx_st contexts[DEVICES_MOST];
static _Thread_local CUcontext stack[STACK_MOST];
static _Thread_local unsigned stacked;

static struct {
    char name[64];
    unsigned nth, seen, calls, given;
    CUresult code;
    char lost_use[64];
} fault;

ptx_driver_counts driver_counts;

uint64_t driver_number(const char *variable, uint64_t otherwise) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0' ? strtoull(value, NULL, 0) : otherwise;
}

uint64_t driver_memory(void) {
    return driver_number("HOPLITE_PTX_MEMORY", 1ull << 30);
}

void driver_report(const ptx_machine *machine) {
    fprintf(stderr, "ptx: %s\n", ptx_message(machine));
}

/* --- faults ---------------------------------------------------------------------------------- */

static void fault_from_environment(void) {
    const char *given = getenv("HOPLITE_PTX_FAULT");
    unsigned code;
    if (given != NULL && sscanf(given, "%63[^:]:%u:%u", fault.name, &fault.nth, &code) == 3)
        fault.code = (CUresult)code;
    else
        fault.name[0] = '\0';
}

static bool skipping; /* by the call under way */

static CUresult fault_of(const char *name) {
    fault.calls++;
    skipping = false;
    if (fault.name[0] == '\0' || (fault.name[0] != '*' && strcmp(fault.name, name) != 0))
        return CUDA_SUCCESS;
    if (++fault.seen != fault.nth)
        return CUDA_SUCCESS;
    if ((int)fault.code == 9999) /* as drivers do that have lost their way */
        abort();
    while ((int)fault.code == 9998)
        pause();
    fault.given++;
    skipping = (int)fault.code == 9997;
    return skipping ? CUDA_SUCCESS : fault.code;
}

bool driver_skips(void) {
    return skipping;
}

void ptx_driver_fault(const char *name, unsigned nth, int code) {
    pthread_mutex_lock(&lock);
    snprintf(fault.name, sizeof fault.name, "%s", name != NULL ? name : "");
    fault.nth = nth;
    fault.code = (CUresult)code;
    fault.seen = fault.calls = fault.given = 0;
    fault.lost_use[0] = '\0';
    driver_counts = (ptx_driver_counts){0};
    pthread_mutex_unlock(&lock);
}

unsigned ptx_driver_calls(void) {
    return fault.calls;
}

unsigned ptx_driver_faults(void) {
    return fault.given;
}

ptx_driver_counts ptx_driver_counted(void) {
    return driver_counts;
}

const char *ptx_driver_lost_use(void) {
    return fault.lost_use[0] != '\0' ? fault.lost_use : NULL;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* What a call that gives something back returns in the end, though it has done so. */
static CUresult afterwards;

CUresult driver_leave(CUresult result) {
    if (afterwards != CUDA_SUCCESS)
        result = afterwards;
    afterwards = CUDA_SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult driver_enter(const char *name) {
    pthread_mutex_lock(&lock);
    if (initialised_by == 0 || initialised_by != getpid())
        return driver_leave(CUDA_ERROR_NOT_INITIALIZED);
    CUresult given = fault_of(name);
    return given == CUDA_SUCCESS ? given : driver_leave(given);
}

CUresult driver_note(CUcontext context, CUresult result) {
    static const CUresult lasting[] = {
        CUDA_ERROR_ECC_UNCORRECTABLE,    CUDA_ERROR_ILLEGAL_ADDRESS,
        CUDA_ERROR_LAUNCH_TIMEOUT,       CUDA_ERROR_ASSERT,
        CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_ADDRESS_SPACE,
        CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED};
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        if (result == lasting[i])
            context->error = result;
    return result;
}

/* The lock is taken, and the fault of the call drawn. */
static CUresult enter_current(const char *name, CUcontext *context, CUresult *given) {
    pthread_mutex_lock(&lock);
    if (initialised_by == 0 || initialised_by != getpid())
        return CUDA_ERROR_NOT_INITIALIZED;
    *context = stacked > 0 ? stack[stacked - 1] : NULL;
    *given = fault_of(name);
    if (*context == NULL || (*context)->retained == 0)
        return *given != CUDA_SUCCESS ? *given : CUDA_ERROR_INVALID_CONTEXT;
    CUresult before = (*context)->error;
    if (*given != CUDA_SUCCESS)
        driver_note(*context, *given);
    return before;
}

CUresult driver_enter_context(const char *name, CUcontext *context) {
    *context = NULL;
    CUresult given = CUDA_SUCCESS, result = enter_current(name, context, &given);
    if (result == CUDA_SUCCESS)
        result = given;
    else if (*context != NULL && (*context)->error != CUDA_SUCCESS && fault.lost_use[0] == '\0')
        snprintf(fault.lost_use, sizeof fault.lost_use, "%s", name);
    return result == CUDA_SUCCESS ? result : driver_leave(result);
}

CUresult driver_enter_release(const char *name, CUcontext *context) {
    CUresult given = CUDA_SUCCESS, result = enter_current(name, context, &given);
    if (result != CUDA_SUCCESS)
        return driver_leave(result);
    afterwards = given;
    return CUDA_SUCCESS;
}

EXPORT CUresult CUDAAPI cuInit(unsigned int flags) {
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (initialised_by != 0 && initialised_by != getpid())
        return driver_leave(CUDA_ERROR_NOT_INITIALIZED);
    if (initialised_by == 0)
        fault_from_environment();
    initialised_by = getpid();
    return driver_leave(fault_of("cuInit"));
}

EXPORT CUresult CUDAAPI cuDriverGetVersion(int *version) {
    CUresult result = driver_enter("cuDriverGetVersion");
    if (result != CUDA_SUCCESS)
        return result;
    *version = (int)driver_number("HOPLITE_PTX_VERSION", CUDA_VERSION);
    return driver_leave(CUDA_SUCCESS);
}

/* --- devices --------------------------------------------------------------------------------- */

static int device_count(void) {
    uint64_t count = driver_number("HOPLITE_PTX_DEVICES", 1);
    return count < DEVICES_MOST ? (int)count : DEVICES_MOST;
}

static CUresult enter_device(const char *name, CUdevice device) {
    CUresult result = driver_enter(name);
    if (result == CUDA_SUCCESS && (device < 0 || device >= device_count()))
        return driver_leave(CUDA_ERROR_INVALID_DEVICE);
    return result;
}

EXPORT CUresult CUDAAPI cuDeviceGetCount(int *count) {
    CUresult result = driver_enter("cuDeviceGetCount");
    if (result != CUDA_SUCCESS)
        return result;
    *count = device_count();
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
    CUresult result = enter_device("cuDeviceGet", ordinal);
    if (result != CUDA_SUCCESS)
        return result;
    *device = ordinal;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice device) {
    CUresult result = enter_device("cuDeviceGetName", device);
    if (result != CUDA_SUCCESS)
        return result;
    snprintf(name, (size_t)length, "PTX interpreter");
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    CUresult result = enter_device("cuDeviceTotalMem_v2", device);
    if (result != CUDA_SUCCESS)
        return result;
    *bytes = driver_memory();
    return driver_leave(CUDA_SUCCESS);
}

static int attribute_of(CUdevice_attribute attribute) {
    int capability = (int)driver_number("HOPLITE_PTX_SM", 75);
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return INT32_MAX;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return SHARED_MOST;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
        return driver_number("HOPLITE_PTX_INTEGRATED", 0) != 0;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return (int)driver_number("HOPLITE_PTX_UNITS", UNITS);
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return capability / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return capability % 10;
    default:
        return 0;
    }
}

EXPORT CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                             CUdevice device) {
    CUresult result = enter_device("cuDeviceGetAttribute", device);
    if (result != CUDA_SUCCESS)
        return result;
    *value = attribute_of(attribute);
    return driver_leave(CUDA_SUCCESS);
}

/* --- contexts -------------------------------------------------------------------------------- */

EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    CUresult result = enter_device("cuDevicePrimaryCtxRetain", device);
    if (result != CUDA_SUCCESS)
        return result;
    CUcontext made = &contexts[device];
    if (made->retained == 0) {
        const ptx_options options = {
            .seed = driver_number("HOPLITE_PTX_SEED", 1),
            .resident = (uint32_t)driver_number("HOPLITE_PTX_RESIDENT", 6),
            .races = driver_number("HOPLITE_PTX_RACES", 1) != 0,
            .weak = driver_number("HOPLITE_PTX_WEAK", 0) != 0,
            .integrated = driver_number("HOPLITE_PTX_INTEGRATED", 0) != 0,
            .count = driver_counting(),
        };
        *made = (struct CUctx_st){.device = device, .machine = ptx_machine_create(&options)};
    }
    made->retained++;
    *context = made;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    pthread_mutex_lock(&lock);
    if (initialised_by != getpid())
        return driver_leave(CUDA_ERROR_NOT_INITIALIZED);
    afterwards = fault_of("cuDevicePrimaryCtxRelease_v2");
    if (device < 0 || device >= DEVICES_MOST || contexts[device].retained == 0)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    CUcontext context = &contexts[device];
    if (--context->retained == 0)
        driver_context_clear(context);
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context) {
    CUresult result = driver_enter("cuCtxPushCurrent_v2");
    if (result != CUDA_SUCCESS)
        return context != NULL ? driver_note(context, result) : result;
    if (context == NULL || context->retained == 0 || stacked == STACK_MOST)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    stack[stacked++] = context;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *context) {
    pthread_mutex_lock(&lock);
    if (initialised_by != getpid())
        return driver_leave(CUDA_ERROR_NOT_INITIALIZED);
    afterwards = fault_of("cuCtxPopCurrent_v2");
    if (stacked == 0)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    stacked--;
    driver_note(stack[stacked], afterwards);
    if (context != NULL)
        *context = stack[stacked];
    return driver_leave(CUDA_SUCCESS);
}

/* What a context has that was not given back, itself aside. */
static unsigned objects_of(CUcontext context) {
    size_t bytes;
    unsigned count = (unsigned)ptx_allocated(context->machine, &bytes);
    for (CUstream stream = context->streams; stream != NULL; stream = stream->next)
        count++;
    for (CUevent event = context->events; event != NULL; event = event->next)
        count++;
    for (CUmodule module = context->modules; module != NULL; module = module->next)
        count++;
    for (pinned_block *block = context->pinned; block != NULL; block = block->next)
        count++;
    return count;
}

/* Of contexts that are no more. In one with an error nothing can be given back. */
static unsigned left_behind;

void driver_context_clear(CUcontext context) {
    if (context->error == CUDA_SUCCESS)
        left_behind += objects_of(context);
    while (context->streams != NULL) {
        CUstream stream = context->streams;
        context->streams = stream->next;
        driver_stream_clear(stream);
        free(stream);
    }
    while (context->events != NULL) {
        CUevent event = context->events;
        context->events = event->next;
        driver_event_free(event);
    }
    while (context->modules != NULL) {
        CUmodule module = context->modules;
        context->modules = module->next;
        for (CUfunction function = module->functions, next; function != NULL; function = next) {
            next = function->next;
            free(function);
        }
        ptx_unload(context->machine, module->module);
        free(module);
    }
    while (context->pinned != NULL) {
        pinned_block *block = context->pinned;
        context->pinned = block->next;
        free(block->memory);
        free(block);
    }
    ptx_machine_free(context->machine);
    context->machine = NULL;
}

unsigned ptx_driver_live(void) {
    pthread_mutex_lock(&lock);
    unsigned live = left_behind;
    for (int i = 0; i < DEVICES_MOST; i++)
        if (contexts[i].retained > 0)
            live += contexts[i].retained + objects_of(&contexts[i]);
    pthread_mutex_unlock(&lock);
    return live;
}
