/* SPDX-License-Identifier: Apache-2.0
 *
 * One record of numbers, taken apart slowly and exactly: what the fast kernels of text_records.c
 * leave over, and the messages when a line is wrong. */
#ifndef HOPLITE_IO_FORMATS_TEXT_RECORD_H
#define HOPLITE_IO_FORMATS_TEXT_RECORD_H

#include "hoplite/detail.h"
#include "hoplite/io.h"
#include "io/text/text_number.h"

typedef enum hop__weight_rule {
    HOP__WEIGHTS_NEVER = 0,
    HOP__WEIGHTS_MAYBE = 1, /* the first record decides */
    HOP__WEIGHTS_ALWAYS = 2
} hop__weight_rule;

struct hop__table;

typedef struct hop__record_spec {
    const char *comments; /* lines that begin with one of these are skipped */
    char tag;             /* records begin with this letter and a blank; 0: with the first id */
    bool commas;          /* one comma may stand between columns, instead of blanks */
    bool strict;          /* lines without a record are errors: line i is record i */
    unsigned ids;         /* per record: 1 (into `from` alone) or 2 */
    uint64_t base;        /* what is taken from each id: 1 where ids count from 1 */
    bool bounded;         /* ids, after that, must be below `vertices` */
    uint64_t vertices;
    hop__weight_rule weights;
    bool integers;        /* a decimal weight is an error */
    hop_weight_type type; /* of the weights, as the file states; NONE: the narrowest that fits */
    bool counted;         /* there must be `records` of them */
    uint64_t records;
    const char *record_name;        /* for messages: "edge", "entry", "arc" */
    bool whole;                     /* what is done with the records needs all of them in memory */
    const struct hop__table *table; /* rows of a table (table_record.h); NULL: numbers */
} hop__record_spec;

/* How records look in this file: the spec and what is known by now. */
typedef struct hop__record_form {
    const hop__record_spec *spec;
    const hop__reals *reals;
    const struct hop__table *table;
    bool undecided; /* whether records have weights: both are accepted */
    bool weighted;
    bool closed; /* no id is allowed: no vertices */
    /* Copies for the kernels. */
    char tag;
    bool commas;
    char separator; /* this alone is between columns: a table of numbers, all of whose columns are
                     * read, in their order; else 0 */
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
    char found[64];   /* for HOP_KIND_WORD and HOP_KIND_ID */
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
    return number->kind == HOP__NUMBER_INTEGER && form->spec->type == HOP_TYPE_NONE
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
