/* SPDX-License-Identifier: Apache-2.0
 * The clock. */
#include "core/core_testing.h"

#include <time.h>

#include "core/timing.h"

static void never_goes_back(void **state) {
    (void)state;
    double last = hop__now();
    for (unsigned i = 0; i < 100000; i++) {
        double now = hop__now();
        assert_true(now >= last);
        last = now;
    }
}

static void counts_seconds(void **state) {
    (void)state;
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 30000000};
    double start = hop__now();
    nanosleep(&pause, NULL);
    double seconds = hop__now() - start;
    assert_true(seconds >= 0.0299 && seconds < 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_goes_back),
        cmocka_unit_test(counts_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
