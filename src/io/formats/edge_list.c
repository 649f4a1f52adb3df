/* SPDX-License-Identifier: Apache-2.0
 *
 * Edge lists as SNAP has them: one edge per line, "from to" or "from to weight", separated by
 * blanks or a comma; '#' and '%' begin comments.
 *
 * Comments before the first edge that mean something here (case does not matter):
 *     # Directed graph ...         # Undirected graph ...     (nothing said: undirected)
 *     # Nodes: N Edges: M          if all ids are below N, they are the vertices 0..N-1
 *     # Weights: float32           the type of the third column
 *     # Isolated: 7 12 ...         labels of vertices without an edge
 *     # Hoplite                    written here: then there must be M edges
 *     # Names: text                written here: ids are names, with tabs between columns
 *     # Names: csv                 the same with commas, below a line of column names
 * Otherwise the vertices are the ids that occur, and the ids are kept as labels. */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"
#include "io/bytes/path_suffix.h"
#include "io/formats/edge_spool.h"
#include "io/formats/table_decide.h"
#include "io/formats/text_records.h"
#include "io/text/parts.h"
#include "io/text/text_print.h"

static const char comment_marks[] = "#%";

typedef struct header {
    bool has_nodes, has_edges, directed, ours;
    char names; /* the delimiter of a file with names that was written here; 0: another file */
    uint64_t nodes, edges;
    hop_weight_type type;
    uint64_t *isolated;
    uint64_t isolated_count, isolated_room;
    hop__table table; /* with the names of isolated vertices, if there are any */
} header;

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)size;
    const char *at = (const char *)bytes, *end = at + count;
    if (count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    if (at == end)
        return HOP__SNIFF_NO;
    /* A comment with '#', a first line that begins with a number, or two rows of a table, and text
     * as far as we see. */
    for (const char *byte = at; byte < end; byte++)
        if ((unsigned char)*byte < 0x20 && memchr("\t\n\r", *byte, 3) == NULL)
            return HOP__SNIFF_NO;
    while (at < end && strchr(" \t\r\n", *at) != NULL)
        at++;
    if (at == end || (*at >= '0' && *at <= '9') || strchr(comment_marks, *at) != NULL)
        return HOP__SNIFF_MAYBE;
    bool word = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || *at == '"' ||
                (unsigned char)*at >= 0x80;
    return word && hop__table_seen(at, end, count >= HOP__SNIFF_BYTES) ? HOP__SNIFF_MAYBE
                                                                       : HOP__SNIFF_NO;
}

/* ---- the header --------------------------------------------------------------------------- */

static hop_status add_isolated(hop__text *text, header *head, uint64_t id) {
    if (head->isolated_count == head->isolated_room) {
        uint64_t room = head->isolated_room == 0 ? 64 : 2 * head->isolated_room;
        hop_status status =
            head->isolated == NULL
                ? hop__alloc(text->context, "labels", room, sizeof(uint64_t), &head->isolated)
                : hop__resize(text->context, "labels", room, sizeof(uint64_t), &head->isolated);
        if (status != HOP_OK)
            return status;
        head->isolated_room = room;
    }
    head->isolated[head->isolated_count++] = id;
    return HOP_OK;
}

static hop_status read_isolated(hop__text *text, header *head, const char *at, const char *end) {
    uint64_t id;
    char found[64];
    while ((at = hop__skip_blanks(at, end)) < end) {
        if (!hop__text_integer(&at, end, &id))
            return hop__input_fail_line(text->context, text->input, text->line,
                                        "found %s after \"Isolated:\", expected a vertex id",
                                        hop__text_quote(at, end, found));
        hop_status status = add_isolated(text, head, id);
        if (status != HOP_OK)
            return status;
    }
    return HOP_OK;
}

/* A name that no edge has; HOP__NAME_SLACK bytes from `name` on may be read. */
static hop_status number_name(hop_context *context, hop__name_index *names, const char *name,
                              size_t length) {
    hop__name_word word = {.at = name, .length = (uint32_t)length};
    hop_status status = HOP_OK;
    hop__name_index_look(names, &word, 1);
    while (status == HOP_OK && !hop__name_index_number(names, &word, 1))
        status = hop__name_index_grow(context, names);
    return status;
}

