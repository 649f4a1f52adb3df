/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a native file from front to back; npz_stream.h says how.
 *
 * Parts are collected in a buffer of whole chunks of hop_graph_hash (2^18 items), which are whole
 * blocks and whole pieces of the zip checksum too: so each full buffer is hashed, summed and
 * written, and no sum is ever carried on within a chunk. Sizes and checksums go to the headers when
 * an array has ended. The record is the last member but one, since it has the hash.
 *
 * Cost: one pass over what comes; memory as in npz_stream.h. */
#include "io/formats/npz_stream.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_facts.h"
#include "graph/graph_hash.h"
#include "graph/graph_internal.h"

enum { CHUNK_BYTES = HOP__HASH_CHUNK * 8, MOST_CHUNKS = 4 };

typedef enum stage { TARGETS, WEIGHTS, OFFSETS, ENDED } stage;

struct hop__npz_stream {
    hop__npz_stream_head head;
    hop__zip_writer writer;
    hop__npz_record record;
    hop__block_sums sums;
    uint64_t *hashes; /* of the chunks: offsets, targets, weights */
    uint64_t hashed;  /* of them, the next of the array that is being written */
    stage at;
    /* The array that is being written: */
    size_t item_bytes; /* in the buffer; offsets have 8 there */
    size_t file_bytes; /* of an item in the file */
    const char *type;
    uint64_t written; /* items, those in the buffer included */
    uint32_t crc;     /* of its items; that of the header comes before */
    uint64_t last;    /* offset */
    hop__facts facts; /* only those of weights */
    unsigned char *buffer;
    size_t room, filled; /* bytes */
};

static uint64_t sums_room(const hop__npz_stream_head *head) {
    return hop__blocks_of(head->most_arcs * 4) +
           hop__blocks_of(head->most_arcs * hop_type_size(head->weight_type)) +
           hop__blocks_of((head->vertices + 1) * 8) +
           hop__npz_name_blocks(head->names, head->vertices);
}

static uint64_t hash_room(const hop__npz_stream_head *head) {
    return hop__hash_room(head->names, head->vertices, head->most_arcs,
                          head->weight_type != HOP_TYPE_NONE);
}

/* Whole chunks, or the longest array. */
static size_t buffer_room(const hop_context *context, const hop__npz_stream_head *head) {
    size_t room = hop__share_bytes(context, CHUNK_BYTES, MOST_CHUNKS * CHUNK_BYTES) / CHUNK_BYTES *
                  CHUNK_BYTES;
    uint64_t items = head->most_arcs > head->vertices ? head->most_arcs : head->vertices + 1;
    return items < room / 8 ? (size_t)items * 8 : room;
}

uint64_t hop__npz_stream_bytes(const hop_context *context, const hop__npz_stream_head *head) {
    return hop__block_bytes(sums_room(head) + HOP__BLOCKS_HEAD, 8) +
           hop__block_bytes(hash_room(head), 8) + hop__block_bytes(buffer_room(context, head), 1) +
           hop__block_bytes(1, sizeof(hop__npz_stream)) + 4096 +
           (head->weight_type == HOP_TYPE_NONE ? HOP__NPZ_ONES_BYTES : 0);
}

uint64_t hop__npz_stream_work(const hop__npz_stream_head *head) {
    size_t weight = hop_type_size(head->weight_type);
    return 2 * (head->most_arcs * (4 + weight) + (head->vertices + 1) * 8 + sums_room(head) * 8) +
           (weight > 0 ? head->most_arcs : 0);
}

/* ---- an array -------------------------------------------------------------------------------- */

/* A header with any count has the same length: it is rounded up to a multiple of 64. */
static size_t array_header(const hop__npz_stream *stream, uint64_t items, unsigned char *header) {
    uint64_t shape[2] = {items, 1};
    return hop__npy_format(header, stream->type, 1, shape);
}

static hop_status array_begin(hop_context *context, hop__npz_stream *stream, const char *name,
                              const char *type, size_t item_bytes) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    hop_status status;
    stream->type = type;
    stream->item_bytes = item_bytes;
    stream->file_bytes = (size_t)(type[3] - '0');
    stream->written = 0;
    stream->crc = (uint32_t)crc32(0, NULL, 0);
    HOP_TRY(status, hop__zip_open_member_begin(context, &stream->writer, name,
                                               array_header(stream, 0, header)));
    HOP_TRY(status, hop__output_write(context, stream->writer.output, header,
                                      array_header(stream, 0, header)));
done:
    return status;
}

typedef struct hash_job {
    const unsigned char *bytes;
    size_t count, chunk; /* bytes */
    uint64_t *hashes;
} hash_job;

static void hash_chunks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const hash_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        size_t left = work->count - (size_t)i * work->chunk;
        work->hashes[i] =
            hop__hash_items(work->bytes + i * work->chunk, left < work->chunk ? left : work->chunk);
    }
}

