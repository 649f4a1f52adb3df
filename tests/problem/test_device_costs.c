/* SPDX-License-Identifier: Apache-2.0
 * What auto compares on devices: rows count what they do, constants of the device say what it
 * takes. Counts grow with the input, costs with each constant, and the choice follows. */
#include <math.h>

#include "apsp/apsp_internal.h"
#include "bfs/bfs_internal.h"
#include "components/components_internal.h"
#include "core/try.h"
#include "device/backend.h"
#include "device/device_testing.h"
#include "hoplite/hoplite.h"
#include "problem/problem.h"
#include "problem/report.h"
#include "rank/rank_internal.h"
#include "tables/problem_tables.h"

static hop_graph *make_graph(hop_context *context, double n, double m, bool directed) {
    const hop_setting settings[] = {{"n", n, NULL}, {"m", m, NULL}, {"directed", directed, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.weight_type = HOP_TYPE_INT32;
    options.min_weight = 1;
    options.max_weight = 9;
    assert_fine(context, hop_graph_generate(context, "erdos-renyi", &options, &graph));
    return graph;
}

typedef struct tasks {
    hop__rank_task rank;
    hop__components_task components;
    hop__bfs_task bfs;
    hop__sssp_task sssp;
    hop__apsp_task apsp;
} tasks;

static const void *task_of(tasks *all, hop_problem problem, const hop_graph *graph) {
    *all = (tasks){.rank.query.count = graph->vertices, .components.graph = graph};
    all->bfs.query.graph = all->sssp.query.graph = all->apsp.query.graph = graph;
    all->apsp.distance_type = all->apsp.query.distance_type = HOP_TYPE_INT64;
    all->apsp.row_count = graph->vertices;
    return problem == HOP_PROBLEM_RANK         ? (const void *)&all->rank
           : problem == HOP_PROBLEM_COMPONENTS ? (const void *)&all->components
           : problem == HOP_PROBLEM_BFS        ? (const void *)&all->bfs
           : problem == HOP_PROBLEM_SSSP       ? (const void *)&all->sssp
                                               : (const void *)&all->apsp;
}

/* --- counts and constants -------------------------------------------------------------------- */

static hop__device_constants assumed(bool processor) {
    hop__device_constants constants = {.processor = processor};
    for (unsigned i = 0; i < HOP__DEVICE_CONSTANTS; i++)
        constants.values[i] = hop__device_assumed((hop__device_constant)i, processor);
    return constants;
}

static double cost_of(const hop__variant *row, hop_problem problem, const hop_graph *graph,
                      const hop__device_constants *constants) {
    tasks all;
    hop__device_work work = row->device_work(task_of(&all, problem, graph));
    return hop__device_cost(constants, &work, 0);
}

/* Every row that counts, on every kind of device: more vertices take longer, and more arcs where
 * arcs are what it looks at. */
static void costs_grow_with_the_input(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *small = make_graph(context, 500, 2000, false);
    hop_graph *dense = make_graph(context, 500, 20000, false);
    hop_graph *large = make_graph(context, 5000, 20000, false);
    const hop__variant *row;
    unsigned counted = 0;
    for (int p = 0; p < HOP_PROBLEM_COUNT; p++)
        for (size_t i = 0; (row = hop__variant_at((hop_problem)p, i)) != NULL; i++)
            for (int processor = 0; processor < 2 && row->device_work; processor++) {
                hop__device_constants constants = assumed(processor != 0);
                double least = cost_of(row, (hop_problem)p, small, &constants);
                double more = cost_of(row, (hop_problem)p, dense, &constants);
                bool arcs = p == HOP_PROBLEM_COMPONENTS || p == HOP_PROBLEM_BFS ||
                            p == HOP_PROBLEM_SSSP || strstr(row->about.name, "harish") ||
                            strstr(row->about.name, "bits");
                if (!(least > 0) || !(cost_of(row, (hop_problem)p, large, &constants) > more) ||
                    (arcs ? !(more > least) : more != least))
                    fail_msg("%s", row->about.name);
                counted++;
            }
    assert_true(counted >= 2 * 14);
    hop_graph_release(small);
    hop_graph_release(dense);
    hop_graph_release(large);
    free_context(context);
}

/* A constant that is larger makes no row cheaper, and some row dearer; the bus by just the bytes.
 */
static void costs_follow_each_constant(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = make_graph(context, 500, 2000, false);
    const hop__variant *row;
    for (unsigned c = 0; c < HOP__DEVICE_CONSTANTS; c++) {
        hop__device_constants before = assumed(false), after = before;
        unsigned dearer = 0;
        after.values[c] *= 10;
        for (int p = 0; p < HOP_PROBLEM_COUNT; p++)
            for (size_t i = 0; (row = hop__variant_at((hop_problem)p, i)) != NULL; i++) {
                if (!row->device_work)
                    continue;
                double one = cost_of(row, (hop_problem)p, graph, &before);
                double other = cost_of(row, (hop_problem)p, graph, &after);
                if (other < one || other > 10 * one * (1 + 1e-9))
                    fail_msg("%s: %g, then %g", row->about.name, one, other);
                dearer += other > one;
            }
        assert_true(dearer > 0);
    }
    hop__device_constants constants = assumed(false);
    hop__device_work none = {0};
    assert_true(hop__device_cost(&constants, &none, 0) == 0);
    assert_true(fabs(hop__device_cost(&constants, &none, 1000000) -
                     1e6 * constants.values[HOP__DEVICE_BUS]) < 1e-3);
    hop_graph_release(graph);
    free_context(context);
}

/* --- the choice ------------------------------------------------------------------------------ */

static void set(hop_context *context, const char *name, double value) {
    assert_fine(context, hop_tuning_device_set(context, name, value));
}

static void set_all(hop_context *context, double value) {
    for (size_t i = 0; i < hop_tuning_device_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_device_at(i);
        set(context, row->name, fmin(fmax(value, row->minimum), row->maximum));
    }
}

/* What auto would take, without running it. */
static hop_status plan(hop_context *context, hop_problem problem, const hop_graph *graph,
                       hop_report *report) {
    static hop_vertex words[5000], results[5000];
    static int64_t wide[160000]; /* the matrix of 400 vertices */
    const hop_vertex source = 0;
    hop_vertex n = hop_graph_vertices(graph);
    hop_run run = HOP_RUN_INIT;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    *report = (hop_report){0};
    run.plan = true;
    run.report = report;
    rank.run = components.run = bfs.run = sssp.run = apsp.run = &run;
    for (hop_vertex i = 0; i < n; i++)
        words[i] = i + 1 < n ? i + 1 : i;
    if (problem == HOP_PROBLEM_RANK)
        return hop_rank(context, words, n, &rank, results);
    if (problem == HOP_PROBLEM_COMPONENTS)
        return hop_components(context, graph, &components, results, NULL);
    if (problem == HOP_PROBLEM_BFS)
        return hop_bfs(context, graph, &source, 1, &bfs, results, NULL);
    if (problem == HOP_PROBLEM_APSP)
        return hop_apsp(context, graph, &apsp, &(hop_span){wide, (uint64_t)n * n, HOP_TYPE_INT64},
                        NULL);
    return hop_sssp(context, graph, &source, 1, &sssp, &(hop_span){wide, n, HOP_TYPE_INT64}, NULL);
}

static void check_taken(hop_context *context, hop_problem problem, const hop_graph *graph,
                        const char *expected, const char *reason) {
    hop_report report;
    assert_fine(context, plan(context, problem, graph, &report));
    if (strcmp(report.variant->name, expected) != 0 || !strstr(report.reason, reason))
        fail_msg("%s, because %s", report.variant->name, report.reason);
}

/* As it was before there were constants, on graphs and lists of all sizes. */
static void processors_choose_as_before_body(hop_context *context, hop__device *device) {
    static const char *const words = "by constants assumed of processors";
    if ((hop__device_info(device)->capabilities & HOP_DEVICE_CHUNKED) == 0)
        return;
    for (double n = 20; n < 5000; n *= 3)
        for (int directed = 0; directed < 2; directed++) {
            hop_graph *graph = make_graph(context, n, 4 * n, directed != 0);
            for (int prepared = 0; prepared < 2; prepared++) {
                check_taken(context, HOP_PROBLEM_RANK, graph, "splitter", words);
                check_taken(context, HOP_PROBLEM_COMPONENTS, graph, "afforest", words);
                check_taken(context, HOP_PROBLEM_BFS, graph, "direction-optimizing", words);
                check_taken(context, HOP_PROBLEM_SSSP, graph, "delta-stepping", words);
                assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE));
            }
            hop_graph_release(graph);
        }
}