/* The name of a vertex without an edge. */
static hop_status add_name(hop__text *text, header *head, const char *at, const char *end) {
    hop__field field;
    char *name = NULL;
    hop_status status;
    at = hop__skip_blanks(at, end);
    if (head->table.names == NULL)
        HOP_TRY(status, hop__name_index_create(text->context, &head->table.names));
    hop__field_end after = hop__text_field('\t', &at, end, &field);
    if (after != HOP__FIELD_LAST || field.length == 0 || field.length > HOP_MAX_NAME)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found no name, or more than one, after \"Isolated:\"");
    if (memchr(field.at, 0, field.length) != NULL)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "a zero byte in the name after \"Isolated:\"");
    HOP_TRY(status, hop__alloc(text->context, "names", field.length + HOP__NAME_SLACK, 1, &name));
    status = number_name(text->context, head->table.names, name, hop__field_copy(&field, name));
done:
    hop__free(name);
    return status;
}

static hop_status fail_cut(const hop__text *text) {
    hop__input_fail_line(text->context, text->input, text->line,
                         "a list of isolated vertices that is longer than a line may be "
                         "(max_line)");
    return hop__note_limit(text->context, "max_line", HOP_UNKNOWN,
                           hop__input_max_line(text->input));
}

/* One comment, `at` behind its mark. Prose that happens to look like ours only in part is left
 * alone: other people's comments are free. */
static hop_status read_comment(hop__text *text, header *head, const char *at, const char *end) {
    uint64_t nodes, edges;
    if (hop__text_keyword(&at, end, "directed"))
        head->directed = true;
    else if (hop__text_keyword(&at, end, "undirected"))
        head->directed = false;
    else if (hop__text_keyword(&at, end, "hoplite"))
        head->ours = true;
    else if (hop__text_keyword(&at, end, "weights:"))
        (void)hop__text_weight_type(&at, end, &head->type);
    else if (hop__text_keyword(&at, end, "names:"))
        head->names = !head->ours                           ? 0
                      : hop__text_keyword(&at, end, "text") ? '\t'
                      : hop__text_keyword(&at, end, "csv")  ? ','
                                                            : 0;
    else if (hop__text_keyword(&at, end, "isolated:"))
        return hop__input_cut(text->input) ? fail_cut(text)
               : head->names != 0          ? add_name(text, head, at, end)
                                           : read_isolated(text, head, at, end);
    else if (hop__text_keyword(&at, end, "nodes:") && hop__text_integer(&at, end, &nodes)) {
        head->has_nodes = true;
        head->nodes = nodes;
        head->has_edges =
            hop__text_keyword(&at, end, "edges:") && hop__text_integer(&at, end, &edges);
        if (head->has_edges)
            head->edges = edges;
    }
    return HOP_OK;
}

/* The comments and blank lines up to the first edge. */
static hop_status read_header(hop__text *text, header *head) {
    const char *line, *end;
    hop_status status;
    for (;;) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            break;
        const char *at = hop__skip_blanks(line, end);
        if (at < end && (*at == '\0' || strchr(comment_marks, *at) == NULL))
            break;
        while (at < end && (*at == '#' || *at == '%'))
            at++;
        HOP_TRY(status, read_comment(text, head, at, end));
        hop__text_take(text);
    }
done:
    return status;
}

/* ---- the vertices ------------------------------------------------------------------------- */

