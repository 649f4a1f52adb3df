/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing the header of a .npy array; npy_header.h has the layout.
 *
 * The parser is a cursor over the text that never passes its end. Everything unexpected is an
 * error: a header that NumPy would not have written is more likely damaged than clever. */
#include "io/numpy/npy_header.h"

#include <stdio.h>

#include "core/checked.h"
#include "io/bytes/little_endian.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n'))
        text->at++;
}

/* Takes `character` if it comes next, after spaces. */
static bool take(cursor *text, char character) {
    skip_space(text);
    if (text->at == text->end || *text->at != character)
        return false;
    text->at++;
    return true;
}

static bool take_word(cursor *text, const char *word) {
    size_t length = strlen(word);
    skip_space(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(cursor *text, const char **string, size_t *length) {
    skip_space(text);
    if (text->at == text->end || (*text->at != '\'' && *text->at != '"'))
        return false;
    char quote = *text->at++;
    *string = text->at;
    while (text->at < text->end && *text->at != quote) {
        if (*text->at == '\\' || *text->at == '\n')
            return false;
        text->at++;
    }
    if (text->at == text->end)
        return false;
    *length = (size_t)(text->at++ - *string);
    return true;
}

static bool take_number(cursor *text, uint64_t *number) {
    skip_space(text);
    const char *begin = text->at;
    *number = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
        if (!hop__mul_add_u64(*number, 10, (uint64_t)(*text->at - '0'), number))
            return false;
        text->at++;
    }
    if (text->at == begin)
        return false;
    if (text->at < text->end && *text->at == 'L') /* long integers of Python 2 */
        text->at++;
    return true;
}

/* A simple type such as <i4, |b1, >f8, |S3: order, kind, size. */
static bool parse_type(const char *string, size_t length, char *kind, bool *big, uint64_t *bytes) {
    if (length < 3 || length > 12 || string[2] < '0' || string[2] > '9')
        return false;
    cursor digits = {string + 2, string + length};
    char order = string[0];
    *kind = string[1];
    if ((order != '<' && order != '>' && order != '|') || memchr("biufcSUV", *kind, 8) == NULL)
        return false;
    if (!take_number(&digits, bytes) || digits.at != digits.end || digits.end[-1] == 'L')
        return false;
    if (*kind == 'U')
        *bytes *= 4;
    bool bare = *kind == 'S' || *kind == 'V' || *bytes == 1;
    if (order == '|' && !bare)
        return false;
    *big = order == '>' && !bare;
    return true;
}

/* A record: [('name', '<u4'), ('other', '|S8'), ...]. */
static bool take_record(cursor *text, hop__npy *npy) {
    if (!take(text, '['))
        return false;
    npy->kind = 'R';
    npy->item_bytes = 0;
    npy->big_endian = false;
    npy->type = text->at;
    while (!take(text, ']')) {
        const char *name, *type;
        size_t name_length, type_length;
        char kind;
        bool big;
        uint64_t bytes;
        if (!take(text, '(') || !take_string(text, &name, &name_length) || !take(text, ',') ||
            !take_string(text, &type, &type_length) || !take(text, ')') ||
            !parse_type(type, type_length, &kind, &big, &bytes) ||
            !hop__add_u64(npy->item_bytes, bytes, &npy->item_bytes))
            return false;
        npy->big_endian |= big;
        if (!take(text, ',')) {
            if (!take(text, ']'))
                return false;
            break;
        }
    }
    npy->type_length = (size_t)(text->at - 1 - npy->type);
    return true;
}

static bool take_type(cursor *text, hop__npy *npy) {
    skip_space(text);
    if (text->at < text->end && *text->at == '[')
        return take_record(text, npy);
    return take_string(text, &npy->type, &npy->type_length) &&
           parse_type(npy->type, npy->type_length, &npy->kind, &npy->big_endian, &npy->item_bytes);
}

static bool take_shape(cursor *text, hop__npy *npy) {
    npy->dimensions = 0;
    npy->shape[0] = npy->shape[1] = 1;
    if (!take(text, '('))
        return false;
    while (!take(text, ')')) {
        if (npy->dimensions == 2 || !take_number(text, &npy->shape[npy->dimensions]))
            return false;
        npy->dimensions++;
        if (!take(text, ',')) {
            /* (5) is a number, not a tuple. */
            if (npy->dimensions == 1 || !take(text, ')'))
                return false;
            break;
        }
    }
    return true;
}

static const char *parse_dict(cursor *text, hop__npy *npy) {
    enum { TYPE = 1, ORDER = 2, SHAPE = 4 };
    unsigned seen = 0;
    if (!take(text, '{'))
        return "the array header does not begin with {";
    while (!take(text, '}')) {
        const char *key;
        size_t length;
        if (!take_string(text, &key, &length) || !take(text, ':'))
            return "the array header is not a dict of names and values";
        unsigned which = length == 5 && memcmp(key, "descr", 5) == 0             ? TYPE
                         : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? ORDER
                         : length == 5 && memcmp(key, "shape", 5) == 0           ? SHAPE
                                                                                 : 0;
        if (which == 0 || seen & which)
            return "the array header has a key that is unknown or comes twice";
        seen |= which;
        if (which == TYPE && !take_type(text, npy))
            return "the array header's descr is not a type that is known here";
        if (which == SHAPE && !take_shape(text, npy))
            return "the array header's shape is not a tuple of at most two sizes";
        if (which == ORDER) {
            npy->fortran = take_word(text, "True");
            if (!npy->fortran && !take_word(text, "False"))
                return "the array header's fortran_order is neither True nor False";
        }
        if (!take(text, ',')) {
            if (!take(text, '}'))
                return "the array header is not closed by }";
            break;
        }
    }
    skip_space(text);
    if (text->at != text->end)
        return "the array header has text after its }";
    return seen == (TYPE | ORDER | SHAPE) ? NULL : "the array header lacks one of its three keys";
}

size_t hop__npy_header_bytes(const unsigned char bytes[12]) {
    if (memcmp(bytes, MAGIC, sizeof MAGIC) != 0 || bytes[7] != 0)
        return 0;
    if (bytes[6] == 1)
        return (size_t)10 + hop__le16_load(bytes + 8);
    if (bytes[6] != 2 && bytes[6] != 3)
        return 0;
    return (size_t)12 + hop__le32_load(bytes + 8);
}

const char *hop__npy_parse(const unsigned char *bytes, size_t count, uint64_t size, hop__npy *npy) {
    if (count < 12 || count > size)
        return "shorter than the header of an array";
    npy->header_bytes = hop__npy_header_bytes(bytes);
    if (npy->header_bytes == 0)
        return "not an array of .npy version 1.0, 2.0 or 3.0";
    if (npy->header_bytes > HOP__NPY_LONGEST_HEADER)
        return "the array header is longer than 65536 bytes";
    if (npy->header_bytes > count)
        return "the array header is longer than what holds it";
    size_t begin = bytes[6] == 1 ? 10 : 12;
    cursor text = {(const char *)bytes + begin, (const char *)bytes + npy->header_bytes};
    const char *wrong = parse_dict(&text, npy);
    if (wrong != NULL)
        return wrong;
    uint64_t data;
    if (!hop__mul_u64(npy->shape[0], npy->shape[1], &npy->items) ||
        !hop__mul_u64(npy->items, npy->item_bytes, &data) || data != size - npy->header_bytes)
        return "the shape in the array header does not match the bytes that follow it";
    return NULL;
}

size_t hop__npy_format(unsigned char header[HOP__NPY_OUR_HEADER], const char *type,
                       unsigned dimensions, const uint64_t shape[2]) {
    char sizes[64] = "()";
    if (dimensions == 1)
        snprintf(sizes, sizeof sizes, "(%llu,)", (unsigned long long)shape[0]);
    if (dimensions == 2)
        snprintf(sizes, sizeof sizes, "(%llu, %llu)", (unsigned long long)shape[0],
                 (unsigned long long)shape[1]);
    int written = snprintf((char *)header + 10, HOP__NPY_OUR_HEADER - 10,
                           "{'descr': %s, 'fortran_order': False, 'shape': %s, }", type, sizes);
    size_t used = (size_t)10 + (size_t)written;
    size_t total = (used + 1 + 63) / 64 * 64;
    memset(header + used, ' ', total - used);
    header[total - 1] = '\n';
    memcpy(header, MAGIC, sizeof MAGIC);
    header[6] = 1;
    header[7] = 0;
    hop__le16_store(header + 8, (uint16_t)(total - 10));
    return total;
}
