/* SPDX-License-Identifier: Apache-2.0
 *
 * For certifiers: a distance plus a weight, in each domain (graph/numbers.h), where what is claimed
 * of the distance may be anything. Integers are added with a look at the overflow: a sum beyond
 * int64 is not below any distance, unless it is beyond the lower end.
 *   checked                      the type of such a sum
 *   check(from, weights, arc)
 *   is_below, is_equal, is_above(checked, distance)   what the sum is, beside a distance
 *   is_within(checked, limit)    at most this; INT64_MAX: there is none */
#ifndef HOPLITE_SSSP_CHECKED_SUM_H
#define HOPLITE_SSSP_CHECKED_SUM_H

#include "graph/numbers.h"

typedef struct hop__checked_integer {
    int64_t sum, added;
    bool over;
} hop__checked_integer;

static inline hop__checked_integer hop__check_integer(int64_t from, int64_t added) {
    int64_t sum;
    const bool over = __builtin_add_overflow(from, added, &sum);
    return (hop__checked_integer){sum, added, over};
}

#define HOP__CHECKED_INTEGER(domain)                                                               \
    typedef hop__checked_integer hop__##domain##_checked;                                          \
    static inline hop__checked_integer hop__##domain##_check(                                      \
        int64_t from, const hop__##domain##_weight *weights, uint64_t arc) {                       \
        return hop__check_integer(from, hop__##domain##_step(0, weights, arc));                    \
    }                                                                                              \
    static inline bool hop__##domain##_is_below(hop__checked_integer checked, int64_t distance) {  \
        return checked.over ? checked.added < 0 : checked.sum < distance;                          \
    }                                                                                              \
    static inline bool hop__##domain##_is_equal(hop__checked_integer checked, int64_t distance) {  \
        return !checked.over && checked.sum == distance;                                           \
    }                                                                                              \
    static inline bool hop__##domain##_is_above(hop__checked_integer checked, int64_t distance) {  \
        return !checked.over && checked.sum > distance;                                            \
    }                                                                                              \
    static inline bool hop__##domain##_is_within(hop__checked_integer checked, int64_t limit) {    \
        return checked.over ? checked.added < 0 || limit == INT64_MAX : checked.sum <= limit;      \
    }

#define HOP__CHECKED_REAL(domain, real)                                                            \
    typedef real hop__##domain##_checked;                                                          \
    static inline real hop__##domain##_check(real from, const real *weights, uint64_t arc) {       \
        return from + weights[arc];                                                                \
    }                                                                                              \
    static inline bool hop__##domain##_is_below(real sum, real distance) {                         \
        return sum < distance;                                                                     \
    }                                                                                              \
    static inline bool hop__##domain##_is_equal(real sum, real distance) {                         \
        return sum == distance;                                                                    \
    }                                                                                              \
    static inline bool hop__##domain##_is_above(real sum, real distance) {                         \
        return sum > distance;                                                                     \
    }                                                                                              \
    static inline bool hop__##domain##_is_within(real sum, real limit) {                           \
        return sum <= limit;                                                                       \
    }

HOP__CHECKED_INTEGER(unit)
HOP__CHECKED_INTEGER(int32)
HOP__CHECKED_INTEGER(int64)
HOP__CHECKED_REAL(float32, float)
HOP__CHECKED_REAL(float64, double)

#endif
