/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeding KISS, and the shuffle.
 *
 * The shuffle is a Feistel network on `left_bits + right_bits` bits, the halves differing by at
 * most one. Rounds alternate between the halves, and add to one a random function of the other:
 * the top bits of two multiplications with a shift between them (without the second one, the
 * function is so nearly linear that neighbours stay related even after twenty rounds). It adds
 * rather than takes the exclusive or, because the latter only makes even permutations. In
 * chi-square tests of single permutations, of pairs and of whole small permutations over many
 * seeds nothing is seen from 6 rounds on; there are 10.
 *
 * A value that falls outside [0, count) is permuted again until it is inside, which keeps the whole
 * a bijection (cycle walking). That is less than once more on average, except for counts below 33,
 * where the network still has 6 bits because smaller halves would not mix. */
#include "core/rng.h"

#include "core/sort.h"

static uint32_t rotate_left(uint32_t value, unsigned by) {
    return value << by | value >> (32 - by);
}

void hop__kiss_seed(hop__kiss *kiss, uint32_t seed, uint32_t stream) {
    uint32_t mixed = seed + (stream + (stream << 16));
    kiss->x = rotate_left(mixed, 1);
    kiss->y = rotate_left(mixed, 2);
    kiss->z = rotate_left(mixed, 4);
    kiss->carry = rotate_left(mixed, 8);
    /* Only a mixed seed of 0 gives one of the states that never change (rng.h): the rotations of
     * any other keep y and z from 0, and z = 0xffffffff comes with a carry of 0xffffffff. */
    if (mixed == 0) {
        kiss->y = 362436069;
        kiss->z = 521288629;
        kiss->carry = 7654321;
    }
}

uint32_t hop__kiss_below(hop__kiss *kiss, uint32_t bound) {
    /* The high word of a product is uniform once the low words below 2^32 mod bound are left
     * out (Lemire). The division is rarely reached. */
    uint64_t product = (uint64_t)hop__kiss_next(kiss) * bound;
    if ((uint32_t)product < bound) {
        uint32_t surplus = (0u - bound) % bound;
        while ((uint32_t)product < surplus)
            product = (uint64_t)hop__kiss_next(kiss) * bound;
    }
    return (uint32_t)(product >> 32);
}

enum { SHUFFLE_BITS_LEAST = 6, LANES = 8, BATCH = 256 };

void hop__shuffle_init(hop__shuffle *shuffle, uint64_t count, uint64_t seed, uint64_t stream) {
    unsigned bits = hop__bit_width(count - 1);
    if (bits < SHUFFLE_BITS_LEAST)
        bits = SHUFFLE_BITS_LEAST;
    shuffle->count = count;
    shuffle->left_bits = bits / 2;
    shuffle->right_bits = bits - bits / 2;
    /* The wide Philox, so that the keys are not among the numbers of hop__random_at. */
    const uint64_t key[2] = {seed, stream};
    for (unsigned round = 0; round < HOP__SHUFFLE_ROUNDS; round++) {
        const uint64_t counter[4] = {round, 0, 0, 0};
        uint64_t random[4];
        hop__philox4x64(key, counter, random);
        shuffle->factors[round] = random[0];
        shuffle->addends[round] = random[1];
    }
}

/* The top `bits` bits of a random function of `half`. */
static inline uint64_t mix(const hop__shuffle *shuffle, unsigned round, uint64_t half,
                           unsigned bits) {
    uint64_t mixed = shuffle->factors[round] * half + shuffle->addends[round];
    mixed ^= mixed >> 32;
    return mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

/* Sends `lanes` values through the network side by side: the rounds of one value wait for each
 * other, those of different values do not. */
static inline void permute(const hop__shuffle *shuffle, uint64_t *values, unsigned lanes) {
    unsigned left_bits = shuffle->left_bits;
    unsigned right_bits = shuffle->right_bits;
    uint64_t left_mask = (UINT64_C(1) << left_bits) - 1;
    uint64_t right_mask = (UINT64_C(1) << right_bits) - 1;
    uint64_t left[LANES], right[LANES];
    for (unsigned i = 0; i < lanes; i++) {
        left[i] = values[i] >> right_bits;
        right[i] = values[i] & right_mask;
    }
    for (unsigned round = 0; round < HOP__SHUFFLE_ROUNDS; round += 2) {
        for (unsigned i = 0; i < lanes; i++)
            left[i] = (left[i] + mix(shuffle, round, right[i], left_bits)) & left_mask;
        for (unsigned i = 0; i < lanes; i++)
            right[i] = (right[i] + mix(shuffle, round + 1, left[i], right_bits)) & right_mask;
    }
    for (unsigned i = 0; i < lanes; i++)
        values[i] = left[i] << right_bits | right[i];
}

uint64_t hop__shuffle_at(const hop__shuffle *shuffle, uint64_t index) {
    do
        permute(shuffle, &index, 1);
    while (index >= shuffle->count);
    return index;
}

/* At most BATCH values. The ones that are still outside are moved to the front of `walking`, and go
 * through the network again together. */
static void shuffle_batch(const hop__shuffle *shuffle, uint64_t *values, unsigned count) {
    uint64_t walking[BATCH];
    uint16_t places[BATCH];
    for (unsigned i = 0; i < count; i++) {
        walking[i] = values[i];
        places[i] = (uint16_t)i;
    }
    while (count > 0) {
        unsigned at = 0;
        for (; at + LANES <= count; at += LANES)
            permute(shuffle, walking + at, LANES);
        for (; at < count; at++)
            permute(shuffle, walking + at, 1);
        unsigned outside = 0;
        for (unsigned i = 0; i < count; i++) {
            /* Without a branch, since up to half of them are outside; a value that is gets its
             * place again later. */
            uint64_t value = walking[i];
            uint16_t place = places[i];
            values[place] = value;
            walking[outside] = value;
            places[outside] = place;
            outside += value >= shuffle->count;
        }
        count = outside;
    }
}

void hop__shuffle_all(const hop__shuffle *shuffle, uint64_t *values, size_t count) {
    for (size_t done = 0; done < count; done += BATCH)
        shuffle_batch(shuffle, values + done,
                      count - done < BATCH ? (unsigned)(count - done) : BATCH);
}
