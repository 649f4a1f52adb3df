/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of distances as text: see matrix_write.h. Entries, not rows, are what is formatted in
 * parallel: a row may be longer than the buffers. */
#include "io/results/matrix_write.h"

#include <inttypes.h>
#include <string.h>

#include "core/span.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/path_suffix.h"
#include "io/text/text_print.h"

struct hop__matrix_writer {
    hop__output *output;
    hop__matrix matrix;
    char separator;
    uint64_t written; /* rows */
};

/* Some entries, from the first of a row on. */
typedef struct matrix_part {
    const hop__matrix_writer *writer;
    const void *entries;
} matrix_part;

static hop_vertex vertex_at(const hop_vertex *vertices, uint64_t at) {
    return vertices ? vertices[at] : (hop_vertex)at;
}

static char *print_columns(const void *user, uint64_t begin, uint64_t end, char *at) {
    const hop__matrix_writer *writer = user;
    for (uint64_t column = begin; column < end; column++) {
        *at++ = writer->separator;
        at = hop__print_vertex(at, writer->matrix.graph, vertex_at(writer->matrix.columns, column),
                               writer->separator);
    }
    return at;
}

static char *print_entry(char *at, hop_type type, const void *entries, uint64_t index) {
    if (type == HOP_TYPE_INT64 && ((const int64_t *)entries)[index] == INT64_MAX) {
        memcpy(at, "inf", 3);
        return at + 3;
    }
    return hop__print_weight(at, type, entries, index);
}

static char *print_entries(const void *user, uint64_t begin, uint64_t end, char *at) {
    const matrix_part *part = user;
    const hop__matrix_writer *writer = part->writer;
    const hop__matrix *matrix = &writer->matrix;
    const uint64_t columns = matrix->column_count;
    for (uint64_t i = begin; i < end; i++) {
        if (i % columns == 0)
            at = hop__print_vertex(at, matrix->graph,
                                   vertex_at(matrix->rows, writer->written + i / columns),
                                   writer->separator);
        *at++ = writer->separator;
        at = print_entry(at, matrix->type, part->entries, i);
        if (i % columns == columns - 1)
            *at++ = '\n';
    }
    return at;
}

static size_t item_bytes(const hop__matrix *matrix) {
    return hop__print_vertex_bytes(matrix->graph) + HOP__PRINT_WEIGHT + 2;
}

hop_status hop__matrix_create(hop_context *context, const char *path, const hop__matrix *matrix,
                              hop__matrix_writer **result) {
    hop__matrix_writer *writer = NULL;
    hop_status status;
    *result = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "table", 1, sizeof *writer, &writer));
    const bool commas = hop__path_ends_unpacked(path, ".csv");
    writer->matrix = *matrix;
    writer->separator = commas ? ',' : '\t';
    HOP_TRY(status, hop__output_open(context, path, hop__path_ends(path, ".gz"), &writer->output));
    HOP_TRY(status, hop__output_print(context, writer->output, "%s%.32s", commas ? "" : "# ",
                                      matrix->corner));
    HOP_TRY(status, hop__print_items(context, writer->output, "write: text", matrix->column_count,
                                     item_bytes(matrix), print_columns, writer));
    HOP_TRY(status, hop__output_print(context, writer->output, "\n"));
    *result = writer;
    writer = NULL;
done:
    return writer ? hop__matrix_close(context, writer, status) : status;
}

hop_status hop__matrix_append(hop_context *context, hop__matrix_writer *writer,
                              const hop_view *entries) {
    const hop__matrix *matrix = &writer->matrix;
    const uint64_t rows = matrix->column_count > 0 ? entries->count / matrix->column_count : 0;
    matrix_part part = {.writer = writer};
    if (rows * matrix->column_count != entries->count || rows > matrix->row_count - writer->written)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: %" PRIu64 " entries are not whole rows, or too many",
                         hop__output_name(writer->output), entries->count);
    hop_status status = hop__view_take(context, hop__output_name(writer->output), entries,
                                       matrix->type, entries->count, &part.entries);
    if (status != HOP_OK)
        return status;
    status = hop__print_items(context, writer->output, "write: text", entries->count,
                              item_bytes(matrix), print_entries, &part);
    writer->written += rows;
    return hop__output_note(context, writer->output, status);
}

hop_status hop__matrix_close(hop_context *context, hop__matrix_writer *writer, hop_status status) {
    if (writer == NULL)
        return status;
    if (status == HOP_OK && writer->written < writer->matrix.row_count)
        status =
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "%s: %" PRIu64 " of %" PRIu64 " rows were written; it is not kept",
                      hop__output_name(writer->output), writer->written, writer->matrix.row_count);
    status = hop__output_close(context, writer->output, status);
    hop__free(writer);
    return status;
}
