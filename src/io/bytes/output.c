/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing through a buffer into a draft of the file (see output.h, output_draft.h).
 *
 * gzip: the buffer is cut into members of MEMBER_BYTES, each compressed by itself, a batch of them
 * in parallel. Concatenated members are one gzip file (RFC 1952, 2.2). The deflate states are made
 * once, on the calling thread, since only that one may report a failed allocation. */
#include "io/bytes/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "io/bytes/output_draft.h"
#include "io/bytes/waiting.h"

enum {
    MEMBER_BYTES = 1 << 20,
    STEP_BYTES = 1 << 17,
    BATCH = 8,
    BUFFER_BYTES = BATCH * MEMBER_BYTES, /* where there is memory */
    LEAST_BYTES = 1 << 16, /* and what an output begins with, as most files are small */
    GROWTH = 8,
    STATE_BYTES = 280 << 10, /* of one deflate: 268 KiB (zconf.h), and its blocks' headers */
    REST_BYTES = 16 << 10,   /* names, and the struct itself */
    LEVEL = 6
};

struct hop__output {
    char *name;       /* as the caller gave it, for messages */
    bool standard;    /* standard output, which was given as "-" */
    bool has_draft;   /* else what is written is there at once */
    hop__draft draft; /* its path has links resolved */
    int descriptor;
    bool own_descriptor; /* and it is not the draft's */
    bool waits; /* for whoever reads at the other end, in pieces that fit without blocking */
    bool gzip;
    bool finished;
    unsigned char *buffer;
    size_t buffer_bytes; /* that it may have; gzip: `batch` members */
    size_t room;         /* that it has */
    size_t filled;
    uint64_t offset;
    /* gzip only */
    unsigned batch; /* members that are compressed at once */
    z_stream *states;
    unsigned made; /* states that are initialised */
    unsigned char *packed;
    size_t packed_room; /* per member */
    size_t packed_count[BATCH];
    hop_context *context; /* of the flush under way */
};

hop_status hop__output_note(hop_context *context, const hop__output *output, hop_status status) {
    return hop__file_done(context, status, output->standard ? "-" : output->name);
}

static hop_status fail_system(hop_context *context, const hop__output *output, const char *verb,
                              int error) {
    hop__fail(context, HOP_ERR_IO, "%s: cannot %s: %s", output->name, verb, strerror(error));
    hop__output_note(context, output, HOP_ERR_IO);
    return hop__note_system(context, error);
}

static hop_status copy_text(hop_context *context, const char *text, char **slot) {
    size_t length = strlen(text) + 1;
    hop_status status = hop__alloc(context, "output", length, 1, slot);
    if (status == HOP_OK)
        memcpy(*slot, text, length);
    return status;
}

/* ---- bytes to the file ------------------------------------------------------------------ */

/* What a pipe that is ready takes without blocking: all that it holds if nothing is in it. */
static size_t room_in_pipe(int descriptor) {
#if defined(F_GETPIPE_SZ) && defined(FIONREAD)
    int unread = 0, size = fcntl(descriptor, F_GETPIPE_SZ);
    if (size > PIPE_BUF && ioctl(descriptor, FIONREAD, &unread) == 0 && unread == 0)
        return (size_t)size;
#endif
    (void)descriptor;
    return PIPE_BUF;
}

static hop_status write_raw(hop_context *context, hop__output *output, const unsigned char *bytes,
                            size_t count) {
    while (count > 0) {
        hop_status status = output->waits ? hop__wait_until_ready(context, output->name,
                                                                  output->descriptor, POLLOUT)
                                          : HOP_OK;
        if (status != HOP_OK)
            return status;
        size_t most = output->waits ? room_in_pipe(output->descriptor) : (size_t)1 << 30;
        ssize_t put = write(output->descriptor, bytes, count < most ? count : most);
        if (put < 0 && (errno == EINTR || (errno == EAGAIN && output->waits)))
            continue;
        if (put < 0)
            return fail_system(context, output, "write", errno);
        bytes += put;
        count -= (size_t)put;
    }
    return HOP_OK;
}

/* One member, in steps between which the work can be cancelled. Returns its bytes; 0: cancelled, or
 * failed, which cannot be: the room is deflateBound's. */
