/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant of strong components gets and gives.
 *
 * run() writes labels[v] = the smallest vertex of v's strong component, for every v. The graph is
 * checked, in memory, and has at least one vertex. */
#ifndef HOPLITE_STRONG_STRONG_INTERNAL_H
#define HOPLITE_STRONG_STRONG_INTERNAL_H

#include "graph/graph_internal.h"
#include "hoplite/strong.h"
#include "problem/problem.h"

typedef struct hop__strong_task {
    const hop_graph *graph;
    hop_vertex *labels; /* the caller's, n of them */
    hop_vertex *count;
    hop_report *report;   /* counters to fill in */
    const double *values; /* of the row's parameters */
} hop__strong_task;

typedef struct hop__strong_variant {
    hop__variant row; /* first: the tables point to it */
    hop_status (*run)(hop_context *context, const hop__strong_task *task);
} hop__strong_variant;

extern const hop__strong_variant hop__strong_tarjan, hop__strong_sweeps, hop__strong_ranges;
extern const hop__problem hop__strong_problem, hop__order_problem, hop__closure_problem;

/* Labels and their count (HOP_NO_VERTEX: not claimed) of a graph that was checked; strong.h. */
hop_status hop__strong_certify(hop_context *context, const hop_graph *graph, hop_certify mode,
                               const hop_vertex *labels, hop_vertex count);
/* What that allocates at most. */
uint64_t hop__strong_certify_memory(const hop_context *context, const hop_graph *graph,
                                    hop_certify mode);

/* Cuts off vertices that lie on no cycle: those without an arc to a vertex that is left, besides
 * themselves. In passes over all vertices, down, as long as a pass cuts off a sixteenth of those
 * that are left, and then up in the same way, until neither does; so not all of them are found.
 *
 * `done` gets their bits, and those behind n in its last word, which is what the caller sets before
 * besides zeros; their labels are their own. Where all arcs lead to greater numbers, or all to
 * smaller ones, all vertices are cut off at once, and `done` is left as it is. */
typedef struct hop__strong_trim {
    hop_context *context;
    const hop_graph *graph;
    uint64_t *done;
    hop_vertex *labels;
    bool down;
    atomic_uint_fast64_t count; /* that were cut off; n: nothing is left to do */
    uint64_t passes;
    atomic_bool rises, falls; /* no arc leads to a smaller number, to a greater one */
} hop__strong_trim;

void hop__strong_trim_all(hop__strong_trim *trim);
/* The same of some vertices at either end of their numbers only; true when most of them were cut
 * off, so that the whole is worth it. */
bool hop__strong_trim_pays(hop__strong_trim *trim);

#endif
