/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes that are hard for parallel searches, by every variant that takes them, with 1, 2, 3, 4 and
 * 8 threads: the same bits as dijkstra gives on one thread, which the other tests compare with
 * brute force, and a certificate. Some are repeated, for races. */
#include "sssp/sssp_testing.h"

#include "core/try.h"

/* A graph of edges; weights are exact in the type. */
typedef struct shape {
    const char *name;
    uint32_t n;
    uint64_t m, room;
    uint32_t *from, *to;
    double *weights;
    bool directed;
} shape;

static void add_edge(shape *s, uint64_t u, uint64_t v, double weight) {
    if (s->m == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->from = realloc(s->from, s->room * 4);
        s->to = realloc(s->to, s->room * 4);
        s->weights = realloc(s->weights, s->room * 8);
    }
    s->from[s->m] = (uint32_t)u;
    s->to[s->m] = (uint32_t)v;
    s->weights[s->m++] = weight;
}

static void free_shape(shape *s) {
    free(s->from);
    free(s->to);
    free(s->weights);
}

static hop_graph *build_shape(hop_context *context, const shape *s, hop_weight_type type) {
    void *weights = malloc(s->m * 8 + 8);
    for (uint64_t i = 0; i < s->m; i++)
        switch (type) {
        case HOP_WEIGHT_INT32:
            ((int32_t *)weights)[i] = (int32_t)s->weights[i];
            break;
        case HOP_WEIGHT_INT64:
            ((int64_t *)weights)[i] = (int64_t)s->weights[i];
            break;
        case HOP_WEIGHT_FLOAT32: /* not exact, so that sums are rounded */
            ((float *)weights)[i] = (float)(s->weights[i] * 0.1);
            break;
        default:
            ((double *)weights)[i] = s->weights[i] * 0.1;
            break;
        }
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = s->m;
    edges.from = s->from;
    edges.to = s->to;
    edges.weights = type == HOP_WEIGHT_NONE ? NULL : weights;
    edges.weight_type = type;
    options.vertices = s->n;
    options.directed = s->directed;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free(weights);
    return graph;
}

/* Weight number i: uniform from 1 to 255. */
static double plain_weight(uint64_t i) {
    return 1 + (double)(hop__random_at(7, 1, i) % 255);
}

static double zero_or_one(uint64_t i) {
    return (double)(hop__random_at(7, 2, i) % 2);
}

static double zero(uint64_t i) {
    (void)i;
    return 0;
}

static double one_outlier(uint64_t i) {
    return i == 5 ? 1e9 : 1;
}

/* 2^-0 to 2^28: of any size. */
static double any_size(uint64_t i) {
    uint64_t random = hop__random_at(7, 3, i);
    return (double)(random >> 40 >> (random % 24)) * 16;
}

/* Sums leave 31 bits, on all ways or on some. */
static double beyond_31_bits(uint64_t i) {
    return 400000000 + (double)(hop__random_at(7, 4, i) % 1000);
}

static double mostly_small(uint64_t i) {
    return i % 7 == 0 ? 500000000 : (double)(i % 50);
}

typedef double (*weigher)(uint64_t i);

static shape random_shape(uint32_t n, uint64_t m, bool directed, bool skewed, weigher weigh) {
    shape s = {.name = skewed ? "skewed" : "random", .n = n, .directed = directed};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = hop__random_below(hop__random_at(9, 1, i), n);
        uint64_t v = hop__random_below(hop__random_at(9, 2, i), n);
        if (skewed)
            v = v * v / n * v / n;
        add_edge(&s, u, v, weigh(i));
    }
    return s;
}

static shape grid_shape(uint32_t side, weigher weigh) {
    shape s = {.name = "grid", .n = side * side};
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            if (x + 1 < side)
                add_edge(&s, y * side + x, y * side + x + 1, weigh(s.m));
            if (y + 1 < side)
                add_edge(&s, y * side + x, (y + 1) * side + x, weigh(s.m));
        }
    return s;
}

static shape star_shape(uint32_t n, bool two, weigher weigh) {
    shape s = {.name = two ? "two stars" : "star", .n = n};
    for (uint32_t v = 1; v < n; v++)
        add_edge(&s, two && v > n / 2 ? n / 2 : 0, v, weigh(v));
    return s;
}

static shape path_shape(uint32_t n, weigher weigh) {
    shape s = {.name = "path", .n = n};
    for (uint32_t v = 0; v + 1 < n; v++)
        add_edge(&s, v, v + 1, weigh(v));
    return s;
}

/* Each vertex makes all later ones nearer: as many useless entries as can be. */
static shape falling_shape(uint32_t n) {
    shape s = {.name = "falling", .n = n, .directed = true};
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            add_edge(&s, u, v, (double)(v - u) * (v - u));
    return s;
}

typedef struct solution {
    void *distances;
    hop_vertex *parents;
    hop_status status;
} solution;

