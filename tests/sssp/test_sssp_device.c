/* SPDX-License-Identifier: Apache-2.0
 * Every variant of sssp on every device against bellman-ford on the host, bit by bit, and
 * certified: types of weights, families, negative weights and cycles, extremes, hubs, settings. */
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/sssp_device_testing.h"

static const hop_weight_type types[] = {HOP_TYPE_INT32, HOP_TYPE_NONE, HOP_TYPE_INT64,
                                        HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
enum { TYPES = sizeof types / sizeof types[0] };

static const struct {
    const char *family;
    hop_setting settings[3];
    size_t count;
} families[] = {
    {"rmat", {{"scale", 11}, {"edge-factor", 8}}, 2},
    {"rmat", {{"scale", 11}, {"edge-factor", 3}, {"directed", 1}}, 3},
    {"grid", {{"rows", 50}, {"cols", 40}}, 2},
    {"list-graph", {{"n", 1000}, {"count", 2}}, 2},
    {"tree-graph", {{"n", 3000}, {"count", 3}, {"k", 4}}, 3},
    {"erdos-renyi", {{"n", 3000}, {"m", 12000}}, 2},
    {"fanout", {{"n", 3000}, {"k", 4}}, 2},
    {"degree", {{"n", 2000}, {"min-degree", 0}, {"max-degree", 5}}, 3},
    {"density", {{"m", 10000}, {"delta", 0.01}}, 2},
    {"road", {{"rows", 40}, {"cols", 40}}, 2},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const double groups[] = {1, 32, 64, 128, 256};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static hop_graph *generated(hop_context *context, size_t family, hop_weight_type type) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = families[family].settings;
    options.setting_count = families[family].count;
    options.weight_type = type;
    options.min_weight = type == HOP_TYPE_NONE ? -HUGE_VAL : 0;
    options.max_weight = type == HOP_TYPE_NONE ? HUGE_VAL : 200;
    if (hop_graph_generate(context, families[family].family, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* Every family, each with one type after the other, and the first with all. */
static void families_body(hop_context *context, hop__device *device) {
    for (size_t i = 0; i < FAMILIES; i++)
        for (size_t t = 0; t < TYPES; t++) {
            if (i > 0 && !tries_all() && i % TYPES != t)
                continue;
            hop_graph *graph = generated(context, i, types[t]);
            for (uint32_t q = 0; q < 3 && hop_graph_vertices(graph) <= most_vertices(); q++) {
                asked a = ask(graph, families[i].family, q);
                hop__device_keep_apart(device, (i + q) % 2 != 0);
                assert_true(rows_answer(context, &a) > 0);
                asked_free(&a);
            }
            hop_graph_release(graph);
        }
}

static void all_families(void **state) {
    (void)state;
    on_each_device(families_body);
}

typedef struct potential_case {
    uint32_t n;
    uint64_t m;
    int64_t high; /* of a potential */
} potential_case;

/* Weights w + p(u) - p(v): many are negative, and no cycle is. */
static shape with_potentials(const potential_case *c, weigher weigh) {
    shape s = {.name = "with potentials", .n = c->n, .directed = true};
    for (uint64_t i = 0; i < c->m; i++) {
        uint64_t u = hop__random_below(hop__random_at(9, 1, i), c->n);
        uint64_t v = hop__random_below(hop__random_at(9, 2, i), c->n);
        int64_t p = (int64_t)(hop__random_at(9, 3, u) % (uint64_t)(c->high + 1));
        int64_t q = (int64_t)(hop__random_at(9, 3, v) % (uint64_t)(c->high + 1));
        if (u != v)
            add_edge(&s, u, v, weigh(i) + p - q);
    }
    return s;
}

static void check_shape(hop_context *context, shape *s, hop_weight_type type, unsigned least) {
    hop_graph *graph = build_shape(context, s, type);
    for (uint32_t q = 0; q < (is_slow() ? 1u : 3u); q++) {
        asked a = ask(graph, s->name, q);
        assert_true(rows_answer(context, &a) >= least);
        asked_free(&a);
    }
    hop_graph_release(graph);
}

/* Small enough for slow devices. */
static void types_body(hop_context *context, hop__device *device) {
    unsigned all = 0;
    (void)device;
    while (device_variant(all))
        all++;
    for (size_t t = 0; t < TYPES; t++)
        for (int directed = 0; directed < 2; directed++) {
            const bool wide = types[t] == HOP_TYPE_INT64;
            shape s = random_shape(60, 150, directed, false, wide ? beyond_32_bits : plain_weight);
            check_shape(context, &s, types[t], all);
            free_shape(&s);
        }
}

static void all_types(void **state) {
    (void)state;
    on_each_device(types_body);
}

static void negative_body(hop_context *context, hop__device *device) {
    static const potential_case cases[] = {
        {60, 200, 50}, {2000, 8000, 300}, {500, 3000, 1 << 29}, {2000, 6000, 100000}};
    (void)device;
    for (size_t i = 0; i < (is_slow() ? 1 : sizeof cases / sizeof cases[0]); i++)
        for (int zeros = 0; zeros < 2; zeros++) {
            shape s = with_potentials(&cases[i], zeros ? zero_or_one : plain_weight);
            check_shape(context, &s, HOP_TYPE_INT32, 1);
            if (i > 0 && zeros)
                check_shape(context, &s, HOP_TYPE_INT64, 1);
            free_shape(&s);
        }
}

static void negative_weights(void **state) {
    (void)state;
    on_each_device(negative_body);
}

static void zeros_body(hop_context *context, hop__device *device) {
    static const weigher weighers[] = {zero, zero_or_one, one_outlier, beyond_32_bits};
    (void)device;
    for (size_t i = 0; i < (is_slow() ? 2 : sizeof weighers / sizeof weighers[0]); i++)
        for (int directed = 0; directed < 2; directed++) {
            shape s = random_shape(is_slow() ? 60 : 1500, is_slow() ? 150 : 6000, directed != 0,
                                   false, weighers[i]);
            check_shape(context, &s, HOP_TYPE_INT32, 1);
            if (!is_slow())
                check_shape(context, &s, HOP_TYPE_FLOAT32, 1);
            free_shape(&s);
        }
}

static void zeros_and_large_weights(void **state) {
    (void)state;
    on_each_device(zeros_body);
}

/* The ends of int32, and int64 weights whose sums do not fit: then the error of the host. */
static void extremes_body(hop_context *context, hop__device *device) {
    (void)device;
    shape s = {.name = "int32 extremes", .n = 40, .directed = true};
    for (uint32_t v = 0; v + 1 < 40; v++) {
        add_edge(&s, v, v + 1, v % 3 == 2 ? INT32_MIN : INT32_MAX);
        if (v % 5 == 0)
            add_edge(&s, v + 1, v, v % 3 == 2 ? INT32_MAX : 7);
        if (v % 7 == 0)
            add_edge(&s, 0, v + 1, INT32_MAX - 1);
    }
    for (uint32_t v = 0; v < 39; v += 3) /* back, at the price of what was gained */
        add_edge(&s, v + 1, v, INT32_MAX);
    check_shape(context, &s, HOP_TYPE_INT32, 1);
    check_shape(context, &s, HOP_TYPE_INT64, 1);
    free_shape(&s);
    shape wide = {.name = "int64 extremes", .n = 12, .directed = true};
    for (uint32_t v = 0; v + 1 < 12; v++) {
        add_edge(&wide, v, v + 1, 4000000000000000000);
        add_edge(&wide, v / 2, v + 1, 1000000000000000000);
    }
    hop_graph *graph = build_shape(context, &wide, HOP_TYPE_INT64);
    for (uint32_t q = 0; q < 6; q++) {
        asked a = ask(graph, wide.name, q);
        assert_true(rows_answer(context, &a) > 0);
        asked_free(&a);
    }
    hop_graph_release(graph);
    free_shape(&wide);
}

static void extremes(void **state) {
    (void)state;
    on_each_device(extremes_body);
}

/* A ring of `length` vertices behind a tail, with sum -1, among arcs of weight 5; the device's own
 * check finds it. */
static void check_cycle(hop_context *context, uint32_t length) {
    uint32_t n = length + 30;
    shape s = {.name = "a negative cycle", .n = n, .directed = true};
    for (uint32_t v = 0; v < 20; v++)
        add_edge(&s, v, v + 1, 5);
    for (uint32_t v = 0; v < length; v++)
        add_edge(&s, 20 + v, 20 + (v + 1) % length, v == length / 2 ? -(int64_t)length : 1);
    for (uint32_t v = 0; v + 7 < n; v += 11)
        add_edge(&s, v, v + 7, 1000);
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
    hop_vertex *parents = malloc(n * 4), source = 0;
    int64_t *distances = malloc(n * 8);
    for (size_t v = 0; device_variant(v); v++) {
        hop_run run = HOP_RUN_INIT;
        hop_report report = {0};
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        run.variant = device_variant(v)->name;
        run.certify = HOP_CERTIFY_CANONICAL;
        run.report = &report;
        options.run = &run;
        hop_status status =
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents);
        if (status == HOP_ERR_UNSUPPORTED)
            continue; /* takes no negative weights */
        assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
        hop_vertex found;
        assert_non_null(hop_context_cycle(context, &found));
        assert_int_equal(found, length);
        assert_true(counter_of(&report, "left to the host") == UINT64_MAX); /* it was not */
        hop_device_trim(context); /* where arrays are copied, the graph has stayed */
        assert_int_equal(hop_device_memory_used(context), 0);
    }
    free(parents);
    free(distances);
    hop_graph_release(graph);
    free_shape(&s);
}

static void cycles_body(hop_context *context, hop__device *device) {
    static const uint32_t lengths[] = {2, 3, 17, 1000, 10000, 100000};
    (void)device;
    for (size_t i = 0; i < (is_slow() ? 2u : tries_all() ? 6u : 4u); i++)
        check_cycle(context, lengths[i]);
}

static void negative_cycles(void **state) {
    (void)state;
    on_each_device(cycles_body);
}

/* Negative floating-point weights are the host's: refused by name, done by choice, with the reason.
 */
static void declined_body(hop_context *context, hop__device *device) {
    potential_case small = {60, 200, 50};
    shape s = with_potentials(&small, plain_weight);
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_FLOAT64);
    hop_vertex source = 0;
    double distances[60];
    (void)device;
    for (size_t v = 0; device_variant(v); v++) {
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        if (strcmp(device_variant(v)->name, "delta-stepping") == 0)
            continue; /* for another reason */
        run.variant = device_variant(v)->name;
        options.run = &run;
        hop_status status =
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL);
        assert_int_equal(status, HOP_ERR_UNSUPPORTED);
        if (!lacks_capability(context, status) &&
            !strstr(hop_context_message(context), "exact sums"))
            fail_msg("%s", hop_context_message(context));
    }
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.report = &report;
    options.run = &run;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL),
                     HOP_OK);
    assert_int_equal(report.variant->place, HOP_PLACE_HOST);
    assert_non_null(strstr(report.reason, "on the host because"));
    hop_graph_release(graph);
    free_shape(&s);
}

