/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share: the context that they work in, and how they say that something does
 * not hold. */
#ifndef HOPLITE_FUZZ_TARGET_H
#define HOPLITE_FUZZ_TARGET_H

#include <stdbool.h>
#include <stdint.h>
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

/* The tests, which try thousands of inputs and not millions, leave nothing out (replay.c). */
extern bool fuzz_all;

/* A number for these bytes, the same in every process (FNV-1a). */
static inline uint64_t fuzz_hash(const void *bytes, size_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* Whether what is slow is done for this hash of an input, or of what it contains: for one in `of`.
 */
static inline bool fuzz_chosen(uint64_t hash, unsigned of) {
    return fuzz_all || hash % of == 0;
}

/* Whether this hash did not come lately: most changes of a file leave the same graph, or none. */
static inline bool fuzz_is_new(uint64_t hash) {
    static uint64_t seen[1 << 12];
    uint64_t *place = &seen[(hash >> 20) % (sizeof seen / sizeof seen[0])];
    bool is_new = *place != hash;
    *place = hash;
    return fuzz_all || is_new;
}

/* What does not hold ends the process, as libFuzzer expects. */
static inline void require(bool truth, const char *what, const hop_context *context) {
    if (truth)
        return;
    fprintf(stderr, "not true: %s; last message: %s\n", what, hop_context_message(context));
    abort();
}

#endif
