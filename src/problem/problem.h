/* SPDX-License-Identifier: Apache-2.0
 *
 * What the problems share: tables of variants, and the one driver of their calls.
 *
 * A front reads and checks what the caller gave (hop__run_take has the part that is the same for
 * all), fills in its task, and hands both over to hop__solve, which
 *   1. chooses a row: the named one, or the one that the problem's pick() prefers, both asked
 *      whether they can (row.refuse);
 *   2. holds the need of the whole call against the budgets, before anything is allocated;
 *   3. runs it, with the clock on (time, phases, counters: see phases.h);
 *   4. where a device failed that auto had chosen, does 1 to 3 again on the host;
 *   5. certifies, if asked for;
 *   6. reports.
 * What is the problem's own in these steps are the operations of its hop__problem.
 *
 * Where a row of the host and one of the device have the same name, the name means the one that the
 * context can run: the device's where the context names a device, else the host's. In a table the
 * rows of devices stand after those of the host.
 *
 * On a context with a device, auto chooses among the rows of the device; when none can do the task,
 * or the host is expected to be faster (host_cost), or the device fails in the run, the call ends
 * on the host, and the report says why.
 *
 * The time of a device's row is reported by its kernels and copies, measured by the device, each of
 * which becomes a phase at hop__run_end; so such a row does not mark phases around them.
 *
 * Rows are structs of the problem's own type that begin with a hop__variant. */
#ifndef HOPLITE_PROBLEM_PROBLEM_H
#define HOPLITE_PROBLEM_PROBLEM_H

#include <string.h>

#include "core/memory.h"
#include "core/settings.h"
#include "core/traffic.h"
#include "device/device.h"
#include "hoplite/variant.h"
#include "problem/device_costs.h"
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
    /* It takes graphs whose arcs are on disk too (src/store). */
    bool external;
    /* Of the device's rows only. It uses the context's other devices too (hop__device_other): */
    bool divides;
    /* Capabilities (HOP_DEVICE_ bits) without which it cannot run: */
    unsigned needs;
    /* As refuse, with the device at hand. */
    bool (*refuse_device)(const void *task, const hop_device_info *device,
                          char reason[HOP__REASON]);
    /* As refuse_device, of what it could do but auto should not choose it for. NULL: nothing. */
    bool (*avoid)(const void *task, const hop_device_info *device, char reason[HOP__REASON]);
    /* What it does there, by which auto expects a time of it (device_costs.h); the least is taken.
     * NULL: after all that say something. */
    hop__device_work (*device_work)(const void *task);
    /* Of rows whose run() has the graph on the device: what is still to be copied there. NULL:
     * nothing, or it goes there by parts that do not stay. Settings may not be known yet. */
    hop__graph_copy (*copy)(const void *task, hop__device *device);
    /* Of rows without `copy`: bytes of a list or a matrix that go there in parts. run() counts
     * those that went. NULL: none. For the report; auto knows them from device_work. */
    uint64_t (*sends)(const void *task, hop__device *device);
} hop__variant;

/* Names the row that auto prefers among those of the host that can, with its reason. */
typedef const hop__variant *(*hop__pick_fn)(const void *task, char reason[HOP__REASON]);

typedef struct hop__call hop__call;

/* A problem: each front has one, and src/tables lists them. */
typedef struct hop__problem {
    const char *name;
    const hop__variant *const *rows; /* the first is the sequential reference */
    size_t row_count;
    hop__pick_fn pick;
    /* Nanoseconds that the row which pick() prefers is expected to take: where a device is chosen
     * and its rows are expected to take longer, auto stays on the host. NULL: auto takes a device
     * that is chosen. */
    double (*host_cost)(const void *task);
    /* Lists what is there beside the row's memory, from before the run until the end of the call:
     * results that the caller does not want, but a row writes. Their slots are in the task, and
     * NULL where they are listed. NULL: none. */
    hop__blocks_fn kept;
    /* The bytes that certify() or finish() allocates at most at a time. NULL: none. */
    uint64_t (*later)(const hop_context *context, const hop__call *call);
    /* In place of these two: makes the task fit the budget, or refuses; report.memory_bytes is what
     * the whole call needs. NULL: a task is as it is. */
    hop_status (*fit)(hop_context *context, hop__call *call);
    /* Why a row of a device needs the caller's arrays in the host's memory, or NULL: for arrays
     * that were lent (hop_device_lend). NULL: never. */
    const char *(*host_needs)(const hop__call *call);
    /* Runs call->row, and fills in what the report counts. */
    hop_status (*run)(hop_context *context, hop__call *call);
    /* Proves what run() left behind, which `ended` with HOP_OK or HOP_ERR_NEGATIVE_CYCLE. */
    hop_status (*certify)(hop_context *context, hop__call *call, hop_status ended);
    /* Then, whatever `status` is so far; returns what the call shall return. NULL: that. */
    hop_status (*finish)(hop_context *context, hop__call *call, hop_status status);
} hop__problem;

