/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of apsp_blocked.c for entries of one DOMAIN (graph/numbers.h, apsp_matrix.h). */
#include "graph/domain_begin.h"

#define BLOCKED(name) HOP__JOIN(DOMAIN, name)

/* `count` columns of `depth` rows of a matrix, side by side; columns that are missing to a whole
 * panel are far. */
static void BLOCKED(pack_columns)(const blocked_job *job, const ENTRY *from, uint64_t stride,
                                  uint64_t depth, uint64_t count, ENTRY *to) {
    const uint64_t width = job->kernel->columns;
    for (uint64_t first = 0; first < count; first += width)
        for (uint64_t k = 0; k < depth; k++, to += width) {
            const uint64_t some = count - first < width ? count - first : width;
            memcpy(to, from + k * stride + first, some * sizeof *to);
            for (uint64_t j = some; j < width; j++)
                to[j] = NUMBER(far)();
        }
}

/* `count` rows of `depth` columns, in strips of HOP__TILE_ROWS, column after column. */
static void BLOCKED(pack_rows)(const ENTRY *from, uint64_t stride, uint64_t depth, uint64_t count,
                               ENTRY *to) {
    for (uint64_t first = 0; first < count; first += HOP__TILE_ROWS)
        for (uint64_t k = 0; k < depth; k++, to += HOP__TILE_ROWS)
            for (uint64_t i = 0; i < HOP__TILE_ROWS; i++)
                to[i] = first + i < count ? from[(first + i) * stride + k] : NUMBER(far)();
}

/* A tile that sticks out of what is left of a part: of it, `left` are rows and columns. */
static void BLOCKED(edge)(const hop__min_plus *kernel, uint64_t depth, const ENTRY *a,
                          const ENTRY *b, grid out, hop__area left) {
    /* The kernel fetches the tile below: that is inside this array too. */
    ENTRY tile[2 * HOP__TILE_ROWS * HOP__TILE_COLUMNS_MOST];
    ENTRY *c = out.numbers;
    const uint64_t width = kernel->columns;
    const uint64_t rows = left.rows < HOP__TILE_ROWS ? left.rows : HOP__TILE_ROWS;
    const uint64_t columns = left.columns < width ? left.columns : width;
    for (uint64_t i = 0; i < HOP__TILE_ROWS; i++)
        for (uint64_t j = 0; j < width; j++)
            tile[i * width + j] = i < rows && j < columns ? c[i * out.stride + j] : NUMBER(far)();
    kernel->tile(depth, a, b, tile, width);
    for (uint64_t i = 0; i < rows; i++)
        memcpy(c + i * out.stride, tile + i * width, columns * sizeof *c);
}

/* c = min(c, a (min, +) b) for a part of `out`; a and b are packed, from where it begins. */
static void BLOCKED(product)(const hop__min_plus *kernel, uint64_t depth, const ENTRY *a,
                             const ENTRY *b, grid out, hop__area part) {
    const uint64_t width = kernel->columns, n = out.stride;
    ENTRY *c = (ENTRY *)out.numbers + part.row * n + part.column;
    for (uint64_t j = 0; j < part.columns; j += width)
        for (uint64_t i = 0; i < part.rows; i += HOP__TILE_ROWS) {
            const ENTRY *left = a + i * depth, *right = b + j * depth;
            uint64_t rows = part.rows - i, columns = part.columns - j;
            const hop__area rest = {0, 0, rows, columns};
            ENTRY *tile = c + i * n + j;
            if (rows >= HOP__TILE_ROWS && columns >= width)
                kernel->tile(depth, left, right, tile, n);
            else
                BLOCKED(edge)(kernel, depth, left, right, (grid){tile, n}, rest);
        }
}

