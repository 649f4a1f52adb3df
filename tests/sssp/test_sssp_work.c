/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of a search on hard graphs: relaxations and moves in the queue, counted, against the
 * better of dijkstra and of delta-stepping at its best width. Shapes, weightings, types, directions
 * and orders are drawn by seed: three that stay the same, or the one that is given.
 *
 *   test_sssp_work              the test
 *   test_sssp_work SEED         the test with this seed alone
 *   test_sssp_work times N SEED milliseconds on graphs of N vertices, every shape and weighting */
#include "sssp/sssp_hard.h"

#include <math.h>

#include "core/context_internal.h"
#include "problem/report.h"
#include "span_testing.h"
#include "sssp/sssp_internal.h"

enum { CASES = SMALLER_TESTS ? 12 : 60, VERTICES = 12000, TRIES = 20 };

/* What a run has done. */
typedef struct work {
    uint64_t relaxations, moves;
    double milliseconds;
    bool handed_over;
} work;

static uint64_t counter(const hop_report *report, const char *name) {
    for (size_t i = 0; i < report->counter_count; i++)
        if (strcmp(report->counters[i].name, name) == 0)
            return report->counters[i].value;
    return 0;
}

/* A case that is drawn. */
typedef struct hard_case {
    shape s;
    hop_graph *graph;
    hop_weight_type type;
    char name[128];
    solution right; /* dijkstra's */
} hard_case;

/* Solves it, into `into` or, if that is NULL, to be compared with what is right. */
static work solve_case(hop_context *context, const hard_case *c, const char *variant, double delta,
                       solution *into) {
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_setting setting = {.name = "delta", .value = delta};
    solution mine = {malloc(c->s.n * 8), malloc(c->s.n * 4), HOP_OK};
    memset(mine.distances, 0, c->s.n * 8);
    run.variant = variant;
    run.report = &report;
    run.settings = &setting;
    run.setting_count = delta > 0;
    options.run = &run;
    mine.status = hop_sssp(context, c->graph, &c->s.source, 1, &options,
                           ROOM(c->graph, mine.distances), mine.parents);
    if (mine.status != HOP_OK)
        fail_msg("%s, %s: %s", c->name, variant ? variant : "auto", hop_context_message(context));
    if (into) {
        *into = mine;
    } else {
        if (memcmp(mine.distances, c->right.distances, c->s.n * 8) != 0 ||
            memcmp(mine.parents, c->right.parents, c->s.n * 4) != 0)
            fail_msg("%s: %s with delta %g differs from dijkstra", c->name,
                     variant ? variant : "auto", delta);
        free_solution(&mine);
    }
    return (work){report.relaxations, counter(&report, "moves"), report.seconds * 1e3,
                  counter(&report, "searches left to dijkstra") > 0};
}

/* A type that can hold the weights, number `wanted` if that can. */
static hop_weight_type type_for(const shape *s, const hard_weighting *weighting, uint64_t wanted) {
    hop_weight_type type = (hop_weight_type)(HOP_TYPE_INT32 + wanted % 4);
    if (weighting->real && type < HOP_TYPE_FLOAT32)
        type = (hop_weight_type)(type + 2);
    for (uint64_t i = 0; i < s->m && type == HOP_TYPE_INT32; i++)
        if (s->weights[i] >= 0x1p31)
            type = HOP_TYPE_INT64;
    return type;
}

static hard_case draw_case(hop_context *context, uint64_t seed, size_t shape_number,
                           size_t weighting_number, uint32_t n) {
    const hard_weighting *weighting = &hard_weightings[weighting_number];
    const hard_shape *form = &hard_forms[shape_number];
    uint64_t bits = hop__random_at(seed, shape_number, weighting_number);
    bool directed = bits & 1, shuffled = bits >> 1 & 1;
    hard_case c = {.s = hard_draw(form, weighting, n, directed, shuffled, seed)};
    c.type = type_for(&c.s, weighting, bits >> 2);
    snprintf(c.name, sizeof c.name, "seed %llu: %s, %s, %s, %s%s", (unsigned long long)seed,
             form->name, weighting->name, hop_type_name(c.type),
             directed ? "directed" : "undirected", shuffled ? ", shuffled" : "");
    c.graph = build_shape(context, &c.s, c.type);
    return c;
}

