/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers.
 *
 * KISS is the generator of D0, Appendix A: a small state, one stream per thread. D0's seeding
 * leaves y, z and carry at 0 for a seed of 0 (three of the four registers stuck), and a z of 0
 * with a carry of 0 or z = 0xffffffff with carry = 698769068 stay where they are; such states are
 * replaced.
 *
 * Philox 4x32-10 (Salmon et al., SC'11) is a function of (key, counter): element i of a stream
 * can be had without the ones before it, which is what makes generators independent of the
 * number of threads. Bit-compatible with NumPy's Philox of the same width is not to be had (NumPy
 * has the 4x64 one), so both widths are here: 4x64 is checked against NumPy, 4x32 against the
 * authors' known answers.
 *
 * hop__shuffle is a random permutation of [0, n) as a function: a Feistel network on the next
 * power of two, walked until it lands inside. No memory, any element in any order. */
#ifndef HOPLITE_CORE_RNG_H
#define HOPLITE_CORE_RNG_H

#include <stdint.h>

typedef struct hop__kiss {
    uint32_t x, y, z, carry;
} hop__kiss;

/* Stream number `stream` of `seed`, as D0 seeds it. */
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

/* Four random words for (key, counter). */
void hop__philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high, uint32_t out[4]);
void hop__philox4x64(const uint64_t key[2], const uint64_t counter[4], uint64_t out[4]);

/* The random 64 bits number `index` of stream `stream` of `seed`. */
static inline uint64_t hop__random_at(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t out[4];
    hop__philox4x32(seed, index, stream, out);
    return (uint64_t)out[1] << 32 | out[0];
}

/* Maps 64 random bits to [0, bound), bound > 0. The bias is below bound / 2^64. */
static inline uint64_t hop__random_below(uint64_t bits, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)bits * bound) >> 64);
}

/* Maps 64 random bits to a double in [0, 1), in steps of 2^-53. */
static inline double hop__random_unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

typedef struct hop__shuffle {
    uint64_t count;
    unsigned left_bits, right_bits;
    uint32_t keys[24];
} hop__shuffle;

/* The permutation of [0, count) number `stream` of `seed`; count > 0. */
void hop__shuffle_init(hop__shuffle *shuffle, uint64_t count, uint64_t seed, uint64_t stream);
uint64_t hop__shuffle_at(const hop__shuffle *shuffle, uint64_t index);

#endif
