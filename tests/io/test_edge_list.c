/* SPDX-License-Identifier: Apache-2.0
 * Edge lists: what is accepted, what ids mean, which type weights get, and what is refused. */
#include "io/text_testing.h"

static void test_forms(void **state) {
    (void)state;
    static const char expected[] = "3 directed none: 0>1 1>2";
    static const char *const same[] = {
        "# Directed graph\n0 1\n1 2\n",
        "# Directed graph\n0 1\n1 2",
        "# directed\r\n0 1\r\n1 2\r\n",
        "#Directed\n0\t1\n1\t2\n",
        "% Directed\n\n\n0 1\n\n# between\n1 2\n\n",
        "# Directed\n  0   1  \n\t1 \t 2\t\n",
        "# Directed\n0,1\n1,2\n",
        "# Directed\n0, 1\n1 , 2\n",
        "\xef\xbb\xbf# Directed\n0 1\n1 2\n",
        "# Directed\n0000000000000000000000 00000000000000000001\n01 2",
        "# Undirected\n# Directed\n0 1\n1 2",
        "# Directed\n0 1\n   # a comment with blanks before it\n1 2",
        "# Directed graph: x.txt\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        assert_reads("edge-list", same[i], expected);
    assert_reads("edge-list", "0 1\n1 2\n", "3 undirected none: 0>1 1>2");
    assert_reads("edge-list", "", "0 undirected none:");
    assert_reads("edge-list", "\n\n# nothing\n", "0 undirected none:");
    assert_reads("edge-list", "5 5", "1 undirected none: 5>5");
}

static void test_ids(void **state) {
    (void)state;
    /* All below the stated number: vertex numbers, isolated ones included. */
    assert_reads("edge-list", "# Nodes: 5 Edges: 1\n1 3\n", "5 undirected none: 1>3");
    assert_reads("edge-list", "# nodes: 7\n", "7 undirected none:");
    /* Not all below it: labels. */
    assert_reads("edge-list", "# Nodes: 5 Edges: 1\n1 5\n", "2 undirected none: 1>5");
    assert_reads("edge-list", "7 18446744073709551615\n18446744073709551615 9\n",
                 "3 undirected none: 7>18446744073709551615 9>18446744073709551615");
    assert_reads("edge-list", "4294967295 0\n4294967296 1\n",
                 "4 undirected none: 0>4294967295 1>4294967296");
    /* The largest id counts wherever it stands. */
    assert_reads("edge-list", "# Nodes: 5 Edges: 2\n7 1\n0 1\n", "3 undirected none: 0>1 1>7");
    assert_reads("edge-list", "# Nodes: 5 Edges: 2\n 7 1\n0 1\n", "3 undirected none: 0>1 1>7");
    /* Isolated labels. */
    assert_reads("edge-list", "# Isolated: 4294967296\n4 7\n4294967296 4\n",
                 "3 undirected none: 4>7 4>4294967296");
    assert_reads("edge-list", "# Isolated: 2 9\n# Isolated: 18446744073709551615\n4 7\n",
                 "5 undirected none: 4>7");
    assert_reads("edge-list", "# Nodes: 3 Edges: 1\n# Isolated: 5\n0 1\n",
                 "3 undirected none: 0>1");
    hop_context *context = make_context(1);
    hop_graph *graph = read_text(context, "edge-list", "# Nodes: 3 Edges: 1\n# Isolated: 5\n0 1\n");
    assert_non_null(hop_graph_labels(graph));
    assert_int_equal(hop_graph_label(graph, 2), 5);
    hop_graph_release(graph);
    graph = read_text(context, "edge-list", "# Isolated: 4294967297\n0 1\n");
    assert_true(hop_graph_label(graph, 2) == UINT64_C(4294967297));
    hop_graph_release(graph);
    /* Ids that turn out to be 0..n-1 are no labels. */
    graph = read_text(context, "edge-list", "2 1\n0 2\n");
    assert_null(hop_graph_labels(graph));
    hop_graph_release(graph);
    free_context(context);
}

static void test_weight_types(void **state) {
    (void)state;
    assert_reads("edge-list", "0 1 5\n1 2 -7\n", "3 undirected int32: 0>1=5 1>2=-7");
    assert_reads("edge-list", "0 1 2147483647\n1 2 -2147483648\n",
                 "3 undirected int32: 0>1=2.14748e+09 1>2=-2.14748e+09");
    assert_reads("edge-list", "0 1 2147483648\n1 2 1\n",
                 "3 undirected int64: 0>1=2.14748e+09 1>2=1");
    assert_reads("edge-list", "0 1 1\n1 2 -9223372036854775808\n",
                 "3 undirected int64: 0>1=1 1>2=-9.22337e+18");
    assert_reads("edge-list", "0 1 1\n1 2 0.5\n", "3 undirected float64: 0>1=1 1>2=0.5");
    assert_reads("edge-list", "0 1 1e2\n1 2 3\n", "3 undirected float64: 0>1=100 1>2=3");
    assert_reads("edge-list", "0 1 inf\n1 2 -Infinity\n", "3 undirected float64: 0>1=inf 1>2=-inf");
    /* An integer beyond 64 bits is an error, unless the column is decimal, wherever that shows. */
    assert_reads("edge-list", "0 1 99999999999999999999\n1 2 0.5\n",
                 "3 undirected float64: 0>1=1e+20 1>2=0.5");
    assert_reads("edge-list", "0 1 0.5\n1 2 99999999999999999999\n",
                 "3 undirected float64: 0>1=0.5 1>2=1e+20");
    assert_reads("edge-list", "# Weights: float32\n0 1 1\n1 2 0.5\n",
                 "3 undirected float32: 0>1=1 1>2=0.5");
    assert_reads("edge-list", "# Weights: int64\n0 1 1\n", "2 undirected int64: 0>1=1");
    assert_reads("edge-list", "# Weights: float64\n", "0 undirected float64:");
    assert_reads("edge-list", "0,1,+2.5\n", "2 undirected float64: 0>1=2.5");
}

/* Large integers next to decimals are rounded once, whichever comes first. */
static void test_widening_is_exact(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const char *const texts[] = {"0 1 9007199254740993\n1 2 0.5\n",
                                        "1 2 0.5\n0 1 9007199254740993\n"};
    for (int i = 0; i < 2; i++)
        for (size_t block = 1; block < 40; block += 6) {
            hop_graph *graph = NULL;
            hop_weight_type type;
            assert_int_equal(
                read_cut(context, "edge-list", texts[i], strlen(texts[i]), block, 3, &graph),
                HOP_OK);
            const double *weights = hop_graph_weights(graph, &type);
            assert_int_equal(type, HOP_TYPE_FLOAT64);
            assert_true(weights[0] == 9007199254740992.0);
            hop_graph_release(graph);
        }
    free_context(context);
}

/* "-0" in a column that turns out to be real later, in the same block or not. */
static void test_minus_zero(void **state) {
    (void)state;
    static const char open_type[] = "0 1 -0\n1 2 0.5\n", stated[] = "# Weights: float64\n0 1 -0\n";
    hop_context *context = make_context(1);
    for (size_t block = 1; block < 20; block++) {
        hop_graph *graph = NULL;
        assert_int_equal(
            read_cut(context, "edge-list", open_type, sizeof open_type - 1, block, 3, &graph),
            HOP_OK);
        assert_false(signbit(((const double *)hop_graph_weights(graph, NULL))[0]));
        hop_graph_release(graph);
    }
    hop_graph *graph = read_text(context, "edge-list", stated);
    assert_true(signbit(((const double *)hop_graph_weights(graph, NULL))[0]));
    hop_graph_release(graph);
    free_context(context);
}

/* The types come out the same when the rows that decide them are in different blocks. */
static void test_widening_in_blocks(void **state) {
    (void)state;
    static const char text[] = "1 2 3\n4 5 6\n7 8 2147483648\n4294967296 9 1\n2 3 4\n5 6 0.25\n"
                               "18446744073709551615 1 99999999999999999999\n7 1 2\n";
    hop_context *context = make_context(1);
    hop_graph *whole = read_text(context, "edge-list", text);
    assert_int_equal(hop_graph_vertices(whole), 11);
    for (size_t block = 1; block < 60; block++)
        for (size_t chunk = 1; chunk < 30; chunk += 4) {
            hop_graph *graph = NULL;
            assert_int_equal(
                read_cut(context, "edge-list", text, sizeof text - 1, block, chunk, &graph),
                HOP_OK);
            assert_same_graph(whole, graph);
            hop_graph_release(graph);
        }
    hop_graph_release(whole);
    free_context(context);
}

/* Many chunks on several threads, each of which may meet a wider number first. */
static void test_widening_in_threads(void **state) {
    (void)state;
    enum { ROWS = 3000 };
    char *text = malloc(ROWS * 64);
    size_t used = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        uint64_t bits = hop__random_at(11, 0, i);
        used += (size_t)sprintf(text + used, "%llu %llu ", (unsigned long long)(bits % 1000),
                                (unsigned long long)(i % 500 == 77 ? bits : bits % 99));
        used += (size_t)sprintf(text + used,
                                i % 700 == 99   ? "%d.5\n"
                                : i % 300 == 55 ? "%d000000000\n"
                                                : "%d\n",
                                (int)(i % 90));
        if (i % 250 == 3)
            used += (size_t)sprintf(text + used, "# a comment\n\n");
    }
    hop_context *first = make_context(1);
    hop_graph *whole = NULL;
    assert_int_equal(read_bytes(first, "edge-list", text, used, &whole), HOP_OK);
    assert_true(hop_graph_arcs(whole) > ROWS);
    for (unsigned threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5)
        for (size_t chunk = 30; chunk < 5000; chunk = chunk * 5 + 1) {
            hop_context *context = make_context(threads);
            hop_graph *graph = NULL;
            assert_int_equal(read_cut(context, "edge-list", text, used, 100, chunk, &graph),
                             HOP_OK);
            assert_same_graph(whole, graph);
            hop_graph_release(graph);
            free_context(context);
        }
    hop_graph_release(whole);
    free_context(first);
    free(text);
}