static void free_case(hard_case *c) {
    hop_graph_release(c->graph);
    free_solution(&c->right);
    free_shape(&c->s);
}

/* In arcs: sixteen moves in the queue, which go along memory, take as long as one. */
static double weighed(work w) {
    return (double)w.relaxations + (double)w.moves / 16;
}

static work better(work a, work b) {
    return weighed(a) < weighed(b) ? a : b;
}

/* How many times the work of `best`. */
static double ratio_of(work mine, work best) {
    return fmax(weighed(mine) / fmax(weighed(best), 1),
                (double)mine.relaxations / fmax((double)best.relaxations, 1));
}

/* The work of two threads depends on their turns: on cores that others want, one that loses its own
 * makes the other run ahead. What they do in every try is the search's doing. */
static void check_work(hop_context *context, const hard_case *c, const char *variant, work best) {
    unsigned threads = hop_context_threads(context);
    double most = threads == 1 ? 2 : 2.4;
    work mine = solve_case(context, c, variant, 0, NULL);
    for (int tries = 1; tries < TRIES && threads > 1 && ratio_of(mine, best) > most; tries++)
        mine = solve_case(context, c, variant, 0, NULL);
    if (ratio_of(mine, best) > most)
        fail_msg("%s: %s on %u threads: %llu relaxations and %llu moves, where %llu and %llu do",
                 c->name, variant ? variant : "auto", threads, (unsigned long long)mine.relaxations,
                 (unsigned long long)mine.moves, (unsigned long long)best.relaxations,
                 (unsigned long long)best.moves);
}

/* One case on one and two threads. delta-stepping by name too: on graphs that are so small `auto`
 * takes dijkstra if there are many arcs per vertex. */
static void check_case(hop_context *const contexts[2], hard_case *c) {
    static const double deltas[] = {1, 0x1p10, 0x1p20, 0x1p30};
    work best = solve_case(contexts[0], c, "dijkstra", 0, &c->right);
    for (size_t i = 0; i < HOP_LENGTH(deltas); i++)
        best = better(best, solve_case(contexts[0], c, "delta-stepping", deltas[i], NULL));
    for (unsigned threads = 1; threads <= 2; threads++) {
        check_work(contexts[threads - 1], c, NULL, best);
        check_work(contexts[threads - 1], c, "delta-stepping", best);
    }
}

static void check_seed(uint64_t seed) {
    hop_context *contexts[2] = {make_context(1), make_context(2)};
    for (uint64_t i = 0; i < CASES; i++) {
        uint64_t bits = hop__random_at(seed, 99, i);
        hard_case c = draw_case(contexts[0], seed, bits % HOP_LENGTH(hard_forms),
                                (bits >> 32) % HOP_LENGTH(hard_weightings), VERTICES);
        check_case(contexts, &c);
        free_case(&c);
    }
    free_context(contexts[0]);
    free_context(contexts[1]);
}

static uint64_t seed_of_run;

static void work_is_bounded(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        check_seed(seed);
}

/* Of `test_sssp_work SEED`, for as many seeds as wanted. */
static void work_is_bounded_for_this_seed(void **state) {
    (void)state;
    check_seed(seed_of_run);
}

