/* SPDX-License-Identifier: Apache-2.0
 * Breadth-first search: every variant against the definition, on all small graphs and on random
 * ones; the limits; what is refused; memory, cancelling and failing allocations. */
#include "bfs/bfs_testing.h"
#include "graph/graph_internal.h"
#include "problem/report.h"

enum { QUESTIONS = 8 };

/* Variants that find levels in several ways can be told which; every call takes another one. */
static const char *const steps[] = {"auto", "alone", "shared", "binned", "bottom-up"};
enum { STEPS = sizeof steps / sizeof steps[0] };

static size_t next_step(const hop_variant *variant, hop_setting *setting) {
    static unsigned calls;
    for (size_t i = 0; i < variant->parameter_count; i++)
        if (strcmp(hop_parameter_at(variant->parameters, i)->name, "step") == 0) {
            *setting = (hop_setting){.name = "step", .word = steps[calls++ % STEPS]};
            return 1;
        }
    return 0;
}

/* One variant on one question, all four combinations of outputs if asked for. */
static void check_variant(hop_context *context, const plain *p, const hop_variant *variant,
                          const hop_vertex *sources, hop_vertex source_count,
                          hop_bfs_options *options, bool thorough) {
    hop_setting setting;
    hop_vertex *expected = malloc((size_t)p->n * 16 + 16), *expected_parents = expected + p->n;
    hop_vertex *levels = expected + 2 * (size_t)p->n, *parents = expected + 3 * (size_t)p->n;
    hop_run run = HOP_RUN_INIT;
    run.variant = variant->name;
    run.certify = HOP_CERTIFY_CANONICAL;
    options->run = &run;
    brute_force(p, sources, source_count, options, expected, expected_parents);
    for (int wanted = thorough ? 0 : 3; wanted <= 3; wanted++) {
        memset(levels, 0x5a, (size_t)p->n * 8);
        run.setting_count = next_step(variant, &setting);
        run.settings = &setting;
        if (hop_bfs(context, p->graph, sources, source_count, options, wanted & 1 ? levels : NULL,
                    wanted & 2 ? parents : NULL) != HOP_OK)
            fail_msg("%s, %s: %s", variant->name, run.setting_count ? setting.word : "",
                     hop_context_message(context));
        if (wanted & 1)
            assert_same(levels, expected, p->n, "level");
        if (wanted & 2)
            assert_same(parents, expected_parents, p->n, "parent");
    }
    options->run = NULL;
    free(expected);
}

static void check_all_variants(hop_context *context, const plain *p, const hop_vertex *sources,
                               hop_vertex source_count, hop_bfs_options *options, bool thorough) {
    for (size_t i = 0; i < host_variant_count(HOP_PROBLEM_BFS); i++)
        check_variant(context, p, hop_variant_at(HOP_PROBLEM_BFS, i), sources, source_count,
                      options, thorough);
}

/* The largest on one thread, for the time that it takes. */
static void check_all_tiny(uint32_t most, bool directed) {
    for (uint32_t n = 0; n <= most; n++) {
        hop_context *context = make_context(n == most ? 1 : 1 + n % 3);
        for (uint32_t code = 0; code < tiny_codes(n, directed);
             code += SMALLER_TESTS && n >= most && n > 3 ? 7 : 1) {
            tiny t;
            tiny_make(context, &t, n, directed, code);
            if (directed && code % 2) /* bottom-up needs them */
                assert_int_equal(hop_graph_prepare(context, t.p.graph, HOP_PREPARE_REVERSE),
                                 HOP_OK);
            for (uint32_t number = 0; number < QUESTIONS; number++) {
                question q = question_make(n, number, code);
                hop_bfs_options options = question_options(&q, NULL);
                check_all_variants(context, &t.p, q.sources, q.source_count, &options,
                                   number == n + 1);
            }
            hop_graph_release(t.p.graph);
        }
        free_context(context);
    }
}

static void all_undirected_graphs_up_to_six(void **state) {
    (void)state;
    check_all_tiny(SMALLEST_TESTS ? 5 : 6, false);
}

