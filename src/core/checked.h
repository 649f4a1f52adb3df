/* SPDX-License-Identifier: Apache-2.0
 * Checked arithmetic: every product or sum of sizes goes through here. Each returns false, and
 * leaves *result unspecified, when the exact value does not fit. */
#ifndef HOPLITE_CORE_CHECKED_H
#define HOPLITE_CORE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool hop__add_u64(uint64_t a, uint64_t b, uint64_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

static inline bool hop__mul_u64(uint64_t a, uint64_t b, uint64_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool hop__add_size(size_t a, size_t b, size_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

/* a * b as a size_t, which may be narrower than the operands. */
static inline bool hop__mul_size(uint64_t a, uint64_t b, size_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}

/* a * b + c, for indices into a table of a-sized rows. */
static inline bool hop__mul_add_u64(uint64_t a, uint64_t b, uint64_t c, uint64_t *result) {
    uint64_t product;
    return hop__mul_u64(a, b, &product) && hop__add_u64(product, c, result);
}

#endif
