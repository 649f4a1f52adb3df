/* SPDX-License-Identifier: Apache-2.0
 *
 * --explain: which variant would run and why, what it needs, what the others would need or why
 * they cannot, and what preparing would gain. */
#ifndef HOPLITE_CLI_PLAN_REPORT_H
#define HOPLITE_CLI_PLAN_REPORT_H

#include "job_state.h"

/* Asks every variant for its plan and prints them: with --dry-run on standard output, as JSON if
 * asked for, else on standard error. Fails as the run would. */
int plan_explain(problem_job *job, job_call call, void *user);
/* An array "variants" of what they answered. */
void plan_json(json *out, const problem_job *job);

#endif
