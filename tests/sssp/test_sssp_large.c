/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are large enough for several threads, against plain loops: distances by relaxing all
 * arcs until nothing changes, parents by the definition. Then how much work is done: early stop,
 * negative cycles found early, the workspaces of apsp. */
#include "sssp/sssp_testing.h"

#include "problem/report.h"
#include "span_testing.h"
#include "sssp/bellman/sssp_bellman_ford.h"
#include "sssp/sssp_dijkstra.h"

/* Arcs in the order of the rows. */
typedef struct plain {
    uint32_t n;
    uint64_t m;
    uint32_t *from, *to;
    double *weights; /* exact in the type */
    hop_weight_type type;
    bool negative;
} plain;

static plain make_plain(uint32_t n, uint64_t m, hop_weight_type type, bool negative) {
    plain p = {n, m, malloc(m * 4), malloc(m * 4), malloc(m * 8), type, negative};
    return p;
}

static void free_plain(plain *p) {
    free(p->from);
    free(p->to);
    free(p->weights);
}

/* Random arcs; `levels` many weights, 0 among them. Negative ones come from potentials, so that
 * cycles have sums of 0 and more: multiples of 2^-30, exact in double. */
static plain random_plain(uint64_t seed, uint32_t n, uint64_t m, hop_weight_type type,
                          unsigned levels, bool negative) {
    plain p = make_plain(n, m, type, negative);
    double unit = type == HOP_TYPE_FLOAT32 ? 0x1p-12 : type == HOP_TYPE_FLOAT64 ? 0x1p-30 : 1;
    for (uint64_t i = 0; i < m; i++) {
        uint64_t random = hop__random_at(seed, 1, i);
        p.from[i] = (uint32_t)hop__random_below(random, n);
        p.to[i] = (uint32_t)hop__random_below(hop__random_at(seed, 2, i), n);
        p.weights[i] = (double)(hop__random_at(seed, 3, i) % levels) * unit;
        if (!negative && is_real(type)) /* so that sums are rounded */
            p.weights[i] *= type == HOP_TYPE_FLOAT32 ? 0x1.ab4p3 : 0x1.123456789abcdp3;
        if (type == HOP_TYPE_FLOAT32)
            p.weights[i] = (double)(float)p.weights[i];
        if (negative) {
            double up = (double)(hop__random_at(seed, 4, p.from[i]) % 1000) * unit;
            double down = (double)(hop__random_at(seed, 4, p.to[i]) % 1000) * unit;
            p.weights[i] += up - down;
        }
    }
    return p;
}

static hop_graph *build_plain(hop_context *context, const plain *p) {
    void *weights = malloc(p->m * 8);
    for (uint64_t i = 0; i < p->m; i++)
        switch (p->type) {
        case HOP_TYPE_INT32:
            ((int32_t *)weights)[i] = (int32_t)p->weights[i];
            break;
        case HOP_TYPE_INT64:
            ((int64_t *)weights)[i] = (int64_t)p->weights[i];
            break;
        case HOP_TYPE_FLOAT32:
            ((float *)weights)[i] = (float)p->weights[i];
            break;
        default:
            ((double *)weights)[i] = p->weights[i];
            break;
        }
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = p->m;
    edges.from = p->from;
    edges.to = p->to;
    edges.weights = p->type == HOP_TYPE_NONE ? NULL : weights;
    edges.weight_type = p->type;
    options.vertices = p->n;
    options.directed = true;
    options.duplicates = HOP_DUPLICATES_KEEP;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    free(weights);
    return graph;
}

/* In doubles: integers and multiples of 2^-30 are exact, float32 sums are rounded. */
static double plain_add(const plain *p, double d, uint64_t arc) {
    double w = p->type == HOP_TYPE_NONE ? 1 : p->weights[arc];
    return p->type == HOP_TYPE_FLOAT32 && !p->negative ? (double)((float)d + (float)w) : d + w;
}

