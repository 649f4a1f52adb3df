/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts as a bar chart, as wide as the terminal allows. */
#ifndef HOPLITE_CLI_BAR_CHART_H
#define HOPLITE_CLI_BAR_CHART_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How many there are with a value from `low` to `high`. */
typedef struct chart_row {
    uint64_t low, high, count;
    char range[64]; /* in place of the two, where they are no whole numbers; empty: they are */
} chart_row;

/* "17", "16 - 31", or the text of the row. Returns its length. */
int chart_range(const chart_row *row, char *out, size_t size);

/* An empty line, a heading and one line per row; nothing when all counts are 0. `total` is what the
 * percentages are of. */
void chart_print(FILE *file, const char *what, const char *things, const chart_row *rows,
                 size_t count, uint64_t total);

#endif
