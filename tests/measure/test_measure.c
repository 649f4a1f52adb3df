/* SPDX-License-Identifier: Apache-2.0
 *
 * Every measure by every variant, in both directions, against the definitions worked out here from
 * a matrix of distances: all graphs with up to four vertices, undirected ones with up to six (with
 * every option up to three and five; HOPLITE_TEST_ALL: one more each), and random ones with every
 * type of weights; 1, 2, 3 and 8 threads give the same bits. */
#include "measure/measure_testing.h"

#include "core/rng.h"
#include "core/sanitized_testing.h"
#include "problem/report_testing.h"

enum { N = 300 };

static const unsigned thread_counts[] = {1, 2, 3, 8};
static const char *const variant_names[] = {"searches", "bits", "bounds", NULL};

/* The rows of the table that are about distances; those behind have tests of their own. */
static size_t distance_measures(void) {
    size_t count = 0;
    while (strcmp(hop_measure_at(count)->name, "histogram") != 0)
        count++;
    return count + 1;
}

/* What is compared with: distances as doubles, which are exact here; HUGE_VAL: none. */
typedef struct definition {
    uint32_t n;
    bool directed;
    hop_weight_type type;
    double *d; /* n * n */
} definition;

static definition define(const plain_graph *g) {
    definition all = {g->n, g->directed, g->type, malloc((size_t)g->n * g->n * sizeof(double))};
    distance *right = malloc((size_t)g->n * g->n * sizeof *right);
    assert_true(plain_solve(g, right));
    for (size_t i = 0; i < (size_t)g->n * g->n; i++)
        all.d[i] = is_real(g->type)                ? right[i].real
                   : right[i].integer == INT64_MAX ? HUGE_VAL
                                                   : (double)right[i].integer;
    free(right);
    return all;
}

static double between(const definition *all, uint32_t v, uint32_t u, bool inward) {
    return inward ? all->d[(size_t)u * all->n + v] : all->d[(size_t)v * all->n + u];
}

typedef struct plain_facts {
    double sum, inverse, farthest;
    uint32_t others, near;
} plain_facts;

/* What one vertex has; `near` is how many others are within so many arcs. */
static plain_facts facts_of(const definition *all, uint32_t v, bool inward, uint32_t within) {
    plain_facts facts = {0};
    for (uint32_t u = 0; u < all->n; u++) {
        double d = between(all, v, u, inward);
        if (u == v || isinf(d))
            continue;
        facts.others++;
        facts.near += d <= within;
        facts.sum += d;
        facts.inverse += d > 0 ? 1 / d : 0;
        facts.farthest = d > facts.farthest ? d : facts.farthest;
    }
    return facts;
}

/* The value of a measure of vertices. */
static double value_of(const definition *all, const char *name, uint32_t v, bool inward,
                       bool scaled, uint32_t within) {
    plain_facts facts = facts_of(all, v, inward, within);
    if (strcmp(name, "closeness") == 0) {
        double value = facts.sum > 0 ? facts.others / facts.sum : 0;
        return scaled && all->n > 1 ? value * facts.others / (all->n - 1) : value;
    }
    return strcmp(name, "harmonic") == 0       ? facts.inverse
           : strcmp(name, "eccentricity") == 0 ? facts.farthest
                                               : facts.near;
}

/* The value of a measure of the graph. */
static double number_of(const definition *all, const char *name, bool inward) {
    double sum = 0, inverse = 0, most = 0, least = HUGE_VAL, pairs = 0;
    for (uint32_t v = 0; v < all->n; v++) {
        plain_facts facts = facts_of(all, v, inward, UINT32_MAX);
        sum += facts.sum;
        inverse += facts.inverse;
        pairs += facts.others;
        most = facts.farthest > most ? facts.farthest : most;
        least = facts.farthest < least ? facts.farthest : least;
    }
    if (strcmp(name, "diameter") == 0)
        return most;
    if (strcmp(name, "radius") == 0)
        return least;
    if (strcmp(name, "wiener") == 0)
        return all->directed ? sum : sum / 2;
    if (strcmp(name, "mean-distance") == 0)
        return pairs > 0 ? sum / pairs : 0;
    assert_string_equal(name, "efficiency");
    return all->n > 1 ? inverse / ((double)all->n * (all->n - 1)) : 0;
}

