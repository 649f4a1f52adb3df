/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an input, as they stand in the file and as they come out of inflate.
 *
 * Two layers: raw_read gives the next bytes of the file; hop__input_next gives the next bytes of
 * the contents, which is the same or goes through inflate or libzstd. Raw bytes that were read
 * ahead (to see whether a stream is compressed, or for decompression) wait in `packed`. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/patience.h"
#include "core/try.h"
#include "io/bytes/input_internal.h"
#include "io/bytes/waiting.h"

enum { PACKED_BYTES = 1 << 18, READ_GRAIN = 1 << 20 };

enum { SHORTER = -1 }; /* no errno: the file ended early */

hop_status hop__input_fail_system(hop_context *context, const hop__input *input, const char *verb,
                                  int error) {
    hop__fail(context, HOP_ERR_IO, "%s: cannot %s: %s", input->name, verb, strerror(error));
    hop__input_note(context, input);
    return hop__note_system(context, error);
}

/* ---- raw bytes ------------------------------------------------------------------------- */

static int read_file(int descriptor, uint64_t offset, char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(descriptor, bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : SHORTER;
        done += (size_t)got;
    }
    return 0;
}

int hop__input_fetch(const hop__input *input, uint64_t offset, void *bytes, size_t count) {
    if (input->kind == HOP__INPUT_MEMORY) {
        if (count > 0)
            memcpy(bytes, input->memory + offset, count);
        return 0;
    }
    uint64_t begin = hop__pause_begin();
    int error = read_file(input->descriptor, offset, bytes, count);
    hop__pause_end(begin);
    return error;
}

hop_status hop__input_fail_fetch(hop_context *context, const hop__input *input, int error) {
    if (error == SHORTER)
        return hop__fail(context, HOP_ERR_IO,
                         "%s: the file became shorter than %" PRIu64 " bytes while it was read",
                         input->name, input->size);
    return hop__input_fail_system(context, input, "read", error);
}

typedef struct parallel_read {
    const hop__input *input;
    unsigned char *bytes;
    uint64_t offset;
    int error; /* of any piece that failed */
} parallel_read;

static void read_piece(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    parallel_read *job = arg;
    int error = hop__input_fetch(job->input, job->offset + begin, job->bytes + begin,
                                 (size_t)(end - begin));
    if (error != 0)
        __atomic_store_n(&job->error, error, __ATOMIC_RELAXED);
}

hop_status hop__input_read_exactly(hop_context *context, const hop__input *input, uint64_t offset,
                                   void *bytes, uint64_t count) {
    parallel_read job = {input, bytes, offset, 0};
    hop__for(context, count, READ_GRAIN, read_piece, &job);
    return job.error == 0 ? HOP_OK : hop__input_fail_fetch(context, input, job.error);
}

/* The next raw bytes; *got < want only at the end of the file. */
static hop_status raw_read(hop_context *context, hop__input *input, void *bytes, size_t want,
                           size_t *got) {
    *got = 0;
    if (input->kind != HOP__INPUT_STREAM) {
        uint64_t left = input->size - input->raw_offset;
        size_t count = left < want ? (size_t)left : want;
        hop_status status =
            hop__input_read_exactly(context, input, input->raw_offset, bytes, count);
        if (status != HOP_OK)
            return status;
        input->raw_offset += count;
        *got = count;
        return HOP_OK;
    }
    while (*got < want) {
        hop_status status = hop__wait_until_ready(context, input->name, input->descriptor, POLLIN);
        if (status != HOP_OK)
            return status;
        ssize_t count = read(input->descriptor, (char *)bytes + *got, want - *got);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count < 0)
            return hop__input_fail_system(context, input, "read", errno);
        if (count == 0)
            break;
        *got += (size_t)count;
        input->raw_offset += (uint64_t)count;
    }
    return HOP_OK;
}

/* ---- contents -------------------------------------------------------------------------- */

static hop_status refill_packed(hop_context *context, hop__input *input) {
    size_t got;
    hop_status status = raw_read(context, input, input->packed, input->packed_room, &got);
    input->packed_begin = 0;
    input->packed_end = status == HOP_OK ? got : 0;
    return status;
}

/* At the end of a member: another member, the end of the file, or something that is not gzip. */
static hop_status next_member(hop_context *context, hop__input *input) {
    if (input->packed_begin == input->packed_end) {
        hop_status status = refill_packed(context, input);
        if (status != HOP_OK)
            return status;
    }
    if (input->packed_begin == input->packed_end) {
        input->ended = true;
        return HOP_OK;
    }
    /* The second magic byte may be in the next refill; inflate itself will look at it. */
    if (input->packed[input->packed_begin] != 0x1f)
        return hop__input_fail_offset(context, input, hop__input_packed_offset(input),
                                      "byte 0x%02x after the end of the gzip data, expected another"
                                      " gzip member (0x1f 0x8b) or the end of the file",
                                      input->packed[input->packed_begin]);
    inflateReset(&input->z);
    input->in_member = true;
    return HOP_OK;
}

