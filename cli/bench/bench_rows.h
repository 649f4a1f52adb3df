/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of JSON, one line each, appended to a file by one write: see docs/bench.md. Without a file
 * nothing is written, so that callers need not ask. */
#ifndef HOPLITE_CLI_BENCH_ROWS_H
#define HOPLITE_CLI_BENCH_ROWS_H

#include "json_writer.h"
#include "session.h"

typedef struct row_file {
    const char *path; /* NULL: no rows */
    int descriptor;
    const char *tag;
    char session[17];
    /* The row under way. */
    json out;
    FILE *stream;
    char *text;
    size_t length;
    /* --resume: runs that are there already, sorted by their keys. */
    struct known_run *known;
    size_t known_count;
} row_file;

/* A run of an earlier command. */
typedef struct known_run {
    char *key; /* with the graph's hash and the source */
    char *outcome;
    double seconds;
} known_run;

/* Opens the file of --jsonl, if it is given, and reads the keys that are there with --resume. */
int rows_open(row_file *rows, const arguments *given, uint64_t seed);
void rows_close(row_file *rows);

/* A row: begin, the fields by json_...(&rows->out, ...), end. Returns an exit code. */
void row_begin(row_file *rows, const char *kind);
int row_end(row_file *rows);

/* The run with this key that is in the file already, or NULL. */
const known_run *rows_find(const row_file *rows, const char *key, const char *graph_hash,
                           const char *source);

/* The row of the session, before all others. */
int row_session(row_file *rows, const arguments *given, uint64_t budget);

/* Load of the machine over the last minute; NAN when unknown. */
double machine_load(void);
/* An object "machine". */
void machine_json(json *out);

#endif
