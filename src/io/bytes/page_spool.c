/* SPDX-License-Identifier: Apache-2.0
 * Bytes through scratch; see page_spool.h. */
#include "io/bytes/page_spool.h"

#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"

hop_status hop__spool_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                           hop__page_spool *spool) {
    hop_status status;
    *spool = (hop__page_spool){.file = {.descriptor = -1}, .chain = HOP__PAGE_CHAIN_EMPTY};
    HOP_TRY(status, hop__pages_open(context, scratch, page_bytes, &spool->file));
    HOP_TRY(status,
            hop__alloc(context, "scratch", hop__page_room(&spool->file), 1, &spool->buffer));
done:
    if (status != HOP_OK)
        hop__spool_close(spool);
    return status;
}

void hop__spool_close(hop__page_spool *spool) {
    hop__pages_close(&spool->file);
    hop__free(spool->buffer);
    *spool = (hop__page_spool){.file = {.descriptor = -1}, .chain = HOP__PAGE_CHAIN_EMPTY};
}

static hop_status cancelled(hop_context *context) {
    return hop__fail(context, HOP_ERR_CANCELLED, "scratch: cancelled by the progress callback");
}

/* Writes the buffer as the next page. */
static hop_status write_page(hop_context *context, hop__page_spool *spool) {
    hop_status status = hop__pages_expect(context, &spool->file, 1);
    if (status != HOP_OK)
        return status;
    hop__page_write(&spool->file, &spool->chain, spool->buffer, spool->filled);
    spool->filled = 0;
    return hop__progress_add(context, 0) ? hop__pages_status(context, &spool->file)
                                         : cancelled(context);
}

hop_status hop__spool_append(hop_context *context, hop__page_spool *spool, const void *bytes,
                             uint64_t count) {
    const unsigned char *next = bytes;
    size_t room = hop__page_room(&spool->file);
    hop_status status = HOP_OK;
    while (count > 0 && status == HOP_OK) {
        size_t part = count < room - spool->filled ? (size_t)count : room - spool->filled;
        memcpy(spool->buffer + spool->filled, next, part);
        spool->filled += part;
        spool->bytes += part;
        next += part;
        count -= part;
        if (spool->filled == room)
            status = write_page(context, spool);
    }
    return status;
}

hop_status hop__spool_rewind(hop_context *context, hop__page_spool *spool) {
    hop_status status = spool->filled > 0 ? write_page(context, spool) : HOP_OK;
    spool->filled = spool->used = 0;
    return status;
}

static hop_status read_page(hop_context *context, hop__page_spool *spool) {
    size_t room = hop__page_room(&spool->file);
    uint32_t page = spool->chain.first;
    spool->filled = spool->bytes < room ? (size_t)spool->bytes : room;
    spool->used = 0;
    if (!hop__page_read(&spool->file, page, spool->buffer, spool->filled))
        return hop__pages_status(context, &spool->file);
    spool->chain.first = hop__page_after(&spool->file, page);
    hop__page_drop(&spool->file, page);
    return hop__progress_add(context, 0) ? HOP_OK : cancelled(context);
}

hop_status hop__spool_read(hop_context *context, hop__page_spool *spool, void *bytes,
                           uint64_t count) {
    unsigned char *next = bytes;
    hop_status status = HOP_OK;
    while (count > 0 && status == HOP_OK) {
        if (spool->used == spool->filled)
            status = read_page(context, spool);
        size_t left = spool->filled - spool->used, part = count < left ? (size_t)count : left;
        if (status == HOP_OK) {
            memcpy(next, spool->buffer + spool->used, part);
            spool->used += part;
            spool->bytes -= part;
            next += part;
            count -= part;
        }
    }
    return status;
}
