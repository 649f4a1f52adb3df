/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph on a device: offsets, arcs and weights, and the rows of arcs in. All problems that work
 * on the rows of a graph list it here, and so share what is there:
 *
 *     hop__device_graph_blocks(space, offsetof(search, rows), graph, HOP__GRAPH_WEIGHTS);
 *     HOP_TRY(status, hop__workspace_open(...));
 *     ... s.rows.offsets, s.rows.targets, s.rows.weights
 *
 * The arrays are the graph's own where the device works in the host's memory. Elsewhere they are
 * copied, and the copies stay on the device when the run ends (hop__buffer_keep, whose contract
 * says who owns them and when they go): the next run of the context on this graph, of any problem,
 * copies nothing. hop_graph_prepare with HOP_PREPARE_DEVICE brings them there before the first run.
 *
 * A graph counts in full against the budget of a run, there or not; copies of other graphs give way
 * to it. Reverse arcs are a graph of their own, with a life of their own: prepared later, they are
 * copied by the first run that uses them. */
#ifndef HOPLITE_PROBLEM_DEVICE_GRAPH_H
#define HOPLITE_PROBLEM_DEVICE_GRAPH_H

#include "graph/graph_internal.h"
#include "problem/workspace.h"

typedef struct hop__device_graph {
    hop__buffer *offsets, *targets;       /* rows of arcs out */
    hop__buffer *weights;                 /* NULL: there are none, or they were not asked for */
    hop__buffer *in_offsets, *in_targets; /* rows of arcs in; NULL: not at hand, not asked for, or
                                           * the graph is undirected */
} hop__device_graph;

/* What is wanted beside the rows of arcs out. */
enum { HOP__GRAPH_WEIGHTS = 1, HOP__GRAPH_REVERSE = 2 };

/* The graph whose rows are the arcs in, if kernels for `graph` can read them; NULL: there is none.
 */
const hop_graph *hop__device_graph_in(const hop_graph *graph);
/* Lists it; the state has the hop__device_graph `at`. */
void hop__device_graph_blocks(hop__workspace *space, size_t at, const hop_graph *graph,
                              unsigned parts);

/* Of a graph that was made of rows on a device, if that is the context's: its rows there are found
 * by the blocks above. */
hop_status hop__device_graph_find(hop_context *context, const hop_graph *graph);

/* Bytes of it that a run would copy to the device now, and that are there already. Both 0 where the
 * device works in the host's memory. */
typedef struct hop__graph_copy {
    uint64_t missing, there;
} hop__graph_copy;
hop__graph_copy hop__device_graph_copy(hop__device *device, const hop_graph *graph, unsigned parts);

#endif
