/* SPDX-License-Identifier: Apache-2.0
 *
 * Checksums of what is written: that of the zip member, and those of its blocks. Pieces of
 * SUM_PIECE bytes are summed side by side, each once for both while it is in the cache, and the zip
 * checksums of the pieces are combined.
 *
 * Cost: one pass; memory 4 bytes per MiB, and 8 bytes per block. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/formats/npz_blocks.h"

#include <zlib.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum { SUM_PIECE = 1 << 20 };

_Static_assert(SUM_PIECE % HOP__BLOCK_BYTES == 0, "a piece is whole blocks");

uint64_t hop__block_sum(const void *block, size_t bytes) {
    return XXH3_64bits(block, bytes);
}

hop_status hop__block_sums_open(hop_context *context, uint64_t room, hop__block_sums *sums) {
    uint64_t words;
    *sums = (hop__block_sums){NULL, 0, room};
    if (!hop__add_u64(room, HOP__BLOCKS_HEAD, &words))
        words = UINT64_MAX;
    hop_status status =
        hop__alloc(context, "write: checksums", words, sizeof *sums->words, &sums->words);
    if (status == HOP_OK) {
        sums->words[0] = HOP__BLOCK_BYTES;
        sums->words[1] = HOP__BLOCK_XXH3;
        for (unsigned i = 2; i < HOP__BLOCKS_HEAD; i++)
            sums->words[i] = 0;
    }
    return status;
}

void hop__block_sums_close(hop__block_sums *sums) {
    hop__free(sums->words);
    *sums = (hop__block_sums){NULL, 0, 0};
}

typedef struct sum_job {
    hop_context *context;
    const unsigned char *bytes;
    uint64_t count;
    uint32_t *pieces;
    uint64_t *blocks; /* NULL: not wanted */
} sum_job;

static void sum_blocks(const unsigned char *bytes, size_t count, uint64_t *sums) {
    for (size_t at = 0; at < count; at += HOP__BLOCK_BYTES)
        *sums++ = hop__block_sum(bytes + at,
                                 count - at < HOP__BLOCK_BYTES ? count - at : HOP__BLOCK_BYTES);
}

static void sum_pieces(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sum_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        const unsigned char *piece = work->bytes + i * SUM_PIECE;
        uint64_t left = work->count - i * SUM_PIECE;
        uInt length = left < SUM_PIECE ? (uInt)left : SUM_PIECE;
        work->pieces[i] = (uint32_t)crc32(0, piece, length);
        if (work->blocks != NULL)
            sum_blocks(piece, length, work->blocks + i * (SUM_PIECE / HOP__BLOCK_BYTES));
        if (!hop__progress_add(work->context, length))
            return;
    }
}

hop_status hop__sum_bytes(hop_context *context, const void *bytes, uint64_t count, uint32_t *crc,
                          hop__block_sums *sums, hop__blocked array) {
    sum_job work = {context, bytes, count, NULL, NULL};
    uint64_t pieces = count / SUM_PIECE + (count % SUM_PIECE != 0), blocks = hop__blocks_of(count);
    hop_status status;
    if (sums != NULL) {
        if (blocks > sums->room - sums->count)
            return hop__fail(context, HOP_ERR_ARGUMENT,
                             "write: more than the %llu blocks that were announced",
                             (unsigned long long)sums->room);
        work.blocks = sums->words + HOP__BLOCKS_HEAD + sums->count;
    }
    HOP_TRY(status,
            hop__alloc(context, "write: checksums", pieces, sizeof *work.pieces, &work.pieces));
    hop__for(context, pieces, 1, sum_pieces, &work);
    if (!hop__progress_add(context, 0))
        goto done;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t left = count - i * SUM_PIECE;
        *crc = (uint32_t)crc32_combine(*crc, work.pieces[i],
                                       (z_off_t)(left < SUM_PIECE ? left : SUM_PIECE));
    }
    if (sums != NULL) {
        uint64_t *place = sums->words + 2 + 2 * array;
        if (place[1] == 0)
            place[0] = sums->count;
        place[1] += blocks;
        sums->count += blocks;
    }
done:
    hop__free(work.pieces);
    return status;
}
