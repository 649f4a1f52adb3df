/* SPDX-License-Identifier: Apache-2.0
 *
 * Closeness and harmonic centrality by samples: how often the stated error is exceeded, over 1,000
 * seeds, with weights and without; that estimates are right on the mean; graphs where any sample
 * says all; the same bits on 1, 2, 3 and 8 threads; directions; some vertices; what is refused. */
#include "measure/measure_testing.h"

enum { N = 60, DRAWN = 20, SEEDS = 1000 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

static hop_status ask_some(hop_context *context, hop_graph *graph, const char *name,
                           hop_measure_direction direction, hop_vertex samples, hop_certify certify,
                           double *values) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    run.certify = certify;
    options.run = &run;
    options.direction = direction;
    options.samples = samples;
    return hop_measure_run(context, graph, name, &options,
                           HOP_SPAN(values, hop_graph_vertices(graph)), NULL);
}

static void get_some(hop_context *context, hop_graph *graph, const char *name, hop_vertex samples,
                     hop_certify certify, double *values) {
    if (ask_some(context, graph, name, HOP_MEASURE_USUAL, samples, certify, values) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
}

/* The greatest distance, which must be there for all pairs. */
static double greatest(hop_context *context, hop_graph *graph) {
    double far[N], most = 0;
    int64_t whole[N];
    hop_vertex labels[N];
    const bool real = hop_measure_type(graph, "eccentricity") == HOP_TYPE_FLOAT64;
    hop_vertex count;
    hop_status status = hop_measure_run(context, graph, "eccentricity", NULL,
                                        real ? HOP_SPAN(far, N) : HOP_SPAN(whole, N), &count);
    assert_int_equal(status, HOP_OK);
    for (uint32_t v = 0; v < N; v++) {
        double each = real ? far[v] : (double)whole[v];
        most = each > most ? each : most;
    }
    assert_int_equal(
        hop_measure_run(context, graph, "strong-components", NULL, HOP_SPAN(labels, N), NULL),
        HOP_OK);
    for (uint32_t v = 0; v < N; v++)
        assert_int_equal(labels[v], 0);
    return most;
}

static void check_bound(const plain_graph *g, const char *name) {
    hop_context *context = make_context(1);
    hop_graph *graph = plain_borrow(context, g);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    const bool inverse = strcmp(name, "closeness") == 0;
    double exact[N], values[N], mean[N] = {0};
    unsigned beyond = 0, different = 0;
    options.samples = DRAWN;
    const double bound =
        hop_measure_bound(graph, name, &options, 0.1) * (inverse ? greatest(context, graph) : 1);
    assert_true(bound > 0 && !isinf(bound));
    options.samples = N;
    assert_true(hop_measure_bound(graph, name, &options, 0.1) == 0);
    get_some(context, graph, name, 0, HOP_CERTIFY_NONE, exact);
    get_some(context, graph, name, N, HOP_CERTIFY_NONE, values);
    assert_memory_equal(values, exact, sizeof exact);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double worst = 0;
        hop_context_set_seed(context, seed);
        get_some(context, graph, name, DRAWN, seed % 100 ? HOP_CERTIFY_NONE : HOP_CERTIFY_CANONICAL,
                 values);
        for (uint32_t v = 0; v < N; v++) {
            double one = inverse ? 1 / values[v] : values[v];
            double right = inverse ? 1 / exact[v] : exact[v], off = fabs(one - right);
            worst = off > worst ? off : worst;
            mean[v] += (one - right) / SEEDS;
        }
        beyond += worst > bound;
        different += worst > 0;
    }
    assert_true(beyond <= SEEDS / 10);
    assert_int_equal(different, SEEDS);
    for (uint32_t v = 0; v < N; v++)
        assert_true(fabs(mean[v]) < 0.03 * bound);
    hop_graph_release(graph);
    free_context(context);
}

static void within_what_is_stated(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        plain_graph g = plain_random(N, 6, kind > 0,
                                     kind == 0   ? HOP_TYPE_NONE
                                     : kind == 1 ? HOP_TYPE_INT32
                                                 : HOP_TYPE_FLOAT64,
                                     1, 5, kind == 2 ? 0.25 : 1, 4);
        check_bound(&g, "closeness");
        check_bound(&g, "harmonic");
        plain_free(&g);
    }
}

/* All are equally far from each other, so that a sample of two says what all say. */
static void where_any_sample_says_all(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = plain_numbered(6, false, (1u << 15) - 1);
    hop_graph *graph = plain_borrow(context, &g);
    double values[6];
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        hop_context_set_seed(context, seed);
        get_some(context, graph, "closeness", 2, HOP_CERTIFY_CANONICAL, values);
        for (int v = 0; v < 6; v++)
            assert_true(values[v] == 1);
        get_some(context, graph, "harmonic", 2, HOP_CERTIFY_NONE, values);
        for (int v = 0; v < 6; v++)
            assert_true(values[v] == 5);
    }
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void the_same_on_any_number_of_threads(void **state) {
    enum { LARGE = 3000 };
    static double first[LARGE], values[LARGE];
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        plain_graph g =
            plain_random(LARGE, 3, kind % 3 == 1, kind % 3 == 2 ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE,
                         0.1, 5, 0.3, kind);
        for (size_t t = 0; t < 4; t++) {
            hop_context *context = make_context(thread_counts[t]);
            hop_graph *graph = plain_borrow(context, &g);
            double *into = t == 0 ? first : values;
            get_some(context, graph, kind < 3 ? "harmonic" : "closeness", 70, HOP_CERTIFY_NONE,
                     into);
            assert_memory_equal(into, first, sizeof first);
            hop_graph_release(graph);
            free_context(context);
        }
        plain_free(&g);
    }
}

