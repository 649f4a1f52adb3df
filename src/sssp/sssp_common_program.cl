/* SPDX-License-Identifier: Apache-2.0
 * What every search for shortest paths on a device begins and ends with; see sssp_device.h.
 *
 * parents_pull and parents_push find canonical parents from final distances, where no weight is
 * negative: the smallest of the nearer vertices with a tight arc. Both go over arcs, not over rows,
 * so that long rows are shared; the former wants rows of arcs in with their weights, which those of
 * an undirected graph are, and leaves a row at the first that fits. parents_check says whether a
 * vertex that is reached got none: then its tight arcs come from vertices as far as itself. */
#include "sssp/sssp_numbers.cl"

#define ROWS GLOBAL const OFFSET *RESTRICT
#define ARCS GLOBAL const u32 *RESTRICT
#include "kernels/row_of.cl"

KERNEL_WG(WG)
void clear(u64 first, u64 count, GLOBAL KEY *keys, GLOBAL u32 *tree, u32 wanted,
           GLOBAL u32 *parents, u32 parented) {
    FOR_WORK(i, count) {
        keys[first + i] = KEY_NONE;
        if (wanted)
            tree[first + i] = NO_VERTEX;
        if (parented)
            parents[first + i] = NO_VERTEX;
    }
}

/* Sources may repeat: the first to come enters the queue. *tail counts those that did. */
KERNEL_WG(WG)
void sources_start(u64 first, u64 count, GLOBAL const u32 *sources, GLOBAL KEY *keys,
                   GLOBAL u32 *queue, u32 queued, GLOBAL u32 *parents, u32 parented,
                   GLOBAL u32 *tail) {
    FOR_WORK(i, count) {
        u32 s = sources[first + i];
        if (key_swap(&keys[s], KEY_ZERO) == KEY_NONE) {
            u32 place = atomic_add_u32(tail, 1);
            if (parented)
                parents[s] = s;
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

#if !SIGNED
FN void lower(GLOBAL u32 *parents, u64 place, u32 value) {
    if (relaxed_load_u32(&parents[place]) > value)
        atomic_min_u32(&parents[place], value);
}

KERNEL_WG(WG)
void parents_pull(u64 first, u64 count, ROWS offsets, ARCS targets,
                  GLOBAL const WEIGHT_TYPE *RESTRICT weights, GLOBAL const KEY *keys,
                  GLOBAL u32 *parents, u64 rows) {
    u64 begin = first + worker_begin(count, worker_id(), worker_count());
    u64 end = first + worker_begin(count, worker_id() + 1, worker_count());
    u64 row = begin < end ? row_of(offsets, 0, rows, begin) : 0;
#if WORK_CHUNKED
    for (u64 arc = begin; arc < end; row++) {
        u64 row_end = offsets[row + 1], stop = row_end < end ? row_end : end;
        u32 whole = offsets[row] >= begin && row_end <= end;
        KEY key = keys[row];
        for (u32 found = key >= KEY_NONE; !found && arc < stop; arc++) {
            KEY other = keys[targets[arc]];
            found = other < key && key_add(other, weights, arc) == key;
            /* A row that others have parts of too takes the least that was found. */
            if (found && whole)
                parents[row] = targets[arc];
            else if (found)
                lower(parents, row, targets[arc]);
        }
        arc = stop;
    }
#else
    for (u64 arc = begin + local_id(); arc < end; arc += WG) {
        row = row_of(offsets, row, rows, arc);
        KEY key = keys[row], other = keys[targets[arc]];
        if (key < KEY_NONE && other < key && key_add(other, weights, arc) == key)
            lower(parents, row, targets[arc]);
    }
#endif
}

KERNEL_WG(WG)
void parents_push(u64 first, u64 count, ROWS offsets, ARCS targets,
                  GLOBAL const WEIGHT_TYPE *RESTRICT weights, GLOBAL const KEY *keys,
                  GLOBAL u32 *parents, u64 rows) {
    u64 begin = first + worker_begin(count, worker_id(), worker_count());
    u64 end = first + worker_begin(count, worker_id() + 1, worker_count());
    u64 row = begin < end ? row_of(offsets, 0, rows, begin) : 0;
#if WORK_CHUNKED
    for (u64 arc = begin; arc < end; row++) {
        u64 row_end = offsets[row + 1], stop = row_end < end ? row_end : end;
        KEY key = keys[row];
        for (; key < KEY_NONE && arc < stop; arc++) {
            KEY other = keys[targets[arc]];
            if (key < other && other < KEY_NONE && key_add(key, weights, arc) == other)
                lower(parents, targets[arc], (u32)row);
        }
        arc = stop;
    }
#else
    for (u64 arc = begin + local_id(); arc < end; arc += WG) {
        row = row_of(offsets, row, rows, arc);
        KEY key = keys[row], other = keys[targets[arc]];
        if (key < other && other < KEY_NONE && key_add(key, weights, arc) == other)
            lower(parents, targets[arc], (u32)row);
    }
#endif
}

KERNEL_WG(WG)
void parents_check(u64 first, u64 count, GLOBAL const KEY *keys, GLOBAL const u32 *parents,
                   GLOBAL u32 *missing) {
    u32 some = 0;
    FOR_WORK(i, count) {
        some |= keys[first + i] < KEY_NONE && parents[first + i] == NO_VERTEX;
    }
    if (some)
        relaxed_store_u32(missing, 1);
}
#endif
