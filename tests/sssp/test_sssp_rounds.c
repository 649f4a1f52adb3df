/* SPDX-License-Identifier: Apache-2.0
 *
 * bellman-ford in rounds on all threads: the bits of the queue on one thread, which the other tests
 * compare with brute force, on shapes that take every path of it (rows longer than a slice, rounds
 * of several batches, rounds of one member, sums of 64 and of 128 bits); and cycles of negative
 * sum, wherever they are, never one that is not.
 * HOPLITE_REPEAT=200 repeats each run that often (twice by default). */
#include "sssp/sssp_testing.h"

#include "core/try.h"
#include "problem/report.h"
#include "span_testing.h"

typedef struct arcs {
    uint32_t n;
    uint64_t m, room;
    uint32_t *from, *to;
    int64_t *weights;
} arcs;

static void add_arc(arcs *a, uint64_t u, uint64_t v, int64_t weight) {
    if (a->m == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->from = realloc(a->from, a->room * 4);
        a->to = realloc(a->to, a->room * 4);
        a->weights = realloc(a->weights, a->room * 8);
    }
    a->from[a->m] = (uint32_t)u;
    a->to[a->m] = (uint32_t)v;
    a->weights[a->m++] = weight;
}

static void add_both(arcs *a, uint64_t u, uint64_t v, int64_t weight) {
    add_arc(a, u, v, weight);
    add_arc(a, v, u, weight);
}

/* Weights become w + p[u] - p[v] with potentials of up to `height` or so: many are negative then,
 * and no cycle is that was not before. */
static void tilt(arcs *a, uint64_t height, uint64_t seed) {
    for (uint64_t i = 0; i < a->m; i++)
        a->weights[i] += (int64_t)hop__random_below(hop__random_at(seed, 1, a->from[i]), height) -
                         (int64_t)hop__random_below(hop__random_at(seed, 1, a->to[i]), height);
}

static uint32_t pick(uint64_t seed, uint64_t stream, uint64_t i, uint32_t n) {
    return (uint32_t)hop__random_below(hop__random_at(seed, stream, i), n);
}

static arcs random_arcs(uint32_t n, uint64_t m, bool skewed, int64_t least) {
    arcs a = {.n = n};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t v = pick(5, 2, i, n);
        if (skewed)
            v = v * v / n * v / n;
        add_arc(&a, pick(5, 1, i, n), v, least + pick(5, 3, i, 100));
    }
    return a;
}

static arcs grid_arcs(uint32_t side, int64_t least) {
    arcs a = {.n = side * side};
    for (uint32_t v = 0; v < a.n; v++) {
        if (v % side + 1 < side)
            add_both(&a, v, v + 1, least + pick(6, 1, v, 50));
        if (v + side < a.n)
            add_both(&a, v, v + side, least + pick(6, 2, v, 50));
    }
    return a;
}

/* Hubs whose rows are many slices, and their neighbours joined among themselves, so that hubs are
 * lowered while their rows are looked at. */
static arcs hub_arcs(uint32_t n, uint32_t hubs, int64_t least) {
    arcs a = {.n = n};
    for (uint32_t v = hubs; v < n; v++) {
        add_both(&a, v % hubs, v, least + pick(8, 1, v, 1000));
        add_arc(&a, v, pick(8, 2, v, n), least + pick(8, 3, v, 10));
    }
    for (uint32_t h = 1; h < hubs; h++)
        add_both(&a, h - 1, h, least + 3);
    return a;
}

static arcs path_arcs(uint32_t n, int64_t least) {
    arcs a = {.n = n};
    for (uint32_t v = 0; v + 1 < n; v++)
        add_both(&a, v, v + 1, least + pick(9, 1, v, 5));
    return a;
}

static hop_graph *graph_of(hop_context *context, const arcs *a, hop_weight_type type) {
    void *weights = malloc(a->m * 8 + 8);
    for (uint64_t i = 0; i < a->m; i++)
        switch (type) {
        case HOP_TYPE_INT32:
            ((int32_t *)weights)[i] = (int32_t)a->weights[i];
            break;
        case HOP_TYPE_INT64:
            ((int64_t *)weights)[i] = a->weights[i];
            break;
        case HOP_TYPE_FLOAT32: /* a power of two: no rounding makes a cycle negative */
            ((float *)weights)[i] = (float)a->weights[i] * 0.125f;
            break;
        default:
            ((double *)weights)[i] = (double)a->weights[i] * 0.125;
            break;
        }
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    edges.count = a->m;
    edges.from = a->from;
    edges.to = a->to;
    edges.weights = weights;
    edges.weight_type = type;
    options.vertices = a->n;
    options.directed = true;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    free(weights);
    return graph;
}

