/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes that are hard for parallel searches, and a check of a shape by every variant that takes
 * it, with 1, 2, 3, 4 and 8 threads: the same bits as dijkstra gives on one thread, which the other
 * tests compare with brute force, and a certificate. */
#ifndef HOPLITE_TESTS_SSSP_SHAPES_H
#define HOPLITE_TESTS_SSSP_SHAPES_H

#include "sssp/sssp_testing.h"

#include "core/try.h"
#include "span_testing.h"

/* A graph of edges; weights are exact in the type. */
typedef struct shape {
    const char *name;
    uint32_t n;
    uint64_t m, room;
    uint32_t *from, *to;
    double *weights;
    bool directed;
    bool reverse;      /* arcs by target are prepared */
    hop_vertex source; /* 0: vertex 1 */
} shape;

static inline void add_edge(shape *s, uint64_t u, uint64_t v, double weight) {
    if (s->m == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->from = realloc(s->from, s->room * 4);
        s->to = realloc(s->to, s->room * 4);
        s->weights = realloc(s->weights, s->room * 8);
    }
    s->from[s->m] = (uint32_t)u;
    s->to[s->m] = (uint32_t)v;
    s->weights[s->m++] = weight;
}

static inline void free_shape(shape *s) {
    free(s->from);
    free(s->to);
    free(s->weights);
}

static inline hop_graph *build_shape(hop_context *context, const shape *s, hop_weight_type type) {
    void *weights = malloc(s->m * 8 + 8);
    for (uint64_t i = 0; i < s->m; i++)
        switch (type) {
        case HOP_TYPE_INT32:
            ((int32_t *)weights)[i] = (int32_t)s->weights[i];
            break;
        case HOP_TYPE_INT64:
            ((int64_t *)weights)[i] = (int64_t)s->weights[i];
            break;
        case HOP_TYPE_FLOAT32: /* not exact, so that sums are rounded */
            ((float *)weights)[i] = (float)(s->weights[i] * 0.1);
            break;
        default:
            ((double *)weights)[i] = s->weights[i] * 0.1;
            break;
        }
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = s->m;
    edges.from = s->from;
    edges.to = s->to;
    edges.weights = type == HOP_TYPE_NONE ? NULL : weights;
    edges.weight_type = type;
    options.vertices = s->n;
    options.directed = s->directed;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free(weights);
    return graph;
}

/* Weight number i: uniform from 1 to 255. */
static inline double plain_weight(uint64_t i) {
    return 1 + (double)(hop__random_at(7, 1, i) % 255);
}

static inline double zero_or_one(uint64_t i) {
    return (double)(hop__random_at(7, 2, i) % 2);
}

static inline double zero(uint64_t i) {
    (void)i;
    return 0;
}

static inline double one_outlier(uint64_t i) {
    return i == 5 ? 1e9 : 1;
}

/* 2^-0 to 2^28: of any size. */
static inline double any_size(uint64_t i) {
    uint64_t random = hop__random_at(7, 3, i);
    return (double)(random >> 40 >> (random % 24)) * 16;
}

/* Sums leave 31 bits, on all ways or on some. */
static inline double beyond_31_bits(uint64_t i) {
    return 400000000 + (double)(hop__random_at(7, 4, i) % 1000);
}

/* Multiples of the least float32, or of the least float64: see build_shape. */
static inline double least_float(uint64_t i) {
    return 0x1p-149 * 10 * (double)(i % 16 == 0 ? 1 + i / 16 % 4 : 1);
}

static inline double least_double(uint64_t i) {
    return 0x1p-1074 * 10 * (double)(i % 16 == 0 ? 1 + i / 16 % 4 : 1);
}

static inline double mostly_small(uint64_t i) {
    return i % 7 == 0 ? 500000000 : (double)(i % 50);
}

typedef double (*weigher)(uint64_t i);

static inline shape random_shape(uint32_t n, uint64_t m, bool directed, bool skewed,
                                 weigher weigh) {
    shape s = {.name = skewed ? "skewed" : "random", .n = n, .directed = directed};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = hop__random_below(hop__random_at(9, 1, i), n);
        uint64_t v = hop__random_below(hop__random_at(9, 2, i), n);
        if (skewed)
            v = v * v / n * v / n;
        add_edge(&s, u, v, weigh(i));
    }
    return s;
}

/* Vertices around a circle, joined with others near them: many buckets. */
static inline shape band_shape(uint32_t n, uint64_t m, weigher weigh) {
    shape s = {.name = "band", .n = n};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = hop__random_below(hop__random_at(9, 8, i), n);
        add_edge(&s, u, (u + 1 + hop__random_at(9, 9, i) % 40) % n,
                 weigh(hop__random_at(9, 10, i)));
    }
    return s;
}

static inline shape grid_shape(uint32_t side, weigher weigh) {
    shape s = {.name = "grid", .n = side * side};
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            if (x + 1 < side)
                add_edge(&s, y * side + x, y * side + x + 1, weigh(s.m));
            if (y + 1 < side)
                add_edge(&s, y * side + x, (y + 1) * side + x, weigh(s.m));
        }
    return s;
}

static inline shape star_shape(uint32_t n, bool two, weigher weigh) {
    shape s = {.name = two ? "two stars" : "star", .n = n};
    for (uint32_t v = 1; v < n; v++)
        add_edge(&s, two && v > n / 2 ? n / 2 : 0, v, weigh(v));
    return s;
}

