/* SPDX-License-Identifier: Apache-2.0
 *
 * The certifiers reject: every single-entry corruption of every result on all small graphs, ten
 * thousand random ones on graphs of 10^5 edges, and claims that are made up. What VALID may accept
 * is decided by the definition. */
#include "span_testing.h"
#include "sssp/sssp_testing.h"

static uint64_t rejected, accepted;

typedef struct weighting {
    hop_weight_type type;
    const double from[8];
    unsigned count;
} weighting;

static double chosen[8];
static unsigned chosen_count;

static double pick(uint64_t random) {
    return chosen[hop__random_below(random, chosen_count)];
}

static void weigh(small_graph *g, const weighting *w, uint64_t seed) {
    memcpy(chosen, w->from, sizeof chosen);
    chosen_count = w->count;
    small_weigh(g, w->type, pick, seed);
}

static const weighting above[] = {
    {HOP_TYPE_NONE, {1}, 1},
    {HOP_TYPE_INT32, {0, 1, 2, 3}, 4},
    {HOP_TYPE_INT64, {0, 0, 1}, 3},
    {HOP_TYPE_INT64, {0x1p61, 0x1p62, 1, 0}, 4},
    {HOP_TYPE_FLOAT32, {0, 0x1p-10, 1, 0x1p25}, 4},
    {HOP_TYPE_FLOAT32, {HUGE_VAL, 3e38, 1, 0}, 4},
    {HOP_TYPE_FLOAT64, {0.1, 0.2, 0.3, 0}, 4},
    {HOP_TYPE_FLOAT64, {-0.0, 0, 1e-300, 1}, 4},
};

static const weighting either[] = {
    {HOP_TYPE_INT32, {-1, 1, 2, 3, 4, 5}, 6},   {HOP_TYPE_INT32, {-1, 0, 1}, 3},
    {HOP_TYPE_INT64, {-2, 2, 0, 3}, 4},         {HOP_TYPE_INT64, {-0x1p62, 0x1p62, 0, 1}, 4},
    {HOP_TYPE_FLOAT32, {-1, 1, 2, 0x1p-20}, 4}, {HOP_TYPE_FLOAT64, {0.1, 0.2, -0.3, 0.3, 0.4}, 5},
};

/* A result of the library that is as the definition says, and the question to it. */
typedef struct subject {
    const question *q;
    answer a;
    hop_context *context;
    const hop_graph *graph;
    hop_sssp_options options;
    hop_run run;
} subject;

static bool same_distance(const small_graph *g, const answer *a, const void *distances,
                          hop_vertex v) {
    if (g->type == HOP_TYPE_FLOAT32)
        return ((const float *)distances)[v] == a->distances.f32[v];
    if (g->type == HOP_TYPE_FLOAT64)
        return ((const double *)distances)[v] == a->distances.f64[v];
    return ((const int64_t *)distances)[v] == a->distances.i64[v];
}

/* Whether this is a right answer, canonical or not. */
static bool is_valid(const subject *s, const void *distances, const hop_vertex *parents) {
    const small_graph *g = s->q->g;
    for (hop_vertex v = 0; v < g->n; v++) {
        if (!same_distance(g, &s->a, distances, v))
            return false;
        if (!parents)
            continue;
        if (!s->a.reached[v] && parents[v] != HOP_NO_VERTEX)
            return false;
        hop_vertex x = v;
        for (unsigned steps = 0; s->a.reached[v] && parents[x] != x; steps++) {
            bool tight = false;
            hop_vertex p = parents[x];
            if (p >= g->n || steps > g->n)
                return false;
            for (uint32_t i = g->offsets[p]; i < g->offsets[p + 1]; i++)
                tight = tight || (g->targets[i] == x && is_tight(&s->a, g, p, i));
            if (!tight)
                return false;
            x = p;
        }
        if (s->a.reached[v] && !is_zero_source(s->q, &s->a, x))
            return false;
    }
    return true;
}

