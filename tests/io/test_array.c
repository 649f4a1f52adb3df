/* SPDX-License-Identifier: Apache-2.0
 * Arrays and tables: what is written is read again, and what is refused. */
#include <math.h>

#include "io/binary_testing.h"
#include "io/results/result_table.h"

static const unsigned char items[64] = {1, 2, 3, 250, 251, 252, 253, 254, 255};

static hop_status append(hop_context *context, hop_array_writer *writer, hop_type type,
                         const unsigned char *from, uint64_t count) {
    return hop_array_append(context, writer, &(hop_view){from, count, type});
}

static void write_array(hop_context *context, const char *path, const hop_array *array) {
    hop_array_writer *writer = NULL;
    uint64_t count = array->rows * array->columns;
    size_t bytes = hop_type_size(array->type);
    assert_int_equal(hop_array_create(context, path, array, &writer), HOP_OK);
    /* In two pieces. */
    assert_int_equal(append(context, writer, array->type, items, count / 2), HOP_OK);
    assert_int_equal(
        append(context, writer, array->type, items + count / 2 * bytes, count - count / 2), HOP_OK);
    assert_int_equal(append(context, writer, array->type, items, 1), HOP_ERR_ARGUMENT);
    hop_type other = array->type == HOP_TYPE_INT64 ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
    assert_int_equal(append(context, writer, other, items, 0), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_array_close(context, writer, HOP_OK), HOP_OK);
}

static void test_array_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (hop_type type = HOP_TYPE_INT32; type <= HOP_TYPE_UINT64; type++)
        for (unsigned way = 0; way < 6; way++) {
            const char *path = temporary(way % 2 == 0 ? "a.npy" : "a.npy.gz");
            hop_array array = HOP_ARRAY_INIT;
            hop_array_file *file = NULL;
            array.type = type;
            array.dimensions = way < 2 ? 1 : 2;
            array.rows = way < 4 ? 3 : 0;
            array.columns = way < 2 ? 1 : 2;
            write_array(context, path, &array);
            assert_int_equal(hop_array_read(context, path, NULL, &file), HOP_OK);
            const hop_array *back = hop_array_file_array(file);
            assert_int_equal(back->type, type);
            assert_int_equal(back->dimensions, array.dimensions);
            assert_int_equal(back->rows, array.rows);
            assert_int_equal(back->columns, array.columns);
            if (array.rows > 0)
                assert_memory_equal(back->items, items,
                                    array.rows * array.columns * hop_type_size(type));
            hop_array_file_free(file);
        }
    free_context(context);
}

/* A writer that is not complete, or is closed with an error, leaves the old file. */
static void test_array_is_whole_or_not_there(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_array array = HOP_ARRAY_INIT;
    hop_array_writer *writer = NULL;
    const char *path = temporary("half.npy");
    array.rows = 4;
    assert_int_equal(hop_array_create(context, path, &array, &writer), HOP_OK);
    assert_int_equal(append(context, writer, array.type, NULL, 3), HOP_ERR_ARGUMENT);
    assert_int_equal(append(context, writer, array.type, NULL, 0), HOP_OK);
    assert_int_equal(append(context, writer, array.type, items, 3), HOP_OK);
    assert_int_equal(hop_array_close(context, writer, HOP_OK), HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "3 of 4 items"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(hop_array_create(context, path, &array, &writer), HOP_OK);
    assert_int_equal(append(context, writer, array.type, items, 4), HOP_OK);
    assert_int_equal(hop_array_close(context, writer, HOP_ERR_CANCELLED), HOP_ERR_CANCELLED);
    assert_int_not_equal(access(path, F_OK), 0);
    array.dimensions = 3;
    assert_int_equal(hop_array_create(context, path, &array, &writer), HOP_ERR_ARGUMENT);
    assert_null(writer);
    array.dimensions = 2;
    array.rows = array.columns = UINT64_C(1) << 32;
    assert_int_equal(hop_array_create(context, path, &array, &writer), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_array_close(context, NULL, HOP_OK), HOP_OK);
    free_context(context);
}

static void assert_array_refused(hop_context *context, const char *header, const char *says) {
    const char *path = temporary("bad.npy");
    unsigned char file[256] = "\x93NUMPY\x01\x00\x76\x00";
    hop_array_file *result = NULL;
    memset(file + 10, ' ', 118);
    memcpy(file + 10, header, strlen(header));
    file[127] = '\n';
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(file, 1, 128 + 32, out), 128 + 32);
    fclose(out);
    assert_int_equal(hop_array_read(context, path, NULL, &result), HOP_ERR_INPUT);
    assert_null(result);
    if (strstr(hop_context_message(context), says) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", says, hop_context_message(context));
}

static void test_arrays_that_are_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    assert_array_refused(context, "{'descr': '>i4', 'fortran_order': False, 'shape': (8,), }",
                         "little-endian");
    assert_array_refused(context, "{'descr': '<i2', 'fortran_order': False, 'shape': (16,), }",
                         "<i2");
    assert_array_refused(context, "{'descr': '<c8', 'fortran_order': False, 'shape': (4,), }",
                         "<c8");
    assert_array_refused(context, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }",
                         "Fortran");
    assert_array_refused(context, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }",
                         "does not match");
    free_context(context);
}

