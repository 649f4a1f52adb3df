/* SPDX-License-Identifier: Apache-2.0
 * Row blocks, the budget, allocations that fail, and being cancelled. */
#include "apsp/apsp_testing.h"

#include "core/context_internal.h"
#include "core/timing.h"
#include "span_testing.h"

/* The arcs of a graph as a variant takes them: bfs without the weights. */
static plain_graph arcs_for(const char *variant, const plain_graph *g) {
    plain_graph arcs = *g; /* frees nothing */
    if (strncmp(variant, "bfs", 3) == 0)
        arcs.type = HOP_TYPE_NONE;
    return arcs;
}

static hop_context *budgeted(unsigned threads, uint64_t budget) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    options.memory_budget = budget;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

typedef struct collected {
    char *matrix;
    size_t row_bytes;
    hop_vertex next, blocks, largest, stop_at;
} collected;

static bool collect(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    collected *c = user;
    assert_int_equal(first, c->next);
    assert_true(count > 0);
    memcpy(c->matrix + first * c->row_bytes, rows->items, count * c->row_bytes);
    c->next += count;
    c->blocks++;
    c->largest = count > c->largest ? count : c->largest;
    return c->stop_at == 0 || c->next < c->stop_at;
}

/* From too little for one row to plenty: refused, or the same matrix within budget and estimate. */
static void check_budgets(const plain_graph *g, const char *name, hop_weight_type type,
                          unsigned threads, hop_certify certify) {
    hop_context *owner = make_context(1);
    hop_graph *graph = plain_borrow(owner, g);
    size_t n = g->n, bytes = n * n * 8;
    char *expected = malloc(bytes), *got = malloc(bytes);
    unsigned refused = 0, few = 0, whole = 0;
    asked a;
    ask(&a, name, type, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(owner, graph, &a.options, MATRIX_ROOM(graph, &a.options, expected), NULL), HOP_OK);
    size_t row_bytes = n * distance_size(hop_apsp_distance_type(graph, &a.options));
    bool disk =
        strcmp(name, "blocked-disk") == 0; /* its packed tiles are larger than this matrix */
    for (uint64_t budget = 512; budget < (disk ? 60 : 20) * bytes; budget += budget / 30) {
        hop_context *context = budgeted(threads, budget);
        collected c = {.matrix = got, .row_bytes = row_bytes};
        ask(&a, name, type, certify);
        hop_status status = hop_apsp_rows(context, graph, &a.options, collect, &c, NULL);
        uint64_t peak = hop_context_memory_peak(context);
        if (status == HOP_ERR_BUDGET) {
            assert_int_equal(peak, 0); /* nothing was allocated */
            assert_int_equal(c.next, 0);
            refused++;
        } else {
            if (status != HOP_OK)
                fail_msg("%s: %s", name, hop_context_message(context));
            assert_int_equal(c.next, n);
            assert_memory_equal(got, expected, n * row_bytes);
            assert_true(a.report.memory_bytes <= budget);
            assert_true(peak <= a.report.memory_bytes);
            assert_true(peak >= a.report.memory_bytes / 2);
            few += c.largest <= 4;
            whole += c.blocks == 1;
        }
        free_context(context);
    }
    assert_true(refused > 0 && whole > 0);
    if (strcmp(name, "floyd-warshall") != 0 && strncmp(name, "blocked", 7) != 0)
        assert_true(few > 0);
    free(expected);
    free(got);
    hop_graph_release(graph);
    free_context(owner);
}

static void blocks_of_any_size(void **state) {
    (void)state;
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_APSP); i++) {
        const char *name = hop_variant_at(HOP_PROBLEM_APSP, i)->name;
        bool dijkstra = strcmp(name, "dijkstra") == 0;
        plain_graph g = plain_random(60, 3, true, HOP_TYPE_INT32, 0, 9, 1, 3);
        plain_graph h = plain_random(61, 2, true, HOP_TYPE_FLOAT64, 0, 9, 0.125, 4);
        for (uint32_t e = 0; e < g.arcs && !dijkstra; e++) /* no way back: no negative cycle */
            if (g.targets[e] == 59)
                plain_set(&g, e, -3);
        g.offsets[60] = g.offsets[59];
        g.arcs = g.offsets[59];
        plain_graph own = arcs_for(name, &g), other = arcs_for(name, &h);
        check_budgets(&own, name, HOP_TYPE_NONE, 1, HOP_CERTIFY_NONE);
        check_budgets(&own, name, HOP_TYPE_INT32, 3, HOP_CERTIFY_CANONICAL);
        check_budgets(&other, name, HOP_TYPE_NONE, 2, HOP_CERTIFY_CANONICAL);
        plain_free(&g);
        plain_free(&h);
    }
}

