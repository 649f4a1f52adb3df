/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether something still exists, for those who keep what they made of it: a graph has a life, and
 * a device that keeps copies of its arrays holds on to that, not to the graph. Who asks never waits
 * for who ends it, and no lock is shared.
 *
 * The owner ends the life when it frees what lives; the others see that when they next look. The
 * token itself is freed by whoever lets go of it last. It belongs to no context, because it may
 * outlive all of them; so it is the library's own memory and charged to nobody. */
#ifndef HOPLITE_CORE_LIFE_H
#define HOPLITE_CORE_LIFE_H

#include <stdbool.h>

typedef struct hop__life hop__life;

/* Begins with one holder; NULL when there is no memory. */
hop__life *hop__life_begin(void);
/* One holder more. Returns it. Any thread, as all of these. */
hop__life *hop__life_hold(hop__life *life);
/* One holder less; NULL is allowed. */
void hop__life_drop(hop__life *life);
/* What lives is about to be freed. NULL is allowed. */
void hop__life_end(hop__life *life);
bool hop__life_ended(const hop__life *life);

#endif
