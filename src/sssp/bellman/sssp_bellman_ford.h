/* SPDX-License-Identifier: Apache-2.0
 *
 * The search of Bellman and Ford as a workspace that is made once and used for one search after
 * another, as sssp_dijkstra.h does for Dijkstra's. */
#ifndef HOPLITE_SSSP_SSSP_BELLMAN_FORD_H
#define HOPLITE_SSSP_SSSP_BELLMAN_FORD_H

#include "sssp/sssp_internal.h"

typedef struct hop__bellman_ford {
    const hop__sssp_query *query; /* the graph, and what its weights demand */
    hop_vertex *queue;            /* a ring of n */
    uint8_t *state;               /* of each vertex, in the queue or not */
    /* With negative weights only: the tree of the ways found so far. */
    hop_vertex *tree;            /* the vertex before, on the way */
    hop_vertex *next, *previous; /* in preorder */
    hop_vertex *depth;
    uint64_t *sums; /* exact distances, when query->exact asks for them; n times its words */
    /* Counted over all runs. */
    uint64_t passes, relaxations;
} hop__bellman_ford;

typedef enum hop__search_end {
    HOP__SEARCH_DONE,
    HOP__SEARCH_CANCELLED,
    HOP__SEARCH_CYCLE, /* of negative sum, along `tree` from *place back to it */
    HOP__SEARCH_BEYOND /* the distance of *place does not fit its type */
} hop__search_end;

/* Lists the arrays of a search, which is `at` bytes from the beginning of the state (or of an
 * element, see hop__block_within). Its `query` is the caller's to set: from hop__sssp_describe, and
 * there as long as the search. */
void hop__bellman_ford_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query);

/* Distances from the sources into an array of n of hop_distance_type. Allocates nothing; any
 * thread. Adds the arcs that it looks at to the phase under way (hop__progress_add). `parents` is
 * NULL, unless query->increasing: then canonical parents are found on the way. The query's cutoff
 * holds when no weight is negative; its sources and targets are not looked at. */
hop__search_end hop__bellman_ford_run(hop_context *context, hop__bellman_ford *space,
                                      const hop_vertex *sources, hop_vertex source_count,
                                      void *distances, hop_vertex *parents, hop_vertex *place);

#endif
