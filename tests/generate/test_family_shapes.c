/* SPDX-License-Identifier: Apache-2.0
 * Families whose shape is prescribed: list, list-graph, tree-graph, fanout, grid, road. */
#include "generate/generate_testing.h"

static hop_context *context;

static int setup(void **state) {
    (void)state;
    context = make_context(2);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free_context(context);
    return 0;
}

/* From the head every element is reached once, the tail points to itself. */
static void check_list(const hop_vertex *successors, uint32_t n) {
    unsigned char *seen = calloc(n, 1);
    uint32_t at = 0, count = 1;
    seen[0] = 1;
    while (successors[at] != at) {
        at = successors[at];
        assert_true(at < n);
        assert_int_equal(seen[at], 0);
        seen[at] = 1;
        count++;
    }
    assert_int_equal(count, n);
    free(seen);
}

static void test_list_walk_covers_all(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 2, 3, 7, 64, 1000, 1023, 1024, 1025, 65536, 65537, 300001};
    for (size_t i = 0; i < HOP_LENGTH(sizes); i++) {
        hop_vertex *successors = malloc(sizeof *successors * sizes[i]);
        assert_int_equal(hop_list_generate(context, sizes[i], i, successors), HOP_OK);
        check_list(successors, sizes[i]);
        free(successors);
    }
    assert_int_equal(hop_list_generate(context, 0, 1, NULL), HOP_OK);
}

/* "Random over the whole array": the step from an element to the next has no preferred length,
 * and the 24 orders of 5 elements with a fixed head are equally likely. */
static void test_list_order_is_random(void **state) {
    (void)state;
    enum { N = 200000, CELLS = 50 };
    hop_vertex *successors = malloc(sizeof *successors * N);
    uint64_t steps[CELLS] = {0}, orders[24] = {0};
    assert_int_equal(hop_list_generate(context, N, 3, successors), HOP_OK);
    for (uint32_t i = 0; i < N; i++)
        steps[(uint64_t)((successors[i] + N - i) % N) * CELLS / N]++;
    assert_uniform(steps, CELLS);
    free(successors);
    for (uint64_t seed = 0; seed < 12000; seed++) {
        hop_vertex small[5];
        unsigned code = 0, left[4] = {1, 2, 3, 4};
        assert_int_equal(hop_list_generate(context, 5, seed, small), HOP_OK);
        uint32_t at = 0;
        for (unsigned position = 0; position < 4; position++) {
            at = small[at];
            unsigned choice = 0;
            while (left[choice] != at)
                choice++;
            code = code * (4 - position) + choice;
            for (unsigned k = choice; k < 3; k++)
                left[k] = left[k + 1];
        }
        orders[code]++;
    }
    assert_uniform(orders, 24);
}

static void test_list_graph(void **state) {
    (void)state;
    const uint32_t shapes[][2] = {{1, 1},        {2, 1},         {2, 2},    {10, 3},
                                  {10, 10},      {11, 10},       {1000, 7}, {5000, 1},
                                  {30000, 9999}, {30000, 15000}, {4096, 4}};
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        uint32_t n = shapes[i][0], count = shapes[i][1];
        const request wanted = {"list-graph", {{"n", n}, {"count", count}}};
        hop_graph *graph = generate(context, &wanted, i);
        uint32_t *labels = malloc(sizeof *labels * n);
        uint64_t *sizes = calloc(n, sizeof *sizes);
        assert_int_equal(hop_graph_vertices(graph), n);
        assert_int_equal(edges_of(context, graph), n - count);
        assert_int_equal(count_components(graph, labels), count);
        assert_false(hop_graph_directed(graph));
        for (uint32_t v = 0; v < n; v++) {
            assert_true(degree_at(graph, v) <= 2);
            sizes[labels[v]]++;
        }
        for (uint32_t v = 0; v < n; v++)
            assert_true(sizes[v] == 0 || sizes[v] == n / count || sizes[v] == n / count + 1);
        free(labels);
        free(sizes);
        hop_graph_release(graph);
    }
}