static solution solve(hop_context *context, const hop_graph *graph, const char *variant,
                      hop_certify certify, double delta, hop_vertex source) {
    uint32_t n = hop_graph_vertices(graph);
    solution s = {malloc(n * 8), malloc(n * 4), HOP_OK};
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_setting setting = {.name = "delta", .value = delta};
    memset(s.distances, 0x55, n * 8);
    run.variant = variant;
    run.certify = certify;
    run.settings = &setting;
    run.setting_count = delta > 0;
    options.run = &run;
    s.status = hop_sssp(context, graph, &source, 1, &options, s.distances, s.parents);
    return s;
}

static void free_solution(solution *s) {
    free(s->distances);
    free(s->parents);
}

static void compare(const hop_context *context, const shape *shape_, hop_weight_type type,
                    const char *variant, unsigned threads, const solution *mine,
                    const solution *right) {
    size_t size = type == HOP_WEIGHT_FLOAT32 ? 4 : 8;
    if (mine->status != right->status)
        fail_msg("%s, %s: %s", shape_->name, variant, hop_context_message(context));
    for (uint32_t v = 0; v < shape_->n && mine->status == HOP_OK; v++)
        if (memcmp((char *)mine->distances + v * size, (char *)right->distances + v * size, size) !=
                0 ||
            mine->parents[v] != right->parents[v])
            fail_msg("%s, %s, %s, %u threads: vertex %u differs; parent %u, expected %u",
                     shape_->name, variant, hop_weight_name(type), threads, v, mine->parents[v],
                     right->parents[v]);
}

/* Every variant on every number of threads. */
static void check_shape(shape s, hop_weight_type type, double delta, unsigned repeats) {
    static const unsigned threads[] = {1, 2, 3, 4, 8};
    hop_context *alone = make_context(1);
    hop_graph *graph = build_shape(alone, &s, type);
    solution right = solve(alone, graph, "dijkstra", HOP_CERTIFY_CANONICAL, 0, 1);
    for (size_t i = 0; i < HOP_LENGTH(threads); i++) {
        hop_context *context = make_context(threads[i]);
        for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_SSSP); k++) {
            const hop_variant *variant = hop_variant_at(HOP_PROBLEM_SSSP, k);
            bool stepping = strcmp(variant->name, "delta-stepping") == 0;
            /* Those that are slow, or alone in any case, once. */
            if (!stepping && (i > 0 || delta > 0 || s.m > 100000))
                continue;
            for (unsigned r = 0; r < (stepping ? repeats : 1); r++) {
                solution mine = solve(context, graph, variant->name,
                                      r == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE,
                                      stepping ? delta : 0, 1);
                compare(context, &s, type, variant->name, threads[i], &mine, &right);
                free_solution(&mine);
            }
        }
        free_context(context);
    }
    free_solution(&right);
    hop_graph_release(graph);
    free_context(alone);
    free_shape(&s);
}

