/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix Market, coordinate form: a square sparse matrix is a graph, entry (i, j) an edge from i to
 * j. "general" is directed, "symmetric" undirected with each edge once. Indices count from 1.
 *
 *     %%MatrixMarket matrix coordinate pattern|integer|real general|symmetric
 *     %%hoplite weights float32          (ours: the type, where it is not the usual one)
 *     rows columns entries
 *     i j [value]
 *
 * An entry with value 0 is an edge of weight 0. The other kinds of the format (array, complex,
 * skew-symmetric, hermitian) are refused. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "graph/numbers.h"
#include "io/formats/text_records.h"
#include "io/text/text_print.h"

static const char banner[] = "%%MatrixMarket";

typedef struct header {
    bool symmetric;
    enum { PATTERN, INTEGER, REAL } field;
    hop_weight_type type; /* as a comment states, or NONE */
    uint64_t size, entries;
} header;

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)size;
    return count >= sizeof banner - 1 &&
                   strncasecmp((const char *)bytes, banner, sizeof banner - 1) == 0
               ? HOP__SNIFF_YES
               : HOP__SNIFF_NO;
}

static hop_status refuse(const hop__text *text, const char *at, const char *end,
                         const char *expected) {
    static const char *const known[] = {"vector",         "array",     "complex",
                                        "skew-symmetric", "hermitian", NULL};
    char found[64];
    hop__fail(text->context, hop__text_foreign(at, end, known),
              "%s:%" PRIu64 ": found %s, expected %s", hop__input_name(text->input), text->line,
              hop__text_quote(at, end, found), expected);
    return hop__note_line(text->context, text->line);
}

/* The first line. */
static hop_status read_banner(hop__text *text, header *head) {
    const char *at, *end;
    char found[64];
    hop_status status = hop__text_line(text, &at, &end);
    if (status != HOP_OK)
        return status;
    if (at == NULL || !hop__text_keyword(&at, end, banner))
        return hop__input_fail_line(
            text->context, text->input, text->line,
            "found %s, expected \"%s matrix coordinate ...\"",
            at == NULL ? "the end of the file" : hop__text_quote(at, end, found), banner);
    if (!hop__text_keyword(&at, end, "matrix"))
        return refuse(text, at, end, "\"matrix\"");
    if (!hop__text_keyword(&at, end, "coordinate"))
        return refuse(text, at, end, "\"coordinate\" (a dense array is not a graph)");
    if (hop__text_keyword(&at, end, "pattern"))
        head->field = PATTERN;
    else if (hop__text_keyword(&at, end, "integer"))
        head->field = INTEGER;
    else if (hop__text_keyword(&at, end, "real"))
        head->field = REAL;
    else
        return refuse(text, at, end, "\"pattern\", \"integer\" or \"real\"");
    if (hop__text_keyword(&at, end, "symmetric"))
        head->symmetric = true;
    else if (!hop__text_keyword(&at, end, "general"))
        return refuse(text, at, end, "\"general\" or \"symmetric\"");
    if (hop__skip_blanks(at, end) != end)
        return refuse(text, at, end, "the end of the line");
    hop__text_take(text);
    return HOP_OK;
}

/* A comment, `at` behind its marks. */
static hop_status read_comment(hop__text *text, header *head, const char *at, const char *end) {
    hop_weight_type type;
    if (!hop__text_keyword(&at, end, "hoplite") || !hop__text_keyword(&at, end, "weights") ||
        !hop__text_weight_type(&at, end, &type))
        return HOP_OK;
    bool integer = hop__is_integer_type(type);
    if (type == HOP_TYPE_NONE || head->field == PATTERN || integer != (head->field == INTEGER))
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "weights are said to be %s, which the first line contradicts",
                                    hop_type_name(type));
    head->type = type;
    return HOP_OK;
}

