/* SPDX-License-Identifier: Apache-2.0
 * Rows of tables; see table_record.h. */
#include "io/formats/table_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/text/text_number.h"
#include "io/text/text_stops.h"

enum { BATCH = HOP__NAME_BATCH / 2, WINDOW = 2048 };

/* ---- rows ----------------------------------------------------------------------------------- */

const char *hop__table_row_end(const hop__record_form *form, const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline == NULL ? end : newline + 1;
    hop__field field;
    if (memchr(at, '"', (size_t)(stop - at)) == NULL)
        return stop;
    for (;;) {
        switch (hop__text_field(form->table->delimiter, &at, end, &field)) {
        case HOP__FIELD_MORE:
            break;
        case HOP__FIELD_LAST:
            return at;
        case HOP__FIELD_OPEN:
            return NULL;
        case HOP__FIELD_AFTER: /* wrong, which is said when the row is parsed */
            newline = memchr(at, '\n', (size_t)(end - at));
            return newline == NULL ? end : newline + 1;
        }
    }
}

const char *hop__table_count(const hop__record_form *form, const char *begin, const char *end,
                             uint64_t *lines, uint64_t *records) {
    if (begin == end || memchr(begin, '"', (size_t)(end - begin)) == NULL) {
        hop__records_count(form, begin, end, lines, records);
        return NULL;
    }
    *lines = hop__text_newlines(begin, end) + (end[-1] != '\n');
    *records = 0;
    for (const char *at = begin; at < end;) {
        if (hop__record_is_empty(form, at, hop__line_end(at, end))) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline == NULL ? end : newline + 1;
            continue;
        }
        const char *row = at;
        at = hop__table_row_end(form, row, end);
        ++*records;
        if (at == NULL)
            return row;
    }
    return NULL;
}

HOP_PRINTF(2, 3)
static bool wrong(hop__record_fault *fault, const char *format, ...) {
    if (fault != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(fault->message, sizeof fault->message, format, arguments);
        va_end(arguments);
        fault->kind = HOP_KIND_SYNTAX;
    }
    return false;
}

static bool wrong_columns(const hop__table *table, unsigned found, hop__record_fault *fault) {
    unsigned need = table->columns;
    if (!table->exact)
        for (unsigned i = need = 0; i < 3; i++)
            if (table->place[i] != HOP__NO_COLUMN && table->place[i] + 1 > need)
                need = table->place[i] + 1;
    wrong(fault, "%u column%s, expected %s%u%s", found, found == 1 ? "" : "s",
          table->exact ? "" : "at least ", need, table->exact ? " as in the first row" : "");
    if (fault != NULL) {
        fault->kind = HOP_KIND_FIELDS;
        fault->numbers = found;
    }
    return false;
}

/* Whether a row of so many columns, of which so many matter, is one of the table. Where quotes of
 * the first row are wrong the table has fewer columns than are needed. */
static inline bool is_complete(const hop__table *table, unsigned columns, unsigned got) {
    unsigned need = table->place[2] == HOP__NO_COLUMN ? 2 : 3;
    return got == need && (!table->exact || columns == table->columns);
}

/* The fields of a row that matter; *at moves behind it. */
static bool take_fields(const hop__record_form *form, const char **at, const char *end,
                        hop__field fields[3], hop__record_fault *fault) {
    const hop__table *table = form->table;
    unsigned column = 0, got = 0;
    char found[64];
    for (;; column++) {
        hop__field field;
        hop__field_end after = hop__text_field(table->delimiter, at, end, &field);
        for (unsigned i = 0; i < 3; i++)
            if (table->place[i] == column) {
                fields[i] = field;
                got++;
            }
        if (after == HOP__FIELD_OPEN)
            return wrong(fault, "a quote that is not closed");
        if (after == HOP__FIELD_AFTER)
            return wrong(fault, "found %s after a closing quote, expected %s",
                         hop__text_quote(*at, hop__line_end(*at, end), found),
                         table->delimiter == ' ' ? "a blank" : "the delimiter");
        if (after == HOP__FIELD_LAST)
            break;
    }
    return is_complete(table, column + 1, got) || wrong_columns(table, column + 1, fault);
}

/* The field in quotes, for messages. */
static const char *shown(const hop__field *field, char text[72]) {
    snprintf(text, 72, "%s", hop__name_text(field->at, field->length).s);
    return text;
}

