/* SPDX-License-Identifier: Apache-2.0
 * Every variant on every device against labels by brute force, then against the certifier: all
 * small graphs, all families, every setting. */
#include "components/components_device_testing.h"
#include "problem/report.h"

/* Small enough for Oclgrind, which checks races. */
static const hop_setting few[] = {{"n", 300}, {"m", 330}};

static void families_body(hop_context *context, bool apart) {
    hop_graph *small = generated(context, "erdos-renyi", few, 2, 5);
    uint32_t *labels = plain_labels(small);
    for (size_t v = 0; device_variant(v); v++)
        check_variant(context, small, device_variant(v)->name, labels, "a random graph");
    free(labels);
    hop_graph_release(small);
    for (size_t i = 0; i < FAMILIES; i++) {
        hop_graph *graph = family_graph(context, i);
        if (hop_graph_vertices(graph) <= most_vertices()) {
            uint32_t *expected = plain_labels(graph);
            for (size_t v = 0; device_variant(v); v++)
                check_variant(context, graph, device_variant(v)->name, expected,
                              families[i].family);
            if (hop_graph_directed(graph) &&
                !apart) { /* directed: the same with reverse arcs at hand */
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
                check_variant(context, graph, "afforest", expected, "a graph with reverse arcs");
            }
            free(expected);
        }
        hop_graph_release(graph);
    }
}

static void all_families(void **state) {
    (void)state;
    on_each_memory(0, families_body);
}

/* Graph number `code` of n vertices: one bit per pair, or per ordered pair; some loops. */
static hop_graph *small_graph(hop_context *context, uint32_t n, bool directed, uint32_t code,
                              bool wide) {
    static uint32_t offsets[8], targets[64];
    static uint64_t wide_offsets[8];
    bool edge[8][8] = {{false}};
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    uint32_t next = 0;
    for (uint32_t u = 0, bit = 0; u < n; u++) {
        edge[u][u] = (code * 7 + u) % 5 == 0;
        for (uint32_t v = directed ? 0 : u + 1; v < n; v++)
            if (u != v) {
                edge[u][v] |= code >> bit++ & 1;
                edge[v][u] |= !directed && edge[u][v];
            }
    }
    for (uint32_t u = 0; u < n; u++) {
        wide_offsets[u] = offsets[u] = next;
        for (uint32_t v = 0; v < n; v++)
            if (edge[u][v])
                targets[next++] = v;
    }
    wide_offsets[n] = offsets[n] = next;
    csr.vertices = n;
    csr.offsets = wide ? (const void *)wide_offsets : offsets;
    csr.offset_bytes = wide ? 8 : 4;
    csr.targets = targets;
    options.directed = directed;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    return graph;
}

static void small_body(hop_context *context, bool apart) {
    bool slow = most_vertices() < UINT64_MAX;
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (slow ? 2u : directed ? 3u : 4u); n++)
            for (uint32_t code = 0; code < 1u << (directed ? n * (n - 1) : n * (n - 1) / 2);
                 code++) {
                if (n > 0 && (code + apart) % 2 == 0 && n * n > 9)
                    continue; /* the larger ones: half of them each way */
                hop_graph *graph = small_graph(context, n, directed != 0, code, code % 3 == 0);
                uint32_t *expected = plain_labels(graph);
                for (size_t v = 0; device_variant(v); v++)
                    check_variant(context, graph, device_variant(v)->name, expected,
                                  "a small graph");
                free(expected);
                hop_graph_release(graph);
            }
}

static void all_small_graphs(void **state) {
    (void)state;
    on_each_memory(0, small_body);
}

/* The values of a parameter that are tried. Kernels are compiled for every size of groups, which
 * takes seconds: a variant is run with one size other than the default. */
static size_t values_of(const hop_parameter *parameter, size_t variant, double values[8]) {
    size_t count = 0;
    if (strcmp(parameter->name, "group") == 0) {
        values[0] = variant / 2 % 2 ? 24 : 1;
        return 1;
    }
    if (parameter->type == HOP_PARAMETER_CHOICE)
        for (double x = parameter->minimum; x <= parameter->maximum; x++)
            values[count++] = x;
    else {
        values[count++] = parameter->minimum;
        values[count++] = parameter->maximum;
    }
    return count;
}

/* Every choice with both ways of cutting work, numbers at their ends; groups of 1 or of 24 with one
 * way, for half of the variants, and on the next device for the others with the other way. */
