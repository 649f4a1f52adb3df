/* SPDX-License-Identifier: Apache-2.0
 *
 * Making and freeing contexts, and reporting through them.
 *
 * The context and its pool come from the caller's allocator but are not charged to the budget:
 * what hop_context_memory_used reports is the data of the calls alone, and returns to 0. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/context_internal.h"
#include "core/machine_share.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/printable.h"

/* There is no context yet that could keep a message, so it goes to the log if there is one. */
HOP_PRINTF(3, 4)
static hop_status refuse(const hop_context_options *options, hop_status status, const char *format,
                         ...) {
    if (options->log != NULL) {
        char message[256];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        options->log(options->log_user, HOP_LOG_ERROR, message);
    }
    return status;
}

static hop_status options_read(const hop_context_options *given, hop_context_options *options) {
    const hop_context_options defaults = HOP_CONTEXT_OPTIONS_INIT;
    *options = defaults;
    switch (hop__options_copy(given, options, sizeof *options)) {
    case HOP__OPTIONS_NO_SIZE:
        return HOP_ERR_ARGUMENT; /* not initialised: even its log callback cannot be trusted */
    case HOP__OPTIONS_UNKNOWN:
        return refuse(options, HOP_ERR_UNSUPPORTED,
                      "context: the options are %zu bytes long and use one after the first "
                      "%zu, which this version of the library does not know; update it",
                      given->size, sizeof *options);
    default:
        return HOP_OK;
    }
}

static hop_status options_check(const hop_context_options *options) {
    if (options->threads > HOP__THREADS_MAX)
        return refuse(options, HOP_ERR_ARGUMENT,
                      "context: %u threads asked for; at most %d can be had, 0 is one per core",
                      options->threads, HOP__THREADS_MAX);
    if ((unsigned)options->log_level > HOP_LOG_DEBUG)
        return refuse(options, HOP_ERR_ARGUMENT, "context: log level %d; expected 0 (error) to 3",
                      (int)options->log_level);
    const hop_allocator *allocator = &options->allocator;
    bool own =
        allocator->allocate == NULL && allocator->release == NULL && allocator->resize == NULL;
    if (!own && (allocator->allocate == NULL || allocator->release == NULL))
        return refuse(options, HOP_ERR_ARGUMENT,
                      "context: the allocator has no %s; set allocate and release, or none",
                      allocator->allocate == NULL ? "allocate" : "release");
    if (options->device != NULL &&
        strlen(options->device) >= sizeof(((hop_context *)NULL)->device_name))
        return refuse(options, HOP_ERR_ARGUMENT,
                      "context: the name of the device has %zu characters; names are like "
                      "'opencl:0.0'",
                      strlen(options->device));
    return HOP_OK;
}

hop_status hop_context_create(const hop_context_options *given, hop_context **context) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    *context = NULL;
    hop_context_options options;
    hop_status status = options_read(given, &options);
    if (status == HOP_OK)
        status = options_check(&options);
    if (status != HOP_OK)
        return status;
    unsigned cores = hop__cores();
    bool default_threads = options.threads == 0;
    if (default_threads)
        options.threads = cores;
    if (options.memory_budget == 0)
        options.memory_budget = hop__default_budget(hop__machine_memory());
    if (options.allocator.allocate == NULL)
        options.allocator = hop__default_allocator;

    const hop_allocator *allocator = &options.allocator;
    hop_context *made = allocator->allocate(allocator->user, sizeof *made, 64);
    if (made == NULL)
        return refuse(&options, HOP_ERR_MEMORY, "context: the allocator refused %zu bytes",
                      sizeof *made);
    memset(made, 0, sizeof *made);
    hop__failure_clear(&made->failure, HOP_OK);
    made->options = options;
    made->team_size = options.threads;
    made->default_threads = default_threads;
    if (options.device != NULL) {
        snprintf(made->device_name, sizeof made->device_name, "%s", options.device);
        made->options.device = made->device_name;
    }
    status = hop__pool_create(allocator, options.memory_budget, &made->pool);
    if (status != HOP_OK) {
        allocator->release(allocator->user, made, sizeof *made);
        return refuse(&options, status, "context: the allocator refused the memory pool");
    }
    hop__tuning_init(&made->tuning);
    atomic_init(&made->phase_done, 0);
    atomic_init(&made->cancelled, false);
    *context = made;
    return HOP_OK;
}

void hop_context_free(hop_context *context) {
    if (context == NULL)
        return;
    hop_allocator allocator = context->options.allocator;
    if (context->device != NULL)
        context->device_close(context->device);
    hop__free(context->cycle);
    hop__pool_release(context->pool);
    allocator.release(allocator.user, context, sizeof *context);
}

const char *hop_context_message(const hop_context *context) {
    return context == NULL ? "" : context->failure.message;
}

unsigned hop_context_threads(const hop_context *context) {
    return context->options.threads;
}

uint64_t hop_context_seed(const hop_context *context) {
    return context->options.seed;
}

void hop_context_set_seed(hop_context *context, uint64_t seed) {
    context->options.seed = seed;
}

uint64_t hop_context_memory_budget(const hop_context *context) {
    return hop__pool_usage(context->pool).budget;
}

uint64_t hop_context_memory_used(const hop_context *context) {
    return hop__pool_usage(context->pool).used;
}

uint64_t hop_context_memory_peak(const hop_context *context) {
    return hop__pool_usage(context->pool).peak;
}

void hop_context_reset_peak(hop_context *context) {
    hop__pool_reset_peak(context->pool);
}

hop_status hop_block_create(hop_context *context, const char *what, uint64_t count, size_t size,
                            void **block) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (what == NULL || block == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_block_create: %s is NULL",
                         what == NULL ? "the name" : "the result");
    return hop__alloc(context, what, count, size, block);
}

void hop_block_free(void *block) {
    hop__free(block);
}

bool hop__log_wanted(const hop_context *context, hop_log_level level) {
    return context->options.log != NULL && level <= context->options.log_level;
}

static void log_text(hop_context *context, hop_log_level level, const char *format,
                     va_list arguments) {
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    hop__printable(message, sizeof message);
    context->options.log(context->options.log_user, level, message);
}

void hop__log(hop_context *context, hop_log_level level, const char *format, ...) {
    if (!hop__log_wanted(context, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    log_text(context, level, format, arguments);
    va_end(arguments);
}

void hop__log_remedy(hop_context *context, hop_log_level level, hop_remedy remedy,
                     const char *format, ...) {
    if (!hop__log_wanted(context, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    context->log_remedy = remedy;
    log_text(context, level, format, arguments);
    context->log_remedy = HOP_REMEDY_NONE;
    va_end(arguments);
}

hop_remedy hop_context_log_remedy(const hop_context *context) {
    return context == NULL ? HOP_REMEDY_NONE : context->log_remedy;
}

const char *hop__size_text(uint64_t bytes, char text[16]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, 16, "%u bytes", (unsigned)bytes);
        return text;
    }
    unsigned unit = 0;
    double value = (double)bytes / 1024;
    /* 1023.95 and more would be printed as 1024.0. */
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 16, "%.1f %s", value, units[unit]);
    return text;
}
