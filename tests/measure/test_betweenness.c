/* SPDX-License-Identifier: Apache-2.0
 *
 * Betweenness of vertices and of edges by both variants against the definition, pair by pair: all
 * undirected graphs with up to six vertices, all directed ones with up to four, random ones with
 * every type of weights; 1, 2, 3 and 8 threads give the same bits. Counts of paths beyond what
 * doubles hold. Samples: how often the stated error is exceeded, over 1,000 seeds. */
#include "measure/measure_testing.h"

enum { MOST = 80, MOST_ARCS = 800 };

static const unsigned thread_counts[] = {1, 2, 3, 8};
static const char *const variant_names[] = {"searches", "lanes", NULL};

static double weight_at(const plain_graph *g, uint32_t arc) {
    return is_real(g->type) ? plain_real(g, arc) : (double)plain_integer(g, arc);
}

/* Over the ordered pairs, the share of their paths that leads along an arc of u to w. */
static double along(uint32_t n, double d[MOST][MOST], double paths[MOST][MOST], uint32_t u,
                    uint32_t w, double weight) {
    double sum = 0;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++)
            if (s != t && !isinf(d[s][t]) && d[s][u] + weight + d[w][t] == d[s][t])
                sum += paths[s][u] * paths[w][t] / paths[s][t];
    return sum;
}

/* Distances by relaxing until nothing changes, numbers of paths by following tight arcs in the
 * order of the distances. Sums of weights are exact here. */
static void define(const plain_graph *g, double *value, double *of_arcs) {
    static double d[MOST][MOST], paths[MOST][MOST];
    const uint32_t n = g->n;
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t v = 0; v < n; v++) {
            d[s][v] = v == s ? 0 : HUGE_VAL;
            paths[s][v] = v == s;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t u = 0; u < n; u++)
                for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
                    double w = weight_at(g, i);
                    if (d[s][u] + w < d[s][g->targets[i]]) {
                        d[s][g->targets[i]] = d[s][u] + w;
                        changed = true;
                    }
                }
        }
        bool done[MOST] = {false};
        for (uint32_t k = 0; k < n; k++) {
            uint32_t u = n;
            for (uint32_t v = 0; v < n; v++)
                if (!done[v] && !isinf(d[s][v]) && (u == n || d[s][v] < d[s][u]))
                    u = v;
            if (u == n)
                break;
            done[u] = true;
            for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
                double w = weight_at(g, i);
                if (d[s][u] + w == d[s][g->targets[i]])
                    paths[s][g->targets[i]] += paths[s][u];
            }
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        value[v] = 0;
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t t = 0; t < n; t++)
                if (s != v && t != v && s != t && !isinf(d[s][t]) && d[s][v] + d[v][t] == d[s][t])
                    value[v] += paths[s][v] * paths[v][t] / paths[s][t];
    }
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            const uint32_t w = g->targets[i];
            of_arcs[i] = u == w ? 0 : along(n, d, paths, u, w, weight_at(g, i));
            if (!g->directed && u != w)
                of_arcs[i] += along(n, d, paths, w, u, weight_at(g, i));
        }
}

/* "betweenness", or that of edges. */
static hop_status ask_paths(hop_context *context, hop_graph *graph, const char *name,
                            const char *variant, bool scaled, hop_vertex samples,
                            hop_certify certify, double *values) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    run.variant = variant;
    run.certify = certify;
    options.run = &run;
    options.scaled = scaled;
    options.samples = samples;
    return hop_measure_run(context, graph, name, &options,
                           HOP_SPAN(values, hop_measure_room(graph, name, &options)), NULL);
}

static hop_status ask_between(hop_context *context, hop_graph *graph, const char *variant,
                              bool scaled, hop_vertex samples, hop_certify certify,
                              double *values) {
    return ask_paths(context, graph, "betweenness", variant, scaled, samples, certify, values);
}

