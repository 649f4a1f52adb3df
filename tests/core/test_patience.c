/* SPDX-License-Identifier: Apache-2.0
 * What a thread waits for others, and what it waits for a core, are told apart: on clocks that the
 * test moves on, with sleeps during which the other thread does what the test says. */
#include "core/core_testing.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t wall_ns = 1000000000, cpu_ns = 1000000;

static int move_clock(clockid_t clock, struct timespec *now) {
    uint64_t ns = clock == CLOCK_THREAD_CPUTIME_ID ? cpu_ns : wall_ns;
    now->tv_sec = (time_t)(ns / 1000000000);
    now->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

static long page_waits;

static int count_faults(struct rusage *used) {
    *used = (struct rusage){.ru_majflt = page_waits};
    return 0;
}

#define clock_gettime(clock, now) move_clock(clock, now)
#define getrusage(who, used)      count_faults(used)
#include "core/timing.h"

static struct {
    uint64_t until_wake, until_core; /* how the next sleeps go */
    bool woken;                      /* by another thread, or else by nobody: the limit was over */
    atomic_uint *other;              /* a word that is woken then, too */
    unsigned wakes;
} plan;

#define HOP__POINT() ((void)0)
static void hop__sleep_while(atomic_uint *word, unsigned value, const struct timespec *limit);
static void hop__wake(atomic_uint *word) {
    (void)word;
    plan.wakes++;
}
#include "core/patience.c"

#include "core/machine_share.c"

static void hop__sleep_while(atomic_uint *word, unsigned value, const struct timespec *limit) {
    (void)limit;
    wall_ns += plan.until_wake;
    if (plan.other != NULL)
        hop__rouse(plan.other);
    if (plan.woken) {
        atomic_store(word, value + 1);
        hop__rouse(word);
    }
    wall_ns += plan.until_core;
}

enum { MICROSECOND = 1000, MILLISECOND = 1000000 };

static void run_for(uint64_t ns) {
    wall_ns += ns;
    cpu_ns += ns;
}

/* A stretch of a member that works for 50 microseconds between two barriers. */
static void meet_often(unsigned times, uint64_t until_wake, uint64_t until_core, bool woken) {
    atomic_uint word = 0;
    plan.until_wake = until_wake;
    plan.until_core = until_core;
    plan.woken = woken;
    hop__share_begin();
    for (unsigned i = 0; i < times; i++) {
        run_for(50 * MICROSECOND);
        hop__sleep_learning(&word, 0);
    }
    hop__share_tell();
}

static void forget(void) {
    hop__share_add(memory_ns, memory_ns);
    assert_false(hop__crowded());
}

static void be_silent(uint64_t ns) {
    wall_ns += ns;
}

static void a_core_that_comes_late_is_no_sleep(void **state) {
    (void)state;
    const uint64_t begin = 1000, woken = 5000, late = woken + 3 * MILLISECOND;
    assert_int_equal(hop__late_ns(begin, woken, late), 3 * MILLISECOND);
    assert_int_equal(hop__late_ns(begin, woken, woken + 100 * MICROSECOND), 0);
    assert_int_equal(hop__late_ns(begin, 0, late), 0);     /* never woken */
    assert_int_equal(hop__late_ns(woken, begin, late), 0); /* an earlier sleeper was */
    assert_int_equal(hop__late_ns(begin, late + 1, late), 0);
    atomic_uint word = 0;
    uint64_t slept = hop__slept_ns(), count = atomic_load(&hop__waits.late);
    plan.until_wake = 2 * MILLISECOND, plan.until_core = 7 * MILLISECOND, plan.woken = true;
    hop__sleep_learning(&word, 0);
    assert_int_equal(hop__slept_ns() - slept, 2 * MILLISECOND);
    hop__sleep_at_most(&word, 0, 1);
    assert_int_equal(hop__slept_ns() - slept, 4 * MILLISECOND);
    assert_int_equal(hop__sleep_idle(&word, 0), 7 * MILLISECOND);
    assert_int_equal(hop__slept_ns() - slept, 4 * MILLISECOND);
    assert_int_equal(atomic_load(&hop__waits.late) - count, 3);
    plan.woken = false;
    hop__sleep_at_most(&word, 0, 1); /* all of it was asked for */
    assert_int_equal(hop__slept_ns() - slept, 13 * MILLISECOND);
    assert_int_equal(atomic_load(&hop__waits.late) - count, 3);
    assert_int_equal(plan.wakes, 3);
}

static void late_wakes_are_a_busy_machine(void **state) {
    (void)state;
    forget();
    meet_often(20, 20 * MICROSECOND, 3 * MILLISECOND, true);
    assert_true(hop__crowded());
}

/* For however long: waiting for others is no lack of a core, nor is what a wake takes. */
static void waiting_for_a_turn_is_a_quiet_machine(void **state) {
    (void)state;
    forget();
    meet_often(1000, 5 * MILLISECOND, 60 * MICROSECOND, true);
    assert_false(hop__crowded());
    meet_often(1000, 5 * MILLISECOND, 0, false);
    assert_false(hop__crowded());
}

/* Another word's wake, whenever it was, says nothing about this one. */
static void a_wake_of_another_word_is_none(void **state) {
    (void)state;
    atomic_uint words[2] = {0, 0};
    assert_ptr_not_equal(stamp_of(&words[0]), stamp_of(&words[1]));
    uint64_t slept = hop__slept_ns();
    plan.woken = false, plan.until_wake = 0, plan.until_core = 5 * MILLISECOND;
    hop__rouse(&words[1]);
    hop__sleep_learning(&words[0], 0);
    assert_int_equal(hop__slept_ns() - slept, 5 * MILLISECOND);
}

/* Also where both have one stamp: that a sleep with a limit was not woken, its own word says. */
static void a_limit_that_is_over_is_no_wake(void **state) {
    (void)state;
    atomic_uint words[STAMPS + 1] = {0}; /* two of them have the same stamp */
    atomic_uint *own = NULL, *other = NULL;
    for (unsigned i = 0; i <= STAMPS; i++)
        for (unsigned j = 0; j < i; j++)
            if (stamp_of(&words[i]) == stamp_of(&words[j]))
                own = &words[i], other = &words[j];
    assert_non_null(own);
    uint64_t slept = hop__slept_ns(), count = atomic_load(&hop__waits.late);
    plan.woken = false, plan.other = other;
    plan.until_wake = MILLISECOND, plan.until_core = 5 * MILLISECOND;
    hop__sleep_at_most(own, 0, 6 * MILLISECOND);
    plan.other = NULL;
    assert_int_equal(hop__slept_ns() - slept, 6 * MILLISECOND);
    assert_int_equal(atomic_load(&hop__waits.late), count);
}

/* A helper that comes very late is one event, as happen on a quiet machine. */
static void one_late_helper_is_a_quiet_machine(void **state) {
    (void)state;
    be_silent(silence_ns);
    hop__share_late(UINT64_C(5000) * MILLISECOND);
    assert_false(hop__crowded());
    for (unsigned i = 0; i < 20; i++)
        hop__share_late(6 * MILLISECOND);
    assert_true(hop__crowded());
}

static void silence_forgets(void **state) {
    (void)state;
    forget();
    hop__share_add(10 * memory_ns, 5 * memory_ns);
    be_silent(silence_ns / 2);
    assert_true(hop__crowded());
    be_silent(silence_ns / 2);
    assert_false(hop__crowded());
    hop__share_add(MILLISECOND, 0); /* what was before is not remembered now either */
    assert_false(hop__crowded());
}

/* Reading a file that is not in memory, by a system call or by a fault. */
static void waiting_for_a_file_is_a_quiet_machine(void **state) {
    (void)state;
    forget();
    uint64_t slept = hop__slept_ns();
    hop__share_begin();
    for (unsigned i = 0; i < 100; i++) {
        uint64_t begin = hop__pause_begin();
        run_for(MILLISECOND);
        wall_ns += 9 * MILLISECOND;
        hop__pause_end(begin);
    }
    hop__share_tell();
    assert_int_equal(hop__slept_ns() - slept, 900 * MILLISECOND);
    assert_false(hop__crowded());
    for (unsigned i = 0; i < 2; i++) { /* the second time nothing was read */
        hop__share_begin();
        page_waits += i == 0 ? 1 : 0;
        run_for(10 * MILLISECOND);
        wall_ns += 90 * MILLISECOND;
        hop__share_tell();
        assert_int_equal(hop__crowded(), i == 1);
    }
}

static void *tell_full_cores(void *arg) {
    (void)arg;
    for (unsigned i = 0; i < 20000; i++)
        hop__share_add(1000 + i % 7, 1000 + i % 7);
    return NULL;
}

/* An update by several threads at once is made whole or not at all. */
static void both_sums_are_of_the_same_stretches(void **state) {
    (void)state;
    forget();
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tell_full_cores, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    sums found = unpack(atomic_load(&sums_word));
    assert_in_range(found.wall, memory_ns / 2, memory_ns);
    assert_int_equal(found.wall, found.cpu);
}

/* A thread that is alone by then tells by its own time that the cores are free. */
static void free_cores_are_noticed(void **state) {
    (void)state;
    forget();
    meet_often(200, 20 * MICROSECOND, 3 * MILLISECOND, true);
    assert_true(hop__crowded());
    uint64_t told = atomic_load(&hop__shares_told);
    unsigned calls = 0;
    for (; hop__crowded() && calls < 1000; calls++) {
        hop__share_begin();
        run_for(MILLISECOND);
        hop__share_tell();
    }
    assert_in_range(calls, 100, 200); /* however long the stretch before was */
    assert_int_equal(atomic_load(&hop__shares_told) - told, calls);
}

/* A stretch of a tenth of a second, so much of it with a core. */
static void work_with(uint64_t core_ns) {
    hop__share_begin();
    run_for(core_ns);
    wall_ns += memory_ns - core_ns;
    hop__share_tell();
}

/* On a crowded machine little is looked, and what is learned there ends with it. Cores that come
 * late after sleeps are no reason: longer looks would spare the sleeps. */
static void patience_suits_the_machine(void **state) {
    (void)state;
    work_with(memory_ns);
    atomic_uint word = 0;
    plan.woken = true, plan.until_core = 0;
    for (unsigned crowds = 0; crowds < 2; crowds++) {
        assert_int_equal(hop__patience(), LOOKS_MOST);
        work_with(memory_ns / 2);
        unsigned few = hop__patience();
        assert_true(few < LOOKS_MOST / 25);
        plan.until_wake = 3 * MILLISECOND; /* who is waited for has no core */
        for (unsigned i = 0; i < 10; i++)
            hop__sleep_learning(&word, atomic_load(&word));
        assert_int_equal(hop__patience(), LOOKS_LEAST);
        plan.until_wake = 10 * MICROSECOND;
        for (unsigned i = 0; i < 10; i++)
            hop__sleep_learning(&word, atomic_load(&word));
        assert_int_equal(hop__patience(), few);
        work_with(memory_ns);
    }
    meet_often(20, 20 * MICROSECOND, 3 * MILLISECOND, true);
    assert_true(hop__crowded());
    assert_true(hop__patience() > LOOKS_MOST / 25);
    plan.until_core = 0;
    forget();
    atomic_store(&looks, LOOKS_MOST);
    plan.until_wake = MILLISECOND; /* a long step of somebody who has a core */
    hop__sleep_learning(&word, atomic_load(&word));
    assert_int_equal(hop__patience(), LOOKS_MOST);
    plan.until_wake = 3 * MILLISECOND;
    hop__sleep_learning(&word, atomic_load(&word));
    assert_int_equal(hop__patience(), LOOKS_MOST / 2);
    plan.until_wake = 300 * MICROSECOND; /* looking on would have seen it */
    hop__sleep_learning(&word, atomic_load(&word));
    assert_int_equal(hop__patience(), LOOKS_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_that_comes_late_is_no_sleep),
        cmocka_unit_test(late_wakes_are_a_busy_machine),
        cmocka_unit_test(waiting_for_a_turn_is_a_quiet_machine),
        cmocka_unit_test(a_wake_of_another_word_is_none),
        cmocka_unit_test(a_limit_that_is_over_is_no_wake),
        cmocka_unit_test(one_late_helper_is_a_quiet_machine),
        cmocka_unit_test(silence_forgets),
        cmocka_unit_test(waiting_for_a_file_is_a_quiet_machine),
        cmocka_unit_test(both_sums_are_of_the_same_stretches),
        cmocka_unit_test(free_cores_are_noticed),
        cmocka_unit_test(patience_suits_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
