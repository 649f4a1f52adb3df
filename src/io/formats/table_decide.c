/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers or names, and which columns: what the first rows of a text of edges say, and the options.
 *
 *  1. Delimiter: that of the options; else a tab if the first line has one; else the one of , ; |
 *     that it has most of; else blanks.
 *  2. A first line is the names of columns when the options say so or name columns by words; or
 *     when it has no number, and the next line has one; or when its first two fields are words
 *     such as "source" and "target". Else it is an edge.
 *  3. Ids are names when the options say so, or when neither end of the first edge is a number.
 *     Else they are numbers, and a name is an error with its line.
 *  4. The ends are columns 1 and 2 and the weight column 3, of two or three; with more columns the
 *     options must name them.
 * Without options, a text whose first line has a number for an end is left to the reader of
 * numbers. */
#include "io/formats/table_decide.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"

enum { MOST_COLUMNS = 256 };

typedef struct row {
    hop__field fields[MOST_COLUMNS];
    unsigned count;
} row;

static char guess_delimiter(const char *line, const char *end) {
    static const char marks[] = ",;|";
    size_t most = 0;
    char best = ' ';
    if (memchr(line, '\t', (size_t)(end - line)) != NULL)
        return '\t';
    for (const char *mark = marks; *mark != '\0'; mark++) {
        size_t count = 0;
        for (const char *at = line; at < end; at++)
            count += *at == *mark;
        if (count > most) {
            most = count;
            best = *mark;
        }
    }
    return best;
}

/* Returns where the next row begins. */
static const char *split(char delimiter, const char *line, const char *end, row *fields) {
    fields->count = 0;
    hop__field_end after = HOP__FIELD_MORE;
    while (after == HOP__FIELD_MORE && fields->count < MOST_COLUMNS)
        after = hop__table_field(delimiter, &line, end, &fields->fields[fields->count++]);
    return line;
}

static bool is_whole(const hop__field *field) {
    size_t digits = 0;
    while (digits < field->length && field->at[digits] >= '0' && field->at[digits] <= '9')
        digits++;
    return digits > 0 && digits == field->length;
}

/* Whether a field looks like a number: signs, digits, a point, an exponent. */
static bool is_number(const hop__field *field) {
    bool digit = false;
    if (field->quoted)
        return false;
    for (size_t i = 0; i < field->length; i++) {
        if (field->at[i] >= '0' && field->at[i] <= '9')
            digit = true;
        else if (strchr("+-.eE", field->at[i]) == NULL || field->at[i] == '\0')
            return false;
    }
    return digit || (field->length >= 3 && strncasecmp(field->at, "inf", 3) == 0) ||
           (field->length == 3 && strncasecmp(field->at, "nan", 3) == 0);
}

static bool is_word(const hop__field *field, const char *const *words) {
    for (; *words != NULL; words++)
        if (field->length == strlen(*words) && strncasecmp(field->at, *words, field->length) == 0)
            return true;
    return false;
}

/* Rule 2, without options. */
static bool looks_like_header(const row *first, const row *second) {
    static const char *const from[] = {"source", "from", "src",  "u",       "node1",     "id1",
                                       "start",  "tail", "head", "from_id", "source_id", NULL};
    static const char *const to[] = {"target", "to",   "dst",  "v",     "node2",     "id2",
                                     "end",    "head", "tail", "to_id", "target_id", NULL};
    bool number = false, words = true;
    for (unsigned c = 0; c < first->count; c++)
        words &= first->fields[c].length > 0 && !is_number(&first->fields[c]);
    for (unsigned c = 0; c < first->count && c < second->count; c++)
        number |= is_number(&second->fields[c]);
    if (words && number)
        return true;
    return first->count >= 2 && is_word(&first->fields[0], from) && is_word(&first->fields[1], to);
}

/* The next row of the block, from `line` on, without taking it; nothing when there is none. */
static void second_row(const hop__text *text, const char *line, char delimiter, row *fields) {
    const char *end = text->block + text->count;
    fields->count = 0;
    for (;;) {
        if (line == end)
            return;
        const char *stop = hop__line_end(line, end), *at = hop__skip_blanks(line, stop);
        if (at < stop && *at != '#' && *at != '%') {
            (void)split(delimiter, line, end, fields);
            return;
        }
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline == NULL ? end : newline + 1;
    }
}

/* ---- columns -------------------------------------------------------------------------------- */

static hop_status fail_column(const hop__text *text, const char *word, size_t length,
                              const row *first, bool header) {
    char names[160] = "";
    size_t used = 0;
    for (unsigned c = 0; header && c < first->count && used + 2 < sizeof names; c++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", c > 0 ? ", " : "",
                                 (int)(first->fields[c].length < 40 ? first->fields[c].length : 40),
                                 first->fields[c].at);
    return hop__input_fail_line(text->context, text->input, text->line,
                                "no column \"%.*s\" among %u%s%s", length < 60 ? (int)length : 60,
                                word, first->count, header ? ": " : "", names);
}

