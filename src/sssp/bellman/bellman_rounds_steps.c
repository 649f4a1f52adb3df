/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of the rounds, once for each type of weights. Sums are int64 where a bound proves that
 * it holds them, else exact numbers of two words (exact_sum.h). */
#include "graph/numbers.h"
#include "sssp/bellman/bellman_rounds.h"

/* --- int64, which are the distances ---------------------------------------------------------- */

typedef int64_t plain_number, plain_word;
typedef hop__rounds_offer64 plain_offer;

static inline int64_t *plain_sums(const hop__rounds_job *job) {
    return job->distances;
}

/* The largest number where v is not reached. */
static inline int64_t plain_get(const int64_t *sums, hop_vertex v) {
    return sums[v];
}

static inline void plain_set(int64_t *sums, hop_vertex v, int64_t sum) {
    sums[v] = sum;
}

static inline void plain_prefetch(const int64_t *sums, hop_vertex v) {
    __builtin_prefetch(&sums[v]);
}

static inline int64_t plain_offered(const plain_offer *offer) {
    return offer->sum;
}

static inline void plain_set_offered(plain_offer *offer, int64_t sum) {
    offer->sum = sum;
}

static inline int64_t plain_lowest(const hop__rounds_job *job) {
    return job->lowest64;
}

/* A weight as a sum. */
#define PLAIN_TERM(domain)                                                                         \
    static inline int64_t plain_##domain##_term(                                                   \
        const hop__exact *scale, const hop__##domain##_weight *weights, uint64_t arc) {            \
        (void)scale;                                                                               \
        return hop__##domain##_step(0, weights, arc);                                              \
    }
PLAIN_TERM(int32)
PLAIN_TERM(int64)

/* --- exact numbers of two words -------------------------------------------------------------- */

typedef hop__i128 exact_number;
typedef uint64_t exact_word;
typedef hop__rounds_offer128 exact_offer;

static inline uint64_t *exact_sums(const hop__rounds_job *job) {
    return job->sums;
}

static inline void exact_store(uint64_t *to, hop__i128 sum) {
    to[0] = (uint64_t)sum;
    to[1] = (uint64_t)((hop__u128)sum >> 64);
}

static inline hop__i128 exact_get(const uint64_t *sums, hop_vertex v) {
    return hop__exact_load(sums + 2 * (uint64_t)v);
}

static inline void exact_set(uint64_t *sums, hop_vertex v, hop__i128 sum) {
    exact_store(sums + 2 * (uint64_t)v, sum);
}

static inline void exact_prefetch(const uint64_t *sums, hop_vertex v) {
    __builtin_prefetch(&sums[2 * (uint64_t)v]);
}

static inline hop__i128 exact_offered(const exact_offer *offer) {
    return hop__exact_load(offer->sum);
}

static inline void exact_set_offered(exact_offer *offer, hop__i128 sum) {
    exact_store(offer->sum, sum);
}

static inline hop__i128 exact_lowest(const hop__rounds_job *job) {
    return job->lowest128;
}

#define EXACT_TERM(domain)                                                                         \
    static inline hop__i128 exact_##domain##_term(                                                 \
        const hop__exact *scale, const hop__##domain##_weight *weights, uint64_t arc) {            \
        return hop__rounds_shifted(hop__##domain##_term(scale, weights, arc));                     \
    }
EXACT_TERM(int64)
EXACT_TERM(float32)
EXACT_TERM(float64)

#define DOMAIN int32
#define SUMS   plain
#include "sssp/bellman/bellman_rounds_template.h"
#define DOMAIN int64
#define SUMS   plain
#include "sssp/bellman/bellman_rounds_template.h"
#define DOMAIN int64
#define SUMS   exact
#include "sssp/bellman/bellman_rounds_template.h"
#define DOMAIN float32
#define SUMS   exact
#include "sssp/bellman/bellman_rounds_template.h"
#define DOMAIN float64
#define SUMS   exact
#include "sssp/bellman/bellman_rounds_template.h"

const hop__rounds_steps *hop__rounds_steps_of(const hop__sssp_query *query) {
    static const hop__rounds_steps *const exact[] = {[HOP_TYPE_INT64] = &exact_int64_steps,
                                                     [HOP_TYPE_FLOAT32] = &exact_float32_steps,
                                                     [HOP_TYPE_FLOAT64] = &exact_float64_steps};
    hop_weight_type type = query->graph->weight_type;
    if (query->exact.words > 0)
        return exact[type];
    return type == HOP_TYPE_INT32 ? &plain_int32_steps : &plain_int64_steps;
}
