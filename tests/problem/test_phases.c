/* SPDX-License-Identifier: Apache-2.0
 * Phases, steps and counters: the recorder itself, and what every variant of the tables reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/timing.h"
#include "hoplite/hoplite.h"
#include "problem/phases.h"
#include "problem/problem.h"
#include "problem/report.h"
#include "problem/variant_testing.h"
#include "span_testing.h"

static hop_context *context;

static int set_up(void **state) {
    (void)state;
    return hop_context_create(NULL, &context) == HOP_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    hop_context_free(context);
    return 0;
}

static void wait_ms(double ms) {
    double end = hop__now() + ms * 1e-3;
    while (hop__now() < end)
        ;
}

static void test_phases_cut_the_time_line(void **state) {
    (void)state;
    hop__call call = {0};
    hop__run_begin(context, &call);
    hop__phase(context, "one");
    hop__phase_bytes(context, 10);
    wait_ms(4);
    hop__phase_copy(context, "two");
    hop__phase_items(context, 3);
    wait_ms(2);
    char same[] = "one"; /* another pointer, the same name */
    hop__phase(context, same);
    hop__phase_bytes(context, 5);
    wait_ms(4);
    hop__phase_stop(context);
    wait_ms(3);
    hop__count(context, "retries", 7);
    hop__count(context, "polls", 0);
    hop__count(context, "retries", 1);
    hop__run_end(context, &call);
    const hop_report *report = &call.report;
    assert_int_equal(report->phase_count, 2);
    assert_string_equal(report->phases[0].name, "one");
    assert_string_equal(report->phases[1].name, "two");
    assert_int_equal(report->phases[0].kind, HOP_PHASE_COMPUTE);
    assert_int_equal(report->phases[1].kind, HOP_PHASE_COPY);
    assert_int_equal(report->phases[0].calls, 2);
    assert_int_equal(report->phases[1].calls, 1);
    assert_int_equal(report->phases[0].bytes, 15);
    assert_int_equal(report->phases[1].items, 3);
    assert_int_equal(report->phases[1].bytes, 0);
    assert_true(report->phases[0].seconds >= 0.008);
    assert_true(report->phases[1].seconds >= 0.002);
    double sum = report->phases[0].seconds + report->phases[1].seconds;
    assert_true(report->seconds >= sum + 0.003);
    assert_int_equal(report->counter_count, 2);
    assert_string_equal(report->counters[0].name, "retries");
    assert_int_equal(report->counters[0].value, 8);
    assert_int_equal(report->counters[1].value, 0);
    assert_null(context->recorder);
}

/* Nothing happens outside of a run, and an inner run leaves the outer one as it was. */
static void test_runs_inside_runs(void **state) {
    (void)state;
    hop__phase(context, "nowhere");
    hop__phase_bytes(context, 1);
    hop__phase_items(context, 1);
    hop__count(context, "nothing", 1);
    hop__phase_stop(context);
    hop__call outer = {0}, inner = {0};
    hop__run_begin(context, &outer);
    hop__phase(context, "around");
    hop__run_begin(context, &inner);
    hop__phase(context, "inside");
    hop__run_end(context, &inner);
    hop__phase_items(context, 9);
    hop__run_end(context, &outer);
    assert_int_equal(outer.report.phase_count, 1);
    assert_string_equal(outer.report.phases[0].name, "around");
    assert_int_equal(outer.report.phases[0].items, 9);
    assert_int_equal(inner.report.phase_count, 1);
    assert_string_equal(inner.report.phases[0].name, "inside");
}

static void test_too_many(void **state) {
    (void)state;
    static char names[HOP__REPORT_PHASES + 4][16];
    hop__call call = {0};
    hop__run_begin(context, &call);
    for (size_t i = 0; i < HOP__REPORT_PHASES + 4; i++) {
        snprintf(names[i], sizeof names[i], "phase %zu", i);
        hop__phase(context, names[i]);
        hop__count(context, names[i], i);
    }
    hop__phase(context, names[1]);
    hop__run_end(context, &call);
    assert_int_equal(call.report.phase_count, HOP__REPORT_PHASES);
    assert_int_equal(call.report.counter_count, HOP__REPORT_COUNTERS);
    assert_int_equal(call.report.phases[1].calls, 2);
    assert_int_equal(call.report.phases[HOP__REPORT_PHASES - 1].calls, 1);
    assert_int_equal(call.report.step_count, HOP__REPORT_PHASES + 1);
}

