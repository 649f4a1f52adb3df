/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph that is left while vertices are contracted: rows that grow and shrink, in one pool.
 *
 * Invariants:
 *  1. An arc x of row v says what is between v and x.to, in both directions: row x.to has the same
 *     with `out` and `in` exchanged. Undirected: out = in.
 *  2. Each neighbour is in a row once, and v itself never.
 *  3. Row v of a vertex that was contracted stays as it was then: the arcs upward. */
#ifndef HOPLITE_INDEX_INDEX_ROWS_H
#define HOPLITE_INDEX_INDEX_ROWS_H

#include "graph/graph_internal.h"
#include "index/index_labels.h"

typedef struct hop__row_arc {
    hop_vertex to;
    uint64_t out, in; /* weights; HOP__FAR: there is no such arc */
} hop__row_arc;

typedef struct hop__row {
    uint64_t begin;
    uint32_t count, room;
} hop__row;

enum { HOP__ROW_CLASSES = 33 };

typedef struct hop__rows {
    hop__row *rows;     /* one per vertex */
    hop__row_arc *arcs; /* the pool */
    uint64_t used, room;
    uint64_t
        spare[HOP__ROW_CLASSES]; /* 1 + where a free room of 2^i arcs begins; `out` is the next */
    uint64_t live;               /* arcs in all rows */
} hop__rows;

static inline hop__row_arc *hop__row_arcs(const hop__rows *rows, hop_vertex v) {
    return rows->arcs + rows->rows[v].begin;
}

/* The rows of a graph, whose weights are integers and not negative; of a directed one with its
 * reverse arcs. Of parallel arcs the least counts; loops are left out. */
hop_status hop__rows_open(hop_context *context, hop__rows *rows, const hop_graph *graph,
                          const hop_graph *reverse);
void hop__rows_close(hop__rows *rows);
/* An arc from u to v, of which there may be one: the least counts. */
hop_status hop__rows_add(hop_context *context, hop__rows *rows, hop_vertex u, hop_vertex v,
                         uint64_t weight, bool directed);
/* Takes v out of row u, where it is. */
void hop__rows_remove(hop__rows *rows, hop_vertex u, hop_vertex v);

#endif
