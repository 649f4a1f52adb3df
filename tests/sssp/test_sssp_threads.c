/* SPDX-License-Identifier: Apache-2.0
 *
 * What delta-stepping does apart from its plain search, on shapes that lead there: long rows that
 * members share, leaves that are not queued, chains that are followed, sources that reach few,
 * layers that are pulled. By 1, 2, 3, 4 and 8 threads, the bits that dijkstra gives.
 *
 * HOPLITE_REPEAT=200 repeats the runs on the shapes where races show that often (thrice by
 * default, once with a sanitizer, which sees a race without its effect). */
#include "span_testing.h"
#include "sssp/sssp_shapes.h"

static const weigher some_weighers[] = {plain_weight, zero_or_one, zero, mostly_small};

/* Each vertex of a path has some leaves. */
static shape caterpillar_shape(uint32_t spine, uint32_t legs, bool directed, weigher weigh) {
    shape s = {.name = "caterpillar", .n = spine * (legs + 1), .directed = directed};
    for (uint32_t v = 0; v < spine; v++) {
        if (v + 1 < spine)
            add_edge(&s, v, v + 1, weigh(s.m));
        for (uint32_t k = 0; k < legs; k++)
            add_edge(&s, v, spine + v * legs + k, weigh(s.m));
    }
    return s;
}

static void leaves(void **state) {
    (void)state;
    for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(some_weighers); w++)
            for (int directed = 0; directed < 2; directed++) {
                if (SMALLER_TESTS && ((int)w + type + directed) % 2 != 0)
                    continue;
                check_shape(caterpillar_shape(700, 3, directed, some_weighers[w]),
                            (hop_weight_type)type, 0, 1);
                shape from_leg = caterpillar_shape(700, 3, directed, some_weighers[w]);
                from_leg.source = 700 + 3 * 350;
                check_shape(from_leg, (hop_weight_type)type, 0, 1);
            }
}

/* Two chains from vertex 1, the second shorter by little but later known, that meet before a long
 * tail: what is followed too early is done again. */
static shape meeting_shape(uint32_t size, weigher weigh) {
    shape s = {.name = "meeting", .n = 3 * size + 2};
    for (uint32_t v = 1; v < size; v++)
        add_edge(&s, v, v + 1, 3);
    add_edge(&s, 1, size + 1, 2 * (double)size);
    for (uint32_t v = size + 1; v < 2 * size; v++)
        add_edge(&s, v, v + 1, 0.5 < weigh(v) ? 1 : 0);
    add_edge(&s, 2 * size, size, 1);
    for (uint32_t v = 2 * size + 1; v < 3 * size; v++)
        add_edge(&s, v == 2 * size + 1 ? size : v, v + 1, weigh(v));
    return s;
}

static void chains(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t w = 0; w < HOP_LENGTH(some_weighers); w++) {
            check_shape(meeting_shape(3000, some_weighers[w]), (hop_weight_type)type, 0, 2);
            check_shape(path_shape(20000, some_weighers[w]), (hop_weight_type)type, 0, 2);
        }
}

/* A part of `reached` vertices, and many that are not. */
static shape island_shape(uint32_t reached, uint32_t n, weigher weigh) {
    shape s = {.name = "island", .n = n};
    for (uint32_t v = 2; v <= reached; v++) {
        add_edge(&s, 1 + hop__random_at(11, 1, v) % (v - 1), v, weigh(v));
        add_edge(&s, 1 + hop__random_at(11, 2, v) % (v - 1), v, weigh(v + n));
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t rest = n - reached - 1;
        add_edge(&s, reached + 1 + hop__random_at(11, 3, i) % rest,
                 reached + 1 + hop__random_at(11, 4, i) % rest, weigh(i));
    }
    return s;
}

/* Around 1,024, up to which reached vertices are listed. */
static void few_are_reached(void **state) {
    (void)state;
    static const uint32_t reached[] = {1, 2, 50, 1022, 1023, 1024, 1025, 1026, 1500};
    for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        for (size_t i = 0; i < HOP_LENGTH(reached); i++)
            for (size_t w = 0; w < HOP_LENGTH(some_weighers); w++)
                if (!SMALLER_TESTS || (i + w + (size_t)type) % 4 == 0) /* each with each type */
                    check_shape(island_shape(reached[i], 6000, some_weighers[w]),
                                (hop_weight_type)type, 0, 1);
}

/* A hub with more arcs than are relaxed in one piece, in a graph with many arcs per vertex: under a
 * horizon, and without. */
static shape hub_shape(uint32_t n, uint64_t m, uint32_t hubs, weigher weigh) {
    shape s = random_shape(n, m, false, false, weigh);
    s.name = "hubs";
    for (uint32_t v = hubs; v < n; v++)
        add_edge(&s, v % hubs, v, weigh(s.m));
    return s;
}

static void long_rows(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++) {
        check_shape(hub_shape(40000, 250000, 1, plain_weight), (hop_weight_type)type, 0, 2);
        check_shape(hub_shape(40000, 250000, 2, zero_or_one), (hop_weight_type)type, 0, 2);
        check_shape(star_shape(40000, true, mostly_small), (hop_weight_type)type, 0, 2);
        check_shape(star_shape(40000, false, beyond_31_bits), (hop_weight_type)type, 0, 2);
    }
}

