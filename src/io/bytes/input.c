/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening, and handing out blocks (see input.h); input_bytes.c reads and decompresses.
 *
 * One buffer holds the block that was handed out, followed by the beginning of the next line:
 *
 *     buffer: [0 .. given) the block handed out   [given .. filled) kept for the next one */
#include "io/bytes/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/try.h"
#include "io/bytes/input_internal.h"
#include "io/bytes/waiting.h"

/* Small enough to stay in a core's own cache from reading to parsing, large enough that handing out
 * and passing on sums costs nothing. */
static const size_t standard_block = (size_t)256 << 10;
static const size_t standard_chunk = (size_t)256 << 10;

/* Deflate cannot expand more than this (RFC 1951: 258 bytes for 2 bits). */
static const uint64_t deflate_ratio = 1032;
/* zstd: a block of 128 KiB for 4 bytes (RFC 8878). */
static const uint64_t zstd_ratio = 1 << 15;
static const uint64_t standard_max_bytes = UINT64_C(1) << 40;

/* ---- opening --------------------------------------------------------------------------- */

/* The limit of what may come. */
static void set_limit(hop__input *input, const hop_read_options *options) {
    uint64_t most = standard_max_bytes, bytes;
    uint64_t ratio = input->zstd.library != NULL ? zstd_ratio : deflate_ratio;
    if (input->kind != HOP__INPUT_STREAM && hop__mul_u64(input->size, ratio, &bytes) &&
        bytes < most)
        most = bytes;
    if (options != NULL && options->max_bytes != 0)
        most = options->max_bytes;
    input->max_bytes = most;
    input->max_line = options == NULL ? 0 : options->max_line;
    input->max_comment = hop__input_max_line(input);
}

static hop_status create(hop_context *context, const char *name, hop__input **slot) {
    hop__input *input = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "input", 1, sizeof *input, &input));
    input->descriptor = -1;
    input->block_bytes = standard_block;
    input->chunk_bytes = standard_chunk;
    input->comments = "";
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
        input->kind = HOP__INPUT_STREAM;
        return HOP_OK;
    }
    /* A pipe that nobody has opened for writing is waited for when it is read, not here. */
    do
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (input->descriptor < 0 && errno == EINTR);
    if (input->descriptor < 0)
        return hop__input_fail_system(context, input, "open", errno);
    input->own_descriptor = true;
    input->has_path = true;
    struct stat about;
    if (fstat(input->descriptor, &about) != 0)
        return hop__input_fail_system(context, input, "open", errno);
    if (S_ISDIR(about.st_mode))
        return hop__input_fail_system(context, input, "read", EISDIR);
    /* Files of /proc and the like say 0 and have contents nevertheless. */
    input->kind =
        S_ISREG(about.st_mode) && about.st_size > 0 ? HOP__INPUT_PLAIN : HOP__INPUT_STREAM;
    input->size = input->kind == HOP__INPUT_PLAIN ? (uint64_t)about.st_size : 0;
    if (input->kind == HOP__INPUT_PLAIN)
        (void)posix_fadvise(input->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return HOP_OK;
}

/* The end of both ways of opening: *slot is the input, or NULL when `status` is a failure. */
static hop_status finish_open(hop_context *context, hop__input *input,
                              const hop_read_options *options, hop_status status,
                              hop__input **slot) {
    if (status == HOP_OK)
        status = hop__input_begin(context, input);
    if (status == HOP_OK)
        set_limit(input, options);
    if (status != HOP_OK)
        hop__input_close(input);
    *slot = status == HOP_OK ? input : NULL;
    return status;
}

hop_status hop__input_open(hop_context *context, const char *path, const hop_read_options *options,
                           hop__input **slot) {
    hop__input *input = NULL;
    bool standard = strcmp(path, "-") == 0;
    hop_status status = create(context, standard ? "standard input" : path, &input);
    if (status == HOP_OK) {
        input->standard = standard;
        status = open_path(context, input, path);
    }
    return finish_open(context, input, options, status, slot);
}

hop_status hop__input_open_memory(hop_context *context, const char *name, const void *bytes,
                                  size_t count, const hop_read_options *options,
                                  hop__input **slot) {
    hop__input *input = NULL;
    hop_status status = create(context, name, &input);
    if (status == HOP_OK) {
        input->kind = HOP__INPUT_MEMORY;
        input->memory = bytes;
        input->size = count;
    }
    return finish_open(context, input, options, status, slot);
}

void hop__input_close(hop__input *input) {
    if (input == NULL)
        return;
    if (input->inflating)
        inflateEnd(&input->z);
    hop__zstd_close(&input->zstd);
    hop__free(input->zstd_bytes);
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
    return input->kind != HOP__INPUT_STREAM && !input->compressed && size < input->max_bytes
               ? size
               : input->max_bytes;
}

bool hop__input_compressed(const hop__input *input) {
    return input->compressed;
}

const char *hop__input_packing(const hop__input *input) {
    return input->zstd.library != NULL ? "zstd" : "gzip";
}

