/* SPDX-License-Identifier: Apache-2.0
 *
 * Every variant on every small graph: all undirected graphs with up to 6 vertices times 8
 * weightings without negative weights, all directed ones with up to 4 times 8 weightings with
 * them, against the definition (sssp_testing.h), bit by bit; and the certifiers accept. */
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/sssp_testing.h"

static double pick(const double *from, size_t count, uint64_t random) {
    return from[hop__random_below(random, count)];
}

#define WEIGHTS(name, ...)                                                                         \
    static double name(uint64_t random) {                                                          \
        static const double from[] = {__VA_ARGS__};                                                \
        return pick(from, sizeof from / sizeof from[0], random);                                   \
    }

/* Zeros; weights that rounding swallows; sums that overflow; -0.0. */
WEIGHTS(few, 0, 1, 2, 3)
WEIGHTS(zero_or_one, 0, 0, 1)
WEIGHTS(far_apart, 0, 1, 5, 0x1p40)
WEIGHTS(huge_integers, 0, 1, 0x1p62, 0x1p63)
WEIGHTS(swallowed, 0, 0x1p-10, 0.25, 1, 0x1p25)
WEIGHTS(tenths, 0, 0.1, 0.2, 0.3, 0.7)
WEIGHTS(overflowing, HUGE_VAL, 3e38, 1, 0)
WEIGHTS(tiny, -0.0, 0, 1e-300, 1, 0x1p53)
/* Negative ones: cycles of sum 0, and nearly 0. */
WEIGHTS(mixed, -2, -1, 0, 1, 2, 3, 4, 5)
WEIGHTS(balanced, -1, 0, 1)
WEIGHTS(mostly_above, -3, 1, 2, 3, 4, 5, 6, 7)
WEIGHTS(extreme, -0x1p63, -0x1p62, -1, 1, 0x1p62, 0x1p63, 0x1p63)
WEIGHTS(mixed_tenths, 0.1, 0.2, -0.3, 0.3, 0.7, -0.1)
WEIGHTS(mixed_sizes, -1.5, 0x1p-20, 1, 1.5, 0x1p20, -0x1p-22, 0x1.8p22)
WEIGHTS(mixed_infinite, HUGE_VAL, -1, 1, 0x1p40, -0x1p-12, 2)
WEIGHTS(halves, -1, -0.5, 0, 0.5, 1, 1.5)

typedef struct weighting {
    hop_weight_type type;
    weight_fn pick;
} weighting;

static const weighting above[8] = {
    {HOP_TYPE_NONE, few},
    {HOP_TYPE_INT32, few},
    {HOP_TYPE_INT32, zero_or_one},
    {HOP_TYPE_INT64, far_apart},
    {HOP_TYPE_FLOAT32, swallowed},
    {HOP_TYPE_FLOAT64, tenths},
    {HOP_TYPE_FLOAT32, overflowing},
    {HOP_TYPE_FLOAT64, tiny},
};
static const weighting more_above[2] = {{HOP_TYPE_INT64, huge_integers},
                                        {HOP_TYPE_FLOAT64, zero_or_one}};

static const weighting either[8] = {
    {HOP_TYPE_INT32, mixed},
    {HOP_TYPE_INT32, balanced},
    {HOP_TYPE_INT64, mostly_above},
    {HOP_TYPE_INT64, extreme},
    {HOP_TYPE_FLOAT64, mixed_tenths},
    {HOP_TYPE_FLOAT32, mixed_sizes},
    {HOP_TYPE_FLOAT64, mixed_infinite},
    {HOP_TYPE_FLOAT32, halves},
};

static uint64_t runs, cycles, beyonds, reached_all;

static void assert_status(const question *q, const char *what, hop_context *context, hop_status got,
                          hop_status expected) {
    if (got == expected)
        return;
    describe_small(q);
    fail_msg("%s: %s, expected %s; the message is '%s'", what, hop_status_name(got),
             hop_status_name(expected), hop_context_message(context));
}

