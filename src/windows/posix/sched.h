/* SPDX-License-Identifier: Apache-2.0
 * On how many cores this process may run. On which of them a thread does is left to the system. */
#ifndef HOPLITE_WINDOWS_POSIX_SCHED_H
#define HOPLITE_WINDOWS_POSIX_SCHED_H

#include_next <sched.h>

#include <stdlib.h>

typedef struct hop__windows_cores {
    int count;
} cpu_set_t;

#define CPU_ALLOC(cpus)        ((void)(cpus), (cpu_set_t *)malloc(sizeof(cpu_set_t)))
#define CPU_ALLOC_SIZE(cpus)   ((void)(cpus), sizeof(cpu_set_t))
#define CPU_FREE(set)          free(set)
#define CPU_COUNT(set)         ((set)->count)
#define CPU_COUNT_S(size, set) ((void)(size), (set)->count)

#define CPU_ISSET(core, set) ((void)(core), (void)(set), 0)
#define CPU_CLR(core, set)   ((void)(core), (void)(set))

#define sched_getcpu()                             (-1)
#define pthread_getaffinity_np(thread, bytes, set) ((void)(thread), (void)(bytes), (void)(set), -1)
#define pthread_setaffinity_np(thread, bytes, set) ((void)(thread), (void)(bytes), (void)(set), -1)

int sched_getaffinity(int process, size_t bytes, cpu_set_t *set);

#endif
