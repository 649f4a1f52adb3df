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
    uint32_t *links;               /* from each chunk to the next of its list */
    uint64_t settled, relaxations; /* counted over all runs */
} hop__dijkstra;

/* Bytes of one workspace. No weight of the graph is negative; it has been checked. */
uint64_t hop__dijkstra_memory(const hop_graph *graph);
hop_status hop__dijkstra_create(hop_context *context, const hop_graph *graph, hop__dijkstra *space);
void hop__dijkstra_clear(hop__dijkstra *space);

/* Distances from one source into an array of n of hop_distance_type. Allocates nothing; any
 * thread. Adds the arcs that it looks at to the phase under way (hop__progress_add); false when
 * that has been cancelled. A distance that does not fit int64 (possible only where
 * hop__sssp_describe says `wide`) comes out as not reached. */
bool hop__dijkstra_run(hop_context *context, hop__dijkstra *space, hop_vertex source,
                       void *distances);

#endif
