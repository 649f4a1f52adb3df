/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of bfs see. A variant is a file bfs_<variant>.c that exports one const
 * hop__bfs_variant, and a line in the table of bfs.c. */
#ifndef HOPLITE_BFS_BFS_INTERNAL_H
#define HOPLITE_BFS_BFS_INTERNAL_H

#include "hoplite/bfs.h"
#include "problem/problem.h"

/* The question. The front has checked it: the graph is sound, the ids are in range. */
typedef struct hop__bfs_query {
    const hop_graph *graph;
    const hop_vertex *sources; /* may repeat, may be none */
    hop_vertex source_count;
    const hop_vertex *targets; /* may repeat; target_count 0: there are none */
    hop_vertex target_count;
    hop_vertex max_level; /* HOP_NO_LEVEL: no limit */
    hop_vertex nearest;   /* 0: no limit. Rows for devices need not heed it: the front cuts */
} hop__bfs_query;

/* What a row gets. refuse() is asked before `values` is there, refuse() and memory() before
 * `levels` is. */
typedef struct hop__bfs_task {
    hop__bfs_query query;
    hop_vertex *levels;        /* n, uninitialised, never NULL in run() */
    hop_vertex *parents;       /* n, uninitialised; NULL: not wanted */
    const double *values;      /* of the row's parameters, in its order */
    unsigned threads;          /* that run() may use */
    const hop__tuning *tuning; /* of the context */
    /* To be counted by run(). */
    uint64_t rounds;      /* frontiers that were expanded */
    uint64_t relaxations; /* arcs looked at */
} hop__bfs_task;

typedef struct hop__bfs_variant {
    hop__variant row;
    hop_status (*run)(hop_context *context, hop__bfs_task *task);
} hop__bfs_variant;

extern const hop__problem hop__bfs_problem;
extern const hop__bfs_variant hop__bfs_sequential, hop__bfs_direction_optimizing,
    hop__bfs_semi_external;
extern const hop__bfs_variant hop__bfs_device_frontier, hop__bfs_device_frontier_block,
    hop__bfs_device_frontier_tiered, hop__bfs_device_persistent, hop__bfs_device_vertex_parallel,
    hop__bfs_device_direction_optimizing;

/* bfs_direction_optimizing.c: nanoseconds that one thread takes for a search, about. */
uint64_t hop__bfs_work(const hop_graph *graph);

/* bfs.c: the level in which the query's nearest vertices end; HOP_NO_LEVEL: there are fewer, or no
 * such limit. */
hop_vertex hop__bfs_nearest_level(const hop__bfs_query *query, const hop_vertex *levels);

/* bfs_certify.c: the check of hop_bfs_certify, and the bytes that it allocates. */
hop_status hop__bfs_certify(hop_context *context, const hop__bfs_query *query, bool canonical,
                            const hop_vertex *levels, const hop_vertex *parents);
uint64_t hop__bfs_certify_memory(const hop__bfs_query *query);

#endif
