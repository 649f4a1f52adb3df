/* SPDX-License-Identifier: Apache-2.0
 *
 * The share is measured, not asked for: a stretch of work takes longer by the clock than by the
 * thread's own time as far as the thread had no core. Both are summed over stretches, and the sums
 * forget with time, so that a few long stretches count as much as many short ones. */
#include "core/machine_share.h"

#include <sched.h>
#include <stdio.h>

#include "core/cgroup.h"
#include "core/context_internal.h"
#include "core/patience.h"
#include "core/timing.h"

static const uint64_t memory_ns = 100000000, least_ns = 5000000, quota_kept_ns = 1000000000;

atomic_uint_fast64_t hop__shares_told;

/* Only guesses, so nobody minds when two threads write them at once. */
static atomic_uint_fast64_t wall_sum, cpu_sum;
static atomic_uint cores_known = 1;

static unsigned affinity_cores(void) {
    /* A fixed cpu_set_t ends at 1,024 cores, so the set is grown until the system is content. */
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (set == NULL)
            return 1;
        size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (found > 0)
            return found < HOP__THREADS_MAX ? (unsigned)found : HOP__THREADS_MAX;
    }
    return 1;
}

/* "max 100000" or "50000 100000" in one file (version 2), or two files (version 1; -1: none). */
static uint64_t read_quota(const char *folder, bool unified) {
    static const char *const names[] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
    long long values[2] = {0, 0};
    char path[4200];
    for (int i = 0; i < (unified ? 1 : 2); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, unified ? "cpu.max" : names[i]);
        FILE *file = fopen(path, "re");
        if (file == NULL)
            return UINT64_MAX;
        int wanted = unified ? 2 : 1;
        int found = unified ? fscanf(file, "%lld %lld", &values[0], &values[1])
                            : fscanf(file, "%lld", &values[i]);
        fclose(file);
        if (found != wanted)
            return UINT64_MAX;
    }
    if (values[0] <= 0 || values[1] <= 0 || values[0] > INT64_MAX / 1000)
        return UINT64_MAX;
    return (uint64_t)values[0] * 1000 / (uint64_t)values[1];
}

uint64_t hop__cgroup_millicores(const char *membership, const char *mount) {
    static const hop__cgroup_resource cpu = {"cpu", read_quota};
    return hop__cgroup_least(&cpu, membership, mount);
}

/* The quota; reading it takes as long as making a context, so it is asked for once a second. */
static uint64_t quota_millicores(void) {
    static atomic_uint_fast64_t known = UINT64_MAX, until;
    uint64_t now = hop__clock_ns(CLOCK_MONOTONIC);
    if (now < atomic_load_explicit(&until, memory_order_relaxed))
        return atomic_load_explicit(&known, memory_order_relaxed);
    uint64_t found = hop__cgroup_millicores("/proc/self/cgroup", "/sys/fs/cgroup");
    atomic_store_explicit(&known, found, memory_order_relaxed);
    atomic_store_explicit(&until, now + quota_kept_ns, memory_order_relaxed);
    return found;
}

unsigned hop__cores(void) {
    unsigned cores = affinity_cores();
    uint64_t paid = cores > 1 ? quota_millicores() : UINT64_MAX;
    if (paid / 1000 < cores)
        cores = (unsigned)(paid / 1000) + (paid % 1000 != 0);
    cores = cores > 0 ? cores : 1;
    atomic_store_explicit(&cores_known, cores, memory_order_relaxed);
    return cores;
}

unsigned hop__cores_known(void) {
    return atomic_load_explicit(&cores_known, memory_order_relaxed);
}

typedef struct sample {
    uint64_t wall, cpu, slept; /* nanoseconds */
} sample;

static _Thread_local sample began;

static sample take_sample(void) {
    return (sample){hop__clock_ns(CLOCK_MONOTONIC), hop__clock_ns(CLOCK_THREAD_CPUTIME_ID),
                    hop__slept_ns()};
}

void hop__share_begin(void) {
    began = take_sample();
}

static void add_forgetting(atomic_uint_fast64_t *sum, uint64_t amount, uint64_t wall) {
    uint64_t old = atomic_load_explicit(sum, memory_order_relaxed);
    uint64_t kept =
        old -
        (wall < memory_ns ? old / memory_ns * wall + old % memory_ns * wall / memory_ns : old);
    atomic_store_explicit(sum, kept + amount, memory_order_relaxed);
}

void hop__share_add(uint64_t wall, uint64_t cpu) {
    add_forgetting(&wall_sum, wall, wall);
    add_forgetting(&cpu_sum, cpu < wall ? cpu : wall, wall);
}

void hop__share_tell(void) {
    sample now = take_sample();
    uint64_t wall = now.wall - began.wall, slept = now.slept - began.slept;
    hop__share_add(wall > slept ? wall - slept : 0, now.cpu - began.cpu);
    began = now;
    atomic_fetch_add_explicit(&hop__shares_told, 1, memory_order_relaxed);
}

bool hop__crowded(void) {
    uint64_t wall = atomic_load_explicit(&wall_sum, memory_order_relaxed);
    uint64_t cpu = atomic_load_explicit(&cpu_sum, memory_order_relaxed);
    return wall >= least_ns && cpu < wall / 4 * 3;
}
