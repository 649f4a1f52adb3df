/* SPDX-License-Identifier: Apache-2.0
 * Sparse matrices as scipy saves them: every type, deflated or not, and members that do not go
 * together. tests/io/test_scipy_npz.py reads files of scipy itself. */
#include "io/zip_testing.h"

#include "graph/graph_internal.h"

/* The matrix
 *     . 5 -1
 *     . .  .
 *     7 .  9   with the indices of the first row not sorted. */
static const int64_t indptr[] = {0, 2, 2, 4}, indices[] = {2, 1, 0, 2}, values[] = {-1, 5, 7, 9};
static const int64_t rows[] = {0, 0, 2, 2};
static const arc entries[] = {{0, 1, 0, 5}, {0, 2, 0, -1}, {2, 0, 0, 7}, {2, 2, 0, 9}};

typedef struct matrix {
    const char *format, *pointer_type, *index_type, *value_type;
    bool deflate;
    uint64_t shape[2];
    const int64_t *indptr, *indices, *values;
    uint64_t pointers, entries;
    unsigned leave_out; /* bit i: without member i */
    unsigned wrong_crc; /* bit i: member i has the checksum of something else */
} matrix;

static const matrix standard = {"csr",  "'<i4'", "'<i4'", "'<i4'", false, {3, 3},
                                indptr, indices, values,  4,       4,     0};

/* The integers in a NumPy type. */
static size_t encode(const char *type, const int64_t *items, size_t count, unsigned char *bytes) {
    size_t width = (size_t)(type[3] - '0'), used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)items[i];
        float single = (float)items[i];
        double twice = (double)items[i];
        if (type[2] == 'f' && width == 4) {
            uint32_t word;
            memcpy(&word, &single, 4);
            bits = word;
        } else if (type[2] == 'f') {
            memcpy(&bits, &twice, 8);
        }
        for (size_t j = 0; j < width; j++)
            bytes[used++] = (unsigned char)(bits >> 8 * (type[1] == '>' ? width - 1 - j : j));
    }
    return used;
}

static zip_item integers(const char *name, unsigned char *buffer, const char *type,
                         const int64_t *items, uint64_t count) {
    unsigned char bytes[1024];
    size_t used = encode(type, items, (size_t)count, bytes);
    return array_item(name, buffer, type, 1, count, bytes, used);
}

static file_bytes make_matrix(const matrix *from) {
    static unsigned char buffers[6][4096];
    zip_item items[6];
    size_t count = 0;
    bool coo = strcmp(from->format, "coo") == 0;
    const int64_t shape[] = {(int64_t)from->shape[0], (int64_t)from->shape[1]};
    zip_item all[] = {
        integers(coo ? "row.npy" : "indptr.npy", buffers[0], from->pointer_type, from->indptr,
                 from->pointers),
        integers(coo ? "col.npy" : "indices.npy", buffers[1], from->index_type, from->indices,
                 from->entries),
        array_item("format.npy", buffers[2], "'|S3'", 0, 1, from->format, 3),
        integers("shape.npy", buffers[3], "'<i8'", shape, 2),
        integers("data.npy", buffers[4], from->value_type, from->values, from->entries),
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (from->leave_out >> i & 1)
            continue;
        items[count] = all[i];
        items[count].deflate = from->deflate;
        items[count].crc = from->wrong_crc >> i & 1;
        items[count++].local_zip64 = true;
    }
    return make_zip(items, count, NULL);
}

static hop_status read_matrix(hop_context *context, const matrix *from,
                              const hop_read_options *options, hop_graph **graph) {
    file_bytes file = make_matrix(from);
    hop_status status =
        hop_graph_read_memory(context, "matrix.npz", file.bytes, file.count, options, graph);
    free(file.bytes);
    return status;
}

static void read_ok(hop_context *context, const matrix *from, hop_graph **graph) {
    if (read_matrix(context, from, NULL, graph) != HOP_OK)
        fail_msg("%s %s %s %s: %s", from->format, from->pointer_type, from->index_type,
                 from->value_type, hop_context_message(context));
}

