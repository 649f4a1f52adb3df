/* SPDX-License-Identifier: Apache-2.0
 *
 * On which core a sleeping thread is woken. The system likes to put it on the core of the thread
 * that wakes it, also when another is free a moment later; and because the waker works on, the
 * woken one stands behind it for milliseconds, longer than many calls take. */
#ifndef HOPLITE_CORE_PLACE_H
#define HOPLITE_CORE_PLACE_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

typedef struct hop__place {
    cpu_set_t cores; /* that the thread may use otherwise */
    bool kept_away;
} hop__place;

/* Keeps a thread that is asleep from the core of this one, if it has another. */
void hop__place_elsewhere(hop__place *place, pthread_t thread);

/* This thread is awake, and may use all of its cores again. */
void hop__place_free(hop__place *place);

#endif