static size_t pack_member(hop__output *output, uint64_t member) {
    z_stream *z = &output->states[member];
    size_t first = (size_t)member * MEMBER_BYTES, done = 0;
    size_t count = output->filled - first < MEMBER_BYTES ? output->filled - first : MEMBER_BYTES;
    int code = Z_OK;
    z->next_in = output->buffer + first;
    z->next_out = output->packed + member * output->packed_room;
    z->avail_out = (uInt)output->packed_room;
    do {
        size_t step = count - done < STEP_BYTES ? count - done : STEP_BYTES;
        if (!hop__progress_add(output->context, 0))
            break;
        done += step;
        z->avail_in = (uInt)step;
        code = deflate(z, done == count ? Z_FINISH : Z_NO_FLUSH);
    } while (code == Z_OK && done < count);
    size_t packed = code == Z_STREAM_END ? output->packed_room - z->avail_out : 0;
    deflateReset(z);
    return packed;
}

static void pack_members(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    hop__output *output = arg;
    for (uint64_t i = begin; i < end; i++)
        output->packed_count[i] = pack_member(output, i);
}

/* Writes the buffer out. An empty one makes an empty member, so that an empty file is gzip too. */
static hop_status flush_gzip(hop_context *context, hop__output *output) {
    uint64_t members = (output->filled + MEMBER_BYTES - 1) / MEMBER_BYTES;
    if (members == 0)
        members = 1;
    output->context = context;
    hop__for(context, members, 1, pack_members, output);
    if (!hop__progress_add(context, 0))
        return hop__fail(context, HOP_ERR_CANCELLED, "%s: cancelled while it was compressed",
                         output->name);
    for (uint64_t i = 0; i < members; i++) {
        if (output->packed_count[i] == 0)
            return hop__fail(context, HOP_ERR_IO, "%s: compression failed", output->name);
        hop_status status = write_raw(context, output, output->packed + i * output->packed_room,
                                      output->packed_count[i]);
        if (status != HOP_OK)
            return status;
    }
    output->filled = 0;
    return HOP_OK;
}

static hop_status flush(hop_context *context, hop__output *output) {
    if (output->gzip)
        return flush_gzip(context, output);
    hop_status status = write_raw(context, output, output->buffer, output->filled);
    output->filled = 0;
    return status;
}

/* The buffer is full: makes it larger, or empties it where that cannot be. */
static hop_status make_room(hop_context *context, hop__output *output) {
    size_t most = output->buffer_bytes;
    size_t more = output->room < most / GROWTH ? GROWTH * output->room : most;
    if (output->room == most)
        return flush(context, output);
    hop__failure before = context->failure;
    if (hop__resize(context, "output", more, 1, &output->buffer) == HOP_OK) {
        output->room = more;
        return HOP_OK;
    }
    context->failure = before; /* nothing has failed: a small buffer serves as well */
    output->buffer_bytes = output->room;
    return flush(context, output);
}

hop_status hop__output_write(hop_context *context, hop__output *output, const void *bytes,
                             size_t count) {
    const unsigned char *next = bytes;
    output->offset += count;
    while (count > 0) {
        hop_status status;
        if (output->filled == output->room && (status = make_room(context, output)) != HOP_OK)
            return status;
        if (output->filled == 0 && count >= output->buffer_bytes && !output->gzip)
            return write_raw(context, output, next, count);
        size_t room = output->room - output->filled;
        size_t part = count < room ? count : room;
        memcpy(output->buffer + output->filled, next, part);
        output->filled += part;
        next += part;
        count -= part;
    }
    return HOP_OK;
}

bool hop__output_patchable(const hop__output *output) {
    return output->has_draft && !output->gzip;
}

hop_status hop__output_patch(hop_context *context, hop__output *output, uint64_t offset,
                             const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    hop_status status = flush(context, output);
    while (status == HOP_OK && count > 0) {
        ssize_t put = pwrite(output->descriptor, next, count, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_system(context, output, "write", errno);
        next += put;
        offset += (size_t)put;
        count -= (size_t)put;
    }
    return status;
}

hop_status hop__output_print(hop_context *context, hop__output *output, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: a line of %d bytes, at most %zu",
                         output->name, length, sizeof text - 1);
    return hop__output_write(context, output, text, (size_t)length);
}

