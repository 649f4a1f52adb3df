/* SPDX-License-Identifier: Apache-2.0
 * List ranking on devices: every variant for them on every device, in several forms, against the
 * definition and bit by bit against known ranks; what is refused, in the words of `sequential`;
 * memory, failing allocations, cancelling, two contexts at once.
 *
 * HOPLITE_TEST_DEVICE_MOST   leaves out larger lists, for slow devices: Oclgrind, fibers */
#include <pthread.h>
#include <stdio.h>

#include "device/device_testing.h"
#include "rank/rank_testing.h"

typedef struct form {
    hop_setting settings[4];
    size_t count;
} form;

/* The forms that the kernels have, by what the variant has parameters for: bounded launches that
 * must be continued, other group sizes, the shape for GPUs, D0's cells. */
static const form forms[] = {
    {{{"splitters", 0, NULL}}, 0},
    {{{"splitters", 50, NULL}, {"steps", 37, NULL}, {"chunk", 1000, NULL}, {"groups", 3, NULL}}, 4},
    {{{"separate", 1, NULL}, {"splitters", 300, NULL}}, 2},
    {{{"group", 64, NULL}, {"shape", 0, "stride"}, {"walks", 1, NULL}, {"steps", 500, NULL}}, 4},
    {{{"group", 7, NULL}, {"shape", 0, "chunk"}, {"separate", 1, NULL}, {"groups", 5, NULL}}, 4},
    {{{"aggregate", 0, "coalesced"}, {"addresses", 1, NULL}, {"group", 33, NULL}}, 3},
};
enum { FORMS = sizeof forms / sizeof *forms };

static hop_vertex most_elements(void) {
    const char *text = getenv("HOPLITE_TEST_DEVICE_MOST");
    return text ? (hop_vertex)strtoul(text, NULL, 10) : NONE;
}

static const hop_variant *device_variant(size_t k) {
    for (size_t i = 0; i < hop_variant_count(HOP_PROBLEM_RANK); i++) {
        const hop_variant *variant = hop_variant_at(HOP_PROBLEM_RANK, i);
        if (variant->place == HOP_PLACE_DEVICE && k-- == 0)
            return variant;
    }
    return NULL;
}

/* The settings of a form that the variant knows. */
static size_t known_settings(const hop_variant *variant, const form *wanted, hop_setting *known) {
    size_t count = 0;
    for (size_t i = 0; i < wanted->count; i++)
        for (size_t k = 0; k < variant->parameter_count; k++)
            if (strcmp(variant->parameters[k].name, wanted->settings[i].name) == 0)
                known[count++] = wanted->settings[i];
    return count;
}

typedef struct question {
    const hop_vertex *successors;
    hop_vertex n;
    const hop_vertex *heads;
    hop_vertex head_count;
    hop_certify certify;
} question;

static hop_status ask(hop_context *context, const question *q, const hop_variant *variant,
                      const form *wanted, hop_report *report, hop_vertex *ranks) {
    hop_setting known[4];
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    run.variant = variant->name;
    run.setting_count = known_settings(variant, wanted, known);
    run.settings = known;
    run.certify = q->certify;
    run.report = report;
    options.run = &run;
    options.heads = q->heads;
    options.head_count = q->head_count;
    return hop_rank(context, q->successors, q->n, &options, ranks);
}

/* Every array of up to four, its entries in range or one beyond; up to three also with heads. */
static void small_arrays_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    (void)device;
    hop_vertex most = most_elements() < 1000 ? 2 : 4;
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
        for (hop_vertex n = 1; n <= most; n++) {
            hop_vertex successors[TINY], expected[TINY], ranks[TINY], heads[] = {n - 1, n / 2};
            for (uint32_t code = 0; digits(code, n + 1, n, successors) == 0; code++)
                for (hop_vertex given = 0; given < (n > 3 ? 1 : 3); given++) {
                    question q = {successors, n, given ? heads : NULL, given,
                                  HOP_CERTIFY_CANONICAL};
                    form f = {{{"splitters", 1 + code % 4, NULL}}, 1};
                    bool good = brute_force(successors, n, q.heads, given, expected);
                    hop_status status = ask(context, &q, variant, &f, NULL, ranks);
                    if (status != (good ? HOP_OK : HOP_ERR_INPUT))
                        fail_msg("%s, array %u of %u, %u heads: status %d, %s", variant->name, code,
                                 n, given, status, hop_context_message(context));
                    if (good)
                        assert_same(ranks, expected, n);
                }
        }
}

static void small_arrays(void **state) {
    (void)state;
    on_each_device(small_arrays_on);
}

