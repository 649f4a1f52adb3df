/* SPDX-License-Identifier: Apache-2.0
 * Edges as arrays of NumPy: every type, order and shape gives the same graph; what is wrong is said
 * with its row. */
#include <math.h>

#include "io/text_testing.h"

typedef struct array_text {
    unsigned char bytes[4096];
    size_t count;
} array_text;

/* An array with the items' bytes as they are. */
static array_text make_array(const char *type, bool fortran, const char *shape, const void *items,
                             size_t bytes) {
    array_text out = {.count = 128 + bytes};
    char header[128];
    int used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
                 fortran ? "True" : "False", shape);
    memset(out.bytes, ' ', 128);
    memcpy(out.bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(out.bytes + 10, header, (size_t)used);
    out.bytes[127] = '\n';
    memcpy(out.bytes + 128, items, bytes);
    return out;
}

static void assert_array(const array_text *array, const char *expected) {
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    hop_read_options options = HOP_READ_OPTIONS_INIT; /* the format is seen */
    if (hop_graph_read_memory(context, "f", array->bytes, array->count, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_graph_text(graph, expected);
    hop_graph_release(graph);
    free_context(context);
}

static void assert_wrong(const array_text *array, const char *message) {
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    assert_int_equal(
        hop_graph_read_memory(context, "f", array->bytes, array->count, &options, &graph),
        HOP_ERR_INPUT);
    assert_message(context, message);
    free_context(context);
}

#define ARRAY(type, fortran, shape, items) make_array(type, fortran, shape, items, sizeof(items))

static void test_types_and_orders(void **state) {
    (void)state;
    static const char expected[] = "3 undirected none: 1>2 2>7";
    const int64_t wide[] = {1, 2, 2, 7};
    const int32_t narrow[] = {1, 2, 2, 7};
    const uint8_t bytes[] = {1, 2, 2, 7};
    const uint16_t swapped[] = {0x100, 0x200, 0x200, 0x700};
    const double reals[] = {1, 2, 2, 7};
    const float singles[] = {1, 2, 2, 7};
    const uint32_t columns[] = {1, 2, 2, 7}; /* the same either way */
    const array_text arrays[] = {
        ARRAY("<i8", false, "(2, 2)", wide),   ARRAY("<i4", false, "(2, 2)", narrow),
        ARRAY("|u1", false, "(2, 2)", bytes),  ARRAY(">u2", false, "(2, 2)", swapped),
        ARRAY("<f8", false, "(2, 2)", reals),  ARRAY("<f4", false, "(2, 2)", singles),
        ARRAY("<u4", true, "(2, 2)", columns),
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        assert_array(&arrays[i], expected);
}

static void test_shapes(void **state) {
    (void)state;
    static const char expected[] = "5 undirected none: 0>1 1>2 2>3 3>4";
    const int64_t rows[] = {0, 1, 1, 2, 2, 3, 3, 4}, apart[] = {0, 1, 2, 3, 1, 2, 3, 4};
    array_text array = ARRAY("<i8", false, "(4, 2)", rows);
    assert_array(&array, expected);
    array = ARRAY("<i8", true, "(4, 2)", apart);
    assert_array(&array, expected);
    array = ARRAY("<i8", false, "(2, 4)", apart);
    assert_array(&array, expected);
    array = ARRAY("<i8", true, "(2, 4)", rows);
    assert_array(&array, expected);
    array = make_array("<i8", false, "(0, 2)", "", 0);
    assert_array(&array, "0 undirected none:");
}

static void test_weights(void **state) {
    (void)state;
    const int32_t narrow[] = {1, 2, -5, 2, 3, 6};
    const int64_t wide[] = {1, 2, -5, 2, 3, 6};
    const uint32_t natural[] = {1, 2, 4294967295u, 2, 3, 6};
    const float singles[] = {1, 2, 0.5f, 2, 3, 6};
    const double reals[] = {1, 2, 0.25, 2, 3, HUGE_VAL};
    array_text array = ARRAY("<i4", false, "(2, 3)", narrow);
    assert_array(&array, "3 undirected int32: 1>2=-5 2>3=6");
    array = ARRAY("<i8", false, "(2, 3)", wide);
    assert_array(&array, "3 undirected int64: 1>2=-5 2>3=6");
    array = ARRAY("<u4", false, "(2, 3)", natural);
    assert_array(&array, "3 undirected int64: 1>2=4.29497e+09 2>3=6");
    array = ARRAY("<f4", false, "(2, 3)", singles);
    assert_array(&array, "3 undirected float32: 1>2=0.5 2>3=6");
    array = ARRAY("<f8", false, "(2, 3)", reals);
    assert_array(&array, "3 undirected float64: 1>2=0.25 2>3=inf");
}

static void test_large_ids(void **state) {
    (void)state;
    const uint64_t ids[] = {UINT64_MAX, 5, 5, UINT64_C(1) << 32};
    array_text array = ARRAY("<u8", false, "(2, 2)", ids);
    assert_array(&array, "3 undirected none: 5>4294967296 5>18446744073709551615");
}

static void test_what_is_refused(void **state) {
    (void)state;
    const int64_t negative[] = {1, 2, 3, -7};
    const double half[] = {1, 2, 3.5, 4}, nan_id[] = {1, NAN, 3, 4}, large[] = {1, 0x1p53, 3, 4};
    const double nan_weight[] = {1, 2, 1, 3, 4, NAN};
    const uint64_t heavy[] = {1, 2, UINT64_MAX, 3, 4, 1};
    const int32_t six[] = {1, 2, 3, 4, 5, 6};
    array_text array = ARRAY("<i8", false, "(2, 2)", negative);
    assert_wrong(&array, "f: byte 152: row 1, column 1: -7, expected a vertex id");
    array = ARRAY("<f8", false, "(2, 2)", half);
    assert_wrong(&array, "row 1, column 0: 3.5, expected a vertex id (a whole number from 0 up)");
    array = ARRAY("<f8", false, "(2, 2)", nan_id);
    assert_wrong(&array, "row 0, column 1: nan");
    array = ARRAY("<f8", false, "(2, 2)", large);
    assert_wrong(&array, "row 0, column 1: 9007199254740992");
    array = ARRAY("<f8", true, "(2, 2)", half);
    assert_wrong(&array, "row 0, column 1: 3.5");
    array = ARRAY("<f8", false, "(2, 3)", nan_weight);
    assert_wrong(&array, "row 1, column 2: nan, expected a weight");
    array = ARRAY("<u8", false, "(2, 3)", heavy);
    assert_wrong(&array, "row 0, column 2: 18446744073709551615, expected a weight");
    array = ARRAY("<i4", false, "(6,)", six);
    assert_wrong(&array, "an array of 1 dimension; edges are n x 2, or n x 3 with weights");
    array = ARRAY("<i4", false, "(6, 1)", six);
    assert_wrong(&array, "an array of 6 x 1 items; edges are n x 2");
    array = make_array("|S6", false, "(2, 2)", six, sizeof six);
    assert_wrong(&array, "items of type |S6, expected integers, float32 or float64");
    array = ARRAY("<i4", false, "(3, 2)", six);
    array.count--;
    assert_wrong(&array, "f: byte 0: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_orders), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_weights),          cmocka_unit_test(test_large_ids),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