static void expect(subject *s, hop_certify mode, const void *distances, const hop_vertex *parents,
                   bool good) {
    s->run.certify = mode;
    hop_status status = hop_sssp_certify(s->context, s->graph, s->q->sources, s->q->source_count,
                                         &s->options, GIVEN(s->graph, distances), parents);
    if (status == (good ? HOP_OK : HOP_ERR_CERTIFICATE)) {
        rejected += !good;
        accepted += good;
        return;
    }
    describe_small(s->q);
    for (hop_vertex v = 0; v < s->q->g->n; v++)
        fprintf(stderr, "vertex %u: parent %u (canonical %u)\n", v, parents ? parents[v] : 0,
                s->a.parents[v]);
    fail_msg("mode %d: %s, expected %s ('%s')", (int)mode, hop_status_name(status),
             good ? "acceptance" : "rejection", hop_context_message(s->context));
}

/* All three ways of asking about arrays that may differ from the canonical ones. */
static void judge(subject *s, const void *distances, const hop_vertex *parents) {
    const small_graph *g = s->q->g;
    bool same = memcmp(distances, &s->a.distances, g->n * distance_size(g)) == 0;
    bool negative_real = is_real(g->type) && small_negative(g);
    expect(s, HOP_CERTIFY_CANONICAL, distances, parents,
           same && memcmp(parents, s->a.parents, g->n * sizeof *parents) == 0);
    expect(s, HOP_CERTIFY_VALID, distances, parents, is_valid(s, distances, parents));
    if (same || negative_real)
        return;
    expect(s, HOP_CERTIFY_CANONICAL, distances, NULL, false);
    expect(s, HOP_CERTIFY_VALID, distances, NULL, is_valid(s, distances, NULL));
}

static void corrupt_parents(subject *s) {
    const small_graph *g = s->q->g;
    hop_vertex parents[SMALL];
    memcpy(parents, s->a.parents, sizeof parents);
    for (hop_vertex v = 0; v < g->n; v++) {
        hop_vertex right = parents[v];
        for (hop_vertex k = 0; k < g->n + 4; k++) {
            hop_vertex others[4] = {HOP_NO_VERTEX, right + 1, right - 1, UINT32_MAX - 1};
            parents[v] = k < g->n ? k : others[k - g->n];
            if (parents[v] != right)
                judge(s, &s->a.distances, parents);
        }
        parents[v] = right;
    }
}

static void corrupt_distances(subject *s) {
    const small_graph *g = s->q->g;
    answer changed = s->a;
    for (hop_vertex v = 0; v < g->n; v++) {
        for (unsigned k = 0; k < g->n + 9u; k++) {
            double d = k < g->n ? k : 0;
            if (g->type == HOP_TYPE_FLOAT32) {
                float right = s->a.distances.f32[v];
                float others[9] = {right + 1,
                                   right - 1,
                                   0,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   -0.0f,
                                   nextafterf(right, INFINITY),
                                   nextafterf(right, -INFINITY)};
                changed.distances.f32[v] = k < g->n ? (float)d : others[k - g->n];
            } else if (g->type == HOP_TYPE_FLOAT64) {
                double right = s->a.distances.f64[v];
                double others[9] = {right + 1,
                                    right - 1,
                                    0,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    -0.0,
                                    nextafter(right, INFINITY),
                                    nextafter(right, -INFINITY)};
                changed.distances.f64[v] = k < g->n ? d : others[k - g->n];
            } else {
                uint64_t right = (uint64_t)s->a.distances.i64[v];
                int64_t others[9] = {
                    (int64_t)(right + 1), (int64_t)(right - 1), 0,      INT64_MAX, INT64_MIN, -1,
                    INT64_MAX - 1,        INT64_MIN + 1,        1 << 30};
                changed.distances.i64[v] = k < g->n ? (int64_t)d : others[k - g->n];
            }
            if (memcmp(&changed.distances, &s->a.distances, g->n * distance_size(g)) != 0)
                judge(s, &changed.distances, s->a.parents);
        }
        changed.distances = s->a.distances;
    }
}

static void corrupt_question(hop_context *context, const hop_graph *graph, const question *q) {
    subject s = {.q = q, .context = context, .graph = graph};
    s.run = (hop_run)HOP_RUN_INIT;
    s.options = (hop_sssp_options)HOP_SSSP_OPTIONS_INIT;
    s.options.run = &s.run;
    s.options.targets = q->targets;
    s.options.target_count = q->target_count;
    s.options.cutoff = q->cutoff;
    solve_small(q, &s.a);
    if (s.a.cycle || s.a.beyond)
        return;
    expect(&s, HOP_CERTIFY_CANONICAL, &s.a.distances, s.a.parents, true);
    expect(&s, HOP_CERTIFY_VALID, &s.a.distances, s.a.parents, true);
    corrupt_parents(&s);
    corrupt_distances(&s);
}

