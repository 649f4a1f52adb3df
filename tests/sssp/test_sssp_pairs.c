/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances between pairs against one hop_sssp per source: every family, every type of weights,
 * every variant, several numbers of threads, forward and backward, with pairs that have no path. */
#include "hoplite/pairs.h"

#include "core/rng.h"
#include "generate/generate_testing.h"
#include "hoplite/hoplite.h"

enum { PAIRS = 300 };

static const request requests[] = {
    {"list-graph", {{"n", 90}, {"count", 5}}},
    {"tree-graph", {{"n", 300}, {"count", 3}, {"k", 3}}},
    {"density", {{"m", 2000}, {"delta", .1}, {"count", 3}}},
    {"erdos-renyi", {{"n", 300}, {"m", 900}, {"directed", 1}}},
    {"erdos-renyi", {{"n", 300}, {"m", 350}}},
    {"degree", {{"n", 200}}},
    {"rmat", {{"scale", 8}}},
    {"fanout", {{"n", 300}}},
    {"grid", {{"rows", 12}, {"cols", 12}}},
    {"road", {{"rows", 5}, {"cols", 5}}},
};

static hop_context *context_of(unsigned threads, uint64_t budget) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    options.memory_budget = budget;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static hop_weight_type weights_of(const hop_graph *graph) {
    hop_weight_type type;
    (void)hop_graph_weights(graph, &type);
    return type;
}

/* Pairs of one kind: from few sources, to few targets, between any two, or of one vertex. */
static void draw_pairs(uint32_t n, uint64_t seed, hop_edge *pairs) {
    uint64_t drawn = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        hop_vertex from = (hop_vertex)hop__random_below(hop__random_at(seed, 0, drawn++), n);
        hop_vertex to = (hop_vertex)hop__random_below(hop__random_at(seed, 0, drawn++), n);
        switch (seed % 4) {
        case 0:
            from %= 5;
            break;
        case 1:
            to %= 5;
            break;
        case 2:
            to = i % 7 == 0 ? from : to;
            break;
        default:
            break;
        }
        pairs[i] = (hop_edge){from, to};
    }
}

/* The bits of what one whole search per pair finds. */
static void by_searches(hop_context *context, const hop_graph *graph, const hop_edge *pairs,
                        void *expected, hop_type type) {
    uint32_t n = hop_graph_vertices(graph);
    size_t size = hop_type_size(type);
    char *row = malloc(n * size);
    for (uint32_t i = 0; i < PAIRS; i++) {
        hop_span span = {row, n, type};
        assert_int_equal(hop_sssp(context, graph, &pairs[i].from, 1, NULL, &span, NULL), HOP_OK);
        memcpy((char *)expected + i * size, row + pairs[i].to * size, size);
    }
    free(row);
}

static hop_status ask(hop_context *context, const hop_graph *graph, const hop_edge *pairs,
                      uint64_t count, const char *variant, hop_certify certify, hop_report *report,
                      void *found) {
    hop_pairs_options options = HOP_PAIRS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_span span = {found, count, hop_distance_type(weights_of(graph))};
    run.variant = variant;
    run.certify = certify;
    run.report = report;
    options.run = &run;
    return hop_distance_pairs(context, graph, pairs, count, &options, &span);
}

