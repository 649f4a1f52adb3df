/* SPDX-License-Identifier: Apache-2.0
 * Teams, ranges, and what happens after fork and when threads cannot be had. */
#include "core/core_testing.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/parallel.h"

static const unsigned thread_counts[] = {1, 2, 3, 8, 17};

typedef struct visits {
    uint64_t count, grain;
    unsigned limit;
    atomic_uchar *seen;
    atomic_uint wrong;
    uint64_t last[32]; /* per thread: the end of the piece before */
} visits;

static void visit(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    visits *job = arg;
    if (thread >= job->limit || begin >= end || end > job->count || end - begin > job->grain ||
        begin % job->grain != 0 || begin < job->last[thread]) {
        atomic_fetch_add(&job->wrong, 1);
        return;
    }
    job->last[thread] = end; /* lowest first: pieces of a thread go up */
    for (uint64_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(&job->seen[i], 1, memory_order_relaxed);
}

static bool every_index_once(const hop_context *context, uint64_t count, uint64_t grain) {
    visits job = {.count = count, .grain = grain, .limit = hop__team_limit(context)};
    job.seen = calloc(count + 1, sizeof *job.seen);
    if (job.seen == NULL)
        return false;
    hop__for(context, count, grain, visit, &job);
    bool right = atomic_load(&job.wrong) == 0;
    for (uint64_t i = 0; i < count; i++)
        right = right && atomic_load(&job.seen[i]) == 1;
    free(job.seen);
    return right;
}

static void never_called(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)begin, (void)end, (void)thread;
    *(bool *)arg = true;
}

static void keep_first_piece(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    uint64_t *piece = arg;
    piece[0] = begin;
    piece[1] = end;
}

static void ranges_are_covered(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 3, 7, 64, 100, 1000, 4097, 50000};
    static const uint64_t grains[] = {1, 2, 3, 7, 64, 999, 1000, 1001, UINT64_MAX};
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        hop_context *context = make_context(thread_counts[t]);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++)
                if (counts[c] / grains[g] < 10000) /* handing out is what costs */
                    assert_true(every_index_once(context, counts[c], grains[g]));
        bool called = false;
        hop__for(context, 0, 5, never_called, &called);
        assert_false(called);
        uint64_t piece[2] = {7, 7};
        hop__for(context, UINT64_MAX, UINT64_MAX, keep_first_piece, piece);
        assert_true(piece[0] == 0 && piece[1] == UINT64_MAX);
        hop__for(context, 1, 0, keep_first_piece, piece); /* a grain of 0 is one of 1 */
        assert_true(piece[0] == 0 && piece[1] == 1);
        free_context(context);
    }
}

static void shares_follow_each_other(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 1, 5, 1000, UINT64_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (unsigned threads = 1; threads < 40; threads++) {
            assert_true(hop__share(counts[c], 0, threads) == 0);
            assert_true(hop__share(counts[c], threads, threads) == counts[c]);
            for (unsigned t = 0; t < threads; t++) {
                uint64_t size =
                    hop__share(counts[c], t + 1, threads) - hop__share(counts[c], t, threads);
                assert_true(size == counts[c] / threads || size == counts[c] / threads + 1);
            }
        }
    }
}

typedef struct roll_call {
    const hop_context *context;
    atomic_uint called[64];
    atomic_uint before, wrong;
    unsigned threads;
    pthread_t caller;
} roll_call;

static void answer(void *arg, unsigned thread, unsigned threads) {
    roll_call *job = arg;
    atomic_fetch_add(&job->called[thread], 1);
    if (thread == 0) {
        job->threads = threads;
        if (!pthread_equal(pthread_self(), job->caller))
            atomic_fetch_add(&job->wrong, 1);
    }
    for (unsigned round = 1; round <= 50; round++) {
        atomic_fetch_add(&job->before, 1);
        hop__team_barrier();
        if (atomic_load(&job->before) != round * threads)
            atomic_fetch_add(&job->wrong, 1);
        hop__team_barrier();
    }
}

static void check_roll(roll_call *job, unsigned limit) {
    assert_true(job->threads >= 1 && job->threads <= limit);
    for (unsigned t = 0; t < 64; t++)
        assert_int_equal(atomic_load(&job->called[t]), t < job->threads);
    assert_int_equal(atomic_load(&job->wrong), 0);
}

static void teams_are_numbered_and_meet_at_barriers(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        hop_context *context = make_context(thread_counts[t]);
        assert_int_equal(hop__team_limit(context), thread_counts[t]);
        roll_call job = {.context = context, .caller = pthread_self()};
        hop__team(context, answer, &job);
        check_roll(&job, thread_counts[t]);
        assert_int_equal(job.threads, thread_counts[t]);
        for (unsigned limit = 0; limit <= 3; limit++) {
            roll_call part = {.context = context, .caller = pthread_self()};
            hop__team_of(context, limit, answer, &part);
            check_roll(&part, limit == 0 ? 1 : limit);
        }
        free_context(context);
    }
}

