/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels for records (see text_record_kernel.h).
 *
 * There is one loop per width of ids and type of weights, made from one always-inlined function.
 * It takes records of the usual form: digits, blanks or a comma, digits. Anything else (a comment,
 * a blank at the beginning, a number that does not fit) goes to text_record.c, or table_record.c,
 * which takes a line apart slowly and exactly, and accepts everything that is accepted here with
 * the same result. */
#include "io/formats/text_record_kernel.h"

#include <string.h>

#include "io/formats/table_record.h"
#include "io/text/text_number.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A piece being parsed. A local variable, so that its fields stay in registers. */
typedef struct lane {
    const char *at, *end;
    uint64_t slot, largest;
    bool saw_real;
} lane;

typedef struct arrays {
    void *from, *to, *weights;
} arrays;

/* Blanks, or one comma and blanks, between columns; or what a table has there. */
ALWAYS_INLINE const char *take_separator(const hop__record_form *form, const char *at) {
    if (form->separator != 0)
        return *at == form->separator ? at + 1 : NULL;
    if (*at != ' ' && *at != '\t' && !(form->commas && *at == ','))
        return NULL;
    do
        at++;
    while (*at == ' ' || *at == '\t');
    return at;
}

ALWAYS_INLINE const char *take_int(const char *at, uint64_t most, int64_t *value) {
    bool negative = *at == '-';
    uint64_t size;
    at = hop__take_u64(at + negative, &size);
    if (at == NULL || size > most)
        return NULL;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return at;
}

/* The weight at `at` into its slot. NULL: the slow way must look at it. */
ALWAYS_INLINE const char *take_weight(const hop__record_form *form, lane *own, const char *at,
                                      hop_weight_type type, void *weights) {
    int64_t value = 0;
    hop__number number;
    switch (type) {
    case HOP_TYPE_INT32:
        if ((at = take_int(at, INT32_MAX, &value)) != NULL)
            ((int32_t *)weights)[own->slot] = (int32_t)value;
        return at;
    case HOP_TYPE_INT64:
        if ((at = take_int(at, INT64_MAX, &value)) != NULL)
            ((int64_t *)weights)[own->slot] = value;
        return at;
    default:
        if (type == HOP_TYPE_FLOAT64) {
            double real = 0;
            const char *next = hop__take_decimal(at, &real);
            if (next != NULL) {
                ((double *)weights)[own->slot] = real;
                own->saw_real = true;
                return next;
            }
        }
        at = hop__take_number(form->reals, at, own->end, &number);
        if (number.kind != HOP__NUMBER_REAL && number.kind != HOP__NUMBER_INTEGER)
            return NULL;
        own->saw_real |= number.kind == HOP__NUMBER_REAL;
        if (type == HOP_TYPE_FLOAT64)
            ((double *)weights)[own->slot] = hop__number_real(form, &number);
        else if (!hop__to_float(number.real, (float *)weights + own->slot))
            return NULL;
        return at;
    }
}

ALWAYS_INLINE const char *take_id(const hop__record_form *form, lane *own, const char *at,
                                  size_t id_bytes, void *array) {
    uint64_t id;
    if ((at = hop__take_u64(at, &id)) == NULL || (id -= form->base) > form->most)
        return NULL;
    hop__put_id(array, id_bytes, own->slot, id);
    own->largest = id > own->largest ? id : own->largest;
    return at;
}

/* One record of the usual form into its slot. Returns the beginning of the next line, or NULL.
 * `ids`, `id_bytes` and `type` are constants in each kernel. */
