/* SPDX-License-Identifier: Apache-2.0
 *
 * Local efficiency, inside: what is asked, and its certificate. */
#ifndef HOPLITE_MEASURE_MEASURE_LOCAL_H
#define HOPLITE_MEASURE_MEASURE_LOCAL_H

#include "measure/measure_internal.h"

typedef struct hop__local_task {
    const hop_graph *graph;
    const hop_vertex *vertices; /* NULL: all */
    hop_vertex count;
    unsigned workers;
    double *values;
} hop__local_task;

static inline hop_vertex hop__local_vertex(const hop__local_task *task, uint64_t at) {
    return task->vertices ? task->vertices[at] : (hop_vertex)at;
}

/* What the certificate allocates, of a task. */
void hop__local_certify_blocks(const void *task, hop__workspace *space);
/* Whether the values are what they should be. */
hop_status hop__local_certify(hop_context *context, const hop__local_task *task);

#endif
