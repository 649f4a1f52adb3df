/* SPDX-License-Identifier: Apache-2.0
 * Breadth-first search gives the same bits with every number of threads and every way to find a
 * level, again and again, on graphs where races would show: many threads meet at one vertex, or at
 * the seam between their parts. HOPLITE_REPEAT says how often on the four
 * that races show on best; the default is for CI. */
#include "bfs/bfs_edges.h"

static void star(edge_list *list) {
    for (hop_vertex v = 0; v < 40000; v++)
        if (v != 20000)
            add(list, v, 20000);
}

/* Every vertex knows both hubs, so its parent is the smaller one, whoever comes first. */
static void two_hubs(edge_list *list) {
    for (hop_vertex v = 2; v < 30000; v++) {
        add(list, 0, v);
        add(list, v, 1);
    }
}

static void two_stars(edge_list *list) {
    for (hop_vertex v = 1; v < 20000; v++) {
        add(list, 0, v);
        add(list, 20000, 20000 + v);
    }
    add(list, 0, 20000);
}

static void grid(edge_list *list) {
    for (hop_vertex v = 0; v < 250 * 250; v++) {
        if (v % 250 != 249 && hop__random_at(1, 1, v) % 10)
            add(list, v, v + 1);
        if (v + 250 < 250 * 250 && hop__random_at(1, 2, v) % 10)
            add(list, v, v + 250);
    }
}

/* Numbers of vertices that say nothing about where they are. */
static void shuffled_grid(edge_list *list) {
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, 250 * 250, 7, 1);
    grid(list);
    for (uint64_t i = 0; i < list->count; i++) {
        hop_edge *edge = &list->edges[i];
        edge->from = (hop_vertex)hop__shuffle_at(&shuffle, edge->from);
        edge->to = (hop_vertex)hop__shuffle_at(&shuffle, edge->to);
    }
}

static void rmat(edge_list *list) {
    for (uint64_t i = 0; i < 100000; i++) {
        hop_vertex from = 0, to = 0;
        for (unsigned bit = 0; bit < 13; bit++) {
            uint64_t draw = hop__random_at(3, bit, i) % 100;
            from = 2 * from + (draw >= 76);
            to = 2 * to + ((draw >= 57 && draw < 76) || draw >= 95);
        }
        add(list, from, to);
    }
}

/* A dense part, then levels of two vertices each: the frontier grows, shrinks, changes its form. */
static void dense_with_tails(edge_list *list) {
    for (uint64_t i = 0; i < 80000; i++)
        add(list, (hop_vertex)(hop__random_at(4, 1, i) % 8192),
            (hop_vertex)(hop__random_at(4, 2, i) % 8192));
    for (hop_vertex v = 8192; v < 12000; v++)
        add(list, v == 8192 || v == 10000 ? v % 8192 : v - 1, v);
}

/* Wide, narrow, wide: stars on a path. */
static void beads(edge_list *list) {
    for (hop_vertex bead = 0; bead < 6; bead++) {
        hop_vertex first = 10000 * bead;
        for (hop_vertex v = first + 1; v < first + 9000; v++) {
            add(list, first, v);
            add(list, v, first + 9000);
        }
        for (hop_vertex v = first + 9000; v < first + 10000 && v < 59990; v++)
            add(list, v, v + 1);
    }
}

/* Many levels of a few thousand vertices, each with three neighbours in the next one: members of a
 * team meet at the same vertices all the time. */
enum { LAYER = 5000, LAYERS = 40 };
static void layers(edge_list *list) {
    for (hop_vertex v = 0; v < LAYER; v++)
        add(list, LAYER * LAYERS, v);
    for (hop_vertex v = 0; v < LAYER * (LAYERS - 1); v++)
        for (unsigned k = 0; k < 3; k++)
            add(list, v, LAYER * (v / LAYER + 1) + (hop_vertex)(hop__random_at(5, k, v) % LAYER));
}

enum { COMMON = SMALLER_TESTS ? 1 : 2 }; /* repetitions */

typedef struct family {
    const char *name;
    void (*make)(edge_list *list);
    bool directed, reverse, races;
} family;

static const family families[] = {
    {"star", star, false, false, true},
    {"two hubs", two_hubs, false, false, true},
    {"two stars", two_stars, false, false},
    {"grid", grid, false, false, true},
    {"shuffled grid", shuffled_grid, false, false},
    {"rmat", rmat, false, false, true},
    {"directed rmat", rmat, true, false},
    {"directed rmat with reverse arcs", rmat, true, true},
    {"directed two hubs", two_hubs, true, false},
    {"dense with tails", dense_with_tails, false, false},
    {"beads", beads, false, false},
};

static hop_graph *build(hop_context *context, const family *f) {
    edge_list list = {0};
    f->make(&list);
    return build_edges(context, &list, f->directed, f->reverse);
}

