/* SPDX-License-Identifier: Apache-2.0
 *
 * Voronoi cells against the definition, worked out from a matrix of all distances: all graphs of up
 * to four vertices, and undirected ones of up to six (of six, a part; HOPLITE_TEST_ALL: all), with
 * all sets of centers, and random ones with every type of weights, 0 among them; both directions;
 * the same bits on 1, 2, 3 and 8 threads; rounding; the certificate, which finds a cell that is
 * wrong; the budget; what is refused; a call that is cancelled. */
#include "measure/measure_testing.h"

#include "core/rng.h"
#include "measure/measure_internal.h"

enum { N = 320 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

static hop_status ask_cells(hop_context *context, hop_graph *graph, const hop_vertex *centers,
                            hop_vertex count, hop_measure_direction direction, hop_certify certify,
                            hop_vertex *cells) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    run.certify = certify;
    options.run = &run;
    options.centers = centers;
    options.center_count = count;
    options.direction = direction;
    return hop_measure_run(context, graph, "voronoi", &options,
                           HOP_SPAN(cells, hop_graph_vertices(graph)), NULL);
}

static void get_cells(hop_context *context, hop_graph *graph, const hop_vertex *centers,
                      hop_vertex count, hop_measure_direction direction, hop_certify certify,
                      hop_vertex *cells) {
    if (ask_cells(context, graph, centers, count, direction, certify, cells) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
}

static double plain_distance(const plain_graph *g, const distance *right, uint32_t from,
                             uint32_t to) {
    const distance d = right[(size_t)from * g->n + to];
    return is_real(g->type) ? d.real : d.integer == INT64_MAX ? HUGE_VAL : (double)d.integer;
}

/* The smallest of the nearest. */
static hop_vertex plain_cell(const plain_graph *g, const distance *right, const hop_vertex *centers,
                             hop_vertex count, bool outward, uint32_t v) {
    hop_vertex best = HOP_NO_VERTEX;
    double least = HUGE_VAL;
    for (hop_vertex i = 0; i < count; i++) {
        const hop_vertex c = centers[i];
        const double d = outward ? plain_distance(g, right, v, c) : plain_distance(g, right, c, v);
        if (d < least || (d == least && d < HUGE_VAL && c < best)) {
            least = d;
            best = c;
        }
    }
    return best;
}

static void check_cells(hop_context *context, hop_graph *graph, const plain_graph *g,
                        const distance *right, const hop_vertex *centers, hop_vertex count,
                        hop_certify certify) {
    static hop_vertex cells[N];
    for (int way = HOP_MEASURE_USUAL; way <= HOP_MEASURE_INWARD; way++) {
        get_cells(context, graph, centers, count, (hop_measure_direction)way, certify, cells);
        for (uint32_t v = 0; v < g->n; v++)
            assert_int_equal(cells[v],
                             plain_cell(g, right, centers, count, way == HOP_MEASURE_OUTWARD, v));
    }
}

/* Weights of 0, 1 and 2 by turns, or none. */
static void check_small(hop_context *context, plain_graph *g, bool weighted, uint32_t bits) {
    distance right[36];
    g->type = weighted ? HOP_TYPE_INT32 : HOP_TYPE_NONE;
    for (uint32_t u = 0; weighted && u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) /* both ways the same */
            plain_set(g, i, (u + g->targets[i] + bits) % 3);
    assert_true(plain_solve(g, right));
    hop_graph *graph = plain_borrow(context, g);
    for (uint32_t set = 1; set < 1u << g->n; set++) {
        hop_vertex centers[6], count = 0;
        for (uint32_t v = g->n; v-- > 0;) /* not ascending */
            if (set >> v & 1)
                centers[count++] = v;
        check_cells(context, graph, g, right, centers, count,
                    (bits + set) % 4 == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
    }
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    small_graphs all = {0};
    plain_graph g;
    (void)state;
    while (small_next(&all, &g)) {
        check_small(context, &g, all.bits & 1, all.bits);
        if (all.n < 4)
            check_small(context, &g, !(all.bits & 1), all.bits);
        plain_free(&g);
    }
    free_context(context);
}

/* Weights are eighths, so that sums are exact. Centers are named twice. */
static void random_graphs(void **state) {
    static const struct {
        hop_weight_type type;
        double low, step;
    } kinds[] = {{HOP_TYPE_NONE, 1, 0},
                 {HOP_TYPE_INT32, 0, 1},
                 {HOP_TYPE_INT64, 0, 3},
                 {HOP_TYPE_FLOAT32, 0, 0.125},
                 {HOP_TYPE_FLOAT64, 1, 0.125}};
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        const uint32_t n = k % 10 == 0 ? 300 : 5 + 3 * k;
        plain_graph g = plain_random(n, k % 4, k % 3 != 0, kinds[k % 5].type, kinds[k % 5].low, 3,
                                     kinds[k % 5].step, k);
        distance *right = malloc((size_t)n * n * sizeof *right);
        hop_vertex centers[8];
        const hop_vertex count = 1 + k % 8;
        for (hop_vertex i = 0; i < count; i++)
            centers[i] = (hop_vertex)(hop__random_at(k, 7, i) % n);
        centers[count - 1] = centers[0];
        assert_true(plain_solve(&g, right));
        hop_graph *graph = plain_borrow(context, &g);
        if (k % 2)
            assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
        check_cells(context, graph, &g, right, centers, count,
                    k % 3 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
        hop_graph_release(graph);
        free(right);
        plain_free(&g);
        free_context(context);
    }
}

/* Of sums that are rounded. */
static void the_same_on_any_number_of_threads(void **state) {
    enum { LARGE = 3000, CENTERS = 50 };
    hop_vertex *first = malloc(LARGE * sizeof *first), *cells = malloc(LARGE * sizeof *cells);
    hop_vertex centers[CENTERS];
    (void)state;
    for (hop_vertex i = 0; i < CENTERS; i++)
        centers[i] = (hop_vertex)(i * 791 % LARGE);
    for (unsigned kind = 0; kind < 3; kind++) {
        static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_FLOAT32};
        plain_graph g = plain_random(LARGE, 3, kind == 1, types[kind], kind == 1 ? 0 : 0.1, 5,
                                     kind == 1 ? 1 : 0.3, kind);
        for (size_t t = 0; t < HOP_LENGTH(thread_counts); t++) {
            hop_context *context = make_context(thread_counts[t]);
            hop_graph *graph = plain_borrow(context, &g);
            get_cells(context, graph, centers, CENTERS, HOP_MEASURE_USUAL, HOP_CERTIFY_CANONICAL,
                      t == 0 ? first : cells);
            if (t > 0)
                assert_memory_equal(cells, first, LARGE * sizeof *cells);
            hop_graph_release(graph);
            free_context(context);
        }
        plain_free(&g);
    }
    free(cells);
    free(first);
}

/* Of each kind of fault one cell at a time: another center, none, no center at all, a center that
 * is as near but not the smallest. */
static void the_certificate_finds_faults(void **state) {
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_FLOAT64};
    enum { SMALL = 60, CENTERS = 5 };
    const hop_vertex centers[CENTERS] = {50, 3, 17, 40, 8};
    unsigned reached = 0, unreached = 0;
    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        hop_context *context = make_context(2);
        plain_graph g = plain_random(SMALL, 2, k < 3, types[k % 3], 0, 3, 0.5 + (k % 3 == 1), k);
        hop_graph *graph = plain_borrow(context, &g);
        hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
        hop_vertex cells[SMALL];
        options.centers = centers;
        options.center_count = CENTERS;
        get_cells(context, graph, centers, CENTERS, HOP_MEASURE_USUAL, HOP_CERTIFY_NONE, cells);
        assert_int_equal(hop__voronoi_certify(context, graph, &options, cells), HOP_OK);
        for (uint32_t v = 0; v < SMALL; v++) {
            const hop_vertex right = cells[v];
            const hop_vertex wrong[] = {50, 3, 17, 40, 8, HOP_NO_VERTEX, 9, SMALL};
            reached += right != HOP_NO_VERTEX;
            unreached += right == HOP_NO_VERTEX;
            for (size_t i = 0; i < HOP_LENGTH(wrong); i++) {
                cells[v] = wrong[i];
                assert_int_equal(hop__voronoi_certify(context, graph, &options, cells),
                                 wrong[i] == right ? HOP_OK : HOP_ERR_CERTIFICATE);
            }
            cells[v] = right;
        }
        hop_graph_release(graph);
        plain_free(&g);
        free_context(context);
    }
    assert_true(reached > 50 && unreached > 10);
}

