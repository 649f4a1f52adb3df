/* SPDX-License-Identifier: Apache-2.0
 * Types of numbers, and that an array of another type or length is refused before it is written. */
#include "core/span.h"

#include <string.h>

#include "core/core_testing.h"
#include "hoplite/sssp.h"

static void types_have_sizes_and_names(void **state) {
    static const struct {
        hop_type type;
        size_t bytes;
        const char *name;
    } known[] = {{HOP_TYPE_NONE, 0, "none"},       {HOP_TYPE_INT32, 4, "int32"},
                 {HOP_TYPE_INT64, 8, "int64"},     {HOP_TYPE_FLOAT32, 4, "float32"},
                 {HOP_TYPE_FLOAT64, 8, "float64"}, {HOP_TYPE_UINT32, 4, "uint32"},
                 {HOP_TYPE_UINT64, 8, "uint64"},   {(hop_type)7, 0, "unknown"},
                 {(hop_type)-1, 0, "unknown"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(hop_type_size(known[i].type), known[i].bytes);
        assert_string_equal(hop_type_name(known[i].type), known[i].name);
    }
}

static void macros_take_the_type_from_the_pointer(void **state) {
    int32_t i32[3];
    const int64_t i64[2] = {0};
    float f32[1];
    double f64[1];
    uint32_t u32[1];
    uint64_t u64[1];
    (void)state;
    assert_int_equal(HOP_SPAN(i32, 3)->type, HOP_TYPE_INT32);
    assert_int_equal(HOP_SPAN(i32, 3)->count, 3);
    assert_ptr_equal(HOP_SPAN(&i32[1], 2)->items, i32 + 1);
    assert_int_equal(HOP_VIEW(i64, 2)->type, HOP_TYPE_INT64);
    assert_int_equal(HOP_VIEW(i32, 2)->type, HOP_TYPE_INT32);
    assert_int_equal(HOP_SPAN(f32, 1)->type, HOP_TYPE_FLOAT32);
    assert_int_equal(HOP_SPAN(f64, 1)->type, HOP_TYPE_FLOAT64);
    assert_int_equal(HOP_SPAN(u32, 1)->type, HOP_TYPE_UINT32);
    assert_int_equal(HOP_SPAN(u64, 1)->type, HOP_TYPE_UINT64);
}

/* A path 0 - 1 - 2 - 3 of the given weights. */
static hop_graph *path_of(hop_context *context, hop_weight_type type, const void *weights) {
    static const uint32_t ends[][2] = {{0, 1}, {1, 2}, {2, 3}};
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    edges.count = 3;
    edges.from = &ends[0][0];
    edges.to = &ends[0][1];
    edges.stride = sizeof ends[0];
    edges.weights = weights;
    edges.weight_type = type;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    return graph;
}

static void wrong_arrays_are_refused_and_left_alone(void **state) {
    static const int32_t weights[] = {5, 6, 7};
    static const float reals[] = {5, 6, 7};
    hop_context *context = make_context(1);
    hop_graph *graph = path_of(context, HOP_TYPE_INT32, weights);
    hop_graph *real = path_of(context, HOP_TYPE_FLOAT32, reals);
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    const hop_vertex source = 0;
    int64_t d[5] = {-7, -7, -7, -7, -7};
    hop_vertex parents[4] = {9, 9, 9, 9};
    (void)state;
    assert_int_equal(
        hop_sssp(context, graph, &source, 1, NULL, HOP_SPAN((int32_t *)d, 10), parents),
        HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "of type int32, but they are int64"));
    assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, HOP_SPAN(d, 3), parents),
                     HOP_ERR_ARGUMENT);
    assert_true(hop_context_detail(context, &detail));
    assert_int_equal(detail.kind, HOP_KIND_ARGUMENT);
    assert_int_equal(detail.needed, 4);
    assert_int_equal(detail.available, 3);
    assert_int_equal(hop_sssp(context, real, &source, 1, NULL, HOP_SPAN(d, 4), parents),
                     HOP_ERR_ARGUMENT);
    for (int v = 0; v < 4; v++) {
        assert_int_equal(d[v], -7);
        assert_int_equal(parents[v], 9);
    }
    assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, HOP_SPAN(d, 5), NULL), HOP_OK);
    assert_int_equal(d[3], 18);
    assert_int_equal(d[4], -7); /* a longer one is not filled */
    assert_int_equal(hop_sssp_certify(context, graph, &source, 1, NULL, HOP_VIEW(d, 4), NULL),
                     HOP_OK);
    assert_int_equal(hop_sssp_certify(context, graph, &source, 1, NULL, HOP_VIEW(d, 3), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, NULL, HOP_VIEW((double *)d, 4), NULL),
        HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    hop_graph_release(real);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_sizes_and_names),
        cmocka_unit_test(macros_take_the_type_from_the_pointer),
        cmocka_unit_test(wrong_arrays_are_refused_and_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
