/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of numbers: "id id", "id id weight", perhaps with a letter before them, in parallel into
 * arrays. What edge lists, Matrix Market, DIMACS and LDBC have in common.
 *
 * The types of the result follow the file: ids are 32 bits wide until one is larger; weights, where
 * the file does not state their type, are int32 until one is larger (int64) or a decimal (float64).
 * Either way the result does not depend on the order of the rows or the number of threads. */
#ifndef HOPLITE_IO_TEXT_ROWS_H
#define HOPLITE_IO_TEXT_ROWS_H

#include "io/format.h"
#include "io/text_scan.h"

typedef enum hop__weight_rule {
    HOP__WEIGHTS_NEVER = 0,
    HOP__WEIGHTS_MAYBE = 1, /* the first row decides */
    HOP__WEIGHTS_ALWAYS = 2
} hop__weight_rule;

typedef struct hop__row_spec {
    const char *comments; /* lines that begin with one of these are skipped */
    char tag;             /* rows begin with this letter and a blank; 0: with the first id */
    bool commas;          /* one comma may stand between columns, instead of blanks */
    bool strict;          /* lines without a row are errors: line i is row i */
    unsigned ids;         /* per row: 1 (into `from` alone) or 2 */
    uint64_t base;        /* what is taken from each id: 1 where ids count from 1 */
    bool bounded;         /* ids, after that, must be below `vertices` */
    uint64_t vertices;
    hop__weight_rule weights;
    bool integers;        /* a decimal weight is an error */
    hop_weight_type type; /* of the weights, as the file states; NONE: the narrowest that fits */
    bool counted;         /* there must be `rows` of them */
    uint64_t rows;
    const char *row_name; /* for messages: "edge", "entry", "arc" */
} hop__row_spec;

/* Reads all the rows that are left. Fills in count, id_bytes, from, to, weights and weight_type of
 * `list`, which is empty before; *largest (0 when there is none) is the largest id. */
hop_status hop__rows_read(hop__text *text, const hop__row_spec *spec,
                          const hop_read_options *options, hop__edge_list *list, uint64_t *largest);

/* Refuses a stated number of rows that the file cannot hold: before it is used for anything. */
hop_status hop__rows_check_count(const hop__text *text, uint64_t rows, uint64_t bytes_per_row,
                                 const char *row_name);

#endif
