/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of the problems in files. One table of columns per result; a file takes what it can hold:
 * text (.txt, .tsv, .csv, or - for standard output) a column of ids and all of them, an array
 * (.npy) the first. Vertices are named by their ids in text and by their numbers 0..n-1 in arrays,
 * where row i is vertex i; --ids writes what ids they have. Any of them may be gzipped (.gz).
 *
 * What is not reached: -1 in text, or inf for a distance; in arrays the largest value of an integer
 * type, or infinity. */
#ifndef HOPLITE_CLI_RESULT_FILE_H
#define HOPLITE_CLI_RESULT_FILE_H

#include "job_state.h"

typedef struct result_column {
    const char *name; /* "level" */
    const char *what; /* "levels", for messages */
    hop_type type;
    const void *items;
    const char *missing; /* as in hop__result_column */
    bool vertices;       /* the items are vertices */
    option_id option;    /* the option that names a file for this column alone; 0: none */
} result_column;

typedef struct result_table {
    const char *index; /* name of the column of ids: "vertex" or "element"; NULL: none */
    uint64_t rows;
    const result_column *columns;
    size_t count;
} result_table;

/* No result takes the place of another, or of the graph, or of its index. */
int results_apart(const arguments *given);
/* Whether the files that the options name can be written, before the work begins. */
int results_check(const arguments *given);
/* The memory that writing them takes; 0: none are asked for. */
uint64_t results_need(problem_job *job);
/* Sets aside the memory that writing them will take: a run that could not write what it found is
 * refused before it begins. The functions that write take it, by results_room. */
int results_set_aside(problem_job *job);
void results_room(problem_job *job);
/* Writes them; an option that was not given writes nothing. */
int results_write(problem_job *job, const result_table *table);
/* What --ids asks for; results_write has it too. */
int results_write_ids(problem_job *job);
/* Writes a table to this path alone. */
int results_write_to(problem_job *job, const char *path, const result_table *table);

#endif
