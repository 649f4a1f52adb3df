/* SPDX-License-Identifier: Apache-2.0
 * The lock that survives fork: it excludes threads, and a child takes over its parent's. */
#include "core/process_lock.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core_testing.h"
#include "core/sanitized_testing.h"

enum { THREADS = 4, TURNS = 200 };

static hop__process_lock lock;
static unsigned long inside, turns;

static void *take_turns(void *most) {
    for (int i = 0; i < TURNS; i++) {
        hop__process_lock_take(&lock);
        inside++;
        if (inside > *(unsigned long *)most)
            *(unsigned long *)most = inside;
        turns++;
        inside--;
        hop__process_lock_give(&lock);
    }
    return NULL;
}

static void one_thread_at_a_time(void **state) {
    (void)state;
    pthread_t made[THREADS];
    unsigned long most = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&made[i], NULL, take_turns, &most), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(made[i], NULL);
    assert_int_equal(most, 1);
    assert_int_equal(turns, THREADS * TURNS);
}

static void a_child_takes_over_what_its_parent_holds(void **state) {
    (void)state;
    if (SANITIZED_THREAD) /* it forbids threads in a child */
        skip();
    hop__process_lock_take(&lock);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(1000); /* when it hangs */
        hop__process_lock_take(&lock);
        int held = atomic_load(&lock.holder) == (int)getpid();
        hop__process_lock_give(&lock);
        _exit(held ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(atomic_load(&lock.holder), (int)getpid()); /* the parent's is its own */
    hop__process_lock_give(&lock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_at_a_time),
        cmocka_unit_test(a_child_takes_over_what_its_parent_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
