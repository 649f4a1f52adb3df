/* SPDX-License-Identifier: Apache-2.0
 *
 * Results from files: see result_read.h. */
#include "result_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "io/bytes/path_suffix.h"
#include "number_text.h"
#include "problem_job.h"
#include "vertex_text.h"

/* ---- opening ------------------------------------------------------------------------------- */

static int open_array(result_source *source) {
    session *work = &source->job->work;
    hop_status status = file_read_array(work, source->path, &source->file);
    if (status != HOP_OK)
        return session_fail(work, status);
    const hop_array *array = hop_array_file_array(source->file);
    if (array->dimensions == 1 && array->rows == source->rows)
        return CODE_OK;
    return complain(CODE_BAD_INPUT, "%s: an array of %s%s%s items; %s expected, one for each",
                    source->path, count_text(array->rows).s, array->dimensions == 2 ? " x " : "",
                    array->dimensions == 2 ? count_text(array->columns).s : "",
                    count_text(source->rows).s);
}

/* The graph, if its vertices have names of text; the table has vertices then, not ids. */
static const hop_graph *named_graph(const result_source *source) {
    const hop_graph *graph = source->job->opened.graph;
    return graph != NULL && hop_graph_named(graph) ? graph : NULL;
}

static uint64_t id_of_row(const result_source *source, uint64_t row) {
    return ((const uint64_t *)hop__result_table_items(source->table, 0))[row];
}

/* The vertex of each row; each at most once. */
static int find_vertices(result_source *source, uint64_t rows) {
    problem_job *job = source->job;
    const hop_graph *graph = job->opened.graph;
    void *vertices = NULL, *seen = NULL;
    if (hop__result_table_type(source->table, 0) == HOP_TYPE_FLOAT64)
        return complain(CODE_BAD_INPUT, "%s: the first column must have the ids", source->path);
    int code = job_array(job, "rows", rows, sizeof(hop_vertex), &vertices);
    if (code == CODE_OK)
        code = job_array(job, "rows", source->rows, 1, &seen);
    if (code != CODE_OK)
        return code;
    source->vertex_of_row = vertices;
    memset(seen, 0, source->rows);
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t id = id_of_row(source, row);
        hop_vertex vertex = graph != NULL && !hop_graph_named(graph) ? hop_graph_find(graph, id)
                            : id < source->rows                      ? (hop_vertex)id
                                                                     : HOP_NO_VERTEX;
        if (vertex == HOP_NO_VERTEX)
            return complain(CODE_BAD_INPUT, "%s: row %s is about %" PRIu64 ", which is not in %s",
                            source->path, count_text(row + 1).s, id, file_name(job->input, false));
        if (((char *)seen)[vertex]++ == 0)
            ;
        else if (graph != NULL)
            return complain(CODE_BAD_INPUT, "%s: row %s is about %s, as one before", source->path,
                            count_text(row + 1).s, vertex_text(graph, vertex).s);
        else
            return complain(CODE_BAD_INPUT, "%s: row %s is about %" PRIu64 ", as one before",
                            source->path, count_text(row + 1).s, id);
        source->vertex_of_row[row] = vertex;
    }
    return CODE_OK;
}

static int open_table(result_source *source) {
    session *work = &source->job->work;
    hop_status status =
        hop__result_table_read(work->context, source->path, named_graph(source), &source->table);
    if (status != HOP_OK)
        return session_fail(work, status);
    uint64_t rows = hop__result_table_rows(source->table);
    if (hop__result_table_columns(source->table) > 1)
        return find_vertices(source, rows);
    if (rows != source->rows)
        return complain(CODE_BAD_INPUT, "%s: %s numbers; %s expected, one for each", source->path,
                        count_text(rows).s, count_text(source->rows).s);
    return CODE_OK;
}

int result_open(result_source *source, problem_job *job, const char *path, hop_vertex rows) {
    *source = (result_source){.job = job, .path = path, .rows = rows};
    return hop__path_ends_unpacked(path, ".npy") ? open_array(source) : open_table(source);
}

