/* SPDX-License-Identifier: Apache-2.0
 *
 * A negative cycle, handed to the user: on standard output its arcs with their weights, in the ids
 * of the file; on standard error what it means. */
#ifndef HOPLITE_CLI_CYCLE_REPORT_H
#define HOPLITE_CLI_CYCLE_REPORT_H

#include "problem_job.h"

/* Prints the one that the job has found (as JSON if asked for). Returns the exit code:
 * CODE_FAILURE, or that of standard output that cannot be written. */
int cycle_report(problem_job *job);

#endif
