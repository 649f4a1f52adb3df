/* SPDX-License-Identifier: Apache-2.0
 * Long ways of one or two vertices per level: paths from an end and from the middle, rings on which
 * the two ways meet in a vertex or beside each other, with branches, and limits that cut them. */
#include "bfs/bfs_edges.h"
#include "core/cpu.h"

static void check_narrow(const hop_graph *graph, const char *name, hop_vertex source,
                         hop_vertex max_level) {
    size_t n = hop_graph_vertices(graph);
    hop_vertex *memory = malloc(16 * n), *levels = memory, *parents = memory + n;
    hop_vertex *expected_levels = memory + 2 * n, *expected_parents = memory + 3 * n;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "direction-optimizing";
    options.run = &run;
    options.max_level = max_level;
    simple_search(graph, source, expected_levels, expected_parents);
    for (size_t v = 0; v < n; v++)
        if (expected_levels[v] > max_level)
            expected_levels[v] = expected_parents[v] = NONE;
    for (unsigned threads = 1; threads <= 2; threads++) {
        hop_context *context = make_context(threads);
        memset(memory, 0x5a, 8 * n);
        assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, parents), HOP_OK);
        if (memcmp(memory, expected_levels, 8 * n) != 0)
            fail_msg("%s of %zu from %u up to %u, %u threads: another answer", name, n, source,
                     max_level, threads);
        memset(memory, 0x5a, 8 * n);
        assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, NULL), HOP_OK);
        assert_memory_equal(levels, expected_levels, 4 * n);
        free_context(context);
    }
    free(memory);
}

/* A path of n vertices, a ring if wanted, and a twig of two vertices at every `twig`-th vertex. */
static hop_graph *way(hop_context *context, hop_vertex n, bool ring, hop_vertex twig,
                      bool shuffled) {
    edge_list list = {0};
    hop_vertex next = n, all = n + (twig ? 2 * ((n - 1) / twig + 1) : 0);
    for (hop_vertex v = 0; v + 1 < n; v++)
        add(&list, v, v + 1);
    if (ring)
        add(&list, n - 1, 0);
    for (hop_vertex v = 0; twig && v < n; v += twig, next += 2) {
        add(&list, v, next);
        add(&list, next, next + 1);
    }
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, all, 3, 1);
    for (uint64_t i = 0; shuffled && i < list.count; i++) {
        hop_edge *edge = &list.edges[i];
        edge->from = (hop_vertex)hop__shuffle_at(&shuffle, edge->from);
        edge->to = (hop_vertex)hop__shuffle_at(&shuffle, edge->to);
    }
    return build_edges(context, &list, false, false);
}

static void paths_and_rings(void **state) {
    static const hop_vertex sizes[] = {2, 3, 4, 5, 6, 7, 16386, 40001};
    (void)state;
    hop_context *maker = make_context(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned kind = 0; kind < 8; kind++) {
            hop_vertex n = sizes[i];
            if (n == 2 && (kind & 1))
                continue;
            hop_graph *graph = way(maker, n, kind & 1, kind & 4 ? 777 : 0, kind & 2);
            check_narrow(graph, kind & 1 ? "ring" : "path", 0, NONE);
            check_narrow(graph, kind & 1 ? "ring" : "path", n / 2, NONE);
            check_narrow(graph, kind & 1 ? "ring" : "path", n - 1, NONE);
            hop_graph_release(graph);
        }
    free_context(maker);
}

static void limits_on_the_way(void **state) {
    static const hop_vertex limits[] = {0,     1,     2,     3,     16383, 16384,
                                        16385, 16386, 16387, 19999, 20000};
    (void)state;
    hop_context *maker = make_context(1);
    hop_graph *path = way(maker, 40000, false, 0, false), *ring = way(maker, 40000, true, 0, true);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        check_narrow(path, "path", 0, limits[i]);
        check_narrow(path, "path", 20000, limits[i]);
        check_narrow(ring, "ring", 5, limits[i]);
    }
    hop_graph_release(path);
    hop_graph_release(ring);
    free_context(maker);
}

/* The way ends at a hub with more arcs than a list has room for. */
static void a_way_to_a_hub(void **state) {
    (void)state;
    hop_context *maker = make_context(1);
    edge_list list = {0};
    for (hop_vertex v = 0; v < 100; v++)
        add(&list, v, v + 1);
    for (hop_vertex v = 101; v < 200000; v++)
        add(&list, 100, v);
    hop_graph *graph = build_edges(maker, &list, false, false);
    check_narrow(graph, "way to a hub", 0, NONE);
    check_narrow(graph, "way to a hub", 50, NONE);
    hop_graph_release(graph);
    free_context(maker);
}

/* Borrowed offsets of 64 bits. */
static void a_path_with_wide_offsets(void **state) {
    (void)state;
    enum { N = 30000 };
    hop_context *context = make_context(2);
    plain p = {.n = N};
    p.wide = malloc((N + 1) * sizeof *p.wide);
    p.targets = malloc(2 * N * sizeof *p.targets);
    for (uint32_t v = 0; v < N; v++) {
        p.wide[v] = p.m;
        if (v > 0)
            p.targets[p.m++] = v - 1;
        if (v + 1 < N)
            p.targets[p.m++] = v + 1;
    }
    p.wide[N] = p.m;
    plain_wrap(context, &p, true);
    hop_vertex *levels = malloc(4 * N), *parents = malloc(4 * N), source = 10000;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "direction-optimizing";
    options.run = &run;
    assert_int_equal(hop_bfs(context, p.graph, &source, 1, &options, levels, parents), HOP_OK);
    for (uint32_t v = 0; v < N; v++) {
        assert_int_equal(levels[v], v < source ? source - v : v - source);
        assert_int_equal(parents[v], v < source ? v + 1 : v > source ? v - 1 : v);
    }
    hop_graph_release(p.graph);
    free(p.wide);
    free(p.targets);
    free(levels);
    free(parents);
    free_context(context);
}