static void all_directed_graphs_up_to_four(void **state) {
    (void)state;
    check_all_tiny(SMALLEST_TESTS ? 3 : 4, true);
}

/* Parallel arcs, loops, both widths of offsets, sparse and dense, one to three threads. */
static void random_graphs(void **state) {
    (void)state;
    for (unsigned i = 0; i < 48; i++) {
        hop_context *context = make_context(1 + i % 3);
        uint32_t n = 1 + (uint32_t)(hop__random_at(1, 3, i) % 3000);
        uint32_t edges = i % 8 == 7 ? 0 : n * (1 + i % 5) / 2 + 1;
        plain p = plain_random(context, n, edges, i & 1, i & 2, i);
        if (i & 4)
            assert_int_equal(hop_graph_prepare(context, p.graph, HOP_PREPARE_REVERSE), HOP_OK);
        hop_vertex ids[64];
        for (unsigned k = 0; k < 64; k++)
            ids[k] = (hop_vertex)(hop__random_at(2, i, k) % n);
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        check_all_variants(context, &p, ids, 1, &options, true);
        check_all_variants(context, &p, ids, 20, &options, true);
        options.max_level = i % 6;
        check_all_variants(context, &p, ids, 1 + i % 2, &options, true);
        options.targets = ids + 32;
        options.target_count = 1 + i % 32;
        check_all_variants(context, &p, ids, 1, &options, true);
        options.max_level = NONE;
        check_all_variants(context, &p, ids, 1, &options, true);
        options.target_count = 0;
        options.nearest = 1 + i * 7;
        check_all_variants(context, &p, ids, 1 + i % 2, &options, true);
        plain_free(&p);
        free_context(context);
    }
}

/* Pieces and blocks end inside the row of the hub. */
static void a_row_longer_than_a_piece(void **state) {
    (void)state;
    for (int directed = 0; directed < 2; directed++) {
        hop_context *context = make_context(3);
        plain p = plain_random(context, 200001, 0, directed, false, 1);
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        hop_vertex sources[] = {100000, 5, 199999};
        check_all_variants(context, &p, sources, 1, &options, true);
        check_all_variants(context, &p, sources + 1, 2, &options, true);
        plain_free(&p);
        free_context(context);
    }
}

/* A spider: every frontier is larger than a piece, and everyone in it has someone behind. */
static void frontiers_longer_than_a_piece(void **state) {
    enum { LEGS = 150000 };
    (void)state;
    hop_context *context = make_context(3);
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex sources[] = {0, 1 + 2 * LEGS};
    plain p = {.n = 1 + 3 * LEGS,
               .offsets = calloc(3 * LEGS + 2, sizeof *p.offsets),
               .targets = calloc(6 * LEGS, sizeof *p.targets)};
    for (uint32_t v = 0; v < p.n; v++) {
        for (uint32_t leg = 0; v == 0 && leg < LEGS; leg++)
            p.targets[p.m++] = 1 + leg;
        if (v > 0)
            p.targets[p.m++] = v > LEGS ? v - LEGS : 0;
        if (v > 0 && v + LEGS < p.n)
            p.targets[p.m++] = v + LEGS;
        p.offsets[v + 1] = p.m;
    }
    plain_wrap(context, &p, false);
    check_all_variants(context, &p, sources, 1, &options, true);
    check_all_variants(context, &p, sources + 1, 1, &options, true);
    plain_free(&p);
    free_context(context);
}

/* Levels of the path 0 - 1 - ... - 5, with the vertex 6 apart. */
typedef struct limit_case {
    const char *name;
    hop_vertex targets[3], target_count, max_level, deepest, nearest;
} limit_case;