/* ---- tables -------------------------------------------------------------------------------- */

static void put_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

static void test_table_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    enum { ROWS = 40000 };
    static uint64_t labels[ROWS];
    static uint32_t parents[ROWS];
    static int64_t distances[ROWS];
    static double reals[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        labels[i] = (uint64_t)i * 1000003 + (i > 5 ? UINT64_C(1) << 63 : 0);
        parents[i] = i % 7 == 0 ? UINT32_MAX : i / 2;
        distances[i] = i % 5 == 0 ? INT64_MAX : (int64_t)i * (i % 2 == 0 ? -1 : 1) * 1234567890123;
        reals[i] = i % 11 == 0 ? HUGE_VAL : (double)i / 3 * (i % 2 == 0 ? -1e200 : 1e-30);
    }
    const hop__result_column columns[] = {
        {.name = "vertex", .type = HOP_TYPE_UINT64, .items = labels},
        {.name = "parent", .type = HOP_TYPE_UINT32, .items = parents, .missing = "-1"},
        {.name = "distance", .type = HOP_TYPE_INT64, .items = distances, .missing = "inf"},
        {.name = "real", .type = HOP_TYPE_FLOAT64, .items = reals}};
    static const char *const names[] = {"t.txt", "t.txt.gz", "t.csv"};
    for (size_t way = 0; way < 3; way++) {
        hop__result_table *table = NULL;
        const char *path = temporary(names[way]);
        assert_int_equal(hop__result_table_write(context, path, columns, 4, ROWS), HOP_OK);
        if (hop__result_table_read(context, path, NULL, &table) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_int_equal(hop__result_table_rows(table), ROWS);
        assert_int_equal(hop__result_table_columns(table), 4);
        for (size_t c = 0; c < 4; c++)
            assert_string_equal(hop__result_table_name(table, c), columns[c].name);
        assert_int_equal(hop__result_table_type(table, 0), HOP_TYPE_UINT64);
        assert_int_equal(hop__result_table_type(table, 2), HOP_TYPE_INT64);
        assert_int_equal(hop__result_table_type(table, 3), HOP_TYPE_FLOAT64);
        assert_memory_equal(hop__result_table_items(table, 0), labels, sizeof labels);
        assert_memory_equal(hop__result_table_items(table, 2), distances, sizeof distances);
        assert_memory_equal(hop__result_table_items(table, 3), reals, sizeof reals);
        const int64_t *back = hop__result_table_items(table, 1);
        for (size_t i = 0; i < ROWS; i++)
            assert_int_equal(back[i], parents[i] == UINT32_MAX ? -1 : (int64_t)parents[i]);
        hop__result_table_free(table);
    }
    free_context(context);
}

