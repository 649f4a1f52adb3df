/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of delta-stepping on devices: a near queue and a far one. What they do together is said
 * in sssp_device_delta_stepping.c.
 *
 * The near queue of round r is queue r % 2, and stands in slot r % 4 of `state`:
 *   ROUND   r, written by the launch before: a launch whose slot has another round does nothing, so
 *           several can be given to the device before the host looks
 *   COUNT   vertices; the launches of round r - 1 raise it
 *   PIECES  parts of rows of more than `hub` arcs, which relax_pieces shares among all groups
 * The launches of round r read slot r, raise COUNT of slot r + 1, write its ROUND, and clear slot
 * r + 2. Behind the slots stand the counts of the two far queues.
 *
 * A vertex is in a near queue once (stamp[v] is the last round that it was put there for, plus 1)
 * and in the far queues once (in_far[v]), so that queues have room for all. */
#include "sssp/sssp_numbers.cl"

#define ROUND          0
#define COUNT          1
#define PIECES         2
#define SLOT(round, k) (4 * ((round) % 4) + (k))
#define FAR(which)     (16 + (which))

typedef struct outlet {
    GLOBAL KEY *keys;
    GLOBAL u32 *near, *near_count, *stamp;
    GLOBAL u32 *far, *far_count, *in_far;
    KEY threshold, limit;
    u32 round;
} outlet;

FN void lower(const outlet *out, u32 to, KEY key) {
    if (key > out->limit || key >= key_load(&out->keys[to]) || key_min(&out->keys[to], key) <= key)
        return;
    if (key < out->threshold) {
        if (relaxed_load_u32(&out->stamp[to]) != out->round + 1 &&
            atomic_swap_u32(&out->stamp[to], out->round + 1) != out->round + 1)
            out->near[atomic_add_u32(out->near_count, 1)] = to;
    } else if (relaxed_load_u32(&out->in_far[to]) == 0 && atomic_swap_u32(&out->in_far[to], 1) == 0)
        out->far[atomic_add_u32(out->far_count, 1)] = to;
}

/* Vertices [first, first + count) of the near queue of `round`, or as many as there are. Does
 * nothing if it has more than `most`. */
KERNEL_WG(WG)
void relax(u64 first, u64 count, u32 round, u32 most, GLOBAL const OFFSET *RESTRICT offsets,
           GLOBAL const u32 *RESTRICT targets, GLOBAL const WEIGHT_TYPE *RESTRICT weights,
           GLOBAL KEY *keys, GLOBAL const u32 *near, GLOBAL u32 *near_next, GLOBAL u32 *far,
           u32 which, GLOBAL u32 *stamp, GLOBAL u32 *in_far, GLOBAL u32 *pieces, GLOBAL u32 *state,
           KEY threshold, KEY limit, u32 hub) {
    u32 all = state[SLOT(round, COUNT)];
    outlet out;
    out.keys = keys;
    out.near = near_next;
    out.near_count = &state[SLOT(round + 1, COUNT)];
    out.stamp = stamp;
    out.far = far;
    out.far_count = &state[FAR(which)];
    out.in_far = in_far;
    out.threshold = threshold;
    out.limit = limit;
    out.round = round;
    if (state[SLOT(round, ROUND)] != round || all > most)
        return;
    if (item_id() == 0) {
        state[SLOT(round + 1, ROUND)] = round + 1;
        state[SLOT(round + 2, COUNT)] = 0;
        state[SLOT(round + 2, PIECES)] = 0;
    }
    /* Slices are exact; only a launch in the blind, which begins at 0, may ask for more than there
     * is. (A difference that stops at 0 becomes an instruction that Oclgrind 21.10 does not know.)
     */
    u64 here = first == 0 && all < count ? all : count;
    FOR_WORK(i, here) {
        u32 u = near[first + i];
        u64 arc = offsets[u], end = offsets[(u64)u + 1];
        if (end - arc > hub) {
            u32 parts = (u32)((end - arc + hub - 1) / hub);
            u64 place = atomic_add_u32(&state[SLOT(round, PIECES)], parts);
            for (u32 k = 0; k < parts; k++) {
                pieces[2 * (place + k)] = u;
                pieces[2 * (place + k) + 1] = k;
            }
            continue;
        }
        KEY key = key_load(&keys[u]);
        for (; arc < end; arc++)
            lower(&out, targets[arc], key_add(key, weights, arc));
    }
}

/* The parts of rows that the launches of `round` have put aside; one worker each. */
KERNEL_WG(WG)
void relax_pieces(u32 round, GLOBAL const OFFSET *RESTRICT offsets,
                  GLOBAL const u32 *RESTRICT targets, GLOBAL const WEIGHT_TYPE *RESTRICT weights,
                  GLOBAL KEY *keys, GLOBAL u32 *near_next, GLOBAL u32 *far, u32 which,
                  GLOBAL u32 *stamp, GLOBAL u32 *in_far, GLOBAL const u32 *pieces,
                  GLOBAL u32 *state, KEY threshold, KEY limit, u32 hub) {
    u64 all = state[SLOT(round, ROUND)] == round && state[SLOT(round + 1, ROUND)] == round + 1
                  ? state[SLOT(round, PIECES)]
                  : 0;
    outlet out;
    out.keys = keys;
    out.near = near_next;
    out.near_count = &state[SLOT(round + 1, COUNT)];
    out.stamp = stamp;
    out.far = far;
    out.far_count = &state[FAR(which)];
    out.in_far = in_far;
    out.threshold = threshold;
    out.limit = limit;
    out.round = round;
    FOR_WORK(piece, all) {
        u32 u = pieces[2 * piece];
        u64 end = offsets[(u64)u + 1], arc = offsets[u] + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        KEY key = key_load(&keys[u]);
        for (; arc < stop; arc++)
            lower(&out, targets[arc], key_add(key, weights, arc));
    }
}

/* The far queue `which` after the threshold was raised from `before`: what is below it goes to the
 * near queue, what was done on the way is dropped, the rest stays far. *least becomes the least key
 * of the rest. */
KERNEL_WG(WG)
void split_far(u64 first, u64 count, u32 round, GLOBAL const KEY *keys, GLOBAL u32 *near,
               GLOBAL const u32 *far, GLOBAL u32 *far_next, u32 which, GLOBAL u32 *stamp,
               GLOBAL u32 *in_far, GLOBAL u32 *state, KEY before, KEY threshold,
               GLOBAL KEY *least) {
    KEY rest = KEY_NONE;
    FOR_WORK(i, count) {
        u32 v = far[first + i];
        KEY key = keys[v];
        if (key >= threshold) {
            far_next[atomic_add_u32(&state[FAR(1 - which)], 1)] = v;
            rest = key < rest ? key : rest;
        } else {
            in_far[v] = 0;
            if (key >= before) {
                stamp[v] = round;
                near[atomic_add_u32(&state[SLOT(round, COUNT)], 1)] = v;
            }
        }
    }
    if (rest != KEY_NONE)
        key_min(least, rest);
}