/* Offsets of 8 bytes to 4, in place; how many bytes they have then. */
static size_t narrow_offsets(unsigned char *buffer, size_t bytes) {
    uint64_t *wide = (void *)buffer;
    uint32_t *narrow = (void *)buffer;
    for (size_t i = 0; i < bytes / 8; i++) {
        uint32_t value = (uint32_t)wide[i];
        memcpy(&narrow[i], &value, sizeof value);
    }
    return bytes / 2;
}

/* Hashes, sums and writes whole chunks, or the last one. */
static hop_status put_chunks(hop_context *context, hop__npz_stream *stream, const void *bytes,
                             size_t count) {
    static const hop__blocked arrays[] = {HOP__BLOCKED_TARGETS, HOP__BLOCKED_WEIGHTS,
                                          HOP__BLOCKED_OFFSETS};
    hash_job work = {bytes, count, HOP__HASH_CHUNK * stream->item_bytes,
                     stream->hashes + stream->hashed};
    uint64_t chunks = count / work.chunk + (count % work.chunk != 0);
    hop_status status = HOP_OK;
    hop__for(context, chunks, 1, hash_chunks, &work);
    stream->hashed += chunks;
    if (stream->file_bytes < stream->item_bytes) /* offsets, which are in the buffer */
        count = narrow_offsets(stream->buffer, count);
    HOP_TRY(status,
            hop__sum_bytes(context, bytes, count, &stream->crc, &stream->sums, arrays[stream->at]));
    HOP_TRY(status, hop__output_write(context, stream->writer.output, bytes, count));
    if (!hop__progress_add(context, count))
        status = hop__fail(context, HOP_ERR_CANCELLED, "%s: cancelled",
                           hop__output_name(stream->writer.output));
done:
    return status;
}

static hop_status flush_buffer(hop_context *context, hop__npz_stream *stream) {
    size_t filled = stream->filled;
    stream->filled = 0;
    return put_chunks(context, stream, stream->buffer, filled);
}

static hop_status array_end(hop_context *context, hop__npz_stream *stream) {
    unsigned char header[HOP__NPY_OUR_HEADER];
    uint64_t offset, bytes;
    hop_status status;
    HOP_TRY(status, flush_buffer(context, stream));
    bytes = stream->written * stream->file_bytes;
    offset = hop__output_offset(stream->writer.output) - bytes;
    size_t header_bytes = array_header(stream, stream->written, header);
    uLong crc = crc32_combine(crc32(0, header, (uInt)header_bytes), stream->crc, (z_off_t)bytes);
    HOP_TRY(status, hop__output_patch(context, stream->writer.output, offset - header_bytes, header,
                                      header_bytes));
    HOP_TRY(status, hop__zip_open_member_end(context, &stream->writer, header_bytes + bytes,
                                             (uint32_t)crc));
done:
    return status;
}

/* Room in the whole buffer is a multiple of every item, so that items are not cut. Of a long part
 * whole buffers are written from where they are. */
static hop_status append(hop_context *context, hop__npz_stream *stream, const void *items,
                         uint64_t count) {
    const unsigned char *next = items;
    uint64_t left = count * stream->item_bytes;
    hop_status status = HOP_OK;
    while (left > 0 && status == HOP_OK) {
        size_t room = stream->room - stream->filled;
        if (stream->filled == 0 && left >= room && stream->file_bytes == stream->item_bytes) {
            status = put_chunks(context, stream, next, room);
            next += room;
            left -= room;
            continue;
        }
        size_t part = left < room ? (size_t)left : room;
        memcpy(stream->buffer + stream->filled, next, part);
        stream->filled += part;
        next += part;
        left -= part;
        if (stream->filled == stream->room)
            status = flush_buffer(context, stream);
    }
    stream->written += count;
    return status;
}

/* ---- from array to array --------------------------------------------------------------------- */

static hop_status fail_count(hop_context *context, const hop__npz_stream *stream, const char *what,
                             uint64_t expected) {
    return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %" PRIu64 " %s, expected %" PRIu64,
                     hop__output_name(stream->writer.output), stream->written, what, expected);
}

