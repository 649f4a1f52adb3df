/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left when the matrix is not: summaries and eccentricities, rows of some vertices alone.
 * Every variant, on the host and on every device, all types, against the variant's own matrix, of
 * which everything is worked out again here by the definition. */
#include "apsp/apsp_device_testing.h"
#include "span_testing.h"

typedef struct kind {
    hop_weight_type weights, wanted;
    double low, step;
} kind;

/* int64; int32; integers above 2^53, of which neighbours are one double; reals; none. */
static const kind kinds[] = {
    {HOP_TYPE_INT32, HOP_TYPE_NONE, 0, 1},      {HOP_TYPE_INT32, HOP_TYPE_INT32, 1, 3},
    {HOP_TYPE_INT64, HOP_TYPE_NONE, 3e15, 1},   {HOP_TYPE_FLOAT32, HOP_TYPE_NONE, 0, 0.1},
    {HOP_TYPE_FLOAT64, HOP_TYPE_NONE, 0, 0.25}, {HOP_TYPE_NONE, HOP_TYPE_NONE, 1, 1},
};

/* A context, a graph, a variant and its matrix. */
typedef struct setup {
    hop_context *context;
    hop_graph *graph;
    const char *variant;
    hop_weight_type wanted, type;
    uint32_t n;
    char *matrix;
} setup;

static bool reached(const setup *s, uint32_t u, uint32_t v) {
    size_t at = (size_t)u * s->n + v;
    return s->type == HOP_TYPE_INT32   ? ((const int32_t *)s->matrix)[at] != HOP_NO_DISTANCE_32
           : s->type == HOP_TYPE_INT64 ? ((const int64_t *)s->matrix)[at] != HOP_NO_DISTANCE
                                       : isfinite(as_double(s->type, s->matrix, at));
}

static int64_t integer_at(const setup *s, size_t at) {
    return s->type == HOP_TYPE_INT32   ? ((const int32_t *)s->matrix)[at]
           : s->type == HOP_TYPE_INT64 ? ((const int64_t *)s->matrix)[at]
                                       : 0;
}

static bool is_less(const setup *s, size_t a, size_t b) {
    return is_real(s->type) ? as_double(s->type, s->matrix, a) < as_double(s->type, s->matrix, b)
                            : integer_at(s, a) < integer_at(s, b);
}

/* Where row u has its greatest distance, the first such place. */
static size_t farthest_of(const setup *s, uint32_t u) {
    size_t most = (size_t)u * s->n + u;
    for (uint32_t v = 0; v < s->n; v++)
        if (reached(s, u, v) && is_less(s, most, (size_t)u * s->n + v))
            most = (size_t)u * s->n + v;
    return most;
}

/* The rows of these vertices, by the definition, against what the library said. */
static void compare(const setup *s, const hop_vertex *rows, uint32_t count,
                    const hop_apsp_summary *given, const char *eccentricities) {
    size_t size = distance_size(s->type), most = 0, least = 0;
    uint64_t connected = 0;
    double sum = 0;
    assert_int_equal(given->rows, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = rows ? rows[i] : i;
        size_t far = farthest_of(s, u);
        double row = 0;
        for (uint32_t v = 0; v < s->n; v++)
            if (reached(s, u, v)) {
                connected += u != v;
                row += as_double(s->type, s->matrix, (size_t)u * s->n + v);
            }
        sum += row;
        most = i == 0 || is_less(s, most, far) ? far : most;
        least = i == 0 || is_less(s, far, least) ? far : least;
        if (eccentricities)
            assert_memory_equal(eccentricities + i * size, s->matrix + far * size, size);
    }
    assert_int_equal(given->connected, connected);
    assert_true(given->sum == sum);
    assert_true(given->mean == (connected > 0 ? sum / (double)connected : 0));
    if (count == 0)
        return;
    assert_true(given->diameter == as_double(s->type, s->matrix, most));
    assert_true(given->radius == as_double(s->type, s->matrix, least));
    assert_true(given->diameter_int == integer_at(s, most));
    assert_true(given->radius_int == integer_at(s, least));
    assert_int_equal(given->diameter_from, most / s->n);
    assert_int_equal(given->diameter_to, most % s->n);
    assert_int_equal(given->center, least / s->n);
}

static void must(const setup *s, hop_status status) {
    if (status != HOP_OK)
        fail_msg("%s, %u vertices, %s: %s", s->variant, s->n, hop_type_name(s->type),
                 hop_context_message(s->context));
}

