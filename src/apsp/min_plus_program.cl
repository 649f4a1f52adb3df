/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices of distances in the (min, +) sense, and what the variants of apsp on devices
 * need around them. What the kernels do together is said in min_plus_device.h.
 *
 * A product takes packed panels: of the left factor TILE_ROWS numbers for each step of the depth,
 * one for each row of a tile, of the right factor
 * TILE_COLUMNS, one for each column; so both are read from
 * front to back. The tile of the result stays in registers for all steps. Panels are filled up with
 * FAR.
 *   STAGED 0   an item has a column of tiles, twice LANES wide, and goes down CHUNK_ROWS rows: what
 * a core wants. No local memory, no barrier: groups of one item. STAGED 1   a group has TILES_UP x
 * TILES_ACROSS tiles, and brings STEPS of the depth at a time into local memory: what a GPU wants.
 *
 * Integers: FAR is half of the largest number, so that no sum of two wraps; see apsp_blocked.c. A
 * matrix is row by row, `stride` numbers from row to row. */
#ifndef KIND
#define KIND 0
#endif
#if KIND == 0
#define NUMBER    f32
#define NUMBER_CL float
#define FAR       INFINITY_F32
#elif KIND == 1
#define NUMBER    i32
#define NUMBER_CL int
#define FAR       0x3fffffff
#elif KIND == 2
#define NUMBER    f64
#define NUMBER_CL double
#define FAR       INFINITY_F64
#else
#define NUMBER    i64
#define NUMBER_CL long
#define FAR       ((i64)0x3fffffffffffffff)
#endif
#ifndef STAGED
#define STAGED !HOP_CPU
#endif
#ifndef LANES
#define LANES 4
#endif
#ifndef TILES_ACROSS
#define TILES_ACROSS 16
#endif
#ifndef TILES_UP
#define TILES_UP 8
#endif
#ifndef WG
#define WG 128
#endif
#define TILE_ROWS 8
#if STAGED
#define TILE_COLUMNS LANES
#else
#define TILE_COLUMNS (2 * LANES)
#endif
#define STEPS  16
#define CLOSED 64
#define SIDE   16

#include "kernels/lanes.h"

FN NUMBER least(NUMBER a, NUMBER b) {
    return b < a ? b : a;
}

/* The gap of an area: what begins at `at` and has `size` rows, or columns, is left out. */
FN u32 beyond_gap(u32 offset, u32 at, u32 size) {
    return offset >= at ? offset + size : offset;
}

/* --- packing --------------------------------------------------------------------------------- */

/* Work is done in panels, or in numbers where items go side by side. */
#if WORK_CHUNKED
#define PACK_UNITS(panels, depth, width) (panels)
#else
#define PACK_UNITS(panels, depth, width) ((u64)(panels) * (depth) * (width))
#endif

/* Unit number e of a left factor: rows of the matrix from `row` on, columns column .. column +
 * depth - 1. */
FN void pack_left_unit(GLOBAL const NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 column,
                       u32 depth, GLOBAL NUMBER *to, u64 e) {
#if WORK_CHUNKED
    for (u32 k = 0; k < depth; k++)
        for (u32 i = 0; i < TILE_ROWS; i++) {
            u32 r = (u32)e * TILE_ROWS + i;
            to[(e * depth + k) * TILE_ROWS + i] =
                r < rows ? matrix[(row + r) * stride + column + k] : FAR;
        }
#else
    u32 i = (u32)(e % TILE_ROWS), k = (u32)(e / TILE_ROWS % depth);
    u32 r = (u32)(e / TILE_ROWS / depth) * TILE_ROWS + i;
    to[e] = r < rows ? matrix[(row + r) * stride + column + k] : FAR;
#endif
}

