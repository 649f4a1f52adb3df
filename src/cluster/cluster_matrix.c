/* SPDX-License-Identifier: Apache-2.0
 *
 * A matrix of distances over the ranks: what a rank has of it, and its file. */
#include "cluster/cluster_matrix.h"

#include <math.h>
#include <string.h>

#include "cluster/cluster_file.h"
#include "core/memory.h"
#include "core/try.h"

void hop_cluster_matrix_free(hop_cluster_matrix *matrix) {
    if (matrix == NULL)
        return;
    hop__free(matrix->numbers);
    hop__free(matrix);
}

static uint64_t lower(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

hop_cluster_area hop_cluster_matrix_area(const hop_cluster_matrix *matrix) {
    uint64_t n = matrix->vertices, side = matrix->side;
    if (matrix->by_rows)
        return (hop_cluster_area){matrix->first_row, matrix->rows, 0, n};
    uint64_t row = lower(n, matrix->first_row * side),
             column = lower(n, matrix->first_column * side);
    return (hop_cluster_area){row, lower(n, (matrix->first_row + matrix->rows) * side) - row,
                              column,
                              lower(n, (matrix->first_column + matrix->columns) * side) - column};
}

hop_type hop_cluster_matrix_type(const hop_cluster_matrix *matrix) {
    return matrix->by_rows ? matrix->type : HOP_TYPE_INT64;
}

int64_t hop_cluster_matrix_at(const hop_cluster_matrix *matrix, uint64_t row, uint64_t column) {
    uint64_t at = hop__matrix_place(matrix, row, column);
    int64_t number = hop__matrix_number(matrix, matrix->numbers, at);
    return !matrix->by_rows && number > matrix->far / 2 ? HOP_NO_DISTANCE : number;
}

double hop_cluster_matrix_real_at(const hop_cluster_matrix *matrix, uint64_t row, uint64_t column) {
    const void *numbers = matrix->numbers;
    uint64_t at = hop__matrix_place(matrix, row, column);
    if (matrix->type == HOP_TYPE_FLOAT32)
        return (double)((const float *)numbers)[at];
    if (matrix->type == HOP_TYPE_FLOAT64)
        return ((const double *)numbers)[at];
    int64_t number = hop_cluster_matrix_at(matrix, row, column);
    return number == HOP_NO_DISTANCE ? HUGE_VAL : (double)number;
}

/* This rank's part of each of its rows. */
static hop_status rows_write(void *user, hop__part_file *file, uint64_t start) {
    const hop_cluster_matrix *matrix = user;
    hop_cluster_area area = hop_cluster_matrix_area(matrix);
    int64_t *row = NULL;
    hop_status status;
    if (matrix->by_rows)
        return hop__part_write(file, matrix->numbers,
                               (size_t)(area.rows * area.columns) * matrix->size,
                               start + area.first_row * area.columns * matrix->size);
    HOP_TRY(status,
            hop__alloc(file->cluster->context, "write: row", area.columns, sizeof *row, &row));
    for (uint64_t i = 0; i < area.rows; i++) {
        for (uint64_t j = 0; j < area.columns; j++)
            row[j] = hop_cluster_matrix_at(matrix, area.first_row + i, area.first_column + j);
        uint64_t at = (area.first_row + i) * matrix->vertices + area.first_column;
        HOP_TRY(status, hop__part_write(file, row, (size_t)area.columns * sizeof *row,
                                        start + at * sizeof *row));
    }
done:
    hop__free(row);
    return status;
}

hop_status hop_cluster_matrix_write(hop_cluster *cluster, const hop_cluster_matrix *matrix,
                                    const char *path) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop__file_shape shape = {HOP_TYPE_INT64, 2, {0, 0}};
    hop_cluster_matrix *part = (hop_cluster_matrix *)(uintptr_t)matrix; /* not written to */
    hop_status status = matrix == NULL || !hop__part_path_fits(path)
                            ? hop__missing(cluster->context, "hop_cluster_matrix_write")
                            : HOP_OK;
    uint64_t hash = status == HOP_OK ? hop__cluster_mix(matrix->vertices, path, strlen(path)) : 0;
    HOP_TRY(status, hop__cluster_begin(cluster, "matrix_write", hash, status));
    shape.type = hop_cluster_matrix_type(matrix);
    shape.items[0] = shape.items[1] = matrix->vertices;
    status = hop__parts_write(cluster, path, &shape, rows_write, part);
done:
    return status;
}
