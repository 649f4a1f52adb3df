/* SPDX-License-Identifier: Apache-2.0
 *
 * What every search on a device begins and ends with: levels and parents without values, the
 * sources, and at the end the canonical parents, which follow from levels alone.
 *
 * Both kernels for parents go over arcs, not over rows, so that a row of millions of arcs is shared
 * by many workers: each has one contiguous range of arcs, finds its first row by a search and goes
 * on from there. parents_pull wants rows of arcs in (those of an undirected graph are), where the
 * first neighbour that is a level nearer is the smallest, and the rest of the row is skipped;
 * parents_push takes the arcs out and lowers the parents of their ends. */
#include "bfs/bfs_rows.cl"

KERNEL_WG(WG)
void clear(u64 first, u64 count, GLOBAL u32 *levels, GLOBAL u32 *parents, u32 wanted) {
    FOR_WORK(i, count) {
        levels[first + i] = NO_LEVEL;
        if (wanted)
            parents[first + i] = NO_VERTEX;
    }
}

/* Sources may repeat: the first to come enters the queue. *tail counts those that did. */
KERNEL_WG(WG)
void sources_start(u64 first, u64 count, GLOBAL const u32 *sources, GLOBAL u32 *levels,
                   GLOBAL u32 *parents, u32 wanted, GLOBAL u32 *queue, u32 queued,
                   GLOBAL u32 *tail) {
    FOR_WORK(i, count) {
        u32 s = sources[first + i];
        if (atomic_swap_u32(&levels[s], 0) == NO_LEVEL) {
            u32 place = atomic_add_u32(tail, 1);
            if (wanted)
                parents[s] = s;
            if (queued)
                queue[place] = s;
        }
    }
}

/* The levels of some targets, for the host to look at. */
KERNEL_WG(WG)
void levels_of(u64 first, u64 count, GLOBAL const u32 *targets, GLOBAL const u32 *levels,
               GLOBAL u32 *out) {
    FOR_WORK(i, count) {
        out[first + i] = levels[targets[first + i]];
    }
}

FN void lower(GLOBAL u32 *parents, u64 place, u32 value) {
    if (relaxed_load_u32(&parents[place]) > value)
        atomic_min_u32(&parents[place], value);
}

KERNEL_WG(WG)
void parents_pull(u64 first, u64 count, ROWS offsets, ARCS targets, GLOBAL const u32 *levels,
                  GLOBAL u32 *parents, u64 rows) {
    u64 begin = first + worker_begin(count, worker_id(), worker_count());
    u64 end = first + worker_begin(count, worker_id() + 1, worker_count());
    u64 row = begin < end ? row_of(offsets, 0, rows, begin) : 0;
#if WORK_CHUNKED
    for (u64 arc = begin; arc < end; row++) {
        u64 row_end = offsets[row + 1], stop = row_end < end ? row_end : end;
        u32 nearer = levels[row] - 1, whole = offsets[row] >= begin && row_end <= end;
        if (nearer < NO_LEVEL - 1) { /* neither a source nor unreached */
            while (arc < stop && levels[targets[arc]] != nearer)
                arc++;
            if (arc < stop) {
                /* A row that others have parts of too takes the least that was found. */
                if (whole)
                    parents[row] = targets[arc];
                else
                    atomic_min_u32(&parents[row], targets[arc]);
            }
        }
        arc = stop;
    }
#else
    for (u64 arc = begin + local_id(); arc < end; arc += WG) {
        row = row_of(offsets, row, rows, arc);
        u32 nearer = levels[row] - 1, u = targets[arc];
        if (nearer < NO_LEVEL - 1 && levels[u] == nearer)
            lower(parents, row, u);
    }
#endif
}

KERNEL_WG(WG)
void parents_push(u64 first, u64 count, ROWS offsets, ARCS targets, GLOBAL const u32 *levels,
                  GLOBAL u32 *parents, u64 rows) {
    u64 begin = first + worker_begin(count, worker_id(), worker_count());
    u64 end = first + worker_begin(count, worker_id() + 1, worker_count());
    u64 row = begin < end ? row_of(offsets, 0, rows, begin) : 0;
#if WORK_CHUNKED
    for (u64 arc = begin; arc < end; row++) {
        u64 row_end = offsets[row + 1], stop = row_end < end ? row_end : end;
        u32 level = levels[row];
        for (; level != NO_LEVEL && arc < stop; arc++) {
            if (levels[targets[arc]] == level + 1)
                lower(parents, targets[arc], (u32)row);
        }
        arc = stop;
    }
#else
    for (u64 arc = begin + local_id(); arc < end; arc += WG) {
        row = row_of(offsets, row, rows, arc);
        u32 level = levels[row], v = targets[arc];
        if (level != NO_LEVEL && levels[v] == level + 1)
            lower(parents, v, (u32)row);
    }
#endif
}
