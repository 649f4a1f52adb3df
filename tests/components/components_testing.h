/* SPDX-License-Identifier: Apache-2.0
 * What the tests of components share: running a variant, generated graphs, and labels by brute
 * force. */
#ifndef HOPLITE_TESTS_COMPONENTS_TESTING_H
#define HOPLITE_TESTS_COMPONENTS_TESTING_H

#include "core/sanitized_testing.h"
#include "graph/graph_testing.h"
#include "problem/report.h"
#include "problem/variant_testing.h"

static inline hop_graph *generated(hop_context *context, const char *family,
                                   const hop_setting *settings, size_t count, uint64_t seed) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = count;
    options.seed = seed;
    if (hop_graph_generate(context, family, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

static inline hop_graph *graph_of_pairs(hop_context *context, uint32_t n, uint64_t count,
                                        const uint32_t *from, const uint32_t *to, bool directed) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = count;
    edges.from = from;
    edges.to = to;
    edges.id_bytes = 4;
    options.vertices = n;
    options.directed = directed;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* A graph of every family, small enough for brute force. */
static const struct {
    const char *family;
    hop_setting settings[4];
    size_t count;
} families[] = {
    {"rmat", {{"scale", 12}, {"edge-factor", 4}}, 2},
    {"rmat", {{"scale", 12}, {"edge-factor", 1}, {"directed", 1}}, 3},
    {"grid", {{"rows", 70}, {"cols", 60}}, 2},
    {"list-graph", {{"n", 5000}, {"count", 17}}, 2},
    {"tree-graph", {{"n", 5000}, {"count", 3}, {"k", 4}}, 3},
    {"erdos-renyi", {{"n", 5000}, {"m", 3000}}, 2},
    {"fanout", {{"n", 5000}, {"k", 4}}, 2},
    {"degree", {{"n", 3000}, {"min-degree", 0}, {"max-degree", 2}}, 3},
    {"density", {{"m", 20000}, {"delta", 0.01}}, 2},
    {"road", {{"rows", 60}, {"cols", 60}}, 2},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static inline hop_graph *family_graph(hop_context *context, size_t i) {
    return generated(context, families[i].family, families[i].settings, families[i].count, 5);
}

/* Lowers labels along arcs until nothing changes. */
static inline uint32_t *plain_labels(const hop_graph *graph) {
    uint32_t n = hop_graph_vertices(graph), *labels = malloc((size_t)n * 4 + 4);
    bool changed = true;
    for (uint32_t v = 0; v < n; v++)
        labels[v] = v;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < n; u++)
            for (uint64_t i = offset_of(graph, u); i < offset_of(graph, (uint64_t)u + 1); i++) {
                uint32_t v = hop_graph_targets(graph)[i];
                uint32_t low = labels[u] < labels[v] ? labels[u] : labels[v];
                changed |= labels[u] != labels[v];
                labels[u] = labels[v] = low;
            }
        for (uint32_t v = 0; v < n; v++) /* jump ahead, or long lists take for ever */
            labels[v] = labels[labels[v]];
    }
    return labels;
}

static inline void solve_with(hop_context *context, const hop_graph *graph, const hop_run *how,
                              uint32_t *labels, uint32_t *count) {
    hop_run run = *how;
    hop_report report = {0};
    hop_components_options options = {sizeof options, &run};
    run.report = &report;
    if (hop_components(context, graph, &options, labels, count) != HOP_OK)
        fail_msg("%s: %s", run.variant, hop_context_message(context));
    assert_string_equal(report.variant->name, run.variant);
}

static inline void solve(hop_context *context, const hop_graph *graph, const char *name,
                         uint32_t *labels, uint32_t *count) {
    hop_run run = HOP_RUN_INIT;
    run.variant = name;
    run.certify = HOP_CERTIFY_CANONICAL;
    solve_with(context, graph, &run, labels, count);
}

#endif