/* A cell that a cycle of weight 0 would carry by itself. */
static void cycles_of_weight_0_do_not_hold_themselves_up(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = plain_make(4, true, HOP_TYPE_INT32, 8); /* 0 -> 2 <-> 3 <- 1 */
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    const hop_vertex centers[] = {0, 1};
    hop_vertex cells[4];
    (void)state;
    plain_arc(&g, 2, 2);
    plain_end_row(&g, 0);
    plain_arc(&g, 3, 1);
    plain_end_row(&g, 1);
    plain_arc(&g, 3, 0);
    plain_end_row(&g, 2);
    plain_arc(&g, 2, 0);
    plain_end_row(&g, 3);
    hop_graph *graph = plain_borrow(context, &g);
    get_cells(context, graph, centers, 2, HOP_MEASURE_USUAL, HOP_CERTIFY_CANONICAL, cells);
    assert_int_equal(cells[2], 1);
    assert_int_equal(cells[3], 1);
    options.centers = centers;
    options.center_count = 2;
    cells[2] = cells[3] = 0;
    assert_int_equal(hop__voronoi_certify(context, graph, &options, cells), HOP_ERR_CERTIFICATE);
    assert_says(context, "does not lead to it");
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

/* What the call takes is what it said, and what a plan says. */
static void within_the_budget(void **state) {
    hop_report *report = NULL;
    plain_graph g = plain_random(BUDGET_VERTICES, 4, true, HOP_TYPE_INT32, 1, 5, 1, 5);
    hop_vertex *cells = malloc(BUDGET_VERTICES * sizeof *cells), centers[] = {5, 6};
    uint64_t need = 0, used = 0;
    (void)state;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (int i = 0; i < 4; i++) { /* a plan, a run, a run with as much, one with too little */
        hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
        hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        hop_context *context = NULL;
        given.threads = 3;
        if (i >= 2)
            given.memory_budget = used + (i == 2 ? need : need / 3);
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        const uint64_t before = used = hop_context_memory_used(context);
        hop__pool_reset_peak(context->pool);
        run.report = report;
        run.plan = i == 0;
        options.run = &run;
        options.centers = centers;
        options.center_count = 2;
        hop_status status = hop_measure_run(context, graph, "voronoi", &options,
                                            HOP_SPAN(cells, BUDGET_VERTICES), NULL);
        assert_int_equal(status, i == 3 ? HOP_ERR_BUDGET : HOP_OK);
        if (i == 0)
            need = hop_report_memory_bytes(report);
        assert_true(need > 0 && hop_context_memory_peak(context) <= before + need);
        assert_int_equal(hop_context_memory_used(context), before);
        if (i == 1)
            assert_int_equal(hop_report_memory_bytes(report), need);
        hop_graph_release(graph);
        free_context(context);
    }
    hop_report_free(report);
    free(cells);
    plain_free(&g);
}

static bool stop(void *user, const hop_progress *progress) {
    return strcmp(progress->phase, user) != 0;
}

static void can_be_cancelled(void **state) {
    static char *const phases[] = {"voronoi: cells", "voronoi: certify"};
    plain_graph g = plain_random(2000, 3, false, HOP_TYPE_NONE, 1, 1, 0, 3);
    hop_vertex *cells = malloc(2000 * sizeof *cells), center = 9;
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(phases); i++) {
        hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        given.progress = stop;
        given.progress_user = phases[i];
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &g);
        assert_int_equal(
            ask_cells(context, graph, &center, 1, HOP_MEASURE_USUAL, HOP_CERTIFY_CANONICAL, cells),
            HOP_ERR_CANCELLED);
        hop_graph_release(graph);
        free_context(context);
    }
    free(cells);
    plain_free(&g);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = plain_random(9, 3, true, HOP_TYPE_INT32, 1, 4, 1, 8);
    plain_graph below = plain_random(9, 3, true, HOP_TYPE_INT32, -9, 4, 1, 8);
    hop_graph *graph = plain_borrow(context, &g), *negative = plain_borrow(context, &below);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_vertex centers[] = {3, 9}, cells[9];
    double values[9];
    (void)state;
#define REFUSED(graph_, name, span, status, says)                                                  \
    assert_int_equal(hop_measure_run(context, graph_, name, &options, span, NULL), status);        \
    assert_says(context, says)
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_ARGUMENT, "one vertex at least");
    options.centers = centers;
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_ARGUMENT, "one vertex at least");
    options.center_count = 2;
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_ARGUMENT, "center number 1 is vertex 9");
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 8), HOP_ERR_ARGUMENT, "room for 8");
    REFUSED(graph, "closeness", HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "no centers");
    options.centers = NULL;
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_ARGUMENT, "array is NULL");
    options.centers = centers;
    options.center_count = 1;
    REFUSED(negative, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_UNSUPPORTED, "weight -8");
    options.samples = 2;
    REFUSED(graph, "voronoi", HOP_SPAN(cells, 9), HOP_ERR_ARGUMENT, "no samples");
    hop_graph_release(graph);
    hop_graph_release(negative);
    plain_free(&g);
    plain_free(&below);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(the_certificate_finds_faults),
        cmocka_unit_test(cycles_of_weight_0_do_not_hold_themselves_up),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
