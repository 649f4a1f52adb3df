/* SPDX-License-Identifier: Apache-2.0
 *
 * Strong components by every variant against the definition (who reaches whom, by closure): all
 * directed graphs with up to four vertices and a part of those with five (HOPLITE_TEST_ALL: all),
 * and random ones; 1, 2, 3 and 8 threads give the same labels. The certifier against all labels
 * that there are. The order, its levels, its cycles; the condensation. */
#include "apsp/apsp_testing.h"
#include "problem/report_testing.h"

enum { MOST = 64 };

typedef struct way {
    const char *variant;
    double ranges; /* of the variant ranges; 0: not set */
} way;
static const way ways[] = {{"tarjan", 0}, {"sweeps", 0}, {"ranges", 0}, {"ranges", 2},
                           {"ranges", 3}, {"ranges", 7}, {NULL, 0}};
static const unsigned thread_counts[] = {1, 2, 3, 8};

/* Who reaches whom; n <= MOST. */
static void close_graph(const plain_graph *g, uint64_t reach[MOST]) {
    for (uint32_t u = 0; u < g->n; u++) {
        reach[u] = UINT64_C(1) << u;
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            reach[u] |= UINT64_C(1) << g->targets[i];
    }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t u = 0; u < g->n; u++)
            if (reach[u] >> k & 1)
                reach[u] |= reach[k];
}

static void define_labels(const plain_graph *g, uint32_t *labels) {
    uint64_t reach[MOST];
    close_graph(g, reach);
    for (uint32_t v = 0; v < g->n; v++)
        for (labels[v] = 0; !(reach[v] >> labels[v] & 1 && reach[labels[v]] >> v & 1);)
            labels[v]++;
}

static void label(hop_context *context, const hop_graph *graph, const way *by, hop_certify certify,
                  hop_vertex *labels, hop_vertex *count) {
    hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_setting setting = {"ranges", by->ranges, NULL};
    run.variant = by->variant;
    run.certify = certify;
    run.settings = &setting;
    run.setting_count = by->ranges > 0;
    options.run = &run;
    if (hop_strong_components(context, graph, &options, labels, count) != HOP_OK)
        fail_msg("%s: %s", by->variant ? by->variant : "auto", hop_context_message(context));
}

static void check_order(hop_context *context, const hop_graph *graph, const plain_graph *g,
                        const uint32_t *right, uint32_t components) {
    hop_vertex order[MOST + 1], levels[MOST + 1], length = 77, at[MOST];
    hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    bool loops = false;
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            loops = loops || g->targets[i] == u;
    hop_status status = hop_topological_order(context, graph, &options, order, levels, &length);
    assert_int_equal(status, components == g->n && !loops ? HOP_OK : HOP_ERR_INPUT);
    if (status != HOP_OK) { /* each step an arc, the smallest first, each once, of one component */
        assert_in_range(length, 1, g->n);
        assert_says(context, "cycle");
        for (uint32_t k = 0; k < length; k++) {
            uint32_t u = order[k], v = order[(k + 1) % length], i = g->offsets[u];
            while (i < g->offsets[u + 1] && g->targets[i] != v)
                i++;
            assert_true(i < g->offsets[u + 1]);
            assert_true(k == 0 || u > order[0]);
            assert_int_equal(right[u], right[order[0]]);
            for (uint32_t j = 0; j < k; j++)
                assert_int_not_equal(order[j], u);
        }
        return;
    }
    assert_int_equal(length, 0);
    for (uint32_t k = 0; k < g->n; k++)
        at[order[k]] = k;
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t deepest = 0;
        for (uint32_t u = 0; u < g->n; u++)
            for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
                if (g->targets[i] == v) {
                    assert_true(at[u] < at[v]);
                    deepest = levels[u] + 1 > deepest ? levels[u] + 1 : deepest;
                }
        assert_int_equal(levels[v], deepest);
        if (at[v] > 0) {
            uint32_t before = order[at[v] - 1];
            assert_true(levels[before] < levels[v] || (levels[before] == levels[v] && before < v));
        }
    }
}

