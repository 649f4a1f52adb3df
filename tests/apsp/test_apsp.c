/* SPDX-License-Identifier: Apache-2.0
 * Every variant against all small graphs and random ones of awkward sizes, bit by bit, and the
 * cases that are easy to get wrong. */
#include "apsp/apsp_testing.h"
#include "problem/report.h"
#include "span_testing.h"

enum { MOST = 200 };

/* Row number i of the host's; NULL, which is auto, after the last. */
static const hop_variant *variant_or_auto(size_t i) {
    return i < host_variant_count(HOP_PROBLEM_APSP) ? hop_variant_at(HOP_PROBLEM_APSP, i) : NULL;
}

static distance right[MOST * MOST];
static double answer[MOST * MOST]; /* room for any type */

static bool is_exact(const char *name) {
    return strcmp(name, "floyd-warshall") != 0 && strncmp(name, "blocked", 7) != 0;
}

/* Whether a variant (NULL: auto) leaves weights below 0 to others. */
static bool refuses_negative(const hop_variant *variant) {
    return variant &&
           (strcmp(variant->name, "dijkstra") == 0 || strncmp(variant->name, "bfs", 3) == 0);
}

/* Runs every variant that takes the graph and compares. `rounds`: sums are not exact, so that
 * variants on the matrix are compared by the tolerance. */
static void check_all(hop_context *context, const plain_graph *g, hop_weight_type type, bool rounds,
                      hop_certify certify) {
    hop_graph *graph = plain_borrow(context, g);
    bool solved = plain_solve(g, right);
    hop_weight_type own = is_real(g->type) ? g->type : HOP_TYPE_INT64;
    unsigned ran = 0;
    for (size_t i = 0; i <= host_variant_count(HOP_PROBLEM_APSP); i++) {
        const hop_variant *variant = variant_or_auto(i);
        const char *name = variant ? variant->name : "auto";
        static unsigned tiny;
        hop_vertex length;
        asked a;
        if (strcmp(name, "blocked-disk") == 0 && g->n < 8 && tiny++ % 50 != 0)
            continue; /* a file for each: some are enough */
        ask(&a, name, type, certify);
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL);
        if (status == HOP_ERR_UNSUPPORTED && variant)
            continue;
        ran++;
        if (status != (solved ? HOP_OK : HOP_ERR_NEGATIVE_CYCLE)) {
            describe_plain(g);
            fail_msg("%s: %d: %s", name, (int)status, hop_context_message(context));
        }
        const hop_vertex *cycle = hop_context_cycle(context, &length);
        assert_true((cycle != NULL) == !solved);
        if (!solved)
            assert_int_equal(hop_cycle_certify(context, graph, cycle, length), HOP_OK);
        bool bits = !rounds || is_exact(a.report.variant->name);
        hop_weight_type got = type == HOP_TYPE_NONE ? own : type;
        for (size_t k = 0; solved && k < (size_t)g->n * g->n; k++)
            if (bits ? !is_same(got, answer, k, right[k])
                     : !is_close(got, g->n, as_double(got, answer, k), right[k].real)) {
                describe_plain(g);
                fail_msg("%s: from %u to %u: %.17g, expected %.17g", name, (uint32_t)(k / g->n),
                         (uint32_t)(k % g->n), as_double(got, answer, k),
                         is_real(got) ? right[k].real : (double)right[k].integer);
            }
    }
    assert_true(ran >= 2); /* one by name, and auto */
    hop_graph_release(graph);
}

typedef struct weighting {
    hop_weight_type type, distances;
    double low, step;
    uint32_t steps;
    bool rounds;
} weighting;

