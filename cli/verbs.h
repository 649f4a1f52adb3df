/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of verbs. A new verb is one file with its run(), one declaration here and one row in
 * verbs.c; help, completions and the tests find it there. */
#ifndef HOPLITE_CLI_VERBS_H
#define HOPLITE_CLI_VERBS_H

#include <stdbool.h>
#include <stdio.h>

#include "hoplite/generate.h"
#include "option_table.h"

typedef struct arguments arguments; /* arguments.h */

/* When the arcs of a file stay on disk though nobody asked. */
typedef enum disk_use {
    DISK_ASKED = 0, /* never: certify, since not every problem's result can be so */
    DISK_ONCE,      /* if it does not fit: they are read once, in any order, or joined at once */
    DISK_OFTEN      /* if it is some budgets larger: they may be read again and again */
} disk_use;

typedef struct verb {
    const char *name;
    const char *operands;    /* as in "INPUT OUTPUT" */
    const char *summary;     /* one line, no full stop */
    const char *description; /* a paragraph */
    const char *examples;    /* lines */
    uint64_t groups;         /* the options it takes: option_table.h */
    disk_use disk;           /* of a verb of GROUP_DISK */
    size_t most_operands;
    word_at operand_words; /* what the (first) operand may be; NULL: a file */
    bool operand_files;    /* complete operands with file names */
    word_at variants;      /* what --variant may be; NULL: it does not take it */
    /* Parameters that are options too, one by one, NULL after the last; NULL: none. */
    const hop_parameter *(*parameter)(size_t index);
    void (*more_help)(FILE *file, const arguments *given); /* at the end of the help, or NULL */
    int (*run)(const arguments *given);                    /* returns the exit code */
} verb;

extern const verb verb_rows[];
extern const size_t verb_count;

const verb *verb_find(const char *name);
const char *word_of_verb(size_t index);
const char *word_of_shell(size_t index);

int run_generate(const arguments *given);
int run_convert(const arguments *given);
int run_info(const arguments *given);
int run_bfs(const arguments *given);
int run_components(const arguments *given);
int run_rank(const arguments *given);
int run_sssp(const arguments *given);
int run_apsp(const arguments *given);
int run_path(const arguments *given);
int run_closure(const arguments *given);
int run_index(const arguments *given);
int run_table(const arguments *given);
int run_measure(const arguments *given);
int run_certify(const arguments *given);
int run_variants(const arguments *given);
int run_formats(const arguments *given);
int run_bench(const arguments *given);
int run_devices(const arguments *given);
int run_tune(const arguments *given);
int run_plan(const arguments *given);
int run_completion(const arguments *given);
int run_help(const arguments *given);

/* verb_measure.c: the names of the measures; the help on them. */
const char *word_of_measure(size_t index);
void help_measures(FILE *file, const arguments *given);

/* verb_generate.c: parameters of all families, each name once; the help on one family. */
const hop_parameter *family_parameter(size_t index);
void help_family(FILE *file, const arguments *given);

#endif
