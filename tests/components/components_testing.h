/* SPDX-License-Identifier: Apache-2.0
 * What the tests of components share: running a variant, generated graphs, and labels by brute
 * force. */
#ifndef HOPLITE_TESTS_COMPONENTS_TESTING_H
#define HOPLITE_TESTS_COMPONENTS_TESTING_H

#include "core/sanitized_testing.h"
#include "graph/graph_testing.h"
#include "problem/variant_testing.h"

static inline hop_graph *generated(hop_context *context, const char *family,
                                   const hop_setting *settings, size_t count, uint64_t seed) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = count;
    options.seed = seed;
    if (hop_generate_graph(context, family, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
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
    hop_report report = HOP_REPORT_INIT;
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