/* Puts the ids of vertices without an edge behind the edges. */
static hop_status append_isolated(hop_context *context, const header *head, uint64_t largest,
                                  hop__edge_list *list) {
    uint64_t all = list->count + head->isolated_count;
    size_t id_bytes = largest > UINT32_MAX ? 8 : list->id_bytes;
    hop_status status = HOP_OK;
    void *wide = NULL;
    for (int side = 0; side < 2; side++) {
        void **slot = side == 0 ? &list->from : &list->to;
        if (id_bytes == list->id_bytes) {
            HOP_TRY(status, hop__resize(context, "edges", all, id_bytes, slot));
        } else {
            HOP_TRY(status, hop__alloc(context, "edges", all, id_bytes, &wide));
            for (uint64_t i = 0; i < list->count; i++)
                ((uint64_t *)wide)[i] = ((uint32_t *)*slot)[i];
            hop__free(*slot);
            *slot = wide;
        }
        for (uint64_t i = 0; i < head->isolated_count; i++) {
            if (id_bytes == 4)
                ((uint32_t *)*slot)[list->count + i] = (uint32_t)head->isolated[i];
            else
                ((uint64_t *)*slot)[list->count + i] = head->isolated[i];
        }
    }
    list->id_bytes = id_bytes;
    list->lone = head->isolated_count;
done:
    return status;
}

/* What the ids mean: vertex numbers when the header's number of nodes is above all of them. */
static hop_status settle(hop__text *text, header *head, uint64_t largest, hop__edge_list *list) {
    hop_context *context = text->context;
    const hop__parts *parts = hop__input_parts(text->input);
    list->directed = head->directed;
    for (uint64_t i = 0; i < head->isolated_count; i++)
        largest = head->isolated[i] > largest ? head->isolated[i] : largest;
    bool any = list->count + list->others > 0 || head->isolated_count > 0;
    if (head->has_nodes && (!any || largest < head->nodes)) {
        list->stated = true;
        list->vertices = head->nodes;
        list->ids = HOP_IDS_DENSE;
    } else {
        list->ids = HOP_IDS_SPARSE;
        if (list->spool != NULL)
            return hop__edge_spool_add_ids(context, list->spool, head->isolated,
                                           head->isolated_count);
        if (parts != NULL) { /* all have them: each takes its share */
            uint64_t *ids = head->isolated, count = head->isolated_count;
            uint64_t begin = hop__part_start(parts, count, parts->part);
            head->isolated_count = hop__part_start(parts, count, parts->part + 1) - begin;
            if (head->isolated_count > 0)
                memmove(ids, ids + begin, head->isolated_count * sizeof *ids);
        }
        if (head->isolated_count > 0)
            return append_isolated(context, head, largest, list);
    }
    return HOP_OK;
}

typedef struct renumbering {
    uint32_t *from, *to;
    const uint32_t *ranks;
} renumbering;

static void renumber(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const renumbering *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        work->from[i] = work->ranks[work->from[i]];
        work->to[i] = work->ranks[work->to[i]];
    }
}

/* Words above a table of names look like two more of them, but then hardly any row has them again.
 * Where each name is there once, that says nothing. */
static void doubt_first_edge(const hop__text *text, const hop__edge_list *list) {
    const uint32_t *from = list->from, *to = list->to;
    uint64_t i = 1;
    while (i < list->count && from[i] != from[0] && from[i] != to[0] && to[i] != from[0] &&
           to[i] != to[0])
        i++;
    if (i == list->count && list->rank_count < 2 * list->count)
        hop__log_remedy(text->context, HOP_LOG_WARNING, HOP_REMEDY_SAY_HEADER,
                        "%s: the first line is taken as an edge, but the names in it are in no "
                        "other line: they may be those of the columns",
                        hop__input_name(text->input));
}

/* Names in their order, and edges between the places that they have there. Isolated vertices that
 * the header has as numbers are names like the others. */
