/* SPDX-License-Identifier: Apache-2.0
 *
 * bfs-bits on every device: graphs without weights, and with one for all arcs, of sizes around
 * those of batches and words, against distances by the definition; rows of some vertices, of which
 * some are there twice; summaries without rows, against those of the host; levels of 4 bytes;
 * budgets; cancels; weights that it refuses. */
#include "apsp/apsp_device_testing.h"
#include "apsp/apsp_internal.h"

static const char *const bits = "bfs-bits";

/* As plain_random; every arc has this weight. */
static plain_graph equal(uint32_t n, uint32_t degree, bool directed, hop_weight_type type,
                         double weight) {
    return plain_random(n, degree, directed, type, weight, 1, 1, 5 * n + degree);
}

/* A way through all vertices, and from vertex 0 an arc to each of the first `spokes`. */
static plain_graph broom(uint32_t n, uint32_t spokes) {
    plain_graph g = plain_make(n, true, HOP_TYPE_NONE, 3 * n);
    for (uint32_t u = 0; u < n; u++) {
        if (u > 0)
            plain_arc(&g, u - 1, 1);
        if (u + 1 < n)
            plain_arc(&g, u + 1, 1);
        for (uint32_t v = 2; u == 0 && v < spokes; v++)
            plain_arc(&g, v, 1);
        plain_end_row(&g, u);
    }
    return g;
}

static void check_graph(hop_context *context, const plain_graph *g, const hop_setting *settings,
                        size_t count) {
    distance *expected = malloc((size_t)g->n * g->n * sizeof *expected);
    assert_true(plain_solve(g, expected));
    check_settings(context, g, expected, HOP_TYPE_NONE, bits, settings, count);
    check_settings(context, g, expected, HOP_TYPE_INT32, bits, settings, count);
    free(expected);
}

static void sizes_body(hop_context *context, bool apart) {
    static const uint32_t sizes[] = {1, 2, 31, 33, 65, 127, 128, 129, 257, 300};
    for (size_t s = 0; s < HOP_LENGTH(sizes); s++)
        for (int k = 0; k < 4; k++) {
            uint32_t n = sizes[s];
            if (n > most_vertices() || (most_vertices() < UINT64_MAX && k % 3 != (int)s % 2) ||
                (apart && k < 2))
                continue;
            plain_graph g = equal(n, s % 2 ? 4 : 1, k % 2 != 0,
                                  k < 2 ? HOP_TYPE_NONE : HOP_TYPE_INT32, 7 - 7 * (k == 3));
            if (s % 3 == 2)
                plain_widen(&g);
            check_graph(context, &g, NULL, 0);
            plain_free(&g);
        }
}

static void sizes_around_words_and_batches(void **state) {
    (void)state;
    on_each_memory(0, sizes_body);
}

/* Many levels, a long row, levels ahead that are no more, other groups and batches, both forms. */
static void settings_body(hop_context *context, bool apart) {
    static const hop_setting settings[] = {
        {"sources", 1, NULL}, {"sources", 2, NULL}, {"sources", 3, NULL},
        {"ahead", 1, NULL},   {"ahead", 3, NULL},   {"group", 64, NULL},
        {"group", 100, NULL}, {"form", 1, NULL},    {"form", 2, NULL}};
    uint32_t n = most_vertices() < 140 ? 40 : 140;
    for (int spokes = 0; spokes < 2 && !apart; spokes++) {
        plain_graph g = broom(n, spokes ? n - 30 : 0);
        for (size_t i = 0; i < HOP_LENGTH(settings); i++) {
            if (most_vertices() == UINT64_MAX || (i % 4 == 2 && spokes) || settings[i].value == 3)
                check_graph(context, &g, &settings[i], 1);
        }
        plain_free(&g);
    }
}

static void every_setting_gives_the_same(void **state) {
    (void)state;
    on_each_memory(0, settings_body);
}

