/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from text, eight digits at a time.
 *
 * A word of eight bytes is loaded; one addition finds how many of them are digits, three
 * multiplications make their value. Callers guarantee that at least 32 bytes after the start of a
 * number may be read (HOP__INPUT_SLACK), and that something that is no digit ends the number. */
#ifndef HOPLITE_IO_TEXT_NUMBER_H
#define HOPLITE_IO_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Eight bytes, the first one lowest. */
static inline uint64_t hop__load_word(const char *text) {
    uint64_t word;
    memcpy(&word, text, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* How many bytes of the word, from the first on, are digits: 0 to 8. `digits` is the word with
 * '0' taken from each byte: a digit is then below 10, and stays below 16 when 6 is added. Carries
 * only disturb bytes after the first that is no digit. */
static inline unsigned hop__digit_run(uint64_t digits) {
    uint64_t other = (digits | (digits + UINT64_C(0x0606060606060606))) & 0xf0f0f0f0f0f0f0f0u;
    return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) / 8;
}

/* The value of the first `run` (1 to 8) digits: moved to the end, so that zeros stand before
 * them, then pairs, fours and eights are put together. */
static inline uint32_t hop__digit_value(uint64_t digits, unsigned run) {
    digits <<= 64 - 8 * run;
    digits = digits * 10 + (digits >> 8); /* pairs in the even bytes */
    uint64_t low = (digits & 0x000000ff000000ffu) * (100 + (UINT64_C(1000000) << 32));
    uint64_t high = (digits >> 16 & 0x000000ff000000ffu) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((low + high) >> 32);
}

static inline uint64_t hop__digits_at(const char *text) {
    return hop__load_word(text) ^ 0x3030303030303030u;
}

static const uint32_t hop__power_of_ten[9] = {1,      10,      100,      1000,     10000,
                                              100000, 1000000, 10000000, 100000000};

/* The digits at `text` as a number of up to 64 bits. Returns the end of the digits, or NULL when
 * there is none or the number is too large. Out of line: more than 16 digits are rare. */
const char *hop__take_long(const char *text, uint64_t *value);

static inline const char *hop__take_u64(const char *text, uint64_t *value) {
    uint64_t digits = hop__digits_at(text);
    unsigned run = hop__digit_run(digits);
    if (run == 0)
        return NULL;
    *value = hop__digit_value(digits, run);
    if (run < 8)
        return text + run;
    digits = hop__digits_at(text + 8);
    run = hop__digit_run(digits);
    if (run == 8)
        return hop__take_long(text, value);
    if (run > 0)
        *value = *value * hop__power_of_ten[run] + hop__digit_value(digits, run);
    return text + 8 + run;
}

/* What a number looked like. */
typedef enum hop__number_kind {
    HOP__NUMBER_BAD = 0,     /* not a number, or longer than HOP__NUMBER_MAX characters */
    HOP__NUMBER_INTEGER = 1, /* an integer that fits in int64: `integer`, and `real` rounded */
    HOP__NUMBER_LARGE = 2,   /* an integer that does not fit: `real` rounded */
    HOP__NUMBER_REAL = 3,    /* with a point, an exponent, or inf: `real` */
    HOP__NUMBER_NAN = 4,
    HOP__NUMBER_OVERFLOW = 5 /* finite, but larger than the largest double */
} hop__number_kind;

enum { HOP__NUMBER_MAX = 1023 };

typedef struct hop__number {
    hop__number_kind kind;
    int64_t integer;
    double real;
} hop__number;

/* What parsing reals needs: powers of five, and the C locale for the rare ones. */
typedef struct hop__reals hop__reals;

size_t hop__reals_bytes(void);
/* Prepares reals in the caller's memory of hop__reals_bytes(); false when there is no memory for
 * the locale. */
bool hop__reals_init(hop__reals *reals);
void hop__reals_clear(hop__reals *reals);

/* A number with an optional sign: an integer, a decimal with or without exponent, "inf",
 * "infinity" or "nan" in any case. Correctly rounded. Returns its end, or NULL with kind BAD. What
 * follows the number is the caller's to judge. `end` is the end of the line. */
const char *hop__take_number(const hop__reals *reals, const char *text, const char *end,
                             hop__number *number);

#endif
