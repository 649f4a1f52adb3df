/* SPDX-License-Identifier: Apache-2.0
 *
 * What a matrix of distances says as a whole, gathered while its rows come by: eccentricities
 * (each vertex's farthest that it reaches), diameter and radius (the greatest and the least of
 * them), mean distance. A small matrix is kept, to be printed. */
#ifndef HOPLITE_CLI_MATRIX_FACTS_H
#define HOPLITE_CLI_MATRIX_FACTS_H

#include "problem_job.h"

enum { SMALL_MATRIX = 16 };

typedef struct matrix_facts {
    hop_vertex n;
    hop_weight_type type;
    uint64_t pairs; /* of different vertices, the second of which the first reaches */
    double sum;     /* of their distances */
    bool any;       /* some row has come */
    /* Items 0 and 1 of `extremes`, of the type: the greatest and the least eccentricity. */
    union extremes {
        int32_t i32[2];
        int64_t i64[2];
        float f32[2];
        double f64[2];
    } extremes;
    hop_vertex diameter_from, diameter_to, center;
    int64_t small[SMALL_MATRIX * SMALL_MATRIX]; /* the bytes of the rows, when n is small */
} matrix_facts;

void facts_begin(matrix_facts *facts, hop_vertex n, hop_weight_type type);
/* Rows in order, as hop_apsp_rows hands them over. */
void facts_take(matrix_facts *facts, hop_vertex first, hop_vertex count, const void *rows);

void facts_lines(FILE *file, const matrix_facts *facts, const hop_graph *graph);
void facts_json(json *out, const matrix_facts *facts, const hop_graph *graph);
/* The matrix itself, with the ids of the vertices; only when it is small. */
void facts_matrix(FILE *file, const matrix_facts *facts, const hop_graph *graph);

#endif
