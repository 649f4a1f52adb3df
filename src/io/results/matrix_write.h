/* SPDX-License-Identifier: Apache-2.0
 *
 * For the command alone: tables of distances as text, written as their rows come. Exported under
 * the version node HOPLITE_PRIVATE_0.1. */
#ifndef HOPLITE_IO_RESULTS_MATRIX_WRITE_H
#define HOPLITE_IO_RESULTS_MATRIX_WRITE_H

#include "hoplite/io.h"

/* Rows and columns are called by the labels or names that their vertices have in the graph. */
typedef struct hop__matrix {
    const hop_graph *graph;
    const hop_vertex *rows, *columns; /* vertices; NULL: all */
    uint64_t row_count, column_count;
    hop_type type;      /* of the entries: int64, float32 or float64 */
    const char *corner; /* the name of the column with the names of the rows */
} hop__matrix;

/* A line with the names of the columns; then a line per row, its name first: separated by tabs; by
 * commas if the path ends in .csv. The first line begins with "# ", except in .csv. Gzipped by a
 * suffix .gz; "-" is standard output. An entry that is not reached is "inf". */
typedef struct hop__matrix_writer hop__matrix_writer;
/* Keeps what the matrix points to until it is closed. */
HOP_NODISCARD HOP_API hop_status hop__matrix_create(hop_context *context, const char *path,
                                                    const hop__matrix *matrix,
                                                    hop__matrix_writer **writer);
/* The next rows: whole ones. */
HOP_NODISCARD HOP_API hop_status hop__matrix_append(hop_context *context,
                                                    hop__matrix_writer *writer,
                                                    const hop_view *entries);
/* As hop_array_close. */
HOP_NODISCARD HOP_API hop_status hop__matrix_close(hop_context *context, hop__matrix_writer *writer,
                                                   hop_status status);

#endif