/* Of a right factor: columns from `column` on, rows row .. row + depth - 1. */
FN void pack_right_unit(GLOBAL const NUMBER *matrix, u64 stride, u32 column, u32 columns, u32 row,
                        u32 depth, GLOBAL NUMBER *to, u64 e) {
#if WORK_CHUNKED
    u32 left = columns - (u32)e * TILE_COLUMNS;
    for (u32 k = 0; k < depth; k++) {
        GLOBAL const NUMBER *from = matrix + (row + k) * stride + column + e * TILE_COLUMNS;
        for (u32 j = 0; j < TILE_COLUMNS; j += LANES)
            lanes_store(to + (e * depth + k) * TILE_COLUMNS + j,
                        lanes_load_some(from + j, j, left, FAR));
    }
#else
    u32 j = (u32)(e % TILE_COLUMNS), k = (u32)(e / TILE_COLUMNS % depth);
    u32 c = (u32)(e / TILE_COLUMNS / depth) * TILE_COLUMNS + j;
    to[e] = c < columns ? matrix[(row + k) * stride + column + c] : FAR;
#endif
}

KERNEL_WG(WG)
void pack_left(GLOBAL const NUMBER *RESTRICT matrix, u64 stride, u32 row, u32 rows, u32 column,
               u32 depth, GLOBAL NUMBER *RESTRICT to) {
    u32 panels = (rows + TILE_ROWS - 1) / TILE_ROWS;
    FOR_WORK(e, PACK_UNITS(panels, depth, TILE_ROWS))
    pack_left_unit(matrix, stride, row, rows, column, depth, to, e);
}

KERNEL_WG(WG)
void pack_right(GLOBAL const NUMBER *RESTRICT matrix, u64 stride, u32 column, u32 columns, u32 row,
                u32 depth, GLOBAL NUMBER *RESTRICT to) {
    u32 panels = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    FOR_WORK(e, PACK_UNITS(panels, depth, TILE_COLUMNS))
    pack_right_unit(matrix, stride, column, columns, row, depth, to, e);
}

/* Both in one launch: the columns and the rows of `depth` vertices from `at` on, inside of the
 * `count` vertices from `low` on. */
KERNEL_WG(WG)
void pack_cross(GLOBAL const NUMBER *RESTRICT matrix, u64 stride, u32 low, u32 count, u32 at,
                u32 depth, GLOBAL NUMBER *RESTRICT left, GLOBAL NUMBER *RESTRICT right) {
    u32 up = (count + TILE_ROWS - 1) / TILE_ROWS;
    u32 across = (count + TILE_COLUMNS - 1) / TILE_COLUMNS;
    u64 lefts = PACK_UNITS(up, depth, TILE_ROWS);
    FOR_WORK(e, lefts + PACK_UNITS(across, depth, TILE_COLUMNS)) {
        if (e < lefts)
            pack_left_unit(matrix, stride, low, count, at, depth, left, e);
        else
            pack_right_unit(matrix, stride, low, count, at, depth, right, e - lefts);
    }
}

/* --- the product ----------------------------------------------------------------------------- */

#if !STAGED

#define EACH_ROW(action)                                                                           \
    action(0) action(1) action(2) action(3) action(4) action(5) action(6) action(7)
#define TILE_STEP(i)                                                                               \
    best##i = lanes_offer(best##i, a[i], via);                                                     \
    next##i = lanes_offer(next##i, a[i], beside);
/* The loop over the depth: a row of the tile is best and next, LANES each. */
#define TILE_STEPS                                                                                 \
    for (u32 k = 0; k < depth; k++) {                                                              \
        lanes via = lanes_load(b), beside = lanes_load(b + LANES);                                 \
        EACH_ROW(TILE_STEP)                                                                        \
        a += TILE_ROWS;                                                                            \
        b += TILE_COLUMNS;                                                                         \
    }

#define TILE_FETCH(i)                                                                              \
    PREFETCH(c + (TILE_ROWS + i) * stride);                                                        \
    PREFETCH(c + (TILE_ROWS + i) * stride + LANES);
#define TILE_LOAD(i)                                                                               \
    lanes best##i = lanes_load(c + i * stride), next##i = lanes_load(c + i * stride + LANES);
