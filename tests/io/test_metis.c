/* SPDX-License-Identifier: Apache-2.0
 * METIS: every FMT, comments and blank lines, and what is refused. */
#include "io/text_testing.h"

static void test_kinds(void **state) {
    (void)state;
    assert_reads("metis", "3 2\n2\n1 3\n2\n", "3 undirected none: 1>2 2>3");
    assert_reads("metis", "3 2 1\n2 7\n1 7 3 8\n2 8\n", "3 undirected int32: 1>2=7 2>3=8");
    assert_reads("metis", "3 2 001\n2 7\n1 7 3 8\n2 8\n", "3 undirected int32: 1>2=7 2>3=8");
    assert_reads("metis", "3 2 10\n9 2\n9 1 3\n9 2\n", "3 undirected none: 1>2 2>3");
    assert_reads("metis", "3 2 11 2\n9 8 2 7\n9 8 1 7 3 -8\n9 8 2 -8\n",
                 "3 undirected int32: 1>2=7 2>3=-8");
    assert_reads("metis", "3 2 100\n5 2\n5 1 3\n5 2\n", "3 undirected none: 1>2 2>3");
    assert_reads("metis", "3 2 111 3\n5 1 1 1 2 7\n5 1 1 1 1 7 3 8\n5 1 1 1 2 8\n",
                 "3 undirected int32: 1>2=7 2>3=8");
    assert_reads("metis", "3 2 000\n2\n1 3\n2\n", "3 undirected none: 1>2 2>3");
    assert_reads("metis", "2 1 1\n2 3000000000\n1 3000000000\n", "2 undirected int64: 1>2=3e+09");
    assert_reads("metis", "% hoplite weights int64\n2 1 1\n2 3\n1 3\n",
                 "2 undirected int64: 1>2=3");
}

static void test_forms(void **state) {
    (void)state;
    assert_reads("metis", "% c\n%\n\n4 1\n% between\n\n  3 \r\n% c\n\t2\n\n\n\n",
                 "4 undirected none: 2>3");
    assert_reads("metis", "0 0\n", "0 undirected none:");
    assert_reads("metis", "0 0", "0 undirected none:");
    assert_reads("metis", "1 0\n\n", "1 undirected none:");
    /* The blank line of the last vertex may be nothing at all. */
    assert_reads("metis", "3 1\n2\n1\n", "3 undirected none: 1>2");
    /* A loop is one entry and one edge; parallel edges are kept. */
    assert_reads("metis", "2 2\n1 2\n1\n", "2 undirected none: 1>1 1>2");
    assert_reads("metis", "2 2\n2 2\n1 1\n", "2 undirected none: 1>2 1>2");
}

static void test_malformed(void **state) {
    (void)state;
    static const bad_text table[] = {
        {"", "f:1: the end of the file, expected the numbers of vertices and edges"},
        {"% c\n", "f:2: the end of the file"},
        {"3\n", "f:1: found the end of the line, expected the numbers"},
        {"x 2\n", "f:1: found \"x\""},
        {"3 2 2\n", "f:1: the format is \"2\", expected up to three digits"},
        {"3 2 0001\n", "f:1: the format is \"0001\""},
        {"3 2 1 2\n", "f:1: found \"2\", expected the number of weights per vertex, of which"},
        {"3 2 11 x\n", "f:1: found \"x\", expected the number of weights"},
        {"3 2 11 1 1\n", "f:1: found \"1\", expected the end of the header"},
        {"3 2\n2\n1 3\n2\n1\n", "f:5: a line for vertex 4, but the header states 3"},
        {"3 1\n2\n", "f:3: the end of the file after 1 vertices, expected 3"},
        {"3 2\n2\n1 4\n2\n", "f:3: neighbour 4, expected 1 to 3"},
        {"3 2\n2\n0 1 3\n2\n", "f:3: neighbour 0, expected 1 to 3"},
        {"3 2\n2\n1 x\n2\n", "f:3: found \"x\", expected the number of a neighbour"},
        {"3 2\n2\n1 -3\n2\n", "f:3: found \"-3\", expected the number of a neighbour"},
        {"3 2 1\n2 7\n1 7 3\n2 8\n", "f:3: found the end of the line, expected the weight"},
        {"3 2 1\n2 7\n1 7 3 8.5\n2 8\n", "f:3: found \"8.5\", expected the weight"},
        {"2 1 1\n2 9223372036854775808\n1 1\n", "f:2: found \"9223372036854775808\""},
        {"3 2 10\n9 2\n\n9 2\n", "f:3: found the end of the line, expected the vertex's size"},
        {"3 2 10\n9 2\n% c\ny 1 3\n9 2\n", "f:4: found \"y\", expected the vertex's size"},
        /* A line with too few words after one with too many: the sum is what it should be. */
        {"2 0 10 5\n1 1 1 1 1 2 2 2 2 2\n\n", "f:3: found the end of the line, expected the vert"},
        {"3 1\n2\n1 3\n2\n", "f:1: the header states 1 edges, but the rows hold 4 neighbours"},
        {"3 3\n2\n1 3\n2\n", "f:1: the header states 3 edges"},
        {"3 2\n2\n3\n2\n", "f:2: vertex 1 has the neighbour 2, but not the other way round"},
        {"% a\n3 2\n% b\n2\n% c\n3\n2\n", "f:4: vertex 1 has the neighbour 2"},
        {"2 1 1\n2 7\n1 8\n", "not the other way round with the same weight"},
        {"9223372036854775808 0\n", "more than"},
        {"4294967295 0\n", "more than"},
        {"2 9223372036854775808\n2\n1\n", "more than"},
        {"3 99\n2\n1\n", "f:1: the header states 3 vertices and 99 edges, more than"},
        {"% hoplite weights float32\n2 1 1\n2 1\n1 1\n", "expected int32 or int64"},
        {"% hoplite weights int32\n2 1 1\n2 3000000000\n1 3000000000\n", "some do not fit"},
    };
    assert_all_bad("metis", table, sizeof table / sizeof table[0]);
}

static void test_directed_option(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = "metis";
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(hop_graph_read_memory(context, "f", "2 2\n1 2\n1\n", 10, &options, &graph),
                     HOP_OK);
    assert_graph_text(graph, "2 directed none: 1>1 1>2 2>1");
    hop_graph_release(graph);
    free_context(context);
}

static void assert_refused(const char *text, const char *part) {
    hop_context *context = make_context(1);
    hop_graph *graph = read_text(context, "edge-list", text);
    assert_int_equal(hop_graph_write(context, graph, temporary("g.graph"), NULL),
                     HOP_ERR_UNSUPPORTED);
    assert_message(context, part);
    assert_int_not_equal(access(temporary("g.graph"), F_OK), 0);
    hop_graph_release(graph);
    free_context(context);
}

/* What the METIS programs would refuse is not written. */
static void test_refusals(void **state) {
    (void)state;
    assert_refused("0 1\n1 1\n", "metis has no self-loops, and the graph has 1");
    assert_refused("0 1\n1 2\n2 1\n", "metis has no parallel edges, and vertex");
    assert_refused("0 1 1\n1 2 0\n", "metis weights are above 0, and the graph has 0");
    assert_refused("0 1 0.5\n", "cannot hold float64 weights");
    assert_refused("# Directed\n0 1\n", "cannot hold a directed graph; symmetrize it");
    assert_refused("0 7\n", "keeps no labels");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),     cmocka_unit_test(test_forms),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_directed_option),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