/* A part that no sample of the arcs hits, in a graph that it does not lead out of. */
static void small_part_of_a_large_graph(void **state) {
    (void)state;
    hop_context *contexts[2] = {make_context(1), make_context(2)};
    hard_case c = draw_case(contexts[0], 1, 0, 4, 3000);
    hop_graph_release(c.graph);
    const uint64_t part = c.s.m;
    c.s.n = 100000;
    for (uint64_t i = 0; i < 4 * c.s.n; i++)
        add_edge(&c.s, 3000 + hop__random_at(5, 1, i) % (c.s.n - 3000),
                 3000 + hop__random_at(5, 2, i) % (c.s.n - 3000), 1);
    c.graph = build_shape(contexts[0], &c.s, c.type);
    work right = solve_case(contexts[0], &c, "dijkstra", 0, &c.right);
    assert_true(right.relaxations <= 2 * part);
    for (unsigned threads = 1; threads <= 2; threads++) {
        /* What is done between two reports, and twice what is needed. */
        const uint64_t most = hop_graph_arcs(c.graph) / 16 + 5 * right.relaxations / 2;
        work mine = solve_case(contexts[threads - 1], &c, NULL, 0, NULL);
        for (int tries = 1; tries < TRIES && threads > 1 && mine.relaxations > most; tries++)
            mine = solve_case(contexts[1], &c, NULL, 0, NULL);
        if (mine.relaxations > most)
            fail_msg("%u threads: %llu relaxations, where %llu do", threads,
                     (unsigned long long)mine.relaxations, (unsigned long long)right.relaxations);
    }
    free_case(&c);
    free_context(contexts[0]);
    free_context(contexts[1]);
}

/* Where the budget has no room for dijkstra a wasteful search goes on. */
/* Sums beyond what packed cells hold were left out before the search was handed over: dijkstra must
 * make up for them. Source, b1 and b2 are 10^9 apart; the arc from b2 to b3 does not fit; behind b2
 * is a graph that is searched in vain. */
static void long_arcs_before_a_hand_over(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        hard_case c = draw_case(context, 4, 4, 1, 15000); /* random, uniform */
        hop_graph_release(c.graph);
        uint32_t n = c.s.n, inner = c.s.source;
        add_edge(&c.s, n, n + 1, 1e9);
        add_edge(&c.s, n + 1, n + 2, 1e9);
        add_edge(&c.s, n + 2, n + 3, 1e9);
        add_edge(&c.s, n + 2, inner, 1);
        c.s.n = n + 4;
        c.s.source = n;
        c.type = HOP_TYPE_INT32;
        c.graph = build_shape(context, &c.s, c.type);
        (void)solve_case(context, &c, "dijkstra", 0, &c.right);
        assert_true(((int64_t *)c.right.distances)[n + 3] == 3000000000);
        work mine = solve_case(context, &c, "delta-stepping", 0x1p40, NULL); /* compared there */
        assert_true(threads == 2 || mine.handed_over);
        free_case(&c);
        free_context(context);
    }
}

/* The row alone, with a budget that the front would refuse: somebody else has the rest by now. */
static hop_status run_without_check(const hard_case *c, uint64_t budget, solution *mine) {
    static const double values[] = {0x1p40};
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 1;
    options.memory_budget = budget;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop__sssp_task task = {.distances = mine->distances,
                           .parents = mine->parents,
                           .values = values,
                           .wants_parents = true,
                           .threads = 1,
                           .tuning = &context->tuning};
    assert_int_equal(hop__sssp_describe(context, c->graph, &task.query), HOP_OK);
    task.query.sources = &c->s.source;
    task.query.source_count = 1;
    hop_status status = hop__sssp_delta_stepping.run(context, &task);
    assert_true(hop_context_memory_peak(context) <= budget);
    free_context(context);
    return status;
}

