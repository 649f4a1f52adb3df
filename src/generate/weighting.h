/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of generated edges: uniform in [min, max], both ends possible.
 *
 * Weight i is a function of 64 random bits. Integers: min + floor(bits * span / 2^64), exact but
 * for a bias below span / 2^64. Floats: 2^53 equal steps from min to max, computed in double,
 * clamped to the type's own numbers inside [min, max], so that rounding never leaves the range. */
#ifndef HOPLITE_GENERATE_WEIGHTING_H
#define HOPLITE_GENERATE_WEIGHTING_H

#include "core/context_internal.h"
#include "hoplite/graph.h"

typedef struct hop__weighting {
    hop_weight_type type;
    uint64_t seed;
    int64_t low;     /* integers */
    uint64_t span;   /* integers: how many values there are; a double bounds it below 2^64 */
    double min, max; /* floats: numbers of the type */
} hop__weighting;

/* Refuses bounds that are not numbers, out of order, outside the type, fractions for an integer
 * type, or without a number of the type between them. `what` begins the message. */
hop_status hop__weighting_init(hop_context *context, const char *what, hop_weight_type type,
                               double min, double max, uint64_t seed, hop__weighting *weighting);

/* Writes the weights of edges first .. first+count-1; nothing when `weights` is NULL. */
void hop__weighting_fill(const hop__weighting *weighting, uint64_t first, uint32_t count,
                         void *weights);

/* Writes weight number `index` of the array from 64 bits of the caller's. Monotonic in them. */
void hop__weighting_put(const hop__weighting *weighting, uint64_t bits, void *weights,
                        uint32_t index);

#endif
