/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a row of JSON lines: see json_reader.h. A recursive descent over the bytes. */
#include "json_reader.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

static char *skip_space(char *at) {
    return at + strspn(at, " \t\r\n");
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* After the string that begins at `at`, or NULL when it is none. */
static char *skip_string(char *at) {
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) /* the end of the line included */
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == '\0' || strchr("\"\\/bfnrtu", *at) == NULL)
            return NULL;
        if (*at == 'u')
            for (int i = 0; i < 4; i++)
                if (!is_hex(*++at))
                    return NULL;
    }
    return at + 1;
}

static char *skip_digits(char *at) {
    return *at < '0' || *at > '9' ? NULL : at + strspn(at, "0123456789");
}

static char *skip_number(char *at) {
    at += *at == '-';
    if (*at == '0' && at[1] >= '0' && at[1] <= '9')
        return NULL;
    at = skip_digits(at);
    if (at != NULL && *at == '.')
        at = skip_digits(at + 1);
    if (at != NULL && (*at == 'e' || *at == 'E')) {
        at++;
        at = skip_digits(at + (*at == '+' || *at == '-'));
    }
    return at;
}

static char *skip_value(char *at, unsigned depth);

/* After an object or array. */
static char *skip_level(char *at, unsigned depth) {
    bool object = *at == '{';
    char closing = object ? '}' : ']';
    at = skip_space(at + 1);
    if (*at == closing)
        return at + 1;
    for (;;) {
        if (object) {
            at = skip_string(at);
            if (at == NULL)
                return NULL;
            at = skip_space(at);
            if (*at++ != ':')
                return NULL;
            at = skip_space(at);
        }
        at = skip_value(at, depth + 1);
        if (at == NULL)
            return NULL;
        at = skip_space(at);
        if (*at == closing)
            return at + 1;
        if (*at++ != ',')
            return NULL;
        at = skip_space(at);
    }
}

static char *skip_value(char *at, unsigned depth) {
    static const char *const words[] = {"true", "false", "null"};
    if (depth > DEEPEST)
        return NULL;
    if (*at == '{' || *at == '[')
        return skip_level(at, depth);
    if (*at == '"')
        return skip_string(at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return skip_number(at);
}

/* A UTF-16 unit as UTF-8; halves of pairs become U+FFFD, which is all that names here need. */
static char *put_unit(char *to, unsigned unit) {
    if (unit >= 0xd800 && unit < 0xe000)
        unit = 0xfffd;
    if (unit < 0x80) {
        *to++ = (char)unit;
    } else if (unit < 0x800) {
        *to++ = (char)(0xc0 | unit >> 6);
        *to++ = (char)(0x80 | (unit & 0x3f));
    } else {
        *to++ = (char)(0xe0 | unit >> 12);
        *to++ = (char)(0x80 | (unit >> 6 & 0x3f));
        *to++ = (char)(0x80 | (unit & 0x3f));
    }
    return to;
}

/* Takes a checked string "..." out of its quotes, in its place. */
static char *unescape(char *value) {
    static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    char *from = value + 1, *to = value;
    while (*from != '"') {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        char name = from[1];
        const char *found = strchr(names, name);
        if (name == 'u') {
            char digits[5] = {from[2], from[3], from[4], from[5], '\0'};
            to = put_unit(to, (unsigned)strtoul(digits, NULL, 16));
            from += 6;
            continue;
        }
        *to++ = found != NULL ? bytes[found - names] : name;
        from += 2;
    }
    *to = '\0';
    return value;
}

bool json_row_parse(char *line, json_row *row) {
    char *at = skip_space(line);
    row->count = 0;
    if (*at != '{')
        return false;
    char *after = skip_value(at, 0);
    if (after == NULL || *skip_space(after) != '\0')
        return false;
    at = skip_space(at + 1);
    while (*at != '}') {
        if (row->count == JSON_MOST_FIELDS)
            return false;
        char *key = at, *key_end = skip_string(at);
        char *value = skip_space(skip_space(key_end) + 1), *end = skip_value(value, 1);
        at = skip_space(end);
        bool last = *at == '}';
        *end = '\0';
        row->fields[row->count].key = unescape(key);
        row->fields[row->count].opened = false;
        row->fields[row->count++].value = value;
        if (last)
            break;
        at = skip_space(at + 1);
    }
    return true;
}

static size_t find(const json_row *row, const char *key) {
    size_t i = 0;
    while (i < row->count && strcmp(row->fields[i].key, key) != 0)
        i++;
    return i;
}

const char *json_value(const json_row *row, const char *key) {
    size_t i = find(row, key);
    return i < row->count ? row->fields[i].value : NULL;
}

const char *json_text(json_row *row, const char *key) {
    size_t i = find(row, key);
    if (i == row->count)
        return NULL;
    if (!row->fields[i].opened && row->fields[i].value[0] != '"')
        return NULL;
    if (!row->fields[i].opened)
        unescape(row->fields[i].value);
    row->fields[i].opened = true;
    return row->fields[i].value;
}

bool json_number(const json_row *row, const char *key, double *number) {
    const char *value = json_value(row, key);
    if (value == NULL || (*value != '-' && (*value < '0' || *value > '9')))
        return false;
    *number = strtod(value, NULL);
    return true;
}

bool json_is_true(const json_row *row, const char *key) {
    const char *value = json_value(row, key);
    return value != NULL && strcmp(value, "true") == 0;
}
