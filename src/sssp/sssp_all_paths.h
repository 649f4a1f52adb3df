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

#endif