static void settings_body(hop_context *context, bool apart) {
    static size_t device;
    static const hop_setting graphs[][3] = {{{"scale", 11}, {"edge-factor", 2}, {"directed", 0}},
                                            {{"scale", 10}, {"edge-factor", 1}, {"directed", 1}}};
    for (size_t g = 0; g < 2 && !apart; g++) {
        hop_graph *graph = generated(context, "rmat", graphs[g], 3, 7);
        uint32_t *expected = plain_labels(graph);
        for (size_t i = 0; device_variant(i); i++) {
            const hop_variant *variant = device_variant(i);
            for (size_t p = 0; p < variant->parameter_count; p++)
                for (int form = 1; form <= 2; form++) {
                    double values[8];
                    size_t count = values_of(hop_parameter_at(variant->parameters, p), i, values);
                    if (strcmp(hop_parameter_at(variant->parameters, p)->name, "group") == 0 &&
                        ((i + device) % 2 || (i / 2 + device + (size_t)form) % 2 == 0))
                        continue;
                    for (size_t x = 0; x < count; x++) {
                        hop_setting settings[] = {
                            {hop_parameter_at(variant->parameters, p)->name, values[x], NULL},
                            {"form", form, NULL}};
                        hop_run run = HOP_RUN_INIT;
                        hop_report report = {0};
                        bool is_form = strcmp(settings[0].name, "form") == 0;
                        run.variant = variant->name;
                        run.settings = settings;
                        run.setting_count = is_form ? 1 : 2;
                        check_run(context, graph, &run, expected, &report, settings[0].name);
                    }
                }
        }
        free(expected);
        hop_graph_release(graph);
    }
    device += !apart;
}

static void every_setting_gives_the_same(void **state) {
    (void)state;
    if (most_vertices() < UINT64_MAX) /* kernels are compiled for every size */
        skip();
    on_each_memory(0, settings_body);
}

/* Long paths in orders of ids that make deep trees, where items meet: many times each. */
static void deep_body(hop_context *context, bool apart) {
    enum { N = 60000, TIMES = 3 };
    uint32_t *from = malloc(N * 4), *to = malloc(N * 4);
    for (int order = 0; order < 3; order++) {
        for (uint32_t i = 0; i + 1 < N; i++) {
            /* 0: ascending; 1: both halves meet; 2: a comb whose teeth all hang on one vertex */
            from[i] = order == 1 ? (i % 2 ? N - 1 - i / 2 : i / 2) : i;
            to[i] = order == 1 ? ((i + 1) % 2 ? N - 1 - (i + 1) / 2 : (i + 1) / 2)
                               : (order == 2 && i % 3 == 0 ? N - 1 : i + 1);
        }
        hop_graph *graph = graph_of_pairs(context, N, N - 1, from, to, true);
        uint32_t *expected = plain_labels(graph);
        for (size_t i = 0; device_variant(i); i++)
            for (int k = 0; k < (apart ? 1 : TIMES); k++)
                check_variant(context, graph, device_variant(i)->name, expected, "a long path");
        free(expected);
        hop_graph_release(graph);
    }
    free(from);
    free(to);
}

static void deep_trees(void **state) {
    (void)state;
    if (most_vertices() < 60000)
        skip();
    on_each_memory(0, deep_body);
}

static uint64_t launches_of(hop_context *context, const hop_graph *graph, const char *name,
                            int form, double steps, const uint32_t *expected) {
    hop_setting settings[] = {{"form", form, NULL}, {"steps", steps, NULL}};
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.variant = name;
    run.settings = settings;
    run.setting_count = 2;
    check_run(context, graph, &run, expected, &report, "few steps per launch");
    return counter_of(&report, "launches");
}

/* rem and afforest with so few steps that items stop in the middle of joins all the time. */
static void few_steps_body(hop_context *context, bool apart) {
    static const char *const names[] = {"rem", "afforest"};
    for (int kind = 0; kind < 2; kind++) {
        hop_graph *graph = sparse_graph(context, kind);
        uint32_t *expected = plain_labels(graph);
        for (size_t i = 0; i < 2; i++)
            for (int form = 1; form <= 2; form++) {
                uint64_t all = launches_of(context, graph, names[i], form, 1 << 20, expected);
                uint64_t three = launches_of(context, graph, names[i], form, 3, expected);
                assert_true(three > all + 1); /* or nothing was interrupted */
                if (!apart)
                    assert_true(launches_of(context, graph, names[i], form, 1, expected) > three);
            }
        free(expected);
        hop_graph_release(graph);
    }
}

static void joins_go_on_where_they_stopped(void **state) {
    (void)state;
    if (most_vertices() < SPARSE)
        skip();
    on_each_memory(0, few_steps_body);
}

/* Slices of few elements, in every round, so that kernels begin in the middle of arrays. */
static void slices_body(hop_context *context, bool apart) {
    static const hop_setting settings[] = {{"n", 250}, {"m", 260}};
    hop_graph *graph = generated(context, "erdos-renyi", settings, 2, 5);
    uint32_t *expected = plain_labels(graph);
    const hop_setting inner = {"inner", 3, NULL};
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    hop__device_cut_slices(device_in(context), 37);
    for (size_t i = 0; device_variant(i) && !apart; i++)
        check_variant(context, graph, device_variant(i)->name, expected, "a graph of many slices");
    run.variant = "stages"; /* of rem: the join on a list of edges */
    run.settings = &inner;
    run.setting_count = 1;
    check_run(context, graph, &run, expected, &report, "a graph of many slices");
    hop__device_cut_slices(device_in(context), 0);
    free(expected);
    hop_graph_release(graph);
}

static void kernels_begin_anywhere(void **state) {
    (void)state;
    on_each_memory(0, slices_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(all_families),
        cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(joins_go_on_where_they_stopped),
        cmocka_unit_test(kernels_begin_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
