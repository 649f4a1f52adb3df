/* SPDX-License-Identifier: Apache-2.0
 *
 * The wide form of min_plus_program.cl, for processors. An item is a worker: as many are launched
 * as the device has units, and each takes one task after another until none is left. So cores that
 * begin late take less, and none ever waits for another. A round of closing is two launches:
 *   cross    strips of the row of the closed diagonal block; row and column are packed
 *   product  strips of all other rows, the block's columns too; task 0 brings the next diagonal
 *            block up to date and closes it meanwhile
 * and close_first closes the first block. The column is packed as it was, and need not be
 * multiplied before the rest is: what it is multiplied with has the closed block in it.
 *
 * A strip is one panel of the right factor, TILE_COLUMNS wide, and some rows: tiles one below the
 * other. A tile has 4 rows of 4 vectors: 16 registers, and few rows, since those of a matrix whose
 * side is a power of two share the sets of a cache.
 *
 * `diagonal` belongs to the blocks on the diagonal, which have at most `block` vertices:
 *   the block packed by rows, the block itself (as large as whole tiles)   block * block each
 *   panels of its own cross, left and right; none in blocks of INNER       INNER * block each
 *   for each worker a tile, and room below it for what is fetched ahead
 * `taken` has two counters of tasks: launches use them in turn, and clear the other one. */

#define INNER       64
#define STEPS_AHEAD 8
#define SPARE       (2 * TILE_ROWS * TILE_COLUMNS)

#define EACH_VECTOR(action, i) action(i, 0) action(i, 1) action(i, 2) action(i, 3)
#define EACH_PLACE(action)                                                                         \
    EACH_VECTOR(action, 0) EACH_VECTOR(action, 1) EACH_VECTOR(action, 2) EACH_VECTOR(action, 3)

