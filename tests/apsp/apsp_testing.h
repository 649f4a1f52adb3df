/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of apsp share: small graphs as plain matrices of arcs, and all distances by the
 * definition: arcs are relaxed, source after source, in the order of their ends, until nothing
 * changes. Nothing of the library is used but the random numbers. */
#ifndef HOPLITE_TESTS_APSP_TESTING_H
#define HOPLITE_TESTS_APSP_TESTING_H

#include "core/core_testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/rng.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"

/* Plain arcs by rows. */
typedef struct plain_graph {
    uint32_t n;
    bool directed;
    hop_weight_type type;
    uint32_t *offsets, *targets;
    uint64_t *long_offsets; /* NULL, or given to the library instead */
    void *weights;          /* of the type */
    uint32_t arcs, room;
} plain_graph;

static inline bool is_real(hop_weight_type type) {
    return type == HOP_TYPE_FLOAT32 || type == HOP_TYPE_FLOAT64;
}

static inline void assert_says(const hop_context *context, const char *part) {
    if (!strstr(hop_context_message(context), part))
        fail_msg("'%s' is not in '%s'", part, hop_context_message(context));
}

static inline plain_graph plain_make(uint32_t n, bool directed, hop_weight_type type,
                                     uint32_t room) {
    plain_graph g = {.n = n, .directed = directed, .type = type, .room = room};
    g.offsets = calloc((size_t)n + 1, 4);
    g.targets = calloc((size_t)room + 1, 4);
    g.weights = calloc((size_t)room + 1, 8);
    return g;
}

static inline void plain_free(plain_graph *g) {
    free(g->offsets);
    free(g->long_offsets);
    free(g->targets);
    free(g->weights);
}

static inline void plain_set(plain_graph *g, uint32_t arc, double weight) {
    switch (g->type) {
    case HOP_TYPE_INT32:
        ((int32_t *)g->weights)[arc] = (int32_t)weight;
        break;
    case HOP_TYPE_INT64:
        ((int64_t *)g->weights)[arc] = (int64_t)weight;
        break;
    case HOP_TYPE_FLOAT32:
        ((float *)g->weights)[arc] = (float)weight;
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)g->weights)[arc] = weight;
        break;
    default:
        break;
    }
}

/* Arcs must come row by row, each row sorted; ends a row by plain_end_row. */
static inline void plain_arc(plain_graph *g, uint32_t to, double weight) {
    assert_true(g->arcs < g->room);
    g->targets[g->arcs] = to;
    plain_set(g, g->arcs++, weight);
}

static inline void plain_end_row(plain_graph *g, uint32_t u) {
    g->offsets[u + 1] = g->arcs;
}

