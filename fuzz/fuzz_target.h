/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share: the context that they work in, and how they say that something does
 * not hold. */
#ifndef HOPLITE_FUZZ_TARGET_H
#define HOPLITE_FUZZ_TARGET_H

#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Counts the warnings of a context. */
static inline void fuzz_count_warning(void *warnings, hop_log_level level, const char *message) {
    (void)message;
    *(unsigned *)warnings += level == HOP_LOG_WARNING;
}

/* Warnings so far in the context below. */
static inline unsigned *fuzz_warnings(void) {
    static unsigned warnings;
    return &warnings;
}

/* One thread, 64 MiB; the same for all inputs of a process. */
static inline hop_context *fuzz_context(void) {
    static hop_context *context = NULL;
    if (context == NULL) {
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.threads = 1;
        options.memory_budget = 64 << 20;
        options.log = fuzz_count_warning;
        options.log_user = fuzz_warnings();
        if (hop_context_create(&options, &context) != HOP_OK)
            abort();
    }
    return context;
}

/* What does not hold ends the process, as libFuzzer expects. */
static inline void require(bool truth, const char *what, const hop_context *context) {
    if (truth)
        return;
    fprintf(stderr, "not true: %s; last message: %s\n", what, hop_context_message(context));
    abort();
}

#endif