static void processors_choose_as_before(void **state) {
    (void)state;
    on_each_device(processors_choose_as_before_body);
}

/* splitter48 moves fewer bytes, and reads a word more from anywhere. */
static void slow_gathers_body(hop_context *context, hop__device *device) {
    hop_graph *graph = make_graph(context, 4000, 4000, false); /* for its size */
    (void)device;
    set(context, "device.gather", 100);
    check_taken(context, HOP_PROBLEM_RANK, graph, "splitter", "by constants partly measured");
    set_all(context, 0);
    set(context, "device.gather", 100);
    check_taken(context, HOP_PROBLEM_RANK, graph, "splitter", "by measured constants");
    set_all(context, 0);
    set(context, "device.stream", 100);
    check_taken(context, HOP_PROBLEM_RANK, graph, "splitter48", "by measured constants");
    hop_graph_release(graph);
}

static void slow_gathers_are_avoided(void **state) {
    (void)state;
    on_each_device(slow_gathers_body);
}

/* Arcs in must be copied too: that pays where the bus is fast, and not where it is slow. Where the
 * device works in the host's memory the bus says nothing. */
static void slow_bus_body(hop_context *context, hop__device *device) {
    hop_graph *graph = make_graph(context, 4000, 40000, true);
    assert_fine(context, hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE));
    set_all(context, 1);
    for (int apart = 0; apart < 2; apart++) {
        hop__device_keep_apart(device, apart != 0);
        bool shared = hop__device_shares_memory(device);
        set(context, "device.bus", 1e-4);
        check_taken(context, HOP_PROBLEM_BFS, graph, "direction-optimizing", "");
        set(context, "device.bus", 1e4);
        check_taken(context, HOP_PROBLEM_BFS, graph,
                    shared ? "direction-optimizing" : "frontier-block", "");
    }
    hop__device_keep_apart(device, false);
    hop_graph_release(graph);
}

