/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of delta-stepping on devices: a near queue and a far one. What they do together is said
 * in sssp_device_delta_stepping.c.
 *
 * A round relaxes the arcs of the near queue or, when that is empty, raises the threshold and
 * splits the far queue: the device decides which, so the host need not look in between. The near
 * queue of round r is queue r % 2, and stands in slot r % 4 of `state`:
 *   ROUND   r, written by the launch before: a launch whose slot has another round does nothing, so
 *           several can be given to the device before the host looks
 *   COUNT   vertices; the launches of round r - 1 raise it
 *   PIECES  parts of rows of more than `hub` arcs, which relax_pieces shares among all groups
 *   SPLITS  rounds before it that were splits: far queue SPLITS % 2 is in use
 * and in slot r % 4 of `bounds`:
 *   THRESHOLD  what is below is near
 *   LEAST      the least key that the round before, a split, has left far; else KEY_MOST
 * The launches of round r read slot r, raise COUNT and lower LEAST of slot r + 1, write its other
 * words, and clear slot r + 2. When nothing is near nor far no round goes any more. Behind the
 * slots are the counts of the far queues, of three splits in turn: one in use, one that a split
 * raises, one that it clears.
 *
 * A vertex is in a near queue once (stamp[v] is the last round that it was put there for, plus 1)
 * and in the far queues once, so that queues have room for all: it is put there by whoever reaches
 * it first, if its key is not below the threshold then, and as thresholds only rise, whoever lowers
 * a key that is not below it finds the vertex far already. */
#include "sssp/sssp_numbers.cl"

#define ROUND           0
#define COUNT           1
#define PIECES          2
#define SPLITS          3
#define SLOT(round, k)  (4 * ((round) % 4) + (k))
#define FAR(splits)     (16 + (splits) % 3)
#define THRESHOLD       0
#define LEAST           1
#define BOUND(round, k) (2 * ((round) % 4) + (k))
#define KEY_MOST        ((KEY) ~(KEY)0)

typedef struct outlet {
    GLOBAL KEY *keys;
    GLOBAL u32 *near, *near_count, *stamp;
    GLOBAL u32 *far, *far_count;
    KEY threshold, limit;
    u32 round;
} outlet;

/* What a relaxing round reads and raises. */
FN outlet outlet_of(u32 round, GLOBAL KEY *keys, GLOBAL u32 *near_next, GLOBAL u32 *far_even,
                    GLOBAL u32 *far_odd, GLOBAL u32 *stamp, GLOBAL u32 *state,
                    GLOBAL const KEY *bounds, KEY limit) {
    u32 splits = state[SLOT(round, SPLITS)];
    outlet out;
    out.keys = keys;
    out.near = near_next;
    out.near_count = &state[SLOT(round + 1, COUNT)];
    out.stamp = stamp;
    out.far = splits % 2 == 0 ? far_even : far_odd;
    out.far_count = &state[FAR(splits)];
    out.threshold = bounds[BOUND(round, THRESHOLD)];
    out.limit = limit;
    out.round = round;
    return out;
}

/* The threshold of a split: by `delta` above the last one, or above the least that is far, where
 * the round before has found nothing below. Above either in any case. */
FN KEY raised(KEY threshold, KEY least, KEY delta) {
    KEY key = least != KEY_MOST && least > threshold ? least : threshold;
#if KIND == 4 || KIND == 5
    real_bits sum, step;
    sum.bits = key;
    step.bits = delta;
    sum.real += step.real;
    KEY beyond = sum.bits;
#else
    /* Not KEY_MOST: that becomes an instruction that Oclgrind 21.10 does not know. */
    KEY sum = key + delta, beyond = sum < key ? KEY_MOST - 1 : sum;
#endif
    return beyond > key ? beyond : key + 1;
}

#define NEAR_NEXT 1
#define FAR_NEXT  2

/* Lowers the key of a vertex, if this is less, and says which queue it has to be put into: 0 for
 * none, or where it is already. Only where the key was near before can the vertex be in the queue
 * of the next round for sure, so that it is worth a look at the stamp. */