static const limit_case limit_cases[] = {
    {"no limit", {0}, 0, NONE, 5, 0},
    {"max_level 0 leaves the source", {0}, 0, 0, 0, 0},
    {"max_level 2", {0}, 0, 2, 2, 0},
    {"max_level beyond the end", {0}, 0, 100, 5, 0},
    {"a target that is the source", {0}, 1, NONE, 0, 0},
    {"a target in the middle", {3}, 1, NONE, 3, 0},
    {"the deeper of two targets", {4, 1}, 2, NONE, 4, 0},
    {"a target given twice", {2, 2, 1}, 3, NONE, 2, 0},
    {"an unreachable target", {6}, 1, NONE, 5, 0},
    {"one reachable, one not", {1, 6}, 2, NONE, 5, 0},
    {"a target within max_level", {2}, 1, 4, 2, 0},
    {"a target at max_level", {4}, 1, 4, 4, 0},
    {"a target beyond max_level", {1, 5}, 2, 3, 3, 0},
    {"unreachable, and max_level", {6}, 1, 1, 1, 0},
    {"the nearest two", {0}, 0, NONE, 2, 2},
    {"nearest, and a target nearer", {1}, 1, NONE, 1, 3},
    {"nearest before the target", {4}, 1, NONE, 3, 3},
    {"nearest beyond max_level", {0}, 0, 2, 2, 4},
    {"more than there are", {0}, 0, NONE, 5, 6},
};

