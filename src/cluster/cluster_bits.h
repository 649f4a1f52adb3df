/* SPDX-License-Identifier: Apache-2.0
 *
 * A bit of each vertex, from its owner to all who know it: by place, as values are
 * (cluster_graph.h, 4). Bytes sent: 1/8 for each vertex here that another rank knows; to each rank
 * they are whole words. */
#ifndef HOPLITE_CLUSTER_CLUSTER_BITS_H
#define HOPLITE_CLUSTER_CLUSTER_BITS_H

#include "cluster/cluster_graph.h"

/* Room for the bits of an exchange, those of each rank in words of their own. */
typedef struct hop__bits {
    uint64_t *out, *in, *counts, *word_counts;
} hop__bits;

hop_status hop__bits_open(hop_context *context, const hop_cluster_graph *graph, hop__bits *room);
void hop__bits_close(hop__bits *room);

/* `ends`, of id_count / 64 + 2 words, become the bits of the ends here, from `own` of their owners.
 * Nobody may have failed: it carries no status. Collective. */
hop_status hop__bits_share(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop__bits *room, const uint64_t *own, uint64_t *ends);
/* Adds those of this rank's own vertices to `ends`. Not collective. */
void hop__bits_add_own(const hop_cluster *cluster, const hop_cluster_graph *graph, hop__bits *room,
                       const uint64_t *own, uint64_t *ends);

/* graph->masks, where they pay: the last step of a graph. */
hop_status hop__masks_make(hop_context *context, hop_cluster_graph *graph);

#endif
