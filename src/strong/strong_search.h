/* SPDX-License-Identifier: Apache-2.0
 *
 * The search in depth that finds strong components: Tarjan, "Depth-first search and linear graph
 * algorithms", 1972, with a stack of its own; marks in the place of the test whether a vertex is on
 * the stack by Pearce, "A space-efficient algorithm for finding strongly connected components",
 * 2016.
 *
 * ranks[v]  HOP__STRONG_OPEN    not visited
 *           1, 2, 3 ...         when it was visited; its component is not known yet
 *           HOP__STRONG_DONE    labelled. It is above all others, so that an arc there changes
 *                               nothing: the least of a rank and this is the rank
 *           HOP__STRONG_LEAVES  the same, in a search of one range of the vertices (`next` is not
 *                               NULL): from there an arc out of the range can be reached
 *
 * Invariants
 *  1. members[0 .. held) are the visited vertices without a label, in the order of their ranks.
 *  2. low is the least rank that the path from the vertex under way has seen; where it is that of
 *     the vertex itself, the members from there on are its component.
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

/* A vertex on the path, left for one further on. */
typedef struct hop__strong_frame {
    hop_vertex vertex, low;
    uint64_t at; /* the arc that comes next; the highest bit: something leaves the range */
} hop__strong_frame;

typedef struct hop__strong_search {
    hop_context *context;
    const hop_graph *graph;
    hop_vertex *labels, *ranks;
    hop_vertex *members;       /* end - begin */
    hop__strong_frame *frames; /* the same */
    hop_vertex *next;          /* NULL: all vertices are searched at once */
    uint64_t *heads;           /* bits of the targets of arcs out of the ranges; beside others */
    hop_vertex begin, end;     /* the range */
    hop_vertex clock, held;
    uint64_t visited, reported;
    bool stopped; /* cancelled */
} hop__strong_search;

/* Visits what can be reached from a vertex that is open, and labels the components. */
void hop__strong_search_from(hop__strong_search *search, hop_vertex root);

#endif
