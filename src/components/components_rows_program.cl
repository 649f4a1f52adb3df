/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the variants of components that work on rows: rem and afforest. What they do together
 * is said in components_device_rows.c.
 *
 * A launch sees a window of the graph: `rows` rows from row `row_first` on, whose offsets are
 * offsets[0] to offsets[rows], and the arcs from number `base` on, which are targets[0] and so on.
 * The first and the last row may go on outside. OFFSET is the type of offsets. */
#include "components/forest.cl"
#include "kernels/offset.cl"
#include "kernels/shim.h"

/* Elements ahead of the one at hand that a core asks memory for. */
#define AHEAD 16

/* What an item has left to do when its steps are used up. In `resume`: the element and the pair, or
 * 0, of one item behind those of the other where an item is a core's; else the elements of all
 * items, with a bit that says whether there is a pair, and then the pairs, which few have: so
 * neighbours write side by side. */
#define HOLDS_PAIR U64_C(0x8000000000000000)
typedef struct place {
    u64 next;  /* element of its share */
    u32 u, v;  /* remains to be joined; equal: nothing */
    u32 steps; /* that it may still take */
    u32 done;  /* 0: they are used up */
} place;

FN place place_begin(u64 begin, u32 turn, GLOBAL const u64 *resume, u32 steps, GLOBAL u32 *labels) {
    place at;
    at.next = begin;
    at.u = at.v = 0;
    at.steps = steps;
    at.done = 1;
    if (turn_goes_on(turn)) {
#if WORK_CHUNKED
        u64 pair = resume[2 * item_id() + 1];
        at.next = resume[2 * item_id()];
#else
        u64 word = resume[item_id()];
        u64 pair = word & HOLDS_PAIR ? resume[item_count() + item_id()] : 0;
        at.next = word & ~HOLDS_PAIR;
#endif
        at.u = (u32)(pair >> 32);
        at.v = (u32)pair;
        at.done = join_trees(labels, &at.u, &at.v, &at.steps);
    }
    return at;
}

FN void place_end(const place *at, GLOBAL u64 *resume, GLOBAL u32 *flags, u32 turn) {
#if WORK_CHUNKED
    resume[2 * item_id()] = at->next;
    resume[2 * item_id() + 1] = at->done ? 0 : (u64)at->u << 32 | at->v;
#else
    resume[item_id()] = at->done ? at->next : at->next | HOLDS_PAIR;
    if (!at->done)
        resume[item_count() + item_id()] = (u64)at->u << 32 | at->v;
#endif
    if (!at->done)
        turn_leaves(flags, turn);
}

#define ROWS GLOBAL const OFFSET *
#if WORK_CHUNKED
#include "kernels/row_of.cl"
#else
#define TYPE        OFFSET
#define NAMED(name) name##_offset
#include "kernels/group_template.cl"
#include "kernels/spread_template.cl"
#undef TYPE
#undef NAMED
#endif

/* Arc number `round` of every row of the slice is joined. */
KERNEL_WG(WG)
void sample(u64 first, u64 count, u32 turn, GLOBAL u32 *flags,
            GLOBAL const OFFSET *RESTRICT offsets, GLOBAL const u32 *RESTRICT targets,
            GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps, u32 row_first, u64 base,
            u64 base_end, u32 round) {
    if (!turn_is_due(flags, turn))
        return;
    u64 end = work_end(count);
    place at = place_begin(work_begin(count), turn, resume, steps, labels);
    for (; at.done && at.next < end; at.next += work_step()) {
        u64 row = first + at.next, arc = offsets[row] + (u64)round;
        if (WORK_CHUNKED && at.next + 2 * AHEAD < count) { /* into the next item's share, too */
            u64 ahead = offsets[row + 2 * AHEAD] + (u64)round;
            if (ahead >= base && ahead < base_end)
                PREFETCH_READ(&targets[ahead - base]);
            ahead = offsets[row + AHEAD] + (u64)round;
            if (ahead >= base && ahead < base_end)
                PREFETCH_READ(&labels[targets[ahead - base]]);
        }
        if (arc < offsets[row + 1] && arc >= base && arc < base_end) {
            at.u = row_first + (u32)row;
            at.v = targets[arc - base];
            at.done = join_trees(labels, &at.u, &at.v, &at.steps);
        }
    }
    place_end(&at, resume, flags, turn);
}

