/* SPDX-License-Identifier: Apache-2.0
 * Teams, ranges, and what happens after fork and when threads cannot be had. */
#include "core/core_testing.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/context_internal.h"
#include "core/machine_share.h"
#include "core/parallel.h"
#include "core/patience.h"
#include "core/pool.h"
#include "core/timing.h"

static const unsigned thread_counts[] = {1, 2, 3, 8, 17};

typedef struct visits {
    uint64_t count, grain;
    unsigned limit;
    atomic_uchar *seen;
    atomic_uint wrong;
    uint64_t last[HOP__THREADS_MAX]; /* per thread: the end of the piece before */
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

static void make_crowded(void) {
    hop__share_add(100000000, 0);
}

static void make_quiet(void) {
    for (int i = 0; i < 1000 && hop__crowded(); i++)
        hop__share_add(2000000, 2000000);
}

static void teams_are_numbered_and_meet_at_barriers(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        hop_context *context = make_context(thread_counts[t]);
        assert_int_equal(hop__team_limit(context), thread_counts[t]);
        roll_call job = {.context = context, .caller = pthread_self()};
        hop__team(context, answer, &job);
        check_roll(&job, thread_counts[t]);
        /* On a crowded machine a helper may be late, but not always; as many as there are cores,
         * and one more, must come some time. */
        unsigned least = thread_counts[t] < hop__cores() + 1 ? thread_counts[t] : hop__cores() + 1;
        for (int tries = 0; tries < 1000 && job.threads < least; tries++) {
            make_quiet();
            job = (roll_call){.context = context, .caller = pthread_self()};
            hop__team(context, answer, &job);
            check_roll(&job, thread_counts[t]);
        }
        assert_true(job.threads >= least);
        for (unsigned limit = 0; limit <= 3; limit++) {
            roll_call part = {.context = context, .caller = pthread_self()};
            hop__team_of(context, limit, UINT64_MAX, answer, &part);
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
    uint64_t paid = hop__cgroup_millicores("/proc/self/cgroup", "/sys/fs/cgroup");
    unsigned most = (unsigned)CPU_COUNT(&all);
    if (paid / 1000 < most)
        most = (unsigned)(paid / 1000) + (paid % 1000 != 0);
    assert_int_equal(hop__cores(), most);
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
        alarm(1000);
        _exit(body(context));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int child_with_threads(hop_context *context) {
    if (hop__team_limit(context) != 3)
        return 1;
    for (int tries = 0; tries < 1000; tries++) { /* a helper may be late */
        make_quiet();
        roll_call job = {.context = context, .caller = pthread_self()};
        hop__team(context, answer, &job);
        if (job.threads == 3)
            return every_index_once(context, 10000, 10) ? 0 : 2;
    }
    return 3;
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

static void a_fork_after_a_team_has_threads_of_its_own(void **state) {
    (void)state;
    if (SANITIZED_THREAD) /* it forbids threads in a child */
        skip();
    hop_context *context = make_context(3);
    assert_true(every_index_once(context, 1000, 1));
    assert_int_equal(in_child(child_with_threads, context), 0);
    assert_int_equal(hop__team_limit(context), 3); /* the parent goes on as before */
    assert_true(every_index_once(context, 1000, 1));
    free_context(context);
}

typedef struct busy_fork {
    hop_context *context;
    atomic_bool stop;
} busy_fork;

static void *keep_busy(void *arg) {
    busy_fork *other = arg;
    while (!atomic_load(&other->stop)) {
        roll_call job = {.context = other->context, .caller = pthread_self()};
        hop__team(other->context, answer, &job);
        every_index_once(other->context, 200, 1);
    }
    return NULL;
}

/* Whatever another thread is doing with the pool at that moment: making threads, holding the lock
 * of the list, waiting for helpers. */
static void a_fork_amid_other_teams_computes(void **state) {
    (void)state;
    if (SANITIZED_THREAD)
        skip();
    hop_context *context = make_context(3);
    busy_fork other = {.context = make_context(4)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, keep_busy, &other), 0);
    for (int i = 0; i < 50; i++)
        assert_int_equal(in_child(child_with_threads, context), 0);
    atomic_store(&other.stop, true);
    pthread_join(thread, NULL);
    free_context(other.context);
    free_context(context);
}

static void count_in(void *arg, unsigned thread, unsigned threads) {
    roll_call *job = arg;
    if (thread == 0)
        job->threads = threads;
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

/* With little address space left there are stacks for a few threads, not for 4,096. */
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
    roll_call job = {.context = context, .caller = pthread_self()};
    hop__team(context, count_in, &job);
    unsigned had = hop__team_limit(context);
    if (job.threads == 0 || job.threads > had || had >= 200)
        return 5;
    if (!every_index_once(context, 10000, 1)) /* and goes on with those */
        return 7;
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

/* ---- what waiting costs, in counts --------------------------------------------------------------
 */

static void wait_for_a_late_member(void *arg, unsigned thread, unsigned threads) {
    atomic_uint *size = arg;
    if (thread == 0)
        atomic_store(size, threads);
    else
        usleep(30000);
    hop__team_barrier();
}

static void members_that_wait_sleep(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    atomic_uint size = 0;
    uint64_t before = atomic_load(&hop__waits.sleeps), slept = 0;
    for (int tries = 0; tries < 200 && slept <= 10000000; tries++) { /* either may come late */
        uint64_t old = atomic_load(&hop__waits.slept_ns);
        make_quiet();
        hop__team(context, wait_for_a_late_member, &size);
        slept = atomic_load(&hop__waits.slept_ns) - old;
    }
    assert_int_equal(atomic_load(&size), 2);
    assert_true(atomic_load(&hop__waits.sleeps) > before);
    assert_true(slept > 10000000);
    free_context(context);
}

static void add_one(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    atomic_fetch_add_explicit((atomic_uint_fast64_t *)arg, end - begin, memory_order_relaxed);
}

/* Helpers that sleep are not woken for what is done sooner than they would come. */
static void little_work_wakes_nobody(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    atomic_uint_fast64_t sum = 0;
    unsigned left_alone = 0;
    unsigned calls = 0; /* one is enough: a machine that stands still makes little work long */
    for (; calls < 1000 && left_alone == 0; calls++) {
        usleep(5000); /* helpers go to sleep */
        uint64_t before = atomic_load(&hop__pool_total.asked);
        hop__for(context, 100, 10, add_one, &sum);
        left_alone += atomic_load(&hop__pool_total.asked) == before;
    }
    assert_int_equal(atomic_load(&sum), 100 * calls);
    assert_true(left_alone > 0);
    free_context(context);
}

typedef struct first_piece {
    uint64_t asked; /* helpers, when the first piece began */
    atomic_uint_fast64_t sum;
} first_piece;

static void note_asked(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    first_piece *self = arg;
    (void)thread;
    if (begin == 0)
        self->asked = atomic_load(&hop__pool_total.asked);
    atomic_fetch_add(&self->sum, end - begin);
}

/* Pieces may be long where each is one number, and many numbers take long: helpers are called
 * before the caller does any. */
static void long_work_calls_at_once(void **state) {
    (void)state;
    static const uint64_t counts[] = {64, 1 << 20}, grains[] = {1, 1 << 12};
    hop_context *context = make_context(2);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bool called = false; /* not where the machine seems crowded just then */
        for (int tries = 0; tries < 200 && !called; tries++) {
            make_quiet();
            usleep(5000);
            if (hop__pool_awake()) /* helpers are to sleep */
                continue;
            uint64_t before = atomic_load(&hop__pool_total.asked);
            first_piece job = {0};
            hop__for(context, counts[i], grains[i], note_asked, &job);
            called = job.asked == before + 1;
            assert_int_equal(atomic_load(&job.sum), counts[i]);
        }
        assert_true(called);
    }
    free_context(context);
}

static void short_work_stays_alone_where_others_want_the_cores(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    roll_call job = {.context = context, .caller = pthread_self()};
    bool alone = false; /* that it is crowded is forgotten if the machine stalls for a second */
    for (int tries = 0; tries < 200 && !alone; tries++) {
        double begin = hop__now();
        make_crowded();
        uint64_t before = atomic_load(&hop__pool_total.asked);
        job = (roll_call){.context = context, .caller = pthread_self()};
        hop__team_of(context, 2, 1000, answer, &job);
        alone = job.threads == 1 && atomic_load(&hop__pool_total.asked) == before;
        assert_true(alone || hop__now() - begin > 0.9);
    }
    assert_true(alone);
    make_quiet();
    assert_false(hop__crowded());
    for (int tries = 0; tries < 200 && job.threads < 2; tries++) {
        make_quiet();
        job = (roll_call){.context = context, .caller = pthread_self()};
        hop__team_of(context, 2, 1000, answer, &job);
    }
    assert_int_equal(job.threads, 2);
    free_context(context);
}

static void many_short_calls_make_no_more_threads(void **state) {
    (void)state;
    hop_context *context = make_context(3);
    atomic_uint_fast64_t sum = 0;
    roll_call first = {.context = context, .caller = pthread_self()};
    hop__team(context, answer, &first);
    uint64_t made = atomic_load(&hop__pool_total.made);
    for (int i = 0; i < 10000; i++) {
        hop__for(context, 64, 1, add_one, &sum);
        if (i % 10 == 0) {
            roll_call job = {.context = context, .caller = pthread_self()};
            hop__team(context, count_in, &job);
        }
    }
    assert_int_equal(atomic_load(&sum), 640000);
    assert_int_equal(atomic_load(&hop__pool_total.made), made);
    free_context(context);
}

typedef struct shared_caller {
    atomic_uint *at_work, *most;
    atomic_uint_fast64_t sum;
} shared_caller;

static void note_member(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    shared_caller *self = arg;
    (void)thread;
    unsigned now = atomic_fetch_add(self->at_work, 1) + 1, most = atomic_load(self->most);
    while (now > most && !atomic_compare_exchange_weak(self->most, &most, now))
        ;
    for (volatile int i = 0; i < 2000; i++)
        ;
    atomic_fetch_add(&self->sum, end - begin);
    atomic_fetch_sub(self->at_work, 1);
}

static void *call_often(void *arg) {
    hop_context *context = make_context(2);
    for (int i = 0; i < 200; i++)
        hop__for(context, 50, 1, note_member, arg);
    free_context(context);
    return NULL;
}

/* Each of many callers may have the other core too, but not all at once. */
static void contexts_share_the_cores(void **state) {
    (void)state;
    enum { CALLERS = 8 };
    atomic_uint at_work = 0, most = 0;
    shared_caller callers[CALLERS];
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (shared_caller){&at_work, &most, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&callers[i].sum), 200 * 50);
    }
    assert_in_range(atomic_load(&most), 1, CALLERS + hop__cores());
}

/* Only where the caller has named no number. */
static void small_work_has_fewer_threads(void **state) {
    (void)state;
    hop_context *chosen = make_context(0), *named = make_context(4);
    chosen->team_size = 4; /* whatever the machine has */
    assert_int_equal(hop__team_for(chosen, 0), 1);
    assert_int_equal(hop__team_for(chosen, 100000), 1);
    assert_in_range(hop__team_for(chosen, 1000000), 2, 4);
    assert_int_equal(hop__team_for(chosen, UINT64_MAX), 4);
    assert_int_equal(hop__team_for(named, 0), 4);
    chosen->call_threads = 3;
    assert_int_equal(hop__team_limit(chosen), 3);
    free_context(chosen);
    free_context(named);
}

static void *ask_beside(void *arg) {
    unsigned *granted = arg;
    granted[0] = hop__pool_ask(8, 2);
    hop__pool_call_begin();
    granted[1] = hop__pool_reserve(8, 2);
    granted[2] = hop__pool_ask(8, 4); /* two are at work */
    hop__pool_return(granted[1]);
    hop__pool_call_end();
    return NULL;
}

/* A call has its core from its beginning to its end, also between its regions. */
static void calls_have_their_cores(void **state) {
    (void)state;
    unsigned beside[3] = {0};
    pthread_t thread;
    usleep(1000); /* the call of a test before may be expected again */
    assert_int_equal(hop__pool_ask(8, 2), 8);
    hop__pool_call_begin();
    hop__pool_call_begin();
    assert_int_equal(hop__pool_ask(8, 2), 8); /* it is alone */
    hop__pool_call_end();
    assert_int_equal(pthread_create(&thread, NULL, ask_beside, beside), 0);
    pthread_join(thread, NULL);
    hop__pool_call_end();
    assert_int_equal(beside[0], 1);
    assert_int_equal(beside[1], 1);
    assert_int_equal(beside[2], 3);
    usleep(1000);
    assert_int_equal(hop__pool_reserve(8, 2), 8);
    hop__pool_return(8);
}

static void *call_once(void *unused) {
    (void)unused;
    hop__pool_call_begin();
    hop__pool_call_end();
    return NULL;
}

/* Two callers in a loop: the other one, between two calls, is expected although this one has ended
 * a call since. For a moment only, so the moment is sought. */
static void a_caller_that_ended_before_is_expected(void **state) {
    (void)state;
    unsigned granted = 0;
    for (int i = 0; i < 1000 && granted != 1; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, call_once, NULL), 0);
        pthread_join(thread, NULL);
        call_once(NULL);
        hop__pool_call_begin();
        granted = hop__pool_ask(8, 2);
        hop__pool_call_end();
    }
    assert_int_equal(granted, 1);
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
        cmocka_unit_test(members_that_wait_sleep),
        cmocka_unit_test(little_work_wakes_nobody),
        cmocka_unit_test(long_work_calls_at_once),
        cmocka_unit_test(short_work_stays_alone_where_others_want_the_cores),
        cmocka_unit_test(many_short_calls_make_no_more_threads),
        cmocka_unit_test(contexts_share_the_cores),
        cmocka_unit_test(small_work_has_fewer_threads),
        cmocka_unit_test(calls_have_their_cores),
        cmocka_unit_test(a_caller_that_ended_before_is_expected),
        cmocka_unit_test(a_fork_after_a_team_has_threads_of_its_own),
        cmocka_unit_test(a_fork_amid_other_teams_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
