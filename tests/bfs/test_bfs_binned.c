/* SPDX-License-Identifier: Apache-2.0
 * Levels that go through bins: those that fill them several times, so that batches are interrupted
 * and later ones leave arcs out, and those of hubs, which are shared in slices. */
#include "bfs/bfs_edges.h"

static void check_binned(const hop_graph *graph, const char *name, hop_vertex source,
                         const char *step) {
    static const unsigned threads[] = {1, 2, 3, 8};
    size_t n = hop_graph_vertices(graph);
    hop_vertex *memory = malloc(16 * n), *levels = memory, *parents = memory + n;
    hop_vertex *expected_levels = memory + 2 * n, *expected_parents = memory + 3 * n;
    hop_setting setting = {.name = "step", .word = step};
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    run.variant = "direction-optimizing";
    run.settings = &setting;
    run.setting_count = 1;
    options.run = &run;
    simple_search(graph, source, expected_levels, expected_parents);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        hop_context *context = make_context(threads[t]);
        for (unsigned i = 0; i < (SMALLER_TESTS ? 1 : 3); i++) {
            memset(memory, 0x5a, 8 * n);
            assert_int_equal(hop_bfs(context, graph, &source, 1, &options, levels, parents),
                             HOP_OK);
            if (memcmp(levels, expected_levels, 4 * n) != 0)
                fail_msg("%s, %u threads: other levels", name, threads[t]);
            if (memcmp(parents, expected_parents, 4 * n) != 0)
                fail_msg("%s, %u threads: other parents", name, threads[t]);
        }
        free_context(context);
    }
    free(memory);
}

/* A level of a million arcs and more, and rows from which every vertex is found many times: the
 * smallest parent is in any of the rounds. */
static void bins_that_fill_again_and_again(void **state) {
    (void)state;
    hop_context *maker = make_context(2);
    for (unsigned kind = 0; kind < 4; kind++) {
        edge_list list = {0};
        hop_vertex n = kind == 0 ? 20000 : kind < 3 ? 60000 : 200000;
        for (uint64_t i = 0; i < (kind < 3 ? 700000 : 2000000); i++) {
            uint64_t draw = hop__random_at(31, kind, i);
            hop_vertex from = (hop_vertex)(draw % n), to = (hop_vertex)((draw >> 32) % n);
            if (kind == 2) /* to a few vertices: their bins fill, the others do not */
                to = to % 2000 + 1000;
            add(&list, from, to);
        }
        hop_graph *graph = build_edges(maker, &list, kind == 1, false);
        check_binned(graph, "many arcs", 17, "binned");
        check_binned(graph, "many arcs", 17, "auto");
        hop_graph_release(graph);
    }
    free_context(maker);
}

/* Hubs of one level, more and fewer, whose rows overlap: the smallest is the parent of all that it
 * leads to, and every slice counts. Beside them small vertices, whose arcs go other ways. */
static void hubs_are_shared(void **state) {
    static const hop_vertex counts[] = {1, 2, 5, 40, 63, 64, 65};
    (void)state;
    hop_context *maker = make_context(2);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        edge_list list = {0};
        hop_vertex hubs = counts[k], leaves = 20000, first = 2000;
        for (hop_vertex h = 0; h < hubs; h++) {
            hop_vertex hub = 31 * (hubs - h); /* the later ones are smaller */
            add(&list, 0, hub);
            for (hop_vertex v = 0; v < 9000; v++)
                add(&list, hub, first + (h * 977 + v) % leaves);
        }
        for (hop_vertex v = 3; v < 1000; v += 31) { /* no multiples of 31 */
            add(&list, 0, v);
            add(&list, v, first + leaves + v);
            add(&list, v, first + v);
        }
        hop_graph *directed = build_edges(maker, &list, true, false);
        check_binned(directed, "hubs", 0, "binned");
        check_binned(directed, "hubs", 0, "auto");
        hop_graph_release(directed);
    }
    free_context(maker);
}

/* Stars in a row, so that one level of a hub comes after another. */
static void hubs_after_hubs(void **state) {
    (void)state;
    hop_context *maker = make_context(2);
    edge_list list = {0};
    for (hop_vertex star = 0; star < 4; star++) {
        hop_vertex centre = 25000 * star;
        for (hop_vertex v = 1; v <= 20000 + star; v++)
            add(&list, centre, centre + v);
        add(&list, centre + 20000, centre + 25000);
    }
    for (unsigned directed = 0; directed < 2; directed++) {
        edge_list copy = {malloc(list.count * sizeof *list.edges), list.count, list.count};
        memcpy(copy.edges, list.edges, list.count * sizeof *list.edges);
        hop_graph *graph = build_edges(maker, &copy, directed, false);
        check_binned(graph, "stars", 0, "binned");
        check_binned(graph, "stars", 0, "auto");
        hop_graph_release(graph);
    }
    free(list.edges);
    free_context(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_that_fill_again_and_again),
        cmocka_unit_test(hubs_are_shared),
        cmocka_unit_test(hubs_after_hubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
