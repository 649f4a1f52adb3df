/* SPDX-License-Identifier: Apache-2.0
 *
 * Every variant of apsp for devices on every device: against distances by the definition for sizes
 * around those of tiles and blocks, all types; every tile; negative weights; negative cycles;
 * budgets; cancels. HOPLITE_TEST_APSP_LARGE=1 adds 1000, 1024 and 3072 vertices against the
 * reference. */
#include "apsp/apsp_device_testing.h"
#include "apsp/apsp_internal.h"
#include "span_testing.h"

static const uint32_t sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 130};

typedef struct kind {
    hop_weight_type weights, wanted;
    double low, step;
} kind;

/* int64 in 32 bits, int32, int64 that needs 64 bits, float32, float64; and none. */
static const kind kinds[] = {
    {HOP_TYPE_INT32, HOP_TYPE_NONE, 1, 1},       {HOP_TYPE_INT32, HOP_TYPE_INT32, 0, 3},
    {HOP_TYPE_INT64, HOP_TYPE_NONE, 1e12, 1e10}, {HOP_TYPE_FLOAT32, HOP_TYPE_NONE, 0, 0.1},
    {HOP_TYPE_FLOAT64, HOP_TYPE_NONE, 0, 0.1},   {HOP_TYPE_NONE, HOP_TYPE_NONE, 1, 1},
};

static void sizes_body(hop_context *context, bool apart) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint32_t n = sizes[s];
            if (n > most_vertices() || (apart && s % 2 == 0) ||
                (most_vertices() < UINT64_MAX && k != 0 && k != 3 && s != 3 && s != 7))
                continue; /* where it is slow, two types alone have all sizes; others 16 and 65 */
            plain_graph g = plain_random(n, 3, s % 2, kinds[k].weights, kinds[k].low, 97,
                                         kinds[k].step, 11 * n + k);
            distance *expected = malloc((size_t)n * n * sizeof *expected);
            assert_true(plain_solve(&g, expected));
            for (size_t v = 0; device_variant(v); v++)
                check_settings(context, &g, expected, kinds[k].wanted, device_variant(v)->name,
                               NULL, 0);
            free(expected);
            plain_free(&g);
        }
}

static void all_sizes_and_types(void **state) {
    (void)state;
    on_each_memory(0, sizes_body);
}

/* Every value of every parameter: choices all of them, numbers some. */
static void settings_body(hop_context *context, bool apart) {
    static const uint32_t few[] = {17, 65, 150};
    static const double numbers[] = {64, 100};
    for (size_t s = 0; s < 6 && !apart; s++) {
        uint32_t n = few[s / 2];
        hop_weight_type type = s % 2 ? HOP_TYPE_INT32 : HOP_TYPE_FLOAT32;
        if (n > most_vertices() || (most_vertices() < UINT64_MAX && s > 1 && s % 2))
            continue;
        plain_graph g = plain_random(n, 4, true, type, 1, 50, 0.5, 7 * n);
        distance *expected = malloc((size_t)n * n * sizeof *expected);
        assert_true(plain_solve(&g, expected));
        for (size_t v = 0; device_variant(v); v++)
            for (size_t p = 0; p < device_variant(v)->parameter_count; p++) {
                const hop_parameter *parameter = hop_parameter_at(device_variant(v)->parameters, p);
                bool choice = parameter->type == HOP_PARAMETER_CHOICE;
                /* Those of searches are tested in sssp; each group size is compiled anew. */
                bool tiled =
                    strcmp(hop_parameter_at(device_variant(v)->parameters, 0)->name, "tile") == 0;
                if ((!tiled && (n != 65 || p < 2)) || counts_arcs(device_variant(v)))
                    continue;
                for (size_t x = choice; x < (choice ? (size_t)parameter->maximum + 1 : 2); x++) {
                    hop_setting setting = {parameter->name, choice ? (double)x : numbers[x], NULL};
                    check_settings(context, &g, expected, HOP_TYPE_NONE, device_variant(v)->name,
                                   &setting, 1);
                }
            }
        free(expected);
        plain_free(&g);
    }
}

static void every_setting_gives_the_same(void **state) {
    (void)state;
    on_each_memory(0, settings_body);
}

