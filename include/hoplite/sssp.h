/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths from one or several sources, weights of either sign.
 *
 * Distances are int64 for integer weights (and for none: each arc counts 1), else of the weights'
 * type. An arc u -> v of weight w is tight when d[u] + w = d[v] in that type. parent[v]:
 *  - no negative weight in the graph: the smallest tight u with d[u] < d[v]; a vertex that has
 *    none takes the smallest tight u one layer nearer, a layer being the hops over tight arcs
 *    between equal distances, counted from the vertices that have such a parent, or are sources;
 *  - some negative weight: layers are hops from a source over all tight arcs, and the parent is
 *    the smallest tight u one layer before.
 * A source is its own parent (unless a way of negative length leads to it: then there is a
 * negative cycle). So parents never form a cycle.
 *
 * A negative cycle that a source reaches: HOP_ERR_NEGATIVE_CYCLE, the arrays are unspecified, and
 * the cycle is handed over. For floating point the exact sum of the given weights is negative. */
#ifndef HOPLITE_SSSP_H
#define HOPLITE_SSSP_H

#include <math.h>

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not reached: this, or infinity for floating-point distances. */
#define HOP_NO_DISTANCE INT64_MAX

/* The type of distances for a type of weights: HOP_WEIGHT_INT64 for integers and none. */
HOP_API hop_weight_type hop_distance_type(hop_weight_type weights);

/* A cycle that was found: vertices in order, the smallest first, each once. */
typedef struct hop_cycle hop_cycle;
HOP_API hop_vertex hop_cycle_length(const hop_cycle *cycle);
HOP_API const hop_vertex *hop_cycle_vertices(const hop_cycle *cycle);
HOP_API void hop_cycle_free(hop_cycle *cycle);
/* Walks the cycle: each step an arc, each vertex once, the exact sum (over the lightest of
 * parallel arcs) negative. HOP_OK, or HOP_ERR_CERTIFICATE. */
HOP_NODISCARD HOP_API hop_status hop_cycle_certify(hop_context *context, const hop_graph *graph,
                                                   const hop_vertex *vertices, hop_vertex length);

typedef struct hop_sssp_options {
    size_t size;        /* sizeof(hop_sssp_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    /* Stop when the last of these is settled; vertices farther than the farthest of them count as
     * not reached. If one of them cannot be reached, everything else is. NULL: search everything.
     */
    const hop_vertex *targets;
    hop_vertex target_count;
    /* Vertices farther than this count as not reached; HUGE_VAL (the default): no limit. Compared
     * with the distance as a double. */
    double cutoff;
    hop_cycle **cycle; /* NULL: not wanted. Set to NULL or, with the error, to the cycle */
} hop_sssp_options;

#define HOP_SSSP_OPTIONS_INIT                                                                      \
    { sizeof(hop_sssp_options), NULL, NULL, 0, HUGE_VAL, NULL }

/* Distances (of hop_distance_type) and parents into the caller's arrays of n; either may be NULL.
 * Targets and cutoff with negative weights shorten the result, not the search. Blocking; runs on
 * the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_sssp(hop_context *context, const hop_graph *graph,
                                          const hop_vertex *sources, hop_vertex source_count,
                                          const hop_sssp_options *options, void *distances,
                                          hop_vertex *parents);

/* Checks a result, without searching, against the same sources and options. As hop_bfs_certify. */
HOP_NODISCARD HOP_API hop_status hop_sssp_certify(hop_context *context, const hop_graph *graph,
                                                  const hop_vertex *sources,
                                                  hop_vertex source_count,
                                                  const hop_sssp_options *options,
                                                  const void *distances, const hop_vertex *parents);

#ifdef __cplusplus
}
#endif
#endif
