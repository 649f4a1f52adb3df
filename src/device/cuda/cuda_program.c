/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs, kernels and launches of CUDA and HIP. The vendor's compiler compiles for the device's
 * architecture, without contracting products and sums: the answers are the host's, bit by bit. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "device/cuda/cuda_internal.h"

enum { OPTIONS_LONGEST = 1280, OPTIONS_MOST = 96, LINES_MOST = 20 };

/* Not charged to the host's budget, like all that the backend holds. */
void hop__cuda_image_drop(hop__device *device) {
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop_allocator *allocator = &device->context->options.allocator;
    if (driver->image != NULL)
        allocator->release(allocator->user, driver->image, driver->image_bytes);
    driver->image = NULL;
    driver->compiled = NULL;
    driver->image_bytes = 0;
}

/* --- compiling ------------------------------------------------------------------------------- */

typedef struct option_list {
    char words[OPTIONS_LONGEST];
    const char *all[OPTIONS_MOST];
    int count;
} option_list;

/* "-DA=1 -DB=2" becomes one entry each, behind those of every program. */
static void make_options(const hop__device *device, const char *options, option_list *list) {
    const hop__cuda_driver *driver = hop__cuda_of(device);
    list->count = 0;
    list->all[list->count++] = driver->target.option;
    snprintf(list->words, sizeof list->words, "%s %s", device->backend->flags, options);
    char *rest = NULL;
    for (char *word = strtok_r(list->words, " ", &rest); word != NULL && list->count < OPTIONS_MOST;
         word = strtok_r(NULL, " ", &rest))
        list->all[list->count++] = word;
}

/* The compiler's words: their first lines to the log, each by itself, and the first line with an
 * error to the message. */
static hop_status report_compile(hop__program *program, hop__nvrtc_program made,
                                 hop__cuda_code code) {
    hop__device *device = program->device;
    const hop__nvrtc *nvrtc = &hop__cuda_of(device)->nvrtc;
    size_t length = 0;
    char *words = NULL;
    const char *first = "the compiler said nothing";
    if (nvrtc->GetProgramLogSize(made, &length) == 0 &&
        hop__alloc_zero(device->context, "build log", length + 1, 1, &words) == HOP_OK &&
        nvrtc->GetProgramLog(made, words) == 0) {
        const char *line = words;
        for (int i = 0; i < LINES_MOST && *line != '\0'; i++) {
            int end = (int)strcspn(line, "\n");
            hop__log(device->context, HOP_LOG_ERROR, "device %s: program %s: %.*s",
                     device->info.name, program->name, end, line);
            line += end + (line[end] == '\n');
        }
        const char *error = strstr(words, "error");
        first = error != NULL ? error : words;
    }
    hop_status status =
        hop__device_fail(device, HOP__FAULT_CALL, "%s failed with code %u: program %s: %.*s",
                         hop__nvrtc_name_of(nvrtc, HOP__NVRTC_CALL(CompileProgram)).text, code,
                         program->name, (int)strcspn(first, "\n"), first);
    hop__free(words);
    return status;
}

/* What was compiled, into driver->image. */
static hop_status take_image(hop__program *program, hop__nvrtc_program made) {
    hop__device *device = program->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    const hop__nvrtc *nvrtc = &driver->nvrtc;
    const hop_allocator *allocator = &device->context->options.allocator;
    bool ptx = driver->target.ptx;
    size_t bytes = 0;
    hop__cuda_image_drop(device);
    hop__cuda_code code = ptx ? nvrtc->GetPTXSize(made, &bytes) : nvrtc->GetCUBINSize(made, &bytes);
    if (code == 0 && bytes > 0) {
        driver->image = allocator->allocate(allocator->user, bytes, 64);
        if (driver->image == NULL)
            return hop__fail(device->context, HOP_ERR_MEMORY,
                             "device %s: the allocator refused %zu bytes for program %s",
                             device->info.name, bytes, program->name);
        driver->image_bytes = bytes;
        code = ptx ? nvrtc->GetPTX(made, driver->image) : nvrtc->GetCUBIN(made, driver->image);
    }
    if (code != 0 || bytes == 0) {
        hop__cuda_image_drop(device);
        return hop__device_fail(device, HOP__FAULT_CALL,
                                "%s gives no code for program %s: code %u, %zu bytes",
                                nvrtc->dialect->compiler, program->name, code, bytes);
    }
    driver->compiled = program;
    return HOP_OK;
}

