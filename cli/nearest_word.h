/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": the candidate that needs the fewest changes. */
#ifndef HOPLITE_CLI_NEAREST_WORD_H
#define HOPLITE_CLI_NEAREST_WORD_H

#include <stddef.h>

typedef struct nearest {
    const char *word;
    const char *best;
    size_t distance;
} nearest;

/* Words one by one; NULL after the last. Tables of names are given in this form everywhere. */
typedef const char *(*word_at)(size_t index);

void nearest_begin(nearest *search, const char *word);
void nearest_offer(nearest *search, const char *candidate);
/* The best candidate, or NULL when none is near enough to be what was meant. */
const char *nearest_best(const nearest *search);

#endif
