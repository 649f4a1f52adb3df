/* SPDX-License-Identifier: Apache-2.0
 * What every search for shortest paths on a device begins and ends with; see sssp_device.h. */
#include "sssp/sssp_numbers.cl"

KERNEL_WG(WG)
void clear(u64 first, u64 count, GLOBAL KEY *keys, GLOBAL u32 *tree, u32 wanted) {
    FOR_WORK(i, count) {
        keys[first + i] = KEY_NONE;
        if (wanted)
            tree[first + i] = NO_VERTEX;
    }
}

/* Sources may repeat: the first to come enters the queue. *tail counts those that did. */
KERNEL_WG(WG)
void sources_start(u64 first, u64 count, GLOBAL const u32 *sources, GLOBAL KEY *keys,
                   GLOBAL u32 *queue, u32 queued, GLOBAL u32 *tail) {
    FOR_WORK(i, count) {
        u32 s = sources[first + i];
        if (key_swap(&keys[s], KEY_ZERO) == KEY_NONE) {
            u32 place = atomic_add_u32(tail, 1);
            if (queued)
                queue[place] = s;
        }
    }
}

#if KIND <= 3
/* Distances from keys; `out` may be `keys` where both have 64 bits. */
KERNEL_WG(WG) void keys_decode(u64 first, u64 count, GLOBAL const KEY *keys, GLOBAL i64 *out) {
    FOR_WORK(i, count) {
        KEY key = keys[first + i];
        i64 distance = key == KEY_NONE ? I64_C(0x7fffffffffffffff) : (i64)key;
#if KIND == 1
        if (key != KEY_NONE)
            distance = (i64)key - I64_C(0x80000000);
#elif KIND == 3
        if (key != KEY_NONE)
            distance = (i64)(key ^ KEY_ZERO);
#endif
        out[first + i] = distance;
    }
}
#endif
