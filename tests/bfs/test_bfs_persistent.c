/* SPDX-License-Identifier: Apache-2.0
 * persistent on every device, in many shapes: kinds of queue, ways of taking and putting, chunks,
 * group sizes, groups and trips, on small graphs of all families; levels and parents bit by bit.
 *
 * Drivers compile for every row of `compiled`, which is what takes the time; groups, trips and
 * graphs cost nothing. So a row meets many of those: about 2,000 searches by default.
 *
 * HOPLITE_TEST_PERSISTENT_RUNS  so many searches per device instead, over all queues, ways, chunks
 *                               and group sizes: tools/try_persistent
 * HOPLITE_TEST_PERSISTENT_SEED  other ones */
#include "bfs/bfs_device_testing.h"
#include "graph/graph_internal.h"
#include "problem/report.h"

typedef struct shape {
    double queue, dequeue, enqueue, chunk, group, leaves, counters;
} shape;

/* Every queue meets proxy and direct, and every size of groups occurs. */
static const shape compiled[] = {
    {0, 0, 0, 8, 64, 1, 1},  {0, 1, 1, 1, 1, 0, 1},  {0, 0, 1, 3, 256, 1, 0},
    {1, 0, 0, 2, 128, 1, 1}, {2, 1, 0, 4, 32, 1, 1},
};
enum { COMPILED = sizeof compiled / sizeof compiled[0] };

static const double group_counts[] = {1, 2, 3, 5, 8, 16, 33, 64};
static const double trip_counts[] = {16, 1, 0, 4294967295.0, 100, 17};

static const struct {
    const char *family;
    hop_setting settings[4];
    size_t count;
} families[] = {
    {"rmat", {{"scale", 7}, {"edge-factor", 6}}, 2},
    {"rmat", {{"scale", 8}, {"edge-factor", 3}, {"directed", 1}}, 3},
    {"grid", {{"rows", 12}, {"cols", 9}}, 2},
    {"list-graph", {{"n", 150}, {"count", 2}}, 2},
    {"tree-graph", {{"n", 300}, {"count", 2}, {"k", 4}}, 3},
    {"erdos-renyi", {{"n", 200}, {"m", 700}}, 2},
    {"fanout", {{"n", 400}, {"k", 4}}, 2},
    {"degree", {{"n", 200}, {"min-degree", 0}, {"max-degree", 5}}, 3},
    {"density", {{"m", 600}, {"delta", 0.05}}, 2},
    {"road", {{"rows", 10}, {"cols", 10}}, 2},
};
enum { FAMILIES = sizeof families / sizeof families[0], QUESTIONS = 3 };

typedef struct graphs {
    hop_graph *graph[FAMILIES];
    asked asked[FAMILIES][QUESTIONS];
} graphs;

static graphs make_graphs(hop_context *context) {
    graphs all;
    for (size_t i = 0; i < FAMILIES; i++) {
        all.graph[i] =
            generated(context, families[i].family, families[i].settings, families[i].count, 11);
        for (uint32_t q = 0; q < QUESTIONS; q++)
            all.asked[i][q] = ask(all.graph[i], families[i].family, q);
    }
    return all;
}

static void free_graphs(graphs *all) {
    for (size_t i = 0; i < FAMILIES; i++) {
        for (uint32_t q = 0; q < QUESTIONS; q++)
            asked_free(&all->asked[i][q]);
        hop_graph_release(all->graph[i]);
    }
}

/* Arcs out of all vertices that a search without limits expands. */
static uint64_t arcs_followed(const asked *a) {
    uint64_t arcs = 0;
    for (hop_vertex v = 0; v < hop_graph_vertices(a->graph); v++)
        if (a->levels[v] != HOP_NO_LEVEL)
            arcs += hop__offset(a->graph, v + 1ull) - hop__offset(a->graph, v);
    return arcs;
}

