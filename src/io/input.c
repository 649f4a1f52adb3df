/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening, reading and decompressing (see input.h).
 *
 * Two layers. raw_read gives the next bytes of the file as they stand there; next_bytes gives
 * the next bytes of the contents, which is the same or goes through inflate. Above them one buffer
 * holds the block that was handed out, followed by the beginning of the next line:
 *
 *     buffer: [0 .. given) the block handed out   [given .. filled) kept for the next one
 *
 * Invariants: given <= filled <= capacity; the block of memory is capacity + HOP__INPUT_SLACK
 * bytes; `produced` never exceeds max_bytes, so that a small gzip file cannot become an endless
 * one. */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/format.h"

enum { PACKED_BYTES = 1 << 18, READ_GRAIN = 1 << 20 };

enum { SHORTER = -1 }; /* no errno: the file ended early */

/* Small enough to stay in a core's own cache from reading to parsing, large enough that handing out
 * and passing on sums costs nothing. */
static const size_t standard_block = (size_t)256 << 10;
static const size_t standard_chunk = (size_t)256 << 10;

/* Deflate cannot expand more than this (RFC 1951: 258 bytes for 2 bits). */
static const uint64_t deflate_ratio = 1032;
static const uint64_t standard_max_bytes = UINT64_C(1) << 40;

enum kind { PLAIN, STREAM, MEMORY };

struct hop__input {
    enum kind kind;
    char *name;
    bool has_path;
    int descriptor;
    bool own_descriptor;
    const unsigned char *memory;
    uint64_t size;       /* of the file or the memory; 0 for a stream */
    uint64_t raw_offset; /* of the next raw byte to be read from the file */

    bool compressed;
    bool inflating; /* z is initialised */
    bool in_member; /* inside a gzip member */
    z_stream z;
    unsigned char *packed; /* raw bytes read ahead: [packed_begin, packed_end) */
    size_t packed_begin, packed_end;

    uint64_t max_bytes, produced;
    bool ended;

    char *buffer;
    size_t capacity, given, filled;
    size_t block_bytes, chunk_bytes;

    unsigned char *whole;
    uint64_t whole_count;
};

static hop_status fail_system(hop_context *context, const hop__input *input, const char *verb,
                              int error) {
    return hop__fail(context, HOP_ERR_IO, "%s: cannot %s: %s", input->name, verb, strerror(error));
}

/* ---- raw bytes ------------------------------------------------------------------------- */

