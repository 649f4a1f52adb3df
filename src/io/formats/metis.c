/* SPDX-License-Identifier: Apache-2.0
 *
 * METIS graph files: undirected, one line per vertex, every edge in the lines of both its ends.
 *
 *     % a comment, anywhere
 *     % hoplite weights int64                (ours: the type of the edge weights)
 *     N M [FMT [NCON]]                       M counts every edge once
 *     [SIZE] [WEIGHT]*NCON  (NEIGHBOUR [EDGE_WEIGHT])*          one such line per vertex
 *
 * FMT is up to three digits 0 or 1: vertex sizes, vertex weights, edge weights. Sizes and weights
 * of vertices are skipped. A blank line is a vertex without neighbours. Vertices count from 1.
 *
 * Chunks are parsed in parallel (text_flow.h): the number of the vertex at the beginning of a chunk
 * is the number of lines before it that are no comments, and the slot of its first entry follows
 * from the words before it. All entries are kept until the end, when arc_fold.c checks that the
 * rows agree and keeps each edge once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/formats/arc_fold.h"
#include "io/formats/metis_row.h"
#include "io/text/text_flow.h"
#include "io/text/text_print.h"

/* Of a line, unless the caller has another limit: that of a vertex has all of its neighbours. */
static const uint64_t line_most = UINT64_C(4) << 30;

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    const char *at = (const char *)bytes, *end = at + count;
    (void)size;
    while (at < end) {
        const char *stop = hop__line_end(at, end), *word = hop__skip_blanks(at, stop);
        if (word == stop || *word == '%') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline == NULL ? end : newline + 1;
            continue;
        }
        /* The header: two to four numbers. Not hop__text_integer: these bytes have no slack. */
        unsigned words = 0;
        size_t length;
        while (hop__text_word(&at, stop, &word, &length)) {
            for (size_t i = 0; i < length; i++)
                if (word[i] < '0' || word[i] > '9')
                    return HOP__SNIFF_NO;
            words++;
        }
        return words >= 2 && words <= 4 ? HOP__SNIFF_MAYBE : HOP__SNIFF_NO;
    }
    return HOP__SNIFF_NO;
}

/* ---- the header --------------------------------------------------------------------------- */

/* Comments among the rows are remembered, up to so many, to find the lines of rows again. */
enum { COMMENTS_KEPT = 1024 };

typedef struct reader {
    hop__text *text;
    const hop_read_options *options;
    uint64_t used_before; /* bytes of the budget */
    hop__metis_form form;
    uint64_t edges; /* as the header states */
    hop_weight_type type;
    uint64_t header_line;
    hop__edge_list *list;
    int64_t *weights;
    uint64_t capacity;
    hop__flow *flow;
    bool *wrong; /* per lane of the flow: why it holds its chunk; else there is no room */
    uint64_t comment_count;           /* changed by all threads */
    uint64_t comments[COMMENTS_KEPT]; /* the number of rows before each */
} reader;

static hop_status read_fmt(reader *work, const char **at, const char *end) {
    hop__text *text = work->text;
    const char *word;
    char found[64];
    size_t length;
    uint64_t count = 1;
    bool flags[3] = {false, false, false}; /* edge weights, vertex weights, vertex sizes */
    const char *start = *at;
    if (!hop__text_word(at, end, &word, &length))
        return HOP_OK;
    bool good = length <= 3;
    for (size_t i = 0; good && i < length; i++) {
        good = word[length - 1 - i] == '0' || word[length - 1 - i] == '1';
        flags[i] = word[length - 1 - i] == '1';
    }
    if (!good)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the format is %s, expected up to three digits 0 or 1",
                                    hop__text_quote(start, end, found));
    start = *at;
    if (hop__skip_blanks(*at, end) != end &&
        (!hop__text_integer(at, end, &count) || count > 1 << 20 || (count > 1 && !flags[1])))
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found %s, expected the number of weights per vertex%s",
                                    hop__text_quote(start, end, found),
                                    flags[1] ? "" : ", of which the format says there are none");
    work->form.edge_weights = flags[0];
    work->form.skip = (flags[1] ? count : 0) + flags[2];
    return HOP_OK;
}

