/* SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs of the problems share: the session, the graph, the options that say how to solve
 * it, the runs, the explanation, and what is told about them. A verb adds what it asks (sources,
 * limits), one call of the library, and its results:
 *
 *     job_open, job_read_graph, job_array ..., job_solve, facts, results_write, job_close */
#ifndef HOPLITE_CLI_PROBLEM_JOB_H
#define HOPLITE_CLI_PROBLEM_JOB_H

#include "job_state.h"

/* Opens a session and takes --variant, --set and --certify. All functions return an exit code and
 * have complained if it is not CODE_OK; job_close in any case. */
int job_open(problem_job *job, const arguments *given, hop_problem problem);
void job_close(problem_job *job);

/* Reads the graph named by the first operand, checks it, and prepares what --prepare says. */
int job_read_graph(problem_job *job);

/* Notes why a result is wrong, to be told by the caller. Returns CODE_REJECTED. */
HOP_PRINTF(2, 3) int job_reject(problem_job *job, const char *format, ...);

/* Plans, explains if asked to, and runs it as often as asked. *status is the library's; of those
 * that are no success only HOP_ERR_NEGATIVE_CYCLE is left to the caller, with CODE_OK. With
 * --dry-run nothing is run: see job_is_dry. */
int job_solve(problem_job *job, job_call call, void *user, hop_status *status);

/* For a call that hands out results while it computes: another context, in which they are written
 * to `path` (NULL: nowhere), to be freed by the caller; a failure of that is *written, and the
 * caller's to tell. */
int job_writer(problem_job *job, const char *path, const hop_status *written, hop_context **writer);

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

#endif
