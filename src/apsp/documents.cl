/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels as D2 describes them: groups of SIDE x SIDE items, one number for each item, blocks
 * of the matrix in local memory. D2 wants the vertices to be a multiple of SIDE; here what is
 * outside of the matrix is FAR. A group is numbered row by row. */

#define AREA (SIDE * SIDE)

FN NUMBER cell(GLOBAL const NUMBER *matrix, u32 n, u32 i, u32 j) {
    return i < n && j < n ? matrix[(u64)i * n + j] : FAR;
}

/* D2 algorithm 13 (Tran 2010): round k, from one matrix to another. The group's part of row k and
 * of column k is brought to local memory by its first row and its first column of items. (The
 * listing copies the item's own element there; the text says which row and column are meant.) */
KERNEL_WG(AREA)
void tran_round(GLOBAL const NUMBER *RESTRICT from, GLOBAL NUMBER *RESTRICT to, u32 n, u32 k,
                u32 first) {
    LOCALV NUMBER row[SIDE], column[SIDE];
    u32 across = (n + SIDE - 1) / SIDE, group = first + group_id();
    u32 y = local_id() / SIDE, x = local_id() % SIDE;
    u32 i = group / across * SIDE + y, j = group % across * SIDE + x;
    if (y == 0)
        row[x] = cell(from, n, k, j);
    if (x == 0)
        column[y] = cell(from, n, i, k);
    BARRIER_LOCAL();
    if (i < n && j < n)
        to[(u64)i * n + j] = least(from[(u64)i * n + j], column[y] + row[x]);
}

/* The same by rows, each of which an item, or all in turn, goes along. */
KERNEL_WG(WG)
void tran_rows(GLOBAL const NUMBER *RESTRICT from, GLOBAL NUMBER *RESTRICT to, u32 n, u32 k,
               u32 first, u32 rows) {
#if WORK_CHUNKED
    FOR_WORK(r, rows) {
        u64 at = (first + r) * n;
        NUMBER way = from[at + k];
        u32 j = 0;
        for (; j + LANES <= n; j += LANES)
            lanes_store(to + at + j, lanes_offer(lanes_load(from + at + j), way,
                                                 lanes_load(from + (u64)k * n + j)));
        for (; j < n; j++)
            to[at + j] = least(from[at + j], way + from[(u64)k * n + j]);
    }
#else
    FOR_WORK(e, (u64)rows * n) {
        u64 i = first + e / n, j = e % n;
        to[i * n + j] = least(from[i * n + j], from[i * n + k] + from[(u64)k * n + j]);
    }
#endif
}

/* D2 algorithm 15 (Tran 2010): the product of a matrix with itself. */
KERNEL_WG(AREA)
void tran_square(GLOBAL const NUMBER *RESTRICT from, GLOBAL NUMBER *RESTRICT to, u32 n, u32 first) {
    LOCALV NUMBER a[AREA], b[AREA];
    u32 across = (n + SIDE - 1) / SIDE, group = first + group_id();
    u32 y = local_id() / SIDE, x = local_id() % SIDE;
    u32 i = group / across * SIDE + y, j = group % across * SIDE + x;
    NUMBER best = FAR;
    for (u32 tile = 0; tile < n; tile += SIDE) {
        a[local_id()] = cell(from, n, i, tile + x);
        b[local_id()] = cell(from, n, tile + y, j);
        BARRIER_LOCAL();
        for (u32 k = 0; k < SIDE; k++)
            best = least(best, a[y * SIDE + k] + b[k * SIDE + x]);
        BARRIER_LOCAL();
    }
    if (i < n && j < n)
        to[(u64)i * n + j] = best;
}

/* D2 algorithms 16 to 18 (Katz and Kider 2008), one kernel for each phase of a round. */
KERNEL_WG(AREA)
void katz_kider_1(GLOBAL NUMBER *matrix, u32 n, u32 primary) {
    LOCALV NUMBER block[AREA];
    u32 y = local_id() / SIDE, x = local_id() % SIDE;
    u32 i = primary * SIDE + y, j = primary * SIDE + x;
    block[local_id()] = cell(matrix, n, i, j);
    BARRIER_LOCAL();
    for (u32 k = 0; k < SIDE; k++) {
        NUMBER way = block[y * SIDE + k] + block[k * SIDE + x];
        BARRIER_LOCAL();
        block[local_id()] = least(block[local_id()], way);
        BARRIER_LOCAL();
    }
    if (i < n && j < n)
        matrix[(u64)i * n + j] = block[local_id()];
}

/* Groups below `blocks - 1` have a block in the row of the primary one, the others in its column.
 */
KERNEL_WG(AREA)
void katz_kider_2(GLOBAL NUMBER *matrix, u32 n, u32 primary) {
    LOCALV NUMBER block[AREA], closed[AREA];
    u32 blocks = (n + SIDE - 1) / SIDE, in_column = group_id() >= blocks - 1;
    u32 other = in_column ? group_id() - (blocks - 1) : group_id();
    other += other >= primary; /* D2 figure 4.2: the primary block is skipped */
    u32 y = local_id() / SIDE, x = local_id() % SIDE;
    u32 i = (in_column ? other : primary) * SIDE + y, j = (in_column ? primary : other) * SIDE + x;
    block[local_id()] = cell(matrix, n, i, j);
    closed[local_id()] = cell(matrix, n, primary * SIDE + y, primary * SIDE + x);
    BARRIER_LOCAL();
    for (u32 k = 0; k < SIDE; k++) {
        NUMBER way = in_column ? block[y * SIDE + k] + closed[k * SIDE + x]
                               : closed[y * SIDE + k] + block[k * SIDE + x];
        BARRIER_LOCAL();
        block[local_id()] = least(block[local_id()], way);
        BARRIER_LOCAL();
    }
    if (i < n && j < n)
        matrix[(u64)i * n + j] = block[local_id()];
}

/* Group `first` and those after it, of the (blocks - 1)^2 that are in neither. */
KERNEL_WG(AREA)
void katz_kider_3(GLOBAL NUMBER *matrix, u32 n, u32 primary, u32 first) {
    LOCALV NUMBER column[AREA], row[AREA];
    u32 rest = (n + SIDE - 1) / SIDE - 1, group = first + group_id();
    u32 up = group / rest, across = group % rest;
    up += up >= primary;
    across += across >= primary;
    u32 y = local_id() / SIDE, x = local_id() % SIDE, i = up * SIDE + y, j = across * SIDE + x;
    NUMBER best = cell(matrix, n, i, j);
    column[local_id()] = cell(matrix, n, i, primary * SIDE + x);
    row[local_id()] = cell(matrix, n, primary * SIDE + y, j);
    BARRIER_LOCAL();
    for (u32 k = 0; k < SIDE; k++)
        best = least(best, column[y * SIDE + k] + row[k * SIDE + x]);
    if (i < n && j < n)
        matrix[(u64)i * n + j] = best;
}