uint64_t hop__output_offset(const hop__output *output) {
    return output->offset;
}

const char *hop__output_name(const hop__output *output) {
    return output->name;
}

const char *hop__output_path(const hop__output *output) {
    return output->has_draft ? output->draft.path : NULL;
}

bool hop__output_gzip(const hop__output *output) {
    return output->gzip;
}

/* ---- opening ---------------------------------------------------------------------------- */

static voidpf zlib_alloc(voidpf context, uInt count, uInt size) {
    void *block;
    if (hop__alloc(context, "compression", count, size, &block) != HOP_OK)
        return NULL;
    return block;
}

static void zlib_free(voidpf context, voidpf block) {
    (void)context;
    hop__free(block);
}

static hop_status prepare_gzip(hop_context *context, hop__output *output) {
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "compression", output->batch, sizeof(z_stream),
                                    &output->states));
    for (unsigned i = 0; i < output->batch; i++) {
        z_stream *z = &output->states[i];
        z->zalloc = zlib_alloc;
        z->zfree = zlib_free;
        z->opaque = context;
        if (deflateInit2(z, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return hop__fail(context, HOP_ERR_MEMORY, "%s: no memory to compress", output->name);
        output->made = i + 1;
    }
    output->packed_room = deflateBound(&output->states[0], MEMBER_BYTES);
    HOP_TRY(status, hop__alloc(context, "compression", output->batch, output->packed_room,
                               &output->packed));
done:
    return status;
}

/* What a member takes while its batch is written: itself, what it becomes, the state of deflate. */
static size_t member_cost(void) {
    return MEMBER_BYTES + compressBound(MEMBER_BYTES) + STATE_BYTES;
}

/* As much as the budget has room for: less is slower, but the bytes are the same. */
static unsigned batch_of(const hop_context *context) {
    size_t one = member_cost();
    return (unsigned)(hop__share_bytes(context, one, BATCH * one) / one);
}

uint64_t hop__output_bytes(const hop_context *context, bool gzip) {
    return REST_BYTES + (gzip ? batch_of(context) * (uint64_t)member_cost()
                              : hop__share_bytes(context, LEAST_BYTES, BUFFER_BYTES));
}

/* Asks whether there is memory for all of it, so that what is missing is said at once. */
static hop_status make_buffers(hop_context *context, hop__output *output) {
    hop_status status;
    HOP_TRY(status,
            hop__reserve_check(context, output->name, hop__output_bytes(context, output->gzip)));
    output->batch = output->gzip ? batch_of(context) : 0;
    output->buffer_bytes = output->gzip ? output->batch * (size_t)MEMBER_BYTES
                                        : hop__share_bytes(context, LEAST_BYTES, BUFFER_BYTES);
    output->room = output->gzip ? output->buffer_bytes : LEAST_BYTES;
    HOP_TRY(status, hop__alloc(context, "output", output->room, 1, &output->buffer));
    if (output->gzip)
        HOP_TRY(status, prepare_gzip(context, output));
done:
    return status;
}

static hop_status open_draft(hop_context *context, hop__output *output, const char *path,
                             mode_t mode) {
    int error;
    hop_status status = hop__draft_open(context, path, mode, &output->draft, &error);
    output->has_draft = status == HOP_OK && error == 0;
    output->descriptor = output->draft.descriptor;
    if (status == HOP_OK && error != 0)
        status = fail_system(context, output, "create a file beside it", error);
    return status;
}

/* Something that is written as it is, without a draft: a pipe waits for its reader. */
static hop_status take_descriptor(hop__output *output, int descriptor, bool own) {
    struct stat about;
    output->descriptor = descriptor;
    output->own_descriptor = own;
    output->waits = isatty(descriptor) || (fstat(descriptor, &about) == 0 &&
                                           (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)));
    return HOP_OK;
}

