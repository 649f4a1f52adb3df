/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of one row within rounding, for one domain (graph/numbers.h); see
 * apsp_certify_near.c. Before including: DOMAIN; SUMS: near, or exact, and then NEAR_EXACT is
 * defined as well. For both kinds of sums:
 *   clear(view, v)              v has no sum; may make it one that is above what is claimed of v
 *   start(view, s)              the sum of the source is 0
 *   is_skipped(view, x, i, y)   arc i, from x to y, is as if it were not there
 *   add(view, x, i, sum)        sets `sum` to the sum of x plus arc i
 *   is_less(view, sum, y)       whether it is less than the sum of y, or y has none
 *   fit(view, sum, y)           how it compares with what is claimed of y
 *   length(view, sum)           as a number, for a message
 *   store(view, sum, y, x)      makes it the sum of y, from x; false when its walk has n arcs
 *   is_settled(view, v)         at the end: what is claimed of v is right */
#include "graph/domain_begin.h"

#define NEAR(name) HOP__JOIN(SUMS, HOP__JOIN(DOMAIN, name))

#if defined(NEAR_EXACT)

typedef struct NEAR(sum) {
    uint64_t words[HOP__EXACT_WORDS];
} NEAR(sum);

static inline uint64_t *NEAR(sum_of)(const near_view *view, uint64_t v) {
    return hop__exact_at(&view->scale, view->sums, v);
}

static inline void NEAR(clear)(const near_view *view, uint64_t v) {
    hop__exact_set_none(&view->scale, NEAR(sum_of)(view, v));
}

static inline void NEAR(start)(const near_view *view, hop_vertex s) {
    hop__exact_clear(&view->scale, NEAR(sum_of)(view, s));
    view->hops[s] = 0;
}

static inline bool NEAR(is_skipped)(const near_view *view, hop_vertex x, uint64_t i, hop_vertex y) {
    const WEIGHT *weights = view->weights;
    return NUMBER(is_barrier)(weights, i) ||
           is_above(view->claim, view->row, x, (double)weights[i], y);
}

static inline void NEAR(add)(const near_view *view, hop_vertex x, uint64_t i, NEAR(sum) * sum) {
    hop__exact_add(&view->scale, NEAR(sum_of)(view, x),
                   NUMBER(term)(&view->scale, view->weights, i), sum->words);
}

static inline bool NEAR(is_less)(const near_view *view, const NEAR(sum) * sum, hop_vertex y) {
    return hop__exact_compare(&view->scale, sum->words, NEAR(sum_of)(view, y)) < 0;
}

static inline double NEAR(length)(const near_view *view, const NEAR(sum) * sum) {
    return hop__exact_round(&view->scale, sum->words, view->claim->distance_type);
}

static inline fit NEAR(fit)(const near_view *view, const NEAR(sum) * sum, hop_vertex y) {
    return compare_rounded(view->claim, view->row, y, NEAR(length)(view, sum));
}

static inline bool NEAR(store)(const near_view *view, const NEAR(sum) * sum, hop_vertex y,
                               hop_vertex x) {
    hop__exact_copy(&view->scale, sum->words, NEAR(sum_of)(view, y));
    view->hops[y] = view->hops[x] + 1;
    return view->hops[y] < view->claim->query->graph->vertices;
}

static inline bool NEAR(is_settled)(const near_view *view, uint64_t v) {
    return exact_settled(view->claim, view->row, v,
                         hop__exact_is_none(&view->scale, NEAR(sum_of)(view, v)));
}

#else

typedef DISTANCE NEAR(sum);

static inline double NEAR(claimed)(const near_view *view, uint64_t v) {
    return (double)((const DISTANCE *)view->row)[v];
}

static inline void NEAR(clear)(const near_view *view, uint64_t v) {
    DISTANCE *e = view->sums;
    e[v] = (DISTANCE)beyond(&view->allowed, NEAR(claimed)(view, v));
}

static inline void NEAR(start)(const near_view *view, hop_vertex s) {
    ((DISTANCE *)view->sums)[s] = 0;
}

