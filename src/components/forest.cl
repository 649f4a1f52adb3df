/* SPDX-License-Identifier: Apache-2.0
 *
 * A forest of labels on a device, in which all items join trees at once; for the programs of
 * components.
 *
 * labels[v] <= v, and a root is its own label: so a root is the smallest vertex of its tree. Labels
 * never grow. They are shared, so they are touched by relaxed and atomic accesses only, but where a
 * kernel only reads them.
 *
 * Loops over labels are bounded by CLIMB steps per element or by the steps that a launch gives to
 * an item; a slice that is not through says so in flags[FLAG_LEFT] and is launched again, and those
 * behind it in the queue do nothing meanwhile. */
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
#ifndef CLIMB
#define CLIMB 64
#endif
#define FLAG_LEFT    0 /* as in kernels/sweep.h */
#define FLAG_CHANGED 1
#define FLAG_ROOTS   2
#define NO_VERTEX    0xffffffffu

/* Whether all slices before this one are through (kernels/sweep.h). The answer is the same for all
 * items, whatever this slice leaves meanwhile. */
FN u32 turn_is_due(GLOBAL u32 *flags, u32 turn) {
    u32 left = relaxed_load_u32(&flags[FLAG_LEFT]);
    return left == 0 || left == turn / 2;
}

/* Whether it goes on with what it has left. */
FN u32 turn_goes_on(u32 turn) {
    return turn % 2;
}

FN void turn_leaves(GLOBAL u32 *flags, u32 turn) {
    relaxed_store_u32(&flags[FLAG_LEFT], turn / 2);
}

KERNEL_WG(WG) void start(u64 first, u64 count, GLOBAL u32 *labels) {
    FOR_WORK(i, count) {
        labels[first + i] = (u32)(first + i);
    }
}

/* Points vertices to their roots: D1's shortcut. A path longer than CLIMB is cut short and left for
 * the next turn; every vertex on it does the same, so lengths shrink by that factor each time. */
KERNEL_WG(WG) void shortcut(u64 first, u64 count, u32 turn, GLOBAL u32 *flags, GLOBAL u32 *labels) {
    u32 left = 0;
    if (!turn_is_due(flags, turn))
        return;
    FOR_WORK(i, count) {
        u32 label = relaxed_load_u32(&labels[first + i]), root = label;
        u32 above = relaxed_load_u32(&labels[root]);
        for (u32 steps = 0; above != root && steps < CLIMB; steps++) {
            root = above;
            above = relaxed_load_u32(&labels[root]);
        }
        if (root != label)
            relaxed_store_u32(&labels[first + i], root);
        left |= above != root;
    }
    if (left)
        turn_leaves(flags, turn);
}

/* Adds the number of roots to flags[FLAG_ROOTS]: D0's last kernel. One item adds for its group. */
KERNEL_WG(WG) void count_roots(u64 first, u64 count, GLOBAL const u32 *labels, GLOBAL u32 *flags) {
    LOCALV u32 sum;
    u32 mine = 0;
    if (local_id() == 0)
        sum = 0;
    BARRIER_LOCAL();
    FOR_WORK(i, count) {
        mine += labels[first + i] == (u32)(first + i);
    }
    if (mine != 0)
        atomic_add_local_u32(&sum, mine);
    BARRIER_LOCAL();
    if (local_id() == 0 && sum != 0)
        atomic_add_u32(&flags[FLAG_ROOTS], sum);
}

/* labels[place] = value if that is less. Most often it is not, and looking is cheaper. */
FN void lower(GLOBAL u32 *labels, u32 place, u32 value) {
    if (relaxed_load_u32(&labels[place]) > value)
        atomic_min_u32(&labels[place], value);
}

/* Joins two trees by Rem's algorithm: the end with the larger label takes the other's, and what it
 * had before goes on in its place, until that was a root or the labels are equal. Nothing is tried
 * again: the atomic minimum takes effect in any case, and the label that it returns, which the end
 * no longer has or keeps, is the one that is still to be joined with the other end. So trees are
 * never lost, and as that end only falls the loop ends.
 *
 * 1 when that was done. 0 after *steps steps: *u and *v are then what remains to be joined. */
FN u32 join_trees(GLOBAL u32 *labels, u32 *u, u32 *v, u32 *steps) {
    u32 a = *u, b = *v;
    u32 a_label = relaxed_load_u32(&labels[a]), b_label = relaxed_load_u32(&labels[b]);
    while (a_label != b_label) {
        if (*steps == 0) {
            *u = a;
            *v = b;
            return 0;
        }
        --*steps;
        if (a_label < b_label) { /* let a be the one with the larger label */
            u32 swap = a;
            a = b;
            b = swap;
            b_label = a_label;
        }
        u32 old = atomic_min_u32(&labels[a], b_label);
        if (old == a || old == b_label)
            return 1;
        a = old;
        a_label = relaxed_load_u32(&labels[a]);
        b_label = relaxed_load_u32(&labels[b]);
    }
    return 1;
}
