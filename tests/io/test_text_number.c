/* SPDX-License-Identifier: Apache-2.0
 * Numbers against strtoull and strtod: millions of random ones of every shape, and the borders. */
#include "io/text/text_number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>

#include "graph/graph_testing.h"

/* Text followed by newlines, as readers have it. */
static const char *padded(const char *text) {
    static char buffer[2048];
    memset(buffer, '\n', sizeof buffer);
    memcpy(buffer, text, strlen(text));
    return buffer;
}

static void check_u64(const char *text) {
    uint64_t value = 0;
    const char *at = padded(text), *end = hop__take_u64(at, &value);
    errno = 0;
    char *stop;
    unsigned long long expected = strtoull(text, &stop, 10);
    if (errno == ERANGE) {
        assert_null(end);
        return;
    }
    assert_non_null(end);
    assert_int_equal(end - at, stop - text);
    assert_true(value == expected);
}

static void test_integers(void **state) {
    (void)state;
    static const char *const borders[] = {"0",
                                          "9",
                                          "99999999",
                                          "100000000",
                                          "4294967295",
                                          "9999999999999999",
                                          "10000000000000000",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "99999999999999999999",
                                          "00000000000000000000000000000000000001",
                                          "123456789012345678901234567890",
                                          "1:",
                                          "12/",
                                          "7\xff",
                                          "12345678\x80"};
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
        check_u64(borders[i]);
    for (uint64_t i = 0; i < 200000; i++) {
        char text[64];
        uint64_t bits = hop__random_at(1, 0, i);
        snprintf(text, sizeof text, "%llu", (unsigned long long)(bits >> bits % 64));
        check_u64(text);
    }
    uint64_t value;
    assert_null(hop__take_u64(padded("x"), &value));
    assert_null(hop__take_u64(padded("-1"), &value));
    assert_null(hop__take_u64(padded(""), &value));
    assert_null(hop__take_u64(padded("/5"), &value));
    assert_null(hop__take_u64(padded(":5"), &value));
}

static hop__reals *make_reals(void) {
    hop__reals *reals = malloc(sizeof(hop__reals));
    assert_true(hop__reals_init(reals));
    return reals;
}

/* The short cut takes the whole number with the same value, or nothing. */
static bool check_decimal(const char *text) {
    double real = 0, expected = strtod(text, NULL);
    const char *at = padded(text), *end = hop__take_decimal(at, &real);
    if (end != NULL && (end != at + strlen(text) || memcmp(&real, &expected, sizeof real) != 0))
        fail_msg("%s: %a, expected %a", text, real, expected);
    return end != NULL;
}

static void check_real(const hop__reals *reals, const char *text) {
    hop__number number;
    check_decimal(text);
    const char *at = padded(text), *end = hop__take_number(reals, at, at + strlen(text), &number);
    double expected = strtod(text, NULL);
    if (end != at + strlen(text))
        fail_msg("%s: not taken whole", text);
    if (isinf(expected)) {
        assert_int_equal(number.kind, HOP__NUMBER_OVERFLOW);
        return;
    }
    if (memcmp(&expected, &number.real, sizeof expected) != 0)
        fail_msg("%s: %a, expected %a", text, number.real, expected);
}

static void test_random_reals(void **state) {
    (void)state;
    hop__reals *reals = make_reals();
    for (uint64_t i = 0; i < 600000; i++) {
        char text[128];
        uint64_t bits = hop__random_at(2, 0, i), more = hop__random_at(2, 1, i);
        double value;
        switch (i % 6) {
        case 0: /* any double */
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value))
                continue;
            snprintf(text, sizeof text, "%.17g", value);
            break;
        case 1: /* between 0 and 1 */
            snprintf(text, sizeof text, "%.17g", hop__random_unit(bits));
            break;
        case 2: /* any number of digits and any exponent near the table's */
            snprintf(text, sizeof text, "%llu.%03ue%d", (unsigned long long)(bits >> more % 64),
                     (unsigned)(more % 1000), (int)(more >> 32) % 70);
            break;
        case 3: /* half way between two doubles, times a power of ten */
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)((bits >> 11) * 2 + 1),
                     (int)(more % 12) - 4);
            break;
        case 4: /* like prices */
            snprintf(text, sizeof text, "-%.3f",
                     (double)(bits >> 20) / (double)(1 + more % 100000));
            break;
        default: /* more digits than 64 bits hold */
            snprintf(text, sizeof text, "%llu.%llu%llu", (unsigned long long)(bits % 1000),
                     (unsigned long long)more, (unsigned long long)bits);
            break;
        }
        check_real(reals, text);
    }
    hop__reals_clear(reals);
    free(reals);
}

static void test_border_reals(void **state) {
    (void)state;
    static const char *const texts[] = {"0.0",
                                        "-0.0",
                                        "1.",
                                        ".5",
                                        "5e0",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993.0",
                                        "9007199254740992.5",
                                        "1e-22",
                                        "1e-23",
                                        "8.5e-45",
                                        "1e64",
                                        "1e65",
                                        "1e-64",
                                        "1e-65",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1e-400",
                                        "2.2250738585072011e-308",
                                        "0.1e1",
                                        "1E+5",
                                        "123456789012345678901234567890.5",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "0e99999999999999999999",
                                        "3.4028234663852886e38",
                                        "7.2057594037927933e16",
                                        "6929495644600919.5",
                                        "3.2378839133029012895883524125015321748630994e-319"};
    hop__reals *reals = make_reals();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_real(reals, texts[i]);
    hop__reals_clear(reals);
    free(reals);
}