static inline bool NEAR(is_skipped)(const near_view *view, hop_vertex x, uint64_t i, hop_vertex y) {
    (void)view, (void)x, (void)i, (void)y;
    return false;
}

static inline void NEAR(add)(const near_view *view, hop_vertex x, uint64_t i, DISTANCE *sum) {
    *sum = NUMBER(add)(((const DISTANCE *)view->sums)[x], view->weights, i);
}

static inline bool NEAR(is_less)(const near_view *view, const DISTANCE *sum, hop_vertex y) {
    return *sum < ((const DISTANCE *)view->sums)[y];
}

static inline double NEAR(length)(const near_view *view, const DISTANCE *sum) {
    (void)view;
    return (double)*sum;
}

static inline fit NEAR(fit)(const near_view *view, const DISTANCE *sum, hop_vertex y) {
    return compare_near(&view->allowed, NEAR(claimed)(view, y), (double)*sum);
}

static inline bool NEAR(store)(const near_view *view, const DISTANCE *sum, hop_vertex y,
                               hop_vertex x) {
    (void)x;
    ((DISTANCE *)view->sums)[y] = *sum;
    return true;
}

static inline bool NEAR(is_settled)(const near_view *view, uint64_t v) {
    const DISTANCE *e = view->sums;
    return compare_near(&view->allowed, NEAR(claimed)(view, v), (double)e[v]) == WITHIN;
}

#endif

static row_verdict NEAR(row)(const hop__apsp_claim *claim, proof_space *space, const void *row,
                             hop_vertex source) {
    const hop_graph *graph = space->graph;
    const hop_vertex *targets = graph->targets;
    const uint64_t n = graph->vertices;
    hop_vertex *queue = space->queue; /* a ring */
    uint64_t *queued = space->seen, arcs = 0, head = 0, count = 1;
    const near_view view = view_of(claim, space, row);
    NEAR(sum) sum;
    memset(queued, 0, hop__bitmap_words(n) * sizeof *queued);
    for (uint64_t v = 0; v < n; v++)
        NEAR(clear)(&view, v);
    NEAR(start)(&view, source);
    queue[0] = source;
    while (count > 0) {
        hop_vertex x = queue[head];
        head = head + 1 == n ? 0 : head + 1;
        count--;
        queued[x / 64] &= ~(UINT64_C(1) << x % 64);
        const uint64_t begin = hop__offset(graph, x), end = hop__offset(graph, (uint64_t)x + 1);
        arcs += end - begin;
        if (arcs >= POLL_ARCS) {
            if (!hop__progress_add(space->context, arcs))
                return (row_verdict){.fault = FAULT_CANCELLED};
            arcs = 0;
        }
        for (uint64_t i = begin; i < end; i++) {
            hop_vertex y = targets[i];
            if (NEAR(is_skipped)(&view, x, i, y))
                continue;
            NEAR(add)(&view, x, i, &sum);
            if (!NEAR(is_less)(&view, &sum, y))
                continue;
            fit compared = NEAR(fit)(&view, &sum, y);
            if (compared == ABOVE)
                continue;
            if (compared == BELOW)
                return (row_verdict){FAULT_FAR, y, x, i, NEAR(length)(&view, &sum)};
            if (!NEAR(store)(&view, &sum, y, x))
                return (row_verdict){FAULT_CYCLE, y, x, i, 0};
            if (!hop__bitmap_get(queued, y)) {
                hop__bitmap_set(queued, y);
                queue[head + count < n ? head + count : head + count - n] = y;
                count++;
            }
        }
    }
    row_verdict verdict = {.fault = FAULT_NONE};
    for (uint64_t v = 0; v < n; v++) /* what hangs on a wrong one is farther than that */
        if (!NEAR(is_settled)(&view, v) &&
            (verdict.fault == FAULT_NONE || real_at(claim->distance_type, row, v) <
                                                real_at(claim->distance_type, row, verdict.vertex)))
            verdict = (row_verdict){FAULT_UNSUPPORTED, (hop_vertex)v, source, 0, 0};
    if (!hop__progress_add(space->context, arcs))
        verdict.fault = FAULT_CANCELLED;
    return verdict;
}

#undef NEAR
#include "graph/domain_end.h"