/* The certifier accepts, in each way of asking. */
static void check_certificates(const question *q, hop_context *context, const hop_graph *graph,
                               const hop_sssp_options *given, const void *distances,
                               const hop_vertex *parents) {
    hop_sssp_options options = *given;
    hop_run run = HOP_RUN_INIT;
    bool negative = small_negative(q->g);
    bool cut = q->target_count > 0 || q->nearest > 0 || q->cutoff < HUGE_VAL;
    options.run = &run;
    for (int mode = HOP_CERTIFY_NONE; mode <= HOP_CERTIFY_VALID; mode++)
        for (int with_parents = 0; with_parents < 2; with_parents++) {
            run.certify = (hop_certify)mode;
            hop_status expected = HOP_OK;
            if (negative && (cut || (is_real(q->g->type) && !with_parents)))
                expected = HOP_ERR_UNSUPPORTED;
            assert_status(q, "certify", context,
                          hop_sssp_certify(context, graph, q->sources, q->source_count, &options,
                                           GIVEN(graph, distances), with_parents ? parents : NULL),
                          expected);
        }
}

static void check_cycle(const question *q, hop_context *context, const hop_graph *graph) {
    hop_vertex count;
    const hop_vertex *vertices = hop_context_cycle(context, &count);
    assert_non_null(vertices);
    assert_true(count >= 1 && count <= q->g->n);
    big sum = 0;
    unsigned seen = 0;
    for (hop_vertex i = 0; i < count; i++) {
        hop_vertex u = vertices[i], v = vertices[(i + 1) % count];
        big best = 0;
        bool found = false;
        assert_true(u < q->g->n && vertices[0] <= u && !(seen >> u & 1));
        seen |= 1u << u;
        for (uint32_t a = q->g->offsets[u]; a < q->g->offsets[u + 1]; a++)
            if (q->g->targets[a] == v && arc_counts(q->g, a) &&
                (!found || small_units(q->g, a) < best)) {
                best = small_units(q->g, a);
                found = true;
            }
        assert_true(found);
        sum += best;
    }
    assert_true(sum < 0);
    assert_status(q, "cycle", context, hop_cycle_certify(context, graph, vertices, count), HOP_OK);
}

/* One question to one variant. `ask` says which arrays are wanted: 1 distances, 2 parents. */
static void check_variant(const question *q, const answer *a, hop_context *context,
                          const hop_graph *graph, const char *variant, unsigned ask) {
    union {
        int64_t i64[SMALL];
        char bytes[SMALL * 8];
    } distances;
    hop_vertex parents[SMALL];
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.variant = variant;
    run.report = &report;
    run.certify = (hop_certify)(runs % 3);
    options.run = &run;
    options.targets = q->targets;
    options.target_count = q->target_count;
    options.cutoff = q->cutoff;
    options.nearest = q->nearest;
    memset(&distances, 0x5a, sizeof distances);
    memset(parents, 0x5a, sizeof parents);
    hop_status expected = a->cycle    ? HOP_ERR_NEGATIVE_CYCLE
                          : a->beyond ? HOP_ERR_UNSUPPORTED
                                      : HOP_OK;
    hop_status status =
        hop_sssp(context, graph, q->sources, q->source_count, &options,
                 ROOM(graph, ask & 1 ? &distances : NULL), ask & 2 ? parents : NULL);
    runs++;
    assert_status(q, variant, context, status, expected);
    if (a->cycle) {
        cycles++;
        check_cycle(q, context, graph);
        return;
    }
    assert_null(hop_context_cycle(context, NULL)); /* also none of the question before */
    if (status != HOP_OK) {
        beyonds++;
        return;
    }
    assert_answer(q, a, variant, ask & 1 ? &distances : NULL, ask & 2 ? parents : NULL);
    if (ask == 3)
        check_certificates(q, context, graph, &options, &distances, parents);
}

static void check_question(const question *q, hop_context *context, const hop_graph *graph,
                           unsigned ask) {
    answer a;
    solve_small(q, &a);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        const char *name = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        if (!takes_negative(name) && small_negative(q->g))
            continue;
        check_variant(q, &a, context, graph, name, ask);
    }
    for (hop_vertex v = 0; v < q->g->n; v++)
        reached_all += a.reached[v];
}

