/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices that hang together with the hub of an undirected graph, as far as three rounds find:
 * most of the giant, where a vertex has a large part of all as neighbours.
 *
 * 1. joined: ends here that this rank knows to be connected with the hub.
 * 2. inside: this rank's own vertices that are; agreed: the same bits, of the ends here, as their
 *    owners have sent them. So what is agreed on an end here its owner knows, and nobody has to say
 *    more of it.
 *
 * Bytes sent: 1/8 for each vertex here that another rank knows, in each. */
#ifndef HOPLITE_CLUSTER_CLUSTER_REACH_H
#define HOPLITE_CLUSTER_CLUSTER_REACH_H

#include "cluster/cluster_bits.h"

typedef struct hop__reach {
    hop_cluster *cluster;
    const hop_cluster_graph *graph;
    uint64_t *joined, *agreed, *inside;
    hop__bits bits;
} hop__reach;

/* Whether it pays: the same on all ranks. */
bool hop__reach_pays(const hop_cluster_graph *graph);
hop_status hop__reach_open(hop_cluster *cluster, const hop_cluster_graph *graph, hop__reach *reach);
void hop__reach_close(hop__reach *reach);
/* Nobody may have failed: it carries no status. *smallest is the smallest vertex inside, of all
 * ranks. Collective. */
hop_status hop__reach_run(hop__reach *reach, uint64_t *smallest);

#endif
