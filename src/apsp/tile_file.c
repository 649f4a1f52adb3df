/* SPDX-License-Identifier: Apache-2.0
 * Tiles in a file; see tile_file.h. */
#include "apsp/tile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/tile_product.h"
#include "core/checked.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum { PAGE = 4096, VERSION = 2 };

typedef struct tile_head {
    char magic[8];
    uint32_t version, type;
    uint64_t n, side, graph_hash;
    uint64_t number, round, stage, row;
    uint64_t check; /* of all before */
} tile_head;

static const char magic[8] = {'H', 'O', 'P', 'T', 'I', 'L', 'E', 'S'};

static hop_status fail_io(const hop__tile_file *file, const char *verb) {
    return hop__fail(file->context, HOP_ERR_IO, "apsp: %s: cannot %s: %s", file->path, verb,
                     strerror(errno));
}

/* FNV's hash: a head is short. */
static uint64_t head_check(const tile_head *head) {
    const unsigned char *bytes = (const unsigned char *)head;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < offsetof(tile_head, check); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static hop_status read_at(const hop__tile_file *file, void *to, uint64_t bytes, uint64_t at) {
    char *out = to;
    while (bytes > 0) {
        ssize_t got = pread(file->descriptor, out, bytes, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* it was made in full length: somebody cut it */
        if (got <= 0)
            return fail_io(file, "read");
        out += got, at += (uint64_t)got, bytes -= (uint64_t)got;
    }
    return HOP_OK;
}

static hop_status write_at(const hop__tile_file *file, const void *from, uint64_t bytes,
                           uint64_t at) {
    const char *in = from;
    while (bytes > 0) {
        ssize_t put = pwrite(file->descriptor, in, bytes, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return fail_io(file, "write");
        in += put, at += (uint64_t)put, bytes -= (uint64_t)put;
    }
    return HOP_OK;
}

/* --- heads ----------------------------------------------------------------------------------- */

static hop_status write_head(hop__tile_file *file) {
    tile_head head = {.version = VERSION,
                      .type = (uint32_t)file->type,
                      .n = file->n,
                      .side = file->side,
                      .graph_hash = file->graph_hash,
                      .number = ++file->number,
                      .round = file->round,
                      .stage = file->stage,
                      .row = file->row};
    memcpy(head.magic, magic, sizeof magic);
    head.check = head_check(&head);
    return write_at(file, &head, sizeof head, file->number % 2 * PAGE);
}

static bool is_head(const tile_head *head) {
    return memcmp(head->magic, magic, sizeof magic) == 0 && head->version == VERSION &&
           head->check == head_check(head);
}

static hop_status refuse_file(const hop__tile_file *file, const char *why) {
    return hop__fail(file->context, HOP_ERR_INPUT, "apsp: %s %s; name another, or remove it",
                     file->path, why);
}

/* Takes what the newer head says. A file of `bytes` that was killed at once has the first alone. */
static hop_status take_head(hop__tile_file *file, uint64_t bytes) {
    hop_status status = HOP_OK;
    tile_head heads[2] = {{.version = VERSION}, {.version = VERSION}};
    const tile_head *newest = NULL;
    for (unsigned i = 0; i < 2 && i * PAGE + sizeof heads[i] <= bytes; i++) {
        HOP_TRY(status, read_at(file, &heads[i], sizeof heads[i], i * PAGE));
        if (is_head(&heads[i]) && (!newest || heads[i].number > newest->number))
            newest = &heads[i];
    }
    if (!newest && memcmp(heads[0].magic, magic, sizeof magic) == 0 && heads[0].version != VERSION)
        return refuse_file(file, "holds tiles of another version of hoplite");
    if (!newest)
        return refuse_file(file, "is no file of tiles");
    if (newest->n != file->n || newest->graph_hash != file->graph_hash ||
        newest->type != (uint32_t)file->type || newest->side == 0 ||
        newest->side % HOP__TILE_GRAIN != 0 || newest->side > file->n + HOP__TILE_GRAIN)
        return hop__fail(file->context, HOP_ERR_INPUT,
                         "apsp: %s holds the work on another graph or type (%llu vertices, %s); "
                         "name another file, or remove it",
                         file->path, (unsigned long long)newest->n,
                         hop_weight_name((hop_weight_type)newest->type));
    file->side = newest->side;
    file->number = newest->number;
    file->round = newest->round;
    file->row = newest->row;
    file->stage = (hop__tile_stage)newest->stage;
    file->resumed = true;
done:
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

uint64_t hop__tile_count(uint64_t n, uint64_t side) {
    return (n + side - 1) / side;
}

static uint64_t tile_bytes(const hop__tile_file *file) {
    return file->side * file->side * hop_weight_size(file->type);
}

/* Of the whole file. */
static hop_status file_bytes(const hop__tile_file *file, uint64_t *bytes) {
    uint64_t tiles = hop__tile_count(file->n, file->side), all;
    if (!hop__mul_u64(tiles, tiles + 2, &all) || !hop__mul_u64(all, tile_bytes(file), bytes) ||
        *bytes > INT64_MAX - 2 * PAGE)
        return hop__fail(file->context, HOP_ERR_BUDGET, "apsp: %s: too large for a file",
                         file->path);
    *bytes += 2 * PAGE;
    return HOP_OK;
}

/* Makes room for all tiles of a file that holds none yet. Where there is none it is emptied: what
 * was allocated before the disk was full is free again, and the next start can take it. */
static hop_status make_room(hop__tile_file *file, uint64_t bytes) {
    int error;
    do
        error = posix_fallocate(file->descriptor, 0, (off_t)bytes);
    while (error == EINTR);
    if (error == 0)
        return HOP_OK;
    (void)!ftruncate(file->descriptor, 0);
    return hop__fail(file->context, HOP_ERR_IO, "apsp: %s: no room for %llu bytes: %s", file->path,
                     (unsigned long long)bytes, strerror(error));
}

/* One that nobody else sees, and that is gone with its descriptor. */
static int open_unnamed(void) {
    const char *folder = secure_getenv("TMPDIR");
    char path[4096];
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/hoplite-XXXXXX", folder) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        (void)unlink(path);
    return descriptor;
}

/* Opens the file and keeps others from it. Another run may have been at its end, and have removed
 * the file between the two: then the name is free, and is taken again. */
static hop_status open_locked(hop__tile_file *file, const char *path, struct stat *about) {
    for (;;) {
        file->descriptor = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : open_unnamed();
        if (file->descriptor < 0)
            return fail_io(file, path ? "open" : "make it in TMPDIR");
        if (path && flock(file->descriptor, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK)
                return fail_io(file, "lock");
            return hop__fail(file->context, HOP_ERR_INPUT, "apsp: %s is in use by another run",
                             file->path);
        }
        if (fstat(file->descriptor, about) != 0)
            return fail_io(file, "look at");
        if (!path || about->st_nlink > 0)
            return HOP_OK;
        (void)close(file->descriptor);
    }
}

hop_status hop__tile_file_open(hop_context *context, const char *path, hop_weight_type type,
                               const hop_graph *graph, uint64_t side, hop__tile_file *file) {
    hop_status status;
    struct stat about;
    uint64_t bytes = 0;
    *file = (hop__tile_file){.context = context,
                             .path = path ? path : "a file without a name",
                             .named = path != NULL,
                             .descriptor = -1,
                             .type = type,
                             .n = graph->vertices,
                             .side = side,
                             .number = 1}; /* so that the first head stands in the first page */
    if (path)                              /* who goes on from it has to have the same graph */
        HOP_TRY(status, hop_graph_hash(context, graph, &file->graph_hash));
    HOP_TRY(status, open_locked(file, path, &about));
    if (!S_ISREG(about.st_mode))
        return hop__fail(context, HOP_ERR_INPUT, "apsp: %s is not a regular file", file->path);
    if (about.st_size > 0)
        HOP_TRY(status, take_head(file, (uint64_t)about.st_size));
    HOP_TRY(status, file_bytes(file, &bytes));
    if (about.st_size == 0) /* first of all: from here on it is known to be ours */
        HOP_TRY(status, write_head(file));
    if (file->stage == HOP__TILES_NEW)
        HOP_TRY(status, make_room(file, bytes));
    else if ((uint64_t)about.st_size < bytes)
        HOP_TRY(status, refuse_file(file, "has been cut short"));
    file->tiles = hop__tile_count(file->n, file->side);
done:
    return status;
}

/* Whether the name is still that of this file, and not of a symbolic link to it. */
static bool has_name(const hop__tile_file *file) {
    struct stat own, there;
    return fstat(file->descriptor, &own) == 0 && lstat(file->path, &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

void hop__tile_file_close(hop__tile_file *file, bool remove) {
    if (file->path == NULL || file->descriptor < 0)
        return;
    if (remove && file->named) {
        if (has_name(file))
            (void)unlink(file->path);
        else /* what has the name now is not ours; at least the room is free */
            (void)!ftruncate(file->descriptor, 0);
    }
    (void)close(file->descriptor);
    file->descriptor = -1;
}

/* --- tiles ----------------------------------------------------------------------------------- */

static uint64_t place_at(const hop__tile_file *file, hop__tile_place place) {
    uint64_t number = place.cross ? file->tiles * (file->tiles + place.column) + place.row
                                  : place.row * file->tiles + place.column;
    return 2 * PAGE + number * tile_bytes(file);
}

hop_status hop__tile_read(hop__tile_file *file, hop__tile_place place, void *tile) {
    return read_at(file, tile, tile_bytes(file), place_at(file, place));
}

hop_status hop__tile_write(hop__tile_file *file, hop__tile_place place, const void *tile) {
    uint64_t at = place_at(file, place);
    hop_status status = write_at(file, tile, tile_bytes(file), at);
#ifdef SYNC_FILE_RANGE_WRITE
    if (status == HOP_OK) /* begins now, so that the mark has little to wait for */
        (void)sync_file_range(file->descriptor, (off64_t)at, (off64_t)tile_bytes(file),
                              SYNC_FILE_RANGE_WRITE);
#endif
    return status;
}

void hop__tile_soon(hop__tile_file *file, hop__tile_place place) {
    (void)posix_fadvise(file->descriptor, (off_t)place_at(file, place), (off_t)tile_bytes(file),
                        POSIX_FADV_WILLNEED);
}

hop_status hop__tile_mark(hop__tile_file *file, uint64_t round, hop__tile_stage stage,
                          uint64_t row) {
    if (file->named && fdatasync(file->descriptor) != 0)
        return fail_io(file, "sync");
    file->round = round;
    file->stage = stage;
    file->row = row;
    hop_status status = write_head(file);
    if (status == HOP_OK && file->named && fdatasync(file->descriptor) != 0)
        return fail_io(file, "sync");
    return status;
}

hop_status hop__tile_row(hop__tile_file *file, uint64_t row, void *out) {
    hop_status status = HOP_OK;
    const size_t size = hop_weight_size(file->type);
    for (uint64_t t = 0; status == HOP_OK && t < file->tiles; t++) {
        uint64_t first = t * file->side;
        uint64_t count = file->n - first < file->side ? file->n - first : file->side;
        hop__tile_place place = {false, row / file->side, t};
        status = read_at(file, (char *)out + first * size, count * size,
                         place_at(file, place) + row % file->side * file->side * size);
    }
    return status;
}
