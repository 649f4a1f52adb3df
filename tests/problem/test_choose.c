/* SPDX-License-Identifier: Apache-2.0
 * Which row a name means, and what auto takes, with and without a device. */
#include "device/device_testing.h"
#include "hoplite/hoplite.h"
#include "problem/problem.h"
#include "problem/report.h"
#include "tables/problem_tables.h"

enum { COUNT = 500 };

static hop_vertex successors[COUNT], ranks[COUNT];

static hop_status rank(hop_context *context, const char *variant, hop_report *report) {
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    *report = (hop_report){0};
    for (hop_vertex i = 0; i < COUNT; i++)
        successors[i] = i + 1 < COUNT ? i + 1 : i;
    run.variant = variant;
    run.report = report;
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    return hop_rank(context, successors, COUNT, &options, ranks);
}

/* Tests without a device rely on it. */
static void rows_of_devices_come_last(void **state) {
    (void)state;
    for (int p = 0; p < HOP_PROBLEM_COUNT; p++) {
        bool devices = false;
        const hop__variant *row;
        for (size_t i = 0; (row = hop__variant_at((hop_problem)p, i)) != NULL; i++) {
            bool device = row->about.place == HOP_PLACE_DEVICE;
            assert_false(devices && !device);
            devices |= device;
            assert_ptr_equal(hop__variant_find((hop_problem)p, row->about.name, row->about.place),
                             row);
            if (!device) /* these are for the others */
                assert_true(!row->device_work && !row->refuse_device && row->needs == 0);
        }
    }
}

static void names_without_a_device(void **state) {
    (void)state;
    hop_report report;
    hop_context *context = make_context(1);
    const hop__variant *row;
    for (size_t i = 0; (row = hop__variant_at(HOP_PROBLEM_RANK, i)) != NULL; i++) {
        const char *name = row->about.name;
        bool host = hop__variant_find(HOP_PROBLEM_RANK, name, HOP_PLACE_HOST) != NULL;
        const hop_variant *meant = hop_variant_for(context, HOP_PROBLEM_RANK, name);
        if (host) {
            assert_int_equal(meant->place, HOP_PLACE_HOST);
            assert_ptr_equal(meant, hop_variant_find(HOP_PROBLEM_RANK, name));
            assert_fine(context, rank(context, name, &report));
            assert_ptr_equal(report.variant, meant);
            assert_string_equal(report.device, "");
        } else {
            assert_null(meant);
            assert_ptr_equal(hop_variant_find(HOP_PROBLEM_RANK, name), &row->about);
            assert_int_equal(rank(context, name, &report), HOP_ERR_DEVICE);
            hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
            assert_true(hop_context_detail(context, &detail));
            assert_int_equal(detail.remedy, HOP_REMEDY_CHOOSE_DEVICE);
            assert_null(report.variant);
        }
    }
    assert_null(hop_variant_for(context, HOP_PROBLEM_RANK, "nothing"));
    assert_null(hop_variant_for(NULL, HOP_PROBLEM_RANK, "wyllie"));
    assert_int_equal(rank(context, "wylie", &report), HOP_ERR_ARGUMENT);
    const char *message = hop_context_message(context);
    assert_non_null(strstr(message, "did you mean 'wyllie'"));
    const char *first = strstr(strstr(message, "There are auto"), "wyllie");
    assert_null(strstr(first + 1, "wyllie")); /* each name once */
    free_context(context);
}

/* A table whose preferred row cannot do the task: auto takes the first that can, or says why none
 * can. */
static bool refuse_all(const void *task, char reason[HOP__REASON]) {
    (void)task;
    snprintf(reason, HOP__REASON, "it is not made for this");
    return true;
}

static const hop__variant able = {.about = {.name = "able", .place = HOP_PLACE_HOST}};
static const hop__variant unable = {.about = {.name = "unable", .place = HOP_PLACE_HOST},
                                    .refuse = refuse_all};

static const hop__variant *prefer_unable(const void *task, char reason[HOP__REASON]) {
    (void)task;
    snprintf(reason, HOP__REASON, "it is the best");
    return &unable;
}

