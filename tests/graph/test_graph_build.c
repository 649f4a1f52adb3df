/* SPDX-License-Identifier: Apache-2.0
 * The builder against a plain reference: qsort of all arcs, then a walk. */
#include "core/context_internal.h"
#include "graph/graph_testing.h"

typedef struct build_case {
    uint32_t n;
    uint64_t m;
    unsigned skew; /* the larger, the more edges at small ids */
    bool directed;
    hop_loops loops;
    hop_duplicates rule;
    hop_weight_type type;
} build_case;

static double merge(hop_duplicates rule, hop_weight_type type, double a, double b) {
    switch (rule) {
    case HOP_DUPLICATES_MIN:
        return b < a ? b : a;
    case HOP_DUPLICATES_MAX:
        return b > a ? b : a;
    case HOP_DUPLICATES_SUM:
        return type == HOP_TYPE_FLOAT32 ? (double)((float)a + (float)b) : a + b;
    case HOP_DUPLICATES_LAST:
        return b;
    default:
        return a;
    }
}

/* Sorts and merges; the number of arcs that stay. */
static uint64_t reference(arc *arcs, uint64_t count, const build_case *c) {
    uint64_t kept = 0;
    qsort(arcs, count, sizeof *arcs, compare_arcs);
    for (uint64_t i = 0; i < count; i++) {
        if (kept && c->rule != HOP_DUPLICATES_KEEP && arcs[kept - 1].from == arcs[i].from &&
            arcs[kept - 1].to == arcs[i].to)
            arcs[kept - 1].weight = merge(c->rule, c->type, arcs[kept - 1].weight, arcs[i].weight);
        else
            arcs[kept++] = arcs[i];
    }
    return kept;
}

static void make_edges(const build_case *c, uint32_t *from, uint32_t *to, uint64_t seed) {
    for (uint64_t i = 0; i < c->m; i++) {
        double a = hop__random_unit(hop__random_at(seed, 1, i));
        double b = hop__random_unit(hop__random_at(seed, 2, i));
        from[i] = (uint32_t)(pow(a, c->skew) * c->n);
        to[i] = (uint32_t)(b * c->n);
    }
}

static uint64_t reference_of(const build_case *c, const uint32_t *from, const uint32_t *to,
                             const void *weights, arc *arcs) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->m; i++) {
        double weight = weight_of(c->type, weights, i);
        if (from[i] == to[i] && c->loops == HOP_LOOPS_DROP)
            continue;
        arcs[count++] = (arc){from[i], to[i], i, weight};
        if (!c->directed && from[i] != to[i])
            arcs[count++] = (arc){to[i], from[i], i, weight};
    }
    return reference(arcs, count, c);
}

static void check_info(hop_context *context, const hop_graph *graph, const build_case *c,
                       const arc *arcs, uint64_t count) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    uint64_t loops = 0, largest = 0, isolated = 0;
    double low = INFINITY, high = -INFINITY;
    uint64_t *degree = calloc((size_t)c->n + 1, sizeof *degree);
    for (uint64_t i = 0; i < count; i++) {
        loops += arcs[i].from == arcs[i].to;
        degree[arcs[i].from]++;
        low = fmin(low, arcs[i].weight);
        high = fmax(high, arcs[i].weight);
    }
    for (uint32_t v = 0; v < c->n; v++) {
        largest = degree[v] > largest ? degree[v] : largest;
        isolated += degree[v] == 0;
    }
    if (c->n > 0)
        assert_int_equal(degree[info.max_degree_vertex], largest);
    assert_int_equal(info.loops, loops);
    assert_int_equal(info.max_degree, largest);
    assert_int_equal(info.isolated, isolated);
    assert_int_equal(info.edges, c->directed ? count : (count - loops) / 2 + loops);
    assert_int_equal(info.edges_given, c->m);
    if (c->type != HOP_TYPE_NONE && count) {
        assert_true(info.min_weight == low && info.max_weight == high);
        if (c->type <= HOP_TYPE_INT64)
            assert_true(info.min_weight_int == (int64_t)low &&
                        info.max_weight_int == (int64_t)high);
    }
    free(degree);
}

