/* SPDX-License-Identifier: Apache-2.0
 * Every variant against a brute force (labels lowered along edges until nothing changes), then
 * against the certifier; and the certifier against every single wrong entry. */
#include "components/components_testing.h"
#include "problem/report.h"

enum { MOST = 8 };

/* A small graph in the test's own memory, given to the library without a copy. */
typedef struct small {
    uint32_t n;
    bool directed;
    bool edge[MOST][MOST];
    uint32_t offsets[MOST + 1], targets[MOST * MOST];
    uint64_t wide[MOST + 1];
} small;

static hop_graph *small_graph_of_width(hop_context *context, small *s, size_t width) {
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options options = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    uint32_t next = 0;
    for (uint32_t u = 0; u < s->n; u++) {
        s->offsets[u] = next;
        for (uint32_t v = 0; v < s->n; v++)
            if (s->edge[u][v])
                s->targets[next++] = v;
    }
    s->offsets[s->n] = next;
    for (uint32_t u = 0; u <= s->n; u++)
        s->wide[u] = s->offsets[u];
    csr.vertices = s->n;
    csr.offsets = width == 8 ? (const void *)s->wide : s->offsets;
    csr.offset_bytes = width;
    csr.targets = s->targets;
    options.directed = s->directed;
    assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
    return graph;
}

static hop_graph *small_graph(hop_context *context, small *s) {
    return small_graph_of_width(context, s, 4);
}

static void small_labels(const small *s, uint32_t *labels) {
    bool changed = true;
    for (uint32_t v = 0; v < s->n; v++)
        labels[v] = v;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < s->n; u++)
            for (uint32_t v = 0; v < s->n; v++)
                if ((s->edge[u][v] || s->edge[v][u]) && labels[u] < labels[v]) {
                    labels[v] = labels[u];
                    changed = true;
                }
    }
}

/* Graph number `code` of n vertices: one bit per pair, or per ordered pair. */
static small small_of(uint32_t n, bool directed, uint32_t code) {
    small s = {.n = n, .directed = directed};
    for (uint32_t u = 0, bit = 0; u < n; u++)
        for (uint32_t v = directed ? 0 : u + 1; v < n; v++) {
            if (u == v)
                continue;
            s.edge[u][v] = code >> bit++ & 1;
            if (!directed)
                s.edge[v][u] = s.edge[u][v];
        }
    return s;
}

static uint32_t code_count(uint32_t n, bool directed) {
    return 1u << (directed ? n * (n - 1) : n * (n - 1) / 2);
}

static void for_all_variants(hop_context *context, const hop_graph *graph,
                             const uint32_t *expected) {
    uint32_t n = hop_graph_vertices(graph), count, roots = 0;
    uint32_t *labels = malloc((size_t)n * 4 + 4);
    for (uint32_t v = 0; v < n; v++)
        roots += expected[v] == v;
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_COMPONENTS); i++) {
        const char *name = hop_variant_at(HOP_PROBLEM_COMPONENTS, i)->name;
        solve(context, graph, name, labels, &count);
        assert_int_equal(count, roots);
        if (n > 0 && memcmp(labels, expected, (size_t)n * 4) != 0)
            fail_msg("%s: wrong labels", name);
    }
    free(labels);
}

static void all_small_graphs(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 0; n <= (directed ? 4u : 6u); n++)
            for (uint32_t code = 0; code < code_count(n, directed != 0);
                 code += SMALLER_TESTS && n >= (directed ? 4u : 6u) ? 7 : 1) {
                small s = small_of(n, directed != 0, code);
                for (uint32_t v = 0; v < n; v++) /* some loops */
                    s.edge[v][v] = (code * 7 + v) % 5 == 0;
                hop_graph *graph = small_graph_of_width(context, &s, code % 2 ? 8 : 4);
                uint32_t expected[MOST];
                small_labels(&s, expected);
                for_all_variants(context, graph, expected);
                if (directed) {
                    assert_int_equal(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE),
                                     HOP_OK);
                    for_all_variants(context, graph, expected);
                }
                hop_graph_release(graph);
            }
    free_context(context);
}