/* Ends the arrays before `wanted`, and begins that one. */
static hop_status reach(hop_context *context, hop__npz_stream *stream, stage wanted) {
    hop_weight_type type = stream->head.weight_type;
    hop_status status = HOP_OK;
    if (stream->at == TARGETS && wanted != TARGETS) {
        stream->record.arcs = stream->written;
        HOP_TRY(status, array_end(context, stream));
        stream->at = WEIGHTS;
        if (type != HOP_TYPE_NONE)
            HOP_TRY(status, array_begin(context, stream, "data.npy", hop__npz_weight_items(type),
                                        hop_type_size(type)));
        else
            HOP_TRY(status, hop__npz_write_ones(context, &stream->writer, stream->record.arcs));
    }
    if (stream->at == WEIGHTS && wanted != WEIGHTS) {
        if (type != HOP_TYPE_NONE && stream->written != stream->record.arcs)
            HOP_TRY(status, fail_count(context, stream, "weights", stream->record.arcs));
        if (type != HOP_TYPE_NONE)
            HOP_TRY(status, array_end(context, stream));
        stream->at = OFFSETS;
        stream->hashed = 0;
        HOP_TRY(status, array_begin(context, stream, "indptr.npy",
                                    hop__npz_offset_type(stream->record.arcs), 8));
    }
    if (stream->at != wanted)
        status = hop__fail(context, HOP_ERR_ARGUMENT, "%s: its arrays come in another order",
                           hop__output_name(stream->writer.output));
done:
    return status;
}

hop_status hop__npz_stream_targets(hop_context *context, hop__npz_stream *stream,
                                   const hop_vertex *targets, uint64_t count) {
    hop_status status;
    HOP_TRY(status, reach(context, stream, TARGETS));
    if (count > stream->head.most_arcs - stream->written) {
        stream->written += count;
        status = fail_count(context, stream, "arcs or more", stream->head.most_arcs);
        goto done;
    }
    HOP_TRY(status, append(context, stream, targets, count));
done:
    return status;
}

hop_status hop__npz_stream_weights(hop_context *context, hop__npz_stream *stream,
                                   const void *weights, uint64_t count) {
    hop_status status;
    HOP_TRY(status, reach(context, stream, WEIGHTS));
    if (stream->head.weight_type == HOP_TYPE_NONE ||
        count > stream->record.arcs - stream->written) {
        stream->written += count;
        status = fail_count(context, stream, "weights or more", stream->record.arcs);
        goto done;
    }
    hop__facts_weights(context, stream->head.weight_type, weights, count, &stream->facts);
    HOP_TRY(status, append(context, stream, weights, count));
done:
    return status;
}

/* Degrees go to the record; the first offset has none before it. Offsets that fall are refused. */
static bool measure_degrees(hop__npz_stream *stream, const uint64_t *offsets, uint64_t count) {
    hop__npz_record *record = &stream->record;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = stream->written + i, degree = offsets[i] - stream->last;
        if (offsets[i] < stream->last || offsets[i] > record->arcs || (v == 0 && offsets[i] != 0))
            return false;
        stream->last = offsets[i];
        if (v == 0)
            continue;
        record->isolated += degree == 0;
        if (v == 1 || degree < record->min_degree)
            record->min_degree = degree;
        if (v == 1 || degree > record->max_degree) {
            record->max_degree = degree;
            record->max_degree_vertex = v - 1;
        }
    }
    return true;
}

hop_status hop__npz_stream_offsets(hop_context *context, hop__npz_stream *stream,
                                   const uint64_t *offsets, uint64_t count) {
    hop_status status;
    HOP_TRY(status, reach(context, stream, OFFSETS));
    if (count > stream->head.vertices + 1 - stream->written) {
        stream->written += count;
        status = fail_count(context, stream, "offsets or more", stream->head.vertices + 1);
        goto done;
    }
    if (!measure_degrees(stream, offsets, count)) {
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "%s: offsets must rise from 0 to the %" PRIu64 " arcs",
                           hop__output_name(stream->writer.output), stream->record.arcs);
        goto done;
    }
    HOP_TRY(status, append(context, stream, offsets, count));
done:
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

hop_status hop__npz_stream_open(hop_context *context, hop__output *output,
                                const hop__npz_stream_head *head, hop__npz_stream **slot) {
    hop__npz_stream *stream = NULL;
    hop_status status;
    *slot = NULL;
    if (!hop__output_patchable(output))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: only a regular file can be written so: not a pipe, not gzipped",
                         hop__output_name(output));
    HOP_TRY(status, hop__alloc_zero(context, "write: stream", 1, sizeof *stream, &stream));
    stream->head = *head;
    stream->writer = (hop__zip_writer){.output = output, .limit = HOP__ZIP_LIMIT};
    stream->record = hop__npz_record_of(head->vertices, 0, head->directed, head->weight_type);
    stream->record.max_degree_vertex = HOP_NO_VERTEX;
    hop__facts_begin(head->vertices, &stream->facts);
    stream->room = buffer_room(context, head);
    HOP_TRY(status, hop__block_sums_open(context, sums_room(head), &stream->sums));
    HOP_TRY(status, hop__alloc(context, "write: hashes", hash_room(head), 8, &stream->hashes));
    HOP_TRY(status, hop__alloc(context, "write: buffer", stream->room, 1, &stream->buffer));
    stream->hashed = (head->vertices + 1 + HOP__HASH_CHUNK - 1) / HOP__HASH_CHUNK;
    HOP_TRY(status, array_begin(context, stream, "indices.npy", hop__npz_index_type(head->vertices),
                                sizeof(hop_vertex)));
    *slot = stream;
    stream = NULL;
