/* SPDX-License-Identifier: Apache-2.0
 * Rows about runs and contenders: see docs/bench.md. */
#ifndef HOPLITE_CLI_BENCH_ROW_RUN_H
#define HOPLITE_CLI_BENCH_ROW_RUN_H

#include "bench.h"

enum { KEY_BYTES = 1024 };

/* What a run is called: unique among those of one set of options. */
char *run_key(const bench *all, const contender *each, const bench_run *run, char key[KEY_BYTES]);

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
