/* SPDX-License-Identifier: Apache-2.0
 *
 * The cores that this process may use, and how much of one a thread of it really gets. */
#ifndef HOPLITE_CORE_MACHINE_SHARE_H
#define HOPLITE_CORE_MACHINE_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The cores of the thread's affinity, or, when that is less, those that the quota of its cgroup
 * pays for, rounded up. */
unsigned hop__cores(void);

/* What hop__cores has said last: no system call. */
unsigned hop__cores_known(void);

/* A stretch of work of this thread, in which it sleeps only by patience.h, begins; and what it came
 * to since it began or was last told. To be told at its end; by what is long, now and then before.
 */
void hop__share_begin(void);
void hop__share_tell(void);
/* The same for a stretch of so many nanoseconds by the clock, so many of them with a core. */
void hop__share_add(uint64_t wall, uint64_t cpu);
/* A helper that was woken had no core for so long. Its help may not have been needed by then, so no
 * more than two milliseconds count. */
void hop__share_late(uint64_t ns);

/* How many stretches were told; for tests. */
extern atomic_uint_fast64_t hop__shares_told;

/* Whether threads of this process that had work were without a core for more than a quarter of the
 * last tenth of a second or so of such stretches: other programs want the cores, or a quota is
 * used up. False where little is known, or nothing was told for a second. */
bool hop__crowded(void);

/* The cores that a cgroup's quota pays for, in thousandths: see hop__cgroup_limit. */
uint64_t hop__cgroup_millicores(const char *membership, const char *mount);

#endif
