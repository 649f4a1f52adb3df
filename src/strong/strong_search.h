/* SPDX-License-Identifier: Apache-2.0
 *
 * The search in depth that finds strong components: Tarjan, "Depth-first search and linear graph
 * algorithms", 1972, with a stack of its own; marks in the place of the test whether a vertex is on
 * the stack by Pearce, "A space-efficient algorithm for finding strongly connected components",
 * 2016.
 *
 * ranks[v]  HOP__STRONG_OPEN    not visited
 *           1, 2, 3 ...         the least number that is known of those it reaches, in the order in
 *                               which they were visited; its component is not known yet
 *           HOP__STRONG_DONE    labelled. It is above all others, so that an arc there changes
 *                               nothing: the least of a rank and this is the rank
 *           HOP__STRONG_LEAVES  the same, in a search of one range of the vertices (`next` is not
 *                               NULL): from there an arc out of the range can be reached
 *
 * Invariants
 *  1. The path is at the bottom of the stack. At its top are the members: vertices whose arcs are
 *     done and that have no label, the last one lowest. A vertex is in one of the two, so both fit.
 *  2. labels[v] of a vertex on the path, but for its end: how many of its arcs are done, and marks.
 *  3. Where no arc from a vertex on or further lowers its rank, the members whose ranks are not
 *     below that are its component, with itself.
 *
 * Arcs are followed from the last one on. Where they lead to higher numbers, as in graphs that are
 * in order, the search then comes back row by row, from near to near; from the first one on it
 * would go along the columns of a lattice.
 *
 * In a range `next` has, for those that leave, a ring through the vertices of the component with an
 * arc that leads on to one that leaves, or out of the range, and through its label.
 * Until the component is known, it is 1 for such vertices and 0 for others. */
#ifndef HOPLITE_STRONG_STRONG_SEARCH_H
#define HOPLITE_STRONG_STRONG_SEARCH_H

#include "strong/strong_internal.h"

#define HOP__STRONG_OPEN   0u
#define HOP__STRONG_DONE   UINT32_MAX
#define HOP__STRONG_LEAVES (UINT32_MAX - 1)

typedef struct hop__strong_search {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *labels, *ranks;
    hop_vertex *stack;      /* end - begin: the path, from below, and the members */
    hop_vertex *next;       /* NULL: all vertices are searched at once */
    uint64_t *heads;        /* bits of the targets of arcs out of the ranges; beside others */
    hop_vertex begin, end;  /* the range */
    hop_vertex clock, held; /* held: how many members there are */
    uint64_t visited;
    bool stopped; /* cancelled */
} hop__strong_search;

static inline hop_vertex *hop__strong_members(const hop__strong_search *search) {
    return search->stack + (search->end - search->begin) - search->held;
}

/* Visits what can be reached from a vertex that is open, and labels the components. */
void hop__strong_search_from(hop__strong_search *search, hop_vertex root);

#endif
