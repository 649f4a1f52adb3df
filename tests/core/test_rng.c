/* SPDX-License-Identifier: Apache-2.0
 * KISS against values worked out by hand, Philox against its authors' and NumPy's, and whether the
 * shuffle is a permutation, and a random one. */
#include "core/core_testing.h"

#include <math.h>
#include <stdio.h>

#include "core/rng.h"

/* Seed 1, stream 0. The mixed seed is 1 + 0 = 1, so x = 1 << 1 = 2, y = 1 << 2 = 4, z = 1 << 4 =
 * 16, carry = 1 << 8 = 256.
 *
 * First:  x = 69069 * 2 + 12345 = 150483
 *         y: 4 ^ 4 * 2^13 = 4 ^ 32768 = 32772; 32772 >> 17 = 0, so 32772;
 *            32772 ^ 32772 * 32 = 32772 ^ 1048704 = 1081476
 *         t = 698769069 * 16 + 256 = 11180305360 = 2 * 2^32 + 2590370768
 *         150483 + 1081476 + 2590370768 = 2591602727
 * Second: x = 69069 * 150483 + 12345 = 10393722672 mod 2^32 = 1803788080
 *         y: 1081476 ^ (1081476 * 8192 mod 2^32 = 269516800) = 268435588;
 *            268435588 >> 17 = 2048, so 268437636;
 *            268437636 ^ (268437636 * 32 mod 2^32 = 69760) = 268507140
 *         t = 698769069 * 2590370768 + 2 = 1810070969920174994
 *           = 421439988 * 2^32 + 4233542546
 *         1803788080 + 268507140 + 4233542546 = 6305837766 mod 2^32 = 2010870470
 * The others were made by the same steps in Python's integers. */
static void kiss_by_hand(void **state) {
    (void)state;
    hop__kiss kiss;
    hop__kiss_seed(&kiss, 1, 0);
    assert_int_equal(kiss.x, 2);
    assert_int_equal(kiss.y, 4);
    assert_int_equal(kiss.z, 16);
    assert_int_equal(kiss.carry, 256);
    assert_int_equal(hop__kiss_next(&kiss), 2591602727);
    assert_int_equal(kiss.x, 150483);
    assert_int_equal(kiss.y, 1081476);
    assert_int_equal(kiss.z, 2590370768);
    assert_int_equal(kiss.carry, 2);
    assert_int_equal(hop__kiss_next(&kiss), 2010870470);
    assert_int_equal(kiss.x, 1803788080);
    assert_int_equal(kiss.y, 268507140);
    assert_int_equal(kiss.z, 4233542546);
    assert_int_equal(kiss.carry, 421439988);
    assert_int_equal(hop__kiss_next(&kiss), 891605579);
    assert_int_equal(hop__kiss_next(&kiss), 2705772282);
}

static void kiss_of_other_streams(void **state) {
    (void)state;
    static const struct {
        uint32_t seed, stream, first[4], thousandth;
    } rows[] = {
        {1, 0, {2591602727, 2010870470, 891605579, 2705772282}, 1201625818},
        {1, 1, {3169288279, 2093830421, 1493317394, 3620266541}, 3841057579},
        {12345, 7, {4009302423, 4028649734, 2003352370, 577406729}, 3330992267},
        {0, 0, {571432945, 2717817979, 245140723, 1197875537}, 2195250710},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        hop__kiss kiss;
        hop__kiss_seed(&kiss, rows[r].seed, rows[r].stream);
        uint32_t last = 0;
        for (unsigned i = 0; i < 1000; i++) {
            last = hop__kiss_next(&kiss);
            if (i < 4)
                assert_int_equal(last, rows[r].first[i]);
        }
        assert_int_equal(last, rows[r].thousandth);
    }
}

/* No register may be stuck, whatever the seed: neither at once nor a few steps later. */
static void kiss_never_starts_stuck(void **state) {
    (void)state;
    for (uint32_t stream = 0; stream < 3000; stream++) {
        const uint32_t seeds[] = {0, 0u - 65537u * stream, 0xffffffffu - 65537u * stream, stream};
        for (size_t s = 0; s < 4; s++) {
            hop__kiss kiss;
            hop__kiss_seed(&kiss, seeds[s], stream);
            for (unsigned step = 0; step < 20; step++) {
                hop__kiss before = kiss;
                hop__kiss_next(&kiss);
                assert_true(kiss.x != before.x && kiss.y != before.y);
                assert_true(kiss.z != before.z || kiss.carry != before.carry);
            }
        }
    }
}

