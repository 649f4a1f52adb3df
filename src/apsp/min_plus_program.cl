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
 *
 * STAGED 0: an item goes down a column of tiles, each four times LANES wide: what a core wants. No
 * local memory, no barrier: groups of one item. See min_plus_wide.cl.
 * STAGED 1: a group has TILES_UP x TILES_ACROSS tiles, GROUP_ROWS x GROUP_COLUMNS numbers in all,
 * and brings STEPS of the depth at a time into local memory: what a GPU wants. What an item wants
 * of a step is side by side there, VECTOR numbers of it aligned, so that compilers load them
 * together.
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
#define LANES (KIND < 2 ? 8 : 4)
#endif
#ifndef TILES_ACROSS
#define TILES_ACROSS (64 / LANES)
#endif
#ifndef TILES_UP
#define TILES_UP 8
#endif
#ifndef WG
#define WG (TILES_UP * TILES_ACROSS)
#endif
#if STAGED
#define TILE_ROWS    8
#define TILE_COLUMNS LANES
#define VECTOR       (LANES / 2)
#else
#define TILE_ROWS    4
#define TILE_COLUMNS (4 * LANES)
#endif
#define STEPS  16
#define CLOSED 64
#define SIDE   16

#include "kernels/lanes.h"

FN NUMBER least(NUMBER a, NUMBER b) {
#if STAGED && KIND == 0
    return least_f32(a, b);
#elif STAGED && KIND == 2
    return least_f64(a, b);
#elif STAGED
    return least_int(a, b);
#else
    return b < a ? b : a;
#endif
}

/* The gap of an area: what begins at `at` and has `size` rows, or columns, is left out. */
FN u32 beyond_gap(u32 offset, u32 at, u32 size) {
    return offset >= at ? offset + size : offset;
}

/* --- packing --------------------------------------------------------------------------------- */

/* Work is done in panels, or in numbers where items go side by side. */
#if !STAGED
#define PACK_UNITS(panels, depth, width) (panels)
#else
#define PACK_UNITS(panels, depth, width) ((u64)(panels) * (depth) * (width))
#endif

/* Unit number e of a left factor: rows of the matrix from `row` on, columns column .. column +
 * depth - 1. */
FN void pack_left_unit(GLOBAL const NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 column,
                       u32 depth, GLOBAL NUMBER *to, u64 e) {
#if !STAGED
    const u32 first = (u32)e * TILE_ROWS, whole = rows - first >= TILE_ROWS;
    GLOBAL const NUMBER *from = matrix + (row + first) * stride + column;
    to += e * depth * TILE_ROWS;
    for (u32 k = 0; k < depth && whole; k++)
        for (u32 i = 0; i < TILE_ROWS; i++)
            to[k * TILE_ROWS + i] = from[i * stride + k];
    for (u32 k = 0; k < depth && !whole; k++)
        for (u32 i = 0; i < TILE_ROWS; i++)
            to[k * TILE_ROWS + i] = first + i < rows ? from[i * stride + k] : FAR;
#else
    u32 i = (u32)(e % TILE_ROWS), k = (u32)(e / TILE_ROWS % depth);
    u32 r = (u32)(e / TILE_ROWS / depth) * TILE_ROWS + i;
    to[e] = r < rows ? matrix[(row + r) * stride + column + k] : FAR;
#endif
}