/* A queue that is nearly full when a horizon is set: the hubs, one after the other, bring the same
 * vertices a little nearer, so that useless entries are purged and one far vertex is left in their
 * bin. Its arc to another is the shortest way there, just beyond the horizon. */
static inline shape purged_shape(uint32_t rest) {
    enum { HUBS = 60, NEARER = 1500, EDGES = 300000 };
    const uint32_t source = 1, hub = 2, nearer = hub + HUBS, far = nearer + NEARER, last = far + 1;
    shape s = {.name = "purged before a horizon", .n = last + 1 + rest};
    add_edge(&s, source, hub, 3480);
    for (uint32_t i = 0; i + 1 < HUBS; i++)
        add_edge(&s, hub + i, hub + i + 1, 1);
    for (uint32_t i = 0; i < HUBS; i++)
        for (uint32_t k = 0; k < NEARER; k++)
            add_edge(&s, hub + i, nearer + k, 620 - 2 * i);
    for (uint32_t k = 0; k < rest; k++)
        add_edge(&s, hub, last + 1 + k, 60000);
    add_edge(&s, hub, far, 2720);
    add_edge(&s, far, last, 100);
    add_edge(&s, nearer + 3, last, 2600);
    for (uint64_t i = 0; i < EDGES; i++)
        add_edge(&s, last + 1 + hop__random_at(9, 3, i) % rest,
                 last + 1 + hop__random_at(9, 4, i) % rest,
                 3000 + (double)(hop__random_at(9, 5, i) % 50));
    return s;
}

static inline shape path_shape(uint32_t n, weigher weigh) {
    shape s = {.name = "path", .n = n};
    for (uint32_t v = 0; v + 1 < n; v++)
        add_edge(&s, v, v + 1, weigh(v));
    return s;
}

/* Each vertex makes all later ones nearer: as many useless entries as can be. */
static inline shape falling_shape(uint32_t n) {
    shape s = {.name = "falling", .n = n, .directed = true};
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            add_edge(&s, u, v, (double)(v - u) * (v - u));
    return s;
}

typedef struct solution {
    void *distances;
    hop_vertex *parents;
    hop_status status;
} solution;

static inline solution solve(hop_context *context, const hop_graph *graph, const char *variant,
                             hop_certify certify, double delta, hop_vertex source) {
    uint32_t n = hop_graph_vertices(graph);
    solution s = {malloc(n * 8), malloc(n * 4), HOP_OK};
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_setting setting = {.name = "delta", .value = delta};
    memset(s.distances, 0x55, n * 8);
    run.variant = variant;
    run.certify = certify;
    run.settings = &setting;
    run.setting_count = delta > 0;
    options.run = &run;
    s.status = hop_sssp(context, graph, &source, 1, &options, ROOM(graph, s.distances), s.parents);
    return s;
}

static inline void free_solution(solution *s) {
    free(s->distances);
    free(s->parents);
}

static inline void compare(const hop_context *context, const shape *shape_, hop_weight_type type,
                           const char *variant, unsigned threads, const solution *mine,
                           const solution *right) {
    size_t size = type == HOP_TYPE_FLOAT32 ? 4 : 8;
    if (mine->status != right->status)
        fail_msg("%s, %s: %s", shape_->name, variant, hop_context_message(context));
    for (uint32_t v = 0; v < shape_->n && mine->status == HOP_OK; v++)
        if (memcmp((char *)mine->distances + v * size, (char *)right->distances + v * size, size) !=
                0 ||
            mine->parents[v] != right->parents[v])
            fail_msg("%s, %s, %s, %u threads: vertex %u differs; parent %u, expected %u",
                     shape_->name, variant, hop_type_name(type), threads, v, mine->parents[v],
                     right->parents[v]);
}

/* The thread sanitizer makes everything ten times as slow, and needs two teams to see races. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHAPE_THREADS                                                                              \
    { 2, 4 }
#endif
#endif
#if !defined(SHAPE_THREADS)
#define SHAPE_THREADS                                                                              \
    { 1, 2, 3, 4, 8 }
#endif

/* Every variant on every number of threads, `repeats` times. */
static inline void check_shape(shape s, hop_weight_type type, double delta, unsigned repeats) {
    static const unsigned threads[] = SHAPE_THREADS;
    hop_context *alone = make_context(1);
    hop_graph *graph = build_shape(alone, &s, type);
    hop_vertex source = s.source ? s.source : 1;
    if (s.reverse)
        assert_int_equal(hop_graph_prepare(alone, graph, HOP_PREPARE_REVERSE), HOP_OK);
    solution right = solve(alone, graph, "dijkstra", HOP_CERTIFY_CANONICAL, 0, source);
    for (size_t i = 0; i < HOP_LENGTH(threads); i++) {
        hop_context *context = make_context(threads[i]);
        for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_SSSP); k++) {
            const hop_variant *variant = hop_variant_at(HOP_PROBLEM_SSSP, k);
            bool stepping = strcmp(variant->name, "delta-stepping") == 0;
            /* Those that are slow, or alone in any case, once. */
            if (!stepping && (i > 0 || delta > 0 || s.m > 100000))
                continue;
            for (unsigned r = 0; r < (stepping ? repeats : 1); r++) {
                solution mine = solve(context, graph, variant->name,
                                      r == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE,
                                      stepping ? delta : 0, source);
                compare(context, &s, type, variant->name, threads[i], &mine, &right);
                free_solution(&mine);
            }
        }
        free_context(context);
    }
    free_solution(&right);
    hop_graph_release(graph);
    free_context(alone);
    free_shape(&s);
}

#endif