static hop_status certify(hop_context *context, const hop_graph *graph, hop_certify mode,
                          const hop_vertex *labels, hop_vertex count) {
    hop_run run = HOP_RUN_INIT;
    run.certify = mode;
    return hop_components_certify(context, graph,
                                  &(hop_components_options){sizeof(hop_components_options), &run},
                                  labels, count);
}

/* Every entry set to every other value: all wrong for CANONICAL. For VALID a value is wrong when
 * the vertex has company, or when it is another component's label. */
static void check_corruptions(hop_context *context, const small *s, const hop_graph *graph,
                              const uint32_t *right) {
    uint32_t labels[MOST], roots = 0;
    for (uint32_t v = 0; v < s->n; v++)
        roots += right[v] == v;
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, right, roots), HOP_OK);
    assert_int_equal(certify(context, graph, HOP_CERTIFY_VALID, right, roots), HOP_OK);
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, right, roots + 1),
                     HOP_ERR_CERTIFICATE);
    for (uint32_t v = 0; v < s->n; v++)
        for (uint32_t value = 0; value <= s->n + 1; value++) {
            uint32_t wrong = value == s->n + 1 ? HOP_NO_VERTEX : value;
            if (wrong == right[v])
                continue;
            memcpy(labels, right, sizeof labels);
            labels[v] = wrong;
            assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, labels, HOP_NO_VERTEX),
                             HOP_ERR_CERTIFICATE);
            bool company = false, taken = false;
            for (uint32_t u = 0; u < s->n; u++) {
                company |= u != v && right[u] == right[v];
                taken |= u != v && right[u] == wrong;
            }
            assert_int_equal(certify(context, graph, HOP_CERTIFY_VALID, labels, HOP_NO_VERTEX),
                             company || taken ? HOP_ERR_CERTIFICATE : HOP_OK);
        }
}

static void every_wrong_entry_is_rejected(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (int directed = 0; directed < 2; directed++)
        for (uint32_t n = 1; n <= (directed ? 3u : 5u); n++)
            for (uint32_t code = 0; code < code_count(n, directed != 0); code++) {
                small s = small_of(n, directed != 0, code);
                hop_graph *graph = small_graph(context, &s);
                uint32_t right[MOST];
                small_labels(&s, right);
                check_corruptions(context, &s, graph, right);
                hop_graph_release(graph);
            }
    free_context(context);
}

/* Of the two arcs of vertex 2 one is wrong. */
static void the_wrong_edge_is_named(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small s = {.n = 4};
    for (unsigned v = 0; v + 1 < s.n; v++)
        s.edge[v][v + 1] = s.edge[v + 1][v] = true;
    hop_graph *graph = small_graph(context, &s);
    const uint32_t split[] = {0, 0, 2, 2};
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, split, 2), HOP_ERR_CERTIFICATE);
    assert_message(context, "the edge between 2 and 1 joins labels 2 and 0");
    hop_graph_release(graph);
    free_context(context);
}

/* Two classes that no edge separates cannot be told from labels along edges; the unions can. */
static void merged_components_are_rejected(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    small s = {.n = 6};
    s.edge[0][1] = s.edge[1][0] = s.edge[3][4] = s.edge[4][3] = true;
    hop_graph *graph = small_graph(context, &s);
    const uint32_t merged[] = {0, 0, 2, 0, 0, 5}, moved[] = {0, 0, 2, 3, 3, 2};
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, merged, 3),
                     HOP_ERR_CERTIFICATE);
    assert_message(context, "tell 3 components apart, but edges join their vertices to 4");
    assert_int_equal(certify(context, graph, HOP_CERTIFY_VALID, merged, 4), HOP_ERR_CERTIFICATE);
    assert_message(context, "two components have the same label 0");
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, moved, 3), HOP_ERR_CERTIFICATE);
    hop_graph_release(graph);
    free_context(context);
}

