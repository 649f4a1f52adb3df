/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of the rounds, once for each type of weights. Sums are int64 where a bound proves that
 * it holds them, else exact numbers of two words (exact_sum.h). */
#include <float.h>

#include "sssp/bellman/bellman_rounds.h"

static inline void store_sum(uint64_t *to, hop__i128 sum) {
    to[0] = (uint64_t)sum;
    to[1] = (uint64_t)((hop__u128)sum >> 64);
}

#define ROUNDS(name) int32_##name
#define WORDS        1
#define WEIGHT       int32_t
#define SKIP(i)      false
#define TERM(i)      (int64_t) weights[i]
#include "sssp/bellman/bellman_rounds_template.h"

#define ROUNDS(name) int64_##name
#define WORDS        1
#define WEIGHT       int64_t
#define SKIP(i)      false
#define TERM(i)      weights[i]
#include "sssp/bellman/bellman_rounds_template.h"

#define ROUNDS(name) exact_int64_##name
#define WORDS        2
#define WEIGHT       int64_t
#define SKIP(i)      false
#define TERM(i)      (hop__i128) weights[i]
#include "sssp/bellman/bellman_rounds_template.h"

#define ROUNDS(name) exact_float32_##name
#define WORDS        2
#define WEIGHT       float
#define SKIP(i)      (weights[i] > FLT_MAX)
#define TERM(i)      hop__rounds_shifted(hop__exact_real(&scale, (double)weights[i]))
#include "sssp/bellman/bellman_rounds_template.h"

#define ROUNDS(name) exact_float64_##name
#define WORDS        2
#define WEIGHT       double
#define SKIP(i)      (weights[i] > DBL_MAX)
#define TERM(i)      hop__rounds_shifted(hop__exact_real(&scale, weights[i]))
#include "sssp/bellman/bellman_rounds_template.h"

const hop__rounds_steps *hop__rounds_steps_of(const hop__sssp_query *query) {
    static const hop__rounds_steps *const exact[] = {[HOP_WEIGHT_INT64] = &exact_int64_steps,
                                                     [HOP_WEIGHT_FLOAT32] = &exact_float32_steps,
                                                     [HOP_WEIGHT_FLOAT64] = &exact_float64_steps};
    hop_weight_type type = query->graph->weight_type;
    if (query->exact.words > 0)
        return exact[type];
    return type == HOP_WEIGHT_INT32 ? &int32_steps : &int64_steps;
}