/* Without a callback, with and without eccentricities; and beside a matrix. */
static void check_summaries(const setup *s) {
    asked a;
    hop_apsp_summary summary = HOP_APSP_SUMMARY_INIT;
    size_t size = distance_size(s->type);
    char *ends = malloc(s->n * size), *again = malloc((size_t)s->n * s->n * size);
    ask(&a, s->variant, s->wanted, HOP_CERTIFY_CANONICAL);
    must(s, hop_apsp_rows(s->context, s->graph, &a.options, NULL, NULL, &summary));
    compare(s, NULL, s->n, &summary, NULL);
    const hop_span farthest = {ends, s->n, s->type};
    memset(&summary.rows, 0xa5, offsetof(hop_apsp_summary, eccentricities) - sizeof summary.size);
    summary.eccentricities = &farthest;
    must(s, hop_apsp(s->context, s->graph, &a.options, MATRIX_ROOM(s->graph, &a.options, again),
                     &summary));
    compare(s, NULL, s->n, &summary, ends);
    assert_ptr_equal(summary.eccentricities, &farthest);
    assert_memory_equal(again, s->matrix, (size_t)s->n * s->n * size);
    for (int proved = 0; proved < 2; proved++) { /* if not, rows need not be made */
        ask(&a, s->variant, s->wanted, proved ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
        memset(ends, 0xa5, s->n * size);
        must(s, hop_apsp_rows(s->context, s->graph, &a.options, NULL, NULL, &summary));
        compare(s, NULL, s->n, &summary, ends);
    }
    free(ends);
    free(again);
}

typedef struct taken {
    const setup *s;
    const hop_vertex *rows;
    hop_vertex next;
} taken;

static bool take(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    taken *t = user;
    size_t row = t->s->n * distance_size(t->s->type);
    assert_int_equal(first, t->next);
    assert_true(count > 0);
    assert_int_equal(rows->type, t->s->type);
    assert_int_equal(rows->count, (uint64_t)count * t->s->n);
    for (hop_vertex i = 0; i < count; i++)
        assert_memory_equal((const char *)rows->items + i * row,
                            t->s->matrix + t->rows[first + i] * row, row);
    t->next += count;
    return true;
}

/* A set of rows: through the callback, in a matrix, certified, summed up. */
static void check_rows(const setup *s, const hop_vertex *rows, uint32_t count) {
    asked a;
    hop_apsp_summary summary = HOP_APSP_SUMMARY_INIT;
    taken t = {s, rows, 0};
    size_t size = distance_size(s->type), row = s->n * size;
    char *ends = malloc(count * size + 1), *some = malloc(count * row + 8);
    uint64_t bytes = 0;
    ask(&a, s->variant, s->wanted, HOP_CERTIFY_CANONICAL);
    a.options.sources = rows;
    a.options.source_count = count;
    const hop_span farthest = {ends, count, s->type};
    summary.eccentricities = &farthest;
    must(s, hop_apsp_rows(s->context, s->graph, &a.options, take, &t, &summary));
    assert_int_equal(t.next, count);
    compare(s, rows, count, &summary, ends);
    a.run.certify = HOP_CERTIFY_NONE;
    must(s, hop_apsp_rows(s->context, s->graph, &a.options, NULL, NULL, &summary));
    compare(s, rows, count, &summary, ends);
    a.run.certify = HOP_CERTIFY_CANONICAL;
    memset(some, 0xa5, count * row + 8);
    must(s,
         hop_apsp(s->context, s->graph, &a.options, MATRIX_ROOM(s->graph, &a.options, some), NULL));
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(some + i * row, s->matrix + rows[i] * row, row);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal((unsigned char)some[count * row + i], 0xa5);
    must(s, hop_apsp_matrix_bytes(s->context, s->graph, &a.options, &bytes));
    assert_int_equal(bytes, count * row);
    must(s, hop_apsp_certify(s->context, s->graph, &a.options, 0, count,
                             GIVEN_ROWS(s->graph, &a.options, count, some)));
    if (count > 1) { /* rows that stand in each other's place */
        memcpy(some, s->matrix + rows[count - 1] * row, row);
        if (memcmp(some, s->matrix + rows[0] * row, row) != 0)
            assert_int_equal(hop_apsp_certify(s->context, s->graph, &a.options, 0, count,
                                              GIVEN_ROWS(s->graph, &a.options, count, some)),
                             HOP_ERR_CERTIFICATE);
        must(s, hop_apsp_certify(
                    s->context, s->graph, &a.options, count - 1, 1,
                    GIVEN_ROWS(s->graph, &a.options, 1, s->matrix + rows[count - 1] * row)));
        assert_int_equal(hop_apsp_certify(s->context, s->graph, &a.options, 1, count,
                                          GIVEN_ROWS(s->graph, &a.options, count, some)),
                         HOP_ERR_ARGUMENT);
    }
    free(ends);
    free(some);
}

/* One variant with a graph of n vertices. */
static void check_variant(hop_context *context, const plain_graph *g, const kind *k,
                          const char *variant) {
    setup s = {.context = context, .variant = variant, .wanted = k->wanted, .n = g->n};
    asked a;
    char reason[256] = "";
    hop_vertex some[] = {g->n - 1, 0, g->n / 2, g->n / 2, g->n / 2 - g->n / 4, g->n - 1};
    s.graph = plain_borrow(context, g);
    ask(&a, variant, k->wanted, HOP_CERTIFY_NONE);
    s.type = hop_apsp_distance_type(s.graph, &a.options);
    s.matrix = malloc((size_t)g->n * g->n * 8);
    hop_status status =
        hop_apsp(context, s.graph, &a.options, MATRIX_ROOM(s.graph, &a.options, s.matrix), NULL);
    snprintf(reason, sizeof reason, "%s", hop_context_message(context));
    if (status == HOP_OK) {
        check_summaries(&s);
        for (uint32_t count = 0; count <= sizeof some / sizeof *some; count += 3)
            check_rows(&s, some, count);
    } else if (status != HOP_ERR_UNSUPPORTED) {
        fail_msg("%s: %s", variant, reason);
    }
    hop_graph_release(s.graph);
    free(s.matrix);
}

/* All variants of the context's place. 2 arcs per vertex: much is not connected. */
static void all_variants(hop_context *context, bool device) {
    static const uint32_t sizes[] = {1, 2, 17, 90};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds * 4; i++) {
        const kind *k = &kinds[i / 4];
        uint32_t n = sizes[i % 4];
        if (n > most_vertices() || (device && (n == 2 || (n == 17 && k->step != 0.1))))
            continue;
        plain_graph g = plain_random(n, 2, i % 3 != 0, k->weights, k->low, 40, k->step, 5 * n + i);
        for (size_t v = 0; v < hop_variant_count(HOP_PROBLEM_APSP); v++)
            if (device == (v >= host_variant_count(HOP_PROBLEM_APSP)))
                check_variant(context, &g, k, hop_variant_at(HOP_PROBLEM_APSP, v)->name);
        plain_free(&g);
    }
}

