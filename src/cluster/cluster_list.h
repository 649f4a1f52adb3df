/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranking a list and checking its ranks have in common: the question. */
#ifndef HOPLITE_CLUSTER_CLUSTER_LIST_H
#define HOPLITE_CLUSTER_CLUSTER_LIST_H

#include "cluster/cluster_deal.h"

typedef struct hop__list_query {
    const uint64_t *successors; /* of this rank's elements */
    hop_cluster_rank_options options;
    bool whole; /* no heads were given: element 0, which must lead to all */
} hop__list_query;

/* Begins the call: all ranks ask the same, and heads exist. The deal is opened, and to be freed in
 * any case. */
hop_status hop__list_begin(hop_cluster *cluster, const char *call, const uint64_t *successors,
                           uint64_t elements, const hop_cluster_rank_options *given,
                           const uint64_t *ranks, hop__list_query *query, hop__deal *deal);

#endif
