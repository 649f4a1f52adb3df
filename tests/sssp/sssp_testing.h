/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of sssp share: small graphs as plain lists of arcs, and the answer by the
 * definition of sssp.h. Distances come from listing all simple paths, negative cycles from listing
 * all simple cycles, layers from relaxing hops until nothing changes. Sums that must be exact are
 * 128-bit integers in units of 2^-UNIT. Nothing of the library is used but the random numbers. */
#ifndef HOPLITE_TESTS_SSSP_TESTING_H
#define HOPLITE_TESTS_SSSP_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/sanitized_testing.h"
#include "hoplite/hoplite.h"
#include "problem/variant_testing.h"
#include "sssp/sssp_internal.h"

__extension__ typedef __int128 big;

enum { SMALL = 8, SMALL_ARCS = 128, UNIT = 60 };

/* A graph of at most SMALL vertices, by rows. */
typedef struct small_graph {
    uint32_t n, arcs;
    bool directed;
    hop_weight_type type;
    uint32_t offsets[SMALL + 1];
    uint32_t targets[SMALL_ARCS];
    union {
        int32_t i32[SMALL_ARCS];
        int64_t i64[SMALL_ARCS];
        float f32[SMALL_ARCS];
        double f64[SMALL_ARCS];
    } weights;
} small_graph;

static inline bool is_real(hop_weight_type type) {
    return type == HOP_TYPE_FLOAT32 || type == HOP_TYPE_FLOAT64;
}

static inline double small_weight(const small_graph *g, uint32_t arc) {
    switch (g->type) {
    case HOP_TYPE_INT32:
        return g->weights.i32[arc];
    case HOP_TYPE_INT64:
        return (double)g->weights.i64[arc];
    case HOP_TYPE_FLOAT32:
        return (double)g->weights.f32[arc];
    case HOP_TYPE_FLOAT64:
        return g->weights.f64[arc];
    default:
        return 1;
    }
}

static inline bool small_negative(const small_graph *g) {
    for (uint32_t i = 0; i < g->arcs; i++)
        if (small_weight(g, i) < 0)
            return true;
    return false;
}

/* The weight in units of 2^-UNIT (floating point) or 1. */
static inline big small_units(const small_graph *g, uint32_t arc) {
    if (g->type == HOP_TYPE_INT64)
        return g->weights.i64[arc];
    double w = small_weight(g, arc);
    if (!is_real(g->type))
        return (big)w;
    /* 53 bits at a time: the product must be a whole number. */
    double scaled = ldexp(w, UNIT);
    big units = (big)scaled;
    if ((double)units != scaled)
        fail_msg("weight %.17g is no multiple of 2^-%d", w, UNIT);
    return units;
}

/* Writes a weight; the same value for both arcs of an edge. */
static inline void small_set(small_graph *g, uint32_t arc, double w) {
    switch (g->type) {
    case HOP_TYPE_INT32:
        g->weights.i32[arc] = (int32_t)w;
        break;
    case HOP_TYPE_INT64:
        g->weights.i64[arc] = w >= 0x1p63 ? INT64_MAX : (int64_t)w;
        break;
    case HOP_TYPE_FLOAT32:
        g->weights.f32[arc] = (float)w;
        break;
    case HOP_TYPE_FLOAT64:
        g->weights.f64[arc] = w;
        break;
    default:
        break;
    }
}