static void plain_solve(const plain *p, hop_vertex source, double *d, hop_vertex *parents) {
    uint32_t *layer = malloc(p->n * sizeof *layer);
    bool changed = true;
    for (uint32_t v = 0; v < p->n; v++) {
        d[v] = HUGE_VAL;
        parents[v] = HOP_NO_VERTEX;
        layer[v] = UINT32_MAX / 2;
    }
    d[source] = 0;
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < p->m; i++)
            if (d[p->from[i]] < HUGE_VAL && plain_add(p, d[p->from[i]], i) < d[p->to[i]]) {
                d[p->to[i]] = plain_add(p, d[p->from[i]], i);
                changed = true;
            }
    }
    parents[source] = source;
    layer[source] = 0;
    for (uint64_t i = 0; i < p->m && !p->negative; i++) {
        hop_vertex u = p->from[i], v = p->to[i];
        if (d[u] < d[v] && plain_add(p, d[u], i) == d[v]) {
            parents[v] = u < parents[v] ? u : parents[v];
            layer[v] = 0;
        }
    }
    for (changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < p->m; i++) {
            hop_vertex u = p->from[i], v = p->to[i];
            if (d[u] < HUGE_VAL && plain_add(p, d[u], i) == d[v] && layer[u] + 1 < layer[v]) {
                layer[v] = layer[u] + 1;
                changed = true;
            }
        }
    }
    for (uint64_t i = 0; i < p->m; i++) {
        hop_vertex u = p->from[i], v = p->to[i];
        if (d[u] < HUGE_VAL && plain_add(p, d[u], i) == d[v] && layer[v] > 0 &&
            layer[u] + 1 == layer[v] && u < parents[v])
            parents[v] = u;
    }
    free(layer);
}

static double result_at(hop_weight_type type, const void *distances, uint64_t v) {
    if (type == HOP_TYPE_FLOAT32)
        return (double)((const float *)distances)[v];
    if (type == HOP_TYPE_FLOAT64)
        return ((const double *)distances)[v];
    return ((const int64_t *)distances)[v] == HOP_NO_DISTANCE
               ? HUGE_VAL
               : (double)((const int64_t *)distances)[v];
}

static void check_plain(const plain *p, unsigned threads) {
    hop_context *context = make_context(threads);
    hop_graph *graph = build_plain(context, p);
    double *d = malloc(p->n * 8);
    void *distances = malloc(p->n * 8);
    hop_vertex *expected = malloc(p->n * 4), *parents = malloc(p->n * 4), source = 1;
    plain_solve(p, source, d, expected);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        run.variant = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        run.certify = i % 2 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_VALID;
        options.run = &run;
        if (p->negative && !takes_negative(run.variant))
            continue;
        if (hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
        for (uint32_t v = 0; v < p->n; v++) {
            double right = p->type == HOP_TYPE_FLOAT32 ? (double)(float)d[v] : d[v];
            if (result_at(p->type, distances, v) != right || parents[v] != expected[v])
                fail_msg("%s, %u threads, %s: vertex %u is %.17g, expected %.17g; parent %u, "
                         "expected %u",
                         run.variant, threads, hop_type_name(p->type), v,
                         result_at(p->type, distances, v), right, parents[v], expected[v]);
        }
        assert_int_equal(
            hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), parents),
            HOP_OK);
        if (!p->negative || !is_real(p->type))
            assert_int_equal(
                hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), NULL),
                HOP_OK);
    }
    free(d);
    free(distances);
    free(expected);
    free(parents);
    hop_graph_release(graph);
    free_context(context);
}

static void agree_with_plain_loops(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += threads > 1 ? 2 : 1)
        for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
            for (unsigned kind = 0; kind < 4; kind++) {
                static const unsigned levels[] = {2, 1000, 1, 50};
                bool negative = kind == 3;
                if (negative && type == HOP_TYPE_NONE)
                    continue;
                plain p =
                    random_plain(kind * 10 + (unsigned)type, 30000, kind == 2 ? 60000 : 200000,
                                 (hop_weight_type)type, levels[kind], negative);
                check_plain(&p, threads);
                free_plain(&p);
            }
}

/* A path of n vertices with arcs of weight w: as many layers as can be. */
static plain path_plain(uint32_t n, hop_weight_type type, double weight) {
    plain p = make_plain(n, n - 1, type, weight < 0);
    for (uint32_t i = 0; i + 1 < n; i++) {
        p.from[i] = i;
        p.to[i] = i + 1;
        p.weights[i] = weight;
    }
    return p;
}

