/* SPDX-License-Identifier: Apache-2.0
 * Options structs of callers built against older and newer headers. */
#include "core/core_testing.h"

#include "core/options.h"
#include "core/try.h"
#include "hoplite/hoplite.h"

typedef struct older {
    size_t size;
    uint32_t first;
} older;

typedef struct current {
    size_t size;
    uint32_t first, second;
    uint64_t third;
} current;

typedef struct newer {
    size_t size;
    uint32_t first, second;
    uint64_t third;
    unsigned char fourth[9];
} newer;

static const current defaults = {sizeof(current), 1, 2, 3};

static void null_leaves_the_defaults(void **state) {
    (void)state;
    current read = defaults;
    assert_int_equal(hop__options_copy(NULL, &read, sizeof read), HOP__OPTIONS_GOOD);
    assert_memory_equal(&read, &defaults, sizeof read);
}

static void fewer_bytes_go_over_the_defaults(void **state) {
    (void)state;
    current read = defaults;
    const older given = {.size = offsetof(older, first) + sizeof(uint32_t), .first = 10};
    assert_int_equal(hop__options_copy(&given, &read, sizeof read), HOP__OPTIONS_GOOD);
    assert_int_equal(read.size, sizeof read);
    assert_int_equal(read.first, 10);
    assert_int_equal(read.second, 2);
    assert_int_equal(read.third, 3);
}

static void more_bytes_must_be_zero(void **state) {
    (void)state;
    newer given;
    memset(&given, 0, sizeof given);
    given.size = sizeof given;
    given.third = 30;
    current read = defaults;
    assert_int_equal(hop__options_copy(&given, &read, sizeof read), HOP__OPTIONS_GOOD);
    assert_int_equal(read.size, sizeof read);
    assert_int_equal(read.third, 30);
    for (size_t i = sizeof(current); i < sizeof given; i++) { /* also in the padding at the end */
        ((unsigned char *)&given)[i] = 1;
        assert_int_equal(hop__options_copy(&given, &read, sizeof read), HOP__OPTIONS_UNKNOWN);
        ((unsigned char *)&given)[i] = 0;
    }
}

static void messages_name_the_initialiser(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    newer given;
    memset(&given, 0, sizeof given);
    current read = defaults;
    static const size_t wrong[] = {0, sizeof(size_t) - 1, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        given.size = wrong[i];
        assert_int_equal(hop__options_take(context, "HOP_TEST_INIT", &given, &read, sizeof read),
                         HOP_ERR_ARGUMENT);
        assert_non_null(strstr(hop_context_message(context), "begin with HOP_TEST_INIT"));
        assert_memory_equal(&read, &defaults, sizeof read);
    }
    given.size = sizeof given;
    given.fourth[0] = 1;
    assert_int_equal(hop__options_take(context, "HOP_TEST_INIT", &given, &read, sizeof read),
                     HOP_ERR_UNSUPPORTED);
    assert_non_null(strstr(hop_context_message(context), "HOP_TEST_INIT"));
    given.fourth[0] = 0;
    assert_int_equal(hop__options_take(context, "HOP_TEST_INIT", &given, &read, sizeof read),
                     HOP_OK);
    free_context(context);
}

/* What a function beside an initialiser made in a struct of `length` bytes, where twice `known`
 * were 0xaa. */
static void check_begun(const void *given, size_t length, const void *expected, size_t known) {
    const unsigned char *bytes = given, *right = expected;
    size_t told;
    memcpy(&told, given, sizeof told);
    assert_int_equal(told, length);
    for (size_t at = sizeof told; at < 2 * known; at++)
        assert_int_equal(bytes[at], at >= length ? 0xaa : at >= known ? 0 : right[at]);
}

/* In a struct as long as ours, shorter and longer; in none. */
#define CHECK_INITIALISER(type, values)                                                            \
    do {                                                                                           \
        static const type expected = values;                                                       \
        const size_t known = sizeof expected;                                                      \
        const size_t lengths[] = {known, sizeof(size_t), known - 1, known + 1, 2 * known};         \
        for (size_t i = 0; i < HOP_LENGTH(lengths); i++) {                                         \
            type given[2];                                                                         \
            memset(given, 0xaa, sizeof given);                                                     \
            type##_init(given, sizeof(size_t) - 1);                                                \
            assert_int_equal(*(unsigned char *)given, 0xaa);                                       \
            type##_init(given, lengths[i]);                                                        \
            check_begun(given, lengths[i], &expected, known);                                      \
        }                                                                                          \
        type##_init(NULL, known);                                                                  \
    } while (0)

static void functions_do_what_the_initialisers_do(void **state) {
    (void)state;
    CHECK_INITIALISER(hop_apsp_options, HOP_APSP_OPTIONS_INIT);
    CHECK_INITIALISER(hop_apsp_summary, HOP_APSP_SUMMARY_INIT);
    CHECK_INITIALISER(hop_array, HOP_ARRAY_INIT);
    CHECK_INITIALISER(hop_bfs_options, HOP_BFS_OPTIONS_INIT);
    CHECK_INITIALISER(hop_build_options, HOP_BUILD_OPTIONS_INIT);
    CHECK_INITIALISER(hop_components_options, HOP_COMPONENTS_OPTIONS_INIT);
    CHECK_INITIALISER(hop_context_options, HOP_CONTEXT_OPTIONS_INIT);
    CHECK_INITIALISER(hop_csr, HOP_CSR_INIT);
    CHECK_INITIALISER(hop_csr_options, HOP_CSR_OPTIONS_INIT);
    CHECK_INITIALISER(hop_edges, HOP_EDGES_INIT);
    CHECK_INITIALISER(hop_error_detail, HOP_ERROR_DETAIL_INIT);
    CHECK_INITIALISER(hop_generate_options, HOP_GENERATE_OPTIONS_INIT);
    CHECK_INITIALISER(hop_graph_info, HOP_GRAPH_INFO_INIT);
    CHECK_INITIALISER(hop_pairs_options, HOP_PAIRS_OPTIONS_INIT);
    CHECK_INITIALISER(hop_table_options, HOP_TABLE_OPTIONS_INIT);
    CHECK_INITIALISER(hop_rank_options, HOP_RANK_OPTIONS_INIT);
    CHECK_INITIALISER(hop_read_options, HOP_READ_OPTIONS_INIT);
    CHECK_INITIALISER(hop_run, HOP_RUN_INIT);
    CHECK_INITIALISER(hop_sssp_options, HOP_SSSP_OPTIONS_INIT);
    CHECK_INITIALISER(hop_write_options, HOP_WRITE_OPTIONS_INIT);
    CHECK_INITIALISER(hop_convert_options, HOP_CONVERT_OPTIONS_INIT);
    CHECK_INITIALISER(hop_convert_report, HOP_CONVERT_REPORT_INIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_leaves_the_defaults),
        cmocka_unit_test(fewer_bytes_go_over_the_defaults),
        cmocka_unit_test(more_bytes_must_be_zero),
        cmocka_unit_test(messages_name_the_initialiser),
        cmocka_unit_test(functions_do_what_the_initialisers_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
