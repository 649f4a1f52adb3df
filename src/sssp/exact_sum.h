/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact sums of a graph's weights.
 *
 * A finite floating-point number is an integer times a power of two. All weights of a graph, and
 * all sums of at most n of them, are integers times 2^lowest, where `lowest` belongs to the least
 * bit that is set in any of them. Such a number is kept as that integer: `words` words of 64 bits,
 * least significant first, two's complement. Two words (128 bits) do for nearly all data: 53 bits
 * of mantissa, some 30 for the spread of the weights and log2 n for adding them up. The widest
 * that float64 can ask for is 34. Integer weights are taken as they are, with lowest = 0.
 *
 * The largest number of the words is no sum: it stands for "not reached". */
#ifndef HOPLITE_SSSP_EXACT_SUM_H
#define HOPLITE_SSSP_EXACT_SUM_H

#include <string.h>

#include "core/rng.h"
#include "graph/graph_internal.h"

__extension__ typedef __int128 hop__i128;

enum { HOP__EXACT_WORDS = 34 };

typedef struct hop__exact {
    int lowest;
    unsigned words; /* 2 .. HOP__EXACT_WORDS */
} hop__exact;

/* The scale for sums of at most `addends` weights of a graph; infinities are left out. One
 * parallel pass over floating-point weights. */
hop__exact hop__exact_measure(hop_context *context, const hop_graph *graph, uint64_t addends);

/* A weight in the scale: mantissa * 2^shift. */
typedef struct hop__exact_term {
    int64_t mantissa;
    unsigned shift;
} hop__exact_term;

/* mantissa * 2^exponent = value, which is finite. */
static inline int64_t hop__exact_split(double value, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t fraction = (int64_t)(bits & ((UINT64_C(1) << 52) - 1));
    int field = (int)(bits >> 52 & 0x7ff);
    if (field > 0)
        fraction |= INT64_C(1) << 52;
    *exponent = (field > 0 ? field : 1) - 1075;
    return bits >> 63 ? -fraction : fraction;
}

static inline hop__exact_term hop__exact_real(const hop__exact *scale, double weight) {
    int exponent;
    hop__exact_term term = {hop__exact_split(weight, &exponent), 0};
    exponent -= scale->lowest;
    if (exponent >= 0)
        term.shift = (unsigned)exponent;
    else if (exponent > -64) /* the bits below the scale are 0 */
        term.mantissa /= INT64_C(1) << -exponent;
    else
        term.mantissa = 0; /* it is 0: all 53 bits are below the scale */
    return term;
}

static inline hop__exact_term hop__exact_integer(int64_t weight) {
    return (hop__exact_term){weight, 0};
}

/* The term of an arc, by domain (graph/numbers.h). */
static inline hop__exact_term hop__int64_term(const hop__exact *scale, const int64_t *weights,
                                              uint64_t arc) {
    (void)scale;
    return hop__exact_integer(weights[arc]);
}

static inline hop__exact_term hop__float32_term(const hop__exact *scale, const float *weights,
                                                uint64_t arc) {
    return hop__exact_real(scale, (double)weights[arc]);
}

static inline hop__exact_term hop__float64_term(const hop__exact *scale, const double *weights,
                                                uint64_t arc) {
    return hop__exact_real(scale, weights[arc]);
}

/* That of vertex v in an array of them. */
static inline uint64_t *hop__exact_at(const hop__exact *scale, uint64_t *sums, uint64_t v) {
    return sums + v * scale->words;
}

static inline hop__i128 hop__exact_load(const uint64_t *number) {
    return (hop__i128)((hop__u128)number[1] << 64 | number[0]);
}

/* result = number + term; they may be the same. */
void hop__exact_add_long(unsigned words, const uint64_t *number, hop__exact_term term,
                         uint64_t *result);
static inline void hop__exact_add(const hop__exact *scale, const uint64_t *number,
                                  hop__exact_term term, uint64_t *result) {
    if (scale->words > 2) {
        hop__exact_add_long(scale->words, number, term, result);
        return;
    }
    hop__u128 sum = (hop__u128)hop__exact_load(number) + ((hop__u128)term.mantissa << term.shift);
    result[0] = (uint64_t)sum;
    result[1] = (uint64_t)(sum >> 64);
}

/* Negative, 0 or positive, as a is less than, equal to or greater than b. */
int hop__exact_compare_long(unsigned words, const uint64_t *a, const uint64_t *b);
static inline int hop__exact_compare(const hop__exact *scale, const uint64_t *a,
                                     const uint64_t *b) {
    if (scale->words > 2)
        return hop__exact_compare_long(scale->words, a, b);
    hop__i128 x = hop__exact_load(a), y = hop__exact_load(b);
    return (x > y) - (x < y);
}

static inline void hop__exact_clear(const hop__exact *scale, uint64_t *number) {
    memset(number, 0, scale->words * sizeof *number);
}

static inline void hop__exact_copy(const hop__exact *scale, const uint64_t *number,
                                   uint64_t *result) {
    memcpy(result, number, scale->words * sizeof *number);
}

/* The number that stands for "not reached". */
static inline void hop__exact_set_none(const hop__exact *scale, uint64_t *number) {
    memset(number, 0xff, scale->words * sizeof *number);
    number[scale->words - 1] = INT64_MAX;
}

static inline bool hop__exact_is_none(const hop__exact *scale, const uint64_t *number) {
    return number[scale->words - 1] == INT64_MAX; /* sums leave the bit below the sign free */
}

/* The nearest number of float32 or float64 (ties to even), or an infinity. */
double hop__exact_round(const hop__exact *scale, const uint64_t *number, hop_weight_type type);

/* As an integer, if it is one that fits and is not HOP_NO_DISTANCE; scale->lowest must be 0. */
bool hop__exact_to_integer(const hop__exact *scale, const uint64_t *number, int64_t *integer);

#endif