/* The vertices of a list are spread over all ids: neighbours are as far apart as chance has it. */
static void test_list_graph_is_spread(void **state) {
    (void)state;
    enum { N = 50000, CELLS = 20 };
    const request wanted = {"list-graph", {{"n", N}, {"count", 10}}};
    hop_graph *graph = generate(context, &wanted, 1);
    uint64_t steps[CELLS] = {0};
    for (uint32_t v = 0; v < N; v++) {
        if (degree_at(graph, v) > 0) {
            uint32_t u = hop_graph_targets(graph)[offset_of(graph, v)];
            if (degree_at(graph, v) == 1)
                continue;
            /* Of two neighbours one at random: rows are sorted, so the first would be small. */
            u = hop_graph_targets(graph)[offset_of(graph, v) + (hop__random_at(1, 1, v) & 1)];
            steps[(uint64_t)((u + N - v) % N) * CELLS / N]++;
        }
    }
    assert_uniform(steps, CELLS);
    hop_graph_release(graph);
}

static void test_tree_graph(void **state) {
    (void)state;
    const uint32_t shapes[][3] = {{1, 1, 1},     {2, 1, 1},        {2, 2, 5},
                                  {50, 1, 1},    {50, 5, 1},       {1000, 1, 2},
                                  {1000, 10, 3}, {20000, 100, 20}, {20000, 1, 19999}};
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        uint32_t n = shapes[i][0], count = shapes[i][1], k = shapes[i][2];
        const request wanted = {"tree-graph", {{"n", n}, {"count", count}, {"k", k}}};
        hop_graph *graph = generate(context, &wanted, i);
        assert_int_equal(hop_graph_vertices(graph), n);
        assert_int_equal(edges_of(context, graph), n - count);
        /* As few edges as n - components: a forest. */
        assert_int_equal(count_components(graph, NULL), count);
        hop_graph_info info = info_of(context, graph);
        assert_true(info.max_degree <= (uint64_t)k + 1);
        hop_graph_release(graph);
    }
}

/* Without a limit, the process makes random recursive trees, of which half of the vertices are
 * leaves, and the largest degree is about log2 n. With k = 2 a step adds a leaf and takes one of
 * the members with room, each alike: in balance the shares of members with 0, 1 and 2 children are
 * .382, .236 and .382 (golden ratio); it would be 1/3 each if places, not members, were alike. */
static void test_tree_graph_grows_as_described(void **state) {
    (void)state;
    enum { N = 30000 };
    const double shares[][2] = {{N, 1. / 2}, {2, .381966}};
    for (size_t i = 0; i < HOP_LENGTH(shares); i++) {
        const request wanted = {"tree-graph", {{"n", N}, {"k", shares[i][0]}}};
        hop_graph *graph = generate(context, &wanted, 11);
        uint64_t leaves = 0;
        for (uint32_t v = 0; v < N; v++)
            leaves += degree_at(graph, v) == 1;
        if (i == 0)
            assert_in_range(info_of(context, graph).max_degree, 8, 30);
        assert_true(fabs((double)leaves / N - shares[i][1]) < 0.015);
        hop_graph_release(graph);
    }
}

/* The level sizes of D4's figure 7.1: k-fold growth until the vertices run out. */
static void check_fanout(uint32_t n, uint32_t k, bool directed) {
    const request wanted = {"fanout", {{"n", n}, {"k", k}, {"directed", directed}}};
    hop_graph *graph = generate(context, &wanted, 1);
    assert_int_equal(hop_graph_directed(graph), directed);
    assert_int_equal(edges_of(context, graph), n - 1);
    uint32_t *levels = levels_from_zero(graph);
    uint64_t sizes[64] = {0}, left = n, expected = 1;
    for (uint32_t v = 0; v < n; v++) {
        assert_true(levels[v] < 64);
        sizes[levels[v]]++;
        uint64_t children = (uint64_t)k * v >= n - 1 ? 0 : n - 1 - (uint64_t)k * v;
        children = children < k ? children : k;
        assert_int_equal(degree_at(graph, v), children + (!directed && v > 0));
    }
    for (unsigned level = 0; level < 64 && k > 1; level++) {
        assert_int_equal(sizes[level], expected < left ? expected : left);
        left -= sizes[level];
        expected *= k;
        if (left == 0)
            break;
    }
    free(levels);
    hop_graph_release(graph);
}

