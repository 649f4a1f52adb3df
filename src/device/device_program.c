/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs, kernels and launches. A program is the concatenation of its sources, each behind a
 * #line of its own so that a compiler's complaint names the file. Programs are kept by the device
 * under the hash of everything that they depend on. */
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/memory.h"
#include "core/timing.h"
#include "core/try.h"
#include "device/backend.h"
#include "device/program_cache.h"

enum { OPTIONS_LONGEST = 1024, GROUPS_PER_UNIT_FEW = 8, GROUPS_PER_UNIT = 16 };

/* Programs and kernels live as long as the device, so, like it, they are not charged. */
static void *keep(hop__device *device, size_t bytes) {
    const hop_allocator *allocator = &device->context->options.allocator;
    void *block = allocator->allocate(allocator->user, bytes, 64);
    if (block != NULL)
        memset(block, 0, bytes);
    else
        hop__fail(device->context, HOP_ERR_MEMORY, "device %s: the allocator refused %zu bytes",
                  device->info.name, bytes);
    return block;
}

static void forget(hop__device *device, void *block, size_t bytes) {
    const hop_allocator *allocator = &device->context->options.allocator;
    if (block != NULL)
        allocator->release(allocator->user, block, bytes);
}

/* --- the text and its key -------------------------------------------------------------------- */

static hop_status join_sources(hop_context *context, const hop__program_source *source,
                               char **text) {
    static const char format[] = "#line 1 \"%s\"\n%s\n";
    size_t length = 1;
    for (size_t i = 0; i < source->count; i++)
        length +=
            strlen(source->sources[i]->name) + strlen(source->sources[i]->text) + sizeof format;
    hop_status status = hop__alloc(context, "kernel source", length, 1, text);
    if (status != HOP_OK)
        return status;
    char *end = *text;
    *end = '\0';
    for (size_t i = 0; i < source->count; i++)
        end += sprintf(end, format, source->sources[i]->name, source->sources[i]->text);
    return HOP_OK;
}

static hop_status join_options(hop__device *device, const hop__define *defines, size_t count,
                               char options[OPTIONS_LONGEST]) {
    unsigned has = device->info.capabilities;
    int length =
        snprintf(options, OPTIONS_LONGEST,
                 "-DHOP_CPU=%d -DHOP_ATOMIC64=%d -DHOP_FLOAT64=%d -DHOP_PREFETCH=%d "
                 "-DHOP_WARPS=%d",
                 (has & HOP_DEVICE_CHUNKED) != 0, (has & HOP_DEVICE_ATOMIC64) != 0,
                 (has & HOP_DEVICE_FLOAT64) != 0, device->prefetch, (has & HOP_DEVICE_WARPS) != 0);
    for (size_t i = 0; i < count && length < OPTIONS_LONGEST; i++)
        length += snprintf(options + length, (size_t)(OPTIONS_LONGEST - length), " -D%s=%lld",
                           defines[i].name, (long long)defines[i].value);
    if (length < OPTIONS_LONGEST)
        return HOP_OK;
    return hop__fail(device->context, HOP_ERR_ARGUMENT, "device %s: %zu definitions are too many",
                     device->info.name, count);
}

