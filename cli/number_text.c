/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from and for people; number_text.h says which forms. Nothing here depends on the
 * locale: the command never sets LC_NUMERIC, so that its output can be parsed everywhere. */
#include "number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Digits only; returns where they end, or NULL when there are none or they overflow. */
static const char *digits(const char *word, uint64_t *value) {
    if (*word < '0' || *word > '9')
        return NULL;
    uint64_t sum = 0;
    for (; *word >= '0' && *word <= '9'; word++) {
        unsigned digit = (unsigned)(*word - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return word;
}

bool parse_whole(const char *word, uint64_t *value) {
    uint64_t base, exponent, factor = 1;
    const char *end = digits(word, &base);
    if (end == NULL)
        return false;
    if (*end == '\0') {
        *value = base;
        return true;
    }
    bool power = *end == '^';
    if (!power && *end != 'e' && *end != 'E')
        return false;
    end = digits(end + 1, &exponent);
    if (end == NULL || *end != '\0' || exponent > 64)
        return false;
    uint64_t step = power ? base : 10;
    for (uint64_t i = 0; i < exponent; i++) {
        if (step != 0 && factor > UINT64_MAX / step)
            return false;
        factor *= step;
    }
    if (!power && base != 0 && factor > UINT64_MAX / base)
        return false;
    *value = power ? factor : base * factor;
    return true;
}

bool parse_real(const char *word, double *value) {
    char *end;
    /* strtod alone would skip blanks, and take hexadecimal digits. */
    if (*word == '\0' || strspn(word, "+-.0123456789eE") != strlen(word))
        return false;
    double number = strtod(word, &end);
    if (end == word || *end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool parse_bytes(const char *word, uint64_t *value) {
    static const char units[] = "KMGTPE";
    size_t length = strspn(word, "0123456789.");
    char *end;
    double number = strtod(word, &end);
    if (length == 0 || end != word + length)
        return false;
    if (*end != '\0' && strcmp(end, "B") != 0) {
        const char *unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
        bool decimal = strcmp(end + 1, "B") == 0;
        if (unit == NULL || (!decimal && end[1] != '\0' && strcmp(end + 1, "iB") != 0))
            return false;
        for (const char *u = units; u <= unit; u++)
            number *= decimal ? 1000 : 1024;
    }
    if (!(number >= 0) || number >= 0x1p63)
        return false;
    *value = (uint64_t)number;
    return true;
}

text count_text(uint64_t count) {
    char plain[24];
    text out;
    int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)count);
    size_t to = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out.s[to++] = ',';
        out.s[to++] = plain[i];
    }
    out.s[to] = '\0';
    return out;
}

text counted_text(uint64_t count, const char *one, const char *many) {
    text out = count_text(count);
    size_t length = strlen(out.s);
    snprintf(out.s + length, sizeof out.s - length, " %s", count == 1 ? one : many);
    return out;
}

/* Three digits that count: 1.23, 12.3, 123. */
static int places(double value) {
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

text bytes_text(uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    text out;
    if (bytes < 1024)
        return counted_text(bytes, "byte", "bytes");
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1023.5 && unit < 5; unit++)
        value /= 1024;
    snprintf(out.s, sizeof out.s, "%.*f %s", places(value), value, units[unit]);
    return out;
}

text budget_text(uint64_t bytes) {
    unsigned unit = bytes > UINT64_C(10) << 30 ? 2 : bytes > UINT64_C(10) << 20 ? 1 : 0;
    uint64_t size = UINT64_C(1024) << (10 * unit);
    text out;
    snprintf(out.s, sizeof out.s, "%llu%c",
             (unsigned long long)(bytes / size + (bytes % size != 0)), "KMG"[unit]);
    return out;
}

text seconds_text(double seconds) {
    text out;
    if (seconds < 0.9995e-3)
        snprintf(out.s, sizeof out.s, "%.3f ms", seconds * 1e3);
    else if (seconds < 0.9995)
        snprintf(out.s, sizeof out.s, "%.*f ms", places(seconds * 1e3), seconds * 1e3);
    else if (seconds < 99.95)
        snprintf(out.s, sizeof out.s, "%.*f s", places(seconds), seconds);
    else
        snprintf(out.s, sizeof out.s, "%.0f min %02.0f s", floor(seconds / 60),
                 floor(fmod(seconds, 60)));
    return out;
}

text rate_text(double per_second) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    text out;
    size_t unit = 0;
    for (; per_second >= 999.5 && unit < 4; unit++)
        per_second /= 1000;
    snprintf(out.s, sizeof out.s, "%.*f%s", unit == 0 ? 0 : places(per_second), per_second,
             units[unit]);
    return out;
}

text percent_text(double part, double whole) {
    text out;
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (part > 0 && percent < 0.05)
        snprintf(out.s, sizeof out.s, "<0.1 %%");
    else if (part < whole && percent > 99.95)
        snprintf(out.s, sizeof out.s, ">99.9 %%");
    else
        snprintf(out.s, sizeof out.s, "%.1f %%", percent);
    return out;
}

text real_text(double value) {
    text out;
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(out.s, sizeof out.s, "%.*g", precision, value);
        if (strtod(out.s, NULL) == value)
            break;
    }
    return out;
}

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
