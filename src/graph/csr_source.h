/* SPDX-License-Identifier: Apache-2.0
 * The arcs of CSR arrays as an edge source, to build one graph from another. */
#ifndef HOPLITE_GRAPH_CSR_SOURCE_H
#define HOPLITE_GRAPH_CSR_SOURCE_H

#include "graph/edge_source.h"
#include "graph/graph_internal.h"

typedef struct hop__csr_source {
    hop_csr csr;
    bool swap; /* arcs turned round */
} hop__csr_source;

/* A source over `user`, which must outlive it. The offsets must be sound. */
hop__edge_source hop__csr_edge_source(const hop__csr_source *user);
/* The arrays of a graph, in the form of the public struct. */
hop_csr hop__graph_csr(const hop_graph *graph);

#endif