static void test_measured_elsewhere(void **state) {
    (void)state;
    hop__call call = {0};
    hop_phase kernel = {"kernel", HOP_PHASE_COMPUTE, 3, 0.5, 100, 10};
    hop__run_begin(context, &call);
    hop__phase(context, "wait");
    hop__phase_add(context, &kernel);
    hop__phase_add(context, &kernel);
    hop__run_end(context, &call);
    assert_int_equal(call.report.phase_count, 2);
    assert_int_equal(call.report.phases[1].calls, 6);
    assert_int_equal(call.report.phases[1].bytes, 200);
    assert_true(call.report.phases[1].seconds == 1.0);
    assert_int_equal(call.report.phases[0].calls, 1);
}

/* A phase costs little: the promise of phases.h, against two looks at the clock, since how long one
 * takes differs between machines by a hundred times. A phase is one look, and nothing that grows
 * with what was recorded. */
static void test_cost(void **state) {
    (void)state;
    enum { CALLS = 20000, TRIALS = 50 };
    hop__call call = {0};
    double best = 1, look = 1, last = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        hop__run_begin(context, &call);
        double begin = hop__now();
        for (int i = 0; i < CALLS; i++)
            hop__phase(context, i & 1 ? "a" : "b");
        double middle = hop__now();
        hop__run_end(context, &call);
        for (int i = 0; i < CALLS; i++)
            last += hop__now();
        double end = hop__now();
        best = fmin(best, (middle - begin) / CALLS);
        look = fmin(look, (end - middle) / CALLS);
    }
    printf("a phase costs %.1f ns, a look at the clock %.1f ns\n", best * 1e9, look * 1e9);
    assert_true(last > 0 && best < 2 * look + 1e-6);
}

/* False when there is no device for the row. */
static bool run_variant(hop_problem problem, const hop_variant *variant, const hop_graph *graph,
                        hop_report *report) {
    enum { N = 64 };
    hop_run run = HOP_RUN_INIT;
    hop_vertex source = 0, ids[N], parents[N];
    static int64_t matrix[N * N];
    hop_status status = HOP_OK;
    run.variant = variant->name;
    run.report = report;
    run.certify = HOP_CERTIFY_CANONICAL;
    if (problem == HOP_PROBLEM_RANK) {
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        hop_vertex successors[N];
        for (hop_vertex i = 0; i < N; i++)
            successors[i] = i + 1 < N ? i + 1 : i;
        options.run = &run;
        status = hop_rank(context, successors, N, &options, ids);
    } else if (problem == HOP_PROBLEM_COMPONENTS) {
        hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
        options.run = &run;
        status = hop_components(context, graph, &options, ids, NULL);
    } else if (problem == HOP_PROBLEM_BFS) {
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        options.run = &run;
        status = hop_bfs(context, graph, &source, 1, &options, ids, parents);
    } else if (problem == HOP_PROBLEM_SSSP) {
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        options.run = &run;
        status = hop_sssp(context, graph, &source, 1, &options, ROOM(graph, matrix), parents);
    } else {
        hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
        options.run = &run;
        options.scratch = "phases.tiles";
        status = hop_apsp(context, graph, &options, MATRIX_ROOM(graph, &options, matrix), NULL);
    }
    if (status == HOP_ERR_UNSUPPORTED && variant->place == HOP_PLACE_DEVICE)
        return false;
    if (status != HOP_OK)
        fail_msg("%s %s: %s", hop_problem_name(problem), variant->name,
                 hop_context_message(context));
    return true;
}

static void check_report(const char *problem, const hop_report *report) {
    double sum = 0;
    uint64_t calls = 0;
    const char *name = report->variant->name;
    if (report->phase_count == 0 || report->phase_count == HOP__REPORT_PHASES ||
        report->counter_count == HOP__REPORT_COUNTERS)
        fail_msg("%s %s: %zu phases, %zu counters", problem, name, report->phase_count,
                 report->counter_count);
    for (size_t i = 0; i < report->phase_count; i++) {
        if (report->phases[i].kind == HOP_PHASE_COMPUTE)
            sum += report->phases[i].seconds;
        calls += report->phases[i].calls;
        assert_true(report->phases[i].seconds >= 0 && report->phases[i].calls > 0);
    }
    if (report->variant->place == HOP_PLACE_HOST && sum > report->seconds * (1 + 1e-9))
        fail_msg("%s %s: phases of %g s in a run of %g s", problem, name, sum, report->seconds);
    assert_true(report->certify_seconds > 0);
    if (report->variant->place == HOP_PLACE_HOST)
        assert_int_equal(report->step_count, calls);
    double stepped = 0;
    for (size_t i = 0; i < report->step_count && i < report->step_capacity; i++) {
        assert_true(report->steps[i].phase < report->phase_count);
        stepped += report->steps[i].seconds;
    }
    assert_true(stepped > 0);
}

