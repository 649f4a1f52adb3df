/* SPDX-License-Identifier: Apache-2.0
 * Compiled programs are not kept on Windows: whose a folder is cannot be told by its mode there. */
#include "device/program_cache.h"

#include <stdio.h>

int hop__cache_open(char path[HOP__CACHE_PATH], char why[256]) {
    path[0] = '\0';
    snprintf(why, 256, "there is none on Windows");
    return -1;
}

void *hop__cache_load(hop_context *context, int folder, const uint64_t key[2], size_t *bytes) {
    (void)context, (void)folder, (void)key;
    *bytes = 0;
    return NULL;
}

void hop__cache_prune(hop_context *context, int folder, const uint64_t key[2], uint64_t limit) {
    (void)context, (void)folder, (void)key, (void)limit;
}

void hop__cache_store(hop_context *context, int folder, const uint64_t key[2], const void *binary,
                      size_t bytes) {
    (void)context, (void)folder, (void)key, (void)binary, (void)bytes;
}
