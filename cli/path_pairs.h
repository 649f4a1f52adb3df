/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite path GRAPH --pairs FILE: the distance of each pair of vertices in a file. */
#ifndef HOPLITE_CLI_PATH_PAIRS_H
#define HOPLITE_CLI_PATH_PAIRS_H

#include "problem_job.h"

/* The graph has been read. Solves, by the index if there is one, and reports. Returns an exit
 * code. */
int pairs_solve(problem_job *job, const hop_index *index);

#endif
