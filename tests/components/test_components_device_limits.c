/* SPDX-License-Identifier: Apache-2.0
 * Components on devices at their limits: memory that is smaller than the graph, work that kernels
 * leave, cancelling, allocations that fail, arrays that must not be written to. */
#include <sys/mman.h>

#include "components/components_device.h"
#include "components/components_device_testing.h"
#include "problem/report.h"

/* Labels by union-find, for graphs that are too deep for plain_labels. */
static uint32_t *chain_labels(uint32_t n) {
    uint32_t *labels = malloc((size_t)n * 4);
    for (uint32_t v = 0; v < n; v++)
        labels[v] = v > 0 ? v - 1 : 0;
    return labels;
}

static void forest_blocks(const void *user, hop__workspace *space) {
    const hop__components_task *task = user;
    hop__device_forest_blocks(space, task, task->values);
}

/* shortcut alone, on one long path: every vertex must point to the root when it returns, although a
 * launch climbs only so far. A kernel that does not report what it leaves gives wrong labels here;
 * in a whole run later rounds would hide it. */
static void shortcut_body(hop_context *context, bool apart) {
    enum { N = 100000 };
    static const double forms[2][2] = {{0, 1}, {0, 2}};
    hop_graph *graph = generated(context, "fanout", (hop_setting[]){{"n", N}, {"k", 2}}, 2, 1);
    for (int form = 0; form < 2; form++) {
        uint32_t *labels = malloc(N * 4), *chain = chain_labels(N);
        hop_report report = {0};
        hop_vertex count = 0;
        hop__components_task task = {
            .graph = graph, .labels = labels, .report = &report, .values = forms[form]};
        hop__workspace space;
        hop__device_forest forest;
        (void)apart;
        assert_int_equal(hop__device_forest_open(context, &task, forest_blocks, &space, &forest),
                         HOP_OK);
        assert_int_equal(
            hop__device_forest_begin(&forest, &hop__program_components_edges, NULL, 0, forms[form]),
            HOP_OK);
        assert_int_equal(hop__buffer_write(forest.labels, 0, N * 4, chain), HOP_OK);
        assert_int_equal(hop__device_finish(forest.device), HOP_OK);
        uint64_t before = forest.sweeper.launches;
        assert_int_equal(hop__device_forest_shortcut(&forest), HOP_OK);
        assert_int_equal(hop__device_forest_finish(&forest, &count), HOP_OK);
        assert_true(forest.sweeper.launches > before);
        hop__device_forest_end(&forest, HOP_OK);
        assert_int_equal(count, 1);
        for (uint32_t v = 0; v < N; v++)
            assert_int_equal(labels[v], 0);
        free(labels);
        free(chain);
    }
    hop_graph_release(graph);
}

static void shortcut_leaves_nothing(void **state) {
    (void)state;
    on_each_memory(0, shortcut_body);
}

/* A budget for the labels and little else: several blocks, the same labels. */
enum { SMALL_BUDGET = 420000, SPARSE_BUDGET = 330000 };
static uint64_t largest_peak;

static uint64_t blocks_of(const hop_report *report) {
    uint64_t blocks = counter_of(report, "blocks");
    assert_true(blocks != UINT64_MAX);
    return blocks;
}

/* Arcs down from the upper half to the lower: i to half + i, and that to i - 1. In later blocks the
 * larger end of an arc has a label already, which must not be lost. */
static hop_graph *zigzag(hop_context *context) {
    enum { HALF = 30000, ARCS = 2 * HALF - 1 };
    uint32_t *from = malloc(ARCS * 4), *to = malloc(ARCS * 4);
    for (uint32_t i = 0; i < HALF; i++) {
        from[i] = i;
        to[i] = HALF + i;
        if (i > 0) {
            from[HALF + i - 1] = HALF + i;
            to[HALF + i - 1] = i - 1;
        }
    }
    hop_graph *graph = graph_of_pairs(context, 2 * HALF, ARCS, from, to, true);
    free(from);
    free(to);
    return graph;
}

static void blocks_body(hop_context *context, bool apart) {
    static const hop_setting kinds[][3] = {{{"scale", 13}, {"edge-factor", 12}, {"directed", 0}},
                                           {{"scale", 12}, {"edge-factor", 40}, {"directed", 1}}};
    (void)apart;
    for (size_t k = 0; k < 3; k++) {
        hop_graph *graph = k < 2 ? generated(context, "rmat", kinds[k], 3, 3) : zigzag(context);
        uint32_t *expected = plain_labels(graph);
        for (size_t i = 0; device_variant(i); i++) {
            hop_run run = HOP_RUN_INIT;
            hop_report report = {0};
            run.variant = device_variant(i)->name;
            if (k == 2 && (strcmp(run.variant, "shiloach-vishkin") == 0 ||
                           strcmp(run.variant, "sorted") == 0))
                continue; /* what they need beside the labels does not fit */
            check_run(context, graph, &run, expected, &report, "a graph larger than the device");
            if (blocks_of(&report) < 2)
                fail_msg("%s took it in one block", run.variant);
            if (hop_device_memory_peak(context) > largest_peak)
                largest_peak = hop_device_memory_peak(context);
        }
        free(expected);
        hop_graph_release(graph);
    }
}

