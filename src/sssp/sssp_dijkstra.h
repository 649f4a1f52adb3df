/* SPDX-License-Identifier: Apache-2.0
 *
 * Dijkstra's search as a workspace that is made once and used for one source after another: apsp
 * runs one per thread. The distances of a run do not depend on the runs before it. */
#ifndef HOPLITE_SSSP_SSSP_DIJKSTRA_H
#define HOPLITE_SSSP_SSSP_DIJKSTRA_H

#include "sssp/sssp_internal.h"

typedef struct hop__dijkstra {
    const hop_graph *graph;
    int flavour;           /* which of the instances in sssp_dijkstra.c */
    unsigned vertex_bits;  /* packed entries: distance << vertex_bits | vertex */
    unsigned bucket_count; /* of the queue */
    uint64_t chunk_count;
    void *entries;
    uint32_t *links; /* from each chunk to the next of its list */
    uint64_t settled, relaxations,
        moves; /* counted over all runs; moves: of entries, in the queue */
} hop__dijkstra;

/* Lists the two arrays of a search, which is `at` bytes from the beginning of the state (or of an
 * element, see hop__block_within). No weight of the graph is negative; it has been checked. */
void hop__dijkstra_blocks(hop__workspace *space, size_t at, const hop_graph *graph, bool on_demand);
/* Sets all but those. */
void hop__dijkstra_begin(hop__dijkstra *search, const hop_graph *graph);

/* Distances from one source into an array of n of hop_distance_type. Allocates nothing; any
 * thread. Adds the arcs that it looks at to the phase under way (hop__progress_add); false when
 * that has been cancelled. A distance that does not fit int64 (possible only where
 * hop__sssp_describe says `wide`) comes out as not reached. */
bool hop__dijkstra_run(hop_context *context, hop__dijkstra *space, hop_vertex source,
                       void *distances);

/* For searches that end long before they have reached everything: the vertices that one has
 * reached are noted, so that the next need not clear all distances. Progress is only asked whether
 * it has been cancelled. No distance may be beyond int64 (not `wide`). */
typedef struct hop__dijkstra_trace {
    void *distances;     /* n; "not reached" between searches */
    hop_vertex *reached; /* room for n */
    uint64_t count;
} hop__dijkstra_trace;

/* Makes `distances` and `count` ready. All of these: false when cancelled. */
bool hop__dijkstra_clear(hop_context *context, hop__dijkstra *space, hop__dijkstra_trace *trace);
/* From a source until these `target_count` targets (a bit each) are settled, or all that it
 * reaches; their distances are then in the trace, and right. */
bool hop__dijkstra_reach(hop_context *context, hop__dijkstra *space, hop__dijkstra_trace *trace,
                         hop_vertex source, const uint64_t *targets, uint64_t target_count);
/* Makes the trace ready for the next. */
void hop__dijkstra_untrace(hop__dijkstra *space, hop__dijkstra_trace *trace);
/* The distance between two vertices, of integers, by two searches that take turns: spaces[0] is of
 * the graph, spaces[1] of the one with all arcs turned round (if undirected, of the same). Each
 * turn goes to the one that has looked at fewer arcs. Leaves the traces ready. */
bool hop__dijkstra_between(hop_context *context, hop__dijkstra spaces[2],
                           hop__dijkstra_trace traces[2], hop_vertex source, hop_vertex target,
                           void *distance);

/* What a search knows that another is to end. */
typedef struct hop__dijkstra_known {
    const uint64_t *open; /* a bit for each vertex that has to relax its arcs, if reached */
    bool parents;         /* there are those of all distances so far */
    uint64_t *level;      /* with them: see hop__sssp_level_parents; NULL if weights are above 0 */
    uint64_t level_count; /* written: vertices that were left to it */
} hop__dijkstra_known;

/* Ends a search. The task's distances are those of paths, or not reached; so are its parents, if
 * they are known, and with them they become the canonical ones but for those that are left to
 * hop__sssp_level_parents. Targets are not looked at. Relaxes the arcs of each open vertex, and of
 * each that comes nearer, once. Takes the blocks of `search`, which are on demand. */
hop_status hop__dijkstra_finish(hop__workspace *space, hop__dijkstra *search, hop__sssp_task *task,
                                hop__dijkstra_known *known);

#endif