static hop_status read_sizes(reader *work, const char *at, const char *end) {
    hop__text *text = work->text;
    char found[64];
    hop_status status;
    if (!hop__text_integer(&at, end, &work->form.vertices) ||
        !hop__text_integer(&at, end, &work->edges))
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found %s, expected the numbers of vertices and edges",
                                    hop__text_quote(at, end, found));
    HOP_TRY(status, read_fmt(work, &at, end));
    if (hop__skip_blanks(at, end) != end)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "found %s, expected the end of the header",
                                    hop__text_quote(at, end, found));
    work->header_line = text->line;
done:
    return status;
}

static hop_status read_header(reader *work) {
    hop__text *text = work->text;
    const char *line, *end;
    hop_status status;
    for (bool sized = false; !sized; hop__text_take(text)) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            HOP_TRY(status, hop__input_fail_line(text->context, text->input, text->line,
                                                 "the end of the file, expected the numbers of "
                                                 "vertices and edges"));
        const char *at = hop__skip_blanks(line, end);
        sized = at < end && *at != '%';
        if (sized) {
            HOP_TRY(status, read_sizes(work, at, end));
            continue;
        }
        at += at < end;
        if (hop__text_keyword(&at, end, "hoplite") && hop__text_keyword(&at, end, "weights"))
            (void)hop__text_weight_type(&at, end, &work->type);
    }
done:
    return status;
}

/* Every vertex has a line, every edge two words. */
static hop_status check_sizes(reader *work, const hop_read_options *options) {
    hop__text *text = work->text;
    uint64_t bound = hop__input_bound(text->input), vertices = work->form.vertices;
    if (vertices > bound || work->edges > bound / 4 + 1)
        return hop__input_fail_line(text->context, text->input, work->header_line,
                                    "the header states %" PRIu64 " vertices and %" PRIu64
                                    " edges, more than %" PRIu64 " bytes can hold",
                                    vertices, work->edges, bound);
    if (work->type == HOP_TYPE_FLOAT32 || work->type == HOP_TYPE_FLOAT64)
        return hop__input_fail_line(text->context, text->input, work->header_line,
                                    "weights are said to be %s, expected int32 or int64",
                                    hop_type_name(work->type));
    return hop__read_limits_check(text->context, hop__input_name(text->input), options, vertices,
                                  work->edges);
}

/* ---- the rows ----------------------------------------------------------------------------- */

/* counted[0]: rows; counted[1]: words in them. */
static void count_chunk(void *user, hop__flow_chunk *chunk) {
    (void)user;
    hop__metis_count(chunk->begin, chunk->end, &chunk->lines, &chunk->counted[0],
                     &chunk->counted[1]);
}

/* The number of entries in the first `rows` rows with `words` words, if all of them are right. */
static uint64_t entries_in(const hop__metis_form *form, uint64_t rows, uint64_t words) {
    uint64_t with_skip = rows < form->vertices ? rows : form->vertices, skipped;
    if (!hop__mul_u64(with_skip, form->skip, &skipped) || skipped > words)
        return 0;
    return (words - skipped) / (form->edge_weights ? 2 : 1);
}

static void note_comments(reader *work, const hop__flow_chunk *chunk) {
    uint64_t row = chunk->before[0];
    if (chunk->counted[0] == chunk->lines)
        return;
    for (const char *at = chunk->begin; at < chunk->end;) {
        const char *newline = memchr(at, '\n', (size_t)(chunk->end - at));
        if (hop__metis_is_comment(at, chunk->end)) {
            uint64_t slot = __atomic_fetch_add(&work->comment_count, 1, __ATOMIC_RELAXED);
            if (slot < COMMENTS_KEPT)
                work->comments[slot] = row;
        } else {
            row++;
        }
        at = newline == NULL ? chunk->end : newline + 1;
    }
}

