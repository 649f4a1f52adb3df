/* SPDX-License-Identifier: Apache-2.0
 * Headers of arrays: what NumPy writes, and what it does not. */
#include "io/binary_testing.h"

#include "io/bytes/little_endian.h"
#include "io/numpy/npy_header.h"

/* A header of the given version with this text, and `data` bytes after it. */
static const char *parse(unsigned version, const char *text, size_t data, hop__npy *npy) {
    static unsigned char bytes[4096];
    size_t length = strlen(text), begin = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    if (version == 1)
        hop__le16_store(bytes + 8, (uint16_t)length);
    else
        hop__le32_store(bytes + 8, (uint32_t)length);
    memcpy(bytes + begin, text, length);
    return hop__npy_parse(bytes, begin + length, begin + length + data, npy);
}

static void test_right(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t data;
        char kind;
        bool big;
        uint64_t bytes;
        unsigned dimensions;
        uint64_t items;
    } rows[] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }  \n", 12, 'i', false, 4, 1, 3},
        {"{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }\n", 48, 'f', true, 8, 2, 6},
        {"{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n", 3, 'S', false, 3, 0, 1},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': ()}\n", 12, 'U', false, 12, 0, 1},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (0,), }\n", 0, 'b', false, 1, 1, 0},
        {"{\"shape\": (5L,), \"fortran_order\": False, \"descr\": \"<u2\"}", 10, 'u', false, 2, 1,
         5},
        {"{'descr': [('a', '<u4'), ('b', '|S8')], 'fortran_order': False, 'shape': (), }\n", 12,
         'R', false, 12, 0, 1},
        {"{'descr': [('a', '>u4'), ], 'fortran_order': False, 'shape': (1, 1), }\n", 4, 'R', true,
         4, 2, 1},
    };
    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            hop__npy npy;
            const char *wrong = parse(version, rows[i].text, rows[i].data, &npy);
            if (wrong != NULL)
                fail_msg("%s: %s", rows[i].text, wrong);
            assert_int_equal(npy.kind, rows[i].kind);
            assert_int_equal(npy.big_endian, rows[i].big);
            assert_int_equal(npy.item_bytes, rows[i].bytes);
            assert_int_equal(npy.dimensions, rows[i].dimensions);
            assert_int_equal(npy.items, rows[i].items);
            assert_non_null(parse(version, rows[i].text, rows[i].data + 1, &npy));
            if (rows[i].data > 0)
                assert_non_null(parse(version, rows[i].text, rows[i].data - 1, &npy));
        }
}

static void test_wrong(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<i4', 'fortran_order': False}",
        "{'descr': '<i4', 'shape': (3,)}",
        "{'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1, 3)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3.0,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387907,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (18446744073709551619,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)} x",
        "{'descr': '<i4', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': [3]}",
        "{'descr': 'i4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|i4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<O8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4L', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i99999999999', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i0000000000004', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i/4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i:4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4\n, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape\n: (3,)}",
        "{'descr': '<i\\'4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a', '<i4', (2,))], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a', '<i4') ('b', '<i4')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a\nb', '<i4')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a\\b', '<i4')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a\n, '<i4')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': [, 'fortran_order': False, 'shape': (3,)}",
        "{'descr' '<i4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i4' 'fortran_order': False, 'shape': (3,)}",
    };
    hop__npy npy;
    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            if (parse(version, texts[i], 12, &npy) == NULL ||
                parse(version, texts[i], 0, &npy) == NULL)
                fail_msg("accepted: %s", texts[i]);
    static const char right[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n";
    assert_null(parse(1, right, 12, &npy));
    assert_non_null(parse(0, right, 12, &npy));
    assert_non_null(parse(4, right, 12, &npy));
}

/* Every size of header that we write is what we and NumPy read. */
static void test_format(void **state) {
    (void)state;
    unsigned char header[HOP__NPY_OUR_HEADER];
    for (uint64_t length = 1; length < UINT64_C(1) << 60; length *= 7) {
        uint64_t shape[2] = {length, 1};
        hop__npy npy;
        size_t bytes = hop__npy_format(header, "'|u1'", 1, shape);
        assert_int_equal(bytes % 64, 0);
        assert_int_equal(header[bytes - 1], '\n');
        assert_null(hop__npy_parse(header, bytes, bytes + length, &npy));
        assert_int_equal(npy.items, length);
        assert_int_equal(npy.header_bytes, bytes);
        bytes = hop__npy_format(header, "'|u1'", 2, (uint64_t[2]){length, 2});
        assert_null(hop__npy_parse(header, bytes, bytes + 2 * length, &npy));
        assert_int_equal(npy.dimensions, 2);
        assert_int_equal(npy.items, 2 * length);
        bytes = hop__npy_format(header, "'|u1'", 0, shape);
        assert_null(hop__npy_parse(header, bytes, bytes + 1, &npy));
        assert_int_equal(npy.dimensions, 0);
    }
}

/* Only a part of the header is at hand. */
static void test_cut(void **state) {
    (void)state;
    unsigned char header[HOP__NPY_OUR_HEADER];
    uint64_t shape[2] = {3, 1};
    hop__npy npy;
    size_t bytes = hop__npy_format(header, "'<i4'", 1, shape);
    for (size_t count = 0; count < bytes; count++) {
        unsigned char *exact = malloc(count + 1);
        memcpy(exact, header, count);
        assert_non_null(hop__npy_parse(exact, count, bytes + 12, &npy));
        free(exact);
    }
    assert_null(hop__npy_parse(header, bytes, bytes + 12, &npy));
    /* 65 KiB of it. */
    hop__le16_store(header + 8, UINT16_MAX);
    assert_string_equal(hop__npy_parse(header, bytes, 1 << 20, &npy),
                        "the array header is longer than 65536 bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
