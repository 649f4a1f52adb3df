/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOPLITE_GRAPH_GRAPH_FACTS_H
#define HOPLITE_GRAPH_GRAPH_FACTS_H

#include "graph/graph_internal.h"

/* Measures degrees and the range of weights of sound arrays, in parallel; leaves `loops` alone.
 * Fails only when it is cancelled. */
hop_status hop__facts_measure(hop_context *context, const hop_graph *graph, hop__facts *facts);

#endif
