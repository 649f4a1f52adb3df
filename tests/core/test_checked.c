/* SPDX-License-Identifier: Apache-2.0
 * Checked arithmetic at its borders. */
#include "core/core_testing.h"

#include "core/checked.h"

static void sums(void **state) {
    (void)state;
    uint64_t u;
    assert_true(hop__add_u64(UINT64_MAX - 1, 1, &u) && u == UINT64_MAX);
    assert_false(hop__add_u64(UINT64_MAX, 1, &u));
    assert_false(hop__add_u64(UINT64_MAX, UINT64_MAX, &u));
    assert_true(hop__add_u64(0, 0, &u) && u == 0);
    size_t s;
    assert_true(hop__add_size(SIZE_MAX - 64, 64, &s) && s == SIZE_MAX);
    assert_false(hop__add_size(SIZE_MAX - 63, 64, &s));
}

static void products(void **state) {
    (void)state;
    uint64_t u;
    assert_true(hop__mul_u64(UINT32_MAX, UINT32_MAX, &u) && u == UINT64_C(0xfffffffe00000001));
    assert_true(hop__mul_u64(UINT64_C(1) << 32, UINT32_MAX, &u));
    assert_false(hop__mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &u));
    assert_true(hop__mul_u64(UINT64_MAX, 1, &u) && u == UINT64_MAX);
    assert_true(hop__mul_u64(0, UINT64_MAX, &u) && u == 0);
    assert_false(hop__mul_u64(UINT64_MAX / 3 + 1, 3, &u));
    assert_true(hop__mul_u64(UINT64_MAX / 3, 3, &u) && u == UINT64_MAX);
    size_t s;
    assert_true(hop__mul_size(SIZE_MAX / 8, 8, &s) && s == SIZE_MAX - SIZE_MAX % 8);
    assert_false(hop__mul_size(SIZE_MAX / 8 + 1, 8, &s));
}

static void products_with_a_sum(void **state) {
    (void)state;
    uint64_t u;
    /* 2^64 - 1 = 3 * 6148914691236517205 exactly. */
    assert_true(hop__mul_add_u64(UINT64_MAX / 3, 3, 0, &u) && u == UINT64_MAX);
    assert_false(hop__mul_add_u64(UINT64_MAX / 3, 3, 1, &u));
    assert_true(hop__mul_add_u64(UINT64_MAX / 3 - 1, 3, 3, &u) && u == UINT64_MAX);
    assert_false(hop__mul_add_u64(UINT64_MAX, 2, 0, &u));
    assert_true(hop__mul_add_u64(6, 7, 8, &u) && u == 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(products),
        cmocka_unit_test(products_with_a_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
