/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that go over an array once: what the rates of others are compared with
 * (measure_primitives.c), and the random numbers of kiss.h (test_gather.c). */
#include "kernels/kiss.h"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif

KERNEL_WG(WG) void fill_u32(GLOBAL u32 *out, u64 count, u32 value) {
    FOR_WORK(i, count) {
        out[i] = value;
    }
}

/* out[i] = first + i. */
KERNEL_WG(WG) void iota_u32(GLOBAL u32 *out, u64 count, u32 first) {
    FOR_WORK(i, count) {
        out[i] = first + (u32)i;
    }
}

KERNEL_WG(WG) void copy_u32(GLOBAL u32 *RESTRICT out, u64 count, GLOBAL const u32 *RESTRICT in) {
    FOR_WORK(i, count) {
        out[i] = in[i];
    }
}

/* `each` numbers of every stream, one stream after another; stream s is `first` + s of the seed. */
KERNEL_WG(WG) void kiss_u32(GLOBAL u32 *out, u64 streams, u32 each, u32 seed, u32 first) {
    FOR_WORK(s, streams) {
        kiss state = kiss_seed(seed, first + (u32)s);
        for (u32 k = 0; k < each; k++)
            out[s * each + k] = kiss_next(&state);
    }
}
