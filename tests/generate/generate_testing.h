/* SPDX-License-Identifier: Apache-2.0
 * What the tests of generators share: a graph from a short description, its components by a
 * union-find of their own, and a chi-square sum. */
#ifndef HOPLITE_TESTS_GENERATE_TESTING_H
#define HOPLITE_TESTS_GENERATE_TESTING_H

#include "core/try.h"
#include "graph/graph_testing.h"

enum { SETTINGS_MOST = 8 };

/* A family and its settings; those after the first without a name are not there. */
typedef struct request {
    const char *family;
    hop_setting settings[SETTINGS_MOST];
} request;

static inline hop_generate_options options_of(const request *wanted, uint64_t seed) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = wanted->settings;
    while (options.setting_count < SETTINGS_MOST &&
           wanted->settings[options.setting_count].name != NULL)
        options.setting_count++;
    options.seed = seed;
    return options;
}

/* The graph of a request; the test fails when there is none. */
static inline hop_graph *generate_weighted(hop_context *context, const request *wanted,
                                           uint64_t seed, hop_weight_type type) {
    hop_generate_options options = options_of(wanted, seed);
    hop_graph *graph = NULL;
    options.weight_type = type;
    hop_status status = hop_graph_generate(context, wanted->family, &options, &graph);
    if (status != HOP_OK)
        fail_msg("%s: %s: %s", wanted->family, hop_status_name(status),
                 hop_context_message(context));
    assert_int_equal(hop_graph_check(context, graph), HOP_OK);
    return graph;
}

static inline hop_graph *generate(hop_context *context, const request *wanted, uint64_t seed) {
    return generate_weighted(context, wanted, seed, HOP_TYPE_NONE);
}

static inline uint64_t degree_at(const hop_graph *graph, uint64_t v) {
    return offset_of(graph, v + 1) - offset_of(graph, v);
}

static inline hop_graph_info info_of(hop_context *context, const hop_graph *graph) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    return info;
}

/* Edges, each once, as the generator's families count them. */
static inline uint64_t edges_of(hop_context *context, const hop_graph *graph) {
    return info_of(context, graph).edges;
}

static inline uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

/* The number of components; `labels`, if wanted, gets the root of each vertex. */
static inline uint64_t count_components(const hop_graph *graph, uint32_t *labels) {
    uint32_t n = hop_graph_vertices(graph);
    uint32_t *parents = malloc(sizeof *parents * (n + 1u));
    uint64_t count = n;
    for (uint32_t v = 0; v < n; v++)
        parents[v] = v;
    for (uint32_t v = 0; v < n; v++) {
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, (uint64_t)v + 1); i++) {
            uint32_t a = root_of(parents, v), b = root_of(parents, hop_graph_targets(graph)[i]);
            if (a != b) {
                parents[a > b ? a : b] = a > b ? b : a;
                count--;
            }
        }
    }
    for (uint32_t v = 0; v < n && labels != NULL; v++)
        labels[v] = root_of(parents, v);
    free(parents);
    return count;
}

/* Hops from vertex 0 along the arcs; UINT32_MAX where it does not get. */
static inline uint32_t *levels_from_zero(const hop_graph *graph) {
    uint32_t n = hop_graph_vertices(graph);
    uint32_t *levels = malloc(sizeof *levels * (n + 1u)), *queue = malloc(sizeof *queue * (n + 1u));
    memset(levels, 0xff, sizeof *levels * (n + 1u));
    uint64_t head = 0, tail = 0;
    levels[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, (uint64_t)v + 1); i++) {
            uint32_t u = hop_graph_targets(graph)[i];
            if (levels[u] == UINT32_MAX) {
                levels[u] = levels[v] + 1;
                queue[tail++] = u;
            }
        }
    }
    free(queue);
    return levels;
}

static inline int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Both graphs have the same degrees, in whatever order: so they do when only ids differ. */
static inline void assert_same_degrees(const hop_graph *a, const hop_graph *b) {
    uint32_t n = hop_graph_vertices(a);
    assert_int_equal(n, hop_graph_vertices(b));
    uint64_t *degrees = malloc(sizeof *degrees * (2 * (size_t)n + 1));
    for (uint32_t v = 0; v < n; v++) {
        degrees[v] = degree_at(a, v);
        degrees[n + v] = degree_at(b, v);
    }
    qsort(degrees, n, sizeof *degrees, compare_u64);
    qsort(degrees + n, n, sizeof *degrees, compare_u64);
    assert_memory_equal(degrees, degrees + n, sizeof *degrees * n);
    free(degrees);
}

/* Whether counts are what equal chances would give. The sum of (found - expected)^2 / expected
 * over k cells has mean k-1 and variance 2(k-1); seven deviations never happen by chance. Seeds
 * are fixed, so a test that passes once passes always. */
static inline void assert_uniform(const uint64_t *counts, size_t cells) {
    double total = 0, sum = 0;
    for (size_t i = 0; i < cells; i++)
        total += (double)counts[i];
    double expected = total / (double)cells;
    for (size_t i = 0; i < cells; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    double freedom = (double)(cells - 1);
    if (sum > freedom + 7 * sqrt(2 * freedom))
        fail_msg("chi-square %g for %zu cells of %g each", sum, cells, expected);
}

/* `found` of `total` is the share `expected`, within six standard deviations. */
static inline void assert_share(double found, double total, double expected) {
    double deviation = sqrt(expected * (1 - expected) / total);
    if (fabs(found / total - expected) > 6 * deviation + 1e-12)
        fail_msg("share %g of %g, expected %g", found / total, total, expected);
}

#endif
