/* SPDX-License-Identifier: Apache-2.0
 * Weights by type: values, merging. */
#include "graph/weight.h"

#include <math.h>

#include "core/try.h"
#include "graph/graph_internal.h"
#include "graph/numbers.h"

double hop__weight_as_double(hop_weight_type type, const void *weights, uint64_t index) {
#define AS_DOUBLE(domain, type)                                                                    \
    case type:                                                                                     \
        return (double)((const hop__##domain##_weight *)weights)[index];
    switch (type) {
        HOP__EACH_WEIGHTED(AS_DOUBLE)
    default:
        return 1;
    }
#undef AS_DOUBLE
}

/* min, max, first or last of two numbers, whatever their type. */
#define PICK(rule, a, b)                                                                           \
    ((rule) == HOP_DUPLICATES_LAST || ((rule) == HOP_DUPLICATES_MIN && (b) < (a)) ||               \
             ((rule) == HOP_DUPLICATES_MAX && (b) > (a))                                           \
         ? (b)                                                                                     \
         : (a))

static bool merge_int32(hop_duplicates rule, int32_t *a, int32_t b) {
    if (rule == HOP_DUPLICATES_SUM)
        return !__builtin_add_overflow(*a, b, a);
    *a = PICK(rule, *a, b);
    return true;
}

static bool merge_int64(hop_duplicates rule, int64_t *a, int64_t b) {
    if (rule == HOP_DUPLICATES_SUM)
        return !__builtin_add_overflow(*a, b, a);
    *a = PICK(rule, *a, b);
    return true;
}

bool hop__weight_merge(hop_weight_type type, hop_duplicates rule, void *into, uint64_t i,
                       const void *from, uint64_t j) {
    float *single = (float *)into + i, single_later;
    double *real = (double *)into + i, real_later;
    switch (type) {
    case HOP_TYPE_INT32:
        return merge_int32(rule, (int32_t *)into + i, ((const int32_t *)from)[j]);
    case HOP_TYPE_INT64:
        return merge_int64(rule, (int64_t *)into + i, ((const int64_t *)from)[j]);
    case HOP_TYPE_FLOAT32:
        single_later = ((const float *)from)[j];
        *single =
            rule == HOP_DUPLICATES_SUM ? *single + single_later : PICK(rule, *single, single_later);
        return !isnan(*single); /* inf - inf */
    case HOP_TYPE_FLOAT64:
        real_later = ((const double *)from)[j];
        *real = rule == HOP_DUPLICATES_SUM ? *real + real_later : PICK(rule, *real, real_later);
        return !isnan(*real);
    default:
        return true;
    }
}
