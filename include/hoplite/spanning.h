/* SPDX-License-Identifier: Apache-2.0
 *
 * Minimum spanning forests: of each connected component the tree of least weight; directions of
 * arcs do not count.
 *
 * Among edges of equal weight the one of the smaller number goes first, as if they were sorted by
 * weight and number and taken one after the other where they close no cycle. So there is one
 * answer, the same for every variant and any number of threads. */
#ifndef HOPLITE_SPANNING_H
#define HOPLITE_SPANNING_H

#include "hoplite/graph.h"
#include "hoplite/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_spanning_options {
    size_t size;        /* sizeof(hop_spanning_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    bool maximum;       /* default false. true: the greatest weight in the place of the least */
} hop_spanning_options;

#define HOP_SPANNING_OPTIONS_INIT                                                                  \
    { sizeof(hop_spanning_options), NULL, false }
HOP_API void hop_spanning_options_init(hop_spanning_options *options, size_t size);

/* Writes the numbers of the forest's arcs, ascending, into the caller's array of n; *count (may be
 * NULL) is how many there are: n less the number of components. The number of an arc is its place
 * in hop_graph_targets and hop_graph_weights; of an undirected edge, that of the arc from its
 * smaller end. Without weights all arcs weigh the same. Variants (options->run): "kruskal", the
 * sequential reference; "boruvka". Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_spanning_forest(hop_context *context, const hop_graph *graph,
                                                     const hop_spanning_options *options,
                                                     uint64_t *arcs, hop_vertex *count);

/* The same of a list of edges, in any order, between so many vertices, without a graph: an edge's
 * number is its place in the list. Ids that are not below `vertices` and weights that are not
 * numbers are HOP_ERR_INPUT, with the edge's number. */
HOP_NODISCARD HOP_API hop_status hop_spanning_forest_of_edges(hop_context *context,
                                                              const hop_edges *edges,
                                                              hop_vertex vertices,
                                                              const hop_spanning_options *options,
                                                              uint64_t *numbers, hop_vertex *count);

/* Checks a forest of hop_spanning_forest: HOP_OK, or HOP_ERR_CERTIFICATE with what is wrong. Its
 * arcs must close no cycle, join all that is connected, and no other arc may come before the last
 * one, in the order of weights and numbers, of the path in the forest between its ends.
 * options->run->certify: HOP_CERTIFY_VALID compares weights alone, so that any forest of least
 * weight passes. */
HOP_NODISCARD HOP_API hop_status hop_spanning_certify(hop_context *context, const hop_graph *graph,
                                                      const hop_spanning_options *options,
                                                      const uint64_t *arcs, hop_vertex count);

#ifdef __cplusplus
}
#endif
#endif