/* A device, or a pipe, which cannot be opened before somebody has opened it for reading. */
static hop_status open_special(hop_context *context, hop__output *output, const char *path,
                               bool pipe) {
    int descriptor;
    while ((descriptor = open(path, O_WRONLY | O_CLOEXEC | (pipe ? O_NONBLOCK : 0))) < 0) {
        if (errno != EINTR && !(pipe && errno == ENXIO))
            return fail_system(context, output, "open", errno);
        hop_status status = hop__wait_a_turn(context, output->name);
        if (status != HOP_OK)
            return status;
    }
    return take_descriptor(output, descriptor, true);
}

static hop_status open_path(hop_context *context, hop__output *output, const char *path) {
    if (strcmp(path, "-") == 0)
        return take_descriptor(output, STDOUT_FILENO, false);
    struct stat about, link;
    if (stat(path, &about) != 0) {
        int error = errno;
        bool there = lstat(path, &link) == 0;
        if (there && error != ENOENT)
            return fail_system(context, output, "look at it", error);
        if (there)
            return hop__fail(context, HOP_ERR_IO,
                             "%s: a link to a file that is not there; remove the link, or make the "
                             "file first",
                             output->name);
        return open_draft(context, output, path, 0);
    }
    if (S_ISDIR(about.st_mode))
        return fail_system(context, output, "write", EISDIR);
    if (!S_ISREG(about.st_mode))
        return open_special(context, output, path, S_ISFIFO(about.st_mode));
    /* /dev/stdout and its like: what is behind it is open, has perhaps an earlier part, and goes on
     * after us; it must not be replaced. */
    struct stat open_one;
    for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
        if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && fstat(number, &open_one) == 0 &&
            open_one.st_dev == about.st_dev && open_one.st_ino == about.st_ino) {
            return take_descriptor(output, number, false);
        }
    /* A link stays a link: the file behind it is replaced. */
    char *resolved = realpath(path, NULL);
    if (resolved == NULL)
        return fail_system(context, output, "open", errno);
    hop_status status = open_draft(context, output, resolved, about.st_mode & 0777);
    free(resolved);
    return status;
}

static void discard(hop__output *output) {
    if (output->own_descriptor)
        close(output->descriptor);
    hop__draft_discard(&output->draft);
    for (unsigned i = 0; i < output->made; i++)
        deflateEnd(&output->states[i]);
    hop__free(output->states);
    hop__free(output->packed);
    hop__free(output->buffer);
    hop__free(output->name);
    hop__free(output);
}

hop_status hop__output_open(hop_context *context, const char *path, bool gzip, hop__output **slot) {
    hop__output *output = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "output", 1, sizeof *output, &output));
    output->descriptor = output->draft.descriptor = -1;
    output->gzip = gzip;
    output->standard = strcmp(path, "-") == 0;
    HOP_TRY(status, copy_text(context, output->standard ? "standard output" : path, &output->name));
    HOP_TRY(status, make_buffers(context, output));
    HOP_TRY(status, open_path(context, output, path));
    *slot = output;
done:
    if (status != HOP_OK && output != NULL)
        discard(output);
    return hop__file_done(context, status, path);
}

static hop_status flush_rest(hop_context *context, hop__output *output) {
    if (output->filled == 0 && !(output->gzip && output->offset == 0))
        return HOP_OK;
    bool alone = hop__progress_join(context, "write: the rest");
    hop_status status = flush(context, output);
    hop_status ended = hop__progress_leave(context, alone);
    return status != HOP_OK ? status : ended;
}

hop_status hop__output_finish(hop_context *context, hop__output *output) {
    if (output->finished)
        return HOP_OK;
    hop_status status = flush_rest(context, output);
    if (status != HOP_OK)
        return status;
    output->finished = true;
    int error = output->has_draft ? hop__draft_finish(&output->draft) : 0;
    return error == 0 ? HOP_OK : fail_system(context, output, "write", error);
}

hop_status hop__output_close(hop_context *context, hop__output *output, hop_status status) {
    if (output == NULL)
        return status;
    if (status == HOP_OK) /* a failure before may be another file's */
        status = hop__output_note(context, output, hop__output_finish(context, output));
    int error = status == HOP_OK && output->has_draft ? hop__draft_commit(&output->draft) : 0;
    if (error != 0)
        status = fail_system(context, output, "put the new file in its place", error);
    discard(output);
    return status;
}