/* The first of several wrong lines is named, whichever thread meets one first. */
static void test_first_error_in_threads(void **state) {
    (void)state;
    enum { ROWS = 2000 };
    char *text = malloc(ROWS * 16);
    for (int wrong = 1; wrong < ROWS; wrong += 333) {
        size_t used = 0;
        char expected[32];
        for (int i = 1; i <= ROWS; i++)
            used += (size_t)sprintf(text + used,
                                    i >= wrong && i % 7 == wrong % 7 ? "%d x\n" : "%d 1\n", i);
        snprintf(expected, sizeof expected, "f:%d: found \"x\"", wrong);
        for (unsigned threads = 1; threads <= 8;
             threads = threads < 3 ? threads + 1 : threads + 5) {
            hop_context *context = make_context(threads);
            hop_graph *graph = NULL;
            assert_int_equal(read_cut(context, "edge-list", text, used, 64, 50, &graph),
                             HOP_ERR_INPUT);
            assert_message(context, expected);
            free_context(context);
        }
    }
    free(text);
}

static void test_malformed(void **state) {
    (void)state;
    static const bad_text table[] = {
        {"0 1\n0 x\n", "f:2: found \"x\", expected a vertex id"},
        {"x 1\n", "f:1: found \"x\", expected a vertex id"},
        {"source,target\n1,x\n", "f:2: found \"x\", expected a vertex id"},
        {"0 1\n\n# c\n5\n", "f:4: 1 number, expected 2 numbers as in the rows before"},
        {"5\n", "f:1: 1 number, expected 2 or 3 numbers"},
        {"0 1\n0 1 2\n", "f:2: found \"2\" after the row, expected 2 numbers"},
        {"0 1 2\n0 1\n", "f:2: 2 numbers, expected 3 numbers as in the rows before"},
        {"0 1 2 3\n", "f:1: found \"3\" after the row, expected 2 or 3"},
        {"0 1 2,5\n", "f:1: found \"2,5\", expected a weight"},
        {"0,1,2,5\n", "f:1: found \"5\" after the row, expected 2 or 3"},
        {"0 -1\n", "f:1: found \"-1\", expected a vertex id (a whole number from 0 up)"},
        {"0 1.5\n", "found \"1.5\", expected a vertex id"},
        {"0 18446744073709551616\n", "\"18446744073709551616\" does not fit in 64 bits"},
        {"0 1 5x\n", "f:1: found \"5x\", expected a weight"},
        {"0 1 5\n0 1 abc\n", "f:2: found \"abc\", expected a weight"},
        {"0 1 nan\n", "f:1: the weight is NaN"},
        {"0 1 1\n0 1 NAN\n", "f:2: the weight is NaN"},
        {"0 1 1e999\n", "larger than any float64"},
        {"0 1 1\n2 3 99999999999999999999\n", "f:2: an integer weight that does not fit"},
        {"0 1 0x10\n", "expected a weight"},
        {"0,,1\n", "f:1: found \",1\", expected a vertex id"},
        {"0,1,\n", "f:1: found a comma at the end of the line"},
        {"0 1 # why not\n", "f:1: found \"#\", expected a weight"},
        {"0 1\r2 3\n", "f:1: found \"1\\x0d2\""},
        {"0 1\n# Isolated: 5\n2 y\n", "f:3: found \"y\""},
        {"# Isolated: z\n", "f:1: found \"z\" after \"Isolated:\""},
        {"# Isolated: 1 -2\n", "f:1: found \"-2\" after \"Isolated:\""},
        {"# Weights: int32\n0 1 2147483648\n", "f:2: the weight 2147483648 does not fit in int32"},
        {"# Weights: int64\n0 1 0.5\n", "f:2: the weight 0.5 does not fit in int64"},
        {"# Weights: float32\n0 1 1e39\n", "does not fit in float32"},
        {"# Weights: float32\n0 1\n", "f:2: 2 numbers, expected 3 numbers"},
        {"# Nodes: 4294967295 Edges: 0\n", "4294967295 vertices, at most 4294967294"},
        {"# Nodes: 9223372036854775808 Edges: 1\n0 1\n", "9223372036854775808 vertices"},
        {"# Hoplite\n# Nodes: 2 Edges: 2\n0 1\n", "f:4: the end of the file after 1 edges"},
        {"# Hoplite\n0 1\n", "expected \"# Nodes: N Edges: M\""},
    };
    assert_all_bad("edge-list", table, sizeof table / sizeof table[0]);
}