/* One call of inflate; *made bytes came out of it. */
static hop_status inflate_step(hop_context *context, hop__input *input, void *bytes, size_t room,
                               size_t *made) {
    *made = 0;
    if (input->packed_begin == input->packed_end) {
        hop_status status = refill_packed(context, input);
        if (status != HOP_OK)
            return status;
        if (input->packed_end == 0)
            return hop__input_fail_offset(context, input, input->raw_offset,
                                          "the file ends inside a gzip member: it was cut off");
    }
    uInt out = room > (1u << 30) ? 1u << 30 : (uInt)room;
    input->z.next_in = input->packed + input->packed_begin;
    input->z.avail_in = (uInt)(input->packed_end - input->packed_begin);
    input->z.next_out = bytes;
    input->z.avail_out = out;
    int code = inflate(&input->z, Z_NO_FLUSH);
    input->packed_begin = input->packed_end - input->z.avail_in;
    *made = out - input->z.avail_out;
    if (code == Z_STREAM_END)
        input->in_member = false;
    else if (code == Z_MEM_ERROR)
        return hop__fail(context, HOP_ERR_MEMORY, "%s: no memory to decompress", input->name);
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return hop__input_fail_offset(context, input, hop__input_packed_offset(input),
                                      "the gzip data is damaged: %s",
                                      input->z.msg != NULL ? input->z.msg : "a bad header");
    return HOP_OK;
}

/* ---- zstd ------------------------------------------------------------------------------- */

/* Counts what the library has taken for its window against the budget. */
static hop_status count_window(hop_context *context, hop__input *input) {
    size_t size = input->zstd.bytes_of(input->zstd.stream);
    if (size <= input->zstd_size)
        return HOP_OK;
    hop_status status = input->zstd_bytes == NULL
                            ? hop__alloc(context, "decompression", size, 1, &input->zstd_bytes)
                            : hop__resize(context, "decompression", size, 1, &input->zstd_bytes);
    if (status == HOP_OK)
        input->zstd_size = size;
    return status;
}

/* The next raw bytes, unless some are there; at the end of the file there are none. */
static hop_status need_packed(hop_context *context, hop__input *input) {
    return input->packed_begin < input->packed_end ? HOP_OK : refill_packed(context, input);
}

static hop_status unzstd_bytes(hop_context *context, hop__input *input, unsigned char *bytes,
                               size_t want, size_t *got) {
    hop__zstd *zstd = &input->zstd;
    hop_status status = HOP_OK;
    *got = 0;
    while (*got < want) {
        HOP_TRY(status, need_packed(context, input));
        hop__zstd_out out = {bytes, want, *got};
        hop__zstd_in in = {input->packed, input->packed_end, input->packed_begin};
        bool at_end = in.at == in.size;
        if (at_end && !input->in_member) {
            input->ended = true;
            break;
        }
        size_t left = zstd->decompress(zstd->stream, &out, &in);
        bool moved = out.at > *got || in.at > input->packed_begin;
        input->packed_begin = in.at;
        *got = out.at;
        if (zstd->is_error(left))
            return hop__input_fail_offset(context, input, hop__input_packed_offset(input),
                                          "the zstd data is damaged, or needs more memory than "
                                          "there may be: %s",
                                          zstd->error_name(left));
        input->in_member = left != 0;
        HOP_TRY(status, count_window(context, input));
        if (at_end && !moved && input->in_member)
            return hop__input_fail_offset(context, input, input->raw_offset,
                                          "the file ends inside a zstd frame: it was cut off");
    }
done:
    return status;
}

static hop_status inflate_bytes(hop_context *context, hop__input *input, unsigned char *bytes,
                                size_t want, size_t *got) {
    *got = 0;
    while (*got < want && !input->ended) {
        hop_status status;
        size_t made = 0;
        if (input->in_member)
            status = inflate_step(context, input, bytes + *got, want - *got, &made);
        else
            status = next_member(context, input);
        if (status != HOP_OK)
            return status;
        *got += made;
    }
    return HOP_OK;
}

/* What was read ahead to recognise gzip in a stream, then the stream. */
static hop_status plain_bytes(hop_context *context, hop__input *input, unsigned char *bytes,
                              size_t want, size_t *got) {
    size_t ahead = input->packed_end - input->packed_begin;
    if (ahead > want)
        ahead = want;
    if (ahead > 0)
        memcpy(bytes, input->packed + input->packed_begin, ahead);
    input->packed_begin += ahead;
    hop_status status = raw_read(context, input, bytes + ahead, want - ahead, got);
    if (status == HOP_OK)
        *got += ahead;
    if (*got < want)
        input->ended = true;
    return status;
}

