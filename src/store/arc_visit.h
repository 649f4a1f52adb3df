/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits arcs in blocks of HOP__ARC_BLOCK, of a graph on disk or in memory: what a search needs
 * that keeps its state per vertex in memory and takes the arcs as they come.
 *
 *     HOP_TRY(status, hop__arcs_open(context, graph, weights, &arcs));
 *     ... hop__arcs_visit(context, arcs, wanted, fn, user), as often as needed
 *     hop__arcs_close(arcs);
 *
 * A visit calls fn for each block whose bit is set in `wanted` (NULL: all), from the threads of the
 * team, in about ascending order. While blocks are worked on, the next ones are read. In fn, the
 * rows of a block are walked by hop__walk. */
#ifndef HOPLITE_STORE_ARC_VISIT_H
#define HOPLITE_STORE_ARC_VISIT_H

#include "core/bitmap.h"
#include "store/arc_store.h"

typedef struct hop__arcs hop__arcs;

typedef struct hop__arc_block {
    uint64_t number;
    uint64_t begin, end;       /* arcs */
    const hop_vertex *targets; /* of arc begin, and on */
    const void *weights;       /* likewise; NULL: none, or not wanted */
} hop__arc_block;

typedef void (*hop__arc_fn)(void *user, const hop__arc_block *block, unsigned thread);

static inline uint64_t hop__arc_blocks(const hop_graph *graph) {
    return graph->arcs / HOP__ARC_BLOCK + (graph->arcs % HOP__ARC_BLOCK != 0);
}

/* What hop__arcs_open allocates. */
uint64_t hop__arcs_bytes(const hop_graph *graph);
/* HOP_ERR_UNSUPPORTED when another search is reading the graph. */
hop_status hop__arcs_open(hop_context *context, const hop_graph *graph, bool weights,
                          hop__arcs **arcs);
/* In a phase of progress of the caller's, to which fn adds. A cancel ends it early with HOP_OK,
 * which the end of the phase reports. */
hop_status hop__arcs_visit(hop_context *context, hop__arcs *arcs, const uint64_t *wanted,
                           hop__arc_fn fn, void *user);
/* What a sweep asks of its caller. */
typedef struct hop__arcs_calls {
    hop__arc_fn visit;
    /* Whether the blocks that were just visited are to be visited again; on the calling thread. */
    bool (*more)(void *user);
    /* Whether a visit of this block, which is in the cache, would be for nothing. NULL: never. */
    bool (*idle)(void *user, uint64_t block);
} hop__arcs_calls;
/* The same, with the blocks that are read at a time, a window, visited while there is `more`; or
 * then all that are in the cache, wanted or not, except idle ones. A visit may set more bits in
 * `wanted`: those ahead are visited too; `more` may clear bits. (In memory each block is visited
 * once, upwards.) */
typedef enum hop__arcs_order {
    HOP__ARCS_ONCE = 0, /* hop__arcs_visit */
    HOP__ARCS_CACHED = 1,
    HOP__ARCS_DOWN = 2 /* from the last block to the first */
} hop__arcs_order;
hop_status hop__arcs_sweep(hop_context *context, hop__arcs *arcs, const uint64_t *wanted,
                           hop__arcs_order order, hop__arcs_calls calls, void *user);
/* From a visit: the first and the last block that would be visited. */
void hop__arcs_window(const hop__arcs *arcs, uint64_t *first, uint64_t *last);
/* From fn of hop__arcs_visit: the targets of the block before, if that was visited too (it is still
 * in memory then), else NULL. */
const hop_vertex *hop__arcs_before(const hop__arcs *arcs, const hop__arc_block *block);
/* How many blocks stay in memory from one visit to the next. */
uint64_t hop__arcs_room(const hop__arcs *arcs);
/* Memory of the cache until the search ends, of which at least `keep` blocks stay, between two
 * visits: NULL, and no bytes, where it has no more or the graph is in memory. */
void *hop__arcs_lend(hop__arcs *arcs, uint64_t keep, uint64_t *bytes);
/* NULL is allowed. */
void hop__arcs_close(hop__arcs *arcs);
/* Since the search began, of a graph on disk: bytes that were read, and in how many reads; blocks
 * that were visited, and how many of them for the first time: no search needs less. */
typedef struct hop__arcs_read {
    uint64_t bytes, reads, blocks, different;
} hop__arcs_read;
hop__arcs_read hop__arcs_reads(const hop__arcs *arcs);

static inline uint64_t hop__any_begin(const hop_graph *graph, uint64_t vertex) {
    return graph->store != NULL ? hop__index_begin(&graph->store->index, vertex)
                                : hop__offset(graph, vertex);
}

static inline uint64_t hop__any_degree(const hop_graph *graph, uint64_t vertex) {
    return graph->store != NULL ? hop__index_degree(&graph->store->index, vertex)
                                : hop__offset(graph, vertex + 1) - hop__offset(graph, vertex);
}

/* A row, as far as it is in the block: arcs begin .. end-1. */
typedef struct hop__walk {
    uint64_t vertex, begin, end;
    uint64_t next; /* where the row after it begins */
} hop__walk;

/* The row that arc number `arc` is in, and which begins at `begin`, if not before the block. */
static inline hop__walk hop__walk_row(const hop_graph *graph, const hop__arc_block *block,
                                      uint64_t vertex, uint64_t begin) {
    uint64_t next = begin + hop__any_degree(graph, vertex);
    return (hop__walk){vertex, begin > block->begin ? begin : block->begin,
                       next < block->end ? next : block->end, next};
}

/* The row that the first arc of a block is in. */
static inline uint64_t hop__block_row(const hop_graph *graph, uint64_t number) {
    return graph->store != NULL ? graph->store->first_rows[number]
                                : hop__row_of_arc(graph, number * HOP__ARC_BLOCK);
}

/* Sets the bits of the blocks that a row is in. Any thread. */
static inline void hop__want_row(uint64_t *wanted, uint64_t begin, uint64_t degree) {
    if (degree == 0)
        return;
    uint64_t last = (begin + degree - 1) / HOP__ARC_BLOCK;
    for (uint64_t block = begin / HOP__ARC_BLOCK; block <= last; block++)
        (void)hop__bitmap_claim(wanted, block);
}

/* The first row of a block, and the next one; that is inside while walk.begin < block->end. */
static inline hop__walk hop__walk_first(const hop_graph *graph, const hop__arc_block *block) {
    uint64_t vertex = graph->store != NULL ? graph->store->first_rows[block->number]
                                           : hop__row_of_arc(graph, block->begin);
    return hop__walk_row(graph, block, vertex, hop__any_begin(graph, vertex));
}

static inline void hop__walk_next(const hop_graph *graph, const hop__arc_block *block,
                                  hop__walk *walk) {
    if (walk->next >= block->end)
        walk->begin = block->end;
    else
        *walk = hop__walk_row(graph, block, walk->vertex + 1, walk->next);
}

#endif
