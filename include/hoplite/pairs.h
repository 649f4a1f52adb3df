/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances between pairs of vertices, many at a time: how far is it from each of these sources to
 * each of its targets? What a distance is, sssp.h says; the answer is that of one hop_sssp per
 * pair, bit by bit. */
#ifndef HOPLITE_PAIRS_H
#define HOPLITE_PAIRS_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_pairs_options {
    size_t size;        /* sizeof(hop_pairs_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
} hop_pairs_options;

#define HOP_PAIRS_OPTIONS_INIT                                                                     \
    { sizeof(hop_pairs_options), NULL }
HOP_API void hop_pairs_options_init(hop_pairs_options *options, size_t size);

/* distances[i], of hop_distance_type, is that from pairs[i].from to pairs[i].to: HOP_NO_DISTANCE or
 * infinity when there is no path. Pairs may repeat and come in any order; those with the same
 * source are found by one search, so sort nothing beforehand.
 *
 * By default searches end as soon as they may, and take the context's threads, each of which has
 * a search of its own; with little memory there are fewer at a time:
 *  - integer weights, or none, of an undirected graph, or of a directed one whose reverse arcs are
 *    prepared (hop_graph_prepare): "bidirectional", from both ends until they meet, where a source
 *    has few targets. There, pairs are grouped by their targets if those are fewer;
 *  - else "one-sided": from each source until its last target is settled.
 * options->run->variant names one of the two, or a variant of sssp; by that each source is searched
 * one after the other, in the way of hop_sssp. So it is, by the variant that hop_sssp would choose,
 * when
 *  - some weight is negative: bellman-ford, once per source. A cycle of negative sum that a source
 *    reaches is HOP_ERR_NEGATIVE_CYCLE, whether it touches a path of a pair or not;
 *  - sums of integer weights may leave int64;
 *  - options->run->certify asks for a certificate: each search is certified before its distances
 *    are taken.
 * The report has the sums over all searches; with a plan, the need of one.
 *
 * Cost: per search what it looks at, not the size of the graph; once per thread n distances, 12 to
 * 24 bytes per vertex for its queue, 4 for what it has reached, twice that for bidirectional; 16
 * bytes per pair (of at most 2^24 at a time). Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_distance_pairs(hop_context *context, const hop_graph *graph,
                                                    const hop_edge *pairs, uint64_t count,
                                                    const hop_pairs_options *options,
                                                    const hop_span *distances);

#ifdef __cplusplus
}
#endif
#endif