static void check_graph(const char *family, const hop_graph *graph, uint64_t seed) {
    static const char *const variants[] = {NULL, "one-sided", "bidirectional", "dijkstra",
                                           "delta-stepping"};
    hop_edge pairs[PAIRS];
    int64_t expected[PAIRS], found[PAIRS];
    hop_type type = hop_distance_type(weights_of(graph));
    size_t bytes = PAIRS * hop_type_size(type);
    hop_context *alone = context_of(1, 0);
    draw_pairs(hop_graph_vertices(graph), seed, pairs);
    by_searches(alone, graph, pairs, expected, type);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t v = 0; v < HOP_LENGTH(variants); v++) {
            hop_context *context = context_of(threads, 0);
            memset(found, 0x55, sizeof found);
            hop_status status =
                ask(context, graph, pairs, PAIRS, variants[v], HOP_CERTIFY_NONE, NULL, found);
            bool refused = status == HOP_ERR_UNSUPPORTED && v == 2;
            if (status != HOP_OK && !refused)
                fail_msg("%s, %s: %s", family, variants[v], hop_context_message(context));
            if (refused) /* by its reason, not by accident */
                assert_true(type != HOP_TYPE_INT64 || !hop_graph_prepared_reverse(graph));
            else if (memcmp(found, expected, bytes) != 0)
                fail_msg("%s of %s, %s, %u threads, seed %u", family,
                         hop_type_name(weights_of(graph)), variants[v] ? variants[v] : "auto",
                         threads, (unsigned)seed);
            hop_context_free(context);
        }
    memset(found, 0x55, sizeof found);
    assert_int_equal(ask(alone, graph, pairs, PAIRS, NULL, HOP_CERTIFY_CANONICAL, NULL, found),
                     HOP_OK);
    assert_memory_equal(found, expected, bytes);
    hop_context_free(alone);
}

static void pairs_are_what_searches_find(void **unused) {
    (void)unused;
    hop_context *context = context_of(1, 0);
    for (size_t r = 0; r < HOP_LENGTH(requests); r++)
        for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++) {
            hop_graph *graph =
                generate_weighted(context, &requests[r], 1 + r, (hop_weight_type)type);
            check_graph(requests[r].family, graph, r + type);
            if (hop_graph_directed(graph)) {
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
                check_graph(requests[r].family, graph, r + type);
                check_graph(requests[r].family, graph, r + type + 1);
            }
            hop_graph_release(graph);
        }
    hop_context_free(context);
}

/* Small graphs with weights of 0, ties and parallel arcs; every pair of each. */
static void every_pair_of_small_graphs(void **unused) {
    (void)unused;
    hop_context *context = context_of(1, 0);
    uint64_t drawn = 0;
    for (unsigned trial = 0; trial < 400; trial++) {
        enum { N = 7 };
        uint32_t from[24], to[24];
        int32_t weights[24];
        hop_edges edges = HOP_EDGES_INIT;
        hop_build_options build = HOP_BUILD_OPTIONS_INIT;
        hop_graph *graph = NULL;
        edges.count = 4 + hop__random_below(hop__random_at(7, 0, drawn++), 20);
        for (uint64_t i = 0; i < edges.count; i++) {
            from[i] = (uint32_t)hop__random_below(hop__random_at(7, 0, drawn++), N);
            to[i] = (uint32_t)hop__random_below(hop__random_at(7, 0, drawn++), N);
            weights[i] = (int32_t)hop__random_below(hop__random_at(7, 0, drawn++), 4);
        }
        build.vertices = N;
        edges.from = from;
        edges.to = to;
        edges.weights = weights;
        edges.weight_type = HOP_TYPE_INT32;
        build.directed = trial % 2 == 0;
        build.duplicates = HOP_DUPLICATES_KEEP;
        assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        for (hop_vertex s = 0; s < N; s++) {
            int64_t row[N];
            assert_int_equal(hop_sssp(context, graph, &s, 1, NULL, HOP_SPAN(row, N), NULL), HOP_OK);
            for (hop_vertex t = 0; t < N; t++) {
                hop_edge pair = {s, t};
                int64_t found = -1;
                assert_int_equal(
                    ask(context, graph, &pair, 1, "bidirectional", HOP_CERTIFY_NONE, NULL, &found),
                    HOP_OK);
                if (found != row[t])
                    fail_msg("trial %u: %u to %u is %lld, found %lld", trial, s, t,
                             (long long)row[t], (long long)found);
            }
        }
        hop_graph_release(graph);
    }
    hop_context_free(context);
}

