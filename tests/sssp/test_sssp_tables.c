/* SPDX-License-Identifier: Apache-2.0
 * Cases by hand: extremes of the types, infinities, cycles, several sources, limits, and what is
 * refused with which message. Every variant that takes a case is run on it. */
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/sssp_testing.h"

typedef struct edge {
    hop_vertex from, to;
    double weight;
} edge;

/* Parallel edges are kept. int64 weights beyond doubles are set by the caller. */
static void make_small(small_graph *g, hop_vertex n, bool directed, hop_weight_type type,
                       const edge *edges, unsigned count) {
    memset(g, 0, sizeof *g);
    g->n = n;
    g->directed = directed;
    g->type = type;
    for (hop_vertex u = 0; u < n; u++) {
        for (hop_vertex v = 0; v < n; v++)
            for (unsigned i = 0; i < count; i++) {
                bool forth = edges[i].from == u && edges[i].to == v;
                bool back = !directed && edges[i].from == v && edges[i].to == u;
                if (!forth && !back)
                    continue;
                g->targets[g->arcs] = v;
                small_set(g, g->arcs++, edges[i].weight);
            }
        g->offsets[u + 1] = g->arcs;
    }
}

#define EDGES(...) (const edge[]){__VA_ARGS__}, sizeof((const edge[]){__VA_ARGS__}) / sizeof(edge)

/* Asks every variant, compares with the definition, certifies in the call. */
static hop_status ask(hop_context *context, const question *q, answer *a, const char *part) {
    hop_graph *graph = small_build(context, q->g);
    hop_status status = HOP_OK;
    solve_small(q, a);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        const char *name = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        if (!takes_negative(name) && small_negative(q->g))
            continue;
        int64_t distances[SMALL];
        hop_vertex parents[SMALL];
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        run.variant = name;
        run.certify = HOP_CERTIFY_CANONICAL;
        options.run = &run;
        options.targets = q->targets;
        options.target_count = q->target_count;
        options.cutoff = q->cutoff;
        status = hop_sssp(context, graph, q->sources, q->source_count, &options,
                          ROOM(graph, distances), parents);
        if (part) {
            assert_int_not_equal(status, HOP_OK);
            assert_message(context, part);
        } else {
            if (status != HOP_OK)
                fail_msg("%s: %s", name, hop_context_message(context));
            assert_answer(q, a, name, distances, parents);
        }
    }
    hop_graph_release(graph);
    return status;
}

static question from(const small_graph *g, const hop_vertex *sources, hop_vertex count) {
    return (question){g, sources, count, NULL, 0, HUGE_VAL, 0};
}

static const hop_vertex zero[] = {0};

static void no_vertex_and_one(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    make_small(&g, 0, true, HOP_TYPE_NONE, NULL, 0);
    question q = from(&g, NULL, 0);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    make_small(&g, 1, true, HOP_TYPE_NONE, NULL, 0);
    q = from(&g, zero, 1);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[0], 0);
    q = from(&g, zero, 0); /* no source: nothing is reached */
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[0], HOP_NO_VERTEX);
    make_small(&g, 1, true, HOP_TYPE_INT32, EDGES({0, 0, 0}, {0, 0, 5}));
    q = from(&g, zero, 1);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    free_context(context);
}

static void cycles_of_weight_zero(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    /* 3 is reached over 1; 3, 4 and 5 are as far as each other, 4 and 5 in a cycle. */
    make_small(&g, 6, true, HOP_TYPE_INT32,
               EDGES({0, 1, 1}, {1, 3, 2}, {3, 4, 0}, {4, 5, 0}, {5, 4, 0}, {5, 3, 0}, {4, 3, 0}));
    question q = from(&g, zero, 1);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[3], 1);
    assert_int_equal(a.parents[4], 3); /* 5 has more hops behind it */
    assert_int_equal(a.parents[5], 4);
    assert_int_equal(a.distances.i64[5], 3);
    /* All zero: layers are hops from the source. */
    make_small(&g, 5, false, HOP_TYPE_FLOAT32,
               EDGES({0, 4, 0}, {4, 3, 0}, {3, 2, 0}, {2, 1, 0}, {1, 0, -0.0}));
    q = from(&g, zero, 1);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[1], 0);
    assert_int_equal(a.parents[2], 1);
    assert_int_equal(a.parents[3], 4);
    free_context(context);
}

