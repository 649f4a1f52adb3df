/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of tiles on the host; see tile_product.h. A slice of SLICE steps of both factors is
 * packed as min_plus.h wants it, then blocks of the result are handed out to the threads. Tiles are
 * whole numbers of register tiles, so that there are no edges. */
#include "apsp/tile_product.h"

#include <stdatomic.h>
#include <string.h>

#include "apsp/min_plus.h"
#include "core/parallel.h"
#include "core/progress.h"

enum { SLICE = 256, BLOCK_ROWS = 256, BLOCK_COLUMNS = 512 };
_Static_assert(HOP__TILE_GRAIN % HOP__TILE_COLUMNS_MOST == 0 &&
                   HOP__TILE_GRAIN % HOP__TILE_ROWS == 0,
               "whole tiles");

typedef struct slice_job {
    const hop__tile_product *product;
    const hop__min_plus *kernel;
    uint64_t first, depth; /* of the slice */
    size_t size;           /* of a number */
    const char *a, *b;
    char *c;
    atomic_bool stopped;
} slice_job;

/* Numbers of `size` bytes, 4 or 8. */
static void copy_strided(char *to, const char *from, uint64_t count, uint64_t stride, size_t size) {
    if (size == 4)
        for (uint64_t i = 0; i < count; i++)
            memcpy(to + 4 * i, from + 4 * i * stride, 4);
    else
        for (uint64_t i = 0; i < count; i++)
            memcpy(to + 8 * i, from + 8 * i * stride, 8);
}

/* Rows of `a`, HOP__TILE_ROWS at a time. */
static void pack_left(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const slice_job *job = arg;
    const uint64_t side = job->product->side, depth = job->depth;
    (void)thread;
    for (uint64_t panel = begin; panel < end; panel++) {
        const char *from = job->a + (panel * HOP__TILE_ROWS * side + job->first) * job->size;
        char *to = (char *)job->product->left + panel * HOP__TILE_ROWS * depth * job->size;
        for (uint64_t k = 0; k < depth; k++)
            copy_strided(to + k * HOP__TILE_ROWS * job->size, from + k * job->size, HOP__TILE_ROWS,
                         side, job->size);
    }
}

/* Columns of `b`, as many at a time as the kernel has. */
static void pack_right(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const slice_job *job = arg;
    const uint64_t side = job->product->side, depth = job->depth;
    const size_t width = job->kernel->columns * job->size;
    (void)thread;
    for (uint64_t panel = begin; panel < end; panel++) {
        const char *from = job->b + job->first * side * job->size + panel * width;
        char *to = (char *)job->product->right + panel * width * depth;
        for (uint64_t k = 0; k < depth; k++)
            memcpy(to + k * width, from + k * side * job->size, width);
    }
}

static void multiply_block(const slice_job *job, uint64_t row, uint64_t column) {
    const uint64_t side = job->product->side, depth = job->depth, width = job->kernel->columns;
    const uint64_t rows = side - row < BLOCK_ROWS ? side : row + BLOCK_ROWS;
    const uint64_t columns = side - column < BLOCK_COLUMNS ? side : column + BLOCK_COLUMNS;
    for (uint64_t j = column; j < columns; j += width)
        for (uint64_t i = row; i < rows; i += HOP__TILE_ROWS)
            job->kernel->tile(depth, (const char *)job->product->left + i * depth * job->size,
                              (const char *)job->product->right + j * depth * job->size,
                              job->c + (i * side + j) * job->size, side);
}

static void multiply_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    slice_job *job = arg;
    const uint64_t side = job->product->side, down = (side + BLOCK_ROWS - 1) / BLOCK_ROWS;
    (void)thread;
    for (uint64_t task = begin; task < end; task++) {
        const uint64_t row = task % down * BLOCK_ROWS, column = task / down * BLOCK_COLUMNS;
        if (atomic_load_explicit(&job->stopped, memory_order_relaxed))
            return;
        multiply_block(job, row, column);
        uint64_t rows = side - row < BLOCK_ROWS ? side - row : BLOCK_ROWS;
        uint64_t columns = side - column < BLOCK_COLUMNS ? side - column : BLOCK_COLUMNS;
        if (!hop__progress_add(job->product->context, rows * columns * job->depth))
            atomic_store_explicit(&job->stopped, true, memory_order_relaxed);
    }
}

bool hop__tile_multiply(hop__tile_product *product, void *c, const void *a, const void *b) {
    const uint64_t side = product->side;
    const hop__min_plus *kernel = hop__min_plus_for(hop__cpu(), product->type);
    const uint64_t tasks =
        ((side + BLOCK_ROWS - 1) / BLOCK_ROWS) * ((side + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS);
    slice_job job = {.product = product,
                     .kernel = kernel,
                     .size = hop_type_size(product->type),
                     .a = a,
                     .b = b,
                     .c = c};
    for (; job.first < side && !atomic_load(&job.stopped); job.first += SLICE) {
        job.depth = side - job.first < SLICE ? side - job.first : SLICE;
        hop__for(product->context, side / HOP__TILE_ROWS, 16, pack_left, &job);
        hop__for(product->context, side / kernel->columns, 2, pack_right, &job);
        hop__for(product->context, tasks, 1, multiply_range, &job);
    }
    return !atomic_load(&job.stopped);
}

void hop__tile_product_blocks(hop__workspace *space, size_t at, hop_weight_type type,
                              uint64_t side) {
    static const char what[] = "apsp: packed tile";
    const size_t step = SLICE * hop_type_size(type);
    hop__block_add(space, what, side, step, at + offsetof(hop__tile_product, left));
    hop__block_add(space, what, side, step, at + offsetof(hop__tile_product, right));
}