static void corrupt_graph(hop_context *context, const small_graph *g, uint64_t seed) {
    hop_graph *graph = small_build(context, g);
    hop_vertex sources[2], targets[1];
    for (unsigned i = 0; i < 2; i++)
        sources[i] = (hop_vertex)hop__random_below(hop__random_at(seed, 1, i), g->n);
    targets[0] = (hop_vertex)hop__random_below(hop__random_at(seed, 2, 0), g->n);
    question q = {g, sources, 1 + seed % 2, targets, 0, HUGE_VAL, 0};
    if (seed % 3 == 0 && !small_negative(g)) {
        q.target_count = seed / 3 % 2;
        q.cutoff = seed / 6 % 2 ? 2 : HUGE_VAL;
    }
    corrupt_question(context, graph, &q);
    hop_graph_release(graph);
}

static void small_undirected_results(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    rejected = accepted = 0;
    for (uint32_t n = 1; n <= 5; n++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << (n * (n - 1) / 2);
             bits += n == 5 && SMALLER_TESTS ? 7 : 1)
            for (unsigned k = 0; k < 8; k++) {
                small_graph g;
                small_undirected(&g, n, bits);
                weigh(&g, &above[k], bits * 8 + k);
                corrupt_graph(context, &g, bits * 8 + k + n);
            }
    assert_true(rejected > (SMALLER_TESTS ? 100000 : 1000000) &&
                accepted > (SMALLER_TESTS ? 1000 : 10000));
    free_context(context);
}

static void small_directed_results(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    rejected = accepted = 0;
    for (uint32_t n = 1; n <= 4; n++)
        for (uint64_t bits = 0; bits < UINT64_C(1) << (n * (n - 1));
             bits += n == 4 && SMALLER_TESTS ? 7 : 1) {
            small_graph g;
            unsigned k = (unsigned)((bits + n) % 6);
            small_directed(&g, n, bits, false);
            weigh(&g, &either[k], bits);
            corrupt_graph(context, &g, bits + n);
            weigh(&g, &above[(bits + n) % 8], bits);
            corrupt_graph(context, &g, bits + n);
        }
    assert_true(rejected > (SMALLER_TESTS ? 10000 : 100000) &&
                accepted > (SMALLER_TESTS ? 400 : 4000));
    free_context(context);
}

/* The random corruptions of large results. */
typedef struct large {
    hop_context *context;
    hop_graph *graph;
    hop_weight_type type;
    hop_vertex n, source;
    void *distances;
    hop_vertex *parents;
} large;

static uint64_t row(const hop_graph *graph, uint64_t v) {
    size_t width;
    const void *offsets = hop_graph_offsets(graph, &width);
    return width == 4 ? ((const uint32_t *)offsets)[v] : ((const uint64_t *)offsets)[v];
}

/* Whether the arc from u to v is tight: integers only. */
static bool large_tight(const large *l, hop_vertex u, hop_vertex v) {
    const int64_t *d = l->distances;
    const int32_t *weights = hop_graph_weights(l->graph, NULL);
    for (uint64_t i = row(l->graph, u); i < row(l->graph, (uint64_t)u + 1); i++)
        if (hop_graph_targets(l->graph)[i] == v && d[u] + weights[i] == d[v])
            return true;
    return false;
}

/* Whether another parent for v is right too. */
static bool large_valid(const large *l, hop_vertex v, hop_vertex parent) {
    if (parent >= l->n || parent == v || v == l->source || l->parents[v] == HOP_NO_VERTEX ||
        l->parents[parent] == HOP_NO_VERTEX || !large_tight(l, parent, v))
        return false;
    for (hop_vertex x = parent; x != l->source; x = l->parents[x])
        if (x == v)
            return false;
    return true;
}

static hop_status certify_large(const large *l, hop_certify mode, bool with_parents) {
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.certify = mode;
    options.run = &run;
    return hop_sssp_certify(l->context, l->graph, &l->source, 1, &options,
                            GIVEN(l->graph, l->distances), with_parents ? l->parents : NULL);
}

