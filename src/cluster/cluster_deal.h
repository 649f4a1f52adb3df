/* SPDX-License-Identifier: Apache-2.0
 *
 * Records for the owners of items that are spread evenly over the ranks: counted first, then each
 * put among those of its owner. Passing over the same items in the same order finds the same
 * places again, so that answers, which come in this order, need no index. */
#ifndef HOPLITE_CLUSTER_CLUSTER_DEAL_H
#define HOPLITE_CLUSTER_CLUSTER_DEAL_H

#include <string.h>

#include "cluster/cluster_internal.h"
#include "core/memory.h"
#include "generate/family.h"

typedef struct hop__deal {
    uint64_t items; /* of all ranks */
    uint32_t ranks;
    uint64_t first, count; /* of this rank */
    uint64_t *counts;      /* of the records, by owner */
    uint64_t *next;        /* where the next one of each owner goes */
} hop__deal;

/* To be freed in any case. */
static inline hop_status hop__deal_open(hop_cluster *cluster, const char *what, uint64_t items,
                                        hop__deal *deal) {
    *deal = (hop__deal){.items = items, .ranks = cluster->ranks};
    deal->first = hop__even_start(items, cluster->ranks, cluster->rank);
    deal->count = hop__even_size(items, cluster->ranks, cluster->rank);
    hop_status status = hop__alloc(cluster->context, what, 2 * (uint64_t)cluster->ranks,
                                   sizeof *deal->counts, &deal->counts);
    deal->next = status == HOP_OK ? deal->counts + cluster->ranks : NULL;
    return status;
}
static inline void hop__deal_free(hop__deal *deal) {
    hop__free(deal->counts);
    deal->counts = NULL;
}

static inline bool hop__deal_owns(const hop__deal *deal, uint64_t item) {
    return item - deal->first < deal->count;
}

static inline void hop__deal_clear(hop__deal *deal) {
    memset(deal->counts, 0, deal->ranks * sizeof *deal->counts);
}
static inline void hop__deal_count(hop__deal *deal, uint64_t item) {
    deal->counts[hop__even_part(deal->items, deal->ranks, item)]++;
}
/* After the counts, and before each pass over the items. */
static inline void hop__deal_start(hop__deal *deal) {
    uint64_t start = 0;
    for (uint32_t rank = 0; rank < deal->ranks; rank++) {
        deal->next[rank] = start;
        start += deal->counts[rank];
    }
}
/* The place of the record of an item, and the number of the item at its owner. */
static inline uint64_t hop__deal_place(hop__deal *deal, uint64_t item, uint32_t *at) {
    uint64_t owner = hop__even_part(deal->items, deal->ranks, item);
    *at = (uint32_t)(item - hop__even_start(deal->items, deal->ranks, owner));
    return deal->next[owner]++;
}

#endif
