/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks one row of a matrix of distances.
 *
 * The certificate of row s: its entry s is 0; every vertex that is reached can be come to from s
 * over arcs x -> y that are tight, d[x] + w = d[y]; and no arc out of a vertex that is reached
 * makes another one nearer, or reaches one that is not. By the second, each distance is the length
 * of a path; by the third, no path is shorter. One breadth-first pass over tight arcs from s looks
 * at every arc once and checks both: the arcs out of a vertex are looked at when the pass comes to
 * it, and it must come to everything that is reached. This is no search: nothing is compared but
 * what is claimed. It shares no code with the variants.
 *
 * Floating point, no negative weight, from a variant that adds up in another order: nothing is
 * tight. So a row of hop_sssp is made by a search of Dijkstra, certified as above, and compared
 * with by the tolerance of apsp.h. With negative weights distances are rounded from exact sums, and
 * those are what is tight: they are searched by Bellman and Ford, certified as above, and must
 * round to the row.
 *
 * Cost: O(n + m) per row, and a search per row in the last two cases; per thread 4 bytes and a bit
 * per vertex, and a row and the workspace of a search for floating point. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "apsp/apsp_certificate.h"
#include "core/bitmap.h"
#include "core/progress.h"
#include "core/try.h"

enum { POLL_ARCS = 1 << 18 };

/* Integers. What is claimed may be anything, so sums are checked; one beyond int64 is not below
 * any distance, unless it is beyond the lower end. */
#define SKIP(i)    false
#define SHORTER(y) (d[y] == UNREACHED || (over ? added < 0 : sum < d[y]))
#define TIGHT(y)   (!over && sum == d[y])
#define ZERO(v)    (d[v] == 0)
#define NONE(v)    (d[v] == UNREACHED)
#define ODD(v)     false
#define ADD(x, i)                                                                                  \
    const int64_t added = WEIGHT(i);                                                               \
    int64_t sum;                                                                                   \
    const bool over = __builtin_add_overflow((int64_t)d[x], added, &sum)

#define UNREACHED HOP_NO_DISTANCE_32
#define WEIGHT(i) 1

#define CERTIFY(name) int32_unit_##name
#define ARRAYS        const int32_t *d = row
#include "apsp/apsp_certify_template.h"

#undef WEIGHT
#define WEIGHT(i) weights[i]

#define CERTIFY(name) int32_int32_##name
#define ARRAYS                                                                                     \
    const int32_t *d = row;                                                                        \
    const int32_t *weights = graph->weights
#include "apsp/apsp_certify_template.h"

#define CERTIFY(name) int32_int64_##name
#define ARRAYS                                                                                     \
    const int32_t *d = row;                                                                        \
    const int64_t *weights = graph->weights
#include "apsp/apsp_certify_template.h"

#undef UNREACHED
#define UNREACHED HOP_NO_DISTANCE

#define CERTIFY(name) int64_int32_##name
#define ARRAYS                                                                                     \
    const int64_t *d = row;                                                                        \
    const int32_t *weights = graph->weights
#include "apsp/apsp_certify_template.h"

#define CERTIFY(name) int64_int64_##name
#define ARRAYS                                                                                     \
    const int64_t *d = row;                                                                        \
    const int64_t *weights = graph->weights
#include "apsp/apsp_certify_template.h"

#undef WEIGHT
#define WEIGHT(i)     1
#define CERTIFY(name) int64_unit_##name
#define ARRAYS        const int64_t *d = row
#include "apsp/apsp_certify_template.h"

/* Floating point, no negative weight: sums that are rounded at each step. */
#undef WEIGHT
#undef UNREACHED
#undef SHORTER
#undef TIGHT
#undef NONE
#undef ODD
#undef ADD
#define SHORTER(y) (sum < d[y])
#define TIGHT(y)   (sum == d[y] && sum <= LARGEST)
#define NONE(v)    (d[v] > LARGEST)
#define ODD(v)     (d[v] == 0 && signbit(d[v]))

#define LARGEST       FLT_MAX
#define ADD(x, i)     const float sum = d[x] + weights[i]
#define CERTIFY(name) float32_##name
#define ARRAYS                                                                                     \
    const float *d = row;                                                                          \
    const float *weights = graph->weights
#include "apsp/apsp_certify_template.h"