/* What is joined of a window, and what is left out. */
typedef struct choice {
    u32 row_first;
    u64 rows, base, base_end;
    u32 downward; /* only arcs to smaller vertices: of undirected graphs they are every edge once */
    u32 skip;     /* so many arcs at the beginning of every row are left out */
    u32 giant;    /* vertices of this label are left out (NO_VERTEX: none), or, */
    u32 one_way;  /* those of their arcs that lead to the same label */
} choice;

FN u32 is_inside(const choice *of, GLOBAL u32 *labels, u32 vertex) {
    return of->giant != NO_VERTEX && relaxed_load_u32(&labels[vertex]) == of->giant;
}

#if WORK_CHUNKED
/* Joins the arcs [first, first + count) of the window. An item has one contiguous range, so rows
 * are found by a short search once and then by walking. */
FN void join_window(u64 first, u64 count, u32 turn, GLOBAL u32 *flags, ROWS offsets,
                    GLOBAL const u32 *targets, GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps,
                    const choice *of) {
    if (!turn_is_due(flags, turn))
        return;
    u64 base = of->base, end = worker_begin(count, worker_id() + 1, worker_count());
    place at =
        place_begin(worker_begin(count, worker_id(), worker_count()), turn, resume, steps, labels);
    u64 row = at.next < end ? row_of(offsets, 0, of->rows, base + first + at.next) : 0;
    while (at.done && at.next < end) {
        u64 arc = base + first + at.next;
        while (offsets[row + 1] <= arc) /* the next row, or behind empty ones */
            row++;
        u32 vertex = of->row_first + (u32)row;
        u64 row_end = offsets[row + 1] - base - first; /* wraps nowhere: arc is before it */
        u32 inside = is_inside(of, labels, vertex);
        if (row_end > end)
            row_end = end;
        if (arc < offsets[row] + (u64)of->skip)
            at.next += offsets[row] + (u64)of->skip - arc;
        if (inside && !of->one_way && at.next < row_end)
            at.next = row_end;
        for (; at.done && at.next < row_end; at.next++) {
            u32 other = targets[first + at.next];
            if (of->downward && other >= vertex) {
                /* rows are sorted: the rest are edges that come up in other rows */
                at.next = row_end;
                break;
            }
            if (at.next + AHEAD < count)
                PREFETCH_READ(&labels[targets[first + at.next + AHEAD]]);
            if (inside && relaxed_load_u32(&labels[other]) == of->giant)
                continue;
            at.u = vertex;
            at.v = other;
            at.done = join_trees(labels, &at.u, &at.v, &at.steps);
        }
    }
    place_end(&at, resume, flags, turn);
}
#else
typedef struct group_state {
    OFFSET pair[2 * WG], starts[WG];
    OFFSET from[WG]; /* where a row's arcs begin in `targets` */
    u32 stopped;     /* an item's steps are used up */
} group_state;

/* Arcs of a row that are joined; *from is the place of the first. */
FN OFFSET arcs_of(ROWS offsets, GLOBAL u32 *labels, const choice *of, u64 row, OFFSET *from) {
    u64 begin = offsets[row] + (u64)of->skip, end = offsets[row + 1];
    if (begin < of->base)
        begin = of->base;
    if (end > of->base_end)
        end = of->base_end;
    *from = (OFFSET)(begin - of->base);
    if (begin >= end || (is_inside(of, labels, of->row_first + (u32)row) && !of->one_way))
        return 0;
    return (OFFSET)(end - begin);
}

/* Joins the arcs of the rows [first, first + count) of the window: a tile of WG rows by a group,
 * whose items first ask for a row each, so that of what is left out no arc is read, and then share
 * the arcs. A tile in which an item stopped is done once more, after that item has joined what it
 * had in hand: what is joined already is joined in a step or two. */
