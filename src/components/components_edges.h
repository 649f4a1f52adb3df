/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of edges, for the variants of D0 and D1, which do not know rows.
 *
 * An edge is one 64-bit word, from << 32 | to, so that it takes one load (D0 6.1.2). Each edge of
 * an undirected graph stands there once, and each arc of a directed one; self-loops do not. The
 * algorithms look at both directions of an edge.
 *
 * The functions below join the ends of the edges of a list into `labels`, which is a flat forest of
 * what was joined before (labels[v] = v at first) and is one again afterwards, with the smallest
 * vertex of each tree as its root. So they can be run on one part of a list after the other. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_EDGES_H
#define HOPLITE_COMPONENTS_COMPONENTS_EDGES_H

#include "components/components_internal.h"
#include "core/parallel.h"
#include "kernels/primitives.h"

typedef struct hop__packed_edges {
    uint64_t *list;
    uint64_t count;
    uint64_t *begins; /* of blocks of vertices, while the list is made */
} hop__packed_edges;

static inline uint64_t hop__edge_make(hop_vertex from, hop_vertex to) {
    return (uint64_t)from << 32 | to;
}

static inline hop_vertex hop__edge_from(uint64_t edge) {
    return (hop_vertex)(edge >> 32);
}

static inline hop_vertex hop__edge_to(uint64_t edge) {
    return (hop_vertex)edge;
}

/* Most edges that the list of a graph can have. */
uint64_t hop__packed_edges_most(const hop_graph *graph);
/* Lists the list, `at` bytes from the beginning of the state. */
void hop__packed_edges_blocks(hop__workspace *space, size_t at, const hop_graph *graph);
/* Makes it. `shuffled`: in a random order, which depends on the context's seed alone. */
hop_status hop__packed_edges_make(hop__workspace *space, const hop_graph *graph, bool shuffled,
                                  hop__packed_edges *edges);

/* A list and the forest that it is joined into. */
typedef struct hop__edge_task {
    hop_context *context;
    const hop__components_task *given;
    hop__packed_edges edges;
    hop_vertex n;
    hop_vertex *labels;
    hop_report *report;     /* rounds and relaxations are added to */
    atomic_bool stopped;    /* somebody saw that the run is cancelled */
    atomic_bool changed;    /* for the functions' own use */
    hop_vertex *scratch[2]; /* for shiloach-vishkin: n each */
} hop__edge_task;

/* Runs fn over parts of [0, count); those that begin after a cancellation are left out. The
 * phase gets `items` of count, and `bytes` for each: what fn reads and writes in any case. */
void hop__edge_task_for(hop__edge_task *task, const char *phase, uint64_t count, uint64_t bytes,
                        hop__range_fn fn, void *arg);

/* Whether the run goes on: counts what fn has done. To be called at the end of each part. */
bool hop__edge_task_goes_on(hop__edge_task *task, uint64_t amount);

/* Every vertex is pointed to its root: D1's shortcut. */
void hop__edge_task_shortcut(hop__edge_task *task);
/* Every edge becomes that of the labels of its ends: D1's update. */
void hop__edge_task_update(hop__edge_task *task);

/* The algorithms. */
void hop__graft_edges(hop__edge_task *task);
void hop__graft_update_edges(hop__edge_task *task);
void hop__shiloach_vishkin_edges(hop__edge_task *task);
void hop__rem_edges(hop__edge_task *task);

/* Parameters of stages: its own, then the form's for the row of devices. */
enum { HOP__STAGES_INNER, HOP__STAGES_Q, HOP__STAGES_OWN };
extern const hop_parameter hop__stages_parameters[HOP__STAGES_OWN + HOP__FORM_PARAMETERS];
/* Edges of a group: more than n / 2, and at least one. */
uint64_t hop__stages_group(const hop__components_task *task, uint64_t edges);

/* For the rows: the blocks of a task, without and with `scratch`. */
void hop__edge_task_blocks(const void *task, hop__workspace *space);
void hop__edge_scratch_blocks(const void *task, hop__workspace *space);
/* What run() of such a variant does: makes the list, starts the labels, joins, frees. */
typedef void (*hop__edge_join_fn)(hop__edge_task *task);
hop_status hop__edge_task_run(hop_context *context, const hop__components_task *task,
                              hop__blocks_fn blocks, const char *phase, bool shuffled,
                              hop__edge_join_fn join);

#endif
