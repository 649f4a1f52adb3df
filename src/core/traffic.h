/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts what threads do to each other's cache lines, in a build with -DHOPLITE_COUNT_ATOMICS=ON;
 * in any other build the functions below are empty.
 *
 * The counting build includes this file before all others, and every builtin that writes
 * atomically, those of stdatomic.h too, becomes a macro that tells where it stands, what it does,
 * and which cell it is about. So no algorithm knows of it, and a new atomic is counted at once.
 *
 * Each thread counts in a table of its own; the only memory that counting shares is a table of who
 * wrote each line last. A line is *taken over* when another thread was the last to write to it
 * atomically: on real cores that is a transfer between two caches. Plain writes are not seen. The
 * table has an entry for each line of 256 MiB; lines that share one hide each other, so the count
 * is never too high. */
#ifndef HOPLITE_CORE_TRAFFIC_H
#define HOPLITE_CORE_TRAFFIC_H

#include <stdint.h>

struct hop_context;

/* Since the process began, all threads together. */
typedef struct hop__traffic {
    uint64_t swaps, failed; /* compare and exchange; of these, how many found another value */
    uint64_t changes;       /* other read-modify-writes */
    uint64_t stores;        /* atomic ones */
    uint64_t taken;         /* of all these, how many took a line over */
    uint64_t barriers;      /* that a team has passed, with as many members as it has */
    uint64_t regions;       /* of parallel code with more than one thread */
    uint64_t serial_ns;     /* processor time of the caller outside of these, and of whoever did
                             * something alone while a team waited at a barrier */
} hop__traffic;

#if defined(HOPLITE_COUNT_ATOMICS)

/* Where an atomic write stands. All lie in one section of the library, side by side: the size is a
 * power of two, so that no compiler puts gaps between them. */
typedef struct __attribute__((aligned(32))) hop__site {
    const char *unit, *file; /* that is compiled, and in which it stands: a header as a rule */
    uint64_t line;
} hop__site;

enum { HOP__SWAP, HOP__FAILED, HOP__CHANGE, HOP__STORE, HOP__TAKEN, HOP__TRAFFIC_KINDS };

void hop__traffic_note(const hop__site *site, unsigned kind, const volatile void *cell);
void hop__traffic_failed(const hop__site *site);
hop__traffic hop__traffic_now(void);
/* Logs, for debugging, the places that made more than a hundredth of the writes since the process
 * began. */
void hop__traffic_log(const struct hop_context *context);
/* Around a region, on the thread that called it. */
void hop__traffic_region_begin(void);
void hop__traffic_region_end(void);
/* Around what the last member at a gate does alone. */
void hop__traffic_alone_begin(void);
void hop__traffic_alone_end(void);

#define HOP__SITE                                                                                  \
    __extension__({                                                                                \
        static const hop__site hop__here                                                           \
            __attribute__((section("hop_sites"))) = {__BASE_FILE__, __FILE__, __LINE__};           \
        &hop__here;                                                                                \
    })
/* A name in its own macro is not replaced again: it is the builtin. */
#define HOP__NOTED(kind, cell, builtin, ...)                                                       \
    __extension__({                                                                                \
        __auto_type hop__cell = (cell);                                                            \
        hop__traffic_note(HOP__SITE, kind, hop__cell);                                             \
        builtin(hop__cell, __VA_ARGS__);                                                           \
    })
#define HOP__NOTED_SWAP(cell, builtin, ...)                                                        \
    __extension__({                                                                                \
        __auto_type hop__cell = (cell);                                                            \
        const hop__site *hop__at = HOP__SITE;                                                      \
        hop__traffic_note(hop__at, HOP__SWAP, hop__cell);                                          \
        _Bool hop__done = builtin(hop__cell, __VA_ARGS__);                                         \
        if (!hop__done)                                                                            \
            hop__traffic_failed(hop__at);                                                          \
        hop__done;                                                                                 \
    })
#define __atomic_compare_exchange_n(cell, ...)                                                     \
    HOP__NOTED_SWAP(cell, __atomic_compare_exchange_n, __VA_ARGS__)
#define __atomic_compare_exchange(cell, ...)                                                       \
    HOP__NOTED_SWAP(cell, __atomic_compare_exchange, __VA_ARGS__)
#define __atomic_store_n(cell, ...) HOP__NOTED(HOP__STORE, cell, __atomic_store_n, __VA_ARGS__)
#define __atomic_store(cell, ...)   HOP__NOTED(HOP__STORE, cell, __atomic_store, __VA_ARGS__)
#define __atomic_clear(cell, ...)   HOP__NOTED(HOP__STORE, cell, __atomic_clear, __VA_ARGS__)
#define __atomic_exchange_n(cell, ...)                                                             \
    HOP__NOTED(HOP__CHANGE, cell, __atomic_exchange_n, __VA_ARGS__)
#define __atomic_exchange(cell, ...)  HOP__NOTED(HOP__CHANGE, cell, __atomic_exchange, __VA_ARGS__)
#define __atomic_fetch_add(cell, ...) HOP__NOTED(HOP__CHANGE, cell, __atomic_fetch_add, __VA_ARGS__)
#define __atomic_fetch_sub(cell, ...) HOP__NOTED(HOP__CHANGE, cell, __atomic_fetch_sub, __VA_ARGS__)
#define __atomic_fetch_and(cell, ...) HOP__NOTED(HOP__CHANGE, cell, __atomic_fetch_and, __VA_ARGS__)
#define __atomic_fetch_or(cell, ...)  HOP__NOTED(HOP__CHANGE, cell, __atomic_fetch_or, __VA_ARGS__)
#define __atomic_test_and_set(cell, ...)                                                           \
    HOP__NOTED(HOP__CHANGE, cell, __atomic_test_and_set, __VA_ARGS__)

#else

static inline void hop__traffic_region_begin(void) {
}
static inline void hop__traffic_region_end(void) {
}
static inline void hop__traffic_alone_begin(void) {
}
static inline void hop__traffic_alone_end(void) {
}

#endif
#endif