ALWAYS_INLINE const char *take_record(const hop__record_form *form, const arrays *out, lane *own,
                                      unsigned ids, size_t id_bytes, hop_weight_type type) {
    const char *at = own->at;
    if (form->tag != 0) {
        if (at[0] != form->tag || at[1] != ' ')
            return NULL;
        at += 2;
    }
    if ((at = take_id(form, own, at, id_bytes, out->from)) == NULL)
        return NULL;
    if (ids == 2 && ((at = take_separator(form, at)) == NULL ||
                     (at = take_id(form, own, at, id_bytes, out->to)) == NULL))
        return NULL;
    if (type != HOP_TYPE_NONE && ((at = take_separator(form, at)) == NULL ||
                                  (at = take_weight(form, own, at, type, out->weights)) == NULL))
        return NULL;
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* Stores a record that was taken apart slowly; false when it does not fit the arrays. */
static bool store(const hop__record_form *form, const hop__edge_list *list,
                  const hop__record *record, uint64_t slot) {
    for (unsigned i = 0; i < form->ids; i++)
        if (record->id[i] > form->most)
            return false;
    if (form->weighted &&
        !hop__weight_store(form, list->weight_type, list->weights, slot, &record->weight))
        return false;
    for (unsigned i = 0; i < form->ids; i++)
        hop__put_id(i == 0 ? list->from : list->to, list->id_bytes, slot, record->id[i]);
    return true;
}

/* The line at own->at in the slow way. When it cannot be stored the lane ends there. */
static void take_line(const hop__record_form *form, const hop__edge_list *list, lane *own,
                      hop__record_piece *part) {
    hop__record record;
    const char *end = hop__line_end(own->at, own->end);
    const char *newline = memchr(own->at, '\n', (size_t)(own->end - own->at));
    hop__record_result result = form->table != NULL
                                    ? hop__table_parse(form, own->at, own->end, &record, NULL)
                                    : hop__record_parse(form, own->at, end, &record, NULL);
    if (result == HOP__RECORD_BAD ||
        (result == HOP__RECORD_FOUND && !store(form, list, &record, own->slot))) {
        part->stopped = own->at;
        own->at = own->end;
        return;
    }
    if (result == HOP__RECORD_FOUND) {
        own->slot++;
        for (unsigned i = 0; i < form->ids; i++)
            own->largest = record.id[i] > own->largest ? record.id[i] : own->largest;
        own->saw_real |= form->weighted && record.weight.kind == HOP__NUMBER_REAL;
        if (form->weighted && record.weight.kind == HOP__NUMBER_LARGE && part->large == NULL)
            part->large = own->at;
    }
    own->at = newline == NULL ? own->end : newline + 1;
}

static lane enter(const hop__record_piece *part) {
    return (lane){part->begin, part->end, part->slot, 0, false};
}

static void leave(const lane *own, hop__record_piece *part) {
    part->records = own->slot - part->slot;
    part->largest = own->largest;
    part->saw_real = own->saw_real;
}

/* The next record of a lane, whichever way. */
ALWAYS_INLINE void step(const hop__record_form *form, const hop__edge_list *list, const arrays *out,
                        lane *own, hop__record_piece *part, unsigned ids, size_t id_bytes,
                        hop_weight_type type) {
    const char *next = form->closed ? NULL : take_record(form, out, own, ids, id_bytes, type);
    if (__builtin_expect(next != NULL, 1)) {
        own->at = next;
        own->slot++;
        return;
    }
    lane copy = *own; /* so that `own` has no address, and stays in registers */
    take_line(form, list, &copy, part);
    *own = copy;
}

ALWAYS_INLINE void parse(const hop__record_form *given, const hop__edge_list *list,
                         hop__record_piece pieces[2], unsigned ids, size_t id_bytes,
                         hop_weight_type type) {
    const hop__record_form form = *given;
    const arrays out = {list->from, list->to, list->weights};
    lane a = enter(&pieces[0]), b = enter(&pieces[1]);
    while (a.at < a.end && b.at < b.end) {
        step(&form, list, &out, &a, &pieces[0], ids, id_bytes, type);
        step(&form, list, &out, &b, &pieces[1], ids, id_bytes, type);
    }
    while (a.at < a.end)
        step(&form, list, &out, &a, &pieces[0], ids, id_bytes, type);
    while (b.at < b.end)
        step(&form, list, &out, &b, &pieces[1], ids, id_bytes, type);
    leave(&a, &pieces[0]);
    leave(&b, &pieces[1]);
}

/* With id_bytes a constant: the kernels of one width. */
ALWAYS_INLINE void parse_typed(const hop__record_form *form, const hop__edge_list *list,
                               hop__record_piece pieces[2], size_t id_bytes) {
    switch (list->weight_type) {
    case HOP_TYPE_NONE:
        parse(form, list, pieces, 2, id_bytes, HOP_TYPE_NONE);
        return;
    case HOP_TYPE_INT32:
        parse(form, list, pieces, 2, id_bytes, HOP_TYPE_INT32);
        return;
    case HOP_TYPE_INT64:
        parse(form, list, pieces, 2, id_bytes, HOP_TYPE_INT64);
        return;
    case HOP_TYPE_FLOAT32:
        parse(form, list, pieces, 2, id_bytes, HOP_TYPE_FLOAT32);
        return;
    case HOP_TYPE_FLOAT64:
        parse(form, list, pieces, 2, id_bytes, HOP_TYPE_FLOAT64);
        return;
    default:
        return;
    }
}

static void parse_narrow(const hop__record_form *form, const hop__edge_list *list,
                         hop__record_piece pieces[2]) {
    parse_typed(form, list, pieces, 4);
}

static void parse_wide(const hop__record_form *form, const hop__edge_list *list,
                       hop__record_piece pieces[2]) {
    parse_typed(form, list, pieces, 8);
}

static void parse_column(const hop__record_form *form, const hop__edge_list *list,
                         hop__record_piece pieces[2]) {
    parse(form, list, pieces, 1, list->id_bytes, HOP_TYPE_NONE);
}

void hop__records_parse(const hop__record_form *form, const hop__edge_list *list,
                        hop__record_piece pieces[2]) {
    if (form->ids == 1)
        parse_column(form, list, pieces);
    else if (list->id_bytes == 4)
        parse_narrow(form, list, pieces);
    else
        parse_wide(form, list, pieces);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Lines with a record whose first byte does not show it: looks at each. */
static uint64_t count_slowly(const hop__record_form *form, const char *begin, const char *end) {
    uint64_t records = 0;
    for (const char *at = begin; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        records += !hop__record_is_empty(form, at, hop__line_end(at, end));
        at = newline == NULL ? end : newline + 1;
    }
    return records;
}

/* Sixteen bytes at once, where the machine can; compilers make do elsewhere. */
typedef unsigned char bytes16 __attribute__((vector_size(16)));

static bytes16 load16(const char *text) {
    bytes16 bytes;
    memcpy(&bytes, text, sizeof bytes);
    return bytes;
}

static uint64_t sum16(bytes16 counts) {
    uint64_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum += counts[i];
    return sum;
}

/* What the first byte of a record is: a digit, or the tag; in tables anything above blanks, quotes
 * and the marks of comments. */
typedef struct beginning {
    unsigned char low, span;
} beginning;

static beginning beginning_of(const hop__record_form *form) {
    if (form->table != NULL)
        return (beginning){'%' + 1, UINT8_MAX - ('%' + 1)};
    return form->tag != 0 ? (beginning){(unsigned char)form->tag, 0} : (beginning){'0', 9};
}

/* Almost every line begins so: if all do, they are all records. Counts newlines and such
 * beginnings; each lane counts up to 255 before it is emptied. */
void hop__records_count(const hop__record_form *form, const char *begin, const char *end,
                        uint64_t *lines, uint64_t *records) {
    const beginning first = beginning_of(form);
    const unsigned char low = first.low, span = first.span;
    uint64_t newlines = 0, plain = 0;
    *lines = *records = 0;
    if (begin == end)
        return;
    newlines += *begin == '\n';
    plain += (unsigned char)(*begin - low) <= span;
    const char *at = begin + 1;
    while (end - at >= 16) {
        bytes16 line_lanes = {0}, plain_lanes = {0};
        ptrdiff_t rounds = (end - at) / 16 > 255 ? 255 : (end - at) / 16;
        for (ptrdiff_t round = 0; round < rounds; round++, at += 16) {
            bytes16 here = load16(at), before = load16(at - 1);
            /* A comparison that holds is 255, which is -1. */
            line_lanes -= (bytes16)(here == '\n');
            plain_lanes -= (bytes16)(before == '\n') & (bytes16)(here - low <= span);
        }
        newlines += sum16(line_lanes);
        plain += sum16(plain_lanes);
    }
    for (; at < end; at++) {
        newlines += *at == '\n';
        plain += at[-1] == '\n' && (unsigned char)(*at - low) <= span;
    }
    *lines = newlines + (end[-1] != '\n');
    *records = plain == *lines ? plain : count_slowly(form, begin, end);
}