#undef LARGEST
#undef ADD
#define LARGEST       DBL_MAX
#define ADD(x, i)     const double sum = d[x] + weights[i]
#define CERTIFY(name) float64_##name
#define ARRAYS                                                                                     \
    const double *d = row;                                                                         \
    const double *weights = graph->weights
#include "apsp/apsp_certify_template.h"

/* Exact sums: the row is numbers of space->bellman_ford.query->exact. */
#undef SKIP
#undef SHORTER
#undef TIGHT
#undef ZERO
#undef NONE
#undef ODD
#undef ADD
#define SKIP(i)    (weights[i] > LARGEST)
#define SHORTER(y) (hop__exact_compare(&scale, sum, SUM_OF(y)) < 0)
#define TIGHT(y)   (hop__exact_compare(&scale, sum, SUM_OF(y)) == 0)
#define ZERO(v)    is_zero(&scale, SUM_OF(v))
#define NONE(v)    hop__exact_is_none(&scale, SUM_OF(v))
#define ODD(v)     false
#define SUM_OF(v)  (sums + (uint64_t)(v)*scale.words)
#define ADD(x, i)                                                                                  \
    uint64_t sum[HOP__EXACT_WORDS];                                                                \
    hop__exact_add(&scale, SUM_OF(x), hop__exact_real(&scale, (double)weights[i]), sum)
#define EXACT_ARRAYS(type)                                                                         \
    const uint64_t *sums = row;                                                                    \
    const hop__exact scale = space->bellman_ford.query->exact;                                     \
    const type *weights = graph->weights

static bool is_zero(const hop__exact *scale, const uint64_t *sum) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < scale->words; i++)
        bits |= sum[i];
    return bits == 0;
}

#define CERTIFY(name) exact_float64_##name
#define ARRAYS        EXACT_ARRAYS(double)
#include "apsp/apsp_certify_template.h"

#undef LARGEST
#define LARGEST       FLT_MAX
#define CERTIFY(name) exact_float32_##name
#define ARRAYS        EXACT_ARRAYS(float)
#include "apsp/apsp_certify_template.h"

typedef row_verdict (*row_fn)(proof_space *space, const void *row, hop_vertex source);

static row_fn certificate_of(hop_weight_type distances, hop_weight_type weights) {
    static const row_fn narrow[] = {int32_unit_row, int32_int32_row, int32_int64_row};
    static const row_fn plain[] = {int64_unit_row, int64_int32_row, int64_int64_row, float32_row,
                                   float64_row};
    return distances == HOP_WEIGHT_INT32 ? narrow[weights] : plain[weights];
}

static bool is_real(const hop__apsp_claim *claim) {
    return claim->query->distance_type != HOP_WEIGHT_INT64;
}

/* The tolerance of apsp.h. NaN, -0.0 and what is below 0 are outside. */
static bool is_near(double d, double e, hop_weight_type type, hop_vertex n) {
    double largest = type == HOP_WEIGHT_FLOAT32 ? (double)FLT_MAX : DBL_MAX;
    double part =
        (double)(n - 1) * (type == HOP_WEIGHT_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON);
    if (!(d >= 0) || signbit(d))
        return false;
    if (isinf(d) && isinf(e))
        return true;
    if (isinf(d) || isinf(e))
        return (isinf(d) ? e : d) >= (1 - part) * largest;
    return fabs(d - e) <= part * (d > e ? d : e);
}

/* Compares with a row that is searched afresh. */
static row_verdict check_near(const hop__apsp_claim *claim, proof_space *space, const void *row,
                              hop_vertex source) {
    hop_vertex n = space->graph->vertices;
    if (!hop__dijkstra_run(space->context, &space->dijkstra, source, space->row))
        return (row_verdict){FAULT_CANCELLED, 0, 0, 0};
    row_verdict own =
        certificate_of(claim->distance_type, space->graph->weight_type)(space, space->row, source);
    if (own.fault != FAULT_NONE)
        return (row_verdict){own.fault == FAULT_CANCELLED ? FAULT_CANCELLED : FAULT_OWN, 0, 0, 0};
    for (uint64_t v = 0; v < n; v++) {
        double e = real_at(claim->distance_type, space->row, v);
        if (!is_near(real_at(claim->distance_type, row, v), e, claim->distance_type, n))
            return (row_verdict){FAULT_FAR, (hop_vertex)v, source, 0, e};
    }
    return (row_verdict){FAULT_NONE, 0, 0, 0};
}