static void integers_of_32_bits(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    double most = INT32_MAX, least = INT32_MIN;
    make_small(&g, 5, true, HOP_TYPE_INT32,
               EDGES({0, 1, most}, {1, 2, most}, {2, 3, most}, {3, 4, most}));
    question q = from(&g, zero, 1);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.distances.i64[4] == 4 * (int64_t)INT32_MAX);
    make_small(&g, 5, true, HOP_TYPE_INT32,
               EDGES({0, 1, least}, {1, 2, least}, {2, 3, least}, {3, 4, most}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.distances.i64[3] == 3 * (int64_t)INT32_MIN);
    free_context(context);
}

static void integers_of_64_bits(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    question q = from(&g, zero, 1);
    make_small(&g, 3, true, HOP_TYPE_INT64, EDGES({0, 1, 1}, {1, 2, 1}));
    g.weights.i64[0] = INT64_MAX - 3;
    g.weights.i64[1] = 2; /* the largest distance that there is */
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.distances.i64[2] == INT64_MAX - 1);
    g.weights.i64[1] = 3; /* HOP_NO_DISTANCE itself */
    assert_int_equal(ask(context, &q, &a, "does not fit int64"), HOP_ERR_UNSUPPORTED);
    assert_true(a.beyond);
    g.weights.i64[1] = INT64_MAX;
    assert_int_equal(ask(context, &q, &a, "does not fit int64"), HOP_ERR_UNSUPPORTED);
    q.cutoff = 1e18; /* what does not fit is not asked for */
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    q.cutoff = HUGE_VAL;
    hop_vertex one[] = {1};
    q.targets = one;
    q.target_count = 1;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    q.target_count = 0;
    /* Far below, and a detour above int64 that is not the shortest. */
    make_small(&g, 4, true, HOP_TYPE_INT64, EDGES({0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}));
    g.weights.i64[0] = INT64_MIN / 2;
    g.weights.i64[1] = INT64_MAX - 1;
    g.weights.i64[2] = INT64_MIN / 2;
    g.weights.i64[3] = INT64_MAX;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.distances.i64[3] == INT64_MIN);
    g.weights.i64[2]--;
    assert_int_equal(ask(context, &q, &a, "does not fit int64"), HOP_ERR_UNSUPPORTED);
    /* A cycle counts before a sum that does not fit. */
    make_small(&g, 3, true, HOP_TYPE_INT64, EDGES({0, 1, 1}, {1, 2, 1}, {2, 1, 1}));
    g.weights.i64[0] = g.weights.i64[1] = INT64_MIN;
    g.weights.i64[2] = INT64_MAX;
    assert_int_equal(ask(context, &q, &a, "negative sum"), HOP_ERR_NEGATIVE_CYCLE);
    free_context(context);
}

static void infinities(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    question q = from(&g, zero, 1);
    for (int type = HOP_TYPE_FLOAT32; type <= HOP_TYPE_FLOAT64; type++) {
        double most = type == HOP_TYPE_FLOAT32 ? (double)FLT_MAX : DBL_MAX;
        /* +infinity is no arc; a sum beyond the type is one. */
        make_small(&g, 4, true, (hop_weight_type)type,
                   EDGES({0, 1, HUGE_VAL}, {0, 2, most}, {2, 3, most}));
        assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
        assert_true(!a.reached[1] && a.reached[2] && !a.reached[3]);
        make_small(&g, 3, true, (hop_weight_type)type,
                   EDGES({0, 1, HUGE_VAL}, {0, 2, 1}, {2, 0, -0.5}));
        assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
        assert_true(!a.reached[1]);
        make_small(&g, 3, true, (hop_weight_type)type, EDGES({0, 1, 1}, {2, 1, -HUGE_VAL}));
        assert_int_equal(ask(context, &q, &a, "the arc from 2 to 1 has the weight -infinity"),
                         HOP_ERR_INPUT);
        /* With negative weights a distance beyond the type is an error: others may depend on it. */
        make_small(&g, 3, true, (hop_weight_type)type, EDGES({0, 1, -most}, {1, 2, -most}));
        hop_graph *graph = small_build(context, &g);
        double distances[3];
        assert_int_equal(hop_sssp(context, graph, zero, 1, NULL, ROOM(graph, distances), NULL),
                         HOP_ERR_UNSUPPORTED);
        assert_message(context, "the distance of vertex 2 is about -");
        hop_graph_release(graph);
    }
    free_context(context);
}

/* Around the cycle 1 -> 2 -> 3 -> 4 -> 1 the exact sum is 0.25, but beyond 2^53 rounded sums fall
 * by 2 each time. */
