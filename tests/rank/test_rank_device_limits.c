/* SPDX-License-Identifier: Apache-2.0
 * List ranking on devices at its limits: memory, allocations that fail, cancelling, several
 * contexts at once, more heads than there are numbers. */
#include <pthread.h>

#include "problem/report.h"
#include "rank/rank_device_testing.h"

/* The estimate is not below the peak nor far above. With a byte less the variant refuses, by name;
 * auto goes to the host and says so. */
static void memory_on(hop_context *context, hop__device *device) {
    const hop_vertex n = most_elements() < 50000 ? most_elements() : 50000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    const char *name = hop__device_info(device)->name;
    const hop_variant *variant;
    (void)context;
    hop_vertex made = random_lists(n, 300, 2, 1, successors, heads, expected);
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
        for (size_t f = 0; f < FORMS; f++) {
            form wanted = form_of(device, f);
            hop_context *fresh = device_context(name);
            hop_report report = {0};
            question q = {successors, n, heads, made, HOP_CERTIFY_NONE};
            assert_fine(fresh, ask(fresh, &q, variant, &wanted, &report, ranks));
            uint64_t peak = hop_device_memory_peak(fresh);
            assert_true(peak <= report.device_bytes);
            assert_true(report.device_bytes <= peak + peak / 8 + 4096);
            free_context(fresh);
            hop_context_options small = HOP_CONTEXT_OPTIONS_INIT;
            small.device = name;
            small.device_memory = report.device_bytes - 1;
            assert_int_equal(hop_context_create(&small, &fresh), HOP_OK);
            assert_int_equal(ask(fresh, &q, variant, &wanted, NULL, ranks), HOP_ERR_BUDGET);
            assert_int_equal(hop_device_memory_peak(fresh), 0);
            free_context(fresh);
        }
    hop_context_options tiny = HOP_CONTEXT_OPTIONS_INIT;
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_context *fresh;
    tiny.device = name;
    tiny.device_memory = 4 * (uint64_t)n;
    run.report = &report;
    options.run = &run;
    options.heads = heads;
    options.head_count = made;
    assert_int_equal(hop_context_create(&tiny, &fresh), HOP_OK);
    assert_fine(fresh, hop_rank(fresh, successors, n, &options, ranks));
    assert_int_equal(report.variant->place, HOP_PLACE_HOST);
    assert_non_null(strstr(report.reason, "on the host because"));
    assert_same(ranks, expected, n);
    free_context(fresh);
    free(memory);
}

static void memory_is_estimated_and_kept_to(void **state) {
    (void)state;
    on_each_device(memory_on);
}

/* The k-th request of host memory fails, for every k; device memory fails by the budget. */
static void allocations_on(hop_context *unused, hop__device *device) {
    const hop_vertex n = 500;
    hop_vertex successors[500], heads[500], expected[500], ranks[500];
    const hop_variant *variant;
    test_heap heap = {0};
    hop_context_options with_heap = heap_options(&heap, true);
    hop_context *context;
    (void)unused;
    with_heap.device = hop__device_info(device)->name;
    hop_vertex made = random_lists(n, 5, 0, 1, successors, heads, expected);
    assert_int_equal(hop_context_create(&with_heap, &context), HOP_OK);
    for (size_t i = 0; (variant = device_variant(i)) != NULL; i++) {
        question q = {successors, n, heads, made, HOP_CERTIFY_CANONICAL};
        unsigned k = 1;
        for (hop_status status = HOP_ERR_MEMORY; status != HOP_OK; k++) {
            heap_fail_at(&heap, k);
            status = ask(context, &q, variant, &forms[0], NULL, ranks);
            if (status != HOP_OK && status != HOP_ERR_MEMORY)
                fail_msg("%s, request %u: %s", variant->name, k, hop_context_message(context));
            assert_int_equal(hop_context_memory_used(context), 0);
            assert_int_equal(hop_device_memory_used(context), 0);
            heap_fail_at(&heap, 0);
            assert_fine(context, ask(context, &q, variant, &forms[0], NULL, ranks));
            assert_same(ranks, expected, n);
        }
        assert_true(k > 6);
    }
    free_context(context);
    assert_heap_empty(&heap);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    on_each_device(allocations_on);
}

typedef struct watcher {
    hop_context *context;
    unsigned calls, cancel_at;
} watcher;

