/* SPDX-License-Identifier: Apache-2.0
 * The certifier accepts what is right and rejects every single wrong entry. */
#include "apsp/apsp_testing.h"
#include "span_testing.h"

enum { SMALL = 5 };

/* Sets entry i of a matrix. */
static void put(hop_weight_type type, void *matrix, size_t i, double value) {
    switch (type) {
    case HOP_TYPE_INT32:
        ((int32_t *)matrix)[i] = value == HUGE_VAL ? INT32_MAX : (int32_t)value;
        break;
    case HOP_TYPE_INT64:
        ((int64_t *)matrix)[i] = value == HUGE_VAL ? INT64_MAX : (int64_t)value;
        break;
    case HOP_TYPE_FLOAT32:
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
    return hop_apsp_certify(
        context, graph, &a->options, row, 1,
        GIVEN_ROWS(graph, &a->options, 1, (const char *)matrix + row * n * size));
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
        bool reached = type == HOP_TYPE_INT32   ? right != INT32_MAX
                       : type == HOP_TYPE_INT64 ? right != (double)INT64_MAX
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
            values[count++] = type == HOP_TYPE_FLOAT32 ? (double)nextafterf((float)right, 0)
                                                       : nextafter(right, 0);
            values[count++] = type == HOP_TYPE_FLOAT32
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
    {"floyd-warshall", NULL, false, HOP_TYPE_INT32, HOP_TYPE_NONE, 0, 1, 3},
    {"dijkstra", NULL, false, HOP_TYPE_INT64, HOP_TYPE_INT32, 0, 1, 4},
    {"bellman-ford", NULL, false, HOP_TYPE_NONE, HOP_TYPE_INT32, 1, 0, 1},
    {"dijkstra", NULL, false, HOP_TYPE_NONE, HOP_TYPE_NONE, 1, 0, 1},
    {"floyd-warshall", NULL, false, HOP_TYPE_FLOAT64, HOP_TYPE_NONE, 0, 1.0 / 3, 30},
    {"dijkstra", "dijkstra", false, HOP_TYPE_FLOAT32, HOP_TYPE_NONE, 0, 0.1, 30},
    {"johnson", NULL, true, HOP_TYPE_INT32, HOP_TYPE_NONE, -1, 1, 5},
    {"floyd-warshall", NULL, true, HOP_TYPE_INT64, HOP_TYPE_INT32, -2, 1, 9},
    {"bellman-ford", "bellman-ford", true, HOP_TYPE_FLOAT64, HOP_TYPE_NONE, -0.3, 0.1, 12},
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
                 code += n == SMALL && SMALLER_TESTS ? 7 : 1) {
                if (f->directed && n == 4 && code % 5 != i % 5)
                    continue; /* one in five of the 4096 is enough */
                plain_graph g = numbered(n, f, code);
                hop_graph *graph = plain_borrow(context, &g);
                asked a;
                ask(&a, f->solver, f->distances, HOP_CERTIFY_NONE);
                hop_status status = hop_apsp(context, graph, &a.options,
                                             MATRIX_ROOM(graph, &a.options, matrix), NULL);
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
    plain_graph g = plain_make(4, false, HOP_TYPE_INT32, 4);
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
    assert_int_equal(hop_apsp_certify(context, graph, NULL, 0, 1, GIVEN_ROWS(graph, NULL, 1, good)),
                     HOP_OK);
    assert_int_equal(
        hop_apsp_certify(context, graph, NULL, 0, 1, GIVEN_ROWS(graph, NULL, 1, wrong)),
        HOP_ERR_CERTIFICATE);
    assert_says(context, "the distance from 0 to 2 is given as 5, but no path has that length");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* The tolerance: one that is just inside is accepted, one beyond is not. */
static void tolerance_is_as_stated(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int type = HOP_TYPE_FLOAT32; type <= HOP_TYPE_FLOAT64; type++) {
        hop_weight_type real = (hop_weight_type)type;
        double epsilon = real == HOP_TYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
        plain_graph g = plain_random(33, 4, true, real, 1, 1000, 0.1, 3);
        hop_graph *graph = plain_borrow(context, &g);
        double matrix[33 * 33];
        asked a;
        ask(&a, "floyd-warshall", HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
            HOP_OK);
        ask(&a, "dijkstra", HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
            HOP_OK);
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

/* Rows whose entries are all moved a little: they are accepted if and only if each is within the
 * tolerance of the distance that hop_sssp gives. Many weights are 0 or lost beside others. */
static void moved_rows_are_judged_one_by_one(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    unsigned verdicts[2] = {0, 0};
    for (uint32_t i = 0; i < (SMALLER_TESTS ? 400 : 20000); i++) {
        hop_weight_type type = i % 2 ? HOP_TYPE_FLOAT32 : HOP_TYPE_FLOAT64;
        double epsilon = i % 2 ? (double)FLT_EPSILON : DBL_EPSILON;
        uint32_t n = 2 + i / 2 % 9;
        plain_graph g = plain_random(n, 4, i / 4 % 2, type, 0, 6, i / 8 % 2 ? 0.1 : epsilon, i);
        for (uint32_t e = 0; e < g.arcs; e++) /* both arcs of an edge the same */
            if (i / 16 % 2 && plain_real(&g, e) > 0)
                plain_set(&g, e, plain_real(&g, e) + 3);
        hop_graph *graph = plain_borrow(context, &g);
        double row[16], right[16];
        asked a;
        distance matrix[16 * 16];
        bool good = true;
        ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        assert_true(plain_solve(&g, matrix));
        for (uint32_t v = 0; v < n; v++) {
            uint64_t dice = hop__random_at(21, i, v);
            double by = ((double)(dice % 1024) / 512 - 1) * (n - 1) * epsilon;
            right[v] = matrix[v].real;
            put(type, row, v, right[v] * (1 + by * (dice >> 10 & 1 ? 1.2 : 0.9)));
            good &= is_close(type, n, as_double(type, row, v), right[v]);
        }
        hop_status status = hop_apsp_certify(context, graph, &a.options, 0, 1,
                                             GIVEN_ROWS(graph, &a.options, 1, row));
        if (status != (good ? HOP_OK : HOP_ERR_CERTIFICATE)) {
            describe_plain(&g);
            fail_msg("row %u should be %s: %s", i, good ? "accepted" : "rejected",
                     hop_context_message(context));
        }
        verdicts[good]++;
        hop_graph_release(graph);
        plain_free(&g);
    }
    assert_true(verdicts[0] > 20 && verdicts[1] > 20);
    free_context(context);
}

/* A row that a negative cycle makes meaningless, though the cycle is lost in rounding. */
static void negative_cycles_below_rounding_are_found(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const double to[] = {1e9, 0, 3}, back[] = {-1e-9, 0, -1e-9};
    for (int i = 0; i < 3; i++) {
        plain_graph g = plain_make(3, true, HOP_TYPE_FLOAT64, 4);
        plain_arc(&g, 1, to[i]);
        plain_end_row(&g, 0);
        plain_arc(&g, 2, 0);
        plain_end_row(&g, 1);
        plain_arc(&g, 0, 7);
        plain_arc(&g, 1, back[i]);
        plain_end_row(&g, 2);
        hop_graph *graph = plain_borrow(context, &g);
        double row[] = {0, to[i], to[i]};
        hop_status right = back[i] < 0 ? HOP_ERR_CERTIFICATE : HOP_OK;
        assert_int_equal(
            hop_apsp_certify(context, graph, NULL, 0, 1, GIVEN_ROWS(graph, NULL, 1, row)), right);
        if (i == 0)
            assert_says(context, "there is a negative cycle");
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* Sums beyond the type are infinite; what is within rounding of that is accepted, no more. */
static void overflow_is_within_rounding_of_the_largest(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    plain_graph g = plain_make(3, true, HOP_TYPE_FLOAT32, 2);
    plain_arc(&g, 1, (double)FLT_MAX * 0.75);
    plain_end_row(&g, 0);
    plain_arc(&g, 2, (double)FLT_MAX * 0.75);
    plain_end_row(&g, 1);
    plain_end_row(&g, 2);
    hop_graph *graph = plain_borrow(context, &g);
    const struct {
        float far;
        hop_status status;
    } cases[] = {{(float)HUGE_VAL, HOP_OK},
                 {FLT_MAX, HOP_OK},
                 {FLT_MAX * (1 - 3 * FLT_EPSILON), HOP_ERR_CERTIFICATE},
                 {FLT_MAX * 0.75F, HOP_ERR_CERTIFICATE},
                 {(float)NAN, HOP_ERR_CERTIFICATE},
                 {-FLT_MAX, HOP_ERR_CERTIFICATE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float row[] = {0, FLT_MAX * 0.75F, cases[i].far};
        assert_int_equal(
            hop_apsp_certify(context, graph, NULL, 0, 1, GIVEN_ROWS(graph, NULL, 1, row)),
            cases[i].status);
    }
    float row[] = {0, (float)HUGE_VAL, (float)HUGE_VAL};
    assert_int_equal(hop_apsp_certify(context, graph, NULL, 0, 1, GIVEN_ROWS(graph, NULL, 1, row)),
                     HOP_ERR_CERTIFICATE);
    assert_says(context, "a path over 0 has length");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* Entry `k` of a matrix set to something wrong, `kind` of five; false when it would be right. */
static bool corrupt(hop_weight_type type, void *matrix, uint32_t n, size_t k, uint32_t kind) {
    double right = as_double(type, matrix, k);
    double values[] = {right + 1, right - 1, 0, HUGE_VAL,
                       (double)(hop__random_at(8, 2, k + kind) % n)};
    if (is_real(type) && kind == 4) /* a little more than the tolerance, either way */
        values[4] =
            right * (1 + (k % 2 ? 1.01 : -1.01) * n *
                             (type == HOP_TYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON));
    put(type, matrix, k, values[kind]);
    return as_double(type, matrix, k) != right;
}

/* 10,000 in a graph of 10^5 arcs, for each type of distances. */
static void random_corruptions_of_a_large_graph(void **state) {
    static const struct {
        const char *solver;
        hop_weight_type weights, distances;
        double low, step;
    } cases[] = {
        {"floyd-warshall", HOP_TYPE_INT32, HOP_TYPE_INT64, 0, 1},
        {"floyd-warshall", HOP_TYPE_INT32, HOP_TYPE_INT32, 0, 1},
        {"floyd-warshall", HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT32, 0, 0.1},
        {"floyd-warshall", HOP_TYPE_FLOAT64, HOP_TYPE_FLOAT64, 0, 0.1},
        {"bellman-ford", HOP_TYPE_FLOAT64, HOP_TYPE_FLOAT64, -1e-4, 0.1},
    };
    (void)state;
    hop_context *context = make_context(1);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint32_t n = SMALLER_TESTS ? 220 : 500, rejected = 0;
        hop_weight_type out = cases[c].distances;
        plain_graph g =
            plain_random(n, 200, true, cases[c].weights, cases[c].low, 1000, cases[c].step, 5);
        hop_graph *graph = plain_borrow(context, &g);
        void *matrix = malloc((size_t)n * n * 8);
        asked a;
        ask(&a, cases[c].solver, out, HOP_CERTIFY_CANONICAL);
        assert_int_equal(hop_graph_arcs(graph), 200 * n);
        if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        for (uint32_t i = 0; rejected < (SMALLER_TESTS ? 300 : 10000); i++) {
            size_t k = hop__random_at(8, 1, i) % ((size_t)n * n);
            char kept[8];
            memcpy(kept, (char *)matrix + k * distance_size(out), distance_size(out));
            if (corrupt(out, matrix, n, k, i % 5)) {
                hop_status status = certify_row(context, graph, &a, (uint32_t)(k / n), matrix);
                if (status != HOP_ERR_CERTIFICATE)
                    fail_msg("case %zu, corruption %u: %d", c, i, (int)status);
                rejected++;
            }
            memcpy((char *)matrix + k * distance_size(out), kept, distance_size(out));
        }
        assert_int_equal(hop_apsp_certify(context, graph, &a.options, 0, n,
                                          GIVEN_ROWS(graph, &a.options, n, matrix)),
                         HOP_OK);
        free(matrix);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* With certify_rows only so many are looked at, which ones depends on the seed alone. */
static void rows_are_drawn(void **state) {
    (void)state;
    plain_graph g = plain_random(40, 3, false, HOP_TYPE_INT32, 0, 9, 1, 2);
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
            ask(&a, "dijkstra", HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
            a.options.certify_rows = 7;
            assert_int_equal(
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
                HOP_OK);
            matrix[bad * 40 + bad]++;
            found[seed] +=
                hop_apsp_certify(context, graph, &a.options, 0, 40,
                                 GIVEN_ROWS(graph, &a.options, 40, matrix)) == HOP_ERR_CERTIFICATE;
            a.options.certify_rows = 40;
            assert_int_equal(hop_apsp_certify(context, graph, &a.options, 0, 40,
                                              GIVEN_ROWS(graph, &a.options, 40, matrix)),
                             HOP_ERR_CERTIFICATE);
            hop_graph_release(graph);
            free_context(context);
        }
    assert_int_equal(found[0], 7);
    assert_int_equal(found[1], 7);
    plain_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_entry_is_rejected),
        cmocka_unit_test(zero_cycles_do_not_support_themselves),
        cmocka_unit_test(tolerance_is_as_stated),
        cmocka_unit_test(moved_rows_are_judged_one_by_one),
        cmocka_unit_test(negative_cycles_below_rounding_are_found),
        cmocka_unit_test(overflow_is_within_rounding_of_the_largest),
        cmocka_unit_test(random_corruptions_of_a_large_graph),
        cmocka_unit_test(rows_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
