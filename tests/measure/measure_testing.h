/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the measures share. */
#ifndef HOPLITE_TESTS_MEASURE_TESTING_H
#define HOPLITE_TESTS_MEASURE_TESTING_H

#include "apsp/apsp_testing.h"

enum { BUDGET_VERTICES = 2000 };

/* All undirected graphs with up to six vertices, then all directed ones with up to four. Of those
 * with six one in 211, and one in five of the directed ones with four under the sanitizers;
 * HOPLITE_TEST_ALL: all. False: that was the last. */
typedef struct small_graphs {
    uint32_t n, bits;
    bool directed;
} small_graphs;

static inline bool small_next(small_graphs *all, plain_graph *g) {
    const uint32_t pairs = all->n * (all->n - 1) / (all->directed ? 1 : 2);
    const bool whole = getenv("HOPLITE_TEST_ALL") != NULL;
    all->bits += whole                                           ? 1
                 : all->n == 6                                   ? 211
                 : all->directed && all->n == 4 && SMALLER_TESTS ? 5
                                                                 : 1;
    if (all->n == 0 || all->bits >= 1u << pairs) {
        all->bits = 0;
        all->n++;
    }
    if (all->n > (all->directed ? 4 : 6)) {
        if (all->directed)
            return false;
        *all = (small_graphs){.n = 1, .directed = true};
    }
    *g = plain_numbered(all->n, all->directed, all->bits);
    return true;
}

/* Larger graphs than are tried in every way: all undirected ones with six vertices (one in seven
 * under the sanitizers), all directed ones with four, and draws of those with five and six. False:
 * that was the last. */
typedef struct larger_graphs {
    uint32_t n, bits, drawn;
    bool directed;
} larger_graphs;

static inline bool larger_next(larger_graphs *all, plain_graph *g) {
    enum { DRAWS = 3000 };
    if (all->n == 0)
        *all = (larger_graphs){.n = 6};
    else if (!all->directed && all->bits + (SMALLER_TESTS ? 7 : 1) < 1u << 15)
        all->bits += SMALLER_TESTS ? 7 : 1;
    else if (!all->directed)
        *all = (larger_graphs){.n = 4, .directed = true};
    else if (all->n == 4 && all->bits + 1 < 1u << 12)
        all->bits++;
    else if (all->drawn == 2 * DRAWS)
        return false;
    else {
        all->n = all->drawn < DRAWS ? 5 : 6;
        all->bits = (uint32_t)(hop__random_at(28, all->n, all->drawn++) >> 34);
    }
    *g = plain_numbered(all->n, all->directed, all->bits);
    return true;
}

/* What the call takes is what it said, and with a budget of `tight` it makes do with less. The
 * first call is asked in one direction, the second in the other, where there are two. */
static inline void assert_within_budget(const char *name, hop_vertex samples, bool directed,
                                        uint64_t tight) {
    hop_report *report = NULL;
    plain_graph g = plain_random(BUDGET_VERTICES, 4, true, HOP_TYPE_NONE, 1, 1, 0, 5);
    double *values = malloc(BUDGET_VERTICES * 8);
    uint64_t needs[2];
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (int i = 0; i < 2; i++) {
        hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_run run = HOP_RUN_INIT;
        hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
        given.threads = 3;
        given.memory_budget = i > 0 ? tight : UINT64_C(1) << 30;
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        const hop_span span = {values, BUDGET_VERTICES, hop_measure_type(graph, name)};
        run.report = report;
        options.run = &run;
        options.samples = samples;
        if (directed)
            options.direction = i > 0 ? HOP_MEASURE_OUTWARD : HOP_MEASURE_INWARD;
        uint64_t before = hop_context_memory_used(context);
        hop__pool_reset_peak(context->pool);
        if (hop_measure_run(context, graph, name, &options, &span, NULL) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        needs[i] = hop_report_memory_bytes(report);
        assert_true(hop_context_memory_peak(context) <= before + needs[i]);
        assert_int_equal(hop_context_memory_used(context), before);
        hop_graph_release(graph);
        free_context(context);
    }
    assert_true(needs[1] < needs[0]);
    hop_report_free(report);
    free(values);
    plain_free(&g);
}

#endif