static hop_graph *line_of(hop_context *context, hop_weight_type type, const void *weights,
                          uint32_t n) {
    uint32_t from[8], to[8];
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (uint32_t v = 0; v + 1 < n; v++) {
        from[v] = v;
        to[v] = v + 1;
    }
    build.vertices = n;
    edges.count = n - 1;
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = type;
    build.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    return graph;
}

static void negative_weights_go_by_bellman_ford(void **unused) {
    (void)unused;
    const int32_t weights[] = {5, -3, 4};
    const hop_edge pairs[] = {{0, 3}, {1, 2}, {3, 0}, {0, 2}, {2, 2}};
    hop_context *context = context_of(1, 0);
    hop_graph *graph = line_of(context, HOP_TYPE_INT32, weights, 4);
    hop_report *report = NULL;
    int64_t found[5];
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    assert_int_equal(ask(context, graph, pairs, 5, NULL, HOP_CERTIFY_CANONICAL, report, found),
                     HOP_OK);
    assert_int_equal(found[0], 6);
    assert_int_equal(found[1], -3);
    assert_true(found[2] == HOP_NO_DISTANCE);
    assert_int_equal(found[3], 2);
    assert_int_equal(found[4], 0);
    assert_string_equal(hop_report_variant(report)->name, "bellman-ford");
    assert_true(hop_report_certify_seconds(report) > 0);
    assert_int_equal(ask(context, graph, pairs, 5, "one-sided", HOP_CERTIFY_NONE, NULL, found),
                     HOP_ERR_UNSUPPORTED);
    assert_non_null(strstr(hop_context_message(context), "-3"));
    hop_report_free(report);
    hop_graph_release(graph);
    hop_context_free(context);
}

static void a_negative_cycle_is_reported(void **unused) {
    (void)unused;
    const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 1};
    const int32_t weights[] = {1, -2, 1};
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_context *context = context_of(1, 0);
    hop_graph *graph = NULL;
    int64_t found;
    build.vertices = 4;
    edges.count = 3;
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_INT32;
    build.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    hop_edge pair = {0, 0};
    assert_int_equal(ask(context, graph, &pair, 1, NULL, HOP_CERTIFY_NONE, NULL, &found),
                     HOP_ERR_NEGATIVE_CYCLE);
    hop_vertex around;
    assert_int_equal(hop_context_cycle(context, &around)[1], 2);
    assert_int_equal(around, 2);
    pair = (hop_edge){3, 0}; /* does not reach it */
    assert_int_equal(ask(context, graph, &pair, 1, NULL, HOP_CERTIFY_NONE, NULL, &found), HOP_OK);
    assert_null(hop_context_cycle(context, NULL));
    assert_true(found == HOP_NO_DISTANCE);
    hop_graph_release(graph);
    hop_context_free(context);
}