static void limits_cut_where_the_header_says(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint32_t offsets[] = {0, 1, 3, 5, 7, 9, 10, 10}, targets[] = {1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
    plain p = {.n = 7, .m = 10, .offsets = offsets, .targets = targets};
    plain_wrap(context, &p, false);
    for (size_t i = 0; i < sizeof limit_cases / sizeof limit_cases[0]; i++) {
        const limit_case *c = &limit_cases[i];
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        hop_vertex levels[7], parents[7], source = 0;
        options.targets = c->targets;
        options.target_count = c->target_count;
        options.max_level = c->max_level;
        options.nearest = c->nearest;
        assert_int_equal(hop_bfs(context, p.graph, &source, 1, &options, levels, parents), HOP_OK);
        for (hop_vertex v = 0; v < 7; v++) {
            bool reached = v <= c->deepest && v < 6;
            if (levels[v] != (reached ? v : NONE) ||
                parents[v] != (reached ? (v ? v - 1 : 0) : HOP_NO_VERTEX))
                fail_msg("%s: vertex %u has level %u, parent %u", c->name, v, levels[v],
                         parents[v]);
        }
        check_all_variants(context, &p, &source, 1, &options, true);
    }
    hop_graph_release(p.graph);
    free_context(context);
}

static void nothing_and_next_to_nothing(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex source = 0, level = 7, parent = 7;
    tiny t;
    tiny_make(context, &t, 0, true, 0);
    check_all_variants(context, &t.p, NULL, 0, &options, true);
    assert_int_equal(hop_bfs(context, t.p.graph, NULL, 0, NULL, NULL, NULL), HOP_OK);
    assert_int_equal(hop_bfs_certify(context, t.p.graph, NULL, 0, NULL, NULL, NULL), HOP_OK);
    hop_graph_release(t.p.graph);
    for (uint32_t loop = 0; loop < 2; loop++) {
        tiny_make(context, &t, 1, true, loop);
        assert_int_equal(hop_bfs(context, t.p.graph, &source, 1, NULL, &level, &parent), HOP_OK);
        assert_int_equal(level, 0);
        assert_int_equal(parent, 0);
        assert_int_equal(hop_bfs(context, t.p.graph, NULL, 0, NULL, &level, &parent), HOP_OK);
        assert_int_equal(level, HOP_NO_LEVEL);
        assert_int_equal(parent, HOP_NO_VERTEX);
        check_all_variants(context, &t.p, &source, 1, &options, true);
        check_all_variants(context, &t.p, NULL, 0, &options, true);
        hop_graph_release(t.p.graph);
    }
    free_context(context);
}

/* More sources than vertices: nothing is searched twice, and nothing overflows (the heap of the
 * tests would see it, and the sanitizer). */
static void a_source_may_be_given_a_thousand_times(void **state) {
    (void)state;
    test_heap heap = {0};
    hop_context_options with_heap = heap_options(&heap, true);
    hop_context *context;
    hop_vertex sources[1000], levels[4];
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    tiny t;
    assert_int_equal(hop_context_create(&with_heap, &context), HOP_OK);
    tiny_make(context, &t, 4, false, 63);
    for (unsigned i = 0; i < 1000; i++)
        sources[i] = 1 + i % 2;
    check_all_variants(context, &t.p, sources, 1000, &options, true);
    options.target_count = 1000;
    options.targets = sources;
    check_all_variants(context, &t.p, sources + 1, 1, &options, true);
    run.variant = "sequential";
    run.report = &report;
    options = (hop_bfs_options)HOP_BFS_OPTIONS_INIT;
    options.run = &run;
    assert_int_equal(hop_bfs(context, t.p.graph, sources, 1000, &options, levels, NULL), HOP_OK);
    assert_int_equal(report.relaxations, 12);
    hop_graph_release(t.p.graph);
    free_context(context);
    assert_heap_empty(&heap);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex levels[3], ids[] = {0, 3};
    tiny t;
    tiny_make(context, &t, 3, true, 5);
    hop_graph *graph = t.p.graph;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    assert_int_equal(hop_bfs(NULL, graph, ids, 1, NULL, levels, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_bfs(context, NULL, ids, 1, NULL, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: the graph is NULL");
    assert_int_equal(hop_bfs(context, graph, NULL, 2, NULL, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: 2 sources, but their array is NULL");
    assert_int_equal(hop_bfs(context, graph, ids, 2, NULL, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: source number 1 is vertex 3, but there are only 3");
    assert_int_equal(hop_bfs(context, graph, ids, 1, NULL, levels, levels), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: levels and parents are the same array");
    options.target_count = 1;
    assert_int_equal(hop_bfs(context, graph, ids, 1, &options, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: 1 targets, but their array is NULL");
    options.targets = ids + 1;
    assert_int_equal(hop_bfs(context, graph, ids, 1, &options, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "bfs: target number 0 is vertex 3");
    assert_int_equal(hop_bfs_certify(context, graph, ids, 1, &options, levels, NULL),
                     HOP_ERR_ARGUMENT);
    options = (hop_bfs_options)HOP_BFS_OPTIONS_INIT;
    options.size = 1;
    assert_int_equal(hop_bfs(context, graph, ids, 1, &options, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "HOP_BFS_OPTIONS_INIT");
    options = (hop_bfs_options)HOP_BFS_OPTIONS_INIT;
    options.run = &run;
    run.variant = "sequentiel";
    assert_int_equal(hop_bfs(context, graph, ids, 1, &options, levels, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "did you mean 'sequential'?");
    assert_int_equal(hop_bfs_certify(context, graph, ids, 1, NULL, NULL, NULL), HOP_ERR_ARGUMENT);
    assert_says(context, "the levels are NULL");
    assert_int_equal(hop_bfs_certify(NULL, graph, ids, 1, NULL, levels, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

/* What a mapped file may hold must be looked at before it is used. */
static void an_unsound_graph_is_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_vertex levels[4], source = 0;
    tiny t;
    tiny_make(context, &t, 4, true, 0xffff);
    t.targets[3] = 1u << 30;
    atomic_store(&t.p.graph->shared->state, HOP__UNCHECKED);
    assert_int_equal(hop_bfs(context, t.p.graph, &source, 1, NULL, levels, NULL), HOP_ERR_INPUT);
    memset(levels, 0, sizeof levels);
    assert_int_equal(hop_bfs_certify(context, t.p.graph, &source, 1, NULL, levels, NULL),
                     HOP_ERR_INPUT);
    hop_graph_release(t.p.graph);
    free_context(context);
}

static void the_report_tells_what_ran(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex levels[4], source = 0;
    tiny t;
    tiny_make(context, &t, 4, false, 63); /* all six edges */
    run.report = &report;
    options.run = &run;
    assert_int_equal(hop_bfs(context, t.p.graph, &source, 1, &options, levels, NULL), HOP_OK);
    assert_ptr_equal(report.variant, hop_variant_at(HOP_PROBLEM_BFS, 0));
    assert_string_equal(report.variant->name, "sequential");
    assert_true(report.reason[0] != 0);
    assert_int_equal(report.rounds, 2);
    assert_int_equal(report.relaxations, 12);
    assert_true(report.seconds >= 0 && report.seconds < 10);
    assert_true(report.certify_seconds == 0);
    run.certify = HOP_CERTIFY_VALID;
    assert_int_equal(hop_bfs(context, t.p.graph, &source, 1, &options, levels, NULL), HOP_OK);
    assert_true(report.certify_seconds > 0);
    run.variant = "no such";
    assert_int_equal(hop_bfs(context, t.p.graph, &source, 1, &options, levels, NULL),
                     HOP_ERR_ARGUMENT);
    assert_null(report.variant);
    hop_graph_release(t.p.graph);
    free_context(context);
}

/* Those of the variants: problem/test_conformance.c. */
static void the_certificate_may_lack_memory(void **state) {
    (void)state;
    hop_context *maker = make_context(1), *context;
    plain p = plain_random(maker, 1000, 2000, false, true, 4);
    hop_vertex levels[1000], parents[1000], source = 2;
    test_heap heap = {0};
    hop_context_options with_heap = heap_options(&heap, true);
    hop_bfs_options plainly = HOP_BFS_OPTIONS_INIT;
    assert_int_equal(hop_context_create(&with_heap, &context), HOP_OK);
    brute_force(&p, &source, 1, &plainly, levels, parents);
    heap_fail_at(&heap, 1);
    assert_int_equal(hop_bfs_certify(context, p.graph, &source, 1, NULL, levels, parents),
                     HOP_ERR_MEMORY);
    heap_fail_at(&heap, 0);
    assert_int_equal(hop_bfs_certify(context, p.graph, &source, 1, NULL, levels, parents), HOP_OK);
    free_context(context);
    assert_heap_empty(&heap);
    plain_free(&p);
    free_context(maker);
}

/* However much one thread may do alone, its list has the room that it has: from a leaf of a star
 * the second level is all the others. */
static void alone_stays_within_its_list(void **state) {
    (void)state;
    enum { N = 300000 };
    static const hop_setting star[] = {{"n", N}, {"k", N - 1}, {"directed", 0}};
    hop_generate_options recipe = HOP_GENERATE_OPTIONS_INIT;
    recipe.settings = star;
    recipe.setting_count = 3;
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        hop_graph *graph = NULL;
        assert_int_equal(hop_graph_generate(context, "fanout", &recipe, &graph), HOP_OK);
        hop_vertex source = 7, *levels = malloc(sizeof *levels * N);
        hop_setting setting = {.name = "alone", .value = 1 << 30};
        hop_run run = HOP_RUN_INIT;
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        options.run = &run;
        run.variant = "direction-optimizing";
        run.settings = &setting;
        run.setting_count = 1;
        run.certify = HOP_CERTIFY_CANONICAL;
        assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, NULL), HOP_OK);
        assert_int_equal(levels[0], 1);
        assert_int_equal(levels[N - 1], 2);
        free(levels);
        hop_graph_release(graph);
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_undirected_graphs_up_to_six),
        cmocka_unit_test(all_directed_graphs_up_to_four),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(a_row_longer_than_a_piece),
        cmocka_unit_test(frontiers_longer_than_a_piece),
        cmocka_unit_test(limits_cut_where_the_header_says),
        cmocka_unit_test(nothing_and_next_to_nothing),
        cmocka_unit_test(a_source_may_be_given_a_thousand_times),
        cmocka_unit_test(alone_stays_within_its_list),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(an_unsound_graph_is_refused),
        cmocka_unit_test(the_report_tells_what_ran),
        cmocka_unit_test(the_certificate_may_lack_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
