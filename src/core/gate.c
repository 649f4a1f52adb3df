/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate. Nobody can be woken too early or too late: a member counts itself as a sleeper before
 * it looks at the generation for the last time, and the opener raises the generation before it
 * looks for sleepers; both are sequentially consistent, so one of them sees the other. */
#include "core/gate.h"

#include "core/parallel.h"

enum {
    SPINS = 600,             /* some ten to thirty microseconds */
    SPINS_OVERCOMMITTED = 20 /* the one that is waited for may need this core */
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void hop__gate_init(hop__gate *gate, unsigned members) {
    atomic_init(&gate->arrived, 0);
    atomic_init(&gate->generation, 0);
    atomic_init(&gate->sleepers, 0);
    gate->members = members;
    gate->spins = members <= 1 || members <= hop__cores() ? SPINS : SPINS_OVERCOMMITTED;
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->opened, NULL);
}

void hop__gate_destroy(hop__gate *gate) {
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->lock);
}

static void sleep_until_open(hop__gate *gate, unsigned seen) {
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->generation) == seen)
        pthread_cond_wait(&gate->opened, &gate->lock);
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->lock);
}

bool hop__gate_arrive(hop__gate *gate) {
    unsigned seen = atomic_load_explicit(&gate->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&gate->arrived, 1, memory_order_acq_rel) + 1 == gate->members) {
        atomic_store_explicit(&gate->arrived, 0, memory_order_relaxed);
        return true;
    }
    for (unsigned i = 0; i < gate->spins; i++) {
        if (atomic_load_explicit(&gate->generation, memory_order_acquire) != seen)
            return false;
        relax();
    }
    sleep_until_open(gate, seen);
    return false;
}

void hop__gate_open(hop__gate *gate) {
    atomic_fetch_add(&gate->generation, 1);
    if (atomic_load(&gate->sleepers) == 0)
        return;
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->lock);
}