int hop__input_fetch(const hop__input *input, uint64_t offset, void *bytes, size_t count) {
    if (input->kind == MEMORY) {
        if (count > 0)
            memcpy(bytes, input->memory + offset, count);
        return 0;
    }
    for (size_t done = 0; done < count;) {
        ssize_t got =
            pread(input->descriptor, (char *)bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : SHORTER;
        done += (size_t)got;
    }
    return 0;
}

hop_status hop__input_fail_fetch(hop_context *context, const hop__input *input, int error) {
    if (error == SHORTER)
        return hop__fail(context, HOP_ERR_IO,
                         "%s: the file became shorter than %" PRIu64 " bytes while it was read",
                         input->name, input->size);
    return fail_system(context, input, "read", error);
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

/* Reads exactly `count` bytes of a plain file or of memory. */
static hop_status read_exactly(hop_context *context, const hop__input *input, uint64_t offset,
                               void *bytes, uint64_t count) {
    parallel_read job = {input, bytes, offset, 0};
    hop__for(context, count, READ_GRAIN, read_piece, &job);
    return job.error == 0 ? HOP_OK : hop__input_fail_fetch(context, input, job.error);
}

/* The next raw bytes; *got < want only at the end of the file. */
static hop_status raw_read(hop_context *context, hop__input *input, void *bytes, size_t want,
                           size_t *got) {
    *got = 0;
    if (input->kind != STREAM) {
        uint64_t left = input->size - input->raw_offset;
        size_t count = left < want ? (size_t)left : want;
        hop_status status = read_exactly(context, input, input->raw_offset, bytes, count);
        if (status != HOP_OK)
            return status;
        input->raw_offset += count;
        *got = count;
        return HOP_OK;
    }
    while (*got < want) {
        ssize_t count = read(input->descriptor, (char *)bytes + *got, want - *got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_system(context, input, "read", errno);
        if (count == 0)
            break;
        *got += (size_t)count;
        input->raw_offset += (uint64_t)count;
    }
    return HOP_OK;
}

/* ---- contents -------------------------------------------------------------------------- */

/* Offset in the file of the next byte that inflate will see. */
static uint64_t packed_offset(const hop__input *input) {
    return input->raw_offset - (input->packed_end - input->packed_begin);
}

static hop_status refill_packed(hop_context *context, hop__input *input) {
    size_t got;
    hop_status status = raw_read(context, input, input->packed, PACKED_BYTES, &got);
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
        return hop__input_fail_offset(context, input, packed_offset(input),
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
        return hop__input_fail_offset(context, input, packed_offset(input),
                                      "the gzip data is damaged: %s",
                                      input->z.msg != NULL ? input->z.msg : "a bad header");
    return HOP_OK;
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

/* The next bytes of the contents; *got < want only at their end. */
static hop_status next_bytes(hop_context *context, hop__input *input, void *bytes, size_t want,
                             size_t *got) {
    *got = 0;
    if (input->ended)
        return HOP_OK;
    /* One byte more than the limit is asked for, to tell "exactly" from "more". */
    uint64_t allowed = input->max_bytes - input->produced;
    bool limited = want > allowed;
    size_t ask = limited ? (size_t)allowed + 1 : want;
    hop_status status = input->compressed ? inflate_bytes(context, input, bytes, ask, got)
                                          : plain_bytes(context, input, bytes, ask, got);
    if (status == HOP_OK && *got > allowed)
        return hop__fail(context, HOP_ERR_INPUT,
                         "%s: more than %" PRIu64 " bytes%s, which is the limit (max_bytes)",
                         input->name, input->max_bytes,
                         input->compressed ? " once decompressed" : "");
    input->produced += *got;
    return status;
}

/* ---- opening --------------------------------------------------------------------------- */

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

/* Looks at the first bytes for gzip, and sets the limit of what may come. */
static hop_status begin(hop_context *context, hop__input *input, const hop_read_options *options) {
    unsigned char magic[3] = {0, 0, 0};
    size_t got = 0;
    hop_status status;
    if (input->kind == STREAM) {
        HOP_TRY(status, hop__alloc(context, "input", PACKED_BYTES, 1, &input->packed));
        HOP_TRY(status, raw_read(context, input, input->packed, sizeof magic, &got));
        input->packed_end = got;
        memcpy(magic, input->packed, got);
        /* An empty file is one that is not mapped, not a stream: binary formats may be empty. */
        if (got == 0)
            input->kind = MEMORY;
    } else {
        got = input->size < sizeof magic ? (size_t)input->size : sizeof magic;
        HOP_TRY(status, read_exactly(context, input, 0, magic, got));
    }
    input->compressed = got == 3 && magic[0] == 0x1f && magic[1] == 0x8b && magic[2] == 8;
    if (input->compressed) {
        if (input->packed == NULL)
            HOP_TRY(status, hop__alloc(context, "input", PACKED_BYTES, 1, &input->packed));
        input->z.zalloc = zlib_alloc;
        input->z.zfree = zlib_free;
        input->z.opaque = context;
        if (inflateInit2(&input->z, 15 + 16) != Z_OK)
            HOP_TRY(status,
                    hop__fail(context, HOP_ERR_MEMORY, "%s: no memory to decompress", input->name));
        input->inflating = true;
        input->in_member = true;
    }
    uint64_t most = standard_max_bytes, ratio;
    if (input->kind != STREAM && hop__mul_u64(input->size, deflate_ratio, &ratio) && ratio < most)
        most = ratio;
    if (options != NULL && options->max_bytes != 0)
        most = options->max_bytes;
    input->max_bytes = most;
    status = HOP_OK;
done:
    return status;
}

static hop_status create(hop_context *context, const char *name, hop__input **slot) {
    hop__input *input = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "input", 1, sizeof *input, &input));
    input->descriptor = -1;
    input->block_bytes = standard_block;
    input->chunk_bytes = standard_chunk;
    size_t length = strlen(name) + 1;
    HOP_TRY(status, hop__alloc(context, "input", length, 1, &input->name));
    memcpy(input->name, name, length);
done:
    if (status != HOP_OK)
        hop__input_close(input);
    *slot = status == HOP_OK ? input : NULL;
    return status;
}

static hop_status open_path(hop_context *context, hop__input *input, const char *path) {
    if (strcmp(path, "-") == 0) {
        input->descriptor = STDIN_FILENO;
        input->kind = STREAM;
        return HOP_OK;
    }
    do
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (input->descriptor < 0 && errno == EINTR);
    if (input->descriptor < 0)
        return fail_system(context, input, "open", errno);
    input->own_descriptor = true;
    input->has_path = true;
    struct stat about;
    if (fstat(input->descriptor, &about) != 0)
        return fail_system(context, input, "open", errno);
    if (S_ISDIR(about.st_mode))
        return fail_system(context, input, "read", EISDIR);
    /* Files of /proc and the like say 0 and have contents nevertheless. */
    input->kind = S_ISREG(about.st_mode) && about.st_size > 0 ? PLAIN : STREAM;
    input->size = input->kind == PLAIN ? (uint64_t)about.st_size : 0;
    if (input->kind == PLAIN)
        (void)posix_fadvise(input->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return HOP_OK;
}

hop_status hop__input_open(hop_context *context, const char *path, const hop_read_options *options,
                           hop__input **slot) {
    hop__input *input = NULL;
    hop_status status;
    HOP_TRY(status, create(context, strcmp(path, "-") == 0 ? "standard input" : path, &input));
    HOP_TRY(status, open_path(context, input, path));
    HOP_TRY(status, begin(context, input, options));
done:
    if (status != HOP_OK) {
        hop__input_close(input);
        input = NULL;
    }
    *slot = input;
    return status;
}

hop_status hop__input_open_memory(hop_context *context, const char *name, const void *bytes,
                                  size_t count, const hop_read_options *options,
                                  hop__input **slot) {
    hop__input *input = NULL;
    hop_status status;
    HOP_TRY(status, create(context, name, &input));
    input->kind = MEMORY;
    input->memory = bytes;
    input->size = count;
    HOP_TRY(status, begin(context, input, options));
done:
    if (status != HOP_OK) {
        hop__input_close(input);
        input = NULL;
    }
    *slot = input;
    return status;
}

void hop__input_close(hop__input *input) {
    if (input == NULL)
        return;
    if (input->inflating)
        inflateEnd(&input->z);
    if (input->own_descriptor && input->descriptor >= 0)
        close(input->descriptor);
    hop__free(input->packed);
    hop__free(input->buffer);
    hop__free(input->whole);
    hop__free(input->name);
    hop__free(input);
}

/* ---- what callers ask -------------------------------------------------------------------- */

const char *hop__input_name(const hop__input *input) {
    return input->name;
}

const char *hop__input_path(const hop__input *input) {
    return input->has_path ? input->name : NULL;
}

uint64_t hop__input_size(const hop__input *input) {
    return input->compressed ? 0 : input->size;
}

uint64_t hop__input_bound(const hop__input *input) {
    uint64_t size = hop__input_size(input);
    return input->kind != STREAM && !input->compressed && size < input->max_bytes
               ? size
               : input->max_bytes;
}

bool hop__input_compressed(const hop__input *input) {
    return input->compressed;
}

bool hop__input_is_stream(const hop__input *input) {
    return input->kind == STREAM;
}

uint64_t hop__input_block_offset(const hop__input *input) {
    return input->produced - input->filled;
}

bool hop__input_is_random(const hop__input *input) {
    return input->kind != STREAM && !input->compressed;
}

uint64_t hop__input_consumed(const hop__input *input) {
    return packed_offset(input);
}

uint64_t hop__input_file_size(const hop__input *input) {
    return input->size;
}

int hop__input_descriptor(const hop__input *input) {
    return input->kind == PLAIN && !input->compressed ? input->descriptor : -1;
}

void hop__input_set_sizes(hop__input *input, size_t block_bytes, size_t chunk_bytes) {
    input->block_bytes = block_bytes;
    input->chunk_bytes = chunk_bytes;
}

size_t hop__input_chunk(const hop__input *input) {
    return input->chunk_bytes;
}

/* ---- blocks ---------------------------------------------------------------------------- */

/* Makes room for `capacity` bytes in the buffer. */
static hop_status reserve(hop_context *context, hop__input *input, size_t capacity) {
    if (input->buffer != NULL && input->capacity >= capacity)
        return HOP_OK;
    size_t bytes;
    if (!hop__add_size(capacity, HOP__INPUT_SLACK, &bytes))
        return hop__fail(context, HOP_ERR_MEMORY, "%s: a line is too long", input->name);
    hop_status status = input->buffer == NULL
                            ? hop__alloc(context, "text", bytes, 1, &input->buffer)
                            : hop__resize(context, "text", bytes, 1, &input->buffer);
    if (status == HOP_OK)
        input->capacity = capacity;
    return status;
}

/* Fills the buffer up to `target` bytes, or to the end of the contents. */
static hop_status fill(hop_context *context, hop__input *input, size_t target) {
    size_t got = 0;
    hop_status status = HOP_OK;
    HOP_TRY(status, reserve(context, input, target));
    if (target > input->filled) {
        HOP_TRY(status, next_bytes(context, input, input->buffer + input->filled,
                                   target - input->filled, &got));
        input->filled += got;
    }
done:
    return status;
}

hop_status hop__input_peek(hop_context *context, hop__input *input, size_t want,
                           const unsigned char **bytes, size_t *count) {
    hop_status status = fill(context, input, want);
    *bytes = (const unsigned char *)input->buffer;
    *count = status == HOP_OK ? input->filled : 0;
    return status;
}

/* How much to ask for at first: a block, or, where there is less, everything and one byte more, so
 * that the end is seen at once. */
static size_t first_target(const hop__input *input) {
    uint64_t bound = hop__input_bound(input);
    return bound < input->block_bytes ? (size_t)bound + 1 : input->block_bytes;
}

hop_status hop__input_lines(hop_context *context, hop__input *input, const char **bytes,
                            size_t *count) {
    hop_status status = HOP_OK;
    *bytes = NULL;
    *count = 0;
    if (input->given > 0)
        memmove(input->buffer, input->buffer + input->given, input->filled - input->given);
    input->filled -= input->given;
    input->given = 0;
    size_t target = first_target(input), searched = 0;
    for (;;) {
        HOP_TRY(status, fill(context, input, target));
        if (input->filled < target) { /* the end: what is left is the last block */
            input->given = input->filled;
            break;
        }
        const char *last = memrchr(input->buffer + searched, '\n', input->filled - searched);
        if (last != NULL) {
            input->given = (size_t)(last - input->buffer) + 1;
            break;
        }
        searched = input->filled;
        if (!hop__mul_size(input->filled, 2, &target))
            HOP_TRY(status,
                    hop__fail(context, HOP_ERR_MEMORY, "%s: a line is too long", input->name));
    }
    memset(input->buffer + input->filled, '\n', HOP__INPUT_SLACK);
    *bytes = input->buffer;
    *count = input->given;
done:
    return status;
}

/* Everything of a compressed input or a stream, whose size is not known. */
static hop_status gather(hop_context *context, hop__input *input) {
    hop_status status = HOP_OK;
    size_t target = first_target(input);
    do {
        if (input->filled >= target && !hop__mul_size(target, 2, &target))
            return hop__fail(context, HOP_ERR_MEMORY, "%s: too large", input->name);
        status = fill(context, input, target);
    } while (status == HOP_OK && input->filled == target);
    return status;
}

hop_status hop__input_whole(hop_context *context, hop__input *input, const unsigned char **bytes,
                            uint64_t *count) {
    hop_status status = HOP_OK;
    *bytes = NULL;
    *count = 0;
    if (input->kind == STREAM || input->compressed) {
        HOP_TRY(status, gather(context, input));
        *bytes = (const unsigned char *)input->buffer;
        *count = input->filled;
        return HOP_OK;
    }
    if (input->size > input->max_bytes)
        HOP_TRY(status, hop__fail(context, HOP_ERR_INPUT,
                                  "%s: %" PRIu64 " bytes, the limit (max_bytes) is %" PRIu64,
                                  input->name, input->size, input->max_bytes));
    if (input->kind == PLAIN && input->whole == NULL) {
        HOP_TRY(status, hop__alloc(context, input->name, input->size, 1, &input->whole));
        HOP_TRY(status, read_exactly(context, input, 0, input->whole, input->size));
    }
    *bytes = input->kind == PLAIN ? input->whole : input->memory;
    *count = input->size;
done:
    if (status != HOP_OK) {
        hop__free(input->whole);
        input->whole = NULL;
    }
    return status;
}

hop_status hop__input_read_at(hop_context *context, hop__input *input, uint64_t offset, void *bytes,
                              uint64_t count) {
    uint64_t end;
    if (input->kind == STREAM || input->compressed)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: this format needs a file that is not compressed", input->name);
    if (!hop__add_u64(offset, count, &end) || end > input->size)
        return hop__input_fail_offset(context, input, input->size,
                                      "the file ends here, expected %" PRIu64
                                      " bytes from byte %" PRIu64 " on",
                                      count, offset);
    return read_exactly(context, input, offset, bytes, count);
}

/* ---- messages -------------------------------------------------------------------------- */

hop_status hop__input_fail_line(hop_context *context, const hop__input *input, uint64_t line,
                                const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hop__fail(context, HOP_ERR_INPUT, "%s:%" PRIu64 ": %s", input->name, line, text);
}

hop_status hop__input_fail_offset(hop_context *context, const hop__input *input, uint64_t offset,
                                  const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hop__fail(context, HOP_ERR_INPUT, "%s: byte %" PRIu64 ": %s", input->name, offset, text);
}