/* The place of one word of the option: a number from 1 up, or a name of the header. */
static hop_status find_column(const hop__text *text, const char *word, size_t length,
                              const row *first, bool header, unsigned *place) {
    hop__field field = {.at = word, .length = length};
    if (is_whole(&field) && length < 6) {
        unsigned number = 0;
        for (size_t i = 0; i < length; i++)
            number = 10 * number + (unsigned)(word[i] - '0');
        if (number >= 1 && number <= first->count) {
            *place = number - 1;
            return HOP_OK;
        }
    }
    for (unsigned c = 0; header && c < first->count; c++)
        if (first->fields[c].length == length && memcmp(first->fields[c].at, word, length) == 0) {
            *place = c;
            return HOP_OK;
        }
    return fail_column(text, word, length, first, header);
}

static hop_status named_columns(const hop__text *text, const char *columns, const row *first,
                                bool header, hop__table *table) {
    unsigned count = 0;
    for (const char *word = columns;; word++) {
        size_t length = strcspn(word, ",");
        if (count == 3)
            return hop__fail(text->context, HOP_ERR_ARGUMENT,
                             "read: columns \"%.60s\": two ends and a weight are three at most",
                             columns);
        hop_status status = find_column(text, word, length, first, header, &table->place[count++]);
        if (status != HOP_OK)
            return status;
        word += length;
        if (*word == '\0')
            break;
    }
    if (count < 2)
        return hop__fail(text->context, HOP_ERR_ARGUMENT,
                         "read: columns \"%.60s\": two ends are needed", columns);
    return HOP_OK;
}

static bool has_words(const char *columns) {
    return columns != NULL && strspn(columns, "0123456789,") != strlen(columns);
}

static hop_status choose_columns(const hop__text *text, const hop_read_options *options,
                                 const row *first, bool header, hop__table *table) {
    table->columns = first->count;
    table->exact = options->columns == NULL;
    for (unsigned i = 0; i < 3; i++)
        table->place[i] = HOP__NO_COLUMN;
    if (options->columns != NULL)
        return named_columns(text, options->columns, first, header, table);
    if (first->count < 2 || first->count > 3)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "%u column%s, expected 2 or 3 (two ends and a weight); of more "
                                    "say which are meant (columns)",
                                    first->count, first->count == 1 ? "" : "s");
    for (unsigned i = 0; i < first->count; i++)
        table->place[i] = i;
    return HOP_OK;
}

/* ---- the decision --------------------------------------------------------------------------- */

/* Whether a text that nothing was asked of is one for the reader of numbers: one that has a number
 * for an end, and what is no table at all, about which that reader says more. */
static bool is_plain(const row *first, const char *line, const char *end) {
    const char *at = hop__skip_blanks(line, end);
    if (first->count < 2 || at == end || strchr("<{[", *at) != NULL)
        return true;
    for (const char *byte = at; byte < end; byte++)
        if ((unsigned char)*byte < 0x20 && *byte != '\t' && *byte != '\r')
            return true;
    /* A number and a word is a mistake more often than two names, and so are -1 and 2.5. */
    return is_number(&first->fields[0]) || is_number(&first->fields[1]);
}

static bool is_asked(const hop_read_options *options) {
    return options->columns != NULL || options->delimiter != 0 || options->names ||
           options->header != HOP_HEADER_AUTO;
}

static hop_status settle(hop__text *text, const hop_read_options *options, bool ours,
                         const row *first, const row *second, hop__table *table) {
    bool header = options->header == HOP_HEADER_YES ||
                  (options->header == HOP_HEADER_AUTO && !ours &&
                   (has_words(options->columns) || looks_like_header(first, second)));
    hop_status status = choose_columns(text, options, first, header, table);
    if (status != HOP_OK)
        return status;
    const row *edge = header ? second : first;
    bool words = true;
    for (unsigned i = 0; i < 2; i++)
        words &= table->place[i] < edge->count && !is_number(&edge->fields[table->place[i]]);
    bool names = options->names || ours || words;
    if (header) {
        hop__log(text->context, HOP_LOG_INFO, "%s: line %llu has the names of columns",
                 hop__input_name(text->input), (unsigned long long)text->line);
        hop__text_take(text);
    }
    return names && table->names == NULL ? hop__name_index_create(text->context, &table->names)
                                         : HOP_OK;
}

hop_status hop__table_decide(hop__text *text, const hop_read_options *options, bool ours,
                             hop__table *table, bool *is_table) {
    row *rows = NULL;
    const char *line, *end;
    hop_status status;
    *is_table = false;
    HOP_TRY(status, hop__text_line(text, &line, &end));
    if (line == NULL) {
        *is_table = ours; /* without edges */
        if (ours && table->names == NULL)
            status = hop__name_index_create(text->context, &table->names);
        return status;
    }
    HOP_TRY(status, hop__alloc(text->context, "columns", 2, sizeof *rows, &rows));
    table->delimiter = options->delimiter != 0 ? options->delimiter
                       : ours                  ? '\t'
                                               : guess_delimiter(line, end);
    /* A field in quotes may go on over the end of the line. */
    const char *next = split(table->delimiter, line, text->block + text->count, &rows[0]);
    second_row(text, next, table->delimiter, &rows[1]);
    *is_table = ours || is_asked(options) || !is_plain(&rows[0], line, end);
    if (*is_table)
        HOP_TRY(status, settle(text, options, ours, &rows[0], &rows[1], table));
done:
    hop__free(rows);
    return status;
}