static void corrupt_large(large *l, uint64_t count, uint64_t seed) {
    bool integer = l->type == HOP_TYPE_INT32;
    size_t size = l->type == HOP_TYPE_FLOAT32 ? 4 : 8;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t random = hop__random_at(seed, 3, k), other = hop__random_at(seed, 4, k);
        hop_vertex v = (hop_vertex)hop__random_below(random, l->n);
        hop_certify mode = random & 1 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_VALID;
        if (random & 2) {
            hop_vertex right = l->parents[v], wrong = (hop_vertex)hop__random_below(other, l->n);
            if (random & 4) /* a neighbour is more likely to be tight */
                wrong = row(l->graph, v) < row(l->graph, (uint64_t)v + 1)
                            ? hop_graph_targets(l->graph)[row(l->graph, v)]
                            : wrong;
            if (wrong == right)
                continue;
            bool good = integer && mode == HOP_CERTIFY_VALID && large_valid(l, v, wrong);
            if (!integer && mode == HOP_CERTIFY_VALID)
                mode = HOP_CERTIFY_CANONICAL;
            l->parents[v] = wrong;
            assert_int_equal(certify_large(l, mode, true), good ? HOP_OK : HOP_ERR_CERTIFICATE);
            l->parents[v] = right;
        } else {
            char right[8], *place = (char *)l->distances + v * size;
            memcpy(right, place, size);
            if (integer) {
                int64_t d = ((int64_t *)l->distances)[v];
                int64_t wrong[4] = {d - 1, d == INT64_MAX ? 1 : d + 1, (int64_t)(other % 1000),
                                    HOP_NO_DISTANCE};
                ((int64_t *)l->distances)[v] = wrong[other % 4];
            } else {
                double d =
                    size == 4 ? (double)((float *)l->distances)[v] : ((double *)l->distances)[v];
                double wrong[4] = {d - 1, d < HUGE_VAL ? d + 1 : 1, (double)(other % 1000),
                                   HUGE_VAL};
                if (size == 4)
                    ((float *)l->distances)[v] = (float)wrong[other % 4];
                else
                    ((double *)l->distances)[v] = wrong[other % 4];
            }
            bool alone = (random & 8) != 0 && !(l->type == HOP_TYPE_FLOAT64); /* see below */
            if (memcmp(right, place, size) != 0)
                assert_int_equal(certify_large(l, mode, !alone), HOP_ERR_CERTIFICATE);
            memcpy(place, right, size);
        }
        rejected++;
    }
    assert_int_equal(certify_large(l, HOP_CERTIFY_CANONICAL, true), HOP_OK);
}

/* Weights (given as range) on a random directed graph of 10^5 edges; float64 ones are negative at
 * times, which is why their distances are not certified alone. */
static void large_results(void **state) {
    (void)state;
    static const struct {
        hop_weight_type type;
        double low, high;
        unsigned threads;
    } kinds[] = {{HOP_TYPE_INT32, 0, 3, 1},
                 {HOP_TYPE_INT32, 1, 100, 2},
                 {HOP_TYPE_FLOAT32, 0, 1, 1},
                 {HOP_TYPE_FLOAT64, -1, 0, 1},
                 {HOP_TYPE_INT32, -4, 0, 2}};
    rejected = 0;
    for (unsigned k = 0; k < 5; k++) {
        enum { N = 20000, M = 100000 };
        large l = {make_context(kinds[k].threads), NULL, kinds[k].type, N, 0, NULL, NULL};
        uint32_t *from = malloc(M * 4), *to = malloc(M * 4);
        void *weights = malloc(M * 8);
        bool negative = kinds[k].low < 0;
        for (uint64_t i = 0; i < M; i++) {
            uint64_t u = hop__random_at(k, 5, i) % N, v = hop__random_at(k, 6, i) % N;
            double unit = hop__random_unit(hop__random_at(k, 7, i));
            /* Negative weights only upwards, so that there are no cycles of them. */
            double w = kinds[k].low + unit * (kinds[k].high - kinds[k].low);
            if (negative && u > v) {
                uint64_t turn = u;
                u = v;
                v = turn;
            }
            from[i] = (uint32_t)u;
            to[i] = (uint32_t)v;
            if (kinds[k].type == HOP_TYPE_INT32)
                ((int32_t *)weights)[i] = (int32_t)(u == v ? 0 : floor(w));
            else if (kinds[k].type == HOP_TYPE_FLOAT32)
                ((float *)weights)[i] = (float)w;
            else
                ((double *)weights)[i] = u == v ? 0 : w;
        }
        hop_edges edges = {sizeof edges, M, from, to, 4, 0, weights, kinds[k].type};
        hop_build_options build = HOP_BUILD_OPTIONS_INIT;
        build.vertices = N;
        build.directed = true;
        build.duplicates = HOP_DUPLICATES_KEEP;
        assert_int_equal(hop_graph_from_edges(l.context, &edges, &build, &l.graph), HOP_OK);
        l.distances = malloc(N * 8);
        l.parents = malloc(N * 4);
        assert_int_equal(
            hop_sssp(l.context, l.graph, &l.source, 1, NULL, ROOM(l.graph, l.distances), l.parents),
            HOP_OK);
        corrupt_large(&l, 2100, k);
        free(l.distances);
        free(l.parents);
        free(weights);
        free(from);
        free(to);
        hop_graph_release(l.graph);
        free_context(l.context);
    }
    assert_true(rejected >= 10000);
}