static bool parse_chunk(void *user, const hop__flow_chunk *chunk, unsigned lane) {
    reader *work = user;
    hop__metis_sink sink = {work->list->from, work->list->to, work->weights,
                            entries_in(&work->form, chunk->before[0], chunk->before[1]),
                            entries_in(&work->form, chunk->before[0] + chunk->counted[0],
                                       chunk->before[1] + chunk->counted[1])};
    work->wrong[lane] = false;
    if (sink.end > work->capacity)
        return false;
    uint64_t row;
    work->wrong[lane] = hop__metis_parse(&work->form, chunk->begin, chunk->end, chunk->before[0],
                                         &sink, &row) != NULL;
    if (!work->wrong[lane])
        note_comments(work, chunk);
    return !work->wrong[lane];
}

static hop_status resize(reader *work, uint64_t room) {
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__resize(context, "edges", room, 4, &work->list->from));
    HOP_TRY(status, hop__resize(context, "edges", room, 4, &work->list->to));
    if (work->form.edge_weights)
        HOP_TRY(status, hop__resize(context, "weights", room, 8, &work->weights));
    work->capacity = room;
done:
    if (status == HOP_ERR_BUDGET) {
        hop__edge_list list = *work->list;
        list.id_bytes = 4;
        list.vertices = work->form.vertices;
        list.weight_type = work->form.edge_weights ? HOP_TYPE_INT64 : HOP_TYPE_NONE;
        status = hop__edge_list_fail_total(context, &list, work->options, work->used_before,
                                           2 * work->edges > room ? 2 * work->edges : room, false);
    }
    return status;
}

/* Room for the entries of a chunk and half as many as there are. */
static hop_status make_room(reader *work, const hop__flow_chunk *chunk) {
    uint64_t need = entries_in(&work->form, chunk->before[0] + chunk->counted[0],
                               chunk->before[1] + chunk->counted[1]);
    uint64_t room = work->capacity + work->capacity / 2;
    return resize(work, room < need ? need : room);
}

/* Looks for the first line that is wrong in itself: parsing stops at another one when a line after
 * it has too few words, because the slots are then too few. */
static hop_status fail_row(reader *work, const hop__flow_chunk *chunk) {
    char message[HOP__METIS_MESSAGE];
    uint64_t row = 0;
    const char *wrong =
        hop__metis_parse(&work->form, chunk->begin, chunk->end, chunk->before[0], NULL, &row);
    if (wrong == NULL)
        return hop__input_fail_line(work->text->context, work->text->input, chunk->line,
                                    "lines from here on that contradict each other");
    hop__metis_explain(&work->form, row, wrong, hop__line_end(wrong, chunk->end), message);
    return hop__input_fail_line(work->text->context, work->text->input,
                                hop__flow_line_of(chunk, wrong), "%s", message);
}

static hop_status run_flow(reader *work) {
    const hop__flow_chunk *held = NULL;
    unsigned lane = 0;
    hop_status status;
    for (;;) {
        HOP_TRY(status, hop__flow_run(work->flow, &held, &lane));
        if (held == NULL)
            break;
        HOP_TRY(status, !work->wrong[lane] ? make_room(work, held) : fail_row(work, held));
    }
    uint64_t rows = hop__flow_sum(work->flow, 0);
    work->list->count = entries_in(&work->form, rows, hop__flow_sum(work->flow, 1));
    /* The line of a last vertex without neighbours may lack its newline, so that it is no line. */
    if (rows < work->form.vertices && work->form.vertices - rows > 1)
        HOP_TRY(status,
                hop__input_fail_line(work->text->context, work->text->input, work->text->line,
                                     "the end of the file after %" PRIu64
                                     " vertices, expected %" PRIu64 " as the header states",
                                     rows, work->form.vertices));
done:
    return status;
}

static hop_status read_rows(reader *work) {
    const hop__flow_work steps = {.count = count_chunk, .parse = parse_chunk, .user = work};
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "edges", 0, 4, &work->list->from));
    HOP_TRY(status, hop__alloc(context, "edges", 0, 4, &work->list->to));
    if (work->form.edge_weights)
        HOP_TRY(status, hop__alloc(context, "weights", 0, 8, &work->weights));
    /* What the header states, where the size of the file has confirmed that it can be true. */
    if (hop__input_size(work->text->input) > 0)
        HOP_TRY(status, resize(work, 2 * work->edges));
    HOP_TRY(status, hop__flow_open(work->text, &steps, &work->flow));
    HOP_TRY(status, hop__alloc_zero(context, "text", hop__flow_lanes(work->flow),
                                    sizeof *work->wrong, &work->wrong));
    HOP_TRY(status, run_flow(work));
    HOP_TRY(status, resize(work, work->list->count));
