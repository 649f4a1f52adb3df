/* SPDX-License-Identifier: Apache-2.0
 * out[i] = in[index[i]]; and words that are raised by one, each by an atomic addition. */
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif

KERNEL_WG(WG)
void gather(GLOBAL const u32 *RESTRICT in, GLOBAL const u32 *RESTRICT index,
            GLOBAL u32 *RESTRICT out, u64 count) {
    FOR_WORK(i, count) {
        out[i] = in[index[i]];
    }
}

KERNEL_WG(WG)
void raise(GLOBAL u32 *RESTRICT words, GLOBAL const u32 *RESTRICT index, u64 count) {
    FOR_WORK(i, count) {
        atomic_add_u32(words + index[i], 1);
    }
}