/* Whether v is one of a measure's set. */
static bool is_in(const definition *all, const char *name, uint32_t v, bool inward) {
    plain_facts mine = facts_of(all, v, inward, UINT32_MAX);
    for (uint32_t u = 0; u < all->n; u++) {
        plain_facts other = facts_of(all, u, inward, UINT32_MAX);
        if (strcmp(name, "center") == 0 ? other.farthest < mine.farthest
            : strcmp(name, "periphery") == 0
                ? other.farthest > mine.farthest
                : other.others > mine.others ||
                      (other.others == mine.others && other.sum < mine.sum))
            return false;
    }
    return true;
}

static double number_at(hop_type type, const void *values, uint64_t i) {
    return type == HOP_TYPE_UINT32    ? ((const uint32_t *)values)[i]
           : type == HOP_TYPE_UINT64  ? (double)((const uint64_t *)values)[i]
           : type == HOP_TYPE_INT64   ? (double)((const int64_t *)values)[i]
           : type == HOP_TYPE_FLOAT32 ? (double)((const float *)values)[i]
                                      : ((const double *)values)[i];
}

static void assert_near(double found, double right, const char *name) {
    if (!(fabs(found - right) <= 1e-9 * fabs(right)))
        fail_msg("%s: %.17g, not %.17g", name, found, right);
}

typedef struct question {
    const hop_measure *measure;
    hop_measure_options options;
    bool inward; /* which the options come to */
} question;

static void check_values(const definition *all, const question *q, hop_type type,
                         const void *values, hop_vertex count) {
    const char *name = q->measure->name;
    bool inward = q->inward;
    uint32_t at = 0;
    if (q->measure->shape == HOP_MEASURE_VERTEX) {
        assert_int_equal(count, q->options.vertices ? q->options.vertex_count : all->n);
        for (uint32_t i = 0; i < count; i++)
            assert_near(number_at(type, values, i),
                        value_of(all, name, q->options.vertices ? q->options.vertices[i] : i,
                                 inward, q->options.scaled, q->options.within),
                        name);
    } else if (q->measure->shape == HOP_MEASURE_NUMBER) {
        assert_int_equal(count, 1);
        assert_near(number_at(type, values, 0), all->n > 0 ? number_of(all, name, inward) : 0,
                    name);
    } else if (q->measure->shape == HOP_MEASURE_SET) {
        for (uint32_t v = 0; v < all->n; v++)
            if (is_in(all, name, v, inward)) {
                assert_true(at < count);
                assert_int_equal(((const uint32_t *)values)[at++], v);
            }
        assert_int_equal(at, count);
    } else
        for (uint32_t k = 0; k <= count; k++) {
            uint64_t pairs = 0;
            for (size_t i = 0; i < (size_t)all->n * all->n; i++)
                pairs += all->d[i] == k;
            if (k < count)
                assert_int_equal(((const uint64_t *)values)[k], pairs);
            else
                assert_int_equal(pairs, 0);
        }
}

/* One measure by one variant; false when that refuses it. */
static bool ask_measure(hop_context *context, hop_graph *graph, const question *q,
                        const char *variant, hop_certify certify, void *values, hop_vertex *count) {
    hop_measure_options options = q->options;
    hop_run run = HOP_RUN_INIT;
    const char *name = q->measure->name;
    hop_span span = {values, hop_measure_room(graph, name, &options),
                     hop_measure_type(graph, name)};
    run.variant = variant;
    run.certify = certify;
    options.run = &run;
    hop_status status = hop_measure_run(context, graph, name, &options, &span, count);
    if (status == HOP_ERR_UNSUPPORTED)
        return false;
    if (status != HOP_OK)
        fail_msg("%s by %s: %s", name, variant ? variant : "auto", hop_context_message(context));
    return true;
}

