/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of tables, with one delimiter between them, some in quotes (RFC 4180).
 *
 * A field without quotes is what is between two delimiters, without blanks at its ends; one in
 * quotes is what is between those, "" for each quote inside, and may go on over ends of lines. A
 * quote inside a field that does not begin with one is a character like any other. The delimiter
 * ' ' means any number of blanks and tabs. */
#ifndef HOPLITE_IO_TEXT_TEXT_FIELD_H
#define HOPLITE_IO_TEXT_TEXT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

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
hop__field_end hop__text_field(char delimiter, const char **at, const char *end, hop__field *field);
/* Bytes of the field without the doubling of quotes, into `text`, which has room for its length. */
size_t hop__field_copy(const hop__field *field, char *text);

#endif
