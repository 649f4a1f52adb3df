/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits the arcs of an edge source into buckets by source vertex.
 *
 * A bucket holds the arcs of 2^low_bits consecutive source vertices. An arc in it is a key:
 * (source's low bits, target), low_bits + target_bits wide, its low 32 bits in `low` and the rest,
 * if any, in `high` (1, 2 or 4 bytes each). Keys of one bucket stand together, in the order of the
 * input (invariant 1: the builder's rules FIRST, LAST and SUM rely on it), bucket after bucket.
 *
 * Two passes over the source: count, then write. Each thread owns a contiguous share of the edges
 * and, in each bucket, the slots for its own arcs, so there are no atomics and the result does not
 * depend on the number of threads. Writes go through one cache line per bucket and past the
 * caches, because the buckets together are far larger than they are.
 *
 * Cost: the source is read twice; 4 + high + weight bytes are written per arc. */
#ifndef HOPLITE_GRAPH_PARTITION_H
#define HOPLITE_GRAPH_PARTITION_H

#include "graph/edge_source.h"

typedef struct hop__partition_shape {
    unsigned source_bits; /* sources are below 2^source_bits */
    unsigned target_bits; /* targets are below 2^target_bits */
    uint64_t sources;     /* and below these, else the edge is refused */
    uint64_t targets;
    bool both;       /* each edge is two arcs, one each way (a loop stays one) */
    bool drop_loops; /* loops are left out */
    unsigned most_bucket_bits;
    const char *what;    /* for messages */
    hop__names names;    /* for messages */
    bool exact_bits;     /* most_bucket_bits are taken, however few arcs there are */
    uint64_t first_edge; /* for messages: the number of the source's first */
    bool of_phase;       /* progress is that of the phase under way: no phase is begun */
} hop__partition_shape;

typedef struct hop__partition {
    unsigned bucket_bits, low_bits, target_bits;
    unsigned high_bytes;   /* 0, 1, 2 or 4 */
    unsigned weight_bytes; /* 0, 4 or 8 */
    uint64_t arcs;
    uint64_t *starts; /* 2^bucket_bits + 1 */
    uint32_t *low;
    void *high;
    void *weights;
} hop__partition;

/* How arcs will be laid out: fills in the numbers of bits and bytes, for estimates. */
void hop__partition_choose(hop__partition *partition, const hop__partition_shape *shape,
                           uint64_t most_arcs);
hop_status hop__partition_make(hop_context *context, const hop__edge_source *source,
                               const hop__partition_shape *shape, hop__partition *partition);
void hop__partition_clear(hop__partition *partition);

/* Key number `index` of the partition. */
static inline uint64_t hop__partition_key(const hop__partition *partition, uint64_t index,
                                          unsigned high_bytes) {
    uint64_t key = partition->low[index];
    if (high_bytes == 1)
        key |= (uint64_t)((const uint8_t *)partition->high)[index] << 32;
    else if (high_bytes == 2)
        key |= (uint64_t)((const uint16_t *)partition->high)[index] << 32;
    else if (high_bytes == 4)
        key |= (uint64_t)((const uint32_t *)partition->high)[index] << 32;
    return key;
}

/* The arcs of a bucket, from slot `start` on, as a source for partitioning them again. */
typedef struct hop__bucket_source {
    const hop__partition *partition;
    uint64_t start;
} hop__bucket_source;

/* `user` is an hop__bucket_source. */
void hop__bucket_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                      hop_vertex *to, void *weights);

#endif