static void test_decimals(void **state) {
    (void)state;
    assert_true(check_decimal("0.25979408428704909"));
    assert_true(check_decimal("-1234567.123456789012"));
    assert_true(check_decimal("0.0"));
    assert_true(check_decimal("9.5"));
    assert_true(check_decimal("1."));
    assert_false(check_decimal("1"));
    assert_false(check_decimal("1.5e3"));
    assert_false(check_decimal("12345678.5"));
    assert_false(check_decimal("0.1234567890123456789"));
    assert_false(check_decimal("99.999999999999999999"));
    assert_false(check_decimal(".5"));
    assert_false(check_decimal("inf"));
    assert_false(check_decimal("x.5"));
}

/* A number of LIMBS words, the lowest first: 5^64 has 149 bits, 2^383 / 5^64 keeps 234 of them. */
enum { LIMBS = 6 };

typedef struct large {
    uint64_t limb[LIMBS];
} large;

static void times_five(large *number) {
    hop__wide carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (hop__wide)number->limb[i] * 5;
        number->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void divide_by_five(large *number) {
    hop__wide rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 64 | number->limb[i];
        number->limb[i] = (uint64_t)(rest / 5);
        rest %= 5;
    }
}

/* The leading 128 bits, shifted so that the first is set. */
static hop__wide leading_bits(const large *number) {
    int top = LIMBS - 1;
    while (top > 0 && number->limb[top] == 0)
        top--;
    uint64_t next = top >= 1 ? number->limb[top - 1] : 0,
             last = top >= 2 ? number->limb[top - 2] : 0;
    int shift = __builtin_clzll(number->limb[top]);
    hop__wide bits = (hop__wide)number->limb[top] << 64 | next;
    return shift == 0 ? bits : bits << shift | last >> (64 - shift);
}

static hop__wide power_at(int q) {
    const hop__power *power = &hop__powers_of_five[HOP__POWER_RANGE + q];
    return (hop__wide)power->high << 64 | power->low;
}

/* Upwards by multiplying, downwards by dividing a power of two: both are exact. */
static void test_powers(void **state) {
    (void)state;
    large up = {{1}}, down = {{0}};
    down.limb[LIMBS - 1] = UINT64_C(1) << 63;
    assert_true(power_at(0) == (hop__wide)1 << 127);
    for (int q = 1; q <= HOP__POWER_RANGE; q++) {
        times_five(&up);
        divide_by_five(&down);
        assert_true(power_at(q) == leading_bits(&up));
        assert_true(power_at(-q) == leading_bits(&down) + 1); /* rounded up: it is never exact */
    }
}

static void expect_kind(const hop__reals *reals, const char *text, hop__number_kind kind,
                        ptrdiff_t length) {
    hop__number number;
    const char *at = padded(text), *end = hop__take_number(reals, at, at + strlen(text), &number);
    assert_int_equal(number.kind, kind);
    if (kind == HOP__NUMBER_BAD)
        assert_null(end);
    else
        assert_int_equal(end - at, length);
}

static void test_kinds(void **state) {
    (void)state;
    hop__reals *reals = make_reals();
    expect_kind(reals, "9223372036854775807", HOP__NUMBER_INTEGER, 19);
    expect_kind(reals, "-9223372036854775808", HOP__NUMBER_INTEGER, 20);
    expect_kind(reals, "9223372036854775808", HOP__NUMBER_LARGE, 19);
    expect_kind(reals, "-9223372036854775809", HOP__NUMBER_LARGE, 20);
    expect_kind(reals, "99999999999999999999999", HOP__NUMBER_LARGE, 23);
    expect_kind(reals, "+5", HOP__NUMBER_INTEGER, 2);
    expect_kind(reals, "5.", HOP__NUMBER_REAL, 2);
    expect_kind(reals, "inf", HOP__NUMBER_REAL, 3);
    expect_kind(reals, "-Infinity", HOP__NUMBER_REAL, 9);
    expect_kind(reals, "infinit", HOP__NUMBER_REAL, 3);
    expect_kind(reals, "NaN", HOP__NUMBER_NAN, 3);
    expect_kind(reals, "", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "-", HOP__NUMBER_BAD, 0);
    expect_kind(reals, ".", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "--1", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "1e", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "1e+", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "x", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "in", HOP__NUMBER_BAD, 0);
    expect_kind(reals, "0x10", HOP__NUMBER_INTEGER, 1);
    char longest[HOP__NUMBER_MAX + 2];
    memset(longest, '7', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_kind(reals, longest, HOP__NUMBER_BAD, 0);
    longest[400] = '\0';
    expect_kind(reals, longest, HOP__NUMBER_OVERFLOW, 400);
    hop__reals_clear(reals);
    free(reals);
}

/* A locale with a decimal comma changes nothing. */
static void test_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
    const char *found = NULL;
    for (size_t i = 0; i < 3 && found == NULL; i++)
        found = setlocale(LC_ALL, names[i]);
    hop__reals *reals = make_reals();
    hop__number number;
    const char *at = padded("1.2345678901234567890123");
    assert_non_null(hop__take_number(reals, at, at + 24, &number));
    assert_true(number.real == 1.2345678901234567890123);
    hop__reals_clear(reals);
    free(reals);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),     cmocka_unit_test(test_random_reals),
        cmocka_unit_test(test_border_reals), cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_powers),       cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
