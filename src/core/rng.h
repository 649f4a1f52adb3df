/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers.
 *
 * KISS is the generator of D0, Appendix A (Marsaglia and Zaman): 16 bytes of state, one stream per
 * thread. It adds three generators: x is linear congruential, y a xorshift, (z, carry) a multiply
 * with carry. Some states of the latter two never change: y = 0; z = 0 with carry = 0; and
 * z = 0xffffffff with carry = 698769068. D0's seeding runs into the first two when
 * seed + 65537 * stream is 0 modulo 2^32, as for seed 0 and stream 0; hop__kiss_seed then sets y,
 * z and carry to constants. All other seeds give the numbers of D0.
 *
 * Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11) is a function of
 * (key, counter): element i of a stream can be had without the ones before it, which makes
 * generators independent of the number of threads. 4x32 is the one to use; 4x64, which NumPy has
 * too, ties us to an implementation that others trust. Both have ten rounds.
 *
 * hop__shuffle is a random permutation of [0, count) as a function: no memory, any element, in any
 * order. How it works is in rng.c. */
#ifndef HOPLITE_CORE_RNG_H
#define HOPLITE_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* C11 has no such type; gcc and clang do. */
__extension__ typedef unsigned __int128 hop__u128;

typedef struct hop__kiss {
    uint32_t x, y, z, carry;
} hop__kiss;

/* Stream number `stream` of `seed`, as D0 seeds it but for the states that never change. */
void hop__kiss_seed(hop__kiss *kiss, uint32_t seed, uint32_t stream);

static inline uint32_t hop__kiss_next(hop__kiss *kiss) {
    kiss->x = 69069u * kiss->x + 12345u;
    kiss->y ^= kiss->y << 13;
    kiss->y ^= kiss->y >> 17;
    kiss->y ^= kiss->y << 5;
    uint64_t t = UINT64_C(698769069) * kiss->z + kiss->carry;
    kiss->carry = (uint32_t)(t >> 32);
    kiss->z = (uint32_t)t;
    return kiss->x + kiss->y + kiss->z;
}

/* Uniform in [0, bound), bound > 0, without bias. */
uint32_t hop__kiss_below(hop__kiss *kiss, uint32_t bound);

/* Four random words for (key, counter). Inline, so that loops over counters can overlap them. */
static inline void hop__philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high,
                                   uint32_t out[4]) {
    uint32_t c0 = (uint32_t)counter_low, c1 = (uint32_t)(counter_low >> 32);
    uint32_t c2 = (uint32_t)counter_high, c3 = (uint32_t)(counter_high >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (unsigned round = 0; round < 10; round++) {
        uint64_t p0 = UINT64_C(0xd2511f53) * c0;
        uint64_t p1 = UINT64_C(0xcd9e8d57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static inline void hop__philox4x64(const uint64_t key[2], const uint64_t counter[4],
                                   uint64_t out[4]) {
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint64_t k0 = key[0], k1 = key[1];
    for (unsigned round = 0; round < 10; round++) {
        hop__u128 p0 = (hop__u128)UINT64_C(0xd2e7470ee14c6c93) * c0;
        hop__u128 p1 = (hop__u128)UINT64_C(0xca5a826395121157) * c2;
        c0 = (uint64_t)(p1 >> 64) ^ c1 ^ k0;
        c1 = (uint64_t)p1;
        c2 = (uint64_t)(p0 >> 64) ^ c3 ^ k1;
        c3 = (uint64_t)p0;
        k0 += UINT64_C(0x9e3779b97f4a7c15);
        k1 += UINT64_C(0xbb67ae8584caa73b);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The random 64 bits number `index` of stream `stream` of `seed`. */
static inline uint64_t hop__random_at(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t out[4];
    hop__philox4x32(seed, index, stream, out);
    return (uint64_t)out[1] << 32 | out[0];
}

/* Maps 64 random bits to [0, bound), bound > 0. The bias is below bound / 2^64. */
static inline uint64_t hop__random_below(uint64_t bits, uint64_t bound) {
    return (uint64_t)(((hop__u128)bits * bound) >> 64);
}

/* Maps 64 random bits to a double in [0, 1), in steps of 2^-53. */
static inline double hop__random_unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

enum { HOP__SHUFFLE_ROUNDS = 10 };

typedef struct hop__shuffle {
    uint64_t count;
    unsigned left_bits, right_bits;
    uint64_t factors[HOP__SHUFFLE_ROUNDS], addends[HOP__SHUFFLE_ROUNDS];
} hop__shuffle;

/* The permutation of [0, count) number `stream` of `seed`; count > 0. */
void hop__shuffle_init(hop__shuffle *shuffle, uint64_t count, uint64_t seed, uint64_t stream);
uint64_t hop__shuffle_at(const hop__shuffle *shuffle, uint64_t index);
/* Replaces each of `count` values below shuffle->count by hop__shuffle_at of it. Quicker than one
 * by one, because several are under way at a time. */
void hop__shuffle_all(const hop__shuffle *shuffle, uint64_t *values, size_t count);

#endif