static void on_the_host(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        hop_context *context = make_context(threads);
        all_variants(context, false);
        free_context(context);
    }
}

static void on_device(hop_context *context, bool apart) {
    if (!apart)
        all_variants(context, true);
}

static void on_devices(void **state) {
    (void)state;
    on_each_memory(0, on_device);
}

/* Within a budget that holds a few rows, and with more rows than are looked at in one go. */
static void in_blocks(void **state) {
    enum { N = 700 };
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL, *large = make_context(2);
    (void)state;
    plain_graph g = plain_random(N, 3, true, HOP_TYPE_INT32, 1, 40, 1, 8);
    options.threads = 2;
    options.memory_budget = 100000; /* the matrix has 3.9 million */
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    setup s = {.context = large, .variant = "dijkstra", .type = HOP_TYPE_INT64, .n = N};
    asked a;
    hop_graph *graph = plain_borrow(context, &g);
    s.graph = plain_borrow(large, &g);
    s.matrix = malloc(N * N * 8);
    ask(&a, "dijkstra", HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    must(&s,
         hop_apsp(large, s.graph, &a.options, MATRIX_ROOM(s.graph, &a.options, s.matrix), NULL));
    check_summaries(&s);
    hop_apsp_summary summary = HOP_APSP_SUMMARY_INIT;
    int64_t *ends = malloc(N * sizeof *ends);
    hop_vertex *rows = malloc(3 * N * sizeof *rows);
    for (uint32_t i = 0; i < 3 * N; i++)
        rows[i] = (uint32_t)(i * UINT64_C(389) % N);
    summary.eccentricities = HOP_SPAN(ends, N);
    s.context = context;
    must(&s, hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary));
    compare(&s, NULL, N, &summary, (const char *)ends);
    summary.eccentricities = NULL;
    a.options.sources = rows;
    a.options.source_count = 3 * N; /* more rows than vertices */
    taken t = {&s, rows, 0};
    must(&s, hop_apsp_rows(context, graph, &a.options, take, &t, &summary));
    compare(&s, rows, 3 * N, &summary, NULL);
    free(ends);
    free(rows);
    free(s.matrix);
    hop_graph_release(s.graph);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
    free_context(large);
}

