/* SPDX-License-Identifier: Apache-2.0
 * What every call sends to a device anew, beside what a plan of it promises: lists, matrices, their
 * parts, and edges. Counted as promised, and as the driver's commands were. */
#include "problem/device_graph_testing.h"

/* Lists do not stay: all of one goes there in every call, and nothing else. */
static void list_body(hop_context *context, hop__device *device) {
    enum { COUNT = 3000 };
    static hop_vertex successors[COUNT], ranks[COUNT];
    for (hop_vertex i = 0; i < COUNT; i++)
        successors[i] = i + 1 < COUNT ? i + 1 : i;
    for (size_t i = 0; i < 2 * hop_variant_count(HOP_PROBLEM_RANK); i++) {
        const hop_variant *row = hop_variant_at(HOP_PROBLEM_RANK, i / 2);
        bool apart = i % 2 == 0;
        if (row->place != HOP_PLACE_DEVICE)
            continue;
        hop__device_keep_apart(device, apart);
        uint64_t bytes = hop__device_shares_memory(device) ? 0 : sizeof successors + 4;
        hop_report report = {0};
        hop_run run = HOP_RUN_INIT;
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        options.run = &run;
        run.variant = row->name;
        run.report = &report;
        for (int plan = 1; plan >= 0; plan--) {
            run.plan = plan;
            report = (hop_report){0};
            assert_fine(context, hop_rank(context, successors, COUNT, &options, ranks));
            assert_int_equal(report.copy_bytes, bytes);
        }
        if (bytes > 0)
            assert_int_equal(bytes_sent(&report), bytes);
        assert_int_equal(ranks[0], COUNT - 1);
    }
}

static void lists_are_as_long_as_promised(void **state) {
    (void)state;
    on_each_device(list_body);
}