static void test_table_of_labels(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const uint64_t labels[] = {10, 20, 300};
    const uint32_t parents[] = {0, 2, UINT32_MAX};
    const hop__result_column columns[] = {
        {.name = "vertex", .type = HOP_TYPE_UINT32, .labels = labels},
        {.name = "parent",
         .type = HOP_TYPE_UINT32,
         .items = parents,
         .labels = labels,
         .missing = "-1"}};
    char text[64] = {0};
    const char *path = temporary("labels.txt");
    assert_int_equal(hop__result_table_write(context, path, columns, 2, 3), HOP_OK);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 36);
    fclose(file);
    assert_string_equal(text, "# vertex\tparent\n10\t10\n20\t300\n300\t-1\n");
    assert_int_equal(hop__result_table_write(context, path, columns, 0, 3), HOP_ERR_ARGUMENT);
    assert_int_equal(hop__result_table_write(context, path, columns, 9, 3), HOP_ERR_ARGUMENT);
    free_context(context);
}

static void test_texts_that_are_no_tables(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"1 2\n3 4 5\n", ":2: more than 2 numbers"},
        {"1 2\n3\n", ":2: 1 numbers found, 2 expected"},
        {"e\n,", ":2: no number found, only separators"},
        {"1 2\n3 banana\n", ":2: \"banana\" found"},
        {"1 nan\n", ":1: \"nan\" found"},
        {"1 2\n# fine\n3 4x\n", ":3: \"4x\" found"},
        {"1 1e999\n", ":1: "},
        {"-1\n18446744073709551615\n", ":2: column 1"},
        {"99999999999999999999\n", ":1: column 1"},
        {"1 2 3 4 5 6 7 8 9\n", ":1: more than 8"},
    };
    hop_context *context = make_context(1);
    const char *path = temporary("bad.txt");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hop__result_table *table = NULL;
        put_text(path, texts[i][0]);
        assert_int_equal(hop__result_table_read(context, path, NULL, &table), HOP_ERR_INPUT);
        assert_null(table);
        if (strstr(hop_context_message(context), texts[i][1]) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", texts[i][1], hop_context_message(context));
    }
    assert_int_equal(hop_context_memory_used(context), 0);
    free_context(context);
}

static void test_tables_of_others(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const char *path = temporary("other.txt");
    hop__result_table *table = NULL;
    put_text(path, "\n 1,2.5\r\n2, inf \n\n% note\n3,4\n");
    assert_int_equal(hop__result_table_read(context, path, NULL, &table), HOP_OK);
    assert_int_equal(hop__result_table_rows(table), 3);
    assert_null(hop__result_table_name(table, 0));
    const double *reals = hop__result_table_items(table, 1);
    assert_true(reals[0] == 2.5 && reals[1] == HUGE_VAL && reals[2] == 4);
    hop__result_table_free(table);
    put_text(path, "# a sentence of more words than columns\n1 inf\n2 3\n");
    assert_int_equal(hop__result_table_read(context, path, NULL, &table), HOP_OK);
    assert_null(hop__result_table_name(table, 0));
    const int64_t *integers = hop__result_table_items(table, 1);
    assert_true(integers[0] == INT64_MAX && integers[1] == 3);
    hop__result_table_free(table);
    put_text(path, "");
    assert_int_equal(hop__result_table_read(context, path, NULL, &table), HOP_OK);
    assert_int_equal(hop__result_table_rows(table), 0);
    hop__result_table_free(table);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array_round_trip),
        cmocka_unit_test(test_array_is_whole_or_not_there),
        cmocka_unit_test(test_arrays_that_are_refused),
        cmocka_unit_test(test_table_round_trip),
        cmocka_unit_test(test_table_of_labels),
        cmocka_unit_test(test_texts_that_are_no_tables),
        cmocka_unit_test(test_tables_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