FN u32 lower(const outlet *out, u32 to, KEY key) {
    if (key > out->limit || key >= key_load(&out->keys[to]))
        return 0;
    KEY old = key_min(&out->keys[to], key);
    if (old <= key)
        return 0;
    if (key >= out->threshold)
        return old == KEY_NONE ? FAR_NEXT : 0;
    if (old < out->threshold && relaxed_load_u32(&out->stamp[to]) == out->round + 1)
        return 0;
    return atomic_swap_u32(&out->stamp[to], out->round + 1) != out->round + 1 ? NEAR_NEXT : 0;
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

/* Where a split puts what was far. */
typedef struct division {
    GLOBAL const KEY *keys;
    GLOBAL u32 *near, *near_count;
    GLOBAL u32 *far, *far_count; /* of the rest */
    GLOBAL u32 *stamp;
    GLOBAL KEY *least;
    KEY before, threshold;
    u32 round;
} division;

/* Which queue a far vertex goes to: near below the threshold, none where it was done on the way.
 * *rest becomes the least key that stays far. */
FN u32 divide(const division *by, u32 v, KEY *rest) {
    KEY key = by->keys[v];
    if (key >= by->threshold) {
        *rest = key < *rest ? key : *rest;
        return FAR_NEXT;
    }
    if (key < by->before)
        return 0;
    by->stamp[v] = by->round + 1;
    return NEAR_NEXT;
}

#if WORK_CHUNKED
FN void relax_near(const outlet *out, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
                   GLOBAL const WEIGHT_TYPE *weights, GLOBAL const u32 *near, u64 count,
                   GLOBAL u32 *pieces, GLOBAL u32 *piece_count, u32 hub) {
    FOR_WORK(i, count) {
        u32 u = near[i];
        u64 arc = offsets[u], end = offsets[(u64)u + 1];
        if (end - arc > hub)
            put_aside(pieces, piece_count, u, end - arc, hub);
        else
            relax_row(out, targets, weights, key_load(&out->keys[u]), arc, end);
    }
}

FN void split_far(const division *by, GLOBAL const u32 *far, u64 count) {
    KEY rest = KEY_MOST;
    FOR_WORK(i, count) {
        u32 v = far[i], queue = divide(by, v, &rest);
        if (queue == NEAR_NEXT)
            by->near[atomic_add_u32(by->near_count, 1)] = v;
        else if (queue == FAR_NEXT)
            by->far[atomic_add_u32(by->far_count, 1)] = v;
    }
    if (rest != KEY_MOST)
        key_min(by->least, rest);
}
#else
FN void relax_near(const outlet *out, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
                   GLOBAL const WEIGHT_TYPE *weights, GLOBAL const u32 *near, u64 count,
                   GLOBAL u32 *pieces, GLOBAL u32 *piece_count, u32 hub,
                   LOCALP group_state *group) {
    for (u64 tile = group_id() * (u64)WG; tile < count; tile += group_count() * (u64)WG) {
        u32 me = local_id(), degree = 0, total;
        if (tile + me < count) {
            u32 u = near[tile + me];
            u64 arc = offsets[u], end = offsets[(u64)u + 1];
            if (end - arc > hub)
                put_aside(pieces, piece_count, u, end - arc, hub);
            else
                degree = (u32)(end - arc);
            group->from[me] = (OFFSET)arc;
            group->keys[me] = key_load(&out->keys[u]);
        }
        u32 start = group_prefix_u32(group->found, WG, degree, &total);
        group->starts[me] = start;
        relax_spread(out, targets, weights, group, total);
    }
}

FN void split_far(const division *by, GLOBAL const u32 *far, u64 count, LOCALP group_state *group) {
    KEY rest = KEY_MOST;
    for (u64 tile = group_id() * (u64)WG; tile < count; tile += group_count() * (u64)WG) {
        if (tile + local_id() < count) {
            u32 v = far[tile + local_id()];
            keep(group, divide(by, v, &rest), v);
        }
        group_flush(group, by->near, by->near_count, by->far, by->far_count);
    }
    /* The least of the group, and one minimum for all. */
    group->keys[local_id()] = rest;
    for (u32 apart = 512; apart > 0; apart /= 2) {
        BARRIER_LOCAL();
        if (local_id() < apart && local_id() + apart < WG &&
            group->keys[local_id() + apart] < group->keys[local_id()])
            group->keys[local_id()] = group->keys[local_id() + apart];
    }
    BARRIER_LOCAL(); /* compilers may let all items read the first */
    if (local_id() == 0 && group->keys[0] != KEY_MOST)
        key_min(by->least, group->keys[0]);
    BARRIER_LOCAL();
}
#endif

/* By one item, when the round goes: the slots behind it. */
FN void slots_write(GLOBAL u32 *state, GLOBAL KEY *bounds, u32 round, u32 splitting,
                    KEY threshold) {
    u32 splits = state[SLOT(round, SPLITS)];
    state[SLOT(round + 1, ROUND)] = round + 1;
    state[SLOT(round + 1, SPLITS)] = splits + splitting;
    bounds[BOUND(round + 1, THRESHOLD)] = threshold;
    state[SLOT(round + 2, COUNT)] = 0;
    state[SLOT(round + 2, PIECES)] = 0;
    bounds[BOUND(round + 2, LEAST)] = KEY_MOST;
    if (splitting)
        state[FAR(splits + 2)] = 0;
}

/* Vertices [first, first + count) of the near queue of `round`, or of the far one if nothing is
 * near, or as many as there are. Does nothing if it has none, or more than `most`. */
KERNEL_WG(WG)
void advance(u64 first, u64 count, u32 round, u32 most, GLOBAL const OFFSET *RESTRICT offsets,
             GLOBAL const u32 *RESTRICT targets, GLOBAL const WEIGHT_TYPE *RESTRICT weights,
             GLOBAL KEY *keys, GLOBAL const u32 *near, GLOBAL u32 *near_next, GLOBAL u32 *far_even,
             GLOBAL u32 *far_odd, GLOBAL u32 *stamp, GLOBAL u32 *pieces, GLOBAL u32 *state,
             GLOBAL KEY *bounds, KEY delta, KEY limit, u32 hub) {
    u32 all = state[SLOT(round, COUNT)], splits = state[SLOT(round, SPLITS)];
    u32 splitting = all == 0; /* else others of the launch raise the count of what is far */
    KEY before = bounds[BOUND(round, THRESHOLD)], threshold = before;
    if (splitting) {
        all = state[FAR(splits)];
        threshold = raised(before, bounds[BOUND(round, LEAST)], delta);
    }
    u32 go = state[SLOT(round, ROUND)] == round && all > 0 && all <= most;
    if (go && item_id() == 0)
        slots_write(state, bounds, round, splitting, threshold);
    /* Slices are exact; only a launch in the blind, which begins at 0, may ask for more than there
     * is. (A difference that stops at 0 becomes an instruction that Oclgrind 21.10 does not know.)
     */
    u64 here = !go ? 0 : first == 0 && all < count ? all : count;
    outlet out = outlet_of(round, keys, near_next, far_even, far_odd, stamp, state, bounds, limit);
    division by;
    by.keys = keys;
    by.near = near_next;
    by.near_count = out.near_count;
    by.far = splits % 2 == 0 ? far_odd : far_even;
    by.far_count = &state[FAR(splits + 1)];
    by.stamp = stamp;
    by.least = &bounds[BOUND(round + 1, LEAST)];
    by.before = before;
    by.threshold = threshold;
    by.round = round;
#if WORK_CHUNKED
    split_far(&by, out.far + first, splitting ? here : 0);
    relax_near(&out, offsets, targets, weights, near + first, splitting ? 0 : here, pieces,
               &state[SLOT(round, PIECES)], hub);
#else
    LOCALV group_state group;
    if (group_id() * (u64)WG < here) { /* most groups of most rounds have nothing to do */
        group_begin(&group);
        if (splitting)
            split_far(&by, out.far + first, here, &group);
        else
            relax_near(&out, offsets, targets, weights, near + first, here, pieces,
                       &state[SLOT(round, PIECES)], hub, &group);
    }
#endif
}

/* The parts of rows that the launches of `round` have put aside; a worker each: an item, or a group
 * whose items share the arcs. */
KERNEL_WG(WG)
void relax_pieces(u32 round, GLOBAL const OFFSET *RESTRICT offsets,
                  GLOBAL const u32 *RESTRICT targets, GLOBAL const WEIGHT_TYPE *RESTRICT weights,
                  GLOBAL KEY *keys, GLOBAL u32 *near_next, GLOBAL u32 *far_even,
                  GLOBAL u32 *far_odd, GLOBAL u32 *stamp, GLOBAL const u32 *pieces,
                  GLOBAL u32 *state, GLOBAL const KEY *bounds, KEY limit, u32 hub) {
    u64 all = state[SLOT(round, ROUND)] == round && state[SLOT(round + 1, ROUND)] == round + 1
                  ? state[SLOT(round, PIECES)]
                  : 0;
    outlet out = outlet_of(round, keys, near_next, far_even, far_odd, stamp, state, bounds, limit);
#if WORK_CHUNKED
    FOR_WORK(piece, all) {
        u32 u = pieces[2 * piece];
        u64 end = offsets[(u64)u + 1], arc = offsets[u] + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        relax_row(&out, targets, weights, key_load(&keys[u]), arc, stop);
    }
#else
    LOCALV group_state group;
    if (group_id() < all)
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
