/* SPDX-License-Identifier: Apache-2.0
 * speculate on every device in many shapes: kinds of queue, ways of taking and putting, chunks,
 * group sizes, groups and trips, with pairs of cost and parent and without, with negative weights
 * and negative cycles: distances and parents bit by bit.
 *
 * Drivers compile for every row of `compiled`, which is what takes the time, and for each once more
 * for keys of 64 bits, of 32, and pairs; groups, trips and graphs cost nothing. So by default the
 * first row, which test_sssp_device has compiled already, meets all graphs, and the others one kind
 * each.
 *
 * HOPLITE_TEST_DEVICE_LARGE  1: every queue with every way, chunks 1, 4 and 8 and all group sizes
 */
#include "problem/report.h"
#include "sssp/sssp_device_testing.h"

typedef struct form {
    double queue, dequeue, enqueue, chunk, group, counters;
} form;

/* Every queue meets proxy and direct, and every size of groups occurs. */
static const form compiled[] = {
    {0, 0, 0, 4, 0, 0}, {0, 1, 1, 1, 1, 1}, {1, 0, 1, 8, 256, 0}, {2, 1, 0, 2, 32, 1}};
enum { COMPILED = sizeof compiled / sizeof compiled[0] };

static const double group_counts[] = {1, 2, 5, 16, 33, 64};
static const double trip_counts[] = {16, 0, 1, 4294967295.0, 100};

static const struct {
    uint32_t n;
    uint64_t m;
    bool directed, skewed;
    weigher weigh;
} cases[] = {
    {200, 900, true, false, plain_weight}, {150, 500, false, true, plain_weight},
    {120, 600, true, true, zero_or_one},   {100, 300, true, false, beyond_32_bits},
    {90, 300, false, false, one_outlier},
};
enum { CASES = sizeof cases / sizeof cases[0], KINDS = CASES + 2, QUESTIONS = 3 };

/* A ring of sum -1 that a path leads to; or, not `negative`, of sum 0. */
static shape ring(uint32_t n, bool negative) {
    shape s = {.name = negative ? "a negative ring" : "a ring of sum 0", .n = n, .directed = true};
    for (uint32_t v = 0; v < n; v++) {
        int64_t back = -(int64_t)(n - 10 - 1) - (negative ? 1 : 0);
        add_edge(&s, v, v + 1 < n ? v + 1 : 10, v + 1 < n ? 1 : back);
        if (v % 5 == 0)
            add_edge(&s, v, (v * 7 + 3) % n, 4 * n);
    }
    return s;
}

typedef struct graphs {
    shape shapes[KINDS];
    hop_graph *graph[KINDS];
    asked asked[KINDS][QUESTIONS];
} graphs;

static void make_graphs(hop_context *context, graphs *all) {
    for (size_t i = 0; i < KINDS; i++) {
        all->shapes[i] = i < CASES ? random_shape(cases[i].n, cases[i].m, cases[i].directed,
                                                  cases[i].skewed, cases[i].weigh)
                                   : ring(60, i == CASES);
        all->graph[i] = build_shape(context, &all->shapes[i], HOP_TYPE_INT32);
        for (uint32_t q = 0; q < QUESTIONS; q++)
            all->asked[i][q] = ask(all->graph[i], all->shapes[i].name, q);
    }
}

static void free_graphs(graphs *all) {
    for (size_t i = 0; i < KINDS; i++) {
        for (uint32_t q = 0; q < QUESTIONS; q++)
            asked_free(&all->asked[i][q]);
        hop_graph_release(all->graph[i]);
        free_shape(&all->shapes[i]);
    }
}

/* Arcs out of all vertices that are reached: each is relaxed once at least. */
static uint64_t arcs_reached(const asked *a) {
    uint64_t arcs = 0;
    for (hop_vertex v = 0; v < hop_graph_vertices(a->graph); v++)
        if (a->parents[v] != HOP_NO_VERTEX)
            arcs += hop__offset(a->graph, v + 1ull) - hop__offset(a->graph, v);
    return arcs;
}

static void search(hop_context *context, const asked *a, const form *f, double groups, double trips,
                   double bits) {
    hop_setting settings[] = {
        {"queue", f->queue, NULL}, {"dequeue", f->dequeue, NULL}, {"enqueue", f->enqueue, NULL},
        {"chunk", f->chunk, NULL}, {"group", f->group, NULL},     {"count", f->counters, NULL},
        {"groups", groups, NULL},  {"trips", trips, NULL},        {"bits", bits, NULL}};
    hop_report report = {0};
    check_with(context, a, "speculate", settings, sizeof settings / sizeof *settings, &report);
    if (f->counters != 0 && f->queue == 0) {
        assert_int_equal(counter_of(&report, "retries"), 0);
        assert_int_equal(counter_of(&report, "polls"), 0);
    }
    if (f->counters == 0)
        assert_int_equal(report.relaxations, 0);
    else if (a->status == HOP_OK && a->target_count == 0 && a->cutoff == HUGE_VAL)
        assert_true(report.relaxations >= arcs_reached(a));
    if (f->counters != 0 && a->status == HOP_OK)
        assert_int_equal(counter_of(&report, "pushes"),
                         counter_of(&report, "speculations") + counter_of(&report, "corrections"));
}

/* A shape meets graphs of some kinds and all questions, with other groups and trips. */
static void meet(hop_context *context, graphs *all, const form *f, size_t turn, const size_t *kinds,
                 size_t count) {
    for (size_t i = 0; i < (is_slow() ? 3 * count : 60); i++)
        search(context, &all->asked[kinds[i % count]][i / count % QUESTIONS], f,
               is_slow() ? 1 + (double)(i % 3) : group_counts[(i + turn) % 6],
               trip_counts[(i / 3 + turn) % 5], (double)(count == KINDS && i % 5 == 4));
}

static void shapes_body(hop_context *context, hop__device *device) {
    static const double sizes[] = {1, 32, 64, 128, 256}, chunks[] = {1, 4, 8};
    static const size_t kinds[KINDS] = {0, 1, 2, 3, 4, 5, 6};
    /* pairs; 32 bits alone; a negative cycle */
    static const size_t others[COMPILED - 1] = {0, 2, CASES};
    graphs all;
    if ((hop__device_info(device)->capabilities & HOP_DEVICE_FENCE) == 0)
        return; /* it is refused there */
    make_graphs(context, &all);
    assert_int_equal(all.asked[CASES][0].status, HOP_ERR_NEGATIVE_CYCLE);
    assert_int_equal(all.asked[CASES + 1][0].status, HOP_OK);
    if (!is_slow())
        meet(context, &all, &compiled[0], 0, kinds, KINDS);
    for (size_t k = 1; k < COMPILED; k++)
        meet(context, &all, &compiled[k], k, &others[k - 1], 1);
    for (uint32_t code = 0; tries_all() && code < 3 * 4 * 3 * 5; code++) {
        form f = {.queue = code % 3,
                  .dequeue = code / 3 % 2,
                  .enqueue = code / 6 % 2,
                  .chunk = chunks[code / 12 % 3],
                  .group = sizes[code / 36],
                  .counters = code % 2};
        meet(context, &all, &f, code, kinds, KINDS);
    }
    free_graphs(&all);
}

static void many_shapes_give_the_same(void **state) {
    (void)state;
    on_each_device(shapes_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_shapes_give_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