void result_close(result_source *source) {
    hop_array_file_free(source->file);
    hop__result_table_free(source->table);
    source->file = NULL;
    source->table = NULL;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* The column of a table, or SIZE_MAX. Names count if there are any for values at all. */
static size_t column_at(const result_source *source, const char *name, size_t place) {
    size_t columns = hop__result_table_columns(source->table), first = columns > 1;
    bool named = false;
    for (size_t c = first; c < columns; c++) {
        const char *each = hop__result_table_name(source->table, c);
        if (each != NULL && strcmp(each, name) == 0)
            return c;
        named |= each != NULL && (strcmp(each, "level") == 0 || strcmp(each, "distance") == 0 ||
                                  strcmp(each, "parent") == 0 || strcmp(each, "rank") == 0 ||
                                  strcmp(each, "component") == 0);
    }
    return !named && first + place < columns ? first + place : SIZE_MAX;
}

bool result_has(const result_source *source, const char *name, size_t place) {
    if (source->file != NULL)
        return place == 0;
    return hop__result_table_rows(source->table) == 0 || column_at(source, name, place) != SIZE_MAX;
}

/* A number of a file: an integer as it is, a float that is whole as an integer too. */
typedef struct number {
    bool whole, missing, negative;
    uint64_t bits; /* of an integer */
    double real;
} number;

static number number_at(hop_type type, const void *items, uint64_t index) {
    number out = {.whole = true};
    switch (type) {
    case HOP_TYPE_INT32:
        out.bits = (uint64_t)(int64_t)((const int32_t *)items)[index];
        out.missing = out.bits == INT32_MAX;
        break;
    case HOP_TYPE_UINT32:
        out.bits = ((const uint32_t *)items)[index];
        out.missing = out.bits == UINT32_MAX;
        break;
    case HOP_TYPE_INT64:
        out.bits = (uint64_t)((const int64_t *)items)[index];
        out.missing = out.bits == INT64_MAX;
        break;
    case HOP_TYPE_UINT64:
        out.bits = ((const uint64_t *)items)[index];
        out.missing = out.bits == UINT64_MAX;
        break;
    default:
        out.real = type == HOP_TYPE_FLOAT32 ? (double)((const float *)items)[index]
                                            : ((const double *)items)[index];
        out.missing = out.real == HUGE_VAL;
        out.whole = out.real == floor(out.real) && fabs(out.real) < 0x1p63;
        out.bits = out.whole ? (uint64_t)(int64_t)out.real : 0;
        out.negative = out.real < 0;
        return out;
    }
    out.negative = type != HOP_TYPE_UINT64 && (int64_t)out.bits < 0;
    out.real = type == HOP_TYPE_UINT64 ? (double)out.bits : (double)(int64_t)out.bits;
    return out;
}

/* Puts a number into the array; false when it cannot be one of this meaning. */
static bool put(const result_source *source, const number *from, result_meaning meaning,
                hop_weight_type type, void *items, uint64_t index) {
    const hop_graph *graph = source->job->opened.graph;
    hop_vertex *counts = items;
    if (meaning == MEANS_DISTANCE && type == HOP_TYPE_INT64) {
        ((int64_t *)items)[index] = from->missing ? HOP_NO_DISTANCE : (int64_t)from->bits;
        return from->missing || (from->whole && (from->negative || from->bits <= INT64_MAX));
    }
    if (meaning == MEANS_DISTANCE) {
        double real = from->missing ? HUGE_VAL : from->real;
        if (type == HOP_TYPE_FLOAT32)
            ((float *)items)[index] = (float)real;
        else
            ((double *)items)[index] = real;
        return type != HOP_TYPE_FLOAT32 || (double)(float)real == real ||
               is_given(source->job->work.given, OPT_TOLERANCE);
    }
    counts[index] = UINT32_MAX;
    if (from->negative && from->whole)
        return true;
    /* Text names vertices by their ids, which may be any number, also those that mean none. */
    if (meaning == MEANS_VERTEX && source->table != NULL && graph != NULL &&
        !hop_graph_named(graph)) {
        counts[index] = from->whole ? hop_graph_find(graph, from->bits) : HOP_NO_VERTEX;
        return counts[index] != HOP_NO_VERTEX || from->missing;
    }
    if (from->missing)
        return true;
    counts[index] = (hop_vertex)from->bits;
    return from->whole && from->bits < UINT32_MAX;
}

/* Vertices that have no row were not reached. */
static void fill_missing(const result_source *source, result_meaning meaning, hop_weight_type type,
                         void *items) {
    const number none = {.missing = true, .whole = true, .negative = true};
    for (hop_vertex v = 0; v < source->rows; v++)
        put(source, &none, meaning, type, items, v);
}

static int compare_names(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Numbers for the names of components, which may be any integers of 64 bits. */
static int put_names(const result_source *source, hop_type type, const void *from, uint64_t rows,
                     const char *what, hop_vertex *items) {
    uint64_t *names = need_memory(NULL, rows + 1, 2 * sizeof *names), *sorted = names + rows + 1;
    uint64_t count = 0;
    int code = CODE_OK;
    for (uint64_t row = 0; row < rows && code == CODE_OK; row++) {
        number each = number_at(type, from, row);
        names[row] = sorted[row] = each.bits;
        if (!each.whole)
            code = job_reject(source->job, "%s: row %s: %s cannot be a %s", source->path,
                              count_text(row + 1).s, real_text(each.real).s, what);
    }
    qsort(sorted, code == CODE_OK ? rows : 0, sizeof *sorted, compare_names);
    for (uint64_t i = 0; i < rows && code == CODE_OK; i++)
        if (i == 0 || sorted[i] != sorted[count - 1])
            sorted[count++] = sorted[i];
    for (uint64_t row = 0; row < rows && code == CODE_OK; row++) {
        const uint64_t *place = bsearch(&names[row], sorted, count, sizeof *sorted, compare_names);
        items[source->vertex_of_row != NULL ? source->vertex_of_row[row] : row] =
            (hop_vertex)(place - sorted);
    }
    free(names);
    return code;
}

int result_column_read(result_source *source, const char *name, size_t place,
                       result_meaning meaning, hop_weight_type type, void *items) {
    hop_type from_type = HOP_TYPE_INT64;
    const void *from = NULL;
    uint64_t rows = source->rows;
    if (source->file != NULL) {
        const hop_array *array = hop_array_file_array(source->file);
        from_type = array->type;
        from = array->items;
    } else {
        rows = hop__result_table_rows(source->table);
        size_t column = column_at(source, name, place);
        if (column == SIZE_MAX && rows > 0)
            return complain(CODE_BAD_INPUT, "%s: there is no column \"%s\"", source->path, name);
        if (rows > 0) {
            from_type = hop__result_table_type(source->table, column);
            from = hop__result_table_items(source->table, column);
        }
        fill_missing(source, meaning, type, items);
    }
    if (meaning == MEANS_NAME)
        return put_names(source, from_type, from, rows, name, items);
    for (uint64_t row = 0; row < rows; row++) {
        number each = number_at(from_type, from, row);
        uint64_t at = source->vertex_of_row != NULL ? source->vertex_of_row[row] : row;
        if (!put(source, &each, meaning, type, items, at))
            return job_reject(source->job, "%s: row %s: %s cannot be a %s", source->path,
                              count_text(row + 1).s, real_text(each.real).s, name);
    }
    return CODE_OK;
}