static void run_case(const build_case *c, uint64_t seed) {
    uint32_t *from = malloc(c->m * 4 + 4), *to = malloc(c->m * 4 + 4);
    void *weights = c->type ? make_weights(c->type, c->m, seed) : NULL;
    arc *arcs = malloc((2 * c->m + 1) * sizeof *arcs);
    make_edges(c, from, to, seed);
    uint64_t count = reference_of(c, from, to, weights, arcs), hash = 0;
    static const unsigned threads[] = {1, 3, 2, 8};
    for (size_t t = 0; t < (c->m < 10000 || SMALLER_TESTS ? 2 : 4); t++) {
        hop_context *context = make_context(threads[t]);
        hop_edges edges = {sizeof edges, c->m, from, to, 4, 0, weights, c->type};
        hop_build_options options = {sizeof options, c->n,          c->directed, c->rule,
                                     c->loops,       HOP_IDS_DENSE, NULL};
        hop_graph *graph = NULL;
        uint64_t own_hash;
        if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_graph_is(graph, arcs, count);
        check_info(context, graph, c, arcs, count);
        assert_int_equal(hop_graph_hash(context, graph, &own_hash), HOP_OK);
        if (t == 0)
            hash = own_hash;
        assert_int_equal(hash, own_hash);
        hop_graph_release(graph);
        free_context(context);
    }
    free(from);
    free(to);
    free(weights);
    free(arcs);
}

static void builds_what_the_reference_builds(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {
        {0, 0},    {1, 0},    {1, 5},       {2, 1},        {2, 100},      {3, 7},      {17, 40},
        {64, 500}, {1000, 1}, {1000, 5000}, {70000, 3000}, {5000, 40000}, {300, 40000}};
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
            for (int rule = HOP_DUPLICATES_MIN; rule <= HOP_DUPLICATES_KEEP; rule++)
                for (int bits = 0; bits < 4; bits++, seed++) {
                    build_case c = {sizes[s][0],
                                    sizes[s][1],
                                    1 + (unsigned)seed % 3,
                                    (bits & 1) != 0,
                                    (hop_loops)(bits >> 1),
                                    (hop_duplicates)rule,
                                    (hop_weight_type)type};
                    /* The large ones are slow, and all of them with a sanitizer. */
                    if (seed % (SMALLER_TESTS ? 3 : 1) == 0 && (c.m < 30000 || seed % 7 == 0))
                        run_case(&c, seed);
                }
}

/* Large enough that threads share the work, keys are wide, and buckets overflow. */
static void builds_large_and_skewed_graphs(void **state) {
    (void)state;
    static const build_case cases[] = {
        {1u << 20, 1u << 20, 1, false, HOP_LOOPS_KEEP, HOP_DUPLICATES_MIN, HOP_TYPE_NONE},
        {1u << 20, 900000, 30, false, HOP_LOOPS_KEEP, HOP_DUPLICATES_MIN, HOP_TYPE_NONE},
        {1u << 20, 900000, 30, true, HOP_LOOPS_KEEP, HOP_DUPLICATES_SUM, HOP_TYPE_FLOAT32},
        {1u << 24, 700000, 60, true, HOP_LOOPS_DROP, HOP_DUPLICATES_LAST, HOP_TYPE_INT64},
        {50, 900000, 3, false, HOP_LOOPS_KEEP, HOP_DUPLICATES_KEEP, HOP_TYPE_INT32},
        {3, 700000, 1, false, HOP_LOOPS_KEEP, HOP_DUPLICATES_FIRST, HOP_TYPE_FLOAT64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        build_case c = cases[i];
        c.m /= SMALLEST_TESTS ? 4 : 1;
        run_case(&c, 100 + i);
    }
}

/* One hub with more arcs than one thread sorts alone: the bucket is split, then is one row. */
static void builds_a_star(void **state) {
    (void)state;
    enum { LEAVES = 400000 };
    uint32_t *from = malloc(LEAVES * 4), *to = malloc(LEAVES * 4);
    hop__shuffle order;
    hop__shuffle_init(&order, LEAVES, 5, 0);
    for (uint32_t i = 0; i < LEAVES; i++) {
        from[i] = LEAVES / 2;
        to[i] = (uint32_t)hop__shuffle_at(&order, i);
    }
    hop_context *context = make_context(2);
    hop_edges edges = {sizeof edges, LEAVES, from, to, 4, 0, NULL, HOP_TYPE_NONE};
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), LEAVES);
    assert_int_equal(hop_graph_arcs(graph), 2 * LEAVES - 1);
    uint64_t hub = offset_of(graph, LEAVES / 2);
    for (uint32_t i = 0; i < LEAVES; i++)
        assert_int_equal(hop_graph_targets(graph)[hub + i], i);
    hop_graph_release(graph);
    free_context(context);
    free(from);
    free(to);
}

