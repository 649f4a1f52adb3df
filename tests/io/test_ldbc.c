/* SPDX-License-Identifier: Apache-2.0
 * LDBC: pairs of files, properties, and what is refused. */
#include "io/text_testing.h"

static void save_text(const char *name, const char *text) {
    save_file(temporary(name), text, strlen(text));
}

/* NULL: no such file. */
static void save_graph(const char *vertices, const char *edges, const char *properties) {
    static const char *const names[] = {"l.v", "l.e", "l.properties"};
    const char *const texts[] = {vertices, edges, properties};
    for (int i = 0; i < 3; i++) {
        unlink(temporary(names[i]));
        if (texts[i] != NULL)
            save_text(names[i], texts[i]);
    }
}

static void assert_pair(const char *vertices, const char *edges, const char *properties,
                        const char *expected) {
    static const char *const names[] = {"l.v", "l.e"};
    hop_context *context = make_context(2);
    save_graph(vertices, edges, properties);
    for (int i = 0; i < 2; i++) { /* either path */
        hop_read_options options = keep_all(NULL);
        hop_graph *graph = NULL;
        if (hop_graph_read(context, temporary(names[i]), &options, &graph) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_graph_text(graph, expected);
        hop_graph_release(graph);
    }
    free_context(context);
}

static void test_pairs(void **state) {
    (void)state;
    assert_pair("2\n5\n9\n18446744073709551615\n", "2 9\n9 18446744073709551615\n", NULL,
                "4 undirected none: 2>9 9>18446744073709551615");
    assert_pair("9\n2\n5\n", "2 9 0.5\r\n9 9 1\r\n", "graph.l.directed = false\n",
                "3 undirected float64: 2>9=0.5 9>9=1");
    assert_pair("1\n2\n", "2 1 5", "# x\ngraph.l.directed=TRUE\nother = 1\n",
                "2 directed int32: 2>1=5");
    assert_pair("1\n2\n", "2 1 5\n", "hoplite.weights = float32\n", "2 undirected float32: 1>2=5");
    assert_pair("", "", NULL, "0 undirected none:");
    assert_pair("7", "", NULL, "1 undirected none:");
    assert_pair("0\n1\n2\n", "0 1\n", NULL, "3 undirected none: 0>1");
}

static void test_malformed(void **state) {
    (void)state;
    static const struct {
        const char *vertices, *edges, *properties, *part;
    } table[] = {
        {"1\n2\n1\n", "", NULL, "l.v:3: vertex 1 for the second time"},
        {"3\n1\n2\n1\n3\n", "", NULL, "l.v:4: vertex 1 for the second time"},
        {"1\n2\n2\n", "", NULL, "l.v:3: vertex 2 for the second time"},
        {"1\nx\n", "", NULL, "l.v:2: found \"x\", expected a vertex id"},
        {"1\n\n2\n", "", NULL, "l.v:2: found the end of the line, expected a vertex id"},
        {"1 2\n", "", NULL, "l.v:1: found \"2\" after the row, expected 1 number"},
        {"1\n2\n", "1 2\n2 3\n", NULL, "line 2 of the edges: vertex 3, which is not in the list"},
        {"1\n4294967296\n", "1 4294967296\n5 1\n", NULL, "line 2 of the edges: vertex 5"},
        {"1\n2\n", "1 2\n\n", NULL, "l.e:2: found the end of the line"},
        {"1\n2\n", "# c\n1 2\n", NULL, "l.e:1: found \"#\""},
        {"1\n2\n", "1 2 nan\n", NULL, "l.e:1: the weight is NaN"},
        {"1\n2\n", "1\n", NULL, "l.e:1: 1 number, expected 2 or 3"},
        {"1\n2\n", "1 2\n", "graph.l.directed = perhaps\n",
         "l.properties:1: found \"perhaps\", expected true or false"},
        {"1\n2\n", "1 2\n", "\nhoplite.weights = int16\n", "l.properties:2: found \"int16\""},
        {"1\n2\n", NULL, NULL, "l.e: cannot open"},
    };
    hop_context *context = make_context(1);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        hop_graph *graph = NULL;
        save_graph(table[i].vertices, table[i].edges, table[i].properties);
        assert_int_not_equal(hop_graph_read(context, temporary("l.v"), NULL, &graph), HOP_OK);
        assert_null(graph);
        assert_message(context, table[i].part);
    }
    free_context(context);
}

