/* SPDX-License-Identifier: Apache-2.0
 *
 * DIMACS files: the shortest-path challenge's .gr and the colouring challenge's .col.
 *
 *     c any comment
 *     c hoplite undirected               (ours: every edge stands there as two arcs)
 *     c hoplite weights int64|none       (ours: the type of the lengths; none: they mean nothing)
 *     p sp N M          then M lines     a FROM TO LENGTH          directed
 *     p edge N M        then M lines     e ONE OTHER [WEIGHT]      undirected, each edge once
 *
 * Vertices count from 1; lengths are integers. "p col" is the same as "p edge". Many .col files
 * state a number of edges that is not that of their lines, so there it is only a hint. */
#include <inttypes.h>
#include <string.h>

#include "core/try.h"
#include "io/formats/arc_fold.h"
#include "io/formats/text_records.h"
#include "io/text/text_print.h"

typedef struct header {
    bool found, arcs; /* p sp */
    bool undirected, unweighted;
    hop_weight_type type;
    uint64_t vertices, records;
} header;

static bool is_comment(const char *at, const char *end) {
    return at < end && *at == 'c' && (at + 1 == end || at[1] == ' ' || at[1] == '\t');
}

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    const char *at = (const char *)bytes, *end = at + count;
    int claim = HOP__SNIFF_NO;
    (void)size;
    while (at < end) {
        const char *stop = hop__line_end(at, end), *word = at;
        if (hop__text_keyword(&word, stop, "p"))
            return hop__text_keyword(&word, stop, "sp") || hop__text_keyword(&word, stop, "edge") ||
                           hop__text_keyword(&word, stop, "col")
                       ? HOP__SNIFF_YES
                       : HOP__SNIFF_NO;
        if (is_comment(at, stop))
            claim = HOP__SNIFF_MAYBE;
        else if (hop__skip_blanks(at, stop) != stop)
            return HOP__SNIFF_NO;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline == NULL ? end : newline + 1;
    }
    return claim;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void read_comment(header *head, const char *at, const char *end) {
    if (!hop__text_keyword(&at, end, "hoplite"))
        return;
    if (hop__text_keyword(&at, end, "undirected"))
        head->undirected = true;
    else if (hop__text_keyword(&at, end, "weights") && hop__text_weight_type(&at, end, &head->type))
        head->unweighted = head->type == HOP_TYPE_NONE;
}

static hop_status read_problem(hop__text *text, header *head, const char *at, const char *end) {
    static const char *const known[] = {"max", "min", "asn", "cnf", "ghct", NULL};
    char found[64];
    head->arcs = hop__text_keyword(&at, end, "sp");
    if (!head->arcs && !hop__text_keyword(&at, end, "edge") &&
        !hop__text_keyword(&at, end, "col")) {
        hop__fail(text->context, hop__text_foreign(at, end, known),
                  "%s:%" PRIu64 ": found \"p\" and %s, expected sp, edge or col",
                  hop__input_name(text->input), text->line, hop__text_quote(at, end, found));
        return hop__note_line(text->context, text->line);
    }
    if (!hop__text_integer(&at, end, &head->vertices) ||
        !hop__text_integer(&at, end, &head->records) || hop__skip_blanks(at, end) != end)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found %s, expected the numbers of vertices and of %s",
                                    hop__text_quote(at, end, found), head->arcs ? "arcs" : "edges");
    head->found = true;
    return HOP_OK;
}

/* Comments and the problem line, up to the first record. */
static hop_status read_header(hop__text *text, header *head) {
    const char *line, *end;
    char found[64];
    hop_status status;
    for (;; hop__text_take(text)) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            break;
        const char *at = hop__skip_blanks(line, end);
        if (is_comment(at, end))
            read_comment(head, at + 1, end);
        else if (!head->found && hop__text_keyword(&at, end, "p"))
            HOP_TRY(status, read_problem(text, head, at, end));
        else if (at < end)
            break;
    }
    if (!head->found)
        HOP_TRY(status,
                hop__input_fail_line(text->context, text->input, text->line,
                                     "found %s, expected a line \"p sp VERTICES ARCS\" or \"p edge "
                                     "VERTICES EDGES\" before it",
                                     line == NULL ? "the end of the file"
                                                  : hop__text_quote(line, end, found)));
