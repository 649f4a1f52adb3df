/* SPDX-License-Identifier: Apache-2.0 */
#include "core/atomic.h"

#include "core/parallel.h"
#include "core_testing.h"

enum { ROUNDS = 20000, CELLS = 5 };

typedef struct cells {
    uint32_t least32[CELLS], once32;
    uint64_t wins32;
} cells;

static void hammer(void *arg, unsigned thread, unsigned threads) {
    cells *all = arg;
    uint64_t wins32 = 0;
    for (uint32_t i = thread; i < ROUNDS; i += threads) {
        uint32_t value = (i * 7919u) % ROUNDS;
        hop__lower_u32(&all->least32[i % CELLS], value + 3);
    }
    /* Whoever comes to step i finds i or more there, so every step is won by exactly one. */
    for (uint32_t i = 0; i < ROUNDS; i++)
        wins32 += hop__replace_u32(&all->once32, i, i + 1);
    __atomic_fetch_add(&all->wins32, wins32, __ATOMIC_RELAXED);
}

static void nothing_is_lost_between_threads(void **state) {
    (void)state;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 4;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    cells all = {.once32 = 0};
    memset(all.least32, 0xff, sizeof all.least32);
    hop__team(context, hammer, &all);
    uint32_t least[CELLS];
    memset(least, 0xff, sizeof least);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t value = (i * 7919u) % ROUNDS + 3;
        if (value < least[i % CELLS])
            least[i % CELLS] = value;
    }
    for (int c = 0; c < CELLS; c++)
        assert_int_equal(all.least32[c], least[c]);
    assert_true(all.wins32 == ROUNDS);
    hop_context_free(context);
}

static void lowering_says_whether_it_lowered(void **state) {
    (void)state;
    uint32_t narrow = 5;
    uint64_t wide = 0;
    assert_false(hop__lower_u32(&narrow, 5));
    assert_false(hop__lower_u32(&narrow, 6));
    assert_true(hop__lower_u32(&narrow, 4));
    assert_int_equal(narrow, 4);
    assert_false(hop__replace_u32(&narrow, 5, 9));
    assert_int_equal(narrow, 4);
    hop__store_u32(&narrow, 8);
    hop__store_u64(&wide, UINT64_MAX);
    assert_true(narrow == 8 && wide == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_between_threads),
        cmocka_unit_test(lowering_says_whether_it_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
