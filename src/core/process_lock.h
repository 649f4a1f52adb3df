/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that survives fork(). A mutex that another thread holds at the moment of a fork stays
 * locked in the child for ever, since that thread does not exist there. This lock is the number of
 * the process whose thread holds it; a child that finds its parent's number takes it over. So what
 * it guards must be work that can be begun again after it was left at any point: published by one
 * store at its end.
 *
 * For work that takes milliseconds to seconds: who waits sleeps, and nobody is woken. */
#ifndef HOPLITE_CORE_PROCESS_LOCK_H
#define HOPLITE_CORE_PROCESS_LOCK_H

#include <stdatomic.h>

/* All zero bytes: free. */
typedef struct hop__process_lock {
    atomic_int holder; /* a process, or 0 */
} hop__process_lock;

void hop__process_lock_take(hop__process_lock *lock);
void hop__process_lock_give(hop__process_lock *lock);

#endif