/* The plain triple loop on `size` vertices. */
static void BLOCKED(close_plainly)(const hop__min_plus *kernel, grid block, uint64_t size) {
    ENTRY *c = block.numbers;
    const uint64_t n = block.stride;
    for (uint64_t k = 0; k < size; k++)
        for (uint64_t i = 0; i < size; i++)
            if (i != k)
                kernel->relax(c + i * n, c + k * n, c + i * n + k, size);
}

/* As `cross` below, inside a block of `size` vertices, with the closed `depth` x `depth` at
 * `first`. */
static void BLOCKED(inner_cross)(const blocked_job *job, grid block, uint64_t size,
                                 uint64_t first) {
    const hop__min_plus *kernel = job->kernel;
    const uint64_t n = block.stride, depth = size - first < INNER ? size - first : INNER;
    ENTRY *c = block.numbers, *left = job->panels->inner[0], *right = job->panels->inner[1];
    ENTRY *rows = job->panels->inner[2], *columns = job->panels->inner[3];
    BLOCKED(pack_rows)(c + first * n + first, n, depth, depth, rows);
    BLOCKED(pack_columns)(job, c + first * n + first, n, depth, depth, columns);
    for (int side = 0; side < 2; side++) {
        const uint64_t at = side ? first + depth : 0, count = side ? size - at : first;
        const ENTRY *in_row = c + first * n + at, *in_column = c + at * n + first;
        const hop__area row = {first, at, depth, count}, column = {at, first, count, depth};
        BLOCKED(pack_columns)(job, in_row, n, depth, count, right + at * depth);
        BLOCKED(product)(kernel, depth, rows, right + at * depth, block, row);
        BLOCKED(pack_columns)(job, in_row, n, depth, count, right + at * depth);
        BLOCKED(pack_rows)(in_column, n, depth, count, left + at * depth);
        BLOCKED(product)(kernel, depth, left + at * depth, columns, block, column);
    }
}

/* Closes `size` vertices as the whole matrix is closed, INNER at a time. */
static void BLOCKED(close_block)(const blocked_job *job, grid block, uint64_t size) {
    const ENTRY *left = job->panels->inner[0], *right = job->panels->inner[1];
    for (uint64_t first = 0; first < size; first += INNER) {
        const uint64_t depth = size - first < INNER ? size - first : INNER, end = first + depth;
        ENTRY *c = (ENTRY *)block.numbers + first * block.stride + first;
        BLOCKED(close_plainly)(job->kernel, (grid){c, block.stride}, depth);
        if (depth == size)
            break;
        BLOCKED(inner_cross)(job, block, size, first);
        const hop__area parts[] = {{0, 0, first, first},
                                   {0, end, first, size - end},
                                   {end, 0, size - end, first},
                                   {end, end, size - end, size - end}};
        for (size_t i = 0; i < HOP_LENGTH(parts); i++) {
            const ENTRY *a = left + parts[i].row * depth, *b = right + parts[i].column * depth;
            BLOCKED(product)(job->kernel, depth, a, b, block, parts[i]);
        }
    }
}

/* Closes the diagonal block that begins at vertex `first`, and packs it both ways. */
static void BLOCKED(close)(blocked_job *job, uint64_t first) {
    const uint64_t n = job->n, size = block_size(job, first);
    ENTRY *block = job->panels->block, *c = (ENTRY *)job->matrix + first * n + first;
    for (uint64_t i = 0; i < size; i++)
        memcpy(block + i * size, c + i * n, size * sizeof *c);
    BLOCKED(close_block)(job, (grid){block, size}, size);
    for (uint64_t i = 0; i < size; i++)
        memcpy(c + i * n, block + i * size, size * sizeof *c);
    BLOCKED(pack_rows)(block, size, size, size, job->panels->block_rows);
    BLOCKED(pack_columns)(job, block, size, size, size, job->panels->block_columns);
    (void)goes_on(job, size * size * size);
}

/* Blocks of the row and of the column of blocks that the diagonal block is in: number 2 b is block
 * b of the row, 2 b + 1 of the column. Each is packed as it was and multiplied; the row is packed
 * anew. The column need not be: what is multiplied with it later has the closed block in it. */