/* One call of a problem. The front fills in the first part; a call is not copied: the recorder
 * points to its report, and the task to its values. */
struct hop__call {
    const hop__problem *problem;
    void *task;             /* of the problem's own type */
    hop_run run;            /* what the caller asked for */
    unsigned threads;       /* most for the run, by hop__team_for; 0: the context's */
    uint64_t work;          /* nanoseconds that one thread takes, about; 0: it may be long */
    bool empty;             /* there is nothing to do: a row is chosen, but not run */
    bool external;          /* the arcs of the graph are on disk: only rows that say so can */
    uint64_t held;          /* bytes that the front has allocated for the call: reported with it */
    const void *arrays[2];  /* of the caller, which a row reads or writes; NULL: none */
    const hop_graph *graph; /* whose rows may be on a device alone; NULL: there is none */
    /* The driver's: */
    const hop__variant *row;
    hop__device *device;                 /* of a device's row, else NULL */
    double values[HOP__PARAMETERS_MOST]; /* of its parameters, in its order */
    hop_report report;
    hop__recorder recorder;
    bool brought;           /* the rows of the graph came from a device to the host */
    bool final;             /* what was found has been handed over: no other row may begin anew */
    bool alone;             /* the run has one thread, because the machine is busy */
    unsigned outer_threads; /* the context's call_threads around the run */
    double begin;           /* of the run, or of the certifier */
    hop__traffic traffic;   /* when the run began, where it is counted */
    double compiled;        /* what the device had compiled when it began, in seconds */
    hop__kept_bytes moved;  /* of graphs, by the device before it began */
    uint64_t copied;        /* of the graph, in the call's runs so far */
};

/* The row of that name for a place; NULL when there is none. */
const hop__variant *hop__row_named(const hop__problem *problem, const char *name, hop_place place);

/* Reads the caller's run (NULL: defaults) into `run`, checks it. */
hop_status hop__run_take(hop_context *context, const hop_run *given, hop_run *run);
/* Sources or targets that are in the device's memory: *vertices is a copy of them from then on,
 * which the caller frees. Nothing happens with those of the host. `what` is a string literal. */
hop_status hop__vertices_bring(hop_context *context, const char *what, const hop_vertex **vertices,
                               hop_vertex count, hop_vertex **copy);
/* `what`s of a problem, such as sources, that the caller gave: an array of vertices below n. */
hop_status hop__vertices_check(hop_context *context, const char *problem, const char *what,
                               const hop_vertex *vertices, hop_vertex count, hop_vertex n);

/* The driver. `taken` is how the front's reading of the call ended: if that failed, it is only
 * reported. */
hop_status hop__solve(hop_context *context, hop__call *call, hop_status taken);

/* What run() of a row needs at most; `device` is that of a device's row. */
hop__need hop__variant_need(const hop__variant *row, const void *task, hop__device *device);

/* For the driver, and for problems whose rows come in parts, each of which may be proved: around
 * the row's run(), and around the certifier; the time between goes to the report. Both may come
 * several times in a call, and then add up. What is marked inside a run goes to its phases.
 * Between them hop__team_limit may be less than before. */
void hop__run_begin(hop_context *context, hop__call *call);
void hop__run_end(hop_context *context, hop__call *call);
void hop__certify_begin(hop__call *call);
void hop__certify_end(hop__call *call);

/* Whether the caller has named a variant, which is then not to be replaced by another. */
static inline bool hop__is_named(const hop_run *run) {
    return run->variant != NULL && strcmp(run->variant, "auto") != 0;
}

/* For the driver alone. Rows that are on a device alone are brought to the host, which is to read
 * them, and the report says so. Nothing happens with others; */
hop_status hop__bring_rows(hop_context *context, hop__call *call);
/* chooses the row; */
hop_status hop__choose(hop_context *context, hop__call *call);
/* Why the row cannot do the task; `device` is that of a device's row. */
bool hop__row_refuses(const hop__call *call, const hop__variant *row, const hop_device_info *device,
                      char reason[HOP__REASON]);
/* and after a run that ended with `status`: whether it is to be tried again, which is when a
 * device's row that auto had chosen could not get its memory or its device failed. Another row has
 * been chosen then. Or when a kernel takes smaller groups than its device: the same row has them
 * then. */
bool hop__choose_again(hop_context *context, hop__call *call, hop_status status);

/* The report is copied to the caller's, whatever `status` is, and `status` returned. */
hop_status hop__report_out(const hop__call *call, hop_status status);

#endif
