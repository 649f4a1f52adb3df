/* SPDX-License-Identifier: Apache-2.0
 * The variant `blocked`: every level of instructions and number of threads gives the same bits, for
 * sizes around those of tiles, blocks and chunks; integers those of floyd-warshall. */
#include "apsp/apsp_testing.h"

#include "core/cpu.h"
#include "span_testing.h"

/* Distances by a variant at a level. */
static void *solve(const plain_graph *g, hop_weight_type out, const char *variant,
                   hop__cpu_level level, unsigned threads) {
    hop_context *context = make_context(threads);
    hop_graph *graph = plain_borrow(context, g);
    void *matrix = malloc((size_t)g->n * g->n * 8 + 1);
    asked a;
    ask(&a, variant, out, threads == 1 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
    a.options.certify_rows = 20;
    assert_int_equal(setenv("HOPLITE_CPU", hop__cpu_name(level), 1), 0);
    hop_status status =
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
    assert_int_equal(unsetenv("HOPLITE_CPU"), 0);
    if (status != HOP_OK)
        fail_msg("%s at %s, %u threads, %u vertices, %s: %s", variant, hop__cpu_name(level),
                 threads, g->n, hop_type_name(out), hop_context_message(context));
    hop_graph_release(graph);
    free_context(context);
    return matrix;
}

static void compare(const plain_graph *g, hop_weight_type out, const void *right, const char *what,
                    hop__cpu_level level, unsigned threads) {
    size_t size = distance_size(out);
    void *matrix = solve(g, out, "blocked", level, threads);
    for (size_t i = 0; i < (size_t)g->n * g->n; i++)
        if (memcmp((const char *)matrix + i * size, (const char *)right + i * size, size) != 0)
            fail_msg("%s, %u vertices, %s, %u threads: from %zu to %zu: %.17g, %s %.17g",
                     hop_type_name(out), g->n, hop__cpu_name(level), threads, i / g->n, i % g->n,
                     as_double(out, matrix, i), what, as_double(out, right, i));
    free(matrix);
}

/* Sparse, so that much is unreached; integers with potentials, so that some weights are negative
 * and no cycle is. */
static plain_graph graph_of(uint32_t n, hop_weight_type type, bool negative) {
    plain_graph g = plain_random(n, n < 4 ? 4 : 3, true, type, 0, 900, is_real(type) ? 0.1 : 1, n);
    for (uint32_t u = 0; u < n && negative; u++)
        for (uint32_t i = g.offsets[u]; i < g.offsets[u + 1]; i++)
            plain_set(&g, i,
                      (double)plain_integer(&g, i) + (double)(hop__random_at(3, 1, u) % 500) -
                          (double)(hop__random_at(3, 1, g.targets[i]) % 500));
    return g;
}

static void levels_and_threads_give_the_same_bits(void **state) {
    static const uint32_t sizes[] = {1, 2, 5, 63, 64, 65, 129, 256, 257, 300, 515};
    static const struct {
        hop_weight_type weights, distances;
        bool negative;
    } cases[] = {
        {HOP_TYPE_INT32, HOP_TYPE_INT32, true},      {HOP_TYPE_INT32, HOP_TYPE_INT64, true},
        {HOP_TYPE_INT64, HOP_TYPE_INT64, false},     {HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT32, false},
        {HOP_TYPE_FLOAT64, HOP_TYPE_FLOAT64, false},
    };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            hop_weight_type out = cases[c].distances;
            if (SMALLER_TESTS && (sizes[s] > 300 || (s + c) % 3 > 0))
                continue;
            plain_graph g = graph_of(sizes[s], cases[c].weights, cases[c].negative);
            if (cases[c].weights == HOP_TYPE_INT64) /* more than 32 bits hold */
                for (uint32_t i = 0; i < g.arcs; i++)
                    ((int64_t *)g.weights)[i] <<= 30;
            void *reference =
                solve(&g, out, is_real(out) ? "blocked" : "floyd-warshall", HOP__CPU_PLAIN, 1);
            for (int level = 0; level < HOP__CPU_LEVELS; level++)
                for (unsigned threads = 1; threads <= 3; threads += 2)
                    compare(&g, out, reference, is_real(out) ? "plain" : "floyd-warshall",
                            (hop__cpu_level)level, threads);
            free(reference);
            plain_free(&g);
        }
}

/* On whole blocks: with many threads, again and again. */
static void races_do_not_show(void **state) {
    (void)state;
    plain_graph g = graph_of(SMALLER_TESTS ? 520 : 780, HOP_TYPE_FLOAT32, false);
    void *reference = solve(&g, HOP_TYPE_FLOAT32, "blocked", HOP__CPU_AVX512, 1);
    for (unsigned i = 0; i < (SMALLER_TESTS ? 3 : 30); i++)
        compare(&g, HOP_TYPE_FLOAT32, reference, "one thread", HOP__CPU_AVX512, 2 + i % 7);
    free(reference);
    plain_free(&g);
}

/* A quarter of the type is the limit; one below it, the largest distances come out right. */
static void integers_up_to_the_limit(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        hop_weight_type out = wide ? HOP_TYPE_INT64 : HOP_TYPE_INT32;
        int64_t limit = (wide ? INT64_MAX : INT32_MAX) / 4;
        for (int64_t heavy = limit / 2 - 1; heavy <= limit / 2 + 1; heavy++) {
            hop_context *context = make_context(1);
            plain_graph g = plain_make(3, true, HOP_TYPE_INT64, 4);
            plain_arc(&g, 1, 0);
            ((int64_t *)g.weights)[0] = heavy;
            plain_end_row(&g, 0);
            plain_arc(&g, 2, 0);
            ((int64_t *)g.weights)[1] = heavy;
            plain_end_row(&g, 1);
            plain_end_row(&g, 2);
            hop_graph *graph = plain_borrow(context, &g);
            int64_t matrix[9];
            asked a;
            ask(&a, "blocked", out, HOP_CERTIFY_CANONICAL);
            hop_status status =
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
            if (2 * heavy < limit)
                assert_int_equal(status, HOP_OK);
            else
                assert_int_equal(status, HOP_ERR_UNSUPPORTED);
            if (status == HOP_OK)
                assert_true(as_double(out, matrix, 2) == (double)(2 * heavy));
            else
                assert_says(context, "a quarter of what");
            hop_graph_release(graph);
            plain_free(&g);
            free_context(context);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_threads_give_the_same_bits),
        cmocka_unit_test(races_do_not_show),
        cmocka_unit_test(integers_up_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
