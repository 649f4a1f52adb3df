/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a METIS file: counting, parsing and explaining them. metis.c has the format. */
#ifndef HOPLITE_IO_FORMATS_METIS_ROW_H
#define HOPLITE_IO_FORMATS_METIS_ROW_H

#include "io/text/text_scan.h"

typedef struct hop__metis_form {
    uint64_t vertices;
    uint64_t skip; /* words of size and weights before the neighbours */
    bool edge_weights;
} hop__metis_form;

enum { HOP__METIS_MESSAGE = 256 };

bool hop__metis_is_comment(const char *at, const char *end);

/* The lines from `begin` to `end`, how many of them are rows, and the words in those. */
void hop__metis_count(const char *begin, const char *end, uint64_t *lines, uint64_t *rows,
                      uint64_t *words);

/* Where entries go. `weights` is NULL when there are none. */
typedef struct hop__metis_sink {
    uint32_t *from, *to;
    int64_t *weights;
    uint64_t slot, end; /* of the next entry, and of the first that has no room */
} hop__metis_sink;

/* Stores the entries of lines of which the first row is number `row` (from 0); sink NULL only
 * looks. Returns NULL, or the line that is wrong (or has no room) and its row in *wrong_row. */
const char *hop__metis_parse(const hop__metis_form *form, const char *begin, const char *end,
                             uint64_t row, hop__metis_sink *sink, uint64_t *wrong_row);
/* What is wrong with a line that hop__metis_parse stopped at. */
void hop__metis_explain(const hop__metis_form *form, uint64_t row, const char *at, const char *end,
                        char message[HOP__METIS_MESSAGE]);

#endif