done:
    return status;
}

/* " (line 7)", or nothing when there were too many comments to know. */
static const char *line_text(const reader *work, uint64_t row, char text[32]) {
    uint64_t line = work->header_line + 1 + row;
    text[0] = '\0';
    if (work->comment_count > COMMENTS_KEPT)
        return text;
    for (uint64_t i = 0; i < work->comment_count; i++)
        line += work->comments[i] <= row;
    snprintf(text, 32, "%" PRIu64, line);
    return text;
}

/* ---- the result --------------------------------------------------------------------------- */

/* The weights in the type that they are to have. */
static hop_status settle_weights(reader *work) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    hop_status status = HOP_OK;
    bool fits = true;
    if (!work->form.edge_weights)
        return HOP_OK;
    for (uint64_t i = 0; i < list->count && fits; i++)
        fits = work->weights[i] >= INT32_MIN && work->weights[i] <= INT32_MAX;
    if (work->type == HOP_TYPE_INT64 || (!fits && work->type == HOP_TYPE_NONE)) {
        list->weight_type = HOP_TYPE_INT64;
        list->weights = work->weights;
        work->weights = NULL;
        return HOP_OK;
    }
    if (!fits)
        return hop__input_fail_line(context, work->text->input, work->header_line,
                                    "weights are said to be int32, but some do not fit");
    HOP_TRY(status, hop__alloc(context, "weights", list->count, 4, &list->weights));
    list->weight_type = HOP_TYPE_INT32;
    for (uint64_t i = 0; i < list->count; i++)
        ((int32_t *)list->weights)[i] = (int32_t)work->weights[i];
done:
    return status;
}

/* Checks the rows against each other and against the header. */
static hop_status check_rows(reader *work) {
    hop__text *text = work->text;
    hop__edge_list *list = work->list;
    uint64_t culprit = 0;
    bool symmetric;
    hop_status status;
    HOP_TRY(status, hop__arcs_compare(text->context, list, &symmetric, &culprit));
    if (!symmetric) {
        uint32_t from = ((uint32_t *)list->from)[culprit], to = ((uint32_t *)list->to)[culprit];
        char line[32], other[32];
        HOP_TRY(status,
                hop__fail(text->context, HOP_ERR_INPUT,
                          "%s:%s: vertex %" PRIu32 " has the neighbour %" PRIu32
                          ", but not the other way round%s (line %s)",
                          hop__input_name(text->input), line_text(work, from, line), from + 1,
                          to + 1, work->form.edge_weights ? " with the same weight" : "",
                          line_text(work, to, other)));
    }
    uint64_t edges = hop__arcs_edges(text->context, list);
    if (edges != work->edges)
        HOP_TRY(status, hop__input_fail_line(text->context, text->input, work->header_line,
                                             "the header states %" PRIu64
                                             " edges, but the rows hold %" PRIu64
                                             " neighbours, which are %" PRIu64 " edges",
                                             work->edges, list->count, edges));
done:
    return status;
}

