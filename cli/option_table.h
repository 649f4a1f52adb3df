/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of options. getopt_long, the help texts, the completions of the shells, the JSON
 * of `hoplite help --json` and the test of the man pages all loop over it.
 *
 * An option belongs to a group, and a verb takes whole groups; so a flag means the same
 * everywhere, and a new verb says in one line what it takes. */
#ifndef HOPLITE_CLI_OPTION_TABLE_H
#define HOPLITE_CLI_OPTION_TABLE_H

#include <stdint.h>

#include "nearest_word.h"

typedef enum option_id {
    OPT_FROM,
    OPT_DIRECTED,
    OPT_UNDIRECTED,
    OPT_DUPLICATES,
    OPT_DROP_LOOPS,
    OPT_DROP_WEIGHTS,
    OPT_TRUSTED,
    OPT_IN_MEMORY,
    OPT_VERIFY,
    OPT_MAX_VERTICES,
    OPT_MAX_EDGES,
    OPT_MAX_BYTES,
    OPT_DIAMETER,
    OPT_HASH,
    OPT_LIST,
    OPT_SET,
    OPT_SEED,
    OPT_WEIGHTS,
    OPT_MIN_WEIGHT,
    OPT_MAX_WEIGHT,
    OPT_VERTICES,
    OPT_REVERSE,
    OPT_SYMMETRIZE,
    OPT_DROP_LABELS,
    OPT_OUTPUT,
    OPT_TO,
    OPT_GZIP,
    OPT_DEVICE,
    OPT_THREADS,
    OPT_MEMORY,
    OPT_JSON,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_LOG,
    OPT_HELP,
    OPTION_COUNT
} option_id;

/* Bits, since verbs combine them; in the order of the help texts. */
enum {
    GROUP_INPUT = 1 << 0,
    GROUP_DESCRIBE = 1 << 1,
    GROUP_RECIPE = 1 << 2,
    GROUP_CHANGE = 1 << 3,
    GROUP_OUTPUT = 1 << 4,
    GROUP_DEVICE = 1 << 5,
    GROUP_MACHINE = 1 << 6,
    GROUP_RESULT = 1 << 7,
    GROUP_TALK = 1 << 8,
    GROUP_HELP = 1 << 9
};

typedef struct option_group {
    unsigned bit;
    const char *title;
} option_group;

enum { GROUP_COUNT = 10 };
extern const option_group option_groups[GROUP_COUNT];

typedef enum option_kind {
    KIND_FLAG,
    KIND_WHOLE, /* number_text.h */
    KIND_BYTES,
    KIND_REAL,
    KIND_WORD, /* one of `words` */
    KIND_FILE,
    KIND_TEXT
} option_kind;

typedef struct option_row {
    const char *name;
    char letter; /* 0: none */
    option_kind kind;
    unsigned group;
    const char *argument;      /* "N"; NULL for flags */
    const char *environment;   /* the variable that stands in when it is not given, or NULL */
    uint64_t minimum, maximum; /* KIND_WHOLE and KIND_BYTES; both 0: any */
    word_at words;
    const char *summary; /* no full stop */
} option_row;

extern const option_row option_rows[OPTION_COUNT];

/* Words of the library's tables and of ours. */
const char *word_of_readable_format(size_t index); /* and "list" */
const char *word_of_writable_format(size_t index);
const char *word_of_weight_type(size_t index); /* the index is the hop_weight_type */
const char *word_of_duplicates(size_t index);  /* the index is the hop_duplicates */
const char *word_of_log_level(size_t index);   /* the index is the hop_log_level */
const char *word_of_family(size_t index);

#endif
