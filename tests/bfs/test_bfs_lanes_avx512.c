/* SPDX-License-Identifier: Apache-2.0
 * The bottom-up step on every level of the processor gives the same bits: rows about as long as a
 * lane reads, candidates about as many as there are lanes, pieces that end anywhere. On a processor
 * without AVX-512 the plain form runs each time. */
#include "bfs/bfs_edges.h"
#include "core/cpu.h"

static const char *const steps[] = {"bottom-up", "auto", "binned", "shared"};

typedef struct check {
    const hop_graph *graph;
    const char *name;
    hop_vertex source, *levels, *parents, *expected_levels, *expected_parents;
} check;

static void run(hop_context *context, const check *c, const char *step, bool parents) {
    size_t bytes = 4 * (size_t)hop_graph_vertices(c->graph);
    hop_setting setting = {.name = "step", .word = step};
    hop_run how = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    how.variant = "direction-optimizing";
    how.settings = &setting;
    how.setting_count = 1;
    options.run = &how;
    memset(c->levels, 0x5a, bytes);
    memset(c->parents, 0x5a, bytes);
    if (hop_bfs(context, c->graph, &c->source, 1, &options, c->levels,
                parents ? c->parents : NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    if (memcmp(c->levels, c->expected_levels, bytes) != 0)
        fail_msg("%s from %u, step %s: other levels", c->name, c->source, step);
    if (parents && memcmp(c->parents, c->expected_parents, bytes) != 0)
        fail_msg("%s from %u, step %s: other parents", c->name, c->source, step);
}

static void on_every_level(const hop_graph *graph, const char *name, hop_vertex source) {
    size_t n = hop_graph_vertices(graph);
    hop_vertex *memory = malloc(16 * n);
    check c = {graph, name, source, memory, memory + n, memory + 2 * n, memory + 3 * n};
    simple_search(graph, source, c.expected_levels, c.expected_parents);
    for (int level = 0; level < HOP__CPU_LEVELS; level++) {
        assert_int_equal(setenv("HOPLITE_CPU", hop__cpu_name((hop__cpu_level)level), 1), 0);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            hop_context *context = make_context(threads);
            for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
                run(context, &c, steps[s], true);
                run(context, &c, steps[s], false);
            }
            free_context(context);
        }
    }
    assert_int_equal(unsetenv("HOPLITE_CPU"), 0);
    free(memory);
}

/* Layers of `width` vertices with random arcs between neighbouring ones; a vertex has `degree`
 * arcs back, and as many more into its own layer, which are smaller or larger as it comes. The
 * numbers of the vertices are shuffled, so layers lie everywhere. */
static hop_graph *layers(hop_context *context, hop_vertex n, hop_vertex width, unsigned degree,
                         bool directed) {
    edge_list list = {0};
    hop__shuffle shuffle;
    hop__shuffle_init(&shuffle, n, 5, degree);
    for (hop_vertex v = 1; v < n; v++) {
        hop_vertex layer = v / width, first = layer > 0 ? (layer - 1) * width : 0;
        for (unsigned i = 0; i < degree; i++) {
            uint64_t draw = hop__random_at(11, v, i);
            hop_vertex back = first + (hop_vertex)(draw % (layer > 0 ? width : v));
            add(&list, (hop_vertex)hop__shuffle_at(&shuffle, back),
                (hop_vertex)hop__shuffle_at(&shuffle, v));
            hop_vertex beside = layer * width + (hop_vertex)(draw >> 32) % width;
            if (beside < n)
                add(&list, (hop_vertex)hop__shuffle_at(&shuffle, v),
                    (hop_vertex)hop__shuffle_at(&shuffle, beside));
        }
    }
    return build_edges(context, &list, directed, directed);
}

/* Rows about as long as what a lane reads, and twice that. */
static void rows_of_every_length(void **state) {
    (void)state;
    hop_context *maker = make_context(1);
    for (unsigned degree = 1; degree <= 36; degree += degree < 4 ? 1 : 4) {
        hop_graph *graph = layers(maker, 9000 + degree, 2000, degree, degree % 8 == 0);
        on_every_level(graph, "layers", degree);
        hop_graph_release(graph);
    }
    free_context(maker);
}

/* One vertex of the frontier is the neighbour number `place` of all; the rest of their rows is not
 * in it. So the lane, the vector or the rest of a long row has to find it. */
static void luck_at_every_place(void **state) {
    (void)state;
    hop_context *maker = make_context(1);
    for (hop_vertex place = 0; place < 70; place += SMALLER_TESTS ? 7 : 1) {
        edge_list list = {0};
        hop_vertex others = 70, n = 500;
        add(&list, place, n); /* n is the source, `place` its only neighbour */
        for (hop_vertex v = others; v < n; v++)
            for (hop_vertex u = 0; u < others; u++)
                add(&list, u, v);
        hop_graph *graph = build_edges(maker, &list, false, false);
        on_every_level(graph, "luck at a place", n);
        hop_graph_release(graph);
    }
    free_context(maker);
}

/* Pieces have 4,096 vertices, words 64, vectors 16: graphs that end before, at and after. */
static void every_end_of_a_piece(void **state) {
    static const hop_vertex sizes[] = {2,  15,  16,  17,   31,   32,   33,   48,   63,   64,
                                       65, 127, 128, 4095, 4096, 4097, 4112, 8191, 8192, 8193};
    (void)state;
    hop_context *maker = make_context(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        hop_graph *graph = layers(maker, sizes[i], 1 + sizes[i] / 3, 3, false);
        on_every_level(graph, "an end", sizes[i] - 1);
        hop_graph_release(graph);
    }
    free_context(maker);
}

/* Offsets of 64 bits, borrowed, and vertices without arcs between the others. */
static void wide_offsets(void **state) {
    (void)state;
    hop_context *maker = make_context(1);
    for (unsigned kind = 0; kind < 4; kind++) {
        plain p = plain_random(maker, 5000, kind < 2 ? 4000 : 90000, false, kind & 1, 21 + kind);
        size_t n = p.n;
        hop_vertex *memory = malloc(16 * n), source = p.targets[0];
        check c = {p.graph, "wide", source, memory, memory + n, memory + 2 * n, memory + 3 * n};
        plain narrow = p;
        plain_wrap(maker, &narrow, false);
        simple_search(narrow.graph, source, c.expected_levels, c.expected_parents);
        hop_graph_release(narrow.graph);
        hop_context *context = make_context(2);
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
            run(context, &c, steps[s], true);
        free_context(context);
        free(memory);
        plain_free(&p);
    }
    free_context(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_length),
        cmocka_unit_test(luck_at_every_place),
        cmocka_unit_test(every_end_of_a_piece),
        cmocka_unit_test(wide_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
