/* SPDX-License-Identifier: Apache-2.0
 *
 * The other part of the shim: `lanes`, LANES neighbouring numbers of type NUMBER that are worked on
 * at once. OpenCL has vectors for that; elsewhere it is an array, which compilers keep in
 * registers when loops over it are unrolled. Before including:
 *   NUMBER       i32, i64, f32 or f64
 *   NUMBER_CL    the name that OpenCL makes vectors from: int, long, float, double
 *   LANES        2, 4, 8 or 16 */
#ifndef HOPLITE_KERNELS_LANES_H
#define HOPLITE_KERNELS_LANES_H

#include "kernels/shim.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define LANES_PASTE(a, b) a##b
#define LANES_NAME(a, b)  LANES_PASTE(a, b)
typedef LANES_NAME(NUMBER_CL, LANES) lanes;

FN lanes lanes_load(GLOBAL const NUMBER *from) {
    return LANES_NAME(vload, LANES)(0, from);
}
/* Not vstore, of which PoCL makes a store for each four numbers. */
typedef lanes lanes_anywhere __attribute__((aligned(sizeof(NUMBER))));
FN void lanes_store(GLOBAL NUMBER *to, lanes values) {
    *(GLOBAL lanes_anywhere *)to = values;
}
FN lanes lanes_plus(NUMBER first, lanes via) {
    return first + via;
}
FN lanes lanes_least(lanes best, lanes other) {
    return other < best ? other : best;
}

#else

typedef struct lanes {
    NUMBER at[LANES];
} lanes;

FN lanes lanes_load(GLOBAL const NUMBER *from) {
    lanes values;
    for (u32 i = 0; i < LANES; i++)
        values.at[i] = from[i];
    return values;
}
FN void lanes_store(GLOBAL NUMBER *to, lanes values) {
    for (u32 i = 0; i < LANES; i++)
        to[i] = values.at[i];
}
FN lanes lanes_plus(NUMBER first, lanes via) {
    for (u32 i = 0; i < LANES; i++)
        via.at[i] = first + via.at[i];
    return via;
}
FN lanes lanes_least(lanes best, lanes other) {
    for (u32 i = 0; i < LANES; i++)
        best.at[i] = other.at[i] < best.at[i] ? other.at[i] : best.at[i];
    return best;
}

#endif

/* The lesser of `best` and first + via, lane by lane. */
FN lanes lanes_offer(lanes best, NUMBER first, lanes via) {
    return lanes_least(best, lanes_plus(first, via));
}

#endif