static void test_types(void **state) {
    (void)state;
    static const char *const ids[] = {"'<i4'", "'<i8'", "'>i4'", "'>i8'",
                                      "'<u4'", "'|i1'", "'<u2'"};
    static const struct {
        const char *name;
        hop_weight_type type;
    } weights[] = {{"'<i4'", HOP_TYPE_INT32},   {"'|i1'", HOP_TYPE_INT32},
                   {"'<i2'", HOP_TYPE_INT32},   {"'>i2'", HOP_TYPE_INT32},
                   {"'<i8'", HOP_TYPE_INT64},   {"'>i8'", HOP_TYPE_INT64},
                   {"'<f4'", HOP_TYPE_FLOAT32}, {"'>f4'", HOP_TYPE_FLOAT32},
                   {"'<f8'", HOP_TYPE_FLOAT64}, {"'>f8'", HOP_TYPE_FLOAT64}};
    hop_context *context = make_context(2);
    for (unsigned deflated = 0; deflated < 2; deflated++)
        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
            for (size_t j = 0; j < sizeof weights / sizeof weights[0]; j++) {
                matrix one = standard;
                hop_graph *graph = NULL;
                one.deflate = deflated != 0;
                one.pointer_type = ids[i];
                one.index_type = ids[(i + j) % 7];
                one.value_type = weights[j].name;
                read_ok(context, &one, &graph);
                hop_weight_type type;
                (void)hop_graph_weights(graph, &type);
                assert_int_equal(type, weights[j].type);
                assert_true(hop_graph_directed(graph));
                assert_false(graph->mapped || graph->borrowed);
                assert_graph_is(graph, entries, 4);
                hop_graph_release(graph);
            }
    free_context(context);
}

/* Unsigned weights, and one-byte ones that mean "none". */
static void test_unsigned(void **state) {
    (void)state;
    static const int64_t large[] = {4000000000, 1, 2, 3}, ones[] = {1, 1, 1, 1},
                         mixed[] = {1, 1, 0, 1}, bytes[] = {200, 1, 1, 1},
                         huge[] = {INT64_MIN, 0, 0, 0};
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    hop_weight_type type;
    matrix one = standard;
    one.value_type = "'<u4'";
    one.values = large;
    read_ok(context, &one, &graph);
    const int64_t *wide = hop_graph_weights(graph, &type);
    assert_int_equal(type, HOP_TYPE_INT64);
    assert_int_equal(wide[1], 4000000000);
    hop_graph_release(graph);
    static const char *const narrow[] = {"'|b1'", "'|i1'", "'|u1'"};
    for (size_t i = 0; i < 3; i++) {
        one.value_type = narrow[i];
        one.values = ones;
        read_ok(context, &one, &graph);
        assert_null(hop_graph_weights(graph, &type));
        assert_int_equal(type, HOP_TYPE_NONE);
        hop_graph_release(graph);
        one.values = mixed;
        read_ok(context, &one, &graph);
        const int32_t *weights = hop_graph_weights(graph, &type);
        assert_int_equal(type, HOP_TYPE_INT32);
        assert_int_equal(weights[2], 0);
        hop_graph_release(graph);
    }
    one.values = bytes;
    read_ok(context, &one, &graph);
    assert_int_equal(((const int32_t *)hop_graph_weights(graph, &type))[1], 200);
    hop_graph_release(graph);
    one.value_type = "'<u8'";
    one.values = huge;
    assert_int_equal(read_matrix(context, &one, NULL, &graph), HOP_ERR_INPUT);
    assert_message(context, "data.npy: item 0 does not fit into int64");
    one.values = large;
    read_ok(context, &one, &graph);
    hop_graph_release(graph);
    free_context(context);
}

static void test_formats(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    for (unsigned deflated = 0; deflated < 2; deflated++) {
        /* The same numbers as columns: entry (i, j) is then what was (j, i). */
        static const arc turned[] = {{0, 2, 0, 7}, {1, 0, 0, 5}, {2, 0, 0, -1}, {2, 2, 0, 9}};
        matrix one = standard;
        one.format = "csc";
        one.deflate = deflated != 0;
        read_ok(context, &one, &graph);
        assert_graph_is(graph, turned, 4);
        hop_graph_release(graph);
        one.format = "coo";
        one.indptr = rows;
        read_ok(context, &one, &graph);
        assert_graph_is(graph, entries, 4);
        assert_true(hop_graph_directed(graph));
        hop_graph_release(graph);
        one = standard;
        one.format = "bsr";
        assert_int_equal(read_matrix(context, &one, NULL, &graph), HOP_ERR_UNSUPPORTED);
        assert_message(context, "tocsr");
    }
    free_context(context);
}