static void graphs_larger_than_the_device_go_by_blocks(void **state) {
    (void)state;
    largest_peak = 0;
    on_each_memory(SMALL_BUDGET, blocks_body);
    assert_true(largest_peak > 0 && largest_peak <= SMALL_BUDGET);
}

/* A graph in which every arc counts, so that none may be lost between two windows: a path of arcs
 * upwards. */
static hop_graph *one_way_path(hop_context *context, uint32_t n) {
    uint32_t *from = malloc((size_t)n * 4), *to = malloc((size_t)n * 4);
    for (uint32_t v = 0; v + 1 < n; v++) {
        from[v] = v;
        to[v] = v + 1;
    }
    hop_graph *graph = graph_of_pairs(context, n, n - 1, from, to, true);
    free(from);
    free(to);
    return graph;
}

/* One in which the arcs that afforest does not sample count. The first half of the vertices is a
 * path; the rest are groups of six, two triangles and an edge between them, which is the third arc
 * of both its ends. `directed`: the first vertex has an arc to every one of the rest, which are all
 * alone but for that. */
static hop_graph *third_arcs(hop_context *context, uint32_t n, bool directed) {
    static const uint32_t six[][2] = {{0, 1}, {0, 5}, {1, 5}, {2, 3}, {2, 4}, {3, 4}, {4, 5}};
    uint32_t *from = malloc((size_t)n * 8), *to = malloc((size_t)n * 8), half = n / 2, count = 0;
    for (; count + 1 < half; count++) {
        from[count] = count;
        to[count] = count + 1;
    }
    for (uint32_t v = half; directed && v < n; v++, count++) {
        from[count] = 0;
        to[count] = v;
    }
    for (uint32_t v = half; !directed && v + 6 <= n; v += 6)
        for (size_t e = 0; e < 7; e++, count++) {
            from[count] = v + six[e][0];
            to[count] = v + six[e][1];
        }
    hop_graph *graph = graph_of_pairs(context, n, count, from, to, directed);
    free(from);
    free(to);
    return graph;
}

/* The variants that work on rows, in windows of them. */
static void sparse_body(hop_context *context, bool apart) {
    enum { N = 40000 };
    static const char *const names[] = {"rem", "afforest"};
    (void)apart;
    for (int kind = 0; kind < 3; kind++) {
        hop_graph *graph = kind == 0 ? one_way_path(context, N) : third_arcs(context, N, kind == 1);
        uint32_t *expected = plain_labels(graph);
        for (size_t i = 0; i < 2; i++) {
            hop_run run = HOP_RUN_INIT;
            hop_report report = {0};
            run.variant = names[i];
            check_run(context, graph, &run, expected, &report, "a sparse graph by windows");
            assert_true(blocks_of(&report) > 1 + i);
        }
        free(expected);
        hop_graph_release(graph);
    }
}

static void no_arc_is_lost_between_windows(void **state) {
    (void)state;
    on_each_memory(SPARSE_BUDGET, sparse_body);
}

/* Not even the labels fit: an error with the numbers by name, the host by choice. */
static void too_small_body(hop_context *context, bool apart) {
    static const hop_setting settings[] = {{"n", 200000}, {"m", 300000}};
    hop_graph *graph = generated(context, "erdos-renyi", settings, 2, 3);
    uint32_t *labels = malloc(200000 * 4), count;
    (void)apart;
    for (size_t i = 0; device_variant(i); i++) {
        hop_run run = HOP_RUN_INIT;
        hop_components_options options = {sizeof options, &run};
        run.variant = device_variant(i)->name;
        assert_int_equal(hop_components(context, graph, &options, labels, &count), HOP_ERR_BUDGET);
        assert_message(context, run.variant);
        assert_message(context, "needed on device");
    }
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    hop_components_options options = {sizeof options, &run};
    run.report = &report;
    run.certify = HOP_CERTIFY_CANONICAL;
    assert_int_equal(hop_components(context, graph, &options, labels, &count), HOP_OK);
    assert_int_equal(report.variant->place, HOP_PLACE_HOST);
    assert_non_null(strstr(report.reason, "on the host because"));
    free(labels);
    hop_graph_release(graph);
}