#define TILE_FETCH(i, j) PREFETCH(c + (TILE_ROWS + i) * stride + (j)*LANES);
#define TILE_AHEAD(i, j) PREFETCH_READ(b + STEPS_AHEAD * TILE_COLUMNS + (j)*LANES);
#define TILE_VIA(i, j)   via##j = lanes_load(b + (j)*LANES);
#define TILE_NAME(i, j)  lanes via##j = lanes_load(b + (j)*LANES);
#define TILE_BEGIN(i, j) lanes best##i##j = lanes_plus(a[i], via##j);
#define TILE_STEP(i, j)  best##i##j = lanes_offer(best##i##j, a[i], via##j);
#define TILE_STORE(i, j)                                                                           \
    lanes_store(c + i * stride + (j)*LANES,                                                        \
                lanes_least(lanes_load(c + i * stride + (j)*LANES), best##i##j));

/* A whole tile; the one below it is fetched meanwhile. c, which comes from afar, is needed last. */
FN void tile_whole(GLOBAL NUMBER *c, u64 stride, GLOBAL const NUMBER *a, GLOBAL const NUMBER *b,
                   u32 depth) {
    EACH_PLACE(TILE_FETCH)
    EACH_VECTOR(TILE_NAME, 0)
    EACH_PLACE(TILE_BEGIN)
    for (u32 k = 1; k < depth; k++) {
        a += TILE_ROWS;
        b += TILE_COLUMNS;
        EACH_VECTOR(TILE_AHEAD, 0)
        EACH_VECTOR(TILE_VIA, 0)
        EACH_PLACE(TILE_STEP)
    }
    EACH_PLACE(TILE_STORE)
}

/* `rows` rows of a strip of which `columns` columns, perhaps more than there are in a tile, are
 * inside of the matrix. A tile that sticks out is worked on in `spare`. */
FN void strip(GLOBAL NUMBER *c, u64 stride, u32 rows, u32 columns, GLOBAL const NUMBER *a,
              GLOBAL const NUMBER *b, u32 depth, GLOBAL NUMBER *spare) {
    u32 wide = columns < TILE_COLUMNS ? columns : TILE_COLUMNS;
    for (u32 r = 0; r < rows; r += TILE_ROWS) {
        u32 high = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
        u32 whole = high == TILE_ROWS && wide == TILE_COLUMNS;
        GLOBAL NUMBER *out = c + r * stride;
        for (u32 e = 0; !whole && e < TILE_ROWS * TILE_COLUMNS; e++) {
            u32 i = e / TILE_COLUMNS, j = e % TILE_COLUMNS;
            spare[e] = i < high && j < wide ? out[i * stride + j] : FAR;
        }
        tile_whole(whole ? out : spare, whole ? stride : TILE_COLUMNS, a + (u64)r * depth, b,
                   depth);
        for (u32 i = 0; !whole && i < high; i++)
            for (u32 j = 0; j < wide; j++)
                out[i * stride + j] = spare[i * TILE_COLUMNS + j];
    }
}

FN GLOBAL NUMBER *spare_of(GLOBAL NUMBER *diagonal, u32 block) {
    u64 cross_numbers = block > INNER ? 2 * INNER * block : 0;
    return diagonal + 2 * (u64)block * block + cross_numbers + (u64)item_id() * SPARE;
}

/* The next task of this launch, which has those from `first` on. */
FN u64 next_task(GLOBAL u32 *taken, u32 turn, u64 first) {
    return first + atomic_add_u32(taken + turn, 1);
}

FN void begin_tasks(GLOBAL u32 *taken, u32 turn) {
    if (item_id() == 0)
        relaxed_store_u32(taken + 1 - turn, 0);
}

/* --- closing a diagonal block ---------------------------------------------------------------- */

/* The plain triple loop on `size` vertices, whole vectors of them. */
FN void close_plainly(GLOBAL NUMBER *c, u64 stride, u32 size) {
    for (u32 k = 0; k < size; k++)
        for (u32 i = 0; i < size; i++) {
            GLOBAL NUMBER *row = c + i * stride;
            NUMBER to = row[k];
            /* Row k does not change in step k: the distance from k to itself is 0. */
            for (u32 j = 0; i != k && j < size; j += LANES)
                lanes_store(row + j,
                            lanes_offer(lanes_load(row + j), to, lanes_load(c + k * stride + j)));
        }
}

/* A round inside a block of `size` vertices, over the `depth` from `first` on. */
FN void close_round(GLOBAL NUMBER *c, u32 size, u32 first, u32 depth, GLOBAL NUMBER *left,
                    GLOBAL NUMBER *right, GLOBAL NUMBER *spare) {
    const u32 after = first + depth;
    for (u32 e = 0; e < size / TILE_ROWS; e++)
        pack_left_unit(c, size, 0, size, first, depth, left, e);
    for (u32 at = 0; at < size; at += TILE_COLUMNS) {
        GLOBAL NUMBER *panel = right + at * depth;
        pack_right_unit(c, size, 0, size, first, depth, right, at / TILE_COLUMNS);
        if (at < first || at >= after) {
            strip(c + first * size + at, size, depth, TILE_COLUMNS, left + first * depth, panel,
                  depth, spare);
            pack_right_unit(c, size, 0, size, first, depth, right, at / TILE_COLUMNS);
        }
        for (u32 row = first > 0 ? 0 : after; row < size; row = row < first ? after : size)
            strip(c + row * size + at, size, row < first ? first : size - after, TILE_COLUMNS,
                  left + row * depth, panel, depth, spare);
    }
}

/* Closes the diagonal block of `size` vertices whose corner is given, and packs it. */
FN void close_block(GLOBAL NUMBER *corner, u64 stride, u32 size, GLOBAL NUMBER *diagonal,
                    u32 block) {
    const u32 side = (size + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS;
    GLOBAL NUMBER *c = diagonal + (u64)block * block, *left = c + (u64)block * block;
    for (u32 i = 0; i < side; i++)
        for (u32 j = 0; j < side; j++)
            c[i * side + j] = i < size && j < size ? corner[i * stride + j] : FAR;
    for (u32 first = 0; first < side; first += INNER) {
        u32 depth = side - first < INNER ? side - first : INNER;
        close_plainly(c + first * side + first, side, depth);
        if (depth < side)
            close_round(c, side, first, depth, left, left + INNER * block,
                        spare_of(diagonal, block));
    }
    for (u32 i = 0; i < size; i++)
        for (u32 j = 0; j < size; j++)
            corner[i * stride + j] = c[i * side + j];
    for (u32 e = 0; e < (size + TILE_ROWS - 1) / TILE_ROWS; e++)
        pack_left_unit(c, side, 0, size, 0, size, diagonal, e);
}

KERNEL_WG(WG)
void close_first(GLOBAL NUMBER *matrix, u64 stride, u32 size, GLOBAL NUMBER *diagonal, u32 block) {
    if (item_id() == 0)
        close_block(matrix, stride, size, diagonal, block);
}

/* --- a round --------------------------------------------------------------------------------- */

/* Row and column of the closed block of `size` vertices from `first` on, of a matrix of n. Tasks:
 * panels of the right factor, then as many rows of the left one. */
KERNEL_WG(WG)
void cross_round(GLOBAL NUMBER *matrix, u64 stride, u32 n, u32 first, u32 size, GLOBAL NUMBER *left,
                 GLOBAL NUMBER *right, GLOBAL NUMBER *diagonal, u32 block, GLOBAL u32 *taken,
                 u32 turn) {
    const u32 panels = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    begin_tasks(taken, turn);
    for (u64 task = next_task(taken, turn, 0); task < 2 * panels;
         task = next_task(taken, turn, 0)) {
        u32 panel = (u32)task % panels, at = panel * TILE_COLUMNS;
        u32 inside = at >= first && at < first + size;
        if (task >= panels) {
            u32 count = n - at < TILE_COLUMNS ? n - at : TILE_COLUMNS;
            for (u32 r = 0; r < count && !inside; r += TILE_ROWS)
                pack_left_unit(matrix, stride, 0, n, first, size, left, (at + r) / TILE_ROWS);
            continue;
        }
        for (u32 times = 0; times < 2 - inside; times++) {
            if (times > 0)
                strip(matrix + first * stride + at, stride, size, n - at, diagonal,
                      right + (u64)at * size, size, spare_of(diagonal, block));
            pack_right_unit(matrix, stride, 0, n, first, size, right, panel);
        }
    }
}

/* The area of `rows` rows and `columns` columns from (row, column) on gets the product of a and b,
 * whose first numbers are those that begin there. `gap` rows at row_gap, counted from there, are
 * left out (they do not count in `rows`). Tasks are strips of chunk_rows rows, those of a chunk
 * side by side; this launch does `tasks` of them from `first` on. With ahead_size > 0, task 0 is
 * the diagonal block of so many vertices from `ahead` on; it is neither cut by chunks nor by
 * panels. */
KERNEL_WG(WG)
void product(GLOBAL NUMBER *matrix, u64 stride, u32 row, u32 rows, u32 row_gap, u32 gap, u32 column,
             u32 columns, GLOBAL const NUMBER *a, GLOBAL const NUMBER *b, u32 depth, u64 first,
             u64 tasks, u32 chunk_rows, u32 ahead, u32 ahead_size, GLOBAL NUMBER *diagonal,
             u32 block, GLOBAL u32 *taken, u32 turn) {
    const u32 across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS, special = ahead_size > 0;
    GLOBAL NUMBER *spare = spare_of(diagonal, block);
    begin_tasks(taken, turn);
    for (u64 task = next_task(taken, turn, first); task < first + tasks;
         task = next_task(taken, turn, first)) {
        u32 closes = special && task == 0, number = (u32)(task - special);
        u32 r = closes ? ahead : number / across * chunk_rows;
        u32 i = closes ? ahead : beyond_gap(r, row_gap, gap);
        u32 from = closes ? ahead : number % across * TILE_COLUMNS;
        u32 to = closes ? ahead + ahead_size : from + 1;
        u32 high = closes ? ahead_size : rows - r < chunk_rows ? rows - r : chunk_rows;
        if (!closes && i - ahead < ahead_size && from - ahead < ahead_size)
            continue; /* task 0 has it */
        for (u32 at = from; at < to; at += TILE_COLUMNS)
            strip(matrix + (row + i) * stride + column + at, stride, high, columns - at,
                  a + (u64)i * depth, b + (u64)at * depth, depth, spare);
        if (closes)
            close_block(matrix + ahead * stride + ahead, stride, ahead_size, diagonal, block);
    }
}