static void falling_by_rounding_only(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    make_small(&g, 5, true, HOP_TYPE_FLOAT64,
               EDGES({0, 1, 0x1.8p53}, {1, 2, 0.75}, {2, 3, 0.75}, {3, 4, 0.75}, {4, 1, -2}));
    question q = from(&g, zero, 1);
    answer a;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.distances.f64[1] == 0x1.8p53);
    assert_int_equal(a.parents[1], 0);
    /* The same with a sum of exactly 0. */
    make_small(
        &g, 4, true, HOP_TYPE_FLOAT32,
        EDGES({0, 1, 0x1.000002p20}, {1, 2, 0x1.fffffep-1}, {2, 1, -0x1.fffffep-1}, {1, 3, 1}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[1], 0);
    free_context(context);
}

static void loops_and_parallel_arcs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    question q = from(&g, zero, 1);
    make_small(&g, 4, true, HOP_TYPE_INT32,
               EDGES({0, 0, 0}, {0, 1, 9}, {0, 1, 4}, {1, 1, 0}, {1, 2, 3}, {1, 2, 3}, {2, 3, 0},
                     {2, 3, 1}, {3, 3, 7}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.distances.i64[3], 7);
    make_small(&g, 3, true, HOP_TYPE_INT32, EDGES({0, 1, 1}, {0, 1, -1}, {1, 0, 1}, {2, 1, 0}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.distances.i64[1], -1);
    free_context(context);
}

static void negative_cycles(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    question q = from(&g, zero, 1);
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++) {
        make_small(&g, 2, true, (hop_weight_type)type, EDGES({0, 1, 1}, {1, 1, -1}));
        assert_int_equal(ask(context, &q, &a,
                             "a cycle of 1 arc that can be reached has a negative "
                             "sum, so there are no shortest paths: 1, 1"),
                         HOP_ERR_NEGATIVE_CYCLE);
        make_small(&g, 3, false, (hop_weight_type)type, EDGES({0, 1, 5}, {1, 2, -1}));
        assert_int_equal(ask(context, &q, &a, "a cycle of 2 arcs"), HOP_ERR_NEGATIVE_CYCLE);
        make_small(&g, 5, true, (hop_weight_type)type,
                   EDGES({0, 3, 7}, {3, 4, 2}, {4, 2, -3}, {2, 1, 1}, {1, 3, -1}));
        assert_int_equal(ask(context, &q, &a, "paths: 1, 3, 4, 2, 1"), HOP_ERR_NEGATIVE_CYCLE);
        /* Out of reach, it does not matter. */
        make_small(&g, 4, true, (hop_weight_type)type,
                   EDGES({0, 1, 7}, {2, 3, -2}, {3, 2, 1}, {3, 1, 0}));
        assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
        /* Sum 0 is none. */
        make_small(&g, 4, true, (hop_weight_type)type,
                   EDGES({0, 1, 7}, {1, 2, -2}, {2, 3, -2}, {3, 1, 4}));
        assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
        /* Through the source. */
        make_small(&g, 3, true, (hop_weight_type)type, EDGES({0, 1, 7}, {1, 2, -4}, {2, 0, -4}));
        assert_int_equal(ask(context, &q, &a, "paths: 0, 1, 2, 0"), HOP_ERR_NEGATIVE_CYCLE);
    }
    free_context(context);
}

static void several_sources(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    hop_vertex sources[] = {3, 0, 3};
    make_small(&g, 5, false, HOP_TYPE_INT32, EDGES({0, 1, 2}, {1, 2, 2}, {2, 3, 1}, {3, 4, 0}));
    question q = from(&g, sources, 3);
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.distances.i64[2], 1);
    assert_int_equal(a.parents[4], 3);
    /* Two sources with an arc of weight 0 between them: both are their own parents. */
    make_small(&g, 4, true, HOP_TYPE_INT32, EDGES({0, 3, 0}, {3, 0, 0}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[3], 3);
    /* With negative weights one may be nearer than 0 to another. */
    make_small(&g, 4, true, HOP_TYPE_INT32, EDGES({0, 3, -2}, {3, 2, 1}));
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_int_equal(a.parents[3], 0);
    assert_int_equal(a.distances.i64[2], -1);
    free_context(context);
}

