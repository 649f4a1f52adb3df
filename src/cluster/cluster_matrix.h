/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix of distances that is spread over the ranks: square tiles, dealt to a grid of ranks.
 *
 * 1. Rank r is in row r / across and column r % across of a grid of down x across ranks. It has the
 *    tiles of a stretch of rows of tiles and of a stretch of columns of them, both dealt evenly.
 * 2. Tiles have side x side numbers, one row of a tile after another; tile (i, j) of this rank is
 *    number i * columns + j. What sticks out of the matrix is far.
 * 3. Numbers are int32 where no distance is a quarter of the largest one or more, else int64; far,
 *    half of the largest number, is not reached. So no sum of two wraps.
 * 4. Where weights are floating-point or some are negative (by_rows) there are no tiles: each rank
 *    has whole rows, dealt evenly, as the library gives them: int64, or the type of the weights.
 *    `rows` and `columns` count vertices then, and the grid is a column of ranks. */
#ifndef HOPLITE_CLUSTER_CLUSTER_MATRIX_H
#define HOPLITE_CLUSTER_CLUSTER_MATRIX_H

#include "cluster/cluster_graph.h"

struct hop_cluster_matrix {
    uint64_t vertices;
    bool by_rows;  /* invariant 4 */
    hop_type type; /* of the numbers */
    size_t size;   /* of one */
    int64_t far;
    uint32_t down, across;
    uint32_t grid_row, grid_column;                  /* of this rank */
    uint64_t side, tiles;                            /* of a tile; along a side of the matrix */
    uint64_t first_row, rows, first_column, columns; /* tiles of this rank */
    unsigned char *numbers;
};

/* Bytes of a tile, and tile (i, j) of this rank. */
static inline uint64_t hop__matrix_tile_bytes(const hop_cluster_matrix *matrix) {
    return matrix->side * matrix->side * matrix->size;
}
static inline unsigned char *hop__matrix_tile(const hop_cluster_matrix *matrix, uint64_t i,
                                              uint64_t j) {
    return matrix->numbers + (i * matrix->columns + j) * hop__matrix_tile_bytes(matrix);
}
/* Number `at` of an array of the matrix's type. */
static inline int64_t hop__matrix_number(const hop_cluster_matrix *matrix, const void *numbers,
                                         uint64_t at) {
    return matrix->type == HOP_TYPE_INT32 ? ((const int32_t *)numbers)[at]
                                          : ((const int64_t *)numbers)[at];
}

/* The number of a pair of this rank's. */
static inline uint64_t hop__matrix_place(const hop_cluster_matrix *matrix, uint64_t row,
                                         uint64_t column) {
    uint64_t side = matrix->side;
    if (matrix->by_rows)
        return (row - matrix->first_row) * matrix->columns + column;
    uint64_t tile =
        (row / side - matrix->first_row) * matrix->columns + column / side - matrix->first_column;
    return (tile * side + row % side) * side + column % side;
}

/* An arc on its way to those who have its tile. */
typedef struct hop__matrix_arc {
    uint32_t source, target;
    int64_t weight;
} hop__matrix_arc;

/* The row, and the column, of the grid that has a row or column of tiles. */
static inline uint32_t hop__matrix_grid_row(const hop_cluster_matrix *matrix, uint64_t tile_row) {
    return (uint32_t)hop__even_part(matrix->tiles, matrix->down, tile_row);
}
static inline uint32_t hop__matrix_grid_column(const hop_cluster_matrix *matrix, uint64_t tile) {
    return (uint32_t)hop__even_part(matrix->tiles, matrix->across, tile);
}

/* The arcs of all ranks to those that have their tiles; with `targets`, to all ranks in the
 * column of the grid that has the tiles of their targets. Collective. */
hop_status hop__matrix_arcs(hop_cluster *cluster, const hop_cluster_graph *graph,
                            const hop_cluster_matrix *matrix, const char *phase, bool targets,
                            hop__inbox *inbox);

/* Of a matrix by rows: the distances, and their certificate, from the arcs of all ranks. Both are
 * collective; all have begun the call. */
hop_status hop__matrix_rows_run(hop_cluster *cluster, const hop_cluster_graph *graph,
                                hop_cluster_matrix *matrix);
hop_status hop__matrix_rows_certify(hop_cluster *cluster, const hop_cluster_graph *graph,
                                    const hop_cluster_matrix *matrix);

/* Bytes of the rank in the row `root` of the grid to all in this rank's column of it. Nobody may
 * have failed. */
static inline hop_status hop__share_down(hop_cluster *cluster, const hop_cluster_matrix *matrix,
                                         const char *phase, uint32_t root, void *bytes,
                                         uint64_t count) {
    hop__members column = {matrix->grid_column, matrix->across, matrix->down};
    return hop__share_known(cluster, phase, column, column.first + root * column.step, bytes,
                            count);
}
/* The same of the rank in the column `root` to all in this rank's row. */
static inline hop_status hop__share_across(hop_cluster *cluster, const hop_cluster_matrix *matrix,
                                           const char *phase, uint32_t root, void *bytes,
                                           uint64_t count) {
    hop__members row = {matrix->grid_row * matrix->across, 1, matrix->across};
    return hop__share_known(cluster, phase, row, row.first + root, bytes, count);
}

#endif