/* Compares with exact sums that are searched afresh. */
static row_verdict check_exact(const hop__apsp_claim *claim, proof_space *space, const void *row,
                               hop_vertex source) {
    hop_vertex place = 0;
    size_t size = hop_weight_size(claim->distance_type);
    switch (hop__bellman_ford_run(space->context, &space->bellman_ford, &source, 1, space->row,
                                  NULL, &place)) {
    case HOP__SEARCH_CANCELLED:
        return (row_verdict){FAULT_CANCELLED, 0, 0, 0};
    case HOP__SEARCH_CYCLE:
        return (row_verdict){FAULT_CYCLE, place, source, 0};
    case HOP__SEARCH_BEYOND:
        return (row_verdict){FAULT_RANGE, place, source, 0};
    default:
        break;
    }
    row_fn exact =
        claim->distance_type == HOP_WEIGHT_FLOAT32 ? exact_float32_row : exact_float64_row;
    row_verdict own = exact(space, space->bellman_ford.sums, source);
    if (own.fault != FAULT_NONE)
        return (row_verdict){own.fault == FAULT_CANCELLED ? FAULT_CANCELLED : FAULT_OWN, 0, 0, 0};
    for (uint64_t v = 0; v < space->graph->vertices; v++)
        if (memcmp((const char *)row + v * size, (const char *)space->row + v * size, size) != 0)
            return (row_verdict){FAULT_FAR, (hop_vertex)v, source, 0,
                                 real_at(claim->distance_type, space->row, v)};
    return (row_verdict){FAULT_NONE, 0, 0, 0};
}

row_verdict hop__apsp_certify_row(const hop__apsp_claim *claim, proof_space *space, const void *row,
                                  hop_vertex source) {
    if (is_real(claim) && claim->query->negative)
        return check_exact(claim, space, row, source);
    row_verdict verdict =
        certificate_of(claim->distance_type, space->graph->weight_type)(space, row, source);
    if (verdict.fault <= FAULT_CANCELLED || !is_real(claim) || claim->exact)
        return verdict;
    return check_near(claim, space, row, source);
}

uint64_t hop__proof_space_memory(const hop__apsp_claim *claim) {
    const hop_graph *graph = claim->query->graph;
    uint64_t n = graph->vertices;
    uint64_t bytes = hop__apsp_add(hop__block_bytes(n, sizeof(hop_vertex)),
                                   hop__block_bytes(hop__bitmap_words(n), sizeof(uint64_t)));
    if (!is_real(claim) || (claim->exact && !claim->query->negative))
        return bytes;
    bytes = hop__apsp_add(bytes, hop__block_bytes(n, hop_weight_size(claim->distance_type)));
    return hop__apsp_add(bytes, claim->query->negative ? hop__bellman_ford_memory(claim->query)
                                                       : hop__dijkstra_memory(graph));
}

hop_status hop__proof_space_create(hop_context *context, const hop__apsp_claim *claim,
                                   proof_space *space) {
    static const char what[] = "apsp: certificate";
    const hop_graph *graph = claim->query->graph;
    uint64_t n = graph->vertices;
    hop_status status;
    space->context = context;
    space->graph = graph;
    HOP_TRY(status, hop__alloc(context, what, n, sizeof *space->queue, &space->queue));
    HOP_TRY(status,
            hop__alloc(context, what, hop__bitmap_words(n), sizeof *space->seen, &space->seen));
    if (!is_real(claim) || (claim->exact && !claim->query->negative))
        goto done;
    HOP_TRY(status,
            hop__alloc(context, what, n, hop_weight_size(claim->distance_type), &space->row));
    if (claim->query->negative)
        HOP_TRY(status, hop__bellman_ford_create(context, claim->query, &space->bellman_ford));
    else
        HOP_TRY(status, hop__dijkstra_create(context, graph, &space->dijkstra));
done:
    return status;
}

void hop__proof_space_clear(proof_space *space) {
    hop__free(space->queue);
    hop__free(space->seen);
    hop__free(space->row);
    hop__dijkstra_clear(&space->dijkstra);
    hop__bellman_ford_clear(&space->bellman_ford);
}