static inline hop_graph *plain_borrow(hop_context *context, const plain_graph *g) {
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    csr.vertices = g->n;
    csr.offsets = g->long_offsets ? (const void *)g->long_offsets : g->offsets;
    csr.offset_bytes = g->long_offsets ? 8 : 4;
    csr.targets = g->targets;
    csr.weights = g->type == HOP_TYPE_NONE ? NULL : g->weights;
    csr.weight_type = g->type;
    options.directed = g->directed;
    if (hop_graph_from_csr(context, &csr, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* From now on the library gets 64-bit offsets. */
static inline void plain_widen(plain_graph *g) {
    g->long_offsets = calloc((size_t)g->n + 1, 8);
    for (uint32_t u = 0; u <= g->n; u++)
        g->long_offsets[u] = g->offsets[u];
}

/* Bytes of a distance of this type. */
static inline size_t distance_size(hop_weight_type type) {
    return type == HOP_TYPE_INT32 || type == HOP_TYPE_FLOAT32 ? 4 : 8;
}

/* Distances as this file keeps them: integers, or reals that hold floats exactly. */
typedef union distance {
    int64_t integer;
    double real;
} distance;

static inline int64_t plain_integer(const plain_graph *g, uint32_t arc) {
    return g->type == HOP_TYPE_INT32   ? ((const int32_t *)g->weights)[arc]
           : g->type == HOP_TYPE_INT64 ? ((const int64_t *)g->weights)[arc]
                                       : 1;
}

static inline double plain_real(const plain_graph *g, uint32_t arc) {
    return g->type == HOP_TYPE_FLOAT32 ? (double)((const float *)g->weights)[arc]
                                       : ((const double *)g->weights)[arc];
}

/* One pass over all arcs; whether something changed. */
static inline bool relax_all(const plain_graph *g, distance *d) {
    bool changed = false;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            uint32_t v = g->targets[i];
            if (is_real(g->type)) {
                double sum = d[u].real + plain_real(g, i);
                if (g->type == HOP_TYPE_FLOAT32)
                    sum = (double)(float)sum;
                if (sum < d[v].real) {
                    d[v].real = sum;
                    changed = true;
                }
            } else if (d[u].integer != INT64_MAX &&
                       d[u].integer + plain_integer(g, i) < d[v].integer) {
                d[v].integer = d[u].integer + plain_integer(g, i);
                changed = true;
            }
        }
    return changed;
}

/* All distances of integers, or of reals that are not negative or add up without rounding. False
 * when there is a negative cycle: distances change after n passes. */
static inline bool plain_solve(const plain_graph *g, distance *matrix) {
    for (uint32_t s = 0; s < g->n; s++) {
        distance *row = matrix + (size_t)s * g->n;
        for (uint32_t v = 0; v < g->n; v++) {
            if (is_real(g->type))
                row[v].real = HUGE_VAL;
            else
                row[v].integer = INT64_MAX;
        }
        if (is_real(g->type))
            row[s].real = 0;
        else
            row[s].integer = 0;
        uint32_t passes = 0;
        while (relax_all(g, row))
            if (++passes > g->n)
                return false;
    }
    return true;
}

/* Entry i of a matrix of the library is exactly what it should be. */
static inline bool is_same(hop_weight_type type, const void *matrix, size_t i, distance right) {
    float f = (float)right.real;
    switch (type) {
    case HOP_TYPE_INT32:
        return ((const int32_t *)matrix)[i] ==
               (right.integer == INT64_MAX ? INT32_MAX : (int32_t)right.integer);
    case HOP_TYPE_INT64:
        return ((const int64_t *)matrix)[i] == right.integer;
    case HOP_TYPE_FLOAT32:
        return memcmp((const float *)matrix + i, &f, 4) == 0;
    default:
        return memcmp((const double *)matrix + i, &right.real, 8) == 0;
    }
}

static inline double as_double(hop_weight_type type, const void *matrix, size_t i) {
    switch (type) {
    case HOP_TYPE_INT32:
        return ((const int32_t *)matrix)[i];
    case HOP_TYPE_INT64:
        return (double)((const int64_t *)matrix)[i];
    case HOP_TYPE_FLOAT32:
        return (double)((const float *)matrix)[i];
    default:
        return ((const double *)matrix)[i];
    }
}

/* As the library states the tolerance. */
static inline bool is_close(hop_weight_type type, uint32_t n, double a, double b) {
    double epsilon = type == HOP_TYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    if (!isfinite(a) || !isfinite(b))
        return a == b;
    return fabs(a - b) <= (n - 1) * epsilon * (a > b ? a : b);
}

static inline void describe_plain(const plain_graph *g) {
    fprintf(stderr, "%u vertices, %s, %s:", g->n, g->directed ? "directed" : "undirected",
            hop_type_name(g->type));
    for (uint32_t u = 0; u < g->n && g->n <= 8; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            fprintf(stderr, " %u-%u(%.17g)", u, g->targets[i],
                    is_real(g->type) ? plain_real(g, i) : (double)plain_integer(g, i));
    fprintf(stderr, "\n");
}

/* Options for a run of a variant (NULL: auto) that reports. */
typedef struct asked {
    hop_apsp_options options;
    hop_run run;
    hop_report report;
} asked;

static inline void ask(asked *a, const char *variant, hop_weight_type type, hop_certify certify) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    a->options = options;
    a->run = run;
    a->report = report;
    a->options.run = &a->run;
    a->options.distance_type = type;
    a->run.variant = variant;
    a->run.certify = certify;
    a->run.report = &a->report;
}

/* The arc from u is put where it belongs in the row of u, which is the last one. */
static inline void plain_insert(plain_graph *g, uint32_t u, uint32_t to, double weight) {
    uint32_t at = g->arcs;
    size_t size = g->type == HOP_TYPE_INT32 || g->type == HOP_TYPE_FLOAT32 ? 4 : 8;
    plain_arc(g, to, weight);
    for (; at > g->offsets[u] && g->targets[at - 1] > to; at--) {
        g->targets[at] = g->targets[at - 1];
        memcpy((char *)g->weights + at * size, (char *)g->weights + (at - 1) * size, size);
    }
    g->targets[at] = to;
    plain_set(g, at, weight);
}

/* A random graph: `degree` arcs out of each vertex on average, loops and parallel arcs included,
 * weights low, low + step, ... low + (steps - 1) * step. */
static inline plain_graph plain_random(uint32_t n, uint32_t degree, bool directed,
                                       hop_weight_type type, double low, uint32_t steps,
                                       double step, uint64_t seed) {
    uint32_t edges = n * degree / (directed ? 1 : 2);
    plain_graph g = plain_make(n, directed, type, 2 * edges);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t e = 0; e < edges; e++) {
            uint32_t from = (uint32_t)(hop__random_at(seed, 1, e) % n);
            uint32_t to = (uint32_t)(hop__random_at(seed, 2, e) % n);
            double weight = low + step * (double)(hop__random_at(seed, 3, e) % steps);
            if (from == u)
                plain_insert(&g, u, to, weight);
            else if (to == u && !directed)
                plain_insert(&g, u, from, weight);
        }
        plain_end_row(&g, u);
    }
    return g;
}

/* The graph whose edges are the bits of a number. */
static inline plain_graph plain_numbered(uint32_t n, bool directed, uint32_t bits) {
    plain_graph g = plain_make(n, directed, HOP_TYPE_NONE, n * n);
    bool edge[8][8] = {{false}};
    for (uint32_t u = 0, bit = 0; u < n; u++)
        for (uint32_t v = 0; v < n; v++)
            if (directed ? u != v : u < v) {
                edge[u][v] = bits >> bit++ & 1;
                if (!directed)
                    edge[v][u] = edge[u][v];
            }
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if (edge[u][v])
                plain_arc(&g, v, 1);
        plain_end_row(&g, u);
    }
    return g;
}

#endif
