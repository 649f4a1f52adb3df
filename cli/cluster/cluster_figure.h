/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of hoplite-mpi as a picture: what each phase took, waited and sent. */
#ifndef HOPLITE_CLI_CLUSTER_CLUSTER_FIGURE_H
#define HOPLITE_CLI_CLUSTER_CLUSTER_FIGURE_H

#include <stddef.h>
#include <stdint.h>

#include "job_state.h"

/* Seconds of a rank: the least, the mean and the most. */
typedef struct rank_seconds {
    double least, mean, most;
} rank_seconds;

/* A phase; or the whole job, which has no messages of its own. */
typedef struct figure_row {
    char name[48];
    rank_seconds seconds, waiting;
    uint64_t bytes, messages, rounds;
    double uneven; /* bytes: the most of a rank over the mean */
} figure_row;

enum { FIGURE_ROWS = 40 };

typedef struct figure {
    char title[160];
    figure_row rows[FIGURE_ROWS];
    size_t count;
} figure;

/* Writes the picture that --plot asks for; nothing if it does not. Returns an exit code. */
int figure_write(const arguments *given, const figure *made);

#endif