static bool wrong_word(const hop__field *field, hop_error_kind kind, const char *expected,
                       hop__record_fault *fault) {
    char text[72];
    wrong(fault, "found %s, expected %s", shown(field, text), expected);
    if (fault != NULL) {
        snprintf(fault->found, sizeof fault->found, "%.*s",
                 field->length < 63 ? (int)field->length : 63, field->at);
        fault->kind = kind;
    }
    return false;
}

static bool take_number_id(const hop__field *field, uint64_t *id, hop__record_fault *fault) {
    const char *next = hop__take_u64(field->at, id);
    return (next != NULL && next == field->at + field->length) ||
           wrong_word(field, HOP_KIND_ID, "a vertex id (a whole number from 0 up)", fault);
}

static bool take_weight(const hop__record_form *form, const hop__field *field, hop__number *weight,
                        hop__record_fault *fault) {
    const char *end = field->at + field->length;
    if (field->length == 0)
        return wrong(fault,
                     "the weight is missing: column %u is empty; delete such rows, or read without "
                     "weights",
                     form->table->place[2] + 1);
    const char *next = hop__take_number(form->reals, field->at, end, weight);
    if (next != end || weight->kind == HOP__NUMBER_BAD)
        return wrong_word(field, HOP_KIND_WORD, "a weight", fault);
    if (weight->kind == HOP__NUMBER_NAN)
        return wrong(fault, "the weight is NaN, expected a number");
    if (weight->kind == HOP__NUMBER_OVERFLOW)
        return wrong_word(field, HOP_KIND_WORD, "a weight that a float64 can hold", fault);
    return true;
}

/* Everything about a row but the numbers of its names. */
static bool take_row(const hop__record_form *form, const char **at, const char *end,
                     hop__field fields[3], hop__record *record, hop__record_fault *fault) {
    const hop__table *table = form->table;
    if (!take_fields(form, at, end, fields, fault))
        return false;
    if (fields[0].length == 0 && fields[1].length == 0)
        return wrong(fault, "both ends are missing: columns %u and %u are empty; delete such rows",
                     table->place[0] + 1, table->place[1] + 1);
    for (unsigned i = 0; i < 2; i++) {
        if (fields[i].length == 0)
            return wrong(fault, "%s is missing: column %u is empty",
                         i == 0 ? "the first end" : "the second end", table->place[i] + 1);
        if (table->names == NULL && !take_number_id(&fields[i], &record->id[i], fault))
            return false;
        if (table->names != NULL && memchr(fields[i].at, 0, fields[i].length) != NULL)
            return wrong(fault, "a zero byte in column %u", table->place[i] + 1);
        if (table->names != NULL && fields[i].length > HOP_MAX_NAME)
            return wrong(fault, "a name of %zu bytes, at most %d are possible", fields[i].length,
                         HOP_MAX_NAME);
    }
    record->weighted = form->weighted;
    return !form->weighted || take_weight(form, &fields[2], &record->weight, fault);
}

hop__record_result hop__table_parse(const hop__record_form *form, const char *at, const char *end,
                                    hop__record *record, hop__record_fault *fault) {
    hop__field fields[3];
    *record = (hop__record){0};
    if (hop__record_is_empty(form, at, hop__line_end(at, end)))
        return HOP__RECORD_EMPTY;
    return take_row(form, &at, end, fields, record, fault) ? HOP__RECORD_FOUND : HOP__RECORD_BAD;
}

/* ---- numbers of names ------------------------------------------------------------------------ */

/* Rows whose names have no numbers yet: the names of one half are on their way from memory while
 * the other half is filled. */
typedef struct batch {
    hop__name_word words[2][HOP__NAME_BATCH];
    unsigned half, rows; /* that is being filled, and how many rows it has */
    bool waiting;        /* the other half is full */
    uint64_t slot;       /* of the first row */
} batch;

