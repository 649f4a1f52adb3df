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

#define NEAR_NEXT 1
#define FAR_NEXT  2

/* Lowers the key of a vertex, if this is less, and says which queue it has to be put into: 0 for
 * none, or where it is already. */
FN u32 lower(const outlet *out, u32 to, KEY key) {
    if (key > out->limit || key >= key_load(&out->keys[to]) || key_min(&out->keys[to], key) <= key)
        return 0;
    if (key < out->threshold)
        return relaxed_load_u32(&out->stamp[to]) != out->round + 1 &&
                       atomic_swap_u32(&out->stamp[to], out->round + 1) != out->round + 1
                   ? NEAR_NEXT
                   : 0;
    return relaxed_load_u32(&out->in_far[to]) == 0 && atomic_swap_u32(&out->in_far[to], 1) == 0
               ? FAR_NEXT
               : 0;
}

/* A row of more than `hub` arcs is put aside in parts. */
FN void put_aside(GLOBAL u32 *pieces, GLOBAL u32 *piece_count, u32 u, u64 arcs, u32 hub) {
    u32 parts = (u32)((arcs + hub - 1) / hub);
    u64 place = atomic_add_u32(piece_count, parts);
    for (u32 k = 0; k < parts; k++) {
        pieces[2 * (place + k)] = u;
        pieces[2 * (place + k) + 1] = k;
    }
}

#if WORK_CHUNKED
/* Arcs [arc, end) of a row whose vertex has this key. */
FN void relax_row(const outlet *out, GLOBAL const u32 *targets, GLOBAL const WEIGHT_TYPE *weights,
                  KEY key, u64 arc, u64 end) {
    for (; arc < end; arc++) {
        u32 to = targets[arc], queue = lower(out, to, key_add(key, weights, arc));
        if (queue == NEAR_NEXT)
            out->near[atomic_add_u32(out->near_count, 1)] = to;
        else if (queue == FAR_NEXT)
            out->far[atomic_add_u32(out->far_count, 1)] = to;
    }
}
#else
#define TYPE        u32
#define NAMED(name) name##_u32
#include "kernels/group_template.cl"
#include "kernels/spread_template.cl"
#undef TYPE
#undef NAMED

/* Arcs that an item looks at between two times that what the group has found goes to the queues. */
#if WG <= 256
#define BATCH 4
#else
#define BATCH 1
#endif

/* What a group has in local memory: a row for each item, whose arcs all items share, and what they
 * have found, near and far. */
typedef struct group_state {
    KEY keys[WG];
    OFFSET from[WG];
    u32 starts[WG];
    u32 found[2 * BATCH * WG]; /* and for the prefix, which is made before anything is found */
    u32 near, far;             /* how many */
    u32 near_leaving, far_leaving, near_place, far_place;
} group_state;

FN void group_begin(LOCALP group_state *group) {
    if (local_id() == 0)
        group->near = group->far = 0;
    BARRIER_LOCAL();
}

FN void keep(LOCALP group_state *group, u32 queue, u32 vertex) {
    if (queue == NEAR_NEXT)
        group->found[atomic_add_local_u32(&group->near, 1)] = vertex;
    else if (queue == FAR_NEXT)
        group->found[BATCH * WG + atomic_add_local_u32(&group->far, 1)] = vertex;
}

/* By all items: what was kept goes to the queues, for which one item asks for room. */
FN void group_flush(LOCALP group_state *group, GLOBAL u32 *near, GLOBAL u32 *near_count,
                    GLOBAL u32 *far, GLOBAL u32 *far_count) {
    BARRIER_LOCAL();
    if (local_id() == 0) {
        u32 some = group->near, others = group->far;
        group->near_place = some > 0 ? atomic_add_u32(near_count, some) : 0;
        group->far_place = others > 0 ? atomic_add_u32(far_count, others) : 0;
        group->near_leaving = some;
        group->far_leaving = others;
        group->near = group->far = 0;
    }
    BARRIER_LOCAL();
    for (u32 i = local_id(); i < group->near_leaving; i += WG)
        near[group->near_place + i] = group->found[i];
    for (u32 i = local_id(); i < group->far_leaving; i += WG)
        far[group->far_place + i] = group->found[BATCH * WG + i];
    BARRIER_LOCAL();
}

