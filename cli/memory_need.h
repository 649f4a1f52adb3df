/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a problem needs in all: graph, results, the work of the variant, and writing. A
 * budget that is too small is refused once, with the whole need, what would do, and a variant that
 * fits, if there is one; not array after array. */
#ifndef HOPLITE_CLI_MEMORY_NEED_H
#define HOPLITE_CLI_MEMORY_NEED_H

#include "job_state.h"

/* An array of the results, as job_array has them, before job_solve. If the budget has no room for
 * it, the array is none that may be used, and job_solve refuses the job instead of solving it. */
int job_result(problem_job *job, const char *what, uint64_t count, size_t size, void **array);
/* Refuses a job that does not fit into its budget. `call` is asked for plans only. Returns the exit
 * code. */
int need_refuse(problem_job *job, job_call call, void *user);

#endif
