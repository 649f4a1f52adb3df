/* SPDX-License-Identifier: Apache-2.0
 * The same bits from every variant, at every setting, on any number of threads, every time: on
 * graphs that are cut into many pieces, and where threads meet at few vertices.
 *
 * HOPLITE_REPEAT=200 repeats the runs on the graphs where races show that often (once by default).
 */
#include "components/components_testing.h"
#include "problem/report.h"

/* Above 2 * 16,384 vertices every variant cuts them into several pieces, which is all that the
 * thread sanitizer needs. */
enum {
    LARGE = SMALLEST_TESTS ? 36000 : 70000,
    SIDE = SMALLEST_TESTS ? 190 : 270,
    SCALE = SMALLEST_TESTS ? 15 : 16,
    DEGREE = SMALLEST_TESTS ? 2 : 6, /* edges per vertex of random graphs */
    SEQUENTIAL = 2                   /* variants, the first ones */
};

typedef struct pair {
    uint32_t from, to;
} pair;

/* Vertices are renamed by a random permutation if `shuffled`. */
static hop_graph *from_pairs(hop_context *context, pair *pairs, uint64_t count, uint32_t n,
                             bool directed, bool shuffled) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, n, 7, 7);
    for (uint64_t i = 0; i < count && shuffled; i++) {
        pairs[i].from = (uint32_t)hop__shuffle_at(&shuffle, pairs[i].from);
        pairs[i].to = (uint32_t)hop__shuffle_at(&shuffle, pairs[i].to);
    }
    edges.count = count;
    edges.from = &pairs[0].from;
    edges.to = &pairs[0].to;
    edges.stride = sizeof *pairs;
    options.vertices = n;
    options.directed = directed;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free(pairs);
    return graph;
}

/* One hub, or two that are joined: the end of the first star is the other's hub. */
static hop_graph *make_star(hop_context *context, bool directed, bool shuffled) {
    pair *pairs = malloc((LARGE - 1) * sizeof *pairs);
    for (uint32_t v = 1; v < LARGE; v++)
        pairs[v - 1] = (pair){v, 0};
    return from_pairs(context, pairs, LARGE - 1, LARGE, directed, shuffled);
}

static hop_graph *make_two_stars(hop_context *context, bool directed, bool shuffled) {
    pair *pairs = malloc((LARGE - 1) * sizeof *pairs);
    for (uint32_t v = 0; v < LARGE - 1; v++)
        pairs[v] = (pair){v, v < LARGE / 2 ? LARGE / 2 : LARGE - 1};
    return from_pairs(context, pairs, LARGE - 1, LARGE, directed, shuffled);
}

static hop_graph *make_path(hop_context *context, bool directed, bool shuffled) {
    pair *pairs = malloc((LARGE - 1) * sizeof *pairs);
    for (uint32_t v = 1; v < LARGE; v++)
        pairs[v - 1] = v % 3 ? (pair){v, v - 1} : (pair){v - 1, v};
    return from_pairs(context, pairs, LARGE - 1, LARGE, directed, shuffled);
}

/* A lattice with a tenth of its edges missing. */
static hop_graph *make_grid(hop_context *context, bool directed, bool shuffled) {
    pair *pairs = malloc(2 * SIDE * SIDE * sizeof *pairs);
    uint64_t count = 0;
    for (uint32_t v = 0; v < SIDE * SIDE; v++) {
        if (v % SIDE > 0 && hop__random_at(1, 1, v) % 10 > 0)
            pairs[count++] = (pair){v, v - 1};
        if (v >= SIDE && hop__random_at(1, 2, v) % 10 > 0)
            pairs[count++] = (pair){v - SIDE, v};
    }
    return from_pairs(context, pairs, count, SIDE * SIDE, directed, shuffled);
}

