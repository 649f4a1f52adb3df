/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": the candidate that needs the fewest changes. For the library and the command. */
#ifndef HOPLITE_CORE_NEAREST_WORD_H
#define HOPLITE_CORE_NEAREST_WORD_H

#include "hoplite/status.h"

typedef struct hop__nearest {
    const char *word;
    const char *best;
    size_t distance;
} hop__nearest;

HOP_API void hop__nearest_begin(hop__nearest *search, const char *word);
HOP_API void hop__nearest_offer(hop__nearest *search, const char *candidate);
/* The best candidate, or NULL when none is near enough to be what was meant. */
HOP_API const char *hop__nearest_best(const hop__nearest *search);

#endif
