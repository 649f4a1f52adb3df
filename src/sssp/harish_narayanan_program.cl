/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of harish-narayanan (D2 4.3): what they do together is said in
 * sssp_device_harish_narayanan.c.
 *
 * relax     one item per vertex: a vertex whose mask is set lowers the ends of its arcs, in the
 *           array of updates (UPDATES 1) or at once (UPDATES 0). Then the marks go to another array
 *           of masks: were they in the same, a mark might be cleared by the vertex that was just
 *           about to look at its distance.
 * settle    UPDATES 1: who has an update takes it, and is marked.
 *
 * Where D2's listings are broken: algorithm 10 lowers an update by a test and a store, which loses
 * the smaller of two at the same time (here an atomic minimum), and takes the weight of the
 * *vertex*; algorithm 11 ends by clearing every mask (here the update is brought in line instead).
 *
 * A row of more than `hub` arcs is put aside in parts, which relax_pieces shares among all groups.
 * state: FLAG words, each the number of the last round + 1 in which something happened, and the
 * number of parts. */
#include "sssp/sssp_numbers.cl"

#ifndef UPDATES
#define UPDATES 0
#endif

#define CHANGED 0 /* a distance was lowered */
#define BELOW   1 /* one would have been lowered below what a path can have */
#define PIECES  2

typedef struct relaxing {
    GLOBAL KEY *lowered; /* updates, or the keys themselves */
    GLOBAL u32 *marks;
    GLOBAL u32 *tree;
    GLOBAL u32 *state;
    KEY low, limit;
    u32 round;
} relaxing;

FN void lower(const relaxing *r, u32 from, u32 to, KEY key) {
#if SIGNED
    if (key < r->low) {
        relaxed_store_u32(&r->state[BELOW], r->round + 1);
        return;
    }
#endif
    if (key > r->limit || key >= key_load(&r->lowered[to]))
        return;
    if (key_min(&r->lowered[to], key) > key) {
#if SIGNED
        relaxed_store_u32(&r->tree[to], from);
#endif
#if !UPDATES
        relaxed_store_u32(&r->marks[to], 1);
        relaxed_store_u32(&r->state[CHANGED], r->round + 1);
#endif
    }
}

/* `marks` is cleared by whoever is marked there; the other array gets the marks of the next round.
 */
KERNEL_WG(WG)
void relax(u64 first, u64 count, GLOBAL const OFFSET *RESTRICT offsets,
           GLOBAL const u32 *RESTRICT targets, GLOBAL const WEIGHT_TYPE *RESTRICT weights,
           GLOBAL KEY *keys, GLOBAL KEY *updates, GLOBAL u32 *marks, GLOBAL u32 *marks_next,
           GLOBAL u32 *tree, GLOBAL u32 *pieces, GLOBAL u32 *state, KEY low, KEY limit, u32 round,
           u32 hub) {
    relaxing r;
    r.lowered = UPDATES ? updates : keys;
    r.marks = marks_next;
    r.tree = tree;
    r.state = state;
    r.low = low;
    r.limit = limit;
    r.round = round;
    FOR_WORK(i, count) {
        u64 u = first + i;
        if (marks[u] == 0)
            continue;
        marks[u] = 0;
        u64 arc = offsets[u], end = offsets[u + 1];
        if (end - arc > hub) {
            u32 parts = (u32)((end - arc + hub - 1) / hub);
            u64 place = atomic_add_u32(&state[PIECES], parts);
            for (u32 k = 0; k < parts; k++) {
                pieces[2 * (place + k)] = (u32)u;
                pieces[2 * (place + k) + 1] = k;
            }
            continue;
        }
        KEY key = key_load(&keys[u]);
        for (; arc < end; arc++)
            lower(&r, (u32)u, targets[arc], key_add(key, weights, arc));
    }
}

/* Parts of rows, one group each. */
KERNEL_WG(WG)
void relax_pieces(GLOBAL const OFFSET *RESTRICT offsets, GLOBAL const u32 *RESTRICT targets,
                  GLOBAL const WEIGHT_TYPE *RESTRICT weights, GLOBAL KEY *keys, GLOBAL KEY *updates,
                  GLOBAL u32 *marks_next, GLOBAL u32 *tree, GLOBAL const u32 *pieces,
                  GLOBAL u32 *state, KEY low, KEY limit, u32 round, u32 hub) {
    relaxing r;
    u32 all = state[PIECES];
    r.lowered = UPDATES ? updates : keys;
    r.marks = marks_next;
    r.tree = tree;
    r.state = state;
    r.low = low;
    r.limit = limit;
    r.round = round;
    for (u64 piece = group_id(); piece < all; piece += group_count()) {
        u32 u = pieces[2 * piece];
        u64 from = offsets[u] + (u64)pieces[2 * piece + 1] * hub, end = offsets[(u64)u + 1];
        u32 arcs = (u32)(end - from < hub ? end - from : hub);
        KEY key = key_load(&keys[u]);
#if WORK_CHUNKED
        u32 share = (arcs + WG - 1) / WG, at = local_id() * share, stop = at + share;
        stop = stop < arcs ? stop : arcs;
        for (; at < stop; at++)
            lower(&r, u, targets[from + at], key_add(key, weights, from + at));
#else
        for (u32 at = local_id(); at < arcs; at += WG)
            lower(&r, u, targets[from + at], key_add(key, weights, from + at));
#endif
    }
}

KERNEL_WG(WG)
void settle(u64 first, u64 count, GLOBAL KEY *keys, GLOBAL KEY *updates, GLOBAL u32 *marks,
            GLOBAL u32 *state, u32 round) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u64 v = first + i;
        if (updates[v] < keys[v]) {
            keys[v] = updates[v];
            marks[v] = 1;
            changed = 1;
        }
    }
    if (changed)
        relaxed_store_u32(&state[CHANGED], round + 1);
}

/* Before the first round: nobody is marked but the sources, and updates are the distances. */
KERNEL_WG(WG)
void start(u64 first, u64 count, GLOBAL const KEY *keys, GLOBAL KEY *updates, GLOBAL u32 *marks,
           GLOBAL u32 *marks_next) {
    FOR_WORK(i, count) {
        u64 v = first + i;
        marks[v] = keys[v] != KEY_NONE;
#if UPDATES
        updates[v] = keys[v];
#else
        marks_next[v] = 0;
#endif
    }
}
