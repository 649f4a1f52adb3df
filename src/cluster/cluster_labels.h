/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids of a file as numbers of vertices, over all ranks: see cluster_labels.c. */
#ifndef HOPLITE_CLUSTER_CLUSTER_LABELS_H
#define HOPLITE_CLUSTER_CLUSTER_LABELS_H

#include "cluster/cluster_graph.h"

typedef struct hop__numbering {
    uint64_t *ids; /* the different ones of this rank, ascending */
    uint64_t count;
    uint64_t *numbers; /* of these: the vertices */
    uint64_t vertices; /* of all ranks */
    uint64_t first_id; /* where ids are in a row from here on: then there are no labels */
    uint64_t *labels;  /* of this rank's vertices, as they are spread; or NULL */
} hop__numbering;

/* The different ids of all ranks are the vertices, in their order. `numbering` has those of this
 * rank in `ids`, `count` of them, in any order, and nothing else. Collective. */
hop_status hop__cluster_number(hop_cluster *cluster, hop_status status, hop__numbering *numbering);
void hop__numbering_clear(hop__numbering *numbering);

/* The number of an id that is one of this rank's. */
static inline uint64_t hop__number_of(const hop__numbering *numbering, uint64_t id) {
    uint64_t low = 0, count = numbering->count;
    while (count > 1) {
        uint64_t half = count / 2;
        low += numbering->ids[low + half] <= id ? half : 0;
        count -= half;
    }
    return numbering->numbers[low];
}

#endif
