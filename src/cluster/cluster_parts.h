/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is not of the native format: see cluster_parts.c. */
#ifndef HOPLITE_CLUSTER_CLUSTER_PARTS_H
#define HOPLITE_CLUSTER_CLUSTER_PARTS_H

#include "cluster/cluster_graph.h"

/* Reads it, each rank its part. Collective; all ranks have begun the call with the same path. */
hop_status hop__cluster_read_parts(hop_cluster *cluster, const char *path,
                                   hop_cluster_graph **graph);

/* HOP_ERR_INPUT where ranks have different hashes of what is at the path. Collective. */
hop_status hop__same_file(hop_cluster *cluster, const char *path, uint64_t hash);

#endif
