/* SPDX-License-Identifier: Apache-2.0
 * Families of random edges: density, erdos-renyi, degree. */
#include "generate/generate_testing.h"

static hop_context *context;

static int setup(void **state) {
    (void)state;
    context = make_context(2);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free_context(context);
    return 0;
}

/* D0's formula and counts: n = sqrt(m / 2 delta), exactly m arcs, sub-graphs apart. */
static void test_density_formula(void **state) {
    (void)state;
    const double shapes[][3] = {
        {0, .5, 1},       {2, .25, 1},      {90, .4, 1},        {800000, .001, 1},
        {80000, .01, 1},  {80000, .01, 7},  {30000, .001, 100}, {30002, .001, 64},
        {181322, .49, 1}, {2000, 1e-6, 10}, {20000, .01, 40},
    };
    const uint32_t vertices[] = {0, 2, 11, 20000, 2000, 2000, 3873, 3873, 430, 31623, 1000};
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        uint64_t m = (uint64_t)shapes[i][0], count = (uint64_t)shapes[i][2];
        const request wanted = {
            "density", {{"m", shapes[i][0]}, {"delta", shapes[i][1]}, {"count", shapes[i][2]}}};
        hop_graph *graph = generate(context, &wanted, i);
        uint64_t n = hop_graph_vertices(graph);
        assert_int_equal(n, vertices[i]);
        assert_int_equal(hop_graph_arcs(graph), m);
        assert_int_equal(info_of(context, graph).loops, 0);
        uint64_t next = 0; /* first vertex of the sub-graph after this one */
        for (uint64_t part = 0; part < count; part++) {
            uint64_t first = next, arcs = 0;
            next += n / count + (part < n % count);
            for (uint64_t v = first; v < next; v++) {
                for (uint64_t a = offset_of(graph, v); a < offset_of(graph, v + 1); a++, arcs++)
                    assert_in_range(hop_graph_targets(graph)[a], first, next - 1);
            }
            uint64_t edges = m / 2 / count + (part < m / 2 % count);
            assert_int_equal(arcs, 2 * edges);
        }
        assert_int_equal(next, n);
        assert_true(count_components(graph, NULL) >= (n > 0 ? count : 0));
        hop_graph_release(graph);
    }
}

/* Dense enough sub-graphs are connected, so the components are the sub-graphs. */
static void test_density_components(void **state) {
    (void)state;
    const request wanted = {"density", {{"m", 100000}, {"delta", .01}, {"count", 20}}};
    hop_graph *graph = generate(context, &wanted, 1);
    assert_int_equal(count_components(graph, NULL), 20);
    hop_graph_release(graph);
}

/* Seven vertices and 12 arcs in two parts: the one of three vertices gets all 6 arcs it can have.
 */
static void test_density_of_complete_parts(void **state) {
    (void)state;
    const request wanted = {"density", {{"m", 12}, {"delta", 12. / 98}, {"count", 2}}};
    hop_graph *graph = generate(context, &wanted, 1);
    assert_int_equal(hop_graph_vertices(graph), 7);
    assert_int_equal(degree_at(graph, 4) + degree_at(graph, 5) + degree_at(graph, 6), 6);
    hop_graph_release(graph);
}

static void test_erdos_renyi_counts(void **state) {
    (void)state;
    const double shapes[][3] = {
        {0, 0, 0},    {1, 0, 0},        {1, 0, 1},        {2, 1, 0},       {2, 2, 1},
        {10, 45, 0},  {10, 90, 1},      {300, 44850, 0},  {300, 89700, 1}, {1000, 1, 0},
        {1000, 0, 1}, {5000, 77777, 0}, {5000, 77777, 1},
    };
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        const request wanted = {
            "erdos-renyi", {{"n", shapes[i][0]}, {"m", shapes[i][1]}, {"directed", shapes[i][2]}}};
        hop_graph *graph = generate(context, &wanted, i);
        hop_graph_info info = info_of(context, graph);
        assert_int_equal(info.vertices, (uint64_t)shapes[i][0]);
        assert_int_equal(info.edges, (uint64_t)shapes[i][1]);
        assert_int_equal(info.loops, 0);
        assert_int_equal(info.directed, shapes[i][2] != 0);
        hop_graph_release(graph);
    }
}

/* Degrees are spread as drawing without preference spreads them: variance np(1-p). */
static void test_erdos_renyi_degrees(void **state) {
    (void)state;
    enum { N = 20000, M = 160000 };
    const request wanted = {"erdos-renyi", {{"n", N}, {"m", M}}};
    hop_graph *graph = generate(context, &wanted, 1);
    double squares = 0;
    uint64_t halves[20] = {0};
    for (uint32_t v = 0; v < N; v++) {
        squares += ((double)degree_at(graph, v) - 16) * ((double)degree_at(graph, v) - 16);
        halves[v / 1000] += degree_at(graph, v);
    }
    assert_true(fabs(squares / N - 16) < 1);
    assert_uniform(halves, 20);
    hop_graph_release(graph);
}

