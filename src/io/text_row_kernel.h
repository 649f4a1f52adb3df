/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of reading rows: chunks of text into their slots of the arrays.
 *
 * Two chunks are parsed at a time, a row of each in turn. Where a row ends is only known when its
 * digits have been counted, so one chunk alone keeps a core waiting for itself; two are independent
 * of each other and fill the gaps. */
#ifndef HOPLITE_IO_TEXT_ROW_KERNEL_H
#define HOPLITE_IO_TEXT_ROW_KERNEL_H

#include "io/format.h"
#include "io/text_row.h"
#include "io/text_scan.h"

/* What becomes of a chunk. */
typedef struct hop__row_piece {
    uint64_t slot, rows; /* rows go to slot .. slot + rows - 1; at most one per line */
    uint64_t largest;    /* id */
    const char *stopped; /* the line that did not fit the arrays, or NULL */
    bool saw_real;       /* a weight with a point, an exponent or inf */
    uint64_t large_line; /* of the first integer beyond 64 bits among the weights, or 0 */
} hop__row_piece;

/* Parses `count` chunks, 1 or 2. The pieces have their slot set and are zero otherwise. */
void hop__rows_parse(const hop__row_form *form, const hop__edge_list *list,
                     const hop__text_chunk *chunks, hop__row_piece *pieces, size_t count);

#endif