/* One question by all variants: the same bits, and those of the definition. */
static void check_question(hop_context *context, hop_graph *graph, const definition *all,
                           const question *q, hop_certify certify) {
    static uint64_t first[N + 1], values[N + 1];
    hop_type type = hop_measure_type(graph, q->measure->name);
    hop_vertex count = 0, first_count = 0;
    bool answered = false;
    for (size_t i = 0; i < 4; i++) {
        memset(values, 0, sizeof values);
        if (!ask_measure(context, graph, q, variant_names[i], certify, values, &count))
            continue;
        check_values(all, q, type, values, count);
        if (answered) {
            assert_int_equal(count, first_count);
            assert_memory_equal(values, first, count * hop_type_size(type));
        }
        memcpy(first, values, sizeof first);
        first_count = count;
        answered = true;
    }
    bool arcs =
        strcmp(q->measure->name, "reach") == 0 || strcmp(q->measure->name, "histogram") == 0;
    assert_int_equal(answered, !arcs || all->type == HOP_TYPE_NONE);
}

/* All measures, directions and options. */
static void check_all(hop_context *context, hop_graph *graph, const definition *all,
                      hop_certify certify) {
    const hop_vertex some[] = {all->n - 1, 0, all->n / 2, 0};
    for (size_t m = 0; m < distance_measures(); m++)
        for (int way = 0; way < 3; way++) {
            if (way == HOP_MEASURE_INWARD && !all->directed && all->n < 6)
                continue; /* thousands of these */
            question q = {hop_measure_at(m), HOP_MEASURE_OPTIONS_INIT, false};
            q.options.direction = (hop_measure_direction)way;
            q.inward = way == HOP_MEASURE_USUAL ? q.measure->inward : way == HOP_MEASURE_INWARD;
            check_question(context, graph, all, &q, certify);
            if (way != HOP_MEASURE_OUTWARD || q.measure->shape != HOP_MEASURE_VERTEX)
                continue;
            q.options.scaled = !(q.measure->takes & HOP_MEASURE_TAKES_SCALED);
            q.options.within = q.measure->takes & HOP_MEASURE_TAKES_WITHIN ? 2 : HOP_NO_LEVEL;
            q.options.vertices = some;
            q.options.vertex_count = all->n > 0 ? 4 : 0;
            check_question(context, graph, all, &q, certify);
        }
}

static void check_plain(hop_context *context, const plain_graph *g, bool prepared,
                        hop_certify certify) {
    hop_graph *graph = plain_borrow(context, g);
    definition all = define(g);
    if (prepared)
        assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
    check_all(context, graph, &all, certify);
    free(all.d);
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    const uint32_t all = getenv("HOPLITE_TEST_ALL") != NULL;
    (void)state;
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (directed ? 3u : 5u) + all; n++) {
            uint32_t pairs = directed ? n * (n - 1) : n * (n - 1) / 2;
            for (uint32_t bits = 0; n > 0 ? bits < 1u << pairs : bits < 1; bits++) {
                plain_graph g = plain_numbered(n, directed, bits);
                check_plain(context, &g, bits % 3 == 0,
                            bits % 16 == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
                plain_free(&g);
            }
        }
    free_context(context);
}

/* Each measure of each graph by one of the variants, by turns. */
static void larger_small_graphs(void **state) {
    static uint64_t values[N + 1];
    hop_context *context = make_context(1);
    larger_graphs all = {0};
    plain_graph g;
    (void)state;
    while (larger_next(&all, &g)) {
        hop_graph *graph = plain_borrow(context, &g);
        definition right = define(&g);
        for (size_t m = 0; m < distance_measures(); m++) {
            question q = {hop_measure_at(m), HOP_MEASURE_OPTIONS_INIT, false};
            hop_vertex count = 0;
            const unsigned turn = (all.bits + (unsigned)m) % 4;
            q.options.direction = (hop_measure_direction)(all.bits / 4 % 3);
            q.inward = q.options.direction == HOP_MEASURE_USUAL
                           ? q.measure->inward
                           : q.options.direction == HOP_MEASURE_INWARD;
            memset(values, 0, sizeof values);
            if (!ask_measure(context, graph, &q, variant_names[turn], HOP_CERTIFY_NONE, values,
                             &count)) /* bounds, of most */
                assert_true(
                    ask_measure(context, graph, &q, NULL, HOP_CERTIFY_NONE, values, &count));
            check_values(&right, &q, hop_measure_type(graph, q.measure->name), values, count);
        }
        free(right.d);
        hop_graph_release(graph);
        plain_free(&g);
    }
    free_context(context);
}

