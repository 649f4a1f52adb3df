/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers or names, and which columns: what the first rows of a text of edges say, and the options.
 *
 *  1. Delimiter: that of the options; else, as spreadsheets have it, X of a first line "sep=X",
 *     which is no row; else a tab if the first row has one; else the one of , ; | that it has most
 *     of; else blanks. What is in quotes, or from a { on, is not looked at.
 *  2. A field is a number when all of it is what the parser of numbers takes, in quotes or not.
 *     inf and nan are numbers, but not where an end is. With names asked for, no end is a number.
 *  3. A first row is the names of columns when the options say so or name columns by words; or
 *     when it has no number and no empty field, and the next row has a number; or when its first
 *     two fields are words such as "source" and "target". Else it is an edge. A warning says so
 *     where it is only likely: no such words, or node1 and node2 and no number.
 *  4. Ids are names when the options say so, or when neither end of the first edge is a number.
 *     Else they are numbers, and a name is an error with its line.
 *  5. The ends are columns 1 and 2 and the weight column 3, of two or three; with more columns the
 *     options must name them.
 * What is looked at depends on the text alone, not on how it is cut into blocks.
 *
 * Without options, a text whose first row has a number for an end is left to the reader of
 * numbers, unless its delimiter is ; or | or its first two rows have quotes. */
#include "io/formats/table_decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/text/text_number.h"

/* LOOK: bytes from the first row on that the decision may look at, if that row is not longer. */
enum { MOST_COLUMNS = 256, LOOK = 1 << 18 };

typedef struct row {
    hop__field fields[MOST_COLUMNS];
    unsigned count;
    bool whole; /* its end was found, and its quotes are right */
} row;

/* What the decision looks at. */
typedef struct view {
    row first, second;
    unsigned ends[2]; /* columns of the two ends, as far as they are known before the header is */
    bool names;       /* asked for */
    hop__reals reals;
} view;

/* Behind the quoted stretch that begins at `at`. */
static const char *skip_quoted(const char *at, const char *end) {
    for (at++; at < end; at++)
        if (*at == '"' && (at + 1 == end || *++at != '"'))
            break;
    return at;
}

/* The delimiter of the row at `line`; a quote begins a stretch only where a field may begin. */
static char guess_delimiter(const char *line, const char *end) {
    static const char marks[] = "\t,;|";
    size_t counts[sizeof marks - 1] = {0};
    bool begins = true;
    for (const char *at = line; at < end && *at != '\n' && *at != '{';) {
        if (begins && *at == '"') {
            at = skip_quoted(at, end);
            begins = false;
            continue;
        }
        const char *mark = *at == '\0' ? NULL : strchr(marks, *at);
        if (mark != NULL)
            counts[mark - marks]++;
        begins = mark != NULL || *at == ' ';
        at++;
    }
    size_t best = 1;
    for (size_t i = 2; i < sizeof marks - 1; i++)
        best = counts[i] > counts[best] ? i : best;
    return counts[0] > 0 ? '\t' : counts[best] > 0 ? marks[best] : ' ';
}

/* Returns where the next row begins. */
static const char *split(char delimiter, const char *line, const char *end, row *fields) {
    hop__field rest;
    hop__field_end after = HOP__FIELD_MORE;
    fields->count = 0;
    while (after == HOP__FIELD_MORE)
        after = hop__text_field(delimiter, &line, end,
                                fields->count < MOST_COLUMNS ? &fields->fields[fields->count++]
                                                             : &rest);
    fields->whole = after == HOP__FIELD_LAST;
    return line;
}

static bool is_whole(const hop__field *field) {
    size_t digits = 0;
    while (digits < field->length && field->at[digits] >= '0' && field->at[digits] <= '9')
        digits++;
    return digits > 0 && digits == field->length;
}

/* Rule 2. */
static bool is_number(const view *seen, const hop__field *field) {
    char copy[80] = {0}; /* the delimiter that follows may be a character of numbers */
    const char *at = field->at;
    hop__number number;
    if (field->length == 0)
        return false;
    if (field->length <= 64)
        at = memcpy(copy, field->at, field->length);
    return hop__take_number(&seen->reals, at, at + field->length, &number) == at + field->length;
}

/* The same of a weight; 1,5 was meant as one too, and is refused as one when it is read. */
static bool is_weight(const view *seen, const hop__field *field) {
    size_t comma = 0;
    while (comma < field->length && field->at[comma] != ',')
        comma++;
    if (comma == 0 || comma + 1 >= field->length)
        return is_number(seen, field);
    hop__field parts[2] = {*field, *field};
    parts[0].length = comma;
    parts[1].at += comma + 1;
    parts[1].length -= comma + 1;
    return is_number(seen, &parts[0]) && is_whole(&parts[1]);
}

/* The same where an end is. */
static bool is_number_id(const view *seen, const hop__field *field) {
    bool sign = field->length > 0 && (field->at[0] == '-' || field->at[0] == '+');
    return is_number(seen, field) && strchr("iInN", field->at[sign]) == NULL;
}

static bool is_end(const view *seen, unsigned column) {
    return column == seen->ends[0] || column == seen->ends[1];
}

static bool is_word(const hop__field *field, const char *const *words) {
    for (; *words != NULL; words++)
        if (field->length == strlen(*words) && strncasecmp(field->at, *words, field->length) == 0)
            return true;
    return false;
}

/* A vertex may be called node1. */
static bool ends_in_digit(const hop__field *field) {
    return field->length > 0 && field->at[field->length - 1] >= '0' &&
           field->at[field->length - 1] <= '9';
}

/* Rule 3, without options. */
typedef enum header_guess { NO_HEADER, LIKELY_HEADER, SURE_HEADER } header_guess;

static header_guess guess_header(const view *seen) {
    static const char *const from[] = {"source", "from",    "src",       "node1",
                                       "id1",    "from_id", "source_id", NULL};
    static const char *const to[] = {"target", "to",    "dst",       "node2",
                                     "id2",    "to_id", "target_id", NULL};
    const row *first = &seen->first, *second = &seen->second;
    bool number = false, words = true;
    for (unsigned c = 0; c < first->count; c++)
        words &= first->fields[c].length > 0 &&
                 !(is_end(seen, c) ? is_number_id : is_weight)(seen, &first->fields[c]);
    for (unsigned c = 0; c < first->count && c < second->count; c++)
        number |= is_end(seen, c) ? !seen->names && is_number_id(seen, &second->fields[c])
                                  : is_weight(seen, &second->fields[c]);
    bool known =
        first->count >= 2 && is_word(&first->fields[0], from) && is_word(&first->fields[1], to);
    if (!known)
        return words && number ? LIKELY_HEADER : NO_HEADER;
    return (words && number) || !ends_in_digit(&first->fields[0]) ? SURE_HEADER : LIKELY_HEADER;
}

/* The first line from `line` on that is no comment and not blank; NULL: there is none. */
static const char *next_row(const char *line, const char *end) {
    while (line < end) {
        const char *stop = hop__line_end(line, end), *at = hop__skip_blanks(line, stop);
        if (at < stop && *at != '#' && *at != '%')
            return line;
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline == NULL ? end : newline + 1;
    }
    return NULL;
}

/* The columns of the row at *at, which moves behind it; 0 when something is wrong with its quotes.
 */
static unsigned count_columns(char delimiter, const char **at, const char *end) {
    unsigned count = 0;
    hop__field field;
    hop__field_end after = HOP__FIELD_MORE;
    for (; after == HOP__FIELD_MORE; count++)
        after = hop__text_field(delimiter, at, end, &field);
    return after == HOP__FIELD_LAST ? count : 0;
}

/* What has wrong quotes is a table too: its reader says which. */
bool hop__table_seen(const char *text, const char *end, bool cut) {
    char delimiter = guess_delimiter(text, end);
    if (delimiter == ' ')
        return false;
    const char *at = text;
    unsigned first = count_columns(delimiter, &at, end);
    if (first == 0)
        return true;
    at = next_row(at, end);
    if (at == NULL)
        return cut;
    unsigned second = count_columns(delimiter, &at, end);
    return second == 0 || second == first || (cut && at == end);
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
    hop__input_fail_line(text->context, text->input, text->line, "no column \"%.*s\" among %u%s%s",
                         length < 60 ? (int)length : 60, word, first->count, header ? ": " : "",
                         names);
    return hop__note_need(text->context, HOP_KIND_FIELDS, HOP_UNKNOWN, first->count);
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
    if (first->whole && (first->count < 2 || first->count > 3)) {
        hop__input_fail_line(text->context, text->input, text->line,
                             "%u column%s, expected 2 or 3 (two ends and a weight); the "
                             "option columns says which are meant",
                             first->count, first->count == 1 ? "" : "s");
        return hop__note_need(text->context, HOP_KIND_FIELDS, HOP_UNKNOWN, first->count);
    }
    /* Of a first row with wrong quotes the reader of rows says what is wrong. */
    for (unsigned i = 0; i < 2 || (i == 2 && first->count > 2); i++)
        table->place[i] = i;
    return HOP_OK;
}

/* ---- the decision --------------------------------------------------------------------------- */

static bool has_quotes(const row *fields) {
    bool quoted = false;
    for (unsigned c = 0; c < fields->count; c++)
        quoted |= fields->fields[c].quoted;
    return quoted;
}

/* Whether a text that nothing was asked of is one for the reader of numbers: one that has a number
 * for an end, and what is no table at all, about which that reader says more. */
static bool is_plain(const view *seen, char delimiter, const char *line, const char *end) {
    const char *at = hop__skip_blanks(line, end);
    if (seen->first.count < 2 || at == end || strchr("<{[", *at) != NULL)
        return true;
    for (const char *byte = at; byte < end; byte++)
        if ((unsigned char)*byte < 0x20 && *byte != '\t' && *byte != '\r')
            return true;
    /* That reader knows neither quotes nor other delimiters. */
    if (delimiter == ';' || delimiter == '|' || has_quotes(&seen->first) ||
        has_quotes(&seen->second))
        return false;
    /* A number and a word is a mistake more often than two names, and so are -1 and 2.5. */
    return is_number_id(seen, &seen->first.fields[0]) || is_number_id(seen, &seen->first.fields[1]);
}

static bool is_asked(const hop_read_options *options) {
    return options->columns != NULL || options->delimiter != 0 || options->names ||
           options->header != HOP_HEADER_AUTO;
}

/* Takes the lines of the header. */
static hop_status take_header(hop__text *text, bool unsure, size_t bytes) {
    if (unsure)
        hop__log_remedy(text->context, HOP_LOG_WARNING, HOP_REMEDY_SAY_HEADER,
                        "%s: line %llu is taken as the names of the columns, not as an edge",
                        hop__input_name(text->input), (unsigned long long)text->line);
    else
        hop__log(text->context, HOP_LOG_INFO, "%s: line %llu has the names of the columns",
                 hop__input_name(text->input), (unsigned long long)text->line);
    return hop__text_skip(text, bytes);
}

static hop_status settle(hop__text *text, const hop_read_options *options, char ours,
                         const view *seen, size_t first_bytes, hop__table *table) {
    bool unsaid = options->header == HOP_HEADER_AUTO;
    bool told = options->header == HOP_HEADER_YES || (unsaid && ours == ',') ||
                (unsaid && ours == 0 && has_words(options->columns));
    header_guess guess = !told && unsaid && ours == 0 ? guess_header(seen) : NO_HEADER;
    bool header = told || guess != NO_HEADER;
    table->unsaid = unsaid && ours == 0 && !header;
    hop_status status = choose_columns(text, options, &seen->first, header, table);
    if (status != HOP_OK)
        return status;
    const row *edge = header ? &seen->second : &seen->first;
    bool words = true;
    for (unsigned i = 0; i < 2; i++)
        words &=
            table->place[i] < edge->count && !is_number_id(seen, &edge->fields[table->place[i]]);
    bool names = options->names || ours != 0 || words;
    if (header && seen->first.whole) /* else the reader of rows says what is wrong with it */
        status = take_header(text, guess == LIKELY_HEADER, first_bytes);
    return status == HOP_OK && names && table->names == NULL
               ? hop__name_index_create(text->context, &table->names)
               : status;
}

/* Columns that are numbers are known at once; words are looked for in a header that is told. */
static void find_ends(const hop_read_options *options, view *seen) {
    const char *at = options->columns;
    bool numbers = at != NULL && !has_words(at);
    for (unsigned i = 0; i < 2; i++) {
        char *after;
        seen->ends[i] = i;
        if (numbers) {
            seen->ends[i] = (unsigned)strtoul(at, &after, 10) - 1;
            at = after + (*after == ',');
        }
    }
    seen->names = options->names;
}

/* Takes a line "sep=X" that is looked at, and what it says; *line is the one after it then. */
static hop_status take_separator(hop__text *text, const char **line, const char **end, char *mark) {
    if (*line == NULL || *end - *line != 5 || memcmp(*line, "sep=", 4) != 0)
        return HOP_OK;
    *mark = (*line)[4];
    hop__text_take(text);
    return hop__text_line(text, line, end);
}

hop_status hop__table_decide(hop__text *text, const hop_read_options *options, char ours,
                             hop__table *table, bool *is_table) {
    view *seen = NULL;
    const char *line, *end;
    char mark = 0;
    hop_status status;
    *is_table = false;
    HOP_TRY(status, hop__text_line(text, &line, &end));
    if (ours == 0)
        HOP_TRY(status, take_separator(text, &line, &end, &mark));
    if (line == NULL) {
        *is_table = ours != 0; /* without edges */
        if (ours != 0 && table->names == NULL)
            status = hop__name_index_create(text->context, &table->names);
        return status;
    }
    HOP_TRY(status, hop__alloc(text->context, "columns", 1, sizeof *seen, &seen));
    if (!hop__reals_init(&seen->reals))
        HOP_TRY(status, hop__fail(text->context, HOP_ERR_MEMORY, "%s: no memory for the C locale",
                                  hop__input_name(text->input)));
    /* A field in quotes may go on over the end of the line, and the block. */
    const char *all;
    size_t length = (size_t)(end - line);
    HOP_TRY(status, hop__text_ahead(text, length < LOOK ? LOOK : length + 1, &line, &all));
    end = line + length;
    table->delimiter = options->delimiter != 0 ? options->delimiter
                       : ours != 0             ? ours
                       : mark != 0             ? mark
                                               : guess_delimiter(line, all);
    const char *next = split(table->delimiter, line, all, &seen->first);
    const char *second = next_row(next, all);
    seen->second.count = 0;
    if (second != NULL)
        (void)split(table->delimiter, second, all, &seen->second);
    find_ends(options, seen);
    *is_table =
        ours != 0 || mark != 0 || is_asked(options) || !is_plain(seen, table->delimiter, line, end);
    if (*is_table)
        HOP_TRY(status, settle(text, options, ours, seen, (size_t)(next - line), table));
done:
    if (seen != NULL)
        hop__reals_clear(&seen->reals);
    hop__free(seen);
    return status;
}
