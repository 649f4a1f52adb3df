/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows by two devices, the first two of the machine or one that is named twice: the bits of one
 * device, whoever makes them; summaries; the bytes of graphs that were promised; a device that has
 * no memory left, is lost or does not exist; cancels. */
#include "apsp/apsp_device_testing.h"

enum { N = 300, TRIES = 100 };

static hop_vertex vertices(void) {
    return most_vertices() < N ? 40 : N;
}

/* The names of two devices; false: there is none. */
static bool two_devices(char names[64]) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    for (size_t i = 0; i < 2; i++) {
        hop_context *each = device_context_at(i, options);
        if (!each && i == 0)
            return false;
        const char *name = each ? hop__device_info(device_in(each))->name : names;
        char first[32];
        snprintf(first, sizeof first, "%s", name);
        if (i == 0)
            snprintf(names, 64, "%s", first);
        else
            snprintf(names + strlen(names), 64 - strlen(names), "+%s", first);
        if (each)
            free_context(each);
    }
    return true;
}

static hop_context *context_of_two(hop_context_options options) {
    static char names[64];
    hop_context *context = NULL;
    if (!two_devices(names))
        skip();
    options.device = names;
    options.threads = 2;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static uint64_t counter(const hop_report *report, const char *name) {
    for (size_t i = 0; i < hop_report_counter_count(report); i++)
        if (strcmp(hop_report_counter(report, i)->name, name) == 0)
            return hop_report_counter(report, i)->value;
    return UINT64_MAX;
}

/* Both variants, each with a graph that it takes. */
typedef struct divided {
    const char *variant;
    hop_weight_type weights;
} divided;
static const divided both[] = {{"bfs-bits", HOP_TYPE_NONE}, {"harish-narayanan", HOP_TYPE_FLOAT32}};

static plain_graph graph_for(const divided *d) {
    return plain_random(vertices(), 4, true, d->weights, 1, 50, d->weights ? 0.1 : 0, 21);
}

/* On two devices as on the host; some call is helped by the second. */
static void same_bits_and_both_work(void **state) {
    (void)state;
    hop_context *context = context_of_two((hop_context_options)HOP_CONTEXT_OPTIONS_INIT);
    hop_context *host = make_context(1);
    for (size_t k = 0; k < HOP_LENGTH(both); k++) {
        plain_graph g = graph_for(&both[k]);
        hop_graph *graph = plain_borrow(context, &g);
        asked a;
        uint64_t helped = 0;
        ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        size_t bytes = (size_t)g.n * g.n * distance_size(hop_apsp_distance_type(graph, &a.options));
        char *right = malloc(bytes), *got = malloc(bytes);
        const hop_setting few = {"sources", 1, NULL}; /* 128 at once: three batches */
        ask(&a, k ? "dijkstra" : "bfs", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        assert_int_equal(
            hop_apsp(host, graph, &a.options, MATRIX_ROOM(graph, &a.options, right), NULL), HOP_OK);
        for (int i = 0; i < TRIES && (helped == 0 || i < 3); i++) {
            ask(&a, both[k].variant, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
            a.run.settings = &few;
            a.run.setting_count = k == 0;
            memset(got, 0xa5, bytes);
            hop_status status =
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, got), NULL);
            if (lacks_capability(context, status))
                break;
            if (status != HOP_OK)
                fail_msg("%s: %s", both[k].variant, hop_context_message(context));
            assert_memory_equal(got, right, bytes);
            assert_int_equal(counter(&a.report, "devices"), 2);
            assert_int_equal(a.report.rounds, g.n);
            helped = counter(&a.report, "rows of other devices");
            assert_true(helped <= g.n);
        }
        if (most_vertices() == UINT64_MAX)
            assert_true(helped > 0);
        free(right);
        free(got);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(host);
    free_context(context);
}

static void summaries_are_the_same(void **state) {
    hop_context *contexts[2];
    hop_apsp_summary told[2] = {HOP_APSP_SUMMARY_INIT, HOP_APSP_SUMMARY_INIT};
    (void)state;
    contexts[0] = context_of_two((hop_context_options)HOP_CONTEXT_OPTIONS_INIT);
    contexts[1] = make_context(1);
    plain_graph g = graph_for(&both[0]);
    hop_graph *graph = plain_borrow(contexts[0], &g);
    const hop_setting few = {"sources", 1, NULL};
    for (int host = 0; host < 2; host++) {
        asked a;
        ask(&a, both[0].variant, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        a.run.settings = &few;
        a.run.setting_count = host == 0;
        if (hop_apsp_rows(contexts[host], graph, &a.options, NULL, NULL, &told[host]) != HOP_OK)
            fail_msg("%s", hop_context_message(contexts[host]));
    }
    assert_memory_equal(&told[0], &told[1], sizeof told[0]);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(contexts[0]);
    free_context(contexts[1]);
}

/* With memories of their own, each device gets the graph, once; so a plan says. */
static void graphs_are_sent_as_promised(void **state) {
    (void)state;
    hop_context *context = context_of_two((hop_context_options)HOP_CONTEXT_OPTIONS_INIT);
    static char matrix[N * N * 8];
    assert_int_equal(hop__device_others_open(device_in(context)), HOP_OK);
    hop__device_keep_apart(device_in(context), true);
    hop__device_keep_apart(hop__device_other(device_in(context), 0), true);
    for (size_t k = 0; k < HOP_LENGTH(both); k++) {
        plain_graph g = graph_for(&both[k]);
        hop_graph *graph = plain_borrow(context, &g);
        uint64_t bytes = 0;
        asked a;
        for (int step = 0; step < 4; step++) { /* plan, run, plan, run */
            ask(&a, both[k].variant, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
            a.run.plan = step % 2 == 0;
            hop_status status =
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
            if (lacks_capability(context, status))
                break;
            if (status != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            uint64_t said = hop_report_copy_bytes(&a.report);
            if (step == 0)
                bytes = said;
            assert_int_equal(said, step < 2 ? bytes : 0);
            assert_true(bytes >= 2 * (4 * hop_graph_arcs(graph) + 4 * (uint64_t)g.n));
            if (step == 2)
                assert_int_equal(hop_report_kept_bytes(&a.report), bytes);
        }
        hop_graph_release(graph);
        plain_free(&g);
    }
    hop_device_trim(context);
    assert_int_equal(hop_device_memory_used(context), 0);
    assert_int_equal(hop__device_usage(hop__device_other(device_in(context), 0)).used, 0);
    free_context(context);
}

static hop_status solve_all(hop_context *context, const hop_graph *graph, const char *variant,
                            hop_report *report) {
    static int64_t matrix[N * N];
    asked a;
    ask(&a, variant, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
    hop_status status =
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
    *report = a.report;
    return status;
}

/* The second device is full, then lost: said, with its name; auto goes on by itself. */
static void a_second_device_that_cannot(void **state) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.device_memory = 4000000;
    hop_context *context = context_of_two(options);
    plain_graph g = graph_for(&both[0]);
    hop_graph *graph = plain_borrow(context, &g);
    hop__buffer *filler = NULL;
    hop_report report;
    assert_int_equal(solve_all(context, graph, "bfs-bits", &report), HOP_OK);
    hop__device *other = hop__device_other(device_in(context), 0);
    hop_device_trim(context);
    assert_int_equal(hop__buffer_create(other, "filler", 3990000, &filler), HOP_OK);
    assert_int_equal(solve_all(context, graph, "bfs-bits", &report), HOP_ERR_BUDGET);
    assert_says(context, hop__device_info(other)->name);
    assert_int_equal(solve_all(context, graph, NULL, &report), HOP_OK);
    hop__buffer_free(filler);
    assert_int_equal(solve_all(context, graph, "bfs-bits", &report), HOP_OK);
    hop__fail(hop__device_context(other), HOP_ERR_DEVICE, "planted: a wrong answer");
    hop__device_distrust(other, hop__device_context(other));
    assert_int_equal(solve_all(context, graph, "bfs-bits", &report), HOP_ERR_DEVICE);
    assert_says(context, "planted: a wrong answer");
    assert_int_equal(solve_all(context, graph, NULL, &report), HOP_OK);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void too_many_devices(void **state) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = device_context_at(0, options);
    char names[160];
    hop_report report;
    (void)state;
    if (!context)
        skip();
    const char *one = hop__device_info(device_in(context))->name;
    snprintf(names, sizeof names, "%s+%s+%s+%s+%s", one, one, one, one, one);
    free_context(context);
    options.device = names;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    plain_graph g = graph_for(&both[0]);
    hop_graph *graph = plain_borrow(context, &g);
    assert_int_equal(solve_all(context, graph, "bfs-bits", &report), HOP_ERR_ARGUMENT);
    assert_says(context, "at most 4 devices");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* Stops at question number `left` of the searches. */
static bool stop_later(void *user, const hop_progress *progress) {
    int *left = user;
    return strncmp(progress->phase, "apsp", 4) != 0 || --*left > 0;
}

static void can_be_cancelled(void **state) {
    enum { LONG = 3000 };
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    int left = 1;
    (void)state;
    if (most_vertices() < LONG)
        skip();
    options.progress = stop_later;
    options.progress_user = &left;
    hop_context *context = context_of_two(options);
    plain_graph g = plain_make(LONG, true, HOP_TYPE_NONE, LONG); /* a path: many levels */
    for (uint32_t u = 0; u < LONG; u++) {
        if (u + 1 < LONG)
            plain_arc(&g, u + 1, 1);
        plain_end_row(&g, u);
    }
    int32_t *matrix = malloc((size_t)LONG * LONG * sizeof *matrix);
    hop_graph *graph = plain_borrow(context, &g);
    for (int after = 1; after < 4; after++) {
        asked a;
        left = after;
        ask(&a, "bfs-bits", HOP_TYPE_INT32, HOP_CERTIFY_NONE);
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
        assert_int_equal(status, left > 0 ? HOP_OK : HOP_ERR_CANCELLED);
        assert_true(left <= 0 || after > 1);
    }
    hop_graph_release(graph);
    hop_device_trim(context);
    assert_int_equal(hop_device_memory_used(context), 0);
    assert_int_equal(hop__device_usage(hop__device_other(device_in(context), 0)).used, 0);
    free_context(context);
    free(matrix);
    plain_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_and_both_work),
        cmocka_unit_test(summaries_are_the_same),
        cmocka_unit_test(graphs_are_sent_as_promised),
        cmocka_unit_test(a_second_device_that_cannot),
        cmocka_unit_test(too_many_devices),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