static void free_arcs(arcs *a) {
    free(a->from);
    free(a->to);
    free(a->weights);
}

typedef struct outcome {
    hop_status status;
    char *distances;
    hop_vertex *parents;
    hop_report report;
} outcome;

static outcome solve(hop_context *context, const hop_graph *graph, double order) {
    uint32_t n = hop_graph_vertices(graph);
    outcome got = {HOP_OK, malloc(n * 8), malloc(n * 4), {0}};
    hop_vertex source = 1;
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_setting setting = {.name = "order", .value = order};
    memset(got.distances, 0x55, n * 8);
    run.variant = "bellman-ford";
    run.settings = &setting;
    run.setting_count = 1;
    run.report = &got.report;
    options.run = &run;
    got.status =
        hop_sssp(context, graph, &source, 1, &options, ROOM(graph, got.distances), got.parents);
    return got;
}

static void free_outcome(outcome *a) {
    free(a->distances);
    free(a->parents);
}

static unsigned repeats(void) {
    const char *text = getenv("HOPLITE_REPEAT");
    int count = text ? atoi(text) : 2;
    return count > 0 ? (unsigned)count : 1;
}

static const unsigned teams[] = {1, 2, 3, 4, 8};
enum { QUEUE = 1, ROUNDS = 2 };

/* Distances and parents are the queue's, and the work is the same on all numbers of threads. */
static void check_bits(const char *name, arcs a, hop_weight_type type) {
    hop_context *alone = make_context(1);
    hop_graph *graph = graph_of(alone, &a, type);
    outcome right = solve(alone, graph, QUEUE);
    size_t size = type == HOP_TYPE_FLOAT32 ? 4 : 8;
    uint64_t rounds = 0;
    assert_int_equal(right.status, HOP_OK);
    for (size_t t = 0; t < HOP_LENGTH(teams); t++) {
        hop_context *context = make_context(teams[t]);
        for (unsigned r = 0; r < repeats(); r++) {
            hop_context_reset_peak(context);
            outcome mine = solve(context, graph, ROUNDS);
            uint64_t peak = hop_context_memory_peak(context);
            assert_in_range(mine.report.memory_bytes, peak, peak + peak / 2 + 4096);
            if (mine.status != HOP_OK)
                fail_msg("%s, %s, %u threads: %s", name, hop_type_name(type), teams[t],
                         hop_context_message(context));
            for (uint32_t v = 0; v < a.n; v++)
                if (memcmp(mine.distances + v * size, right.distances + v * size, size) != 0 ||
                    mine.parents[v] != right.parents[v])
                    fail_msg("%s, %s, %u threads: vertex %u differs", name, hop_type_name(type),
                             teams[t], v);
            rounds = rounds ? rounds : mine.report.rounds;
            assert_int_equal(mine.report.rounds, rounds);
            free_outcome(&mine);
        }
        free_context(context);
    }
    free_outcome(&right);
    hop_graph_release(graph);
    free_context(alone);
    free_arcs(&a);
}

static void same_bits_as_the_queue(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (int64_t least = 0; least < 2; least++) { /* with 0: cycles of sum 0 */
            hop_weight_type t = (hop_weight_type)type;
            arcs a = random_arcs(4000, 40000, false, least);
            tilt(&a, 1000, 3);
            check_bits("random", a, t);
            a = random_arcs(3000, 60000, true, least);
            tilt(&a, 1000, 4);
            check_bits("skewed", a, t);
            a = grid_arcs(60, least);
            tilt(&a, 400, 5);
            check_bits("grid", a, t);
            a = hub_arcs(9000, 2, least);
            tilt(&a, 2000, 6);
            check_bits("hubs", a, t);
            a = path_arcs(2000, least);
            tilt(&a, 100, 7);
            check_bits("path", a, t);
        }
}