static hop_status compile(hop__program *program, const char *text, const char *options) {
    hop__device *device = program->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__nvrtc_program made = NULL;
    option_list list;
    make_options(device, options, &list);
    hop__cuda_code code = driver->nvrtc.CreateProgram(&made, text, program->name, 0, NULL, NULL);
    if (code != 0)
        return hop__device_fail(
            device, HOP__FAULT_CALL, "%s failed with code %u: program %s",
            hop__nvrtc_name_of(&driver->nvrtc, HOP__NVRTC_CALL(CreateProgram)).text, code,
            program->name);
    code = driver->nvrtc.CompileProgram(made, list.count, list.all);
    hop_status status = code == 0 ? take_image(program, made) : report_compile(program, made, code);
    driver->nvrtc.DestroyProgram(&made);
    return status;
}

/* --- programs -------------------------------------------------------------------------------- */

static hop__cuda_code load(hop__program *program, const void *image) {
    hop__cuda_driver *driver = hop__cuda_of(program->device);
    hop__cuda_module module = NULL;
    hop__cuda_code code = driver->call.ModuleLoadDataEx(&module, image, 0, NULL, NULL);
    if (code == 0)
        program->handle = (uintptr_t)module;
    return hop__cuda_note(driver, code);
}

hop_status hop__cuda_program_build(hop__program *program, const char *text, const char *options) {
    hop__device *device = program->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    bool alone = hop__progress_join(device->context, "compile kernels");
    hop_status status = compile(program, text, options);
    hop_status cancelled = hop__progress_leave(device->context, alone);
    if (status == HOP_OK)
        status = cancelled;
    if (status == HOP_OK)
        status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    hop__cuda_code code = load(program, driver->image);
    if (code != 0)
        status = hop__cuda_fail(device, HOP__CUDA_CALL(ModuleLoadDataEx), false, code,
                                "program %s, %zu bytes", program->name, driver->image_bytes);
    hop__cuda_leave(device);
    if (device->cache < 0)
        hop__cuda_image_drop(device); /* nobody asks for it */
    return status;
}

/* PTX ends with a zero byte, which the driver relies on. */
hop_status hop__cuda_program_load(hop__program *program, const void *binary, size_t bytes,
                                  const char *options) {
    hop__cuda_driver *driver = hop__cuda_of(program->device);
    const char *image = binary;
    (void)options;
    if (bytes < 5 || driver->gone != 0 ||
        (driver->target.ptx && memcmp(image, "\177ELF", 4) != 0 && image[bytes - 1] != '\0') ||
        hop__cuda_note(driver, driver->call.CtxPushCurrent(driver->context)) != 0)
        return HOP_ERR_DEVICE;
    hop__cuda_code code = load(program, binary);
    hop__cuda_leave(program->device);
    return code == 0 ? HOP_OK : HOP_ERR_DEVICE;
}

hop_status hop__cuda_program_binary(hop__program *program, void **binary, size_t *bytes) {
    hop__cuda_driver *driver = hop__cuda_of(program->device);
    *binary = NULL;
    *bytes = 0;
    if (driver->compiled != program)
        return HOP_OK;
    *binary = driver->image;
    *bytes = driver->image_bytes;
    driver->image = NULL; /* the caller's now */
    hop__cuda_image_drop(program->device);
    return HOP_OK;
}

void hop__cuda_program_free(hop__program *program) {
    hop__cuda_driver *driver = hop__cuda_of(program->device);
    if (program->handle != 0 && hop__cuda_enter_to_free(driver)) {
        hop__cuda_note(driver, driver->call.ModuleUnload((hop__cuda_module)program->handle));
        hop__cuda_leave(program->device);
    }
    program->handle = 0;
    if (driver->compiled == program)
        hop__cuda_image_drop(program->device);
}

/* --- kernels --------------------------------------------------------------------------------- */

/* The sizes of the parameters, where the driver tells (12.4 and later): all of them or none. */
static void ask_parameters(hop__cuda_driver *driver, hop__kernel *kernel) {
    size_t offset, bytes = 0;
    hop__signature *told = &kernel->told;
    hop__cuda_code code = 0;
    while (driver->call.FuncGetParamInfo != NULL && told->count < HOP__PARAMETERS) {
        code = driver->call.FuncGetParamInfo((hop__cuda_function)kernel->handle, told->count,
                                             &offset, &bytes);
        if (hop__cuda_note(driver, code) != 0)
            break;
        told->takes[told->count++] =
            (uint8_t)(bytes == sizeof(hop__cuda_address) ? bytes | HOP__TAKES_BUFFER : bytes);
    }
    if (code != HOP__CUDA_INVALID_VALUE) /* which says that there are no more */
        told->count = 0;
}

