/* SPDX-License-Identifier: Apache-2.0
 *
 * One search after another, from every vertex: what bfs, dijkstra, bellman-ford and johnson share.
 * Each worker has a workspace of its own and takes the next source when it is done with one. */
#ifndef HOPLITE_APSP_APSP_SOURCES_H
#define HOPLITE_APSP_APSP_SOURCES_H

#include <stdatomic.h>

#include "apsp/apsp_internal.h"
#include "sssp/bellman/sssp_bellman_ford.h"
#include "sssp/sssp_dijkstra.h"

typedef struct hop__apsp_sources hop__apsp_sources;

/* Distances from `source` into an array of n: of query.distance_type, or without scratch rows of
 * the task's. */
typedef hop__search_end (*hop__apsp_search_fn)(hop_context *context, const hop__apsp_task *task,
                                               hop__apsp_sources *sources, unsigned worker,
                                               hop_vertex source, void *distances,
                                               hop_vertex *place);

struct hop__apsp_sources {
    int64_t *scratch; /* int32 distances: a row of int64 for each worker */
    /* One of these, for each worker. */
    hop__dijkstra *dijkstra;
    hop__bellman_ford *bellman_ford;
    hop_vertex **queues;
    atomic_uint_fast64_t relaxations; /* that no workspace has counted */
    /* johnson: the graph with other weights, or NULL. */
    hop_graph *reweighted;
    int64_t *weights;
};

/* Lists the scratch rows of searches that make int64 only, if the distances are int32. */
void hop__apsp_scratch_blocks(hop__workspace *space, const hop__apsp_task *task);
/* Lists searches of Dijkstra in `graph`; and begins them. */
void hop__apsp_dijkstra_blocks(hop__workspace *space, const hop__apsp_task *task,
                               const hop_graph *graph);
void hop__apsp_dijkstra_begin(hop__apsp_task *task, const hop_graph *graph);
/* Counts what the searches did; the finish() of the variants. */
void hop__apsp_sources_finish(hop__apsp_task *task);

/* Searches from first .. first+count-1. `work` is about what one search adds to the progress; 0
 * when not known. */
hop_status hop__apsp_sources_run(hop_context *context, hop__apsp_task *task, const char *phase,
                                 uint64_t work, hop__apsp_search_fn search, hop_vertex first,
                                 hop_vertex count, void *rows);

#endif