static void auto_asks_what_it_picked(void **state) {
    (void)state;
    static const hop__variant *const rows[] = {&unable, &able};
    for (size_t count = 1; count <= 2; count++) {
        const hop__problem problem = {
            .name = "test", .rows = rows, .row_count = count, .pick = prefer_unable};
        hop__call call = {.problem = &problem, .run = HOP_RUN_INIT};
        hop_context *context = make_context(1);
        hop_status status = hop__choose(context, &call);
        if (count == 1) {
            assert_int_equal(status, HOP_ERR_UNSUPPORTED);
            assert_non_null(strstr(hop_context_message(context), "it is not made for this"));
        } else {
            assert_fine(context, status);
            assert_ptr_equal(call.row, &able);
            assert_non_null(strstr(call.report.reason, "it is not made for this"));
        }
        free_context(context);
    }
}

static void device_body(hop_context *context, hop__device *device) {
    hop_report report;
    const hop__variant *row;
    unsigned on_device = 0;
    const char *name = hop__device_info(device)->name;
    for (size_t i = 0; (row = hop__variant_at(HOP_PROBLEM_RANK, i)) != NULL; i++) {
        const hop__variant *other =
            hop__variant_find(HOP_PROBLEM_RANK, row->about.name, HOP_PLACE_DEVICE);
        const hop_variant *meant = hop_variant_for(context, HOP_PROBLEM_RANK, row->about.name);
        assert_ptr_equal(meant, other ? &other->about : &row->about);
        assert_fine(context, rank(context, row->about.name, &report));
        assert_ptr_equal(report.variant, meant);
        assert_string_equal(report.device, other ? name : "");
        on_device += other != NULL;
        if (!other)
            assert_non_null(strstr(report.reason, "no form for devices"));
        assert_int_equal(report.device_bytes > 0, other != NULL);
    }
    if (on_device == 0)
        return;
    /* auto: on the device, with the times of its kernels. */
    assert_fine(context, rank(context, NULL, &report));
    assert_int_equal(report.variant->place, HOP_PLACE_DEVICE);
    assert_non_null(strstr(report.reason, name));
    uint64_t kernels = 0;
    for (size_t i = 0; i < report.phase_count; i++)
        kernels += report.phases[i].kind == HOP_PHASE_COMPUTE ? report.phases[i].calls : 0;
    assert_true(kernels > 0);
}

static void names_with_a_device(void **state) {
    (void)state;
    on_each_device(device_body);
}

/* Too little of the device's memory: auto goes to the host and says why, a name is refused. */
static void device_without_memory(void **state) {
    (void)state;
    device_names found = usable_devices();
    if (found.count == 0 ||
        host_variant_count(HOP_PROBLEM_RANK) == hop_variant_count(HOP_PROBLEM_RANK))
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_report report;
        hop_context *context = NULL;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.device = found.names[i];
        options.device_memory = 64;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, rank(context, NULL, &report));
        assert_int_equal(report.variant->place, HOP_PLACE_HOST);
        assert_string_equal(report.device, "");
        assert_non_null(strstr(report.reason, "on the host because"));
        assert_int_equal(rank(context, "wyllie", &report), HOP_ERR_BUDGET);
        assert_non_null(strstr(hop_context_message(context), "64 bytes of its memory"));
        free_context(context);
    }
}

static void device_that_does_not_exist(void **state) {
    (void)state;
    hop_report report;
    hop_context *context = device_context("opencl:77.7");
    assert_int_equal(rank(context, NULL, &report), HOP_ERR_DEVICE);
    assert_non_null(strstr(hop_context_message(context), "opencl:77.7: no such device"));
    assert_int_equal(rank(context, "wyllie", &report), HOP_ERR_DEVICE);
    assert_fine(context, rank(context, "sequential", &report)); /* needs none */
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_devices_come_last),  cmocka_unit_test(names_without_a_device),
        cmocka_unit_test(names_with_a_device),        cmocka_unit_test(device_without_memory),
        cmocka_unit_test(device_that_does_not_exist), cmocka_unit_test(auto_asks_what_it_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
