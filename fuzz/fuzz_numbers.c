/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from text, against the C library: whatever our parsers take, strtoull and strtod take as
 * the same characters and the same value, bit for bit; what ours refuse, theirs refuse too (or it
 * is something that no graph file has: hexadecimal, nan with a payload). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/text_number.h"

enum { MAX_TEXT = 2048, SLACK = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(bool truth, const char *what, const char *text) {
    if (truth)
        return;
    fprintf(stderr, "fuzz_numbers: not true: %s; text: \"%s\"\n", what, text);
    abort();
}

static void check_unsigned(const char *text) {
    uint64_t value = 0;
    const char *end = hop__take_u64(text, &value);
    if (!isdigit((unsigned char)text[0])) {
        require(end == NULL, "what does not begin with a digit is refused", text);
        return;
    }
    char *expected_end;
    errno = 0;
    const uint64_t expected = strtoull(text, &expected_end, 10);
    if (errno == ERANGE) {
        require(end == NULL, "what is too large is refused", text);
        return;
    }
    require(end == expected_end, "the digits end where strtoull ends", text);
    require(value == expected, "the value is that of strtoull", text);
}

static bool only_theirs(const char *text) {
    const char *start = text + (text[0] == '+' || text[0] == '-');
    return isspace((unsigned char)text[0]) || (start[0] == '0' && (start[1] | 32) == 'x');
}

/* The first `length` characters make a number of this kind; looks them up again with strtod. */
static void check_taken(const char *text, size_t length, const hop__number *number) {
    char copy[MAX_TEXT];
    char *end;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    const double expected = strtod(copy, &end);
    const bool too_large = errno == ERANGE && isinf(expected);
    require(end == copy + length, "strtod takes the same characters", copy);
    require((number->kind == HOP__NUMBER_NAN) == (isnan(expected) != 0), "nan is nan", copy);
    if (number->kind == HOP__NUMBER_NAN)
        return;
    require((number->kind == HOP__NUMBER_OVERFLOW) == too_large, "overflow is overflow", copy);
    if (too_large)
        return;
    /* An integer zero has no sign. */
    const bool zero = number->kind == HOP__NUMBER_INTEGER && number->integer == 0;
    require(memcmp(&number->real, &expected, sizeof expected) == 0 || (zero && expected == 0),
            "the value is strtod's", copy);
    if (number->kind == HOP__NUMBER_INTEGER || number->kind == HOP__NUMBER_LARGE) {
        errno = 0;
        const long long whole = strtoll(copy, &end, 10);
        require((errno == ERANGE) == (number->kind == HOP__NUMBER_LARGE), "large is large", copy);
        require(errno == ERANGE || (*end == '\0' && whole == number->integer),
                "the value is strtoll's", copy);
    }
}

static void check_number(const hop__reals *reals, const char *text, size_t count) {
    hop__number number = {HOP__NUMBER_BAD, 0, 0};
    const char *end = hop__take_number(reals, text, text + count, &number);
    if (end != NULL) {
        require(number.kind != HOP__NUMBER_BAD, "what is taken has a kind", text);
        require(end > text && end <= text + count, "the end is within the line", text);
        check_taken(text, (size_t)(end - text), &number);
        return;
    }
    require(number.kind == HOP__NUMBER_BAD, "what is refused is bad", text);
    char *expected_end;
    strtod(text, &expected_end);
    /* "12e" is refused here, and 12 followed by an "e" there: a word that is no number to both. */
    const bool whole_word = isspace((unsigned char)*expected_end);
    require(expected_end == text || !whole_word || only_theirs(text) ||
                expected_end - text > HOP__NUMBER_MAX,
            "strtod refuses it too", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static hop__reals *reals = NULL;
    static char text[MAX_TEXT + SLACK];
    if (reals == NULL) {
        reals = malloc(sizeof(hop__reals));
        if (reals == NULL || !hop__reals_init(reals))
            abort();
    }
    if (count >= MAX_TEXT)
        count = MAX_TEXT - 1;
    /* The line ends with a newline, as in a file, and for strtod's sake with a zero. */
    memset(text, 0, sizeof text);
    if (count > 0)
        memcpy(text, bytes, count);
    const char *newline = memchr(text, '\n', count);
    const size_t length = newline != NULL ? (size_t)(newline - text) : count;
    text[length] = '\n';
    text[length + 1] = '\0';
    check_unsigned(text);
    check_number(reals, text, length);
    return 0;
}