/* 3 * 2^62 does not fit; 2^62 does. */
static void sums_that_leave_int64(void **unused) {
    (void)unused;
    const int64_t weights[] = {INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62};
    const hop_edge near = {0, 1}, far = {0, 3};
    hop_context *context = context_of(1, 0);
    hop_graph *graph = line_of(context, HOP_TYPE_INT64, weights, 4);
    int64_t found = 0;
    assert_int_equal(ask(context, graph, &far, 1, NULL, HOP_CERTIFY_NONE, NULL, &found),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(ask(context, graph, &near, 1, NULL, HOP_CERTIFY_NONE, NULL, &found), HOP_OK);
    assert_true(found == INT64_C(1) << 62);
    hop_graph_release(graph);
    hop_context_free(context);
}

/* One that is near is found without a look at the rest, from either side. */
static void searches_end_early(void **unused) {
    (void)unused;
    const request grid = {"grid", {{"rows", 200}, {"cols", 200}}};
    hop_context *context = context_of(1, 0);
    hop_graph *graph = generate_weighted(context, &grid, 1, HOP_TYPE_INT32);
    hop_edge pairs[100];
    int64_t found[100];
    hop_report *report = NULL;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (hop_vertex i = 0; i < 100; i++)
        pairs[i] = (hop_edge){200 * i + i, 200 * i + i + 3};
    static const char *const variants[] = {"one-sided", "bidirectional"};
    for (unsigned v = 0; v < 2; v++) {
        assert_int_equal(
            ask(context, graph, pairs, 100, variants[v], HOP_CERTIFY_NONE, report, found), HOP_OK);
        assert_int_equal(hop_report_rounds(report), 100);
        assert_true(hop_report_relaxations(report) < 100 * 2000); /* of 160,000 arcs each */
    }
    /* A hundred sources and one target: one search. */
    for (hop_vertex i = 0; i < 100; i++)
        pairs[i] = (hop_edge){97 * i, 20100};
    assert_int_equal(ask(context, graph, pairs, 100, NULL, HOP_CERTIFY_NONE, report, found),
                     HOP_OK);
    assert_int_equal(hop_report_rounds(report), 1);
    hop_report_free(report);
    hop_graph_release(graph);
    hop_context_free(context);
}

/* Relaxations for 8 targets of each of 40 sources, whatever order they come in. */
static uint64_t work_for_groups(const request *wanted, const char *variant) {
    enum { SOURCES = 40, TARGETS = 8, COUNT = SOURCES * TARGETS };
    hop_context *context = context_of(1, 0);
    hop_graph *graph = generate_weighted(context, wanted, 1, HOP_TYPE_INT32);
    hop_vertex n = hop_graph_vertices(graph);
    hop_edge pairs[COUNT];
    int64_t found[COUNT];
    hop_report *report = NULL;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (uint64_t i = 0; i < COUNT; i++)
        pairs[i] = (hop_edge){(hop_vertex)(i / TARGETS * 7919 % n), (hop_vertex)(i * 104729 % n)};
    assert_int_equal(ask(context, graph, pairs, COUNT, variant, HOP_CERTIFY_NONE, report, found),
                     HOP_OK);
    uint64_t work = hop_report_relaxations(report);
    hop_report_free(report);
    hop_graph_release(graph);
    hop_context_free(context);
    return work;
}

/* Groups of several pairs are searched for from both ends where that is less work, as with hubs,
 * and from one end on a lattice, where it is more. */
static void several_pairs_of_a_source_by_what_is_less(void **unused) {
    (void)unused;
    const request hubs = {"rmat", {{"scale", 13}, {"edge-factor", 16}}};
    const request grid = {"grid", {{"rows", 80}, {"cols", 80}}};
    assert_true(work_for_groups(&hubs, NULL) < work_for_groups(&hubs, "one-sided") / 3);
    uint64_t one = work_for_groups(&grid, "one-sided");
    assert_true(work_for_groups(&grid, NULL) < one + one / 5);
}

/* The plan says what is needed; with that it runs, with less it says so and takes nothing. */
static void memory_is_within_the_budget(void **unused) {
    (void)unused;
    const request grid = {"grid", {{"rows", 60}, {"cols", 60}}};
    hop_context *maker = context_of(1, 0);
    hop_graph *graph = generate_weighted(maker, &grid, 1, HOP_TYPE_INT32);
    static const char *const variants[] = {"one-sided", "bidirectional", NULL};
    static hop_edge pairs[PAIRS];
    static int64_t found[PAIRS];
    hop_report *report = NULL;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    draw_pairs(3600, 3, pairs);
    for (unsigned v = 0; v < 3; v++) {
        hop_context *wide = context_of(1, 0);
        assert_int_equal(
            ask(wide, graph, pairs, PAIRS, variants[v], HOP_CERTIFY_NONE, report, found), HOP_OK);
        uint64_t peak = hop_context_memory_peak(wide), told = hop_report_memory_bytes(report);
        if (told < peak)
            fail_msg("%llu told, %llu taken", (unsigned long long)told, (unsigned long long)peak);
        hop_context_free(wide);
        /* Many threads in the memory of one. */
        hop_context *tight = context_of(8, told);
        assert_int_equal(
            ask(tight, graph, pairs, PAIRS, variants[v], HOP_CERTIFY_NONE, report, found), HOP_OK);
        assert_true(hop_context_memory_peak(tight) <= told);
        hop_context_free(tight);
        hop_context *small = context_of(1, told - 1);
        hop_status status =
            ask(small, graph, pairs, PAIRS, variants[v], HOP_CERTIFY_NONE, report, found);
        if (variants[v]) { /* else it is searched from one end */
            assert_int_equal(status, HOP_ERR_BUDGET);
        } else {
            assert_int_equal(status, HOP_OK);
            assert_string_equal(hop_report_variant(report)->name, "one-sided");
        }
        hop_context_free(small);
    }
    hop_report_free(report);
    hop_graph_release(graph);
    hop_context_free(maker);
}

static bool cancel_pairs(void *user, const hop_progress *progress) {
    (void)user;
    return strcmp(progress->phase, "pairs") != 0;
}

static void it_can_be_cancelled(void **unused) {
    (void)unused;
    const request grid = {"grid", {{"rows", 300}, {"cols", 300}}};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *maker = context_of(2, 0), *context = NULL;
    hop_graph *graph = generate_weighted(maker, &grid, 1, HOP_TYPE_FLOAT32);
    static hop_edge pairs[PAIRS];
    static float found[PAIRS];
    options.threads = 2;
    options.progress = cancel_pairs;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    draw_pairs(90000, 3, pairs);
    assert_int_equal(ask(context, graph, pairs, PAIRS, NULL, HOP_CERTIFY_NONE, NULL, found),
                     HOP_ERR_CANCELLED);
    assert_int_equal(hop_context_memory_used(context), 0);
    hop_graph_release(graph);
    hop_context_free(context);
    hop_context_free(maker);
}

static void bad_requests_are_refused(void **unused) {
    (void)unused;
    const request grid = {"grid", {{"rows", 3}, {"cols", 3}}};
    hop_context *context = context_of(1, 0);
    hop_graph *graph = generate(context, &grid, 1);
    const hop_edge pairs[] = {{0, 8}, {9, 0}, {0, 4000000000}};
    int64_t found[3];
    int32_t narrow[3];
    hop_pairs_options options = {0};
    assert_int_equal(hop_distance_pairs(NULL, graph, pairs, 1, NULL, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, NULL, pairs, 1, NULL, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, NULL, 1, NULL, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 1, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 1, NULL, HOP_SPAN(narrow, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 3, NULL, HOP_SPAN(found, 2)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 2, NULL, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_non_null(strstr(hop_context_message(context), "source of pair 1"));
    assert_int_equal(hop_distance_pairs(context, graph, &pairs[2], 1, NULL, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 1, &options, HOP_SPAN(found, 3)),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(ask(context, graph, pairs, 1, "nonsense", HOP_CERTIFY_NONE, NULL, found),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(
        ask(context, graph, pairs, 1, "bidirectional", HOP_CERTIFY_CANONICAL, NULL, found),
        HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop_distance_pairs(context, graph, NULL, 0, NULL, NULL), HOP_OK);
    assert_int_equal(hop_distance_pairs(context, graph, pairs, 1, NULL, HOP_SPAN(found, 3)),
                     HOP_OK);
    assert_int_equal(found[0], 4);
    hop_graph_release(graph);
    hop_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_what_searches_find),
        cmocka_unit_test(every_pair_of_small_graphs),
        cmocka_unit_test(negative_weights_go_by_bellman_ford),
        cmocka_unit_test(a_negative_cycle_is_reported),
        cmocka_unit_test(sums_that_leave_int64),
        cmocka_unit_test(searches_end_early),
        cmocka_unit_test(several_pairs_of_a_source_by_what_is_less),
        cmocka_unit_test(memory_is_within_the_budget),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
