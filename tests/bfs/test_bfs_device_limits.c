/* SPDX-License-Identifier: Apache-2.0
 * bfs on devices at its limits: memory of the device that does not suffice, estimates of memory,
 * cancelling, allocations that fail. */
#include "bfs/bfs_device_testing.h"
#include "problem/report.h"

static const hop_setting settings[] = {{"scale", 12}, {"edge-factor", 8}};

/* Fails when *user allocations have been made. */
static void *failing_allocate(void *user, size_t bytes, size_t alignment) {
    void *block = NULL;
    if ((*(long *)user)-- <= 0)
        return NULL;
    return posix_memalign(&block, alignment < 64 ? 64 : alignment, bytes) == 0 ? block : NULL;
}

static void failing_release(void *user, void *block, size_t bytes) {
    (void)user;
    (void)bytes;
    free(block);
}

/* Too little for the graph: an error with the numbers by name, the host by choice. */
static void small_body(hop_context *found, hop__device *device) {
    hop_context *context = device_context_of(hop__device_info(device)->name, 100000);
    hop_graph *graph = generated(found, "rmat", settings, 2, 1);
    asked a = ask(graph, "a graph larger than the device", 0);
    hop_vertex *levels = malloc(4096 * 4);
    for (size_t i = 0; device_variant(i); i++) {
        hop_run run = HOP_RUN_INIT;
        run.variant = device_variant(i)->name;
        hop_bfs_options options = asked_options(&a, &run);
        assert_int_equal(hop_bfs(context, graph, a.sources, 1, &options, levels, NULL),
                         HOP_ERR_BUDGET);
        assert_says(context, run.variant);
        assert_says(context, "needed on device");
    }
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.report = &report;
    hop_bfs_options options = asked_options(&a, &run);
    assert_int_equal(hop_bfs(context, graph, a.sources, 1, &options, levels, NULL), HOP_OK);
    assert_int_equal(report.variant->place, HOP_PLACE_HOST);
    assert_non_null(strstr(report.reason, "on the host because"));
    assert_memory_equal(levels, a.levels, 4096 * 4);
    free(levels);
    asked_free(&a);
    hop_graph_release(graph);
    free_context(context);
}

static void what_does_not_fit_goes_to_the_host(void **state) {
    (void)state;
    on_each_device(small_body);
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void cancel_body(hop_context *found, hop__device *device) {
    hop_graph *graph = generated(found, "rmat", settings, 2, 1);
    hop_vertex source = 0, *levels = malloc(4096 * 4), *parents = malloc(4096 * 4);
    for (size_t i = 0; device_variant(i); i++) {
        int calls = 0;
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_run run = HOP_RUN_INIT;
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        how.device = hop__device_info(device)->name;
        how.progress = stop_at_once;
        how.progress_user = &calls;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        run.variant = device_variant(i)->name;
        options.run = &run;
        hop_status status = HOP_OK; /* the callback comes every 50 ms: a run may be shorter */
        for (int k = 0; k < 1000 && status == HOP_OK; k++)
            status = hop_bfs(context, graph, &source, 1, &options, levels, parents);
        assert_int_equal(status, HOP_ERR_CANCELLED);
        assert_int_equal(hop_device_memory_used(context), 0);
        assert_int_equal(hop_context_memory_used(context), 0);
        free_context(context);
    }
    free(levels);
    free(parents);
    hop_graph_release(graph);
}

static void can_be_cancelled(void **state) {
    (void)state;
    on_each_device(cancel_body);
}

static void allocations_body(hop_context *found, hop__device *device) {
    hop_graph *graph = generated(found, "rmat", (hop_setting[]){{"scale", 7}}, 1, 1);
    hop_vertex source = 0, levels[128], parents[128];
    for (size_t i = 0; device_variant(i); i++) {
        long left = 1 << 20;
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop_run run = HOP_RUN_INIT;
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        how.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
        how.device = hop__device_info(device)->name;
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        run.variant = device_variant(i)->name;
        options.run = &run;
        /* once as it should be, so that the kernels are there */
        assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, parents), HOP_OK);
        hop_status status = HOP_ERR_MEMORY;
        for (long failed = 0; status != HOP_OK; failed++) {
            left = failed;
            status = hop_bfs(context, graph, &source, 1, &options, levels, parents);
            assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
            assert_int_equal(hop_device_memory_used(context), 0);
            assert_true(failed < 1000);
        }
        free_context(context);
    }
    hop_graph_release(graph);
}

static void survives_every_failed_allocation(void **state) {
    (void)state;
    on_each_device(allocations_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_goes_to_the_host),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