/* Two questions to a graph: a plain one, and one with several sources, limits, missing arrays. */
static void check_graph(hop_context *context, const small_graph *g, uint64_t seed) {
    hop_graph *graph = small_build(context, g);
    hop_vertex sources[3], targets[2], n = g->n;
    for (unsigned i = 0; i < 3; i++)
        sources[i] = (hop_vertex)hop__random_below(hop__random_at(seed, 50, i), n ? n : 1);
    for (unsigned i = 0; i < 2; i++)
        targets[i] = (hop_vertex)hop__random_below(hop__random_at(seed, 51, i), n ? n : 1);
    uint32_t random = (uint32_t)hop__random_at(seed, 52, 0);
    static const double cutoffs[] = {HUGE_VAL, 2, 0.5, 0, -1, 0x1p41};
    question plain = {g, sources, n > 0, NULL, 0, HUGE_VAL, 0};
    question limited = {g, sources, 1 + random % 3, targets, random / 3 % 3, HUGE_VAL, 0};
    limited.cutoff = cutoffs[random / 9 % 6];
    if (random >> 30 == 0)
        limited.nearest = 1 + (random >> 26) % 4;
    if (n == 0)
        limited.source_count = limited.target_count = 0;
    check_question(&plain, context, graph, 3);
    check_question(&limited, context, graph, random / 54 % 4 == 0 ? random / 216 % 3 : 3);
    hop_graph_release(graph);
}

static void undirected_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint64_t graphs = 0;
    runs = cycles = reached_all = 0;
    const uint64_t step = SMALLER_TESTS ? 7 : 1; /* of the largest */
    for (uint32_t n = 0; n <= 6; n++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << (n * (n - (n > 0)) / 2);
             bits += n == 6 ? step : 1, graphs++)
            for (unsigned k = 0; k < 8; k++) {
                small_graph g;
                small_undirected(&g, n, bits);
                small_weigh(&g, above[k].type, above[k].pick, bits * 8 + k);
                check_graph(context, &g, bits * 64 + n * 8 + k);
            }
    assert_int_equal(graphs, 1 + 1 + 2 + 8 + 64 + 1024 + (32767 / step + 1));
    assert_int_equal(cycles, 0);
    assert_true(runs == graphs * 8 * 2 * host_variant_count(HOP_PROBLEM_SSSP));
    assert_true(reached_all > runs);
    free_context(context);
}

static void directed_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    runs = cycles = beyonds = 0;
    for (uint32_t n = 0; n <= 4; n++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << (n * (n - (n > 0))); bits++)
            for (unsigned k = 0; k < 8; k++) {
                small_graph g;
                small_directed(&g, n, bits, false);
                small_weigh(&g, either[k].type, either[k].pick, bits * 8 + k);
                check_graph(context, &g, bits * 64 + n * 8 + k);
            }
    /* All kinds of ends came up. */
    assert_true(cycles > 1000 && beyonds > 100 && runs > 60000);
    free_context(context);
}

/* Loops: all directed graphs with up to 3 vertices. */
static void directed_graphs_with_loops(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (uint32_t n = 1; n <= 3; n++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << (n * n); bits++)
            for (unsigned k = 0; k < 18; k++) {
                const weighting *w = k < 8    ? &above[k]
                                     : k < 10 ? &more_above[k - 8]
                                              : &either[k - 10];
                small_graph g;
                small_directed(&g, n, bits, true);
                small_weigh(&g, w->type, w->pick, bits * 18 + k);
                check_graph(context, &g, bits * 256 + n * 32 + k);
            }
    free_context(context);
}

/* Larger ones, directed, with loops and parallel arcs, of every weighting; several threads. */
static void random_graphs(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        hop_context *context = make_context(threads);
        for (uint64_t seed = 0; seed < 3000; seed++) {
            small_graph g = {.directed = true};
            unsigned k = (unsigned)(seed % 18);
            const weighting *w = k < 8 ? &above[k] : k < 10 ? &more_above[k - 8] : &either[k - 10];
            g.n = 5 + (uint32_t)(seed / 18 % 3);
            unsigned density = (unsigned)(hop__random_at(seed, 60, 0) % 4) + 1;
            for (uint32_t u = 0; u < g.n; u++) {
                for (uint32_t v = 0; v < g.n; v++) {
                    uint64_t random = hop__random_at(seed, 61, u * SMALL + v);
                    unsigned copies =
                        random % 8 < density ? 1 + (random >> 10 & random >> 11 & 1) : 0;
                    while (copies-- > 0)
                        g.targets[g.arcs++] = v;
                }
                g.offsets[u + 1] = g.arcs;
            }
            small_weigh(&g, w->type, w->pick, seed);
            check_graph(context, &g, seed);
        }
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undirected_graphs),
        cmocka_unit_test(directed_graphs),
        cmocka_unit_test(directed_graphs_with_loops),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
