/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of options. getopt_long, the help texts, the completions of the shells, the JSON
 * of `hoplite help --json` and the test of the man pages all loop over it.
 *
 * An option belongs to a group, and a verb takes whole groups; so a flag means the same
 * everywhere, and a new verb says in one line what it takes. */
#ifndef HOPLITE_CLI_OPTION_TABLE_H
#define HOPLITE_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words one by one; NULL after the last. Tables of names are given in this form everywhere. */
typedef const char *(*word_at)(size_t index);

typedef enum option_id {
    OPT_FROM,
    OPT_COLUMNS,
    OPT_DELIMITER,
    OPT_HEADER,
    OPT_NAMES,
    OPT_DIRECTED,
    OPT_UNDIRECTED,
    OPT_DUPLICATES,
    OPT_DROP_LOOPS,
    OPT_DROP_WEIGHTS,
    OPT_TRUSTED,
    OPT_IN_MEMORY,
    OPT_EXTERNAL,
    OPT_VERIFY,
    OPT_MAX_VERTICES,
    OPT_MAX_EDGES,
    OPT_MAX_BYTES,
    OPT_MAX_LINE,
    OPT_SANDBOX,
    OPT_SOURCE,
    OPT_SOURCES,
    OPT_TARGET,
    OPT_TARGETS,
    OPT_TABLE_SOURCE,
    OPT_TABLE_SOURCES,
    OPT_TABLE_TARGET,
    OPT_TABLE_TARGETS,
    OPT_WITHIN_LARGEST,
    OPT_PAIRS,
    OPT_ALL_PATHS,
    OPT_LIMIT,
    OPT_INDEX,
    OPT_INDEX_KIND,
    OPT_LANDMARKS,
    OPT_NEAREST,
    OPT_DEPTH,
    OPT_CUTOFF,
    OPT_DIRECTION,
    OPT_REACH_WITHIN,
    OPT_UNSCALED,
    OPT_SAMPLES,
    OPT_BACKWARD,
    OPT_ITSELF,
    OPT_TOGETHER,
    OPT_CENTERS,
    OPT_CENTERS_FROM,
    OPT_HEAD,
    OPT_HEADS,
    OPT_ALL,
    OPT_VARIANT,
    OPT_PREPARE,
    OPT_CERTIFY,
    OPT_TOLERANCE,
    OPT_CERTIFY_ROWS,
    OPT_SCRATCH,
    OPT_ROWS,
    OPT_ROWS_FROM,
    OPT_DISTANCE_TYPE,
    OPT_EXPLAIN,
    OPT_DRY_RUN,
    OPT_REPEAT,
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
    OPT_PARENTS,
    OPT_SIZES,
    OPT_LARGEST,
    OPT_TOP,
    OPT_RELABEL,
    OPT_ECCENTRICITIES,
    OPT_IDS,
    OPT_PLOT,
    OPT_TO,
    OPT_GZIP,
    OPT_DEVICE,
    OPT_DEVICE_MEMORY,
    OPT_CHECK,
    OPT_ACCEPT,
    OPT_SECONDS,
    OPT_THREADS,
    OPT_MEMORY,
    OPT_CONTENDER,
    OPT_REPETITIONS,
    OPT_THREAD_LIST,
    OPT_DEVICE_LIST,
    OPT_WARMUP,
    OPT_START,
    OPT_RANDOM_SOURCES,
    OPT_TIME_LIMIT,
    OPT_CERTIFY_EACH,
    OPT_UNPREPARED,
    OPT_JSONL,
    OPT_RESUME,
    OPT_TAG,
    OPT_STEPS,
    OPT_OUTSIDE,
    OPT_COMPARE,
    OPT_REGRET,
    OPT_MACHINE,
    OPT_NO_WRITE,
    OPT_FORCE,
    OPT_JSON,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_LOG,
    OPT_PROGRESS,
    OPT_FROM_VERTEX,
    OPT_SPREAD_SOURCE,
    OPT_SPREAD_CERTIFY,
    OPT_SPREAD_OUTPUT,
    OPT_SPREAD_PARENTS,
    OPT_SPREAD_THREADS,
    OPT_MESSAGE,
    OPT_SPREAD_PLOT,
    OPT_CHECKPOINT,
    OPT_CHECKPOINT_EVERY,
    OPT_CONTINUE,
    OPT_PLAN_EDGES,
    OPT_PLAN_VERTICES,
    OPT_PLAN_DIRECTED,
    OPT_PLAN_WEIGHTS,
    OPT_PLAN_LEVELS,
    OPT_PLAN_NODES,
    OPT_PLAN_RANKS,
    OPT_PLAN_MEMORY,
    OPT_PLAN_BANDWIDTH,
    OPT_HELP,
    OPTION_COUNT
} option_id;

