/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of numbers from text: results of ours and of other programs.
 *
 * A column is kept as 8 bytes per number: integers until the first number that is none comes, then
 * everything is turned into reals. Numbers beyond int64 make a column unsigned; such a column must
 * not have negative numbers too. One thread: results are read once, and arrays (.npy) are for the
 * large ones. Memory: 8 bytes per number, twice while it grows. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"
#include "io/results/result_table.h"
#include "io/text/text_field.h"
#include "io/text/text_number.h"
#include "io/text/text_scan.h"

enum { NAME_BYTES = 32, FIRST_ROOM = 1024 };

typedef union cell {
    int64_t integer;
    uint64_t bits;
    double real;
} cell;

typedef struct table_column {
    char name[NAME_BYTES];
    cell *cells;
    hop_type type;
    bool negative, infinite; /* some number is, and not just -1 */
    bool none, largest;      /* there is -1, or 2^64 - 1 */
} table_column;

struct hop__result_table {
    size_t columns;
    uint64_t rows, room;
    table_column column[HOP__TABLE_COLUMNS];
    size_t names;           /* how many the line of names has */
    const hop_graph *graph; /* whose vertices have names of text; NULL: columns are numbers */
    char delimiter;         /* of the line of names */
};

uint64_t hop__result_table_rows(const hop__result_table *table) {
    return table->rows;
}

size_t hop__result_table_columns(const hop__result_table *table) {
    return table->columns;
}

const char *hop__result_table_name(const hop__result_table *table, size_t column) {
    bool named = column < table->columns && table->names == table->columns;
    return named ? table->column[column].name : NULL;
}

hop_type hop__result_table_type(const hop__result_table *table, size_t column) {
    return table->column[column].type;
}

const void *hop__result_table_items(const hop__result_table *table, size_t column) {
    return table->column[column].cells;
}

void hop__result_table_free(hop__result_table *table) {
    for (size_t c = 0; table != NULL && c < HOP__TABLE_COLUMNS; c++)
        hop__free(table->column[c].cells);
    hop__free(table);
}

static bool is_separator(char byte) {
    return byte == ' ' || byte == '\t' || byte == ',';
}

/* Names, if there are few enough of them and they are not sentences. */
static void take_names(hop__result_table *table, const char *at, const char *end) {
    size_t count = 0, length = (size_t)(end - at);
    table->delimiter = memchr(at, '\t', length) ? '\t' : memchr(at, ',', length) ? ',' : ' ';
    while (at < end && (*at == '#' || *at == '%'))
        at++;
    for (;;) {
        while (at < end && is_separator(*at))
            at++;
        const char *word = at;
        while (at < end && !is_separator(*at))
            at++;
        if (word == at)
            break;
        if (count == HOP__TABLE_COLUMNS || at - word >= NAME_BYTES)
            return;
        memcpy(table->column[count].name, word, (size_t)(at - word));
        table->column[count++].name[at - word] = '\0';
    }
    table->names = count;
}

static hop_status grow(hop_context *context, hop__result_table *table) {
    hop_status status = HOP_OK;
    if (table->rows < table->room)
        return HOP_OK;
    uint64_t room = table->room == 0 ? FIRST_ROOM : 2 * table->room;
    for (size_t c = 0; c < table->columns && status == HOP_OK; c++) {
        cell **cells = &table->column[c].cells;
        status = *cells == NULL ? hop__alloc(context, "table", room, sizeof(cell), cells)
                                : hop__resize(context, "table", room, sizeof(cell), cells);
    }
    if (status == HOP_OK)
        table->room = room;
    return status;
}

static void make_real(table_column *column, uint64_t rows) {
    for (uint64_t i = 0; i < rows; i++) {
        cell *each = &column->cells[i];
        double real;
        if (column->type == HOP_TYPE_UINT64)
            real = (double)each->bits;
        else
            real = each->integer == INT64_MAX ? HUGE_VAL : (double)each->integer;
        each->real = real;
    }
    column->type = HOP_TYPE_FLOAT64;
}

/* Puts a number into the next row; false when the column cannot hold it beside the others. */
static bool put(table_column *column, uint64_t row, const hop__number *number, uint64_t large) {
    cell *slot = &column->cells[row];
    bool integer = number->kind == HOP__NUMBER_INTEGER, huge = number->kind == HOP__NUMBER_LARGE;
    /* -1 says "none" in columns of ids, and is kept as the largest of 64 bits; but not beside it.
     */
    column->none |= integer && number->integer == -1;
    column->negative |= integer && number->integer < -1;
    column->infinite |= number->kind == HOP__NUMBER_REAL && isinf(number->real);
    if (huge && large == 0) /* beyond 64 bits too */
        return false;
    if (huge && column->type == HOP_TYPE_INT64)
        column->type = HOP_TYPE_UINT64;
    column->largest |= huge && large == UINT64_MAX;
    if (column->type == HOP_TYPE_UINT64 &&
        (column->negative || column->infinite || (column->none && column->largest)))
        return false;
    if (number->kind == HOP__NUMBER_REAL && number->real == HUGE_VAL &&
        column->type == HOP_TYPE_INT64) {
        slot->integer = INT64_MAX;
        return true;
    }
    if (number->kind == HOP__NUMBER_REAL && column->type != HOP_TYPE_FLOAT64)
        make_real(column, row);
    if (column->type == HOP_TYPE_FLOAT64)
        slot->real = number->real;
    else
        slot->bits = huge ? large : (uint64_t)number->integer;
    return true;
}

static hop_status fail_cell(hop_context *context, const hop__text *text, const char *at,
                            const char *end) {
    char quote[64];
    return hop__input_fail_line(context, text->input, text->line, "%s found, a number expected",
                                hop__text_quote(at, end, quote));
}

