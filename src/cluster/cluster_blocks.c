/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_blocks.h. Whole blocks go straight to where they are wanted, RUN at a time; those of
 * which a part is wanted pass through a block of our own, which is kept: the rest is often wanted
 * next. Read beside what was asked for: at most two blocks, and 8 bytes for each block. */
#include "cluster/cluster_blocks.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"

enum { RUN = 32 };

hop_status hop__block_file_open(hop_context *context, const char *path, hop__block_file *file) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_status status;
    *file = (hop__block_file){.context = context};
    HOP_TRY(status, hop__alloc(context, "read: block", HOP__BLOCK_BYTES, 1, &file->kept));
    HOP_TRY(status, hop__input_open(context, path, &options, &file->input));
    HOP_TRY(status, hop__npz_layout_read(context, file->input, &file->layout));
done:
    return status;
}

void hop__block_file_close(hop__block_file *file) {
    hop__input_close(file->input);
    hop__free(file->kept);
    file->input = NULL;
    file->kept = NULL;
}

static hop_status fetch(hop__block_file *file, uint64_t at, void *bytes, uint64_t count) {
    int error = hop__input_fetch(file->input, at, bytes, (size_t)count);
    return error == 0 ? HOP_OK : hop__input_fail_fetch(file->context, file->input, error);
}

static uint64_t block_bytes(const hop__block_file *file, hop__blocked array, uint64_t block) {
    uint64_t left = file->layout.blocked[array].bytes - block * HOP__BLOCK_BYTES;
    return left < HOP__BLOCK_BYTES ? left : HOP__BLOCK_BYTES;
}

static hop_status differs(const hop__block_file *file, hop__blocked array, uint64_t block) {
    static const char *const names[HOP__BLOCKED_ARRAYS] = {
        [HOP__BLOCKED_OFFSETS] = "indptr.npy",
        [HOP__BLOCKED_TARGETS] = "indices.npy",
        [HOP__BLOCKED_WEIGHTS] = "data.npy",
        [HOP__BLOCKED_LABELS] = "labels.npy",
        [HOP__BLOCKED_NAME_OFFSETS] = "name_offsets.npy",
        [HOP__BLOCKED_NAME_BYTES] = "name_bytes.npy",
    };
    uint64_t at = file->layout.blocked[array].data + block * HOP__BLOCK_BYTES;
    return hop__fail(file->context, HOP_ERR_INPUT,
                     "%s: %s: block %" PRIu64 ", bytes %" PRIu64 " to %" PRIu64
                     " of the file: its checksum differs: the file is damaged or was changed; copy "
                     "or convert it once more",
                     hop__input_name(file->input), names[array], block, at,
                     at + block_bytes(file, array, block) - 1);
}

/* `count` blocks, at most RUN, from `first` on. */
static hop_status blocks_read(hop__block_file *file, hop__blocked array, uint64_t first,
                              uint64_t count, unsigned char *bytes) {
    uint64_t sums[RUN], place = first * HOP__BLOCK_BYTES;
    uint64_t size = (count - 1) * HOP__BLOCK_BYTES + block_bytes(file, array, first + count - 1);
    hop_status status;
    HOP_TRY(status, fetch(file, file->layout.blocked[array].data + place, bytes, size));
    if (file->layout.blocked[array].sums == 0)
        goto done;
    HOP_TRY(status, fetch(file, file->layout.blocked[array].sums + 8 * first, sums, 8 * count));
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        if (hop__block_sum(bytes + i * HOP__BLOCK_BYTES,
                           (size_t)block_bytes(file, array, first + i)) != sums[i])
            status = differs(file, array, first + i);
done:
    return status;
}

static hop_status block_keep(hop__block_file *file, hop__blocked array, uint64_t block) {
    if (file->has_kept && file->kept_array == array && file->kept_block == block)
        return HOP_OK;
    hop_status status = blocks_read(file, array, block, 1, file->kept);
    file->has_kept = status == HOP_OK;
    file->kept_array = array;
    file->kept_block = block;
    return status;
}

hop_status hop__block_file_fetch(hop__block_file *file, hop__blocked array, uint64_t from,
                                 void *bytes, uint64_t count) {
    unsigned char *to = bytes;
    hop_status status = HOP_OK;
    for (uint64_t some; count > 0; from += some, to += some, count -= some) {
        uint64_t block = from / HOP__BLOCK_BYTES, skip = from % HOP__BLOCK_BYTES;
        uint64_t whole = skip == 0 ? count / HOP__BLOCK_BYTES : 0;
        if (whole > 0) {
            whole = whole < RUN ? whole : RUN;
            some = whole * HOP__BLOCK_BYTES;
            HOP_TRY(status, blocks_read(file, array, block, whole, to));
            continue;
        }
        some = HOP__BLOCK_BYTES - skip < count ? HOP__BLOCK_BYTES - skip : count;
        HOP_TRY(status, block_keep(file, array, block));
        memcpy(to, file->kept + skip, (size_t)some);
    }
done:
    return status;
}