/* Weights are eighths, so that sums are exact, but for one kind. */
static void random_graphs(void **state) {
    static const struct {
        hop_weight_type type;
        double low, step;
    } kinds[] = {{HOP_TYPE_NONE, 1, 0},
                 {HOP_TYPE_INT32, 0, 1},
                 {HOP_TYPE_INT64, 3, 7},
                 {HOP_TYPE_FLOAT32, 0, 0.125},
                 {HOP_TYPE_FLOAT64, 1, 0.125}};
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        uint32_t n = k % 10 == 0 ? 297 : 5 + 3 * k;
        unsigned degree = k % 4;
        plain_graph g = plain_random(n, degree, k % 3 != 0, kinds[k % 5].type, kinds[k % 5].low, 9,
                                     kinds[k % 5].step, k);
        check_plain(context, &g, k % 2, k % 7 == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
        plain_free(&g);
        free_context(context);
    }
}

/* Every number of threads, every variant: the bits of one. 1,600 vertices make many batches. */
static void the_same_on_any_number_of_threads(void **state) {
    enum { LARGE = SMALLER_TESTS ? 700 : 1600 };
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        plain_graph g = plain_random(
            LARGE, 3, kind == 1, kind == 2 ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE, 0.1, 5, 0.3, kind);
        for (size_t m = 0; m < distance_measures(); m++) {
            uint64_t *first = calloc(LARGE, 8), *values = calloc(LARGE, 8);
            hop_vertex first_count = 0, count = 0;
            bool answered = false;
            for (size_t t = 0; t < 4; t++) {
                hop_context *context = make_context(thread_counts[t]);
                hop_graph *graph = plain_borrow(context, &g);
                question q = {hop_measure_at(m), HOP_MEASURE_OPTIONS_INIT, false};
                hop_type type = hop_measure_type(graph, q.measure->name);
                for (size_t v = t > 0; v < 4; v++) { /* searches, the slow one, once */
                    if (!ask_measure(context, graph, &q, variant_names[v], HOP_CERTIFY_NONE, values,
                                     &count))
                        continue;
                    if (answered) {
                        assert_int_equal(count, first_count);
                        assert_memory_equal(values, first, count * hop_type_size(type));
                    }
                    memcpy(first, values, LARGE * 8);
                    first_count = count;
                    answered = true;
                }
                hop_graph_release(graph);
                free_context(context);
            }
            free(first);
            free(values);
        }
        plain_free(&g);
    }
}

/* A circle: bounds never close before every vertex was searched for. A path and a star: at once. */
static void bounds_that_do_not_close(void **state) {
    enum { CIRCLE = 900 };
    hop_context *context = make_context(2);
    hop_report *report = NULL;
    (void)state;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (int shape = 0; shape < 3; shape++) {
        plain_graph g = plain_make(CIRCLE, false, HOP_TYPE_NONE, 2 * CIRCLE);
        for (uint32_t u = 0; u < CIRCLE; u++) {
            for (uint32_t v = 0; v < CIRCLE; v++) {
                uint32_t gap = u > v ? u - v : v - u;
                if (shape == 2 ? (u == 0) != (v == 0)
                               : gap == 1 || (shape == 0 && gap == CIRCLE - 1))
                    plain_arc(&g, v, 1);
            }
            plain_end_row(&g, u);
        }
        hop_graph *graph = plain_borrow(context, &g);
        int64_t diameter = 0;
        hop_run run = HOP_RUN_INIT;
        hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
        run.report = report;
        options.run = &run;
        assert_int_equal(
            hop_measure_run(context, graph, "diameter", &options, HOP_SPAN(&diameter, 1), NULL),
            HOP_OK);
        assert_int_equal(diameter, shape == 0 ? CIRCLE / 2 : shape == 1 ? CIRCLE - 1 : 2);
        assert_string_equal(hop_report_variant(report)->name, "bounds");
        if (shape > 0)
            assert_true(hop_report_rounds(report) <= 5);
        hop_graph_release(graph);
        plain_free(&g);
    }
    hop_report_free(report);
    free_context(context);
}

