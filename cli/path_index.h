/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite path --index FILE: answers by an index that `hoplite index` has made. */
#ifndef HOPLITE_CLI_PATH_INDEX_H
#define HOPLITE_CLI_PATH_INDEX_H

#include "problem_job.h"

/* Opens the index that --index names, of the graph that has been read; options that say how to
 * search are refused. *index is to be freed by the caller. Returns an exit code. */
int index_open(problem_job *job, hop_index **index);
/* The distances of these pairs, certified if that was asked for, as a run of the job. */
int index_distances(problem_job *job, const hop_index *index, const hop_edge *pairs, uint64_t count,
                    const hop_span *distances);
/* The members of --json about it. */
void index_json(json *out, const problem_job *job, const hop_index *index);

#endif