static void labels_that_do_not_fit_go_to_the_host(void **state) {
    (void)state;
    on_each_memory(SMALL_BUDGET, too_small_body);
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void can_be_cancelled(void **state) {
    (void)state;
    const hop_context_options usual = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *plain = make_context(2), *found;
    static const hop_setting settings[] = {{"scale", 18}};
    hop_graph *graph = generated(plain, "rmat", settings, 1, 1);
    uint32_t *labels = malloc((size_t)hop_graph_vertices(graph) * 4);
    for (size_t d = 0; (found = device_context_at(d, usual)) != NULL; d++) {
        for (size_t i = 0; device_variant(i); i++) {
            int calls = 0;
            hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            hop_run run = HOP_RUN_INIT;
            hop_components_options how = {sizeof how, &run};
            options.device = found->options.device;
            options.progress = stop_at_once;
            options.progress_user = &calls;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            run.variant = device_variant(i)->name;
            hop_status status = HOP_OK; /* the callback comes every 50 ms: a run may be shorter */
            for (int k = 0; k < 50 && status == HOP_OK; k++)
                status = hop_components(context, graph, &how, labels, NULL);
            assert_int_equal(status, HOP_ERR_CANCELLED);
            assert_int_equal(calls, 1);
            assert_int_equal(hop_device_memory_used(context), 0);
            assert_int_equal(hop_context_memory_used(context), 0);
            free_context(context);
        }
        free_context(found);
    }
    free(labels);
    hop_graph_release(graph);
    free_context(plain);
}

static void survives_every_failed_allocation(void **state) {
    (void)state;
    const hop_context_options usual = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *plain = make_context(1), *found;
    static const hop_setting settings[] = {{"scale", 8}, {"directed", 1}};
    hop_graph *graph = generated(plain, "rmat", settings, 2, 1);
    uint32_t labels[256], count;
    for (size_t d = 0; (found = device_context_at(d, usual)) != NULL; d++) {
        for (size_t i = 0; device_variant(i); i++) {
            long left = 1 << 20;
            hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
            hop_context *context = NULL;
            options.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
            options.device = found->options.device;
            assert_int_equal(hop_context_create(&options, &context), HOP_OK);
            hop_run run = HOP_RUN_INIT;
            hop_components_options how = {sizeof how, &run};
            run.variant = device_variant(i)->name;
            /* once as it should be, so that the kernels are there */
            assert_int_equal(hop_components(context, graph, &how, labels, &count), HOP_OK);
            hop_status status = HOP_ERR_MEMORY;
            for (long failed = 0; status != HOP_OK; failed++) {
                left = failed;
                status = hop_components(context, graph, &how, labels, &count);
                assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
                assert_int_equal(hop_device_memory_used(context), 0);
                assert_true(failed < 1000);
            }
            free_context(context);
        }
        free_context(found);
    }
    hop_graph_release(graph);
    free_context(plain);
}

/* Arrays of a mapped file may not be written to, and begin anywhere: drivers get them as they are.
 */
static void read_only_body(hop_context *context, bool apart) {
    enum { N = 3000, PAGE = 4096 };
    static const hop_setting settings[] = {{"n", N}, {"m", 4000}};
    hop_graph *graph = generated(context, "erdos-renyi", settings, 2, 3), *borrowed = NULL;
    uint64_t arcs = hop_graph_arcs(graph), bytes = (N + 1 + arcs) * 4 + 64;
    uint32_t *expected = plain_labels(graph);
    (void)apart;
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    uint32_t *mapped =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(mapped != MAP_FAILED);
    for (uint32_t v = 0; v <= N; v++)
        mapped[1 + v] = (uint32_t)offset_of(graph, v);
    memcpy(mapped + N + 5, hop_graph_targets(graph), arcs * 4);
    assert_int_equal(mprotect(mapped, bytes, PROT_READ), 0);
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    csr.vertices = N;
    csr.offsets = mapped + 1;
    csr.offset_bytes = 4;
    csr.targets = mapped + N + 5;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &borrowed), HOP_OK);
    for (size_t i = 0; device_variant(i); i++)
        check_variant(context, borrowed, device_variant(i)->name, expected, "read-only arrays");
    hop_graph_release(borrowed);
    hop_graph_release(graph);
    munmap(mapped, bytes);
    free(expected);
}

static void read_only_arrays(void **state) {
    (void)state;
    on_each_memory(0, read_only_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortcut_leaves_nothing),
        cmocka_unit_test(graphs_larger_than_the_device_go_by_blocks),
        cmocka_unit_test(no_arc_is_lost_between_windows),
        cmocka_unit_test(labels_that_do_not_fit_go_to_the_host),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(read_only_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
