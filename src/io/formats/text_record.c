/* SPDX-License-Identifier: Apache-2.0
 *
 * One record of numbers, exactly (see text_record.h). */
#include "io/formats/text_record.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/text/text_scan.h"

HOP_PRINTF(2, 3)
static hop__record_result bad(hop__record_fault *fault, const char *format, ...) {
    if (fault != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(fault->message, sizeof fault->message, format, arguments);
        va_end(arguments);
        fault->kind = HOP_KIND_SYNTAX;
    }
    return HOP__RECORD_BAD;
}

/* Something else where a number must be: quoted in the message, as it is in the fault. */
static hop__record_result bad_word(hop__record_fault *fault, hop_error_kind kind, const char *at,
                                   const char *end, const char *expected) {
    char found[64];
    const char *word;
    size_t length;
    if (fault == NULL)
        return HOP__RECORD_BAD;
    bad(fault, "found %s, expected %s", hop__text_quote(at, end, found), expected);
    if (hop__text_word(&at, end, &word, &length)) {
        snprintf(fault->found, sizeof fault->found, "%.*s", length < 63 ? (int)length : 63, word);
        fault->kind = kind;
    }
    return HOP__RECORD_BAD;
}

/* Whether a number may end here. */
static bool ends_number(const hop__record_form *form, const char *at, const char *end) {
    return at == end || *at == ' ' || *at == '\t' || (form->commas && *at == ',');
}

/* Blanks and, where allowed, one comma. *comma: whether there was one. */
static const char *skip_separator(const hop__record_form *form, const char *at, const char *end,
                                  bool *comma) {
    at = hop__skip_blanks(at, end);
    *comma = form->commas && at < end && *at == ',';
    return *comma ? hop__skip_blanks(at + 1, end) : at;
}

static unsigned columns(const hop__record_form *form) {
    return form->ids + (form->weighted ? 1 : 0);
}

/* "2" or "2 or 3": how many numbers a record has. */
static const char *columns_text(const hop__record_form *form) {
    static const char *const names[] = {"0", "1", "2", "3"};
    return form->undecided ? "2 or 3" : names[columns(form)];
}

static hop__record_result bad_columns(const hop__record_form *form, const char *found,
                                      hop__record_fault *fault) {
    return bad(fault, "%s, expected %s number%s%s", found, columns_text(form),
               columns(form) == 1 && !form->undecided ? "" : "s",
               form->spec->weights == HOP__WEIGHTS_MAYBE && !form->undecided
                   ? " as in the rows before"
                   : "");
}

static hop__record_result take_id(const hop__record_form *form, const char **at, const char *end,
                                  uint64_t *id, hop__record_fault *fault) {
    char found[64];
    const char *next = hop__take_u64(*at, id);
    if (next == NULL && *at < end && **at >= '0' && **at <= '9')
        return bad(fault, "the vertex id %s does not fit in 64 bits",
                   hop__text_quote(*at, end, found));
    if (next == NULL || !ends_number(form, next, end)) {
        char expected[64];
        snprintf(expected, sizeof expected, "a vertex id (a whole number from %" PRIu64 " up)",
                 form->base);
        return bad_word(fault, HOP_KIND_ID, *at, end, expected);
    }
    uint64_t number = *id;
    *id -= form->base;
    if (form->spec->bounded && *id >= form->spec->vertices)
        return form->closed
                   ? bad(fault, "vertex %" PRIu64 ", but the header states no vertices", number)
                   : bad(fault, "vertex %" PRIu64 ", expected %" PRIu64 " to %" PRIu64, number,
                         form->base, form->base + form->spec->vertices - 1);
    if (number < form->base)
        return bad(fault, "vertex %" PRIu64 ", but vertices are counted from %" PRIu64, number,
                   form->base);
    *at = next;
    return HOP__RECORD_FOUND;
}

static hop__record_result take_weight(const hop__record_form *form, const char **at,
                                      const char *end, hop__number *weight,
                                      hop__record_fault *fault) {
    char found[64];
    const char *next = hop__take_number(form->reals, *at, end, weight);
    if (next == NULL || !ends_number(form, next, end))
        return bad_word(fault, HOP_KIND_WORD, *at, end, "a weight");
    if (weight->kind == HOP__NUMBER_NAN)
        return bad(fault, "the weight is NaN, expected a number");
    if (weight->kind == HOP__NUMBER_OVERFLOW)
        return bad(fault, "the weight %s is larger than any float64",
                   hop__text_quote(*at, end, found));
    if (form->spec->integers && weight->kind != HOP__NUMBER_INTEGER)
        return weight->kind == HOP__NUMBER_LARGE
                   ? bad(fault, "the weight %s does not fit in 64 bits",
                         hop__text_quote(*at, end, found))
                   : bad(fault, "the weight is %s, expected an integer",
                         hop__text_quote(*at, end, found));
    *at = next;
    return HOP__RECORD_FOUND;
}

/* The tag, if records have one: a letter and a blank. */
static hop__record_result take_tag(const hop__record_form *form, const char **at, const char *end,
                                   hop__record_fault *fault) {
    char found[64];
    if (form->tag == 0)
        return HOP__RECORD_FOUND;
    if (**at != form->tag || end - *at < 2 || ((*at)[1] != ' ' && (*at)[1] != '\t'))
        return bad(fault, "the line begins with %s, expected \"%c\" and %s numbers",
                   hop__text_quote(*at, end, found), form->tag, columns_text(form));
    *at = hop__skip_blanks(*at + 1, end);
    return HOP__RECORD_FOUND;
}

