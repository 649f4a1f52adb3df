/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels with planted faults, and what is right in their place: test_kernels_races.py sees that
 * the former are reported and the latter are not. All have the same parameters: `data` and `out`
 * have one word per item. */
#include "kernels/shim.h"

/* Right: each item takes what another one left in local memory, behind a barrier. */
KERNEL_WG(WG)
void reverse(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    LOCALV u32 tile[WG];
    tile[local_id()] = data[item_id()] + count;
    BARRIER_LOCAL();
    out[item_id()] = tile[WG - 1 - local_id()];
}

/* The barrier is missing. */
KERNEL_WG(WG)
void reverse_without_barrier(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    LOCALV u32 tile[WG];
    tile[local_id()] = data[item_id()] + count;
    out[item_id()] = tile[WG - 1 - local_id()];
}

/* Right: through global memory, with the barrier for it. */
KERNEL_WG(WG)
void exchange(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    data[item_id()] = count + local_id();
    BARRIER_ALL();
    out[item_id()] = data[group_id() * WG + WG - 1 - local_id()];
}

/* The barrier orders local memory only. */
KERNEL_WG(WG)
void exchange_with_local_barrier(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    data[item_id()] = count + local_id();
    BARRIER_LOCAL();
    out[item_id()] = data[group_id() * WG + WG - 1 - local_id()];
}

/* Right: a word that atomics touch is loaded through the shim. */
KERNEL_WG(WG)
void least_relaxed(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    if (relaxed_load_u32(&data[0]) > count - item_id())
        atomic_min_u32(&data[0], count - item_id());
    out[item_id()] = relaxed_load_u32(&data[0]);
}

/* The first load is a plain one. */
KERNEL_WG(WG)
void least_plain_load(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    if (data[0] > count - item_id())
        atomic_min_u32(&data[0], count - item_id());
    out[item_id()] = relaxed_load_u32(&data[0]);
}

/* Right: one of many values, whichever comes last. */
KERNEL_WG(WG)
void last_relaxed(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    relaxed_store_u32(&data[0], item_id());
    out[item_id()] = relaxed_load_u32(&data[0]) + count;
}

/* The store is a plain one. */
KERNEL_WG(WG)
void last_plain_store(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    data[0] = item_id();
    out[item_id()] = relaxed_load_u32(&data[0]) + count;
}

/* All write the same value, and nobody else looks at it: a plain store still. */
KERNEL_WG(WG)
void same_plain_store(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    data[0] = 1;
    out[item_id()] = count;
}

/* Half of the group never comes to the barrier. */
KERNEL_WG(WG)
void divergent(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    out[item_id()] = data[item_id()] + count;
    if (local_id() < WG / 2)
        BARRIER_LOCAL();
}

/* Both halves wait, at barriers of their own. */
KERNEL_WG(WG)
void two_barriers(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    if (local_id() < WG / 2) {
        out[item_id()] = data[item_id()];
        BARRIER_LOCAL();
    } else {
        out[item_id()] = count;
        BARRIER_LOCAL();
    }
}

/* Local memory is not cleared. */
KERNEL_WG(WG)
void stale_local(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    LOCALV u32 tile[WG];
    if (data[item_id()] == count)
        tile[local_id()] = 0;
    out[item_id()] = tile[local_id()];
}

KERNEL_WG(WG)
void writes_outside(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    if (item_id() == 0)
        out[count] = data[0];
}

/* Neighbours side by side: one segment of w words for w items. */
KERNEL_WG(WG)
void side_by_side(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    if (item_id() < count)
        out[item_id()] = 1;
    data[item_id()] = 1;
}

/* Neighbours `count` / WG words apart within the group's part: one segment per item. */
KERNEL_WG(WG)
void far_apart(GLOBAL u32 *data, GLOBAL u32 *out, u32 count) {
    u32 apart = count / WG;
    out[local_id() * apart + group_id() % apart] = 1;
    data[item_id()] = 1;
}