/* A random graph with long paths hanging from it, and some components of their own. */
static hop_graph *make_tails(hop_context *context, bool directed, bool shuffled) {
    enum { CORE = LARGE / 2, EDGES = DEGREE * CORE };
    pair *pairs = malloc((EDGES + LARGE) * sizeof *pairs);
    uint64_t count = 0;
    for (uint32_t i = 0; i < EDGES; i++)
        pairs[count++] = (pair){(uint32_t)(hop__random_at(2, 1, i) % CORE),
                                (uint32_t)(hop__random_at(2, 2, i) % CORE)};
    for (uint32_t v = CORE; v < LARGE - 3000; v++)
        pairs[count++] = (pair){v % 5000 == 0 ? v % CORE : v - 1, v};
    for (uint32_t v = LARGE - 2998; v < LARGE; v += 1 + v % 3) /* loops and isolated ones too */
        pairs[count++] = (pair){v, v - (uint32_t)(hop__random_at(2, 3, v) % 2)};
    return from_pairs(context, pairs, count, LARGE, directed, shuffled);
}

static hop_graph *make_rmat(hop_context *context, bool directed, bool shuffled) {
    hop_setting settings[] = {
        {"scale", SCALE, NULL}, {"edge-factor", DEGREE, NULL}, {"directed", directed, NULL}};
    return generated(context, "rmat", settings, 3, shuffled ? 2 : 1);
}

/* A random graph, and a star apart from it that has the largest degree: who looks for the giant
 * there finds it too small. */
static hop_graph *make_hub_apart(hop_context *context, bool directed, bool shuffled) {
    enum { CORE = LARGE - 400, EDGES = DEGREE * CORE };
    pair *pairs = malloc((EDGES + 400) * sizeof *pairs);
    uint64_t count = 0;
    for (uint32_t i = 0; i < EDGES; i++)
        pairs[count++] = (pair){(uint32_t)(hop__random_at(3, 1, i) % CORE),
                                (uint32_t)(hop__random_at(3, 2, i) % CORE)};
    for (uint32_t v = CORE + 1; v < LARGE; v++)
        pairs[count++] = (pair){CORE, v};
    return from_pairs(context, pairs, count, LARGE, directed, shuffled);
}

static const struct {
    const char *name;
    hop_graph *(*make)(hop_context *context, bool directed, bool shuffled);
    bool races; /* many threads at few vertices */
} graphs[] = {{"star", make_star, true},           {"two stars", make_two_stars, true},
              {"path", make_path, false},          {"grid", make_grid, true},
              {"tails", make_tails, false},        {"rmat", make_rmat, true},
              {"hub apart", make_hub_apart, false}};

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    uint32_t root = v;
    while (parents[root] != root)
        root = parents[root];
    for (uint32_t next; v != root; v = next) {
        next = parents[v];
        parents[v] = root;
    }
    return root;
}

/* plain_labels takes too long on long paths. */
static uint32_t *joined_labels(const hop_graph *graph) {
    uint32_t n = hop_graph_vertices(graph), *parents = malloc((size_t)n * 4);
    for (uint32_t v = 0; v < n; v++)
        parents[v] = v;
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t i = offset_of(graph, u); i < offset_of(graph, (uint64_t)u + 1); i++) {
            uint32_t a = root_of(parents, u), b = root_of(parents, hop_graph_targets(graph)[i]);
            parents[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t v = 0; v < n; v++)
        parents[v] = root_of(parents, v);
    return parents;
}

static unsigned repeats(bool races) {
    const char *text = getenv("HOPLITE_REPEAT");
    return text && races ? (unsigned)strtoul(text, NULL, 10) : 1;
}

/* Runs it and compares every bit. */
static void check(hop_context *context, const hop_graph *graph, const hop_run *run,
                  const uint32_t *expected, uint32_t *labels, const char *what) {
    uint32_t n = hop_graph_vertices(graph), count, roots = 0;
    for (uint32_t v = 0; v < n; v++)
        roots += expected[v] == v;
    memset(labels, 0xa5, (size_t)n * 4);
    solve_with(context, graph, run, labels, &count);
    if (memcmp(labels, expected, (size_t)n * 4) != 0)
        fail_msg("%s on %s: wrong labels", run->variant, what);
    assert_int_equal(count, roots);
}