static void takes_pairs_and_wide_ids(void **state) {
    (void)state;
    static const int64_t pairs[][2] = {{3, 1}, {0, 3}, {1, 3}, {2, 2}};
    static const arc expected[] = {
        {0, 3, 0, 0}, {1, 3, 0, 0}, {2, 2, 0, 0}, {3, 0, 0, 0}, {3, 1, 0, 0}};
    hop_context *context = make_context(2);
    hop_edges edges = {sizeof edges, 4, &pairs[0][0], &pairs[0][1], 8, 16, NULL, HOP_TYPE_NONE};
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    assert_graph_is(graph, expected, 5);
    hop_graph_release(graph);
    free_context(context);
}

static void refuses(const hop_edges *edges, const hop_build_options *options, hop_status expected,
                    const char *part) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        hop_graph *graph = NULL;
        assert_int_equal(hop_graph_from_edges(context, edges, options, &graph), expected);
        assert_message(context, part);
        assert_null(graph);
        free_context(context);
    }
}

static void refuses_bad_edges(void **state) {
    (void)state;
    static const uint32_t from[] = {0, 1, 5}, to[] = {1, 2, 0}, same[] = {1, 1, 1};
    static const int64_t wide_from[] = {0, -1}, wide_to[] = {1, 1};
    const float not_a_number[] = {1, NAN, 2}, infinite[] = {INFINITY, 1, -INFINITY};
    static const int32_t large[] = {INT32_MAX, 1, INT32_MAX};
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = {sizeof edges, 3, from, to, 4, 0, NULL, HOP_TYPE_NONE};
    options.vertices = 3;
    refuses(&edges, &options, HOP_ERR_INPUT, "edge 2: from 5 to 0, but ids must be below the 3");
    options.vertices = UINT64_C(1) << 32;
    refuses(&edges, &options, HOP_ERR_ARGUMENT, "4294967296 vertices");
    options.vertices = 6;
    edges.weights = not_a_number;
    edges.weight_type = HOP_TYPE_FLOAT32;
    refuses(&edges, &options, HOP_ERR_INPUT, "edge 1 (1 to 2): its weight is not a number");
    edges.from = edges.to = same;
    edges.weights = large;
    edges.weight_type = HOP_TYPE_INT32;
    options.duplicates = HOP_DUPLICATES_SUM;
    refuses(&edges, &options, HOP_ERR_INPUT, "from 1 to 1 add up to more");
    edges.weights = infinite;
    edges.weight_type = HOP_TYPE_FLOAT32;
    refuses(&edges, &options, HOP_ERR_INPUT, "from 1 to 1 add up");
    hop_edges wide = {sizeof wide, 2, wide_from, wide_to, 8, 0, NULL, HOP_TYPE_NONE};
    refuses(&wide, NULL, HOP_ERR_INPUT, "the largest id is 18446744073709551615");
    wide.id_bytes = 2;
    refuses(&wide, NULL, HOP_ERR_ARGUMENT, "id_bytes is 2");
    wide.id_bytes = 8;
    wide.weight_type = HOP_TYPE_INT32;
    refuses(&wide, NULL, HOP_ERR_ARGUMENT, "weights are NULL");
}

/* Small gaps go by bitmap, wide ones by sorting. */
static void numbers_sparse_ids(void **state) {
    (void)state;
    enum { M = 50000, N = 7 };
    static const uint64_t scales[] = {3, UINT64_C(1) << 58};
    static uint64_t from[M], to[M];
    for (size_t s = 0; s < 2; s++) {
        for (uint64_t i = 0; i < M; i++) {
            from[i] = (i % N + 1) * scales[s];
            to[i] = ((i * 3 + 1) % N + 1) * scales[s];
        }
        for (unsigned threads = 1; threads <= 3; threads++) {
            hop_context *context = make_context(threads);
            hop_edges edges = {sizeof edges, M, from, to, 8, 0, NULL, HOP_TYPE_NONE};
            hop_build_options options = HOP_BUILD_OPTIONS_INIT;
            hop_graph *graph = NULL;
            options.ids = HOP_IDS_SPARSE;
            assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
            assert_int_equal(hop_graph_vertices(graph), N);
            for (uint32_t v = 0; v < N; v++) {
                assert_int_equal(hop_graph_label(graph, v), (v + 1) * scales[s]);
                assert_int_equal(hop_graph_find(graph, (v + 1) * scales[s]), v);
            }
            assert_int_equal(hop_graph_find(graph, scales[s] + 1), HOP_NO_VERTEX);
            assert_int_equal(hop_graph_find(graph, UINT64_MAX), HOP_NO_VERTEX);
            hop_graph_release(graph);
            free_context(context);
        }
    }
}