static void what_devices_decline(void **state) {
    (void)state;
    on_each_device(declined_body);
}

/* As if the device had no 64-bit atomics: 32-bit keys where they fit, else it declines. */
static void narrow_body(hop_context *context, hop__device *device) {
    hop_device_info *info = (hop_device_info *)(uintptr_t)hop__device_info(device);
    unsigned had = info->capabilities;
    info->capabilities &= ~(unsigned)HOP_DEVICE_ATOMIC64;
    shape s = random_shape(300, 900, true, false, plain_weight);
    check_shape(context, &s, HOP_TYPE_INT32, 1);
    check_shape(context, &s, HOP_TYPE_FLOAT32, 1);
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_FLOAT64);
    asked a = ask(graph, "float64", 0);
    assert_int_equal(check_rows(context, &a).ran, 0);
    if (!strstr(hop_context_message(context), "64-bit atomics"))
        fail_msg("%s", hop_context_message(context));
    asked_free(&a);
    hop_graph_release(graph);
    free_shape(&s);
    info->capabilities = had;
}

static void without_64_bit_atomics(void **state) {
    (void)state;
    if (is_slow())
        skip();
    on_each_device(narrow_body);
}

/* A vertex with many arcs, from it and to it. */
static void hubs_body(hop_context *context, hop__device *device) {
    uint32_t n = is_slow() ? 100 : 30000;
    shape s = {.name = "hubs", .n = n, .directed = true};
    (void)device;
    for (uint32_t v = 2; v < n; v++) {
        add_edge(&s, v % 3 == 0 ? 1 : 0, v, plain_weight(v));
        if (v % 4 == 0)
            add_edge(&s, v, v % 8 == 0 ? 1 : 0, 3);
    }
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
    asked a = ask(graph, s.name, 0);
    asked_free(&a);
    a.sources[0] = 8;
    answer_on_host(&a);
    for (size_t v = 0; device_variant(v); v++) {
        hop_setting settings[] = {{"hub", is_slow() ? 32 : 1000, NULL}};
        hop_report report = {0};
        check_with(context, &a, device_variant(v)->name, settings,
                   has_parameter(device_variant(v), "hub"), &report);
    }
    asked_free(&a);
    hop_graph_release(graph);
    free_shape(&s);
}