/* The separator before column `column` (from 0) and whether anything follows. */
static hop__record_result take_gap(const hop__record_form *form, unsigned column, const char **at,
                                   const char *end, hop__record_fault *fault) {
    bool comma;
    char found[64];
    *at = skip_separator(form, *at, end, &comma);
    if (*at < end)
        return HOP__RECORD_FOUND;
    if (comma)
        return bad(fault, "found a comma at the end of the line, expected a number after it");
    snprintf(found, sizeof found, "%u number%s", column, column == 1 ? "" : "s");
    bad_columns(form, found, fault);
    if (fault != NULL) {
        fault->kind = HOP_KIND_FIELDS;
        fault->numbers = column;
    }
    return HOP__RECORD_BAD;
}

/* So many fields, and those from `at` on, are in the line. */
static hop__record_result count_fields(const hop__record_form *form, unsigned count, const char *at,
                                       const char *end, hop__record_fault *fault) {
    bool comma;
    if (fault == NULL)
        return HOP__RECORD_BAD;
    for (; at < end; count++) {
        while (at < end && !ends_number(form, at, end))
            at++;
        at = skip_separator(form, at, end, &comma);
    }
    fault->kind = HOP_KIND_FIELDS;
    fault->numbers = count;
    return HOP__RECORD_BAD;
}

/* Whether a weight that ends at `at` has a decimal comma: "1 2 0,5", in a row without other commas.
 */
static bool has_decimal_comma(const char *row, const char *at, const char *end) {
    return end - at > 1 && at[0] == ',' && at[1] >= '0' && at[1] <= '9' &&
           memchr(row, ',', (size_t)(at - row)) == NULL;
}

bool hop__record_is_empty(const hop__record_form *form, const char *at, const char *end) {
    at = hop__skip_blanks(at, end);
    return !form->spec->strict &&
           (at == end || (*at != '\0' && strchr(form->spec->comments, *at) != NULL));
}

hop__record_result hop__record_parse(const hop__record_form *form, const char *at, const char *end,
                                     hop__record *record, hop__record_fault *fault) {
    record->weighted = false;
    record->weight.kind = HOP__NUMBER_BAD;
    const char *row = at = hop__skip_blanks(at, end), *weight = NULL;
    if (hop__record_is_empty(form, at, end))
        return HOP__RECORD_EMPTY;
    if (take_tag(form, &at, end, fault) == HOP__RECORD_BAD)
        return HOP__RECORD_BAD;
    for (unsigned i = 0; i < form->ids; i++) {
        if (i > 0 && take_gap(form, i, &at, end, fault) == HOP__RECORD_BAD)
            return HOP__RECORD_BAD;
        if (take_id(form, &at, end, &record->id[i], fault) == HOP__RECORD_BAD)
            return HOP__RECORD_BAD;
    }
    if (form->undecided && hop__skip_blanks(at, end) == end)
        return HOP__RECORD_FOUND;
    if (form->undecided || form->weighted) {
        record->weighted = true;
        if (take_gap(form, form->ids, &at, end, fault) == HOP__RECORD_BAD)
            return HOP__RECORD_BAD;
        weight = at;
        if (take_weight(form, &at, end, &record->weight, fault) == HOP__RECORD_BAD)
            return HOP__RECORD_BAD;
    }
    bool comma;
    const char *last = at;
    at = skip_separator(form, at, end, &comma);
    if (at < end || comma) {
        if (weight != NULL && has_decimal_comma(row, last, end))
            return bad_word(fault, HOP_KIND_WORD, weight, end, "a weight");
        char found[64], text[96];
        snprintf(text, sizeof text, "found %s after the row", hop__text_quote(at, end, found));
        bad_columns(form, text, fault);
        return count_fields(form, form->ids + record->weighted, at, end, fault);
    }
    return HOP__RECORD_FOUND;
}

bool hop__to_float(double value, float *result) {
    /* From half way between FLT_MAX and the next power of two on, rounding gives infinity. */
    if (!isinf(value) && fabs(value) >= 0x1.ffffffp127)
        return false;
    if (value > FLT_MAX && !isinf(value))
        value = FLT_MAX;
    if (value < -FLT_MAX && !isinf(value))
        value = -FLT_MAX;
    *result = (float)value;
    return true;
}

bool hop__weight_store(const hop__record_form *form, hop_weight_type type, void *weights,
                       uint64_t slot, const hop__number *number) {
    bool integer = number->kind == HOP__NUMBER_INTEGER;
    switch (type) {
    case HOP_TYPE_INT32:
        if (!integer || number->integer < INT32_MIN || number->integer > INT32_MAX)
            return false;
        ((int32_t *)weights)[slot] = (int32_t)number->integer;
        return true;
    case HOP_TYPE_INT64:
        if (!integer)
            return false;
        ((int64_t *)weights)[slot] = number->integer;
        return true;
    case HOP_TYPE_FLOAT32:
        return hop__to_float(hop__number_real(form, number), (float *)weights + slot);
    case HOP_TYPE_FLOAT64:
        ((double *)weights)[slot] = hop__number_real(form, number);
        return true;
    default:
        return false;
    }
}

bool hop__weight_widen(const hop__record_form *form, hop_weight_type type,
                       const hop__number *number, hop_weight_type *wider,
                       hop__record_fault *fault) {
    if (form->spec->type != HOP_TYPE_NONE) {
        if (number->kind == HOP__NUMBER_INTEGER)
            bad(fault, "the weight %" PRId64 " does not fit in %s, as the file states the type",
                number->integer, hop_type_name(type));
        else
            bad(fault, "the weight %.17g does not fit in %s, as the file states the type",
                number->real, hop_type_name(type));
        return false;
    }
    *wider = number->kind == HOP__NUMBER_INTEGER ? HOP_TYPE_INT64 : HOP_TYPE_FLOAT64;
    return true;
}