static void test_fanout_levels(void **state) {
    (void)state;
    check_fanout(1, 4, true);
    check_fanout(2, 4, true);
    check_fanout(50, 1, true);
    check_fanout(21845, 4, true);
    check_fanout(21846, 4, false);
    check_fanout(1000, 7, true);
    check_fanout(1000, 999, false);
    check_fanout(5, 100, true);
    check_fanout(10485760, 4, true); /* D4's own */
}

static void check_grid(uint32_t rows, uint32_t cols, bool diagonals) {
    const request wanted = {"grid", {{"rows", rows}, {"cols", cols}, {"diagonals", diagonals}}};
    hop_graph *graph = generate(context, &wanted, 1);
    assert_int_equal(hop_graph_vertices(graph), rows * cols);
    uint64_t arcs = 0;
    for (uint32_t v = 0; v < rows * cols; v++) {
        uint32_t r = v / cols, c = v % cols;
        for (uint32_t u = 0; u < rows * cols; u++) {
            uint32_t down = u / cols > r ? u / cols - r : r - u / cols;
            uint32_t right = u % cols > c ? u % cols - c : c - u % cols;
            bool joined = down + right == 1 || (diagonals && down == 1 && right == 1);
            if (joined) {
                assert_true(arcs < hop_graph_arcs(graph));
                assert_true(arcs >= offset_of(graph, v));
                assert_int_equal(hop_graph_targets(graph)[arcs++], u);
            }
        }
        assert_int_equal(arcs, offset_of(graph, (uint64_t)v + 1));
    }
    hop_graph_release(graph);
}

static void test_grid_neighbours(void **state) {
    (void)state;
    for (uint32_t rows = 1; rows < 8; rows++) {
        for (uint32_t cols = 1; cols < 8; cols++) {
            check_grid(rows, cols, false);
            check_grid(rows, cols, true);
        }
    }
    check_grid(1, 300, true);
    check_grid(300, 1, true);
    check_grid(17, 60, true);
}

static void test_grid_removed(void **state) {
    (void)state;
    const double shares[] = {0, .1, .25, .5, .999, 1};
    uint64_t all = 200 * 149 + 199 * 150;
    for (size_t i = 0; i < HOP_LENGTH(shares); i++) {
        const request wanted = {"grid", {{"rows", 200}, {"cols", 150}, {"removed", shares[i]}}};
        hop_graph *graph = generate(context, &wanted, 4);
        assert_int_equal(hop_graph_vertices(graph), 30000);
        assert_int_equal(edges_of(context, graph), all - (uint64_t)round(shares[i] * (double)all));
        hop_graph_release(graph);
    }
}

/* What is removed is spread evenly over rows and kinds of edges. */
static void test_grid_removes_evenly(void **state) {
    (void)state;
    const request wanted = {"grid", {{"rows", 400}, {"cols", 400}, {"removed", .5}}};
    hop_graph *graph = generate(context, &wanted, 9);
    uint64_t counts[2 * 20] = {0};
    for (uint32_t v = 0; v < 160000; v++) {
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, (uint64_t)v + 1); i++) {
            uint32_t u = hop_graph_targets(graph)[i];
            if (u > v && u != v + 400)
                counts[v / 8000]++;
            else if (u > v && v < 399 * 400 && v / 8000 < 19)
                counts[20 + v / 8000]++;
        }
    }
    assert_uniform(counts, 20);
    assert_uniform(counts + 20, 19);
    hop_graph_release(graph);
}