/* Roads, where a central vertex is of no interest itself long before the bounds of others close:
 * as few searches as there are when it is taken all the same. (Of those left alone: 17.) */
static void searches_from_what_is_central(void **state) {
    static const hop_setting roads[] = {{"rows", 60, NULL}, {"cols", 60, NULL}};
    hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_context *context = make_context(2);
    hop_graph *graph = NULL;
    int64_t diameter = 0, radius = 0;
    (void)state;
    recipe.settings = roads;
    recipe.setting_count = 2;
    options.run = &run;
    assert_int_equal(hop_report_create(0, &run.report), HOP_OK);
    assert_int_equal(hop_graph_generate(context, "road", &recipe, &graph), HOP_OK);
    assert_int_equal(
        hop_measure_run(context, graph, "diameter", &options, HOP_SPAN(&diameter, 1), NULL),
        HOP_OK);
    assert_in_range(counter_of(run.report, "searches"), 2, 10);
    assert_int_equal(
        hop_measure_run(context, graph, "radius", &options, HOP_SPAN(&radius, 1), NULL), HOP_OK);
    assert_in_range(counter_of(run.report, "searches"), 2, 20);
    assert_true(radius <= diameter && diameter <= 2 * radius);
    hop_report_free(run.report);
    hop_graph_release(graph);
    free_context(context);
}

static void within_the_budget(void **state) {
    (void)state;
    for (size_t m = 0; m < distance_measures(); m++)
        assert_within_budget(hop_measure_at(m)->name, 0, true, 450000);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user;
    return strncmp(progress->phase, "measure", 7) != 0;
}

/* A long strip, on which all variants take a while. */
static void can_be_cancelled(void **state) {
    enum { LONG = 20000 };
    plain_graph g = plain_make(LONG, true, HOP_TYPE_INT32, 8 * LONG);
    double *values = malloc(LONG * sizeof *values);
    (void)state;
    for (uint32_t u = 0; u < LONG; u++) {
        for (uint32_t v = u + 1; v < LONG && v <= u + 8; v++)
            plain_arc(&g, v, v % 5 + 1);
        plain_end_row(&g, u);
    }
    for (int k = 0; k < 2; k++) {
        hop_context_options given = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        plain_graph arcs = g;
        arcs.type = k ? HOP_TYPE_INT32 : HOP_TYPE_NONE;
        given.threads = 2;
        given.progress = stop;
        assert_int_equal(hop_context_create(&given, &context), HOP_OK);
        hop_graph *graph = plain_borrow(context, &arcs);
        for (size_t v = 0; v < 2; v++) {
            hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
            hop_run run = HOP_RUN_INIT;
            run.variant = variant_names[v];
            options.run = &run;
            options.direction = HOP_MEASURE_OUTWARD;
            if (k == 0 || v == 0)
                assert_int_equal(hop_measure_run(context, graph, "closeness", &options,
                                                 HOP_SPAN(values, LONG), NULL),
                                 HOP_ERR_CANCELLED);
        }
        hop_graph_release(graph);
        free_context(context);
    }
    free(values);
    plain_free(&g);
}