static void long_paths(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (int weight = -1; weight <= 1; weight++)
            for (unsigned threads = 1; threads <= 2; threads++) {
                plain p = path_plain(20000, (hop_weight_type)type, weight);
                check_plain(&p, threads);
                free_plain(&p);
            }
}

static uint64_t relaxed(hop_context *context, const hop_graph *graph, const char *variant,
                        hop_sssp_options options, hop_status expected, int64_t *d) {
    hop_vertex source = 0;
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.variant = variant;
    run.report = &report;
    options.run = &run;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d), NULL),
                     expected);
    return report.relaxations;
}

static void stops_early(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    plain p = path_plain(100000, HOP_TYPE_INT32, 2);
    hop_graph *graph = build_plain(context, &p);
    int64_t *d = malloc(p.n * 8);
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_vertex target = 10;
    options.targets = &target;
    options.target_count = 1;
    assert_in_range(relaxed(context, graph, "dijkstra", options, HOP_OK, d), 10, 11);
    assert_int_equal(d[10], 20);
    assert_true(d[11] == HOP_NO_DISTANCE);
    options.target_count = 0;
    options.cutoff = 100;
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++)
        assert_in_range(
            relaxed(context, graph, hop_variant_at(HOP_PROBLEM_SSSP, i)->name, options, HOP_OK, d),
            50, 51);
    free(d);
    hop_graph_release(graph);
    free_plain(&p);
    free_context(context);
}

/* A cycle of negative sum among 10^5 vertices: found after little work, not after n rounds. */
static void finds_cycles_early(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        hop_context *context = make_context(1);
        uint32_t n = 100000;
        plain p = random_plain(kind, n, 500000, HOP_TYPE_INT32, 100, true);
        /* One arc closes a cycle: the last of a path from the source on (0), a two-arc one far out
         * (1), or a loop of everything (2). */
        for (uint32_t i = 0; i < n && kind == 2; i++) {
            p.from[i] = i;
            p.to[i] = (i + 1) % n;
            p.weights[i] = i + 1 < n ? 1 : -(double)n;
        }
        if (kind < 2) {
            p.from[0] = 77;
            p.to[0] = 78;
            p.weights[0] = kind ? -3000 : -2001;
            p.from[1] = 78;
            p.to[1] = 77;
            p.weights[1] = 2000;
        }
        hop_graph *graph = build_plain(context, &p);
        int64_t *d = malloc(n * 8);
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        hop_vertex around;
        uint64_t work = relaxed(context, graph, "bellman-ford", options, HOP_ERR_NEGATIVE_CYCLE, d);
        assert_true(work < 40 * p.m);
        const hop_vertex *cycle = hop_context_cycle(context, &around);
        assert_int_equal(hop_cycle_certify(context, graph, cycle, around), HOP_OK);
        free(d);
        hop_graph_release(graph);
        free_plain(&p);
        free_context(context);
    }
}

/* More entries than the heap holds: useless ones must be taken out. Every vertex of a long row is
 * lowered again and again. */
static void heap_is_purged(void **state) {
    (void)state;
    enum { HUBS = 200, LEAVES = 1000 };
    hop_context *context = make_context(1);
    uint32_t n = 1 + HUBS + LEAVES;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (int huge = 0; huge < 2; huge++) { /* weights that do not fit packed entries */
            plain p = make_plain(n, HUBS + HUBS * LEAVES, (hop_weight_type)type, false);
            uint64_t i = 0;
            double unit = huge && type == HOP_TYPE_INT64 ? 0x1p40 : 1;
            for (uint32_t h = 0; h < HUBS; h++) {
                p.from[i] = 0;
                p.to[i] = 1 + h;
                p.weights[i++] = h * unit;
                for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
                    p.from[i] = 1 + h;
                    p.to[i] = 1 + HUBS + leaf;
                    p.weights[i++] = (1000 - 3 * h) * unit;
                }
            }
            check_plain(&p, 1);
            free_plain(&p);
        }
    free_context(context);
}

typedef struct searches {
    hop__sssp_query query;
    hop__dijkstra dijkstra; /* without negative weights */
    hop__bellman_ford bellman;
} searches;

