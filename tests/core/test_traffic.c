/* SPDX-License-Identifier: Apache-2.0
 * Counts of the build with HOPLITE_COUNT_ATOMICS. Here they are compiled into a test of any build:
 * the library's own atomics are not counted then, but those of this file are, and of the headers
 * that it includes. */
#define HOPLITE_COUNT_ATOMICS
#include "core/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/parallel.h"
#include "core/union_find.h"
#include "hoplite/context.h"

/* The gate with its counts, in place of the library's. */
#include "core/gate.c"

enum { VERTICES = 20000, ROUNDS = 100, THREADS = 8 };

typedef struct work {
    hop__gate gate;
    uint32_t *parents;
    unsigned threads; /* that there were */
} work;

static hop__traffic since(const hop__traffic *then) {
    const hop__traffic now = hop__traffic_now();
    return (hop__traffic){.swaps = now.swaps - then->swaps,
                          .failed = now.failed - then->failed,
                          .changes = now.changes - then->changes,
                          .stores = now.stores - then->stores,
                          .taken = now.taken - then->taken,
                          .barriers = now.barriers - then->barriers,
                          .regions = now.regions - then->regions};
}

/* Runs fn on a team; what it did. */
static hop__traffic counted(unsigned threads, hop__team_fn fn, work *job) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    job->parents = malloc(VERTICES * sizeof *job->parents);
    assert_non_null(job->parents);
    for (uint32_t v = 0; v < VERTICES; v++)
        job->parents[v] = v;
    const hop__traffic then = hop__traffic_now();
    hop__team(context, fn, job);
    const hop__traffic did = since(&then);
    hop_context_free(context);
    return did;
}

static void join_itself(void *arg, unsigned thread, unsigned threads) {
    work *job = arg;
    for (uint64_t v = hop__share(VERTICES, thread, threads);
         v < hop__share(VERTICES, thread + 1, threads); v++)
        hop__forest_join(job->parents, (uint32_t)v, (uint32_t)v);
}

/* Vertices without edges need no swap, and so none fails. */
static void test_isolated(void **state) {
    (void)state;
    work job = {0};
    const hop__traffic did = counted(THREADS, join_itself, &job);
    assert_int_equal(did.swaps, 0);
    assert_int_equal(did.failed, 0);
    assert_true(did.stores <= 3); /* the gate's own, where it is made */
    free(job.parents);
}

/* Every member joins every leaf with the middle of the star: the last id, so the root moves. */
static void join_star(void *arg, unsigned thread, unsigned threads) {
    work *job = arg;
    (void)thread;
    (void)threads;
    for (uint32_t v = VERTICES - 1; v-- > 0;)
        hop__forest_join(job->parents, VERTICES - 1, v);
}

/* A forest of one tree takes n - 1 swaps that work; all others failed. */
static void test_star(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= THREADS; threads *= 2) {
        work job = {0};
        const hop__traffic did = counted(threads, join_star, &job);
        assert_int_equal(did.swaps - did.failed, VERTICES - 1);
        if (threads == 1) {
            assert_int_equal(did.failed, 0);
            assert_int_equal(did.taken, 0);
        }
        assert_true(did.taken <= did.swaps + did.stores);
        for (uint32_t v = 0; v < VERTICES; v++)
            assert_int_equal(hop__forest_climb(job.parents, v), 0);
        free(job.parents);
    }
}

static _Alignas(64) uint32_t shared_cells[16];

/* Members write to one line in turn. */
static void write_in_turn(void *arg, unsigned thread, unsigned threads) {
    work *job = arg;
    if (thread == 0)
        job->threads = threads;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % threads == thread)
            hop__store_u32(&shared_cells[thread], round);
        hop__team_barrier();
    }
}

/* Cells of one line, each a thread's own: the line goes from one to the next all the same. */
static void test_line_in_turn(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        work job = {0};
        const hop__traffic did = counted(threads, write_in_turn, &job);
        assert_true(did.stores >= ROUNDS);
        if (job.threads == 1) /* also where more were asked for: the line was another's before */
            assert_true(did.taken <= 1);
        else
            assert_true(did.taken >= ROUNDS - 1);
        assert_int_equal(did.barriers, job.threads > 1 ? ROUNDS : 0);
        free(job.parents);
    }
}

static void change(void *arg, unsigned thread, unsigned threads) {
    (void)arg;
    (void)thread;
    (void)threads;
    static uint64_t cell;
    uint64_t expected = 1;
    __atomic_store_n(&cell, 0, __ATOMIC_RELAXED);
    assert_false(__atomic_compare_exchange_n(&cell, &expected, 5, false, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED));
    assert_int_equal(expected, 0);
    assert_int_equal(__atomic_fetch_add(&cell, 3, __ATOMIC_RELAXED), 0);
    assert_int_equal(__atomic_exchange_n(&cell, 4, __ATOMIC_RELAXED), 3);
    assert_true(hop__replace_u64(&cell, 4, 9));
    assert_int_equal(hop__load_u64(&cell), 9);
}

/* Each kind is counted as what it is, and does what it does without being counted. */
static void test_kinds(void **state) {
    (void)state;
    work job = {0};
    const hop__traffic did = counted(1, change, &job);
    assert_int_equal(did.stores, 1);
    assert_int_equal(did.swaps, 2);
    assert_int_equal(did.failed, 1);
    assert_int_equal(did.changes, 2);
    free(job.parents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isolated),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_line_in_turn),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Last: what counts is not counted itself. */
#include "core/traffic.c"