static void test_direction(void **state) {
    (void)state;
    static const int64_t both[] = {1, 0, 2, 1}, ends[] = {0, 1, 3, 4}, same[] = {5, 5, 6, 6};
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.direction = HOP_DIRECTION_UNDIRECTED;
    /* Symmetric: taken as it is, no edge twice even where all are kept. */
    matrix one = standard;
    one.indptr = ends;
    one.indices = both;
    one.values = same;
    options.duplicates = HOP_DUPLICATES_KEEP;
    assert_int_equal(read_matrix(context, &one, &options, &graph), HOP_OK);
    const arc arcs[] = {{0, 1, 0, 5}, {1, 0, 0, 5}, {1, 2, 0, 6}, {2, 1, 0, 6}};
    assert_graph_is(graph, arcs, 4);
    assert_false(hop_graph_directed(graph));
    hop_graph_release(graph);
    /* Not symmetric: every entry is an edge. */
    options.duplicates = HOP_DUPLICATES_SUM;
    assert_int_equal(read_matrix(context, &standard, &options, &graph), HOP_OK);
    const arc sums[] = {{0, 1, 0, 5}, {0, 2, 0, 6}, {1, 0, 0, 5}, {2, 0, 0, 6}, {2, 2, 0, 9}};
    assert_graph_is(graph, sums, 5);
    hop_graph_release(graph);
    free_context(context);
}

static void expect(const matrix *one, hop_status status, const char *part) {
    hop_context *context = small_context();
    hop_graph *graph = NULL;
    assert_int_equal(read_matrix(context, one, NULL, &graph), status);
    assert_null(graph);
    assert_message(context, part);
    assert_message(context, "matrix.npz");
    free_context(context);
}

static void test_wrong(void **state) {
    (void)state;
    static const int64_t late[] = {1, 2, 2, 4}, long_row[] = {0, 2, 2, 5}, fall[] = {0, 3, 2, 4},
                         negative[] = {0, -1, 2, 4}, outside[] = {2, 1, 0, 3},
                         minus[] = {2, 1, 0, -1};
    static const char *const missing[] = {"indptr.npy", "indices.npy", "format.npy", "shape.npy",
                                          "data.npy"};
    matrix one;
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned deflated = 0; deflated < 2; deflated++) {
            one = standard;
            one.deflate = deflated != 0;
            one.pointer_type = one.index_type = wide ? "'<i8'" : "'<i4'";
            const matrix base = one;
            one.indptr = late;
            expect(&one, HOP_ERR_INPUT, "offset");
            one.indptr = long_row;
            expect(&one, HOP_ERR_INPUT, "above the 4 indices");
            one.indptr = fall;
            expect(&one, HOP_ERR_INPUT, "offset");
            one.indptr = negative;
            expect(&one, HOP_ERR_INPUT, wide ? "does not fit into uint32" : "offset");
            one = base;
            one.indices = outside;
            expect(&one, HOP_ERR_INPUT, "3");
            one.indices = minus;
            expect(&one, HOP_ERR_INPUT, wide ? "does not fit into uint32" : "4294967295");
        }
    one = standard;
    one.pointers = 3;
    expect(&one, HOP_ERR_INPUT, "3 offsets for 3 rows");
    one = standard;
    one.shape[1] = 4;
    expect(&one, HOP_ERR_INPUT, "square");
    one = standard;
    one.shape[0] = one.shape[1] = UINT64_C(1) << 32;
    expect(&one, HOP_ERR_UNSUPPORTED, "vertices");
    one.shape[0] = one.shape[1] = UINT64_MAX;
    expect(&one, HOP_ERR_UNSUPPORTED, "vertices");
    one = standard;
    one.value_type = "'<c8'";
    expect(&one, HOP_ERR_UNSUPPORTED, "c8");
    one = standard;
    one.index_type = "'<f8'";
    expect(&one, HOP_ERR_INPUT, "expected integers");
    for (unsigned i = 0; i < 5; i++) {
        one = standard;
        one.leave_out = 1u << i;
        expect(&one, HOP_ERR_INPUT, missing[i]);
    }
}

