/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of reading rows: counting them, and parsing them into their slots of the arrays.
 *
 * Two pieces of text are parsed at a time, a row of each in turn. Where a row ends is only known
 * when its digits have been counted, so one piece alone keeps a core waiting for itself; two are
 * independent of each other and fill the gaps. */
#ifndef HOPLITE_IO_TEXT_ROW_KERNEL_H
#define HOPLITE_IO_TEXT_ROW_KERNEL_H

#include "io/format.h"
#include "io/text_row.h"
#include "io/text_scan.h"

/* Lines, and what becomes of them. */
typedef struct hop__row_piece {
    const char *begin, *end;
    uint64_t slot, rows; /* rows go to slot .. slot + rows - 1 */
    uint64_t largest;    /* id */
    const char *stopped; /* the line that did not fit the arrays, or NULL */
    bool saw_real;       /* a weight with a point, an exponent or inf */
    const char *large;   /* the first integer beyond 64 bits among the weights: its line, or NULL */
} hop__row_piece;

/* Counts the lines from `begin` to `end` and the rows in them. */
void hop__rows_count(const hop__row_form *form, const char *begin, const char *end, uint64_t *lines,
                     uint64_t *rows);

/* Parses two pieces, which have begin, end and slot set and are zero otherwise. There must be room
 * for as many rows as were counted. */
void hop__rows_parse(const hop__row_form *form, const hop__edge_list *list,
                     hop__row_piece pieces[2]);

#endif