static void check_variants(unsigned threads, const hop_graph *graph, const uint32_t *expected,
                           const char *what, unsigned times) {
    hop_context *context = make_context(threads);
    uint32_t *labels = malloc((size_t)hop_graph_vertices(graph) * 4);
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_COMPONENTS); i++)
        for (unsigned k = 0; k < (i < SEQUENTIAL ? 1 : times); k++) {
            hop_run run = HOP_RUN_INIT;
            run.variant = hop_variant_at(HOP_PROBLEM_COMPONENTS, i)->name;
            check(context, graph, &run, expected, labels, what);
        }
    free(labels);
    free_context(context);
}

static void same_bits_every_time(void **state) {
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 4, 8};
    hop_context *context = make_context(2);
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++)
        for (int kind = 0; kind < 2; kind++) { /* undirected; directed and shuffled */
            hop_graph *graph = graphs[i].make(context, kind, kind);
            uint32_t *expected = joined_labels(graph);
            for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
                check_variants(threads[t], graph, expected, graphs[i].name,
                               threads[t] == 1 ? 1 : repeats(graphs[i].races));
            if (kind) { /* the way of prepared reverse arcs */
                assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE), HOP_OK);
                check_variants(2, graph, expected, graphs[i].name, repeats(graphs[i].races));
            }
            free(expected);
            hop_graph_release(graph);
        }
    free_context(context);
}

/* Every parameter at its least and its greatest, every choice. */
static void every_setting_gives_the_same(void **state) {
    (void)state;
    hop_context *context = make_context(3);
    uint32_t *labels = malloc(sizeof *labels * 80000);
    for (size_t g = 0; g < sizeof graphs / sizeof graphs[0]; g++) {
        hop_graph *graph = graphs[g].make(context, g & 1, true);
        uint32_t *expected = joined_labels(graph);
        assert_true(hop_graph_vertices(graph) <= 80000);
        for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_COMPONENTS); i++) {
            const hop_variant *variant = hop_variant_at(HOP_PROBLEM_COMPONENTS, i);
            for (size_t p = 0; p < variant->parameter_count; p++) {
                const hop_parameter *parameter = hop_parameter_at(variant->parameters, p);
                double step = parameter->type == HOP_PARAMETER_CHOICE
                                  ? 1
                                  : parameter->maximum - parameter->minimum;
                for (double x = parameter->minimum; x <= parameter->maximum; x += step) {
                    hop_setting setting = {parameter->name, x, NULL};
                    hop_run run = HOP_RUN_INIT;
                    run.variant = variant->name;
                    run.settings = &setting;
                    run.setting_count = 1;
                    check(context, graph, &run, expected, labels, graphs[g].name);
                }
            }
        }
        free(expected);
        hop_graph_release(graph);
    }
    free(labels);
    free_context(context);
}

/* What auto takes, and that it says why. */
static void auto_gives_a_reason(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    static const hop_setting few[] = {{"n", 3000, NULL}, {"m", 4000, NULL}},
                             dense[] = {{"n", 500, NULL}, {"m", 4000, NULL}},
                             near[] = {{"rows", 64, NULL}, {"cols", 64, NULL}};
    hop_graph *all[] = {generated(context, "erdos-renyi", few, 2, 1),
                        generated(context, "erdos-renyi", dense, 2, 1),
                        generated(context, "grid", near, 2, 1), make_grid(context, false, false)};
    static const char *const names[] = {"rem", "giant-first", "ranges", "giant-first"};
    for (int i = 0; i < 4; i++) {
        hop_run run = HOP_RUN_INIT;
        hop_report report = {0};
        hop_components_options options = {sizeof options, &run};
        uint32_t count, *expected = joined_labels(all[i]);
        uint32_t *labels = malloc((size_t)hop_graph_vertices(all[i]) * 4);
        run.report = &report;
        assert_int_equal(hop_components(context, all[i], &options, labels, &count), HOP_OK);
        assert_memory_equal(labels, expected, (size_t)hop_graph_vertices(all[i]) * 4);
        assert_string_equal(report.variant->name, names[i]);
        assert_true(strlen(report.reason) > 20);
        free(labels);
        free(expected);
        hop_graph_release(all[i]);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_every_time),
        cmocka_unit_test(every_setting_gives_the_same),
        cmocka_unit_test(auto_gives_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
