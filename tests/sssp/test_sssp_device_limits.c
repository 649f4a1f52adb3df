/* SPDX-License-Identifier: Apache-2.0
 * sssp on devices at its limits: memory of the device that does not suffice, estimates of memory,
 * cancelling. */
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/sssp_device_testing.h"

enum { VERTICES = 3000, EDGES = 20000 };

static shape middle_shape(void) {
    return random_shape(VERTICES, EDGES, true, false, plain_weight);
}

/* Too little for the graph: an error with the numbers by name, the host by choice. */
static void small_body(hop_context *found, hop__device *device) {
    hop_context *context = device_context_of(hop__device_info(device)->name, 100000);
    shape s = middle_shape();
    hop_graph *graph = build_shape(found, &s, HOP_TYPE_INT32);
    asked a = ask(graph, "a graph larger than the device", 0);
    int64_t *distances = malloc(VERTICES * 8);
    hop_vertex *parents = malloc(VERTICES * 4);
    for (size_t i = 0; device_variant(i); i++) {
        hop_run run = HOP_RUN_INIT;
        run.variant = device_variant(i)->name;
        hop_sssp_options options = asked_options(&a, &run);
        assert_int_equal(
            hop_sssp(context, graph, a.sources, 1, &options, ROOM(graph, distances), parents),
            HOP_ERR_BUDGET);
        assert_non_null(strstr(hop_context_message(context), run.variant));
        assert_non_null(strstr(hop_context_message(context), "needed on device"));
        assert_int_equal(hop_device_memory_used(context), 0);
    }
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.report = &report;
    hop_sssp_options options = asked_options(&a, &run);
    assert_int_equal(
        hop_sssp(context, graph, a.sources, 1, &options, ROOM(graph, distances), parents), HOP_OK);
    assert_int_equal(report.variant->place, HOP_PLACE_HOST);
    assert_non_null(strstr(report.reason, "on the host because"));
    assert_memory_equal(distances, a.distances, VERTICES * 8);
    assert_memory_equal(parents, a.parents, VERTICES * 4);
    free(distances);
    free(parents);
    asked_free(&a);
    hop_graph_release(graph);
    free_shape(&s);
    free_context(context);
}

static void what_does_not_fit_goes_to_the_host(void **state) {
    (void)state;
    on_each_device(small_body);
}

/* What is estimated covers what is used, of both memories; and with exactly the estimate of the
 * device's memory as the limit, the run goes through. */
static void memory_body(hop_context *found, hop__device *device) {
    shape s = middle_shape();
    hop_graph *graph = build_shape(found, &s, HOP_TYPE_INT32);
    asked a = ask(graph, "a graph", 0);
    for (size_t i = 0; device_variant(i); i++) {
        hop_run run = HOP_RUN_INIT;
        hop_report report = {0};
        run.variant = device_variant(i)->name;
        check_asked(found, &a, &run, &report, true); /* kernels are compiled */
        hop_context_reset_peak(found);
        uint64_t before = hop_context_memory_used(found);
        check_asked(found, &a, &run, &report, true);
        uint64_t used = hop_context_memory_peak(found) - before;
        if (used > report.memory_bytes)
            fail_msg("%s: %llu bytes were estimated, %llu used", run.variant,
                     (unsigned long long)report.memory_bytes, (unsigned long long)used);
        uint64_t estimate = report.device_bytes;
        hop_context *limited = device_context_of(hop__device_info(device)->name, estimate);
        check_asked(limited, &a, &run, &report, true);
        assert_true(hop_device_memory_peak(limited) <= estimate);
        free_context(limited);
    }
    asked_free(&a);
    hop_graph_release(graph);
    free_shape(&s);
}

static void memory_is_estimated(void **state) {
    (void)state;
    on_each_device(memory_body);
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void cancel_body(hop_context *found, hop__device *device) {
    shape s = middle_shape();
    hop_graph *graph = build_shape(found, &s, HOP_TYPE_INT32);
    hop_vertex source = 0, *parents = malloc(VERTICES * 4);
    int64_t *distances = malloc(VERTICES * 8);
    for (size_t i = 0; device_variant(i); i++) {
        int calls = 0;
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        how.device = hop__device_info(device)->name;
        how.progress = stop_at_once;
        how.progress_user = &calls;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        run.variant = device_variant(i)->name;
        options.run = &run;
        hop_status status = HOP_OK; /* the callback comes every 50 ms: a run may be shorter */
        for (int k = 0; k < 1000 && status == HOP_OK; k++)
            status =
                hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents);
        assert_int_equal(status, HOP_ERR_CANCELLED);
        assert_int_equal(hop_device_memory_used(context), 0);
        assert_int_equal(hop_context_memory_used(context), 0);
        free_context(context);
    }
    free(distances);
    free(parents);
    hop_graph_release(graph);
    free_shape(&s);
}

static void can_be_cancelled(void **state) {
    (void)state;
    on_each_device(cancel_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_goes_to_the_host),
        cmocka_unit_test(memory_is_estimated),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