/* All variants of one measure, scaled and not. `pairs`: what scaling divides by. */
static void check_measure(hop_context *context, hop_graph *graph, const plain_graph *g,
                          const char *name, const double *right, uint32_t count, double pairs,
                          hop_certify certify) {
    static double values[MOST_ARCS];
    for (int i = 0; i < 3; i++)
        for (int scaled = 0; scaled < 2; scaled++) {
            hop_status status =
                ask_paths(context, graph, name, variant_names[i], scaled, 0, certify, values);
            if (i == 1 && g->type != HOP_TYPE_NONE) {
                assert_int_equal(status, HOP_ERR_UNSUPPORTED);
                continue;
            }
            if (status != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            for (uint32_t v = 0; v < count; v++) {
                double one = scaled ? right[v] / pairs : g->directed ? right[v] : right[v] / 2;
                if (!(fabs(values[v] - one) <= 1e-12 * one))
                    fail_msg("%s: number %u: %.17g, not %.17g", name, v, values[v], one);
            }
        }
}

static void check_plain(hop_context *context, const plain_graph *g, hop_certify certify) {
    static double right[MOST], of_arcs[MOST_ARCS];
    hop_graph *graph = plain_borrow(context, g);
    const double n = g->n;
    const uint32_t arcs = g->n > 0 ? g->offsets[g->n] : 0;
    assert_true(arcs <= MOST_ARCS);
    define(g, right, of_arcs);
    check_measure(context, graph, g, "betweenness", right, g->n, n > 2 ? (n - 1) * (n - 2) : 1,
                  certify);
    check_measure(context, graph, g, "edge-betweenness", of_arcs, arcs, n > 1 ? n * (n - 1) : 1,
                  certify);
    hop_graph_release(graph);
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    (void)state;
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (directed ? 4u : 5u); n++) {
            uint32_t pairs = n == 0 ? 0 : directed ? n * (n - 1) : n * (n - 1) / 2;
            for (uint32_t bits = 0; bits < 1u << pairs; bits++) {
                plain_graph g = plain_numbered(n, directed, bits);
                check_plain(context, &g, bits % 64 == 5 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE);
                plain_free(&g);
            }
        }
    free_context(context);
}

static void larger_small_graphs(void **state) {
    hop_context *context = make_context(1);
    larger_graphs all = {0};
    plain_graph g;
    (void)state;
    while (larger_next(&all, &g)) {
        check_plain(context, &g, HOP_CERTIFY_NONE);
        plain_free(&g);
    }
    free_context(context);
}

static void random_graphs(void **state) {
    static const hop_weight_type types[] = {HOP_TYPE_NONE, HOP_TYPE_INT32, HOP_TYPE_INT64,
                                            HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
    (void)state;
    for (unsigned k = 0; k < 60; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        plain_graph g = plain_random(3 + k % 77, 1 + k % 4, k % 3 != 0, types[k % 5], 1, 3,
                                     is_real(types[k % 5]) ? 0.25 : 1, k);
        if (k % 2)
            plain_widen(&g);
        check_plain(context, &g, k % 5 == 4 ? HOP_CERTIFY_VALID : HOP_CERTIFY_NONE);
        plain_free(&g);
        free_context(context);
    }
}

static void the_same_on_any_number_of_threads(void **state) {
    enum { LARGE = 400 };
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        const char *name = kind < 3 ? "betweenness" : "edge-betweenness";
        const bool real = kind % 3 == 2;
        plain_graph g = plain_random(LARGE, 3, kind % 3 == 1,
                                     real ? HOP_TYPE_FLOAT64 : HOP_TYPE_NONE, 0.1, 5, 0.3, kind);
        size_t count = kind < 3 ? LARGE : g.offsets[LARGE];
        double *first = calloc(count, 8), *values = calloc(count, 8);
        for (int i = 0; i < 2; i++)
            for (size_t t = 0; t < 4; t++) {
                hop_context *context = make_context(thread_counts[t]);
                hop_graph *graph = plain_borrow(context, &g);
                double *into = t == 0 ? first : values;
                hop_status status = ask_paths(context, graph, name, variant_names[i], true,
                                              kind % 3 == 1 ? 100 : 0, HOP_CERTIFY_NONE, into);
                assert_int_equal(status, i == 1 && real ? HOP_ERR_UNSUPPORTED : HOP_OK);
                assert_memory_equal(into, first, count * 8);
                hop_graph_release(graph);
                free_context(context);
            }
        free(first);
        free(values);
        plain_free(&g);
    }
}

/* `chain` diamonds in a row, each of which doubles the number of paths; from its first vertex, a
 * path of `tail` edges besides. Directed, if the first of these are `few` diamonds. */
