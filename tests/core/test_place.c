/* SPDX-License-Identifier: Apache-2.0
 * A thread that is woken keeps off its waker's core, and is free again afterwards. */
#include "core/core_testing.h"

#include "core/place.h"

typedef struct sleeper {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    bool woken, ran_elsewhere;
    int waker_core;
    hop__place place;
} sleeper;

static void *sleep_until_woken(void *arg) {
    sleeper *self = arg;
    pthread_mutex_lock(&self->lock);
    while (!self->woken)
        pthread_cond_wait(&self->turn, &self->lock);
    pthread_mutex_unlock(&self->lock);
    self->ran_elsewhere = sched_getcpu() != self->waker_core;
    hop__place_free(&self->place);
    return NULL;
}

static void wake(sleeper *of) {
    pthread_mutex_lock(&of->lock);
    of->woken = true;
    pthread_cond_signal(&of->turn);
    pthread_mutex_unlock(&of->lock);
}

static void use_cores(const cpu_set_t *cores) {
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof *cores, cores), 0);
}

static cpu_set_t cores_of(pthread_t thread) {
    cpu_set_t cores;
    CPU_ZERO(&cores); /* the memory sanitizer does not know the next call */
    assert_int_equal(pthread_getaffinity_np(thread, sizeof cores, &cores), 0);
    return cores;
}

static size_t first_of(const cpu_set_t *cores) {
    size_t first = 0;
    while (!CPU_ISSET(first, cores))
        first++;
    return first;
}

/* A thread that may use these cores, woken from the first of them: the cores that it may use until
 * it runs. Afterwards it has those that it had. */
static cpu_set_t wake_from_first(const cpu_set_t *cores, sleeper *made) {
    cpu_set_t first, before = cores_of(pthread_self());
    *made = (sleeper){.lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
    use_cores(cores);
    assert_int_equal(pthread_create(&made->thread, NULL, sleep_until_woken, made), 0);
    CPU_ZERO(&first);
    CPU_SET(first_of(cores), &first);
    use_cores(&first);
    made->waker_core = sched_getcpu();
    assert_int_equal(made->waker_core, first_of(cores));
    hop__place_elsewhere(&made->place, made->thread);
    cpu_set_t meanwhile = cores_of(made->thread);
    wake(made);
    assert_int_equal(pthread_join(made->thread, NULL), 0);
    use_cores(&before);
    assert_false(made->place.kept_away);
    return meanwhile;
}

static void who_is_woken_runs_elsewhere(void **state) {
    (void)state;
    cpu_set_t own = cores_of(pthread_self());
    if (CPU_COUNT(&own) < 2)
        skip();
    for (unsigned i = 0; i < 50; i++) {
        sleeper made;
        cpu_set_t meanwhile = wake_from_first(&own, &made);
        assert_false(CPU_ISSET(first_of(&own), &meanwhile));
        assert_int_equal(CPU_COUNT(&meanwhile), CPU_COUNT(&own) - 1);
        assert_true(made.ran_elsewhere);
    }
}

static void all_cores_are_free_again(void **state) {
    (void)state;
    cpu_set_t own = cores_of(pthread_self()), left = own;
    if (CPU_COUNT(&own) < 2)
        skip();
    CPU_CLR(first_of(&own), &left);
    hop__place place = {.cores = own, .kept_away = true};
    use_cores(&left);
    hop__place_free(&place);
    cpu_set_t found = cores_of(pthread_self());
    assert_true(CPU_EQUAL(&found, &own));
}

static void one_core_is_shared(void **state) {
    (void)state;
    cpu_set_t own = cores_of(pthread_self()), only;
    sleeper made;
    CPU_ZERO(&only);
    CPU_SET(first_of(&own), &only);
    cpu_set_t meanwhile = wake_from_first(&only, &made);
    assert_true(CPU_EQUAL(&meanwhile, &only));
    assert_false(made.ran_elsewhere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_woken_runs_elsewhere),
        cmocka_unit_test(all_cores_are_free_again),
        cmocka_unit_test(one_core_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