/* Whether the column has names of vertices. */
static bool is_vertices(const hop__result_table *table, size_t column) {
    const char *name = table->column[column].name;
    return table->graph != NULL && column < table->names &&
           ((column == 0 && table->names > 1) || strcmp(name, "parent") == 0 ||
            strcmp(name, "component") == 0);
}

/* The name at `at` as the number of its vertex. What follows it, or NULL: it is none. */
static const char *take_vertex(const hop__result_table *table, const char *at, const char *end,
                               hop__number *number) {
    char text[2 * HOP_MAX_NAME];
    hop__field field;
    hop__field_end after = hop__text_field(table->delimiter, &at, end, &field);
    *number = (hop__number){.kind = HOP__NUMBER_INTEGER, .integer = -1};
    if ((after != HOP__FIELD_MORE && after != HOP__FIELD_LAST) || field.length > sizeof text)
        return NULL;
    if (!field.quoted && field.length == 2 && memcmp(field.at, "-1", 2) == 0)
        return at;
    if (field.doubled) {
        field.length = hop__field_copy(&field, text);
        field.at = text;
    }
    number->integer = hop_graph_find_name(table->graph, field.at, field.length);
    return number->integer == HOP_NO_VERTEX ? NULL : at;
}

/* One line of numbers. The first line decides how many there are. */
static hop_status take_row(hop_context *context, const hop__text *text, const hop__reals *reals,
                           hop__result_table *table, const char *at, const char *end) {
    size_t count = 0;
    hop_status status = grow(context, table);
    for (; status == HOP_OK; count++) {
        while (at < end && is_separator(*at))
            at++;
        if (at == end)
            break;
        if (count == (table->columns > 0 ? table->columns : HOP__TABLE_COLUMNS))
            return hop__input_fail_line(context, text->input, text->line,
                                        "more than %zu numbers found", count);
        if (table->columns == 0 && table->column[count].cells == NULL)
            HOP_TRY(status, hop__alloc(context, "table", FIRST_ROOM, sizeof(cell),
                                       &table->column[count].cells));
        hop__number number;
        uint64_t large = 0;
        bool vertex = is_vertices(table, count);
        const char *after = vertex ? take_vertex(table, at, end, &number)
                                   : hop__take_number(reals, at, end, &number);
        if (after == NULL && vertex)
            return hop__input_fail_line(context, text->input, text->line,
                                        "column %zu has no name of the graph's vertices",
                                        count + 1);
        if (after == NULL || (!vertex && after < end && !is_separator(*after)) ||
            number.kind == HOP__NUMBER_NAN || number.kind == HOP__NUMBER_OVERFLOW)
            return fail_cell(context, text, at, end);
        if (number.kind == HOP__NUMBER_LARGE && (*at < '0' || hop__take_u64(at, &large) == NULL))
            large = 0;
        if (!put(&table->column[count], table->rows, &number, large))
            return hop__input_fail_line(context, text->input, text->line,
                                        "column %zu has numbers beyond 64 bits, or beyond 63 bits "
                                        "and negative or infinite ones as well",
                                        count + 1);
        at = after;
    }
    if (status == HOP_OK && count == 0)
        return hop__input_fail_line(context, text->input, text->line,
                                    "no number found, only separators");
    if (status == HOP_OK && table->columns > 0 && count != table->columns)
        return hop__input_fail_line(context, text->input, text->line,
                                    "%zu numbers found, %zu expected as in the lines before", count,
                                    table->columns);
done:
    if (table->columns == 0) {
        table->columns = count;
        table->room = FIRST_ROOM;
    }
    table->rows++;
    return status;
}

static bool begins_number(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.';
}

static hop_status take_lines(hop_context *context, hop__text *text, const hop__reals *reals,
                             hop__result_table *table) {
    const char *line, *end;
    bool first = true;
    hop_status status;
    for (;;) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            break;
        const char *at = hop__skip_blanks(line, end);
        bool comment = at < end && (*at == '#' || *at == '%');
        if (first && at < end && (comment || !begins_number(*at)))
            take_names(table, at, end);
        else if (at < end && !comment)
            HOP_TRY(status, take_row(context, text, reals, table, at, end));
        first &= at == end;
        hop__text_take(text);
    }
done:
    return status;
}

hop_status hop__result_table_read(hop_context *context, const char *path, const hop_graph *graph,
                                  hop__result_table **result) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (path == NULL || result == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop__result_table_read: %s is NULL",
                         path == NULL ? "the path" : "the result");
    hop__input *input = NULL;
    hop__result_table *table = NULL;
    hop__reals reals;
    hop__text text;
    hop_status status;
    bool ready = false;
    *result = NULL;
    ready = hop__reals_init(&reals);
    if (!ready)
        HOP_TRY(status, hop__fail(context, HOP_ERR_MEMORY, "%s: no memory for a locale", path));
    HOP_TRY(status, hop__input_open(context, path, NULL, &input));
    HOP_TRY(status, hop__alloc_zero(context, "table", 1, sizeof *table, &table));
    table->graph = graph;
    for (size_t c = 0; c < HOP__TABLE_COLUMNS; c++)
        table->column[c].type = HOP_TYPE_INT64;
    HOP_TRY(status, hop__text_open(&text, context, input, "#%"));
    status = take_lines(context, &text, &reals, table);
    HOP_TRY(status, hop__text_close(&text, status));
    *result = table;
    table = NULL;
done:
    if (ready)
        hop__reals_clear(&reals);
    hop__input_close(input);
    hop__result_table_free(table);
    return hop__file_done(context, status, path);
}
