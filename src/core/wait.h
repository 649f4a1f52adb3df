/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeping on a word of memory until another thread changes it (Linux: futex), and a lock made of
 * it. Both may be used in the child of a fork: a word has no owner, and a lock is made free again
 * by setting it to 0.
 *
 * Every wait is in a loop of the caller's that looks at the word again: a sleep may end early.
 *
 * A test that explores the orders of threads defines HOP__SLEEP_WHILE, HOP__WAKE and HOP__POINT
 * before it includes this: then it decides who runs, and sees every wait. */
#ifndef HOPLITE_CORE_WAIT_H
#define HOPLITE_CORE_WAIT_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef HOP__POINT
#define HOP__POINT() ((void)0)

/* Sleeps while the word has this value, at most until `limit` has passed (NULL: for ever). */
static inline void hop__sleep_while(atomic_uint *word, unsigned value,
                                    const struct timespec *limit) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0);
}

/* Wakes all who sleep on the word. It need not exist any more: then nobody sleeps on it. */
static inline void hop__wake(atomic_uint *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
#endif

/* Says to the processor that this is a loop of waiting. */
static inline void hop__relax(void) {
    HOP__POINT();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A lock for a few instructions: 0 free, 1 held, 2 held and perhaps waited for. */
static inline void hop__lock_take(atomic_uint *lock) {
    unsigned none = 0;
    HOP__POINT();
    if (atomic_compare_exchange_strong_explicit(lock, &none, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(lock, 2, memory_order_acquire) != 0)
        hop__sleep_while(lock, 2, NULL);
}

static inline void hop__lock_give(atomic_uint *lock) {
    HOP__POINT();
    if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
        hop__wake(lock);
}

#endif