static void test_bytes_that_are_no_text(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    assert_int_equal(read_bytes(context, "edge-list", "0 1\n\0 2\n", 8, &graph), HOP_ERR_INPUT);
    assert_message(context, "f:2: found \"\\x00\"");
    assert_int_equal(read_bytes(context, "edge-list", "0 1\xff\n", 5, &graph), HOP_ERR_INPUT);
    assert_message(context, "f:1: found \"1\\xff\"");
    free_context(context);
}

/* Reads as a plain file, or as gzip, in small blocks and chunks, with lines of 700 at most. */
static hop_status read_short_lines(hop_context *context, const void *bytes, size_t count,
                                   size_t block, hop_graph **graph) {
    hop_read_options options = keep_all("edge-list");
    const hop__format *row = hop__format_named("edge-list");
    hop__input *input = NULL;
    hop__edge_list list = {0};
    options.max_line = 700;
    *graph = NULL;
    assert_int_equal(hop__input_open_memory(context, "f", bytes, count, &options, &input), HOP_OK);
    hop__input_set_sizes(input, block, block);
    hop_status status = row->read_edges(context, input, &options, &list);
    if (status == HOP_OK)
        status = hop__edge_list_build(context, "f", &list, &options, graph);
    hop__edge_list_clear(&list);
    hop__input_close(input);
    return status;
}