/* Arcs where there are any between different components, once each; and no cycle. */
static void check_condensed(hop_context *context, const hop_graph *graph, const plain_graph *g,
                            const uint32_t *right, uint32_t components) {
    hop_vertex numbers[MOST + 1], order[MOST + 1], next = 0;
    uint64_t rows[MOST] = {0};
    hop_graph *small = NULL;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    uint64_t arcs = 0;
    assert_int_equal(hop_strong_condense(context, graph, right, numbers, &small), HOP_OK);
    for (uint32_t v = 0; v < g->n; v++)
        assert_int_equal(numbers[v], right[v] == v ? next++ : numbers[right[v]]);
    assert_int_equal(next, components);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
            if (right[u] != right[g->targets[i]])
                rows[numbers[u]] |= UINT64_C(1) << numbers[g->targets[i]];
    for (uint32_t k = 0; k < components; k++)
        arcs += (uint64_t)__builtin_popcountll(rows[k]);
    assert_int_equal(hop_graph_describe(context, small, &info), HOP_OK);
    assert_int_equal(info.vertices, components);
    assert_int_equal(info.arcs, arcs);
    assert_true(info.directed);
    assert_int_equal(hop_topological_order(context, small, NULL, order, NULL, NULL), HOP_OK);
    hop_graph_release(small);
}

static void check_plain(hop_context *context, const plain_graph *g, bool more) {
    hop_graph *graph = plain_borrow(context, g);
    uint32_t right[MOST + 1], labels[MOST + 1], count, components = 0;
    define_labels(g, right);
    for (uint32_t v = 0; v < g->n; v++)
        components += right[v] == v;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(labels, 0xee, sizeof labels);
        label(context, graph, &ways[i], more ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE, labels,
              &count);
        assert_memory_equal(labels, right, g->n * sizeof *labels);
        assert_int_equal(labels[g->n], 0xeeeeeeee);
        assert_int_equal(count, components);
    }
    if (more) {
        assert_int_equal(hop_measure_run(context, graph, "strong-components", NULL,
                                         HOP_SPAN(labels, g->n), &count),
                         HOP_OK);
        assert_memory_equal(labels, right, g->n * sizeof *labels);
        assert_int_equal(count, g->n);
        check_order(context, graph, g, right, components);
        check_condensed(context, graph, g, right, components);
    }
    hop_graph_release(graph);
}

/* The graph whose arcs, loops too if asked for, are the bits of a number. */
static plain_graph numbered(uint32_t n, bool loops, uint32_t bits) {
    plain_graph g = plain_make(n, true, HOP_TYPE_NONE, n * n);
    for (uint32_t u = 0, bit = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++)
            if ((u != v || loops) && bits >> bit++ & 1)
                plain_arc(&g, v, 1);
        plain_end_row(&g, u);
    }
    return g;
}

static void all_small_graphs(void **state) {
    hop_context *context = make_context(1);
    bool all = getenv("HOPLITE_TEST_ALL") != NULL;
    (void)state;
    for (uint32_t n = 0; n <= 5; n++)
        for (uint32_t loops = 0; loops < (n < 4 ? 2u : 1u); loops++) {
            uint32_t arcs = n * n - (loops ? 0 : n), step = n == 5 && !all ? 97 : 1;
            for (uint32_t bits = 0; bits < 1u << arcs; bits += step) {
                plain_graph g = numbered(n, loops, bits);
                check_plain(context, &g, n < 4 || bits % 8 == 0);
                plain_free(&g);
            }
        }
    free_context(context);
}

/* The certifier says yes to the right labels alone, among all that have the form of labels; and in
 * the valid mode to those that tell the same apart. */
