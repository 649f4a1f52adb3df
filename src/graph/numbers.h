/* SPDX-License-Identifier: Apache-2.0
 *
 * The number domains: what the weights of a graph are, and what sums and distances along its arcs
 * are then. Code that is the same for all is written once, in a header <name>_template.h, which is
 * included once for each domain that it is wanted for: with DOMAIN defined as one of
 *
 *   unit      no weights: each arc counts 1       distances are int64_t
 *   int32     int32_t weights                     distances are int64_t
 *   int64     int64_t weights                     distances are int64_t
 *   float32   float weights                       distances are float
 *   float64   double weights                      distances are double
 *
 * For all of them, or all that have weights: #define TEMPLATE, its name, and include each_domain.h
 * or each_weighted.h. A template begins with domain_begin.h, which gives it NUMBER(name) for what
 * stands below as hop__<domain>_<name>, and ends with domain_end.h, which takes DOMAIN back.
 *
 * In each domain:
 *   weight, distance, sum   types: stored; of a result; of a distance plus a weight where none is
 *                           negative. Integers are unsigned then, so that one beyond int64 neither
 *                           wraps nor wins over "not reached".
 *   is_real                 a constant
 *   none()                  the distance that stands for "not reached": the largest integer, which
 *                           the public headers call HOP_NO_DISTANCE, or infinity
 *   is_reached(distance)
 *   add(sum, weights, arc)  no weight is negative
 *   step(distance, weights, arc)   any weight; the caller knows that it fits
 *   is_tight(from, weights, arc, to)   whether from + weight is `to`, whatever they are
 *   is_barrier(weights, arc)       infinite: with exact sums, as if it were not there
 *   prefetch(weights, arc)
 * Of those with weights, where a matrix has numbers of that type:
 *   entry, no_entry()       the type, and "not reached"
 *   wrap(entry, entry)      their sum; of integers modulo their range */
#ifndef HOPLITE_GRAPH_NUMBERS_H
#define HOPLITE_GRAPH_NUMBERS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "hoplite/graph.h"

#define HOP__JOIN(a, b)           HOP__JOIN_NOW(a, b)
#define HOP__JOIN_NOW(a, b)       a##_##b
#define HOP__NUMBER(domain, name) HOP__JOIN(HOP__JOIN(hop_, domain), name)

/* Structs that serve all domains have some fields twice: limit_integer and limit_real. */
#define HOP__KIND_unit    integer
#define HOP__KIND_int32   integer
#define HOP__KIND_int64   integer
#define HOP__KIND_float32 real
#define HOP__KIND_float64 real
/* The one that is for a domain. */
#define HOP__FIELD(object, field, domain) (object)->HOP__JOIN(field, HOP__JOIN(HOP__KIND, domain))

/* For tables: each(domain, weight type). */
#define HOP__EACH_DOMAIN(each) each(unit, HOP_TYPE_NONE) HOP__EACH_WEIGHTED(each)
#define HOP__EACH_WEIGHTED(each)                                                                   \
    each(int32, HOP_TYPE_INT32) each(int64, HOP_TYPE_INT64) each(float32, HOP_TYPE_FLOAT32)        \
        each(float64, HOP_TYPE_FLOAT64)

/* value: the weight of an arc. */
#define HOP__INTEGER_DOMAIN(domain, stored, value)                                                 \
    typedef stored hop__##domain##_weight;                                                         \
    typedef int64_t hop__##domain##_distance;                                                      \
    typedef uint64_t hop__##domain##_sum;                                                          \
    enum { hop__##domain##_is_real = 0 };                                                          \
    static inline int64_t hop__##domain##_none(void) {                                             \
        return INT64_MAX;                                                                          \
    }                                                                                              \
    static inline bool hop__##domain##_is_reached(int64_t distance) {                              \
        return distance != INT64_MAX;                                                              \
    }                                                                                              \
    static inline uint64_t hop__##domain##_add(uint64_t sum, const stored *weights,                \
                                               uint64_t arc) {                                     \
        return sum + (uint64_t)value(weights, arc);                                                \
    }                                                                                              \
    static inline int64_t hop__##domain##_step(int64_t distance, const stored *weights,            \
                                               uint64_t arc) {                                     \
        return distance + value(weights, arc);                                                     \
    }                                                                                              \
    static inline bool hop__##domain##_is_tight(int64_t from, const stored *weights, uint64_t arc, \
                                                int64_t to) {                                      \
        int64_t sum;                                                                               \
        return !__builtin_add_overflow(from, (int64_t)value(weights, arc), &sum) && sum == to;     \
    }                                                                                              \
    static inline bool hop__##domain##_is_barrier(const stored *weights, uint64_t arc) {           \
        (void)weights, (void)arc;                                                                  \
        return false;                                                                              \
    }