/* Arcs only to larger ids, so that no cycle is negative; and back by heavy ones. */
static plain_graph with_negative(uint32_t n, double back) {
    plain_graph g = plain_make(n, true, HOP_TYPE_INT32, 3 * n);
    for (uint32_t u = 0; u < n; u++) {
        if (u > 0 && u % 3 == 0)
            plain_arc(&g, u - 3, back);
        for (uint32_t v = u + 1; v < n && v <= u + 2; v++)
            plain_arc(&g, v, (double)(u * 7 % 11) - 6);
        plain_end_row(&g, u);
    }
    return g;
}

static void negative_body(hop_context *context, bool apart) {
    uint32_t n = most_vertices() < 70 ? 17 : 70;
    plain_graph g = with_negative(n, 40), bad = with_negative(n, 1);
    distance *expected = malloc((size_t)n * n * sizeof *expected);
    assert_true(plain_solve(&g, expected));
    for (size_t v = 0; device_variant(v) && !apart; v++) {
        if (counts_arcs(device_variant(v)))
            continue;
        check_settings(context, &g, expected, HOP_TYPE_INT32, device_variant(v)->name, NULL, 0);
        asked a;
        hop_vertex length;
        hop_graph *graph = plain_borrow(context, &bad);
        int64_t *matrix = malloc((size_t)n * n * 8);
        ask(&a, device_variant(v)->name, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        assert_int_equal(
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
            HOP_ERR_NEGATIVE_CYCLE);
        const hop_vertex *cycle = hop_context_cycle(context, &length);
        assert_non_null(cycle);
        assert_int_equal(hop_cycle_certify(context, graph, cycle, length), HOP_OK);
        hop_graph_release(graph);
        free(matrix);
    }
    free(expected);
    plain_free(&g);
    plain_free(&bad);
}

static void negative_weights_and_cycles(void **state) {
    (void)state;
    on_each_memory(0, negative_body);
}

/* With the device's memory too small for the matrix: refused by name, on the host or by parts by
 * itself, always the same answer. */
static void budget_body(hop_context *context, bool apart) {
    enum { N = 300 };
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_INT32, 1, 50, 1, 3);
    distance *expected = malloc(N * N * sizeof *expected);
    hop_graph *graph = plain_borrow(context, &g);
    int64_t *matrix = malloc(N * N * 8);
    asked a;
    (void)apart;
    assert_true(plain_solve(&g, expected));
    for (size_t v = 0; device_variant(v); v++) {
        const hop_variant *variant = device_variant(v);
        if (counts_arcs(variant))
            continue;
        ask(&a, variant->name, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
        hop_status status =
            hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL);
        if (strstr(variant->name, "tran") || strcmp(variant->name, "katz-kider") == 0) {
            assert_int_equal(status, HOP_ERR_BUDGET);
            assert_says(context, "raise the device's memory budget");
            continue;
        }
        if (status != HOP_OK) /* by parts */
            fail_msg("%s: %s", variant->name, hop_context_message(context));
        for (size_t i = 0; i < N * N; i++)
            assert_true(is_same(HOP_TYPE_INT64, matrix, i, expected[i]));
    }
    ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
    if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL) !=
        HOP_OK)
        fail_msg("%s", hop_context_message(context));
    for (size_t i = 0; i < N * N; i++)
        assert_true(is_same(HOP_TYPE_INT64, matrix, i, expected[i]));
    hop_graph_release(graph);
    free(matrix);
    free(expected);
    plain_free(&g);
}

static void budgets_are_kept(void **state) {
    (void)state;
    if (most_vertices() < 300)
        skip();
    on_each_memory(200000, budget_body); /* 300^2 int32 take 360,000 */
}

