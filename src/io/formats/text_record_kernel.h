/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner loops of reading records: counting them, and parsing them into their slots of the
 * arrays.
 *
 * Two pieces of text are parsed at a time, a record of each in turn. Where a record ends is only
 * known when its digits have been counted, so one piece alone keeps a core waiting for itself; two
 * are independent of each other and fill the gaps. */
#ifndef HOPLITE_IO_FORMATS_TEXT_RECORD_KERNEL_H
#define HOPLITE_IO_FORMATS_TEXT_RECORD_KERNEL_H

#include "io/formats/format.h"
#include "io/formats/text_record.h"
#include "io/text/text_scan.h"

/* Lines, and what becomes of them. */
typedef struct hop__record_piece {
    const char *begin, *end;
    uint64_t slot, records; /* records go to slot .. slot + records - 1 */
    uint64_t largest;       /* id */
    const char *stopped;    /* the line that did not fit the arrays, or NULL */
    bool saw_real;          /* a weight with a point, an exponent or inf */
    const char *large; /* the first integer beyond 64 bits among the weights: its line, or NULL */
} hop__record_piece;

/* Counts the lines from `begin` to `end` and the records in them. Of a table there are no quotes in
 * them, and comments begin with '#' or '%'. */
void hop__records_count(const hop__record_form *form, const char *begin, const char *end,
                        uint64_t *lines, uint64_t *records);

/* Parses two pieces, which have begin, end and slot set and are zero otherwise. There must be room
 * for as many records as were counted. Of a table (form->separator) there are no quotes in them. */
void hop__records_parse(const hop__record_form *form, const hop__edge_list *list,
                        hop__record_piece pieces[2]);

#endif
