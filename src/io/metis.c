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
 * Chunks are parsed in parallel: the number of the vertex at the beginning of a chunk is the number
 * of lines before it that are no comments; room in the arrays is one slot per word. All entries
 * are kept until the end, when arc_fold.c checks that the rows agree and keeps each edge once. */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/arc_fold.h"
#include "io/metis_row.h"
#include "io/text_print.h"
#include "io/text_scan.h"

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

typedef struct reader {
    hop__text *text;
    hop__metis_form form;
    uint64_t edges; /* as the header states */
    hop_weight_type type;
    uint64_t header_line;
    hop__edge_list *list;
    int64_t *weights;
    uint64_t capacity;
    uint64_t rows; /* lines that are no comments, so far */
    /* Comments among the rows: before which row each stands, to find lines again. */
    uint64_t *comments;
    uint64_t comment_count, comment_room;
    hop__metis_piece *pieces;
    size_t piece_capacity;
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
    if (work->type == HOP_WEIGHT_FLOAT32 || work->type == HOP_WEIGHT_FLOAT64)
        return hop__input_fail_line(text->context, text->input, work->header_line,
                                    "weights are said to be %s, expected int32 or int64",
                                    hop_weight_name(work->type));
    return hop__read_limits_check(text->context, hop__input_name(text->input), options, vertices,
                                  work->edges);
}

/* ---- the rows ----------------------------------------------------------------------------- */

static void count_chunks(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    reader *work = arg;
    for (uint64_t i = first; i < last; i++)
        hop__metis_count(&work->text->chunks[i], &work->pieces[i]);
}

static void parse_chunks(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    reader *work = arg;
    for (uint64_t i = first; i < last; i++) {
        hop__metis_piece part = work->pieces[i];
        hop__metis_parse(&work->form, &work->text->chunks[i], &part, work->list->from,
                         work->list->to, work->weights);
        work->pieces[i] = part;
    }
}

static hop_status make_room(reader *work, uint64_t need) {
    hop_context *context = work->text->context;
    hop_status status = HOP_OK;
    if (need <= work->capacity)
        return HOP_OK;
    uint64_t room = work->capacity + work->capacity / 2;
    room = room < need ? need : room;
    HOP_TRY(status, hop__resize(context, "edges", room, 4, &work->list->from));
    HOP_TRY(status, hop__resize(context, "edges", room, 4, &work->list->to));
    if (work->form.edge_weights)
        HOP_TRY(status, hop__resize(context, "weights", room, 8, &work->weights));
    work->capacity = room;
done:
    return status;
}

/* Remembers where comments stand among the rows. */
static hop_status note_comments(reader *work, const hop__text_chunk *chunk,
                                const hop__metis_piece *part) {
    uint64_t row = part->row;
    hop_status status = HOP_OK;
    if (part->rows == chunk->lines)
        return HOP_OK;
    for (const char *at = chunk->begin; at < chunk->end;) {
        const char *newline = memchr(at, '\n', (size_t)(chunk->end - at));
        if (!hop__metis_is_comment(at, chunk->end)) {
            row++;
        } else {
            if (work->comment_count == work->comment_room) {
                uint64_t room = 2 * work->comment_room + 16;
                HOP_TRY(status, hop__resize(work->text->context, "comments", room,
                                            sizeof *work->comments, &work->comments));
                work->comment_room = room;
            }
            work->comments[work->comment_count++] = row;
        }
        at = newline == NULL ? chunk->end : newline + 1;
    }
done:
    return status;
}

/* The line on which a row stands. */
static uint64_t line_of_row(const reader *work, uint64_t row) {
    uint64_t line = work->header_line + 1 + row;
    for (uint64_t i = 0; i < work->comment_count && work->comments[i] <= row; i++)
        line++;
    return line;
}

/* Numbers the rows of the chunks and gives each its slots. */
static hop_status lay_out(reader *work) {
    hop__text *text = work->text;
    uint64_t slot = work->list->count;
    hop_status status;
    if (text->chunk_capacity > work->piece_capacity) {
        HOP_TRY(status, hop__resize(text->context, "chunks", text->chunk_capacity,
                                    sizeof *work->pieces, &work->pieces));
        work->piece_capacity = text->chunk_capacity;
    }
    hop__for(text->context, text->chunk_count, 1, count_chunks, work);
    for (size_t i = 0; i < text->chunk_count; i++) {
        work->pieces[i].row = work->rows;
        work->pieces[i].slot = slot;
        slot += work->pieces[i].words;
        HOP_TRY(status, note_comments(work, &text->chunks[i], &work->pieces[i]));
        work->rows += work->pieces[i].rows;
    }
    HOP_TRY(status, make_room(work, slot));
done:
    return status;
}

/* Closes the gaps, or reports the first line that is wrong. */
static hop_status collect(reader *work) {
    hop__text *text = work->text;
    hop__edge_list *list = work->list;
    for (size_t i = 0; i < text->chunk_count; i++) {
        const hop__metis_piece *part = &work->pieces[i];
        const hop__text_chunk *chunk = &text->chunks[i];
        if (part->stopped != NULL) {
            char message[HOP__METIS_MESSAGE];
            hop__metis_explain(&work->form, part->stopped_row, part->stopped,
                               hop__line_end(part->stopped, chunk->end), message);
            return hop__input_fail_line(text->context, text->input,
                                        hop__text_line_of(chunk, part->stopped), "%s", message);
        }
        if (part->slot != list->count) {
            uint32_t *from = list->from, *to = list->to;
            memmove(from + list->count, from + part->slot, part->entries * 4);
            memmove(to + list->count, to + part->slot, part->entries * 4);
            if (work->weights != NULL)
                memmove(work->weights + list->count, work->weights + part->slot, part->entries * 8);
        }
        list->count += part->entries;
    }
    return HOP_OK;
}