static void kiss_below_is_uniform(void **state) {
    (void)state;
    hop__kiss kiss;
    hop__kiss_seed(&kiss, 42, 0);
    assert_int_equal(hop__kiss_below(&kiss, 1), 0);
    double chi_square = 0;
    unsigned seen[7] = {0};
    for (unsigned i = 0; i < 70000; i++) {
        uint32_t value = hop__kiss_below(&kiss, 7);
        assert_true(value < 7);
        seen[value]++;
    }
    for (unsigned v = 0; v < 7; v++)
        chi_square += (seen[v] - 10000.0) * (seen[v] - 10000.0) / 10000.0;
    assert_true(chi_square < 22.5); /* 6 degrees of freedom: 1 in 1,000 */
    /* Three quarters of the range: without rejection four inputs go to three outputs, and every
     * third output comes twice as often as the others. */
    unsigned thirds = 0;
    for (unsigned i = 0; i < 30000; i++)
        thirds += hop__kiss_below(&kiss, 0xc0000000u) % 3 == 0;
    assert_true(thirds > 10000 - 5 * 82 && thirds < 10000 + 5 * 82);
}

/* The known answers that come with Random123: zeros, ones, and the digits of pi. */
static void philox_4x32_known_answers(void **state) {
    (void)state;
    static const struct {
        uint64_t key, low, high;
        uint32_t out[4];
    } rows[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {UINT64_C(0x299f31d0a4093822),
         UINT64_C(0x85a308d3243f6a88),
         UINT64_C(0x0370734413198a2e),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t out[4];
        hop__philox4x32(rows[r].key, rows[r].low, rows[r].high, out);
        assert_memory_equal(out, rows[r].out, sizeof out);
    }
    assert_true(hop__random_at(0, 0, 0) == UINT64_C(0xe169c58d6627e8d5));
    uint32_t out[4];
    hop__philox4x32(11, 12, 13, out); /* the stream is the high half of the counter */
    assert_true(hop__random_at(11, 13, 12) == ((uint64_t)out[1] << 32 | out[0]));
}

/* NumPy 2.4, with u = lambda *v: numpy.array(v, dtype=numpy.uint64):
 *     numpy.random.Philox(key=u(1, 2), counter=u(2, 3, 4, 5)).random_raw(8)
 *     numpy.random.Philox(key=u(0, 0), counter=u(*[2**64 - 1] * 4)).random_raw(8)
 *     numpy.random.Philox(key=u(*[2**64 - 1] * 2),
 *                         counter=u(2**64 - 2, *[2**64 - 1] * 3)).random_raw(4)
 *     numpy.random.Philox(key=u(0x452821e638d01377, 0xbe5466cf34e90c6c),
 *                         counter=u(0x243f6a8885a308d2, 0x13198a2e03707344, 0xa4093822299f31d0,
 *                                   0x082efa98ec4e6c89)).random_raw(4)
 * NumPy adds 1 to the counter before each block of four. The last two, and the first block of the
 * second, are known answers of Random123 too. */
static void philox_4x64_is_numpys(void **state) {
    (void)state;
    static const struct {
        uint64_t key[2], counter[4], out[4];
    } rows[] = {
        {{1, 2},
         {3, 3, 4, 5},
         {UINT64_C(0xea644342120c7dca), UINT64_C(0x67a4910eadadeefb), UINT64_C(0x45a51639e4be14d3),
          UINT64_C(0x612449c1cb0df477)}},
        {{1, 2},
         {4, 3, 4, 5},
         {UINT64_C(0x5a43b1841c59e2c1), UINT64_C(0x3d8d0e4333e0ef46), UINT64_C(0x0f2def614364ae37),
          UINT64_C(0x43dc8006ab45f74c)}},
        {{0, 0},
         {0, 0, 0, 0},
         {UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc), UINT64_C(0xd7e772cee186176b),
          UINT64_C(0x7e68b68aec7ba23b)}},
        {{0, 0},
         {1, 0, 0, 0},
         {UINT64_C(0x02f4ba6408e4d89b), UINT64_C(0x3dd62b0b9ca8c5b2), UINT64_C(0x1c8667a55d902e79),
          UINT64_C(0x907d7a052fd5b4dc)}},
        {{UINT64_MAX, UINT64_MAX},
         {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
         {UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224), UINT64_C(0x9cc7d7c69cd777b6),
          UINT64_C(0xa09caebf594f0ba0)}},
        {{UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c)},
         {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
          UINT64_C(0x082efa98ec4e6c89)},
         {UINT64_C(0xa528f45403e61d95), UINT64_C(0x38c72dbd566e9788), UINT64_C(0xa5a1610e72fd18b5),
          UINT64_C(0x57bd43b5e52b7fe6)}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t out[4];
        hop__philox4x64(rows[r].key, rows[r].counter, out);
        assert_memory_equal(out, rows[r].out, sizeof out);
    }
}

