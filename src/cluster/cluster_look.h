/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that look for their first end in a set, as a search does when it goes up. */
#ifndef HOPLITE_CLUSTER_CLUSTER_LOOK_H
#define HOPLITE_CLUSTER_CLUSTER_LOOK_H

#include "cluster/cluster_graph.h"

/* Of each row that has found, the index of its vertex and of the end: among `ids`. */
typedef void hop__look_take(void *user, const uint32_t *rows, const uint32_t *hits, uint64_t count);

/* Bits of the ends: rows that are not among `done` look for their first end among `front`; if
 * `brief`, only at their first few. */
typedef struct hop__look {
    const uint64_t *done, *front;
    bool brief;
    hop__look_take *take; /* called now and then; it may change the bits for later rows */
    void *user;
} hop__look;

/* Of rows [row, stop). */
void hop__rows_look(const hop_cluster_graph *graph, uint64_t row, uint64_t stop,
                    const hop__look *look);

#endif