/* An edge keeps its weight whatever else is removed. */
static void test_grid_weights_stay(void **state) {
    (void)state;
    const request full = {"grid", {{"rows", 40}, {"cols", 40}, {"diagonals", 1}}};
    const request part = {"grid", {{"rows", 40}, {"cols", 40}, {"diagonals", 1}, {"removed", .3}}};
    hop_graph *a = generate_weighted(context, &full, 2, HOP_TYPE_INT64);
    hop_graph *b = generate_weighted(context, &part, 2, HOP_TYPE_INT64);
    const int64_t *a_weights = hop_graph_weights(a, NULL), *b_weights = hop_graph_weights(b, NULL);
    for (uint32_t v = 0; v < 1600; v++) {
        uint64_t i = offset_of(a, v);
        for (uint64_t j = offset_of(b, v); j < offset_of(b, (uint64_t)v + 1); j++) {
            while (hop_graph_targets(a)[i] != hop_graph_targets(b)[j])
                i++;
            assert_int_equal(a_weights[i], b_weights[j]);
        }
    }
    hop_graph_release(a);
    hop_graph_release(b);
}

/* Permuted ids: the same graph under other names, and no locality left. */
static void check_shuffled(const request *plain, const request *shuffled) {
    hop_graph *a = generate(context, plain, 6), *b = generate(context, shuffled, 6);
    assert_int_equal(hop_graph_arcs(a), hop_graph_arcs(b));
    assert_same_degrees(a, b);
    assert_int_equal(count_components(a, NULL), count_components(b, NULL));
    uint64_t near_a = 0, near_b = 0;
    uint32_t n = hop_graph_vertices(a);
    for (uint32_t v = 0; v < n; v++) {
        for (uint64_t i = offset_of(a, v); i < offset_of(a, (uint64_t)v + 1); i++)
            near_a += llabs((long long)hop_graph_targets(a)[i] - v) < n / 10;
        for (uint64_t i = offset_of(b, v); i < offset_of(b, (uint64_t)v + 1); i++)
            near_b += llabs((long long)hop_graph_targets(b)[i] - v) < n / 10;
    }
    assert_int_equal(near_a, hop_graph_arcs(a));
    assert_true(near_b < hop_graph_arcs(b) / 4);
    hop_graph_release(a);
    hop_graph_release(b);
}

static void test_shuffled_ids(void **state) {
    (void)state;
    const request grid[] = {
        {"grid", {{"rows", 60}, {"cols", 50}, {"removed", .2}}},
        {"grid", {{"rows", 60}, {"cols", 50}, {"removed", .2}, {"shuffle", 1}}}};
    const request road[] = {{"road", {{"rows", 60}, {"cols", 50}}},
                            {"road", {{"rows", 60}, {"cols", 50}, {"shuffle", 1}}}};
    check_shuffled(&grid[0], &grid[1]);
    check_shuffled(&road[0], &road[1]);
}

static void test_road_is_connected_and_sparse(void **state) {
    (void)state;
    const double shapes[][4] = {
        {1, 1, .35, 2}, {1, 50, .35, 2},  {50, 1, .35, 2}, {2, 2, 1, 0},     {30, 40, 0, 0},
        {30, 40, 1, 0}, {64, 64, .35, 2}, {100, 90, 0, 5}, {100, 90, .5, 1}, {20, 20, 1, 100},
    };
    for (size_t i = 0; i < HOP_LENGTH(shapes); i++) {
        double rows = shapes[i][0], cols = shapes[i][1], extra = shapes[i][2];
        const request wanted = {
            "road", {{"rows", rows}, {"cols", cols}, {"extra", extra}, {"bends", shapes[i][3]}}};
        hop_graph *graph = generate(context, &wanted, i);
        hop_graph_info info = info_of(context, graph);
        uint64_t junctions = (uint64_t)(rows * cols);
        assert_int_equal(count_components(graph, NULL), 1);
        assert_true(info.max_degree <= 4);
        assert_int_equal(info.loops, 0);
        assert_true(info.vertices >= junctions);
        if (shapes[i][3] == 0)
            assert_int_equal(info.vertices, junctions);
        if (extra == 0) /* a spanning tree, subdivided or not */
            assert_int_equal(info.edges, info.vertices - 1);
        if (extra == 1) /* every road of the lattice: as many independent cycles as squares */
            assert_int_equal(info.edges - info.vertices + 1, (uint64_t)((rows - 1) * (cols - 1)));
        hop_graph_release(graph);
    }
}

