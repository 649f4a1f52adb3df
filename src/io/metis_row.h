/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a METIS file: counting, parsing and explaining them. metis.c has the format. */
#ifndef HOPLITE_IO_METIS_ROW_H
#define HOPLITE_IO_METIS_ROW_H

#include "io/text_scan.h"

typedef struct hop__metis_form {
    uint64_t vertices;
    uint64_t skip; /* words of size and weights before the neighbours */
    bool edge_weights;
} hop__metis_form;

/* A chunk: what was counted, and what became of it. */
typedef struct hop__metis_piece {
    uint64_t rows, words; /* lines that are no comments, and the words in them */
    uint64_t row;         /* number of the first row, from 0 */
    uint64_t slot;        /* of the first entry */
    uint64_t entries;     /* that were stored */
    const char *stopped;  /* the line that is wrong, or NULL */
    uint64_t stopped_row;
} hop__metis_piece;

enum { HOP__METIS_MESSAGE = 256 };

bool hop__metis_is_comment(const char *at, const char *end);
/* Fills in `rows` and `words`, and clears the rest. */
void hop__metis_count(const hop__text_chunk *chunk, hop__metis_piece *part);
/* Stores the entries of a chunk from slot part->slot on, at most part->words of them. `weights` is
 * NULL when there are none. */
void hop__metis_parse(const hop__metis_form *form, const hop__text_chunk *chunk,
                      hop__metis_piece *part, uint32_t *from, uint32_t *to, int64_t *weights);
/* What is wrong with a line that hop__metis_parse stopped at. */
void hop__metis_explain(const hop__metis_form *form, uint64_t row, const char *at, const char *end,
                        char message[HOP__METIS_MESSAGE]);

#endif