static void bits_are_mapped_to_ranges(void **state) {
    (void)state;
    assert_int_equal(hop__random_below(0, 10), 0);
    assert_int_equal(hop__random_below(UINT64_MAX, 10), 9);
    assert_int_equal(hop__random_below(UINT64_C(1) << 63, 10), 5);
    assert_int_equal(hop__random_below(UINT64_MAX, 1), 0);
    assert_true(hop__random_below(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(hop__random_unit(0) == 0.0);
    assert_true(hop__random_unit(UINT64_MAX) == 1.0 - 0x1p-53);
    assert_true(hop__random_unit(UINT64_C(1) << 63) == 0.5);
    assert_true(hop__random_unit(2047) == 0.0 && hop__random_unit(2048) == 0x1p-53);
}

static void assert_bijection(uint64_t count, uint64_t seed, unsigned char *seen) {
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, count, seed, 1);
    memset(seen, 0, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t to = hop__shuffle_at(&shuffle, i);
        assert_true(to < count && seen[to] == 0);
        seen[to] = 1;
    }
}

static void shuffle_is_a_bijection(void **state) {
    (void)state;
    unsigned char *seen = malloc((1 << 18) + 1);
    assert_non_null(seen);
    for (uint64_t count = 1; count <= 2000; count++)
        assert_bijection(count, count * 3, seen);
    for (unsigned bits = 11; bits <= 18; bits++)
        for (uint64_t count = (UINT64_C(1) << bits) - 1; count <= (UINT64_C(1) << bits) + 1;
             count++)
            assert_bijection(count, 5, seen);
    free(seen);
}

/* Too many to visit, but neighbours of the ends must stay inside and apart. */
static void shuffle_of_huge_counts(void **state) {
    (void)state;
    static const uint64_t counts[] = {UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 32) + 1,
                                      (UINT64_C(1) << 40) - 1,
                                      UINT64_C(1) << 63,
                                      (UINT64_C(1) << 63) + 1,
                                      UINT64_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        hop__shuffle shuffle;
        hop__shuffle_init(&shuffle, counts[c], 7, 0);
        uint64_t values[200];
        for (uint64_t i = 0; i < 200; i++) {
            values[i] = hop__shuffle_at(&shuffle, i < 100 ? i : counts[c] - 200 + i);
            assert_true(values[i] < counts[c]);
            for (uint64_t j = 0; j < i; j++)
                assert_true(values[i] != values[j]);
        }
    }
}

static void shuffle_all_is_shuffle_at(void **state) {
    (void)state;
    static const uint64_t counts[] = {1, 5, 64, 65, 1000, 4097, 100000, (UINT64_C(1) << 40) + 1};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        hop__shuffle shuffle;
        hop__shuffle_init(&shuffle, counts[c], 3, 2);
        uint64_t values[1001];
        static const size_t lengths[] = {0, 1, 7, 8, 9, 255, 256, 257, 1000};
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            size_t length = lengths[l];
            for (size_t i = 0; i < length; i++)
                values[i] = i * 977 % counts[c];
            values[length] = 12345;
            hop__shuffle_all(&shuffle, values, length);
            for (size_t i = 0; i < length; i++)
                assert_true(values[i] == hop__shuffle_at(&shuffle, i * 977 % counts[c]));
            assert_int_equal(values[length], 12345);
        }
    }
}

/* How far a chi-square is from what is expected, in standard deviations. */
static double deviation(const unsigned *seen, size_t cells, double expected, double freedom) {
    double chi_square = 0;
    for (size_t i = 0; i < cells; i++)
        chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
    return (chi_square - freedom) / sqrt(2 * freedom);
}

/* The seeds are fixed, so these either pass always or never. */
enum { DEVIATION_LIMIT = 4 };

/* Over many seeds every permutation of a few comes equally often. */
static void shuffle_reaches_every_permutation(void **state) {
    (void)state;
    static const unsigned orders[] = {1, 1, 2, 6, 24, 120};
    for (unsigned n = 2; n <= 5; n++) {
        unsigned seen[3125] = {0}, used[120];
        for (uint64_t seed = 0; seed < 500 * orders[n]; seed++) {
            hop__shuffle shuffle;
            hop__shuffle_init(&shuffle, n, seed, 0);
            unsigned id = 0;
            for (uint64_t i = 0; i < n; i++)
                id = id * n + (unsigned)hop__shuffle_at(&shuffle, i);
            seen[id]++;
        }
        size_t cells = 0;
        for (unsigned id = 0; id < 3125; id++) {
            if (seen[id] == 0)
                continue;
            assert_true(cells < orders[n]);
            used[cells++] = seen[id];
        }
        assert_int_equal(cells, orders[n]);
        assert_true(fabs(deviation(used, cells, 500, orders[n] - 1.0)) < DEVIATION_LIMIT);
    }
}

