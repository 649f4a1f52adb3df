/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources and targets of a search, from the options of GROUP_ENDS. */
#ifndef HOPLITE_CLI_SEARCH_ENDS_H
#define HOPLITE_CLI_SEARCH_ENDS_H

#include "problem_job.h"
#include "source_draw.h"
#include "vertex_file.h"

typedef struct search_ends {
    vertex_set sources, targets;
    vertex_set nearest; /* of --nearest, when the search is done */
    bool chosen;        /* no source was named: it is the vertex with the most arcs */
    source_draw draw;
} search_ends;

/* What a search found, item v for vertex v: levels, or else distances. */
typedef struct search_values {
    const hop_vertex *levels; /* NULL: distances */
    hop_weight_type type;     /* of the distances */
    const void *distances;
} search_values;

/* Whether standard input is asked for once at most; before the graph is read. */
int ends_check(const problem_job *job);
/* Fills in `ends`, to be freed in any case. Returns an exit code. */
int ends_take(problem_job *job, search_ends *ends);
void ends_free(search_ends *ends);

/* "source", "sources" and so on as a line; as JSON an array "sources" of ids. */
void ends_line(FILE *file, const problem_job *job, const search_ends *ends);
void ends_json(json *out, const problem_job *job, const search_ends *ends);

/* "reached": how many of the vertices, and where the search stopped if it did. */
void reached_line(FILE *file, const problem_job *job, const search_ends *ends,
                  const search_values *found, hop_vertex reached);
/* What was found for each target, in the order in which they were given: a line for each of the
 * first ones, and as JSON an array "targets" with all. Nothing when there are none. */
void targets_lines(FILE *file, const problem_job *job, const search_ends *ends,
                   const search_values *found);
void targets_json(json *out, const problem_job *job, const search_ends *ends,
                  const search_values *found);
/* Lists the vertices of --nearest, if it is given; after the search. Returns an exit code. */
int nearest_take(problem_job *job, search_ends *ends, const search_values *found);
/* The same of the vertices of --nearest, in the order of nearness, those as near by their numbers;
 * the array is "nearest". */
void nearest_lines(FILE *file, const problem_job *job, const search_ends *ends,
                   const search_values *found);
void nearest_json(json *out, const problem_job *job, const search_ends *ends,
                  const search_values *found);

#endif
