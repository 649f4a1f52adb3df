/* SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs of the problems share: the session, the graph, the options that say how to solve
 * it, the runs, the explanation, and what is told about them. A verb adds what it asks (sources,
 * limits), one call of the library, and its results:
 *
 *     job_open, job_read_graph, job_array ..., job_solve, facts, results_write, job_close */
#ifndef HOPLITE_CLI_PROBLEM_JOB_H
#define HOPLITE_CLI_PROBLEM_JOB_H

#include "graph_file.h"
#include "json_writer.h"

enum { JOB_ARRAYS = 8, JOB_FILES = 8 };

typedef struct job_file {
    const char *what; /* "levels" */
    const char *path;
    written_file written;
} job_file;

/* What one variant answers when asked for its plan. */
typedef struct variant_plan {
    const hop_variant *variant;
    hop_status status;
    uint64_t bytes, device_bytes;
    char device[24];  /* empty: the host */
    char reason[512]; /* of the choice, or of the refusal */
} variant_plan;

typedef struct problem_job {
    session work;
    hop_problem problem;
    const char *input;
    opened_graph opened;
    hop_graph_info info;
    hop_setting *settings;
    hop_run run;
    hop_report report;
    /* Large files that it will make: their bytes (0: none), what is free for them, and their names
     * (NULL: one without a name). */
    uint64_t disk_bytes[2], disk_free[2];
    const char *disk_paths[2];
    double *seconds; /* of each run */
    size_t runs;
    double prepare_seconds;
    void *arrays[JOB_ARRAYS]; /* results, freed at the end */
    size_t array_count;
    uint64_t result_bytes;
    uint64_t base_bytes; /* in use before the results: the graph */
    bool lacking;        /* the budget has no room for the results: see memory_need.h */
    size_t places;       /* results that have none */
    void *set_aside;     /* memory for writing, until it is needed: results_set_aside */
    const hop_status
        *elsewhere;      /* a failure that the caller will tell, not the context's; or NULL */
    char fault[512];     /* of a result that was read: see job_reject */
    variant_plan *plans; /* of all variants, with --explain */
    size_t plan_count;
    job_file files[JOB_FILES]; /* that were written */
    size_t file_count;
    uint64_t rows, proved_rows; /* of a matrix; proved_rows is 0 when all are proved */
} problem_job;

/* Opens a session and takes --variant, --set and --certify. All functions return an exit code and
 * have complained if it is not CODE_OK; job_close in any case. */
int job_open(problem_job *job, const arguments *given, hop_problem problem);
void job_close(problem_job *job);

/* Reads the graph named by the first operand, checks it, and prepares what --prepare says. */
int job_read_graph(problem_job *job);

/* An array of the budget, freed by job_close. */
int job_array(problem_job *job, const char *what, uint64_t count, size_t size, void **array);

/* Notes why a result is wrong, to be told by the caller. Returns CODE_REJECTED. */
HOP_PRINTF(2, 3) int job_reject(problem_job *job, const char *format, ...);

/* One call of the library, with this run. */
typedef hop_status (*job_call)(void *user, const hop_run *run);
/* Plans, explains if asked to, and runs it as often as asked. *status is the library's; of those
 * that are no success only HOP_ERR_NEGATIVE_CYCLE is left to the caller, with CODE_OK. With
 * --dry-run nothing is run: see job_is_dry. */
int job_solve(problem_job *job, job_call call, void *user, hop_status *status);
bool job_is_dry(const problem_job *job);

/* Where facts are printed: standard output, unless that is taken or a file was asked for; then
 * standard error. NULL if --quiet or --json. */
FILE *job_facts(const problem_job *job);

/* Tells on standard error which variant ran, how long, at what rate, and whether it is proved.
 * `work_done` is in `unit`s (such as edges), 0: no rate. */
void job_tell(problem_job *job, double work_done, const char *unit);
/* Members about input, graph, variant, runs; and about files, to be written last. */
void job_json(json *out, const problem_job *job);
void job_files_json(json *out, const problem_job *job);

/* What --certify has shown: "canonical", "valid", or "tolerance" for all pairs in floating point,
 * where variants add up in their own order (apsp.h); NULL: nothing. */
const char *job_proof(const problem_job *job);

/* Notes a file that was written, and says so. */
void job_wrote(problem_job *job, const char *what, const char *path, written_file written);

#endif
