/* SPDX-License-Identifier: Apache-2.0
 * The certifier accepts what is right and rejects every single wrong entry; paths from rows. */
#include "apsp/apsp_testing.h"

enum { SMALL = 5 };

/* Sets entry i of a matrix. */
static void put(hop_weight_type type, void *matrix, size_t i, double value) {
    switch (type) {
    case HOP_WEIGHT_INT32:
        ((int32_t *)matrix)[i] = value == HUGE_VAL ? INT32_MAX : (int32_t)value;
        break;
    case HOP_WEIGHT_INT64:
        ((int64_t *)matrix)[i] = value == HUGE_VAL ? INT64_MAX : (int64_t)value;
        break;
    case HOP_WEIGHT_FLOAT32:
        ((float *)matrix)[i] = (float)value;
        break;
    default:
        ((double *)matrix)[i] = value;
        break;
    }
}

static hop_status certify_row(hop_context *context, const hop_graph *graph, asked *a, uint32_t row,
                              const void *matrix) {
    size_t n = hop_graph_vertices(graph);
    size_t size = distance_size(hop_apsp_distance_type(graph, &a->options));
    return hop_apsp_certify(context, graph, &a->options, row, 1,
                            (const char *)matrix + row * n * size);
}

/* Every entry set to each of the values, if that is another one. `exact`: the options name a
 * variant whose bits are the only right ones, so the neighbouring numbers are wrong too. */
static void corrupt_all(hop_context *context, const hop_graph *graph, asked *a, void *matrix,
                        bool exact) {
    hop_weight_type type = hop_apsp_distance_type(graph, &a->options);
    uint32_t n = hop_graph_vertices(graph);
    size_t size = distance_size(type);
    for (uint32_t k = 0; k < n * n; k++) {
        char kept[8];
        memcpy(kept, (char *)matrix + k * size, size);
        double right = as_double(type, matrix, k);
        bool reached = type == HOP_WEIGHT_INT32   ? right != INT32_MAX
                       : type == HOP_WEIGHT_INT64 ? right != (double)INT64_MAX
                                                  : right != HUGE_VAL;
        double values[SMALL + 9];
        uint32_t count = 0;
        for (uint32_t id = 0; id < n; id++)
            values[count++] = id;
        values[count++] = HUGE_VAL;
        values[count++] = reached ? right + 1 : 1000;
        values[count++] = reached ? right - 1 : -1000;
        if (is_real(type)) {
            values[count++] = (double)NAN;
            values[count++] = -HUGE_VAL;
        }
        if (is_real(type) && exact) {
            values[count++] = -0.0;
            values[count++] = type == HOP_WEIGHT_FLOAT32 ? (double)nextafterf((float)right, 0)
                                                         : nextafter(right, 0);
            values[count++] = type == HOP_WEIGHT_FLOAT32
                                  ? (double)nextafterf((float)right, (float)HUGE_VAL)
                                  : nextafter(right, HUGE_VAL);
        }
        for (uint32_t i = 0; i < count; i++) {
            put(type, matrix, k, values[i]);
            bool same = memcmp(kept, (char *)matrix + k * size, size) == 0 ||
                        (is_real(type) && !exact && reached && is_close(type, n, values[i], right));
            hop_status status = certify_row(context, graph, a, k / n, matrix);
            if (status != (same ? HOP_OK : HOP_ERR_CERTIFICATE))
                fail_msg("entry %u = %.17g instead of %.17g: %d %s", k, values[i], right,
                         (int)status, hop_context_message(context));
        }
        memcpy((char *)matrix + k * size, kept, size);
    }
}

typedef struct flavour {
    const char *solver, *named; /* what computes; what the certifier is told */
    bool directed;
    hop_weight_type type, distances;
    double low, step;
    uint32_t steps;
} flavour;

