/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant of minimum spanning forests gets and gives.
 *
 * Edges come from the rows of a graph or from a list. Each has a number, its place there, and a
 * key: the weight as an unsigned integer, such that smaller keys come first. Loops are not among
 * them, and of an undirected graph only the arcs from the smaller end are. The order of edges is
 * that of (key, number); no two are equal, so there is one forest.
 *
 * run() writes the numbers of the forest's edges, in any order, and how many there are. */
#ifndef HOPLITE_SPANNING_SPANNING_INTERNAL_H
#define HOPLITE_SPANNING_SPANNING_INTERNAL_H

#include "core/real_bits.h"
#include "core/sort.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"
#include "hoplite/spanning.h"
#include "problem/problem.h"

/* How weights become keys: bits - low, or high - bits, shifted up so that the first bits tell most
 * weights apart. */
typedef struct hop__spanning_order {
    hop_weight_type type;
    const void *weights;
    uint64_t low, high; /* bits of the least and the greatest weight */
    unsigned shift;
    bool maximum;
} hop__spanning_order;

typedef struct hop__spanning_task {
    const hop_graph *graph; /* NULL: the edges are in */
    hop_edges edges;        /* with their stride */
    hop_vertex vertices;
    uint64_t places; /* arcs of the graph, or edges of the list */
    uint64_t listed; /* edges, at most */
    hop__spanning_order order;
    uint64_t sort_bytes; /* of all edges, by key and place in a list */
    uint64_t *numbers;   /* the caller's, n of them */
    hop_vertex *count;
    hop_report *report;   /* counters to fill in */
    const double *values; /* of the row's parameters */
} hop__spanning_task;

typedef struct hop__spanning_variant {
    hop__variant row; /* first: the tables point to it */
    hop_status (*run)(hop_context *context, const hop__spanning_task *task);
} hop__spanning_variant;

extern const hop__spanning_variant hop__spanning_kruskal, hop__spanning_boruvka;
extern const hop__problem hop__spanning_problem;

/* An edge on the way; from and to become what their vertices are put together as. */
typedef struct hop__spanning_edge {
    uint64_t key, number;
    hop_vertex from, to;
} hop__spanning_edge;

/* Bits of a weight in the order of the weights. (Adding 0 makes one zero of both.) */
static inline uint64_t hop__weight_bits(hop_weight_type type, const void *weights, uint64_t at) {
    const uint32_t half = UINT32_C(1) << 31;
    const uint64_t top = UINT64_C(1) << 63;
    uint32_t narrow;
    uint64_t wide;
    switch (type) {
    case HOP_TYPE_INT32:
        return (uint32_t)((const int32_t *)weights)[at] ^ half;
    case HOP_TYPE_INT64:
        return (uint64_t)((const int64_t *)weights)[at] ^ top;
    case HOP_TYPE_FLOAT32:
        narrow = hop__float_bits(((const float *)weights)[at] + 0.0f);
        return narrow & half ? ~narrow : narrow | half;
    case HOP_TYPE_FLOAT64:
        wide = hop__double_bits(((const double *)weights)[at] + 0.0);
        return wide & top ? ~wide : wide | top;
    default:
        return 0;
    }
}

/* Low bits of a key, unshifted, and behind them those of a place in the list. */
static inline unsigned hop__spanning_sort_bits(const hop__spanning_task *task) {
    return hop__bit_width(task->order.high - task->order.low) + hop__bit_width(task->listed);
}

static inline uint64_t hop__spanning_key(const hop__spanning_order *order, uint64_t number) {
    uint64_t bits = hop__weight_bits(order->type, order->weights, number);
    return (order->maximum ? order->high - bits : bits - order->low) << order->shift;
}

/* Goes through the edges of places first .. past-1, in the order of their numbers. */
typedef struct hop__spanning_cursor {
    uint64_t at, past, row, row_end;
} hop__spanning_cursor;

static inline hop__spanning_cursor hop__spanning_begin(const hop__spanning_task *task,
                                                       uint64_t first, uint64_t past) {
    hop__spanning_cursor cursor = {first, past, 0, 0};
    if (task->graph != NULL && first < past) {
        cursor.row = hop__row_of_arc(task->graph, first);
        cursor.row_end = hop__offset(task->graph, cursor.row + 1);
    }
    return cursor;
}

/* The next edge's number and ends, but not its key; false when there is none. */
static inline bool hop__spanning_next(const hop__spanning_task *task, hop__spanning_cursor *cursor,
                                      hop__spanning_edge *edge) {
    const hop_graph *graph = task->graph;
    while (cursor->at < cursor->past) {
        edge->number = cursor->at++;
        if (graph == NULL) {
            edge->from = (hop_vertex)hop__edge_id(&task->edges, task->edges.from, edge->number);
            edge->to = (hop_vertex)hop__edge_id(&task->edges, task->edges.to, edge->number);
        } else {
            while (edge->number >= cursor->row_end)
                cursor->row_end = hop__offset(graph, ++cursor->row + 1);
            edge->from = (hop_vertex)cursor->row;
            edge->to = graph->targets[edge->number];
        }
        if (edge->from < edge->to || (edge->from != edge->to && (graph == NULL || graph->directed)))
            return true;
    }
    return false;
}

/* A list of edges, by blocks of places. Blocks are in the order of numbers, and so are the edges of
 * each; what is left out of a block is a gap behind its edges. */
typedef struct hop__spanning_list {
    uint64_t *begins, *counts; /* of the blocks */
    uint64_t blocks;
    hop__spanning_edge *edges;
} hop__spanning_list;

/* Which edges are listed: those with keys from `low` to `high`, from and to by `labels` (NULL:
 * themselves), but for those whose ends have the same label. */
typedef struct hop__spanning_choice {
    const hop_vertex *labels;
    uint64_t low, high;
} hop__spanning_choice;

void hop__spanning_list_blocks(hop__workspace *space, size_t at, const hop__spanning_task *task);
/* Where blocks begin; once, before the list is filled. */
hop_status hop__spanning_list_plan(hop__workspace *space, const hop__spanning_task *task,
                                   hop__spanning_list *list);
hop_status hop__spanning_list_fill(hop__workspace *space, const hop__spanning_task *task,
                                   const hop__spanning_choice *choice, hop__spanning_list *list);

/* Numbers of edges, ascending, of a task that was checked; spanning.h. */
hop_status hop__spanning_certify(hop_context *context, const hop__spanning_task *task,
                                 hop_certify mode, const uint64_t *numbers, uint64_t count);
/* What that allocates at most. */
uint64_t hop__spanning_certify_memory(const hop_context *context, const hop__spanning_task *task);

#endif