static void the_certifier(void **state) {
    hop_context *context = make_context(1);
    hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    (void)state;
    options.run = &run;
    for (uint32_t n = 1; n <= 4; n++)
        for (uint32_t bits = 0; bits < 1u << n * (n - 1); bits += n == 4 ? 5 : 1) {
            plain_graph g = numbered(n, false, bits);
            hop_graph *graph = plain_borrow(context, &g);
            uint32_t right[4], labels[4], components = 0;
            define_labels(&g, right);
            for (uint32_t v = 0; v < n; v++)
                components += right[v] == v;
            for (uint32_t code = 0; code < 1u << 2 * n; code++) {
                bool same = true, apart = true;
                for (uint32_t v = 0; v < n; v++) {
                    labels[v] = code >> 2 * v & 3;
                    same = same && labels[v] == right[v];
                    for (uint32_t u = 0; u < v; u++)
                        apart = apart && (labels[u] == labels[v]) == (right[u] == right[v]);
                }
                run.certify = HOP_CERTIFY_CANONICAL;
                assert_int_equal(
                    hop_strong_certify(context, graph, &options, labels, HOP_NO_VERTEX),
                    same ? HOP_OK : HOP_ERR_CERTIFICATE);
                run.certify = HOP_CERTIFY_VALID;
                assert_int_equal(hop_strong_certify(context, graph, &options, labels, components),
                                 apart ? HOP_OK : HOP_ERR_CERTIFICATE);
            }
            assert_int_equal(hop_strong_certify(context, graph, NULL, right, components + 1),
                             HOP_ERR_CERTIFICATE);
            hop_graph_release(graph);
            plain_free(&g);
        }
    free_context(context);
}

static void random_graphs(void **state) {
    (void)state;
    for (unsigned k = 0; k < 400; k++) {
        hop_context *context = make_context(thread_counts[k % 4]);
        plain_graph g = plain_random(2 + k % 61, k % 5, k % 11 != 0,
                                     k % 3 ? HOP_TYPE_NONE : HOP_TYPE_INT32, -2, 5, 1, k);
        if (k % 2)
            plain_widen(&g);
        check_plain(context, &g, true);
        plain_free(&g);
        free_context(context);
    }
}

/* A lattice whose arcs are there by chance, a graph without order, one long cycle: large enough for
 * several ranges, words and passes. Every variant, every number of threads, the labels of one. */
static plain_graph large_graph(unsigned kind) {
    enum { SIDE = 150 };
    const uint32_t n = SIDE * SIDE;
    plain_graph g = plain_make(n, true, HOP_TYPE_NONE, 4 * n);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t near[4] = {v - SIDE, v - 1, v + 1, v + SIDE};
        uint32_t far[3];
        uint64_t bits = hop__random_at(kind, 1, v);
        switch (kind) {
        case 0: /* both ways, seven of ten */
        case 1: /* forward alone: no cycle */
        case 2: /* half of them */
            for (unsigned i = kind == 1 ? 2 : 0; i < 4; i++) {
                bool there = i == 0   ? v >= SIDE
                             : i == 1 ? v % SIDE > 0
                             : i == 2 ? v % SIDE < SIDE - 1
                                      : v < n - SIDE;
                if (there && (kind == 1 || (bits >> 8 * i & 255) < (kind == 0 ? 180 : 128)))
                    plain_arc(&g, near[i], 1);
            }
            break;
        case 3: /* two arcs from each, anywhere */
            far[0] = (uint32_t)(bits >> 32) % n;
            far[1] = (uint32_t)bits % n;
            plain_arc(&g, far[0] < far[1] ? far[0] : far[1], 1);
            plain_arc(&g, far[0] < far[1] ? far[1] : far[0], 1);
            break;
        default: /* one cycle, by great steps */
            plain_arc(&g, (uint32_t)((v + UINT64_C(7919)) % n), 1);
            break;
        }
        plain_end_row(&g, v);
    }
    return g;
}