#define HOP__REAL_DOMAIN(domain, real, most)                                                       \
    typedef real hop__##domain##_weight;                                                           \
    typedef real hop__##domain##_distance;                                                         \
    typedef real hop__##domain##_sum;                                                              \
    enum { hop__##domain##_is_real = 1 };                                                          \
    static inline real hop__##domain##_none(void) {                                                \
        return (real)HUGE_VAL;                                                                     \
    }                                                                                              \
    static inline bool hop__##domain##_is_reached(real distance) {                                 \
        return distance <= (most);                                                                 \
    }                                                                                              \
    static inline real hop__##domain##_add(real sum, const real *weights, uint64_t arc) {          \
        return sum + weights[arc];                                                                 \
    }                                                                                              \
    static inline real hop__##domain##_step(real distance, const real *weights, uint64_t arc) {    \
        return distance + weights[arc];                                                            \
    }                                                                                              \
    static inline bool hop__##domain##_is_tight(real from, const real *weights, uint64_t arc,      \
                                                real to) {                                         \
        return from + weights[arc] == to;                                                          \
    }                                                                                              \
    static inline bool hop__##domain##_is_barrier(const real *weights, uint64_t arc) {             \
        return weights[arc] > (most);                                                              \
    }

/* adds: the type that sums are made in. */
#define HOP__STORED_DOMAIN(domain, number, adds, none)                                             \
    typedef number hop__##domain##_entry;                                                          \
    static inline number hop__##domain##_no_entry(void) {                                          \
        return none;                                                                               \
    }                                                                                              \
    static inline number hop__##domain##_wrap(number a, number b) {                                \
        return (number)((adds)a + (adds)b);                                                        \
    }                                                                                              \
    static inline void hop__##domain##_prefetch(const number *weights, uint64_t arc) {             \
        __builtin_prefetch(&weights[arc]);                                                         \
    }

#define HOP__ONE(weights, arc)     ((void)(weights), (void)(arc), 1)
#define HOP__ELEMENT(weights, arc) (weights)[arc]
HOP__INTEGER_DOMAIN(unit, char, HOP__ONE) /* there is no array: the pointer is NULL */
HOP__INTEGER_DOMAIN(int32, int32_t, HOP__ELEMENT)
HOP__INTEGER_DOMAIN(int64, int64_t, HOP__ELEMENT)
HOP__REAL_DOMAIN(float32, float, FLT_MAX)
HOP__REAL_DOMAIN(float64, double, DBL_MAX)
HOP__STORED_DOMAIN(int32, int32_t, uint32_t, INT32_MAX)
HOP__STORED_DOMAIN(int64, int64_t, uint64_t, INT64_MAX)
HOP__STORED_DOMAIN(float32, float, float, (float)HUGE_VAL)
HOP__STORED_DOMAIN(float64, double, double, HUGE_VAL)

#define HOP__IS_DOMAIN(domain, type) case type:
#define HOP__IS_INTEGER(domain, type)                                                              \
    case type:                                                                                     \
        return !hop__##domain##_is_real;
/* Whether weights can be of this type (none is one), and of integers. */
static inline bool hop__is_weight_type(hop_type type) {
    switch (type) {
        HOP__EACH_DOMAIN(HOP__IS_DOMAIN)
        return true;
    default:
        return false;
    }
}
static inline bool hop__is_integer_type(hop_type type) {
    switch (type) {
        HOP__EACH_WEIGHTED(HOP__IS_INTEGER)
    default:
        return false;
    }
}

static inline void hop__unit_prefetch(const char *weights, uint64_t arc) {
    (void)weights, (void)arc;
}

#endif