/* A circle of heavy arcs: distances fit 64 bits, their sums do not, and most measures want none. */
static void sums_that_do_not_fit(void **state) {
    const int64_t weight = INT64_C(1) << 54;
    hop_context *context = make_context(2);
    plain_graph g = plain_make(N, true, HOP_TYPE_INT64, N);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    int64_t far[N];
    double values[N], inverse = 0;
    (void)state;
    for (uint32_t v = 0; v < N; v++) {
        plain_arc(&g, (v + 1) % N, (double)weight);
        plain_end_row(&g, v);
        inverse += v > 0 ? 1 / ((double)v * (double)weight) : 0;
    }
    hop_graph *graph = plain_borrow(context, &g);
    options.run = &run;
    for (int certify = 0; certify < 2; certify++) {
        run.certify = certify ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE;
        assert_int_equal(
            hop_measure_run(context, graph, "eccentricity", &options, HOP_SPAN(far, N), NULL),
            HOP_OK);
        assert_int_equal(far[N - 1], (N - 1) * weight);
        assert_int_equal(
            hop_measure_run(context, graph, "diameter", &options, HOP_SPAN(far, 1), NULL), HOP_OK);
        assert_int_equal(far[0], (N - 1) * weight);
        assert_int_equal(
            hop_measure_run(context, graph, "harmonic", &options, HOP_SPAN(values, N), NULL),
            HOP_OK);
        assert_near(values[N - 1], inverse, "harmonic");
        assert_int_equal(
            hop_measure_run(context, graph, "closeness", &options, HOP_SPAN(values, N), NULL),
            HOP_ERR_UNSUPPORTED);
        assert_says(context, "does not fit 64 bits");
    }
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = plain_random(9, 3, true, HOP_TYPE_INT32, 1, 4, 1, 8);
    plain_graph below = plain_random(9, 3, true, HOP_TYPE_INT32, -9, 4, 1, 8);
    hop_graph *graph = plain_borrow(context, &g), *negative = plain_borrow(context, &below);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_vertex bad[] = {3, 9};
    double values[9];
    int64_t whole[9];
    (void)state;
    assert_null(hop_measure_find("nearness"));
    assert_null(hop_measure_at(hop_measure_count()));
    assert_int_equal(hop_measure_type(graph, "nearness"), HOP_TYPE_NONE);
#define REFUSED(graph_, name, options_, span, status, says)                                        \
    assert_int_equal(hop_measure_run(context, graph_, name, options_, span, NULL), status);        \
    assert_says(context, says)
    REFUSED(graph, "nearness", NULL, HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "no measure");
    REFUSED(NULL, "closeness", NULL, HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "graph is NULL");
    REFUSED(graph, NULL, NULL, HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "name is NULL");
    REFUSED(graph, "closeness", NULL, HOP_SPAN(values, 8), HOP_ERR_ARGUMENT, "room for 8");
    REFUSED(graph, "closeness", NULL, HOP_SPAN(whole, 9), HOP_ERR_ARGUMENT, "int64");
    REFUSED(graph, "closeness", NULL, NULL, HOP_ERR_ARGUMENT, "NULL");
    REFUSED(graph, "reach", NULL, HOP_SPAN((uint64_t *)whole, 9), HOP_ERR_UNSUPPORTED,
            "counts arcs");
    REFUSED(negative, "closeness", NULL, HOP_SPAN(values, 9), HOP_ERR_UNSUPPORTED, "weight -8");
    options.vertices = bad;
    options.vertex_count = 2;
    REFUSED(graph, "closeness", &options, HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "vertex 9");
    bad[1] = 4;
    REFUSED(graph, "diameter", &options, HOP_SPAN(whole, 9), HOP_ERR_ARGUMENT, "about all");
    options.vertices = NULL;
    options.direction = (hop_measure_direction)7;
    REFUSED(graph, "closeness", &options, HOP_SPAN(values, 9), HOP_ERR_ARGUMENT, "direction");
    REFUSED(graph, "strong-components", &options, HOP_SPAN(bad, 9), HOP_ERR_ARGUMENT, "direction");
    REFUSED(graph, "strong-components", NULL, HOP_SPAN(bad, 2), HOP_ERR_ARGUMENT, "room for 2");
    hop_graph_release(graph);
    hop_graph_release(negative);
    plain_free(&g);
    plain_free(&below);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(larger_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(bounds_that_do_not_close),
        cmocka_unit_test(searches_from_what_is_central),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(sums_that_do_not_fit),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
