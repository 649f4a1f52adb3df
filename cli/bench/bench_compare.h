/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sets of measured times, compared cell by cell; a cell is a variant with its settings on a
 * graph, at a number of threads. docs/bench.md says when two cells differ. */
#ifndef HOPLITE_CLI_BENCH_COMPARE_H
#define HOPLITE_CLI_BENCH_COMPARE_H

#include "bench/bench.h"

typedef struct sample {
    char *cell;    /* what must be equal to be compared */
    char *session; /* the process that measured it */
    double repetition;
    double sum; /* of seconds over the sources */
    size_t count;
    uint64_t sources; /* a sum over them that is the same for the same ones */
} sample;

typedef struct sample_set {
    const char *name;
    sample *samples;
    size_t count;
    char machine[160]; /* the model of the processor; empty: unknown */
} sample_set;

/* The runs of a file of rows. */
int samples_read(sample_set *set, const char *path);
/* The runs of the input under way. */
void samples_take(sample_set *set, const bench *all);
void samples_free(sample_set *set);

/* Compares, prints a table, writes rows. CODE_FAILURE when something has become slower, or there is
 * nothing to compare. */
int samples_compare(const arguments *given, row_file *rows, sample_set *old, sample_set *new,
                    FILE *file);

#endif
