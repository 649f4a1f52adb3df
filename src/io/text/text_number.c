/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers and decimals from text, exact.
 *
 * A decimal is w * 10^q with w of up to 19 digits. Three ways, from fast to slow:
 *  1. w <= 2^53 and |q| <= 22: both are exact doubles, and one multiplication or division rounds
 *     correctly (Clinger 1990).
 *  2. |q| <= HOP__POWER_RANGE: w times the leading 128 bits of 5^q; unless the product is too close
 *     to a border its leading bits are those of the true value (Lemire, "Number parsing at a
 *     gigabyte per second", 2021, after Eisel).
 *  3. strtod in the C locale on a bounded copy.
 *
 * The powers of five are constants (text_powers.c). */
#include "io/text/text_number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "core/checked.h"

bool hop__reals_init(hop__reals *reals) {
    reals->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return reals->locale != (locale_t)0;
}

void hop__reals_clear(hop__reals *reals) {
    if (reals->locale != (locale_t)0)
        freelocale(reals->locale);
    reals->locale = (locale_t)0;
}

/* ---- taking text apart ----------------------------------------------------------------------- */

const char *hop__take_long(const char *text, uint64_t *value) {
    uint64_t sum = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (!hop__mul_add_u64(sum, 10, (uint64_t)(*at - '0'), &sum))
            return NULL;
    *value = sum;
    return at == text ? NULL : at;
}

/* Appends the digits at `at` to *w, 8 at a time. Stops at the end of the digits, or where *w could
 * overflow: *full is then set and the rest must be done by strtod. */
static const char *append_digits(const char *at, uint64_t *w, bool *full) {
    for (;;) {
        uint64_t digits = hop__digits_at(at);
        unsigned run = hop__digit_run(digits);
        if (run == 0)
            return at;
        uint64_t next;
        if (!hop__mul_add_u64(*w, hop__power_of_ten[run], hop__digit_value(digits, run), &next)) {
            *full = true;
            return at;
        }
        *w = next;
        at += run;
        if (run < 8)
            return at;
    }
}

static const char *skip_digits(const char *at) {
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* An exponent at `at`, if there is one: "e", a sign, digits. *exponent is capped far outside of
 * what a double can hold. NULL: an e without digits. */
static const char *take_exponent(const char *at, int64_t *exponent) {
    *exponent = 0;
    if ((*at | 0x20) != 'e')
        return at;
    at++;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (*at < '0' || *at > '9')
        return NULL;
    for (; *at >= '0' && *at <= '9'; at++)
        if (*exponent < 100000000)
            *exponent = *exponent * 10 + (*at - '0');
    if (negative)
        *exponent = -*exponent;
    return at;
}

/* inf, infinity, nan. */
static const char *take_word(const char *at, const char *end, bool negative, hop__number *number) {
    size_t left = (size_t)(end - at);
    if (left >= 3 && strncasecmp(at, "nan", 3) == 0) {
        number->kind = HOP__NUMBER_NAN;
        return at + 3;
    }
    if (left < 3 || strncasecmp(at, "inf", 3) != 0)
        return NULL;
    number->kind = HOP__NUMBER_REAL;
    number->real = negative ? -INFINITY : INFINITY;
    return at + (left >= 8 && strncasecmp(at, "infinity", 8) == 0 ? 8 : 3);
}

/* The rare ones. The text from `start` to `at` is known to be a decimal. */
static bool by_strtod(const hop__reals *reals, const char *start, const char *at,
                      hop__number *number) {
    char copy[HOP__NUMBER_MAX + 1];
    size_t length = (size_t)(at - start);
    if (length > HOP__NUMBER_MAX)
        return false;
    memcpy(copy, start, length);
    copy[length] = '\0';
    number->real = strtod_l(copy, NULL, reals->locale);
    if (isinf(number->real))
        number->kind = HOP__NUMBER_OVERFLOW;
    return true;
}

/* Digits without a point or an exponent. */
static bool finish_integer(uint64_t w, bool full, bool negative, hop__number *number) {
    uint64_t most = (uint64_t)INT64_MAX + negative;
    /* "-0" is -0.0 as a real; what it is in a column whose type is still open, hop__number_real
     * decides. */
    number->real = negative ? -(double)w : (double)w;
    if (full || w > most) {
        number->kind = HOP__NUMBER_LARGE;
        return !full;
    }
    number->kind = HOP__NUMBER_INTEGER;
    number->integer = negative ? (int64_t)(0 - w) : (int64_t)w;
    return true;
}

const char *hop__take_number(const hop__reals *reals, const char *text, const char *end,
                             hop__number *number) {
    const char *at = text;
    bool negative = *at == '-', full = false;
    number->kind = HOP__NUMBER_BAD;
    if (*at == '-' || *at == '+')
        at++;
    if ((*at < '0' || *at > '9') && *at != '.')
        return take_word(at, end, negative, number);
    uint64_t w = 0;
    const char *whole = at;
    at = skip_digits(append_digits(at, &w, &full));
    ptrdiff_t count = at - whole;
    int64_t exponent, places = 0;
    bool point = *at == '.';
    if (point) {
        const char *fraction = ++at;
        if (!full)
            at = append_digits(at, &w, &full);
        at = skip_digits(at);
        places = at - fraction;
        count += places;
    }
    if (count == 0)
        return NULL;
    const char *mark = at;
    if ((at = take_exponent(at, &exponent)) == NULL)
        return NULL;
    bool settled;
    if (!point && at == mark) {
        settled = finish_integer(w, full, negative, number);
    } else {
        number->kind = HOP__NUMBER_REAL;
        settled = !full && hop__scale(w, exponent - places, &number->real);
        if (settled && negative)
            number->real = -number->real;
    }
    if (!settled && !by_strtod(reals, text, at, number)) {
        number->kind = HOP__NUMBER_BAD;
        return NULL;
    }
    return at;
}
