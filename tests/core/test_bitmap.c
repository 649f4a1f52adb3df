/* SPDX-License-Identifier: Apache-2.0
 * One bit per element, claimed once. */
#include "core/core_testing.h"

#include "core/bitmap.h"
#include "core/parallel.h"

static void words(void **state) {
    (void)state;
    assert_int_equal(hop__bitmap_words(0), 0);
    assert_int_equal(hop__bitmap_words(1), 1);
    assert_int_equal(hop__bitmap_words(64), 1);
    assert_int_equal(hop__bitmap_words(65), 2);
    assert_true(hop__bitmap_words(UINT64_MAX) == UINT64_C(1) << 58);
}

static void bits_are_independent(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 192; i++) {
        uint64_t map[3] = {0};
        hop__bitmap_set(map, i);
        for (uint64_t j = 0; j < 192; j++)
            assert_int_equal(hop__bitmap_get(map, j), i == j);
        assert_false(hop__bitmap_claim(map, i));
        assert_true(hop__bitmap_claim(map, (i + 1) % 192));
        assert_false(hop__bitmap_claim(map, (i + 1) % 192));
    }
}

enum { BITS = 100000 };

typedef struct claims {
    uint64_t map[BITS / 64 + 1];
    atomic_uint_fast64_t won;
} claims;

static void claim_all(void *arg, unsigned thread, unsigned threads) {
    claims *job = arg;
    uint64_t won = 0;
    for (uint64_t i = 0; i < BITS; i++) /* from different ends, to meet in the middle */
        won += hop__bitmap_claim(job->map, thread % 2 == 0 ? i : BITS - 1 - i);
    atomic_fetch_add(&job->won, won);
    (void)threads;
}

static void each_bit_is_claimed_once(void **state) {
    (void)state;
    hop_context *context = make_context(4);
    for (unsigned round = 0; round < 20; round++) {
        claims job = {0};
        hop__team(context, claim_all, &job);
        assert_int_equal(atomic_load(&job.won), BITS);
        for (uint64_t i = 0; i < BITS; i++)
            assert_true(hop__bitmap_get(job.map, i));
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(bits_are_independent),
        cmocka_unit_test(each_bit_is_claimed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