static void hash_text(XXH3_state_t *state, const char *text) {
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

static void hash_device(XXH3_state_t *state, const hop__device *device) {
    XXH3_128bits_reset(state);
    hash_text(state, device->backend->name);
    hash_text(state, device->info.platform);
    hash_text(state, device->info.driver);
    hash_text(state, device->info.vendor);
    hash_text(state, device->info.title);
    hash_text(state, device->backend->flags);
}

static void end_key(XXH3_state_t *state, uint64_t key[2]) {
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    key[0] = hash.high64;
    key[1] = hash.low64;
}

static void make_key(const hop__device *device, const char *text, const char *options,
                     uint64_t key[2]) {
    XXH3_state_t state;
    hash_device(&state, device);
    hash_text(&state, options);
    hash_text(&state, text);
    end_key(&state, key);
}

/* Of what is noted about tests. Of two devices of one kind each has its own: the name. */
static void make_note_key(const hop__device *device, const hop__program_source *tests,
                          uint64_t key[2]) {
    XXH3_state_t state;
    hash_device(&state, device);
    hash_text(&state, "known answers");
    hash_text(&state, device->info.name);
    for (size_t i = 0; i < tests->count; i++)
        hash_text(&state, tests->sources[i]->text);
    end_key(&state, key);
}

bool hop__device_has_passed(hop__device *device, const hop__program_source *tests) {
    uint64_t key[2];
    size_t bytes;
    if (device->passed)
        return true;
    make_note_key(device, tests, key);
    void *note = hop__cache_load(device->context, device->cache, key, &bytes);
    device->passed = note != NULL;
    hop__free(note);
    return device->passed;
}

void hop__device_pass(hop__device *device, const hop__program_source *tests) {
    static const char note[] = "known answers: right";
    uint64_t key[2];
    device->passed = true;
    make_note_key(device, tests, key);
    if (device->cache >= 0)
        hop__cache_store(device->context, device->cache, key, note, sizeof note);
}

/* --- programs -------------------------------------------------------------------------------- */

static const double compiling_long = 0.5; /* seconds from which on it is said */

/* Who waits wants to know why, and that it is not for every time. */
static void tell_compiling(hop__device *device) {
    if (device->compiling_told || device->compiling < compiling_long)
        return;
    device->compiling_told = true;
    if (device->cache >= 0)
        hop__log(device->context, HOP_LOG_WARNING,
                 "device %s: its kernels are compiled, once; they are kept in %s",
                 device->info.name, device->cache_path);
    else
        hop__log(device->context, HOP_LOG_WARNING,
                 "device %s: its kernels are compiled, and there is no cache to keep them in",
                 device->info.name);
}

double hop__device_compiling(const hop__device *device) {
    return device->compiling;
}

/* From the cache if it is there and the driver takes it, else from source, and then kept. */
static hop_status program_fill(hop__program *program, const char *text, const char *options) {
    hop__device *device = program->device;
    size_t bytes;
    void *binary = hop__cache_load(device->context, device->cache, program->key, &bytes);
    if (binary != NULL) {
        program->from_cache =
            device->backend->program_load(program, binary, bytes, options) == HOP_OK;
        hop__free(binary);
        if (program->from_cache)
            return HOP_OK;
        hop__log(device->context, HOP_LOG_WARNING,
                 "kernel cache: device %s did not take program %s; it is compiled again",
                 device->info.name, program->name);
    }
    double begin = hop__now();
    hop_status status = device->backend->program_build(program, text, options);
    device->compiling += hop__now() - begin;
    tell_compiling(device);
    if (status != HOP_OK || device->cache < 0)
        return status;
    if (device->backend->program_binary(program, &binary, &bytes) == HOP_OK && bytes > 0)
        hop__cache_store(device->context, device->cache, program->key, binary, bytes);
    forget(device, binary, bytes);
    return HOP_OK;
}

static hop_status program_make(hop__device *device, const hop__program_source *source,
                               const uint64_t key[2], const char *text, const char *options,
                               hop__program **program) {
    hop__program *made = keep(device, sizeof *made);
    if (made == NULL)
        return HOP_ERR_MEMORY;
    made->device = device;
    made->name = source->name;
    made->source = source;
    memcpy(made->key, key, sizeof made->key);
    hop_status status = program_fill(made, text, options);
    if (status != HOP_OK) {
        hop__program_free(made);
        return status;
    }
    made->next = device->programs;
    device->programs = made;
    *program = made;
    return HOP_OK;
}

hop_status hop__program_get(hop__device *device, const hop__program_source *source,
                            const hop__define *defines, size_t define_count,
                            hop__program **program) {
    hop_status status;
    char *text = NULL;
    char options[OPTIONS_LONGEST];
    uint64_t key[2];
    *program = NULL;
    HOP_TRY(status, hop__device_alive(device));
    HOP_TRY(status, join_options(device, defines, define_count, options));
    HOP_TRY(status, join_sources(device->context, source, &text));
    make_key(device, text, options, key);
    for (hop__program *known = device->programs; known != NULL; known = known->next)
        if (memcmp(known->key, key, sizeof key) == 0)
            *program = known;
    if (*program == NULL)
        HOP_TRY(status, program_make(device, source, key, text, options, program));
done:
    hop__free(text);
    return status;
}

void hop__program_free(hop__program *program) {
    hop__device *device = program->device;
    while (program->kernels != NULL) {
        hop__kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        device->backend->kernel_free(kernel);
        forget(device, kernel, sizeof *kernel);
    }
    device->backend->program_free(program);
    forget(device, program, sizeof *program);
}

/* --- kernels --------------------------------------------------------------------------------- */

hop_status hop__kernel_get(hop__program *program, const char *name, hop__kernel **kernel) {
    hop__device *device = program->device;
    *kernel = NULL;
    hop_status status = hop__device_alive(device);
    if (status != HOP_OK)
        return status;
    for (hop__kernel *known = program->kernels; known != NULL; known = known->next)
        if (strcmp(known->tally.name, name) == 0) {
            *kernel = known;
            return HOP_OK;
        }
    hop__kernel *made = keep(device, sizeof *made);
    if (made == NULL)
        return HOP_ERR_MEMORY;
    made->program = program;
    made->tally.name = name;
    status = device->backend->kernel_create(made, name);
    if (status != HOP_OK) {
        device->backend->kernel_free(made);
        forget(device, made, sizeof *made);
        return status;
    }
    made->read_count = hop__signatures_read(program->source, name, made->read);
    made->next = program->kernels;
    program->kernels = made;
    *kernel = made;
    return HOP_OK;
}

hop__tally hop__kernel_tally_take(hop__kernel *kernel) {
    hop__tally taken = kernel->tally;
    kernel->tally = (hop__tally){.name = taken.name};
    return taken;
}

hop__shape hop__shape_of(uint64_t groups, uint32_t group) {
    uint32_t number = groups > UINT32_MAX ? UINT32_MAX : (uint32_t)groups;
    return (hop__shape){.groups = {number > 0 ? number : 1, 1}, .group = {group, 1}};
}

hop__shape hop__grid(uint64_t count, uint32_t group) {
    return hop__shape_of(count / group + (count % group != 0), group);
}

uint64_t hop__most_groups(const hop_device_info *info) {
    uint64_t units = info->compute_units > 0 ? info->compute_units : 1;
    return units * (info->capabilities & HOP_DEVICE_FEW ? GROUPS_PER_UNIT_FEW : GROUPS_PER_UNIT);
}

hop__shape hop__fill_device(const hop__device *device, uint64_t count, uint32_t group) {
    uint64_t groups = hop__most_groups(&device->info);
    hop__shape most = hop__grid(count, group);
    return groups < most.groups[0] ? hop__shape_of(groups, group) : most;
}

bool hop__device_smaller_groups(hop__device *device) {
    uint32_t most = device->group_refused;
    device->group_refused = 0;
    if (most == 0 || most >= device->info.group_size)
        return false;
    device->info.group_size = most;
    hop__log(device->context, HOP_LOG_WARNING,
             "device %s: groups have at most %u work-items from now on: a kernel takes no more",
             device->info.name, most);
    return true;
}

/* Both who tells of it must agree. */
static hop_status check_arguments(const hop__kernel *kernel, const hop__argument *arguments,
                                  size_t count) {
    const hop__device *device = kernel->program->device;
    char text[128] = "";
    bool fits = (kernel->told.count == 0 && count <= HOP__PARAMETERS) ||
                hop__signature_fits(&kernel->told, arguments, count, text);
    if (fits && kernel->read_count > 0) {
        fits = false;
        for (size_t i = 0; i < kernel->read_count && !fits; i++)
            fits = hop__signature_fits(&kernel->read[i], arguments, count, text);
    }
    if (fits)
        return HOP_OK;
    hop__fail(device->context, HOP_ERR_DEVICE, "device %s: kernel %s %s", device->info.name,
              kernel->tally.name, text);
    return hop__note_name(device->context, HOP_KIND_DEVICE, device->info.name);
}

hop_status hop__launch(hop__kernel *kernel, hop__shape shape, const hop__argument *arguments,
                       size_t argument_count) {
    hop__device *device = kernel->program->device;
    uintptr_t timer = 0;
    uint64_t items = (uint64_t)shape.group[0] * shape.group[1];
    hop_status status = hop__device_alive(device);
    if (status != HOP_OK)
        return status;
    if (items == 0 || items > kernel->group_most) {
        device->group_refused = kernel->group_most;
        return hop__fail(device->context, HOP_ERR_DEVICE,
                         "device %s: a group of %s may have 1 to %u work-items here, not %llu",
                         device->info.name, kernel->tally.name, kernel->group_most,
                         (unsigned long long)items);
    }
    status = check_arguments(kernel, arguments, argument_count);
    if (status != HOP_OK)
        return status;
    device->busy |= 1u << HOP__QUEUE_COMPUTE;
    status = device->backend->launch(kernel, &shape, arguments, argument_count, &timer);
    if (status != HOP_OK)
        return status;
    return hop__timer_add(device, HOP__QUEUE_COMPUTE, &kernel->tally, timer, shape.bytes,
                          shape.items);
}
