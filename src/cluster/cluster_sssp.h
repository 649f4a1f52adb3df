/* SPDX-License-Identifier: Apache-2.0
 *
 * What shortest paths over the ranks and their certifier share. */
#ifndef HOPLITE_CLUSTER_CLUSTER_SSSP_H
#define HOPLITE_CLUSTER_CLUSTER_SSSP_H

#include "cluster/cluster_graph.h"
#include "cluster/cluster_keys.h"

/* Begins the call, on all ranks: checks graph, sources, options and the array of distances. */
hop_status hop__cluster_sssp_check(hop_cluster *cluster, const char *call,
                                   const hop_cluster_graph *graph, hop__cluster_sources from,
                                   const hop_sssp_options *given, const hop_span *distances);

#endif
