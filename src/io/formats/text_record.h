/* SPDX-License-Identifier: Apache-2.0
 *
 * One record of numbers, taken apart slowly and exactly: what the fast kernels of text_records.c
 * leave over, and the messages when a line is wrong. */
#ifndef HOPLITE_IO_FORMATS_TEXT_RECORD_H
#define HOPLITE_IO_FORMATS_TEXT_RECORD_H

#include "hoplite/detail.h"
#include "io/formats/text_records.h"
#include "io/text/text_number.h"

/* How records look in this file: the spec and what is known by now. */
typedef struct hop__record_form {
    const hop__record_spec *spec;
    const hop__reals *reals;
    bool undecided; /* whether records have weights: both are accepted */
    bool weighted;
    bool closed; /* no id is allowed: no vertices */
    /* Copies for the kernels. */
    char tag;
    bool commas;
    unsigned ids;
    uint64_t base;
    uint64_t most; /* largest id, after the base, that the arrays can hold or the bound allows */
} hop__record_form;

typedef struct hop__record {
    uint64_t id[2]; /* less the base */
    bool weighted;
    hop__number weight;
} hop__record;

typedef enum hop__record_result {
    HOP__RECORD_BAD = 0,
    HOP__RECORD_EMPTY = 1, /* a comment or a blank line */
    HOP__RECORD_FOUND = 2
} hop__record_result;

/* What is wrong with a line: the words, and the data of hoplite/detail.h. */
typedef struct hop__record_fault {
    char message[256];
    hop_error_kind kind;
    unsigned numbers; /* of the line, for HOP_KIND_FIELDS */
    char found[64];   /* for HOP_KIND_WORD */
} hop__record_fault;

/* Whether a line has no record: a comment, or blank, where that is allowed. */
bool hop__record_is_empty(const hop__record_form *form, const char *at, const char *end);

/* The line from `at` to `end`. When it is BAD, `fault`, unless NULL, gets what was found and what
 * was expected. */
hop__record_result hop__record_parse(const hop__record_form *form, const char *at, const char *end,
                                     hop__record *record, hop__record_fault *fault);

/* Rounds to float32. False when it is finite but would become infinite. */
bool hop__to_float(double value, float *result);

/* The number as a real. "-0" is -0.0 only where the file states that weights are reals: where the
 * type is still open it is the integer 0, as it would be if an integer column became a real one
 * later. */
static inline double hop__number_real(const hop__record_form *form, const hop__number *number) {
    return number->kind == HOP__NUMBER_INTEGER && form->spec->type == HOP_WEIGHT_NONE
               ? (double)number->integer
               : number->real;
}

/* Puts a weight into slot `slot` of an array; false when it does not fit the type. */
bool hop__weight_store(const hop__record_form *form, hop_weight_type type, void *weights,
                       uint64_t slot, const hop__number *number);

/* The type that the column must have so that a number fits that does not fit `type`. False, with
 * the fault, when the type is stated or no type can hold it. */
bool hop__weight_widen(const hop__record_form *form, hop_weight_type type,
                       const hop__number *number, hop_weight_type *wider, hop__record_fault *fault);

#endif