static hop_graph *diamonds(hop_context *context, uint32_t chain, uint32_t tail, uint32_t few) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_vertex *ends = malloc((4 * chain + tail + 2 * few) * 2 * sizeof *ends), *at = ends;
    hop_graph *graph = NULL;
    for (uint32_t i = 0; i < chain; i++)
        for (uint32_t k = 0; k < 4; k++) {
            *at++ = 3 * i + (k < 2 ? 0 : 1 + k % 2);
            *at++ = 3 * i + (k < 2 ? 1 + k % 2 : 3);
        }
    for (uint32_t i = 0; i < tail; i++) {
        *at++ = i == 0 ? 0 : 3 * chain + i;
        *at++ = 3 * chain + i + 1;
    }
    for (uint32_t i = 0; i < few; i++) {
        *at++ = i == 0 ? 0 : 3 * chain + 2 * i;
        *at++ = 3 * chain + tail + 1 + i;
        *at++ = 3 * chain + tail + 1 + i;
        *at++ = 3 * chain + 2 * i + 2;
    }
    edges.from = ends;
    edges.to = ends + 1;
    edges.stride = 2 * sizeof *ends;
    edges.count = 4 * (uint64_t)chain + tail + 2 * few;
    options.directed = few > 0;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    free(ends);
    return graph;
}

/* All edges of all paths, so both arcs of each together are twice the sum of the distances. */
static void check_many_edges(hop_context *context, hop_graph *graph, double wiener) {
    const uint64_t arcs = hop_graph_arcs(graph);
    double *values = calloc(arcs, 8), sum = 0;
    assert_int_equal(
        ask_paths(context, graph, "edge-betweenness", "lanes", false, 0, HOP_CERTIFY_NONE, values),
        HOP_OK);
    for (uint64_t i = 0; i < arcs; i++)
        sum += values[i];
    assert_true(fabs(sum - 2 * wiener) <= 1e-9 * sum);
    free(values);
}

static void more_paths_than_doubles_hold(void **state) {
    enum { CHAIN = 1040 };
    hop_context *context = make_context(2);
    hop_graph *graph = diamonds(context, CHAIN, 0, 0);
    const hop_vertex n = 3 * CHAIN + 1;
    double *values = calloc(n, 8), sum = 0;
    int64_t wiener;
    (void)state;
    assert_int_equal(ask_between(context, graph, "lanes", false, 0, HOP_CERTIFY_NONE, values),
                     HOP_OK);
    assert_int_equal(hop_measure_run(context, graph, "wiener", NULL, HOP_SPAN(&wiener, 1), NULL),
                     HOP_OK);
    for (hop_vertex v = 0; v < n; v++) { /* all inner vertices of all paths */
        sum += values[v];
        if (v % 3 == 2)
            assert_true(fabs(values[v] - values[v - 1]) <= 1e-12 * values[v]);
    }
    assert_true(fabs(sum - ((double)wiener - n * (n - 1.0) / 2)) <= 1e-9 * sum);
    check_many_edges(context, graph, (double)wiener);
    assert_int_equal(ask_between(context, graph, "searches", false, 0, HOP_CERTIFY_NONE, values),
                     HOP_ERR_UNSUPPORTED);
    assert_says(context, "shortest paths");
    hop_graph_release(graph);
    free(values);
    /* One path beside 2^1100 of the same length; four beside 2^1024, whose shares are too large. */
    for (uint32_t few = 0; few <= 2; few += 2) {
        graph = few > 0 ? diamonds(context, 1024, 2056, few) : diamonds(context, 1100, 2200, 0);
        values = calloc(hop_graph_vertices(graph), 8);
        assert_int_equal(ask_between(context, graph, "lanes", false, 0, HOP_CERTIFY_NONE, values),
                         HOP_ERR_UNSUPPORTED);
        assert_says(context, "shortest paths");
        hop_graph_release(graph);
        free(values);
    }
    free_context(context);
}

/* 2^24 + 1 is 2^24 in float32: what is behind has no place in the order of the distances, for some
 * sources, and another has had its arcs counted. */
static void weights_that_are_lost_in_rounding(void **state) {
    enum { N = 20 };
    hop_vertex from[N - 1], to[N - 1];
    float weights[N - 1];
    double values[N - 1], exact[N];
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    (void)state;
    for (hop_vertex v = 0; v < N - 1; v++) {
        from[v] = v;
        to[v] = v + 1;
        weights[v] = v == 0 ? 0x1p24f : v == 3 ? 16 : 1;
    }
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_FLOAT32;
    edges.count = N - 1;
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
        assert_int_equal(ask_between(context, graph, NULL, false, 0, HOP_CERTIFY_NONE, exact),
                         HOP_ERR_UNSUPPORTED);
        assert_says(context, "lost in rounding");
        assert_int_equal(
            ask_paths(context, graph, "edge-betweenness", NULL, false, 0, HOP_CERTIFY_NONE, values),
            HOP_ERR_UNSUPPORTED);
        hop_graph_release(graph);
        free_context(context);
    }
}

