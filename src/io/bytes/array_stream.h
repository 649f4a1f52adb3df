/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of binary files that are not laid out as in memory: read or written in blocks, converted
 * by all threads on the way. Costs one block of memory, whatever the size of the array. */
#ifndef HOPLITE_IO_BYTES_ARRAY_STREAM_H
#define HOPLITE_IO_BYTES_ARRAY_STREAM_H

#include "io/bytes/input.h"
#include "io/bytes/output.h"

/* Handles items first .. first+count-1, which lie at `bytes`: takes them when reading, makes them
 * when writing. Called from any thread. */
typedef void (*hop__items_fn)(void *user, uint64_t first, uint64_t count, unsigned char *bytes);

/* Reads `count` items of `item_bytes` from the file's byte `offset` on. Both count as progress of
 * the phase under way, in bytes, and stop early when it is cancelled: the end of the phase says
 * so. */
hop_status hop__stream_read(hop_context *context, hop__input *input, uint64_t offset,
                            uint64_t count, size_t item_bytes, hop__items_fn take, void *user);
hop_status hop__stream_write(hop_context *context, hop__output *output, uint64_t count,
                             size_t item_bytes, hop__items_fn make, void *user);

/* The same for items that need no conversion. */
hop_status hop__stream_read_bytes(hop_context *context, hop__input *input, uint64_t offset,
                                  uint64_t count, void *bytes);
hop_status hop__stream_write_bytes(hop_context *context, hop__output *output, const void *bytes,
                                   uint64_t count);

/* Offsets of 8 bytes each into a block of the pool of vertices + 1 offsets, 4 bytes wide when
 * `arcs` allows it. Checks that they begin with 0, never fall and end with `arcs`. `implied_zero`:
 * the file leaves out the first. */
hop_status hop__stream_read_offsets(hop_context *context, hop__input *input, uint64_t offset,
                                    uint64_t vertices, uint64_t arcs, bool implied_zero,
                                    void **offsets, size_t *offset_bytes);
/* The offsets of a graph from number `first` to the last, 8 bytes each. */
hop_status hop__stream_write_offsets(hop_context *context, hop__output *output,
                                     const hop_graph *graph, uint64_t first);

#endif
