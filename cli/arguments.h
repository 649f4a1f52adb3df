/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of a verb, taken apart and checked. */
#ifndef HOPLITE_CLI_ARGUMENTS_H
#define HOPLITE_CLI_ARGUMENTS_H

#include "option_table.h"
#include "verbs.h"

typedef struct option_value {
    unsigned times;   /* how often it was given, or 1 by its environment variable; 0: not at all */
    bool inherited;   /* by its environment variable */
    const char *text; /* the last argument */
    uint64_t number;  /* KIND_WHOLE, KIND_BYTES; KIND_WORD: the index of the word */
    double real;      /* KIND_REAL */
} option_value;

/* A parameter as it was typed: --NAME TEXT or --set NAME=TEXT. */
typedef struct typed_setting {
    const char *name;
    const char *text; /* NULL: a flag without a value */
} typed_setting;

struct arguments {
    const verb *verb;
    option_value values[OPTION_COUNT];
    const char **operands;
    size_t operand_count;
    typed_setting *settings;
    size_t setting_count;
    struct repeated_option {
        option_id id;
        const char *text;
    } * repeated; /* options that may be given several times, in the order of the command line */
    size_t repeated_count;
    char **words; /* the command line, from the verb on, NULL after the last */
};

/* Fills in `given` from the words after the verb (argv[0] is the verb). On a wrong command line,
 * complains and returns CODE_USAGE; with --help anything that is missing is allowed. `given` is to
 * be freed in any case. */
int arguments_parse(arguments *given, const verb *row, int argc, char **argv);
void arguments_free(arguments *given);

bool is_given(const arguments *given, option_id id);
/* The text of the option's `index`-th appearance, NULL after the last; for those of `many`. */
const char *given_text(const arguments *given, option_id id, size_t index);

/* " (min, max, sum ...)" would be long for some tables, so the list is written where there is
 * room: complains that `word` is none of `words`, and advises the nearest. Returns CODE_USAGE. */
int complain_word(const char *what, const char *word, word_at words);

#endif
