/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the variants of components that work on a list of edges. An edge is one word, from <<
 * 32 | to (D0 6.1.2); each stands there once, and both directions are looked at. What the kernels
 * do together is said in components_device_edges.c. */
#include "components/forest.cl"
#include "kernels/shim.h"

FN u32 edge_from(u64 edge) {
    return (u32)(edge >> 32);
}
FN u32 edge_to(u64 edge) {
    return (u32)edge;
}
FN u64 edge_make(u32 from, u32 to) {
    return (u64)from << 32 | to;
}

/* D1, algorithm 1: the larger of two labels is grafted onto the smaller. Every edge of two labels
 * is a change, also one whose graft another one's overrules: it must come up again. */
KERNEL_WG(WG)
void graft(u64 first, u64 count, GLOBAL const u64 *RESTRICT edges, GLOBAL u32 *labels,
           GLOBAL u32 *flags) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u64 edge = edges[first + i];
        u32 a = relaxed_load_u32(&labels[edge_from(edge)]);
        u32 b = relaxed_load_u32(&labels[edge_to(edge)]);
        if (a != b) {
            changed = 1;
            lower(labels, a < b ? b : a, a < b ? a : b);
        }
    }
    if (changed)
        relaxed_store_u32(&flags[FLAG_CHANGED], 1);
}

/* D1, algorithm 2: the ends of edges are labels already. */
KERNEL_WG(WG)
void graft_ends(u64 first, u64 count, GLOBAL const u64 *RESTRICT edges, GLOBAL u32 *labels,
                GLOBAL u32 *flags) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u64 edge = edges[first + i];
        u32 a = edge_from(edge), b = edge_to(edge);
        if (a != b) {
            changed = 1;
            lower(labels, a < b ? b : a, a < b ? a : b);
        }
    }
    if (changed)
        relaxed_store_u32(&flags[FLAG_CHANGED], 1);
}

/* Every edge becomes that of the labels of its ends. */
KERNEL_WG(WG)
void update(u64 first, u64 count, GLOBAL u64 *RESTRICT edges, GLOBAL const u32 *RESTRICT labels) {
    FOR_WORK(i, count) {
        u64 edge = edges[first + i];
        edges[first + i] = edge_make(labels[edge_from(edge)], labels[edge_to(edge)]);
    }
}

/* Joins the edges one after the other, by Rem's algorithm. An item stops when its steps are used
 * up, and writes down where: the next edge, and the pair that remains of the one under way. */
KERNEL_WG(WG)
void join(u64 first, u64 count, u32 turn, GLOBAL u32 *flags, GLOBAL const u64 *RESTRICT edges,
          GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps) {
    u64 i = work_begin(count), end = work_end(count);
    u32 done = 1, u = 0, v = 0;
    if (!turn_is_due(flags, turn))
        return;
    if (turn_goes_on(turn)) {
        u64 pair = resume[2 * item_id() + 1];
        i = resume[2 * item_id()];
        u = edge_from(pair);
        v = edge_to(pair);
        done = join_trees(labels, &u, &v, &steps);
    }
    for (; done && i < end; i += work_step()) {
        u64 edge = edges[first + i];
        u = edge_from(edge);
        v = edge_to(edge);
        done = join_trees(labels, &u, &v, &steps);
    }
    resume[2 * item_id()] = i;
    resume[2 * item_id() + 1] = done ? 0 : edge_make(u, v);
    if (!done)
        turn_leaves(flags, turn);
}

/* --- Shiloach and Vishkin, D0 4.2.4 and 6.1.2: now is D_s, before is D_s-1, marks is Q ---------
 */

KERNEL_WG(WG) void SV0(u64 first, u64 count, GLOBAL u32 *marks) {
    FOR_WORK(i, count) {
        marks[first + i] = 0;
    }
}

KERNEL_WG(WG)
void SV1(u64 first, u64 count, GLOBAL u32 *RESTRICT now, GLOBAL const u32 *RESTRICT before,
         GLOBAL u32 *marks, u32 round) {
    FOR_WORK(i, count) {
        u32 parent = before[first + i], grand = before[parent];
        now[first + i] = grand;
        if (grand != parent)
            relaxed_store_u32(&marks[grand], round);
    }
}

FN void hook(GLOBAL u32 *now, GLOBAL const u32 *before, GLOBAL u32 *marks, u32 round, u32 a,
             u32 a_root, u32 b_root) {
    if (b_root < a_root && a_root == before[a]) {
        relaxed_store_u32(&now[a_root], b_root);
        relaxed_store_u32(&marks[b_root], round);
    }
}

