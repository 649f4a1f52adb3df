/* SPDX-License-Identifier: Apache-2.0
 * The gate: everyone waits for everyone, one of them works alone, and all see what it did. */
#include <unistd.h>

#include "core/core_testing.h"
#include "core/gate.h"
#include "core/parallel.h"

enum { MEMBERS = 8, MEETINGS = 2000 };

typedef struct meeting {
    hop__gate gate;
    unsigned last_sleeps; /* every so many meetings the one who is alone takes its time */
    uint64_t marks[MEMBERS][8];
    uint64_t sum; /* written alone, read by all */
    atomic_uint wrong, alone;
} meeting;

static void meet(void *arg, unsigned thread, unsigned threads) {
    meeting *m = arg;
    for (uint64_t i = 1; i <= MEETINGS; i++) {
        m->marks[thread][0] = i;
        if (hop__gate_arrive(&m->gate)) {
            m->sum = 0;
            for (unsigned k = 0; k < threads; k++)
                m->sum += m->marks[k][0];
            if (atomic_fetch_add(&m->alone, 1) + 1 != i)
                atomic_fetch_add(&m->wrong, 1);
            if (m->last_sleeps && i % m->last_sleeps == 0)
                usleep(1000);
            hop__gate_open(&m->gate);
        }
        if (m->sum != i * threads)
            atomic_fetch_add(&m->wrong, 1);
        if (hop__gate_arrive(&m->gate)) /* nobody changes the marks while others still read */
            hop__gate_open(&m->gate);
    }
}

static void begin_meeting(void *arg, unsigned thread, unsigned threads) {
    meeting *m = arg;
    if (thread == 0)
        hop__gate_init(&m->gate, threads);
    hop__team_barrier();
    meet(m, thread, threads);
}

static void all_wait_for_all(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= MEMBERS; threads++) {
        hop_context *context = make_context(threads);
        meeting m = {.last_sleeps = 500};
        hop__team(context, begin_meeting, &m);
        assert_int_equal(atomic_load(&m.wrong), 0);
        assert_int_equal(atomic_load(&m.alone), MEETINGS);
        assert_int_equal(atomic_load(&m.gate.sleepers), 0);
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_wait_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
