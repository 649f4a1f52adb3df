/* SPDX-License-Identifier: Apache-2.0
 * Paths from rows of a matrix. */
#include "apsp/apsp_testing.h"
#include "span_testing.h"

/* Every path from every row: it begins and ends where it should, along arcs, and is as long as the
 * row says. */
static void check_paths(hop_context *context, const plain_graph *g, hop_graph *graph,
                        const char *solver, hop_weight_type type) {
    hop_weight_type out = type == HOP_TYPE_NONE && !is_real(g->type) ? HOP_TYPE_INT64
                          : type == HOP_TYPE_NONE                    ? g->type
                                                                     : type;
    uint32_t n = g->n;
    hop_vertex path[64], length;
    void *matrix = malloc((size_t)n * n * 8);
    asked a;
    ask(&a, solver, type, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL), HOP_OK);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++) {
            const char *row = (const char *)matrix + (size_t)s * n * distance_size(out);
            double right = as_double(out, row, t), sum = 0;
            if (hop_apsp_path(context, graph, &a.options, s, t,
                              GIVEN_ROWS(graph, &a.options, 1, row), path, 64, &length) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            if (out == HOP_TYPE_INT32   ? right == INT32_MAX
                : out == HOP_TYPE_INT64 ? right == (double)INT64_MAX
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
                assert_int_equal(hop_apsp_path(context, graph, &a.options, s, t,
                                               GIVEN_ROWS(graph, &a.options, 1, row), path,
                                               length - 1, &length),
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
        plain_graph g = plain_random(40, 3, true, HOP_TYPE_INT32, 0, 4, 1, 11);
        plain_graph h = plain_random(40, 3, false, HOP_TYPE_FLOAT32, 0, 100, 0.1, 12);
        plain_graph k = plain_random(40, 2, true, HOP_TYPE_FLOAT64, 0, 9, 1.0 / 3, 13);
        plain_graph *graphs[] = {&g, &h, &k};
        for (size_t i = 0; i < 3; i++) {
            hop_graph *graph = plain_borrow(context, graphs[i]);
            if (reverse)
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
            check_paths(context, graphs[i], graph, "floyd-warshall", HOP_TYPE_NONE);
            check_paths(context, graphs[i], graph, "dijkstra",
                        i == 0 ? HOP_TYPE_INT32 : HOP_TYPE_NONE);
            hop_graph_release(graph);
            plain_free(graphs[i]);
        }
    }
    free_context(context);
}

static void rows_that_are_none_have_no_paths(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    plain_graph g = plain_make(3, true, HOP_TYPE_INT32, 2);
    plain_arc(&g, 1, 4);
    plain_end_row(&g, 0);
    plain_arc(&g, 2, 4);
    plain_end_row(&g, 1);
    plain_end_row(&g, 2);
    hop_graph *graph = plain_borrow(context, &g);
    const int64_t good[] = {0, 4, 8}, wrong[] = {0, 4, 9}, other[] = {1, 5, 9};
    hop_vertex path[3], length = 7;
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, GIVEN_ROWS(graph, NULL, 1, good),
                                   path, 3, &length),
                     HOP_OK);
    assert_int_equal(length, 3);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, GIVEN_ROWS(graph, NULL, 1, good),
                                   NULL, 0, &length),
                     HOP_OK);
    assert_int_equal(length, 3);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, GIVEN_ROWS(graph, NULL, 1, wrong),
                                   path, 3, &length),
                     HOP_ERR_INPUT);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, GIVEN_ROWS(graph, NULL, 1, other),
                                   path, 3, &length),
                     HOP_ERR_INPUT);
    assert_says(context, "is it the row of 0?");
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 3, GIVEN_ROWS(graph, NULL, 1, good),
                                   path, 3, &length),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp_path(context, graph, NULL, 0, 2, NULL, path, 3, &length),
                     HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* An arc of infinite weight is on no path, and no sum that is too large. */
static void infinite_arcs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int type = HOP_TYPE_FLOAT32; type <= HOP_TYPE_FLOAT64; type++) {
        plain_graph g = plain_make(4, true, (hop_weight_type)type, 5);
        plain_arc(&g, 2, .1);
        plain_arc(&g, 3, HUGE_VAL);
        plain_end_row(&g, 0);
        plain_arc(&g, 3, .3);
        plain_end_row(&g, 1);
        plain_arc(&g, 1, .2);
        plain_arc(&g, 3, type == HOP_TYPE_FLOAT32 ? (double)FLT_MAX : DBL_MAX);
        plain_end_row(&g, 2);
        plain_end_row(&g, 3);
        hop_graph *graph = plain_borrow(context, &g);
        check_paths(context, &g, graph, "floyd-warshall", HOP_TYPE_NONE);
        check_paths(context, &g, graph, "dijkstra", HOP_TYPE_NONE);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_shortest),
        cmocka_unit_test(rows_that_are_none_have_no_paths),
        cmocka_unit_test(infinite_arcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
