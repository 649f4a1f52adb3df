/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of distances against all distances by the definition: all graphs of up to four vertices,
 * and undirected ones of up to six (of six, a part; HOPLITE_TEST_ALL: all), with some sets on both
 * sides, and random ones with every type of weights; from the sources and from the targets, whole
 * and row by row, with a budget that makes several blocks; the same bits on 1, 2, 3 and 8 threads;
 * how many searches there are; what a plan says; what is refused; a call that is cancelled. */
#include "measure/measure_testing.h"

#include "core/rng.h"
#include "problem/report_testing.h"

enum { N = 300 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

/* Vertices of one side; NULL: all. */
typedef struct side {
    const hop_vertex *vertices;
    hop_vertex count;
} side;

static hop_vertex side_at(const side *s, uint64_t i) {
    return s->vertices ? s->vertices[i] : (hop_vertex)i;
}

static hop_table_options options_of(const side *from, const side *to, const hop_run *run) {
    hop_table_options options = HOP_TABLE_OPTIONS_INIT;
    options.run = run;
    options.sources = from->vertices;
    options.source_count = from->vertices ? from->count : 0;
    options.targets = to->vertices;
    options.target_count = to->vertices ? to->count : 0;
    return options;
}

/* Takes rows, which must come in order, and keeps them. */
typedef struct kept_rows {
    char *table;
    uint64_t row_bytes, columns, next, blocks, stop_at;
} kept_rows;

static bool keep_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    kept_rows *kept = user;
    assert_int_equal(first, kept->next);
    assert_true(count > 0);
    assert_int_equal(rows->count, count * kept->columns);
    memcpy(kept->table + first * kept->row_bytes, rows->items, count * kept->row_bytes);
    kept->next += count;
    kept->blocks++;
    return kept->next < kept->stop_at;
}