/* Claims that every arc agrees with, but no source supports: cycles over weights of 0. */
static void unsupported_claims(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int negative = 0; negative < 2; negative++) {
        small_graph g;
        small_directed(&g, 4, 0, false);
        g.type = HOP_TYPE_INT32;
        /* 1 -> 2 -> 1 of sum 0; 0 -> 3 of weight 7. */
        uint32_t offsets[] = {0, 1, 2, 3, 3}, targets[] = {3, 2, 1};
        memcpy(g.offsets, offsets, sizeof offsets);
        memcpy(g.targets, targets, sizeof targets);
        g.arcs = 3;
        g.weights.i32[0] = 7;
        g.weights.i32[1] = negative ? -2 : 0;
        g.weights.i32[2] = negative ? 2 : 0;
        hop_graph *graph = small_build(context, &g);
        hop_vertex source = 0, parents[] = {0, 2, 1, 0};
        int64_t distances[] = {0, 5, negative ? 3 : 5, 7};
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        options.run = &run;
        for (int mode = 0; mode <= HOP_CERTIFY_VALID; mode++) {
            run.certify = (hop_certify)mode;
            assert_int_equal(hop_sssp_certify(context, graph, &source, 1, &options,
                                              GIVEN(graph, distances), parents),
                             HOP_ERR_CERTIFICATE);
            assert_message(context, "lead round in a cycle");
            assert_int_equal(hop_sssp_certify(context, graph, &source, 1, &options,
                                              GIVEN(graph, distances), NULL),
                             HOP_ERR_CERTIFICATE);
            assert_message(context, "no path from a source has that length");
        }
        hop_graph_release(graph);
    }
    free_context(context);
}

/* Float sums that are right by rounding but not exactly, and the reverse. */
static void exact_or_not(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    small_directed(&g, 4, 0, false);
    g.type = HOP_TYPE_FLOAT64;
    /* 0 -> 1: 2^53, 1 -> 2: 1 (which rounding would swallow), 2 -> 3: -2^53. */
    uint32_t offsets[] = {0, 1, 2, 3, 3}, targets[] = {1, 2, 3};
    memcpy(g.offsets, offsets, sizeof offsets);
    memcpy(g.targets, targets, sizeof targets);
    g.arcs = 3;
    g.weights.f64[0] = 0x1p53;
    g.weights.f64[1] = 1;
    g.weights.f64[2] = -0x1p53;
    hop_graph *graph = small_build(context, &g);
    hop_vertex source = 0, parents[4];
    double distances[4];
    assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, distances), parents),
                     HOP_OK);
    assert_true(distances[2] == 0x1p53 && distances[3] == 1); /* ties to even, then exact */
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), parents),
        HOP_OK);
    distances[3] = 0; /* what rounded sums would give */
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), parents),
        HOP_ERR_CERTIFICATE);
    assert_message(context, "make it 1.0 away");
    hop_graph_release(graph);
    free_context(context);
}

static void assert_cycle(hop_context *context, const hop_graph *graph, const hop_vertex *vertices,
                         hop_vertex count, const char *part) {
    hop_status status = hop_cycle_certify(context, graph, vertices, count);
    assert_int_equal(status, part ? HOP_ERR_CERTIFICATE : HOP_OK);
    if (part)
        assert_message(context, part);
}