/* Bits, since verbs combine them; in the order of the help texts. */
enum {
    GROUP_INPUT = 1 << 0,
    GROUP_ENDS = 1 << 1,   /* sources and targets */
    GROUP_DEPTH = 1 << 2,  /* limits of bfs */
    GROUP_CUTOFF = 1 << 3, /* limits of sssp */
    GROUP_HEADS = 1 << 4,
    GROUP_SOLVE = 1 << 5, /* how to solve it */
    GROUP_PREPARE = 1 << 6,
    GROUP_PROOF = 1 << 7,
    GROUP_MATRIX = 1 << 8,
    GROUP_SHAPE = 1 << 9,
    GROUP_DESCRIBE = 1 << 10,
    GROUP_RECIPE = 1 << 11,
    GROUP_CHANGE = 1 << 12,
    GROUP_OUTPUT = 1 << 13,
    GROUP_ANSWER = 1 << 14, /* files of results */
    GROUP_PARTS = 1 << 15,
    GROUP_IDS = 1 << 16,
    GROUP_TREE = 1 << 17,
    GROUP_BENCH = 1 << 18,
    GROUP_DEVICE = 1 << 19,
    GROUP_THREADS = 1 << 20, /* the number of threads, where it is one */
    GROUP_MACHINE = 1 << 21,
    GROUP_RESULT = 1 << 22,
    GROUP_TALK = 1 << 23,
    GROUP_HELP = 1 << 24,
    GROUP_CHECK = 1 << 25,
    GROUP_DEVICE_MEMORY = 1 << 26,
    GROUP_TUNE = 1 << 27,
    GROUP_ROWS = 1 << 28,
    GROUP_FARTHEST = 1 << 29,
    GROUP_FILE = 1 << 30 /* of GROUP_INPUT, what is about the file and not the graph */
};
/* Bits that no enumerator can have. */
#define GROUP_TOLERANCE (1u << 31)
#define GROUP_PAIRS     (UINT64_C(1) << 32)
#define GROUP_WITHIN    (UINT64_C(1) << 33)
#define GROUP_PLOT      (UINT64_C(1) << 34)
#define GROUP_ACCEPT    (UINT64_C(1) << 35)
#define GROUP_MEASURE   (UINT64_C(1) << 36)
#define GROUP_SCRATCH   (UINT64_C(1) << 37)
#define GROUP_DISK      (UINT64_C(1) << 41)
/* Of hoplite-mpi (cluster/). */
#define GROUP_SPREAD        (UINT64_C(1) << 38)
#define GROUP_SPREAD_ANSWER (UINT64_C(1) << 39)
#define GROUP_SPREAD_SEARCH (UINT64_C(1) << 40)
#define GROUP_PLAN          (UINT64_C(1) << 42)
/* Files from strangers. */
#define GROUP_GUARD   (UINT64_C(1) << 43)
#define GROUP_INDEX   (UINT64_C(1) << 44)
#define GROUP_CLOSURE (UINT64_C(1) << 45)
#define GROUP_TABLE   (UINT64_C(1) << 46)

typedef struct option_group {
    uint64_t bit;
    const char *title; /* neighbours with the same title stand under one heading */
} option_group;

enum { GROUP_COUNT = 47 };
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
    uint64_t group;            /* several, where it means the same: it stands under the first */
    const char *argument;      /* "N"; NULL for flags */
    const char *environment;   /* the variable that stands in when it is not given, or NULL */
    uint64_t minimum, maximum; /* KIND_WHOLE and KIND_BYTES; both 0: any */
    word_at words;
    const char *summary;   /* no full stop */
    bool written;          /* KIND_FILE: a result */
    bool many;             /* each time it is given adds one; else the last one counts */
    const char *otherwise; /* the argument may be left out, and is then this; NULL: it may not */
} option_row;

extern const option_row option_rows[OPTION_COUNT];

/* Words of the library's tables and of ours. */
const char *word_of_readable_format(size_t index); /* and "list" */
const char *word_of_writable_format(size_t index);
const char *word_of_weight_type(size_t index); /* the index is the hop_weight_type */
const char *word_of_yes_no(size_t index);
const char *word_of_duplicates(size_t index); /* the index is the hop_duplicates */
const char *word_of_log_level(size_t index);  /* the index is the hop_log_level */
const char *word_of_family(size_t index);
const char *word_of_certify(size_t index); /* the index + 1 is the hop_certify */
const char *word_of_prepare(size_t index); /* 1 << index is the HOP_PREPARE_ bit */
const char *word_of_distance_type(size_t index);
const char *word_of_direction(size_t index);
const char *word_of_itself(size_t index);     /* the index is the hop_closure_self */
const char *word_of_index_kind(size_t index); /* the index is the hop_index_kind */
const char *word_of_problem(size_t index);    /* the index is the hop_problem */

#endif
