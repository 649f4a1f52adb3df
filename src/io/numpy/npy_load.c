/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacks, converts and checks arrays of an archive; npy_load.h says what for.
 *
 * A stored member is cut into pieces that threads convert side by side; the checksums of the
 * pieces are combined. A deflated one can only be unpacked from front to back, so there one thread
 * takes one member. zlib's state lies in the job's own scratch memory: workers never allocate.
 *
 * Cost: one pass over the packed bytes; no memory beside the items but HOP__NPY_SCRATCH per
 * deflated member. */
#include "io/numpy/npy_load.h"

#include <inttypes.h>
#include <zlib.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "io/bytes/little_endian.h"

enum {
    PIECE_BYTES = 1 << 20,
    SMALL_BYTES = 65536,
    ARENA_BYTES = 56 << 10, /* zlib asks for 40 KiB */
    BUFFER_BYTES = HOP__NPY_SCRATCH - ARENA_BYTES
};

/* hop__npy_job.failure */
enum { FINE = 0, BAD_ITEM, BAD_STREAM, BAD_CHECKSUM };

/* ---- unpacking ----------------------------------------------------------------------------- */

typedef struct unpacker {
    z_stream z;
    unsigned char *arena;
    size_t used;
    uint64_t left; /* packed bytes that zlib has not been shown */
    const unsigned char *next;
} unpacker;

static voidpf arena_alloc(voidpf user, uInt count, uInt size) {
    unpacker *state = user;
    size_t bytes = ((size_t)count * size + 63) / 64 * 64;
    if (bytes > ARENA_BYTES - state->used)
        return NULL;
    void *block = state->arena + state->used;
    state->used += bytes;
    return block;
}

static void arena_free(voidpf user, voidpf block) {
    (void)user;
    (void)block;
}

/* `packed` are the first `count` bytes of the stream. */
static bool unpack_begin(unpacker *state, const unsigned char *packed, uint64_t count,
                         unsigned char *arena) {
    memset(state, 0, sizeof *state);
    state->arena = arena;
    state->next = packed;
    state->left = count;
    state->z.zalloc = arena_alloc;
    state->z.zfree = arena_free;
    state->z.opaque = state;
    return inflateInit2(&state->z, -15) == Z_OK;
}

/* The next `count` unpacked bytes; false when the stream is damaged or ends before. */
static bool unpack(unpacker *state, void *bytes, size_t count) {
    state->z.next_out = bytes;
    while (count > 0) {
        uInt part = count < PIECE_BYTES ? (uInt)count : PIECE_BYTES;
        state->z.avail_out = part;
        if (state->z.avail_in == 0) {
            uInt show = state->left < PIECE_BYTES ? (uInt)state->left : PIECE_BYTES;
            state->z.next_in = (Bytef *)(uintptr_t)state->next;
            state->z.avail_in = show;
            state->next += show;
            state->left -= show;
        }
        int code = inflate(&state->z, Z_NO_FLUSH);
        size_t made = part - state->z.avail_out;
        count -= made;
        if (code != Z_OK && !(code == Z_STREAM_END && count == 0))
            return false;
    }
    return true;
}

/* ---- headers and small arrays ---------------------------------------------------------------- */

static hop_status fail_packed(hop_context *context, const hop__npy_archive *archive,
                              const hop__zip_member *member, const char *name) {
    return hop__input_fail_offset(context, archive->input, member->data,
                                  "%s: the deflated data is damaged", name);
}

/* Packed bytes that are at hand: of an archive that is in a file the first ones, which are more
 * than a small array or a header needs. */
static uint64_t first_packed(const hop__npy_archive *archive, const hop__zip_member *member) {
    bool all = archive->zip.bytes != NULL || member->packed < HOP__ZIP_VIEW;
    return all ? member->packed : HOP__ZIP_VIEW;
}