static void searches_blocks(const void *given, hop__workspace *space) {
    const searches *s = given;
    hop__bellman_ford_blocks(space, offsetof(searches, bellman), &s->query);
    if (!s->query.negative)
        hop__dijkstra_blocks(space, offsetof(searches, dijkstra), s->query.graph, false);
}

/* The workspaces, used many times, give what a fresh search gives. */
static void workspaces_are_reusable(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        for (int negative = 0; negative < 2; negative++) {
            if (negative && type == HOP_TYPE_NONE)
                continue;
            plain p =
                random_plain((unsigned)type, 200, 600, (hop_weight_type)type, 9, negative != 0);
            hop_graph *graph = build_plain(context, &p);
            searches all = {.bellman = {.query = &all.query}};
            hop__workspace space = {0};
            int64_t d[200], expected[200];
            size_t size = type == HOP_TYPE_FLOAT32 ? 4 : 8;
            uint64_t before = hop_context_memory_used(context);
            assert_int_equal(hop__sssp_describe(context, graph, &all.query), HOP_OK);
            assert_int_equal(all.query.negative, negative);
            assert_int_equal(
                hop__workspace_open(context, NULL, searches_blocks, &all, &all, &space), HOP_OK);
            assert_int_equal(hop_context_memory_used(context) - before,
                             hop__blocks_need(searches_blocks, &all, NULL).bytes[HOP__MEMORY_HOST]);
            hop__dijkstra_begin(&all.dijkstra, graph);
            for (hop_vertex s = 0; s < p.n; s++) {
                hop_vertex place;
                assert_int_equal(hop_sssp(context, graph, &s, 1, NULL, ROOM(graph, expected), NULL),
                                 HOP_OK);
                assert_int_equal(
                    hop__bellman_ford_run(context, &all.bellman, &s, 1, d, NULL, &place),
                    HOP__SEARCH_DONE);
                assert_memory_equal(d, expected, p.n * size);
                if (negative)
                    continue;
                assert_true(hop__dijkstra_run(context, &all.dijkstra, s, d));
                assert_memory_equal(d, expected, p.n * size);
            }
            hop__workspace_close(&space, HOP_OK);
            hop_graph_release(graph);
            free_plain(&p);
        }
    free_context(context);
}

/* Offsets of 64 bits give the same. */
static void wide_offsets(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    plain p = random_plain(5, 1000, 5000, HOP_TYPE_FLOAT32, 7, false);
    hop_graph *graph = build_plain(context, &p), *wide = NULL;
    uint64_t offsets[1001];
    size_t width;
    const uint32_t *narrow = hop_graph_offsets(graph, &width);
    assert_int_equal(width, 4);
    for (uint32_t v = 0; v <= p.n; v++)
        offsets[v] = narrow[v];
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = p.n;
    csr.offsets = offsets;
    csr.offset_bytes = 8;
    csr.targets = hop_graph_targets(graph);
    csr.weights = hop_graph_weights(graph, &csr.weight_type);
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &wide), HOP_OK);
    float d[2][1000];
    hop_vertex parents[2][1000], source = 3;
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_SSSP); i++) {
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        run.variant = hop_variant_at(HOP_PROBLEM_SSSP, i)->name;
        run.certify = HOP_CERTIFY_CANONICAL;
        options.run = &run;
        assert_int_equal(
            hop_sssp(context, graph, &source, 1, &options, ROOM(graph, d[0]), parents[0]), HOP_OK);
        assert_int_equal(
            hop_sssp(context, wide, &source, 1, &options, ROOM(wide, d[1]), parents[1]), HOP_OK);
        assert_memory_equal(d[0], d[1], sizeof d[0]);
        assert_memory_equal(parents[0], parents[1], sizeof parents[0]);
    }
    hop_graph_release(wide);
    hop_graph_release(graph);
    free_plain(&p);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_with_plain_loops),
        cmocka_unit_test(long_paths),
        cmocka_unit_test(stops_early),
        cmocka_unit_test(finds_cycles_early),
        cmocka_unit_test(heap_is_purged),
        cmocka_unit_test(workspaces_are_reusable),
        cmocka_unit_test(wide_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