/* With the arcs in of a directed graph, levels are found from both ends; both give the same. */
static void reverse_body(hop_context *context, bool apart) {
    static const uint32_t sizes[] = {60, 290};
    for (size_t s = 0; s < HOP_LENGTH(sizes) && sizes[s] <= most_vertices(); s++) {
        const uint32_t n = sizes[s];
        plain_graph g = equal(n, 9, true, HOP_TYPE_NONE, 1);
        distance *expected = malloc((size_t)n * n * sizeof *expected);
        int64_t *matrix = malloc((size_t)n * n * 8);
        hop_graph *graph = plain_borrow(context, &g);
        asked a;
        (void)apart;
        assert_true(plain_solve(&g, expected));
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        ask(&a, bits, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        for (size_t i = 0; i < (size_t)n * n; i++)
            assert_true(is_same(HOP_TYPE_INT64, matrix, i, expected[i]));
        hop_graph_release(graph);
        free(matrix);
        free(expected);
        plain_free(&g);
    }
}

static void arcs_in_are_used(void **state) {
    (void)state;
    on_each_memory(0, reverse_body);
}

/* Rows of some vertices, and the summary alone, for which no row is made. */
static void some_body(hop_context *context, bool apart) {
    static const hop_vertex some[] = {5, 0, 5, 39, 7, 7};
    static int64_t rows[HOP_LENGTH(some) * 300], far[2][300];
    const uint32_t n = most_vertices() < 290 ? 40 : 290;
    plain_graph g = apart ? broom(n, n / 2) : equal(n, 3, false, HOP_TYPE_INT32, 9);
    distance *expected = malloc((size_t)n * n * sizeof *expected);
    hop_graph *graph = plain_borrow(context, &g);
    hop_context *host = make_context(1);
    asked a;
    assert_true(plain_solve(&g, expected));
    ask(&a, bits, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
    a.options.sources = some;
    a.options.source_count = HOP_LENGTH(some);
    if (hop_apsp(context, graph, &a.options,
                 &(hop_span){rows, HOP_LENGTH(some) * (uint64_t)n, HOP_TYPE_INT64}, NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    for (size_t i = 0; i < HOP_LENGTH(some) * n; i++)
        assert_int_equal(rows[i], expected[some[i / n] * (size_t)n + i % n].integer);
    hop_apsp_summary told[2] = {HOP_APSP_SUMMARY_INIT, HOP_APSP_SUMMARY_INIT};
    for (int device = 0; device < 2; device++) {
        const hop_span room = {far[device], n, HOP_TYPE_INT64};
        ask(&a, bits, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        told[device].eccentricities = &room;
        if (hop_apsp_rows(device ? context : host, graph, &a.options, NULL, NULL, &told[device]) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(device ? context : host));
        told[device].eccentricities = NULL;
        assert_int_equal(a.report.variant->place, device ? HOP_PLACE_DEVICE : HOP_PLACE_HOST);
    }
    assert_memory_equal(&told[0], &told[1], sizeof told[0]);
    assert_memory_equal(far[0], far[1], n * 8);
    free_context(host);
    hop_graph_release(graph);
    free(expected);
    plain_free(&g);
}

static void some_rows_and_summaries(void **state) {
    (void)state;
    on_each_memory(0, some_body);
}

/* More vertices than levels of 2 bytes can tell apart: rows of 4. Against the host. */
static void large_body(hop_context *context, bool apart) {
    enum { N = 70001 };
    static const hop_vertex some[] = {0, 35000, N - 1};
    static int32_t right[3 * N], got[3 * N];
    const hop_setting settings[] = {{"n", N, NULL}, {"m", 2 * N, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    hop_context *host = make_context(1);
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.weight_type = HOP_TYPE_NONE;
    if (hop_graph_generate(host, "erdos-renyi", &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(host));
    for (int device = 0; device < 2; device++) {
        asked a;
        ask(&a, device ? bits : "bfs", HOP_TYPE_INT32, HOP_CERTIFY_NONE);
        a.options.sources = some;
        a.options.source_count = HOP_LENGTH(some);
        if (hop_apsp(device ? context : host, graph, &a.options,
                     &(hop_span){device ? got : right, 3ull * N, HOP_TYPE_INT32}, NULL) != HOP_OK)
            fail_msg("%s", hop_context_message(device ? context : host));
    }
    (void)apart;
    assert_memory_equal(right, got, sizeof got);
    hop_graph_release(graph);
    free_context(host);
}

static void levels_of_four_bytes(void **state) {
    (void)state;
    if (most_vertices() < UINT64_MAX)
        skip();
    on_each_memory(0, large_body);
}

/* What does not fit is refused with the numbers; where less will do, batches are smaller. */
static void budget_body(hop_context *context, uint64_t memory, bool fits) {
    enum { N = 300 };
    static int32_t matrix[N * N];
    plain_graph g = equal(N, 3, false, HOP_TYPE_NONE, 1);
    distance *expected = malloc((size_t)N * N * sizeof *expected);
    hop_graph *graph = plain_borrow(context, &g);
    asked a;
    assert_true(plain_solve(&g, expected));
    ask(&a, bits, HOP_TYPE_INT32, HOP_CERTIFY_NONE);
    hop_status status =
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
    assert_int_equal(status, fits ? HOP_OK : HOP_ERR_BUDGET);
    for (size_t i = 0; fits && i < (size_t)N * N; i++)
        assert_true(is_same(HOP_TYPE_INT32, matrix, i, expected[i]));
    assert_true(hop_device_memory_peak(context) <= memory);
    ask(&a, NULL, HOP_TYPE_INT32, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL), HOP_OK);
    hop_graph_release(graph);
    free(expected);
    plain_free(&g);
}

static void budgets_are_kept(void **state) {
    static const uint64_t memories[] = {100000, 400000, 2000000};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context;
    (void)state;
    if (most_vertices() < 300)
        skip();
    for (size_t m = 0; m < HOP_LENGTH(memories); m++) {
        options.device_memory = memories[m];
        for (size_t i = 0; (context = device_context_at(i, options)) != NULL; i++) {
            budget_body(context, memories[m], m > 0);
            free_context(context);
        }
    }
}

static void weights_are_refused(void **state) {
    hop_context *context = device_context_at(0, (hop_context_options)HOP_CONTEXT_OPTIONS_INIT);
    float matrix[49];
    asked a;
    (void)state;
    if (!context)
        skip();
    plain_graph g = plain_random(7, 3, true, HOP_TYPE_FLOAT32, 1, 5, 1, 3);
    hop_graph *graph = plain_borrow(context, &g);
    ask(&a, bits, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
        HOP_ERR_UNSUPPORTED);
    assert_says(context, "it counts arcs, and the weights are float32");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    bool goes_on = strncmp(progress->phase, "apsp", 4) != 0;
    *(int *)user += !goes_on;
    return goes_on;
}

static void can_be_cancelled(void **state) {
    enum { N = 3000 };
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context;
    int calls = 0;
    (void)state;
    if (most_vertices() < N)
        skip();
    plain_graph g = broom(N, 0); /* 3,000 levels: long enough to be asked */
    int32_t *matrix = malloc((size_t)N * N * sizeof *matrix);
    options.progress = stop_at_once;
    options.progress_user = &calls;
    for (size_t i = 0; (context = device_context_at(i, options)) != NULL; i++) {
        asked a;
        hop_graph *graph = plain_borrow(context, &g);
        ask(&a, bits, HOP_TYPE_INT32, HOP_CERTIFY_NONE);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
            HOP_ERR_CANCELLED);
        assert_true(calls > 0);
        hop_graph_release(graph);
        hop_device_trim(context);
        assert_int_equal(hop_device_memory_used(context), 0);
        free_context(context);
    }
    free(matrix);
    plain_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_around_words_and_batches),
        cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(arcs_in_are_used),
        cmocka_unit_test(some_rows_and_summaries),
        cmocka_unit_test(levels_of_four_bytes),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(weights_are_refused),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