static inline hop_graph *small_build(hop_context *context, const small_graph *g) {
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    csr.vertices = g->n;
    csr.offsets = g->offsets;
    csr.targets = g->targets;
    csr.weights = g->type == HOP_TYPE_NONE ? NULL : (const void *)&g->weights;
    csr.weight_type = g->type;
    options.directed = g->directed;
    if (hop_graph_from_csr(context, &csr, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* A length under way: rounded at each step, or exact. */
typedef struct length {
    big exact;
    double real;
} length;

typedef struct question {
    const small_graph *g;
    const hop_vertex *sources;
    hop_vertex source_count;
    const hop_vertex *targets;
    hop_vertex target_count;
    double cutoff;
    hop_vertex nearest;
} question;

/* The answer to a question, by the definition. */
typedef struct answer {
    bool cycle;  /* a negative one that a source reaches */
    bool beyond; /* a distance does not fit its type */
    bool rounded;
    bool reached[SMALL];
    length d[SMALL];
    union {
        int64_t i64[SMALL];
        float f32[SMALL];
        double f64[SMALL];
    } distances;
    hop_vertex parents[SMALL];
} answer;

static inline length length_add(const answer *a, const small_graph *g, length from, uint32_t arc) {
    length sum = {0, 0};
    if (!a->rounded)
        sum.exact = from.exact + small_units(g, arc);
    else if (g->type == HOP_TYPE_FLOAT32)
        sum.real = (double)((float)from.real + g->weights.f32[arc]);
    else
        sum.real = from.real + g->weights.f64[arc];
    return sum;
}

static inline int length_order(const answer *a, length x, length y) {
    if (a->rounded)
        return (x.real > y.real) - (x.real < y.real);
    return (x.exact > y.exact) - (x.exact < y.exact);
}

static inline bool arc_counts(const small_graph *g, uint32_t arc) {
    return !is_real(g->type) || small_weight(g, arc) < HUGE_VAL;
}

/* All simple paths from v on; `on` has the vertices of the path so far. */
static inline void list_paths(const small_graph *g, answer *a, hop_vertex v, length d,
                              unsigned on) {
    if (a->rounded && isinf(g->type == HOP_TYPE_FLOAT32 ? (double)(float)d.real : d.real))
        return;
    if (!a->reached[v] || length_order(a, d, a->d[v]) < 0)
        a->d[v] = d;
    a->reached[v] = true;
    for (uint32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
        if (arc_counts(g, i) && !(on >> g->targets[i] & 1))
            list_paths(g, a, g->targets[i], length_add(a, g, d, i), on | 1u << g->targets[i]);
}

/* Whether a simple cycle through `start` and larger vertices has a negative sum. */
static inline bool list_cycles(const small_graph *g, hop_vertex start, hop_vertex v, big sum,
                               unsigned on) {
    for (uint32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        hop_vertex w = g->targets[i];
        if (!arc_counts(g, i) || w < start)
            continue;
        if (w == start && sum + small_units(g, i) < 0)
            return true;
        if (!(on >> w & 1) && list_cycles(g, start, w, sum + small_units(g, i), on | 1u << w))
            return true;
    }
    return false;
}

static inline bool is_tight(const answer *a, const small_graph *g, hop_vertex u, uint32_t arc) {
    hop_vertex v = g->targets[arc];
    return a->reached[u] && a->reached[v] && arc_counts(g, arc) &&
           length_order(a, length_add(a, g, a->d[u], arc), a->d[v]) == 0;
}

static inline bool is_zero_source(const question *q, const answer *a, hop_vertex v) {
    for (hop_vertex i = 0; i < q->source_count; i++)
        if (q->sources[i] == v)
            return a->reached[v] && a->d[v].exact == 0 && a->d[v].real == 0;
    return false;
}

/* Parents by the definition: `negative` says which. */
static inline void define_parents(const question *q, answer *a, bool negative) {
    const small_graph *g = q->g;
    unsigned layer[SMALL];
    for (hop_vertex v = 0; v < g->n; v++) {
        a->parents[v] = is_zero_source(q, a, v) ? v : HOP_NO_VERTEX;
        layer[v] = a->parents[v] == v ? 0 : 1000;
    }
    for (hop_vertex u = 0; u < g->n && !negative; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            hop_vertex v = g->targets[i];
            if (!is_tight(a, g, u, i) || length_order(a, a->d[u], a->d[v]) >= 0)
                continue;
            a->parents[v] = u < a->parents[v] ? u : a->parents[v];
            layer[v] = 0;
        }
    for (unsigned round = 0; round < g->n; round++)
        for (hop_vertex u = 0; u < g->n; u++)
            for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
                if (is_tight(a, g, u, i) && layer[u] + 1 < layer[g->targets[i]])
                    layer[g->targets[i]] = layer[u] + 1;
    for (hop_vertex u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            hop_vertex v = g->targets[i];
            if (is_tight(a, g, u, i) && layer[v] > 0 && layer[u] + 1 == layer[v] &&
                u < a->parents[v])
                a->parents[v] = u;
        }
}

/* Distances in their type. */
static inline void write_distance(const small_graph *g, answer *a, hop_vertex v) {
    length d = a->d[v];
    if (g->type == HOP_TYPE_FLOAT32)
        a->distances.f32[v] = a->rounded ? (float)d.real : ldexpf((float)d.exact, -UNIT);
    else if (g->type == HOP_TYPE_FLOAT64)
        a->distances.f64[v] = a->rounded ? d.real : ldexp((double)d.exact, -UNIT);
    else
        a->distances.i64[v] = (int64_t)d.exact;
}

static inline bool fits_type(const small_graph *g, const answer *a, hop_vertex v) {
    return is_real(g->type) || (a->d[v].exact >= INT64_MIN && a->d[v].exact < INT64_MAX);
}

static inline double answer_double(const small_graph *g, const answer *a, hop_vertex v) {
    return g->type == HOP_TYPE_FLOAT32   ? (double)a->distances.f32[v]
           : g->type == HOP_TYPE_FLOAT64 ? a->distances.f64[v]
                                         : (double)a->distances.i64[v];
}

/* Whether u is no farther than v, as distances of the type are. */
static inline bool is_as_near(const small_graph *g, const answer *a, hop_vertex u, hop_vertex v) {
    return is_real(g->type) ? answer_double(g, a, u) <= answer_double(g, a, v)
                            : length_order(a, a->d[u], a->d[v]) <= 0;
}

/* Of the vertices that have enough others as near, the nearest; HOP_NO_VERTEX: there is none. */
static inline hop_vertex last_nearest(const question *q, const answer *a) {
    hop_vertex last = HOP_NO_VERTEX, enough = q->nearest;
    unsigned seen = 0;
    for (hop_vertex i = 0; i < q->source_count; i++) {
        enough += !(seen >> q->sources[i] & 1);
        seen |= 1u << q->sources[i];
    }
    for (hop_vertex v = 0; q->nearest > 0 && v < q->g->n; v++) {
        hop_vertex near = 0;
        for (hop_vertex u = 0; u < q->g->n && a->reached[v]; u++)
            near += a->reached[u] && is_as_near(q->g, a, u, v);
        if (near >= enough && answer_double(q->g, a, v) <= q->cutoff &&
            (last == HOP_NO_VERTEX || is_as_near(q->g, a, v, last)))
            last = v;
    }
    return last;
}

static inline void apply_limits(const question *q, answer *a, bool negative) {
    const small_graph *g = q->g;
    bool keep[SMALL] = {false}, all = q->target_count > 0, over = false;
    hop_vertex farthest = HOP_NO_VERTEX;
    for (hop_vertex v = 0; v < g->n; v++)
        if (a->reached[v] && !fits_type(g, a, v)) {
            over = true;
            a->reached[v] = false;
        }
    for (hop_vertex i = 0; i < q->target_count; i++) {
        hop_vertex t = q->targets[i];
        if (!a->reached[t] || answer_double(g, a, t) > q->cutoff)
            all = false;
        else if (farthest == HOP_NO_VERTEX || length_order(a, a->d[farthest], a->d[t]) < 0)
            farthest = t;
    }
    hop_vertex near = last_nearest(q, a);
    if (near != HOP_NO_VERTEX && (!all || is_as_near(g, a, near, farthest))) {
        farthest = near;
        all = true;
    }
    for (hop_vertex v = 0; v < g->n; v++) {
        bool within = a->reached[v] && answer_double(g, a, v) <= q->cutoff;
        if (all && within) /* as far as the farthest when rounded to the type: stays */
            within = is_as_near(g, a, v, farthest);
        for (hop_vertex u = v; within && !keep[u]; u = negative ? a->parents[u] : u)
            keep[u] = true;
    }
    for (hop_vertex v = 0; v < g->n; v++)
        a->reached[v] = a->reached[v] && keep[v];
    a->beyond = over && (negative || (!all && q->cutoff >= 0x1p63));
}

static inline void write_none(const small_graph *g, answer *a, hop_vertex v) {
    if (g->type == HOP_TYPE_FLOAT32)
        a->distances.f32[v] = INFINITY;
    else if (g->type == HOP_TYPE_FLOAT64)
        a->distances.f64[v] = INFINITY;
    else
        a->distances.i64[v] = HOP_NO_DISTANCE;
    a->parents[v] = HOP_NO_VERTEX;
}

static inline void solve_small(const question *q, answer *a) {
    const small_graph *g = q->g;
    bool negative = small_negative(g);
    memset(a, 0, sizeof *a);
    a->rounded = is_real(g->type) && !negative;
    for (hop_vertex i = 0; i < q->source_count; i++)
        list_paths(g, a, q->sources[i], (length){0, 0}, 1u << q->sources[i]);
    for (hop_vertex v = 0; v < g->n && negative; v++)
        if (a->reached[v] && list_cycles(g, v, v, 0, 1u << v))
            a->cycle = true;
    /* A cycle's smallest vertex is reached when any of it is. */
    for (hop_vertex v = 0; v < g->n; v++)
        if (a->reached[v])
            write_distance(g, a, v);
    if (a->cycle)
        return;
    define_parents(q, a, negative);
    apply_limits(q, a, negative);
    for (hop_vertex v = 0; v < g->n; v++)
        if (!a->reached[v])
            write_none(g, a, v);
}

static inline size_t distance_size(const small_graph *g) {
    return g->type == HOP_TYPE_FLOAT32 ? 4 : 8;
}

/* Prints what failed, so that it can be tried again by hand. */
static inline void describe_small(const question *q) {
    const small_graph *g = q->g;
    fprintf(stderr, "%s %s n=%u cutoff=%g sources", g->directed ? "directed" : "undirected",
            hop_type_name(g->type), g->n, q->cutoff);
    for (hop_vertex i = 0; i < q->source_count; i++)
        fprintf(stderr, " %u", q->sources[i]);
    fprintf(stderr, " targets");
    for (hop_vertex i = 0; i < q->target_count; i++)
        fprintf(stderr, " %u", q->targets[i]);
    fprintf(stderr, " arcs");
    for (hop_vertex u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            fprintf(stderr, " %u-%u:%.17g", u, g->targets[i], small_weight(g, i));
    fprintf(stderr, "\n");
}

static inline void assert_answer(const question *q, const answer *a, const char *variant,
                                 const void *distances, const hop_vertex *parents) {
    const small_graph *g = q->g;
    for (hop_vertex v = 0; v < g->n; v++) {
        bool same = !distances || memcmp((const char *)distances + v * distance_size(g),
                                         (const char *)&a->distances + v * distance_size(g),
                                         distance_size(g)) == 0;
        if (same && (!parents || parents[v] == a->parents[v]))
            continue;
        describe_small(q);
        double got = !distances                    ? 0
                     : g->type == HOP_TYPE_FLOAT32 ? (double)((const float *)distances)[v]
                     : g->type == HOP_TYPE_FLOAT64 ? ((const double *)distances)[v]
                                                   : (double)((const int64_t *)distances)[v];
        fail_msg("%s: vertex %u: distance %.17g, expected %.17g; parent %u, expected %u", variant,
                 v, got, answer_double(g, a, v), parents ? parents[v] : a->parents[v],
                 a->parents[v]);
    }
}

/* Undirected graph number `bits` on n vertices, without weights: bit k is the k-th pair (u < v). */
static inline void small_undirected(small_graph *g, uint32_t n, uint64_t bits) {
    bool edge[SMALL][SMALL] = {{false}};
    unsigned k = 0;
    memset(g, 0, sizeof *g);
    g->n = n;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++, k++)
            edge[u][v] = edge[v][u] = bits >> k & 1;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if (edge[u][v])
                g->targets[g->arcs++] = v;
        g->offsets[u + 1] = g->arcs;
    }
}

/* Directed graph number `bits`: bit k is the k-th ordered pair, loops included if `loops`. */
static inline void small_directed(small_graph *g, uint32_t n, uint64_t bits, bool loops) {
    unsigned k = 0;
    memset(g, 0, sizeof *g);
    g->n = n;
    g->directed = true;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if ((loops || u != v) && bits >> k++ & 1)
                g->targets[g->arcs++] = v;
        g->offsets[u + 1] = g->arcs;
    }
}

/* Gives the edge between u and v the weight pick(seed, index); the same in both directions of an
 * undirected graph. */
typedef double (*weight_fn)(uint64_t random);
static inline void small_weigh(small_graph *g, hop_weight_type type, weight_fn pick,
                               uint64_t seed) {
    g->type = type;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            uint32_t v = g->targets[i];
            bool turned = !g->directed && v < u;
            uint64_t pair = turned ? v * SMALL + u : u * SMALL + v;
            /* Parallel arcs differ, in an undirected graph too: by their place among equals. */
            uint32_t place = 0;
            while (i > g->offsets[u] + place && g->targets[i - place - 1] == v)
                place++;
            small_set(g, i, pick(hop__random_at(seed, place, pair)));
        }
}

/* Whether a variant takes weights below 0. */
static inline bool takes_negative(const char *variant) {
    return strstr(variant, "bellman-ford") != NULL;
}

static inline hop_context *make_context(unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Frees a context that must have nothing left, but the cycle that it keeps for its caller. */
static inline void free_context(hop_context *context) {
    hop__cycle_drop(context);
    assert_int_equal(hop_context_memory_used(context), 0);
    hop_context_free(context);
}

static inline void assert_message(const hop_context *context, const char *part) {
    if (!strstr(hop_context_message(context), part))
        fail_msg("'%s' is not in '%s'", part, hop_context_message(context));
}

#endif
