/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams by OpenMP. The only file with pragmas.
 *
 * A call from inside a team makes a team of one: its barriers then bind to it and not to the
 * team around it, and its per-thread arrays have one entry. */
#include "core/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/context_internal.h"

/* The process that first used a team of more than one; 0 before that. The one mutable global of
 * the library: it is about the process, which no context knows. */
static atomic_int team_process;

static bool forked_after_use(void) {
    int process = atomic_load_explicit(&team_process, memory_order_relaxed);
    return process != 0 && process != (int)getpid();
}

static void note_use(void) {
    int none = 0;
    if (atomic_load_explicit(&team_process, memory_order_relaxed) == 0)
        atomic_compare_exchange_strong(&team_process, &none, (int)getpid());
}

static void *probe_wait(void *gate) {
    /* As OpenMP's threads will: with that, malloc takes address space for each. */
    void *volatile some = malloc(64);
    free(some);
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many of `threads` threads the system lets this process have at once, itself included. */
static unsigned probe(unsigned threads) {
    pthread_t made[HOP__THREADS_MAX];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    unsigned count = 0;
    pthread_mutex_lock(&gate);
    while (count + 1 < threads && pthread_create(&made[count], NULL, probe_wait, &gate) == 0)
        count++;
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < count; i++)
        pthread_join(made[i], NULL);
    pthread_mutex_destroy(&gate);
    return count + 1;
}

/* The threads that the context may use. OpenMP ends the process when it cannot make a thread, and
 * a library must not, so the first use finds out. */
static unsigned threads_of(const hop_context *context) {
    if (context->team_size == 0) {
        unsigned wanted = context->options.threads;
        unsigned had = probe(wanted);
        /* What is just enough now may not be so a moment later, nor for OpenMP's larger threads:
         * at a limit, keep well away from it. */
        unsigned size = had == wanted ? wanted : had / 4 + (had < 4);
        ((hop_context *)context)->team_size = size; /* a context is never a const object */
        if (size < wanted)
            hop__log((hop_context *)context, HOP_LOG_WARNING,
                     "threads: the system allows %u of the %u asked for; using %u", had, wanted,
                     size);
    }
    return context->team_size;
}

unsigned hop__team_limit(const hop_context *context) {
    if (context->options.threads <= 1 || omp_get_level() > 0 || forked_after_use())
        return 1;
    return threads_of(context);
}

void hop__team_of(const hop_context *context, unsigned limit, hop__team_fn fn, void *arg) {
    unsigned most = hop__team_limit(context);
    unsigned threads = limit < most ? limit : most;
    if (threads <= 1 && omp_get_level() == 0) {
        fn(arg, 0, 1); /* outside of all teams a barrier does nothing: no team is needed */
        return;
    }
    if (threads > 1)
        note_use();
#pragma omp parallel num_threads(threads) default(none) shared(fn, arg)
    fn(arg, (unsigned)omp_get_thread_num(), (unsigned)omp_get_num_threads());
}

void hop__team(const hop_context *context, hop__team_fn fn, void *arg) {
    hop__team_of(context, HOP__THREADS_MAX, fn, arg);
}

void hop__team_barrier(void) {
#pragma omp barrier
}

typedef struct range_job {
    hop__range_fn fn;
    void *arg;
    uint64_t count, grain, pieces;
    atomic_uint_fast64_t next; /* the lowest piece that nobody has taken */
} range_job;

static void range_worker(void *arg, unsigned thread, unsigned threads) {
    (void)threads;
    range_job *job = arg;
    for (;;) {
        uint64_t piece = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (piece >= job->pieces)
            return;
        uint64_t begin = piece * job->grain;
        uint64_t left = job->count - begin;
        job->fn(job->arg, begin, begin + (left < job->grain ? left : job->grain), thread);
    }
}

void hop__for(const hop_context *context, uint64_t count, uint64_t grain, hop__range_fn fn,
              void *arg) {
    if (count == 0)
        return;
    if (grain == 0)
        grain = 1;
    range_job job = {.fn = fn,
                     .arg = arg,
                     .count = count,
                     .grain = grain,
                     .pieces = count / grain + (count % grain != 0)};
    atomic_init(&job.next, 0);
    unsigned limit = job.pieces < HOP__THREADS_MAX ? (unsigned)job.pieces : HOP__THREADS_MAX;
    hop__team_of(context, limit, range_worker, &job);
}

unsigned hop__cores(void) {
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
