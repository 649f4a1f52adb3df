/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fronts of the five problems share: tables of variants, the choice of a row, its
 * settings, the memory check before the run, the report.
 *
 * A call flows through a front like this:
 *   1. hop__run_take reads the caller's hop_run; the front validates the rest;
 *   2. the front fills in its task (graph, sources, ...) and calls hop__choose: the named row, or
 *      the one that the front's pick() prefers, both asked whether they can (row.refuse);
 *   3. hop__check_need: the row's estimate against the budget, before anything is allocated;
 *   4. hop__run_begin, row.run, hop__run_end (time, phases, counters: see phases.h);
 *   5. hop__certify_begin, the certifier if asked for, hop__certify_end.
 *
 * Where a row of the host and one of the device have the same name, the name means the one that the
 * context can run: the device's where the context names a device, else the host's. In a table the
 * rows of devices stand after those of the host.
 *
 * On a context with a device, auto chooses among the rows of the device; when none can do the task,
 * or the device fails in the run, the call ends on the host, and the report says why:
 *
 *     do {
 *         status = check the memory, run
 *     } while (hop__choose_again(..., &choice, status));
 *
 * The time of a device's row is reported by its kernels and copies, measured by the device, each of
 * which becomes a phase at hop__run_end; so such a row does not mark phases around them.
 *
 * Rows are structs of the problem's own type that begin with a hop__variant. */
#ifndef HOPLITE_PROBLEM_PROBLEM_H
#define HOPLITE_PROBLEM_PROBLEM_H

#include "core/memory.h"
#include "core/settings.h"
#include "device/device.h"
#include "hoplite/variant.h"
#include "problem/device_graph.h"
#include "problem/phases.h"
#include "problem/workspace.h"

enum { HOP__REASON = 256 };

/* The part of a row that is the same for all problems. `task` is the problem's own. */
typedef struct hop__variant {
    hop_variant about;
    /* Why this row cannot do the task (written to `reason`, true), or false. NULL: it always can.
     */
    bool (*refuse)(const void *task, char reason[HOP__REASON]);
    /* Lists the memory that run() allocates, beside graph and results (workspace.h). What works by
     * parts on a device lists the least. NULL: none. */
    hop__blocks_fn blocks;
    /* Of the device's rows only. Capabilities (HOP_DEVICE_ bits) without which it cannot run: */
    unsigned needs;
    /* As refuse, with the device at hand. */
    bool (*refuse_device)(const void *task, const hop_device_info *device,
                          char reason[HOP__REASON]);
    /* As refuse_device, of what it could do but auto should not choose it for. NULL: nothing. */
    bool (*avoid)(const void *task, const hop_device_info *device, char reason[HOP__REASON]);
    /* The time that auto expects of it, in any unit that the rows of the problem share; the least
     * is taken. NULL: after all that say something. */
    double (*device_cost)(const void *task, const hop_device_info *device);
    /* Of rows whose run() has the graph on the device: what is still to be copied there. NULL:
     * nothing, or it goes there by parts that do not stay. Settings may not be known yet. */
    hop__graph_copy (*copy)(const void *task, hop__device *device);
    /* What a byte of that costs, in the unit of device_cost. */
    double copy_cost;
} hop__variant;

/* Names the row that auto prefers among those of the host that can, with its reason. */
typedef const hop__variant *(*hop__pick_fn)(const void *task, char reason[HOP__REASON]);

/* A problem: each front has one, and src/tables lists them. */
typedef struct hop__problem {
    const char *name;
    const hop__variant *const *rows; /* the first is the sequential reference */
    size_t row_count;
    hop__pick_fn pick;
} hop__problem;

typedef struct hop__choice {
    const hop__variant *row;
    double values[HOP__PARAMETERS_MOST]; /* of its parameters, in its order */
    hop_report report;
    hop__recorder recorder; /* points to `report`: a choice is not copied during a run */
    unsigned threads;       /* most for the run, by hop__team_for; 0: the context's */
    uint64_t work;          /* nanoseconds that one thread takes, about; 0: it may be long */
    bool alone;             /* the run has one thread, because the machine is busy */
    unsigned outer_threads; /* the context's call_threads around the run */
    double begin;           /* of the run, or of the certifier */
    double compiled;        /* what the device had compiled when it began, in seconds */
    hop__kept_bytes moved;  /* of graphs, by the device before it began */
    uint64_t copied;        /* of the graph, in the call's runs so far */
} hop__choice;

/* The row of that name for a place; NULL when there is none. */
const hop__variant *hop__row_named(const hop__problem *problem, const char *name, hop_place place);

/* Reads the caller's run (NULL: defaults) into `run`, checks it. */
hop_status hop__run_take(hop_context *context, const hop_run *given, hop_run *run);

/* Chooses the row. */
hop_status hop__choose(hop_context *context, const hop__problem *problem, const hop_run *run,
                       const void *task, hop__choice *choice);

/* After a run that ended with `status`: whether it is to be tried again, which is when a device's
 * row that auto had chosen could not get its memory or its device failed. Another row has been
 * chosen then. */
bool hop__choose_again(hop_context *context, const hop__problem *problem, const hop_run *run,
                       const void *task, hop__choice *choice, hop_status status);

/* What run() of a row needs at most; `device` is that of a device's row. */
hop__need hop__variant_need(const hop__variant *row, const void *task, hop__device *device);

/* The need of the whole call against the budgets, of the host and of the device: the row's
 * estimate, or what comes `later` (a certificate) if that is more, and what is kept `beside` both.
 * So the first refusal names all of it; report.memory_bytes has it in any case. */
hop_status hop__check_need(hop_context *context, const hop__problem *problem, const void *task,
                           uint64_t later, uint64_t beside, hop__choice *choice);

/* What of the graph is to be copied to the device and what is there, for the report: part of
 * hop__check_need. `device` NULL: a row of the host. */
void hop__report_copy(const void *task, hop__device *device, hop__choice *choice);

/* Around the row's run(), and around the certifier: the time between goes to the report. Both may
 * come several times in a call, and then add up. What is marked inside a run goes to its phases.
 * Between them hop__team_limit may be less than before. */
void hop__run_begin(hop_context *context, hop__choice *choice);
void hop__run_end(hop_context *context, hop__choice *choice);
void hop__certify_begin(hop__choice *choice);
void hop__certify_end(hop__choice *choice);

/* The report is copied to the caller's, whatever `status` is, and `status` returned. */
hop_status hop__report_out(const hop_run *run, const hop__choice *choice, hop_status status);

#endif
