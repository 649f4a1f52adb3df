/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOPLITE_GRAPH_GRAPH_FACTS_H
#define HOPLITE_GRAPH_GRAPH_FACTS_H

#include "graph/graph_internal.h"

/* Measures degrees and the range of weights of sound arrays, in parallel; leaves `loops` alone.
 * Fails only when it is cancelled. */
hop_status hop__facts_measure(hop_context *context, const hop_graph *graph, hop__facts *facts);

/* The same in steps, where the weights are never all in memory: begin; the weights, part by part;
 * end, when the graph has its offsets and its number of arcs. Progress is that of the phase under
 * way. */
void hop__facts_begin(uint64_t vertices, hop__facts *facts);
void hop__facts_weights(hop_context *context, hop_weight_type type, const void *weights,
                        uint64_t count, hop__facts *facts);
void hop__facts_end(hop_context *context, const hop_graph *graph, hop__facts *facts);

/* Whether the rows of vertices first .. last - 1 are sorted; their offsets are sound. */
bool hop__rows_are_sorted(const hop_graph *graph, uint64_t first, uint64_t last);

/* Whether most of a few vertices, spread evenly, have a neighbour of a near number, as in lattices.
 */
bool hop__ids_are_near(const hop_graph *graph);

#endif
