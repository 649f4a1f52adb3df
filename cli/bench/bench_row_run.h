/* SPDX-License-Identifier: Apache-2.0
 * Rows about runs and contenders: see docs/bench.md. */
#ifndef HOPLITE_CLI_BENCH_ROW_RUN_H
#define HOPLITE_CLI_BENCH_ROW_RUN_H

#include "bench/bench.h"

/* What a run is called: unique among those of one set of options. To be freed. */
char *run_key(const bench *all, const contender *each, const bench_run *run);
/* What the file of --resume knows of it; NULL: nothing, or of another graph or source. */
const known_run *run_known(const bench *all, const contender *each, const bench_run *run);

/* Writes the row of a run. Returns an exit code. */
int row_run(bench *all, const contender *each, const bench_run *run);
/* Writes the summary of a contender. */
int row_summary(bench *all, const contender *each);
/* The fields of a summary; also for --json. */
void summary_json(json *out, const bench *all, const contender *each);
/* Of the phases that only copy. */
double copy_seconds(const hop_report *report);
/* Problem, graph and its hash. */
void subject_json(json *out, const bench *all);

#endif
