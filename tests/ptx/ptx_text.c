/* SPDX-License-Identifier: Apache-2.0
 * See ptx_text.h. */
#include "ptx/ptx_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bucket_of(const char *text) {
    uint32_t hash = 2166136261u;
    while (*text != '\0')
        hash = (hash ^ (uint8_t)*text++) * 16777619u;
    return hash % PTX_BUCKETS;
}

ptx_name *ptx_name_add(ptx_names *names, const char *text, ptx_meaning meaning, uint64_t value) {
    size_t length = strlen(text) + 1;
    ptx_name *name = malloc(sizeof *name + length);
    if (name == NULL)
        abort();
    ptx_name **bucket = &names->buckets[bucket_of(text)];
    *name = (ptx_name){.next = *bucket, .value = value, .meaning = meaning};
    memcpy(name->text, text, length);
    *bucket = name;
    return name;
}

ptx_name *ptx_name_find(const ptx_names *names, const char *text) {
    ptx_name *name = names->buckets[bucket_of(text)];
    while (name != NULL && strcmp(name->text, text) != 0)
        name = name->next;
    return name;
}

void ptx_names_free(ptx_names *names) {
    for (size_t i = 0; i < PTX_BUCKETS; i++)
        while (names->buckets[i] != NULL) {
            ptx_name *next = names->buckets[i]->next;
            free(names->buckets[i]);
            names->buckets[i] = next;
        }
}

static void skip_blanks(ptx_text *text) {
    for (;;) {
        for (; isspace((unsigned char)*text->at); text->at++)
            text->line += *text->at == '\n';
        if (strncmp(text->at, "//", 2) == 0) {
            text->at += strcspn(text->at, "\n");
        } else if (strncmp(text->at, "/*", 2) == 0) {
            for (; *text->at != '\0' && strncmp(text->at, "*/", 2) != 0; text->at++)
                text->line += *text->at == '\n';
            text->at += *text->at != '\0' ? 2 : 0;
        } else {
            return;
        }
    }
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_$%.", c) != NULL);
}

bool ptx_next(ptx_text *text) {
    skip_blanks(text);
    size_t length = 0;
    const char *at = text->at;
    if (*at == '\0') {
        text->token[0] = '\0';
        return false;
    }
    if (in_word(at[0]) || (at[0] == '-' && isdigit((unsigned char)at[1])))
        do
            length++;
        while (in_word(at[length]));
    else
        length = 1;
    text->at += length;
    if (length >= PTX_TOKEN)
        length = PTX_TOKEN - 1;
    memcpy(text->token, at, length);
    text->token[length] = '\0';
    return true;
}

bool ptx_is(const ptx_text *text, const char *token) {
    return strcmp(text->token, token) == 0;
}

bool ptx_expect(ptx_text *text, const char *token) {
    ptx_next(text);
    return ptx_is(text, token) ||
           ptx_complain(text, "'%s' where '%s' is wanted", text->token, token);
}

bool ptx_skip_to(ptx_text *text, const char *token) {
    while (ptx_next(text))
        if (ptx_is(text, token))
            return true;
    return ptx_complain(text, "the text ends before '%s'", token);
}

void ptx_skip_line(ptx_text *text) {
    text->at += strcspn(text->at, "\n");
}

bool ptx_complain(ptx_text *text, const char *format, ...) {
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    ptx_fail(text->machine, PTX_BAD_TEXT, "line %u: %s", text->line, what);
    return false;
}

bool ptx_number(const char *token, uint64_t *value) {
    char *end;
    bool bits = token[0] == '0' && token[1] != '\0' && strchr("fFdD", token[1]) != NULL;
    if (token[0] != '-' && !isdigit((unsigned char)token[0]))
        return false;
    if (bits)
        *value = strtoull(token + 2, &end, 16);
    else
        *value = token[0] == '-' ? (uint64_t)strtoll(token, &end, 0) : strtoull(token, &end, 0);
    if (*end == 'U' && !bits)
        end++;
    return *end == '\0';
}