hop_status hop__npy_member_open(hop_context *context, hop__npy_archive *archive, const char *name,
                                hop__npy_member *array) {
    const hop__zip_member *member = hop__zip_find(&archive->zip, name);
    array->member = member;
    array->name = name;
    if (member == NULL)
        return HOP_OK;
    const unsigned char *header = NULL;
    size_t count = member->size < SMALL_BYTES ? (size_t)member->size : SMALL_BYTES;
    uint64_t packed = first_packed(archive, member);
    hop_status status =
        hop__zip_view(context, &archive->zip, member->data,
                      member->deflated || packed < count ? (size_t)packed : count, &header);
    if (status != HOP_OK)
        return status;
    if (member->deflated && member->size >= 12) {
        unpacker state;
        const unsigned char *stream = header;
        header = archive->scratch + ARENA_BYTES;
        if (!unpack_begin(&state, stream, packed, archive->scratch) ||
            !unpack(&state, archive->scratch + ARENA_BYTES, 12))
            return fail_packed(context, archive, member, name);
        size_t bytes = hop__npy_header_bytes(header);
        if (bytes > count || bytes < 12)
            bytes = 12;
        if (!unpack(&state, archive->scratch + ARENA_BYTES + 12, bytes - 12))
            return fail_packed(context, archive, member, name);
        count = bytes;
    }
    const char *wrong = hop__npy_parse(header, count, member->size, &array->npy);
    if (wrong != NULL)
        return hop__input_fail_offset(context, archive->input, member->data, "%s: %s", name, wrong);
    return HOP_OK;
}

hop_status hop__npy_member_fetch(hop_context *context, hop__npy_archive *archive,
                                 const hop__npy_member *array, void *items, size_t bytes) {
    const hop__zip_member *member = array->member;
    const unsigned char *contents = NULL;
    if (member->size > SMALL_BYTES || member->size - array->npy.header_bytes < bytes)
        return hop__input_fail_offset(context, archive->input, member->data,
                                      "%s: %" PRIu64 " bytes, expected %zu and a header",
                                      array->name, member->size, bytes);
    uint64_t packed = first_packed(archive, member);
    hop_status status =
        hop__zip_view(context, &archive->zip, member->data, (size_t)packed, &contents);
    if (status != HOP_OK)
        return status;
    if (member->deflated) {
        unpacker state;
        const unsigned char *stream = contents;
        contents = archive->scratch + ARENA_BYTES;
        if (!unpack_begin(&state, stream, packed, archive->scratch) ||
            !unpack(&state, archive->scratch + ARENA_BYTES, (size_t)member->size))
            return fail_packed(context, archive, member, array->name);
    }
    if (crc32(0, contents, (uInt)member->size) != member->crc)
        return hop__input_fail_offset(context, archive->input, member->data,
                                      "%s: the checksum differs: the file is damaged", array->name);
    memcpy(items, contents + array->npy.header_bytes, bytes);
    return HOP_OK;
}

/* ---- items --------------------------------------------------------------------------------- */

bool hop__npy_convertible(const hop__npy *npy, hop__npy_target target) {
    if (target.kind == 'f')
        return npy->kind == 'f' && npy->item_bytes == target.bytes;
    return (npy->kind == 'i' || npy->kind == 'u' || (npy->kind == 'b' && npy->item_bytes == 1)) &&
           (npy->item_bytes == 1 || npy->item_bytes == 2 || npy->item_bytes == 4 ||
            npy->item_bytes == 8);
}

/* Whether items can be copied as bytes. A signed item counts as an unsigned one: a negative id or
 * offset is then larger than any that can be right, and refused where ranges are checked. */
static bool same_bits(const hop__npy *npy, hop__npy_target target) {
    return npy->item_bytes == target.bytes && !npy->big_endian &&
           (target.kind == 'u' || npy->kind == target.kind);
}

static uint64_t load_bits(const unsigned char *bytes, size_t width, bool big) {
    uint64_t bits = 0;
    for (size_t i = 0; i < width; i++)
        bits |= (uint64_t)bytes[big ? width - 1 - i : i] << (8 * i);
    return bits;
}

