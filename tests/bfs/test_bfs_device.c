/* SPDX-License-Identifier: Apache-2.0
 * Every variant of bfs on every device against the sequential search, bit by bit, and certified:
 * small graphs, all families, hubs, every setting, group sizes; in the host's memory and apart. */
#include "bfs/bfs_device_testing.h"
#include "problem/report.h"

static const struct {
    const char *family;
    hop_setting settings[4];
    size_t count;
} families[] = {
    {"rmat", {{"scale", 12}, {"edge-factor", 8}}, 2},
    {"rmat", {{"scale", 12}, {"edge-factor", 3}, {"directed", 1}}, 3},
    {"grid", {{"rows", 70}, {"cols", 60}}, 2},
    {"list-graph", {{"n", 3000}, {"count", 2}}, 2},
    {"tree-graph", {{"n", 5000}, {"count", 3}, {"k", 4}}, 3},
    {"erdos-renyi", {{"n", 5000}, {"m", 20000}}, 2},
    {"fanout", {{"n", 5000}, {"k", 4}}, 2},
    {"degree", {{"n", 3000}, {"min-degree", 0}, {"max-degree", 5}}, 3},
    {"density", {{"m", 20000}, {"delta", 0.01}}, 2},
    {"road", {{"rows", 60}, {"cols", 60}}, 2},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* The same, small enough for Oclgrind, which checks races. */
static const hop_setting few[] = {{"n", 200}, {"m", 500}, {"directed", 0}};

static const double groups[] = {1, 32, 64, 128, 256};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* Every variant as it is; those that may go bottom-up also so that they do from the beginning, or
 * small graphs would never see it; those with a small-frontier path also with that of the host. */
static void check_all(hop_context *context, const hop_graph *graph, const char *what,
                      uint32_t questions) {
    static const hop_setting bottom_up[] = {{"small", 2, NULL}, {"alpha", 1 << 20, NULL}};
    static const hop_setting on_host[] = {{"small", 1, NULL}, {"threshold", 40, NULL}};
    for (uint32_t q = 0; q < questions; q++) {
        asked a = ask(graph, what, q);
        for (size_t v = 0; device_variant(v); v++) {
            check_with(context, &a, device_variant(v)->name, NULL, 0);
            if (has_parameter(device_variant(v), "alpha"))
                check_with(context, &a, device_variant(v)->name, bottom_up, 2);
            if (has_parameter(device_variant(v), "small"))
                check_with(context, &a, device_variant(v)->name, on_host, 2);
        }
        asked_free(&a);
    }
}

static void families_body(hop_context *context, hop__device *device) {
    hop_graph *small = generated(context, "erdos-renyi", few, 3, 5);
    check_all(context, small, "a random graph", 3);
    hop_graph_release(small);
    for (size_t i = 0; i < FAMILIES; i++) {
        hop_graph *graph =
            generated(context, families[i].family, families[i].settings, families[i].count, 5);
        if (hop_graph_vertices(graph) <= most_vertices()) {
            hop__device_keep_apart(device, i % 2 != 0);
            check_all(context, graph, families[i].family, 6);
            if (i == 1) { /* directed: the same with reverse arcs at hand */
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
                check_all(context, graph, "a graph with reverse arcs", 2);
            }
            hop__device_keep_apart(device, i % 2 == 0);
            check_all(context, graph, families[i].family, 1);
        }
        hop_graph_release(graph);
    }
}

static void all_families(void **state) {
    (void)state;
    on_each_device(families_body);
}

/* persistent has more settings than are tried here, and a test of its own for them. */
static bool has_own_test(const hop_variant *variant) {
    return strcmp(variant->name, "persistent") == 0;
}

/* Group sizes, and both forms. By default all sizes occur, each with one variant and form. */
static void groups_body(hop_context *context, hop__device *device) {
    (void)device;
    for (size_t i = 0; i < FAMILIES; i++) {
        hop_graph *graph =
            generated(context, families[i].family, families[i].settings, families[i].count, 9);
        for (uint32_t q = 0; q < 3; q++) {
            asked a = ask(graph, families[i].family, q);
            for (size_t v = 0; device_variant(v); v++)
                for (size_t g = 0; g < GROUPS; g++)
                    for (int form = 1; form <= 2; form++) {
                        hop_setting settings[] = {{"group", groups[g], NULL}, {"form", form, NULL}};
                        if (has_own_test(device_variant(v)))
                            continue;
                        if (tries_all() || (g == v % GROUPS && form == 1 + (int)(v % 2)))
                            check_with(context, &a, device_variant(v)->name, settings, 2);
                    }
            asked_free(&a);
        }
        hop_graph_release(graph);
    }
}

static void group_sizes(void **state) {
    (void)state;
    if (most_vertices() < UINT64_MAX) /* kernels are compiled for every size */
        skip();
    on_each_device(groups_body);
}

static void small_body(hop_context *context, hop__device *device) {
    bool slow = most_vertices() < UINT64_MAX;
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (slow ? 2u : directed ? 3u : 4u); n++)
            for (uint32_t code = 0; code < tiny_codes(n, directed != 0);
                 code += n == 3 && directed ? 7 : 1) {
                tiny t;
                tiny_make(context, &t, n, directed != 0, code);
                hop__device_keep_apart(device, code % 2 != 0);
                asked a = ask(t.p.graph, "a small graph", code % 5);
                for (size_t v = 0; device_variant(v); v++)
                    check_with(context, &a, device_variant(v)->name, NULL, 0);
                asked_free(&a);
                hop_graph_release(t.p.graph);
            }
}

