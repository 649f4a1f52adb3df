/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph whose arcs stay in a native file (hop_graph_open_external).
 *
 * In memory are: where rows begin (row_index.h), the checksums of the file's blocks, which row each
 * block of arcs begins with, and a cache of such blocks. Blocks are read by our own requests
 * (block_reads.c), past the page cache where the file system can do that, and never through a
 * mapping: what goes wrong with the file is an error that names the block, whatever happens to it
 * meanwhile.
 *
 * A block of arcs is HOP__ARC_BLOCK of them: one block of targets and, where weights are wanted,
 * one or two of weights. They are visited in ascending order: arc_visit.h.
 *
 * Every block is verified when it is read: its checksum, that targets are vertices, and that
 * weights lie in the range of the file's record. So no wrong byte leads out of an array or makes a
 * search endless. What is taken from the file without a look: that both arcs of an undirected edge
 * are there, that rows are sorted, and the numbers of loops and isolated vertices. */
#ifndef HOPLITE_STORE_ARC_STORE_H
#define HOPLITE_STORE_ARC_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "graph/graph_internal.h"
#include "io/formats/npz_blocks.h"
#include "store/row_index.h"

enum {
    HOP__ARC_BLOCK = HOP__BLOCK_BYTES / 4,
    HOP__STORE_PAGE = 4096,
    HOP__READ_BLOCKS = 32 /* of an array, at most, in one request */
};

/* What is wrong with a block. */
typedef enum hop__fault_kind {
    HOP__FAULT_NONE = 0,
    HOP__FAULT_SYSTEM,   /* `error` */
    HOP__FAULT_SHORT,    /* the file ends before it */
    HOP__FAULT_CHECKSUM, /* its bytes are not those that were written */
    HOP__FAULT_TARGET,   /* a target is no vertex */
    HOP__FAULT_WEIGHT,   /* a weight is not in the record's range */
    HOP__FAULT_OFFSETS   /* offsets fall, or leave the arcs */
} hop__fault_kind;

typedef struct hop__fault {
    hop__fault_kind kind;
    hop__blocked array;
    uint64_t block; /* of the array */
    int error;
} hop__fault;

/* An array in the file. */
typedef struct hop__stored {
    uint64_t offset, bytes;
    const uint64_t *sums; /* one per block */
} hop__stored;

typedef struct hop__store {
    char *name;        /* of the file, as it was given */
    int plain, direct; /* descriptors; direct -1: not used */
    hop__stored arrays[HOP__BLOCKED_ARRAYS];
    uint64_t *sums;
    uint64_t vertices, arcs;
    hop_weight_type weight_type;
    const hop__facts *facts; /* the graph's, from the record */
    hop__row_index index;
    uint64_t blocks;        /* of arcs */
    hop_vertex *first_rows; /* of each block: the row that its first arc is in */

    /* The cache; one search at a time has it. */
    pthread_mutex_t busy;
    uint64_t frame_count;
    size_t frame_bytes;
    unsigned char *frames, *frames_owned; /* frame_count, from a page on */
    uint32_t *frame_of;                   /* of each block; HOP__NO_FRAME */
    uint32_t *owner;                      /* of each frame: its block */
    uint64_t *stamps;                     /* of each frame: the last window that it was for */
    uint8_t *weighted;                    /* of each frame: its weights are there */
    uint64_t hand;                        /* says which frame is taken next */
    bool flooded;                         /* the visit has more blocks than there are frames */
    uint64_t window;                      /* windows that were planned so far */

    pthread_mutex_t fault_lock;
    hop__fault fault; /* the first in the file */
    atomic_uint_fast64_t bytes_read, reads;
} hop__store;

#define HOP__NO_FRAME UINT32_MAX

/* Reads `count` blocks of an array to `places`, each with room for a whole block at a multiple of
 * HOP__STORE_PAGE, and verifies them. False: store->fault says why. Any thread. */
bool hop__store_fetch(hop__store *store, hop__blocked array, uint64_t first, unsigned count,
                      unsigned char *const *places);
/* Notes a fault, if it comes before the one that is noted. Any thread. */
void hop__store_note(hop__store *store, hop__fault_kind kind, hop__blocked array, uint64_t block,
                     int error);
/* The failure for the fault, HOP_OK when there is none. On the calling thread. */
hop_status hop__store_failure(hop_context *context, hop__store *store);

static inline uint64_t hop__stored_block_bytes(const hop__stored *array, uint64_t block) {
    uint64_t left = array->bytes - block * HOP__BLOCK_BYTES;
    return left < HOP__BLOCK_BYTES ? left : HOP__BLOCK_BYTES;
}

#endif