/* Zeros are among them. Eighths add up without rounding; thirds do not. */
static const weighting undirected[8] = {
    {HOP_TYPE_INT32, HOP_TYPE_NONE, 0, 1, 4, false},
    {HOP_TYPE_INT32, HOP_TYPE_INT32, 0, 1, 3, false},
    {HOP_TYPE_INT64, HOP_TYPE_INT64, 0, 1000000007, 6, false},
    {HOP_TYPE_INT64, HOP_TYPE_INT32, 0, 7, 9, false},
    {HOP_TYPE_FLOAT32, HOP_TYPE_NONE, 0, 0.125, 5, false},
    {HOP_TYPE_FLOAT64, HOP_TYPE_NONE, 0, 1.0 / 3, 50, true},
    {HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT32, 0, 0.1, 1000, true},
    {HOP_TYPE_NONE, HOP_TYPE_INT32, 1, 0, 1, false},
};

/* Graph number `code` of n vertices: one bit per pair, or per ordered pair. */
static plain_graph numbered(uint32_t n, bool directed, uint64_t code, const weighting *w,
                            uint64_t seed) {
    plain_graph g = plain_make(n, directed, w->type, n * n);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            uint32_t a = u < v || directed ? u : v, b = u < v || directed ? v : u;
            uint32_t bit =
                directed ? a * (n - 1) + b - (b > a) : a * (2 * n - a - 1) / 2 + b - a - 1;
            double weight = w->low + w->step * (double)(hop__random_at(seed, a, b) % w->steps);
            if (u != v && code >> bit & 1)
                plain_arc(&g, v, weight);
        }
        plain_end_row(&g, u);
    }
    return g;
}

static void all_undirected_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (uint32_t n = 0; n <= 6; n++)
        for (uint64_t code = 0; code < UINT64_C(1) << n * (n - (n > 0)) / 2;
             code += n == 6 && SMALLER_TESTS ? 7 : 1)
            for (unsigned k = 0; k < 8; k++) {
                plain_graph g = numbered(n, false, code, &undirected[k], code * 8 + k);
                check_all(context, &g, undirected[k].distances, undirected[k].rounds,
                          (code + k) % 8 == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
                plain_free(&g);
            }
    free_context(context);
}

static const weighting directed[8] = {
    {HOP_TYPE_INT32, HOP_TYPE_NONE, -1, 1, 5, false},
    {HOP_TYPE_INT32, HOP_TYPE_INT32, -2, 1, 8, false},
    {HOP_TYPE_INT64, HOP_TYPE_NONE, -1000000007, 1000000007, 4, false},
    {HOP_TYPE_INT64, HOP_TYPE_INT32, -7, 7, 9, false},
    {HOP_TYPE_FLOAT32, HOP_TYPE_NONE, -0.25, 0.125, 9, false},
    {HOP_TYPE_FLOAT64, HOP_TYPE_NONE, -0.125, 0.125, 4, false},
    {HOP_TYPE_INT32, HOP_TYPE_NONE, -100, 1, 400, false},
    {HOP_TYPE_FLOAT64, HOP_TYPE_NONE, 0, 1.0 / 3, 50, true},
};

static void all_directed_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (uint32_t n = 0; n <= 4; n++)
        for (uint64_t code = 0; code < UINT64_C(1) << n * (n - (n > 0)); code++)
            for (unsigned k = 0; k < 8; k++) {
                plain_graph g = numbered(n, true, code, &directed[k], code * 8 + k);
                check_all(context, &g, directed[k].distances, directed[k].rounds,
                          HOP_CERTIFY_CANONICAL);
                plain_free(&g);
            }
    free_context(context);
}

static void awkward_sizes(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 15, 16, 17, 63, 64, 65, 200};
    static const unsigned threads[] = {1, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned k = 0; k < 8; k++) {
            const weighting *w = &undirected[k];
            hop_context *context = make_context(threads[k % 2]);
            plain_graph g = plain_random(sizes[i], k < 4 ? 3 : 12, k % 3 == 0, w->type, w->low,
                                         w->steps, w->step, i * 8 + k);
            if (i % 2)
                plain_widen(&g);
            check_all(context, &g, w->distances, w->rounds, HOP_CERTIFY_CANONICAL);
            plain_free(&g);
            free_context(context);
        }
}

/* No weights, or one for all: arcs are counted, from the frontier or from what is not reached yet.
 * The dense ones look at a few arcs of each vertex only if they do the latter. */