done:
    hop__npz_stream_close(stream);
    return status;
}

/* Chunks of offsets, targets and weights, all of which have come. */
static uint64_t hash_of(hop__npz_stream *stream) {
    hop__hash_head head = {stream->head.vertices, stream->record.arcs, stream->head.directed,
                           stream->head.weight_type};
    hop__names none = {NULL, 0, NULL};
    uint64_t count =
        hop__hash_room(none, head.vertices, head.arcs, stream->head.weight_type != HOP_TYPE_NONE);
    return hop__hash_finish(&head, stream->head.names, stream->hashes, count);
}

static void record_weights(hop__npz_stream *stream) {
    if (stream->head.weight_type == HOP_TYPE_NONE || stream->record.arcs == 0)
        return;
    stream->record.min_weight = stream->facts.min_weight + 0.0; /* -0 and 0 are equal: 0 it is */
    stream->record.max_weight = stream->facts.max_weight + 0.0;
    stream->record.min_weight_int = stream->facts.min_weight_int;
    stream->record.max_weight_int = stream->facts.max_weight_int;
}

hop_status hop__npz_stream_finish(hop_context *context, hop__npz_stream *stream, uint64_t loops) {
    hop__zip_writer *writer = &stream->writer;
    hop_status status;
    HOP_TRY(status, reach(context, stream, OFFSETS));
    if (stream->written != stream->head.vertices + 1 || stream->last != stream->record.arcs) {
        status = fail_count(context, stream, "offsets", stream->head.vertices + 1);
        goto done;
    }
    HOP_TRY(status, array_end(context, stream));
    stream->at = ENDED;
    stream->record.loops = loops;
    record_weights(stream);
    stream->record.hash = hash_of(stream);
    HOP_TRY(status, hop__npz_write_names(context, writer, stream->head.names, stream->head.vertices,
                                         &stream->sums));
    HOP_TRY(status, hop__npz_write_head(context, writer, &stream->record));
    HOP_TRY(status, hop__npz_write_sums(context, writer, &stream->sums));
    HOP_TRY(status, hop__zip_finish(context, writer));
done:
    return status;
}

void hop__npz_stream_close(hop__npz_stream *stream) {
    if (stream == NULL)
        return;
    hop__block_sums_close(&stream->sums);
    hop__free(stream->hashes);
    hop__free(stream->buffer);
    hop__free(stream);
}

/* ---- a graph in memory ----------------------------------------------------------------------- */

hop_status hop__npz_stream_graph_offsets(hop_context *context, hop__npz_stream *stream,
                                         const hop_graph *graph) {
    enum { PIECE = 512 };
    uint64_t piece[PIECE], all = (uint64_t)graph->vertices + 1;
    hop_status status = HOP_OK;
    if (graph->offset_bytes == 8)
        return hop__npz_stream_offsets(context, stream, graph->offsets, all);
    for (uint64_t first = 0, count; first < all && status == HOP_OK; first += count) {
        count = all - first < PIECE ? all - first : PIECE;
        for (uint64_t i = 0; i < count; i++)
            piece[i] = ((const uint32_t *)graph->offsets)[first + i];
        status = hop__npz_stream_offsets(context, stream, piece, count);
    }
    return status;
}

hop_status hop__npz_stream_graph(hop_context *context, const hop_graph *graph,
                                 hop__output *output) {
    hop__npz_stream_head head = {graph->vertices, graph->arcs, graph->directed, graph->weight_type,
                                 hop__graph_names(graph)};
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop__npz_stream *stream = NULL;
    hop_status status, ended;
    HOP_TRY(status, hop_graph_describe(context, graph, &info));
    hop__progress_begin(context, "write", hop__npz_stream_work(&head));
    status = hop__npz_stream_open(context, output, &head, &stream);
    if (status == HOP_OK)
        status = hop__npz_stream_targets(context, stream, graph->targets, graph->arcs);
    if (status == HOP_OK && graph->weight_type != HOP_TYPE_NONE)
        status = hop__npz_stream_weights(context, stream, graph->weights, graph->arcs);
    if (status == HOP_OK)
        status = hop__npz_stream_graph_offsets(context, stream, graph);
    if (status == HOP_OK)
        status = hop__npz_stream_finish(context, stream, info.loops);
    ended = hop__progress_end(context);
    if (status == HOP_OK || status == HOP_ERR_CANCELLED)
        status = ended;
done:
    hop__npz_stream_close(stream);
    return status;
}
