/* SPDX-License-Identifier: Apache-2.0
 * Options structs of callers built against older and newer headers. */
#include "core/core_testing.h"

#include "core/options.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_leaves_the_defaults),
        cmocka_unit_test(fewer_bytes_go_over_the_defaults),
        cmocka_unit_test(more_bytes_must_be_zero),
        cmocka_unit_test(messages_name_the_initialiser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
