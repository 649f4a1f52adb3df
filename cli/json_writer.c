/* SPDX-License-Identifier: Apache-2.0
 *
 * A small writer of JSON: see json_writer.h. One value per line, indented by two, so that a person
 * can read it and a line-based tool can grep it. */
#include "json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "number_text.h"
#include "shown_text.h"

static void put_string(FILE *file, const char *value) {
    const unsigned char *s = (const unsigned char *)value;
    fputc('"', file);
    while (*s != '\0') {
        /* Nearly all of it is plain, and each call locks the stream: rows are written between runs
         * that are measured. */
        size_t plain = 0;
        while (s[plain] >= 0x20 && s[plain] < 0x80 && s[plain] != '"' && s[plain] != '\\')
            plain++;
        if (plain > 0) {
            fwrite(s, 1, plain, file);
            s += plain;
            continue;
        }
        size_t length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s < 0x20)
            fprintf(file, "\\u%04x", *s);
        else if (length == 0)
            fputs("\\ufffd", file);
        else
            fwrite(s, 1, length, file);
        s += length == 0 ? 1 : length;
    }
    fputc('"', file);
}

/* Comma, new line, indentation, key: what stands before every value. */
static void put_key(json *out, const char *key) {
    bool comma = out->filled[out->depth];
    if (comma)
        fputc(',', out->file);
    out->filled[out->depth] = true;
    if (out->depth > 0 && !out->one_line)
        fprintf(out->file, "\n%*s", (int)(2 * out->depth), "");
    else if (out->depth > 0 && comma)
        fputc(' ', out->file);
    if (key != NULL) {
        put_string(out->file, key);
        fputs(": ", out->file);
    }
}

static void open_level(json *out, const char *key, char opening, char closing) {
    put_key(out, key);
    fputc(opening, out->file);
    if (++out->depth >= sizeof out->filled)
        abort(); /* deeper than any document of ours */
    out->filled[out->depth] = false;
    out->closing[out->depth] = closing;
}

static bool has_begun;

bool json_has_begun(void) {
    return has_begun;
}

void json_begin(json *out, FILE *file, const char *verb) {
    has_begun |= file == stdout;
    *out = (json){.file = file};
    json_object(out, NULL);
    json_integer(out, "schema", JSON_SCHEMA);
    json_string(out, "verb", verb);
}

void json_line_begin(json *out, FILE *file, const char *kind) {
    *out = (json){.file = file, .one_line = true};
    json_object(out, NULL);
    json_integer(out, "schema", JSON_SCHEMA);
    json_string(out, "kind", kind);
}

void json_finish(json *out) {
    json_end(out);
    fputc('\n', out->file);
}

void json_object(json *out, const char *key) {
    open_level(out, key, '{', '}');
}

void json_array(json *out, const char *key) {
    open_level(out, key, '[', ']');
}

void json_end(json *out) {
    char closing = out->closing[out->depth];
    bool filled = out->filled[out->depth];
    out->depth--;
    if (filled && !out->one_line)
        fprintf(out->file, "\n%*s", (int)(2 * out->depth), "");
    fputc(closing, out->file);
}

void json_string(json *out, const char *key, const char *value) {
    if (value == NULL) {
        json_null(out, key);
        return;
    }
    put_key(out, key);
    put_string(out->file, value);
}

void json_count(json *out, const char *key, uint64_t value) {
    put_key(out, key);
    fprintf(out->file, "%" PRIu64, value);
}

void json_integer(json *out, const char *key, int64_t value) {
    put_key(out, key);
    fprintf(out->file, "%" PRId64, value);
}

void json_real(json *out, const char *key, double value) {
    if (!isfinite(value)) {
        json_null(out, key);
        return;
    }
    put_key(out, key);
    if (out->one_line) /* the shortest form that means the same takes several tries */
        fprintf(out->file, "%.17g", value);
    else
        fputs(real_text(value).s, out->file);
}

void json_bool(json *out, const char *key, bool value) {
    put_key(out, key);
    fputs(value ? "true" : "false", out->file);
}

void json_null(json *out, const char *key) {
    put_key(out, key);
    fputs("null", out->file);
}
