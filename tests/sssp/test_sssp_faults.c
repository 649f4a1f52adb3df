/* SPDX-License-Identifier: Apache-2.0
 * Every allocation of the certifiers fails in turn; reports come often. What else every variant
 * owes its caller: problem/test_conformance.c, whose subjects these are. */
#include <time.h>

#include "problem/conformance_testing.h"
#include "span_testing.h"

/* The certifiers by themselves. */
static void allocations_of_certifiers_fail(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2 * SUBJECTS; i++) {
        const subject *s = &subjects[i / 2];
        bool with_parents = i % 2;
        if (s->problem != HOP_PROBLEM_SSSP ||
            (s->type >= HOP_TYPE_FLOAT32 && s->low < 0 && !with_parents))
            continue;
        test_heap heap = {0};
        hop_context_options options = heap_options(&heap, true);
        hop_context *context = NULL;
        int64_t d[200];
        hop_vertex parents[200], source = 0, cycle[] = {0, 1};
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        hop_graph *graph = task_graph(context, s, 200);
        if (!s->cycle)
            assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, d), parents),
                             HOP_OK);
        for (unsigned at = 1;; at++) {
            heap_fail_at(&heap, at);
            hop_status status =
                s->cycle ? hop_cycle_certify(context, graph, cycle, 2)
                         : hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, d),
                                            with_parents ? parents : NULL);
            bool over = atomic_load(&heap.requests) < at;
            heap_fail_at(&heap, 0);
            assert_int_equal(status, over ? HOP_OK : HOP_ERR_MEMORY);
            if (over) {
                assert_true(at > 1);
                break;
            }
        }
        hop_graph_release(graph);
        hop_context_free(context);
        assert_heap_empty(&heap);
    }
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct watch {
    double last, longest;
} watch;

static bool note_time(void *user, const hop_progress *progress) {
    watch *w = user;
    double now = seconds();
    (void)progress;
    w->longest = now - w->last > w->longest ? now - w->last : w->longest;
    w->last = now;
    return true;
}

/* The longest time between two reports of a call. */
static double longest_silence(task *t, const hop_run *run) {
    hop_context *context = NULL;
    watch w = {0, 0};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    options.progress = note_time;
    options.progress_user = &w;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    w.last = seconds();
    assert_int_equal(solve(context, t, run), t->about->status);
    (void)note_time(&w, NULL);
    free_context(context);
    return w.longest;
}

/* Reports come so often that cancelling takes effect soon: measured in processor time, so that a
 * busy machine does not matter, and the best of a few tries, since a guest's clock goes on while
 * its host does something else. */
static void reports_come_often(void **state) {
    (void)state;
    enum { N = 300000, TRIES = 10 };
    const double soon = SMALLER_TESTS ? 2 : 0.2;
    static const char *const chosen[] = {"zeros, limits", "float64", "negative float64"};
    for (unsigned i = 0; i < 3 * SUBJECTS; i++) {
        subject large = subjects[i / 3];
        if (large.problem != HOP_PROBLEM_SSSP || strcmp(large.name, chosen[i % 3]) != 0)
            continue;
        large.n[TRIAL_CANCEL] = N;
        task t = task_make(&large, TRIAL_CANCEL);
        t.asked = 3;
        for (size_t v = 0; v < host_variant_count(HOP_PROBLEM_SSSP); v++) {
            hop_run run = HOP_RUN_INIT;
            run.variant = hop_variant_at(HOP_PROBLEM_SSSP, v)->name;
            run.certify = HOP_CERTIFY_CANONICAL;
            if (large.low < 0 && strcmp(run.variant, "bellman-ford") != 0)
                continue;
            double best = longest_silence(&t, &run);
            for (int attempt = 1; attempt < TRIES && best > soon; attempt++)
                best = longest_silence(&t, &run);
            if (best > soon)
                fail_msg("%s, %s: %.3f s without a report", large.name, run.variant, best);
        }
        task_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_of_certifiers_fail),
        cmocka_unit_test(reports_come_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
