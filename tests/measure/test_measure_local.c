/* SPDX-License-Identifier: Apache-2.0
 *
 * Local efficiency against the definition: all undirected graphs with up to six vertices, all
 * directed ones with up to four, random ones; more than 64 neighbours, and far apart; the same bits
 * on 1, 2, 3 and 8 threads; some vertices only; the budget. */
#include "measure/measure_testing.h"

enum { MOST = 200 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

/* The efficiency of what v has arcs to, by relaxing until nothing changes. */
static double define(const plain_graph *g, uint32_t v) {
    static double d[MOST][MOST];
    bool near[MOST] = {false};
    double sum = 0, count = 0;
    for (uint32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
        near[g->targets[i]] = true;
    for (uint32_t s = 0; s < g->n; s++) {
        if (!near[s])
            continue;
        count++;
        for (uint32_t u = 0; u < g->n; u++)
            d[s][u] = u == s ? 0 : HUGE_VAL;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t u = 0; u < g->n; u++)
                for (uint32_t i = g->offsets[u]; near[u] && i < g->offsets[u + 1]; i++) {
                    const uint32_t w = g->targets[i];
                    if (near[w] && d[s][u] + 1 < d[s][w]) {
                        d[s][w] = d[s][u] + 1;
                        changed = true;
                    }
                }
        }
        for (uint32_t u = 0; u < g->n; u++)
            if (near[u] && u != s)
                sum += 1 / d[s][u];
    }
    return count > 1 ? sum / (count * (count - 1)) : 0;
}

static hop_status ask_local(hop_context *context, hop_graph *graph, hop_certify certify,
                            double *values) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    run.certify = certify;
    options.run = &run;
    return hop_measure_run(context, graph, "local-efficiency", &options,
                           HOP_SPAN(values, hop_graph_vertices(graph)), NULL);
}

static void check_plain(hop_context *context, const plain_graph *g, hop_certify certify) {
    hop_graph *graph = plain_borrow(context, g);
    double values[MOST];
    if (ask_local(context, graph, certify, values) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    for (uint32_t v = 0; v < g->n; v++) {
        double one = define(g, v);
        if (!(fabs(values[v] - one) <= 1e-12 * one))
            fail_msg("vertex %u: %.17g, not %.17g", v, values[v], one);
    }
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    (void)state;
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (directed ? 4u : 5u); n++) {
            uint32_t pairs = n == 0 ? 0 : directed ? n * (n - 1) : n * (n - 1) / 2;
            for (uint32_t bits = 0; bits < 1u << pairs; bits++) {
                plain_graph g = plain_numbered(n, directed, bits);
                check_plain(context, &g, bits % 64 == 5 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
                plain_free(&g);
            }
        }
    free_context(context);
}

static void larger_small_graphs(void **state) {
    hop_context *context = make_context(1);
    larger_graphs all = {0};
    plain_graph g;
    (void)state;
    while (larger_next(&all, &g)) {
        check_plain(context, &g, HOP_CERTIFY_NONE);
        plain_free(&g);
    }
    free_context(context);
}

static void random_graphs(void **state) {
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        plain_graph g = plain_random(3 + k % 57, 1 + k % 9, k % 3 != 0, HOP_TYPE_NONE, 1, 1, 0, k);
        if (k % 2)
            plain_widen(&g);
        check_plain(context, &g, k % 5 == 4 ? HOP_CERTIFY_VALID : HOP_CERTIFY_NONE);
        plain_free(&g);
        free_context(context);
    }
}

/* A ring of n - 1 and a vertex in its middle, which has them all for neighbours; long rows beside
 * short ones, so that both ways to gather arcs are taken. */
static hop_graph *wheel(hop_context *context, uint32_t n) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_vertex *ends = malloc(4 * (size_t)n * sizeof *ends), *at = ends;
    hop_graph *graph = NULL;
    for (uint32_t v = 1; v < n; v++) {
        *at++ = 0;
        *at++ = v;
        *at++ = v;
        *at++ = v + 1 < n ? v + 1 : 1;
    }
    edges.from = ends;
    edges.to = ends + 1;
    edges.stride = 2 * sizeof *ends;
    edges.count = 2 * (uint64_t)(n - 1);
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    free(ends);
    return graph;
}

static void many_neighbours_far_apart(void **state) {
    enum { N = 152 }; /* 151 around, so 75 is the greatest distance, and all are there twice */
    double first[N], values[N], right = 0;
    (void)state;
    for (uint32_t d = 1; d <= 75; d++)
        right += 2.0 / d;
    for (size_t t = 0; t < 4; t++) {
        hop_context *context = make_context(thread_counts[t]);
        hop_graph *graph = wheel(context, N);
        assert_int_equal(ask_local(context, graph,
                                   t == 2 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE,
                                   t == 0 ? first : values),
                         HOP_OK);
        assert_true(fabs(first[0] - right / 150) <= 1e-12);
        for (uint32_t v = 1; v < N; v++) /* two beside it and the middle: 1, 1 and 1/2 */
            assert_true(fabs(first[v] - 5.0 / 6) <= 1e-12);
        if (t > 0)
            assert_memory_equal(values, first, sizeof first);
        hop_graph_release(graph);
        free_context(context);
    }
}

static void some_vertices(void **state) {
    const hop_vertex some[] = {7, 0, 7, 3};
    hop_context *context = make_context(2);
    plain_graph g = plain_random(20, 5, false, HOP_TYPE_NONE, 1, 1, 0, 3);
    hop_graph *graph = plain_borrow(context, &g);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    double values[20], picked[4];
    (void)state;
    assert_int_equal(ask_local(context, graph, HOP_CERTIFY_NONE, values), HOP_OK);
    options.vertices = some;
    options.vertex_count = 4;
    assert_int_equal(
        hop_measure_run(context, graph, "local-efficiency", &options, HOP_SPAN(picked, 4), NULL),
        HOP_OK);
    for (int i = 0; i < 4; i++)
        assert_true(picked[i] == values[some[i]]);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void within_the_budget(void **state) {
    (void)state;
    assert_within_budget("local-efficiency", 0, false, 20000);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void refused_and_cancelled(void **state) {
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL, *calm = make_context(1);
    plain_graph g = plain_random(2000, 3, true, HOP_TYPE_INT32, 1, 4, 1, 8);
    plain_graph bare = plain_random(2000, 3, true, HOP_TYPE_NONE, 1, 1, 0, 8);
    hop_graph *graph = plain_borrow(calm, &g), *counted = plain_borrow(calm, &bare);
    double *values = calloc(2000, 8);
    (void)state;
    assert_int_equal(ask_local(calm, graph, HOP_CERTIFY_NONE, values), HOP_ERR_UNSUPPORTED);
    assert_says(calm, "counts arcs");
    how.progress = stop;
    assert_int_equal(hop_graph_check(calm, counted), HOP_OK);
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    assert_int_equal(ask_local(context, counted, HOP_CERTIFY_NONE, values), HOP_ERR_CANCELLED);
    hop_graph_release(graph);
    hop_graph_release(counted);
    plain_free(&g);
    plain_free(&bare);
    free(values);
    free_context(context);
    free_context(calm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),      cmocka_unit_test(larger_small_graphs),
        cmocka_unit_test(random_graphs),         cmocka_unit_test(many_neighbours_far_apart),
        cmocka_unit_test(some_vertices),         cmocka_unit_test(within_the_budget),
        cmocka_unit_test(refused_and_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
