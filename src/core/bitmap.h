/* SPDX-License-Identifier: Apache-2.0
 * One bit per element in 64-bit words. The atomic forms (look, claim) may be used beside each other
 * from any thread, the plain ones only on words that no other thread touches. */
#ifndef HOPLITE_CORE_BITMAP_H
#define HOPLITE_CORE_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t hop__bitmap_words(uint64_t bits) {
    return bits / 64 + (bits % 64 != 0);
}

static inline bool hop__bitmap_get(const uint64_t *map, uint64_t index) {
    return map[index / 64] >> (index % 64) & 1;
}

static inline void hop__bitmap_set(uint64_t *map, uint64_t index) {
    map[index / 64] |= UINT64_C(1) << (index % 64);
}

/* The same while others claim bits: it may be the one before. */
static inline bool hop__bitmap_look(const uint64_t *map, uint64_t index) {
    return __atomic_load_n(&map[index / 64], __ATOMIC_RELAXED) >> (index % 64) & 1;
}

/* Sets the bit; true when it was clear before. */
static inline bool hop__bitmap_claim(uint64_t *map, uint64_t index) {
    uint64_t bit = UINT64_C(1) << (index % 64);
    if (__atomic_load_n(&map[index / 64], __ATOMIC_RELAXED) & bit)
        return false;
    return !(__atomic_fetch_or(&map[index / 64], bit, __ATOMIC_RELAXED) & bit);
}

#endif
