/* SPDX-License-Identifier: Apache-2.0
 * Prefix sums against a plain loop. */
#include "core/core_testing.h"

#include "core/memory.h"
#include "core/rng.h"
#include "core/scan.h"

static const unsigned thread_counts[] = {1, 2, 3, 8};
/* Around where one more thread joins (2^15 elements each), and none at all. */
static const uint64_t counts[] = {0,     1,     2,     7,     1000,   32767,  32768,
                                  65535, 65536, 65537, 98304, 262143, 262144, 500009};

static void check_u64(hop_context *context, uint64_t count, unsigned value_bits) {
    uint64_t *values;
    assert_int_equal(hop__alloc(context, "test", count + 1, sizeof *values, &values), HOP_OK);
    for (uint64_t i = 0; i < count; i++)
        values[i] = hop__random_at(3, 0, i) >> (64 - value_bits);
    values[count] = 77;
    uint64_t total = hop__scan_u64(context, values, count);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        assert_true(values[i] == sum);
        sum += hop__random_at(3, 0, i) >> (64 - value_bits);
    }
    assert_true(total == sum);
    assert_int_equal(values[count], 77); /* nothing behind the end is touched */
    hop__free(values);
}

static void check_u32(hop_context *context, uint64_t count) {
    uint32_t *values;
    assert_int_equal(hop__alloc(context, "test", count + 1, sizeof *values, &values), HOP_OK);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (uint32_t)(hop__random_at(4, 0, i) >> 52);
    values[count] = 77;
    uint32_t total = hop__scan_u32(context, values, count);
    uint32_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(values[i], sum);
        sum += (uint32_t)(hop__random_at(4, 0, i) >> 52);
    }
    assert_int_equal(total, sum);
    assert_int_equal(values[count], 77);
    hop__free(values);
}

static void sums_for_every_count_and_team(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        hop_context *context = make_context(thread_counts[t]);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            check_u64(context, counts[c], 40);
            check_u64(context, counts[c], 64); /* sums wrap, and the same way for all */
            check_u32(context, counts[c]);
        }
        free_context(context);
    }
}

static void the_largest_sum_fits(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    uint64_t wide[3] = {UINT64_MAX - 5, 5, 0};
    assert_true(hop__scan_u64(context, wide, 3) == UINT64_MAX);
    assert_true(wide[0] == 0 && wide[1] == UINT64_MAX - 5 && wide[2] == UINT64_MAX);
    uint32_t narrow[2] = {UINT32_MAX - 1, 1};
    assert_true(hop__scan_u32(context, narrow, 2) == UINT32_MAX);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_for_every_count_and_team),
        cmocka_unit_test(the_largest_sum_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