/* Half of all permutations are odd, also where the network has no values outside. */
static void shuffle_is_odd_as_often_as_even(void **state) {
    (void)state;
    for (unsigned n = 64; n <= 256; n *= 2) {
        unsigned odd = 0;
        for (uint64_t seed = 0; seed < 1000; seed++) {
            hop__shuffle shuffle;
            hop__shuffle_init(&shuffle, n, seed, 0);
            unsigned cycles = 0;
            bool seen[256] = {false};
            for (uint64_t i = 0; i < n; i++) {
                cycles += !seen[i];
                for (uint64_t at = i; !seen[at]; at = hop__shuffle_at(&shuffle, at))
                    seen[at] = true;
            }
            odd += (n - cycles) % 2;
        }
        assert_true(odd > 500 - 4 * 16 && odd < 500 + 4 * 16);
    }
}

/* Where 0 and 1 go, jointly, over many seeds and over many streams. */
static void shuffle_places_pairs_evenly(void **state) {
    (void)state;
    static const unsigned counts[] = {16, 33, 64, 100};
    for (size_t c = 0; c < 4; c++) {
        for (int by_stream = 0; by_stream < 2; by_stream++) {
            unsigned n = counts[c], draws = n * (n - 1) * 20;
            unsigned first[100] = {0}, pairs[100 * 100] = {0};
            for (unsigned draw = 0; draw < draws; draw++) {
                hop__shuffle shuffle;
                hop__shuffle_init(&shuffle, n, by_stream ? 1 : draw, by_stream ? draw : 1);
                uint64_t a = hop__shuffle_at(&shuffle, 0), b = hop__shuffle_at(&shuffle, 1);
                first[a]++;
                pairs[a * (n - 1) + (b < a ? b : b - 1)]++;
            }
            assert_true(fabs(deviation(first, n, draws / (double)n, n - 1.0)) < DEVIATION_LIMIT);
            assert_true(fabs(deviation(pairs, (size_t)n * (n - 1), 20, n * (n - 1.0) - 1)) <
                        DEVIATION_LIMIT);
        }
    }
}

/* Differences of neighbours: what a round function that is nearly linear gives away. */
static void shuffle_separates_neighbours(void **state) {
    (void)state;
    for (unsigned bits = 10; bits <= 16; bits += 2) {
        unsigned n = 1u << bits, seeds = 1u << (20 - bits);
        unsigned *seen = calloc(n, sizeof *seen);
        assert_non_null(seen);
        for (uint64_t seed = 0; seed < seeds; seed++) {
            hop__shuffle shuffle;
            hop__shuffle_init(&shuffle, n, seed, 3);
            uint64_t last = hop__shuffle_at(&shuffle, 0);
            for (uint64_t i = 1; i < n; i++) {
                uint64_t to = hop__shuffle_at(&shuffle, i);
                seen[(to - last) & (n - 1)]++;
                last = to;
            }
        }
        assert_int_equal(seen[0], 0);
        double expected = (double)seeds * (n - 1.0) / (n - 1.0);
        assert_true(fabs(deviation(seen + 1, n - 1, expected, n - 2.0)) < DEVIATION_LIMIT);
        free(seen);
    }
}

/* Fixed points of a random permutation: 1 on average, with a variance of 1. */
static void shuffle_has_one_fixed_point_on_average(void **state) {
    (void)state;
    unsigned fixed = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        hop__shuffle shuffle;
        hop__shuffle_init(&shuffle, 200, seed, 9);
        for (uint64_t i = 0; i < 200; i++)
            fixed += hop__shuffle_at(&shuffle, i) == i;
    }
    assert_true(fabs(fixed - 2000.0) < DEVIATION_LIMIT * sqrt(2000.0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kiss_by_hand),
        cmocka_unit_test(kiss_of_other_streams),
        cmocka_unit_test(kiss_never_starts_stuck),
        cmocka_unit_test(kiss_below_is_uniform),
        cmocka_unit_test(philox_4x32_known_answers),
        cmocka_unit_test(philox_4x64_is_numpys),
        cmocka_unit_test(bits_are_mapped_to_ranges),
        cmocka_unit_test(shuffle_is_a_bijection),
        cmocka_unit_test(shuffle_of_huge_counts),
        cmocka_unit_test(shuffle_all_is_shuffle_at),
        cmocka_unit_test(shuffle_reaches_every_permutation),
        cmocka_unit_test(shuffle_is_odd_as_often_as_even),
        cmocka_unit_test(shuffle_places_pairs_evenly),
        cmocka_unit_test(shuffle_separates_neighbours),
        cmocka_unit_test(shuffle_has_one_fixed_point_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
