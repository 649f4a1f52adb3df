/* SPDX-License-Identifier: Apache-2.0
 * What all shortest paths are made of; see all_paths.h. */
#ifndef HOPLITE_SSSP_SSSP_ALL_PATHS_H
#define HOPLITE_SSSP_SSSP_ALL_PATHS_H

#include "hoplite/all_paths.h"

struct hop_path_dag {
    hop_vertex vertices, source;
    hop_type type; /* of the distances */
    void *distances;
    uint64_t *offsets, *counts;
    hop_vertex *predecessors;
};

/* Compares predecessors and counts with the arcs, given distances that are right: HOP_OK, or
 * HOP_ERR_CERTIFICATE. `left` and `queue` have room for n each. */
hop_status hop__path_dag_certify(hop_context *context, const hop_graph *graph, hop_path_dag *dag,
                                 hop_vertex *left, hop_vertex *queue);

#endif
