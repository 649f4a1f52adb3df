/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that cannot be had. The pool is compiled into this file, and everything in it that the
 * system can refuse is made to fail in turn, once and from then on: the answer is right, with fewer
 * threads, and nothing ends the process. */
#include "core/core_testing.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_uint calls;
static unsigned fail_at;   /* the first call that fails; 0: none does */
static bool fails_forever; /* and those after it */

static bool refused(void) {
    unsigned call = atomic_fetch_add(&calls, 1) + 1;
    return fail_at != 0 && (fails_forever ? call >= fail_at : call == fail_at);
}

#define aligned_alloc(alignment, size) (refused() ? NULL : aligned_alloc(alignment, size))
#define pthread_attr_init(attributes)  (refused() ? 12 : pthread_attr_init(attributes))
#define pthread_attr_setstacksize(attributes, size)                                                \
    (refused() ? 22 : pthread_attr_setstacksize(attributes, size))
#define pthread_create(thread, attributes, fn, arg)                                                \
    (refused() ? 11 : pthread_create(thread, attributes, fn, arg))
#include "core/pool.c"
#undef aligned_alloc
#undef pthread_create

#include "core/parallel.h"

enum { THREADS = 6, COUNT = 1000 };

typedef struct tally {
    atomic_uint members, pieces;
    unsigned threads;
    atomic_bool wrong;
} tally;

static void meet(void *arg, unsigned thread, unsigned threads) {
    tally *job = arg;
    if (thread == 0)
        job->threads = threads;
    atomic_fetch_add(&job->members, 1);
    hop__team_barrier();
    if (atomic_load(&job->members) != threads)
        atomic_store(&job->wrong, true);
}

static void add_piece(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    atomic_fetch_add(&((tally *)arg)->pieces, (unsigned)(end - begin));
}

static unsigned warnings;

static void count_warning(void *user, hop_log_level level, const char *message) {
    (void)user, (void)message;
    warnings += level == HOP_LOG_WARNING;
}

/* 0, or what is wrong. The number of calls that can fail goes to the parent by the exit code. */
static int use_pool(unsigned *team) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = THREADS;
    options.log = count_warning;
    hop_context *context;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 1;
    for (int round = 0; round < 3; round++) {
        tally job = {.threads = 0};
        hop__team(context, meet, &job);
        hop__for(context, COUNT, 1, add_piece, &job);
        if (atomic_load(&job.wrong) || atomic_load(&job.pieces) != COUNT)
            return 2;
        if (job.threads < 1 || job.threads > hop__team_limit(context))
            return 3;
        *team = job.threads;
    }
    if ((hop__team_limit(context) < THREADS) != (warnings == 1) || warnings > 1)
        return 4;
    hop_context_free(context);
    return 0;
}

/* In a process of its own, which has no threads yet. */
static int in_child(unsigned at, bool forever) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned team = 0;
        fail_at = at;
        fails_forever = forever;
        alarm(1000);
        int wrong = use_pool(&team);
        if (wrong == 0 && forever && at == 1 && team != 1)
            wrong = 5;
        _exit(wrong != 0 ? 100 + wrong : (int)atomic_load(&calls));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void every_refusal_leaves_fewer_threads(void **state) {
    (void)state;
    if (SANITIZED_THREAD) /* it forbids threads in a child */
        skip();
    int all = in_child(0, false);
    assert_in_range(all, 4 * (THREADS - 1), 99);
    for (unsigned at = 1; at <= (unsigned)all; at++)
        for (int forever = 0; forever < 2; forever++)
            assert_in_range(in_child(at, forever), 1, 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_refusal_leaves_fewer_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