static void test_every_variant_reports(void **state) {
    (void)state;
    hop_graph *graph = NULL;
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"n", 64, NULL}, {"m", 256, NULL}};
    options.settings = settings;
    options.setting_count = 2;
    assert_int_equal(hop_graph_generate(context, "erdos-renyi", &options, &graph), HOP_OK);
    static hop_step steps[64];
    for (int p = 0; p < HOP_PROBLEM_COUNT; p++)
        for (size_t i = 0; i < host_variant_count((hop_problem)p); i++) {
            hop_report report = {0};
            report.steps = steps;
            report.step_capacity = 64;
            if (!run_variant((hop_problem)p, hop_variant_at((hop_problem)p, i), graph, &report))
                continue;
            assert_ptr_equal(report.steps, steps);
            assert_int_equal(report.step_capacity, 64);
            check_report(hop_problem_name((hop_problem)p), &report);
        }
    hop_graph_release(graph);
}

/* What a program sees, which has no struct of it. */
static void test_accessors(void **state) {
    (void)state;
    hop_report *report = NULL;
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_vertex successors[] = {1, 2, 2}, ranks[3];
    assert_int_equal(hop_report_create(1, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_report_create(1, &report), HOP_OK);
    assert_null(hop_report_variant(report));
    assert_string_equal(hop_report_reason(report), "");
    run.report = report;
    options.run = &run;
    for (int i = 0; i < 2; i++) { /* begun anew by the second */
        run.variant = i == 0 ? "wyllie" : "sequential";
        assert_int_equal(hop_rank(context, successors, 3, &options, ranks), HOP_OK);
        assert_string_equal(hop_report_variant(report)->name, run.variant);
        assert_non_null(strstr(hop_report_reason(report), "asked for"));
        assert_string_equal(hop_report_device(report), "");
        assert_int_equal(hop_report_memory_bytes(report), report->memory_bytes);
        assert_int_equal(hop_report_device_bytes(report), report->device_bytes);
        assert_int_equal(hop_report_file_bytes(report), report->file_bytes);
        assert_true(hop_report_seconds(report) == report->seconds && report->seconds > 0);
        assert_true(hop_report_certify_seconds(report) == 0);
        assert_true(hop_report_compile_seconds(report) == 0);
        assert_int_equal(hop_report_rounds(report), report->rounds);
        assert_int_equal(hop_report_relaxations(report), report->relaxations);
        assert_true(hop_report_phase_count(report) > 0);
        assert_ptr_equal(hop_report_phase(report, 0), &report->phases[0]);
        assert_null(hop_report_phase(report, hop_report_phase_count(report)));
        assert_int_equal(hop_report_counter_count(report), report->counter_count);
        assert_null(hop_report_counter(report, report->counter_count));
        assert_true(hop_report_step_count(report) >= 1);
        assert_non_null(hop_report_step(report, 0));
        assert_null(hop_report_step(report, 1)); /* there is room for one */
    }
    hop_report_free(report);
    hop_report_free(NULL);
    assert_null(hop_report_variant(NULL));
    assert_string_equal(hop_report_reason(NULL), "");
    assert_null(hop_report_phase(NULL, 0));
    assert_null(hop_report_step(NULL, 0));
    assert_int_equal(hop_report_counter_count(NULL), 0);
}

/* What the caller has set stays, also when nothing runs. */
static void test_refused_call_keeps_the_callers_fields(void **state) {
    (void)state;
    hop_step steps[4];
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_vertex successors[] = {1, 1}, ranks[2];
    report.steps = steps;
    report.step_capacity = 4;
    run.report = &report;
    run.variant = "no-such";
    options.run = &run;
    assert_int_equal(hop_rank(context, successors, 2, &options, ranks), HOP_ERR_ARGUMENT);
    assert_ptr_equal(report.steps, steps);
    assert_int_equal(report.step_capacity, 4);
    assert_int_equal(report.step_count, 0);
    assert_int_equal(report.phase_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_cut_the_time_line),
        cmocka_unit_test(test_runs_inside_runs),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_measured_elsewhere),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_every_variant_reports),
        cmocka_unit_test(test_accessors),
        cmocka_unit_test(test_refused_call_keeps_the_callers_fields),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