static void arcs_that_count_the_same(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (unsigned k = 0; k < 60; k++) {
        const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64};
        bool one_way = k % 2, prepared = k % 4 == 3, dense = k % 5 == 0;
        plain_graph g = plain_random(40 + 2 * k, dense ? 30 : k % 5, one_way, types[k % 3],
                                     (double)(k % 4), 1, 0, k);
        hop_graph *graph = plain_borrow(context, &g);
        assert_true(plain_solve(&g, right));
        if (prepared)
            assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        for (unsigned i = 0; i < 4; i++) {
            hop_weight_type type = i % 2 ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
            asked a;
            ask(&a, i < 2 ? "bfs" : "bfs-bits", type, HOP_CERTIFY_CANONICAL);
            if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer),
                         NULL) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            for (size_t at = 0; at < (size_t)g.n * g.n; at++)
                assert_true(is_same(type, answer, at, right[at]));
            bool below = dense && (prepared || !one_way);
            assert_true(a.report.relaxations <= (uint64_t)g.arcs * g.n / (below ? 3 : 1));
        }
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* Two paths, the first of `length` vertices: as many levels, of which bfs-bits notes the first 255
 * in bytes. Their vertices are as far apart as their numbers. */
static plain_graph two_paths(uint32_t n, uint32_t length, hop_weight_type type, double weight) {
    plain_graph g = plain_make(n, false, type, 2 * n);
    for (uint32_t u = 0; u < n; u++) {
        if (u > 0 && u != length)
            plain_arc(&g, u - 1, weight);
        if (u + 1 < n && u + 1 != length)
            plain_arc(&g, u + 1, weight);
        plain_end_row(&g, u);
    }
    return g;
}

static void levels_beyond_a_byte(void **state) {
    (void)state;
    static const uint32_t lengths[] = {254, 255, 256, 257, 600};
    enum { N = 650 };
    int64_t *found = test_malloc(N * N * sizeof *found);
    for (unsigned k = 0; k < 4 * sizeof lengths / sizeof lengths[0]; k++) {
        hop_context *context = make_context(1 + k % 2);
        uint32_t length = lengths[k / 4], n = length + k % 3 * 25;
        bool narrow = k % 2;
        int64_t weight = k % 4 < 2 ? 1 : narrow ? INT32_MAX / N : INT64_MAX / (2 * N);
        plain_graph g =
            two_paths(n, length, weight == 1 ? HOP_TYPE_NONE : HOP_TYPE_INT64, (double)weight);
        if (weight != 1)
            for (uint32_t i = 0; i < g.arcs; i++)
                ((int64_t *)g.weights)[i] = weight;
        hop_graph *graph = plain_borrow(context, &g);
        asked a;
        ask(&a, "bfs-bits", narrow ? HOP_TYPE_INT32 : HOP_TYPE_INT64, HOP_CERTIFY_NONE);
        if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, found), NULL) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        for (uint32_t at = 0; at < n * n; at++) {
            uint32_t u = at / n, v = at % n;
            bool apart = (u < length) != (v < length);
            int64_t steps = u < v ? v - u : u - v, right_one = steps * weight;
            if (narrow)
                assert_int_equal(((int32_t *)found)[at], apart ? HOP_NO_DISTANCE_32 : right_one);
            else
                assert_int_equal(found[at], apart ? HOP_NO_DISTANCE : right_one);
        }
        hop_graph_release(graph);
        plain_free(&g);
        free_context(context);
    }
    test_free(found);
}