/* Of a right factor: columns from `column` on, rows row .. row + depth - 1. */
FN void pack_right_unit(GLOBAL const NUMBER *matrix, u64 stride, u32 column, u32 columns, u32 row,
                        u32 depth, GLOBAL NUMBER *to, u64 e) {
#if !STAGED
    u32 left = columns - (u32)e * TILE_COLUMNS;
    for (u32 k = 0; k < depth; k++) {
        GLOBAL const NUMBER *from = matrix + (row + k) * stride + column + e * TILE_COLUMNS;
        GLOBAL NUMBER *panel = to + (e * depth + k) * TILE_COLUMNS;
        for (u32 j = 0; j < TILE_COLUMNS && left >= TILE_COLUMNS; j += LANES)
            lanes_store(panel + j, lanes_load(from + j));
        for (u32 j = 0; j < TILE_COLUMNS && left < TILE_COLUMNS; j++)
            panel[j] = j < left ? from[j] : FAR;
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

/* --- the product ----------------------------------------------------------------------------- */

#if !STAGED

#include "apsp/min_plus_wide.cl"

#else

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

#define GROUP_ROWS    (TILES_UP * TILE_ROWS)
#define GROUP_COLUMNS (TILES_ACROSS * LANES)

/* Every `step`th of STEPS numbers of a row, or column, which are `width` apart in the panel and 64
 * in local memory. The first `here` of the STEPS exist, from `begin` on. */
FN void stage(LOCALP NUMBER *to, GLOBAL const NUMBER *from, u32 width, u32 step, u32 begin,
              u32 here) {
    if (here == STEPS) {
        UNROLL
        for (u32 k = 0; k < STEPS; k += step)
            to[k * GROUP_ROWS] = from[k * width];
    } else {
        for (u32 k = 0; k < STEPS; k += step)
            to[k * GROUP_ROWS] = k + begin < here ? from[k * width] : FAR;
    }
}

/* The same; a task is the tiles of a group. An item has TILE_ROWS rows side by side and LANES
 * columns, TILES_ACROSS from one another; column x + j TILES_ACROSS of the group is in local memory
 * behind that of j - 1, unless a vector ends there. WG is a multiple of GROUP_ROWS, which is
 * GROUP_COLUMNS. */
KERNEL_WG(WG)
void product(GLOBAL NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 row_gap, u32 column,
             u32 columns, u32 column_gap, u32 gap, GLOBAL const NUMBER *RESTRICT a, u64 a_first,
             GLOBAL const NUMBER *RESTRICT b, u64 b_first, u32 depth, u64 first) {
    LOCALV ALIGNED(16) NUMBER left[STEPS * GROUP_ROWS];
    LOCALV ALIGNED(16) NUMBER right[STEPS * GROUP_COLUMNS];
    NUMBER best[TILE_ROWS][LANES];
    u32 across = (columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS;
    u64 task = first + group_id();
    u32 r = (u32)(task / across) * GROUP_ROWS, c = (u32)(task % across) * GROUP_COLUMNS;
    u32 i0 = beyond_gap(r, row_gap, gap), j0 = beyond_gap(c, column_gap, gap);
    u32 y = local_id() / TILES_ACROSS, x = local_id() % TILES_ACROSS;
    GLOBAL NUMBER *corner = matrix + (row + i0) * stride + column + j0;
    const u32 high = rows - r, wide = columns - c;
    const u32 whole = high >= GROUP_ROWS && wide >= GROUP_COLUMNS;
    for (u32 i = 0; i < TILE_ROWS; i++)
        for (u32 j = 0; j < LANES; j++) {
            u32 down = y * TILE_ROWS + i, on = j * TILES_ACROSS + x;
            best[i][j] = whole || (down < high && on < wide) ? corner[down * stride + on] : FAR;
        }
    /* The row and the column that this item brings, some steps of them. */
    const u32 mine = local_id() % GROUP_ROWS, begin = local_id() / GROUP_ROWS;
    const u32 has_row = mine / TILE_ROWS * TILE_ROWS < high,
              has_column = mine / LANES * LANES < wide;
    const u32 lane = mine / TILES_ACROSS, place = lane / VECTOR * VECTOR * TILES_ACROSS +
                                                  mine % TILES_ACROSS * VECTOR + lane % VECTOR;
    a += a_first + ((u64)((i0 + mine) / TILE_ROWS) * depth + begin) * TILE_ROWS + mine % TILE_ROWS;
    b += b_first + ((u64)((j0 + mine) / LANES) * depth + begin) * LANES + mine % LANES;
    for (u32 k0 = 0; k0 < depth; k0 += STEPS) {
        u32 here = depth - k0 < STEPS ? depth - k0 : STEPS;
        stage(left + begin * GROUP_ROWS + mine, a, TILE_ROWS, WG / GROUP_ROWS, begin,
              has_row ? here : 0);
        stage(right + begin * GROUP_COLUMNS + place, b, LANES, WG / GROUP_ROWS, begin,
              has_column ? here : 0);
        a += STEPS * TILE_ROWS;
        b += STEPS * LANES;
        BARRIER_LOCAL();
        for (u32 k = 0; k < STEPS; k++) {
            NUMBER via[LANES];
            for (u32 j = 0; j < LANES; j++)
                via[j] = right[k * GROUP_COLUMNS + j / VECTOR * VECTOR * TILES_ACROSS + x * VECTOR +
                               j % VECTOR];
            for (u32 i = 0; i < TILE_ROWS; i++) {
                NUMBER to = left[k * GROUP_ROWS + y * TILE_ROWS + i];
                for (u32 j = 0; j < LANES; j++)
                    best[i][j] = least(best[i][j], to + via[j]);
            }
        }
        BARRIER_LOCAL();
    }
    for (u32 i = 0; i < TILE_ROWS; i++)
        for (u32 j = 0; j < LANES; j++) {
            u32 down = y * TILE_ROWS + i, on = j * TILES_ACROSS + x;
            if (whole || (down < high && on < wide))
                corner[down * stride + on] = best[i][j];
        }
}

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
        for (u32 e = local_id(); e < CLOSED * CLOSED; e += WG) {
            u32 i = e / CLOSED, j = e % CLOSED;
            if (i != k && j != k)
                block[e] = least(block[e], block[i * CLOSED + k] + block[k * CLOSED + j]);
        }
        BARRIER_LOCAL();
    }
    for (u32 e = local_id(); e < CLOSED * CLOSED; e += WG) {
        u32 i = e / CLOSED, j = e % CLOSED;
        if (i < size && j < size)
            corner[i * stride + j] = block[e];
    }
}

#endif

#include "apsp/documents.cl"
