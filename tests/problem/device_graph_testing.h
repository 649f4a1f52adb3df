/* SPDX-License-Identifier: Apache-2.0
 * For tests of what goes to a device: graphs, a call with any variant, the bytes it has sent. */
#ifndef HOPLITE_TESTS_DEVICE_GRAPH_TESTING_H
#define HOPLITE_TESTS_DEVICE_GRAPH_TESTING_H

#include "core/try.h"
#include "device/backend.h"
#include "device/device_testing.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"

enum { ROOM = 4096 };

/* --- graphs ---------------------------------------------------------------------------------- */

static inline hop_graph *generate_weighted(hop_context *context, bool directed, uint64_t seed,
                                           hop_type type) {
    const hop_setting settings[] = {
        {"scale", 11, NULL}, {"edge-factor", 12, NULL}, {"directed", directed, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.seed = seed;
    options.weight_type = type;
    assert_fine(context, hop_graph_generate(context, "rmat", &options, &graph));
    return graph;
}

static inline hop_graph *generate(hop_context *context, bool directed, uint64_t seed) {
    return generate_weighted(context, directed, seed, HOP_TYPE_NONE);
}

/* --- a search -------------------------------------------------------------------------------- */

typedef struct answer {
    union {
        hop_vertex words[ROOM];
        int64_t distances[ROOM];
    } of;
    hop_vertex parents[ROOM];
    hop_report report;
} answer;

/* One call with a variant (NULL: auto), from vertex `source`. */
static inline hop_status solve(hop_context *context, const hop_graph *graph, hop_problem problem,
                               const char *variant, hop_vertex source, bool plan, answer *got) {
    hop_run run = HOP_RUN_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    memset(got, 0, sizeof *got);
    got->report = (hop_report){0};
    run.variant = variant;
    run.plan = plan;
    run.report = &got->report;
    components.run = bfs.run = sssp.run = apsp.run = &run;
    apsp.sources = &source;
    apsp.source_count = 1;
    assert_true(hop_graph_vertices(graph) <= ROOM);
    switch (problem) {
    case HOP_PROBLEM_COMPONENTS:
        return hop_components(context, graph, &components, got->of.words, NULL);
    case HOP_PROBLEM_BFS:
        return hop_bfs(context, graph, &source, 1, &bfs, got->of.words, got->parents);
    case HOP_PROBLEM_SSSP:
        return hop_sssp(context, graph, &source, 1, &sssp, HOP_SPAN(got->of.distances, ROOM),
                        got->parents);
    default:
        return hop_apsp(context, graph, &apsp, HOP_SPAN(got->of.distances, ROOM), NULL);
    }
}

/* The same on the host. */
static inline void solve_on_host(const hop_graph *graph, hop_problem problem, hop_vertex source,
                                 answer *got) {
    hop_context *host = make_context(1);
    assert_fine(host, solve(host, graph, problem, NULL, source, false, got));
    free_context(host);
}

static inline void assert_same(const answer *a, const answer *b) {
    assert_memory_equal(&a->of, &b->of, sizeof a->of);
    assert_memory_equal(a->parents, b->parents, sizeof a->parents);
}

/* All bytes that went to the device in a run, by the driver's commands. */
static inline uint64_t bytes_sent(const hop_report *report) {
    for (size_t i = 0; i < report->phase_count; i++)
        if (strcmp(report->phases[i].name, "copy to device") == 0)
            return report->phases[i].bytes;
    return 0;
}

#endif