static void slow_bus_is_counted(void **state) {
    (void)state;
    on_each_device(slow_bus_body);
}

/* All pairs go where they are expected to be quicker, a processor or not. */
static void apsp_body(hop_context *context, hop__device *device) {
    hop_graph *graph = make_graph(context, 400, 20000, false);
    (void)device;
    set_all(context, 0);
    check_taken(context, HOP_PROBLEM_APSP, graph, "katz-kider", "by measured constants");
    set(context, "device.step", 1000);
    check_taken(context, HOP_PROBLEM_APSP, graph, "harish-narayanan", "by measured constants");
    set(context, "device.atomic", 10000);
    check_taken(context, HOP_PROBLEM_APSP, graph, "blocked",
                "times as long (by measured constants)");
    hop_graph_release(graph);
}

static void all_pairs_go_where_they_are_quicker(void **state) {
    (void)state;
    on_each_device(apsp_body);
}

/* What kind of device a driver calls it decides nothing; how it works does. */
static void type_body(hop_context *context, hop__device *device) {
    static const hop_problem problems[] = {HOP_PROBLEM_RANK, HOP_PROBLEM_COMPONENTS,
                                           HOP_PROBLEM_BFS, HOP_PROBLEM_SSSP, HOP_PROBLEM_APSP};
    const hop_device_type type = device->info.type;
    const unsigned had = device->info.capabilities;
    hop_graph *graph = make_graph(context, 400, 20000, false);
    for (size_t p = 0; p < HOP_LENGTH(problems); p++)
        for (unsigned chunked = 0; chunked < 2; chunked++) {
            hop_report first, report;
            device->info.capabilities =
                (had & ~(unsigned)HOP_DEVICE_CHUNKED) | (chunked ? HOP_DEVICE_CHUNKED : 0);
            device->info.type = HOP_DEVICE_CPU;
            assert_fine(context, plan(context, problems[p], graph, &first));
            assert_non_null(strstr(first.reason, chunked ? "assumed of processors"
                                                         : "assumed of graphics cards"));
            for (int other = HOP_DEVICE_GPU; other <= HOP_DEVICE_OTHER; other++) {
                device->info.type = (hop_device_type)other;
                assert_fine(context, plan(context, problems[p], graph, &report));
                assert_ptr_equal(report.variant, first.variant);
                assert_string_equal(report.reason, first.reason);
            }
        }
    device->info.type = type;
    device->info.capabilities = had;
    hop_graph_release(graph);
}

