/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances as keys of 64 bits that are compared as unsigned integers, whatever the weights are: an
 * integer is itself, a float or double its bits, which are in order since none is negative. So what
 * is kept, sent and compared is one type, and only adding a weight knows which.
 *
 * none: the key of what is not reached, the largest: INT64_MAX, or infinity. A sum of integers of
 * INT64_MAX or more is none, too. Weights are not negative, and distances begin with +0: there is
 * no -0 among them. */
#ifndef HOPLITE_CLUSTER_CLUSTER_KEYS_H
#define HOPLITE_CLUSTER_CLUSTER_KEYS_H

#include <math.h>

#include "core/real_bits.h"
#include "hoplite/graph.h"

/* `type` is that of the weights, here and below. */
static inline uint64_t hop__key_none(hop_type type) {
    if (type == HOP_TYPE_FLOAT32)
        return hop__float_bits((float)HUGE_VAL);
    return type == HOP_TYPE_FLOAT64 ? hop__double_bits(HUGE_VAL) : INT64_MAX;
}

static inline uint64_t hop__key_integer(uint64_t sum) {
    return sum < INT64_MAX ? sum : INT64_MAX;
}

/* The distance at the end of an arc from the one at its beginning. */
static inline uint64_t hop__key_add(hop_type type, const void *weights, uint64_t key,
                                    uint64_t arc) {
    switch (type) {
    case HOP_TYPE_INT32:
        return hop__key_integer(key + (uint64_t)((const int32_t *)weights)[arc]);
    case HOP_TYPE_INT64:
        return hop__key_integer(key + (uint64_t)((const int64_t *)weights)[arc]);
    case HOP_TYPE_FLOAT32:
        return hop__float_bits(hop__float_from((uint32_t)key) + ((const float *)weights)[arc]);
    case HOP_TYPE_FLOAT64:
        return hop__double_bits(hop__double_from(key) + ((const double *)weights)[arc]);
    default:
        return hop__key_integer(key + 1);
    }
}

/* A distance and some more, which is no weight. */
static inline uint64_t hop__key_after(hop_type type, uint64_t key, double length) {
    if (type == HOP_TYPE_FLOAT32)
        return hop__float_bits(hop__float_from((uint32_t)key) + (float)length);
    if (type == HOP_TYPE_FLOAT64)
        return hop__double_bits(hop__double_from(key) + length);
    return length < 0x1p62 ? hop__key_integer(key + (uint64_t)length) : INT64_MAX - 1;
}

/* A key as the distance `at` of an array of hop_distance_type, and back. */
static inline void hop__key_store(hop_type type, uint64_t key, void *distances, uint64_t at) {
    if (type == HOP_TYPE_FLOAT32)
        ((float *)distances)[at] = hop__float_from((uint32_t)key);
    else if (type == HOP_TYPE_FLOAT64)
        ((double *)distances)[at] = hop__double_from(key);
    else
        ((int64_t *)distances)[at] = (int64_t)key;
}

static inline uint64_t hop__key_load(hop_type type, const void *distances, uint64_t at) {
    if (type == HOP_TYPE_FLOAT32)
        return hop__float_bits(((const float *)distances)[at]);
    if (type == HOP_TYPE_FLOAT64)
        return hop__double_bits(((const double *)distances)[at]);
    return (uint64_t)((const int64_t *)distances)[at];
}

#endif
