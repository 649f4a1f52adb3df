/* SPDX-License-Identifier: Apache-2.0
 *
 * A forest over the vertices in which many threads join trees at once.
 *
 * parents[v] <= v, and a root is its own parent: so a root is the smallest vertex of its tree, and
 * when all edges are joined the roots are the labels. Parents never grow, and only ever change to
 * ancestors; so every loop ends, and a reader that misses a change only climbs a longer way. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_FOREST_H
#define HOPLITE_COMPONENTS_COMPONENTS_FOREST_H

#include "components/components_internal.h"
#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/union_find.h"

/* A row's begin for code that knows the width of the offsets when it is compiled, and for loops
 * that write: the compiler cannot know that they do not write to the graph. */
static inline __attribute__((always_inline)) uint64_t
hop__offset_in(const void *offsets, uint64_t vertex, const bool wide) {
    return wide ? ((const uint64_t *)offsets)[vertex] : ((const uint32_t *)offsets)[vertex];
}

static inline __attribute__((always_inline)) uint64_t
hop__offset_of(const hop_graph *graph, uint64_t vertex, const bool wide) {
    return hop__offset_in(graph->offsets, vertex, wide);
}

/* hop__forest_join by Rem's algorithm, as components_rem.c has it. Beside other threads. */
static inline void hop__rem_join(hop_vertex *parents, hop_vertex u, hop_vertex v) {
    hop_vertex pu = hop__load_u32(&parents[u]), pv = hop__load_u32(&parents[v]);
    while (pu != pv) {
        if (pu < pv) {
            hop_vertex swap = u;
            u = v;
            v = swap;
            swap = pu;
            pu = pv;
            pv = swap;
        }
        bool written = hop__replace_u32(&parents[u], pu, pv);
        if (u == pu) {
            if (written)
                return;
        } else {
            u = pu;
        }
        pu = hop__load_u32(&parents[u]);
        pv = hop__load_u32(&parents[v]);
    }
}

/* What is joined: every arc of the graph, or only what a giant component has left over.
 *
 * `giant`, if not NULL, has the bits of vertices that are known to hang together; root is the
 * smallest of them, and stands for all of them: the parents of the others are not looked at until
 * the end. `done` has the bits of vertices whose arcs need not be looked at; the
 * giant's are among them. */
typedef struct hop__forest {
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: rows to look at too, or NULL */
    hop_vertex *parents;
    const uint64_t *giant, *done;
    hop__workspace *space; /* for hop__forest_join_arcs */
    uint64_t *crossing;    /* a bit per vertex with an arc to another range */
    hop_vertex root;
    uint64_t left;    /* about how many vertices with arcs are not in the giant */
    uint64_t arcs;    /* looked at, counted on the way */
    hop_vertex roots; /* after hop__forest_flatten */
} hop__forest;

/* Of the 64 vertices of a word of bits, those that can get a parent: neither in the giant nor
 * without arcs. Without reverse arcs a directed graph does not tell which have none. */
static inline uint64_t hop__forest_open(const hop__forest *forest, uint64_t word) {
    bool all = forest->graph->directed && !forest->reverse;
    return ~(forest->giant[word] | (all ? 0 : forest->done[word]));
}

/* Every vertex is a tree. */
void hop__forest_start(hop_context *context, hop_vertex *parents, uint64_t vertices);
/* Joins the ends of all those arcs; see components_ranges.c. */
hop_status hop__forest_join_arcs(hop__forest *forest);
/* Lists what that takes; the forest is `at` bytes from the beginning of the state. */
void hop__forest_blocks(hop__workspace *space, size_t at, const hop_graph *graph);

/* Points every vertex to its root, the giant's vertices to what root has become, and counts. */
hop_status hop__forest_flatten(hop__forest *forest);

#endif
