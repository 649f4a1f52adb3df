/* SPDX-License-Identifier: Apache-2.0
 * The greatest of many values, in O(n log K). */
#ifndef HOPLITE_CLI_GREATEST_H
#define HOPLITE_CLI_GREATEST_H

#include <stddef.h>
#include <stdint.h>

typedef double (*greatest_value)(const void *user, uint64_t place);

/* Writes the places of the `most` greatest of `count` values to `places`, the greatest first, and
 * of equal values the first place first. Returns how many they are. */
size_t greatest_find(const void *user, greatest_value value, uint64_t count, size_t most,
                     uint64_t *places);

#endif
