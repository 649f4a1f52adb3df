/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of bfs on devices share: a question about a graph, its answer by the sequential
 * search, and the comparison with it. Settings by the environment: device_variant_testing.h. */
#ifndef HOPLITE_TESTS_BFS_DEVICE_TESTING_H
#define HOPLITE_TESTS_BFS_DEVICE_TESTING_H

#include <stdlib.h>

#include "bfs/bfs_edges.h"
#include "device/device_testing.h"
#include "device/refusal_testing.h"
#include "problem/device_variant_testing.h"
#include "problem/report.h"
#include "problem/report_testing.h"

/* Row number i of the devices' rows; NULL after the last. */
static inline const hop_variant *device_variant(size_t i) {
    return hop_variant_at(HOP_PROBLEM_BFS, host_variant_count(HOP_PROBLEM_BFS) + i);
}

typedef struct asked {
    const char *what; /* for messages */
    const hop_graph *graph;
    hop_vertex sources[4], targets[4];
    hop_vertex source_count, target_count, max_level;
    hop_vertex *levels, *parents; /* the answer */
} asked;

static inline hop_bfs_options asked_options(const asked *a, const hop_run *run) {
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    options.run = run;
    options.targets = a->target_count ? a->targets : NULL;
    options.target_count = a->target_count;
    options.max_level = a->max_level;
    return options;
}

/* Question number `number` about a graph: the first has one source. Answered on the host. */
static inline asked ask(const hop_graph *graph, const char *what, uint32_t number) {
    hop_context *context = make_context(1);
    hop_vertex n = hop_graph_vertices(graph);
    asked a = {.what = what, .graph = graph, .max_level = HOP_NO_LEVEL};
    uint64_t bits = hop__random_at(3, n, number);
    hop_run run = HOP_RUN_INIT;
    for (int i = 0; i < 4 && n > 0; i++) {
        a.sources[i] = (hop_vertex)(hop__random_at(4, number, (uint64_t)i) % n);
        a.targets[i] = (hop_vertex)(hop__random_at(5, number, (uint64_t)i) % n);
    }
    a.source_count = n == 0 ? 0 : number == 0 ? 1 : (hop_vertex)(bits % 5);
    if (number > 0 && a.source_count > 2)
        a.sources[2] = a.sources[0]; /* repeated */
    if (number % 3 == 1 && n > 0)
        a.target_count = (hop_vertex)(1 + bits % 4);
    if (number % 3 == 2)
        a.max_level = (hop_vertex)((bits >> 8) % 6);
    a.levels = malloc(4 * (size_t)n + 4);
    a.parents = malloc(4 * (size_t)n + 4);
    run.variant = "sequential";
    hop_bfs_options options = asked_options(&a, &run);
    if (hop_bfs(context, graph, a.sources, a.source_count, &options, a.levels, a.parents) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free_context(context);
    return a;
}

static inline void asked_free(asked *a) {
    free(a->levels);
    free(a->parents);
}

/* Runs it on the context's device, certified, and compares; with parents, or levels alone. */
static inline void check_asked(hop_context *context, const asked *a, const hop_run *how,
                               hop_report *report, bool parents) {
    hop_vertex n = hop_graph_vertices(a->graph);
    hop_vertex *levels = malloc(4 * (size_t)n + 4), *found = malloc(4 * (size_t)n + 4);
    hop_run run = *how;
    run.certify = HOP_CERTIFY_CANONICAL;
    run.report = report;
    hop_bfs_options options = asked_options(a, &run);
    memset(levels, 0xa5, 4 * (size_t)n + 4);
    memset(found, 0xa5, 4 * (size_t)n + 4);
    hop_status status = hop_bfs(context, a->graph, a->sources, a->source_count, &options, levels,
                                parents ? found : NULL);
    if (lacks_capability(context, status))
        goto done;
    if (status != HOP_OK)
        fail_msg("%s on %s: %s", run.variant, a->what, hop_context_message(context));
    assert_int_equal(report->variant->place, HOP_PLACE_DEVICE);
    for (hop_vertex v = 0; v < n; v++)
        if (levels[v] != a->levels[v] || (parents && found[v] != a->parents[v]))
            fail_msg("%s on %s: vertex %u has level %u and parent %u instead of %u and %u",
                     run.variant, a->what, v, levels[v], found[v], a->levels[v], a->parents[v]);
    assert_int_equal(levels[n], 0xa5a5a5a5);
    assert_int_equal(found[n], 0xa5a5a5a5);
done:
    free(levels);
    free(found);
}

static inline void check_with(hop_context *context, const asked *a, const char *name,
                              const hop_setting *settings, size_t count) {
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.variant = name;
    run.settings = settings;
    run.setting_count = count;
    check_asked(context, a, &run, &report, true);
}

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

#endif
