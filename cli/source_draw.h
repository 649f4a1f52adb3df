/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources that are drawn: --source random, and what --within-largest asks for. */
#ifndef HOPLITE_CLI_SOURCE_DRAW_H
#define HOPLITE_CLI_SOURCE_DRAW_H

#include "problem_job.h"

typedef struct source_draw {
    const hop_graph *graph;
    uint64_t seed, drawn;     /* how many have been drawn */
    hop_vertex *labels;       /* of the components, of the budget; NULL: not asked for */
    hop_vertex largest, size; /* label and size of the largest component */
    hop_vertex busiest;       /* the vertex with the most arcs that may be a source */
} source_draw;

/* Finds the components if --within-largest asks for them. Returns an exit code; draw_free in any
 * case. */
int draw_open(problem_job *job, source_draw *draw);
void draw_free(source_draw *draw);

/* Whether a vertex may be a source. */
bool draw_allows(const source_draw *draw, hop_vertex v);
/* The next one: of those that may be sources and have an arc, if there are any, each as likely. */
hop_vertex draw_next(void *draw);

#endif
