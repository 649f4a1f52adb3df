/* SPDX-License-Identifier: Apache-2.0
 *
 * How a variant tells what its time went into; the caller finds it in hop_report.
 *
 *     hop__phase(context, "clear");            ends the phase before, if any, and begins this one
 *     ... the work, on any number of threads
 *     hop__phase(context, "expand");
 *     hop__phase_items(context, frontier);     about the phase under way: what it works on
 *     ...
 *     hop__count(context, "retries", retries); a counter
 *
 * Phases do not nest: the time line of a run is cut into pieces, and pieces of one name are added
 * up. So shares of phases sum to the run, and a helper that marks its own phase (such as the
 * parents of sssp) takes its time out of its caller's; the caller marks again if it goes on. The
 * last phase ends when run() returns.
 *
 * A call costs a clock read and a search of a short array, some 60 ns: mark what takes ten
 * microseconds or more (a level, a pass), not what happens per vertex. On a very deep graph a
 * level may be shorter than that: mark the search as a whole then, or from some size on.
 *
 * Only on the thread that made the call, outside of parallel regions. Workers count for themselves;
 * the caller adds up and calls hop__count once. Names are string literals: they are kept as they
 * are. Beyond HOP__REPORT_PHASES names the time goes to no phase, and beyond HOP__REPORT_COUNTERS a
 * counter is dropped: tests of the table see to it that no variant gets there. */
#ifndef HOPLITE_PROBLEM_PHASES_H
#define HOPLITE_PROBLEM_PHASES_H

#include "core/context_internal.h"
#include "problem/report.h"

/* Where a context keeps the run under way; part of hop__call. */
typedef struct hop__recorder {
    hop_report *report;
    struct hop__recorder *outer; /* of a run that this one is a part of, or NULL */
    bool open;                   /* a phase is under way: */
    uint32_t phase;              /* its index; HOP__REPORT_PHASES when there was no room */
    double begin;                /* of it */
    uint64_t bytes, items;
} hop__recorder;

/* Ends the phase under way and begins another. The second form is for those that only move data. */
void hop__phase(hop_context *context, const char *name);
void hop__phase_copy(hop_context *context, const char *name);
/* Ends the phase under way; what follows belongs to none. */
void hop__phase_stop(hop_context *context);
/* Adds to what the phase under way has moved, or worked on. Bytes are those of the elements that it
 * reads and writes in any case, at their size, whatever caches make of it; what happens now and
 * then (a graft, a step towards a root) is not counted, unless the variant counts it anyway. 0:
 * nobody can tell. tests/cli/test_cli_bench_phases.py has the list of those. */
void hop__phase_bytes(hop_context *context, uint64_t bytes);
void hop__phase_items(hop_context *context, uint64_t items);
/* A phase that was measured elsewhere, such as a kernel by the events of its device. The phase
 * under way is not touched. */
void hop__phase_add(hop_context *context, const hop_phase *phase);
/* Adds to a counter; makes it, also with amount 0. */
void hop__count(hop_context *context, const char *name, uint64_t amount);

/* For the fronts, through hop__run_begin and hop__run_end. */
void hop__recorder_begin(hop_context *context, hop__recorder *recorder, hop_report *report);
void hop__recorder_end(hop_context *context, hop__recorder *recorder, double now);

#endif