/* One item; false when its value does not fit. */
static bool convert_item(const hop__npy *npy, hop__npy_target target, const unsigned char *source,
                         unsigned char *items) {
    size_t width = (size_t)npy->item_bytes;
    uint64_t bits = load_bits(source, width, npy->big_endian);
    bool negative = npy->kind == 'i' && bits >> (8 * width - 1) & 1;
    if (negative && width < 8)
        bits |= UINT64_MAX << (8 * width);
    if (target.kind == 'u') {
        if (negative || (target.bytes == 4 && bits > UINT32_MAX))
            return false;
    } else if (target.kind == 'i') {
        int64_t value = (int64_t)bits;
        if ((!negative && value < 0) ||
            (target.bytes == 4 && (value < INT32_MIN || value > INT32_MAX)))
            return false;
    }
    memcpy(items, &bits, target.bytes);
    return true;
}

/* Converts `count` items; returns how many were right before the first that was not. */
static uint64_t convert(const hop__npy *npy, hop__npy_target target, const unsigned char *source,
                        uint64_t count, void *items) {
    if (same_bits(npy, target)) {
        memcpy(items, source, (size_t)(count * target.bytes));
        return count;
    }
    if (npy->item_bytes == 8 && !npy->big_endian && target.kind == 'u' && target.bytes == 4) {
        /* The common one: 64-bit indices of scipy into vertices. */
        uint32_t *narrow = items;
        uint64_t high = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t value = hop__le64_load(source + 8 * i);
            high |= value >> 32;
            narrow[i] = (uint32_t)value;
        }
        if (high == 0)
            return count;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!convert_item(npy, target, source + i * npy->item_bytes,
                          (unsigned char *)items + i * target.bytes))
            return i;
    return count;
}

/* ---- members ------------------------------------------------------------------------------- */

static void fail_job(hop__npy_job *job, int failure, uint64_t at) {
    job->failure = failure;
    job->at = at;
}

typedef struct stored_work {
    hop_context *context;
    const hop__zip *zip;
    hop__npy_job *job;
    uint64_t piece_items;
    uint64_t first_bad; /* atomic */
} stored_work;

static void load_pieces(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    stored_work *work = arg;
    const hop__npy *npy = &work->job->array->npy;
    const unsigned char *source =
        work->zip->bytes + work->job->array->member->data + npy->header_bytes;
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t first = piece * work->piece_items;
        uint64_t count = npy->items - first;
        if (count > work->piece_items)
            count = work->piece_items;
        const unsigned char *bytes = source + first * npy->item_bytes;
        size_t length = (size_t)(count * npy->item_bytes);
        work->job->crc[piece] = (uint32_t)crc32(0, bytes, (uInt)length);
        uint64_t good =
            convert(npy, work->job->target, bytes, count,
                    (unsigned char *)work->job->items + first * work->job->target.bytes);
        if (good < count)
            hop__lower_u64(&work->first_bad, first + good);
        if (!hop__progress_add(work->context, length))
            return;
    }
}

static hop_status load_stored(hop_context *context, const hop__npy_archive *archive,
                              hop__npy_job *job) {
    const hop__npy *npy = &job->array->npy;
    const hop__zip_member *member = job->array->member;
    stored_work work = {context, &archive->zip, job, PIECE_BYTES / npy->item_bytes, UINT64_MAX};
    uint64_t pieces = npy->items / work.piece_items + (npy->items % work.piece_items != 0);
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "checksums", pieces, sizeof *job->crc, &job->crc));
    hop__for(context, pieces, 1, load_pieces, &work);
    if (!hop__progress_add(context, 0))
        goto done;
    uLong crc = crc32(0, archive->zip.bytes + member->data, (uInt)npy->header_bytes);
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t items = npy->items - i * work.piece_items;
        if (items > work.piece_items)
            items = work.piece_items;
        crc = crc32_combine(crc, job->crc[i], (z_off_t)(items * npy->item_bytes));
    }
    if (crc != member->crc)
        fail_job(job, BAD_CHECKSUM, 0);
    else if (work.first_bad != UINT64_MAX)
        fail_job(job, BAD_ITEM, work.first_bad);
done:
    hop__free(job->crc);
    job->crc = NULL;
    return status;
}

typedef struct deflated_work {
    hop_context *context;
    const hop__zip *zip;
    hop__npy_job **jobs;
} deflated_work;