static void all_families(void **state) {
    (void)state;
    static const unsigned threads[] = {2, 3, 8, 1, 4};
    for (size_t i = 0; i < FAMILIES; i++)
        for (size_t t = 0; t < (SMALLEST_TESTS ? 2 : 5); t++) {
            hop_context *context = make_context(threads[t]);
            hop_graph *graph = family_graph(context, i);
            uint32_t *expected = plain_labels(graph);
            for_all_variants(context, graph, expected);
            free(expected);
            hop_graph_release(graph);
            free_context(context);
        }
}

static void random_corruptions_of_a_large_graph_are_rejected(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const hop_setting settings[] = {{"n", 60000}, {"m", 100000}};
    hop_graph *graph = generated(context, "erdos-renyi", settings, 2, 3);
    uint32_t n = hop_graph_vertices(graph), count, *labels = malloc((size_t)n * 4);
    solve(context, graph, "rem", labels, &count);
    for (uint64_t i = 0; i < (SMALLER_TESTS ? 1000 : 10000); i++) {
        uint32_t v = (uint32_t)(hop__random_at(1, 1, i) % n), right = labels[v];
        uint32_t values[] = {(uint32_t)(hop__random_at(1, 2, i) % n), right + 1, right - 1, v, 0};
        uint32_t wrong = values[i % 5];
        if (wrong == right)
            continue;
        labels[v] = wrong;
        if (certify(context, graph, HOP_CERTIFY_CANONICAL, labels, count) != HOP_ERR_CERTIFICATE)
            fail_msg("label %u of vertex %u instead of %u was accepted", wrong, v, right);
        labels[v] = right;
    }
    assert_int_equal(certify(context, graph, HOP_CERTIFY_CANONICAL, labels, count), HOP_OK);
    free(labels);
    hop_graph_release(graph);
    free_context(context);
}

static void sizes_numbers_and_the_largest(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    small s = {.n = 7};
    s.edge[1][4] = s.edge[4][1] = s.edge[2][3] = s.edge[3][2] = true;
    s.edge[3][6] = s.edge[6][3] = s.edge[5][5] = true;
    hop_graph *graph = small_graph(context, &s), *largest = NULL, *empty = NULL;
    uint32_t labels[7], sizes[7], numbers[7], count;
    assert_int_equal(hop_components(context, graph, NULL, labels, &count), HOP_OK);
    assert_int_equal(count, 4);
    assert_int_equal(hop_components_sizes(context, labels, 7, sizes), HOP_OK);
    assert_memory_equal(sizes, ((uint32_t[]){1, 2, 3, 0, 0, 1, 0}), sizeof sizes);
    assert_int_equal(hop_components_largest(context, graph, labels, &largest), HOP_OK);
    assert_int_equal(hop_graph_vertices(largest), 3);
    assert_int_equal(hop_graph_arcs(largest), 4);
    assert_int_equal(hop_graph_label(largest, 2), 6);
    assert_int_equal(hop_components_number(context, labels, 7, numbers, &count), HOP_OK);
    assert_int_equal(count, 4);
    assert_memory_equal(numbers, ((uint32_t[]){0, 1, 2, 2, 1, 3, 2}), sizeof numbers);
    assert_int_equal(hop_components_number(context, labels, 7, labels, NULL), HOP_OK);
    assert_memory_equal(labels, numbers, sizeof numbers);
    labels[3] = 9;
    assert_int_equal(hop_components_sizes(context, labels, 7, sizes), HOP_ERR_INPUT);
    assert_int_equal(hop_components_number(context, labels, 7, numbers, NULL), HOP_ERR_INPUT);
    hop_graph_release(graph);
    hop_graph_release(largest);
    s.n = 0;
    graph = small_graph(context, &s);
    assert_int_equal(hop_components(context, graph, NULL, NULL, &count), HOP_OK);
    assert_int_equal(count, 0);
    assert_int_equal(hop_components_largest(context, graph, labels, &empty), HOP_OK);
    assert_int_equal(hop_graph_vertices(empty), 0);
    hop_graph_release(empty);
    hop_graph_release(graph);
    free_context(context);
}

