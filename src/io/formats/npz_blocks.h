/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.npy of the native format: a checksum for each block of HOP__BLOCK_BYTES of the arrays, so
 * that a reader that takes a block alone can tell whether it is as it was written. A block begins
 * at a multiple of HOP__BLOCK_BYTES from the beginning of its array, and the last one is what is
 * left.
 *
 *     words 0, 1    the bytes of a block; the kind of the checksums (1: XXH3, 64 bits, no seed)
 *     words 2 .. 13 for each array, in the order of hop__blocked: which of the checksums is its
 *                   first, and how many blocks it has
 *     then          the checksums, array after array in any order
 *
 * 16 KiB are what a solid-state disk reads about as fast as 4: smaller blocks make sparse reading
 * no faster, larger ones bring more that nobody asked for. The sums are 0.05 % of the file. */
#ifndef HOPLITE_IO_FORMATS_NPZ_BLOCKS_H
#define HOPLITE_IO_FORMATS_NPZ_BLOCKS_H

#include "core/context_internal.h"

enum { HOP__BLOCK_BYTES = 16384, HOP__BLOCK_XXH3 = 1 };

/* Arrays that have checksums; those that a file does not have have no blocks. The ones that stand
 * for missing weights have none. */
typedef enum hop__blocked {
    HOP__BLOCKED_OFFSETS = 0,
    HOP__BLOCKED_TARGETS = 1,
    HOP__BLOCKED_WEIGHTS = 2,
    HOP__BLOCKED_LABELS = 3,
    HOP__BLOCKED_NAME_OFFSETS = 4,
    HOP__BLOCKED_NAME_BYTES = 5,
    HOP__BLOCKED_ARRAYS = 6
} hop__blocked;

enum { HOP__BLOCKS_HEAD = 2 + 2 * HOP__BLOCKED_ARRAYS };

static inline uint64_t hop__blocks_of(uint64_t bytes) {
    return bytes / HOP__BLOCK_BYTES + (bytes % HOP__BLOCK_BYTES != 0);
}

/* The checksum of one block. Any thread. */
HOP_API uint64_t hop__block_sum(const void *block, size_t bytes);

/* blocks.npy in the making: room for the head and `room` sums, which are added in order. */
typedef struct hop__block_sums {
    uint64_t *words; /* HOP__BLOCKS_HEAD and the sums */
    uint64_t count, room;
} hop__block_sums;

hop_status hop__block_sums_open(hop_context *context, uint64_t room, hop__block_sums *sums);
void hop__block_sums_close(hop__block_sums *sums);
/* Extends *crc, the zip checksum of what stands before, by the bytes; and adds the sums of their
 * blocks, which belong to `array`, where `sums` is not NULL. In parallel, counted as progress.
 * Every call for an array but the last is for whole blocks, and no other array comes between. After
 * a cancel, which the end of the phase reports, nothing is added. */
hop_status hop__sum_bytes(hop_context *context, const void *bytes, uint64_t count, uint32_t *crc,
                          hop__block_sums *sums, hop__blocked array);

#endif
