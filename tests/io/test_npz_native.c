/* SPDX-License-Identifier: Apache-2.0
 * Native files whose parts do not go together: each member says something else than the rest. All
 * checksums are right, so nothing but the comparison of the members can notice. */
#include "io/zip_testing.h"

#include "io/formats/npz.h"

enum { FORMAT, SHAPE, RECORD, INDPTR, INDICES, DATA, LABELS, MEMBERS };

typedef struct native {
    hop__npz_record record;
    const char *format, *record_type, *types[MEMBERS]; /* of the arrays; NULL: leave it out */
    uint64_t counts[MEMBERS];
    unsigned dimensions[MEMBERS];
    size_t record_count; /* bytes */
    int64_t shape[2];
} native;

/* 0 -> 1, 0 -> 2, 2 -> 0 with weights 5, 6, 7 and labels 10, 20, 30. */
static const int32_t offsets[] = {0, 2, 2, 3}, targets[] = {1, 2, 0}, weights[] = {5, 6, 7};
static const uint64_t labels[] = {10, 20, 30};

static native right(void) {
    native file = {.record = {.version = 1,
                              .directed = 1,
                              .weight = "int32",
                              .vertices = 3,
                              .arcs = 3,
                              .max_degree = 2},
                   .format = "csr",
                   .record_type = "[" HOP__NPZ_RECORD_FIELDS "]",
                   .types = {"'|S3'", "'<i8'", "", "'<i4'", "'<i4'", "'<i4'", "'<u8'"},
                   .counts = {1, 2, 1, 4, 3, 3, 3},
                   .dimensions = {0, 1, 0, 1, 1, 1, 1},
                   .record_count = sizeof(hop__npz_record),
                   .shape = {3, 3}};
    return file;
}

static file_bytes build(const native *from) {
    static unsigned char buffers[MEMBERS][4096];
    static const char *const names[] = {"format.npy",  "shape.npy", "hoplite.npy", "indptr.npy",
                                        "indices.npy", "data.npy",  "labels.npy"};
    const void *const items[] = {from->format, from->shape, &from->record, offsets,
                                 targets,      weights,     labels};
    zip_item members[MEMBERS];
    size_t count = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        unsigned char bytes[512] = {0};
        const char *type = i == RECORD ? from->record_type : from->types[i];
        if (type == NULL)
            continue;
        size_t width = i == RECORD ? from->record_count : (size_t)(type[3] - '0');
        size_t length = (size_t)from->counts[i] * width;
        size_t known = i == RECORD ? sizeof from->record : i == FORMAT ? 3 : i == SHAPE ? 16 : 12;
        if (i == LABELS)
            known = 24;
        if (i == INDPTR)
            known = 16;
        memcpy(bytes, items[i], known < length ? known : length);
        members[count++] = array_item(names[i], buffers[i], type, from->dimensions[i],
                                      from->counts[i], bytes, length);
    }
    return make_zip(members, count, NULL);
}

static void expect(const native *from, hop_status expected, const char *part) {
    hop_context *context = small_context();
    hop_graph *graph = NULL;
    file_bytes file = build(from);
    hop_status status =
        hop_graph_read_memory(context, "native", file.bytes, file.count, NULL, &graph);
    if (status == HOP_OK)
        status = hop_graph_check(context, graph);
    if (status != expected)
        fail_msg("status %d instead of %d: %s", status, expected, hop_context_message(context));
    if (part != NULL)
        assert_message(context, part);
    hop_graph_release(graph);
    free(file.bytes);
    free_context(context);
}

static void test_right(void **state) {
    (void)state;
    native file = right();
    expect(&file, HOP_OK, NULL);
    file.types[LABELS] = NULL;
    expect(&file, HOP_OK, NULL);
    memset(file.record.weight, 0, 8);
    memcpy(file.record.weight, "none", 4);
    expect(&file, HOP_OK, NULL);
    file.types[DATA] = NULL; /* nobody but scipy needs the ones */
    expect(&file, HOP_OK, NULL);
}

