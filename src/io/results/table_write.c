/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of numbers as text: rows are formatted in parallel and written in order. Every number
 * reads back as the same bits. */
#include <inttypes.h>
#include <string.h>

#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/path_suffix.h"
#include "io/results/result_table.h"
#include "io/text/text_print.h"

typedef struct table_style {
    const hop__result_column *columns;
    size_t count;
    char separator;
} table_style;

/* The item as an integer; whether it is the largest of its type. Only for integer types. */
static uint64_t item_at(const hop__result_column *column, uint64_t row, bool *largest) {
    *largest = false;
    if (column->items == NULL)
        return row;
    if (hop_type_size(column->type) == 4) {
        uint32_t item = ((const uint32_t *)column->items)[row];
        *largest = item == (column->type == HOP_TYPE_INT32 ? (uint32_t)INT32_MAX : UINT32_MAX);
        return column->type == HOP_TYPE_INT32 ? (uint64_t)(int64_t)(int32_t)item : item;
    }
    uint64_t item = ((const uint64_t *)column->items)[row];
    *largest = item == (column->type == HOP_TYPE_INT64 ? (uint64_t)INT64_MAX : UINT64_MAX);
    return item;
}

static char *print_item(const hop__result_column *column, uint64_t row, char separator, char *at) {
    bool largest;
    if (column->type == HOP_TYPE_FLOAT32)
        return hop__print_weight(at, HOP_TYPE_FLOAT32, column->items, row);
    if (column->type == HOP_TYPE_FLOAT64)
        return hop__print_weight(at, HOP_TYPE_FLOAT64, column->items, row);
    uint64_t item = item_at(column, row, &largest);
    if (largest && column->missing != NULL) {
        size_t length = strlen(column->missing);
        memcpy(at, column->missing, length);
        return at + length;
    }
    if (column->labels != NULL)
        return hop__print_u64(at, column->labels[item]);
    if (column->graph != NULL)
        return hop__print_vertex(at, column->graph, (hop_vertex)item, separator);
    bool is_signed = column->type == HOP_TYPE_INT32 || column->type == HOP_TYPE_INT64;
    if (is_signed && (int64_t)item < 0) {
        *at++ = '-';
        item = 0 - item;
    }
    return hop__print_u64(at, item);
}

static char *print_rows(const void *user, uint64_t begin, uint64_t end, char *at) {
    const table_style *style = user;
    for (uint64_t row = begin; row < end; row++) {
        for (size_t c = 0; c < style->count; c++) {
            at = print_item(&style->columns[c], row, style->separator, at);
            *at++ = c + 1 < style->count ? style->separator : '\n';
        }
    }
    return at;
}

static hop_status check_columns(hop_context *context, const hop__result_column *columns,
                                size_t count) {
    for (size_t c = 0; c < count; c++) {
        const hop__result_column *column = &columns[c];
        bool real = column->type == HOP_TYPE_FLOAT32 || column->type == HOP_TYPE_FLOAT64;
        if (column->name == NULL || hop_type_size(column->type) == 0 ||
            (column->items == NULL && real) ||
            (column->missing != NULL && strlen(column->missing) > HOP__PRINT_U64))
            return hop__fail(
                context, HOP_ERR_ARGUMENT,
                "hop__result_table_write: column %zu has no name, type or items, or a word "
                "for what is missing that is longer than %d",
                c, (int)HOP__PRINT_U64);
    }
    return HOP_OK;
}

/* A row of `count` columns, at most. */
static size_t row_bytes(size_t count) {
    return count * (HOP__PRINT_WEIGHT + 1);
}

/* The same of these columns, which may have names of text. */
static size_t named_row_bytes(const hop__result_column *columns, size_t count) {
    size_t bytes = row_bytes(count);
    for (size_t c = 0; c < count; c++)
        if (columns[c].graph != NULL && columns[c].graph->names != NULL)
            bytes += hop__print_vertex_bytes(columns[c].graph);
    return bytes;
}

uint64_t hop_results_bytes(const hop_context *context, const char *path) {
    if (context == NULL || path == NULL)
        return 0;
    /* An array needs no room for text; but the difference is small, and the name is no promise. */
    return hop__output_bytes(context, hop__path_ends(path, ".gz")) +
           hop__print_bytes(context, row_bytes(HOP__TABLE_COLUMNS));
}

struct hop__result_stream {
    hop__output *output;
    bool commas;
};

hop_status hop__result_stream_open(hop_context *context, const char *path, const char *const *names,
                                   size_t count, hop__result_stream **stream) {
    const bool commas = hop__path_ends_unpacked(path, ".csv");
    hop__result_stream *made = NULL;
    hop_status status;
    *stream = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "write: text", 1, sizeof *made, &made));
    *stream = made;
    made->commas = commas;
    HOP_TRY(status, hop__output_open(context, path, hop__path_ends(path, ".gz"), &made->output));
    if (!commas)
        HOP_TRY(status, hop__output_print(context, made->output, "# "));
    for (size_t c = 0; c < count; c++)
        HOP_TRY(status, hop__output_print(context, made->output, "%.32s%c", names[c],
                                          c + 1 == count ? '\n'
                                          : commas       ? ','
                                                         : '\t'));
done:
    return status;
}

hop_status hop__result_stream_rows(hop_context *context, hop__result_stream *stream,
                                   const hop__result_column *columns, size_t count, uint64_t rows) {
    table_style style = {columns, count, stream->commas ? ',' : '\t'};
    hop_status status = check_columns(context, columns, count);
    if (status != HOP_OK)
        return status;
    return hop__print_items(context, stream->output, "write: text", rows,
                            named_row_bytes(columns, count), print_rows, &style);
}

hop_status hop__result_stream_close(hop_context *context, hop__result_stream *stream,
                                    hop_status status) {
    if (!stream)
        return status;
    status = hop__output_close(context, stream->output, status);
    hop__free(stream);
    return status;
}

hop_status hop__result_table_write(hop_context *context, const char *path,
                                   const hop__result_column *columns, size_t count, uint64_t rows) {
    const char *names[HOP__TABLE_COLUMNS];
    hop__result_stream *stream = NULL;
    hop_status status;
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || columns == NULL || count == 0 || count > HOP__TABLE_COLUMNS)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "hop__result_table_write: a path and 1 to %d columns expected",
                         HOP__TABLE_COLUMNS);
    HOP_TRY(status, check_columns(context, columns, count));
    for (size_t c = 0; c < count; c++)
        names[c] = columns[c].name;
    HOP_TRY(status, hop__result_stream_open(context, path, names, count, &stream));
    status = hop__result_stream_rows(context, stream, columns, count, rows);
done:
    return hop__result_stream_close(context, stream, status);
}