/* On every kind of processor that this one can be. */
static void check_everywhere(const hop_graph *graph, const char *name, hop_vertex source,
                             hop_vertex max_level) {
    for (int level = 0; level < HOP__CPU_LEVELS; level++) {
        assert_int_equal(setenv("HOPLITE_CPU", hop__cpu_name((hop__cpu_level)level), 1), 0);
        check_narrow(graph, name, source, max_level);
    }
    assert_int_equal(unsetenv("HOPLITE_CPU"), 0);
}

/* Two paths beside each other with rungs between them: more levels than marks of two bytes, from an
 * end; fewer from the middle. */
static void more_levels_than_marks(void **state) {
    enum { N = 66000 };
    static const hop_vertex limits[] = {65532, 65533, 65534, 65535, 65536, NONE};
    (void)state;
    hop_context *maker = make_context(1);
    edge_list list = {0};
    for (hop_vertex v = 0; v < N; v++) {
        add(&list, v, N + v);
        if (v + 1 < N) {
            add(&list, v, v + 1);
            add(&list, N + v, N + v + 1);
        }
    }
    hop_graph *graph = build_edges(maker, &list, false, false);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        check_everywhere(graph, "ladder", 0, limits[i]);
    check_everywhere(graph, "ladder", N / 2, NONE);
    hop_graph_release(graph);
    free_context(maker);
}

/* Few neighbours, but few levels too: some are so large that they are not lists. There are vertices
 * that are not reached, and a last one that is no whole sixteen. */
static void small_degrees_and_large_levels(void **state) {
    enum { NEAR = 2048, N = 98 * NEAR, MATCHINGS = 4 };
    (void)state;
    hop_context *maker = make_context(1);
    edge_list list = {0};
    for (unsigned i = 0; i < MATCHINGS; i++) {
        hop__shuffle shuffle;
        hop__shuffle_init(&shuffle, NEAR, 17, i);
        /* The last one goes anywhere, and joins the blocks within which the others are. */
        if (i + 1 == MATCHINGS)
            hop__shuffle_init(&shuffle, N, 17, i);
        for (uint64_t v = 0; v + 1 < N; v += 2) {
            uint64_t block = i + 1 < MATCHINGS ? v / NEAR * NEAR : 0;
            add(&list, (hop_vertex)(block + hop__shuffle_at(&shuffle, v - block)),
                (hop_vertex)(block + hop__shuffle_at(&shuffle, v + 1 - block)));
        }
    }
    for (hop_vertex v = N; v < N + 1000; v += 2)
        add(&list, v, v + 1);
    hop_graph *graph = build_edges(maker, &list, false, false);
    check_everywhere(graph, "matchings", 0, NONE);
    check_everywhere(graph, "matchings", N + 999, NONE);
    hop_graph_release(graph);
    free_context(maker);
}

/* Levels of some hundred vertices, shared by all members; sources and targets on the way. */
static void a_grid(void **state) {
    enum { SIDE = 500 };
    static const hop_vertex limits[] = {1, 300, 998, NONE};
    (void)state;
    hop_context *maker = make_context(1);
    edge_list list = {0};
    for (hop_vertex v = 0; v < SIDE * SIDE; v++) {
        if (v % SIDE + 1 < SIDE && v % 7 != 3)
            add(&list, v, v + 1);
        if (v + SIDE < SIDE * SIDE && v % 11 != 4)
            add(&list, v, v + SIDE);
    }
    hop_graph *graph = build_edges(maker, &list, false, false);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        check_everywhere(graph, "grid", 12, limits[i]);
    hop_vertex sources[] = {77, 3, 77, 240000}, target = 100;
    hop_vertex *levels = malloc(4 * SIDE * SIDE), *parents = malloc(4 * SIDE * SIDE);
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_context *context = make_context(2);
    assert_int_equal(hop_bfs(context, graph, sources, 4, &options, levels, parents), HOP_OK);
    assert_int_equal(hop_bfs_certify(context, graph, sources, 4, &options, levels, parents),
                     HOP_OK);
    assert_int_equal(hop_bfs(context, graph, sources, 1, &options, levels, parents), HOP_OK);
    hop_vertex level = levels[target], parent = parents[target];
    options.targets = &target;
    options.target_count = 1;
    assert_int_equal(hop_bfs(context, graph, sources, 1, &options, levels, parents), HOP_OK);
    assert_int_equal(levels[target], level);
    assert_int_equal(parents[target], parent);
    free(levels);
    free(parents);
    hop_graph_release(graph);
    free_context(context);
    free_context(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_rings),
        cmocka_unit_test(limits_on_the_way),
        cmocka_unit_test(a_way_to_a_hub),
        cmocka_unit_test(a_path_with_wide_offsets),
        cmocka_unit_test(more_levels_than_marks),
        cmocka_unit_test(small_degrees_and_large_levels),
        cmocka_unit_test(a_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