/* Both ways give the same bytes. */
static void get_table(hop_context *context, hop_graph *graph, const side *from, const side *to,
                      hop_certify certify, void *table, hop_report *report) {
    const hop_type type = hop_measure_type(graph, "eccentricity");
    hop_run run = HOP_RUN_INIT;
    run.certify = certify;
    run.report = report;
    const hop_table_options options = options_of(from, to, &run);
    const uint64_t size = hop_type_size(type), items = (uint64_t)from->count * to->count;
    kept_rows kept = {.table = calloc(items + 1, size),
                      .row_bytes = to->count * size,
                      .columns = to->count,
                      .stop_at = UINT64_MAX};
    if (hop_distance_table_rows(context, graph, &options, keep_rows, &kept) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_int_equal(kept.next, to->count > 0 ? from->count : 0);
    if (hop_distance_table(context, graph, &options, &(hop_span){table, items, type}) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_memory_equal(table, kept.table, items * size);
    free(kept.table);
}

static void check_table(hop_context *context, hop_graph *graph, const plain_graph *g,
                        const distance *right, const side *from, const side *to,
                        hop_certify certify) {
    const size_t size = distance_size(g->type == HOP_TYPE_INT32 ? HOP_TYPE_INT64 : g->type);
    char *table = calloc((size_t)from->count * to->count + 1, 8);
    get_table(context, graph, from, to, certify, table, NULL);
    for (uint64_t i = 0; i < from->count; i++)
        for (uint64_t j = 0; j < to->count; j++) {
            const distance d = right[(size_t)side_at(from, i) * g->n + side_at(to, j)];
            const char *entry = table + (i * to->count + j) * size;
            if (g->type == HOP_TYPE_FLOAT32)
                assert_true((double)*(const float *)(const void *)entry == d.real);
            else if (g->type == HOP_TYPE_FLOAT64)
                assert_true(*(const double *)(const void *)entry == d.real);
            else
                assert_int_equal(*(const int64_t *)(const void *)entry, d.integer);
        }
    free(table);
}

/* Without weights, or with weights of 0, 1 and 2. */
static void check_small(hop_context *context, plain_graph *g, uint32_t bits) {
    static const hop_vertex some[] = {2, 0, 2, 1, 3, 3, 0};
    const uint32_t n = g->n;
    distance right[36];
    const side all = {NULL, n}, one = {some + 1, 1}, few = {some, n > 2 ? 4 : 0},
               many = {some, n > 3 ? 7 : 0};
    const side *sides[] = {&all, &one, &few, &many};
    g->type = bits & 1 ? HOP_TYPE_INT32 : HOP_TYPE_NONE;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            if (g->type != HOP_TYPE_NONE) /* both ways the same */
                plain_set(g, i, (u + g->targets[i] + bits) % 3);
    assert_true(plain_solve(g, right));
    hop_graph *graph = plain_borrow(context, g);
    if (bits % 3 == 0)
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    for (size_t k = 0; k < 16; k++)
        check_table(context, graph, g, right, sides[k / 4], sides[k % 4],
                    bits % 4 == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    small_graphs all = {0};
    plain_graph g;
    (void)state;
    while (small_next(&all, &g)) {
        check_small(context, &g, all.bits);
        plain_free(&g);
    }
    free_context(context);
}

/* Weights below 0, too: of directed graphs without a negative cycle. */
static void random_graphs(void **state) {
    static const struct {
        hop_weight_type type;
        double low, step;
    } kinds[] = {{HOP_TYPE_NONE, 1, 0},          {HOP_TYPE_INT32, 0, 1},
                 {HOP_TYPE_INT64, 0, 3},         {HOP_TYPE_FLOAT32, 0, 0.3},
                 {HOP_TYPE_FLOAT64, 0.1, 0.125}, {HOP_TYPE_INT64, -1, 1}};
    (void)state;
    for (unsigned k = 0; k < 48; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        const uint32_t n = k % 12 == 0 ? N : 5 + 2 * k;
        const bool below = k % 6 == 5;
        plain_graph g = plain_random(n, below ? 1 : 1 + k % 4, k % 3 != 0 || below,
                                     kinds[k % 6].type, kinds[k % 6].low, 4, kinds[k % 6].step, k);
        distance *right = malloc((size_t)n * n * sizeof *right);
        hop_vertex vertices[2][70];
        for (hop_vertex i = 0; i < 140; i++)
            vertices[i / 70][i % 70] = (hop_vertex)(hop__random_at(k, 7, i) % n);
        const side all = {NULL, n}, few = {vertices[0], 1 + k % 9}, many = {vertices[1], 70};
        hop_graph *graph = plain_borrow(context, &g);
        if (k % 2)
            assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        if (plain_solve(&g, right)) {
            const side *sides[] = {&few, &many, &all};
            for (size_t i = 0; i < 9; i++)
                check_table(context, graph, &g, right, sides[i / 3], sides[i % 3],
                            k % 5 ? HOP_CERTIFY_NONE : HOP_CERTIFY_CANONICAL);
        } else
            assert_true(below);
        hop_graph_release(graph);
        free(right);
        plain_free(&g);
        free_context(context);
    }
}

static void the_same_on_any_number_of_threads(void **state) {
    enum { LARGE = 2000, FROM = 150, TO = 90 };
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_FLOAT32};
    char *first = malloc(FROM * TO * 8), *table = malloc(FROM * TO * 8);
    hop_vertex from[FROM], to[TO];
    (void)state;
    for (hop_vertex i = 0; i < FROM; i++)
        from[i] = (hop_vertex)(hop__random_at(1, 2, i) % LARGE);
    for (hop_vertex i = 0; i < TO; i++)
        to[i] = (hop_vertex)(hop__random_at(1, 3, i) % LARGE);
    const side sources = {from, FROM}, targets = {to, TO};
    for (unsigned kind = 0; kind < 3; kind++) {
        plain_graph g = plain_random(LARGE, 3, kind != 1, types[kind], 0.1, 5, 0.3, kind);
        const size_t bytes = FROM * TO * distance_size(kind == 2 ? types[kind] : HOP_TYPE_INT64);
        for (size_t t = 0; t < HOP_LENGTH(thread_counts); t++) {
            hop_context *context = make_context(thread_counts[t]);
            hop_graph *graph = plain_borrow(context, &g);
            get_table(context, graph, &sources, &targets, HOP_CERTIFY_NONE, t == 0 ? first : table,
                      NULL);
            if (t > 0)
                assert_memory_equal(table, first, bytes);
            hop_graph_release(graph);
            free_context(context);
        }
        plain_free(&g);
    }
    free(table);
    free(first);
}

static uint64_t searches_of(hop_graph *graph, hop_context *context, const side *from,
                            const side *to) {
    hop_report *report = NULL;
    hop_run run = HOP_RUN_INIT;
    void *table = malloc((size_t)from->count * to->count * 8);
    const hop_type type = hop_measure_type(graph, "eccentricity");
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    run.report = report;
    run.variant = "dijkstra"; /* a round for each search */
    const hop_table_options options = options_of(from, to, &run);
    if (hop_distance_table(context, graph, &options,
                           &(hop_span){table, (uint64_t)from->count * to->count, type}) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    const uint64_t rounds = hop_report_rounds(report);
    assert_true(rounds > 0);
    hop_report_free(report);
    free(table);
    return rounds;
}

/* As many as the smaller side has; from the sources where that would be other sums. */
static void no_more_searches_than_the_smaller_side(void **state) {
    static const hop_vertex vertices[40];
    const side few = {vertices, 5}, many = {vertices, 40};
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        hop_context *context = make_context(2);
        plain_graph g = plain_random(200, 3, kind != 1,
                                     kind == 2 ? HOP_TYPE_FLOAT64 : HOP_TYPE_INT32, 1, 5, 1, kind);
        hop_graph *graph = plain_borrow(context, &g);
        assert_int_equal(searches_of(graph, context, &few, &many),
                         searches_of(graph, context, &few, &few));
        const uint64_t one = searches_of(graph, context, &few, &few);
        const uint64_t turned = searches_of(graph, context, &many, &few);
        assert_int_equal(turned, kind == 2 ? 8 * one : one);
        hop_graph_release(graph);
        plain_free(&g);
        free_context(context);
    }
}

/* A context with so much of a budget; 0: as much as there is. */
static hop_context *context_with(uint64_t budget) {
    hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    given.threads = 3;
    given.memory_budget = budget;
    assert_int_equal(hop_context_create(&given, &context), HOP_OK);
    return context;
}

/* A plan needs no table, and turns nothing round: it takes less memory than the graph has. */
static void plans_do_nothing(void **state) {
    enum { ROWS = BUDGET_VERTICES, COLUMNS = 10 };
    static const hop_vertex to[COLUMNS] = {0, 3, 5, 7, 9, 11, 13, 15, 17, 19};
    const side all = {NULL, ROWS}, targets = {to, COLUMNS};
    hop_context *context = context_with(0);
    plain_graph g = plain_random(BUDGET_VERTICES, 8, true, HOP_TYPE_INT32, 1, 5, 1, 5);
    hop_graph *graph = plain_borrow(context, &g);
    hop_report *report = NULL;
    hop_run run = HOP_RUN_INIT;
    (void)state;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    run.report = report;
    run.plan = true;
    run.variant = "dijkstra";
    const hop_table_options options = options_of(&all, &targets, &run);
    assert_int_equal(hop_graph_check(context, graph), HOP_OK);
    hop__pool_reset_peak(context->pool);
    const uint64_t used = hop_context_memory_used(context);
    assert_int_equal(hop_distance_table(context, graph, &options,
                                        &(hop_span){NULL, ROWS * COLUMNS, HOP_TYPE_INT64}),
                     HOP_OK);
    assert_true(hop_context_memory_peak(context) - used < 4 * hop_graph_arcs(graph));
    assert_true(hop_report_memory_bytes(report) > 8 * hop_graph_arcs(graph));
    assert_non_null(hop_report_variant(report));
    const side none = {to, 0};
    const hop_table_options empty = options_of(&none, &targets, &run);
    assert_int_equal(
        hop_distance_table(context, graph, &empty, &(hop_span){NULL, 0, HOP_TYPE_INT64}), HOP_OK);
    assert_null(hop_report_variant(report)); /* nothing is left of the call before */
    assert_int_equal(hop_report_memory_bytes(report), 0);
    hop_report_free(report);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* What the call takes is what a plan says, with which it does; with less of it there are more
 * blocks, and the same rows; and then it is refused. */
static void within_the_budget(void **state) {
    enum { ROWS = BUDGET_VERTICES, COLUMNS = 100, TRIES = 11 };
    static hop_vertex to[COLUMNS];
    plain_graph g = plain_random(BUDGET_VERTICES, 4, true, HOP_TYPE_INT32, 1, 5, 1, 5);
    char *first = malloc((size_t)ROWS * COLUMNS * 8), *table = malloc((size_t)ROWS * COLUMNS * 8);
    hop_report *report = NULL;
    uint64_t need = 0, used = 0, blocks = 0;
    bool refused = false;
    (void)state;
    for (hop_vertex i = 0; i < COLUMNS; i++)
        to[i] = 7 * i;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    const side all = {NULL, ROWS}, targets = {to, COLUMNS};
    for (int i = 0; i < TRIES; i++) { /* a plan, a run, runs with a quarter of the need left each */
        hop_context *context = context_with(i < 2 ? 0 : used + (need >> (2 * (i - 2))));
        hop_graph *graph = plain_borrow(context, &g);
        hop_run run = HOP_RUN_INIT;
        run.report = report;
        run.plan = i == 0;
        run.variant = "dijkstra";
        const hop_table_options options = options_of(&all, &targets, &run);
        kept_rows kept = {.table = i == 1 ? first : table,
                          .row_bytes = COLUMNS * 8,
                          .columns = COLUMNS,
                          .stop_at = UINT64_MAX};
        used = hop_context_memory_used(context);
        hop__pool_reset_peak(context->pool);
        hop_status status = hop_distance_table_rows(context, graph, &options, keep_rows, &kept);
        if (i == 0)
            need = hop_report_memory_bytes(report);
        if (status == HOP_OK)
            assert_true(hop_context_memory_peak(context) <= used + hop_report_memory_bytes(report));
        else
            assert_true(i > 2 && status == HOP_ERR_BUDGET);
        refused |= status != HOP_OK;
        if (i > 0 && status == HOP_OK) {
            assert_int_equal(kept.next, ROWS);
            assert_true(kept.blocks >= blocks);
            blocks = kept.blocks;
        }
        if (i > 1 && status == HOP_OK)
            assert_memory_equal(first, table, (size_t)ROWS * COLUMNS * 8);
        assert_int_equal(hop_context_memory_used(context), used);
        hop_graph_release(graph);
        free_context(context);
    }
    assert_true(blocks > 1 && refused);
    hop_report_free(report);
    free(table);
    free(first);
    plain_free(&g);
}

static bool stop(void *user, const hop_progress *progress) {
    return user == NULL || strcmp(progress->phase, "check") == 0;
}

static void can_be_cancelled(void **state) {
    static const hop_vertex vertices[20];
    const side all = {NULL, 500}, some = {vertices, 20};
    plain_graph g = plain_random(500, 3, false, HOP_TYPE_INT32, 1, 4, 1, 3);
    int64_t *table = malloc(500 * 20 * sizeof *table);
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        given.progress = stop;
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        const hop_table_options options =
            options_of(turned ? &all : &some, turned ? &some : &all, NULL);
        kept_rows kept = {.table = (char *)table,
                          .row_bytes = (turned ? 20 : 500) * sizeof *table,
                          .columns = turned ? 20 : 500,
                          .stop_at = 1};
        assert_int_equal(hop_distance_table_rows(context, graph, &options, keep_rows, &kept),
                         HOP_ERR_CANCELLED);
        assert_int_equal(kept.blocks, 1);
        hop_graph_release(graph);
        free_context(context);
        given.progress_user = &given;
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        graph = plain_borrow(context, &g);
        assert_int_equal(hop_distance_table(context, graph, &options, HOP_SPAN(table, 500 * 20)),
                         HOP_ERR_CANCELLED);
        hop_graph_release(graph);
        free_context(context);
    }
    free(table);
    plain_free(&g);
}

static void a_negative_cycle_is_handed_over(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = plain_make(3, true, HOP_TYPE_INT32, 3);
    const hop_vertex vertices[] = {2, 0};
    const side all = {NULL, 3}, two = {vertices, 2};
    int64_t table[6];
    hop_vertex length = 0;
    (void)state;
    for (uint32_t u = 0; u < 3; u++) { /* 0 -> 1 -> 2 -> 0 */
        plain_arc(&g, (u + 1) % 3, u == 0 ? -3 : 1);
        plain_end_row(&g, u);
    }
    hop_graph *graph = plain_borrow(context, &g);
    const hop_table_options options = options_of(&all, &two, NULL);
    assert_int_equal(hop_distance_table(context, graph, &options, HOP_SPAN(table, 6)),
                     HOP_ERR_NEGATIVE_CYCLE);
    const hop_vertex *cycle = hop_context_cycle(context, &length);
    assert_int_equal(length, 3);
    assert_int_equal(hop_cycle_certify(context, graph, cycle, length), HOP_OK);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1), *small = context_with(100000);
    plain_graph g = plain_random(9, 3, true, HOP_TYPE_INT32, 1, 4, 1, 8);
    plain_graph large = plain_random(200, 1, true, HOP_TYPE_NONE, 1, 1, 0, 8);
    hop_graph *graph = plain_borrow(context, &g), *other = plain_borrow(small, &large);
    hop_vertex bad[] = {3, 9};
    int64_t table[81];
    float reals[81];
    uint64_t bytes;
    hop_table_options options = HOP_TABLE_OPTIONS_INIT;
    (void)state;
#define REFUSED(graph_, options_, span, says)                                                      \
    assert_int_equal(hop_distance_table(context, graph_, options_, span), HOP_ERR_ARGUMENT);       \
    assert_says(context, says)
    REFUSED(NULL, NULL, HOP_SPAN(table, 81), "graph is NULL");
    REFUSED(graph, NULL, HOP_SPAN(table, 80), "room for 80");
    REFUSED(graph, NULL, HOP_SPAN(reals, 81), "float32");
    REFUSED(graph, NULL, NULL, "NULL");
    options.sources = bad;
    options.source_count = 2;
    REFUSED(graph, &options, HOP_SPAN(table, 81), "source number 1 is vertex 9");
    options.sources = NULL;
    REFUSED(graph, &options, HOP_SPAN(table, 81), "array is NULL");
    options.source_count = 0;
    options.targets = bad;
    options.target_count = 2;
    REFUSED(graph, &options, HOP_SPAN(table, 81), "target number 1 is vertex 9");
    options.target_count = 0; /* of no target: nothing */
    assert_int_equal(hop_distance_table(context, graph, &options, NULL), HOP_OK);
    assert_int_equal(hop_distance_table_rows(context, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "no function");
    assert_int_equal(hop_distance_table_bytes(context, graph, NULL, &bytes), HOP_OK);
    assert_int_equal(bytes, 81 * 8);
    assert_int_equal(hop_distance_table_bytes(small, other, NULL, &bytes), HOP_ERR_BUDGET);
    assert_int_equal(bytes, 200 * 200 * 8);
    hop_graph_release(graph);
    hop_graph_release(other);
    plain_free(&g);
    plain_free(&large);
    free_context(context);
    free_context(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(no_more_searches_than_the_smaller_side),
        cmocka_unit_test(plans_do_nothing),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(a_negative_cycle_is_handed_over),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