static const flavour flavours[] = {
    {"floyd-warshall", NULL, false, HOP_WEIGHT_INT32, HOP_WEIGHT_NONE, 0, 1, 3},
    {"dijkstra", NULL, false, HOP_WEIGHT_INT64, HOP_WEIGHT_INT32, 0, 1, 4},
    {"bellman-ford", NULL, false, HOP_WEIGHT_NONE, HOP_WEIGHT_INT32, 1, 0, 1},
    {"dijkstra", NULL, false, HOP_WEIGHT_NONE, HOP_WEIGHT_NONE, 1, 0, 1},
    {"floyd-warshall", NULL, false, HOP_WEIGHT_FLOAT64, HOP_WEIGHT_NONE, 0, 1.0 / 3, 30},
    {"dijkstra", "dijkstra", false, HOP_WEIGHT_FLOAT32, HOP_WEIGHT_NONE, 0, 0.1, 30},
    {"johnson", NULL, true, HOP_WEIGHT_INT32, HOP_WEIGHT_NONE, -1, 1, 5},
    {"floyd-warshall", NULL, true, HOP_WEIGHT_INT64, HOP_WEIGHT_INT32, -2, 1, 9},
    {"bellman-ford", "bellman-ford", true, HOP_WEIGHT_FLOAT64, HOP_WEIGHT_NONE, -0.3, 0.1, 12},
};

/* Graph number `code`; seeds that give a negative cycle are skipped by the caller. */
static plain_graph numbered(uint32_t n, const flavour *f, uint64_t code) {
    plain_graph g = plain_make(n, f->directed, f->type, n * n);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            uint32_t a = u < v || f->directed ? u : v, b = u < v || f->directed ? v : u;
            uint32_t bit =
                f->directed ? a * (n - 1) + b - (b > a) : a * (2 * n - a - 1) / 2 + b - a - 1;
            double weight = f->low + f->step * (double)(hop__random_at(code, a, b) % f->steps);
            if (u != v && code >> bit & 1)
                plain_arc(&g, v, weight);
        }
        plain_end_row(&g, u);
    }
    return g;
}

static void every_wrong_entry_is_rejected(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    double matrix[SMALL * SMALL];
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++) {
        const flavour *f = &flavours[i];
        for (uint32_t n = 1; n <= (f->directed ? 4 : SMALL); n++)
            for (uint64_t code = 0; code < UINT64_C(1) << n * (n - 1) / (f->directed ? 1 : 2);
                 code++) {
                if (f->directed && n == 4 && code % 5 != i % 5)
                    continue; /* one in five of the 4096 is enough */
                plain_graph g = numbered(n, f, code);
                hop_graph *graph = plain_borrow(context, &g);
                asked a;
                ask(&a, f->solver, f->distances, HOP_CERTIFY_NONE);
                hop_status status = hop_apsp(context, graph, &a.options, matrix);
                a.run.variant = f->named;
                if (status == HOP_OK)
                    corrupt_all(context, graph, &a, matrix, f->named != NULL);
                else
                    assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
                hop_graph_release(graph);
                plain_free(&g);
            }
    }
    free_context(context);
}