static hop_status read_edges(hop_context *context, hop__input *input,
                             const hop_read_options *options, hop__edge_list *list) {
    hop__text text;
    reader work = {.text = &text,
                   .list = list,
                   .options = options,
                   .used_before = hop__pool_usage(context->pool).used};
    hop_status status;
    list->id_bytes = 4;
    hop__input_set_lines(input, line_most, "%");
    HOP_TRY(status, hop__text_open(&text, context, input, "%"));
    HOP_TRY(status, read_header(&work));
    HOP_TRY(status, check_sizes(&work, options));
    HOP_TRY(status, read_rows(&work));
    HOP_TRY(status, settle_weights(&work));
    HOP_TRY(status, check_rows(&work));
    /* Who asks for a directed graph gets both arcs of every edge. */
    if (options->direction != HOP_DIRECTION_DIRECTED)
        HOP_TRY(status, hop__arcs_fold(context, list));
    list->vertices = work.form.vertices;
    list->stated = true;
    list->first_id = 1;
done:
    hop__free(work.weights);
    hop__flow_close(work.flow);
    hop__free(work.wrong);
    return hop__text_close(&text, status);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Items are arcs and ends of rows: row v ends with item offsets[v + 1] + v. */
static char *print_items(const void *user, uint64_t begin, uint64_t end, char *at) {
    const hop_graph *graph = user;
    uint64_t low = 0, high = graph->vertices; /* the row of item `begin` is in [low, high) */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (hop__offset(graph, middle) + middle <= begin)
            low = middle;
        else
            high = middle;
    }
    for (uint64_t item = begin, row = low; item < end; item++) {
        uint64_t arc = item - row;
        if (arc == hop__offset(graph, row + 1)) {
            *at++ = '\n';
            row++;
            continue;
        }
        if (arc > hop__offset(graph, row))
            *at++ = ' ';
        at = hop__print_u64(at, graph->first_id + graph->targets[arc]);
        if (graph->weight_type != HOP_TYPE_NONE) {
            *at++ = ' ';
            at = hop__print_weight(at, graph->weight_type, graph->weights, arc);
        }
    }
    return at;
}

typedef struct parallel_search {
    const hop_graph *graph;
    uint64_t found; /* the first row with parallel arcs, or UINT64_MAX */
} parallel_search;

static void find_parallel(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    parallel_search *search = arg;
    const hop_graph *graph = search->graph;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t arc = hop__offset(graph, v) + 1; arc < hop__offset(graph, v + 1); arc++)
            if (graph->targets[arc] == graph->targets[arc - 1])
                hop__lower_u64(&search->found, v);
}

/* What the METIS programs refuse is not written. */
static hop_status check_holds(hop_context *context, const hop_graph *graph, hop__output *output,
                              const hop_graph_info *info) {
    const char *name = hop__output_name(output);
    parallel_search search = {graph, UINT64_MAX};
    if (info->loops > 0) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: metis has no self-loops, and the graph has %" PRIu64, name, info->loops);
        return hop__remedy(context, HOP_REMEDY_DROP_LOOPS,
                           "drop them (loops) or choose another format");
    }
    if (graph->weight_type != HOP_TYPE_NONE && info->edges > 0 && info->min_weight_int < 1) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: metis weights are above 0, and the graph has %" PRId64, name,
                  info->min_weight_int);
        return hop__remedy(context, HOP_REMEDY_DROP_WEIGHTS,
                           "drop the weights or choose another format");
    }
    hop__for(context, graph->vertices, 1 << 12, find_parallel, &search);
    if (search.found == UINT64_MAX)
        return HOP_OK;
    hop__fail(context, HOP_ERR_UNSUPPORTED,
              "%s: metis has no parallel edges, and vertex %" PRIu64 " of the file would have some",
              name, graph->first_id + search.found);
    hop__note_vertex(context, HOP_KIND_UNSUPPORTED, search.found);
    return hop__remedy(context, HOP_REMEDY_MERGE_DUPLICATES,
                       "merge them (duplicates) or choose another format");
}

static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    bool weighted = graph->weight_type != HOP_TYPE_NONE;
    hop_status status;
    HOP_TRY(status, hop_graph_describe(context, graph, &info));
    HOP_TRY(status, check_holds(context, graph, output, &info));
    if (weighted)
        HOP_TRY(status, hop__output_print(context, output, "%% hoplite weights %s\n",
                                          hop_type_name(graph->weight_type)));
    HOP_TRY(status, hop__output_print(context, output, "%" PRIu32 " %" PRIu64 "%s\n",
                                      graph->vertices, info.edges, weighted ? " 001" : ""));
    HOP_TRY(status, hop__print_items(context, output, "write: rows",
                                     (uint64_t)graph->vertices + graph->arcs,
                                     2 * HOP__PRINT_U64 + 4, print_items, graph));
done:
    return status;
}

const hop__format hop__format_metis = {
    .about = {.name = "metis",
              .summary = "METIS graph files: one line of neighbours per vertex",
              .suffixes = ".graph .metis",
              .can_read = true,
              .can_write = true,
              .text = true,
              .weight_types = HOP__WEIGHTS_INTEGER,
              .undirected = true,
              .counts_from = 1},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
};
