/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of sssp on devices share: a question about a graph, its answer by the host, and
 * the comparison with it.
 *
 * HOPLITE_TEST_DEVICE_MOST   leaves out larger graphs (vertices), for slow devices: Oclgrind,
 *                            fibers
 * HOPLITE_TEST_DEVICE_LARGE  1: every group size with every variant, both forms, cycles of 10^5:
 *                            minutes, since drivers compile kernels for each */
#ifndef HOPLITE_TESTS_SSSP_DEVICE_TESTING_H
#define HOPLITE_TESTS_SSSP_DEVICE_TESTING_H

#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "device/device_testing.h"
#include "device/refusal_testing.h"
#include "graph/graph_internal.h"
#include "hoplite/hoplite.h"
#include "problem/device_variant_testing.h"
#include "problem/report.h"
#include "problem/report_testing.h"
#include "span_testing.h"

/* A graph of edges; floating-point weights become a tenth, so that sums are rounded. */
typedef struct shape {
    const char *name;
    uint32_t n;
    uint64_t m, room;
    uint32_t *from, *to;
    int64_t *weights;
    bool directed;
} shape;

static inline void add_edge(shape *s, uint64_t u, uint64_t v, int64_t weight) {
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
        if (type == HOP_TYPE_INT32)
            ((int32_t *)weights)[i] = (int32_t)s->weights[i];
        else if (type == HOP_TYPE_INT64)
            ((int64_t *)weights)[i] = s->weights[i];
        else if (type == HOP_TYPE_FLOAT32)
            ((float *)weights)[i] = (float)((double)s->weights[i] * 0.1);
        else
            ((double *)weights)[i] = (double)s->weights[i] * 0.1;
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

typedef int64_t (*weigher)(uint64_t i);

static inline int64_t plain_weight(uint64_t i) {
    return 1 + (int64_t)(hop__random_at(7, 1, i) % 255);
}

static inline int64_t zero_or_one(uint64_t i) {
    return (int64_t)(hop__random_at(7, 2, i) % 2);
}

static inline int64_t zero(uint64_t i) {
    (void)i;
    return 0;
}

static inline int64_t one_outlier(uint64_t i) {
    return i == 5 ? 1000000000 : 1;
}

/* Sums leave 31 and 32 bits. */
static inline int64_t beyond_32_bits(uint64_t i) {
    return 400000000 + (int64_t)(hop__random_at(7, 4, i) % 1000);
}

static inline shape random_shape(uint32_t n, uint64_t m, bool directed, bool skewed,
                                 weigher weigh) {
    shape s = {.name = skewed ? "skewed" : "random", .n = n, .directed = directed};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = hop__random_below(hop__random_at(9, 1, i), n);
        uint64_t v = hop__random_below(hop__random_at(9, 2, i), n);
        add_edge(&s, u, skewed ? v * v / n * v / n : v, weigh(i));
    }
    return s;
}

static inline bool is_slow(void) {
    return most_vertices() < UINT64_MAX;
}

/* Row number i of the devices' rows; NULL after the last. */
static inline const hop_variant *device_variant(size_t i) {
    return hop_variant_at(HOP_PROBLEM_SSSP, host_variant_count(HOP_PROBLEM_SSSP) + i);
}

typedef struct asked {
    const char *what; /* for messages */
    const hop_graph *graph;
    hop_vertex sources[4], targets[4];
    hop_vertex source_count, target_count;
    double cutoff;
    hop_status status; /* the answer: */
    void *distances;
    hop_vertex *parents;
    size_t bytes; /* of a distance */
} asked;

static inline hop_sssp_options asked_options(const asked *a, const hop_run *run) {
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.run = run;
    options.targets = a->target_count ? a->targets : NULL;
    options.target_count = a->target_count;
    options.cutoff = a->cutoff;
    return options;
}

static inline void answer_on_host(asked *a) {
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_vertex n = hop_graph_vertices(a->graph);
    hop_run run = HOP_RUN_INIT;
    how.threads = 1;
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    a->bytes = hop_type_size(hop_distance_type(a->graph->weight_type));
    a->distances = malloc(8 * (size_t)n + 8);
    a->parents = malloc(4 * (size_t)n + 4);
    run.variant = "bellman-ford";
    hop_sssp_options options = asked_options(a, &run);
    a->status = hop_sssp(context, a->graph, a->sources, a->source_count, &options,
                         ROOM(a->graph, a->distances), a->parents);
    free_context(context);
}