static void the_same_on_any_number_of_threads(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 5; kind++) {
        plain_graph g = large_graph(kind);
        hop_vertex *first = calloc(g.n, 4), *labels = calloc(g.n, 4), count, one = 0;
        for (size_t t = 0; t < 4; t++) {
            hop_context *context = make_context(thread_counts[t]);
            hop_graph *graph = plain_borrow(context, &g);
            for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                hop_vertex *into = t == 0 && i == 0 ? first : labels;
                label(context, graph, &ways[i],
                      t == 0 && i < 3 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE, into, &count);
                assert_memory_equal(into, first, g.n * sizeof *first);
                one = into == first ? count : one;
                assert_int_equal(count, one);
            }
            hop_graph_release(graph);
            free_context(context);
        }
        assert_true(kind == 1 ? one == g.n : kind == 4 ? one == 1 : one > 1 && one < g.n);
        free(first);
        free(labels);
        plain_free(&g);
    }
}

/* All of a path is trimmed, whichever way the numbers go, and however many threads share it. */
static void a_path_is_trimmed(void **state) {
    enum { N = 1 << 15 };
    (void)state;
    hop_vertex *labels = calloc(N, sizeof *labels), *ends = calloc(N, sizeof *ends), count;
    hop_report *report = NULL;
    assert_int_equal(hop_report_create(0, &report), HOP_OK);
    for (hop_vertex v = 0; v < N; v++)
        ends[v] = v;
    for (unsigned i = 0; i < 8; i++) {
        hop_context *context = make_context(thread_counts[i / 4 * 2]);
        hop_edges edges = HOP_EDGES_INIT;
        hop_build_options build = HOP_BUILD_OPTIONS_INIT;
        hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        hop_graph *graph = NULL;
        edges.from = ends + i % 2;
        edges.to = ends + (i + 1) % 2;
        edges.count = N - 1;
        edges.id_bytes = 4;
        build.directed = true;
        assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
        run.variant = i % 4 < 2 ? "sweeps" : "ranges";
        run.report = report;
        options.run = &run;
        assert_int_equal(hop_strong_components(context, graph, &options, labels, &count), HOP_OK);
        assert_int_equal(count, N);
        assert_int_equal(counter_of(report, "trimmed"), N);
        hop_graph_release(graph);
        free_context(context);
    }
    hop_report_free(report);
    free(ends);
    free(labels);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return false;
}

static void can_be_cancelled(void **state) {
    (void)state;
    plain_graph g = large_graph(0);
    hop_vertex *labels = calloc(g.n, 4);
    for (size_t i = 0; i < 3; i++) {
        hop_context_options how = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL, *calm = make_context(1);
        hop_graph *graph = plain_borrow(calm, &g);
        hop_strong_options options = HOP_STRONG_OPTIONS_INIT;
        hop_run run = HOP_RUN_INIT;
        run.variant = ways[i].variant;
        options.run = &run;
        how.progress = stop;
        assert_int_equal(hop_graph_check(calm, graph), HOP_OK);
        assert_int_equal(hop_context_create(&how, &context), HOP_OK);
        assert_int_equal(hop_strong_components(context, graph, &options, labels, NULL),
                         HOP_ERR_CANCELLED);
        hop_graph_release(graph);
        free_context(context);
        free_context(calm);
    }
    free(labels);
    plain_free(&g);
}

static void mistakes(void **state) {
    hop_context *context = make_context(1);
    plain_graph g = numbered(3, false, 7);
    hop_graph *graph = plain_borrow(context, &g), *small = NULL;
    hop_vertex labels[3] = {0, 0, 5};
    (void)state;
    assert_int_equal(hop_strong_components(NULL, graph, NULL, labels, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_strong_components(context, NULL, NULL, labels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "no graph");
    assert_int_equal(hop_strong_components(context, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "no array of labels");
    assert_int_equal(hop_strong_certify(context, graph, NULL, labels, 2), HOP_ERR_CERTIFICATE);
    assert_says(context, "label 5");
    assert_int_equal(hop_strong_condense(context, graph, labels, NULL, &small), HOP_ERR_INPUT);
    assert_says(context, "label 5");
    assert_int_equal(hop_topological_order(context, graph, NULL, NULL, NULL, NULL),
                     HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    plain_free(&g);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),  cmocka_unit_test(the_certifier),
        cmocka_unit_test(random_graphs),     cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(a_path_is_trimmed), cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