bool hop__input_is_stream(const hop__input *input) {
    return input->kind == HOP__INPUT_STREAM;
}

void hop__input_set_lines(hop__input *input, uint64_t most, const char *comments) {
    if (input->max_line == 0)
        input->max_line = most;
    input->comments = comments;
}

uint64_t hop__input_max_line(const hop__input *input) {
    const uint64_t any = UINT64_C(1) << 62; /* what can be added to */
    uint64_t most = input->max_line == 0 ? HOP__LINE_MOST : input->max_line;
    return most < any ? most : any;
}

const hop__bad_line *hop__input_bad(const hop__input *input) {
    return input->bad.bytes == 0 ? NULL : &input->bad;
}

bool hop__input_cut(const hop__input *input) {
    return input->cut;
}

bool hop__input_is_comment(const hop__input *input, const char *line, size_t count) {
    const char *end = line + count;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return line < end && *line != '\0' && strchr(input->comments, *line) != NULL;
}

bool hop__line_has_zero(const char *line, size_t known, size_t count) {
    enum { LONG = 1 << 16 };
    size_t from = known < LONG ? 0 : known;
    return count >= LONG && memchr(line + from, '\0', count - from) != NULL;
}

uint64_t hop__input_block_offset(const hop__input *input) {
    return input->produced - input->filled;
}

bool hop__input_is_random(const hop__input *input) {
    return input->kind != HOP__INPUT_STREAM && !input->compressed;
}

uint64_t hop__input_consumed(const hop__input *input) {
    return hop__input_packed_offset(input);
}

uint64_t hop__input_file_size(const hop__input *input) {
    return input->size;
}

int hop__input_descriptor(const hop__input *input) {
    return input->kind == HOP__INPUT_PLAIN && !input->compressed ? input->descriptor : -1;
}

void hop__input_set_parts(hop__input *input, struct hop__parts *parts) {
    input->parts = parts;
}