static bool watch(void *user, const hop_progress *progress) {
    watcher *w = user;
    (void)progress;
    w->context->next_report = 0;
    return ++w->calls != w->cancel_at;
}

/* Small pieces, so that there are many reports; cancelled at any of them, the next call is fine. */
static void cancel_on(hop_context *unused, hop__device *device) {
    watcher w = {0};
    const hop_vertex n = most_elements() < 20000 ? most_elements() : 20000;
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    const hop_variant *variant;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    (void)unused;
    options.device = hop__device_info(device)->name;
    options.progress = watch;
    options.progress_user = &w;
    assert_int_equal(hop_context_create(&options, &w.context), HOP_OK);
    assert_fine(w.context, hop_list_generate(w.context, n, 1, successors));
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++) {
        question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
        w.cancel_at = w.calls = 0;
        assert_fine(w.context, ask(w.context, &q, variant, &forms[1], NULL, ranks));
        unsigned all = w.calls;
        assert_true(all > 5);
        for (unsigned at = 1; at < all; at += 1 + all / 20) {
            w.calls = 0;
            w.cancel_at = at;
            hop_status status = ask(w.context, &q, variant, &forms[1], NULL, ranks);
            assert_int_equal(hop_device_memory_used(w.context), 0);
            if (at > all / 2 && w.calls < at) { /* walks meet by chance: fewer launches this time */
                assert_fine(w.context, status);
                continue;
            }
            assert_int_equal(status, HOP_ERR_CANCELLED);
            assert_int_equal(w.calls, at);
            assert_says(w.context, "cancelled");
        }
    }
    free_context(w.context);
    free(successors);
    free(ranks);
}

static void can_be_cancelled(void **state) {
    (void)state;
    on_each_device(cancel_on);
}

typedef struct worker {
    pthread_t thread;
    char device[24];
    unsigned wrong;
} worker;

static void *rank_often(void *arg) {
    worker *w = arg;
    const hop_vertex n = 30000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context;
    options.device = w->device;
    if (hop_context_create(&options, &context) != HOP_OK)
        return NULL;
    for (unsigned i = 0; i < 12; i++) {
        const hop_variant *variant = device_variant(i % 3);
        hop_vertex made = random_lists(n, 1 + i, 0, i, successors, heads, expected);
        question q = {successors, n, heads, made, HOP_CERTIFY_NONE};
        hop_status status = ask(context, &q, variant, &forms[0], NULL, ranks);
        w->wrong += status != HOP_OK || memcmp(ranks, expected, 4 * (size_t)n) != 0;
    }
    hop_context_free(context);
    free(memory);
    return w;
}

/* Two contexts of each device at once, and all devices at once. */
static void contexts_side_by_side(void **state) {
    (void)state;
    device_names found = usable_devices();
    worker workers[2 * DEVICES_MOST] = {0};
    if (found.count == 0 || most_elements() < 30000)
        skip();
    for (size_t i = 0; i < 2 * found.count; i++) {
        memcpy(workers[i].device, found.names[i / 2], sizeof workers[i].device);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, rank_often, &workers[i]), 0);
    }
    for (size_t i = 0; i < 2 * found.count; i++) {
        void *done = NULL;
        assert_int_equal(pthread_join(workers[i].thread, &done), 0);
        assert_non_null(done);
        assert_int_equal(workers[i].wrong, 0);
    }
}

static void too_many_heads_for_16_bits(void **state) {
    (void)state;
    device_names found = usable_devices();
    const hop_vertex n = 65536;
    if (found.count == 0 || most_elements() < n)
        skip();
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    for (hop_vertex i = 0; i < n; i++)
        successors[i] = i;
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context(found.names[i]);
        question q = {successors, n, successors, n, HOP_CERTIFY_CANONICAL};
        const hop_variant *variant = hop_variant_find(HOP_PROBLEM_RANK, "splitter48");
        assert_int_equal(ask(context, &q, variant, &forms[0], NULL, ranks), HOP_ERR_UNSUPPORTED);
        assert_says(context, "65535 sublists");
        q.head_count--; /* every number is taken, and none is left for a random splitter */
        assert_fine(context, ask(context, &q, variant, &forms[0], NULL, ranks));
        assert_int_equal(ranks[n - 2], 0);
        assert_int_equal(ranks[n - 1], NONE);
        free_context(context);
    }
    free(successors);
    free(ranks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_estimated_and_kept_to),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(contexts_side_by_side),
        cmocka_unit_test(too_many_heads_for_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