/* Cycles of weight 0 that nothing reaches must not support each other. */
static void zero_cycles_do_not_support_themselves(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    plain_graph g = plain_make(4, false, HOP_WEIGHT_INT32, 4);
    plain_arc(&g, 1, 3);
    plain_end_row(&g, 0);
    plain_arc(&g, 0, 3);
    plain_end_row(&g, 1);
    plain_arc(&g, 3, 0);
    plain_end_row(&g, 2);
    plain_arc(&g, 2, 0);
    plain_end_row(&g, 3);
    hop_graph *graph = plain_borrow(context, &g);
    const int64_t none = HOP_NO_DISTANCE;
    const int64_t wrong[] = {0, 3, 5, 5}, good[] = {0, 3, none, none};
    assert_int_equal(hop_apsp_certify(context, graph, NULL, 0, 1, good), HOP_OK);
    assert_int_equal(hop_apsp_certify(context, graph, NULL, 0, 1, wrong), HOP_ERR_CERTIFICATE);
    assert_says(context, "the distance from 0 to 2 is given as 5, but no path has that length");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* The tolerance: one that is just inside is accepted, one beyond is not. */
static void tolerance_is_as_stated(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int type = HOP_WEIGHT_FLOAT32; type <= HOP_WEIGHT_FLOAT64; type++) {
        hop_weight_type real = (hop_weight_type)type;
        double epsilon = real == HOP_WEIGHT_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
        plain_graph g = plain_random(33, 4, true, real, 1, 1000, 0.1, 3);
        hop_graph *graph = plain_borrow(context, &g);
        double matrix[33 * 33];
        asked a;
        ask(&a, "floyd-warshall", HOP_WEIGHT_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(hop_apsp(context, graph, &a.options, matrix), HOP_OK);
        ask(&a, "dijkstra", HOP_WEIGHT_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(hop_apsp(context, graph, &a.options, matrix), HOP_OK);
        double right = as_double(real, matrix, 7);
        put(real, matrix, 7, right * (1 + 30 * epsilon)); /* of 32 */
        assert_int_equal(certify_row(context, graph, &a, 0, matrix), HOP_ERR_CERTIFICATE);
        a.run.variant = NULL;
        assert_int_equal(certify_row(context, graph, &a, 0, matrix), HOP_OK);
        put(real, matrix, 7, right * (1 - 30 * epsilon));
        assert_int_equal(certify_row(context, graph, &a, 0, matrix), HOP_OK);
        put(real, matrix, 7, right * (1 + 35 * epsilon));
        assert_int_equal(certify_row(context, graph, &a, 0, matrix), HOP_ERR_CERTIFICATE);
        assert_says(context, "farther off than rounding allows");
        put(real, matrix, 7, right * (1 - 35 * epsilon));
        assert_int_equal(certify_row(context, graph, &a, 0, matrix), HOP_ERR_CERTIFICATE);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

static void random_corruptions_of_a_large_graph(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int real = 0; real < 2; real++) {
        hop_weight_type type = real ? HOP_WEIGHT_FLOAT64 : HOP_WEIGHT_INT32;
        uint32_t n = 500, tries = SANITIZED ? 300 : real ? 1000 : 10000;
        plain_graph g = plain_random(n, 200, true, type, 0, 1000, real ? 0.1 : 1, 5);
        hop_graph *graph = plain_borrow(context, &g);
        hop_weight_type out = real ? HOP_WEIGHT_FLOAT64 : HOP_WEIGHT_INT64;
        void *matrix = malloc((size_t)n * n * 8);
        asked a;
        ask(&a, "floyd-warshall", HOP_WEIGHT_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(hop_graph_arcs(graph), 100000);
        assert_int_equal(hop_apsp(context, graph, &a.options, matrix), HOP_OK);
        for (uint32_t i = 0; i < tries; i++) {
            size_t k = hop__random_at(8, 1, i) % ((size_t)n * n);
            double right = as_double(out, matrix, k);
            double values[] = {right + 1, right - 1, 0, HUGE_VAL,
                               (double)(hop__random_at(8, 2, i) % n)};
            if (values[i % 5] == right)
                continue;
            put(out, matrix, k, values[i % 5]);
            assert_int_equal(certify_row(context, graph, &a, (uint32_t)(k / n), matrix),
                             HOP_ERR_CERTIFICATE);
            put(out, matrix, k, right);
        }
        assert_int_equal(hop_apsp_certify(context, graph, &a.options, 0, n, matrix), HOP_OK);
        free(matrix);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* With certify_rows only so many are looked at, which ones depends on the seed alone. */
static void rows_are_drawn(void **state) {
    (void)state;
    plain_graph g = plain_random(40, 3, false, HOP_WEIGHT_INT32, 0, 9, 1, 2);
    int64_t matrix[40 * 40];
    unsigned found[2] = {0, 0};
    for (uint64_t seed = 0; seed < 2; seed++)
        for (uint32_t bad = 0; bad < 40; bad++) {
            hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            options.threads = 2;
            options.seed = seed;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            hop_graph *graph = plain_borrow(context, &g);
            asked a;
            ask(&a, "dijkstra", HOP_WEIGHT_NONE, HOP_CERTIFY_CANONICAL);
            a.options.certify_rows = 7;
            assert_int_equal(hop_apsp(context, graph, &a.options, matrix), HOP_OK);
            matrix[bad * 40 + bad]++;
            found[seed] +=
                hop_apsp_certify(context, graph, &a.options, 0, 40, matrix) == HOP_ERR_CERTIFICATE;
            a.options.certify_rows = 40;
            assert_int_equal(hop_apsp_certify(context, graph, &a.options, 0, 40, matrix),
                             HOP_ERR_CERTIFICATE);
            hop_graph_release(graph);
            free_context(context);
        }
    assert_int_equal(found[0], 7);
    assert_int_equal(found[1], 7);
    plain_free(&g);
}

/* Every path from every row: it begins and ends where it should, along arcs, and is as long as the
 * row says. */
static void check_paths(hop_context *context, const plain_graph *g, hop_graph *graph,
                        const char *solver, hop_weight_type type) {
    hop_weight_type out = type == HOP_WEIGHT_NONE && !is_real(g->type) ? HOP_WEIGHT_INT64
                          : type == HOP_WEIGHT_NONE                    ? g->type
                                                                       : type;
    uint32_t n = g->n;
    hop_vertex path[64], length;
    void *matrix = malloc((size_t)n * n * 8);
    asked a;
    ask(&a, solver, type, HOP_CERTIFY_NONE);
    assert_int_equal(hop_apsp(context, graph, &a.options, matrix), HOP_OK);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++) {
            const char *row = (const char *)matrix + (size_t)s * n * distance_size(out);
            double right = as_double(out, row, t), sum = 0;
            if (hop_apsp_path(context, graph, &a.options, s, t, row, path, 64, &length) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            if (out == HOP_WEIGHT_INT32   ? right == INT32_MAX
                : out == HOP_WEIGHT_INT64 ? right == (double)INT64_MAX
                                          : right == HUGE_VAL) {
                assert_int_equal(length, 0);
                continue;
            }
            assert_true(length > 0 && path[0] == s && path[length - 1] == t);
            for (uint32_t i = 0; i + 1 < length; i++) {
                double best = HUGE_VAL;
                for (uint32_t e = g->offsets[path[i]]; e < g->offsets[path[i] + 1]; e++) {
                    double weight =
                        is_real(g->type) ? plain_real(g, e) : (double)plain_integer(g, e);
                    if (g->targets[e] == path[i + 1] && weight < best)
                        best = weight;
                }
                sum += best;
            }
            assert_true(is_real(out) ? fabs(sum - right) <= 1e-4 * right : sum == right);
            if (length > 1) {
                assert_int_equal(
                    hop_apsp_path(context, graph, &a.options, s, t, row, path, length - 1, &length),
                    HOP_ERR_ARGUMENT);
                assert_true(length > 1);
            }
        }
    free(matrix);
}

static void paths_are_shortest(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int reverse = 0; reverse < 2; reverse++) {
        plain_graph g = plain_random(40, 3, true, HOP_WEIGHT_INT32, 0, 4, 1, 11);
        plain_graph h = plain_random(40, 3, false, HOP_WEIGHT_FLOAT32, 0, 100, 0.1, 12);
        plain_graph k = plain_random(40, 2, true, HOP_WEIGHT_FLOAT64, 0, 9, 1.0 / 3, 13);
        plain_graph *graphs[] = {&g, &h, &k};
        for (size_t i = 0; i < 3; i++) {
            hop_graph *graph = plain_borrow(context, graphs[i]);
            if (reverse)
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
            check_paths(context, graphs[i], graph, "floyd-warshall", HOP_WEIGHT_NONE);
            check_paths(context, graphs[i], graph, "dijkstra",
                        i == 0 ? HOP_WEIGHT_INT32 : HOP_WEIGHT_NONE);
            hop_graph_release(graph);
            plain_free(graphs[i]);
        }
    }
    free_context(context);
}

static void rows_that_are_none_have_no_paths(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    plain_graph g = plain_make(3, true, HOP_WEIGHT_INT32, 2);
    plain_arc(&g, 1, 4);
    plain_end_row(&g, 0);
    plain_arc(&g, 2, 4);
    plain_end_row(&g, 1);
    plain_end_row(&g, 2);
    hop_graph *graph = plain_borrow(context, &g);
    const int64_t good[] = {0, 4, 8}, wrong[] = {0, 4, 9}, other[] = {1, 5, 9};
    hop_vertex path[3], length = 7;
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, good, path, 3, &length), HOP_OK);
    assert_int_equal(length, 3);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, good, NULL, 0, &length), HOP_OK);
    assert_int_equal(length, 3);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, wrong, path, 3, &length),
                     HOP_ERR_INPUT);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, other, path, 3, &length),
                     HOP_ERR_INPUT);
    assert_says(context, "is it the row of 0?");
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 3, good, path, 3, &length),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, NULL, path, 3, &length),
                     HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_entry_is_rejected),
        cmocka_unit_test(zero_cycles_do_not_support_themselves),
        cmocka_unit_test(tolerance_is_as_stated),
        cmocka_unit_test(random_corruptions_of_a_large_graph),
        cmocka_unit_test(rows_are_drawn),
        cmocka_unit_test(paths_are_shortest),
        cmocka_unit_test(rows_that_are_none_have_no_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