/* 2^60 and 2^60 + 1 are one double, and two distances. */
static void large_integers_are_told_apart(void **state) {
    static const int64_t weights[] = {INT64_C(1) << 60, (INT64_C(1) << 60) + 1};
    static const uint32_t offsets[] = {0, 1, 1, 2, 2}, targets[] = {1, 3};
    static const hop_vertex orders[][2] = {{0, 2}, {2, 0}};
    hop_context *context = make_context(1);
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    (void)state;
    csr.vertices = 4;
    csr.offsets = offsets;
    csr.targets = targets;
    csr.weights = weights;
    csr.weight_type = HOP_TYPE_INT64;
    how.directed = true;
    assert_int_equal(hop_graph_from_csr(context, &csr, &how, &graph), HOP_OK);
    for (int i = 0; i < 2; i++) {
        hop_apsp_summary summary = HOP_APSP_SUMMARY_INIT;
        asked a;
        ask(&a, "dijkstra", HOP_TYPE_NONE, HOP_CERTIFY_CANONICAL);
        a.options.sources = orders[i];
        a.options.source_count = 2;
        assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary), HOP_OK);
        assert_int_equal(summary.diameter_from, 2);
        assert_true(summary.diameter_int == weights[1]);
        assert_int_equal(summary.center, 0);
        assert_true(summary.radius_int == weights[0]);
    }
    hop_graph_release(graph);
    free_context(context);
}

static bool stop(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    (void)user, (void)first, (void)count, (void)rows;
    return false;
}

/* What is asked wrongly; what a failed or planned call leaves alone; an older header's struct. */
static void mistakes(void **state) {
    hop_context *context = make_context(2);
    plain_graph g = plain_random(9, 3, true, HOP_TYPE_INT32, 1, 40, 1, 8);
    hop_graph *graph = plain_borrow(context, &g);
    hop_apsp_summary summary = HOP_APSP_SUMMARY_INIT;
    const hop_vertex bad[] = {3, 9};
    int64_t rows[18];
    asked a;
    (void)state;
    ask(&a, NULL, HOP_TYPE_NONE, HOP_CERTIFY_NONE);
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    a.options.sources = bad;
    a.options.source_count = 2;
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, rows), NULL),
        HOP_ERR_ARGUMENT);
    assert_says(context, "source number 1 is vertex 9");
    assert_int_equal(hop_apsp(context, graph, &a.options, NULL, NULL), HOP_ERR_ARGUMENT);
    a.options.source_count = 1;
    assert_int_equal(hop_apsp(context, graph, &a.options, NULL, NULL), HOP_ERR_ARGUMENT);
    a.options.sources = NULL;
    assert_int_equal(
        hop_apsp(context, graph, &a.options, MATRIX_ROOM(graph, &a.options, rows), NULL),
        HOP_ERR_ARGUMENT);
    a.options.source_count = 0;
    summary.rows = 77;
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, stop, NULL, &summary),
                     HOP_ERR_CANCELLED);
    /* Another type, too few, another type of the matrix: nothing is written. */
    summary.eccentricities = HOP_SPAN((int32_t *)rows, 18);
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "eccentricities: the array is of type int32");
    summary.eccentricities = HOP_SPAN(rows, 8);
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary),
                     HOP_ERR_ARGUMENT);
    assert_says(context, "has room for 8");
    summary.eccentricities = NULL;
    assert_int_equal(hop_apsp(context, graph, &a.options, HOP_SPAN((int32_t *)rows, 81), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp(context, graph, &a.options, HOP_SPAN(rows, 80), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_apsp_certify(context, graph, &a.options, 0, 1, HOP_VIEW(rows, 8)),
                     HOP_ERR_ARGUMENT);
    a.run.plan = true;
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary), HOP_OK);
    assert_int_equal(summary.rows, 77);
    a.run.plan = false;
    summary.size = offsetof(hop_apsp_summary, connected);
    summary.connected = 55;
    assert_int_equal(hop_apsp_rows(context, graph, &a.options, NULL, NULL, &summary), HOP_OK);
    assert_int_equal(summary.rows, 9);
    assert_int_equal(summary.connected, 55);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host), cmocka_unit_test(on_devices),
        cmocka_unit_test(in_blocks),   cmocka_unit_test(large_integers_are_told_apart),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