static void test_degree_bounds(void **state) {
    (void)state;
    const uint32_t shapes[][3] = {{0, 2, 6},      {1, 0, 0},    {2, 1, 1},       {7, 0, 6},
                                  {1000, 2, 6},   {1000, 0, 0}, {300, 299, 299}, {300, 0, 299},
                                  {2000, 47, 50}, {5000, 3, 3}};
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        uint32_t n = shapes[i][0], least = shapes[i][1], most = shapes[i][2];
        const request wanted = {"degree", {{"n", n}, {"min-degree", least}, {"max-degree", most}}};
        hop_graph *graph = generate(context, &wanted, i);
        uint64_t *counts = calloc(most + 1, sizeof *counts);
        assert_true(hop_graph_directed(graph));
        assert_int_equal(info_of(context, graph).loops, 0);
        for (uint32_t v = 0; v < n; v++) {
            uint64_t degree = degree_at(graph, v), begin = offset_of(graph, v);
            assert_in_range(degree, least, most);
            counts[degree]++;
            /* Targets are different: rows are sorted, so they rise. */
            for (uint64_t k = 1; k < degree; k++)
                assert_true(hop_graph_targets(graph)[begin + k - 1] <
                            hop_graph_targets(graph)[begin + k]);
        }
        if (most > least && n >= 1000)
            assert_uniform(counts + least, most - least + 1);
        free(counts);
        hop_graph_release(graph);
    }
}

/* Each target is as likely as any other, for few (Floyd) and for many (shuffle) per vertex, and so
 * is each set of two. */
static void test_degree_targets_are_uniform(void **state) {
    (void)state;
    const uint32_t degrees[] = {1, 5, 48, 49, 60};
    for (size_t i = 0; i < HOP_LENGTH(degrees); i++) {
        enum { N = 70 };
        uint64_t counts[N] = {0};
        const request wanted = {"degree",
                                {{"n", N}, {"min-degree", degrees[i]}, {"max-degree", degrees[i]}}};
        for (uint64_t seed = 0; seed < 200; seed++) {
            hop_graph *graph = generate(context, &wanted, seed);
            for (uint32_t v = 0; v < N; v++) {
                /* As a distance, so that all vertices count alike. */
                for (uint64_t a = offset_of(graph, v); a < offset_of(graph, (uint64_t)v + 1); a++)
                    counts[(hop_graph_targets(graph)[a] + N - v) % N]++;
            }
            hop_graph_release(graph);
        }
        assert_int_equal(counts[0], 0);
        assert_uniform(counts + 1, N - 1);
    }
    uint64_t pairs[16] = {0}, found[6];
    const request two = {"degree", {{"n", 5}, {"min-degree", 2}, {"max-degree", 2}}};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        hop_graph *graph = generate(context, &two, seed);
        pairs[1u << (hop_graph_targets(graph)[0] - 1) | 1u << (hop_graph_targets(graph)[1] - 1)]++;
        hop_graph_release(graph);
    }
    size_t sets = 0;
    for (unsigned set = 0; set < 16; set++) {
        if (__builtin_popcount(set) == 2)
            found[sets++] = pairs[set];
    }
    assert_uniform(found, sets);
}

/* D2: weights 1 .. 1000 unless the caller says otherwise. */
static void test_degree_weights_by_default(void **state) {
    (void)state;
    const hop_setting n = {"n", 5000};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = &n;
    options.setting_count = 1;
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_generate(context, "degree", &options, &graph), HOP_OK);
    hop_graph_info info = info_of(context, graph);
    assert_int_equal(info.weight_type, HOP_TYPE_INT32);
    assert_int_equal(info.min_weight_int, 1);
    assert_int_equal(info.max_weight_int, 1000);
    hop_graph_release(graph);
    options.max_weight = 10;
    assert_int_equal(hop_graph_generate(context, "degree", &options, &graph), HOP_OK);
    info = info_of(context, graph);
    assert_int_equal(info.min_weight_int, 1);
    assert_int_equal(info.max_weight_int, 10);
    hop_graph_release(graph);
    options.max_weight = HUGE_VAL;
    options.weight_type = HOP_TYPE_NONE;
    assert_int_equal(hop_graph_generate(context, "degree", &options, &graph), HOP_OK);
    assert_null(hop_graph_weights(graph, NULL));
    hop_graph_release(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_formula),
        cmocka_unit_test(test_density_components),
        cmocka_unit_test(test_density_of_complete_parts),
        cmocka_unit_test(test_erdos_renyi_counts),
        cmocka_unit_test(test_erdos_renyi_degrees),
        cmocka_unit_test(test_degree_bounds),
        cmocka_unit_test(test_degree_targets_are_uniform),
        cmocka_unit_test(test_degree_weights_by_default),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
