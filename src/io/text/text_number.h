/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from text, eight digits at a time.
 *
 * A word of eight bytes is loaded; one addition finds how many of them are digits, three
 * multiplications make their value. Callers guarantee that at least 32 bytes after the start of a
 * number may be read (HOP__INPUT_SLACK), and that something that is no digit ends the number. */
#ifndef HOPLITE_IO_TEXT_TEXT_NUMBER_H
#define HOPLITE_IO_TEXT_TEXT_NUMBER_H

#include <locale.h>
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
    if (run == 8) {
        uint64_t large; /* so that *value itself has no address and stays in a register */
        text = hop__take_long(text, &large);
        *value = large;
        return text;
    }
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

__extension__ typedef unsigned __int128 hop__wide;

enum { HOP__POWER_RANGE = 64 };

/* The leading 128 bits of 5^q, the first bit set: truncated for q >= 0, rounded up for q < 0. */
typedef struct hop__power {
    uint64_t high, low;
} hop__power;

/* That of 5^q is at HOP__POWER_RANGE + q. */
extern const hop__power hop__powers_of_five[2 * HOP__POWER_RANGE + 1];

/* What parsing reals needs: the C locale for the rare ones. */
typedef struct hop__reals {
    locale_t locale;
} hop__reals;

/* False when there is no memory for the locale. */
bool hop__reals_init(hop__reals *reals);
void hop__reals_clear(hop__reals *reals);

/* w * 10^q by the powers of five; w > 0, |q| <= HOP__POWER_RANGE. False when the product does not
 * settle the rounding. text_number.c has the source. */
static inline bool hop__scale_by_powers(uint64_t w, int q, double *real) {
    const hop__power *five = &hop__powers_of_five[HOP__POWER_RANGE + q];
    int zeros = __builtin_clzll(w);
    w <<= zeros;
    hop__wide product = (hop__wide)w * five->high;
    /* 55 leading bits are needed. When those below are all ones, what the second word of the power
     * adds may carry into them. */
    if ((uint64_t)(product >> 64 & 0x1ff) == 0x1ff)
        product += (hop__wide)w * five->low >> 64;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    /* All ones even now: the part that was cut off could still carry. */
    if (low == UINT64_MAX)
        return false;
    int shift = (int)(high >> 63) + 9; /* leaves 54 bits: 53 and one to round by */
    uint64_t mantissa = high >> shift;
    /* Exactly half way between two doubles can only happen for small |q|, where 5^q is exact or
     * divides w: then round to even, which means not up when the bit above is 0. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa >> 1) + (mantissa & 1);
    /* floor(q * log2(10)) = floor(q * 217706 / 2^16) in this range: the exponent of the result. */
    int exponent = (q * 217706 >> 16) + 63 - zeros + (int)(high >> 63);
    /* Adding and not or-ing the mantissa: when rounding has made it 2^53, the carry is right. */
    uint64_t bits = ((uint64_t)(exponent + 1022) << 52) + mantissa;
    memcpy(real, &bits, sizeof bits);
    return true;
}

static const double hop__exact_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* w * 10^q, correctly rounded; false when only strtod can tell. */
static inline bool hop__scale(uint64_t w, int64_t q, double *real) {
    if (w <= UINT64_C(1) << 53 && q >= -22 && q <= 22) {
        *real = q < 0 ? (double)w / hop__exact_powers[-q] : (double)w * hop__exact_powers[q];
        return true;
    }
    if (w == 0) {
        *real = 0;
        return true;
    }
    return q >= -HOP__POWER_RANGE && q <= HOP__POWER_RANGE && hop__scale_by_powers(w, (int)q, real);
}

/* The digits behind a point, up to 24 of them, appended to *w (which then may have overflowed:
 * callers count). Eight at a time; most files have either few or all 16 or 17. */
static inline const char *hop__take_fraction(const char *at, uint64_t *w) {
    uint64_t digits = hop__digits_at(at);
    unsigned run = hop__digit_run(digits);
    for (int group = 0; run == 8 && group < 2; group++) {
        *w = *w * 100000000 + hop__digit_value(digits, 8);
        at += 8;
        digits = hop__digits_at(at);
        run = hop__digit_run(digits);
    }
    if (run > 0)
        *w = *w * hop__power_of_ten[run] + hop__digit_value(digits, run);
    return at + run;
}

/* The usual decimal, "-12.345": up to 7 digits before the point, 19 in all, no exponent. NULL when
 * it is anything else. */
static inline const char *hop__take_decimal(const char *text, double *real) {
    bool negative = *text == '-';
    const char *at = text + negative;
    unsigned whole = 1;
    uint64_t w = (unsigned char)(*at - '0');
    if (at[1] != '.' || w > 9) {
        uint64_t digits = hop__digits_at(at);
        whole = hop__digit_run(digits);
        if (whole == 0 || whole == 8 || at[whole] != '.')
            return NULL;
        w = hop__digit_value(digits, whole);
    }
    const char *fraction = at + whole + 1;
    at = hop__take_fraction(fraction, &w);
    unsigned places = (unsigned)(at - fraction);
    if (whole + places > 19 || (*at | 0x20) == 'e' || !hop__scale(w, -(int64_t)places, real))
        return NULL;
    if (negative)
        *real = -*real;
    return at;
}

/* A number with an optional sign: an integer, a decimal with or without exponent, "inf",
 * "infinity" or "nan" in any case. Correctly rounded. Returns its end, or NULL with kind BAD. What
 * follows the number is the caller's to judge. `end` is the end of the line. */
const char *hop__take_number(const hop__reals *reals, const char *text, const char *end,
                             hop__number *number);

#endif