static hop_status find_kernel(hop__kernel *kernel, const char *name) {
    hop__device *device = kernel->program->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_function found = NULL;
    int most = 0;
    hop__cuda_code code =
        driver->call.ModuleGetFunction(&found, (hop__cuda_module)kernel->program->handle, name);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(ModuleGetFunction), false, code,
                              "%s of program %s", name, kernel->program->name);
    kernel->handle = (uintptr_t)found;
    code = driver->call.FuncGetAttribute(&most, HOP__CUDA_FUNCTION_MAX_THREADS, found);
    if (code != 0)
        return hop__cuda_fail(device, HOP__CUDA_CALL(FuncGetAttribute), false, code, "%s", name);
    kernel->group_most = most > 0 ? (uint32_t)most : 0;
    ask_parameters(driver, kernel);
    return HOP_OK;
}

hop_status hop__cuda_kernel_create(hop__kernel *kernel, const char *name) {
    hop__device *device = kernel->program->device;
    hop_status status = hop__cuda_enter(device);
    if (status != HOP_OK)
        return status;
    status = find_kernel(kernel, name);
    hop__cuda_leave(device);
    return status;
}

/* It is its module's. */
void hop__cuda_kernel_free(hop__kernel *kernel) {
    kernel->handle = 0;
}

static hop_status check_grid(const hop__kernel *kernel, const hop__shape *shape) {
    enum { GRID_Y = 65535 };
    uint64_t most = hop__cuda_of(kernel->program->device)->call.dialect->items_most;
    if (shape->groups[0] <= INT32_MAX && shape->groups[1] <= GRID_Y &&
        (most == 0 || (uint64_t)shape->groups[0] * shape->group[0] <= most))
        return HOP_OK;
    return hop__device_fail(kernel->program->device, HOP__FAULT_CALL,
                            "a launch of %s has at most %d x %d groups, not %u x %u",
                            kernel->tally.name, INT32_MAX, GRID_Y, shape->groups[0],
                            shape->groups[1]);
}

static hop_status launch(hop__kernel *kernel, const hop__shape *shape,
                         const hop__argument *arguments, size_t count) {
    hop__device *device = kernel->program->device;
    hop__cuda_driver *driver = hop__cuda_of(device);
    hop__cuda_address addresses[HOP__PARAMETERS];
    void *parameters[HOP__PARAMETERS];
    for (size_t i = 0; i < count; i++) {
        addresses[i] = arguments[i].buffer != NULL ? arguments[i].buffer->handle : 0;
        parameters[i] = arguments[i].buffer != NULL ? (void *)&addresses[i]
                                                    : (void *)(uintptr_t)&arguments[i].value;
    }
    hop__cuda_code code = driver->call.LaunchKernel(
        (hop__cuda_function)kernel->handle, shape->groups[0], shape->groups[1], 1, shape->group[0],
        shape->group[1], 1, 0, driver->streams[HOP__QUEUE_COMPUTE], parameters, NULL);
    if (code == 0)
        return HOP_OK;
    return hop__cuda_fail(device, HOP__CUDA_CALL(LaunchKernel), false, code,
                          "%s, %u x %u groups of %u x %u", kernel->tally.name, shape->groups[0],
                          shape->groups[1], shape->group[0], shape->group[1]);
}

hop_status hop__cuda_launch(hop__kernel *kernel, const hop__shape *shape,
                            const hop__argument *arguments, size_t count, uintptr_t *handle) {
    hop__device *device = kernel->program->device;
    hop__cuda_mark *timer = NULL;
    hop_status status;
    HOP_TRY(status, check_grid(kernel, shape));
    HOP_TRY(status, hop__cuda_enter(device));
    status = hop__cuda_timer_begin(device, HOP__QUEUE_COMPUTE, &timer);
    if (status == HOP_OK) {
        status = launch(kernel, shape, arguments, count);
        status = hop__cuda_timer_end(device, HOP__QUEUE_COMPUTE, timer, status, handle);
    }
    hop__cuda_leave(device);
done:
    return status;
}
