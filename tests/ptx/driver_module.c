/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules, functions, launches, and what codes are called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/driver.h"
#include "ptx/driver_queue.h"

/* --- planted mistakes ------------------------------------------------------------------------ */

static struct {
    char old[64], new[64];
    unsigned nth, done;
} plant;

void ptx_driver_plant(const char *old, const char *new, unsigned nth) {
    snprintf(plant.old, sizeof plant.old, "%s", old != NULL ? old : "");
    snprintf(plant.new, sizeof plant.new, "%s", old != NULL ? new : "");
    plant.nth = nth;
    plant.done = 0;
}

unsigned ptx_driver_planted(void) {
    return plant.done;
}

static void plant_from_environment(void) {
    const char *given = getenv("HOPLITE_PTX_PLANT");
    const char *arrow = given != NULL ? strstr(given, "=>") : NULL;
    if (arrow != NULL && plant.old[0] == '\0') {
        snprintf(plant.old, sizeof plant.old, "%.*s", (int)(arrow - given), given);
        snprintf(plant.new, sizeof plant.new, "%s", arrow + 2);
    }
}

/* A copy of the text with the mistake in it. */
static char *planted(const char *text) {
    plant_from_environment();
    size_t length = strlen(plant.old), new_length = strlen(plant.new), room = 2 * strlen(text) + 1;
    char *copy = malloc(room), *to = copy;
    unsigned seen = 0;
    if (copy == NULL)
        abort();
    while (*text != '\0') {
        bool here = length > 0 && strncmp(text, plant.old, length) == 0;
        if (here && (++seen == plant.nth || plant.nth == 0) && new_length <= 2 * length) {
            memcpy(to, plant.new, new_length);
            to += new_length;
            text += length;
            plant.done++;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return copy;
}

/* The most items of a group: what the text says, or less, as where a kernel has many registers. */
static uint64_t group_most(const struct ptx_facts *facts) {
    uint64_t most = driver_number("HOPLITE_PTX_GROUP", UINT64_MAX);
    return facts->group_most < most ? facts->group_most : most;
}

/* --- modules --------------------------------------------------------------------------------- */

/* PTX as text; a cubin is for a processor that is not here. */
EXPORT CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image,
                                           unsigned int option_count, CUjit_option *options,
                                           void **values) {
    CUcontext context;
    CUresult result = driver_enter_context("cuModuleLoadDataEx", &context);
    if (result != CUDA_SUCCESS)
        return result;
    (void)option_count, (void)options, (void)values;
    if (memcmp(image, "\177ELF", 4) == 0)
        return driver_leave(CUDA_ERROR_NO_BINARY_FOR_GPU);
    char *copy = planted(image);
    ptx_module *text = ptx_load(context->machine, copy);
    free(copy);
    if (text == NULL) {
        driver_report(context->machine);
        return driver_leave(CUDA_ERROR_INVALID_PTX);
    }
    CUmodule made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
    *made = (struct CUmod_st){context, context->modules, text, NULL};
    context->modules = made;
    *module = made;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuModuleUnload(CUmodule module) {
    CUcontext context;
    CUresult result = driver_enter_release("cuModuleUnload", &context);
    if (result != CUDA_SUCCESS)
        return result;
    CUmodule *link = &context->modules;
    while (*link != NULL && *link != module)
        link = &(*link)->next;
    if (*link == NULL)
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    result = driver_drain(context);
    *link = module->next;
    for (CUfunction function = module->functions, next; function != NULL; function = next) {
        next = function->next;
        free(function);
    }
    ptx_unload(context->machine, module->module);
    free(module);
    return driver_leave(result);
}

EXPORT CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module,
                                            const char *name) {
    CUcontext context;
    CUresult result = driver_enter_context("cuModuleGetFunction", &context);
    if (result != CUDA_SUCCESS)
        return result;
    ptx_kernel *kernel = ptx_find(module->module, name);
    if (kernel == NULL)
        return driver_leave(CUDA_ERROR_NOT_FOUND);
    CUfunction made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
    *made = (struct CUfunc_st){module, module->functions, kernel};
    module->functions = made;
    *function = made;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                           CUfunction function) {
    CUcontext context;
    CUresult result = driver_enter_context("cuFuncGetAttribute", &context);
    if (result != CUDA_SUCCESS)
        return result;
    const struct ptx_facts *facts = ptx_kernel_facts(function->kernel);
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)group_most(facts);
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)facts->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)facts->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)facts->registers;
        break;
    default:
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                           size_t *bytes) {
    CUcontext context;
    CUresult result = driver_enter_context("cuFuncGetParamInfo", &context);
    if (result != CUDA_SUCCESS)
        return result;
    const struct ptx_facts *facts = ptx_kernel_facts(function->kernel);
    if (index >= facts->parameter_count)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    *offset = facts->parameters[index].offset;
    if (bytes != NULL)
        *bytes = facts->parameters[index].bytes;
    return driver_leave(CUDA_SUCCESS);
}

/* The parameters are copied now, in the sizes that the kernel has, whatever the caller meant. */
EXPORT CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int groups_x,
                                       unsigned int groups_y, unsigned int groups_z,
                                       unsigned int group_x, unsigned int group_y,
                                       unsigned int group_z, unsigned int shared_bytes,
                                       CUstream stream, void **parameters, void **extra) {
    CUcontext context;
    CUresult result = driver_enter_context("cuLaunchKernel", &context);
    if (result != CUDA_SUCCESS)
        return result;
    const struct ptx_facts *facts = ptx_kernel_facts(function->kernel);
    uint64_t items = (uint64_t)group_x * group_y * group_z;
    bool fits = groups_x > 0 && groups_y > 0 && groups_z > 0 && groups_x <= INT32_MAX &&
                groups_y <= 65535 && groups_z <= 65535 && items > 0 && items <= group_most(facts);
    if (!driver_stream_known(context, stream))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    if (!fits || shared_bytes != 0 || extra != NULL || facts->shared_bytes > 49152)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    command *what = driver_queue_add(stream, LAUNCH, facts->parameter_bytes);
    driver_counts.launches++;
    what->function = function;
    memcpy(what->groups, (uint32_t[]){groups_x, groups_y, groups_z}, sizeof what->groups);
    memcpy(what->group, (uint32_t[]){group_x, group_y, group_z}, sizeof what->group);
    for (uint32_t i = 0; i < facts->parameter_count; i++)
        memcpy(what->parameters + facts->parameters[i].offset, parameters[i],
               facts->parameters[i].bytes);
    return driver_leave(CUDA_SUCCESS);
}

/* --- codes ----------------------------------------------------------------------------------- */

static const struct {
    CUresult code;
    const char *name, *words;
} codes[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "illegal instruction"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult code_words(CUresult code, const char **text, bool name) {
    *text = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code) {
            *text = name ? codes[i].name : codes[i].words;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult CUDAAPI cuGetErrorName(CUresult code, const char **text) {
    return code_words(code, text, true);
}

EXPORT CUresult CUDAAPI cuGetErrorString(CUresult code, const char **text) {
    return code_words(code, text, false);
}