hop_status hop__input_next(hop_context *context, hop__input *input, void *bytes, size_t want,
                           size_t *got) {
    *got = 0;
    if (input->ended)
        return HOP_OK;
    /* One byte more than the limit is asked for, to tell "exactly" from "more". */
    uint64_t allowed = input->max_bytes - input->produced;
    bool limited = want > allowed;
    size_t ask = limited ? (size_t)allowed + 1 : want;
    hop_status status = !input->compressed ? plain_bytes(context, input, bytes, ask, got)
                        : input->zstd.library != NULL
                            ? unzstd_bytes(context, input, bytes, ask, got)
                            : inflate_bytes(context, input, bytes, ask, got);
    if (status == HOP_OK && *got > allowed) {
        hop__fail(context, HOP_ERR_INPUT,
                  "%s: more than %" PRIu64 " bytes%s, which is the limit (max_bytes)", input->name,
                  input->max_bytes, input->compressed ? " once decompressed" : "");
        return hop__note_limit(context, "max_bytes", HOP_UNKNOWN, input->max_bytes);
    }
    input->produced += *got;
    return status;
}

/* ---- the beginning ---------------------------------------------------------------------- */

static voidpf zlib_alloc(voidpf context, uInt count, uInt size) {
    void *block;
    if (hop__alloc(context, "decompression", count, size, &block) != HOP_OK)
        return NULL;
    return block;
}

static void zlib_free(voidpf context, voidpf block) {
    (void)context;
    hop__free(block);
}

static hop_status begin_gzip(hop_context *context, hop__input *input) {
    input->z.zalloc = zlib_alloc;
    input->z.zfree = zlib_free;
    input->z.opaque = context;
    if (inflateInit2(&input->z, 15 + 16) != Z_OK)
        return hop__fail(context, HOP_ERR_MEMORY, "%s: no memory to decompress", input->name);
    input->inflating = true;
    return HOP_OK;
}

/* The window of a frame, which is what decompression takes, may be 128 MiB, as the command zstd has
 * it, and no more than an eighth of the budget; some 8 MiB are always possible. */
static hop_status begin_zstd(hop_context *context, hop__input *input) {
    enum { LEAST = 23, MOST = 27 };
    int window = LEAST;
    while (window < MOST && context->options.memory_budget >> 3 >= UINT64_C(2) << window)
        window++;
    if (!hop__zstd_open(&input->zstd)) {
        hop__zstd_close(&input->zstd);
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: compressed by zstd, and its library (libzstd.so.1) is not installed",
                  input->name);
        hop__note_name(context, HOP_KIND_UNSUPPORTED, "zstd");
        return hop__remedy(context, HOP_REMEDY_CONVERT,
                           "install it, or decompress the file: "
                           "zstd -d");
    }
    if (!hop__zstd_begin(&input->zstd, window))
        return hop__fail(context, HOP_ERR_MEMORY, "%s: no memory to decompress", input->name);
    return count_window(context, input);
}

static bool begins_like_gzip(const unsigned char *bytes, size_t count) {
    return count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static bool begins_like_zstd(const unsigned char *bytes, size_t count) {
    return count >= 4 && memcmp(bytes, HOP__ZSTD_MAGIC, 4) == 0;
}

bool hop__begins_compressed(const unsigned char *bytes, size_t count) {
    return begins_like_gzip(bytes, count) || begins_like_zstd(bytes, count);
}

/* Room for raw bytes: no more than there are, where that is known. */
static hop_status make_packed(hop_context *context, hop__input *input) {
    bool known = input->kind != HOP__INPUT_STREAM && input->size < PACKED_BYTES;
    input->packed_room = known ? (size_t)input->size : PACKED_BYTES;
    return hop__alloc(context, "input", input->packed_room, 1, &input->packed);
}

hop_status hop__input_begin(hop_context *context, hop__input *input) {
    unsigned char magic[4] = {0, 0, 0, 0};
    size_t got = 0;
    hop_status status;
    if (input->kind == HOP__INPUT_STREAM) {
        HOP_TRY(status, make_packed(context, input));
        HOP_TRY(status, raw_read(context, input, input->packed, sizeof magic, &got));
        input->packed_end = got;
        memcpy(magic, input->packed, got);
        /* An empty file is one that is not mapped, not a stream: binary formats may be empty. */
        if (got == 0)
            input->kind = HOP__INPUT_MEMORY;
    } else {
        got = input->size < sizeof magic ? (size_t)input->size : sizeof magic;
        HOP_TRY(status, hop__input_read_exactly(context, input, 0, magic, got));
    }
    bool gzip = begins_like_gzip(magic, got);
    if (gzip || begins_like_zstd(magic, got)) {
        if (input->packed == NULL)
            HOP_TRY(status, make_packed(context, input));
        HOP_TRY(status, gzip ? begin_gzip(context, input) : begin_zstd(context, input));
        input->compressed = true;
        input->in_member = true;
    }
    status = HOP_OK;
done:
    return status;
}