static void search(hop_context *context, const asked *a, const shape *s, double groups,
                   double trips) {
    hop_setting settings[] = {
        {"queue", s->queue, NULL},    {"dequeue", s->dequeue, NULL}, {"enqueue", s->enqueue, NULL},
        {"chunk", s->chunk, NULL},    {"group", s->group, NULL},     {"leaves", s->leaves, NULL},
        {"count", s->counters, NULL}, {"groups", groups, NULL},      {"trips", trips, NULL}};
    hop_run run = HOP_RUN_INIT;
    hop_report report = {0};
    run.variant = "persistent";
    run.settings = settings;
    run.setting_count = sizeof settings / sizeof *settings;
    check_asked(context, a, &run, &report, true);
    if (s->counters != 0 && s->queue == 0) {
        assert_int_equal(counter_of(&report, "retries"), 0);
        assert_int_equal(counter_of(&report, "polls"), 0);
    }
    if (s->counters == 0)
        assert_int_equal(report.relaxations, 0);
    else if (a->target_count == 0 && a->max_level == HOP_NO_LEVEL)
        assert_int_equal(report.relaxations, arcs_followed(a));
}

static uint64_t runs_asked(void) {
    const char *text = getenv("HOPLITE_TEST_PERSISTENT_RUNS");
    return text ? strtoull(text, NULL, 10) : 0;
}

static void shapes_body(hop_context *context, hop__device *device) {
    if ((hop__device_info(device)->capabilities & HOP_DEVICE_FENCE) == 0)
        return; /* it is refused there */
    bool slow = most_vertices() < UINT64_MAX;
    graphs all = make_graphs(context);
    for (size_t s = 0; s < COMPILED; s++)
        for (size_t i = 0; i < (slow ? 4 : 200); i++) {
            size_t family = (i * 7 + s) % FAMILIES;
            search(context, &all.asked[family][i % QUESTIONS], &compiled[s],
                   slow ? 1 + (double)(i % 3) : group_counts[(i + s) % 8],
                   trip_counts[(i / 2 + s) % 6]);
        }
    free_graphs(&all);
}

static void many_shapes_give_the_same(void **state) {
    (void)state;
    if (runs_asked() != 0)
        skip();
    on_each_device(shapes_body);
}

/* For several campaigns at the same time. */
static uint64_t campaign_seed(void) {
    const char *text = getenv("HOPLITE_TEST_PERSISTENT_SEED");
    return text ? strtoull(text, NULL, 10) : 0;
}

/* The campaign: everything that may be set, in an order that the number of the run gives. */
static void campaign_body(hop_context *context, hop__device *device) {
    static const double sizes[] = {1, 32, 64, 128, 256};
    graphs all = make_graphs(context);
    enum { ALL = 3 * 4 * 8 * 5, SOME = 120 }; /* a quarter of them is compiled, from all over */
    uint64_t runs = runs_asked(), per_shape = runs / SOME + 1, done = 0;
    (void)device;
    for (uint32_t code = 0; code < SOME && done < runs; code++) {
        uint32_t mixed = code * 131 % ALL; /* 131 has no factor in common with it */
        shape s = {.queue = mixed % 3,
                   .dequeue = mixed / 3 % 2,
                   .enqueue = mixed / 6 % 2,
                   .chunk = 1 + mixed / 12 % 8,
                   .group = sizes[mixed / 96 % 5],
                   .leaves = code % 2,
                   .counters = code % 3 == 0};
        for (uint64_t i = 0; i < per_shape && done < runs; i++, done++) {
            uint64_t bits = hop__random_at(7 + campaign_seed(), code, i);
            search(context, &all.asked[bits % FAMILIES][(bits >> 8) % QUESTIONS], &s,
                   1 + (double)((bits >> 16) % 64), trip_counts[(bits >> 32) % 6]);
        }
        if (code % 20 == 0)
            print_message("%llu searches\n", (unsigned long long)done);
    }
    print_message("%llu searches in all\n", (unsigned long long)done);
    free_graphs(&all);
}

static void campaign(void **state) {
    (void)state;
    if (runs_asked() == 0)
        skip();
    on_each_device(campaign_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_shapes_give_the_same),
        cmocka_unit_test(campaign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