/* Sizes around those of groups and pieces; one list and several, with elements on none. */
static void lists_of_all_sizes_on(hop_context *context, hop__device *device) {
    static const hop_vertex sizes[] = {0,  1,   2,   6,   7,    8,    63,    64,
                                       65, 127, 128, 129, 1000, 1001, 40000, 1 << 20};
    static const hop_vertex lists[] = {1, 5, 3000};
    const hop_variant *variant;
    (void)device;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most_elements(); s++) {
        hop_vertex n = sizes[s], *memory = malloc(16 * (size_t)n + 16), *successors = memory;
        hop_vertex *heads = memory + n, *expected = memory + 2 * n, *ranks = memory + 3 * n;
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            hop_vertex made =
                random_lists(n, lists[l], l == 1 ? 3 : 0, s, successors, heads, expected);
            for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
                for (size_t f = 0; f < (n > 100000 ? 2 : FORMS); f++) {
                    question q = {successors, n, heads, made, HOP_CERTIFY_CANONICAL};
                    memset(ranks, 0x5a, 4 * (size_t)n);
                    hop_status status = ask(context, &q, variant, &forms[f], NULL, ranks);
                    if (status != HOP_OK)
                        fail_msg("%s in form %zu on %u elements: %s", variant->name, f, n,
                                 hop_context_message(context));
                    assert_same(ranks, expected, n);
                }
        }
        free(memory);
    }
}

static void lists_of_all_sizes(void **state) {
    (void)state;
    on_each_device(lists_of_all_sizes_on);
}

/* The list families of the generator, from element 0: ordered, reversed, and random. */
static void generated_lists_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    (void)device;
    hop_vertex n = most_elements() < 50000 ? most_elements() : 50000;
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    for (unsigned family = 0; family < 3; family++) {
        if (family == 0)
            assert_fine(context, hop_generate_list(context, n, 1, successors));
        for (hop_vertex i = 0; family == 1 && i < n; i++)
            successors[i] = i + 1 < n ? i + 1 : i;
        for (hop_vertex i = 0; family == 2 && i < n; i++) /* 0, n-1, n-2, ... 1 */
            successors[i] = i == 0 ? n - 1 : i > 1 ? i - 1 : 1;
        for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
            for (size_t f = 0; f < FORMS; f++) {
                question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
                hop_vertex i = 0;
                assert_fine(context, ask(context, &q, variant, &forms[f], NULL, ranks));
                for (hop_vertex left = n; left-- > 0; i = successors[i])
                    if (ranks[i] != left)
                        fail_msg("%s, form %zu: element %u has rank %u instead of %u",
                                 variant->name, f, i, ranks[i], left);
            }
    }
    free(successors);
    free(ranks);
}

static void generated_lists(void **state) {
    (void)state;
    on_each_device(generated_lists_on);
}

/* A cycle, a join, two lists, a successor that is none: as `sequential` says it. Strangers that
 * lead into lists are no fault when heads are given. */
static void faults_on(hop_context *context, hop__device *device) {
    const hop_vertex n = most_elements() < 3000 ? most_elements() : 3000;
    hop_vertex *memory = malloc((size_t)n * 16), *successors = memory, *heads = memory + n;
    hop_vertex *expected = memory + 2 * n, *ranks = memory + 3 * n;
    const hop_variant *variant;
    (void)device;
    for (unsigned i = 0; i < (most_elements() < 1000 ? 8 : 40); i++) {
        hop_context *host = make_context(1);
        char message[1024];
        hop_vertex made =
            random_lists(n, i % 4 == 3 ? 5 : 1, i % 4 == 3 ? 3 : 0, i, successors, heads, expected);
        hop_vertex at = (hop_vertex)(hop__random_at(i, 5, 0) % n);
        successors[at] = i % 5 == 4 ? n + i : (hop_vertex)(hop__random_at(i, 5, 1) % n);
        for (hop_vertex k = 0; i % 8 == 3 && k < n; k += 3)
            successors[k] = (hop_vertex)(hop__random_at(i, 6, k) % n);
        question q = {successors, n, i & 1 ? heads : NULL, i & 1 ? made : 0, HOP_CERTIFY_CANONICAL};
        hop_status first =
            ask(host, &q, hop_variant_at(HOP_PROBLEM_RANK, 0), &forms[0], NULL, expected);
        snprintf(message, sizeof message, "%s", hop_context_message(host));
        for (size_t k = 0; (variant = device_variant(k)) != NULL; k++)
            for (size_t f = 0; f < 4; f++) {
                assert_int_equal(ask(context, &q, variant, &forms[f], NULL, ranks), first);
                if (first == HOP_OK)
                    assert_same(ranks, expected, n);
                else
                    assert_string_equal(hop_context_message(context), message);
            }
        free_context(host);
    }
    free(memory);
}

