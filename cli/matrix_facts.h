/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows of distances say as a whole, as the library sums them up, in lines and in JSON. A small
 * matrix is kept, to be printed. */
#ifndef HOPLITE_CLI_MATRIX_FACTS_H
#define HOPLITE_CLI_MATRIX_FACTS_H

#include "problem_job.h"

enum { SMALL_MATRIX = 16 };

typedef struct matrix_facts {
    hop_vertex n, rows;
    bool all; /* rows: one for each vertex */
    hop_weight_type type;
    hop_apsp_summary summary;
    int64_t small[SMALL_MATRIX * SMALL_MATRIX]; /* the bytes of the rows, when n is small */
} matrix_facts;

/* With `sources` (NULL: all vertices) there are `count` rows. */
void facts_begin(matrix_facts *facts, hop_vertex n, hop_weight_type type, const hop_vertex *sources,
                 hop_vertex count);
/* Whether rows are kept at all. */
bool facts_wants(const matrix_facts *facts);
/* Rows in order, as hop_apsp_rows hands them over: keeps them if they are few. */
void facts_keep(matrix_facts *facts, hop_vertex first, hop_vertex count, const void *rows);

void facts_lines(FILE *file, const matrix_facts *facts, const hop_graph *graph);
void facts_json(json *out, const matrix_facts *facts, const hop_graph *graph);
/* The matrix itself, with the ids of the vertices; only when it is small. */
void facts_matrix(FILE *file, const matrix_facts *facts, const hop_graph *graph);

#endif