struct hop__parts *hop__input_parts(const hop__input *input) {
    return input->parts;
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

/* Fills the buffer up to `target` bytes, or to the end of the contents. Between pieces it asks
 * whether to go on: a block may grow to be large. */
static hop_status fill(hop_context *context, hop__input *input, size_t target) {
    hop_status status = HOP_OK;
    HOP_TRY(status, reserve(context, input, target));
    while (input->filled < target) {
        size_t left = target - input->filled, got = 0;
        size_t want = left < HOP__INPUT_PIECE ? left : HOP__INPUT_PIECE;
        HOP_TRY(status, hop__input_next(context, input, input->buffer + input->filled, want, &got));
        input->filled += got;
        if (got < want)
            break;
        if (want == HOP__INPUT_PIECE)
            HOP_TRY(status, hop__wait_ask(context, input->name));
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

/* The buffer is one line that goes on, longer than is kept. Of a comment the beginning is, and its
 * newline behind it; what comes after that newline is left for the next block. */
static hop_status skip_comment(hop_context *context, hop__input *input) {
    size_t kept = input->filled / 2, room = input->filled - kept;
    hop_status status = HOP_OK;
    for (;;) {
        size_t want = room < HOP__INPUT_PIECE ? room : HOP__INPUT_PIECE, got = 0;
        char *piece = input->buffer + kept;
        HOP_TRY(status, hop__input_next(context, input, piece, want, &got));
        const char *newline = memchr(piece, '\n', got);
        size_t rest = newline == NULL ? 0 : (size_t)(piece + got - newline);
        if (newline == NULL && got == want) {
            HOP_TRY(status, hop__wait_ask(context, input->name));
            continue;
        }
        if (rest > 0)
            memmove(piece, newline, rest);
        input->filled = kept + rest;
        input->given = kept + (rest > 0);
        break;
    }
    input->cut = true;
done:
    return status;
}

static bool is_comment_to_cut(const hop__input *input, size_t seen) {
    return seen >= input->max_comment && hop__input_is_comment(input, input->buffer, seen);
}

/* The first *target bytes, of which the first `searched` were looked at before, are one line that
 * goes on. Sets how much to ask for next, or finds that it is bad. */
static void look_at_long_line(hop__input *input, size_t searched, size_t *target) {
    size_t seen = *target;
    uint64_t most = hop__input_max_line(input);
    input->bad.zero = hop__line_has_zero(input->buffer, searched, seen) &&
                      !hop__input_is_comment(input, input->buffer, seen);
    if (input->bad.zero || seen > most)
        input->bad.bytes = seen;
    *target = most / 2 < seen ? (size_t)most + 1 : 2 * seen;
}

/* The end of the buffer's first line, which is longer than `seen`, if that is in the buffer: where
 * it was looked ahead. */
static bool end_of_long_comment(hop__input *input, size_t seen) {
    const char *newline = memchr(input->buffer + seen, '\n', input->filled - seen);
    if (newline != NULL)
        input->given = (size_t)(newline - input->buffer) + 1;
    return newline != NULL;
}

hop_status hop__input_lines(hop_context *context, hop__input *input, const char **bytes,
                            size_t *count) {
    hop_status status = HOP_OK;
    *bytes = NULL;
    *count = 0;
    if (input->bad.bytes > 0)
        return HOP_OK;
    input->cut = false;
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
        /* What was looked ahead at is taken in blocks of the same size. */
        const char *last = memrchr(input->buffer + searched, '\n', target - searched);
        if (last != NULL) {
            input->given = (size_t)(last - input->buffer) + 1;
            break;
        }
        if (is_comment_to_cut(input, target)) {
            if (!end_of_long_comment(input, target))
                HOP_TRY(status, skip_comment(context, input));
            break;
        }
        size_t seen = target;
        look_at_long_line(input, searched, &target);
        if (input->bad.bytes > 0)
            break;
        searched = seen;
    }
    if (input->bad.bytes > 0)
        return HOP_OK;
    memset(input->buffer + input->filled, '\n', HOP__INPUT_SLACK);
    *bytes = input->buffer;
    *count = input->given;
done:
    return status;
}

hop_status hop__input_ahead(hop_context *context, hop__input *input, size_t want,
                            const char **bytes, size_t *count) {
    uint64_t bound = hop__input_bound(input);
    hop_status status = fill(context, input, want < bound ? want : (size_t)bound + 1);
    *bytes = input->buffer;
    *count = status == HOP_OK ? input->filled : 0;
    if (status == HOP_OK)
        memset(input->buffer + input->filled, '\n', HOP__INPUT_SLACK);
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
    if (input->kind == HOP__INPUT_STREAM || input->compressed) {
        HOP_TRY(status, gather(context, input));
        *bytes = (const unsigned char *)input->buffer;
        *count = input->filled;
        return HOP_OK;
    }
    if (input->size > input->max_bytes) {
        hop__fail(context, HOP_ERR_INPUT,
                  "%s: %" PRIu64 " bytes, the limit (max_bytes) is %" PRIu64, input->name,
                  input->size, input->max_bytes);
        HOP_TRY(status, hop__note_limit(context, "max_bytes", input->size, input->max_bytes));
    }
    if (input->kind == HOP__INPUT_PLAIN && input->whole == NULL) {
        HOP_TRY(status, hop__alloc(context, input->name, input->size, 1, &input->whole));
        HOP_TRY(status, hop__input_read_exactly(context, input, 0, input->whole, input->size));
    }
    *bytes = input->kind == HOP__INPUT_PLAIN ? input->whole : input->memory;
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
    if (input->kind == HOP__INPUT_STREAM || input->compressed)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: this format needs a file that is not compressed", input->name);
    if (!hop__add_u64(offset, count, &end) || end > input->size)
        return hop__input_fail_offset(context, input, input->size,
                                      "the file ends here, expected %" PRIu64
                                      " bytes from byte %" PRIu64 " on",
                                      count, offset);
    return hop__input_read_exactly(context, input, offset, bytes, count);
}

/* ---- messages -------------------------------------------------------------------------- */

hop_status hop__input_fail_long(hop_context *context, const hop__input *input, uint64_t line,
                                const hop__bad_line *bad) {
    char so_far[16], most[16];
    if (bad->zero)
        return hop__input_fail_line(context, input, line,
                                    "a zero byte: this is not text, or it is UTF-16");
    uint64_t limit = hop__input_max_line(input);
    hop__input_fail_line(context, input, line,
                         "a line of %s so far, and no end of it; the limit (max_line) is %s",
                         hop__size_text(bad->bytes, so_far), hop__size_text(limit, most));
    return hop__note_limit(context, "max_line", HOP_UNKNOWN, limit);
}

hop_status hop__input_note(hop_context *context, const hop__input *input) {
    return hop__note_file(context, input->standard ? "-" : input->name);
}

/* `place` comes between the name and the text: a line, or a byte. */
static void fail_at(hop_context *context, const hop__input *input, const char *place,
                    uint64_t number, const char *format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    hop__fail(context, HOP_ERR_INPUT, "%s:%s%" PRIu64 ": %s", input->name, place, number, text);
    hop__input_note(context, input);
}

hop_status hop__input_fail_line(hop_context *context, const hop__input *input, uint64_t line,
                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at(context, input, "", line, format, arguments);
    va_end(arguments);
    return hop__note_line(context, line);
}

hop_status hop__input_fail_offset(hop_context *context, const hop__input *input, uint64_t offset,
                                  const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at(context, input, " byte ", offset, format, arguments);
    va_end(arguments);
    return hop__note_offset(context, offset);
}

hop_status hop__input_read_header(hop_context *context, hop__input *input, void *header,
                                  size_t count) {
    if (hop__input_size(input) < count)
        return hop__input_fail_offset(context, input, hop__input_size(input),
                                      "the file ends inside the header of %zu bytes", count);
    return hop__input_read_at(context, input, 0, header, count);
}