static hop_status settle_names(hop__text *text, header *head, hop__edge_list *list) {
    hop_context *context = text->context;
    uint32_t *ranks = NULL;
    char digits[HOP__PRINT_U64 + HOP__NAME_SLACK];
    hop_status status;
    list->directed = head->directed;
    for (uint64_t i = 0; i < head->isolated_count; i++) {
        size_t length = (size_t)(hop__print_u64(digits, head->isolated[i]) - digits);
        HOP_TRY(status, number_name(context, head->table.names, digits, length));
    }
    list->rank_count = hop__name_index_count(head->table.names);
    HOP_TRY(status, hop__name_index_finish(context, head->table.names, &list->names, &ranks));
    if (list->spool != NULL) { /* renumbered when they are read */
        list->ranks = ranks;
        ranks = NULL;
    } else {
        if (head->table.unsaid)
            doubt_first_edge(text, list);
        renumbering work = {list->from, list->to, ranks};
        hop__for(context, list->count, 1 << 14, renumber, &work);
    }
    list->stated = true;
    list->vertices = list->names->count;
    list->ids = HOP_IDS_DENSE;
    if (head->ours && head->has_nodes && head->nodes != list->vertices)
        status = hop__input_fail_line(
            text->context, text->input, text->line,
            "%" PRIu64 " names of vertices, expected %" PRIu64 " as the header states%s",
            list->vertices, head->nodes, head->names != 0 ? "" : "; read its ids as numbers");
done:
    hop__free(ranks);
    return status;
}

static hop_status check_edges(hop__text *text, const header *head, const hop__edge_list *list) {
    uint64_t count = list->count + list->others;
    if (head->ours && !head->has_edges)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the end of the header, expected \"# Nodes: N Edges: M\" in a "
                                    "file that Hoplite has written");
    if (!head->has_edges || head->edges == count)
        return HOP_OK;
    if (head->ours)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the end of the file after %" PRIu64 " edges, expected %" PRIu64
                                    " as the header states",
                                    count, head->edges);
    hop__log(text->context, HOP_LOG_WARNING,
             "%s: %" PRIu64 " edges, but its header states %" PRIu64, hop__input_name(text->input),
             count, head->edges);
    return HOP_OK;
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    hop__text text;
    header head = {0};
    uint64_t largest = 0;
    hop_status status;
    HOP_TRY(status, hop__text_open(&text, context, input, comment_marks));
    HOP_TRY(status, read_header(&text, &head));
    if (head.has_nodes && hop__input_parts(input) == NULL) /* on a cluster ids have 64 bits */
        HOP_TRY(status,
                hop__read_limits_check(context, hop__input_name(input), options, head.nodes, 0));
    hop__record_spec spec = {.comments = comment_marks,
                             .commas = true,
                             .ids = 2,
                             .weights = head.type == HOP_TYPE_NONE ? HOP__WEIGHTS_MAYBE
                                                                   : HOP__WEIGHTS_ALWAYS,
                             .type = head.type,
                             .record_name = "edge"};
    bool is_table;
    HOP_TRY(status, hop__table_decide(&text, options, head.names, &head.table, &is_table));
    if (is_table && head.table.names != NULL && hop__input_parts(input) != NULL)
        HOP_TRY(status, hop__unsupported_parts(context, input, "vertices have names of text"));
    if (is_table) {
        bool weighted = head.table.columns == 0 ? head.type != HOP_TYPE_NONE /* no edges */
                                                : head.table.place[2] != HOP__NO_COLUMN;
        spec.weights = weighted ? HOP__WEIGHTS_ALWAYS : HOP__WEIGHTS_NEVER;
        spec.table = &head.table;
    }
    HOP_TRY(status, hop__records_read(&text, &spec, options, list, &largest));
    HOP_TRY(status, check_edges(&text, &head, list));
    if (is_table && head.table.names != NULL)
        HOP_TRY(status, settle_names(&text, &head, list));
    else
        HOP_TRY(status, settle(&text, &head, largest, list));
done:
    hop__free(head.isolated);
    hop__name_index_free(head.table.names);
    return hop__text_close(&text, status);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A name in a comment, which ends with its line. */
static hop_status write_lone_name(hop_context *context, const hop_graph *graph, hop_vertex vertex,
                                  char *text, hop__output *output) {
    size_t length;
    const char *name = hop__name_at(graph->names, vertex, &length);
    hop_status status;
    if (memchr(name, '\n', length) != NULL)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: vertex %s has no edge and an end of line in its name, which an edge "
                         "list cannot hold; write the native format (.npz)",
                         hop__output_name(output), hop__name_text(name, length).s);
    char *end = hop__print_vertex(text, graph, vertex, '\t');
    HOP_TRY(status, hop__output_print(context, output, "# Isolated: "));
    HOP_TRY(status, hop__output_write(context, output, text, (size_t)(end - text)));
    HOP_TRY(status, hop__output_write(context, output, "\n", 1));