typedef struct answer {
    hop_vertex source, *levels, *parents, *expected_levels, *expected_parents;
} answer;

static void run_once(hop_context *context, const hop_graph *graph, const family *f,
                     const hop_variant *variant, const char *step, const answer *a) {
    hop_vertex n = hop_graph_vertices(graph);
    hop_setting setting = {.name = "step", .word = step};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = variant->name;
    run.settings = &setting;
    run.setting_count = step ? 1 : 0;
    options.run = &run;
    memset(a->levels, 0x5a, 4 * (size_t)n);
    memset(a->parents, 0x5a, 4 * (size_t)n);
    if (hop_bfs(context, graph, &a->source, 1, &options, a->levels, a->parents) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    if (memcmp(a->levels, a->expected_levels, 4 * (size_t)n) != 0 ||
        memcmp(a->parents, a->expected_parents, 4 * (size_t)n) != 0)
        fail_msg("%s from %u: %s, step %s: another answer", f->name, a->source, variant->name,
                 step ? step : "-");
}

static void check_family(const family *f, unsigned repetitions) {
    static const unsigned threads[] = {2, 3, 8, 1, 4};
    const size_t teams = SMALLEST_TESTS ? 2 : sizeof threads / sizeof threads[0];
    static const char *const steps[] = {"auto", "alone", "shared", "binned", "bottom-up"};
    hop_context *maker = make_context(2);
    hop_graph *graph = build(maker, f);
    hop_vertex n = hop_graph_vertices(graph), *memory = malloc(16 * (size_t)n);
    answer a = {0, memory, memory + n, memory + 2 * (size_t)n, memory + 3 * (size_t)n};
    for (size_t t = 0; t < teams; t++) {
        hop_context *context = make_context(threads[t]);
        a.source = (hop_vertex)(hop__random_at(9, 9, t) % n);
        simple_search(graph, a.source, a.expected_levels, a.expected_parents);
        for (unsigned i = 0; i < repetitions; i++)
            for (size_t k = 0; k < host_variant_count(HOP_PROBLEM_BFS); k++) {
                const hop_variant *variant = hop_variant_at(HOP_PROBLEM_BFS, k);
                if (strcmp(variant->name, "direction-optimizing") != 0)
                    run_once(context, graph, f, variant, NULL, &a);
                else
                    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
                        run_once(context, graph, f, variant, steps[s], &a);
            }
        free_context(context);
    }
    free(memory);
    hop_graph_release(graph);
    free_context(maker);
}

static void every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    const char *wanted = getenv("HOPLITE_REPEAT");
    unsigned repetitions = wanted ? (unsigned)strtoul(wanted, NULL, 10) : COMMON;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (families[i].races || !SMALLEST_TESTS)
            check_family(&families[i], families[i].races && repetitions ? repetitions : COMMON);
}

/* `nearest` counts each vertex once: the search ends with the level that has enough, not before. */
static void check_nearest(const family *f, hop_vertex source) {
    static const char *const steps[] = {"auto", "shared", "binned"};
    hop_context *maker = make_context(2);
    hop_graph *graph = build(maker, f);
    hop_vertex n = hop_graph_vertices(graph), *memory = malloc(12 * (size_t)n), last = 0;
    hop_vertex *levels = memory, *parents = memory + n, *expected = memory + 2 * (size_t)n;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    simple_search(graph, source, expected, parents);
    for (hop_vertex v = 0; v < n; v++) {
        last = expected[v] != NONE && expected[v] > last ? expected[v] : last;
        options.nearest += expected[v] != NONE && v != source;
    }
    for (hop_vertex v = 0; v < n; v++) /* all but the last two levels, and one vertex more */
        options.nearest -= expected[v] != NONE && expected[v] + 1 >= last;
    options.nearest++;
    options.run = &run;
    run.variant = "direction-optimizing";
    run.setting_count = 1;
    for (unsigned i = 0; i < 24; i++) {
        hop_context *context = make_context(i % 2 ? 2 : 8);
        run.settings = &(hop_setting){.name = "step", .word = steps[i % 3]};
        assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, parents), HOP_OK);
        for (hop_vertex v = 0; v < n; v++)
            if (levels[v] != (expected[v] < last ? expected[v] : NONE))
                fail_msg("%s, %u nearest, %s: level %u of vertex %u, not %u", f->name,
                         options.nearest, steps[i % 3], levels[v], v, expected[v]);
        free_context(context);
    }
    free(memory);
    hop_graph_release(graph);
    free_context(maker);
}

static void nearest_counts_each_vertex_once(void **state) {
    (void)state;
    check_nearest(&(family){.name = "layers", .make = layers}, LAYER * LAYERS);
    check_nearest(&(family){.name = "grid", .make = grid}, 31125);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_thread_count_gives_the_same_bits),
                                       cmocka_unit_test(nearest_counts_each_vertex_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