/* Lines that are too long are refused by their number, and comments are not, wherever blocks and
 * chunks end; a wrong line before is told first. */
static void test_long_lines(void **state) {
    (void)state;
    enum { LENGTH = 3000 };
    static const struct {
        const char *before, *after, *says; /* of LENGTH bytes more */
    } cases[] = {{"#", "\n0 1\n1 2\n", NULL},
                 {"0 1\n  %", "\n1 2\n", NULL},
                 {"0 1\n1 2\n# ", "", NULL},
                 {"7", "\n", "f:1: a line of"},
                 {"0 1\n1 2\n", "", "f:3: a line of"},
                 {"0 1\n\n#\n1 2\n", "\n2 3\n", "f:5: a line of"},
                 {"0 1\n1 x\n", "\n", "f:2: found \"x\""}};
    hop_context *context = make_context(2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t block = 1; block < 800; block = block < 20 ? block + 1 : block * 3 / 2) {
            char text[LENGTH + 64];
            unsigned char packed[LENGTH + 256];
            int lead = snprintf(text, sizeof text, "%s", cases[i].before);
            memset(text + lead, '1', LENGTH);
            int rest = snprintf(text + lead + LENGTH, sizeof text - LENGTH - (size_t)lead, "%s",
                                cases[i].after);
            size_t count = (size_t)lead + LENGTH + (size_t)rest;
            size_t packed_count = (size_t)(pack(packed, text, count) - packed);
            for (int gzip = 0; gzip < 2; gzip++) {
                hop_graph *graph = NULL;
                hop_status status = read_short_lines(context, gzip ? (const void *)packed : text,
                                                     gzip ? packed_count : count, block, &graph);
                assert_int_equal(status, cases[i].says == NULL ? HOP_OK : HOP_ERR_INPUT);
                if (cases[i].says == NULL)
                    assert_int_equal(hop_graph_arcs(graph), 4);
                else
                    assert_message(context, cases[i].says);
                hop_graph_release(graph);
            }
        }
    free_context(context);
}