done:
    return status;
}

/* Labels of vertices that no arc names, either way. */
static hop_status write_isolated(hop_context *context, const hop_graph *graph,
                                 hop__output *output) {
    enum { PER_LINE = 16 };
    unsigned char *touched = NULL;
    char *name = NULL;
    unsigned on_line = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "isolated", hop__print_vertex_bytes(graph), 1, &name));
    HOP_TRY(status, hop__alloc_zero(context, "isolated", graph->vertices, 1, &touched));
    for (uint64_t arc = 0; arc < graph->arcs; arc++)
        touched[graph->targets[arc]] = 1;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (touched[v] || hop__offset(graph, v + 1) > hop__offset(graph, v))
            continue;
        if (graph->names != NULL) { /* one per line: a name may have blanks */
            HOP_TRY(status, write_lone_name(context, graph, (hop_vertex)v, name, output));
            continue;
        }
        HOP_TRY(status, hop__output_print(context, output, "%s%" PRIu64,
                                          on_line == 0 ? "# Isolated: " : " ",
                                          hop_graph_label(graph, (hop_vertex)v)));
        on_line = (on_line + 1) % PER_LINE;
        if (on_line == 0)
            HOP_TRY(status, hop__output_write(context, output, "\n", 1));
    }
    if (on_line != 0)
        HOP_TRY(status, hop__output_write(context, output, "\n", 1));
done:
    hop__free(touched);
    hop__free(name);
    return status;
}

/* A file called .csv has commas and a line of column names, as spreadsheets expect. */
static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    bool csv = hop__path_ends_unpacked(hop__output_name(output), ".csv");
    bool weighted = graph->weight_type != HOP_TYPE_NONE;
    hop__arc_style style = {.graph = graph,
                            .tag = "",
                            .separator = csv ? ',' : '\t',
                            .which = graph->directed ? HOP__ARCS_ALL : HOP__ARCS_UPPER};
    uint64_t edges;
    hop_status status;
    HOP_TRY(status, hop_graph_edge_count(context, graph, true, &edges));
    HOP_TRY(status, hop__output_print(context, output, "# Hoplite edge list\n# %s graph\n",
                                      graph->directed ? "Directed" : "Undirected"));
    if (weighted)
        HOP_TRY(status, hop__output_print(context, output, "# Weights: %s\n",
                                          hop_type_name(graph->weight_type)));
    if (graph->names != NULL)
        HOP_TRY(status, hop__output_print(context, output, "# Names: %s\n", csv ? "csv" : "text"));
    if (graph->names != NULL || graph->labels != NULL || hop_graph_first_id(graph) != 0)
        HOP_TRY(status, write_isolated(context, graph, output));
    /* Last, so that a file which was cut in its header is known to be one. */
    HOP_TRY(status, hop__output_print(context, output, "# Nodes: %" PRIu32 " Edges: %" PRIu64 "\n",
                                      graph->vertices, edges));
    if (csv)
        HOP_TRY(status,
                hop__output_print(context, output, "source,target%s\n", weighted ? ",weight" : ""));
    HOP_TRY(status, hop__print_arcs(context, output, &style));
done:
    return status;
}

const hop__format hop__format_edge_list = {
    .about = {.name = "edge-list",
              .summary = "one edge per line, as SNAP has them",
              .suffixes = ".txt .el .wel .tsv .csv .edges .edgelist .snap",
              .can_read = true,
              .can_write = true,
              .text = true,
              .weight_types = HOP__WEIGHTS_ANY,
              .directed = true,
              .undirected = true,
              .labels = true,
              .counts_from = -1,
              .names = true},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
    .parts = true,
};
