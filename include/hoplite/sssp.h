/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths from one or several sources, weights of either sign.
 *
 * Distances are int64 for integer weights (and for none: each arc counts 1), else of the weights'
 * type. What a distance is:
 *  - integers: the sum along a shortest path. One that does not fit below HOP_NO_DISTANCE is an
 *    error (HOP_ERR_UNSUPPORTED), never wrapped;
 *  - floating point, no weight below 0: the least of the sums along paths, each added up from the
 *    source on and rounded to nearest at each step. A sum beyond the type is infinity: not reached;
 *  - floating point, some weight below 0: the least exact sum of a path, rounded to nearest once.
 *    Rounded sums would be of no use here: around a cycle of sum 0 they can fall for ever. One
 *    that rounds to an infinity is an error (HOP_ERR_UNSUPPORTED).
 * An arc of weight +infinity is as if it were not there; one of -infinity is refused
 * (HOP_ERR_INPUT). No distance is -0.0.
 *
 * An arc u -> v of weight w is tight when d[u] + w = d[v], added in the way that distances are
 * (in the third case exactly, before rounding). parent[v]:
 *  - no negative weight in the graph: the smallest tight u with d[u] < d[v]; a vertex that has
 *    none takes the smallest tight u one layer nearer, a layer being the hops over tight arcs
 *    between equal distances, counted from the vertices that have such a parent, or are sources;
 *  - some negative weight: layers are hops over tight arcs from the sources of distance 0, and the
 *    parent is the smallest tight u one layer before.
 * A source of distance 0 is its own parent. (With several sources and negative weights one may be
 * nearer than 0 to another; it then has a parent like any vertex.) So parents never form a cycle.
 * What is not reached has HOP_NO_DISTANCE, or infinity, and HOP_NO_VERTEX.
 *
 * A cycle of negative sum that a source reaches: HOP_ERR_NEGATIVE_CYCLE, the arrays are
 * unspecified, and hop_context_cycle has the cycle. The sum is exact for floating point too: a
 * cycle that only looks negative by rounding is none, and one that rounding would hide is found. In
 * an undirected graph every edge of negative weight is such a cycle. */
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

/* The type of distances for a type of weights: HOP_TYPE_INT64 for integers and none. */
HOP_API hop_weight_type hop_distance_type(hop_weight_type weights);

/* The negative cycle that the last hop_sssp, hop_distance_pairs, hop_apsp or hop_apsp_rows with
 * this context has found: *length vertices in order, the smallest first, each once. NULL and 0 when
 * that did not end with HOP_ERR_NEGATIVE_CYCLE. The array is the context's, counts as used memory,
 * and is valid until the next of these calls or hop_context_free; calls of other kinds leave it
 * alone. */
HOP_API const hop_vertex *hop_context_cycle(const hop_context *context, hop_vertex *length);
/* Walks a cycle: each step an arc, each vertex once, the exact sum (over the lightest of parallel
 * arcs) negative. It may begin anywhere. HOP_OK, or HOP_ERR_CERTIFICATE with the place. */
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
    /* For hop_sssp_certify alone: how far a distance may be from the right one, as a part of it;
     * from 0 (the default: not at all) to below 1. */
    double tolerance;
    /* Stop when so many vertices beside the sources are settled; what is farther than the last of
     * them counts as not reached. What is as far stays, so that more may be reached. (With negative
     * weights the sources count with the others: so many vertices, and as many more as there are
     * sources.) 0 (the default): no such limit. Of several limits the first that is met holds. */
    hop_vertex nearest;
} hop_sssp_options;

#define HOP_SSSP_OPTIONS_INIT                                                                      \
    { sizeof(hop_sssp_options), NULL, NULL, 0, HUGE_VAL, 0, 0 }
HOP_API void hop_sssp_options_init(hop_sssp_options *options, size_t size);

/* Distances (of hop_distance_type) and parents from the sources (duplicates are harmless) into the
 * caller's arrays of n; either may be NULL. An array of distances that has another type, or fewer
 * items, is HOP_ERR_ARGUMENT. With a negative weight in the graph, targets, nearest and cutoff
 * shorten the result, not the search, and what lies on the paths (along parents) to vertices that
 * stay, stays too, however far it is. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_sssp(hop_context *context, const hop_graph *graph,
                                          const hop_vertex *sources, hop_vertex source_count,
                                          const hop_sssp_options *options,
                                          const hop_span *distances, hop_vertex *parents);

/* Checks a result, without searching, against the same sources and options; options->run->certify
 * says how strictly (NONE means CANONICAL; VALID accepts any tree of shortest paths). `parents`
 * may be NULL. HOP_OK, or HOP_ERR_CERTIFICATE with the vertex or arc.
 *
 * Two results are too little to be checked without a search, when a weight is negative: one that
 * targets, nearest or a cutoff have shortened, and floating-point distances without parents. They
 * are HOP_ERR_UNSUPPORTED here; options->run->certify of hop_sssp does check them, because it sees
 * the whole.
 *
 * With options->tolerance above 0, for results that others have rounded or added up in another
 * order: the right distances r are found (by a search), certified as canonical, and compared.
 *  - HOP_OK means |d[v] - r[v]| <= tolerance * |r[v]| for every vertex that is reached, and that
 *    the same vertices are reached; where r[v] is 0, d[v] must be. Errors cannot add up.
 *  - It does not mean that d is made of the lengths of paths, or that it is certified.
 *  - `parents` must be NULL (else HOP_ERR_UNSUPPORTED), and the mode NONE or VALID.
 *  - It takes the time and memory of hop_sssp with its certificate, and n distances. */
HOP_NODISCARD HOP_API hop_status hop_sssp_certify(hop_context *context, const hop_graph *graph,
                                                  const hop_vertex *sources,
                                                  hop_vertex source_count,
                                                  const hop_sssp_options *options,
                                                  const hop_view *distances,
                                                  const hop_vertex *parents);

#ifdef __cplusplus
}
#endif
#endif
