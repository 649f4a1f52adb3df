/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the buckets of a partition into finished rows: sorted by target, duplicates merged by the
 * builder's rule, degrees counted.
 *
 * A bucket that fits the cache is radix-sorted by one thread. A larger one (hubs of skewed graphs)
 * is partitioned again by all threads, until it fits or is a single row. */
#ifndef HOPLITE_GRAPH_ROWS_H
#define HOPLITE_GRAPH_ROWS_H

#include <stdatomic.h>

#include "graph/partition.h"

/* Arcs that one thread sorts alone. */
enum { HOP__BUCKET_LIMIT = 1 << 18 };

typedef struct hop__rows {
    hop_duplicates duplicates;
    hop_weight_type weight_type;
    void *degrees;              /* one per vertex, cleared by the caller */
    size_t degree_bytes;        /* 4 or 8 */
    atomic_uint_fast64_t loops; /* arcs from a vertex to itself that stay */
    /* The first arc whose SUM left its type: source << 32 | target, or UINT64_MAX. */
    uint64_t overflow;
    bool of_phase; /* progress is that of the phase under way: no phase is begun */
} hop__rows;

/* Sorts the arcs of `partition`, whose vertex 0 is vertex `base` of the graph, and writes what
 * stays to targets[0 .. kept-1] and weights (NULL if none). The arrays may be those of the
 * partition itself. */
hop_status hop__rows_sort(hop_context *context, hop__rows *rows, hop__partition *partition,
                          uint64_t base, uint32_t *targets, void *weights, uint64_t *kept);

#endif