static void check_samples(hop_context *context, hop_graph *graph, const char *name, bool scaled) {
    enum { SEEDS = 1000, DRAWN = 20 };
    const hop_vertex n = hop_graph_vertices(graph);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    options.scaled = scaled;
    const uint64_t count = hop_measure_room(graph, name, &options);
    double *exact = calloc(count, 8), *values = calloc(count, 8), *mean = calloc(count, 8);
    unsigned beyond = 0, different = 0;
    options.samples = n;
    assert_true(hop_measure_bound(graph, name, &options, 0.1) == 0);
    options.samples = DRAWN;
    const double bound = hop_measure_bound(graph, name, &options, 0.1);
    assert_int_equal(ask_paths(context, graph, name, NULL, scaled, 0, HOP_CERTIFY_NONE, exact),
                     HOP_OK);
    assert_int_equal(ask_paths(context, graph, name, NULL, scaled, n, HOP_CERTIFY_NONE, values),
                     HOP_OK);
    assert_memory_equal(values, exact, count * 8);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double worst = 0;
        hop_context_set_seed(context, seed);
        assert_int_equal(ask_paths(context, graph, name, NULL, scaled, DRAWN,
                                   seed % 100 ? HOP_CERTIFY_NONE : HOP_CERTIFY_CANONICAL, values),
                         HOP_OK);
        for (uint64_t v = 0; v < count; v++) {
            double off = fabs(values[v] - exact[v]);
            worst = off > worst ? off : worst;
            mean[v] += values[v] / SEEDS;
        }
        beyond += worst > bound;
        different += worst > 0;
    }
    assert_true(beyond <= SEEDS / 10);
    assert_int_equal(different, SEEDS);
    for (uint64_t v = 0; v < count; v++)
        assert_true(fabs(mean[v] - exact[v]) < 0.03 * bound);
    free(exact);
    free(values);
    free(mean);
}

static void samples(void **state) {
    enum { N = 60 };
    hop_context *context = make_context(1);
    plain_graph g = plain_random(N, 2, false, HOP_TYPE_NONE, 1, 1, 0, 4);
    hop_graph *graph = plain_borrow(context, &g);
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    double bound = hop_measure_error(N, 20, 0.1);
    (void)state;
    options.samples = 20;
    assert_true(hop_measure_error(N, N, 0.1) == 0 && bound > 0.1 && bound < 1);
    assert_true(bound == hop_measure_bound(graph, "betweenness", &options, 0.1));
    assert_true(isnan(hop_measure_bound(graph, "diameter", &options, 0.1)));
    assert_true(isnan(hop_measure_bound(graph, "nearness", &options, 0.1)));
    check_samples(context, graph, "betweenness", true);
    check_samples(context, graph, "edge-betweenness", true);
    check_samples(context, graph, "edge-betweenness", false);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

static void within_the_budget(void **state) {
    (void)state;
    assert_within_budget("betweenness", 200, false, 1000000);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void refused_and_cancelled(void **state) {
    hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL, *calm = make_context(1);
    plain_graph g = plain_random(2000, 3, true, HOP_TYPE_INT32, 0, 4, 1, 8);
    plain_graph bare = plain_random(2000, 3, true, HOP_TYPE_NONE, 1, 1, 0, 8);
    hop_graph *graph = plain_borrow(calm, &g), *counted = plain_borrow(calm, &bare);
    double *values = calloc(2000, 8);
    (void)state;
    assert_int_equal(ask_between(calm, graph, NULL, true, 0, HOP_CERTIFY_NONE, values),
                     HOP_ERR_UNSUPPORTED);
    assert_says(calm, "least weight is 0");
    how.progress = stop;
    assert_int_equal(hop_graph_check(calm, counted), HOP_OK);
    assert_int_equal(hop_context_create(&how, &context), HOP_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            ask_between(context, counted, variant_names[i], true, 0, HOP_CERTIFY_NONE, values),
            HOP_ERR_CANCELLED);
    hop_graph_release(graph);
    hop_graph_release(counted);
    plain_free(&g);
    plain_free(&bare);
    free(values);
    free_context(context);
    free_context(calm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(larger_small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(more_paths_than_doubles_hold),
        cmocka_unit_test(weights_that_are_lost_in_rounding),
        cmocka_unit_test(samples),
        cmocka_unit_test(within_the_budget),
        cmocka_unit_test(refused_and_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
