/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of a graph whose rows are on a device, made there: hop__graph_verify by kernels. What
 * comes back to the host are 64 bytes, whatever the graph has. */
#ifndef HOPLITE_PROBLEM_DEVICE_ROWS_CHECK_H
#define HOPLITE_PROBLEM_DEVICE_ROWS_CHECK_H

#include "graph/graph_internal.h"
#include "kernels/primitives.h"

typedef struct hop__device_rows {
    uint64_t vertices, arcs; /* neither is 0 */
    bool directed;
    size_t offset_bytes; /* 4 or 8 */
    hop_weight_type weight_type;
    const hop__buffer *offsets, *targets, *weights; /* weights NULL: there are none */
} hop__device_rows;

/* *sound: invariants 1 to 4 of graph_internal.h hold, and `facts` are those of the graph. Else the
 * host has to look, who can say what is wrong and where. `form` as in primitives.h. */
hop_status hop__device_rows_check(hop__device *device, const hop__form *form,
                                  const hop__device_rows *rows, hop__facts *facts, bool *sound);

#endif