static hop_status read_rows(reader *work) {
    hop__text *text = work->text;
    hop_context *context = text->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "edges", 0, 4, &work->list->from));
    HOP_TRY(status, hop__alloc(context, "edges", 0, 4, &work->list->to));
    HOP_TRY(status, hop__alloc(context, "comments", 0, 8, &work->comments));
    HOP_TRY(status, hop__alloc(context, "chunks", 0, sizeof *work->pieces, &work->pieces));
    if (work->form.edge_weights)
        HOP_TRY(status, hop__alloc(context, "weights", 0, 8, &work->weights));
    for (;;) {
        HOP_TRY(status, hop__text_cut(text));
        if (text->chunk_count == 0)
            break;
        HOP_TRY(status, lay_out(work));
        hop__for(context, text->chunk_count, 1, parse_chunks, work);
        HOP_TRY(status, collect(work));
    }
    /* The line of a last vertex without neighbours may lack its newline, so that it is no line. */
    if (work->rows < work->form.vertices && work->form.vertices - work->rows > 1)
        HOP_TRY(status, hop__input_fail_line(context, text->input, text->line,
                                             "the end of the file after %" PRIu64
                                             " vertices, expected %" PRIu64 " as the header states",
                                             work->rows, work->form.vertices));
done:
    return status;
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
    if (work->type == HOP_WEIGHT_INT64 || (!fits && work->type == HOP_WEIGHT_NONE)) {
        list->weight_type = HOP_WEIGHT_INT64;
        list->weights = work->weights;
        work->weights = NULL;
        return HOP_OK;
    }
    if (!fits)
        return hop__input_fail_line(context, work->text->input, work->header_line,
                                    "weights are said to be int32, but some do not fit");
    HOP_TRY(status, hop__alloc(context, "weights", list->count, 4, &list->weights));
    list->weight_type = HOP_WEIGHT_INT32;
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
        HOP_TRY(status, hop__input_fail_line(text->context, text->input, line_of_row(work, from),
                                             "vertex %" PRIu32 " has the neighbour %" PRIu32
                                             ", but not the other way round%s (line %" PRIu64 ")",
                                             from + 1, to + 1,
                                             work->form.edge_weights ? " with the same weight" : "",
                                             line_of_row(work, to)));
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
    reader work = {.text = &text, .list = list};
    hop_status status;
    list->id_bytes = 4;
    HOP_TRY(status, hop__text_open(&text, context, input));
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
done:
    hop__free(work.weights);
    hop__free(work.comments);
    hop__free(work.pieces);
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
        at = hop__print_u64(at, (uint64_t)graph->targets[arc] + 1);
        if (graph->weight_type != HOP_WEIGHT_NONE) {
            *at++ = ' ';
            at = hop__print_weight(at, graph->weight_type, graph->weights, arc);
        }
    }
    return at;
}

typedef struct parallel_search {
    const hop_graph *graph;
    uint64_t found; /* a row with parallel arcs, or UINT64_MAX */
} parallel_search;

static void find_parallel(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    parallel_search *search = arg;
    const hop_graph *graph = search->graph;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t arc = hop__offset(graph, v) + 1; arc < hop__offset(graph, v + 1); arc++)
            if (graph->targets[arc] == graph->targets[arc - 1])
                __atomic_store_n(&search->found, v, __ATOMIC_RELAXED);
}

/* What the METIS programs refuse is not written. */
static hop_status check_holds(hop_context *context, const hop_graph *graph, hop__output *output,
                              const hop_graph_info *info) {
    const char *name = hop__output_name(output);
    parallel_search search = {graph, UINT64_MAX};
    if (info->loops > 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: metis has no self-loops, and the graph has %" PRIu64
                         "; drop them (loops) or choose another format",
                         name, info->loops);
    if (graph->weight_type != HOP_WEIGHT_NONE && info->edges > 0 && info->min_weight_int < 1)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: metis weights are above 0, and the graph has %" PRId64
                         "; drop the weights or choose another format",
                         name, info->min_weight_int);
    hop__for(context, graph->vertices, 1 << 12, find_parallel, &search);
    if (search.found != UINT64_MAX)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: metis has no parallel edges, and vertex %" PRIu64
                         " has some; merge them (duplicates) or choose another format",
                         name, search.found);
    return HOP_OK;
}

static hop_status write_graph(hop_context *context, const hop_graph *graph, hop__output *output) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    bool weighted = graph->weight_type != HOP_WEIGHT_NONE;
    hop_status status;
    HOP_TRY(status, hop_graph_describe(context, graph, &info));
    HOP_TRY(status, check_holds(context, graph, output, &info));
    if (weighted)
        HOP_TRY(status, hop__output_print(context, output, "%% hoplite weights %s\n",
                                          hop_weight_name(graph->weight_type)));
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
              .weight_types =
                  1u << HOP_WEIGHT_NONE | 1u << HOP_WEIGHT_INT32 | 1u << HOP_WEIGHT_INT64,
              .undirected = true},
    .sniff = sniff,
    .read_edges = read_edges,
    .write = write_graph,
};