static bool number_half(const hop__record_form *form, const hop__edge_list *list, batch *rows,
                        unsigned half, unsigned count) {
    const hop__name_word *words = rows->words[half];
    if (!hop__name_index_number(form->table->names, rows->words[half], 2 * count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        hop__put_id(list->from, list->id_bytes, rows->slot + i, words[2 * i].id);
        hop__put_id(list->to, list->id_bytes, rows->slot + i, words[2 * i + 1].id);
    }
    rows->slot += count;
    return true;
}

/* Numbers everything. */
static bool number_all(const hop__record_form *form, const hop__edge_list *list, batch *rows) {
    bool room = (!rows->waiting || number_half(form, list, rows, !rows->half, BATCH)) &&
                number_half(form, list, rows, rows->half, rows->rows);
    rows->waiting = false;
    rows->rows = 0;
    return room;
}

/* A row with doubled quotes in a name, alone. */
static bool number_doubled(const hop__record_form *form, const hop__edge_list *list,
                           const hop__field fields[2], batch *rows) {
    char text[HOP_MAX_NAME + HOP__NAME_SLACK];
    if (!number_all(form, list, rows))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        hop__name_word word = {.at = text, .length = (uint32_t)hop__field_copy(&fields[i], text)};
        hop__name_index_look(form->table->names, &word, 1);
        if (!hop__name_index_number(form->table->names, &word, 1))
            return false;
        hop__put_id(i == 0 ? list->from : list->to, list->id_bytes, rows->slot, word.id);
    }
    rows->slot++;
    return true;
}

static inline bool number_row(const hop__record_form *form, const hop__edge_list *list,
                              const hop__field fields[2], batch *rows) {
    if (fields[0].doubled || fields[1].doubled)
        return number_doubled(form, list, fields, rows);
    hop__name_word *words = &rows->words[rows->half][2 * rows->rows];
    for (unsigned i = 0; i < 2; i++) {
        words[i].at = fields[i].at;
        words[i].length = (uint32_t)fields[i].length;
    }
    hop__name_index_look(form->table->names, words, 2);
    if (++rows->rows < BATCH)
        return true;
    bool room = !rows->waiting || number_half(form, list, rows, !rows->half, BATCH);
    rows->waiting = true;
    rows->half = !rows->half;
    rows->rows = 0;
    return room;
}

/* ---- rows of the usual form ------------------------------------------------------------------ */

/* Pieces without quotes and zero bytes, most of what there is. In them a row is taken here if no
 * field has blanks around it; anything else goes the slow way, which accepts all that is accepted
 * here with the same result. */

/* Where fields and rows end, from `base` on. */
typedef struct stops {
    const char *base;
    unsigned next, count;
    uint16_t at[WINDOW];
} stops;

/* Looks at the next bytes; up to 63 behind the end are read. */
static void find_stops(stops *seen, char delimiter, const char *at, const char *end) {
    unsigned count = 0;
    seen->base = at;
    for (unsigned i = 0; i < WINDOW && at + i < end; i += 64)
        for (uint64_t left = hop__stops(at + i, delimiter, '\n'); left != 0; left &= left - 1)
            seen->at[count++] = (uint16_t)(i + (unsigned)__builtin_ctzll(left));
    seen->next = 0;
    seen->count = count;
}

typedef enum row_kind { UNUSUAL, USUAL, UNSEEN } row_kind;

/* The fields of the row at *at that matter; USUAL moves *at to the next row. UNSEEN: its stops are
 * not all known. */
static inline row_kind take_usual(const hop__table *table, stops *seen, const char **row,
                                  hop__field fields[3]) {
    unsigned got = 0;
    const char *at = *row;
    if ((unsigned char)*at <= '%')
        return UNUSUAL;
    for (unsigned column = 0, k = seen->next;; column++, k++) {
        if (k == seen->count)
            return UNSEEN;
        const char *stop = seen->base + seen->at[k];
        size_t length = (size_t)(stop - at);
        bool last = *stop == '\n';
        length -= last && length > 0 && stop[-1] == '\r';
        if (length > 0 && ((unsigned char)*at <= ' ' || (unsigned char)at[length - 1] <= ' '))
            return UNUSUAL;
        for (unsigned i = 0; i < 3; i++)
            if (table->place[i] == column) {
                fields[i] = (hop__field){.at = at, .length = length};
                got++;
            }
        at = stop + 1;
        if (!last)
            continue;
        seen->next = k + 1;
        *row = at;
        return is_complete(table, column + 1, got) && fields[0].length - 1 < HOP_MAX_NAME &&
                       fields[1].length - 1 < HOP_MAX_NAME
                   ? USUAL
                   : UNUSUAL;
    }
}

/* Ids that are numbers into their slot; false: the slow way must look at them. */
static inline bool usual_ids(const hop__record_form *form, const hop__edge_list *list,
                             uint64_t slot, const hop__field fields[2], uint64_t *largest) {
    for (unsigned i = 0; i < 2; i++) {
        uint64_t id = 0;
        if (hop__take_u64(fields[i].at, &id) != fields[i].at + fields[i].length || id > form->most)
            return false;
        hop__put_id(i == 0 ? list->from : list->to, list->id_bytes, slot, id);
        *largest = id > *largest ? id : *largest;
    }
    return true;
}