/* Several batches in a round, and long rows that are cut by the end of a batch. */
static void many_batches(void **state) {
    (void)state;
    arcs a = random_arcs(40000, 700000, true, 0);
    tilt(&a, 1000, 8);
    check_bits("large skewed", a, HOP_TYPE_INT32);
    a = hub_arcs(200000, 1, 1);
    tilt(&a, 100000, 9);
    check_bits("large hub", a, HOP_TYPE_INT32);
    a = hub_arcs(150000, 2, 0);
    tilt(&a, 100000, 10);
    check_bits("large hubs", a, HOP_TYPE_FLOAT64);
}

/* The row of a hub is longer than a batch, and the first batch lowers the hub itself: the rest of
 * the row must not be looked at with the new distance, or its targets, which are up to date then,
 * would be skipped in the next round because the hub still has its turn. */
static void a_hub_is_lowered_within_its_row(void **state) {
    (void)state;
    enum { LEAVES = 300000, HUB = 2 * LEAVES };
    arcs a = {.n = HUB + 1};
    add_arc(&a, 1, 2, 10);
    add_arc(&a, 1, HUB, 100);
    add_arc(&a, 2, HUB, -10);
    for (uint32_t v = 100; v < LEAVES; v++) {
        add_arc(&a, HUB, v, -1);
        add_arc(&a, v, v + LEAVES, 5);
    }
    check_bits("hub within its row", a, HOP_TYPE_INT32);
}

/* Sums of int64 weights that leave 64 bits on the way, so that two words are needed. */
static void sums_beyond_64_bits(void **state) {
    (void)state;
    arcs a = {.n = 3000};
    const int64_t large = INT64_C(1) << 60;
    for (uint32_t v = 0; v + 1 < a.n; v++) /* up and down, in turns of 8 */
        add_arc(&a, v, v + 1, v / 8 % 2 ? large - v : -large);
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t u = pick(4, 1, i, a.n), v = pick(4, 2, i, a.n);
        if (u < v && v - u < 7)
            add_arc(&a, u, v, (int64_t)(v - u) * large);
    }
    check_bits("wide", a, HOP_TYPE_INT64);
}

/* By auto: the rounds are taken where they are faster, and only with negative weights. */
static void auto_takes_rounds(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    arcs a = random_arcs(50000, 1200000, false, 1);
    tilt(&a, 100, 1);
    hop_graph *graph = graph_of(context, &a, HOP_TYPE_INT32);
    outcome by_auto = solve(context, graph, 0), by_queue = solve(context, graph, QUEUE);
    outcome by_rounds = solve(context, graph, ROUNDS);
    assert_int_equal(by_auto.status, HOP_OK);
    /* Not relaxations: with two threads the rounds look at a few arcs more or less each time. */
    assert_int_equal(by_auto.report.rounds, by_rounds.report.rounds);
    assert_int_equal(by_auto.report.memory_bytes, by_rounds.report.memory_bytes);
    assert_int_not_equal(by_auto.report.memory_bytes, by_queue.report.memory_bytes);
    free_outcome(&by_auto);
    free_outcome(&by_queue);
    free_outcome(&by_rounds);
    hop_graph_release(graph);
    free_arcs(&a);
    a = random_arcs(50000, 1200000, false, 1);
    graph = graph_of(context, &a, HOP_TYPE_INT32);
    by_rounds = solve(context, graph, ROUNDS);
    by_queue = solve(context, graph, QUEUE);
    assert_int_equal(by_rounds.report.relaxations, by_queue.report.relaxations);
    free_outcome(&by_queue);
    free_outcome(&by_rounds);
    hop_graph_release(graph);
    free_arcs(&a);
    free_context(context);
}

/* A cycle through `round` vertices of sum `sum`, whose arcs are else large: it shows late. */
static void plant_cycle(arcs *a, uint32_t round, int64_t sum) {
    uint32_t step = a->n / round, first = a->n / 3;
    for (uint32_t i = 0; i < round; i++) {
        int64_t weight = i + 1 < round ? (i % 2 ? -900 : 900) : 0;
        if (i + 1 == round)
            weight = sum - (round % 2 ? 0 : 900);
        add_arc(a, (first + (uint64_t)i * step) % a->n,
                (first + (uint64_t)(i + 1) % round * step) % a->n, weight);
    }
}