static void sparse_ids_that_are_dense_need_no_labels(void **state) {
    (void)state;
    static const uint32_t from[] = {2, 0}, to[] = {1, 2};
    static const uint64_t labels[] = {0, 1, 2, 9}, unknown[] = {0, 1}, falling[] = {0, 2, 1};
    hop_edges edges = {sizeof edges, 2, from, to, 4, 0, NULL, HOP_TYPE_NONE};
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    options.ids = HOP_IDS_SPARSE;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    assert_null(hop_graph_labels(graph));
    assert_int_equal(hop_graph_vertices(graph), 3);
    hop_graph_release(graph);
    options.labels = labels;
    options.vertices = 4;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 4);
    assert_int_equal(hop_graph_label(graph, 3), 9);
    hop_graph_release(graph);
    free_context(context);
    options.labels = unknown;
    options.vertices = 2;
    refuses(&edges, &options, HOP_ERR_INPUT, "edge 0: from 2 to 1");
    options.labels = falling;
    options.vertices = 3;
    refuses(&edges, &options, HOP_ERR_INPUT, "strictly ascending");
    options.labels = NULL; /* the ids say how many there are */
    refuses(&edges, &options, HOP_ERR_ARGUMENT, "build: 3 vertices, but sparse ids say how many");
    static const uint64_t far_from[] = {UINT64_C(1) << 40}, far_to[] = {1};
    hop_edges far = {sizeof far, 1, far_from, far_to, 8, 0, NULL, HOP_TYPE_NONE};
    options.ids = HOP_IDS_DENSE;
    refuses(&far, &options, HOP_ERR_INPUT, "edge 0: from 4294967295 or more to 1,");
}

static bool go_on(void *user, const hop_progress *progress) {
    (void)user;
    (void)progress;
    return true;
}

/* Builds, prepares and reverses a graph; what every failed allocation must leave intact. */
static hop_status use_everything(hop_context *context, const hop_edges *edges) {
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL, *reverse = NULL, *both = NULL, *part = NULL;
    hop_vertex some[] = {0, 1, 5};
    uint64_t hash;
    options.ids = HOP_IDS_SPARSE;
    options.directed = true;
    hop_status status = hop_graph_from_edges(context, edges, &options, &graph);
    if (status == HOP_OK)
        status = hop_graph_prepare(context, graph, HOP_PREPARE_DIAMETER | HOP_PREPARE_REVERSE);
    if (status == HOP_OK)
        status = hop_graph_reverse(context, graph, &reverse);
    if (status == HOP_OK)
        status = hop_graph_symmetrize(context, graph, HOP_DUPLICATES_SUM, &both);
    if (status == HOP_OK)
        status = hop_graph_subgraph(context, both, some, 3, &part);
    if (status == HOP_OK)
        status = hop_graph_hash(context, part, &hash);
    hop_graph_release(graph);
    hop_graph_release(reverse);
    hop_graph_release(both);
    hop_graph_release(part);
    return status;
}

static void survives_every_failed_allocation(void **state) {
    (void)state;
    enum { M = 40000 };
    static uint64_t from[M], to[M];
    static float weights[M];
    for (uint64_t i = 0; i < M; i++) {
        from[i] = hop__random_at(1, 1, i) >> 34;
        to[i] = hop__random_at(1, 2, i) >> 34;
        weights[i] = (float)i;
    }
    long left = -1, failed = 0;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_edges edges = {sizeof edges, M, from, to, 8, 0, weights, HOP_TYPE_FLOAT32};
    options.allocator = (hop_allocator){failing_allocate, NULL, failing_release, &left};
    options.threads = 2;
    options.progress = go_on;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    for (hop_status status = HOP_ERR_MEMORY; status != HOP_OK; failed++) {
        left = failed;
        status = use_everything(context, &edges);
        assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
        assert_int_equal(hop_context_memory_used(context), 0);
        assert_null(context->phase); /* what comes next would be cancelled in it */
    }
    assert_true(failed > 60);
    free_context(context);
}

