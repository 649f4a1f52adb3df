/* SPDX-License-Identifier: Apache-2.0
 *
 * Formatting (see text_print.h).
 *
 * Items are formatted in waves: every thread fills buffers of its own, then the buffers are
 * written one after the other. Memory: two buffers per thread, smaller or fewer ones where the
 * budget is small.
 *
 * An item may be much longer than others are (a name of 64 KiB among short ones), so a buffer has
 * room for its items at a usual length and for one of the longest. Items that find no room in it
 * are formatted when it has been written, by the thread that writes. */
#include "io/text/text_print.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum { PIECE_ITEMS = 1 << 14, LEAST_ITEMS = 1 << 7, USUAL_BYTES = 128 };

/* ---- numbers ------------------------------------------------------------------------------ */

static const char pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "6869707172737475767778798081828384858687888990919293949596979899";

char *hop__print_u64(char *at, uint64_t value) {
    char text[HOP__PRINT_U64];
    size_t used = sizeof text;
    while (value >= 100) {
        used -= 2;
        memcpy(text + used, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        used -= 2;
        memcpy(text + used, pairs + value * 2, 2);
    } else {
        text[--used] = (char)('0' + value);
    }
    memcpy(at, text + used, sizeof text - used);
    return at + (sizeof text - used);
}

static char *print_i64(char *at, int64_t value) {
    if (value >= 0)
        return hop__print_u64(at, (uint64_t)value);
    *at++ = '-';
    return hop__print_u64(at, 0 - (uint64_t)value);
}

/* A value that is digits / 10^places with both exact: dividing rounds correctly, so reading the
 * decimal gives the value again. Most weights of real files are such. `single`: the quotient only
 * has to be the same float32. Returns NULL when no number of places up to 6 will do. */
static char *print_short(char *at, double value, bool single) {
    static const double powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    double size = fabs(value);
    if (!(size < 1e9))
        return NULL;
    for (int places = 0; places <= 6; places++) {
        double digits = nearbyint(size * powers[places]);
        double back = digits / powers[places];
        if (single ? (float)back != (float)size : back != size)
            continue;
        uint64_t whole = (uint64_t)digits / (uint64_t)powers[places];
        uint64_t rest = (uint64_t)digits % (uint64_t)powers[places];
        if (signbit(value))
            *at++ = '-';
        at = hop__print_u64(at, whole);
        *at++ = '.';
        if (places == 0)
            *at++ = '0';
        for (int i = places - 1; i >= 0; i--, rest %= (uint64_t)powers[i + 1])
            *at++ = (char)('0' + rest / (uint64_t)powers[i]);
        return at;
    }
    return NULL;
}

/* The calling thread's locale is C here (see print_pieces), so that the point is a point. */
static char *print_real(char *at, double value, bool single) {
    if (isinf(value)) {
        memcpy(at, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
        return at + (value < 0 ? 4 : 3);
    }
    char *end = print_short(at, value, single);
    if (end != NULL)
        return end;
    int length = snprintf(at, HOP__PRINT_WEIGHT, single ? "%.8g" : "%.16g", value);
    if (single ? strtof(at, NULL) == (float)value : strtod(at, NULL) == value)
        return at + length; /* as 0.8333333333333333: one more digit would say 26 at its end */
    return at + snprintf(at, HOP__PRINT_WEIGHT, single ? "%.9g" : "%.17g", value);
}

char *hop__print_weight(char *at, hop_weight_type type, const void *weights, uint64_t index) {
    switch (type) {
    case HOP_TYPE_INT32:
        return print_i64(at, ((const int32_t *)weights)[index]);
    case HOP_TYPE_INT64:
        return print_i64(at, ((const int64_t *)weights)[index]);
    case HOP_TYPE_FLOAT32:
        return print_real(at, (double)((const float *)weights)[index], true);
    case HOP_TYPE_FLOAT64:
        return print_real(at, ((const double *)weights)[index], false);
    default:
        return at;
    }
}

const char *hop__weight_text(hop_weight_type type, const void *weights, uint64_t index,
                             char text[HOP__WEIGHT_TEXT]) {
    if (type == HOP_TYPE_NONE)
        return "1";
    *hop__print_weight(text, type, weights, index) = '\0';
    return text;
}

/* ---- waves -------------------------------------------------------------------------------- */

typedef struct wave {
    hop__print_fn fn;
    const void *user;
    locale_t locale;
    uint64_t first, items; /* items of this wave: first .. first + items - 1 */
    char *buffers;
    uint64_t piece_items, pieces; /* at most so many in a buffer, so many buffers */
    size_t buffer_bytes, item_bytes;
    struct piece {
        size_t used;          /* bytes in its buffer */
        uint64_t first, last; /* items that are still to be formatted */
    } * piece;
} wave;

/* Formats the piece's items from its first on, as many as find room in its buffer. */
static void fill_buffer(const wave *work, struct piece *piece, char *buffer) {
    const size_t room = work->buffer_bytes - HOP__PRINT_WEIGHT;
    char *at = buffer;
    while (piece->first < piece->last) {
        uint64_t fit = (room - (size_t)(at - buffer)) / work->item_bytes;
        if (fit == 0)
            break;
        uint64_t next = piece->last - piece->first < fit ? piece->last : piece->first + fit;
        at = work->fn(work->user, piece->first, next, at);
        piece->first = next;
    }
    piece->used = (size_t)(at - buffer);
}

static void print_pieces(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    wave *work = arg;
    locale_t before = uselocale(work->locale);
    for (uint64_t i = begin; i < end; i++) {
        struct piece *piece = &work->piece[i];
        piece->first = work->first + i * work->piece_items;
        piece->last = piece->first + work->piece_items;
        if (piece->last > work->first + work->items)
            piece->last = work->first + work->items;
        fill_buffer(work, piece, work->buffers + i * work->buffer_bytes);
    }
    uselocale(before);
}

static hop_status print_wave(hop_context *context, hop__output *output, wave *work) {
    uint64_t pieces = (work->items + work->piece_items - 1) / work->piece_items;
    hop_status status = HOP_OK;
    hop__for(context, pieces, 1, print_pieces, work);
    locale_t before = uselocale(work->locale);
    for (uint64_t i = 0; i < pieces && status == HOP_OK; i++) {
        struct piece *piece = &work->piece[i];
        char *buffer = work->buffers + i * work->buffer_bytes;
        status = hop__output_write(context, output, buffer, piece->used);
        while (status == HOP_OK && piece->first < piece->last) {
            fill_buffer(work, piece, buffer);
            status = hop__output_write(context, output, buffer, piece->used);
        }
    }
    uselocale(before);
    return status;
}

/* The sizes that an eighth of what is left has room for. */
static void plan_wave(const hop_context *context, size_t item_bytes, wave *work) {
    uint64_t most = 2 * hop__team_limit(context);
    size_t usual = item_bytes < USUAL_BYTES ? item_bytes : USUAL_BYTES;
    size_t room =
        hop__share_bytes(context, LEAST_ITEMS * usual, (size_t)most * PIECE_ITEMS * usual);
    uint64_t items = room / usual;
    work->piece_items = items / most < LEAST_ITEMS ? LEAST_ITEMS : items / most;
    work->pieces = items / work->piece_items;
    work->item_bytes = item_bytes;
    /* One number more: formatting may write a little past what it keeps. */
    work->buffer_bytes =
        (size_t)work->piece_items * usual + (item_bytes - usual) + HOP__PRINT_WEIGHT;
}

uint64_t hop__print_bytes(const hop_context *context, size_t item_bytes) {
    wave work = {0};
    plan_wave(context, item_bytes, &work);
    return hop__block_bytes(work.pieces, work.buffer_bytes) +
           hop__block_bytes(work.pieces, sizeof *work.piece);
}

hop_status hop__print_items(hop_context *context, hop__output *output, const char *phase,
                            uint64_t items, size_t item_bytes, hop__print_fn fn, const void *user) {
    wave work = {.fn = fn, .user = user};
    hop_status status;
    hop__progress_begin(context, phase, items);
    plan_wave(context, item_bytes, &work);
    work.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (work.locale == (locale_t)0)
        HOP_TRY(status, hop__fail(context, HOP_ERR_MEMORY, "%s: no memory for the C locale",
                                  hop__output_name(output)));
    HOP_TRY(status, hop__alloc(context, "text", work.pieces, work.buffer_bytes, &work.buffers));
    HOP_TRY(status, hop__alloc(context, "text", work.pieces, sizeof *work.piece, &work.piece));
    uint64_t most = work.pieces * work.piece_items;
    for (work.first = 0; work.first < items; work.first += work.items) {
        uint64_t left = items - work.first;
        work.items = left < most ? left : most;
        HOP_TRY(status, print_wave(context, output, &work));
        if (!hop__progress_add(context, work.items))
            break;
    }
    status = HOP_OK;
done:
    if (work.locale != (locale_t)0)
        freelocale(work.locale);
    hop__free(work.buffers);
    hop__free(work.piece);
    hop_status ended = hop__progress_end(context);
    return status == HOP_OK ? ended : status;
}

/* ---- arcs --------------------------------------------------------------------------------- */

static bool needs_quotes(const char *name, size_t length, char separator) {
    bool none = length == 2 && memcmp(name, "-1", 2) == 0; /* what says "no vertex" in results */
    if (none || length == 0 || strchr("#% \t\"", name[0]) != NULL ||
        strchr(" \t", name[length - 1]) != NULL)
        return true;
    for (size_t i = 0; i < length; i++)
        if (name[i] == separator || name[i] == '"' || name[i] == '\n' || name[i] == '\r')
            return true;
    return false;
}

char *hop__print_name(char *at, const char *name, size_t length, char separator) {
    if (!needs_quotes(name, length, separator)) {
        memcpy(at, name, length);
        return at + length;
    }
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"')
            *at++ = '"';
        *at++ = name[i];
    }
    *at++ = '"';
    return at;
}

char *hop__print_vertex(char *at, const hop_graph *graph, hop_vertex vertex, char separator) {
    if (graph->names != NULL && vertex < graph->vertices) {
        size_t length;
        const char *name = hop__name_at(graph->names, vertex, &length);
        return hop__print_name(at, name, length, separator);
    }
    return hop__print_u64(at, hop_graph_label(graph, vertex));
}

size_t hop__print_vertex_bytes(const hop_graph *graph) {
    return graph->names == NULL ? (size_t)HOP__PRINT_U64
                                : hop__print_name_bytes(hop__vertex_names_longest(graph->names));
}

static char *print_arcs(const void *user, uint64_t begin, uint64_t end, char *at) {
    const hop__arc_style *style = user;
    const hop_graph *graph = style->graph;
    size_t tag_length = strlen(style->tag);
    hop_vertex from = (hop_vertex)hop__row_of_arc(graph, begin);
    for (uint64_t arc = begin; arc < end; arc++) {
        while (hop__offset(graph, (uint64_t)from + 1) <= arc)
            from++;
        hop_vertex to = graph->targets[arc];
        if ((style->which == HOP__ARCS_UPPER && to < from) ||
            (style->which == HOP__ARCS_LOWER && to > from))
            continue;
        memcpy(at, style->tag, tag_length);
        at = hop__print_vertex(at + tag_length, graph, from, style->separator);
        *at++ = style->separator;
        at = hop__print_vertex(at, graph, to, style->separator);
        if (graph->weight_type != HOP_TYPE_NONE) {
            *at++ = style->separator;
            at = hop__print_weight(at, graph->weight_type, graph->weights, arc);
        } else if (style->unit_weights) {
            *at++ = style->separator;
            *at++ = '1';
        }
        *at++ = '\n';
    }
    return at;
}

hop_status hop__print_arcs(hop_context *context, hop__output *output, const hop__arc_style *style) {
    size_t item =
        strlen(style->tag) + 2 * hop__print_vertex_bytes(style->graph) + HOP__PRINT_WEIGHT + 4;
    return hop__print_items(context, output, "write: edges", style->graph->arcs, item, print_arcs,
                            style);
}
