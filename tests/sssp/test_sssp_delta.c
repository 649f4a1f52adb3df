/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes that are hard for parallel searches, by every variant that takes them, with 1, 2, 3, 4 and
 * 8 threads: the same bits as dijkstra gives on one thread, which the other tests compare with
 * brute force, and a certificate. Some are repeated, for races. */
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/delta/delta_job.h"
#include "sssp/sssp_shapes.h"

static void hard_shapes(void **state) {
    (void)state;
    static const weigher weighers[] = {plain_weight, zero_or_one, zero,
                                       one_outlier,  any_size,    mostly_small};
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(weighers); w++) {
            check_shape(grid_shape(40, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(star_shape(2000, false, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(star_shape(2000, true, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(path_shape(1000, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(random_shape(3000, 9000, true, true, weighers[w]), (hop_weight_type)type, 0,
                        2);
        }
    check_shape(grid_shape(60, plain_weight), HOP_TYPE_NONE, 0, 5);
}

/* So many arcs per vertex that there is a horizon, and vertices that pull. */
static void with_a_horizon(void **state) {
    (void)state;
    static const weigher weighers[] = {plain_weight, zero_or_one, one_outlier, any_size,
                                       mostly_small};
    for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(weighers); w++)
            for (unsigned skewed = 0; skewed < 2; skewed++)
                check_shape(random_shape(3000, 40000, false, skewed, weighers[w]),
                            (hop_weight_type)type, 0, 1);
    check_shape(random_shape(6000, 120000, true, true, plain_weight), HOP_TYPE_INT32, 0, 3);
}

static void any_delta(void **state) {
    (void)state;
    static const double deltas[] = {1e-300, 0.001, 1, 7, 300, 1e9, 1e18};
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t i = 0; i < HOP_LENGTH(deltas); i++) {
            check_shape(random_shape(3000, 50000, false, true, plain_weight), (hop_weight_type)type,
                        deltas[i], 1);
            check_shape(grid_shape(50, any_size), (hop_weight_type)type, deltas[i], 1);
        }
}

/* Cells of 31 bits are too small for some distances. */
static void distances_beyond_31_bits(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_INT64; type++) {
        check_shape(path_shape(3000, beyond_31_bits), (hop_weight_type)type, 0, 1);
        check_shape(grid_shape(40, beyond_31_bits), (hop_weight_type)type, 0, 1);
        check_shape(random_shape(3000, 60000, false, false, beyond_31_bits), (hop_weight_type)type,
                    0, 1);
        check_shape(random_shape(3000, 5000, true, false, mostly_small), (hop_weight_type)type, 0,
                    1);
    }
}

/* The same where there is a horizon: a dense part, a long way from vertex 1 to it, and a leaf that
 * is too far only from there, so that nothing but a pull may come upon it. */
static shape tailed_shape(uint32_t place) {
    enum { CORE = 10, SIZE = 3000, LEAF = 1 };
    shape s = {.name = "tailed", .n = CORE + SIZE + LEAF};
    for (uint64_t i = 0; i < 200000; i++)
        add_edge(&s, CORE + hop__random_at(9, 3, i) % SIZE, CORE + hop__random_at(9, 4, i) % SIZE,
                 plain_weight(i));
    for (uint32_t k = 1; k < 5; k++)
        add_edge(&s, k, k < 4 ? k + 1 : CORE, 400000000);
    add_edge(&s, CORE + place, CORE + SIZE, 600000000);
    return s;
}

static void far_beyond_a_horizon(void **state) {
    (void)state;
    for (uint32_t place = 100; place < 700; place += 200) {
        check_shape(tailed_shape(place), HOP_TYPE_INT32, 0, 1);
        check_shape(tailed_shape(place), HOP_TYPE_INT64, 0, 1);
        check_shape(tailed_shape(place), HOP_TYPE_FLOAT32, 0, 1);
    }
}

/* The queue has room for little more than n entries. */
static void useless_entries(void **state) {
    (void)state;
    check_shape(falling_shape(800), HOP_TYPE_INT32, 0, 2);
    check_shape(falling_shape(800), HOP_TYPE_INT32, 1e6, 2);
    check_shape(falling_shape(400), HOP_TYPE_FLOAT64, 0, 2);
}

static void purged_before_a_horizon(void **state) {
    (void)state;
    for (uint32_t rest = 2000; rest <= 15000; rest += 13000) {
        check_shape(purged_shape(rest), HOP_TYPE_INT32, 0, 1);
        check_shape(purged_shape(rest), HOP_TYPE_INT32, 1, 1);
    }
}

/* Buckets narrower than the step between two numbers. */
static void least_weights(void **state) {
    (void)state;
    const uint32_t n = SMALLER_TESTS ? 20000 : 50000;
    check_shape(band_shape(n, 9 * n / 2, least_float), HOP_TYPE_FLOAT32, 0, 1);
    check_shape(band_shape(n, 9 * n / 2, least_double), HOP_TYPE_FLOAT64, 0, 1);
    check_shape(random_shape(n, 11 * n / 2, false, false, least_float), HOP_TYPE_FLOAT32, 0, 1);
}

/* The end of a bucket is what can be relaxed, and is never beyond the largest number. */
static void limits(void **state) {
    (void)state;
    hop__sssp_task task = {.query = {.distance_type = HOP_TYPE_INT64,
                                     .cutoff_integer = INT64_MAX - 1,
                                     .cutoff_real = HUGE_VAL}};
    hop__delta_job job = {.task = &task};
    hop__delta_set_keys(&job, 0x1p58, 0, HOP__DELTA_FINE);
    assert_true(hop__delta_set_limit(&job, 2, job.delta));
    assert_true(job.limit_integer == (UINT64_C(3) << 58) - 1);
    for (uint64_t bucket = 31; bucket < 300; bucket++)
        assert_false(hop__delta_set_limit(&job, bucket, job.delta));
    task.query.distance_type = HOP_TYPE_FLOAT32;
    job.packed = true;
    for (int exponent = -160; exponent <= 100; exponent++)
        for (uint64_t bucket = 0; bucket < 70; bucket++) {
            const double end = ldexp((double)bucket + 1, exponent);
            hop__delta_set_keys(&job, ldexp(1, exponent), 0, HOP__DELTA_FINE);
            assert_true(hop__delta_set_limit(&job, bucket, job.delta));
            assert_true(job.limit_real < end);
            assert_true((double)nextafterf((float)job.limit_real, HUGE_VALF) >= end);
        }
}

/* Many sources, none of which leads anywhere: nothing is done, and nothing grows. */
static void sources_without_arcs(void **state) {
    (void)state;
    enum { N = 20000, SOURCES = 2000 };
    shape s = {.name = "sources without arcs", .n = N, .directed = true, .reverse = true};
    for (uint64_t i = 0; i < 12 * N; i++)
        add_edge(&s, SOURCES + hop__random_at(9, 6, i) % (N - SOURCES), hop__random_at(9, 7, i) % N,
                 plain_weight(i));
    hop_vertex *sources = malloc(SOURCES * sizeof *sources);
    int64_t *distances = malloc(N * sizeof *distances);
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.variant = "delta-stepping";
    options.run = &run;
    for (hop_vertex v = 0; v < SOURCES; v++)
        sources[v] = v;
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        assert_int_equal(
            hop_sssp(context, graph, sources, SOURCES, &options, ROOM(graph, distances), NULL),
            HOP_OK);
        for (hop_vertex v = 0; v < N; v++)
            assert_true(distances[v] == (v < SOURCES ? 0 : HOP_NO_DISTANCE));
        hop_graph_release(graph);
        free_context(context);
    }
    free(sources);
    free(distances);
    free_shape(&s);
}

static void races(void **state) {
    (void)state;
    check_shape(grid_shape(160, plain_weight), HOP_TYPE_INT32, 0, 20);
    check_shape(star_shape(40000, true, plain_weight), HOP_TYPE_INT32, 0, 20);
    check_shape(random_shape(1000, 70000, false, true, plain_weight), HOP_TYPE_FLOAT32, 0, 20);
    check_shape(random_shape(2000, 120000, true, true, zero_or_one), HOP_TYPE_INT32, 0, 20);
}

/* Without a name: by the size, the threads and what is asked. */
static void choice(void **state) {
    (void)state;
    static const struct {
        uint32_t n;
        unsigned threads;
        uint32_t degree; /* 0: a path */
        hop_vertex targets;
        const char *variant, *reason;
    } cases[] = {{1 << 11, 2, 0, 0, "dijkstra", "small graph"},
                 {1 << 12, 2, 0, 0, "delta-stepping", "from 4096 vertices on"},
                 {1 << 12, 1, 0, 0, "delta-stepping", "from 4096 vertices on"},
                 {1 << 13, 2, 10, 0, "dijkstra", "small graph"},
                 {1 << 14, 2, 10, 0, "delta-stepping", "from 16384 vertices on"},
                 {1 << 14, 1, 10, 0, "dijkstra", "small graph"},
                 {1 << 15, 1, 10, 0, "delta-stepping", "from 32768 vertices on"},
                 {1 << 16, 2, 0, 1, "dijkstra", "stops at the last target"}};
    for (size_t i = 0; i < HOP_LENGTH(cases); i++) {
        hop_context *context = make_context(cases[i].threads);
        uint64_t edges = (uint64_t)cases[i].n * cases[i].degree / 2;
        shape s = edges > 0 ? random_shape(cases[i].n, edges, false, false, plain_weight)
                            : path_shape(cases[i].n, plain_weight);
        hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
        hop_report report = {0};
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        hop_vertex source = 0, target = 5;
        int64_t *distances = malloc(cases[i].n * 8);
        run.report = &report;
        options.run = &run;
        options.targets = &target;
        options.target_count = cases[i].targets;
        assert_int_equal(
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL), HOP_OK);
        assert_string_equal(report.variant->name, cases[i].variant);
        if (!strstr(report.reason, cases[i].reason))
            fail_msg("'%s' is not in '%s'", cases[i].reason, report.reason);
        free(distances);
        hop_graph_release(graph);
        free_context(context);
        free_shape(&s);
    }
}

static double beyond_all_keys(uint64_t i) {
    return 1e30 * plain_weight(i);
}

/* Buckets so wide that all distances have one key: the queue cannot tell which entries are useless,
 * and has no room for all. It says so, and the search ends in another way. */
static void wide_buckets(void **state) {
    (void)state;
    const uint32_t n = SMALLER_TESTS ? 5000 : 20000;
    for (int type = HOP_TYPE_INT64; type <= HOP_TYPE_FLOAT64; type++)
        check_shape(random_shape(n, 8 * n, false, false, plain_weight), (hop_weight_type)type, 1e18,
                    1);
    check_shape(random_shape(n, 8 * n, false, false, beyond_all_keys), HOP_TYPE_FLOAT32, 0, 1);
    check_shape(random_shape(n, 8 * n, false, false, beyond_all_keys), HOP_TYPE_FLOAT64, 0, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_beyond_a_horizon),
        cmocka_unit_test(hard_shapes),
        cmocka_unit_test(with_a_horizon),
        cmocka_unit_test(any_delta),
        cmocka_unit_test(distances_beyond_31_bits),
        cmocka_unit_test(choice),
        cmocka_unit_test(useless_entries),
        cmocka_unit_test(purged_before_a_horizon),
        cmocka_unit_test(least_weights),
        cmocka_unit_test(limits),
        cmocka_unit_test(sources_without_arcs),
        cmocka_unit_test(races),
        cmocka_unit_test(wide_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