static void test_road_looks_like_roads(void **state) {
    (void)state;
    const request wanted = {"road", {{"rows", 150}, {"cols", 100}}};
    hop_graph *graph = generate(context, &wanted, 1);
    hop_graph_info info = info_of(context, graph);
    double average = (double)info.arcs / info.vertices;
    assert_true(average > 2.2 && average < 2.4);
    uint64_t degrees[5] = {0};
    for (uint32_t v = 0; v < info.vertices; v++)
        degrees[degree_at(graph, v)]++;
    assert_int_equal(degrees[0], 0);
    assert_true(degrees[2] > info.vertices / 2);
    assert_true(degrees[1] > 0 && degrees[3] > 0 && degrees[4] > 0);
    /* Cycles: 35 % of the roads beyond the spanning tree. */
    assert_share((double)(info.edges - info.vertices + 1), 149 * 99, .35);
    uint32_t *levels = levels_from_zero(graph), far = 0;
    for (uint32_t v = 0; v < info.vertices; v++)
        far = levels[v] > far ? levels[v] : far;
    assert_true(far >= 248); /* the other corner is that many roads away */
    free(levels);
    hop_graph_release(graph);
}

/* Without bends every edge joins neighbours of the lattice. */
static void test_road_is_planar(void **state) {
    (void)state;
    const request wanted = {"road", {{"rows", 31}, {"cols", 37}, {"bends", 0}}};
    hop_graph *graph = generate(context, &wanted, 8);
    for (uint32_t v = 0; v < 31 * 37; v++) {
        for (uint64_t i = offset_of(graph, v); i < offset_of(graph, (uint64_t)v + 1); i++) {
            uint32_t u = hop_graph_targets(graph)[i];
            uint32_t low = u < v ? u : v, high = u < v ? v : u;
            assert_true(high - low == 37 || (high - low == 1 && high % 37 != 0));
        }
    }
    hop_graph_release(graph);
}

/* Weights are lengths of 0 to 3, the bounds of the range; a road between two junctions is between
 * 0.2 and 3 long, however many bends it has. */
static void test_road_weights_are_lengths(void **state) {
    (void)state;
    const request wanted = {"road", {{"rows", 40}, {"cols", 40}, {"bends", 0}}};
    hop_generate_options options = options_of(&wanted, 3);
    hop_graph *graph = NULL;
    options.weight_type = HOP_TYPE_FLOAT64;
    options.min_weight = 0;
    options.max_weight = 3;
    assert_int_equal(hop_graph_generate(context, "road", &options, &graph), HOP_OK);
    const double *weights = hop_graph_weights(graph, NULL);
    double sum = 0;
    for (uint64_t i = 0; i < hop_graph_arcs(graph); i++) {
        assert_true(weights[i] >= 0.19 && weights[i] <= 2.96);
        sum += weights[i];
    }
    /* Distance of jittered neighbours 1.07 on average, detour 1.25. */
    assert_true(fabs(sum / (double)hop_graph_arcs(graph) - 1.34) < 0.05);
    hop_graph_release(graph);
    options.weight_type = HOP_TYPE_INT32;
    options.min_weight = 100;
    options.max_weight = 1000;
    assert_int_equal(hop_graph_generate(context, "road", &options, &graph), HOP_OK);
    hop_graph_info info = info_of(context, graph);
    assert_true(info.min_weight_int >= 157 && info.max_weight_int < 1000);
    hop_graph_release(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_walk_covers_all),
        cmocka_unit_test(test_list_order_is_random),
        cmocka_unit_test(test_list_graph),
        cmocka_unit_test(test_list_graph_is_spread),
        cmocka_unit_test(test_tree_graph),
        cmocka_unit_test(test_tree_graph_grows_as_described),
        cmocka_unit_test(test_fanout_levels),
        cmocka_unit_test(test_grid_neighbours),
        cmocka_unit_test(test_grid_removed),
        cmocka_unit_test(test_grid_removes_evenly),
        cmocka_unit_test(test_grid_weights_stay),
        cmocka_unit_test(test_shuffled_ids),
        cmocka_unit_test(test_road_is_connected_and_sparse),
        cmocka_unit_test(test_road_looks_like_roads),
        cmocka_unit_test(test_road_is_planar),
        cmocka_unit_test(test_road_weights_are_lengths),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