done:
    return status;
}

/* Each edge once, when the file says that it holds both directions. */
static hop_status fold(hop__text *text, hop__edge_list *list) {
    bool symmetric;
    uint64_t arc;
    hop_status status = hop__arcs_compare(text->context, list, &symmetric, &arc);
    if (status != HOP_OK)
        return status;
    if (symmetric)
        return hop__arcs_fold(text->context, list);
    return hop__fail(text->context, HOP_ERR_INPUT,
                     "%s: arc %" PRIu64 " from %" PRIu32 " to %" PRIu32
                     " has no reverse of the same length, but a comment says \"hoplite "
                     "undirected\"; ask for a directed graph to read it all the same",
                     hop__input_name(text->input), arc + 1, ((uint32_t *)list->from)[arc] + 1,
                     ((uint32_t *)list->to)[arc] + 1);
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    hop__text text;
    header head = {0};
    hop_status status;
    HOP_TRY(status, hop__text_open(&text, context, input, "c"));
    HOP_TRY(status, read_header(&text, &head));
    if (head.arcs)
        HOP_TRY(status, hop__records_check_count(&text, head.records, 8, "arc"));
    /* Two arcs are then one edge, but a self-loop is one arc: how many there are shows later. */
    bool folded = head.arcs && head.undirected && options->direction != HOP_DIRECTION_DIRECTED;
    if (folded && hop__input_parts(input) != NULL)
        HOP_TRY(status, hop__unsupported_parts(context, input, "every edge stands there twice"));
    hop_read_options of_rows = *options;
    if (folded)
        of_rows.max_edges = 0;
    /* On a cluster ids have 64 bits. */
    HOP_TRY(status, hop__read_limits_check(context, hop__input_name(input), options,
                                           hop__input_parts(input) == NULL ? head.vertices : 0,
                                           folded      ? head.records / 2
                                           : head.arcs ? head.records
                                                       : 0));
    hop__record_spec spec = {.comments = "c",
                             .tag = head.arcs ? 'a' : 'e',
                             .ids = 2,
                             .base = 1,
                             .bounded = true,
                             .vertices = head.vertices,
                             .weights = head.arcs ? HOP__WEIGHTS_ALWAYS : HOP__WEIGHTS_MAYBE,
                             .integers = true,
                             .type = head.type,
                             .counted = head.arcs,
                             .records = head.records,
                             .record_name = head.arcs ? "arc" : "edge",
                             .whole = folded};
    HOP_TRY(status, hop__records_read(&text, &spec, &of_rows, list, NULL));
    list->vertices = head.vertices;
    list->stated = true;
    list->first_id = 1;
    list->directed = head.arcs && !head.undirected;
    if (head.unweighted)
        hop__edge_list_drop_weights(list);
    if (folded) {
        HOP_TRY(status, fold(&text, list));
        HOP_TRY(status, hop__read_limits_check(context, hop__input_name(input), options,
                                               head.vertices, list->count));
    }
done:
    return hop__text_close(&text, status);
}

/* ---- writing ------------------------------------------------------------------------------ */

static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    hop__arc_style style = {.graph = graph,
                            .tag = "a ",
                            .separator = ' ',
                            .unit_weights = true,
                            .which = HOP__ARCS_ALL};
    hop_status status;
    if (!graph->directed)
        HOP_TRY(status, hop__output_print(context, output, "c hoplite undirected\n"));
    HOP_TRY(status, hop__output_print(
                        context, output, "c hoplite weights %s\np sp %" PRIu32 " %" PRIu64 "\n",
                        hop_type_name(graph->weight_type), graph->vertices, graph->arcs));
    HOP_TRY(status, hop__print_arcs(context, output, &style));
done:
    return status;
}

const hop__format hop__format_dimacs = {
    .about = {.name = "dimacs",
              .summary = "DIMACS shortest-path (.gr) and colouring (.col) files",
              .suffixes = ".gr .dimacs .col",
              .can_read = true,
              .can_write = true,
              .text = true,
              .weight_types = HOP__WEIGHTS_INTEGER,
              .directed = true,
              .undirected = true,
              .counts_from = 1},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
    .parts = true,
};
