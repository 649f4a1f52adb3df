/* SPDX-License-Identifier: Apache-2.0
 *
 * What the searches on devices share: the rows of the graph on the device, levels, the sources, and
 * the canonical parents at the end.
 *
 *     HOP_TRY(status, hop__bfs_device_begin(context, task, &plan, &search));
 *     HOP_TRY(status, hop__bfs_device_sources(&search, queue, &count));
 *     ... finds levels[v] for every level up to the query's limits, in search.levels
 *     HOP_TRY(status, hop__bfs_device_finish(&search));
 * done:
 *     hop__bfs_device_end(&search, status);
 *
 * The arrays are the caller's and the graph's own where the device works in the host's memory; else
 * the rows are there whole, and stay there (problem/device_graph.h). A graph that does not fit is
 * refused before anything is allocated (HOP_ERR_BUDGET), and the front goes on on the host if the
 * choice was its own.
 *
 * A search may set parents itself (plan.own_parents): they are HOP_NO_VERTEX at the beginning, and
 * those of sources are set. Else finish() finds them from the levels, in one pass over the arcs. */
#ifndef HOPLITE_BFS_BFS_DEVICE_H
#define HOPLITE_BFS_BFS_DEVICE_H

#include "bfs/bfs_internal.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "kernels/programs.h"
#include "problem/device_search.h"

typedef struct hop__bfs_device_plan {
    const char *phase; /* of the progress: "bfs: frontier" */
    const hop__program_source *program;
    const hop__define *defines; /* beside WIDE_OFFSETS, which it always gets */
    size_t define_count;
    hop__blocks_fn blocks; /* the row's */
    const double *form;    /* values of the form's parameters */
    bool reverse;          /* it wants rows of arcs in, where there are any */
    bool own_parents;      /* it finds parents itself */
    uint64_t slice_arcs;   /* arcs of a launch at most, about; 0: 2^24 */
} hop__bfs_device_plan;

typedef struct hop__bfs_device {
    hop_context *context;
    hop__workspace space; /* its state begins with this struct */
    hop__bfs_task *task;
    hop__device *device;
    hop__sweeper sweeper; /* of the variant's program */
    hop__sweeper common;  /* of the program that all searches share */
    uint64_t n, arcs, max_degree;
    bool own_parents;
    bool returned;                 /* results, by hop__bfs_device_return_early */
    hop__device_graph rows;        /* those of arcs in where they are wanted */
    hop__buffer *levels, *parents; /* parents NULL: not wanted */
    hop_vertex target;             /* number of the first target without a level */
    hop__buffer *block[2];         /* some targets, and their levels */
    hop__buffer *sources, *tail;   /* while they are started, and how many were */
} hop__bfs_device;

/* Lists what is declared above, with rows of arcs in if `reverse`. */
void hop__bfs_device_blocks(hop__workspace *space, const hop__bfs_task *task, bool reverse);
/* For the rows: `copy`, without and with rows of arcs in. */
hop__graph_copy hop__bfs_device_copy(const void *task, hop__device *device);
hop__graph_copy hop__bfs_device_copy_both(const void *task, hop__device *device);
/* For their device_work: a search that looks at a `share` of the arcs, and appends each vertex to a
 * queue with so many `additions`. */
hop__device_work hop__bfs_device_work(const void *task, double share, double additions);
/* Parts that rows longer than `hub` arcs are cut into at most; 8 bytes each. */
uint64_t hop__bfs_device_pieces(const hop_graph *graph, double hub);
/* Opens the device and the workspace, brings the rows there; no vertex has a level or a parent.
 * Fails half-way in a state that hop__bfs_device_end cleans up. */
hop_status hop__bfs_device_begin(hop_context *context, hop__bfs_task *task,
                                 const hop__bfs_device_plan *plan, hop__bfs_device *search);
/* The sources get level 0 and, each once, the first places of `queue` (n words; NULL: no queue).
 * Word `word` of `counter` is raised by their number. Not waited for. */
hop_status hop__bfs_device_sources(hop__bfs_device *search, hop__buffer *queue,
                                   hop__buffer *counter, unsigned word);
/* An argument for kernels that take parents with a word that says whether they are wanted. */
static inline hop__buffer *hop__bfs_device_parents(const hop__bfs_device *search) {
    return search->parents ? search->parents : search->levels;
}
/* Whether all targets have levels; reads some, and waits for that. False if there are no targets.
 * HOP_NO_VERTEX, or the target that has no level yet, goes to *open. */
hop_status hop__bfs_device_targets(hop__bfs_device *search, bool *reached, hop_vertex *open);
/* For searches that find parents themselves, on a device with a memory of its own: brings results
 * of at most so many bytes to the caller without waiting, in the hope that they are complete: else
 * `returned` is to be cleared. */
hop_status hop__bfs_device_return_early(hop__bfs_device *search, uint64_t bytes);
/* Finds the parents if they are wanted and not found, brings the results to the caller, waits. */
hop_status hop__bfs_device_finish(hop__bfs_device *search);
/* Frees; what is under way after a failure is waited for. */
void hop__bfs_device_end(hop__bfs_device *search, hop_status status);

#endif
