/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks one row of floating-point distances that has no tight arcs to follow: one that was added
 * up in another order, or one with negative weights, whose exact sums are rounded once.
 *
 * The arcs that are followed are those that are *nearly* tight, and which these are the row itself
 * says. Let e[x] be the sum of some walk from s to x, as hop_sssp adds it up (or exactly). Arc
 * x -> y offers y the sum e[x] + w.
 *  - Below what is claimed of y, by more than rounding allows: the claim is wrong.
 *  - Above it by more than that: the arc is left alone.
 *  - Between: if y has no sum, or a greater one, this is its sum now, and the arcs out of y are
 *    offered (again).
 * At the end every y that is claimed to be reached must have a sum, and no other.
 *
 * Why that suffices. When nothing changes any more, no arc out of an x with a sum makes the sum of
 * another less: arcs that were left alone offer more than y's sum, which is inside. Every sum is
 * that of a walk. Adding is monotone, rounded or not; so sums are the least of all walks, the
 * distances that hop_sssp gives, bit by bit: the claim was compared with these.
 * A sum that overflows offers nothing: it is infinite, and a claim of "not reached" is inside if
 * what an arc offers is within rounding of the largest number.
 *
 * Negative weights: "inside" is that the exact sum rounds to the claim. A walk of n arcs comes by
 * some vertex twice, with a smaller sum the second time, since sums only fall: a negative cycle.
 *
 * Cost: a vertex offers its arcs again only when its sum changes inside the tolerance. As a rule
 * that is rare, and the pass is O(n + m); at worst, as with Bellman and Ford, n of them. No order
 * of the vertices is kept and nothing is searched for: with a row that is wrong by more than
 * rounding the pass stops at the first arc that shows it. Per thread 4 bytes and a bit per vertex,
 * the sums, and with negative weights 4 bytes for the number of arcs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "apsp/apsp_certificate.h"
#include "core/bitmap.h"
#include "core/progress.h"
#include "graph/numbers.h"

enum { POLL_ARCS = 1 << 18 };

typedef enum fit { BELOW, WITHIN, ABOVE } fit;

/* The tolerance of apsp.h. */
typedef struct tolerance {
    double part;   /* (n - 1) * epsilon */
    double edge;   /* from where on a number may have overflowed */
    double beyond; /* what is inside is less than the claim times this */
} tolerance;

static tolerance tolerance_of(const hop__apsp_claim *claim) {
    bool narrow = claim->distance_type == HOP_TYPE_FLOAT32;
    double epsilon = narrow ? (double)FLT_EPSILON : DBL_EPSILON;
    double part = (double)(claim->query->graph->vertices - 1) * epsilon;
    return (tolerance){part, (1 - part) * (narrow ? (double)FLT_MAX : DBL_MAX),
                       part < 1 ? (1 + 8 * epsilon) / (1 - part) : (double)INFINITY};
}

/* A sum, which is not negative, beside a claim, which may be anything; NaN, -0.0 and what is below
 * 0 have nothing inside. */
static inline fit compare_near(const tolerance *allowed, double claimed, double sum) {
    if (!(claimed >= 0) || signbit(claimed))
        return ABOVE;
    if (isinf(claimed))
        return isinf(sum) || sum >= allowed->edge ? WITHIN : BELOW;
    if (isinf(sum))
        return claimed >= allowed->edge ? WITHIN : ABOVE;
    if (fabs(claimed - sum) <= allowed->part * (claimed > sum ? claimed : sum))
        return WITHIN;
    return sum < claimed ? BELOW : ABOVE;
}

/* A vertex without a sum has one that is not inside, but not far above: so that an arc that is not
 * nearly tight costs one comparison. */
static inline double beyond(const tolerance *allowed, double claimed) {
    double bound = claimed * allowed->beyond + (double)FLT_MIN;
    return claimed >= 0 && bound < allowed->edge ? bound : (double)INFINITY;
}

/* What a row is checked with. */
typedef struct near_view {
    const hop__apsp_claim *claim;
    const void *row, *weights;
    void *sums;
    hop_vertex *hops;
    tolerance allowed;
    hop__exact scale;
} near_view;

static inline near_view view_of(const hop__apsp_claim *claim, const proof_space *space,
                                const void *row) {
    return (near_view){claim,
                       row,
                       space->graph->weights,
                       space->sums,
                       space->hops,
                       tolerance_of(claim),
                       claim->query->exact};
}

/* Whether the sum of x and a weight is above what is claimed of y for sure, so that it need not be
 * added up exactly: the sum of x rounds to what is claimed of x. Not so when something is infinite
 * or no number. */
static inline bool is_above(const hop__apsp_claim *claim, const void *row, hop_vertex x,
                            double weight, hop_vertex y) {
    double from = real_at(claim->distance_type, row, x);
    double to = real_at(claim->distance_type, row, y);
    double epsilon = claim->distance_type == HOP_TYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return from + weight - to > 8 * epsilon * (fabs(from) + fabs(weight) + fabs(to));
}

/* A sum that rounds to infinity is inside nothing: such a distance is an error, not "not
 * reached". */
static inline fit compare_rounded(const hop__apsp_claim *claim, const void *row, hop_vertex y,
                                  double sum) {
    double claimed = real_at(claim->distance_type, row, y);
    if (sum > claimed || isnan(claimed))
        return ABOVE;
    return sum < claimed || isinf(sum) ? BELOW : WITHIN;
}

static inline bool exact_settled(const hop__apsp_claim *claim, const void *row, uint64_t v,
                                 bool none) {
    double claimed = real_at(claim->distance_type, row, v);
    if (none)
        return isinf(claimed) && claimed > 0;
    return !(claimed == 0 && signbit(claimed));
}

#define SUMS   near
#define DOMAIN float32
#include "apsp/apsp_near_template.h"
#define DOMAIN float64
#include "apsp/apsp_near_template.h"
#undef SUMS

#define SUMS exact
#define NEAR_EXACT
#define DOMAIN float32
#include "apsp/apsp_near_template.h"
#define DOMAIN float64
#include "apsp/apsp_near_template.h"

row_verdict hop__apsp_certify_near(const hop__apsp_claim *claim, proof_space *space,
                                   const void *row, hop_vertex source) {
    bool narrow = claim->distance_type == HOP_TYPE_FLOAT32;
    double own = real_at(claim->distance_type, row, source);
    if (!(own == 0) || signbit(own))
        return (row_verdict){FAULT_SOURCE, source, source, 0, 0};
    if (claim->query->negative)
        return (narrow ? exact_float32_row : exact_float64_row)(claim, space, row, source);
    return (narrow ? near_float32_row : near_float64_row)(claim, space, row, source);
}
