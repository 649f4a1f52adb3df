/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic access to elements of plain arrays. Results and work arrays are uint32_t and uint64_t of
 * the caller's or of the pool's, so C11's _Atomic types cannot be used on them; gcc's and clang's
 * builtins can.
 *
 * All are relaxed: they order nothing but themselves. What one phase writes another sees because
 * a team's barrier or end stands between. A loop that needs more says so where it stands.
 *
 * Built with HOPLITE_YIELD (as for the thread sanitizer), every few writes another thread is let
 * run just before the write, and now and then others for long: what was read before it is then
 * often out of date, as it is on many cores and hardly ever on two. */
#ifndef HOPLITE_CORE_ATOMIC_H
#define HOPLITE_CORE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#if defined(HOPLITE_YIELD)
#include <sched.h>
#include <time.h>
static inline void hop__before_write(void) {
    static const struct timespec rest = {.tv_nsec = 20000};
    static _Thread_local uint32_t state = 0;
    state = state * 1664525 + 1013904223; /* Knuth's; its high bits are good enough here */
    if (state >> 20 == 0)
        nanosleep(&rest, NULL);
    else if (state >> 29 == 0)
        sched_yield();
}
#else
static inline void hop__before_write(void) {
}
#endif

static inline uint32_t hop__load_u32(const uint32_t *cell) {
    return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

static inline uint64_t hop__load_u64(const uint64_t *cell) {
    return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

static inline void hop__store_u32(uint32_t *cell, uint32_t value) {
    hop__before_write();
    __atomic_store_n(cell, value, __ATOMIC_RELAXED);
}

static inline void hop__store_u64(uint64_t *cell, uint64_t value) {
    hop__before_write();
    __atomic_store_n(cell, value, __ATOMIC_RELAXED);
}

/* Replaces `expected` by `value`; false, and nothing written, when something else stood there. */
static inline bool hop__replace_u32(uint32_t *cell, uint32_t expected, uint32_t value) {
    hop__before_write();
    return __atomic_compare_exchange_n(cell, &expected, value, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Lowers the cell to `value`; false when it was not above it. */
static inline bool hop__lower_u32(uint32_t *cell, uint32_t value) {
    uint32_t seen = hop__load_u32(cell);
    hop__before_write();
    while (value < seen)
        if (__atomic_compare_exchange_n(cell, &seen, value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

/* The same of 64 bits, and the other way round. Workers note the first fault, or the largest of
 * what they saw, by them. */
static inline void hop__lower_u64(uint64_t *cell, uint64_t value) {
    uint64_t seen = hop__load_u64(cell);
    while (value < seen && !__atomic_compare_exchange_n(cell, &seen, value, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        ;
}

static inline bool hop__replace_u64(uint64_t *cell, uint64_t expected, uint64_t value) {
    hop__before_write();
    return __atomic_compare_exchange_n(cell, &expected, value, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

static inline void hop__raise_u64(uint64_t *cell, uint64_t value) {
    uint64_t seen = hop__load_u64(cell);
    while (value > seen && !__atomic_compare_exchange_n(cell, &seen, value, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        ;
}

#endif
