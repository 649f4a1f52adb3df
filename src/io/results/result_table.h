/* SPDX-License-Identifier: Apache-2.0
 *
 * For the command alone. Tables of numbers as text: it writes results and reads those of others.
 * They are exported under the version node HOPLITE_PRIVATE_0.1, and nobody else's. */
#ifndef HOPLITE_IO_RESULTS_RESULT_TABLE_H
#define HOPLITE_IO_RESULTS_RESULT_TABLE_H

#include "hoplite/io.h"

/* A line of names, then one line per row, separated by tabs; by commas
 * if the path ends in .csv. The line of names begins with "# ", except in .csv. Gzipped by a suffix
 * .gz; "-" is standard output. */
typedef struct hop__result_column {
    const char *name; /* without blanks and commas */
    hop_type type;
    const void *items; /* NULL: 0, 1, 2 ... */
    /* Items are numbers of vertices; what is printed are their labels. NULL: the items. */
    const uint64_t *labels;
    /* Printed instead of the largest value of an integer type; NULL: the value. Infinity is "inf"
     * in any case. */
    const char *missing;
    /* Items are vertices of this graph; what is printed are their labels, or their names where they
     * have some (in quotes where they must be, as in CSV). NULL: the items. */
    const hop_graph *graph;
} hop__result_column;

HOP_NODISCARD HOP_API hop_status hop__result_table_write(hop_context *context, const char *path,
                                                         const hop__result_column *columns,
                                                         size_t count, uint64_t rows);

/* The same where rows come bit by bit; the stream is to be closed after a failure too. */
typedef struct hop__result_stream hop__result_stream;
HOP_NODISCARD HOP_API hop_status hop__result_stream_open(hop_context *context, const char *path,
                                                         const char *const *names, size_t count,
                                                         hop__result_stream **stream);
HOP_NODISCARD HOP_API hop_status hop__result_stream_rows(hop_context *context,
                                                         hop__result_stream *stream,
                                                         const hop__result_column *columns,
                                                         size_t count, uint64_t rows);
/* The file gets its name if `status` is HOP_OK; returns the first failure. NULL is allowed. */
HOP_API hop_status hop__result_stream_close(hop_context *context, hop__result_stream *stream,
                                            hop_status status);

#define HOP__TABLE_COLUMNS 8

/* Reads a table of at most HOP__TABLE_COLUMNS columns: numbers separated by blanks, tabs or commas,
 * the same number in each line. Empty lines and lines that begin with # or % are skipped; the first
 * of those, or a first line that is no number, gives the names if it has as many. */
typedef struct hop__result_table hop__result_table;
/* `graph`: NULL, or one with names of text. Then the first of several columns, and those that are
 * called parent or component, have names as hop__result_table_write writes them; what is kept are
 * their vertices, and -1 without quotes is -1. A line of names must say what is between columns. */
HOP_NODISCARD HOP_API hop_status hop__result_table_read(hop_context *context, const char *path,
                                                        const hop_graph *graph,
                                                        hop__result_table **table);
HOP_API uint64_t hop__result_table_rows(const hop__result_table *table);
HOP_API size_t hop__result_table_columns(const hop__result_table *table);
/* The name of a column, or NULL. */
HOP_API const char *hop__result_table_name(const hop__result_table *table, size_t column);
/* INT64; UINT64 when some number is beyond it; FLOAT64 when some is no integer. "inf" alone makes
 * no real: among integers it is the type's largest value. */
HOP_API hop_type hop__result_table_type(const hop__result_table *table, size_t column);
HOP_API const void *hop__result_table_items(const hop__result_table *table, size_t column);
HOP_API void hop__result_table_free(hop__result_table *table);

/* The dimensions of an array file (.npy), by its header alone: 1 or 2; 0: it has none, or is no
 * such file. The rest of the file may be damaged. */
HOP_API unsigned hop__array_dimensions(const char *path);

#endif