#define TILE_STORE(i)                                                                              \
    lanes_store(c + i * stride, best##i);                                                          \
    lanes_store(c + i * stride + LANES, next##i);

/* A whole tile; the one below it is fetched meanwhile. */
FN void tile_whole(GLOBAL NUMBER *c, u64 stride, GLOBAL const NUMBER *a, GLOBAL const NUMBER *b,
                   u32 depth) {
    EACH_ROW(TILE_FETCH)
    EACH_ROW(TILE_LOAD)
    TILE_STEPS
    EACH_ROW(TILE_STORE)
}

#define EDGE_LOAD(i)                                                                               \
    lanes best##i = lanes_load_some(c + i * stride, 0, i < rows ? columns : 0, FAR);               \
    lanes next##i = lanes_load_some(c + i * stride + LANES, LANES, i < rows ? columns : 0, FAR);
#define EDGE_STORE(i)                                                                              \
    lanes_store_some(c + i * stride, 0, i < rows ? columns : 0, best##i);                          \
    lanes_store_some(c + i * stride + LANES, LANES, i < rows ? columns : 0, next##i);

/* One of which only `rows` rows and `columns` columns are inside. */
FN void tile_edge(GLOBAL NUMBER *c, u64 stride, GLOBAL const NUMBER *a, GLOBAL const NUMBER *b,
                  u32 depth, u32 rows,
                  u32 columns){EACH_ROW(EDGE_LOAD) TILE_STEPS EACH_ROW(EDGE_STORE)}

/* The area of `rows` rows and `columns` columns from (row, column) on gets the product of a and b,
 * whose numbers a_first and b_first are those that begin there. Of each, `gap` rows at row_gap and
 * columns at column_gap, counted from there, are left out (they do not count in `rows` and
 * `columns`). Tasks are chunks of rows of columns of tiles, those of a chunk side by side; this
 * launch does task `first` and those after it. */
KERNEL_WG(WG) void product(GLOBAL NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 row_gap,
                           u32 column, u32 columns, u32 column_gap, u32 gap,
                           GLOBAL const NUMBER *RESTRICT a, u64 a_first,
                           GLOBAL const NUMBER *RESTRICT b, u64 b_first, u32 depth, u64 first,
                           u64 tasks, u32 chunk_rows) {
    u64 task = first + item_id();
    if (item_id() >= tasks)
        return;
    a += a_first;
    b += b_first;
    u32 across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    u32 from = (u32)(task / across) * chunk_rows, c = (u32)(task % across) * TILE_COLUMNS;
    u32 to = rows - from < chunk_rows ? rows : from + chunk_rows, wide = columns - c;
    u32 at = beyond_gap(c, column_gap, gap);
    for (u32 r = from; r < to; r += TILE_ROWS) {
        u32 i = beyond_gap(r, row_gap, gap);
        GLOBAL NUMBER *tile = matrix + (row + i) * stride + column + at;
        GLOBAL const NUMBER *left = a + (u64)i * depth, *right = b + (u64)at * depth;
        if (to - r >= TILE_ROWS && wide >= TILE_COLUMNS)
            tile_whole(tile, stride, left, right, depth);
        else
            tile_edge(tile, stride, left, right, depth, to - r, wide);
    }
}

#else

#define GROUP_ROWS    (TILES_UP * TILE_ROWS)
#define GROUP_COLUMNS (TILES_ACROSS * LANES)

/* The same; a task is the tiles of a group. An item has TILE_ROWS rows side by side and LANES
 * columns, TILES_ACROSS from one another. */
KERNEL_WG(WG)
void product(GLOBAL NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 row_gap, u32 column,
             u32 columns, u32 column_gap, u32 gap, GLOBAL const NUMBER *RESTRICT a, u64 a_first,
             GLOBAL const NUMBER *RESTRICT b, u64 b_first, u32 depth, u64 first, u64 tasks,
             u32 chunk_rows) {
    LOCALV NUMBER left[STEPS * GROUP_ROWS];
    LOCALV NUMBER right[STEPS * GROUP_COLUMNS];
    NUMBER best[TILE_ROWS][LANES];
    a += a_first;
    b += b_first;
    u32 across = (columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS;
    u64 task = first + group_id();
    u32 r = (u32)(task / across) * GROUP_ROWS, c = (u32)(task % across) * GROUP_COLUMNS;
    u32 i0 = beyond_gap(r, row_gap, gap), j0 = beyond_gap(c, column_gap, gap);
    u32 y = local_id() / TILES_ACROSS, x = local_id() % TILES_ACROSS;
    GLOBAL NUMBER *corner = matrix + (row + i0) * stride + column + j0;
    u32 high = rows - r, wide = columns - c;
    for (u32 i = 0; i < TILE_ROWS; i++)
        for (u32 j = 0; j < LANES; j++) {
            u32 down = y * TILE_ROWS + i, on = j * TILES_ACROSS + x;
            best[i][j] = down < high && on < wide ? corner[down * stride + on] : FAR;
        }
    for (u32 k0 = 0; k0 < depth; k0 += STEPS) {
        for (u32 e = local_id(); e < STEPS * GROUP_ROWS; e += WG) {
            u32 panel = e / (STEPS * TILE_ROWS), k = e / TILE_ROWS % STEPS, i = e % TILE_ROWS;
            u64 at = ((u64)(i0 / TILE_ROWS + panel) * depth + k0 + k) * TILE_ROWS + i;
            left[k * GROUP_ROWS + panel * TILE_ROWS + i] =
                k0 + k < depth && panel * TILE_ROWS < high ? a[at] : FAR;
        }
        for (u32 e = local_id(); e < STEPS * GROUP_COLUMNS; e += WG) {
            u32 panel = e / (STEPS * LANES), k = e / LANES % STEPS, j = e % LANES;
            u64 at = ((u64)(j0 / LANES + panel) * depth + k0 + k) * LANES + j;
            right[k * GROUP_COLUMNS + panel * LANES + j] =
                k0 + k < depth && panel * LANES < wide ? b[at] : FAR;
        }
        BARRIER_LOCAL();
        for (u32 k = 0; k < STEPS; k++)
            for (u32 i = 0; i < TILE_ROWS; i++)
                for (u32 j = 0; j < LANES; j++)
                    best[i][j] =
                        least(best[i][j], left[k * GROUP_ROWS + y * TILE_ROWS + i] +
                                              right[k * GROUP_COLUMNS + j * TILES_ACROSS + x]);
        BARRIER_LOCAL();
    }
    for (u32 i = 0; i < TILE_ROWS; i++)
        for (u32 j = 0; j < LANES; j++) {
            u32 down = y * TILE_ROWS + i, on = j * TILES_ACROSS + x;
            if (down < high && on < wide)
                corner[down * stride + on] = best[i][j];
        }
    (void)tasks;
    (void)chunk_rows;
}

#endif

/* The diagonal block of `size` vertices, at most CLOSED, from `first` on is closed: the triple loop
 * inside it, by one group in local memory. What the block does not fill of that is FAR. */
KERNEL_WG(WG)
void close_block(GLOBAL NUMBER *matrix, u64 stride, u32 first, u32 size) {
    LOCALV NUMBER block[CLOSED * CLOSED];
    GLOBAL NUMBER *corner = matrix + first * stride + first;
    for (u32 e = local_id(); e < CLOSED * CLOSED; e += WG) {
        u32 i = e / CLOSED, j = e % CLOSED;
        block[e] = i < size && j < size ? corner[i * stride + j] : FAR;
    }
    BARRIER_LOCAL();
    for (u32 k = 0; k < size; k++) {
        /* Row and column k do not change in step k: the distance from k to itself is 0. */
#if STAGED
        for (u32 e = local_id(); e < CLOSED * CLOSED; e += WG) {
            u32 i = e / CLOSED, j = e % CLOSED;
            if (i != k && j != k)
                block[e] = least(block[e], block[i * CLOSED + k] + block[k * CLOSED + j]);
        }
#else
        for (u32 i = 0; i < size; i++) {
            NUMBER to = block[i * CLOSED + k];
            if (i == k)
                continue;
            for (u32 j = 0; j < CLOSED; j++)
                block[i * CLOSED + j] = least(block[i * CLOSED + j], to + block[k * CLOSED + j]);
        }
#endif
        BARRIER_LOCAL();
    }
    for (u32 e = local_id(); e < CLOSED * CLOSED; e += WG) {
        u32 i = e / CLOSED, j = e % CLOSED;
        if (i < size && j < size)
            corner[i * stride + j] = block[e];
    }
}

#include "apsp/documents.cl"
