/* SPDX-License-Identifier: Apache-2.0
 *
 * The picking of weights in a range: every form that runs here against the definition, for every
 * length of a row up to two hundred, and nothing is written beyond the room that is promised. */
#include "sssp/sssp_testing.h"

#include "core/rng.h"
#include "sssp/delta/delta_pick.h"

enum { MOST = 200, ROOM = MOST + HOP__DELTA_PICK_LANES, UNTOUCHED = 0x5a5a5a5a };

static uint32_t rounded(uint32_t count) {
    return (count + HOP__DELTA_PICK_LANES - 1) / HOP__DELTA_PICK_LANES * HOP__DELTA_PICK_LANES;
}

static void check(hop__delta_pick_fn pick, const int32_t *weights, uint32_t count,
                  hop__delta_range range) {
    uint32_t picks[ROOM], targets[MOST] = {0}, wanted = 0;
    for (uint32_t k = 0; k < ROOM; k++)
        picks[k] = UNTOUCHED;
    uint32_t picked = pick(weights, targets, count, range, picks);
    for (uint32_t k = 0; k < count; k++) {
        uint64_t weight = (uint64_t)weights[k];
        if (weight >= range.first && weight < (uint64_t)range.first + range.count) {
            assert_true(wanted < picked);
            assert_int_equal(picks[wanted++], k);
        }
    }
    assert_int_equal(picked, wanted);
    for (uint32_t k = rounded(count); k < ROOM; k++)
        assert_int_equal(picks[k], UNTOUCHED);
}

static void picks_are_those_in_the_range(void **state) {
    static const hop__delta_range ranges[] = {
        {0, 0},        {0, 1},         {0, 256},       {10, 100}, {255, 1},        {256, 1},
        {0, 1u << 31}, {INT32_MAX, 1}, {1, INT32_MAX}, {200, 56}, {1u << 20, 1000}};
    int32_t weights[MOST];
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        hop__kiss kiss;
        hop__kiss_seed(&kiss, seed, 1);
        for (uint32_t k = 0; k < MOST; k++) {
            uint32_t drawn = hop__kiss_next(&kiss);
            weights[k] = drawn % 8 == 0 ? INT32_MAX : (int32_t)(drawn % (seed % 2 ? 256 : 1 << 21));
        }
        for (int level = 0; level <= (int)hop__cpu(); level++)
            for (uint32_t count = 0; count <= MOST; count++)
                for (size_t i = 0; i < HOP_LENGTH(ranges); i++)
                    check(hop__delta_pick_for((hop__cpu_level)level), weights, count, ranges[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(picks_are_those_in_the_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
