/* SPDX-License-Identifier: Apache-2.0
 * The nearest vertices: the order, what is left out, all types, and wrong arguments. */
#include <math.h>

#include "bfs/bfs_testing.h"

enum { N = 9 };

static void assert_nearest(hop_context *context, const hop_view *found, hop_vertex room,
                           const hop_vertex *expected, hop_vertex count) {
    const hop_vertex sources[] = {4, 4};
    hop_vertex vertices[N + 1], listed = 99;
    for (hop_vertex i = 0; i <= N; i++)
        vertices[i] = 77;
    assert_int_equal(hop_nearest(context, found, sources, 2, vertices, room, &listed), HOP_OK);
    assert_int_equal(listed, count);
    for (hop_vertex i = 0; i < count; i++)
        assert_int_equal(vertices[i], expected[i]);
    assert_int_equal(vertices[count], 77); /* not touched */
}

static void every_type_has_the_same_order(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const uint32_t levels[N] = {3, 1, HOP_NO_LEVEL, 2, 0, 2, 1, 0, 5};
    const int64_t whole[N] = {30, -1, HOP_NO_DISTANCE, 20, 0, 20, -1, INT64_MIN, 1L << 60};
    const double real[N] = {.5, -1, HUGE_VAL, .25, 0, .25, -1, -HUGE_VAL, 1e300};
    float small[N];
    for (int i = 0; i < N; i++)
        small[i] = i == 8 ? 1e30f : (float)real[i];
    const hop_vertex expected[] = {7, 1, 6, 3, 5, 0, 8};
    const hop_view views[] = {{levels, N, HOP_TYPE_UINT32},
                              {whole, N, HOP_TYPE_INT64},
                              {small, N, HOP_TYPE_FLOAT32},
                              {real, N, HOP_TYPE_FLOAT64}};
    for (int i = 0; i < 4; i++)
        for (hop_vertex room = 0; room <= N; room++)
            assert_nearest(context, &views[i], room, expected, room < 7 ? room : 7);
    free_context(context);
}

static void zeros_of_both_signs_are_equal(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const double real[N] = {0.0, -0.0, NAN, 0.0, 0, -0.0, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    const hop_vertex expected[] = {0, 1, 3, 5};
    assert_nearest(context, &(hop_view){real, N, HOP_TYPE_FLOAT64}, N, expected, 4);
    free_context(context);
}

/* Against counting: vertex v comes at the place of how many are nearer. */
static void many_random_values(void **state) {
    (void)state;
    enum { MANY = 3000 };
    hop_context *context = make_context(1);
    uint32_t levels[MANY], random = 5;
    hop_vertex vertices[MANY], listed, source = 17;
    for (unsigned spread = 1; spread < 4000; spread *= 7) {
        for (unsigned v = 0; v < MANY; v++) {
            random = random * 1664525 + 1013904223;
            levels[v] = random >> 8;
            levels[v] = levels[v] % 11 == 0 ? HOP_NO_LEVEL : levels[v] % spread;
        }
        for (hop_vertex room = 1; room <= MANY; room = room * 3 + 1) {
            assert_int_equal(
                hop_nearest(context, HOP_VIEW(levels, MANY), &source, 1, vertices, room, &listed),
                HOP_OK);
            for (hop_vertex i = 0; i < listed; i++) {
                hop_vertex v = vertices[i], nearer = 0;
                assert_true(v != source && levels[v] != HOP_NO_LEVEL);
                for (hop_vertex u = 0; u < MANY; u++)
                    nearer +=
                        u != source && (levels[u] < levels[v] || (levels[u] == levels[v] && u < v));
                assert_int_equal(nearer, i);
            }
        }
    }
    free_context(context);
}

static void wrong_arguments(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint32_t levels[3] = {0, 1, 2};
    int32_t others[3] = {0, 1, 2};
    const hop_vertex beyond = 3;
    hop_vertex vertices[3], count = 7;
    const hop_view *found = HOP_VIEW(levels, 3);
    assert_int_equal(hop_nearest(NULL, found, NULL, 0, vertices, 3, &count), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_nearest(context, NULL, NULL, 0, vertices, 3, &count), HOP_ERR_ARGUMENT);
    assert_int_equal(count, 0);
    assert_int_equal(hop_nearest(context, found, NULL, 0, NULL, 3, &count), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_nearest(context, found, NULL, 1, vertices, 3, &count), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_nearest(context, found, NULL, 0, vertices, 3, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_nearest(context, found, &beyond, 1, vertices, 3, &count),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "nearest: source 0 is vertex 3, but there are only 3");
    assert_int_equal(hop_nearest(context, HOP_VIEW(others, 3), NULL, 0, vertices, 3, &count),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "nearest: values of type int32, expected levels (uint32) or distances");
    assert_int_equal(hop_context_memory_used(context), 0);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_the_same_order),
        cmocka_unit_test(zeros_of_both_signs_are_equal),
        cmocka_unit_test(many_random_values),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
