/* SPDX-License-Identifier: Apache-2.0
 * Blocks between a file and arrays in memory; see array_stream.h. */
#include "io/bytes/array_stream.h"

#include <inttypes.h>
#include <string.h>

#include "core/atomic.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/little_endian.h"

enum { BLOCK_BYTES = 8 << 20, LEAST_BYTES = 1 << 16, PIECE_ITEMS = 1 << 15 };

typedef struct block_job {
    hop__items_fn handle;
    void *user;
    uint64_t first;
    size_t item_bytes;
    unsigned char *bytes;
} block_job;

static void handle_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    block_job *work = arg;
    (void)thread;
    work->handle(work->user, work->first + begin, end - begin,
                 work->bytes + begin * work->item_bytes);
}

hop_status hop__stream_read(hop_context *context, hop__input *input, uint64_t offset,
                            uint64_t count, size_t item_bytes, hop__items_fn take, void *user) {
    block_job work = {take, user, 0, item_bytes, NULL};
    uint64_t block = hop__share_bytes(context, LEAST_BYTES, BLOCK_BYTES) / item_bytes;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "read: block", block < count ? block : count, item_bytes,
                               &work.bytes));
    for (uint64_t first = 0; first < count; first += block) {
        uint64_t part = count - first < block ? count - first : block;
        HOP_TRY(status, hop__input_read_at(context, input, offset + first * item_bytes, work.bytes,
                                           part * item_bytes));
        work.first = first;
        hop__for(context, part, PIECE_ITEMS, handle_range, &work);
        if (!hop__progress_add(context, part * item_bytes))
            break;
    }
done:
    hop__free(work.bytes);
    return status;
}

hop_status hop__stream_write(hop_context *context, hop__output *output, uint64_t count,
                             size_t item_bytes, hop__items_fn make, void *user) {
    block_job work = {make, user, 0, item_bytes, NULL};
    uint64_t block = hop__share_bytes(context, LEAST_BYTES, BLOCK_BYTES) / item_bytes;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "write: block", block < count ? block : count, item_bytes,
                               &work.bytes));
    for (uint64_t first = 0; first < count; first += block) {
        uint64_t part = count - first < block ? count - first : block;
        work.first = first;
        hop__for(context, part, PIECE_ITEMS, handle_range, &work);
        HOP_TRY(status,
                hop__output_write(context, output, work.bytes, (size_t)(part * item_bytes)));
        if (!hop__progress_add(context, part * item_bytes))
            break;
    }
done:
    hop__free(work.bytes);
    return status;
}

hop_status hop__stream_read_bytes(hop_context *context, hop__input *input, uint64_t offset,
                                  uint64_t count, void *bytes) {
    /* Each is divided among all threads; larger ones would be slow to cancel. */
    const uint64_t piece = 2 * (uint64_t)BLOCK_BYTES;
    for (uint64_t at = 0; at < count; at += piece) {
        uint64_t part = count - at < piece ? count - at : piece;
        hop_status status =
            hop__input_read_at(context, input, offset + at, (unsigned char *)bytes + at, part);
        if (status != HOP_OK)
            return status;
        if (!hop__progress_add(context, part))
            break;
    }
    return HOP_OK;
}

hop_status hop__stream_write_bytes(hop_context *context, hop__output *output, const void *bytes,
                                   uint64_t count) {
    const uint64_t piece = 2 * (uint64_t)BLOCK_BYTES;
    for (uint64_t at = 0; at < count; at += piece) {
        uint64_t part = count - at < piece ? count - at : piece;
        hop_status status =
            hop__output_write(context, output, (const unsigned char *)bytes + at, (size_t)part);
        if (status != HOP_OK)
            return status;
        if (!hop__progress_add(context, part))
            break;
    }
    return HOP_OK;
}

/* ---- offsets ------------------------------------------------------------------------------- */

typedef struct offsets_job {
    uint64_t arcs;
    void *offsets;
    size_t width;
    uint64_t shift; /* 1 when the first offset is implied */
    uint64_t bad;   /* atomic: the first item of the file that is above `arcs` */
} offsets_job;

static void take_offsets(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    offsets_job *work = user;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = hop__le64_load(bytes + 8 * i), at = first + i + work->shift;
        if (value > work->arcs)
            hop__lower_u64(&work->bad, first + i);
        if (work->width == 4)
            ((uint32_t *)work->offsets)[at] = (uint32_t)value;
        else
            ((uint64_t *)work->offsets)[at] = value;
    }
}

static uint64_t offset_at(const offsets_job *work, uint64_t vertex) {
    return work->width == 4 ? ((const uint32_t *)work->offsets)[vertex]
                            : ((const uint64_t *)work->offsets)[vertex];
}

static void check_order(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    offsets_job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (offset_at(work, v) > offset_at(work, v + 1)) {
            hop__lower_u64(&work->bad, v + 1 - work->shift);
            return;
        }
}

hop_status hop__stream_read_offsets(hop_context *context, hop__input *input, uint64_t offset,
                                    uint64_t vertices, uint64_t arcs, bool implied_zero,
                                    void **offsets, size_t *offset_bytes) {
    offsets_job work = {arcs, NULL, arcs <= UINT32_MAX ? 4 : 8, implied_zero, UINT64_MAX};
    uint64_t count = implied_zero ? vertices : vertices + 1;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "read: offsets", vertices + 1, work.width, offsets));
    work.offsets = *offsets;
    *offset_bytes = work.width;
    memset(work.offsets, 0, work.width);
    HOP_TRY(status,
            hop__stream_read(context, input, offset, count, sizeof(uint64_t), take_offsets, &work));
    if (!hop__progress_add(context, 0))
        goto done; /* cancelled: what is there is not complete */
    if (work.bad == UINT64_MAX)
        hop__for(context, vertices, PIECE_ITEMS, check_order, &work);
    if (work.bad != UINT64_MAX) {
        status = hop__input_fail_offset(context, input, offset + 8 * work.bad,
                                        "offset number %" PRIu64 " is above the next one or above "
                                        "the %" PRIu64 " arcs",
                                        work.bad, arcs);
        goto done;
    }
    if (offset_at(&work, 0) != 0 || offset_at(&work, vertices) != arcs)
        status = hop__input_fail_offset(context, input, offset,
                                        "offsets run from %" PRIu64 " to %" PRIu64
                                        ", expected 0 to the %" PRIu64 " arcs",
                                        offset_at(&work, 0), offset_at(&work, vertices), arcs);
done:
    return status;
}

typedef struct graph_offsets {
    const hop_graph *graph;
    uint64_t first;
} graph_offsets;

static void make_offsets(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    const graph_offsets *work = user;
    for (uint64_t i = 0; i < count; i++)
        hop__le64_store(bytes + 8 * i, hop__offset(work->graph, work->first + first + i));
}

hop_status hop__stream_write_offsets(hop_context *context, hop__output *output,
                                     const hop_graph *graph, uint64_t first) {
    graph_offsets work = {graph, first};
    return hop__stream_write(context, output, (uint64_t)graph->vertices + 1 - first,
                             sizeof(uint64_t), make_offsets, &work);
}
