/* SPDX-License-Identifier: Apache-2.0
 *
 * KISS on devices: the generator of D0, Appendix A, one stream per work-item. The numbers are those
 * of src/core/rng.h, whose comment says what a seed and stream that mix to 0 would do in D0's form
 * (y, z and carry stay 0 for ever: seed 0 on item 0) and what is done instead. */
#ifndef HOPLITE_KERNELS_KISS_H
#define HOPLITE_KERNELS_KISS_H

#include "kernels/shim.h"

typedef struct kiss {
    u32 x, y, z, carry;
} kiss;

FN kiss kiss_seed(u32 seed, u32 stream) {
    u32 mixed = seed + (stream + (stream << 16));
    kiss state;
    state.x = rotate_left_u32(mixed, 1);
    state.y = rotate_left_u32(mixed, 2);
    state.z = rotate_left_u32(mixed, 4);
    state.carry = rotate_left_u32(mixed, 8);
    if (mixed == 0) {
        state.y = 362436069u;
        state.z = 521288629u;
        state.carry = 7654321u;
    }
    return state;
}

/* The next number: kiss_next(&state) with state in private memory. */
FN u32 kiss_next(kiss *state) {
    state->x = 69069u * state->x + 12345u;
    state->y ^= state->y << 13;
    state->y ^= state->y >> 17;
    state->y ^= state->y << 5;
    u64 t = (u64)698769069u * state->z + state->carry;
    state->carry = (u32)(t >> 32);
    state->z = (u32)t;
    return state->x + state->y + state->z;
}

/* Uniform in [0, bound), bound > 0, but for a bias below bound / 2^32. */
FN u32 kiss_below(kiss *state, u32 bound) {
    return (u32)((u64)kiss_next(state) * bound >> 32);
}

#endif