static void limits(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    answer a;
    make_small(&g, 7, true, HOP_TYPE_INT32,
               EDGES({0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 0}, {4, 5, 1}));
    question q = from(&g, zero, 1);
    hop_vertex targets[] = {1, 3, 1};
    q.targets = targets;
    q.target_count = 3;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.reached[4] && !a.reached[5]); /* as far as the farthest target */
    targets[1] = 6;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.reached[5]); /* 6 cannot be reached, so everything else is */
    q.cutoff = 2.5;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.reached[2] && !a.reached[3]);
    q.target_count = 0;
    q.cutoff = 0;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    q.cutoff = -0.5; /* not even the source */
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_false(a.reached[0]);
    q.cutoff = -HUGE_VAL;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    /* Negative weights: the way to 3 goes over 2, which is farther. */
    make_small(&g, 5, true, HOP_TYPE_FLOAT32, EDGES({0, 1, 4}, {0, 2, 9}, {2, 3, -8}, {0, 4, 2}));
    q.cutoff = HUGE_VAL;
    targets[0] = 3;
    q.target_count = 1;
    assert_int_equal(ask(context, &q, &a, NULL), HOP_OK);
    assert_true(a.reached[2] && a.reached[3] && !a.reached[1] && !a.reached[4]);
    free_context(context);
}

/* The cutoff as a double, at the edge of each type. */
static void cutoffs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex source = 0;
    const uint32_t offsets[] = {0, 1, 1}, targets[] = {1};
    hop_csr csr = HOP_CSR_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_graph *graph = NULL;
    csr.vertices = 2;
    csr.offsets = offsets;
    csr.targets = targets;
    int64_t big_weight = (INT64_C(1) << 53) + 1, distances[2];
    csr.weights = &big_weight;
    csr.weight_type = HOP_TYPE_INT64;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        hop_run run = HOP_RUN_INIT;
        run.variant = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        run.certify = HOP_CERTIFY_CANONICAL;
        options.run = &run;
        options.cutoff = 0x1p53; /* 2^53 + 1 rounds to it */
        assert_int_equal(
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL), HOP_OK);
        assert_true(distances[1] == big_weight);
        options.cutoff = nextafter(0x1p53, 0);
        assert_int_equal(
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL), HOP_OK);
        assert_true(distances[1] == HOP_NO_DISTANCE);
    }
    hop_graph_release(graph);
    float third = 1.0f / 3;
    csr.weights = &third;
    csr.weight_type = HOP_TYPE_FLOAT32;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        float reals[2];
        hop_run run = HOP_RUN_INIT;
        run.variant = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        run.certify = HOP_CERTIFY_CANONICAL;
        options.run = &run;
        options.cutoff = (double)third;
        assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, reals), NULL),
                         HOP_OK);
        assert_true(reals[1] == third);
        options.cutoff = 1.0 / 3; /* less than the float nearest to it */
        assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, reals), NULL),
                         HOP_OK);
        assert_true(isinf(reals[1]));
        options.cutoff = 1e300;
        assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, reals), NULL),
                         HOP_OK);
        assert_true(reals[1] == third);
    }
    hop_graph_release(graph);
    free_context(context);
}