/* Whichever of the two is opened: a fault is told of the file and the line that it is in. */
static void test_fault_is_in_its_file(void **state) {
    (void)state;
    static const struct {
        const char *vertices, *edges, *file;
        uint64_t line;
    } table[] = {
        {"1\n2\n", "1 2\n2 3\n", "l.e", 2}, /* found when both have been read */
        {"1\n2\n", "1 2\n2 x\n", "l.e", 2},
        {"1\n2\n1\n", "1 2\n", "l.v", 3},
        {"1\nx\n", "1 2\n", "l.v", 2},
    };
    hop_context *context = make_context(1);
    for (size_t i = 0; i < 2 * sizeof table / sizeof table[0]; i++) {
        hop_graph *graph = NULL;
        char file[256];
        hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
        save_graph(table[i / 2].vertices, table[i / 2].edges, NULL);
        snprintf(file, sizeof file, "%s", temporary(table[i / 2].file));
        assert_int_equal(hop_graph_read(context, temporary(i % 2 ? "l.v" : "l.e"), NULL, &graph),
                         HOP_ERR_INPUT);
        assert_true(hop_context_detail(context, &detail));
        assert_string_equal(detail.file, file);
        assert_int_equal(detail.line, table[i / 2].line);
        assert_memory_equal(hop_context_message(context), file, strlen(file));
    }
    free_context(context);
}

/* A pair cannot come from memory or a stream. */
static void test_no_path(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    assert_int_equal(read_bytes(context, "ldbc", "1 2\n", 4, &graph), HOP_ERR_UNSUPPORTED);
    assert_message(context, "ldbc is a pair of files");
    graph = read_text(context, "edge-list", "0 1\n");
    hop_write_options options = HOP_WRITE_OPTIONS_INIT;
    options.format = "ldbc";
    assert_int_equal(hop_graph_write(context, graph, temporary("x.txt"), &options),
                     HOP_ERR_UNSUPPORTED);
    assert_int_not_equal(access(temporary("x.txt"), F_OK), 0);
    hop_graph_release(graph);
    free_context(context);
}

/* One file compressed and the other not. */
static void test_mixed_compression(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = read_text(context, "edge-list", "3 9\n"), *back = NULL;
    assert_int_equal(hop_graph_write(context, graph, temporary("m.e.gz"), NULL), HOP_OK);
    assert_int_equal(access(temporary("m.v.gz"), F_OK), 0);
    assert_int_equal(unlink(temporary("m.v.gz")), 0);
    save_text("m.v", "3\n9\n");
    assert_int_equal(hop_graph_read(context, temporary("m.e.gz"), NULL, &back), HOP_OK);
    assert_same_graph(graph, back);
    hop_graph_release(back);
    hop_graph_release(graph);
    free_context(context);
}

/* Cut at every byte of either file: an error, or a graph. */
static void test_cut_everywhere(void **state) {
    (void)state;
    static const char vertices[] = "10\n12\n77\n", edges[] = "10 12 1.5\n77 12 2\n";
    hop_context *context = make_context(1);
    size_t refused = 0;
    for (size_t cut = 0; cut < sizeof vertices + sizeof edges - 2; cut++) {
        hop_graph *graph = NULL;
        save_graph(vertices, edges, NULL);
        if (cut < sizeof vertices - 1)
            save_file(temporary("l.v"), vertices, cut);
        else
            save_file(temporary("l.e"), edges, cut - (sizeof vertices - 1));
        hop_status status = hop_graph_read(context, temporary("l.e"), NULL, &graph);
        if (status == HOP_OK)
            assert_int_equal(hop_graph_check(context, graph), HOP_OK);
        else
            assert_int_equal(status, HOP_ERR_INPUT);
        refused += status != HOP_OK;
        hop_graph_release(graph);
    }
    assert_true(refused > 10);
    free_context(context);
}

static void test_example(void **state) {
    (void)state;
    const char *source = getenv("HOPLITE_SOURCE_DIR");
    char path[512];
    snprintf(path, sizeof path, "%s/../shared/data/ldbc/example/example-directed.v",
             source ? source : ".");
    if (access(path, R_OK) != 0)
        skip();
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(hop_graph_read(context, path, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 10);
    assert_int_equal(hop_graph_arcs(graph), 17);
    assert_int_equal(hop_graph_label(graph, 0), 1);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_fault_is_in_its_file),
        cmocka_unit_test(test_no_path),
        cmocka_unit_test(test_mixed_compression),
        cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_example),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