/* Layers of equal distances that are so large that they are pulled. */
static void large_layers(void **state) {
    (void)state;
    for (int type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        for (int kind = 0; kind < 4; kind++) {
            weigher weigh = kind % 2 == 0 ? zero : zero_or_one;
            shape s = random_shape(20000, 160000, kind >= 2, true, weigh);
            s.reverse = true;
            check_shape(s, (hop_weight_type)type, 0, 1);
        }
    check_shape(random_shape(20000, 160000, true, true, zero), HOP_TYPE_INT32, 0, 1);
    check_shape(grid_shape(150, zero), HOP_TYPE_INT32, 0, 1);
}

/* All weights 0, and limits. */
static void zero_with_limits(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    shape s = random_shape(3000, 4000, false, false, zero);
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
    int64_t *distances = malloc(s.n * 8);
    hop_vertex *parents = malloc(s.n * 4), source = 1, target = 0;
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    run.variant = "delta-stepping";
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    options.cutoff = -1;
    assert_int_equal(
        hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents), HOP_OK);
    for (uint32_t v = 0; v < s.n; v++) {
        assert_true(distances[v] == HOP_NO_DISTANCE);
        assert_int_equal(parents[v], HOP_NO_VERTEX);
    }
    options = (hop_sssp_options)HOP_SSSP_OPTIONS_INIT;
    options.run = &run;
    options.targets = &target;
    options.target_count = 1;
    assert_int_equal(
        hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents), HOP_OK);
    assert_true(distances[1] == 0 && parents[1] == 1);
    assert_int_equal(hop_sssp(context, graph, NULL, 0, NULL, ROOM(graph, distances), parents),
                     HOP_OK);
    assert_true(distances[1] == HOP_NO_DISTANCE && parents[1] == HOP_NO_VERTEX);
    free(distances);
    free(parents);
    hop_graph_release(graph);
    free_context(context);
    free_shape(&s);
}

static unsigned race_repeats(void) {
    const char *text = getenv("HOPLITE_REPEAT");
    int repeats = text ? atoi(text) : SMALLER_TESTS ? 1 : 3;
    return repeats > 0 ? (unsigned)repeats : 1;
}

/* R-MAT of 2^scale vertices. */
static shape rmat_shape(unsigned scale, uint64_t m, weigher weigh) {
    shape s = {.name = "R-MAT", .n = 1u << scale};
    for (uint64_t i = 0; i < m; i++) {
        uint64_t u = 0, v = 0;
        for (unsigned bit = 0; bit < scale; bit++) {
            uint64_t random = hop__random_at(13, bit, i) % 100;
            u = 2 * u + (random >= 76);
            v = 2 * v + ((random >= 57 && random < 76) || random >= 95);
        }
        add_edge(&s, u, v, weigh(i));
    }
    return s;
}

static void races(void **state) {
    (void)state;
    unsigned repeats = race_repeats();
    check_shape(star_shape(40000, false, plain_weight), HOP_TYPE_INT32, 0, repeats);
    check_shape(hub_shape(20000, 30000, 2, zero_or_one), HOP_TYPE_INT32, 0, repeats);
    check_shape(grid_shape(120, plain_weight), HOP_TYPE_INT32, 0, repeats);
    check_shape(grid_shape(80, plain_weight), HOP_TYPE_FLOAT64, 0, repeats);
    check_shape(rmat_shape(13, 120000, plain_weight), HOP_TYPE_INT32, 0, repeats);
    check_shape(rmat_shape(12, 60000, plain_weight), HOP_TYPE_FLOAT32, 0, repeats);
    check_shape(rmat_shape(13, 120000, zero), HOP_TYPE_INT32, 0, repeats);
}

/* Many vertices are first found far away, beyond the horizon, then nearer: the entries that have
 * become useless are those of a member that waits, and the one at work needs their room. */
static void waiting_members_give_room(void **state) {
    enum { SOURCES = 128, EACH = 4000, PER_HUB = 15000, REST = SOURCES * EACH };
    enum { HUBS = (REST + PER_HUB - 1) / PER_HUB, BASE = SOURCES + HUBS };
    if (SANITIZED)
        skip();
    (void)state;
    shape s = {.name = "found twice", .n = BASE + REST};
    add_edge(&s, 0, SOURCES, 1);
    for (uint32_t i = 0; i + 1 < HUBS; i++)
        add_edge(&s, SOURCES + i, SOURCES + i + 1, 1);
    for (uint32_t v = 0; v < REST; v++) {
        add_edge(&s, v / EACH, BASE + v, 12000);
        add_edge(&s, SOURCES + v / PER_HUB, BASE + v, 1100);
        for (uint32_t step = 7; step < 6000; step = step * 27 + 800)
            add_edge(&s, BASE + v, BASE + (v + step) % REST, 12000);
    }
    hop_context *context = make_context(2);
    hop_graph *graph = build_shape(context, &s, HOP_TYPE_INT32);
    int64_t *distances = malloc((size_t)s.n * 8);
    hop_vertex *parents = malloc((size_t)s.n * 4), sources[SOURCES];
    for (uint32_t i = 0; i < SOURCES; i++)
        sources[i] = i;
    for (int repeat = 0; repeat < 6; repeat++) {
        hop_run run = HOP_RUN_INIT;
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        run.variant = "delta-stepping";
        run.certify = repeat == 0 ? HOP_CERTIFY_CANONICAL : HOP_CERTIFY_NONE;
        options.run = &run;
        if (hop_sssp(context, graph, sources, SOURCES, &options, ROOM(graph, distances), parents) !=
            HOP_OK)
            fail_msg("%s", hop_context_message(context));
    }
    free(distances);
    free(parents);
    hop_graph_release(graph);
    free_context(context);
    free_shape(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves),       cmocka_unit_test(chains),
        cmocka_unit_test(long_rows),    cmocka_unit_test(few_are_reached),
        cmocka_unit_test(large_layers), cmocka_unit_test(zero_with_limits),
        cmocka_unit_test(races),        cmocka_unit_test(waiting_members_give_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