static void cycles_are_checked(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small_graph g;
    small_directed(&g, 4, UINT64_MAX, false);
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++) {
        g.type = (hop_weight_type)type;
        for (uint32_t u = 0; u < 4; u++)
            for (uint32_t i = g.offsets[u]; i < g.offsets[u + 1]; i++)
                small_set(&g, i, g.targets[i] == (u + 1) % 4 ? -1 : 1);
        hop_graph *graph = small_build(context, &g);
        assert_cycle(context, graph, (hop_vertex[]){0, 1, 2, 3}, 4, NULL);
        assert_cycle(context, graph, (hop_vertex[]){2, 3, 0, 1}, 4, NULL);
        assert_cycle(context, graph, (hop_vertex[]){0, 1, 2}, 3, NULL); /* -1 -1 +1 */
        assert_cycle(context, graph, (hop_vertex[]){0, 1}, 2, "do not add up");
        assert_cycle(context, graph, (hop_vertex[]){3, 2, 1, 0}, 4, "do not add up");
        assert_cycle(context, graph, (hop_vertex[]){0, 1, 2, 0, 1, 2}, 4, "comes twice");
        assert_cycle(context, graph, (hop_vertex[]){0, 1, 2, 3, 0}, 5, "no cycle");
        assert_cycle(context, graph, (hop_vertex[]){0, 1, 4}, 3, "there is no arc");
        assert_cycle(context, graph, (hop_vertex[]){4, 1, 2}, 3, "only 4 vertices");
        assert_cycle(context, graph, (hop_vertex[]){1}, 1, "there is no arc");
        assert_cycle(context, graph, (hop_vertex[]){1}, 0, "no cycle");
        assert_int_equal(hop_cycle_certify(context, graph, NULL, 1), HOP_ERR_ARGUMENT);
        hop_graph_release(graph);
    }
    assert_int_equal(hop_cycle_certify(context, NULL, NULL, 1), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_cycle_certify(NULL, NULL, NULL, 1), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* Sums of floating-point weights that rounding, in any order, gets wrong. */
static void cycle_sums_are_exact(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const struct {
        double weights[4];
        bool negative;
    } sums[] = {
        {{0x1p53, 1, -0x1p53, -1}, false},
        {{0x1p53, 1, -0x1p53, -2}, true},
        {{1e308, 1e308, -1e308, -1e308}, false},
        {{1e308, 5e-324, -1e308, 0}, false},
        {{1e308, -5e-324, -1e308, 0}, true},
        {{0.1, 0.2, -0.3, 0}, false},
        {{-0.1, -0.2, 0.3, 0}, true},
        {{5e-324, 5e-324, -1e-323, 0}, false},
        {{5e-324, -1e-323, 0, 0}, true},
        {{DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX}, false},
        {{-DBL_MAX, -DBL_MAX, -DBL_MAX, 1}, true},
        {{0x1p-1074, 0x1p1000, -0x1p1000, -0x1p-1073}, true},
    };
    for (unsigned k = 0; k < sizeof sums / sizeof sums[0]; k++) {
        small_graph g;
        small_directed(&g, 4, 0, false);
        g.type = HOP_TYPE_FLOAT64;
        g.arcs = 4;
        for (uint32_t u = 0; u < 4; u++) {
            g.offsets[u + 1] = u + 1;
            g.targets[u] = (u + 1) % 4;
            g.weights.f64[u] = sums[k].weights[u];
        }
        hop_graph *graph = small_build(context, &g);
        hop_vertex vertices[] = {0, 1, 2, 3}, source = 2;
        assert_cycle(context, graph, vertices, 4, sums[k].negative ? NULL : "do not add up");
        double distances[4];
        hop_status status =
            hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, distances), NULL);
        if (sums[k].negative) {
            assert_int_equal(status, HOP_ERR_NEGATIVE_CYCLE);
            hop_vertex around;
            assert_int_equal(hop_context_cycle(context, &around)[0], 0);
            assert_int_equal(around, 4);
        } else if (status == HOP_ERR_UNSUPPORTED) {
            assert_message(context, "does not fit float64");
        } else {
            assert_int_equal(status, HOP_OK);
            assert_true(distances[2] == 0);
        }
        hop_graph_release(graph);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_undirected_results),
        cmocka_unit_test(small_directed_results),
        cmocka_unit_test(large_results),
        cmocka_unit_test(unsupported_claims),
        cmocka_unit_test(exact_or_not),
        cmocka_unit_test(cycles_are_checked),
        cmocka_unit_test(cycle_sums_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
