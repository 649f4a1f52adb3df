/* SPDX-License-Identifier: Apache-2.0
 *
 * The cores that this process may use, and how much of one a thread of it really gets. */
#ifndef HOPLITE_CORE_MACHINE_SHARE_H
#define HOPLITE_CORE_MACHINE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* The cores of the thread's affinity, or, when that is less, those that the quota of its cgroup
 * pays for, rounded up. */
unsigned hop__cores(void);

/* What hop__cores has said last: no system call. */
unsigned hop__cores_known(void);

/* A stretch of work in which the thread sleeps only by patience.h. */
typedef struct hop__share_sample {
    uint64_t wall, cpu, slept; /* nanoseconds */
} hop__share_sample;
hop__share_sample hop__share_begin(void);
void hop__share_end(const hop__share_sample *begin);

/* Whether threads of this process that had work were without a core for more than a quarter of the
 * last tenth of a second or so of such stretches: other programs want the cores, or a quota is
 * used up. */
bool hop__crowded(void);

/* The cores that a cgroup's quota pays for, in thousandths: see hop__cgroup_limit. */
uint64_t hop__cgroup_millicores(const char *membership, const char *mount);

#endif
