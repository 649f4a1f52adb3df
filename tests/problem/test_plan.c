/* SPDX-License-Identifier: Apache-2.0
 * A plan chooses, counts and refuses as a run would, and touches nothing. */
#include "bfs/bfs_testing.h"
#include "problem/report.h"
#include "span_testing.h"

enum { N = 1000, MARK = 0x5a };

static hop_graph *make_path_graph(hop_context *context) {
    hop_vertex from[N - 1], to[N - 1];
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    for (hop_vertex v = 0; v + 1 < N; v++) {
        from[v] = v;
        to[v] = v + 1;
    }
    edges.count = N - 1;
    edges.from = from;
    edges.to = to;
    assert_int_equal(hop_graph_from_edges(context, &edges, NULL, &graph), HOP_OK);
    return graph;
}

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    (void)user;
    (void)first;
    (void)count;
    (void)rows;
    fail_msg("a plan hands over no rows");
    return false;
}

typedef struct plan_case {
    hop_context *context;
    hop_graph *graph;
    hop_vertex *one, *two;
    int64_t *wide;
    hop_vertex *list;
} plan_case;

static hop_status call(const plan_case *with, hop_problem problem, const hop_run *run) {
    const hop_vertex source = 0;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    apsp.scratch = "never-made.tiles";
    rank.run = components.run = bfs.run = sssp.run = apsp.run = run;
    switch (problem) {
    case HOP_PROBLEM_RANK:
        return hop_rank(with->context, with->list, N, &rank, with->one);
    case HOP_PROBLEM_COMPONENTS:
        return hop_components(with->context, with->graph, &components, with->one, NULL);
    case HOP_PROBLEM_BFS:
        return hop_bfs(with->context, with->graph, &source, 1, &bfs, with->one, with->two);
    case HOP_PROBLEM_SSSP:
        return hop_sssp(with->context, with->graph, &source, 1, &sssp,
                        ROOM(with->graph, with->wide), with->two);
    default:
        return hop_apsp_rows(with->context, with->graph, &apsp, take_rows, NULL, NULL);
    }
}

static void a_plan_touches_nothing(void **state) {
    (void)state;
    plan_case with = {.context = make_context(2)};
    unsigned char marks[N * 8];
    memset(marks, MARK, sizeof marks);
    with.graph = make_path_graph(with.context);
    with.one = malloc(N * 8);
    with.two = malloc(N * 8);
    with.wide = malloc(N * 8);
    with.list = malloc(N * sizeof(hop_vertex));
    for (hop_vertex i = 0; i < N; i++)
        with.list[i] = i + 1 < N ? i + 1 : i;
    for (unsigned p = 0; p < HOP_PROBLEM_COUNT; p++)
        for (size_t v = 0; v <= host_variant_count(p); v++) {
            const hop_variant *variant = v > 0 ? hop_variant_at(p, v - 1) : NULL;
            hop_report report = {0};
            hop_run run = HOP_RUN_INIT;
            memset(with.one, MARK, N * 8);
            memset(with.two, MARK, N * 8);
            memset(with.wide, MARK, N * 8);
            run.plan = true;
            run.variant = variant != NULL ? variant->name : NULL;
            run.report = &report;
            assert_int_equal(call(&with, p, &run), HOP_OK);
            assert_non_null(report.variant);
            if (variant != NULL)
                assert_ptr_equal(report.variant, variant);
            assert_true(report.reason[0] != '\0');
            assert_true(report.seconds == 0);
            assert_memory_equal(with.one, marks, N * 8);
            assert_memory_equal(with.two, marks, N * 8);
            assert_memory_equal(with.wide, marks, N * 8);
            run.variant = "no such thing";
            assert_int_equal(call(&with, p, &run), HOP_ERR_ARGUMENT);
        }
    free(with.one);
    free(with.two);
    free(with.wide);
    free(with.list);
    hop_graph_release(with.graph);
    free_context(with.context);
}

static void blocks_count_against_the_budget(void **state) {
    (void)state;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    void *block = &options;
    options.memory_budget = 1 << 20;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_block_create(context, "levels", 1 << 18, 4, &block), HOP_ERR_BUDGET);
    assert_null(block);
    assert_says(context, "levels");
    assert_int_equal(hop_block_create(context, "levels", 1 << 16, 4, &block), HOP_OK);
    assert_true((uintptr_t)block % 64 == 0);
    assert_true(hop_context_memory_used(context) >= 1 << 18);
    memset(block, 1, 1 << 18);
    hop_block_free(block);
    hop_block_free(NULL);
    assert_int_equal(hop_context_memory_used(context), 0);
    assert_int_equal(hop_block_create(context, NULL, 1, 4, &block), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_block_create(NULL, "x", 1, 4, &block), HOP_ERR_ARGUMENT);
    hop_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plan_touches_nothing),
                                       cmocka_unit_test(blocks_count_against_the_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