static void faults(void **state) {
    (void)state;
    on_each_device(faults_on);
}

/* Rounds one by one: after k of them no jump is shorter than 2^k, and the first reads every element
 * but the head. Kernels and copies are phases, whose time is not more than that of the run. */
static void reports_on(hop_context *context, hop__device *device) {
    const hop_variant *variant;
    const hop_vertex n = most_elements() < 20000 ? most_elements() : 20000;
    hop_vertex *successors = malloc(4 * (size_t)n), *ranks = malloc(4 * (size_t)n);
    (void)device;
    assert_fine(context, hop_generate_list(context, n, 3, successors));
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++) {
        hop_step steps[256];
        hop_report report = HOP_REPORT_INIT;
        report.steps = steps;
        report.step_capacity = 256;
        question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
        form counted = {{{"addresses", 1, NULL}}, 1};
        assert_fine(context, ask(context, &q, variant, &counted, &report, ranks));
        assert_true(report.device_bytes > 0 && report.device[0] != '\0');
        assert_true(report.rounds > 0 && report.relaxations >= n);
        uint64_t rounds = 0, walked = 0;
        double seconds = 0;
        for (size_t i = 0; i < report.phase_count; i++)
            seconds += report.phases[i].seconds;
        assert_true(seconds <= report.seconds);
        for (size_t i = 0; i < report.step_count && i < 256; i++) {
            const char *name = report.phases[steps[i].phase].name;
            if (strcmp(name, "jump") == 0 && rounds++ == 0)
                assert_int_equal(steps[i].items, n - 1);
            if (strcmp(name, "walk") == 0)
                walked += steps[i].bytes;
        }
        assert_true(rounds == 0 || rounds == report.rounds);
        assert_true(rounds > 0 || walked >= 10 * (uint64_t)n);
    }
    free(successors);
    free(ranks);
}

static void reports(void **state) {
    (void)state;
    on_each_device(reports_on);
}

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
        for (size_t f = 0; f < 3; f++) {
            hop_context *fresh = device_context(name);
            hop_report report = HOP_REPORT_INIT;
            question q = {successors, n, heads, made, HOP_CERTIFY_NONE};
            assert_fine(fresh, ask(fresh, &q, variant, &forms[f], &report, ranks));
            uint64_t peak = hop_device_memory(fresh).peak;
            assert_true(peak <= report.device_bytes);
            assert_true(report.device_bytes <= peak + peak / 8 + 4096);
            free_context(fresh);
            hop_context_options small = HOP_CONTEXT_OPTIONS_INIT;
            small.device = name;
            small.device_memory = report.device_bytes - 1;
            assert_int_equal(hop_context_create(&small, &fresh), HOP_OK);
            assert_int_equal(ask(fresh, &q, variant, &forms[f], NULL, ranks), HOP_ERR_BUDGET);
            assert_int_equal(hop_device_memory(fresh).peak, 0);
            free_context(fresh);
        }
    hop_context_options tiny = HOP_CONTEXT_OPTIONS_INIT;
    hop_report report = HOP_REPORT_INIT;
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
            assert_int_equal(hop_context_memory(context).used, 0);
            assert_int_equal(hop_device_memory(context).used, 0);
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
    assert_fine(w.context, hop_generate_list(w.context, n, 1, successors));
    for (size_t k = 0; (variant = device_variant(k)) != NULL; k++) {
        question q = {successors, n, NULL, 0, HOP_CERTIFY_NONE};
        w.cancel_at = w.calls = 0;
        assert_fine(w.context, ask(w.context, &q, variant, &forms[1], NULL, ranks));
        unsigned all = w.calls;
        assert_true(all > 5);
        for (unsigned at = 1; at < all; at += 1 + all / 20) {
            w.calls = 0;
            w.cancel_at = at;
            assert_int_equal(ask(w.context, &q, variant, &forms[1], NULL, ranks),
                             HOP_ERR_CANCELLED);
            assert_int_equal(w.calls, at);
            assert_says(w.context, "cancelled");
            assert_int_equal(hop_device_memory(w.context).used, 0);
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
    if (found.count == 0)
        skip();
    const hop_vertex n = 65536;
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
        cmocka_unit_test(small_arrays),
        cmocka_unit_test(lists_of_all_sizes),
        cmocka_unit_test(generated_lists),
        cmocka_unit_test(faults),
        cmocka_unit_test(reports),
        cmocka_unit_test(memory_is_estimated_and_kept_to),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(contexts_side_by_side),
        cmocka_unit_test(too_many_heads_for_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
