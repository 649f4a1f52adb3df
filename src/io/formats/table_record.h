/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of tables: fields with one delimiter between them, some in quotes (RFC 4180), of which two
 * are the ends of an edge and one may be its weight. docs/formats.md has the rules.
 *
 * A field without quotes is what stands between two delimiters, without blanks at its ends; one in
 * quotes is what stands between those, "" for each quote inside, and may go on over ends of lines.
 * A quote inside a field that does not begin with one is a character like any other. The delimiter
 * ' ' stands for any number of blanks and tabs. */
#ifndef HOPLITE_IO_FORMATS_TABLE_RECORD_H
#define HOPLITE_IO_FORMATS_TABLE_RECORD_H

#include "io/formats/name_index.h"
#include "io/formats/text_record_kernel.h"

enum { HOP__NO_COLUMN = 0xffff };

typedef struct hop__table {
    char delimiter;
    bool exact;             /* every row has `columns` fields; else at least those that are taken */
    unsigned columns;       /* of the first row */
    unsigned place[3];      /* of the two ends and the weight, from 0 on; HOP__NO_COLUMN: none */
    hop__name_index *names; /* ids are names; NULL: numbers */
} hop__table;

typedef struct hop__field {
    const char *at;
    size_t length;
    bool quoted, doubled; /* with quotes inside, which are doubled */
} hop__field;

typedef enum hop__field_end {
    HOP__FIELD_MORE = 0,  /* a delimiter follows, and was taken */
    HOP__FIELD_LAST = 1,  /* the row ends here, and its newline was taken */
    HOP__FIELD_OPEN = 2,  /* a quote is not closed before `end` */
    HOP__FIELD_AFTER = 3, /* something follows the closing quote */
} hop__field_end;

/* The field at *at, which moves on. */
hop__field_end hop__table_field(char delimiter, const char **at, const char *end,
                                hop__field *field);
/* Bytes of the field without the doubling of quotes, into `text`, which has room for its length. */
size_t hop__field_copy(const hop__field *field, char *text);

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