/* The estimate of the whole matrix, which is the caller's, is about the workspaces alone. */
static void whole_matrix_within_the_estimate(void **state) {
    (void)state;
    hop_context *context = make_context(3);
    plain_graph g = plain_random(150, 4, true, HOP_TYPE_INT32, 1, 9, 1, 3);
    plain_graph h = plain_random(150, 4, true, HOP_TYPE_FLOAT32, 1, 9, 0.1, 3);
    h.offsets[150] = h.arcs = h.offsets[149];
    for (uint32_t e = 0; e < h.arcs; e++)
        if (h.targets[e] == 149)
            plain_set(&h, e, -1);
    const plain_graph *graphs[] = {&g, &h};
    void *matrix = malloc(150 * 150 * 8);
    for (size_t i = 0; i < 2 * host_variant_count(HOP_PROBLEM_APSP); i++)
        for (int certify = 0; certify < 2; certify++) {
            const char *name = hop_variant_at(HOP_PROBLEM_APSP, i / 2)->name;
            plain_graph own = arcs_for(name, graphs[i % 2]);
            hop_graph *graph = plain_borrow(context, &own);
            asked a;
            ask(&a, name, HOP_TYPE_NONE, certify ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
            uint64_t before = hop_context_memory_used(context);
            hop_context_reset_peak(context);
            hop_status status =
                hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
            uint64_t peak = hop_context_memory_peak(context) - before;
            if (status == HOP_OK) {
                assert_true(peak <= a.report.memory_bytes);
                assert_true(peak >= a.report.memory_bytes / 2);
            } else {
                assert_int_equal(status, HOP_ERR_UNSUPPORTED); /* negative floats: most refuse */
            }
            hop_graph_release(graph);
        }
    free(matrix);
    plain_free(&g);
    plain_free(&h);
    free_context(context);
}

/* 8 TB are refused with the number, before anything is allocated. */
static void a_million_vertices_are_refused_with_the_number(void **state) {
    (void)state;
    hop_context *context = budgeted(2, UINT64_C(1) << 30);
    plain_graph g = plain_make(1000000, true, HOP_TYPE_NONE, 0);
    hop_graph *graph = plain_borrow(context, &g);
    uint64_t bytes = 0, used = hop_context_memory_used(context);
    collected c = {.next = 0};
    asked a;
    hop_context_reset_peak(context);
    ask(&a, "floyd-warshall", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, collect, &c, NULL), HOP_ERR_BUDGET);
    assert_says(context, "1000000 x 1000000 int64 distances needs 7.3 TiB (8000000000064 bytes)");
    assert_int_equal(a.report.memory_bytes, UINT64_C(8000000000064));
    assert_says(context, "row blocks");
    assert_says(context, "int32");
    assert_says(context, "raise the memory budget");
    assert_int_equal(hop_apsp_matrix_bytes(context, graph, NULL, &bytes), HOP_ERR_BUDGET);
    assert_int_equal(bytes, UINT64_C(8000000000000));
    a.options.distance_type = HOP_TYPE_INT32;
    assert_int_equal(hop_apsp_matrix_bytes(context, graph, &a.options, &bytes), HOP_ERR_BUDGET);
    assert_int_equal(bytes, UINT64_C(4000000000000));
    assert_null(strstr(hop_context_message(context), "ask for int32"));
    assert_int_equal(hop_context_memory_peak(context), used);
    assert_int_equal(hop_apsp_rows(context, NULL, NULL, collect, &c, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* A dense graph goes to the matrix, unless that does not fit the budget. */
static void auto_gives_a_reason_and_keeps_to_the_budget(void **state) {
    (void)state;
    plain_graph dense = plain_random(100, 90, true, HOP_TYPE_INT32, 1, 50, 1, 1);
    plain_graph sparse = plain_random(300, 1, true, HOP_TYPE_INT32, 1, 50, 1, 1);
    plain_graph plain = plain_random(300, 3, true, HOP_TYPE_NONE, 1, 1, 0, 1);
    plain_graph equal = plain_random(300, 3, false, HOP_TYPE_INT64, 7, 1, 0, 1);
    plain_graph falling = plain_make(3, true, HOP_TYPE_FLOAT32, 1);
    plain_arc(&falling, 1, -1.5);
    for (uint32_t u = 0; u < 3; u++)
        plain_end_row(&falling, u);
    const struct {
        const plain_graph *graph;
        uint64_t budget;
        const char *name, *reason;
    } cases[] = {
        {&dense, 1 << 20, "blocked", "90 arcs per vertex of 100"},
        {&dense, 50000, "dijkstra", "does not fit the budget"},
        {&sparse, 1 << 24, "dijkstra", "1 arcs per vertex of 300"},
        {&falling, 1 << 20, "bellman-ford", "negative"},
        {&plain, 1 << 24, "bfs-bits", "no weights"},
        {&plain, 1 << 14, "bfs", "no weights"},
        {&equal, 1 << 24, "bfs-bits", "all weights are the same"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hop_context *owner = make_context(1), *context = budgeted(1, cases[i].budget);
        hop_graph *graph = plain_borrow(owner, cases[i].graph);
        collected c = {.matrix = malloc(300 * 300 * 8)};
        asked a;
        ask(&a, "auto", HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        c.row_bytes = (size_t)cases[i].graph->n * (i == 3 ? 4 : 8);
        if (hop_apsp_rows(context, graph, &a.options, collect, &c, NULL) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_string_equal(a.report.variant->name, cases[i].name);
        if (!strstr(a.report.reason, cases[i].reason))
            fail_msg("'%s' is not in '%s'", cases[i].reason, a.report.reason);
        free(c.matrix);
        hop_graph_release(graph);
        free_context(context);
        free_context(owner);
    }
    plain_free(&dense);
    plain_free(&sparse);
    plain_free(&falling);
    plain_free(&plain);
    plain_free(&equal);
}

static hop_status solve_both_ways(hop_context *context, hop_graph *graph, asked *a, void *matrix,
                                  size_t row_bytes) {
    collected c = {.matrix = matrix, .row_bytes = row_bytes};
    hop_vertex length;
    hop_status status =
        hop_apsp(context, graph, &a->options, MATRIX_ROOM(graph, &a->options, matrix), NULL);
    if (status == HOP_OK)
        status = hop_apsp_rows(context, graph, &a->options, collect, &c, NULL);
    if (status == HOP_OK)
        status = hop_apsp_certify(context, graph, &a->options, 0, 8,
                                  GIVEN_ROWS(graph, &a->options, 8, matrix));
    if (status == HOP_OK && !is_real(hop_apsp_distance_type(graph, &a->options)))
        status = hop_apsp_path(context, graph, &a->options, 0, 7,
                               GIVEN_ROWS(graph, &a->options, 1, matrix), NULL, 0, &length);
    return status;
}

/* Each request fails in turn: an error, nothing left behind, and then it works. */
static void every_allocation_fails_once(void **state) {
    (void)state;
    for (size_t i = 0; i < 4 * host_variant_count(HOP_PROBLEM_APSP); i++) {
        test_heap heap = {0};
        hop_context_options options = heap_options(&heap, false);
        hop_context *context = NULL;
        options.threads = 2;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        plain_graph g = plain_make(8, true, i % 4 < 2 ? HOP_TYPE_INT32 : HOP_TYPE_FLOAT64, 8);
        for (uint32_t u = 0; u < 8; u++) {
            if (u < 7)
                plain_arc(&g, u + 1, u % 2 && i % 2 ? -0.1 : 3);
            plain_end_row(&g, u);
        }
        plain_set(&g, 2, i % 2 ? -1 : 1);
        const char *name = hop_variant_at(HOP_PROBLEM_APSP, i / 4)->name;
        plain_graph own = arcs_for(name, &g);
        hop_graph *graph = plain_borrow(context, &own);
        double matrix[64];
        asked a;
        ask(&a, name, i % 4 == 1 ? HOP_TYPE_INT32 : HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        a.options.certify_rows = 5;
        size_t row_bytes = 8 * distance_size(hop_apsp_distance_type(graph, &a.options));
        long long blocks = atomic_load(&heap.blocks);
        hop_status status = solve_both_ways(context, graph, &a, matrix, row_bytes);
        for (unsigned k = 1; status != HOP_ERR_UNSUPPORTED; k++) {
            heap_fail_at(&heap, k);
            status = solve_both_ways(context, graph, &a, matrix, row_bytes);
            assert_int_equal(atomic_load(&heap.blocks), blocks);
            if (status == HOP_OK) {
                assert_true(k > 5);
                break;
            }
            assert_int_equal(status, HOP_ERR_MEMORY);
            heap_fail_at(&heap, 0);
            assert_int_equal(solve_both_ways(context, graph, &a, matrix, row_bytes), HOP_OK);
        }
        heap_fail_at(&heap, 0);
        hop_graph_release(graph);
        plain_free(&g);
        free_context(context);
        assert_heap_empty(&heap);
    }
}

/* The cycle is the one thing that outlives a failure. */
static void allocations_fail_beside_a_negative_cycle(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context_options options = heap_options(&heap, false);
    hop_context *context = NULL;
    options.threads = 1;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    plain_graph g = plain_make(2, true, HOP_TYPE_INT32, 2);
    plain_arc(&g, 1, 1);
    plain_end_row(&g, 0);
    plain_arc(&g, 0, -2);
    plain_end_row(&g, 1);
    hop_graph *graph = plain_borrow(context, &g);
    int64_t matrix[4];
    asked a;
    ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
    hop_status status = HOP_ERR_MEMORY;
    for (unsigned k = 1; status == HOP_ERR_MEMORY; k++) {
        heap_fail_at(&heap, k);
        status = hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
        assert_true((status == HOP_ERR_NEGATIVE_CYCLE) ==
                    (hop_context_cycle(context, NULL) != NULL));
    }
    assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
    assert_heap_empty(&heap);
}

/* The progress callback says no at its call number `left`. */
typedef struct refusal {
    int left;
    double when, used; /* by the clock, and of the processors */
} refusal;

static double processor_seconds(void) {
    return 1e-9 * (double)hop__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static bool refuse_later(void *user, const hop_progress *progress) {
    refusal *r = user;
    assert_non_null(progress->phase);
    if (--r->left > 0)
        return true;
    if (r->left == 0) {
        r->when = hop__now();
        r->used = processor_seconds();
    }
    return false;
}

/* Runs until it is refused; the seconds from then to its end, by the clock or, where others have
 * the cores, of the processors. */
static double seconds_to_end(const char *name, unsigned threads, plain_graph *g, void *matrix) {
    refusal r = {.left = 3};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = threads;
    options.progress = refuse_later;
    options.progress_user = &r;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop_graph *graph = plain_borrow(context, g);
    asked a;
    ask(&a, name, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    hop_status status = HOP_OK; /* a call comes every 50 ms: fast ones are through by then */
    for (int left = 3; left > 0 && status == HOP_OK; left--) {
        r.left = left;
        if (left == 1)
            context->next_report = 0; /* the fastest, in their first report */
        status = hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
    }
    double seconds = fmin(hop__now() - r.when, processor_seconds() - r.used);
    if (status != HOP_ERR_CANCELLED)
        fail_msg("%s: %d %s", name, (int)status, hop_context_message(context));
    assert_int_equal(r.left, 0); /* it is not asked again */
    hop_graph_release(graph);
    free_context(context);
    return seconds;
}

/* The best of a few tries, since a machine may do other things for as long. */
static void cancelled_soon(void **state) {
    (void)state;
    enum { TRIES = 10 };
    const double soon = SMALLER_TESTS ? 3 : 0.3;
    uint32_t n = SMALLER_TESTS ? 1800 : 2500;
    plain_graph g = plain_random(n, 8, true, HOP_TYPE_INT32, 1, 1000, 1, 6);
    plain_graph h = plain_random(n, 8, true, HOP_TYPE_INT32, 1, 1000, 1, 6);
    for (uint32_t u = 0; u < n; u++) /* negative, without a negative cycle */
        for (uint32_t e = h.offsets[u]; e < h.offsets[u + 1]; e++)
            plain_set(&h, e,
                      (double)plain_integer(&h, e) + (double)(u % 97 * 40) -
                          (double)(h.targets[e] % 97 * 40));
    void *matrix = malloc((size_t)n * n * 8);
    for (size_t i = 0; i < 2 * host_variant_count(HOP_PROBLEM_APSP); i++) {
        const char *name = hop_variant_at(HOP_PROBLEM_APSP, i / 2)->name;
        plain_graph own = arcs_for(name, i % 2 && strcmp(name, "dijkstra") != 0 ? &h : &g);
        double best = soon;
        for (int k = 0; k < TRIES && best >= soon; k++)
            best = seconds_to_end(name, 1 + i % 2, &own, matrix);
        if (best >= soon)
            fail_msg("%s: went on for %.3f s", name, best);
    }
    free(matrix);
    plain_free(&g);
    plain_free(&h);
}

static void stopped_by_the_callback(void **state) {
    (void)state;
    hop_context *context = make_context(2), *small = budgeted(1, 12000);
    plain_graph g = plain_random(60, 3, false, HOP_TYPE_INT32, 1, 9, 1, 6);
    hop_graph *graph = plain_borrow(context, &g);
    collected c = {.matrix = malloc(60 * 60 * 8), .row_bytes = 480, .stop_at = 30};
    asked a;
    ask(&a, "dijkstra", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(hop_apsp_rows(small, graph, &a.options, collect, &c, NULL), HOP_ERR_CANCELLED);
    assert_says(small, "stopped by the caller after row");
    assert_true(c.next >= 30 && c.next < 60);
    free(c.matrix);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(small);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_size),
        cmocka_unit_test(whole_matrix_within_the_estimate),
        cmocka_unit_test(a_million_vertices_are_refused_with_the_number),
        cmocka_unit_test(auto_gives_a_reason_and_keeps_to_the_budget),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(allocations_fail_beside_a_negative_cycle),
        cmocka_unit_test(cancelled_soon),
        cmocka_unit_test(stopped_by_the_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
