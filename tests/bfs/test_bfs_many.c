/* SPDX-License-Identifier: Apache-2.0
 *
 * Many searches at once against a queue in this file, level by level and bit by bit: every number
 * of words, every form of the loops, with arcs in and without, directed and not. */
#include "core/core_testing.h"

#include <stdlib.h>

#include "bfs/bfs_many.h"
#include "core/cpu.h"
#include "core/rng.h"
#include "hoplite/hoplite.h"

enum { MOST = 1200 };

static void list_blocks(const void *given, hop__workspace *space) {
    const hop__many *many = given;
    hop__many_blocks(space, 0, many->graph->vertices, many->words);
}

/* Levels from one vertex; MOST: not reached. */
static void plain_levels(const hop_graph *graph, hop_vertex source, uint32_t *levels) {
    static hop_vertex queue[MOST];
    uint32_t head = 0, tail = 0;
    for (hop_vertex v = 0; v < graph->vertices; v++)
        levels[v] = MOST;
    levels[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        hop_vertex u = queue[head++];
        for (uint64_t a = hop__offset(graph, u); a < hop__offset(graph, u + 1); a++)
            if (levels[graph->targets[a]] == MOST) {
                levels[graph->targets[a]] = levels[u] + 1;
                queue[tail++] = graph->targets[a];
            }
    }
}

static bool has_bit(const hop__many *many, const uint64_t *words, hop_vertex v, unsigned i) {
    return words[(uint64_t)v * many->words + i / 64] >> i % 64 & 1;
}

/* The level that is there now: bits, list and counts. */
static void check_level(const hop__many *many, uint32_t (*right)[MOST]) {
    static uint32_t counts[HOP__MANY_SOURCES];
    const hop_vertex n = many->graph->vertices;
    hop_vertex listed = 0;
    hop__many_count(many, counts);
    for (unsigned i = 0; i < many->count; i++) {
        uint32_t count = 0;
        for (hop_vertex v = 0; v < n; v++) {
            bool now = right[i][v] == many->level;
            assert_int_equal(has_bit(many, many->now, v, i), now);
            assert_int_equal(has_bit(many, many->seen, v, i), right[i][v] <= many->level);
            count += now;
        }
        assert_int_equal(counts[i], count);
    }
    for (unsigned i = many->count; i < 64 * many->words; i++)
        assert_int_equal(counts[i], 0);
    for (hop_vertex v = 0; v < n; v++) {
        uint64_t any = 0;
        for (unsigned w = 0; w < many->words; w++)
            any |= many->now[(uint64_t)v * many->words + w];
        listed += any != 0;
    }
    assert_int_equal(listed, many->listed);
}

/* Two batches after each other; the first is given up in between when `cut`. */
static void check_graph(hop_context *context, const hop_graph *graph, const hop_graph *reverse,
                        unsigned words, unsigned count, bool cut) {
    static uint32_t right[HOP__MANY_SOURCES][MOST];
    hop_vertex sources[HOP__MANY_SOURCES];
    hop__many many = {.graph = graph, .words = words};
    hop__workspace space = {0};
    const hop_vertex n = graph->vertices;
    hop__many task = many;
    assert_int_equal(hop__workspace_open(context, NULL, list_blocks, &task, &many, &space), HOP_OK);
    hop__many_open(&many, context, graph, reverse, words);
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < count; i++) { /* some vertices are there several times */
            sources[i] = (hop_vertex)((i * UINT64_C(389) + turn) % n);
            plain_levels(graph, sources[i], right[i]);
        }
        assert_true(hop__many_begin(&many, sources, count));
        uint32_t most = 0;
        for (unsigned i = 0; i < count; i++)
            for (hop_vertex v = 0; v < n; v++)
                if (right[i][v] < MOST && right[i][v] > most)
                    most = right[i][v];
        bool goes_on = true;
        while (goes_on && !(cut && turn == 0 && many.level == 1)) {
            check_level(&many, right);
            goes_on = hop__many_step(&many);
            assert_int_equal(goes_on, many.level <= most);
        }
        assert_false(many.cancelled);
    }
    hop__workspace_close(&space, HOP_OK);
}

/* Random arcs, about `degree` per vertex; 0: a path; UINT_MAX: a star. */
static hop_graph *make_graph(hop_context *context, hop_vertex n, unsigned degree, bool directed,
                             uint64_t seed) {
    static uint32_t from[64 * MOST], to[64 * MOST];
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_edges edges = HOP_EDGES_INIT;
    hop_graph *graph = NULL;
    uint64_t count = 0;
    if (degree == 0 || degree == UINT32_MAX)
        for (hop_vertex v = 1; v < n; v++, count++)
            from[count] = degree == 0 ? v - 1 : 0, to[count] = v;
    else
        for (; count < (uint64_t)n * degree; count++) {
            uint32_t random[4];
            hop__philox4x32(seed, count, 7, random);
            from[count] = random[0] % n;
            to[count] = random[1] % n;
        }
    edges.from = from;
    edges.to = to;
    edges.count = count;
    options.vertices = n;
    options.directed = directed;
    if (hop_graph_from_edges(context, &edges, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

static void every_form(void **state) {
    static const unsigned degrees[] = {0, 1, 2, 6, 40, UINT32_MAX};
    static const char *const levels[] = {"plain", "avx2", "avx512"};
    static const unsigned words[] = {1, 2, 4, 8};
    hop_context *context = make_context(1);
    unsigned kind = 0;
    (void)state;
    for (size_t level = 0; level < 3; level++)
        for (size_t w = 0; w < 4; w++)
            for (size_t d = 0; d < 6; d++, kind++) {
                hop_vertex n = kind % 3 == 0 ? 3 : 70 + kind;
                bool directed = kind % 2;
                hop_graph *graph = make_graph(context, n, degrees[d], directed, kind), *back = NULL;
                if (directed)
                    assert_int_equal(hop_graph_reverse(context, graph, &back), HOP_OK);
                const hop_graph *reverse = directed ? back : graph;
                setenv("HOPLITE_CPU", levels[level], 1);
                check_graph(context, graph, reverse, words[w], 64 * words[w], kind % 5 == 0);
                check_graph(context, graph, NULL, words[w], 64 * words[w] - 3, kind % 5 == 1);
                unsetenv("HOPLITE_CPU");
                hop_graph_release(graph);
                hop_graph_release(back);
            }
    free_context(context);
}

/* Counts carry through several planes: a star of more vertices than eight bits hold. */
static void counts_of_a_thousand(void **state) {
    hop_context *context = make_context(1);
    (void)state;
    for (unsigned words = 1; words <= 8; words *= 2) {
        hop_graph *graph = make_graph(context, MOST, UINT32_MAX, false, 1);
        check_graph(context, graph, graph, words, 40, false);
        hop_graph_release(graph);
    }
    free_context(context);
}

static void words_that_hold(void **state) {
    (void)state;
    assert_int_equal(hop__many_words(0, 8), 1);
    assert_int_equal(hop__many_words(64, 8), 1);
    assert_int_equal(hop__many_words(65, 8), 2);
    assert_int_equal(hop__many_words(257, 8), 8);
    assert_int_equal(hop__many_words(100000, 8), 8);
    assert_int_equal(hop__many_words(100000, 4), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(counts_of_a_thousand),
        cmocka_unit_test(words_that_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