/* Question number `number` about a graph: the first has one source, others several, targets, or a
 * cutoff. */
static inline asked ask(const hop_graph *graph, const char *what, uint32_t number) {
    hop_vertex n = hop_graph_vertices(graph);
    asked a = {.what = what, .graph = graph, .cutoff = HUGE_VAL};
    uint64_t bits = hop__random_at(3, n, number);
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
        a.cutoff = number == 2 ? -0.0 : (double)((bits >> 8) % 400) - 20;
    answer_on_host(&a);
    return a;
}

static inline void asked_free(asked *a) {
    free(a->distances);
    free(a->parents);
}

/* Runs it on the context's device, certified, and compares. */
static inline void check_asked(hop_context *context, const asked *a, const hop_run *how,
                               hop_report *report, bool parents) {
    hop_vertex n = hop_graph_vertices(a->graph);
    unsigned char *distances = malloc(8 * (size_t)n + 8);
    hop_vertex *found = malloc(4 * (size_t)n + 4);
    hop_run run = *how;
    run.certify = HOP_CERTIFY_CANONICAL;
    run.report = report;
    hop_sssp_options options = asked_options(a, &run);
    memset(distances, 0xa5, 8 * (size_t)n + 8);
    memset(found, 0xa5, 4 * (size_t)n + 4);
    hop_status status = hop_sssp(context, a->graph, a->sources, a->source_count, &options,
                                 ROOM(a->graph, distances), parents ? found : NULL);
    if (lacks_capability(context, status))
        goto done;
    if (status != a->status)
        fail_msg("%s on %s: %s instead of %s: %s", run.variant, a->what, hop_status_name(status),
                 hop_status_name(a->status), hop_context_message(context));
    assert_int_equal(report->variant->place, HOP_PLACE_DEVICE);
    if (status == HOP_OK)
        for (hop_vertex v = 0; v < n; v++) {
            if (memcmp(distances + v * a->bytes, (char *)a->distances + v * a->bytes, a->bytes))
                fail_msg("%s on %s: wrong distance of vertex %u", run.variant, a->what, v);
            if (parents && found[v] != a->parents[v])
                fail_msg("%s on %s: parent %u of %u instead of %u", run.variant, a->what, found[v],
                         v, a->parents[v]);
        }
    assert_int_equal(distances[(size_t)n * a->bytes], 0xa5);
    assert_int_equal(found[n], 0xa5a5a5a5);
done:
    free(distances);
    free(found);
}

static inline void check_with(hop_context *context, const asked *a, const char *name,
                              const hop_setting *settings, size_t count, hop_report *report) {
    hop_run run = HOP_RUN_INIT;
    run.variant = name;
    run.settings = settings;
    run.setting_count = count;
    check_asked(context, a, &run, report, true);
}

/* Whether the row takes the graph: `delta-stepping` takes no negative weights. *lacking is raised
 * where the device lacks what the row needs. */
static inline bool row_takes(hop_context *context, const asked *a, const char *name,
                             unsigned *lacking) {
    hop_run run = HOP_RUN_INIT;
    run.variant = name;
    run.plan = true;
    hop_sssp_options options = asked_options(a, &run);
    hop_status status =
        hop_sssp(context, a->graph, a->sources, a->source_count, &options, NULL, NULL);
    *lacking += lacks_capability(context, status);
    return status != HOP_ERR_UNSUPPORTED;
}

/* Of all rows: those that took it, and those that would if the device had what they need. */
typedef struct rows_checked {
    unsigned ran, lacking;
} rows_checked;

static inline rows_checked check_rows(hop_context *context, const asked *a) {
    rows_checked rows = {0, 0};
    for (size_t v = 0; device_variant(v); v++) {
        hop_report report = {0};
        if (!row_takes(context, a, device_variant(v)->name, &rows.lacking))
            continue;
        check_with(context, a, device_variant(v)->name, NULL, 0, &report);
        rows.ran++;
    }
    return rows;
}

/* The same as one number. */
static inline unsigned rows_answer(hop_context *context, const asked *a) {
    rows_checked rows = check_rows(context, a);
    return rows.ran + rows.lacking;
}

#endif
