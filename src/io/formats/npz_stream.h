/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a native file whose arrays are never in memory as a whole.
 *
 *     hop__npz_stream_open      to an output that can be patched: a regular file, not gzipped
 *     hop__npz_stream_targets   all targets, row after row, in parts of any size
 *     hop__npz_stream_weights   all weights in the same order; not of a graph without
 *     hop__npz_stream_offsets   vertices + 1 offsets from 0 up to the number of arcs
 *     hop__npz_stream_finish    the rest of the file; the caller then closes the output
 *     hop__npz_stream_close     frees, whatever happened before
 *
 * 1. Arrays come one after the other, in this order: the number of arcs need not be known before
 *    the last target, but a bound of it.
 * 2. What is written is believed: rows sorted, targets below `vertices`, no NaN, both arcs of an
 *    undirected edge. Only the counts are compared, and that offsets do not fall.
 * 3. Degrees and the range of the weights are measured on the way, loops are told at the end. The
 *    record's hash is that of hop_graph_hash.
 * 4. Memory: 8 bytes per 16 KiB of arrays, and a buffer of 2 MiB, 8 MiB where the budget has room;
 *    without weights 1.5 MiB more for a while: hop__npz_stream_bytes has the sum.
 * 5. Parts are summed by the context's threads. Progress is added to by what the file takes: bytes
 *    twice (checksums, writing), within a phase of the caller's. A cancel is HOP_ERR_CANCELLED. */
#ifndef HOPLITE_IO_FORMATS_NPZ_STREAM_H
#define HOPLITE_IO_FORMATS_NPZ_STREAM_H

#include "io/formats/npz.h"

typedef struct hop__npz_stream hop__npz_stream;

typedef struct hop__npz_stream_head {
    uint64_t vertices;
    uint64_t most_arcs; /* no more will come */
    bool directed;
    hop_weight_type weight_type;
    hop__names names; /* what the vertices are called; the arrays must outlive the stream */
} hop__npz_stream_head;

/* What it takes beside its arguments. */
uint64_t hop__npz_stream_bytes(const hop_context *context, const hop__npz_stream_head *head);
/* What it counts as progress, about. */
uint64_t hop__npz_stream_work(const hop__npz_stream_head *head);
hop_status hop__npz_stream_open(hop_context *context, hop__output *output,
                                const hop__npz_stream_head *head, hop__npz_stream **stream);
hop_status hop__npz_stream_targets(hop_context *context, hop__npz_stream *stream,
                                   const hop_vertex *targets, uint64_t count);
hop_status hop__npz_stream_weights(hop_context *context, hop__npz_stream *stream,
                                   const void *weights, uint64_t count);
hop_status hop__npz_stream_offsets(hop_context *context, hop__npz_stream *stream,
                                   const uint64_t *offsets, uint64_t count);
/* All of them, those of a graph. */
hop_status hop__npz_stream_graph_offsets(hop_context *context, hop__npz_stream *stream,
                                         const hop_graph *graph);
hop_status hop__npz_stream_finish(hop_context *context, hop__npz_stream *stream, uint64_t loops);
/* NULL is allowed. */
void hop__npz_stream_close(hop__npz_stream *stream);

/* Writes a graph that is in memory, all of the above: so that its file has the same bytes as one
 * that was built on disk. */
hop_status hop__npz_stream_graph(hop_context *context, const hop_graph *graph, hop__output *output);

#endif
