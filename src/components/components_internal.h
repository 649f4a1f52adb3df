/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant of connected components gets and gives.
 *
 * run() writes labels[v] = the smallest vertex of v's component, for every v. Arcs count in both
 * directions, whatever the graph says. The graph is checked, and has at least one vertex. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_INTERNAL_H
#define HOPLITE_COMPONENTS_COMPONENTS_INTERNAL_H

#include "graph/graph_internal.h"
#include "hoplite/components.h"
#include "problem/problem.h"

typedef struct hop__components_task {
    const hop_graph *graph;
    const double *values; /* of the row's parameters */
    hop_vertex *labels;   /* the caller's, n of them */
    hop_report *report;   /* counters to fill in */
} hop__components_task;

typedef struct hop__components_variant {
    hop__row row; /* first: the tables point to it */
    hop_status (*run)(hop_context *context, const hop__components_task *task);
} hop__components_variant;

extern const hop__components_variant hop__components_dfs, hop__components_union_find,
    hop__components_rem;

/* Whether an arc from `u` to `v` must be looked at: of an undirected graph's two, one is enough. */
static inline bool hop__components_counts(const hop_graph *graph, hop_vertex u, hop_vertex v) {
    return graph->directed || v < u;
}

/* For variants whose labels are trees with parents below their children: points every vertex to
 * its root. Sequential, one pass. */
void hop__components_flatten(hop_vertex *parents, hop_vertex count);

#endif