/* Parts of several sizes, on one device and on all at once; a memory that holds a few parts. */
static void parts_on_several_devices(void **state) {
    enum { N = 300 };
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    char names[64] = "";
    size_t devices = 0;
    hop_context *each;
    (void)state;
    if (most_vertices() < N)
        skip();
    for (; devices < 2 && (each = device_context_at(devices, options)) != NULL; devices++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", devices > 0 ? "+" : "",
                 hop__device_info(device_in(each))->name);
        free_context(each);
    }
    if (devices < 2)
        skip();
    options.threads = 2;
    options.device = names;
    options.device_memory = 600000;
    hop_context *context = NULL;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_FLOAT32, 1, 500, 0.1, 9);
    distance *expected = malloc(N * N * sizeof *expected);
    assert_true(plain_solve(&g, expected));
    for (double side = 0; side <= 192; side += 64) {
        hop_setting setting = {"side", side, NULL};
        check_settings(context, &g, expected, HOP_TYPE_NONE, "katz-kider-oocore", &setting, 1);
    }
    assert_int_equal(hop_device_memory_used(context), 0);
    free(expected);
    plain_free(&g);
    free_context(context);
    /* One of them does not exist: said, and nothing runs. */
    options.device = "opencl:0.0+opencl:9.9";
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    plain_graph small = plain_random(5, 2, true, HOP_TYPE_FLOAT32, 1, 5, 1, 9);
    hop_graph *graph = plain_borrow(context, &small);
    float matrix[25];
    asked a;
    ask(&a, "katz-kider-oocore", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
        HOP_ERR_DEVICE);
    assert_says(context, "opencl:9.9");
    hop_graph_release(graph);
    plain_free(&small);
    free_context(context);
}

/* The device's row that auto would prefer, on a graphics card. */
static const char *taken_on(hop_context *context, const hop_graph *graph, hop_vertex rows,
                            uint64_t memory) {
    hop_device_info device = {.type = HOP_DEVICE_GPU, .memory = memory};
    hop__apsp_task task = {.query.graph = graph,
                           .query.distance_type = HOP_TYPE_INT64,
                           .distance_type = HOP_TYPE_INT64,
                           .row_count = rows,
                           .threads = 2,
                           .tuning = &context->tuning};
    const hop__device_constants constants = hop__device_constants_of(context, &device);
    const char *best = NULL;
    char reason[HOP__REASON];
    double least = 0;
    for (size_t i = 0; i < hop__apsp_problem.row_count; i++) {
        const hop__variant *row = hop__apsp_problem.rows[i];
        if (row->about.place != HOP_PLACE_DEVICE || (row->refuse && row->refuse(&task, reason)) ||
            (row->avoid && row->avoid(&task, &device, reason)))
            continue;
        hop__device_work work = row->device_work(&task);
        double cost = hop__device_cost(&constants, &work, 0);
        assert_true(cost > 0);
        if (!best || cost < least) {
            best = row->about.name;
            least = cost;
        }
    }
    return best;
}

static void check_taken(const char *found, const char *expected) {
    if (strcmp(found ? found : "none", expected) != 0)
        fail_msg("%s is taken, not %s", found ? found : "none", expected);
}

/* D2's conclusion: the matrix for small and dense graphs, searches for large sparse ones and few
 * rows; by parts where it does not fit. No device is needed for this. */
static void choice_follows_size_density_and_memory(void **state) {
    const uint64_t large = UINT64_C(1) << 40;
    if (most_vertices() < UINT64_MAX) /* asked where it is not slow, which is enough */
        skip();
    hop_context *context = make_context(2);
    plain_graph small = plain_random(900, 3, true, HOP_TYPE_INT32, 1, 50, 1, 3);
    plain_graph sparse = plain_make(44000, true, HOP_TYPE_INT32, 4 * 44000);
    for (uint32_t u = 0; u < 44000; u++) {
        for (uint32_t k = 0; k < 4; k++)
            plain_arc(&sparse, (u / 8) * 8 + 2 * k, 1 + k);
        plain_end_row(&sparse, u);
    }
    plain_graph dense = plain_make(3000, true, HOP_TYPE_INT32, 3000 * 3000);
    for (uint32_t u = 0; u < 3000; u++) {
        for (uint32_t v = 0; v < 3000; v++)
            plain_arc(&dense, v, 1 + v % 2);
        plain_end_row(&dense, u);
    }
    sparse.type = HOP_TYPE_NONE;
    hop_graph *counted = plain_borrow(context, &sparse);
    sparse.type = HOP_TYPE_INT32;
    hop_graph *of[] = {plain_borrow(context, &small), plain_borrow(context, &sparse),
                       plain_borrow(context, &dense)};
    (void)state;
    check_taken(taken_on(context, of[0], 900, large), "katz-kider");
    check_taken(taken_on(context, of[1], 44000, large), "harish-narayanan");
    check_taken(taken_on(context, of[2], 3000, large), "katz-kider");
    check_taken(taken_on(context, of[0], 1, large), "harish-narayanan");
    check_taken(taken_on(context, of[2], 3000, 10000000), "katz-kider-oocore");
    check_taken(taken_on(context, counted, 44000, large), "bfs-bits");
    hop_graph_release(counted);
    for (int i = 0; i < 3; i++)
        hop_graph_release(of[i]);
    plain_free(&small);
    plain_free(&sparse);
    plain_free(&dense);
    free_context(context);
}

