/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances on a device, for the programs of sssp. A distance is kept as a *key*, an unsigned
 * number of 32 or 64 bits that is smaller where the distance is, so that one atomic minimum serves
 * all types:
 *   KIND 0  u32  integers of no negative weight, where a bound proves that they fit
 *   KIND 1  u32  the same with negative weights: distance + 2^31
 *   KIND 2  u64  integers, no negative weight; a sum of 2^63 - 1 or more is a key above KEY_NONE
 *   KIND 3  u64  with negative weights: distance + 2^63
 *   KIND 4  u32  float32 at least 0: its bits
 *   KIND 5  u64  float64 at least 0: its bits
 * KEY_NONE is the key of what is not reached. Adding a weight to another key never wraps: by the
 * bounds that the host has checked, for keys not below `low` (sssp_device.h).
 *
 * WEIGHT: 0 none (each arc counts 1), 1 int32, 2 int64, 3 float32, 4 float64; it suits the KIND. */
#include "kernels/offset.cl"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
#ifndef KIND
#define KIND 0
#endif
#ifndef WEIGHT
#define WEIGHT 1
#endif

#define NO_VERTEX 0xffffffffu
/* Whether weights may be negative: then the tree of ways is kept, and keys below `low` are not
 * taken, since only a negative cycle leads to them. */
#define SIGNED (KIND == 1 || KIND == 3)

#if KIND == 2 || KIND == 3 || KIND == 5
#define KEY       u64
#define key_load  relaxed_load_u64
#define key_store relaxed_store_u64
#define key_min   atomic_min_u64
#define key_swap  atomic_swap_u64
#else
#define KEY       u32
#define key_load  relaxed_load_u32
#define key_store relaxed_store_u32
#define key_min   atomic_min_u32
#define key_swap  atomic_swap_u32
#endif

#if KIND == 0 || KIND == 1
#define KEY_NONE 0xffffffffu
#elif KIND == 2
#define KEY_NONE U64_C(0x7fffffffffffffff)
#elif KIND == 3
#define KEY_NONE U64_C(0xffffffffffffffff)
#elif KIND == 4
#define KEY_NONE 0x7f800000u
#else
#define KEY_NONE U64_C(0x7ff0000000000000)
#endif
#if KIND == 1
#define KEY_ZERO 0x80000000u
#elif KIND == 3
#define KEY_ZERO U64_C(0x8000000000000000)
#else
#define KEY_ZERO 0
#endif

#if WEIGHT == 0
#define WEIGHT_TYPE u32 /* the array is not read */
#elif WEIGHT == 1
#define WEIGHT_TYPE i32
#elif WEIGHT == 2
#define WEIGHT_TYPE i64
#elif WEIGHT == 3
#define WEIGHT_TYPE f32
#else
#define WEIGHT_TYPE f64
#endif

#if KIND == 4
typedef union real_bits {
    f32 real;
    u32 bits;
} real_bits;
#elif KIND == 5
typedef union real_bits {
    f64 real;
    u64 bits;
} real_bits;
#endif

/* The key of what is one arc farther than `key`, which is not KEY_NONE. */
FN KEY key_add(KEY key, GLOBAL const WEIGHT_TYPE *weights, u64 arc) {
#if WEIGHT == 0
    return key + 1;
#elif KIND == 4 || KIND == 5
    real_bits sum;
    sum.bits = key;
    sum.real += weights[arc];
    return sum.bits;
#else
    return key + (KEY)(i64)weights[arc];
#endif
}