/* The matrices of all pairs. */
static void matrix_body(hop_context *context, hop__device *device) {
    enum { SCALE = 5, COUNT = 1 << SCALE };
    static const char *const names[] = {"katz-kider", "tran", "tran-squaring"};
    static int32_t right[COUNT * COUNT], got[COUNT * COUNT];
    const hop_setting settings[] = {{"scale", SCALE, NULL}, {"edge-factor", 4, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.weight_type = HOP_TYPE_INT32;
    assert_fine(context, hop_graph_generate(context, "rmat", &options, &graph));
    for (size_t i = 0; i < 2 * HOP_LENGTH(names); i++) {
        hop__device_keep_apart(device, i % 2 == 0);
        uint64_t bytes = hop__device_shares_memory(device) ? 0 : sizeof got;
        hop_report report = {0};
        hop_run run = HOP_RUN_INIT;
        hop_apsp_options how = HOP_APSP_OPTIONS_INIT;
        how.run = &run;
        how.distance_type = HOP_TYPE_INT32;
        run.report = &report;
        run.variant = "floyd-warshall";
        assert_fine(context, hop_apsp(context, graph, &how, HOP_SPAN(right, COUNT * COUNT), NULL));
        run.variant = names[i / 2];
        for (int plan = 1; plan >= 0; plan--) {
            run.plan = plan;
            report = (hop_report){0};
            assert_fine(context,
                        hop_apsp(context, graph, &how, HOP_SPAN(got, COUNT * COUNT), NULL));
            assert_int_equal(report.copy_bytes, bytes);
        }
        assert_memory_equal(got, right, sizeof got);
        if (bytes > 0)
            assert_int_equal(bytes_sent(&report), bytes);
    }
    hop_graph_release(graph);
}

static void matrices_are_as_large_as_promised(void **state) {
    (void)state;
    on_each_device(matrix_body);
}

/* Parts of a matrix go there and back several times, whether the device shares memory or not. */
static void parts_body(hop_context *context, hop__device *device) {
    enum { SIDES = 3, SCALE = 8, COUNT = 1 << SCALE };
    static const double sides[SIDES] = {64, 128, 0};
    static const uint64_t parts[SIDES] = {4, 2, 1};
    static int32_t right[COUNT * COUNT], got[COUNT * COUNT];
    const hop_setting settings[] = {{"scale", SCALE, NULL}, {"edge-factor", 4, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.weight_type = HOP_TYPE_INT32;
    (void)device;
    assert_fine(context, hop_graph_generate(context, "rmat", &options, &graph));
    for (size_t i = 0; i < SIDES; i++) {
        const uint64_t others = parts[i] - 1;
        const hop_setting side = {"side", sides[i], NULL};
        hop_report report = {0};
        hop_run run = HOP_RUN_INIT;
        hop_apsp_options how = HOP_APSP_OPTIONS_INIT;
        how.run = &run;
        how.distance_type = HOP_TYPE_INT32;
        run.variant = "floyd-warshall";
        assert_fine(context, hop_apsp(context, graph, &how, HOP_SPAN(right, COUNT * COUNT), NULL));
        run.report = &report;
        run.variant = "katz-kider-oocore";
        run.settings = &side;
        run.setting_count = 1;
        for (int plan = 1; plan >= 0; plan--) {
            run.plan = plan;
            report = (hop_report){0};
            assert_fine(context,
                        hop_apsp(context, graph, &how, HOP_SPAN(got, COUNT * COUNT), NULL));
            assert_int_equal(report.copy_bytes,
                             sizeof got / parts[i] *
                                 (others == 0 ? 1 : 2 + 6 * others + 2 * others * others));
        }
        assert_memory_equal(got, right, sizeof got);
        assert_int_equal(bytes_sent(&report), report.copy_bytes);
    }
    hop_graph_release(graph);
}

static void parts_are_as_many_as_promised(void **state) {
    (void)state;
    on_each_device(parts_body);
}

/* Bytes of the list that the variants of edge lists send: of each edge once, but not of loops. */
static uint64_t list_bytes(const hop_graph *graph) {
    uint64_t edges = 0;
    for (hop_vertex v = 0; v < graph->vertices; v++)
        for (uint64_t i = hop__offset(graph, v); i < hop__offset(graph, v + 1); i++)
            edges += graph->directed ? graph->targets[i] != v : graph->targets[i] < v;
    return edges * 8;
}

static void edges_body(hop_context *context, hop__device *device) {
    static answer right, plan, got;
    for (unsigned i = 0; i < 4; i++) {
        hop_graph *graph = generate(context, i % 2 != 0, 14);
        hop__device_keep_apart(device, i < 2);
        const bool shares = hop__device_shares_memory(device);
        const uint64_t bytes = shares ? 0 : list_bytes(graph);
        solve_on_host(graph, HOP_PROBLEM_COMPONENTS, 1, &right);
        for (size_t k = 0; k < hop_variant_count(HOP_PROBLEM_COMPONENTS); k++) {
            const hop_variant *row = hop_variant_at(HOP_PROBLEM_COMPONENTS, k);
            if (row->place != HOP_PLACE_DEVICE || row->uses & HOP_PREPARE_DEVICE)
                continue;
            assert_fine(context,
                        solve(context, graph, HOP_PROBLEM_COMPONENTS, row->name, 1, true, &plan));
            assert_fine(context,
                        solve(context, graph, HOP_PROBLEM_COMPONENTS, row->name, 1, false, &got));
            assert_same(&got, &right);
            assert_int_equal(got.report.copy_bytes, bytes);
            assert_true(bytes <= bytes_sent(&got.report));
            /* loops are not known before */
            assert_true(plan.report.copy_bytes >= bytes);
            assert_true(plan.report.copy_bytes <= bytes + bytes / 50);
        }
        hop_graph_release(graph);
    }
}

static void lists_of_edges_are_as_long_as_promised(void **state) {
    (void)state;
    on_each_device(edges_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_as_long_as_promised),
        cmocka_unit_test(matrices_are_as_large_as_promised),
        cmocka_unit_test(parts_are_as_many_as_promised),
        cmocka_unit_test(lists_of_edges_are_as_long_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