/* Not while the graph is made. */
static bool stop_at_once(void *user, const hop_progress *progress) {
    bool goes_on = strncmp(progress->phase, "apsp", 4) != 0;
    *(int *)user += !goes_on;
    return goes_on;
}

/* In the slowest form, since the callback is asked twenty times a second at most. */
static void cancel_body(hop_context *context, const hop_variant *variant) {
    enum { N = 900 };
    const hop_setting slowest = {"tile", hop_parameter_at(variant->parameters, 0)->maximum, NULL};
    bool tiled = strcmp(hop_parameter_at(variant->parameters, 0)->name, "tile") == 0;
    asked a;
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_FLOAT32, 1, 50, 1, 3);
    hop_graph *graph = plain_borrow(context, &g);
    float *matrix = malloc(N * N * sizeof *matrix);
    ask(&a, variant->name, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    a.run.settings = &slowest;
    a.run.setting_count = tiled; /* searches are slow enough */
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL),
        HOP_ERR_CANCELLED);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
}

static void can_be_cancelled(void **state) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context;
    int calls = 0;
    (void)state;
    if (most_vertices() < 900)
        skip();
    options.progress = stop_at_once;
    options.progress_user = &calls;
    for (size_t i = 0; (context = device_context_at(i, options)) != NULL; i++) {
        for (size_t v = 0; device_variant(v); v++)
            if (!counts_arcs(device_variant(v)))
                cancel_body(context, device_variant(v));
        assert_true(calls > 0);
        assert_int_equal(hop_device_memory_used(context), 0);
        free_context(context);
    }
}

/* Larger ones against the reference, which is another program on the host. */
static void compare_large(hop_context *context, uint32_t n, hop_weight_type type) {
    asked a;
    plain_graph g = plain_random(n, 4, true, type, 1, 1000, 1, n);
    hop_graph *graph = plain_borrow(context, &g);
    size_t bytes = (size_t)n * n * distance_size(type);
    char *right = malloc(bytes), *matrix = malloc(bytes);
    hop_weight_type wanted = type == HOP_TYPE_INT32 ? HOP_TYPE_INT32 : HOP_TYPE_NONE;
    ask(&a, "floyd-warshall", wanted, HOP_CERTIFY_NONE);
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, right), NULL), HOP_OK);
    for (size_t v = 0; device_variant(v); v++) {
        if (counts_arcs(device_variant(v)))
            continue;
        memset(matrix, 0xa5, bytes);
        ask(&a, device_variant(v)->name, wanted, HOP_CERTIFY_NONE);
        if (hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, matrix), NULL) !=
            HOP_OK)
            fail_msg("%s: %s", device_variant(v)->name, hop_context_message(context));
        if (type == HOP_TYPE_INT32)
            assert_memory_equal(matrix, right, bytes);
        else
            for (size_t i = 0; i < (size_t)n * n; i++)
                assert_true(
                    is_close(type, n, as_double(type, matrix, i), as_double(type, right, i)));
    }
    free(right);
    free(matrix);
    hop_graph_release(graph);
    plain_free(&g);
}

static void large_body(hop_context *context, bool apart) {
    static const uint32_t large[] = {1000, 1024, 3072};
    for (size_t i = 0; i < 3; i++)
        for (int real = 0; real < 2 && !apart; real++)
            compare_large(context, large[i], real ? HOP_TYPE_FLOAT32 : HOP_TYPE_INT32);
}

static void larger_ones(void **state) {
    (void)state;
    if (!getenv("HOPLITE_TEST_APSP_LARGE"))
        skip();
    on_each_memory(0, large_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_and_types),
        cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(negative_weights_and_cycles),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(parts_on_several_devices),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(choice_follows_size_density_and_memory),
        cmocka_unit_test(larger_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
