/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a row of JSON lines: one object, of which the fields at the top are taken. What is inside
 * of them (objects, arrays) is checked and kept as text. Anything that is no JSON is refused, since
 * rows come from files that were cut off or edited. */
#ifndef HOPLITE_CLI_JSON_READER_H
#define HOPLITE_CLI_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_MOST_FIELDS = 96 };

typedef struct json_row {
    size_t count;
    struct {
        char *key;   /* unescaped */
        char *value; /* as it stands: "..." with its quotes, a number, {...} */
        bool opened; /* json_text has unescaped it */
    } fields[JSON_MOST_FIELDS];
} json_row;

/* Takes the line apart, in its place: it must stay as long as the row. False when it is no object
 * of at most JSON_MOST_FIELDS fields. */
bool json_row_parse(char *line, json_row *row);

/* The value of a field as it stands, or NULL when there is none. */
const char *json_value(const json_row *row, const char *key);
/* A string, unescaped; NULL when the field is none. */
const char *json_text(json_row *row, const char *key);
bool json_number(const json_row *row, const char *key, double *number);
bool json_is_true(const json_row *row, const char *key);

#endif
