/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index is made of.
 *
 * The metric. Everything that is stored is about integers: the metric weight of an arc. Of a graph
 * with integer weights, or none, that is the weight (or 1). Of one with floating-point weights it
 * is a lower bound of what the arc adds to a rounded sum:
 *
 *     metric * unit <= weight - u * reach        u: half the distance from 1 to the next number
 *
 * A sum from the source onwards that stays below `reach` loses at most u * reach by the rounding of
 * one addition. So metric distances times `unit` are lower bounds of what a path still adds,
 * rounded sums included: a search by them (index_search.c) finds what hop_sssp finds, bit by bit.
 * A distance that comes out beyond `reach` is searched again without bounds.
 *
 * Distances in searches are codes: uint64_t in the order of the distances. Of integers the code is
 * the distance, of floating-point numbers the bits of it as a double. */
#ifndef HOPLITE_INDEX_INDEX_INTERNAL_H
#define HOPLITE_INDEX_INDEX_INTERNAL_H

#include "graph/graph_internal.h"
#include "hoplite/index.h"
#include "index/index_labels.h"

enum { HOP__LANDMARKS_MOST = 64 };

typedef struct hop__metric {
    bool real;    /* weights are floating-point numbers */
    double unit;  /* of real ones: what 1 is; a power of two */
    double reach; /* and how far the bounds hold */
} hop__metric;

/* A contraction hierarchy. Vertices have places: 0 is the one that was contracted last. A row has
 * the arcs to the neighbours that a vertex had when it was contracted, all at smaller places. */
typedef struct hop__hierarchy {
    hop_vertex *places; /* of each vertex */
    uint64_t *offsets;  /* of each place, in arcs */
    uint32_t *words;    /* each arc: place; weight; directed: and of the arc back. All ones: none */
    uint32_t weight_words; /* 1, or 2: the low word first */
    uint32_t depth;        /* vertices on the longest way up, at most */
} hop__hierarchy;

/* Metric distances between landmarks and each vertex, rounded down to multiples of 2^shift. Row v
 * has those from each landmark; directed: and then those to each. */
typedef struct hop__landmarks {
    uint32_t count, shift;
    hop_vertex at[HOP__LANDMARKS_MOST];
    uint32_t *distances; /* UINT32_MAX: not reached */
} hop__landmarks;

struct hop_index {
    hop_graph *graph, *reverse; /* of the first a reference; the second belongs to it */
    uint64_t graph_hash;
    hop_index_kind kind;
    hop__metric metric;
    hop__hierarchy hierarchy;
    hop__landmarks landmarks;
};

static inline unsigned hop__arc_words(const hop_index *index) {
    return 1 + index->hierarchy.weight_words * (index->graph->directed ? 2 : 1);
}

static inline unsigned hop__landmark_row(const hop_index *index) {
    return index->landmarks.count * (index->graph->directed ? 2 : 1);
}

/* index.c */

/* An index of this graph that has nothing yet. Checks the graph, and prepares reverse arcs. */
hop_status hop__index_create(hop_context *context, hop_graph *graph, hop_index **index);

/* index_metric.c */

/* A graph of the same arcs with metric weights: the graph itself where they are integers. The
 * caller releases it. Sets index->metric. */
hop_status hop__metric_make(hop_context *context, hop_index *index, hop_graph **metric);

/* index_contract.c */

/* Makes the hierarchy; *given_up: the graph is not made for it, and there is none. */
hop_status hop__contract(hop_context *context, hop_index *index, const hop_graph *metric,
                         const hop_graph *reverse, bool *given_up);

/* index_landmarks.c */

hop_status hop__landmarks_make(hop_context *context, hop_index *index, hop_graph *metric,
                               unsigned count);

/* A metric distance from one vertex to another is at least this; HOP__FAR: there is no path. */
uint64_t hop__landmarks_bound(const hop_index *index, hop_vertex from, hop_vertex to);

#endif
