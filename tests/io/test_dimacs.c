/* SPDX-License-Identifier: Apache-2.0
 * DIMACS: both kinds, our comments, and what is refused. */
#include "io/text_testing.h"

static void test_kinds(void **state) {
    (void)state;
    assert_reads("dimacs", "c a comment\np sp 3 2\nc\na 1 2 5\na 3 1 -6\n",
                 "3 directed int32: 1>2=5 3>1=-6");
    assert_reads("dimacs", "p edge 3 2\ne 1 2\ne 2 3\n", "3 undirected none: 1>2 2>3");
    assert_reads("dimacs", "p col 3 1\ne 1 2 4\n", "3 undirected int32: 1>2=4");
    /* The number of edges of colouring files is only a hint. */
    assert_reads("dimacs", "p edge 3 9\ne 1 2\n", "3 undirected none: 1>2");
    assert_reads("dimacs", "p sp 4 0\n", "4 directed int32:");
    assert_reads("dimacs", "\r\nc\r\np sp 2 1\r\n\r\na\t1  2 3\r\n", "2 directed int32: 1>2=3");
    assert_reads("dimacs", "p sp 2 1\na 1 2 3000000000", "2 directed int64: 1>2=3e+09");
}

static void test_our_comments(void **state) {
    (void)state;
    assert_reads("dimacs", "c hoplite weights none\np sp 2 1\na 1 2 1\n", "2 directed none: 1>2");
    assert_reads("dimacs", "c hoplite weights int64\np sp 2 1\na 1 2 1\n",
                 "2 directed int64: 1>2=1");
    assert_reads("dimacs",
                 "p sp 3 5\nc hoplite undirected\na 1 2 4\na 3 3 1\na 2 1 4\na 2 1 9\na 1 2 9\n",
                 "3 undirected int32: 1>2=4 1>2=9 3>3=1");
    /* Who asks for a directed graph gets the arcs as they stand. */
    static const char text[] = "c hoplite undirected\np sp 2 2\na 1 2 4\na 2 1 4\n";
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_OK);
    assert_graph_text(graph, "2 directed int32: 1>2=4 2>1=4");
    hop_graph_release(graph);
    free_context(context);
}

static void test_malformed(void **state) {
    (void)state;
    static const bad_text table[] = {
        {"", "f:1: found the end of the file, expected a line \"p sp"},
        {"c only\n", "f:2: found the end of the file"},
        {"a 1 2 3\n", "f:1: found \"a\", expected a line \"p sp"},
        {"p max 3 2\n", "f:1: found \"p\" and \"max\", expected sp, edge or col"},
        {"p sp 3\n", "f:1: found the end of the line, expected the numbers"},
        {"p sp 3 x\n", "f:1: found \"x\", expected the numbers of vertices and of arcs"},
        {"p sp 3 1 1\n", "f:1: found \"1\", expected the numbers"},
        {"p sp 3 1\np sp 3 1\na 1 2 3\n", "f:2: the line begins with \"p\", expected \"a\""},
        {"p sp 3 1\ne 1 2\n", "f:2: the line begins with \"e\", expected \"a\" and 3 numbers"},
        {"p sp 3 1\na 1 2\n", "f:2: 2 numbers, expected 3 numbers"},
        {"p sp 3 1\na 1 2 3 4\n", "f:2: found \"4\" after the row"},
        {"p sp 3 1\na 1 2 3.5\n", "f:2: the weight is \"3.5\", expected an integer"},
        {"p sp 3 1\na 0 2 3\n", "f:2: vertex 0, expected 1 to 3"},
        {"p sp 3 1\na 1 4 3\n", "f:2: vertex 4, expected 1 to 3"},
        {"p sp 3 1\na1 4 3\n", "f:2: the line begins with \"a1\""},
        {"p sp 3 2\na 1 2 3\n", "f:3: the end of the file after 1 rows, expected 2 (arc)"},
        {"p sp 3 1\na 1 2 3\nc\na 1 2 3\n", "f:4: one arc more than the 1"},
        {"p sp 3 9223372036854775808\n", "more than"},
        {"p sp 3 1000\na 1 2 3\n", "1000 arc rows, more than"},
        {"p sp 4294967295 0\n", "4294967295 vertices, at most 4294967294"},
        {"p sp 2 1\na 1 2 99999999999999999999\n", "f:2: the weight \"99999999999999999999\" does"},
        {"c hoplite undirected\np sp 2 1\na 1 2 4\n", "arc 1 from 1 to 2 has no reverse"},
        {"c hoplite undirected\np sp 2 2\na 1 2 4\na 2 1 5\n", "has no reverse of the same length"},
        {"c hoplite weights int32\np sp 2 1\na 1 2 3000000000\n", "does not fit in int32"},
    };
    assert_all_bad("dimacs", table, sizeof table / sizeof table[0]);
}

/* max_edges is about edges, of which our undirected files have two arcs each. */
static void test_limit_of_edges(void **state) {
    (void)state;
    static const char text[] =
        "c hoplite undirected\np sp 3 5\na 1 2 4\na 2 1 4\na 2 3 1\na 3 2 1\na 3 3 7\n";
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (options.max_edges = 1; options.max_edges < 3; options.max_edges++) {
        assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                         HOP_ERR_INPUT);
        assert_message(context, "edges, the limit (max_edges) is");
    }
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_OK);
    hop_graph_release(graph);
    options.max_edges = 4; /* of arcs, where these are the edges */
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_ERR_INPUT);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_our_comments),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_limit_of_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
