/* SPDX-License-Identifier: Apache-2.0
 * See process_lock.h. */
#include "core/process_lock.h"

#include <time.h>
#include <unistd.h>

enum { FIRST_WAIT = 1000, LONGEST_WAIT = 1000000 }; /* nanoseconds */

void hop__process_lock_take(hop__process_lock *lock) {
    int own = (int)getpid();
    for (long wait = FIRST_WAIT;; wait = wait * 2 < LONGEST_WAIT ? wait * 2 : LONGEST_WAIT) {
        int holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
        if (holder != own &&
            atomic_compare_exchange_strong_explicit(&lock->holder, &holder, own,
                                                    memory_order_acquire, memory_order_relaxed))
            return;
        nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
    }
}

void hop__process_lock_give(hop__process_lock *lock) {
    atomic_store_explicit(&lock->holder, 0, memory_order_release);
}
