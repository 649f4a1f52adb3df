/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON on standard output. Every document is one object that begins with "schema" (a number that
 * grows when a field changes its meaning or goes away; new fields do not change it) and "verb".
 *
 * `key` is NULL inside an array. Strings that are not UTF-8 (file names may be anything) have each
 * bad byte replaced by U+FFFD. Reals that JSON cannot hold are null. */
#ifndef HOPLITE_CLI_JSON_WRITER_H
#define HOPLITE_CLI_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_SCHEMA = 1 };

typedef struct json {
    FILE *file;
    unsigned depth;
    bool filled[8]; /* something stands in the object or array at this depth */
    char closing[8];
    bool one_line;
} json;

void json_begin(json *out, FILE *file, const char *verb);
void json_finish(json *out);
/* Whether an object has been begun on standard output. */
bool json_has_begun(void);
/* The same, for a row of JSON lines: all on one line, with "schema" and "kind". */
void json_line_begin(json *out, FILE *file, const char *kind);

void json_object(json *out, const char *key);
void json_array(json *out, const char *key);
/* Ends the innermost object or array. */
void json_end(json *out);

void json_string(json *out, const char *key, const char *value); /* NULL: null */
void json_count(json *out, const char *key, uint64_t value);
void json_integer(json *out, const char *key, int64_t value);
void json_real(json *out, const char *key, double value);
void json_bool(json *out, const char *key, bool value);
void json_null(json *out, const char *key);

#endif