/* "auto" is what no name is, on a graph so dense that all pairs would be found in another way. */
static void auto_is_no_name(void **state) {
    enum { DENSE = 200 };
    static double first[DENSE], values[DENSE];
    (void)state;
    plain_graph g = plain_random(DENSE, DENSE, false, HOP_TYPE_FLOAT64, 1, 900, 0.1, 3);
    hop_context *context = make_context(2);
    hop_graph *graph = plain_borrow(context, &g);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    options.samples = DENSE - 1;
    get_some(context, graph, "closeness", options.samples, HOP_CERTIFY_NONE, first);
    run.variant = "auto";
    options.run = &run;
    assert_int_equal(
        hop_measure_run(context, graph, "closeness", &options, HOP_SPAN(values, DENSE), NULL),
        HOP_OK);
    assert_memory_equal(values, first, sizeof first);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* Outward is inward of the graph turned round; some vertices are those of all. */
static void directions_and_some_vertices(void **state) {
    const hop_vertex some[] = {7, 0, 7, 59};
    hop_context *context = make_context(2);
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_INT32, 1, 5, 1, 9);
    hop_graph *graph = plain_borrow(context, &g), *turned = NULL;
    double out[N], in[N], picked[4];
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    (void)state;
    assert_int_equal(hop_graph_reverse(context, graph, &turned), HOP_OK);
    for (int prepared = 0; prepared < 2; prepared++) {
        assert_int_equal(ask_some(context, graph, "closeness", HOP_MEASURE_OUTWARD, DRAWN,
                                  HOP_CERTIFY_CANONICAL, out),
                         HOP_OK);
        assert_int_equal(
            ask_some(context, turned, "closeness", HOP_MEASURE_INWARD, DRAWN, HOP_CERTIFY_NONE, in),
            HOP_OK);
        assert_memory_equal(out, in, sizeof in);
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    }
    get_some(context, graph, "closeness", DRAWN, HOP_CERTIFY_NONE, in);
    assert_memory_not_equal(out, in, sizeof in);
    options.vertices = some;
    options.vertex_count = 4;
    options.samples = DRAWN;
    assert_int_equal(
        hop_measure_run(context, graph, "closeness", &options, HOP_SPAN(picked, 4), NULL), HOP_OK);
    for (int i = 0; i < 4; i++)
        assert_true(picked[i] == in[some[i]]);
    hop_graph_release(graph);
    hop_graph_release(turned);
    plain_free(&g);
    free_context(context);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void refused_and_cancelled(void **state) {
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL, *calm = make_context(1);
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_INT32, -4, 4, 1, 8);
    plain_graph bare = plain_random(4000, 3, true, HOP_TYPE_NONE, 1, 1, 0, 8);
    plain_graph flat = plain_random(N, 3, true, HOP_TYPE_INT32, 0, 4, 1, 8);
    hop_graph *graph = plain_borrow(calm, &g), *counted = plain_borrow(calm, &bare);
    hop_graph *zero = plain_borrow(calm, &flat);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    double *values = calloc(4000, 8);
    (void)state;
    assert_int_equal(
        ask_some(calm, graph, "closeness", HOP_MEASURE_USUAL, 9, HOP_CERTIFY_NONE, values),
        HOP_ERR_UNSUPPORTED);
    assert_int_equal(
        ask_some(calm, counted, "closeness", (hop_measure_direction)7, 9, HOP_CERTIFY_NONE, values),
        HOP_ERR_ARGUMENT);
    /* One sample bounds nothing, nor do distances that may be as small as anything. */
    options.samples = 1;
    assert_true(isinf(hop_measure_bound(counted, "closeness", &options, 0.1)));
    assert_true(isinf(hop_measure_bound(counted, "harmonic", &options, 0.1)));
    options.samples = 9;
    assert_true(isinf(hop_measure_bound(zero, "harmonic", &options, 0.1)));
    how.progress = stop;
    assert_int_equal(hop_graph_check(calm, counted), HOP_OK);
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    assert_int_equal(
        ask_some(context, counted, "harmonic", HOP_MEASURE_USUAL, 500, HOP_CERTIFY_NONE, values),
        HOP_ERR_CANCELLED);
    hop_graph_release(graph);
    hop_graph_release(counted);
    hop_graph_release(zero);
    plain_free(&g);
    plain_free(&bare);
    plain_free(&flat);
    free(values);
    free_context(context);
    free_context(calm);
}

static void within_the_budget(void **state) {
    (void)state;
    assert_within_budget("closeness", DRAWN, true, 200000);
    assert_within_budget("harmonic", DRAWN, true, 200000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_what_is_stated),
        cmocka_unit_test(where_any_sample_says_all),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(auto_is_no_name),
        cmocka_unit_test(directions_and_some_vertices),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(refused_and_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
