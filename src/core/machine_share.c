/* SPDX-License-Identifier: Apache-2.0
 *
 * The share is measured, not asked for: a stretch of work takes longer by the clock than by the
 * thread's own time as far as the thread had no core. Both are summed over stretches, and the sums
 * forget with time, so that a few long stretches count as much as many short ones. They are halves
 * of one word, so that no update can be lost for one of them only. */
#include "core/machine_share.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "core/cgroup.h"
#include "core/context_internal.h"
#include "core/patience.h"
#include "core/timing.h"

/* Of stretches: how long they are remembered, and how much of them says something. Several turns of
 * the scheduler: one of them happens on a quiet machine too. */
static const uint64_t memory_ns = 100000000, least_ns = 25000000;
static const uint64_t late_most_ns = 2000000;
static const uint64_t silence_ns = 1000000000; /* after which all is forgotten */
static const uint64_t quota_kept_ns = 1000000000;

atomic_uint_fast64_t hop__shares_told;

/* By the clock and with a core, each at most memory_ns; as a word, in the upper and lower half. */
typedef struct sums {
    uint64_t wall, cpu;
} sums;
static atomic_uint_fast64_t sums_word, told_at;
/* The same without what followed a sleep: a core that is asleep, too, comes late on a free machine,
 * and looking longer would have spared it. */
static atomic_uint_fast64_t awake_word;
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
    uint64_t wall, cpu, slept, waited; /* nanoseconds */
} sample;

static _Thread_local sample began;

static sample take_sample(void) {
    return (sample){hop__clock_ns(CLOCK_MONOTONIC), hop__clock_ns(CLOCK_THREAD_CPUTIME_ID),
                    hop__slept_ns(), hop__waited_ns()};
}

void hop__share_begin(void) {
    began = take_sample();
}

/* Whether this thread had to wait for pages of a file since it was last asked. That costs a system
 * call, so only stretches ask that lacked a core for whatever reason; of faults in earlier
 * stretches the next such one is suspected, and lost. */
static bool has_awaited_pages(void) {
    static _Thread_local long known;
    struct rusage used;
    if (getrusage(RUSAGE_THREAD, &used) != 0)
        return false;
    bool rose = used.ru_majflt > known;
    known = used.ru_majflt;
    return rose;
}

static sums unpack(uint64_t word) {
    return (sums){word >> 32, word & UINT32_MAX};
}

static bool lacks_cores(sums of) {
    return of.cpu < of.wall / 4 * 3;
}

static bool say_crowded(sums of) {
    return of.wall >= least_ns && lacks_cores(of);
}

static uint64_t remembered(uint64_t sum, uint64_t wall) {
    return sum - sum * wall / memory_ns;
}

static sums fold(atomic_uint_fast64_t *into, sums more, bool forget) {
    if (more.wall > memory_ns) {
        more.cpu = (uint64_t)((double)more.cpu / (double)more.wall * (double)memory_ns);
        more.wall = memory_ns;
    }
    more.cpu = more.cpu < more.wall ? more.cpu : more.wall;
    uint64_t word = atomic_load_explicit(into, memory_order_relaxed), made;
    do {
        sums old = forget ? (sums){0, 0} : unpack(word);
        made = (remembered(old.wall, more.wall) + more.wall) << 32 |
               (remembered(old.cpu, more.wall) + more.cpu);
    } while (!atomic_compare_exchange_weak_explicit(into, &word, made, memory_order_relaxed,
                                                    memory_order_relaxed));
    return unpack(made);
}

static void add(sums more, uint64_t now) {
    uint64_t last = atomic_exchange_explicit(&told_at, now, memory_order_relaxed);
    (void)fold(&sums_word, more, now >= last + silence_ns);
}

void hop__share_add(uint64_t wall, uint64_t cpu) {
    add((sums){wall, cpu}, hop__clock_ns(CLOCK_MONOTONIC));
}

void hop__share_late(uint64_t ns) {
    hop__share_add(ns < late_most_ns ? ns : late_most_ns, 0);
}

void hop__share_tell(void) {
    sample now = take_sample();
    uint64_t wall = now.wall - began.wall, slept = now.slept - began.slept;
    sums stretch = {wall > slept ? wall - slept : 0, now.cpu - began.cpu}, awake = stretch;
    awake.wall -= now.waited - began.waited < awake.wall ? now.waited - began.waited : awake.wall;
    if (!lacks_cores(stretch) || !has_awaited_pages()) {
        add(stretch, now.wall);
        hop__patience_suit(say_crowded(fold(&awake_word, awake, false)));
    }
    began = now;
    atomic_fetch_add_explicit(&hop__shares_told, 1, memory_order_relaxed);
}

bool hop__crowded(void) {
#if defined(HOPLITE_COUNT_ATOMICS)
    return false; /* counts are about machines with more cores, also where this one is busy */
#endif
    sums of = unpack(atomic_load_explicit(&sums_word, memory_order_relaxed));
    return say_crowded(of) && hop__clock_ns(CLOCK_MONOTONIC) <
                                  atomic_load_explicit(&told_at, memory_order_relaxed) + silence_ns;
}
