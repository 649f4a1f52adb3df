/* SPDX-License-Identifier: Apache-2.0
 * Suffixes of paths, in letters of either case. For the library and the command. */
#ifndef HOPLITE_IO_BYTES_PATH_SUFFIX_H
#define HOPLITE_IO_BYTES_PATH_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Whether the first `length` letters of a path end in the first `count` of the suffix, and are more
 * than these. */
static inline bool hop__ends_in(const char *path, size_t length, const char *suffix, size_t count) {
    return length > count && strncasecmp(path + length - count, suffix, count) == 0;
}

static inline bool hop__path_ends(const char *path, const char *suffix) {
    return hop__ends_in(path, strlen(path), suffix, strlen(suffix));
}

/* The same before a ".gz" or without one. */
static inline bool hop__path_ends_unpacked(const char *path, const char *suffix) {
    size_t length = strlen(path) - (hop__path_ends(path, ".gz") ? 3 : 0);
    return hop__ends_in(path, length, suffix, strlen(suffix));
}

#endif