static hop_status read_sizes(hop__text *text, header *head, const char *at, const char *end) {
    uint64_t columns;
    char found[64];
    if (!hop__text_integer(&at, end, &head->size) || !hop__text_integer(&at, end, &columns) ||
        !hop__text_integer(&at, end, &head->entries) || hop__skip_blanks(at, end) != end)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found %s, expected the numbers of rows, columns and entries",
                                    hop__text_quote(at, end, found));
    if (columns == head->size)
        return HOP_OK;
    hop__fail(text->context, HOP_ERR_UNSUPPORTED,
              "%s:%" PRIu64 ": %" PRIu64 " rows and %" PRIu64
              " columns, expected as many rows as columns (a graph)",
              hop__input_name(text->input), text->line, head->size, columns);
    return hop__note_line(text->context, text->line);
}

/* Everything up to the line of sizes. */
static hop_status read_header(hop__text *text, header *head) {
    const char *line, *end;
    hop_status status;
    HOP_TRY(status, read_banner(text, head));
    for (bool sized = false; !sized; hop__text_take(text)) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            HOP_TRY(status, hop__input_fail_line(
                                text->context, text->input, text->line,
                                "the end of the file, expected the numbers of rows, columns "
                                "and entries"));
        const char *at = hop__skip_blanks(line, end);
        if (at == end)
            continue;
        sized = *at != '%';
        while (at < end && *at == '%')
            at++;
        HOP_TRY(status,
                sized ? read_sizes(text, head, line, end) : read_comment(text, head, at, end));
    }
done:
    return status;
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    hop__text text;
    header head = {0};
    hop_status status;
    HOP_TRY(status, hop__text_open(&text, context, input, "%"));
    HOP_TRY(status, read_header(&text, &head));
    HOP_TRY(status,
            hop__records_check_count(&text, head.entries, head.field == PATTERN ? 4 : 6, "entry"));
    /* On a cluster ids have 64 bits. */
    HOP_TRY(status,
            hop__read_limits_check(context, hop__input_name(input), options,
                                   hop__input_parts(input) == NULL ? head.size : 0, head.entries));
    if (head.field == REAL && head.type == HOP_TYPE_NONE)
        head.type = HOP_TYPE_FLOAT64;
    hop__record_spec spec = {.comments = "%",
                             .ids = 2,
                             .base = 1,
                             .bounded = true,
                             .vertices = head.size,
                             .weights =
                                 head.field == PATTERN ? HOP__WEIGHTS_NEVER : HOP__WEIGHTS_ALWAYS,
                             .integers = head.field == INTEGER,
                             .type = head.type,
                             .counted = true,
                             .records = head.entries,
                             .record_name = "entry"};
    HOP_TRY(status, hop__records_read(&text, &spec, options, list, NULL));
    list->vertices = head.size;
    list->stated = true;
    list->first_id = 1;
    list->directed = !head.symmetric;
done:
    return hop__text_close(&text, status);
}

static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    static const char *const fields[] = {"pattern", "integer", "integer", "real", "real"};
    hop__arc_style style = {.graph = graph,
                            .tag = "",
                            .separator = ' ',
                            .which = graph->directed ? HOP__ARCS_ALL : HOP__ARCS_LOWER};
    uint64_t edges;
    hop_status status;
    HOP_TRY(status, hop_graph_edge_count(context, graph, true, &edges));
    HOP_TRY(status, hop__output_print(context, output, "%s matrix coordinate %s %s\n", banner,
                                      fields[graph->weight_type],
                                      graph->directed ? "general" : "symmetric"));
    if (graph->weight_type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__output_print(context, output, "%%%%hoplite weights %s\n",
                                          hop_type_name(graph->weight_type)));
    HOP_TRY(status, hop__output_print(context, output, "%" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
                                      graph->vertices, graph->vertices, edges));
    HOP_TRY(status, hop__print_arcs(context, output, &style));
done:
    return status;
}

const hop__format hop__format_matrix_market = {
    .about = {.name = "matrix-market",
              .summary = "Matrix Market coordinate files",
              .suffixes = ".mtx .mm",
              .can_read = true,
              .can_write = true,
              .text = true,
              .weight_types = HOP__WEIGHTS_ANY,
              .directed = true,
              .undirected = true,
              .counts_from = 1},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
    .parts = true,
};
