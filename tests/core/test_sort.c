/* SPDX-License-Identifier: Apache-2.0
 * The radix sorts against qsort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/rng.h"
#include "core/scan.h"
#include "core/sort.h"

static hop_context *context_with(unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sorts_u64(void **state) {
    (void)state;
    hop_context *context = context_with(2);
    uint64_t count = 200000;
    uint64_t *keys, *expected;
    assert_int_equal(hop__alloc(context, "test", count, sizeof *keys, &keys), HOP_OK);
    assert_int_equal(hop__alloc(context, "test", count, sizeof *keys, &expected), HOP_OK);
    for (uint64_t i = 0; i < count; i++)
        keys[i] = hop__random_at(1, 2, i) >> 23;
    memcpy(expected, keys, count * sizeof *keys);
    qsort(expected, count, sizeof *keys, compare_u64);
    assert_int_equal(hop__sort_u64(context, keys, count, 41), HOP_OK);
    assert_memory_equal(keys, expected, count * sizeof *keys);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = expected[i];
        expected[i] = sum;
        sum += value;
    }
    assert_true(hop__scan_u64(context, keys, count) == sum);
    assert_memory_equal(keys, expected, count * sizeof *keys);
    hop__free(keys);
    hop__free(expected);
    assert_int_equal(hop_context_memory(context).used, 0);
    hop_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_u64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
