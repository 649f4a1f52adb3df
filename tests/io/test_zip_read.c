/* SPDX-License-Identifier: Apache-2.0
 * Zip archives that lie, one field at a time. */
#include "io/zip_testing.h"

#include "io/numpy/zip_read.h"

static hop_status open_zip(hop_context *context, file_bytes file, hop__zip *zip) {
    hop__input *input = NULL;
    unsigned char *exact = malloc(file.count);
    memcpy(exact, file.bytes, file.count);
    assert_int_equal(hop__input_open_memory(context, "test.zip", exact, file.count, NULL, &input),
                     HOP_OK);
    hop_status status = hop__zip_open(context, input, exact, file.count, zip);
    hop__input_close(input);
    free(exact);
    return status;
}

static void expect(const zip_item *items, size_t count, const zip_end *end, const char *part) {
    hop_context *context = make_context(1);
    file_bytes file = make_zip(items, count, end);
    hop__zip zip;
    hop_status status = open_zip(context, file, &zip);
    if (part == NULL && status != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    if (part == NULL) {
        assert_int_equal(zip.count, count);
    } else {
        if (status != HOP_ERR_INPUT)
            fail_msg("accepted, but expected '%s'", part);
        assert_message(context, part);
        assert_message(context, "test.zip: byte ");
    }
    free(file.bytes);
    free_context(context);
}

static const zip_item first = {.name = "a", .contents = "hello", .count = 5};
static const zip_item second = {.name = "b", .contents = "world!", .count = 6};

static void test_right(void **state) {
    (void)state;
    zip_item items[] = {first, second};
    zip_end commented = {.comment = "a comment"}, zip64 = {.zip64 = true};
    expect(items, 2, NULL, NULL);
    expect(items, 0, NULL, NULL);
    expect(items, 2, &commented, NULL);
    expect(items, 2, &zip64, NULL);
    items[1].name = ""; /* the directory ends with its entry */
    expect(items, 2, NULL, NULL);
    items[1].name = "b";
    items[0].sizes_after = true;
    items[1].deflate = true;
    expect(items, 2, NULL, NULL);
    items[0].sizes_after = false;
    items[0].local_zip64 = true;
    items[1].local_zip64 = true;
    expect(items, 2, NULL, NULL);
}

/* As many members as there may be, and one more. */
static void test_most(void **state) {
    (void)state;
    zip_item items[HOP__ZIP_MEMBERS + 1];
    char names[HOP__ZIP_MEMBERS + 1][8];
    for (size_t i = 0; i <= HOP__ZIP_MEMBERS; i++) {
        snprintf(names[i], sizeof names[i], "m%zu", i);
        items[i] = first;
        items[i].name = names[i];
    }
    expect(items, HOP__ZIP_MEMBERS, NULL, NULL);
    expect(items, HOP__ZIP_MEMBERS + 1, NULL, "65 zip members; a graph has at most 64");
}

static void test_contents(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const zip_item items[] = {first, second};
    file_bytes file = make_zip(items, 2, NULL);
    hop__zip zip;
    assert_int_equal(open_zip(context, file, &zip), HOP_OK);
    zip.members[0].name = (const char *)file.bytes + 30; /* the copy is gone */
    zip.members[1].name = (const char *)file.bytes + 66;
    const hop__zip_member *found = hop__zip_find(&zip, "b");
    assert_non_null(found);
    assert_memory_equal(file.bytes + found->data, "world!", 6);
    assert_int_equal(found->size, 6);
    assert_int_equal(found->crc, crc32(0, (const Bytef *)"world!", 6));
    assert_null(hop__zip_find(&zip, "c"));
    free(file.bytes);
    free_context(context);
}

static void test_members(void **state) {
    (void)state;
    const struct {
        zip_item change; /* fields that are not 0 are set in the second member */
        const char *part;
    } rows[] = {
        {{.size = 1}, "stored zip member"},
        {{.packed = -1}, "stored zip member"},
        {{.local_size = 1}, "contradicts"},
        {{.size = 1000, .packed = 1000}, "does not fit"},
        {{.size = 4000000000, .packed = 4000000000}, "does not fit"},
        {{.offset = 1}, "no member begins"},
        {{.offset = -1}, "no member begins"},
        {{.offset = 1000}, "no member begins"},
        {{.offset = 4000000000}, "no member begins"},
        {{.method = 9}, "compression method 9"},
        {{.flags = 1}, "encrypted"},
        {{.deflate = true, .size = 100000}, "cannot hold"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zip_item items[] = {first, rows[i].change};
        items[1].name = second.name;
        items[1].contents = second.contents;
        items[1].count = second.count;
        expect(items, 2, NULL, rows[i].part);
    }
    zip_item same[] = {first, first};
    expect(same, 2, NULL, "has the name");
    /* The header of the second inside the contents of the first: an archive in an archive. */
    file_bytes inner = make_zip(&second, 1, NULL);
    zip_item outer[] = {{.name = "a", .contents = inner.bytes, .count = inner.count}, second};
    outer[1].offset = -(int64_t)inner.count;
    expect(outer, 2, NULL, "overlaps");
    free(inner.bytes);
    zip_item many[65];
    char names[65][4];
    for (size_t i = 0; i < 65; i++)
        many[i] = first;
    for (size_t i = 0; i < 30; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        many[i].name = names[i];
    }
    expect(many, 30, NULL, NULL);
    zip_end crowd = {.entries = 35};
    expect(many, 30, &crowd, "65 zip members");
}

static void test_end(void **state) {
    (void)state;
    const zip_item items[] = {first, second};
    const struct {
        zip_end end;
        const char *part;
    } rows[] = {
        {{.entries = 1}, "no entry"},
        {{.entries = -1}, "after the last entry"},
        {{.directory_bytes = 1}, "end record"},
        {{.directory_bytes = -1}, "end record"},
        {{.directory_offset = 1}, "end record"},
        {{.directory_offset = -1}, "end record"},
        {{.directory_offset = 4000000000}, "end record"},
        {{.junk = 3}, "end record"},
        {{.entries = 1, .zip64 = true}, "no entry"},
        {{.directory_bytes = 1, .zip64 = true}, "zip64 end record"},
        {{.directory_offset = -1, .zip64 = true}, "zip64 end record"},
        {{.directory_offset = INT64_MAX / 2, .zip64 = true}, "zip64 end record"},
        {{.directory_bytes = -200, .directory_offset = 200, .zip64 = true}, "zip64 end record"},
        {{.locator = 1, .zip64 = true}, "locator"},
        {{.locator = INT64_MAX / 2, .zip64 = true}, "locator"},
        {{.locator = -1000, .zip64 = true}, "locator"},
        {{.record_bytes = 1, .zip64 = true}, "zip64 end record"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect(items, 2, &rows[i].end, rows[i].part);
}

/* The end record is at the end, and its comment reaches exactly that far. */
static void test_after_the_end(void **state) {
    (void)state;
    const zip_item items[] = {first, second};
    const zip_end commented = {.comment = "a comment"};
    hop_context *context = make_context(1);
    file_bytes file = make_zip(items, 2, &commented);
    hop__zip zip;
    assert_int_equal(open_zip(context, file, &zip), HOP_OK);
    file.bytes[file.count++] = 'x';
    assert_int_equal(open_zip(context, file, &zip), HOP_ERR_INPUT);
    file.count -= 2;
    assert_int_equal(open_zip(context, file, &zip), HOP_ERR_INPUT);
    assert_message(context, "no zip directory");
    free(file.bytes);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),    cmocka_unit_test(test_most),
        cmocka_unit_test(test_contents), cmocka_unit_test(test_members),
        cmocka_unit_test(test_end),      cmocka_unit_test(test_after_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