static void wrong_arguments(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    make_small(&g, 3, true, HOP_TYPE_INT32, EDGES({0, 1, 1}, {2, 1, -7}));
    hop_graph *graph = small_build(context, &g);
    hop_vertex source = 0, bad = 3, parents[3];
    int64_t d[3];
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.run = &run;
    run.report = &report;
    assert_int_equal(hop_sssp(NULL, graph, &source, 1, NULL, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_sssp(context, NULL, &source, 1, NULL, ROOM(NULL, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "the graph is NULL");
    assert_int_equal(hop_sssp(context, graph, &bad, 1, NULL, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "source number 0 is vertex 3, but there are only 3 vertices");
    assert_int_equal(hop_sssp(context, graph, NULL, 1, NULL, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "1 sources, but their array is NULL");
    options.targets = &bad;
    options.target_count = 1;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "target number 0 is vertex 3");
    options.targets = NULL;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    options.target_count = 0;
    options.cutoff = NAN;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "the cutoff is not a number");
    options.cutoff = HUGE_VAL;
    run.variant = "dijkstar";
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "did you mean 'dijkstra'?");
    assert_null(report.variant);
    run.variant = "dijkstra";
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_UNSUPPORTED);
    assert_message(context, "the arc from 2 to 1 has the weight -7; bellman-ford takes");
    hop_setting setting = {"delta", 1, NULL};
    run.variant = "bellman-ford";
    run.settings = &setting;
    run.setting_count = 1;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    run.setting_count = 0;
    options.size = 0;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "HOP_SSSP_OPTIONS_INIT");
    assert_int_equal(hop_sssp_certify(context, graph, &source, 1, NULL, NULL, parents),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "parents alone cannot be certified");
    assert_int_equal(hop_sssp_certify(NULL, graph, &source, 1, NULL, GIVEN(graph, d), parents),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_sssp_certify(context, NULL, &source, 1, NULL, GIVEN(NULL, d), parents),
                     HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

static void the_choice_and_its_reason(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const struct {
        hop_weight_type type;
        double weight;
        const char *variant, *reason;
    } kinds[] = {{HOP_TYPE_NONE, 1, "dijkstra", "no weights"},
                 {HOP_TYPE_INT32, 0, "dijkstra", "least weight is 0"},
                 {HOP_TYPE_FLOAT64, -0.0, "dijkstra", "none is below 0"},
                 {HOP_TYPE_FLOAT32, -0.5, "bellman-ford", "least weight is -0.5"},
                 {HOP_TYPE_INT64, -3, "bellman-ford", "least weight is -3"}};
    for (unsigned k = 0; k < 5; k++) {
        small_graph g;
        make_small(&g, 2, true, kinds[k].type, EDGES({0, 1, kinds[k].weight}));
        hop_graph *graph = small_build(context, &g);
        hop_run run = HOP_RUN_INIT;
        hop_report report = {0};
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        int64_t d[2];
        options.run = &run;
        run.report = &report;
        assert_int_equal(hop_sssp(context, graph, zero, 1, &options, ROOM(graph, d), NULL), HOP_OK);
        assert_string_equal(report.variant->name, kinds[k].variant);
        assert_non_null(strstr(report.reason, kinds[k].reason));
        assert_true(report.rounds >= 1 && report.relaxations == 1);
        hop_graph_release(graph);
    }
    assert_int_equal(hop_distance_type(HOP_TYPE_NONE), HOP_TYPE_INT64);
    assert_int_equal(hop_distance_type(HOP_TYPE_INT32), HOP_TYPE_INT64);
    assert_int_equal(hop_distance_type(HOP_TYPE_FLOAT32), HOP_TYPE_FLOAT32);
    hop_vertex around = 7;
    assert_null(hop_context_cycle(NULL, &around));
    assert_int_equal(around, 0);
    free_context(context);
}

/* The context keeps a cycle, beyond the graph and other calls, until the next search; it goes with
 * the context. */
static void cycle_stays_until_the_next_search(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    make_small(&g, 3, true, HOP_TYPE_INT32, EDGES({0, 1, 1}, {1, 2, -1}, {2, 1, 0}));
    hop_graph *graph = small_build(context, &g);
    int64_t d[3];
    hop_vertex around, levels[3];
    assert_null(hop_context_cycle(context, &around));
    for (int round = 0; round < 2; round++) {
        assert_int_equal(hop_sssp(context, graph, zero, 1, NULL, ROOM(graph, d), NULL),
                         HOP_ERR_NEGATIVE_CYCLE);
        assert_int_equal(hop_bfs(context, graph, zero, 1, NULL, levels, NULL), HOP_OK);
        const hop_vertex *cycle = hop_context_cycle(context, &around);
        assert_int_equal(hop_cycle_certify(context, graph, cycle, around), HOP_OK);
        assert_ptr_equal(hop_context_cycle(context, &around), cycle);
        assert_int_equal(around, 2);
        assert_int_equal(cycle[0], 1);
        assert_int_equal(cycle[1], 2);
        /* A search that fails for another reason has none, either. */
        if (round == 0)
            assert_int_equal(hop_sssp(context, NULL, zero, 1, NULL, ROOM(graph, d), NULL),
                             HOP_ERR_ARGUMENT);
        assert_int_equal(hop_context_cycle(context, NULL) == NULL, round == 0);
    }
    hop_graph_release(graph);
    assert_int_equal(hop_context_cycle(context, &around)[1], 2);
    hop_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_vertex_and_one),
        cmocka_unit_test(cycles_of_weight_zero),
        cmocka_unit_test(integers_of_32_bits),
        cmocka_unit_test(integers_of_64_bits),
        cmocka_unit_test(infinities),
        cmocka_unit_test(falling_by_rounding_only),
        cmocka_unit_test(loops_and_parallel_arcs),
        cmocka_unit_test(negative_cycles),
        cmocka_unit_test(several_sources),
        cmocka_unit_test(limits),
        cmocka_unit_test(cutoffs),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(the_choice_and_its_reason),
        cmocka_unit_test(cycle_stays_until_the_next_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
