/* SPDX-License-Identifier: Apache-2.0
 * What the tests of graphs on disk share: graphs of all families in files, opened both ways. */
#ifndef HOPLITE_TESTS_STORE_TESTING_H
#define HOPLITE_TESTS_STORE_TESTING_H

#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "problem/report_testing.h"
#include "store/arc_store.h"

typedef struct store_sample {
    const char *family;
    hop_setting settings[3];
    size_t count;
    bool directed; /* turned into one that has arcs one way only */
} store_sample;

/* Rows of none, few and many arcs, some of which are longer than blocks; long and short diameters;
 * more blocks than the smallest cache has frames. */
static const store_sample store_samples[] = {
    {"rmat", {{"scale", 15}, {"edge-factor", 12}}, 2, false},
    {"erdos-renyi", {{"n", 60000}, {"m", 200000}}, 2, false},
    {"grid", {{"rows", 250}, {"cols", 300}, {"removed", 0.1}}, 3, false},
    {"list-graph", {{"n", 30000}, {"count", 3}}, 2, false},
    {"tree-graph", {{"n", 20000}, {"count", 5}}, 2, false},
    {"tree-graph", {{"n", 80000}, {"k", 70000}}, 2, false}, /* degrees above 16 bits */
    {"density", {{"m", 100000}, {"delta", 0.1}, {"count", 3}}, 3, false},
    {"degree", {{"n", 30000}}, 1, true},
    {"erdos-renyi", {{"n", 1000}, {"m", 150000}, {"directed", 1}}, 3, true},
};
enum { STORE_SAMPLES = sizeof store_samples / sizeof store_samples[0] };

static inline hop_graph *make_store_sample(hop_context *context, const store_sample *from,
                                           hop_weight_type type, uint64_t seed) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = from->settings;
    options.setting_count = from->count;
    options.seed = seed;
    options.weight_type = type;
    if (hop_graph_generate(context, from->family, &options, &graph) != HOP_OK)
        fail_msg("%s: %s", from->family, hop_context_message(context));
    assert_int_equal(hop_graph_directed(graph), from->directed);
    return graph;
}

static inline hop_graph *open_external(hop_context *context, const char *path, uint64_t cache,
                                       bool plain) {
    hop_external_options options = HOP_EXTERNAL_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.cache_bytes = cache;
    options.plain = plain;
    if (hop_graph_open_external(context, path, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(hop_graph_external(graph));
    return graph;
}

#endif
