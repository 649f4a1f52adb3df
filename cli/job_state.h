/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a job while a verb of a problem works on it, for those who plan, measure memory
 * and write results on its behalf; problem_job.h is what verbs call. */
#ifndef HOPLITE_CLI_JOB_STATE_H
#define HOPLITE_CLI_JOB_STATE_H

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
    uint64_t copy_bytes, kept_bytes; /* of the graph: still to be copied to the device, and there */
    char device[24];                 /* empty: the host */
    char reason[512];                /* of the choice, or of the refusal */
} variant_plan;

typedef struct problem_job {
    session work;
    hop_problem problem;
    const char *input;
    opened_graph opened;
    hop_graph_info info;
    hop_setting *settings;
    hop_run run;
    hop_report *report; /* of the last run; NULL before */
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

/* One call of the library, with this run. */
typedef hop_status (*job_call)(void *user, const hop_run *run);

/* An array of the budget, freed by job_close. */
int job_array(problem_job *job, const char *what, uint64_t count, size_t size, void **array);

/* What it solves: the problem, or for a verb without a table of variants the verb. */
const char *job_name(const problem_job *job);

/* Whether --dry-run was given. */
bool job_is_dry(const problem_job *job);

/* Notes a file that was written, and says so. */
void job_wrote(problem_job *job, const char *what, const char *path, written_file written);

#endif