static void arcs_that_count_differently_are_refused(void **state) {
    (void)state;
    static const struct {
        hop_weight_type type;
        double low, step;
        const char *why;
    } cases[] = {
        {HOP_TYPE_INT32, 1, 1, "weights differ, from 1 to 2"},
        {HOP_TYPE_INT64, -4, 0, "below 0"},
        {HOP_TYPE_INT64, 4e18, 0, "leave int64"},
        {HOP_TYPE_FLOAT32, 1, 0, "float32"},
    };
    hop_context *context = make_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plain_graph g = plain_make(4, true, cases[i].type, 3);
        for (uint32_t u = 0; u < 4; u++) {
            if (u < 3)
                plain_arc(&g, u + 1, cases[i].low + cases[i].step * (u % 2));
            plain_end_row(&g, u);
        }
        hop_graph *graph = plain_borrow(context, &g);
        asked a;
        for (int bits = 0; bits < 2; bits++) {
            ask(&a, bits ? "bfs-bits" : "bfs", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
            assert_int_equal(
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL),
                HOP_ERR_UNSUPPORTED);
            assert_says(context, cases[i].why);
        }
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* Negative weights without a negative cycle: potentials are subtracted from weights that are not
 * negative. Eighths of floats, so that sums are exact. */
static void awkward_sizes_negative(void **state) {
    (void)state;
    static const uint32_t sizes[] = {15, 16, 17, 65, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned k = 0; k < 6; k++) {
            hop_context *context = make_context(1 + k % 3);
            hop_weight_type type = directed[k].type;
            double step = is_real(type) ? 0.125 : 1;
            plain_graph g = plain_random(sizes[i], 4, true, type, 0, 50, step, i * 8 + k);
            for (uint32_t u = 0; u < g.n; u++)
                for (uint32_t e = g.offsets[u]; e < g.offsets[u + 1]; e++) {
                    double p = (double)(hop__random_at(k, 9, u) % 40);
                    double q = (double)(hop__random_at(k, 9, g.targets[e]) % 40);
                    double weight =
                        is_real(type) ? plain_real(&g, e) : (double)plain_integer(&g, e);
                    plain_set(&g, e, weight + step * (p - q));
                }
            if (i % 2)
                plain_widen(&g);
            check_all(context, &g, directed[k].distances, false, HOP_CERTIFY_CANONICAL);
            plain_free(&g);
            free_context(context);
        }
}

/* Negative weights whose sums need more bits than a double has: exact, then rounded once. Weights
 * are integers below 2^52 in units of 2^-40, so 64 bits hold the sums. */
static void negative_reals_are_rounded_once(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (uint64_t seed = 0; seed < 40; seed++) {
        plain_graph g = plain_random(9, 3, true, HOP_TYPE_INT64, 0, 1u << 31, 1 << 20, seed);
        for (uint32_t u = 0; u < g.n; u++)
            for (uint32_t e = g.offsets[u]; e < g.offsets[u + 1]; e++)
                ((int64_t *)g.weights)[e] +=
                    (int64_t)(hop__random_at(seed, 4, u) >> 13) -
                    (int64_t)(hop__random_at(seed, 4, g.targets[e]) >> 13) +
                    (int64_t)(hop__random_at(seed, 5, e) % 999);
        assert_true(plain_solve(&g, right));
        for (uint32_t e = 0; e < g.arcs; e++) /* each is a double */
            ((double *)g.weights)[e] = ldexp((double)((int64_t *)g.weights)[e], -40);
        g.type = HOP_TYPE_FLOAT64;
        hop_graph *graph = plain_borrow(context, &g);
        asked a;
        ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_string_equal(a.report.variant->name, "bellman-ford");
        for (uint32_t k = 0; k < g.n * g.n; k++) {
            double expected =
                right[k].integer == INT64_MAX ? HUGE_VAL : ldexp((double)right[k].integer, -40);
            if (answer[k] != expected)
                fail_msg("entry %u: %.17g, expected %.17g", k, answer[k], expected);
        }
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* A table of cases: up to four arcs, and what each variant must say. */
typedef struct table_arc {
    uint32_t from, to;
    int64_t weight;
} table_arc;

static hop_graph *table_graph(hop_context *context, plain_graph *g, uint32_t n, uint32_t count,
                              const table_arc *arcs) {
    *g = plain_make(n, true, HOP_TYPE_INT64, count);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t i = 0; i < count; i++)
            if (arcs[i].from == u) {
                plain_arc(g, arcs[i].to, 0);
                ((int64_t *)g->weights)[g->arcs - 1] = arcs[i].weight;
            }
        plain_end_row(g, u);
    }
    return plain_borrow(context, g);
}

static void sums_never_wrap(void **state) {
    (void)state;
    const int64_t half = INT64_C(1) << 62;
    static const char *const names[] = {"floyd-warshall", "dijkstra", "bellman-ford", "johnson",
                                        "auto"};
    const table_arc beyond[] = {{0, 1, half}, {1, 2, half}};
    const table_arc shortcut[] = {{0, 1, half}, {0, 2, half + 5}, {1, 2, half}};
    const table_arc largest[] = {{0, 1, INT64_MAX}};
    const table_arc falls[] = {{0, 1, half}, {1, 2, -half}, {2, 0, 1}};
    int64_t d[16];
    hop_context *context = make_context(2);
    plain_graph g;
    for (size_t i = 0; i < 5; i++) {
        asked a;
        ask(&a, names[i], HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        hop_graph *graph = table_graph(context, &g, 3, 2, beyond);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, d), NULL),
            HOP_ERR_UNSUPPORTED);
        assert_says(context, "the distance from 0 to 2 does not fit int64");
        hop_graph_release(graph);
        plain_free(&g);
        graph = table_graph(context, &g, 3, 3, shortcut);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, d), NULL), HOP_OK);
        assert_true(d[1] == half && d[2] == half + 5 && d[5] == half && d[3] == HOP_NO_DISTANCE);
        hop_graph_release(graph);
        plain_free(&g);
        graph = table_graph(context, &g, 2, 1, largest);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, d), NULL),
            HOP_ERR_UNSUPPORTED);
        hop_graph_release(graph);
        plain_free(&g);
        graph = table_graph(context, &g, 3, 3, falls); /* sums leave int64 on the way */
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, d), NULL);
        assert_int_equal(status, i == 2 || i == 4 ? HOP_OK : HOP_ERR_UNSUPPORTED);
        if (status == HOP_OK)
            assert_true(d[1] == half && d[2] == 0 && d[5] == -half && d[6] == 1 &&
                        d[7] == half + 1 && d[3] == 1 - half);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