/* What dijkstra needs is in the estimate. With a byte less the search goes on without it. */
static void without_room_for_dijkstra(void **state) {
    (void)state;
    hop_context *wide = make_context(1), *narrow = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hard_case c = draw_case(wide, 4, 4, 1, 15000); /* random, uniform */
    hop_graph_release(c.graph);
    c.type = HOP_TYPE_FLOAT64; /* for which dijkstra needs more */
    c.graph = build_shape(wide, &c.s, c.type);
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options asked = HOP_SSSP_OPTIONS_INIT;
    run.variant = "delta-stepping";
    run.plan = true;
    run.report = &report;
    asked.run = &run;
    (void)solve_case(wide, &c, "dijkstra", 0, &c.right);
    solution mine = {malloc(c.s.n * 8), malloc(c.s.n * 4), HOP_OK};
    assert_int_equal(hop_sssp(wide, c.graph, &c.s.source, 1, &asked, ROOM(c.graph, mine.distances),
                              mine.parents),
                     HOP_OK);
    options.threads = 1;
    options.memory_budget = report.memory_bytes; /* the graph is another context's */
    assert_int_equal(hop_context_create(&options, &narrow), HOP_OK);
    assert_true(solve_case(narrow, &c, "delta-stepping", 0x1p40, NULL).handed_over);
    assert_int_equal(hop_context_memory_peak(narrow), report.memory_bytes);
    /* Handed over, it would not fit. */
    assert_int_equal(run_without_check(&c, report.memory_bytes - 1, &mine), HOP_OK);
    assert_memory_equal(mine.distances, c.right.distances, c.s.n * 8);
    assert_memory_equal(mine.parents, c.right.parents, c.s.n * 4);
    free_solution(&mine);
    free_context(narrow);
    free_case(&c);
    free_context(wide);
}

/* The best of three, of all widths or of what is chosen. */
static double best_time(hop_context *context, const hard_case *c, const char *variant, bool all) {
    double best = HUGE_VAL;
    for (double delta = all ? 0x1p-4 : 0; delta < 0x1p60; delta *= 16) {
        for (int i = 0; i < 3; i++) {
            work mine = solve_case(context, c, variant, delta, NULL);
            best = mine.milliseconds < best ? mine.milliseconds : best;
        }
        if (!all)
            break;
    }
    return best;
}

static int print_times(uint32_t n, uint64_t seed) {
    hop_context *contexts[2] = {make_context(1), make_context(2)};
    double worst = 0;
    printf("milliseconds, best of three; delta: delta-stepping at its best width\n");
    printf("%-64s %9s %9s %9s %9s %9s %6s\n", "", "dijkstra", "delta 1", "delta 2", "auto 1",
           "auto 2", "ratio");
    for (size_t w = 0; w < HOP_LENGTH(hard_weightings); w++)
        for (size_t k = 0; k < HOP_LENGTH(hard_forms); k++) {
            hard_case c = draw_case(contexts[0], seed, k, w, n);
            (void)solve_case(contexts[0], &c, "dijkstra", 0, &c.right);
            double plain = best_time(contexts[0], &c, "dijkstra", false);
            double delta[2], mine[2], ratio = 0;
            for (int t = 0; t < 2; t++) {
                delta[t] = best_time(contexts[t], &c, "delta-stepping", true);
                mine[t] = best_time(contexts[t], &c, NULL, false);
                double best = delta[t] < plain ? delta[t] : plain;
                ratio = mine[t] / best > ratio ? mine[t] / best : ratio;
            }
            printf("%-64s %9.2f %9.2f %9.2f %9.2f %9.2f %6.2f\n", c.name, plain, delta[0], delta[1],
                   mine[0], mine[1], ratio);
            fflush(stdout);
            worst = ratio > worst ? ratio : worst;
            free_case(&c);
        }
    printf("worst ratio %.2f\n", worst);
    free_context(contexts[0]);
    free_context(contexts[1]);
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(small_part_of_a_large_graph),
        cmocka_unit_test(long_arcs_before_a_hand_over),
        cmocka_unit_test(without_room_for_dijkstra),
    };
    const struct CMUnitTest one[] = {cmocka_unit_test(work_is_bounded_for_this_seed)};
    if (argc == 4 && strcmp(argv[1], "times") == 0)
        return print_times((uint32_t)strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc > 1) {
        seed_of_run = strtoull(argv[1], NULL, 10);
        return cmocka_run_group_tests(one, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
