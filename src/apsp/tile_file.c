/* SPDX-License-Identifier: Apache-2.0
 * Tiles in a file; see tile_file.h. */
#include "apsp/tile_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/tile_product.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/disk_room.h"

/* Version 2 had no checks, and its rows were changed where they are. */
enum { PAGE = 4096, VERSION = 3, CHECK_ROWS = 64 };

typedef struct tile_head {
    char magic[8];
    uint32_t version, type;
    uint64_t n, side, graph_hash;
    uint64_t number, round, stage, row;
    uint64_t check; /* of all before */
} tile_head;

static const char magic[8] = {'H', 'O', 'P', 'T', 'I', 'L', 'E', 'S'};

/* The file of a failure; one without a name has no path. */
static void note_path(const hop__tile_file *file) {
    if (file->named)
        hop__note_file(file->context, file->path);
}

static hop_status fail_io(const hop__tile_file *file, const char *verb) {
    int error = errno;
    hop__fail(file->context, HOP_ERR_IO, "apsp: %s: cannot %s: %s", file->path, verb,
              strerror(error));
    note_path(file);
    return hop__note_system(file->context, error);
}

static uint64_t head_check(const tile_head *head) {
    return XXH3_64bits(head, offsetof(tile_head, check));
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

/* Whether it is one of ours, of a version that has its number here. */
static bool is_named(const tile_head *head) {
    return memcmp(head->magic, magic, sizeof magic) == 0;
}

static bool is_head(const tile_head *head) {
    return is_named(head) && head->version == VERSION && head->check == head_check(head);
}

static hop_status refuse_file(const hop__tile_file *file, const char *why) {
    hop__fail(file->context, HOP_ERR_INPUT, "apsp: %s %s", file->path, why);
    note_path(file);
    return hop__remedy(file->context, HOP_REMEDY_OTHER_FILE, "name another, or remove it");
}

/* No head is right. */
static hop_status refuse_heads(const hop__tile_file *file, const tile_head heads[2]) {
    const tile_head *named = is_named(&heads[0])   ? &heads[0]
                             : is_named(&heads[1]) ? &heads[1]
                                                   : NULL;
    if (named == NULL)
        return refuse_file(file, "is no file of tiles");
    if (named->version == VERSION)
        return refuse_file(file, "is damaged: neither of its two heads has a right checksum");
    return hop__fail(
        file->context, HOP_ERR_INPUT,
        "apsp: %s holds tiles of another version of hoplite (layout %u, not %d); continue "
        "with that version, name another file, or remove it",
        file->path, (unsigned)named->version, VERSION);
}

/* Whether a head of ours can say this: somebody may have made one up. */
static bool is_possible(const tile_head *head) {
    if (head->side == 0 || head->side % HOP__TILE_GRAIN != 0 ||
        head->side > HOP__TILE_SIDE_MOST + HOP__TILE_GRAIN)
        return false;
    const uint64_t tiles = hop__tile_count(head->n, head->side);
    return head->stage <= HOP__TILES_CROSS && head->round <= tiles && head->row < tiles &&
           (head->stage == HOP__TILES_CROSS ? head->round < tiles : head->row == 0);
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
    if (!newest)
        return refuse_heads(file, heads);
    if (newest->n != file->n || newest->graph_hash != file->graph_hash ||
        newest->type != (uint32_t)file->type)
        return hop__fail(file->context, HOP_ERR_INPUT,
                         "apsp: %s holds the work on another graph or type (%llu vertices, %s); "
                         "name another file, or remove it",
                         file->path, (unsigned long long)newest->n,
                         hop_type_name((hop_weight_type)newest->type));
    if (!is_possible(newest))
        return refuse_file(file, "is damaged: its head says what cannot be");
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
    return file->side * file->side * hop_type_size(file->type);
}

/* A tile with its checks, in whole pages: what is written needs no page of the disk read first. */
static uint64_t slot_bytes(hop_weight_type type, uint64_t side) {
    uint64_t bytes = side * side * hop_type_size(type) + side * sizeof(uint64_t);
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

uint64_t hop__tile_file_memory(uint64_t side) {
    return hop__block_bytes(side, sizeof(uint64_t));
}

uint64_t hop__tile_file_bytes(hop_weight_type type, uint64_t n, uint64_t side) {
    uint64_t tiles = hop__tile_count(n, side), all, bytes; /* tiles < 2^32 */
    if (!hop__mul_u64(tiles, tiles + 3, &all) ||
        !hop__mul_u64(all, slot_bytes(type, side), &bytes) || bytes > INT64_MAX - 2 * PAGE)
        return UINT64_MAX;
    return bytes + 2 * PAGE;
}

/* Makes room for all tiles of a file that holds none yet. Where there is none it is emptied: what
 * was allocated before the disk was full is free again, and the next start can take it. */
static hop_status make_room(hop__tile_file *file, uint64_t bytes) {
    int error;
    struct stat about;
    uint64_t there = fstat(file->descriptor, &about) == 0 ? (uint64_t)about.st_blocks * 512 : 0;
    hop_status status = file->named && there < bytes
                            ? hop__disk_check(file->context, file->path, bytes - there)
                            : HOP_OK;
    if (status != HOP_OK)
        return status;
    do
        error = posix_fallocate(file->descriptor, 0, (off_t)bytes);
    while (error == EINTR);
    if (error == 0)
        return HOP_OK;
    (void)!ftruncate(file->descriptor, 0);
    hop__fail(file->context, HOP_ERR_IO, "apsp: %s: no room for %llu bytes: %s", file->path,
              (unsigned long long)bytes, strerror(error));
    note_path(file);
    hop__note_system(file->context, error);
    return hop__note_need(file->context, HOP_KIND_DISK, bytes, HOP_UNKNOWN);
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
        if (file->descriptor < 0 && errno == EINTR)
            continue;
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
    file->tiles = hop__tile_count(file->n, file->side);
    const uint64_t of[] = {file->n, file->side, (uint64_t)type, file->graph_hash, VERSION};
    file->seed = XXH3_64bits(of, sizeof of);
    HOP_TRY(status, hop__alloc(context, "apsp: checks of a tile", file->side, sizeof(uint64_t),
                               &file->checks));
    const uint64_t bytes = hop__tile_file_bytes(type, file->n, file->side);
    if (bytes == UINT64_MAX)
        return hop__fail(context, HOP_ERR_BUDGET, "apsp: %s: too large for a file", file->path);
    if (about.st_size == 0) /* first of all: from here on it is known to be ours */
        HOP_TRY(status, write_head(file));
    if (file->stage == HOP__TILES_NEW)
        HOP_TRY(status, make_room(file, bytes));
    else if ((uint64_t)about.st_size < bytes)
        HOP_TRY(status, refuse_file(file, "has been cut short"));
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
    hop__free(file->checks);
    file->checks = NULL;
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

/* --- checks ---------------------------------------------------------------------------------- */

/* Row `row` of the tile is checked with this and `row` added to it. */
static uint64_t seed_of(const hop__tile_file *file, hop__tile_place place) {
    const uint64_t of[] = {file->seed, place.cross, place.row, place.column, place.epoch};
    return XXH3_64bits(of, sizeof of);
}

typedef struct check_job {
    const char *tile;
    size_t row_bytes;
    uint64_t seed;
    uint64_t *checks;
    bool make;            /* else compare */
    _Atomic uint64_t bad; /* a row whose check is wrong; UINT64_MAX: none */
} check_job;

static void check_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    check_job *job = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t check =
            XXH3_64bits_withSeed(job->tile + i * job->row_bytes, job->row_bytes, job->seed + i);
        if (job->make)
            job->checks[i] = check;
        else if (job->checks[i] != check)
            atomic_store_explicit(&job->bad, i, memory_order_relaxed);
    }
}

/* Makes the checks of a tile, or compares them. Returns a row where they are wrong, or
 * UINT64_MAX. */
static uint64_t check_tile(const hop__tile_file *file, hop__tile_place place, const void *tile,
                           bool make) {
    check_job job = {.tile = tile,
                     .row_bytes = file->side * hop_type_size(file->type),
                     .seed = seed_of(file, place),
                     .checks = file->checks,
                     .make = make,
                     .bad = UINT64_MAX};
    hop__for(file->context, file->side, CHECK_ROWS, check_range, &job);
    return atomic_load_explicit(&job.bad, memory_order_relaxed);
}

/* The row of tiles of the file that row `row` of the matrix is in. */
static uint64_t row_in_file(const hop__tile_file *file, uint64_t row, uint64_t epoch) {
    const uint64_t rows = file->tiles + 1;
    return (row + 1 + rows - epoch % rows) % rows;
}

/* Whether row `row` of what is there is whole, only that of another epoch; which may have put
 * another row of tiles there. */
static bool find_epoch(const hop__tile_file *file, hop__tile_place *place, const void *numbers,
                       uint64_t row, uint64_t check) {
    const uint64_t rows = file->tiles + 1, bytes = file->side * hop_type_size(file->type);
    const uint64_t here = row_in_file(file, place->row, place->epoch);
    for (uint64_t epoch = 0; epoch <= file->tiles; epoch++) {
        hop__tile_place other = *place;
        other.epoch = epoch;
        if (!place->cross)
            other.row = (here + epoch + rows - 1) % rows;
        if (XXH3_64bits_withSeed(numbers, bytes, seed_of(file, other) + row) == check) {
            *place = other;
            return true;
        }
    }
    return false;
}

static hop_status fail_tile(const hop__tile_file *file, hop__tile_place place, const void *numbers,
                            uint64_t row, uint64_t check) {
    const hop__tile_place wanted = place;
    const char *kind = place.cross ? (place.column ? "column of round" : "row of round") : "round";
    const char *advice =
        file->named ? "no run can continue from this file: remove it, and run again" : "run again";
    const uint64_t i = place.row, j = place.cross ? place.epoch : place.column;
    if (find_epoch(file, &place, numbers, row, check))
        return hop__fail(
            file->context, HOP_ERR_INPUT,
            "apsp: %s: tile (%llu, %llu) of %s %llu expected, and one of round %llu is "
            "there, as in a copy that was made during a run; %s",
            file->path, (unsigned long long)i, (unsigned long long)j, kind,
            (unsigned long long)wanted.epoch, (unsigned long long)place.epoch, advice);
    return hop__fail(file->context, HOP_ERR_INPUT,
                     "apsp: %s: tile (%llu, %llu) of %s %llu is damaged: the checksum of its row "
                     "%llu is wrong; %s",
                     file->path, (unsigned long long)i, (unsigned long long)j, kind,
                     (unsigned long long)wanted.epoch, (unsigned long long)row, advice);
}

/* --- tiles ----------------------------------------------------------------------------------- */

static uint64_t place_at(const hop__tile_file *file, hop__tile_place place) {
    uint64_t number = place.cross
                          ? file->tiles * (file->tiles + 1 + place.column) + place.row
                          : row_in_file(file, place.row, place.epoch) * file->tiles + place.column;
    return 2 * PAGE + number * slot_bytes(file->type, file->side);
}

hop_status hop__tile_read(hop__tile_file *file, hop__tile_place place, void *tile) {
    hop_status status;
    const uint64_t at = place_at(file, place), bytes = tile_bytes(file);
    HOP_TRY(status, read_at(file, tile, bytes, at));
    HOP_TRY(status, read_at(file, file->checks, file->side * sizeof(uint64_t), at + bytes));
    uint64_t bad = check_tile(file, place, tile, false);
    if (bad != UINT64_MAX)
        status = fail_tile(file, place, (const char *)tile + bad * (bytes / file->side), bad,
                           file->checks[bad]);
done:
    return status;
}

hop_status hop__tile_write(hop__tile_file *file, hop__tile_place place, const void *tile) {
    hop_status status;
    const uint64_t at = place_at(file, place), bytes = tile_bytes(file);
    (void)check_tile(file, place, tile, true);
    HOP_TRY(status, write_at(file, tile, bytes, at));
    HOP_TRY(status, write_at(file, file->checks, file->side * sizeof(uint64_t), at + bytes));
#ifdef SYNC_FILE_RANGE_WRITE
    /* Begins now, so that the mark has little to wait for. */
    (void)sync_file_range(file->descriptor, (off_t)at, (off_t)slot_bytes(file->type, file->side),
                          SYNC_FILE_RANGE_WRITE);
#endif
done:
    return status;
}

void hop__tile_soon(hop__tile_file *file, hop__tile_place place) {
    (void)posix_fadvise(file->descriptor, (off_t)place_at(file, place),
                        (off_t)slot_bytes(file->type, file->side), POSIX_FADV_WILLNEED);
}

/* False: the system refuses. A file that nothing can go on from need not be on the disk. */
static bool sync_named(const hop__tile_file *file) {
    int synced = 0;
    while (file->named && (synced = fdatasync(file->descriptor)) != 0 && errno == EINTR)
        ;
    return synced == 0;
}

hop_status hop__tile_mark(hop__tile_file *file, uint64_t round, hop__tile_stage stage,
                          uint64_t row) {
    if (!sync_named(file))
        return fail_io(file, "sync");
    file->round = round;
    file->stage = stage;
    file->row = row;
    hop_status status = write_head(file);
    if (status == HOP_OK && !sync_named(file))
        return fail_io(file, "sync");
    return status;
}

hop_status hop__tile_row(hop__tile_file *file, uint64_t row, void *out) {
    hop_status status = HOP_OK;
    const size_t size = hop_type_size(file->type);
    const uint64_t bytes = file->side * size, inside = row % file->side;
    for (uint64_t t = 0; t < file->tiles; t++) {
        const uint64_t first = t * file->side;
        const uint64_t count = file->n - first < file->side ? file->n - first : file->side;
        const hop__tile_place place = {false, row / file->side, t, file->tiles};
        const uint64_t at = place_at(file, place);
        uint64_t check;
        HOP_TRY(status, read_at(file, file->checks, bytes, at + inside * bytes));
        HOP_TRY(status,
                read_at(file, &check, sizeof check, at + tile_bytes(file) + inside * sizeof check));
        if (XXH3_64bits_withSeed(file->checks, bytes, seed_of(file, place) + inside) != check)
            HOP_TRY(status, fail_tile(file, place, file->checks, inside, check));
        memcpy((char *)out + first * size, file->checks, count * size);
    }
done:
    return status;
}
