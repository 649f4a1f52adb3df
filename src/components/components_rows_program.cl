/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the variants of components that work on rows: rem and afforest. What they do together
 * is said in components_device_rows.c.
 *
 * A launch sees a window of the graph: `rows` rows from row `row_first` on, whose offsets are
 * offsets[0] to offsets[rows], and the arcs from number `base` on, which are targets[0] and so on.
 * The first and the last row may go on outside. OFFSET is the type of offsets. */
#include "components/forest.cl"
#include "kernels/shim.h"

#ifndef WIDE_OFFSETS
#define WIDE_OFFSETS 0
#endif
/* Elements ahead of the one at hand that a core asks memory for. */
#define AHEAD 16

#if WIDE_OFFSETS
#define OFFSET u64
#else
#define OFFSET u32
#endif

/* What an item has left to do when its steps are used up. */
typedef struct place {
    u64 next;  /* element of its share */
    u32 u, v;  /* remains to be joined; equal: nothing */
    u32 steps; /* that it may still take */
    u32 done;  /* 0: they are used up */
} place;

FN place place_begin(u64 begin, u32 trip, GLOBAL const u64 *resume, u32 steps, GLOBAL u32 *labels) {
    place at;
    at.next = begin;
    at.u = at.v = 0;
    at.steps = steps;
    at.done = 1;
    if (trip > 0) {
        u64 pair = resume[2 * item_id() + 1];
        at.next = resume[2 * item_id()];
        at.u = (u32)(pair >> 32);
        at.v = (u32)pair;
        at.done = join_trees(labels, &at.u, &at.v, &at.steps);
    }
    return at;
}

FN void place_end(const place *at, GLOBAL u64 *resume, GLOBAL u32 *flags) {
    resume[2 * item_id()] = at->next;
    resume[2 * item_id() + 1] = at->done ? 0 : (u64)at->u << 32 | at->v;
    if (!at->done)
        relaxed_store_u32(&flags[FLAG_LEFT], 1);
}

#define ROWS GLOBAL const OFFSET *
#include "kernels/row_of.cl"

/* Arc number `round` of every row of the slice is joined. */
KERNEL_WG(WG)
void sample(u64 first, u64 count, u32 trip, GLOBAL u32 *flags,
            GLOBAL const OFFSET *RESTRICT offsets, GLOBAL const u32 *RESTRICT targets,
            GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps, u32 row_first, u64 base,
            u64 base_end, u32 round) {
    u64 end = work_end(count);
    place at = place_begin(work_begin(count), trip, resume, steps, labels);
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
    place_end(&at, resume, flags);
}

/* Joins the arcs [first, first + count) of the window.
 *   downward        only arcs to smaller vertices: of an undirected graph they are every edge once
 *   skip        so many arcs at the beginning of every row are left out
 *   giant       vertices of this label are left out (NO_VERTEX: none), or, if `one_way`, those of
 *               their arcs that lead to the same label
 * A worker has one contiguous range, so rows are found by a short search once and then by walking.
 */
FN void join_window(u64 first, u64 count, u32 trip, GLOBAL u32 *flags, GLOBAL const OFFSET *offsets,
                    GLOBAL const u32 *targets, GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps,
                    u32 row_first, u64 rows, u64 base, u32 downward, u32 skip, u32 giant,
                    u32 one_way) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
#if WORK_CHUNKED
    u64 stride = 1;
#else
    u64 stride = WG;
    begin += local_id();
#endif
    place at = place_begin(begin, trip, resume, steps, labels);
    u64 row = at.next < end ? row_of(offsets, 0, rows, base + first + at.next) : 0;
    while (at.done && at.next < end) {
        u64 arc = base + first + at.next;
#if WORK_CHUNKED
        while (offsets[row + 1] <= arc) /* the next row, or behind empty ones */
            row++;
#else
        row = row_of(offsets, row, rows, arc);
#endif
        u32 vertex = row_first + (u32)row;
        u64 row_end = offsets[row + 1] - base - first; /* wraps nowhere: arc is before it */
        u32 inside = giant != NO_VERTEX && relaxed_load_u32(&labels[vertex]) == giant;
        if (row_end > end)
            row_end = end;
        if (arc < offsets[row] + (u64)skip) {
            u64 jump = offsets[row] + (u64)skip - arc;
            at.next += (jump + stride - 1) / stride * stride;
        }
        if (inside && !one_way)
            at.next += at.next < row_end ? (row_end - at.next + stride - 1) / stride * stride : 0;
        for (; at.done && at.next < row_end; at.next += stride) {
            u32 other = targets[first + at.next];
            if (downward && other >= vertex) {
                /* rows are sorted: the rest are edges that come up in other rows */
                at.next += (row_end - at.next + stride - 1) / stride * stride;
                break;
            }
            if (WORK_CHUNKED && at.next + AHEAD < count)
                PREFETCH_READ(&labels[targets[first + at.next + AHEAD]]);
            if (inside && relaxed_load_u32(&labels[other]) == giant)
                continue;
            at.u = vertex;
            at.v = other;
            at.done = join_trees(labels, &at.u, &at.v, &at.steps);
        }
    }
    place_end(&at, resume, flags);
}

KERNEL_WG(WG)
void join_rows(u64 first, u64 count, u32 trip, GLOBAL u32 *flags,
               GLOBAL const OFFSET *RESTRICT offsets, GLOBAL const u32 *RESTRICT targets,
               GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps, u32 row_first, u64 rows, u64 base,
               u32 downward) {
    join_window(first, count, trip, flags, offsets, targets, labels, resume, steps, row_first, rows,
                base, downward, 0, NO_VERTEX, 0);
}

KERNEL_WG(WG)
void rest(u64 first, u64 count, u32 trip, GLOBAL u32 *flags, GLOBAL const OFFSET *RESTRICT offsets,
          GLOBAL const u32 *RESTRICT targets, GLOBAL u32 *labels, GLOBAL u64 *resume, u32 steps,
          u32 row_first, u64 rows, u64 base, u32 skip, u32 giant, u32 one_way) {
    join_window(first, count, trip, flags, offsets, targets, labels, resume, steps, row_first, rows,
                base, 0, skip, giant, one_way);
}