/* Ids that begin anywhere are one number of the graph, and no array. */
static void ids_begin_at_the_first(void **state) {
    (void)state;
    static const uint64_t firsts[] = {0, 1, 7, UINT32_MAX, UINT64_MAX - 4};
    for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
        for (unsigned sparse = 0; sparse < 2; sparse++) {
            uint64_t first = firsts[f];
            const uint64_t from[] = {first + 2, first, first + 3},
                           to[] = {first + 1, first + 2, first + 3};
            hop_edges edges = {sizeof edges, 3, from, to, 8, 0, NULL, HOP_TYPE_NONE};
            hop_build_options options = HOP_BUILD_OPTIONS_INIT;
            hop_graph_info info = HOP_GRAPH_INFO_INIT;
            hop_context *context = make_context(1);
            hop_graph *graph = NULL;
            options.first_id = sparse ? 0 : first;
            options.ids = sparse ? HOP_IDS_SPARSE : HOP_IDS_DENSE;
            assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
            assert_null(hop_graph_labels(graph));
            assert_int_equal(hop_graph_vertices(graph), 4);
            assert_true(hop_graph_first_id(graph) == first);
            for (hop_vertex v = 0; v < 4; v++) {
                assert_true(hop_graph_label(graph, v) == first + v);
                assert_int_equal(hop_graph_find(graph, first + v), v);
            }
            assert_int_equal(hop_graph_find(graph, first - 1), HOP_NO_VERTEX);
            assert_int_equal(hop_graph_find(graph, first + 4), HOP_NO_VERTEX);
            assert_int_equal(hop_graph_label(graph, HOP_NO_VERTEX), HOP_NO_VERTEX);
            assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
            assert_true(!info.labelled && info.first_id == first);
            hop_graph_release(graph);
            free_context(context);
        }
}

static void ids_outside_are_told_as_they_are(void **state) {
    (void)state;
    static const uint32_t from[] = {1, 2}, low[] = {2, 0}, high[] = {2, 4};
    static const float weights[] = {1, NAN};
    hop_edges edges = {sizeof edges, 2, from, low, 4, 0, NULL, HOP_TYPE_NONE};
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    options.first_id = 1;
    options.vertices = 3;
    refuses(&edges, &options, HOP_ERR_INPUT,
            "edge 1: from 2 to less than 1, but ids go from 1 to 3");
    edges.to = high;
    refuses(&edges, &options, HOP_ERR_INPUT, "edge 1: from 2 to 4, but ids go from 1 to 3");
    options.vertices = 0;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_FLOAT32;
    refuses(&edges, &options, HOP_ERR_INPUT, "edge 1 (2 to 4): its weight is not a number");
    options.ids = HOP_IDS_SPARSE;
    refuses(&edges, &options, HOP_ERR_ARGUMENT, "first_id is 1, but sparse ids say themselves");
    options.ids = HOP_IDS_DENSE;
    options.first_id = UINT64_MAX;
    options.vertices = 2;
    refuses(&edges, &options, HOP_ERR_ARGUMENT, "do not fit 64 bits");
}

static bool stop_at_once(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void can_be_cancelled(void **state) {
    (void)state;
    enum { M = 1 << 20 };
    uint32_t *ids = calloc(M, 4);
    int calls = 0;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_edges edges = {sizeof edges, M, ids, ids, 4, 0, NULL, HOP_TYPE_NONE};
    hop_graph *graph = NULL;
    options.progress = stop_at_once;
    options.progress_user = &calls;
    options.threads = 2;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_ERR_CANCELLED);
    assert_true(calls > 0);
    free_context(context);
    free(ids);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_what_the_reference_builds),
        cmocka_unit_test(builds_large_and_skewed_graphs),
        cmocka_unit_test(builds_a_star),
        cmocka_unit_test(takes_pairs_and_wide_ids),
        cmocka_unit_test(refuses_bad_edges),
        cmocka_unit_test(numbers_sparse_ids),
        cmocka_unit_test(sparse_ids_that_are_dense_need_no_labels),
        cmocka_unit_test(ids_begin_at_the_first),
        cmocka_unit_test(ids_outside_are_told_as_they_are),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
