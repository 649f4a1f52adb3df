/* SPDX-License-Identifier: Apache-2.0
 * Rows of tables: those of the usual form have quick ways of their own, which must accept and say
 * what the exact way does. A quote anywhere in a chunk sends all of it the exact way. */
#include "io/formats/table_record.h"
#include "io/text_testing.h"

/* After a header and two rows. @ is the delimiter; x and y are names or numbers. */
static const char *const odd_rows[] = {
    "x@y@3",
    " x@y@3",
    "x @y@3",
    "x@ y@3",
    "x@y @3",
    "x@y@ 3",
    "x@y@3 ",
    "x@y@3\r",
    "x@y@3\t",
    "x y@3",
    "x@y 3",
    "x@y",
    "x@y@3@4",
    "",
    " ",
    "@@",
    "x@@3",
    "@y@3",
    "x@y@",
    "# x@y@3",
    "% x@y@3",
    "#x@y@3",
    "x@y@-5",
    "x@y@+5",
    "x@y@3.5",
    "x@y@-3.5",
    "x@y@1e3",
    "x@y@1.5e3",
    "x@y@.5",
    "x@y@5.",
    "x@y@0x10",
    "x@y@nan",
    "x@y@inf",
    "x@y@1.5x",
    "x@y@z",
    "x@y@2147483648",
    "x@y@3\ry@x@4",
    "x@y@99999999999999999999",
    "-1@y@3",
    "+1@y@3",
    "1.5@y@3",
    "a@y@3",
    "99999999999@y@3",
    "99999999999999999999@y@3",
    "x@y@3\n\n\nx@y@4",
    "x@y@3\r\n\r\n",
    "$x@y@3",
    "&x@y@3",
    "\vx@y@3",
    "x@y\x01@3",
    "x@y@3\n# c\nx@y@2.5\nx@y@1",
    "\xc3\xa9@y@3",
    "x@y@\xc3\xa9",
    "x@\x80@3",
};

static size_t fill(char *text, const char *const *lines, char delimiter, bool names) {
    size_t used = 0;
    for (; *lines != NULL; lines++)
        for (const char *at = *lines; *at != '\0'; at++) {
            if (*at == '@')
                text[used++] = delimiter;
            else if (*at == 'x' || *at == 'y')
                used += (size_t)sprintf(text + used, "%s%d", names ? "v" : "", *at == 'x' ? 1 : 22);
            else
                text[used++] = *at;
        }
    return used;
}

/* The same rows, with and without quotes in the last one. */
static void compare(hop_context *context, const char *row, char delimiter, bool names) {
    const char *plain[] = {"from@to@weight\n", "x@y@1\ny@x@2\n", row, "\n", "y@y@9\n", NULL};
    const char *quoted[] = {"from@to@weight\n", "x@y@1\ny@x@2\n", row, "\n", "y@\"y\"@9\n", NULL};
    char texts[2][256], messages[2][512] = {"", ""};
    uint64_t hashes[2] = {0, 0};
    hop_status statuses[2];
    for (unsigned i = 0; i < 2; i++) {
        size_t count = fill(texts[i], i == 0 ? plain : quoted, delimiter, names);
        hop_graph *graph = NULL;
        statuses[i] = read_bytes(context, "edge-list", texts[i], count, &graph);
        if (statuses[i] == HOP_OK)
            assert_int_equal(hop_graph_hash(context, graph, &hashes[i]), HOP_OK);
        else
            snprintf(messages[i], sizeof messages[i], "%s", hop_context_message(context));
        hop_graph_release(graph);
    }
    if (statuses[0] != statuses[1] || hashes[0] != hashes[1] ||
        strcmp(messages[0], messages[1]) != 0)
        fail_msg("\"%s\": \"%s\" and \"%s\"", row, messages[0], messages[1]);
}

static void test_quick_and_exact(void **state) {
    (void)state;
    static const char delimiters[] = ",;\t|";
    hop_context *context = make_context(1);
    for (size_t i = 0; i < sizeof odd_rows / sizeof odd_rows[0]; i++)
        for (unsigned k = 0; k < 4; k++) {
            compare(context, odd_rows[i], delimiters[k], false);
            compare(context, odd_rows[i], delimiters[k], true);
        }
    free_context(context);
}

/* Quotes of the first row are wrong, so it has one column; another thread may be at a row of one
 * column before that is said. */
static void test_too_few_columns(void **state) {
    (void)state;
    static const char row[] = "ve\n";
    hop__table table = {.delimiter = ',',
                        .columns = 1,
                        .exact = true,
                        .place = {0, 1, HOP__NO_COLUMN},
                        .names = (hop__name_index *)row};
    static const hop__record_spec spec = {.comments = "#%"};
    hop__record_form form = {.spec = &spec, .table = &table};
    hop__record record;
    hop__record_fault fault = {0};
    assert_int_equal(hop__table_parse(&form, row, row + 3, &record, &fault), HOP__RECORD_BAD);
    assert_int_equal(fault.kind, HOP_KIND_FIELDS);
    table.exact = false;
    assert_int_equal(hop__table_parse(&form, row, row + 3, &record, &fault), HOP__RECORD_BAD);
    table.exact = true; /* and the quick way, which looks at 64 bytes at once */
    char text[80] = "ve\n";
    hop__record_piece piece = {.begin = text, .end = text + 3};
    assert_true(hop__table_rows(&form, &(hop__edge_list){0}, &piece));
    assert_ptr_equal(piece.stopped, text);
}

/* Rows longer than what is looked at once, and tables of many columns. */
static void test_wide_rows(void **state) {
    (void)state;
    enum { COLUMNS = 200, ROWS = 40 };
    hop_context *context = make_context(2);
    char *text = malloc(1 << 18);
    for (unsigned pad = 0; pad < 40; pad += 13) {
        size_t used = 0;
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned c = 0; c < COLUMNS; c++)
                used += c == 7 || c == 150
                            ? (size_t)sprintf(text + used, "%u,", c == 7 ? row : row + 1)
                            : (size_t)sprintf(text + used, "%.*s%s", (int)(pad * (row % 2)),
                                              "........................................",
                                              c + 1 < COLUMNS ? "," : "z\n");
        hop_read_options options = keep_all("edge-list");
        hop_graph *graph = NULL;
        options.columns = "8,151";
        for (unsigned names = 0; names < 2; names++) {
            options.names = names != 0;
            assert_int_equal(hop_graph_read_memory(context, "f", text, used, &options, &graph),
                             HOP_OK);
            assert_int_equal(hop_graph_vertices(graph), ROWS + 1);
            assert_int_equal(hop_graph_arcs(graph), 2 * ROWS);
            hop_graph_release(graph);
        }
    }
    free(text);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick_and_exact),
        cmocka_unit_test(test_too_few_columns),
        cmocka_unit_test(test_wide_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