KERNEL_WG(WG)
void SV2(u64 first, u64 count, GLOBAL const u64 *RESTRICT edges, GLOBAL u32 *now,
         GLOBAL const u32 *RESTRICT before, GLOBAL u32 *marks, u32 round) {
    FOR_WORK(i, count) {
        u64 edge = edges[first + i];
        u32 a = edge_from(edge), b = edge_to(edge);
        u32 a_root = relaxed_load_u32(&now[a]), b_root = relaxed_load_u32(&now[b]);
        hook(now, before, marks, round, a, a_root, b_root);
        hook(now, before, marks, round, b, b_root, a_root);
    }
}

FN void hook_stagnant(GLOBAL u32 *now, GLOBAL const u32 *marks, u32 round, u32 a_root, u32 b_root) {
    if (marks[a_root] < round && relaxed_load_u32(&now[a_root]) == a_root)
        relaxed_store_u32(&now[a_root], b_root);
}

/* Only roots that nothing has happened to in this round. */
KERNEL_WG(WG)
void SV3(u64 first, u64 count, GLOBAL const u64 *RESTRICT edges, GLOBAL u32 *now,
         GLOBAL const u32 *RESTRICT marks, u32 round) {
    FOR_WORK(i, count) {
        u64 edge = edges[first + i];
        u32 a_root = relaxed_load_u32(&now[edge_from(edge)]);
        u32 b_root = relaxed_load_u32(&now[edge_to(edge)]);
        if (a_root != b_root) {
            hook_stagnant(now, marks, round, a_root, b_root);
            hook_stagnant(now, marks, round, b_root, a_root);
        }
    }
}

KERNEL_WG(WG)
void SV4_5(u64 first, u64 count, GLOBAL u32 *now, GLOBAL const u32 *RESTRICT marks, u32 round,
           GLOBAL u32 *flags) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u32 parent = relaxed_load_u32(&now[first + i]);
        u32 grand = relaxed_load_u32(&now[parent]);
        if (grand != parent)
            relaxed_store_u32(&now[first + i], grand);
        changed |= marks[first + i] == round;
    }
    if (changed)
        relaxed_store_u32(&flags[FLAG_CHANGED], 1);
}

/* SV3 may hook onto larger labels, so in the end each tree is given to its least vertex. */
KERNEL_WG(WG) void least_clear(u64 first, u64 count, GLOBAL u32 *least) {
    FOR_WORK(i, count) {
        least[first + i] = NO_VERTEX;
    }
}

KERNEL_WG(WG)
void least_find(u64 first, u64 count, GLOBAL const u32 *RESTRICT roots, GLOBAL u32 *least) {
    FOR_WORK(i, count) {
        lower(least, roots[first + i], (u32)(first + i));
    }
}

/* `roots` may be `labels`: an item reads what it then writes, and nothing else. */
KERNEL_WG(WG)
void least_give(u64 first, u64 count, GLOBAL const u32 *roots, GLOBAL const u32 *RESTRICT least,
                GLOBAL u32 *labels) {
    FOR_WORK(i, count) {
        labels[first + i] = least[roots[first + i]];
    }
}

/* --- the sort-based simulation, D1: keys are edges, sorted by their low half -------------------
 */

/* Keys are sorted by their low ends: those ends' labels are fetched, and the key is turned for the
 * sort by the other ends. */
KERNEL_WG(WG)
void fetch_labels(u64 first, u64 count, GLOBAL u64 *RESTRICT keys, GLOBAL u32 *RESTRICT found,
                  GLOBAL const u32 *RESTRICT labels) {
    FOR_WORK(i, count) {
        u64 key = keys[first + i];
        found[first + i] = labels[edge_to(key)];
        keys[first + i] = swap_halves_u64(key);
    }
}

/* Keys are sorted by the other ends, and `found` came with them. A graft is written to `grafts` as
 * larger label in the low half, smaller in the high one; edges of one label become none. */
KERNEL_WG(WG)
void make_grafts(u64 first, u64 count, GLOBAL const u64 *RESTRICT keys,
                 GLOBAL const u32 *RESTRICT found, GLOBAL const u32 *RESTRICT labels,
                 GLOBAL u64 *RESTRICT grafts, GLOBAL u32 *flags) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u32 a = labels[edge_to(keys[first + i])], b = found[first + i];
        grafts[first + i] = a < b ? edge_make(a, b) : edge_make(b, a);
        changed |= a != b;
    }
    if (changed)
        relaxed_store_u32(&flags[FLAG_CHANGED], 1);
}

KERNEL_WG(WG)
void write_grafts(u64 first, u64 count, GLOBAL const u64 *RESTRICT grafts, GLOBAL u32 *labels) {
    FOR_WORK(i, count) {
        u64 graft_word = grafts[first + i];
        if (edge_from(graft_word) != edge_to(graft_word))
            lower(labels, edge_to(graft_word), edge_from(graft_word));
    }
}