static void int32_distances_fit_or_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t n;
        int64_t weight;
        bool fits;
    } cases[] = {
        {1, INT64_MAX, true},   {2, INT32_MAX, false},    {2, INT32_MAX - 1, true},
        {2, -INT32_MAX, false}, {2, 1 - INT32_MAX, true}, {3, (1 << 30) - 1, true},
        {3, 1 << 30, false},    {3, INT64_MIN, false},    {16, (1 << 27) + 1, true},
        {17, (1 << 27), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hop_context *context = make_context(1);
        uint32_t n = cases[i].n;
        plain_graph g = plain_make(n, true, HOP_TYPE_INT64, n);
        for (uint32_t u = 0; u < n; u++) { /* a list; for n = 1 a loop */
            if (u + 1 < n || n == 1)
                plain_arc(&g, n == 1 ? 0 : u + 1, 0);
            plain_end_row(&g, u);
        }
        for (uint32_t e = 0; e < g.arcs; e++)
            ((int64_t *)g.weights)[e] = cases[i].weight;
        hop_graph *graph = plain_borrow(context, &g);
        for (size_t k = 0; k <= host_variant_count(HOP_PROBLEM_APSP); k++) {
            const hop_variant *variant = variant_or_auto(k);
            int32_t d[17 * 17];
            asked a;
            ask(&a, variant ? variant->name : NULL, HOP_TYPE_INT32, HOP_CERTIFY_CANONICAL);
            hop_status status =
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, d), NULL);
            if (!cases[i].fits) {
                assert_int_equal(status, HOP_ERR_UNSUPPORTED);
                assert_says(context, "must be below 2147483647; use int64");
                continue;
            }
            if (refuses_negative(variant) && cases[i].weight < 0)
                continue;
            if (variant && strncmp(variant->name, "blocked", 7) == 0 && status != HOP_OK) {
                assert_says(context, "a quarter of what int32 holds");
                continue;
            }
            assert_int_equal(status, HOP_OK);
            assert_int_equal(hop_apsp_distance_type(graph, &a.options), HOP_TYPE_INT32);
            for (uint32_t v = 0; v < n; v++)
                assert_int_equal(d[v], v * cases[i].weight);
            if (n > 1)
                assert_int_equal(d[n], HOP_NO_DISTANCE_32);
        }
        hop_graph_release(graph);
        plain_free(&g);
        free_context(context);
    }
}

