/* SPDX-License-Identifier: Apache-2.0
 *
 * Arcs on disk, split by source vertex: the buckets of graph/partition.h, but in chains of pages.
 *
 * Rounds of arcs, each partitioned in memory, are added one after another. A bucket has a buffer of
 * one page; a full one is written. So the arcs of a bucket are in the order of the input (invariant
 * 1: FIRST, LAST and SUM rely on it). A page holds the low words of its arcs, then the high parts,
 * then the weights. All pages of a bucket but the last are full.
 *
 * Neighbouring buckets share a file, a shelf, which is closed when they were taken: buckets are
 * taken in their order. So the disk has its room back shelf by shelf.
 *
 * Cost: every byte is written once and read once; memory is a page per bucket while adding. */
#ifndef HOPLITE_STORE_ARC_BUCKETS_H
#define HOPLITE_STORE_ARC_BUCKETS_H

#include "graph/partition.h"
#include "io/bytes/page_file.h"

typedef struct hop__arc_bucket {
    hop__page_chain chain;
    uint64_t arcs;   /* in all */
    uint64_t filled; /* of them in the buffer */
} hop__arc_bucket;

typedef struct hop__arc_buckets {
    hop__scratch *scratch;
    size_t page_bytes;
    hop__page_file *shelves;
    unsigned shelf_count, shelf_bits; /* bucket i is on shelf i >> shelf_bits */
    unsigned closed;                  /* the shelves before this one are closed */
    hop__partition layout;            /* only its numbers of bits and bytes */
    uint64_t page_arcs;               /* that a page has room for */
    uint64_t count;                   /* 2^bucket_bits */
    hop__arc_bucket *buckets;
    unsigned char *buffers; /* count * page room; NULL: nothing is added any more */
} hop__arc_buckets;

/* Bytes of an arc on disk, and in memory before it is sorted. */
static inline size_t hop__arc_bytes(const hop__partition *layout) {
    return sizeof(uint32_t) + layout->high_bytes + layout->weight_bytes;
}

/* Empty buckets for partitions of this layout. */
hop_status hop__arc_buckets_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                                 const hop__partition *layout, hop__arc_buckets *arcs);
/* Memory that `arcs` arcs of `arc_bytes` in 2^bits buckets take, but for their pages. */
uint64_t hop__arc_buckets_bytes(uint64_t arcs, size_t arc_bytes, size_t page_bytes, unsigned bits);
/* Adds what a round has brought, in parallel. */
hop_status hop__arc_buckets_add(hop_context *context, hop__arc_buckets *arcs,
                                const hop__partition *round);
/* Writes what is in buffers and frees them. */
hop_status hop__arc_buckets_finish(hop_context *context, hop__arc_buckets *arcs);
/* Also of buckets that were never opened, if they are all zeros. */
void hop__arc_buckets_close(hop__arc_buckets *arcs);

/* Brings buckets first .. first+count-1 into memory, after all before them: a partition with
 * as many buckets, filled up with empty ones to a power of two. */
hop_status hop__arc_buckets_take(hop_context *context, hop__arc_buckets *arcs, uint64_t first,
                                 uint64_t count, hop__partition *taken);
/* Closes the shelves of buckets before `bucket`. */
void hop__arc_buckets_release(hop__arc_buckets *arcs, uint64_t bucket);
/* Brings the first arcs of a bucket, whole pages and at most `most` arcs (at least a page), into
 * memory, as a partition of one bucket. */
hop_status hop__arc_bucket_part(hop_context *context, hop__arc_buckets *arcs, uint64_t bucket,
                                uint64_t most, hop__partition *taken);

#endif