/* The line is right wherever blocks and chunks end. */
static void test_error_lines(void **state) {
    (void)state;
    static const char text[] = "# c\n0 1\n\n1 2\n# c\n2 3\n3 x\n4 y\n";
    hop_context *context = make_context(1);
    for (size_t block = 1; block < 35; block++)
        for (size_t chunk = 1; chunk < 35; chunk++) {
            hop_graph *graph = NULL;
            assert_int_equal(
                read_cut(context, "edge-list", text, sizeof text - 1, block, chunk, &graph),
                HOP_ERR_INPUT);
            assert_message(context, "f:7: found \"x\"");
        }
    free_context(context);
}

static void test_limits(void **state) {
    (void)state;
    static const char text[] = "# Nodes: 9 Edges: 3\n0 1\n1 2\n2 8\n";
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.max_vertices = 8;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "9 vertices, the limit (max_vertices) is 8");
    options.max_vertices = 9;
    options.max_edges = 2;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "f:4: more than 2 edges, which is the limit (max_edges)");
    options.max_edges = 3;
    options.max_bytes = strlen(text) - 1;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "(max_bytes)");
    options.max_bytes = strlen(text);
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_OK);
    hop_graph_release(graph);
    free_context(context);
}

/* A stated number of vertices that does not fit the budget is refused before it is allocated. */
static void test_budget(void **state) {
    (void)state;
    static const char text[] = "# Nodes: 4294967294 Edges: 1\n0 1\n";
    hop_context *context = small_context();
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), NULL, &graph),
                     HOP_ERR_BUDGET);
    assert_true(hop_context_memory_peak(context) < 64 << 20);
    free_context(context);
}

