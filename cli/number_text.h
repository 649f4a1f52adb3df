/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers from and for people. Parsers take the whole word or nothing. Texts are returned by
 * value, so that several can stand in one printf: printf("%s of %s", count_text(a).s, ...). */
#ifndef HOPLITE_CLI_NUMBER_TEXT_H
#define HOPLITE_CLI_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "1000000", "1e6" or "2^20". */
bool parse_whole(const char *word, uint64_t *value);
/* Bytes: "4G", "512M", "1.5GiB" (powers of 1024), "4GB" (of 1000), "4096". */
bool parse_bytes(const char *word, uint64_t *value);
/* A finite number. */
bool parse_real(const char *word, double *value);

typedef struct text {
    char s[40];
} text;

text count_text(uint64_t count);                                      /* "16,777,216" */
text counted_text(uint64_t count, const char *one, const char *many); /* "1 edge", "2 edges" */
text bytes_text(uint64_t bytes);                                      /* "2.00 GiB", "812 bytes" */
text budget_text(uint64_t bytes);             /* "1300M": at least that, as parse_bytes takes it */
text seconds_text(double seconds);            /* "1.24 ms", "12.3 s", "3 min 05 s" */
text rate_text(double per_second);            /* "21.8 M" */
text percent_text(double part, double whole); /* "12.5 %"; never 0 or 100 unless it is */
text real_text(double value);                 /* shortest that reads back as the same number */

/* Seconds since some fixed moment. */
double clock_seconds(void);

#endif
