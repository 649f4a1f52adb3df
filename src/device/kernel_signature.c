/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures of kernels, from their text. It is not compiled here: kernels spell their parameters
 * out (docs/kernels.md), so `void name(` is where they begin, and a star makes a pointer. Kernels
 * of a template are called `void NAMED(name)(`, and `name` with an ending by the host. */
#include "device/kernel_signature.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"

/* Words of the shim, and those of the vendors' languages. */
static const struct {
    const char *word;
    uint8_t takes;
} types[] = {
    {"u16", HOP__TAKES_2},    {"u32", HOP__TAKES_4},      {"i32", HOP__TAKES_4},
    {"f32", HOP__TAKES_4},    {"u64", HOP__TAKES_8},      {"i64", HOP__TAKES_8},
    {"f64", HOP__TAKES_8},    {"uint", HOP__TAKES_4},     {"int", HOP__TAKES_4},
    {"float", HOP__TAKES_4},  {"ulong", HOP__TAKES_8},    {"long", HOP__TAKES_8},
    {"double", HOP__TAKES_8}, {"unsigned", HOP__TAKES_4},
};

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The next place of `word` as a whole word, from `at` on; NULL: none before `end`. */
static const char *find_word(const char *at, const char *end, const char *word, size_t length) {
    const char *from = at;
    while (from < end && (from = memchr(from, word[0], (size_t)(end - from))) != NULL &&
           from + length <= end) {
        if (memcmp(from, word, length) == 0 && (from == at || !in_word(from[-1])) &&
            (from + length == end || !in_word(from[length])))
            return from;
        from++;
    }
    return NULL;
}

static uint8_t takes_of(const hop__program_source *source, const char *begin, const char *end,
                        bool defined);

/* What all definitions of a word in the texts say: `#define word type`, `typedef type word;`. */
static uint8_t look_up(const hop__program_source *source, const char *word, size_t length) {
    uint8_t takes = 0;
    for (size_t i = 0; i < source->count; i++) {
        const char *text = source->sources[i]->text, *end = text + strlen(text);
        for (const char *at = text; (at = find_word(at, end, word, length)) != NULL; at += length) {
            const char *line = at, *rest = at + length;
            while (line > text && line[-1] != '\n')
                line--;
            if (strncmp(line, "#define ", 8) == 0 && skip_space(line + 8) == at)
                takes |= takes_of(source, rest, rest + strcspn(rest, "\n/"), false);
            else if (strncmp(line, "typedef ", 8) == 0 && *rest == ';')
                takes |= takes_of(source, line + 8, at, false);
        }
    }
    return takes;
}

/* What a parameter takes, or a type alone; 0: not known. `defined`: other words are looked up. */
static uint8_t takes_of(const hop__program_source *source, const char *begin, const char *end,
                        bool defined) {
    uint8_t takes = 0;
    if (memchr(begin, '*', (size_t)(end - begin)) != NULL)
        return HOP__TAKES_BUFFER;
    for (size_t i = 0; i < HOP_LENGTH(types); i++)
        if (find_word(begin, end, types[i].word, strlen(types[i].word)) != NULL)
            takes = types[i].takes > takes ? types[i].takes : takes; /* unsigned long long */
    for (const char *at = begin; at < end && takes == 0 && defined; at++) {
        size_t length = 0;
        while (at + length < end && in_word(at[length]))
            length++;
        if (length > 0) {
            takes = look_up(source, at, length);
            at += length - 1;
        }
    }
    return takes;
}

/* The parameters behind an opening bracket. False: too many, or one that is not known. */
static bool read_parameters(const hop__program_source *source, const char *at,
                            hop__signature *signature) {
    memset(signature, 0, sizeof *signature);
    if (*skip_space(at) == ')')
        return true;
    for (;;) {
        const char *end = at + strcspn(at, ",)");
        if (*end == '\0' || signature->count == HOP__PARAMETERS)
            return false;
        uint8_t takes = takes_of(source, at, end, true);
        signature->takes[signature->count++] = takes;
        if (takes == 0 || *end == ')')
            return takes != 0;
        at = end + 1;
    }
}

/* Behind `void`: the bracket's inside if the kernel of that name begins here, else NULL. */
static const char *parameters_of(const char *at, const char *name) {
    size_t length = 0;
    at = skip_space(at);
    while (in_word(at[length]))
        length++;
    if (length == strlen(name) && memcmp(at, name, length) == 0) {
        at = skip_space(at + length);
        return *at == '(' ? at + 1 : NULL;
    }
    if (at[length] != '(')
        return NULL;
    at += length + 1; /* NAMED(name)( */
    length = strcspn(at, ")");
    if (at[length] != ')' || at[length + 1] != '(' || strncmp(at, name, length) != 0 ||
        name[length] != '_')
        return NULL;
    return at + length + 2;
}

/* Adds one to those that were found, if it differs. False: it cannot be read, or is too many. */
static bool add_signature(const hop__program_source *source, const char *inside,
                          hop__signature signatures[HOP__SIGNATURES], size_t *found) {
    hop__signature next;
    if (!read_parameters(source, inside, &next))
        return false;
    for (size_t i = 0; i < *found; i++)
        if (next.count == signatures[i].count &&
            memcmp(next.takes, signatures[i].takes, sizeof next.takes) == 0)
            return true;
    if (*found == HOP__SIGNATURES)
        return false;
    signatures[(*found)++] = next;
    return true;
}

size_t hop__signatures_read(const hop__program_source *source, const char *name,
                            hop__signature signatures[HOP__SIGNATURES]) {
    size_t found = 0;
    for (size_t i = 0; i < source->count; i++) {
        const char *text = source->sources[i]->text, *end = text + strlen(text);
        for (const char *at = text; (at = find_word(at, end, "void", 4)) != NULL; at += 4) {
            const char *inside = parameters_of(at + 4, name);
            if (inside != NULL && !add_signature(source, inside, signatures, &found))
                return 0;
        }
    }
    return found;
}

/* Several, where the text leaves it open or the driver cannot tell a buffer from 8 bytes. */
static void say(unsigned takes, char text[24]) {
    if (takes == HOP__TAKES_BUFFER)
        snprintf(text, 24, "a buffer");
    else if (takes == (HOP__TAKES_4 | HOP__TAKES_8))
        snprintf(text, 24, "4 or 8 bytes");
    else
        snprintf(text, 24, "%u bytes", takes & ~(unsigned)HOP__TAKES_BUFFER);
}

bool hop__signature_fits(const hop__signature *signature, const hop__argument *arguments,
                         size_t count, char text[128]) {
    if (count != signature->count) {
        snprintf(text, 128, "has %zu parameters, not %zu", signature->count, count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const hop__argument *given = &arguments[i];
        uint8_t is = given->buffer != NULL ? HOP__TAKES_BUFFER : (uint8_t)given->size;
        if ((signature->takes[i] & is) != 0)
            continue;
        char wanted[24], got[24];
        say(signature->takes[i], wanted);
        say(is, got);
        snprintf(text, 128, "has a parameter %zu of %s, not %s", i, wanted, got);
        return false;
    }
    return true;
}