static void answer_inside(void *arg, unsigned thread, unsigned threads) {
    (void)threads;
    roll_call *jobs = arg;
    roll_call *own = &jobs[thread];
    own->caller = pthread_self();
    if (hop__team_limit(own->context) != 1)
        atomic_fetch_add(&own->wrong, 1);
    /* Only one member goes in here: were its barriers those of the team around, it would hang. */
    if (thread == 0) {
        hop__team(own->context, answer, own);
        if (!every_index_once(own->context, 1000, 10))
            atomic_fetch_add(&own->wrong, 1);
    }
}

static void a_team_inside_a_team_has_one_member(void **state) {
    (void)state;
    hop_context *context = make_context(3);
    roll_call jobs[3] = {{.context = context}, {.context = context}, {.context = context}};
    hop__team(context, answer_inside, jobs);
    check_roll(&jobs[0], 1);
    for (unsigned t = 1; t < 3; t++)
        assert_int_equal(atomic_load(&jobs[t].wrong), 0);
    free_context(context);
}

static void cores_are_those_of_the_affinity(void **state) {
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(hop__cores(), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hop__cores(), 1);
    hop_context *context = make_context(0);
    assert_int_equal(hop_context_threads(context), 1);
    free_context(context);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Runs a check in a child process that is killed when it hangs; its exit code. */
static int in_child(int (*body)(hop_context *), hop_context *context) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(100);
        _exit(body(context));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int child_with_threads(hop_context *context) {
    if (hop__team_limit(context) != 3)
        return 1;
    roll_call job = {.context = context, .caller = pthread_self()};
    hop__team(context, answer, &job);
    return job.threads == 3 && every_index_once(context, 10000, 10) ? 0 : 2;
}

static int child_alone(hop_context *context) {
    if (hop__team_limit(context) != 1)
        return 1;
    roll_call job = {.context = context, .caller = pthread_self()};
    hop__team(context, answer, &job);
    return job.threads == 1 && every_index_once(context, 10000, 10) ? 0 : 2;
}

/* Must come first: no team has been used in this process yet. */
static void a_fork_before_any_team_has_threads(void **state) {
    (void)state;
    if (SANITIZED_THREAD) /* it forbids threads in a child */
        skip();
    hop_context *context = make_context(3);
    assert_int_equal(in_child(child_with_threads, context), 0);
    free_context(context);
}

static void a_fork_after_a_team_works_alone(void **state) {
    (void)state;
    if (SANITIZED_THREAD) /* Archer crashes when the child ends */
        skip();
    hop_context *context = make_context(3);
    assert_true(every_index_once(context, 1000, 1));
    assert_int_equal(in_child(child_alone, context), 0);
    assert_int_equal(hop__team_limit(context), 3); /* the parent goes on as before */
    assert_true(every_index_once(context, 1000, 1));
    free_context(context);
}

typedef struct warning {
    unsigned count;
    char message[256];
} warning;

static void keep_warning(void *user, hop_log_level level, const char *message) {
    warning *kept = user;
    kept->count += level == HOP_LOG_WARNING;
    snprintf(kept->message, sizeof kept->message, "%s", message);
}

/* With little address space left there are stacks for a few threads, not for 4,096. OpenMP would
 * end the process. */
static int child_with_little_space(hop_context *unused) {
    (void)unused;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        return 1;
    fclose(file);
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = pages * 4096 + ((rlim_t)200 << 20);
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    warning kept = {0};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 4096;
    options.log = keep_warning;
    options.log_user = &kept;
    hop_context *context;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 3;
    if (!every_index_once(context, 10, 1)) /* fewer pieces than threads */
        return 4;
    unsigned had = hop__team_limit(context);
    if (had == 0 || had >= 200)
        return 5;
    if (kept.count != 1 || strstr(kept.message, "of the 4096 asked for") == NULL)
        return 6;
    hop_context_free(context);
    return 0;
}

static void too_many_threads_end_nothing(void **state) {
    (void)state;
    if (SANITIZED)
        skip();
    assert_int_equal(in_child(child_with_little_space, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_before_any_team_has_threads),
        cmocka_unit_test(too_many_threads_end_nothing),
        cmocka_unit_test(ranges_are_covered),
        cmocka_unit_test(shares_follow_each_other),
        cmocka_unit_test(teams_are_numbered_and_meet_at_barriers),
        cmocka_unit_test(a_team_inside_a_team_has_one_member),
        cmocka_unit_test(cores_are_those_of_the_affinity),
        cmocka_unit_test(a_fork_after_a_team_works_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