static void refuses_bad_calls(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    small s = {.n = 3};
    hop_graph *graph = small_graph(context, &s);
    hop_run run = HOP_RUN_INIT;
    hop_components_options options = {sizeof options, &run};
    hop_setting setting = {"depth", 3};
    uint32_t labels[3];
    hop_report report = {0};
    report.variant = hop_variant_at(HOP_PROBLEM_RANK, 0); /* of an earlier call */
    run.report = &report;
    run.variant = "union-fund";
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_ARGUMENT);
    assert_null(report.variant);
    assert_message(context, "there is no variant 'union-fund'; did you mean 'union-find'?");
    assert_message(context, "There are auto, dfs, union-find, ");
    run.variant = "rem";
    run.settings = &setting;
    run.setting_count = 1;
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_ARGUMENT);
    assert_message(context, "rem: there is no parameter 'depth'; it has none");
    run.variant = "auto";
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_ARGUMENT);
    assert_message(context, "name the one");
    run = (hop_run)HOP_RUN_INIT;
    run.certify = (hop_certify)9;
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_components(context, graph, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_components(context, NULL, NULL, labels, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

/* The certificate is in the estimate; what is over the budget is refused before anything is made.
 * For every variant: problem/test_conformance.c. */
static void memory_is_estimated(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *lonely = NULL; /* most roots, which the proof of any labels sorts */
    hop_edges none = HOP_EDGES_INIT;
    hop_build_options many = HOP_BUILD_OPTIONS_INIT;
    many.vertices = 200000;
    assert_int_equal(hop_graph_from_edges(context, &none, &many, &lonely), HOP_OK);
    uint32_t *own = malloc(many.vertices * 4);
    hop_run proved = HOP_RUN_INIT;
    hop_report need = {0};
    hop_components_options asked = {sizeof asked, &proved};
    proved.certify = HOP_CERTIFY_VALID;
    proved.variant = "union-find";
    proved.report = &need;
    hop_context_reset_peak(context);
    uint64_t used = hop_context_memory_used(context);
    assert_int_equal(hop_components(context, lonely, &asked, own, NULL), HOP_OK);
    assert_true(hop_context_memory_peak(context) - used <= need.memory_bytes);
    free(own);
    hop_graph_release(lonely);
    free_context(context);
    hop_context_options small_budget = HOP_CONTEXT_OPTIONS_INIT;
    small_budget.memory_budget = 4 << 20;
    assert_int_equal(hop_context_create(&small_budget, &context), HOP_OK);
    static const hop_setting path[] = {{"n", 900000}, {"k", 2}};
    hop_context *large = make_context(2);
    hop_graph *graph = generated(large, "fanout", path, 2, 1);
    hop_run run = HOP_RUN_INIT;
    hop_components_options options = {sizeof options, &run};
    uint32_t *labels = malloc((size_t)hop_graph_vertices(graph) * 4);
    run.variant = "dfs";
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_ERR_BUDGET);
    assert_message(context, "components: dfs");
    assert_int_equal(hop_context_memory_peak(context), 0);
    run.variant = "rem";
    assert_int_equal(hop_components(context, graph, &options, labels, NULL), HOP_OK);
    hop_context *smaller = NULL; /* the proof, of some 4 bytes per vertex, counts too */
    small_budget.memory_budget = 2 << 20;
    assert_int_equal(hop_context_create(&small_budget, &smaller), HOP_OK);
    assert_int_equal(hop_components(smaller, graph, &options, labels, NULL), HOP_OK);
    run.certify = HOP_CERTIFY_CANONICAL;
    run.plan = true;
    assert_int_equal(hop_components(smaller, graph, &options, labels, NULL), HOP_ERR_BUDGET);
    assert_message(smaller, "components: ");
    free_context(smaller);
    free(labels);
    hop_graph_release(graph);
    free_context(large);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_graphs),
        cmocka_unit_test(every_wrong_entry_is_rejected),
        cmocka_unit_test(the_wrong_edge_is_named),
        cmocka_unit_test(merged_components_are_rejected),
        cmocka_unit_test(all_families),
        cmocka_unit_test(random_corruptions_of_a_large_graph_are_rejected),
        cmocka_unit_test(sizes_numbers_and_the_largest),
        cmocka_unit_test(refuses_bad_calls),
        cmocka_unit_test(memory_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