static void hard_shapes(void **state) {
    (void)state;
    static const weigher weighers[] = {plain_weight, zero_or_one, zero,
                                       one_outlier,  any_size,    mostly_small};
    for (int type = HOP_WEIGHT_INT32; type <= HOP_WEIGHT_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(weighers); w++) {
            check_shape(grid_shape(40, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(star_shape(2000, false, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(star_shape(2000, true, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(path_shape(1000, weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(random_shape(3000, 9000, true, true, weighers[w]), (hop_weight_type)type, 0,
                        2);
        }
    check_shape(grid_shape(60, plain_weight), HOP_WEIGHT_NONE, 0, 5);
}

/* So many arcs per vertex that there is a horizon, and vertices that pull. */
static void with_a_horizon(void **state) {
    (void)state;
    static const weigher weighers[] = {plain_weight, zero_or_one, one_outlier, any_size,
                                       mostly_small};
    for (int type = HOP_WEIGHT_NONE; type <= HOP_WEIGHT_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(weighers); w++)
            for (unsigned skewed = 0; skewed < 2; skewed++)
                check_shape(random_shape(3000, 40000, false, skewed, weighers[w]),
                            (hop_weight_type)type, 0, 1);
    check_shape(random_shape(6000, 120000, true, true, plain_weight), HOP_WEIGHT_INT32, 0, 3);
}

static void any_delta(void **state) {
    (void)state;
    static const double deltas[] = {1e-300, 0.001, 1, 7, 300, 1e9, 1e18};
    for (int type = HOP_WEIGHT_INT32; type <= HOP_WEIGHT_FLOAT64; type++)
        for (size_t i = 0; i < HOP_LENGTH(deltas); i++) {
            check_shape(random_shape(3000, 50000, false, true, plain_weight), (hop_weight_type)type,
                        deltas[i], 1);
            check_shape(grid_shape(50, any_size), (hop_weight_type)type, deltas[i], 1);
        }
}

/* Cells of 31 bits are too small for some distances. */
static void distances_beyond_31_bits(void **state) {
    (void)state;
    for (int type = HOP_WEIGHT_INT32; type <= HOP_WEIGHT_INT64; type++) {
        check_shape(path_shape(3000, beyond_31_bits), (hop_weight_type)type, 0, 1);
        check_shape(grid_shape(40, beyond_31_bits), (hop_weight_type)type, 0, 1);
        check_shape(random_shape(3000, 60000, false, false, beyond_31_bits), (hop_weight_type)type,
                    0, 1);
        check_shape(random_shape(3000, 5000, true, false, mostly_small), (hop_weight_type)type, 0,
                    1);
    }
}

/* The same where there is a horizon: a dense part, a long way from vertex 1 to it, and a leaf that
 * is too far only from there, so that nothing but a pull may come upon it. */
static shape tailed_shape(uint32_t place) {
    enum { CORE = 10, SIZE = 3000, LEAF = 1 };
    shape s = {.name = "tailed", .n = CORE + SIZE + LEAF};
    for (uint64_t i = 0; i < 200000; i++)
        add_edge(&s, CORE + hop__random_at(9, 3, i) % SIZE, CORE + hop__random_at(9, 4, i) % SIZE,
                 plain_weight(i));
    for (uint32_t k = 1; k < 5; k++)
        add_edge(&s, k, k < 4 ? k + 1 : CORE, 400000000);
    add_edge(&s, CORE + place, CORE + SIZE, 600000000);
    return s;
}

static void far_beyond_a_horizon(void **state) {
    (void)state;
    for (uint32_t place = 100; place < 700; place += 200) {
        check_shape(tailed_shape(place), HOP_WEIGHT_INT32, 0, 1);
        check_shape(tailed_shape(place), HOP_WEIGHT_INT64, 0, 1);
        check_shape(tailed_shape(place), HOP_WEIGHT_FLOAT32, 0, 1);
    }
}

/* The queue has room for little more than n entries. */
static void useless_entries(void **state) {
    (void)state;
    check_shape(falling_shape(800), HOP_WEIGHT_INT32, 0, 2);
    check_shape(falling_shape(800), HOP_WEIGHT_INT32, 1e6, 2);
    check_shape(falling_shape(400), HOP_WEIGHT_FLOAT64, 0, 2);
}

static void races(void **state) {
    (void)state;
    check_shape(grid_shape(160, plain_weight), HOP_WEIGHT_INT32, 0, 20);
    check_shape(star_shape(40000, true, plain_weight), HOP_WEIGHT_INT32, 0, 20);
    check_shape(random_shape(1000, 70000, false, true, plain_weight), HOP_WEIGHT_FLOAT32, 0, 20);
    check_shape(random_shape(2000, 120000, true, true, zero_or_one), HOP_WEIGHT_INT32, 0, 20);
}

/* Without a name: by the size, the threads and what is asked. */
static void choice(void **state) {
    (void)state;
    static const struct {
        uint32_t n;
        unsigned threads;
        hop_vertex targets;
        const char *variant, *reason;
    } cases[] = {{1 << 14, 2, 0, "dijkstra", "small graph"},
                 {1 << 15, 2, 0, "delta-stepping", "from 32768 vertices on"},
                 {1 << 15, 1, 0, "dijkstra", "small graph"},
                 {1 << 16, 1, 0, "delta-stepping", "from 65536 vertices on"},
                 {1 << 16, 2, 1, "dijkstra", "stops at the last target"}};
    for (size_t i = 0; i < HOP_LENGTH(cases); i++) {
        hop_context *context = make_context(cases[i].threads);
        shape s = path_shape(cases[i].n, plain_weight);
        hop_graph *graph = build_shape(context, &s, HOP_WEIGHT_INT32);
        hop_report report = HOP_REPORT_INIT;
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        hop_vertex source = 0, target = 5;
        int64_t *distances = malloc(cases[i].n * 8);
        run.report = &report;
        options.run = &run;
        options.targets = &target;
        options.target_count = cases[i].targets;
        assert_int_equal(hop_sssp(context, graph, &source, 1, &options, distances, NULL), HOP_OK);
        assert_string_equal(report.variant->name, cases[i].variant);
        if (!strstr(report.reason, cases[i].reason))
            fail_msg("'%s' is not in '%s'", cases[i].reason, report.reason);
        free(distances);
        hop_graph_release(graph);
        free_context(context);
        free_shape(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_beyond_a_horizon),     cmocka_unit_test(hard_shapes),
        cmocka_unit_test(with_a_horizon),           cmocka_unit_test(any_delta),
        cmocka_unit_test(distances_beyond_31_bits), cmocka_unit_test(choice),
        cmocka_unit_test(useless_entries),          cmocka_unit_test(races),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
