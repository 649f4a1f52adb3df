/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of tables: fields (text_field.h), of which two are the ends of an edge and one may be its
 * weight. docs/formats.md has the rules. */
#ifndef HOPLITE_IO_FORMATS_TABLE_RECORD_H
#define HOPLITE_IO_FORMATS_TABLE_RECORD_H

#include "io/formats/name_index.h"
#include "io/formats/text_record_kernel.h"
#include "io/text/text_field.h"

enum { HOP__NO_COLUMN = 0xffff };

typedef struct hop__table {
    char delimiter;
    bool exact;             /* every row has `columns` fields; else at least those that are taken */
    unsigned columns;       /* of the first row */
    unsigned place[3];      /* of the two ends and the weight, from 0 on; HOP__NO_COLUMN: none */
    bool unsaid;            /* the first row is read as an edge, and nobody has said that it is */
    hop__name_index *names; /* ids are names; NULL: numbers */
} hop__table;

/* Lines and rows. Returns the row that ends inside quotes, or NULL when there is none. */
const char *hop__table_count(const hop__record_form *form, const char *begin, const char *end,
                             uint64_t *lines, uint64_t *records);

/* The row at `at` slowly: ids of numbers and the weight into `record`, or the fault. */
hop__record_result hop__table_parse(const hop__record_form *form, const char *at, const char *end,
                                    hop__record *record, hop__record_fault *fault);

/* Parses the rows of a piece into its slots. piece->stopped: the row that did not fit. False: the
 * names have no room. */
bool hop__table_rows(const hop__record_form *form, const hop__edge_list *list,
                     hop__record_piece *piece);

/* The end of the row at `at`, behind its newline; NULL when it ends inside quotes. */
const char *hop__table_row_end(const hop__record_form *form, const char *at, const char *end);

#endif