static void load_deflated(hop_context *context, const hop__zip *zip, hop__npy_job *job) {
    const hop__npy *npy = &job->array->npy;
    const hop__zip_member *member = job->array->member;
    unsigned char *buffer = job->scratch + ARENA_BYTES;
    unpacker state;
    if (!unpack_begin(&state, zip->bytes + member->data, member->packed, job->scratch) ||
        !unpack(&state, buffer, (size_t)npy->header_bytes)) {
        fail_job(job, BAD_STREAM, 0);
        return;
    }
    uLong crc = crc32(0, buffer, (uInt)npy->header_bytes);
    uint64_t block = BUFFER_BYTES / npy->item_bytes, bad = UINT64_MAX;
    for (uint64_t first = 0; first < npy->items; first += block) {
        uint64_t count = npy->items - first < block ? npy->items - first : block;
        unsigned char *items = (unsigned char *)job->items + first * job->target.bytes;
        size_t length = (size_t)(count * npy->item_bytes);
        bool direct = same_bits(npy, job->target);
        if (!unpack(&state, direct ? items : buffer, length)) {
            fail_job(job, BAD_STREAM, first);
            return;
        }
        crc = crc32(crc, direct ? items : buffer, (uInt)length);
        uint64_t good = direct ? count : convert(npy, job->target, buffer, count, items);
        if (good < count && bad == UINT64_MAX)
            bad = first + good;
        if (!hop__progress_add(context, length))
            return;
    }
    if (crc != member->crc)
        fail_job(job, BAD_CHECKSUM, 0);
    else if (bad != UINT64_MAX)
        fail_job(job, BAD_ITEM, bad);
}

static void load_deflated_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    deflated_work *work = arg;
    for (uint64_t i = begin; i < end; i++)
        load_deflated(work->context, work->zip, work->jobs[i]);
}

static hop_status report(hop_context *context, const hop__npy_archive *archive,
                         const hop__npy_job *job) {
    const hop__npy_member *array = job->array;
    const char *name = array->name;
    switch (job->failure) {
    case FINE:
        return HOP_OK;
    case BAD_STREAM:
        return fail_packed(context, archive, array->member, name);
    case BAD_CHECKSUM:
        return hop__input_fail_offset(context, archive->input, array->member->data,
                                      "%s: the checksum differs: the file is damaged", name);
    default:
        return hop__input_fail_offset(context, archive->input, array->member->data,
                                      "%s: item %" PRIu64 " does not fit into %s%zu", name, job->at,
                                      job->target.kind == 'u'   ? "uint"
                                      : job->target.kind == 'i' ? "int"
                                                                : "float",
                                      8 * job->target.bytes);
    }
}

hop_status hop__npy_load(hop_context *context, const hop__npy_archive *archive, hop__npy_job *jobs,
                         unsigned count) {
    hop__npy_job *deflated[HOP__ZIP_MEMBERS];
    unsigned deflated_count = 0;
    uint64_t total = 0;
    hop_status status = HOP_OK, ended;
    for (unsigned i = 0; i < count; i++) {
        total += jobs[i].array->member->size;
        jobs[i].failure = FINE;
        jobs[i].scratch = NULL;
        jobs[i].crc = NULL;
    }
    hop__progress_begin(context, "read: arrays", total);
    for (unsigned i = 0; i < count; i++) {
        if (!jobs[i].array->member->deflated) {
            HOP_TRY(status, load_stored(context, archive, &jobs[i]));
            continue;
        }
        HOP_TRY(status,
                hop__alloc(context, "decompression", HOP__NPY_SCRATCH, 1, &jobs[i].scratch));
        deflated[deflated_count++] = &jobs[i];
    }
    deflated_work work = {context, &archive->zip, deflated};
    hop__for(context, deflated_count, 1, load_deflated_range, &work);
done:
    ended = hop__progress_end(context);
    for (unsigned i = 0; i < count; i++) {
        if (status == HOP_OK && ended == HOP_OK)
            status = report(context, archive, &jobs[i]);
        hop__free(jobs[i].scratch);
        jobs[i].scratch = NULL;
    }
    return status != HOP_OK ? status : ended;
}