static void BLOCKED(cross)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    blocked_job *job = arg;
    const uint64_t n = job->n, depth = block_size(job, job->first);
    const ENTRY *matrix = job->matrix;
    const grid whole = {job->matrix, n};
    (void)thread;
    for (uint64_t task = begin; task < end && goes_on(job, 0); task++) {
        const uint64_t at = task / 2 * BLOCK, size = block_size(job, at);
        if (at == job->first)
            continue;
        if (task % 2 == 0) {
            ENTRY *panel = (ENTRY *)job->panels->right + at * depth;
            const ENTRY *from = matrix + job->first * n + at;
            BLOCKED(pack_columns)(job, from, n, depth, size, panel);
            hop__area part = {job->first, at, depth, size};
            BLOCKED(product)(job->kernel, depth, job->panels->block_rows, panel, whole, part);
            BLOCKED(pack_columns)(job, from, n, depth, size, panel);
        } else {
            ENTRY *panel = (ENTRY *)job->panels->left + at * depth;
            const ENTRY *from = matrix + at * n + job->first;
            BLOCKED(pack_rows)(from, n, depth, size, panel);
            hop__area part = {at, job->first, size, depth};
            BLOCKED(product)(job->kernel, depth, panel, job->panels->block_columns, whole, part);
        }
        (void)goes_on(job, depth * depth * size);
    }
}

/* The part of the matrix that is in neither, from the packed row and column. */
static void BLOCKED(update)(blocked_job *job, hop__area part) {
    const uint64_t depth = block_size(job, job->first);
    if (part.columns == 0 || part.rows == 0)
        return;
    const ENTRY *a = (const ENTRY *)job->panels->left + part.row * depth;
    const ENTRY *b = (const ENTRY *)job->panels->right + part.column * depth;
    BLOCKED(product)(job->kernel, depth, a, b, (grid){job->matrix, job->n}, part);
    (void)goes_on(job, depth * part.rows * part.columns);
}

static void BLOCKED(rest)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    blocked_job *job = arg;
    const uint64_t n = job->n, next = job->first + BLOCK;
    (void)thread;
    for (uint64_t task = begin; task < end && goes_on(job, 0); task++) {
        if (task == 0 && next < n) { /* look-ahead: the next diagonal block */
            const uint64_t size = block_size(job, next);
            BLOCKED(update)(job, (hop__area){next, next, size, size});
            BLOCKED(close)(job, next);
        }
        if (task == 0)
            continue;
        const uint64_t row = (task - 1) % job->blocks * BLOCK, rows = block_size(job, row);
        const uint64_t column = (task - 1) / job->blocks * CHUNK;
        const uint64_t stop = n - column < CHUNK ? n : column + CHUNK;
        uint64_t from = column;
        for (uint64_t at = column; at < stop && row != job->first; at += BLOCK)
            if (at == job->first || (row == next && at == next)) {
                BLOCKED(update)(job, (hop__area){row, from, rows, at - from});
                from = at + BLOCK;
            }
        if (row != job->first && from < stop)
            BLOCKED(update)(job, (hop__area){row, from, rows, stop - from});
    }
}

static void BLOCKED(close_all)(blocked_job *job) {
    BLOCKED(close)(job, 0);
    for (job->first = 0; job->first < job->n && goes_on(job, 0); job->first += BLOCK) {
        hop__phase(job->context, "cross");
        hop__for(job->context, 2 * job->blocks, 1, BLOCKED(cross), job);
        hop__phase(job->context, "rest");
        uint64_t chunks = job->n / CHUNK + (job->n % CHUNK != 0);
        hop__for(job->context, 1 + chunks * job->blocks, 1, BLOCKED(rest), job);
    }
}

#undef BLOCKED
#include "graph/domain_end.h"
