/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of bfs-bits: searches breadth first from 32 * WORDS sources at once, a bit for each in
 * WORDS words of every vertex, so that one look at an arc serves all of them. What they do together
 * is said in apsp_device_bfs_bits.c.
 *
 * cut      where the shares of rows and arcs begin that `advance` works on: once for a graph.
 * plant    the sources of a batch.
 * advance  a level: next[] of what the arcs out of the frontier lead to (push), or of what its arcs
 *          in come from (pull, where there are such and less is to be looked at). All words that it
 *          reads are as the level before left them; next[] alone is written, and marks.
 * settle   who is marked takes next[] over: now[] is the frontier, seen[] has what was ever found.
 * tell     how many vertices each source has found in the level.
 *
 * Invariants between two levels: now[v] is not 0 exactly for the vertices of the frontier, whose
 * mark is the level; next[] is 0; seen[] includes now[].
 *
 * Units. The work of a level is cut by rows and arcs together: unit offsets[r] + r is row r itself,
 * and those behind it, up to the next row's, are its arcs. So long rows are shared, and short ones
 * are no burden. In the form for GPUs a share is gone through by WORDS items, one for each word:
 * they touch the words of a vertex side by side. */
#include "kernels/offset.cl"
#include "kernels/shim.h"

#ifndef WG
#define WG 128
#endif
#ifndef WORDS
#define WORDS 8 /* a multiple of 4 */
#endif
#ifndef LEVEL_BYTES
#define LEVEL_BYTES 2
#endif
#if LEVEL_BYTES == 2
#define LEVEL u16
#else
#define LEVEL u32
#endif
#if WORK_CHUNKED
#define LANES 1
#else
#define LANES WORDS
#endif
#define MINE (WORDS / LANES) /* words of an item */

#define ROWS    GLOBAL const OFFSET *RESTRICT
#define ARCS    GLOBAL const u32 *RESTRICT
#define SOURCES (32 * WORDS)

/* state: of four levels the vertices of the frontier and their arcs; and arcs in of all vertices
 * that every source has found. Arcs are shifted down so that they fit. */
#define SLOT_WORDS        2
#define SLOT(level, word) ((level) % 4 * SLOT_WORDS + (word))
#define COUNT             0
#define FRONTIER          1
#define CLOSED            (4 * SLOT_WORDS)

/* A level is pulled when that looks at fewer arcs than PULL_SHARE times those of the frontier. */
#define PULL_SHARE 2

/* The bits of the batch's sources in a word. */
FN u32 all_of(u32 sources, u32 word) {
    u32 whole = sources / 32;
    return word < whole ? 0xffffffffu : word == whole ? (1u << sources % 32) - 1 : 0;
}

/* Units [first, first + count) are cut for so many workers: the row in which each begins goes to
 * starts, from `begin` on. */
KERNEL_WG(WG)
void cut(u64 first, u64 count, u64 rows, u32 workers, ROWS offsets, GLOBAL u32 *starts, u32 begin) {
    FOR_WORK(i, workers) {
        u64 unit = first + worker_begin(count, (u32)i, workers), row = 0, above = rows;
        while (row + 1 < above) {
            u64 middle = (row + above) / 2;
            if (offsets[middle] + middle <= unit)
                row = middle;
            else
                above = middle;
        }
        starts[begin + i] = (u32)row;
    }
}

/* Sources may repeat. `listed`: they are in the array, else they follow one another. */
KERNEL_WG(WG)
void plant(u32 first, u32 count, GLOBAL const u32 *sources, u32 listed, u64 rows, u32 shift,
           ROWS offsets, GLOBAL u32 *now, GLOBAL u32 *seen, GLOBAL u32 *marks, GLOBAL LEVEL *levels,
           u32 noted, GLOBAL u32 *state) {
    FOR_WORK(i, count) {
        u32 source = listed ? sources[i] : first + (u32)i, bit = 1u << i % 32;
        u64 at = (u64)source * WORDS + i / 32;
        atomic_or_u32(&now[at], bit);
        atomic_or_u32(&seen[at], bit);
        relaxed_store_u32(&marks[source], 0);
        if (noted)
            levels[i * rows + source] = 0;
        atomic_add_u32(&state[SLOT(0, COUNT)], 1);
        atomic_add_u32(&state[SLOT(0, FRONTIER)],
                       (u32)((u64)(offsets[(u64)source + 1] - offsets[source]) >> shift));
    }
}

