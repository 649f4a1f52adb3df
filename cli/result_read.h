/* SPDX-License-Identifier: Apache-2.0
 *
 * Results from files, ours or another program's: an array (.npy), where row i is vertex i, or text.
 * Text of one column is the same; of several, the first is the id of the vertex, in any order, and
 * a vertex that is not there was not reached. Columns are found by name, if they have any, else by
 * place. Ids are names where the graph has names.
 *
 * "Not reached" may be written as any negative number (levels, parents, ranks), inf, or the largest
 * value of the type. Integers may come as floats that are whole. */
#ifndef HOPLITE_CLI_RESULT_READ_H
#define HOPLITE_CLI_RESULT_READ_H

#include "io/results/result_table.h"
#include "problem_job.h"

typedef struct result_source {
    problem_job *job;
    const char *path;
    hop_vertex rows; /* vertices, or elements */
    hop_array_file *file;
    hop__result_table *table;
    hop_vertex *vertex_of_row; /* of text with ids; NULL: row i is vertex i */
} result_source;

/* What the numbers are. */
typedef enum result_meaning {
    MEANS_COUNT, /* a level or rank: uint32 */
    MEANS_VERTEX,
    MEANS_NAME,    /* of a component, any integer: 0 for the least name, 1 for the next, ... */
    MEANS_DISTANCE /* of a type */
} result_meaning;

/* All return exit codes and have complained. result_close in any case. */
int result_open(result_source *source, problem_job *job, const char *path, hop_vertex rows);
void result_close(result_source *source);

/* Whether there is such a column: by name, or at this place among those after the ids. */
bool result_has(const result_source *source, const char *name, size_t place);
/* Fills the column into an array of `rows` items of hop_vertex, or of the distance type. */
int result_column_read(result_source *source, const char *name, size_t place,
                       result_meaning meaning, hop_weight_type type, void *items);

#endif