/* By all items, after rows, keys and starts are there: all `total` arcs. */
FN void relax_spread(const outlet *out, GLOBAL const u32 *targets,
                     GLOBAL const WEIGHT_TYPE *weights, LOCALP group_state *group, u32 total) {
    BARRIER_LOCAL();
    for (u32 at = 0; at < total; at += BATCH * WG) {
        for (u32 k = 0; k < BATCH; k++) {
            u32 mine = at + k * WG + local_id();
            if (mine < total) {
                u32 row = spread_row_u32(group->starts, WG, mine);
                u64 arc = (u64)group->from[row] + (mine - group->starts[row]);
                u32 to = targets[arc];
                keep(group, lower(out, to, key_add(group->keys[row], weights, arc)), to);
            }
        }
        group_flush(group, out->near, out->near_count, out->far, out->far_count);
    }
}
#endif

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
    u32 go = state[SLOT(round, ROUND)] == round && all <= most;
    if (go && item_id() == 0) {
        state[SLOT(round + 1, ROUND)] = round + 1;
        state[SLOT(round + 2, COUNT)] = 0;
        state[SLOT(round + 2, PIECES)] = 0;
    }
    /* Slices are exact; only a launch in the blind, which begins at 0, may ask for more than there
     * is. (A difference that stops at 0 becomes an instruction that Oclgrind 21.10 does not know.)
     */
    u64 here = !go ? 0 : first == 0 && all < count ? all : count;
#if WORK_CHUNKED
    FOR_WORK(i, here) {
        u32 u = near[first + i];
        u64 arc = offsets[u], end = offsets[(u64)u + 1];
        if (end - arc > hub)
            put_aside(pieces, &state[SLOT(round, PIECES)], u, end - arc, hub);
        else
            relax_row(&out, targets, weights, key_load(&keys[u]), arc, end);
    }
#else
    LOCALV group_state group;
    group_begin(&group);
    for (u64 tile = group_id() * (u64)WG; tile < here; tile += group_count() * (u64)WG) {
        u32 me = local_id(), degree = 0, total;
        if (tile + me < here) {
            u32 u = near[first + tile + me];
            u64 arc = offsets[u], end = offsets[(u64)u + 1];
            if (end - arc > hub)
                put_aside(pieces, &state[SLOT(round, PIECES)], u, end - arc, hub);
            else
                degree = (u32)(end - arc);
            group.from[me] = (OFFSET)arc;
            group.keys[me] = key_load(&keys[u]);
        }
        u32 start = group_prefix_u32(group.found, WG, degree, &total);
        group.starts[me] = start;
        relax_spread(&out, targets, weights, &group, total);
    }
#endif
}

/* The parts of rows that the launches of `round` have put aside; a worker each: an item, or a group
 * whose items share the arcs. */
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
#if WORK_CHUNKED
    FOR_WORK(piece, all) {
        u32 u = pieces[2 * piece];
        u64 end = offsets[(u64)u + 1], arc = offsets[u] + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        relax_row(&out, targets, weights, key_load(&keys[u]), arc, stop);
    }
#else
    LOCALV group_state group;
    group_begin(&group);
    for (u64 piece = group_id(); piece < all; piece += group_count()) {
        u32 u = pieces[2 * piece];
        u64 end = offsets[(u64)u + 1], arc = offsets[u] + (u64)pieces[2 * piece + 1] * hub;
        u32 total = end - arc > hub ? hub : (u32)(end - arc);
        group.starts[local_id()] = local_id() == 0 ? 0 : total;
        if (local_id() == 0) {
            group.from[0] = (OFFSET)arc;
            group.keys[0] = key_load(&keys[u]);
        }
        relax_spread(&out, targets, weights, &group, total);
    }
#endif
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
#if WORK_CHUNKED
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
#else
    LOCALV group_state group;
    group_begin(&group);
    for (u64 tile = group_id() * (u64)WG; tile < count; tile += group_count() * (u64)WG) {
        if (tile + local_id() < count) {
            u32 v = far[first + tile + local_id()];
            KEY key = keys[v];
            if (key >= threshold) {
                keep(&group, FAR_NEXT, v);
                rest = key < rest ? key : rest;
            } else {
                in_far[v] = 0;
                if (key >= before) {
                    stamp[v] = round;
                    keep(&group, NEAR_NEXT, v);
                }
            }
        }
        group_flush(&group, near, &state[SLOT(round, COUNT)], far_next, &state[FAR(1 - which)]);
    }
    /* The least of the group, and one minimum for all. */
    group.keys[local_id()] = rest;
    for (u32 apart = 512; apart > 0; apart /= 2) {
        BARRIER_LOCAL();
        if (local_id() < apart && local_id() + apart < WG &&
            group.keys[local_id() + apart] < group.keys[local_id()])
            group.keys[local_id()] = group.keys[local_id() + apart];
    }
    BARRIER_LOCAL(); /* compilers may let all items read the first */
    if (local_id() == 0 && group.keys[0] != KEY_NONE)
        key_min(least, group.keys[0]);
#endif
}
