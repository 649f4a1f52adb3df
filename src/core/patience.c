/* SPDX-License-Identifier: Apache-2.0
 * See patience.h. */
#include "core/patience.h"

#include "core/timing.h"
#include "core/wait.h"

#ifndef HOP__LOOKS_MOST /* a test that explores orders has no time for so many */
#define HOP__LOOKS_MOST 20000
#endif
enum {
    LOOKS_MOST = HOP__LOOKS_MOST, /* some half a millisecond */
    LOOKS_LEAST = 1 + LOOKS_MOST / 2500,
    IDLE_PATIENCE = 4, /* times as long on a free machine: between two calls of a loop */
    LATE_NS = 400000,  /* without a core for longer than a free one takes to be had */
    STAMPS = 64,
    LINE = 64
};

/* By whether the cores are wanted by others. On a free machine it is better to look longer than any
 * step of a search takes than to sleep, because who is woken may be put on a core that is in use.
 * On a crowded one a look costs what it waits for. */
typedef struct rule {
    unsigned looks_most;
    uint64_t soon_ns; /* a sleep so short was not worth it */
    uint64_t long_ns; /* more than a step takes: who is waited for has no core */
} rule;
static const rule rules[] = {{LOOKS_MOST, 500000, 2000000},
                             {LOOKS_LEAST + LOOKS_MOST / 33, 60000, 400000}};

hop__wait_counts hop__waits;

/* When the words that fall on it were last woken. They are here and not beside their words, because
 * a word may be gone when its sleepers are woken. Two words on one stamp: one of them may take the
 * other's time for its own, rarely. */
static struct { _Alignas(LINE) atomic_uint_fast64_t ns; } stamps[STAMPS];

/* Only a guess, so nobody minds when two threads write it at once. */
static atomic_uint looks = LOOKS_MOST;
static atomic_bool in_crowd;

static _Thread_local uint64_t slept_ns, late_ns;

unsigned hop__patience(void) {
    return atomic_load_explicit(&looks, memory_order_relaxed);
}

unsigned hop__patience_idle(void) {
    return hop__patience() *
           (atomic_load_explicit(&in_crowd, memory_order_relaxed) ? 1 : IDLE_PATIENCE);
}

void hop__patience_suit(bool is_crowded) {
    if (is_crowded == atomic_load_explicit(&in_crowd, memory_order_relaxed))
        return;
    atomic_store_explicit(&in_crowd, is_crowded, memory_order_relaxed);
    atomic_store_explicit(&looks, rules[is_crowded].looks_most, memory_order_relaxed);
}

void hop__slept_add(double seconds) {
    slept_ns += (uint64_t)(1e9 * seconds);
}

/* What of the time by the clock was not on a core. */
static uint64_t idle_ns(void) {
    return hop__clock_ns(CLOCK_MONOTONIC) - hop__clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t hop__pause_begin(void) {
    return idle_ns();
}

void hop__pause_end(uint64_t begin) {
    uint64_t end = idle_ns();
    slept_ns += end > begin ? end - begin : 0;
}

uint64_t hop__slept_ns(void) {
    return slept_ns;
}

uint64_t hop__waited_ns(void) {
    return late_ns;
}

/* From a sleep of so long; `late` of it was after the wake, and says something in a crowd only. */
static void learn(uint64_t ns, uint64_t late, bool long_counts) {
    const rule *now = &rules[atomic_load_explicit(&in_crowd, memory_order_relaxed)];
    unsigned old = hop__patience(), made = old;
    ns -= now == &rules[false] ? late : 0;
    if (ns < now->soon_ns)
        made = 4 * old < now->looks_most ? 4 * old : now->looks_most;
    else if (ns > now->long_ns && long_counts)
        made = old / 2 > LOOKS_LEAST ? old / 2 : LOOKS_LEAST;
    if (made != old)
        atomic_store_explicit(&looks, made, memory_order_relaxed);
}

static atomic_uint_fast64_t *stamp_of(const atomic_uint *word) {
    return &stamps[((uintptr_t)word / sizeof *word * UINT64_C(0x9E3779B97F4A7C15) >> 32) % STAMPS]
                .ns;
}

void hop__rouse(atomic_uint *word) {
    atomic_store_explicit(stamp_of(word), hop__clock_ns(CLOCK_MONOTONIC), memory_order_relaxed);
    hop__wake(word);
}

uint64_t hop__late_ns(uint64_t begin, uint64_t woken, uint64_t end) {
    return woken > begin && end > woken && end - woken > LATE_NS ? end - woken : 0;
}

/* Sleeps; returns how long, and how much of it was after the wake. Where the limit ended it, the
 * stamp is another word's. */
static uint64_t sleep_timed(atomic_uint *word, unsigned value, const struct timespec *limit,
                            uint64_t *late) {
    uint64_t begin = hop__clock_ns(CLOCK_MONOTONIC);
    hop__sleep_while(word, value, limit);
    uint64_t end = hop__clock_ns(CLOCK_MONOTONIC);
    bool woken = limit == NULL || atomic_load_explicit(word, memory_order_relaxed) != value;
    uint64_t stamp = atomic_load_explicit(stamp_of(word), memory_order_relaxed);
    *late = woken ? hop__late_ns(begin, stamp, end) : 0;
    if (*late > 0) {
        atomic_fetch_add_explicit(&hop__waits.late, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&hop__waits.late_ns, *late, memory_order_relaxed);
    }
    return end - begin;
}

static void count_sleep(uint64_t ns, uint64_t late) {
    slept_ns += ns - late;
    late_ns += late;
    atomic_fetch_add_explicit(&hop__waits.sleeps, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&hop__waits.slept_ns, ns - late, memory_order_relaxed);
}

void hop__sleep_learning(atomic_uint *word, unsigned value) {
    uint64_t late, ns = sleep_timed(word, value, NULL, &late);
    learn(ns, late, true);
    count_sleep(ns, late);
}

uint64_t hop__sleep_idle(atomic_uint *word, unsigned value) {
    uint64_t late;
    uint64_t ns = sleep_timed(word, value, NULL, &late);
    learn(ns, late, false);
    return late;
}

void hop__sleep_at_most(atomic_uint *word, unsigned value, long limit_ns) {
    uint64_t late, ns = sleep_timed(word, value, &(struct timespec){.tv_nsec = limit_ns}, &late);
    learn(ns, late, false);
    count_sleep(ns, late);
}

bool hop__look_for_change(const atomic_uint *word, unsigned value, unsigned turns) {
    for (unsigned i = 0; i < turns; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != value)
            return true;
        hop__relax();
    }
    return atomic_load_explicit(word, memory_order_acquire) != value;
}