/* Every number of threads finds the same cycle by the same work. */
static void check_cycle(const char *name, arcs a, hop_weight_type type) {
    hop_context *alone = make_context(1);
    hop_graph *graph = graph_of(alone, &a, type);
    outcome right = solve(alone, graph, QUEUE);
    hop_vertex *first = NULL, vertices = 0;
    uint64_t relaxations = 0;
    assert_int_equal(right.status, HOP_ERR_NEGATIVE_CYCLE);
    for (size_t t = 0; t < HOP_LENGTH(teams); t++) {
        hop_context *context = make_context(teams[t]);
        for (unsigned r = 0; r < repeats(); r++) {
            outcome mine = solve(context, graph, ROUNDS);
            if (mine.status != HOP_ERR_NEGATIVE_CYCLE)
                fail_msg("%s, %s, %u threads: no cycle found", name, hop_type_name(type), teams[t]);
            hop_vertex around;
            const hop_vertex *cycle = hop_context_cycle(context, &around);
            if (hop_cycle_certify(context, graph, cycle, around) != HOP_OK)
                fail_msg("%s: %s", name, hop_context_message(context));
            assert_true(mine.report.rounds <= (uint64_t)a.n + 1);
            if (first == NULL) {
                vertices = around;
                relaxations = mine.report.relaxations;
                first = malloc(vertices * sizeof *first);
                memcpy(first, cycle, vertices * sizeof *first);
            }
            assert_int_equal(around, vertices);
            assert_memory_equal(cycle, first, vertices * sizeof *first);
            assert_int_equal(mine.report.relaxations, relaxations);
            free_outcome(&mine);
        }
        free_context(context);
    }
    free(first);
    free_outcome(&right);
    hop_graph_release(graph);
    free_context(alone);
    free_arcs(&a);
}

static void negative_cycles(void **state) {
    (void)state;
    static const uint32_t lengths[] = {1, 2, 3, 10, 400};
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t i = 0; i < HOP_LENGTH(lengths); i++) {
            hop_weight_type t = (hop_weight_type)type;
            arcs a = random_arcs(2000, 20000, false, 0);
            plant_cycle(&a, lengths[i], -1);
            tilt(&a, 1000, 3);
            check_cycle("random", a, t);
            a = grid_arcs(30, 0);
            plant_cycle(&a, lengths[i], -1);
            tilt(&a, 400, 4);
            check_cycle("grid", a, t);
            a = path_arcs(1500, 0);
            plant_cycle(&a, lengths[i], -1);
            check_cycle("path", a, t);
        }
}

static void many_cycles(void **state) {
    (void)state;
    arcs a = random_arcs(20000, 300000, false, 1);
    for (uint64_t c = 0; c < 300; c++) {
        const uint32_t u = pick(8, 1, c, a.n), v = pick(8, 2, c, a.n), w = pick(8, 3, c, a.n);
        add_arc(&a, u, v, 0);
        add_arc(&a, v, w, 0);
        add_arc(&a, w, u, -2);
    }
    tilt(&a, 1000, 5);
    check_cycle("many cycles", a, HOP_TYPE_INT32);
}

/* Nothing but one cycle through all vertices, of sum -1 and of large arcs: distances hardly fall
 * from one time round to the next, and only the number of rounds ends it. */
static void a_cycle_that_hardly_falls(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= 3000; n = n * 7 / 2 + 1) {
        arcs a = {.n = n};
        for (uint32_t v = 0; v < n; v++)
            add_arc(&a, v, (v + 1) % n, v + 1 < n ? 1000000 : -1000000 * ((int64_t)n - 1) - 1);
        check_cycle("ring", a, HOP_TYPE_INT64);
        arcs b = {.n = n};
        for (uint32_t v = 0; v < n; v++)
            add_arc(&b, v, (v + 1) % n, v + 1 < n ? 1 : -(int64_t)n);
        check_cycle("ring of small weights", b, HOP_TYPE_INT32);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_as_the_queue),
        cmocka_unit_test(many_batches),
        cmocka_unit_test(a_hub_is_lowered_within_its_row),
        cmocka_unit_test(sums_beyond_64_bits),
        cmocka_unit_test(auto_takes_rounds),
        cmocka_unit_test(negative_cycles),
        cmocka_unit_test(many_cycles),
        cmocka_unit_test(a_cycle_that_hardly_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
