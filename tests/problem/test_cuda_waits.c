/* SPDX-License-Identifier: Apache-2.0
 *
 * How often the host waits for the device in a search, on the driver that interprets PTX: levels
 * that are put into its queue ahead are not waited for one by one, and give the host's bits. */
#include "device/cuda_testing.h"
#include "hoplite/hoplite.h"

enum { SIDE = 16, N = SIDE * SIDE, LEVELS = 2 * (SIDE - 1) }; /* levels of a grid, from a corner */

static hop_graph *grid(hop_context *context) {
    const hop_setting settings[] = {{"rows", SIDE, NULL}, {"cols", SIDE, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = 2;
    assert_fine(context, hop_graph_generate(context, "grid", &options, &graph));
    return graph;
}

/* Waits of a search with these settings, behind one that brings the graph there. */
static uint64_t waits_of(hop_context *context, const hop_graph *graph, const hop_setting *settings,
                         size_t count, const hop_vertex *right, const hop_vertex *right_tree) {
    static hop_vertex levels[N], parents[N];
    hop_vertex source = 0;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "direction-optimizing";
    run.settings = settings;
    run.setting_count = count;
    options.run = &run;
    for (int i = 0; i < 2; i++) {
        stand_in.fault(NULL, 0, 0);
        assert_fine(context, hop_bfs(context, graph, &source, 1, &options, levels, parents));
    }
    assert_memory_equal(levels, right, sizeof levels);
    assert_memory_equal(parents, right_tree, sizeof parents);
    return stand_in.counted().stops;
}

static void levels_are_put_into_the_queue_ahead(void **state) {
    (void)state;
    static hop_vertex right[N], right_tree[N];
    hop_vertex source = 0;
    find_stand_in();
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = grid(context);
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "sequential";
    options.run = &run;
    assert_fine(context, hop_bfs(context, graph, &source, 1, &options, right, right_tree));
    /* All levels but the first few are found bottom-up: to the end, or until frontiers shrink. */
    uint64_t waits[5];
    for (unsigned ahead = 1; ahead < 5; ahead++) {
        hop_setting settings[] = {{"small", 2, NULL},
                                  {"alpha", 1 << 20, NULL},
                                  {"ahead", ahead, NULL},
                                  {"beta", 8, NULL}};
        uint64_t both = waits_of(context, graph, settings, 4, right, right_tree);
        settings[3].value = 1 << 20;
        waits[ahead] = waits_of(context, graph, settings, 4, right, right_tree);
        assert_true(both < LEVELS + 10);
    }
    assert_true(waits[1] > LEVELS && waits[1] < LEVELS + 10);
    assert_true(waits[2] <= LEVELS / 2 + 8);
    assert_true(waits[3] <= LEVELS / 3 + 8 && waits[4] <= LEVELS / 3 + 8); /* three at most */
    /* Where one group goes on by itself, a few are enough for all levels. */
    assert_true(waits_of(context, graph, NULL, 0, right, right_tree) <= 4);
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL)); /* copies of ended graphs go */
    free_context(context);
    assert_int_equal(stand_in.live(), 0);
}

/* Where levels are few the device goes top-down, bottom-up and top-down again by itself. */
static void a_search_of_few_levels_is_one_look(void **state) {
    (void)state;
    static hop_vertex right[N], right_tree[N];
    const hop_setting scale[] = {{"scale", 8, NULL}};
    hop_vertex source = 0;
    find_stand_in();
    hop_context *context = device_context("cuda:0");
    hop_generate_options made = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    made.settings = scale;
    made.setting_count = 1;
    assert_fine(context, hop_graph_generate(context, "rmat", &made, &graph));
    assert_int_equal(hop_graph_vertices(graph), N);
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "sequential";
    options.run = &run;
    assert_fine(context, hop_bfs(context, graph, &source, 1, &options, right, right_tree));
    const uint64_t at_the_end = 2;                     /* both queues, in which nothing is left */
    for (unsigned small = 0; small <= 2; small += 2) { /* by one group, and never */
        for (unsigned alpha = 1; alpha <= 1024; alpha *= 32) {
            const hop_setting settings[] = {
                {"small", small, NULL}, {"alpha", alpha, NULL}, {"threshold", 8, NULL}};
            uint64_t waits = waits_of(context, graph, settings, 3, right, right_tree);
            assert_in_range(waits, 1 + at_the_end, 2 + at_the_end);
        }
    }
    assert_int_equal(waits_of(context, graph, NULL, 0, right, right_tree), 1 + at_the_end);
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL));
    free_context(context);
    assert_int_equal(stand_in.live(), 0);
}

