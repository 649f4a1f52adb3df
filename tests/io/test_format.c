/* SPDX-License-Identifier: Apache-2.0
 * The table of formats, how files are recognised, and what writing refuses. */
#include "io/text_testing.h"

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        const hop__format *row = hop__formats[i];
        assert_ptr_equal(hop_format_find(format->name), format);
        assert_true(strlen(format->summary) > 0);
        assert_int_equal(format->can_read, row->read_edges != NULL || row->read_graph != NULL);
        assert_false(row->read_edges != NULL && row->read_graph != NULL);
        assert_int_equal(format->can_write, row->write != NULL);
        assert_true(!format->can_read || row->sniff != NULL);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(format->name, hop_format_at(j)->name);
    }
    assert_null(hop_format_at(hop_format_count()));
    assert_null(hop_format_find("no such format"));
    assert_null(hop_format_find(NULL));
    assert_string_equal(hop_format_of_path("a/b.GR.gz")->name, "dimacs");
    assert_string_equal(hop_format_of_path("b.npz")->name, "npz");
    assert_null(hop_format_of_path("b.npz.gz")); /* no text */
    assert_null(hop_format_of_path(".gr"));      /* a name, not a suffix */
    assert_null(hop_format_of_path(NULL));
}

/* NULL: not recognised. */
static void assert_recognised(const char *name, const char *text, const char *expected) {
    hop_context *context = make_context(1);
    hop__input *input = NULL;
    const hop__format *row = NULL;
    assert_int_equal(hop__input_open_memory(context, name, text, strlen(text), NULL, &input),
                     HOP_OK);
    hop_status status = hop__format_recognise(context, input, &row);
    if (expected == NULL) {
        assert_int_equal(status, HOP_ERR_INPUT);
        assert_message(context, name);
        assert_message(context, "edge-list");
    } else if (status != HOP_OK) {
        fail_msg("%s", hop_context_message(context));
    } else {
        assert_string_equal(row->about.name, expected);
    }
    hop__input_close(input);
    free_context(context);
}

static void test_recognised(void **state) {
    (void)state;
    /* By contents, against the suffix. */
    assert_recognised("x.txt", "%%MatrixMarket matrix", "matrix-market");
    assert_recognised("x.txt", "%%matrixmarket MATRIX", "matrix-market");
    assert_recognised("x", "c comment\np sp 3 3\n", "dimacs");
    assert_recognised("x.graph", "p edge 3 3\n", "dimacs");
    /* Plain numbers: by suffix, else an edge list. */
    assert_recognised("x", "3 2\n2\n1 3\n2\n", "edge-list");
    assert_recognised("x.txt", "3 2\n2\n1 3\n2\n", "edge-list");
    assert_recognised("x.graph", "3 2\n2\n1 3\n2\n", "metis");
    assert_recognised("X.GRAPH.GZ", "3 2\n2\n1 3\n2\n", "metis");
    assert_recognised("x.metis", "% comment\n3 2\n", "metis");
    assert_recognised("x.e", "1 2\n", "ldbc");
    assert_recognised("x.v.gz", "1\n2\n", "ldbc");
    assert_recognised("x.wel", "1 2 3\n", "edge-list");
    assert_recognised("x.tsv", "# a comment\n", "edge-list");
    assert_recognised("x", "# a comment\n", "edge-list");
    assert_recognised("x", "\n\n  7 8\n", "edge-list");
    assert_recognised("x", "c only comments\nc\n", "dimacs");
    /* The suffix, so that its reader says what is missing. */
    assert_recognised("x.mtx", "1 2 3\n", "matrix-market");
    assert_recognised("x.gr", "1 2 3\n", "dimacs");
    assert_recognised("x.txt", "hello\n", "edge-list");
    assert_recognised("x.mtx", "", "matrix-market");
    assert_recognised("x", "", NULL);
    assert_recognised("x", "hello\n", NULL);
    assert_recognised("x", "\x01\x02\x03", NULL);
}

static void test_named_formats(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = "metiss";
    assert_int_equal(hop_graph_read_memory(context, "f", "0 1", 3, &options, &graph),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "\"metiss\" is not a format that can be read; there are");
    options.format = NULL;
    options.direction = (hop_direction)7;
    assert_int_equal(hop_graph_read_memory(context, "f", "0 1", 3, &options, &graph),
                     HOP_ERR_ARGUMENT);
    options.direction = HOP_DIRECTION_FILE;
    options.size = 3;
    assert_int_equal(hop_graph_read_memory(context, "f", "0 1", 3, &options, &graph),
                     HOP_ERR_ARGUMENT);
    free_context(context);
}

static void test_writing_refuses(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_write_options options = HOP_WRITE_OPTIONS_INIT;
    hop_graph *graph = read_text(context, "edge-list", "# Directed\n3 9 0.5\n9 4 1\n"), *back;
    assert_int_equal(hop_graph_write(context, graph, temporary("x.unknown"), NULL),
                     HOP_ERR_ARGUMENT);
    assert_message(context, "the suffix does not say which format to write");
    assert_int_equal(hop_graph_write(context, graph, temporary("x.gr"), NULL), HOP_ERR_UNSUPPORTED);
    assert_message(context, "dimacs cannot hold float64 weights");
    options.drop_weights = true;
    assert_int_equal(hop_graph_write(context, graph, temporary("x.gr"), &options),
                     HOP_ERR_UNSUPPORTED);
    assert_message(context, "keeps no labels");
    options.drop_labels = true;
    assert_int_equal(hop_graph_write(context, graph, temporary("x.gr"), &options), HOP_OK);
    assert_int_equal(hop_graph_read(context, temporary("x.gr"), NULL, &back), HOP_OK);
    assert_graph_text(back, "3 directed none: 1>3 3>2");
    hop_graph_release(back);
    assert_graph_text(graph, "3 directed float64: 3>9=0.5 9>4=1"); /* untouched */
    options.format = "nothing";
    assert_int_equal(hop_graph_write(context, graph, temporary("x.gr"), &options),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_write(context, NULL, temporary("x.gr"), NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_graph_write(context, graph, NULL, NULL), HOP_ERR_ARGUMENT);
    hop_graph_release(graph);
    free_context(context);
}

static void test_edges_of_a_matrix(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_edge_file *file = NULL;
    save_file(temporary("e.mtx"),
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 1 6\n", 66);
    assert_int_equal(hop_edges_read(context, temporary("e.mtx"), NULL, &file), HOP_OK);
    const hop_edges *edges = hop_edge_file_edges(file);
    assert_int_equal(edges->count, 2);
    assert_int_equal(((const uint32_t *)edges->from)[1], 2); /* counted from 0 */
    assert_int_equal(hop_edge_file_vertices(file), 3);
    assert_int_equal(hop_edge_file_first_id(file), 1);
    assert_false(hop_edge_file_directed(file));
    assert_string_equal(hop_context_format(context)->name, "matrix-market");
    assert_int_equal(hop_edges_read(context, temporary("none"), NULL, &(hop_edge_file *){NULL}),
                     HOP_ERR_IO);
    assert_null(hop_context_format(context)); /* not that of the call before */
    assert_null(hop_context_format(NULL));
    hop_edge_file_free(file);
    hop_edge_file_free(NULL);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_named_formats),
        cmocka_unit_test(test_writing_refuses),
        cmocka_unit_test(test_edges_of_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
