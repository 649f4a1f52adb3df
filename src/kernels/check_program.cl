/* SPDX-License-Identifier: Apache-2.0
 *
 * Known-answer tests of a device: what every other kernel relies on, each in its smallest form. The
 * host knows the answers (device_check.c). */
#include "kernels/shim.h"

#ifndef WG
#define WG 64
#endif

/* One item per element, the last group not full: multiplication, shift, wide arithmetic. */
KERNEL_WG(WG) void check_numbers(GLOBAL const u32 *in, GLOBAL u32 *out, u32 count) {
    u32 i = item_id();
    if (i < count) {
        u64 wide = (u64)in[i] * in[i] + i;
        out[i] = (u32)(wide >> 16) ^ (in[i] << (i & 31));
    }
}

/* Local memory and a barrier: each group turns its part around. */
KERNEL_WG(WG) void check_barrier(GLOBAL const u32 *in, GLOBAL u32 *out, u32 count) {
    LOCALV u32 tile[WG];
    u32 i = item_id(), l = local_id();
    tile[l] = i < count ? in[i] : 0;
    BARRIER_LOCAL();
    u32 other = tile[WG - 1 - l];
    BARRIER_LOCAL();
    tile[l] = other + l;
    BARRIER_LOCAL();
    if (i < count)
        out[i] = tile[WG - 1 - l];
}

/* out: sum, least, greatest, or, swaps that saw 0, winners of 16 slots; then the slots. */
KERNEL_WG(WG) void check_atomics(GLOBAL const u32 *in, GLOBAL u32 *out, u32 count) {
    u32 i = item_id();
    if (i < count) {
        atomic_add_u32(&out[0], in[i]);
        atomic_min_u32(&out[1], in[i]);
        atomic_max_u32(&out[2], in[i]);
        atomic_or_u32(&out[3], 1u << (i & 31));
        if (atomic_swap_u32(&out[6 + 16], 1) == 0)
            atomic_add_u32(&out[4], 1);
        if (atomic_cas_u32(&out[6 + (i & 15)], 0, i + 1) == 0)
            atomic_add_u32(&out[5], 1);
    }
}

#if HOP_ATOMIC64
/* out: sum, least, greatest, winners of one slot, the slot. */
KERNEL_WG(WG) void check_atomics64(GLOBAL const u32 *in, GLOBAL u64 *out, u32 count) {
    u32 i = item_id();
    if (i < count) {
        u64 value = ((u64)in[i] << 32) + i;
        atomic_add_u64(&out[0], value);
        atomic_min_u64(&out[1], value);
        atomic_max_u64(&out[2], value);
        if (atomic_cas_u64(&out[4], 0, value + 1) == 0)
            atomic_add_u64(&out[3], 1);
    }
}
#endif

/* Halves and adds back: the bits of a subnormal number survive where the device claims so. */
KERNEL_WG(WG) void check_floats(GLOBAL const f32 *in, GLOBAL f32 *out, u32 count) {
    u32 i = item_id();
    if (i < count)
        out[i] = in[i] * 0.5f + in[i];
}

#if HOP_FLOAT64
KERNEL_WG(WG) void check_doubles(GLOBAL const f64 *in, GLOBAL f64 *out, u32 count) {
    u32 i = item_id();
    if (i < count)
        out[i] = in[i] * 0.5 + in[i];
}
#endif