/* The same of shortest paths by delta-stepping; *rounds: those that relaxed arcs. */
static uint64_t sssp_waits_of(hop_context *context, const hop_graph *graph, unsigned ahead,
                              const hop_span *right, uint64_t *rounds) {
    static int64_t distances[N];
    const hop_span span = {distances, N, HOP_TYPE_INT64};
    const hop_setting settings[] = {{"ahead", ahead, NULL}};
    hop_vertex source = 0;
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_report *report = NULL;
    assert_fine(context, hop_report_create(0, &report));
    run.variant = "delta-stepping";
    run.settings = settings;
    run.setting_count = 1;
    run.report = report;
    options.run = &run;
    for (int i = 0; i < 2; i++) {
        stand_in.fault(NULL, 0, 0);
        assert_fine(context, hop_sssp(context, graph, &source, 1, &options, &span, NULL));
    }
    uint64_t stops = stand_in.counted().stops;
    assert_memory_equal(distances, right->items, sizeof distances);
    *rounds = hop_report_rounds(report);
    hop_report_free(report);
    return stops;
}

/* Rounds that relax and rounds that split the far queue alike. */
static void the_device_goes_from_bucket_to_bucket(void **state) {
    (void)state;
    static int64_t right[N];
    const hop_span span = {right, N, HOP_TYPE_INT64};
    hop_vertex source = 0;
    find_stand_in();
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = grid(context);
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.variant = "dijkstra";
    options.run = &run;
    assert_fine(context, hop_sssp(context, graph, &source, 1, &options, &span, NULL));
    uint64_t rounds, one = sssp_waits_of(context, graph, 1, &span, &rounds);
    assert_true(rounds > LEVELS && one > rounds);
    assert_true(sssp_waits_of(context, graph, 4, &span, &rounds) <= one / 4 + 3);
    assert_true(sssp_waits_of(context, graph, 0, &span, &rounds) <= 2 * rounds / 10 + 1);
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL));
    free_context(context);
    assert_int_equal(stand_in.live(), 0);
}

/* Waits of components, behind a call that brings the graph there. */
static uint64_t component_waits_of(hop_context *context, const hop_graph *graph,
                                   const char *variant, unsigned steps, const hop_vertex *right) {
    static hop_vertex labels[N];
    const hop_setting settings[] = {{"steps", steps, NULL}};
    hop_vertex count = 0;
    hop_run run = HOP_RUN_INIT;
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    run.variant = variant;
    run.settings = settings;
    run.setting_count = steps > 0;
    options.run = &run;
    for (int i = 0; i < 2; i++) {
        stand_in.fault(NULL, 0, 0);
        assert_fine(context, hop_components(context, graph, &options, labels, &count));
    }
    assert_int_equal(count, 1);
    assert_memory_equal(labels, right, sizeof labels);
    return stand_in.counted().stops;
}

/* The whole run is in the queue before the host looks; where items stop half-way it looks again. */
static void components_wait_for_the_sample_and_the_end(void **state) {
    (void)state;
    static const hop_vertex right[N]; /* one component, of vertex 0 */
    find_stand_in();
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = grid(context);
    assert_true(component_waits_of(context, graph, "afforest", 0, right) <= 2);
    assert_true(component_waits_of(context, graph, "rem", 0, right) <= 1);
    assert_true(component_waits_of(context, graph, "rem", 1, right) > 1);
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL));
    free_context(context);
    assert_int_equal(stand_in.live(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_put_into_the_queue_ahead),
        cmocka_unit_test(a_search_of_few_levels_is_one_look),
        cmocka_unit_test(the_device_goes_from_bucket_to_bucket),
        cmocka_unit_test(components_wait_for_the_sample_and_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