/* Bits that were found at a vertex. `alone`: nobody else looks at that vertex. */
FN void find(GLOBAL u32 *next, GLOBAL u32 *marks, u64 vertex, u32 word, u32 bits, u32 alone,
             u32 level) {
    GLOBAL u32 *to = &next[vertex * WORDS + word];
    if (alone)
        relaxed_store_u32(to, bits);
    if (alone || atomic_or_u32(to, bits) == 0)
        relaxed_store_u32(&marks[vertex], level + 1);
}

/* Units [first, first + count). `pulls`: there are arcs in; `total` arcs, shifted as the state's
 * are. */
KERNEL_WG(WG)
void advance(u32 level, u64 first, u64 count, u32 workers, u32 begin, u32 sources, u32 pulls,
             u32 total, ROWS offsets, ARCS targets, GLOBAL const u32 *starts, ROWS in_offsets,
             ARCS in_targets, GLOBAL const u32 *in_starts, GLOBAL const u32 *RESTRICT now,
             GLOBAL const u32 *RESTRICT seen, GLOBAL u32 *next, GLOBAL u32 *marks,
             GLOBAL u32 *state) {
    u32 pull = pulls && PULL_SHARE * (u64)state[SLOT(level, FRONTIER)] + state[CLOSED] > total;
    u32 worker = item_id() / LANES, word = item_id() % LANES * MINE;
    u64 unit = first + worker_begin(count, worker, workers);
    u64 end = first + worker_begin(count, worker + 1, workers);
    if (item_id() == 0) {
        state[SLOT(level + 2, COUNT)] = 0;
        state[SLOT(level + 2, FRONTIER)] = 0;
    }
    if (worker >= workers || state[SLOT(level, COUNT)] == 0)
        unit = end;
    ROWS begins = pull ? in_offsets : offsets;
    ARCS ends = pull ? in_targets : targets;
    u64 row = unit >= end ? 0 : pull ? in_starts[begin + worker] : starts[begin + worker];
    u64 row_begin = unit < end ? begins[row] : 0;
    while (unit < end) {
        u64 row_end = begins[row + 1], past = row_end + row + 1, stop = past < end ? past : end;
        u32 alone = unit == row_begin + row && past <= end, any = 0;
        u64 arc = unit > row_begin + row ? unit - row - 1 : row_begin, arc_end = stop - row - 1;
        u32 bits[MINE], got[MINE];
        for (u32 k = 0; k < MINE; k++) {
            u64 at = row * WORDS + word + k;
            bits[k] = pull ? all_of(sources, word + k) & ~seen[at] : now[at];
            got[k] = 0;
            any |= bits[k];
        }
        if (pull) { /* until nothing more can be found */
            for (; any != 0 && arc < arc_end; arc++) {
                u64 other = (u64)ends[arc] * WORDS + word;
                any = 0;
                for (u32 k = 0; k < MINE; k++) {
                    got[k] |= now[other + k];
                    any |= bits[k] & ~got[k];
                }
            }
            for (u32 k = 0; k < MINE; k++) {
                if ((got[k] & bits[k]) != 0)
                    find(next, marks, row, word + k, got[k] & bits[k], alone, level);
            }
        } else if (any != 0) {
            for (; arc < arc_end; arc++) {
                u64 other = ends[arc];
                for (u32 k = 0; k < MINE; k++) {
                    u32 fresh = bits[k] & ~seen[other * WORDS + word + k];
                    if (fresh != 0)
                        find(next, marks, other, word + k, fresh, 0, level);
                }
            }
        }
        unit = past;
        row_begin = row_end;
        row++;
    }
}