static void infinite_weights(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int type = HOP_TYPE_FLOAT32; type <= HOP_TYPE_FLOAT64; type++) {
        plain_graph g = plain_make(3, true, (hop_weight_type)type, 4);
        plain_arc(&g, 1, -0.0);
        plain_arc(&g, 2, HUGE_VAL);
        plain_end_row(&g, 0);
        plain_arc(&g, 2, 2.5);
        plain_end_row(&g, 1);
        plain_end_row(&g, 2);
        check_all(context, &g, HOP_TYPE_NONE, false, HOP_CERTIFY_CANONICAL);
        plain_set(&g, 2, HUGE_VAL); /* 2 is not reached */
        check_all(context, &g, HOP_TYPE_NONE, false, HOP_CERTIFY_CANONICAL);
        plain_set(&g, 2, type == HOP_TYPE_FLOAT32 ? (double)FLT_MAX : DBL_MAX);
        plain_set(&g, 0, type == HOP_TYPE_FLOAT32 ? (double)FLT_MAX : DBL_MAX);
        check_all(context, &g, HOP_TYPE_NONE, false, HOP_CERTIFY_CANONICAL); /* sum: infinity */
        plain_set(&g, 2, -HUGE_VAL);
        hop_graph *graph = plain_borrow(context, &g);
        assert_int_equal(hop_apsp(context, graph, NULL, MATRIX_ROOM(graph, NULL, answer), NULL),
                         HOP_ERR_INPUT);
        assert_says(context, "the arc from 1 to 2 has the weight -infinity");
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

static void negative_cycles_are_handed_over(void **state) {
    (void)state;
    /* The cycle 3 -> 5 -> 4 is reached from 3, 4 and 5 only, and there is a negative loop too. */
    const table_arc arcs[] = {{0, 1, 4}, {1, 2, -3}, {2, 0, -1}, {3, 5, 1}, {5, 4, 1}, {4, 3, -3}};
    const table_arc loop[] = {{1, 1, -1}, {0, 1, 7}};
    hop_context *context = make_context(2);
    plain_graph g, h;
    hop_graph *graph = table_graph(context, &g, 6, 6, arcs);
    hop_graph *other = table_graph(context, &h, 2, 2, loop);
    for (size_t i = 0; i <= host_variant_count(HOP_PROBLEM_APSP); i++) {
        const hop_variant *variant = variant_or_auto(i);
        static const hop_vertex expected[] = {3, 5, 4};
        hop_vertex length;
        asked a;
        ask(&a, variant ? variant->name : NULL, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL);
        if (refuses_negative(variant)) {
            assert_int_equal(status, HOP_ERR_UNSUPPORTED);
            assert_says(context, strcmp(variant->name, "dijkstra") == 0
                                     ? "the arc from 1 to 2 has the weight -3"
                                     : "weights differ");
            continue;
        }
        assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
        assert_says(context, "3, 5, 4, 3");
        const hop_vertex *cycle = hop_context_cycle(context, &length);
        assert_int_equal(length, 3);
        assert_memory_equal(cycle, expected, sizeof expected);
        assert_int_equal(
            hop_apsp(context, other, &a.options, MATRIX_ROOM(other, &a.options, answer), NULL),
            HOP_ERR_NEGATIVE_CYCLE);
        assert_int_equal(hop_context_cycle(context, &length)[0], 1);
        assert_int_equal(length, 1);
    }
    hop_graph_release(graph);
    hop_graph_release(other);
    plain_free(&g);
    plain_free(&h);
    free_context(context);
}

static void calls_that_are_wrong(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    plain_graph g = plain_random(5, 2, true, HOP_TYPE_FLOAT64, 0, 5, 1, 1);
    hop_graph *graph = plain_borrow(context, &g);
    asked a;
    ask(&a, NULL, HOP_TYPE_INT32, HOP_CERTIFY_NONE);
    assert_int_equal(hop_apsp(NULL, graph, NULL, MATRIX_ROOM(graph, NULL, answer), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp(context, NULL, NULL, MATRIX_ROOM(NULL, NULL, answer), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp(context, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp_rows(context, graph, NULL, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL),
        HOP_ERR_UNSUPPORTED);
    assert_says(context, "weights of type float64 give distances of type float64, not int32");
    ask(&a, "floyd-marshall", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL),
        HOP_ERR_ARGUMENT);
    assert_says(context, "did you mean 'floyd-warshall'?");
    ask(&a, NULL, (hop_weight_type)77, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, answer), NULL),
        HOP_ERR_ARGUMENT);
    assert_int_equal(
        hop_apsp_certify(context, graph, NULL, 3, 3, GIVEN_ROWS(graph, NULL, 3, answer)),
        HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp_certify(context, graph, NULL, 0, 1, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* n = 4096, a cycle through all of them of sum -1: found before the first round, and no number has
 * been touched. */
static void long_negative_cycle_before_the_first_round(void **state) {
    enum { N = 4096 };
    hop_context *context = make_context(2);
    plain_graph g = plain_make(N, true, HOP_TYPE_INT32, 4 * N);
    (void)state;
    for (uint32_t u = 0; u < N;
         u++) { /* down by 1 each, back by N - 2; and others that are no way */
        uint32_t next = (u + 1) % N;
        if (next == 0)
            plain_arc(&g, 0, N - 2);
        for (uint32_t k = 2; k < 4 && u + k < N && u > 0; k++)
            plain_insert(&g, u, u + k, 5);
        if (next != 0)
            plain_insert(&g, u, next, -1);
        plain_end_row(&g, u);
    }
    hop_graph *graph = plain_borrow(context, &g);
    int64_t *matrix = calloc((size_t)N * N, sizeof *matrix);
    unsigned found = 0, refused = 0;
    for (size_t i = 0; i <= host_variant_count(HOP_PROBLEM_APSP); i++) {
        const hop_variant *variant = variant_or_auto(i);
        hop_vertex length;
        asked a;
        ask(&a, variant ? variant->name : NULL, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
        if (status == HOP_ERR_UNSUPPORTED && refuses_negative(variant)) {
            refused++;
            continue;
        }
        assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
        assert_int_equal(a.report.rounds, 0);
        const hop_vertex *cycle = hop_context_cycle(context, &length);
        assert_int_equal(length, N);
        assert_int_equal(hop_cycle_certify(context, graph, cycle, length), HOP_OK);
        for (size_t at = 0; at < (size_t)N * N; at += 1009)
            assert_true(matrix[at] == 0);
        found++;
    }
    assert_int_equal(refused, 3);
    assert_int_equal(found + refused, host_variant_count(HOP_PROBLEM_APSP) + 1);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_undirected_graphs),
        cmocka_unit_test(all_directed_graphs),
        cmocka_unit_test(awkward_sizes),
        cmocka_unit_test(arcs_that_count_the_same),
        cmocka_unit_test(levels_beyond_a_byte),
        cmocka_unit_test(arcs_that_count_differently_are_refused),
        cmocka_unit_test(awkward_sizes_negative),
        cmocka_unit_test(negative_reals_are_rounded_once),
        cmocka_unit_test(sums_never_wrap),
        cmocka_unit_test(int32_distances_fit_or_are_refused),
        cmocka_unit_test(infinite_weights),
        cmocka_unit_test(negative_cycles_are_handed_over),
        cmocka_unit_test(calls_that_are_wrong),
        cmocka_unit_test(long_negative_cycle_before_the_first_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