FN void join_window(u64 first, u64 count, u32 turn, GLOBAL u32 *flags, ROWS offsets,
                    GLOBAL const u32 *targets, GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps,
                    const choice *of, LOCALP group_state *group) {
    u32 due = turn_is_due(flags, turn);
    place at = place_begin(group_id(), turn, resume, steps, labels); /* next: a tile */
    u64 tiles = due ? (count + WG - 1) / WG : 0;
    if (local_id() == 0)
        group->stopped = 0;
    BARRIER_LOCAL();
    if (!at.done)
        relaxed_store_local_u32(&group->stopped, 1);
    BARRIER_LOCAL();
    u32 go = !relaxed_load_local_u32(&group->stopped) && at.next < tiles;
    while (go) {
        u64 row = first + at.next * WG + local_id();
        OFFSET from = 0, arcs = 0, total;
        if (row < first + count)
            arcs = arcs_of(offsets, labels, of, row, &from);
        OFFSET start = group_prefix_offset(group->pair, WG, arcs, &total);
        group->starts[local_id()] = start;
        group->from[local_id()] = from;
        BARRIER_LOCAL();
        for (OFFSET k = local_id(); at.done && k < total; k += WG) {
            u32 which = spread_row_offset(group->starts, WG, k);
            u32 vertex = of->row_first + (u32)(first + at.next * WG) + which;
            u32 other = targets[group->from[which] + (k - group->starts[which])];
            if ((of->downward && other >= vertex) ||
                (of->one_way && is_inside(of, labels, vertex) && is_inside(of, labels, other)))
                continue;
            at.u = vertex;
            at.v = other;
            at.done = join_trees(labels, &at.u, &at.v, &at.steps);
        }
        if (!at.done)
            relaxed_store_local_u32(&group->stopped, 1);
        BARRIER_LOCAL();
        u32 stopped = relaxed_load_local_u32(&group->stopped);
        if (!stopped)
            at.next += group_count();
        go = !stopped && at.next < tiles;
    }
    if (due)
        place_end(&at, resume, flags, turn);
}
#endif

/* Labels of a sample of vertices, which the golden ratio spreads. */
KERNEL_WG(WG)
void pick(u64 first, u64 count, GLOBAL const u32 *RESTRICT labels, GLOBAL u32 *RESTRICT found,
          u32 n) {
    FOR_WORK(i, count) {
        u64 at = (u32)(first + i) * 0x9e3779b9u;
        found[first + i] = labels[at * n >> 32];
    }
}

KERNEL_WG(WG)
void join_rows(u64 first, u64 count, u32 turn, GLOBAL u32 *flags,
               GLOBAL const OFFSET *RESTRICT offsets, GLOBAL const u32 *RESTRICT targets,
               GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps, u32 row_first, u64 rows, u64 base,
               u64 base_end, u32 downward) {
    choice of = {row_first, rows, base, base_end, downward, 0, NO_VERTEX, 0};
#if WORK_CHUNKED
    join_window(first, count, turn, flags, offsets, targets, labels, resume, steps, &of);
#else
    LOCALV group_state group;
    join_window(first, count, turn, flags, offsets, targets, labels, resume, steps, &of, &group);
#endif
}

KERNEL_WG(WG)
void rest(u64 first, u64 count, u32 turn, GLOBAL u32 *flags, GLOBAL const OFFSET *RESTRICT offsets,
          GLOBAL const u32 *RESTRICT targets, GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps,
          u32 row_first, u64 rows, u64 base, u64 base_end, u32 skip, u32 giant, u32 one_way) {
    choice of = {row_first, rows, base, base_end, 0, skip, giant, one_way};
#if WORK_CHUNKED
    join_window(first, count, turn, flags, offsets, targets, labels, resume, steps, &of);
#else
    LOCALV group_state group;
    join_window(first, count, turn, flags, offsets, targets, labels, resume, steps, &of, &group);
#endif
}
