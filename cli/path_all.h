/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite path GRAPH FROM TO --all-paths: every shortest path. */
#ifndef HOPLITE_CLI_PATH_ALL_H
#define HOPLITE_CLI_PATH_ALL_H

#include "problem_job.h"

/* The graph has been read. Solves and reports. Returns an exit code. */
int all_paths_solve(problem_job *job);

#endif