/* Later versions append fields. */
static void test_later_version(void **state) {
    (void)state;
    native file = right();
    file.record.version = 2;
    file.record_type = "[" HOP__NPZ_RECORD_FIELDS ", ('more', '<u8')]";
    file.record_count += 8;
    expect(&file, HOP_OK, NULL);
}

static void test_record(void **state) {
    (void)state;
    native file = right();
    file.record.version = 0;
    expect(&file, HOP_ERR_INPUT, "version 0");
    file = right();
    file.record.directed = 2;
    expect(&file, HOP_ERR_INPUT, "directed 2");
    file = right();
    file.record.directed = 0;
    expect(&file, HOP_ERR_INPUT, "undirected");
    file = right();
    file.record_type = "[('version', '<u4')]";
    file.record_count = 4;
    expect(&file, HOP_ERR_INPUT, "the record of");
    file = right();
    file.counts[RECORD] = 2;
    file.dimensions[RECORD] = 1;
    expect(&file, HOP_ERR_INPUT, "the record of");
    file = right();
    memcpy(file.record.weight, "int128", 7);
    expect(&file, HOP_ERR_UNSUPPORTED, "int128");
    memcpy(file.record.weight, "int32777", 8); /* not terminated */
    expect(&file, HOP_ERR_UNSUPPORTED, "int32777");
    file = right();
    memcpy(file.record.weight, "float32", 8);
    expect(&file, HOP_ERR_INPUT, "data.npy");
}

static void test_counts(void **state) {
    (void)state;
    static const uint64_t lies[] = {0, 2, 4, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 40};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        native file = right();
        file.record.vertices = lies[i];
        expect(&file, HOP_ERR_INPUT, "vertices");
        file = right();
        file.record.arcs = lies[i];
        expect(&file, HOP_ERR_INPUT, NULL);
        file = right();
        file.shape[i % 2] = (int64_t)lies[i];
        expect(&file, HOP_ERR_INPUT, "shape");
    }
    for (size_t member = INDPTR; member <= LABELS; member++)
        for (uint64_t count = 0; count < 6; count++) {
            native file = right();
            if (count == file.counts[member])
                continue;
            file.counts[member] = count;
            expect(&file, HOP_ERR_INPUT, "native");
        }
}

static void test_members(void **state) {
    (void)state;
    static const char *const needed[] = {"format.npy",  "shape.npy", NULL, "indptr.npy",
                                         "indices.npy", "data.npy",  NULL};
    for (size_t i = 0; i < MEMBERS; i++) {
        native file = right();
        if (needed[i] == NULL)
            continue;
        file.types[i] = NULL;
        expect(&file, HOP_ERR_INPUT, needed[i]);
        file = right();
        file.dimensions[i] = i == FORMAT ? 1 : 2;
        if (i != FORMAT)
            expect(&file, HOP_ERR_INPUT, needed[i]);
    }
    native file = right();
    file.types[SHAPE] = "'<f8'";
    expect(&file, HOP_ERR_INPUT, "shape.npy");
    file = right();
    file.counts[SHAPE] = 3;
    expect(&file, HOP_ERR_INPUT, "shape.npy");
    file = right();
    file.types[FORMAT] = "'|V3'";
    expect(&file, HOP_ERR_INPUT, "format.npy");
    file = right();
    file.types[FORMAT] = "'|S9'";
    expect(&file, HOP_ERR_INPUT, "format.npy");
    file = right();
    file.format = "csc";
    expect(&file, HOP_ERR_INPUT, NULL);
    file = right();
    file.types[INDPTR] = "'<f4'";
    expect(&file, HOP_ERR_INPUT, "indptr.npy");
    file = right();
    file.types[INDICES] = "'<f4'";
    expect(&file, HOP_ERR_INPUT, "indices.npy");
    file = right();
    file.types[LABELS] = "'<f8'";
    expect(&file, HOP_ERR_INPUT, "labels.npy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),   cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_record),  cmocka_unit_test(test_counts),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