static void test_checksums(void **state) {
    (void)state;
    for (unsigned deflated = 0; deflated < 2; deflated++)
        for (unsigned i = 0; i < 5; i++) {
            matrix one = standard;
            one.deflate = deflated != 0;
            one.wrong_crc = 1u << i;
            expect(&one, HOP_ERR_INPUT, "the checksum differs");
        }
}

/* scipy leaves room at the end of indices and data after deletions. */
static void test_spare_room(void **state) {
    (void)state;
    static const int64_t shorter[] = {0, 2, 2, 3};
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    matrix one = standard;
    one.indptr = shorter;
    read_ok(context, &one, &graph);
    assert_graph_is(graph, entries, 3);
    hop_graph_release(graph);
    free_context(context);
}

/* Deflated megabytes of nothing: refused by the size that they claim, or by the budget. */
static void test_bomb(void **state) {
    (void)state;
    enum { LENGTH = 100 << 20 };
    static unsigned char buffers[4][2048];
    unsigned char *zeros = calloc(LENGTH + 1024, 1);
    const int64_t pointers[] = {0, LENGTH / 8}, shape[] = {1, 1};
    uint64_t length[2] = {LENGTH / 8, 1};
    size_t header = hop__npy_format(zeros, "'<f8'", 1, length);
    zip_item items[] = {
        integers("indptr.npy", buffers[0], "'<i8'", pointers, 2),
        {.name = "data.npy", .contents = zeros, .count = header + LENGTH, .deflate = true},
        {.name = "indices.npy", .contents = zeros, .count = header + LENGTH, .deflate = true},
        array_item("format.npy", buffers[2], "'|S3'", 0, 1, "csr", 3),
        integers("shape.npy", buffers[3], "'<i8'", shape, 2),
    };
    unsigned char *ids = calloc(LENGTH + 1024, 1);
    hop__npy_format(ids, "'<i8'", 1, length);
    items[2].contents = ids;
    /* 64 MiB may be used, 200 are needed. The packed members take 200 KiB. */
    file_bytes file = {NULL, 0};
    hop_context *context = small_context();
    hop_graph *graph = NULL;
    file = make_zip(items, 5, NULL);
    assert_true(file.count < 300000);
    assert_int_equal(
        hop_graph_read_memory(context, "bomb.npz", file.bytes, file.count, NULL, &graph),
        HOP_ERR_BUDGET);
    assert_true(hop_context_memory_peak(context) < 64 << 20);
    free(file.bytes);
    free(ids);
    free(zeros);
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    for (unsigned deflated = 0; deflated < 2; deflated++) {
        matrix one = standard;
        one.deflate = deflated != 0;
        one.value_type = "'<f4'";
        one.index_type = "'<i8'";
        file_bytes file = make_matrix(&one);
        cut_everywhere("npz", file);
        (void)damage_everywhere("npz", file);
        free(file.bytes);
    }
}

static hop_status with_failures(const matrix *one, long allocations) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    long left = -1;
    options.threads = 1;
    options.allocator.allocate = failing_allocate;
    options.allocator.release = failing_release;
    options.allocator.user = &left;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    left = allocations;
    hop_status status = read_matrix(context, one, NULL, &graph);
    assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
    hop_graph_release(graph);
    free_context(context);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    static const char *const formats[] = {"csr", "csc", "coo"};
    for (size_t i = 0; i < 3; i++)
        for (unsigned deflated = 0; deflated < 2; deflated++) {
            matrix one = standard;
            long count = 0;
            one.format = formats[i];
            one.indptr = i == 2 ? rows : indptr;
            one.deflate = deflated != 0;
            one.value_type = "'|i1'";
            while (with_failures(&one, count) != HOP_OK)
                count++;
            assert_true(count > 8);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),      cmocka_unit_test(test_unsigned),
        cmocka_unit_test(test_formats),    cmocka_unit_test(test_direction),
        cmocka_unit_test(test_wrong),      cmocka_unit_test(test_checksums),
        cmocka_unit_test(test_spare_room), cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