static void type_decides_nothing(void **state) {
    (void)state;
    on_each_device(type_body);
}

/* --- of one device --------------------------------------------------------------------------- */

/* A device is another one with another driver, and as a rule of the type: constants of the one say
 * nothing about the other. */
static void constants_belong_to_device_and_driver(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_device_info one = {.name = "cuda:0", .title = "A Card (R) #1", .driver = "1.0 = x"};
    hop_device_info other = one;
    char key[HOP__DEVICE_KEY];
    one.type = other.type = HOP_DEVICE_GPU;
    snprintf(other.driver, sizeof other.driver, "1.1");
    hop__device_key("cuda", 4, one.title, one.driver, key);
    assert_string_equal(key, "cuda/A-Card--R---1/1.0---x");
    assert_true(hop__tuning_put_device(&context->tuning, key, HOP__DEVICE_BUS, 7));
    hop__device_constants found = hop__device_constants_of(context, &one);
    assert_true(found.values[HOP__DEVICE_BUS] == 7 && found.measured == 1);
    found = hop__device_constants_of(context, &other);
    assert_true(found.measured == 0 && !found.processor);
    assert_true(found.values[HOP__DEVICE_BUS] == hop__device_assumed(HOP__DEVICE_BUS, false));
    snprintf(one.name, sizeof one.name, "opencl:3.1"); /* the same card by another way */
    assert_true(hop__device_constants_of(context, &one).measured == 0);
    free_context(context);
}

static void get_and_set_body(hop_context *context, hop__device *device) {
    double value;
    bool measured;
    bool processor = (hop__device_info(device)->capabilities & HOP_DEVICE_CHUNKED) != 0;
    for (size_t i = 0; i < hop_tuning_device_count(); i++) {
        const hop_tuning_constant *row = hop_tuning_device_at(i);
        assert_fine(context, hop_tuning_device_get(context, row->name, &value, &measured));
        assert_true(value == hop__device_assumed((hop__device_constant)i, processor) && !measured);
        assert_true(value >= row->minimum && value <= row->maximum);
        assert_int_equal(hop_tuning_device_set(context, row->name, row->maximum * 2),
                         HOP_ERR_ARGUMENT);
        assert_int_equal(hop_tuning_device_set(context, row->name, (double)NAN), HOP_ERR_ARGUMENT);
        set(context, row->name, row->minimum);
        assert_fine(context, hop_tuning_device_get(context, row->name, &value, &measured));
        assert_true(value == row->minimum && measured);
    }
    assert_int_equal(hop_tuning_device_set(context, "device.warp", 1), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_tuning_device_get(context, "device.warp", &value, NULL), HOP_ERR_ARGUMENT);
    hop_context *copy = make_context(1);
    hop_tuning_copy(copy, context);
    assert_int_equal(hop__device_constants_of(copy, hop__device_info(device)).measured,
                     HOP__DEVICE_CONSTANTS);
    free_context(copy);
}

static void constants_are_set_and_read(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    assert_null(hop_tuning_device_at(hop_tuning_device_count()));
    assert_int_equal(hop_tuning_device_set(context, "device.bus", 1), HOP_ERR_DEVICE);
    free_context(context);
    on_each_device(get_and_set_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_grow_with_the_input),
        cmocka_unit_test(costs_follow_each_constant),
        cmocka_unit_test(processors_choose_as_before),
        cmocka_unit_test(slow_gathers_are_avoided),
        cmocka_unit_test(slow_bus_is_counted),
        cmocka_unit_test(all_pairs_go_where_they_are_quicker),
        cmocka_unit_test(type_decides_nothing),
        cmocka_unit_test(constants_belong_to_device_and_driver),
        cmocka_unit_test(constants_are_set_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