static void all_small_graphs(void **state) {
    (void)state;
    on_each_device(small_body);
}

/* Rows much longer than `hub`, and shorter ones, in several levels: centres 0, 1, 2 in a path, each
 * with leaves that only it knows and some that the next has too. */
static hop_graph *hub_graph(hop_context *context, uint32_t leaves, bool directed, bool reverse) {
    edge_list list = {0};
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < leaves; i++)
            add(&list, c, 3 + c * (leaves / 2) + i);
        if (c > 0)
            add(&list, 3 + c * (leaves / 2), c);
    }
    for (uint32_t i = 0; i < leaves; i += 3) /* a third level that many of the leaves know */
        add(&list, 3 + leaves + i, 3 + i / 2);
    return build_edges(context, &list, directed, reverse);
}

static void hubs_body(hop_context *context, hop__device *device) {
    bool slow = most_vertices() < UINT64_MAX;
    (void)device;
    for (int kind = 0; kind < (slow ? 1 : 3); kind++) {
        hop_graph *graph = hub_graph(context, slow ? 150 : 40000, kind > 0, kind > 1);
        for (uint32_t q = 0; q < (slow ? 1u : 2u); q++) {
            asked a = ask(graph, "rows of thousands of arcs", q);
            for (size_t v = 0; device_variant(v); v++) {
                hop_setting settings[] = {{"hub", slow ? 32 : 100, NULL}};
                bool has = has_parameter(device_variant(v), "hub");
                check_with(context, &a, device_variant(v)->name, settings, has);
                if (has && !slow)
                    check_with(context, &a, device_variant(v)->name, NULL, 0);
            }
            asked_free(&a);
        }
        hop_graph_release(graph);
    }
}

static void rows_of_any_length(void **state) {
    (void)state;
    on_each_device(hubs_body);
}

/* Value number k of a parameter: its choices, or its ends and one in between. */
static double value_of(const hop_parameter *parameter, size_t k) {
    static const double sizes[] = {24, 1, 0};
    double choices = parameter->maximum - parameter->minimum + 1;
    if (strcmp(parameter->name, "group") == 0)
        return sizes[k % 3];
    if (choices <= 4)
        return parameter->minimum + (double)(k % (size_t)choices);
    return k % 3 == 0                               ? parameter->minimum
           : k % 3 == 1 || parameter->maximum < 100 ? parameter->maximum
                                                    : 100;
}

/* Combination k takes value k of every parameter, so that each value occurs. Kernels are compiled
 * for each, so by default a device has two of the six, and the next device others. */
static void settings_body(hop_context *context, hop__device *device) {
    enum { COMBINATIONS = 6, PARAMETERS = 16 };
    static const hop_setting kinds[][3] = {{{"scale", 11}, {"edge-factor", 6}, {"directed", 0}},
                                           {{"scale", 10}, {"edge-factor", 4}, {"directed", 1}}};
    static size_t turn;
    (void)device;
    turn++;
    for (size_t g = 0; g < 2; g++) {
        hop_graph *graph = generated(context, "rmat", kinds[g], 3, 7);
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        asked a = ask(graph, "a graph for settings", 0);
        for (size_t i = 0; device_variant(i); i++) {
            const hop_variant *variant = device_variant(i);
            for (size_t k = 0; k < COMBINATIONS; k++) {
                hop_setting settings[PARAMETERS];
                hop_run run = HOP_RUN_INIT;
                hop_report report = {0};
                if (has_own_test(variant) || (!tries_all() && (k + turn + i) % 3 != 0))
                    continue;
                assert_true(variant->parameter_count <= PARAMETERS);
                for (size_t p = 0; p < variant->parameter_count; p++)
                    settings[p] = (hop_setting){
                        hop_parameter_at(variant->parameters, p)->name,
                        value_of(hop_parameter_at(variant->parameters, p), k + p / 2), NULL};
                run.variant = variant->name;
                run.settings = settings;
                run.setting_count = variant->parameter_count;
                check_asked(context, &a, &run, &report, k % 2 == 0);
            }
        }
        asked_free(&a);
        hop_graph_release(graph);
    }
}

static void every_setting_gives_the_same(void **state) {
    (void)state;
    if (most_vertices() < UINT64_MAX)
        skip();
    on_each_device(settings_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_families),       cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(rows_of_any_length), cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(group_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