/* `noted`: the level goes to the rows of the sources that have found a vertex, if it is 1. */
KERNEL_WG(WG)
void settle(u32 level, u64 rows, u32 sources, u32 shift, ROWS offsets, ROWS in_offsets,
            GLOBAL u32 *now, GLOBAL u32 *seen, GLOBAL u32 *next, GLOBAL const u32 *marks,
            GLOBAL LEVEL *levels, u32 noted, GLOBAL u32 *state) {
    LOCALV u32 sums[3];
    u32 found = 0;
    u64 arcs = 0, closed = 0, todo = state[SLOT(level, COUNT)] == 0 ? 0 : rows;
    if (local_id() == 0) {
        sums[0] = 0;
        sums[1] = 0;
        sums[2] = 0;
    }
    BARRIER_LOCAL();
    FOR_WORK(v, todo) {
        u32 mark = marks[v];
        if (mark == level + 1) {
            u32 bits[WORDS], old[WORDS], open = 0;
            for (u32 k = 0; k < WORDS; k += 4) {
                load_four_u32(&next[v * WORDS + k], &bits[k]);
                load_four_u32(&seen[v * WORDS + k], &old[k]);
            }
            for (u32 k = 0; k < WORDS; k++) {
                open |= all_of(sources, k) & ~(old[k] | bits[k]);
                seen[v * WORDS + k] = old[k] | bits[k];
                now[v * WORDS + k] = bits[k];
                next[v * WORDS + k] = 0;
            }
            found++;
            arcs += offsets[v + 1] - offsets[v];
            closed += open == 0 ? in_offsets[v + 1] - in_offsets[v] : 0;
            for (u32 k = 0; noted && k < WORDS; k++) {
                for (u32 b = 0; bits[k] != 0 && b < 32; b++) {
                    if ((bits[k] >> b & 1) != 0)
                        levels[(32 * k + b) * rows + v] = (LEVEL)(level + 1);
                }
            }
        } else if (mark == level) {
            for (u32 k = 0; k < WORDS; k++)
                now[v * WORDS + k] = 0;
        }
    }
    if (found > 0) {
        atomic_add_local_u32(&sums[0], found);
        atomic_add_local_u32(&sums[1], (u32)(arcs >> shift));
        atomic_add_local_u32(&sums[2], (u32)(closed >> shift));
    }
    BARRIER_LOCAL();
    if (local_id() < 3 && sums[local_id()] > 0) {
        u32 to = local_id() == 0   ? SLOT(level + 1, COUNT)
                 : local_id() == 1 ? SLOT(level + 1, FRONTIER)
                                   : CLOSED;
        atomic_add_u32(&state[to], sums[local_id()]);
    }
}

#define TILE    32                        /* vertices whose bits are in local memory */
#define COUNTED ((SOURCES + WG - 1) / WG) /* sources of an item */

/* Adds to counts[begin + s], of the level that was found last. */
KERNEL_WG(WG)
void tell(u32 level, u64 rows, GLOBAL const u32 *now, GLOBAL const u32 *marks, GLOBAL u32 *counts,
          u32 begin, GLOBAL const u32 *state) {
    LOCALV u32 bits[TILE * WORDS];
    LOCALV u32 some; /* whether a vertex of the tile is of the level */
    u32 mine[COUNTED];
    u64 tiles = state[SLOT(level + 1, COUNT)] == 0 ? 0 : (rows + TILE - 1) / TILE;
    for (u32 i = 0; i < COUNTED; i++)
        mine[i] = 0;
    for (u64 tile = group_id(); tile < tiles; tile += group_count()) {
        if (local_id() == 0)
            relaxed_store_local_u32(&some, 0);
        BARRIER_LOCAL();
        for (u32 i = local_id(); i < TILE * WORDS; i += WG) {
            u64 v = tile * TILE + i / WORDS;
            bits[i] = v < rows && marks[v] == level + 1 ? now[tile * TILE * WORDS + i] : 0;
            if (bits[i] != 0)
                relaxed_store_local_u32(&some, 1);
        }
        BARRIER_LOCAL();
        for (u32 i = 0; i < COUNTED && relaxed_load_local_u32(&some) != 0; i++) {
            u32 source = i * WG + local_id();
            for (u32 k = 0; source < SOURCES && k < TILE; k++)
                mine[i] += bits[k * WORDS + source / 32] >> source % 32 & 1;
        }
        BARRIER_LOCAL();
    }
    for (u32 i = 0; i < COUNTED; i++) {
        if (mine[i] > 0)
            atomic_add_u32(&counts[begin + i * WG + local_id()], mine[i]);
    }
}