/* A weight of the usual form into its slot; false: the slow way must look at it. */
static inline bool usual_weight(const hop__edge_list *list, uint64_t slot, const hop__field *field,
                                bool *saw_real) {
    const char *end = field->at + field->length;
    uint64_t whole = 0;
    double real = 0;
    if (list->weight_type == HOP_TYPE_FLOAT64) {
        if (hop__take_decimal(field->at, &real) != end)
            return false;
        ((double *)list->weights)[slot] = real;
        *saw_real = true;
        return true;
    }
    if (list->weight_type != HOP_TYPE_INT32 || hop__take_u64(field->at, &whole) != end ||
        whole > INT32_MAX)
        return false;
    ((int32_t *)list->weights)[slot] = (int32_t)whole;
    return true;
}

/* ---- many rows ------------------------------------------------------------------------------ */

/* The row at `at`, which is not empty, any way; false when it does not fit. */
static bool take_slowly(const hop__record_form *form, const hop__edge_list *list, uint64_t slot,
                        const char **at, hop__field fields[3], hop__record_piece *piece) {
    const char *row = *at;
    hop__record record;
    if (!take_row(form, at, piece->end, fields, &record, NULL))
        return false;
    for (unsigned i = 0; i < 2 && form->table->names == NULL; i++) {
        if (record.id[i] > form->most)
            return false;
        hop__put_id(i == 0 ? list->from : list->to, list->id_bytes, slot, record.id[i]);
        piece->largest = record.id[i] > piece->largest ? record.id[i] : piece->largest;
    }
    if (!form->weighted)
        return true;
    piece->saw_real |= record.weight.kind == HOP__NUMBER_REAL;
    if (record.weight.kind == HOP__NUMBER_LARGE && piece->large == NULL)
        piece->large = row;
    return hop__weight_store(form, list->weight_type, list->weights, slot, &record.weight);
}

/* Rows of the usual form from *place on, as many as follow each other. False: their names have no
 * room. */
static bool take_usual_rows(const hop__record_form *form, const hop__edge_list *list,
                            const char **place, uint64_t *slot, batch *rows,
                            hop__record_piece *piece) {
    const char *at = *place;
    stops seen;
    hop__field fields[3];
    bool room = true;
    find_stops(&seen, form->table->delimiter, at, piece->end);
    for (; room && at < piece->end; *place = at, ++*slot) {
        row_kind how = take_usual(form->table, &seen, &at, fields);
        if (how == UNSEEN) {
            find_stops(&seen, form->table->delimiter, at, piece->end);
            how = take_usual(form->table, &seen, &at, fields);
        }
        if (how != USUAL ||
            (form->weighted && !usual_weight(list, *slot, &fields[2], &piece->saw_real)))
            break;
        if (form->table->names != NULL)
            room = number_row(form, list, fields, rows);
        else if (!usual_ids(form, list, *slot, fields, &piece->largest))
            break;
    }
    return room;
}

bool hop__table_rows(const hop__record_form *form, const hop__edge_list *list,
                     hop__record_piece *piece) {
    const size_t size = (size_t)(piece->end - piece->begin);
    const bool usual = form->table->delimiter != ' ' && size > 0 && piece->end[-1] == '\n' &&
                       memchr(piece->begin, '"', size) == NULL &&
                       memchr(piece->begin, 0, size) == NULL;
    batch rows = {.slot = piece->slot};
    uint64_t slot = piece->slot;
    for (const char *at = piece->begin; at < piece->end;) {
        hop__field fields[3];
        if (usual && !take_usual_rows(form, list, &at, &slot, &rows, piece))
            return false;
        if (at == piece->end)
            break;
        if (hop__record_is_empty(form, at, hop__line_end(at, piece->end))) {
            const char *newline = memchr(at, '\n', (size_t)(piece->end - at));
            at = newline == NULL ? piece->end : newline + 1;
            continue;
        }
        const char *row = at;
        if (!take_slowly(form, list, slot, &at, fields, piece)) {
            piece->stopped = row;
            return true;
        }
        if (form->table->names != NULL && !number_row(form, list, fields, &rows))
            return false;
        slot++;
    }
    return form->table->names == NULL || number_all(form, list, &rows);
}
