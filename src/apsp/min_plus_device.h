/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices of distances on a device, in the (min, +) sense, and closing a matrix by
 * them: what all variants of apsp on devices are made of. The kernels are in min_plus_program.cl.
 *
 * Closing (hop__device_close) is Katz and Kider's, with products in the place of D2's phases 2 and
 * 3, as in apsp_blocked.c: for each block on the diagonal, it is closed; the row of blocks that it
 * is in is multiplied by it from the left, its column from the right; the rest gets the product of
 * column and row. The block is closed in the same way by smaller ones, and those by one group in
 * local memory. In the wide form a round is two launches: see min_plus_wide.cl.
 *
 * Work is launched without waiting; hop__min_plus_account keeps what is in the queue short, counts
 * progress and sees cancels. */
#ifndef HOPLITE_APSP_MIN_PLUS_DEVICE_H
#define HOPLITE_APSP_MIN_PLUS_DEVICE_H

#include "apsp/apsp_matrix.h"
#include "device/device.h"

/* How a tile is worked on; the parameter `tile` of the variants. */
typedef enum hop__tile_form {
    HOP__TILE_AUTO = 0,    /* wide on processors, staged elsewhere */
    HOP__TILE_WIDE = 1,    /* long vectors, no local memory: for processors */
    HOP__TILE_STAGED = 2,  /* through local memory: for GPUs */
    HOP__TILE_DOCUMENT = 3 /* D2's: 16 x 16 items, a number for each */
} hop__tile_form;

#define HOP__TILE_PARAMETER                                                                        \
    {                                                                                              \
        .name = "tile",                                                                            \
        .summary = "how a tile is worked on: in long vectors (processors), through local memory "  \
                   "(GPUs), or as Kemp has it, 16 x 16 items",                                     \
        .type = HOP_PARAMETER_CHOICE, .maximum = 3, .choices = "auto wide staged document"         \
    }
#define HOP__BLOCK_PARAMETER                                                                       \
    {                                                                                              \
        .name = "block", .summary = "vertices of a round; 0: what suits the device and the tile",  \
        .type = HOP_PARAMETER_INTEGER, .maximum = 4096                                             \
    }

typedef struct hop__device_min_plus {
    hop_context *context;
    hop__device *device;
    hop__program *program;
    hop_weight_type type;
    hop__tile_form form; /* never auto */
    uint64_t block;      /* of the outermost rounds */
    uint32_t lanes, group, tile_rows;
    uint32_t task_rows, task_columns; /* a task of `product` is so large, at most */
    hop__buffer *left, *right;        /* panels: a column of blocks, a row of blocks */
    hop__buffer *diagonal;            /* the wide form: what blocks on the diagonal need, and */
    hop__buffer *taken;               /* counters of tasks, of which launches use one in turn */
    uint32_t turn;
    uint64_t sums; /* launched since the last mark */
    hop__event *mark;
    uint64_t launches;
} hop__device_min_plus;

/* A matrix in a buffer: its first number and the distance between rows, in numbers. */
typedef struct hop__device_matrix {
    hop__buffer *buffer;
    uint64_t stride;
} hop__device_matrix;

/* Lists the buffers for matrices of up to `side` vertices, of products that are `at` bytes from the
 * beginning of the state. `block` 0: by itself. */
void hop__min_plus_blocks(hop__workspace *space, size_t at, hop_weight_type type,
                          hop__tile_form form, uint64_t block, uint64_t side);
/* Sets all but those, with the same arguments. After a failure too, hop__min_plus_end is called,
 * before the workspace is closed. */
hop_status hop__min_plus_begin(hop_context *context, hop_weight_type type, hop__tile_form form,
                               uint64_t block, uint64_t side, hop__device_min_plus *m);
void hop__min_plus_end(hop__device_min_plus *m, hop_status status);

/* The area of c gets the product of rows from `a` (columns depth_at .. depth_at + depth - 1) and of
 * columns from `b` (the same as rows), where neither changes meanwhile: c = min(c, a b). Rows of
 * `a` begin at a_row, columns of `b` at b_column. */
typedef struct hop__device_product {
    hop__device_matrix c, a, b;
    hop__area area; /* of c */
    uint64_t a_row, b_column, depth_at, depth;
} hop__device_product;
hop_status hop__min_plus_product(hop__device_min_plus *m, const hop__device_product *product);

/* All distances of the first `size` vertices of the matrix over each other. */
hop_status hop__min_plus_close(hop__device_min_plus *m, hop__device_matrix matrix, uint64_t size);

/* Marks `sums` as launched: when there are many, waits for those before. HOP_ERR_CANCELLED when the
 * work is to stop. */
hop_status hop__min_plus_account(hop__device_min_plus *m, uint64_t sums);
/* Launches `kernel` for groups [0, count) in slices of `sums_each`; its last argument, set here, is
 * the first group of a slice. */
hop_status hop__min_plus_slices(hop__device_min_plus *m, const char *kernel, uint64_t count,
                                uint64_t sums_each, hop__argument *arguments,
                                size_t argument_count);

/* Whether the device lacks something that the type needs; `reason` says what. */
bool hop__min_plus_refuse(hop_weight_type type, const hop_device_info *device,
                          char reason[HOP__REASON]);

#endif