static void test_direction_option(void **state) {
    (void)state;
    static const char text[] = "# Directed\n0 1\n1 0\n";
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.direction = HOP_DIRECTION_UNDIRECTED;
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), &options, &graph),
                     HOP_OK);
    assert_graph_text(graph, "2 undirected none: 0>1");
    hop_graph_release(graph);
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(
        hop_graph_read_memory(context, "f", text + 11, strlen(text) - 11, &options, &graph),
        HOP_OK);
    assert_graph_text(graph, "2 directed none: 0>1 1>0");
    hop_graph_release(graph);
    options.drop_weights = true;
    assert_int_equal(hop_graph_read_memory(context, "f", "0 1 5\n", 6, &options, &graph), HOP_OK);
    assert_graph_text(graph, "2 directed none: 0>1");
    hop_graph_release(graph);
    free_context(context);
}

static void count_warnings(void *user, hop_log_level level, const char *message) {
    if (level == HOP_LOG_WARNING && strstr(message, "header states 7") != NULL)
        ++*(int *)user;
}

/* The number of edges in other people's headers is only a hint. */
static void test_foreign_count(void **state) {
    (void)state;
    static const char text[] = "# Nodes: 3 Edges: 7\n0 1\n";
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    int warnings = 0;
    options.log = count_warnings;
    options.log_user = &warnings;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_int_equal(hop_graph_read_memory(context, "f", text, strlen(text), NULL, &graph), HOP_OK);
    assert_int_equal(warnings, 1);
    hop_graph_release(graph);
    hop_context_free(context);
}

static void test_edges_as_they_stand(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_edge_file *file = NULL;
    const char *path = temporary("e.txt");
    save_file(path, "# Directed\n7 5 1\n5 7 2\n7 5 3\n5 5 4\n", 34);
    assert_int_equal(hop_edges_read(context, path, NULL, &file), HOP_OK);
    const hop_edges *edges = hop_edge_file_edges(file);
    static const uint32_t from[] = {7, 5, 7, 5}, to[] = {5, 7, 5, 5};
    static const int32_t weights[] = {1, 2, 3, 4};
    assert_int_equal(edges->count, 4);
    assert_int_equal(edges->id_bytes, 4);
    assert_int_equal(edges->weight_type, HOP_TYPE_INT32);
    assert_memory_equal(edges->from, from, sizeof from);
    assert_memory_equal(edges->to, to, sizeof to);
    assert_memory_equal(edges->weights, weights, sizeof weights);
    assert_true(hop_edge_file_directed(file));
    assert_int_equal(hop_edge_file_vertices(file), 0);
    hop_edge_file_free(file);
    free_context(context);
}

/* The three real graphs, where they are. */
static void test_real_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        hop_vertex vertices;
        uint64_t edges;
    } files[] = {{"facebook_combined.txt.gz", 4039, 88234},
                 {"email-Enron.txt.gz", 36692, 183831},
                 {"internet.txt.gz", 22963, 48436}};
    const char *source = getenv("HOPLITE_SOURCE_DIR");
    for (size_t i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../shared/data/%s", source ? source : ".", files[i].name);
        if (access(path, R_OK) != 0)
            skip();
        hop_context *context = make_context(2);
        hop_graph *graph = NULL;
        hop_graph_info info = HOP_GRAPH_INFO_INIT;
        assert_int_equal(hop_graph_read(context, path, NULL, &graph), HOP_OK);
        assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
        assert_int_equal(info.vertices, files[i].vertices);
        assert_int_equal(info.edges, files[i].edges);
        assert_false(info.labelled);
        hop_graph_release(graph);
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_weight_types),
        cmocka_unit_test(test_widening_is_exact),
        cmocka_unit_test(test_minus_zero),
        cmocka_unit_test(test_widening_in_blocks),
        cmocka_unit_test(test_widening_in_threads),
        cmocka_unit_test(test_first_error_in_threads),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_error_lines),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_direction_option),
        cmocka_unit_test(test_foreign_count),
        cmocka_unit_test(test_edges_as_they_stand),
        cmocka_unit_test(test_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
