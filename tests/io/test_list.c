/* SPDX-License-Identifier: Apache-2.0
 * Lists: arrays of every integer type, text, gzip, and what is refused. */
#include "io/binary_testing.h"

#include "io/numpy/npy_header.h"

enum { COUNT = 100000 };

static hop_vertex *make_list(hop_vertex count) {
    hop_vertex *successors = malloc(((size_t)count + 1) * sizeof *successors);
    for (hop_vertex i = 0; i < count; i++)
        successors[i] = i + 1 < count ? i + 1 : i;
    return successors;
}

static void assert_list(hop_context *context, const char *path, const hop_vertex *expected,
                        hop_vertex count) {
    hop_list *list = NULL;
    hop_vertex found = 0;
    if (hop_list_read(context, path, NULL, &list) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    const hop_vertex *successors = hop_list_successors(list, &found);
    assert_int_equal(found, count);
    if (count > 0)
        assert_memory_equal(successors, expected, count * sizeof *expected);
    hop_list_free(list);
}

static void test_round_trip(void **state) {
    (void)state;
    static const char *const names[] = {"list.npy", "list.npy.gz", "list.txt", "list.txt.gz"};
    static const hop_vertex counts[] = {0, 1, 2, COUNT};
    hop_context *context = make_context(2);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            hop_vertex *list = make_list(counts[j]);
            if (hop_list_write(context, temporary(names[i]), list, counts[j]) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            assert_list(context, temporary(names[i]), list, counts[j]);
            free(list);
        }
    free_context(context);
}

/* Three elements 2, 0, 1 in every integer type. */
static size_t build_array(unsigned char *file, const char *type, size_t width, bool big,
                          const uint64_t *items, size_t count) {
    uint64_t shape[2] = {count, 1};
    size_t bytes = hop__npy_format(file, type, 1, shape);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++)
            file[bytes++] = (unsigned char)(items[i] >> 8 * (big ? width - 1 - j : j));
    return bytes;
}

static void test_types(void **state) {
    (void)state;
    static const struct {
        const char *type;
        size_t width;
        bool big, good;
    } types[] = {
        {"'<i4'", 4, false, true},  {"'<u4'", 4, false, true},  {"'<i8'", 8, false, true},
        {"'<u8'", 8, false, true},  {"'>i4'", 4, true, true},   {"'>u8'", 8, true, true},
        {"'<f4'", 4, false, false}, {"'<i2'", 2, false, false}, {"'<f8'", 8, false, false}};
    static const uint64_t items[] = {2, 0, 1};
    static const hop_vertex expected[] = {2, 0, 1};
    hop_context *context = make_context(1);
    unsigned char file[2048];
    hop_list *list = NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t count = build_array(file, types[i].type, types[i].width, types[i].big, items, 3);
        save_file(temporary("types.npy"), file, count);
        if (types[i].good) {
            assert_list(context, temporary("types.npy"), expected, 3);
            continue;
        }
        assert_int_equal(hop_list_read(context, temporary("types.npy"), NULL, &list),
                         HOP_ERR_INPUT);
        assert_message(context, "one-dimensional");
    }
    uint64_t square[2] = {1, 1};
    size_t count = hop__npy_format(file, "'<i4'", 2, square);
    memset(file + count, 0, 4);
    save_file(temporary("types.npy"), file, count + 4);
    assert_int_equal(hop_list_read(context, temporary("types.npy"), NULL, &list), HOP_ERR_INPUT);
    free_context(context);
}

/* The message names the first element that is wrong. */
static void test_range(void **state) {
    (void)state;
    static const uint64_t bad[] = {4, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    hop_context *context = make_context(2);
    unsigned char file[2048];
    hop_list *list = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t width = 4; width <= 8; width += 4) {
            uint64_t items[] = {2, 0, bad[i], bad[i]};
            if (width == 4 && bad[i] > UINT32_MAX)
                continue;
            size_t count =
                build_array(file, width == 4 ? "'<u4'" : "'<i8'", width, false, items, 4);
            save_file(temporary("range.npy"), file, count);
            assert_int_equal(hop_list_read(context, temporary("range.npy"), NULL, &list),
                             HOP_ERR_INPUT);
            assert_null(list);
            assert_message(context, "element 2 ");
            assert_message(context, "range.npy");
        }
    hop_vertex *large = make_list(COUNT);
    large[COUNT - 7] = COUNT;
    assert_int_equal(hop_list_write(context, temporary("range.npy"), large, COUNT), HOP_OK);
    assert_int_equal(hop_list_read(context, temporary("range.npy"), NULL, &list), HOP_ERR_INPUT);
    assert_message(context, "element 99993 has the successor 100000");
    free(large);
    free_context(context);
}

static void test_text(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_list *list = NULL;
    static const hop_vertex expected[] = {2, 0, 1};
    static const char good[] = "# a list\n2\n\n0\r\n1";
    save_file(temporary("text"), good, sizeof good - 1);
    assert_list(context, temporary("text"), expected, 3);
    static const struct {
        const char *text, *part;
    } wrong[] = {{"1\nx\n", "text:2"},
                 {"1\n-1\n", "text:2"},
                 {"1\n0 1\n", "text:2"},
                 {"1\n2\n", "element 1 has the successor 2"},
                 {"0\n4294967296\n", "element 1 has the successor 4294967296"},
                 {"0\n99999999999999999999\n", "text:2"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        save_file(temporary("text"), wrong[i].text, strlen(wrong[i].text));
        assert_int_equal(hop_list_read(context, temporary("text"), NULL, &list), HOP_ERR_INPUT);
        assert_message(context, wrong[i].part);
    }
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    hop_context *context = small_context();
    hop_list *list = NULL;
    unsigned char file[2048];
    static const uint64_t items[] = {2, 0, 1};
    size_t count = build_array(file, "'<i8'", 8, false, items, 3);
    for (size_t cut = 1; cut < count; cut++) {
        save_file(temporary("cut.npy"), file, cut);
        assert_int_not_equal(hop_list_read(context, temporary("cut.npy"), NULL, &list), HOP_OK);
    }
    for (size_t at = 0; at < count; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            file[at] ^= (unsigned char)(1 << bit);
            save_file(temporary("cut.npy"), file, count);
            if (hop_list_read(context, temporary("cut.npy"), NULL, &list) == HOP_OK) {
                hop_vertex found;
                const hop_vertex *successors = hop_list_successors(list, &found);
                for (hop_vertex i = 0; i < found; i++)
                    assert_true(successors[i] < found);
                hop_list_free(list);
            }
            file[at] ^= (unsigned char)(1 << bit);
        }
    assert_int_equal(hop_list_read(context, temporary("none.npy"), NULL, &list), HOP_ERR_IO);
    assert_int_equal(hop_list_read(context, NULL, NULL, &list), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* A list outlives its context. */
static void test_lifetime(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex *expected = make_list(10);
    hop_list *list = NULL;
    assert_int_equal(hop_list_write(context, temporary("life.txt"), expected, 10), HOP_OK);
    assert_int_equal(hop_list_read(context, temporary("life.txt"), NULL, &list), HOP_OK);
    hop_context_free(context);
    assert_memory_equal(hop_list_successors(list, NULL), expected, 40);
    hop_list_free(list);
    free(expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_types),
        cmocka_unit_test(test_range),      cmocka_unit_test(test_text),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_lifetime),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