static void rows_of_any_length(void **state) {
    (void)state;
    on_each_device(hubs_body);
}

/* speculate has more settings than are tried here, and a test of its own for them. */
static bool has_own_test(const hop_variant *variant) {
    return strcmp(variant->name, "speculate") == 0;
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

/* Combination k takes value k of every parameter; by default a device has two of the six. */
static void settings_body(hop_context *context, hop__device *device) {
    enum { COMBINATIONS = 6, PARAMETERS = 16 };
    static size_t turn;
    potential_case small = {400, 2000, 50};
    (void)device;
    turn++;
    for (int negative = 0; negative < 2; negative++) {
        shape s = negative ? with_potentials(&small, plain_weight)
                           : random_shape(500, 3000, false, true, plain_weight);
        hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
        asked a = ask(graph, s.name, 0);
        for (size_t i = 0; device_variant(i); i++) {
            const hop_variant *variant = device_variant(i);
            unsigned lacking = 0;
            for (size_t k = 0; k < COMBINATIONS && row_takes(context, &a, variant->name, &lacking);
                 k++) {
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
        free_shape(&s);
    }
}

static void every_setting_gives_the_same(void **state) {
    (void)state;
    if (is_slow())
        skip();
    on_each_device(settings_body);
}

/* Group sizes and both forms; by default all sizes occur, each with one variant and form. */
static void groups_body(hop_context *context, hop__device *device) {
    (void)device;
    for (size_t i = 0; i < FAMILIES; i++) {
        hop_graph *graph = generated(context, i, types[i % TYPES]);
        asked a = ask(graph, families[i].family, (uint32_t)i % 3);
        for (size_t v = 0; device_variant(v); v++)
            for (size_t g = 0; g < GROUPS; g++)
                for (int form = 1; form <= 2; form++) {
                    hop_setting settings[] = {{"group", groups[g], NULL}, {"form", form, NULL}};
                    hop_report report = {0};
                    if (has_own_test(device_variant(v)))
                        continue;
                    if (tries_all() ||
                        (g == v % GROUPS && form == 1 + (int)(v % 2) && i % TYPES == 0))
                        check_with(context, &a, device_variant(v)->name, settings, 2, &report);
                }
        asked_free(&a);
        hop_graph_release(graph);
    }
}

static void group_sizes(void **state) {
    (void)state;
    if (is_slow())
        skip();
    on_each_device(groups_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_families),
        cmocka_unit_test(all_types),
        cmocka_unit_test(negative_weights),
        cmocka_unit_test(zeros_and_large_weights),
        cmocka_unit_test(extremes),
        cmocka_unit_test(negative_cycles),
        cmocka_unit_test(what_devices_decline),
        cmocka_unit_test(without_64_bit_atomics),
        cmocka_unit_test(rows_of_any_length),
        cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(group_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
