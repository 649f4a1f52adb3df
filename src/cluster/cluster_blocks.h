/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the arrays of a native file, read by whole blocks (io/formats/npz_blocks.h), each of
 * which must have its checksum. A file of before there were checksums is read without. */
#ifndef HOPLITE_CLUSTER_CLUSTER_BLOCKS_H
#define HOPLITE_CLUSTER_CLUSTER_BLOCKS_H

#include "core/context_internal.h"
#include "io/bytes/input.h"
#include "io/formats/npz.h"

typedef struct hop__block_file {
    hop_context *context;
    hop__input *input;
    hop__npz_layout layout;
    unsigned char *kept; /* the block that was last asked for in part */
    bool has_kept;
    hop__blocked kept_array;
    uint64_t kept_block;
} hop__block_file;

/* The file may be closed in any case. */
hop_status hop__block_file_open(hop_context *context, const char *path, hop__block_file *file);
void hop__block_file_close(hop__block_file *file);

/* Bytes [from, from + count) of an array, which must be there. A block that differs from its
 * checksum is HOP_ERR_INPUT, with its number and its place. */
hop_status hop__block_file_fetch(hop__block_file *file, hop__blocked array, uint64_t from,
                                 void *bytes, uint64_t count);

#endif
