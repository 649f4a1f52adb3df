/* SPDX-License-Identifier: Apache-2.0
 * Scratch in pages; see page_file.h. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/bytes/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/try.h"

enum { ALIGNMENT = 4096, LEAST_ROOM = 64, HOLE_BYTES = 8 << 20 };

/* What stands before the bytes of a page. */
typedef struct page_head {
    uint64_t hash; /* of the bytes, with the page's number as seed */
    uint64_t count;
} page_head;

_Static_assert(sizeof(page_head) == HOP__PAGE_HEAD, "the head has no padding");

/* ---- opening --------------------------------------------------------------------------------- */

/* A file with a name that is removed at once: where the system cannot make one without. */
static int open_removed(const char *folder) {
    char name[PATH_MAX];
    int length = snprintf(name, sizeof name, "%s/.hoplite-scratch-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(name);
    return descriptor;
}

static int open_nameless(const char *folder) {
    int descriptor = -1;
#ifdef O_TMPFILE
    do
        descriptor = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC | O_EXCL, 0600);
    while (descriptor < 0 && errno == EINTR);
#endif
    return descriptor >= 0 ? descriptor : open_removed(folder);
}

/* How many files the process may have open; 0: not known. */
static uint64_t file_limit(void) {
#ifdef RLIMIT_NOFILE
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 0;
#else
    return 0;
#endif
}

static hop_status refused(hop_context *context, const hop__scratch *scratch, int error) {
    uint64_t limit = error == EMFILE ? file_limit() : 0;
    if (limit != 0)
        hop__fail(context, HOP_ERR_IO,
                  "scratch: cannot create a file in %s: %s: this process may have %" PRIu64
                  ", and building on disk takes up to %d more at a time; raise the limit, as by "
                  "ulimit -n %" PRIu64,
                  scratch->folder, strerror(error), limit, HOP__SCRATCH_FILES,
                  limit + HOP__SCRATCH_FILES);
    else
        hop__fail(context, HOP_ERR_IO, "scratch: cannot create a file in %s: %s", scratch->folder,
                  strerror(error));
    hop__note_file(context, scratch->folder);
    return hop__note_system(context, error);
}

hop_status hop__pages_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                           hop__page_file *file) {
    hop_status status;
    *file = (hop__page_file){.scratch = scratch, .descriptor = -1};
    file->page_bytes = (page_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    HOP_TRY(status, hop__alloc(context, "scratch: pages", 0, sizeof *file->next, &file->next));
    file->descriptor = open_nameless(scratch->folder);
    if (file->descriptor < 0)
        status = refused(context, scratch, errno);
done:
    if (status != HOP_OK)
        hop__pages_close(file);
    return status;
}

void hop__pages_close(hop__page_file *file) {
    if (file->scratch != NULL && file->descriptor >= 0) {
        close(file->descriptor);
        atomic_fetch_sub(&file->scratch->live, atomic_load(&file->live));
    }
    hop__free(file->next);
    *file = (hop__page_file){.descriptor = -1};
}

hop_status hop__pages_expect(hop_context *context, hop__page_file *file, uint64_t pages) {
    uint64_t need = atomic_load(&file->pages) + pages;
    if (need >= HOP__NO_PAGE)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "scratch: more than 2^32 - 2 pages of %zu bytes; a larger memory budget "
                         "makes larger pages",
                         file->page_bytes);
    if (need <= file->room)
        return HOP_OK;
    uint64_t room = need + need / 2 < LEAST_ROOM ? LEAST_ROOM : need + need / 2;
    hop_status status =
        hop__resize(context, "scratch: pages", room, sizeof *file->next, &file->next);
    if (status == HOP_OK)
        file->room = room;
    return status;
}

/* ---- failures -------------------------------------------------------------------------------- */

static void keep_failure(hop__page_file *file, int error, bool writing, uint64_t number) {
    int none = 0;
    if (atomic_compare_exchange_strong(&file->error, &none, error)) {
        atomic_store(&file->writing, writing);
        atomic_store(&file->number, number);
    }
}

hop_status hop__pages_status(hop_context *context, const hop__page_file *file) {
    int error = atomic_load(&file->error);
    if (error == 0)
        return HOP_OK;
    if (error == EBADMSG) {
        hop__fail(context, HOP_ERR_INPUT,
                  "scratch in %s: page %" PRIu64
                  " is not as it was written: the disk or its driver has failed",
                  file->scratch->folder, (uint64_t)atomic_load(&file->number));
        hop__note_file(context, file->scratch->folder);
        return HOP_ERR_INPUT;
    }
    hop__fail(context, HOP_ERR_IO, "scratch in %s: cannot %s: %s", file->scratch->folder,
              atomic_load(&file->writing) ? "write" : "read", strerror(error));
    hop__note_file(context, file->scratch->folder);
    return hop__note_system(context, error);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Counts a page that is on the disk from now on. */
static void count_live(hop__page_file *file) {
    hop__scratch *scratch = file->scratch;
    atomic_fetch_add(&file->live, file->page_bytes);
    uint_fast64_t live = atomic_fetch_add(&scratch->live, file->page_bytes) + file->page_bytes;
    uint_fast64_t most = atomic_load(&scratch->most);
    while (live > most && !atomic_compare_exchange_weak(&scratch->most, &most, live))
        ;
}

/* Moves a whole page, which is in two parts; 0 or an errno. */
static int move_page(const hop__page_file *file, uint64_t page, page_head *head, void *bytes,
                     size_t count, bool writing) {
    struct iovec parts[2] = {{head, sizeof *head}, {bytes, count}};
    off_t at = (off_t)(page * file->page_bytes);
    int left = 2;
    struct iovec *part = parts;
    while (left > 0) {
        ssize_t moved = writing ? pwritev(file->descriptor, part, left, at)
                                : preadv(file->descriptor, part, left, at);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? errno : writing ? EIO : EBADMSG; /* the file ends here */
        at += moved;
        size_t rest = (size_t)moved;
        while (left > 0 && rest >= part->iov_len) {
            rest -= part->iov_len;
            part++;
            left--;
        }
        if (left > 0) {
            part->iov_base = (unsigned char *)part->iov_base + rest;
            part->iov_len -= rest;
        }
    }
    return 0;
}

void hop__page_write(hop__page_file *file, hop__page_chain *chain, const void *bytes,
                     size_t count) {
    if (atomic_load_explicit(&file->error, memory_order_relaxed) != 0)
        return;
    uint64_t page = atomic_fetch_add(&file->pages, 1);
    page_head head = {XXH3_64bits_withSeed(bytes, count, page), count};
    file->next[page] = HOP__NO_PAGE;
    if (chain->last == HOP__NO_PAGE)
        chain->first = (uint32_t)page;
    else
        file->next[chain->last] = (uint32_t)page;
    chain->last = (uint32_t)page;
    int error = move_page(file, page, &head, (void *)(uintptr_t)bytes, count, true);
    if (error != 0)
        keep_failure(file, error, true, page);
    count_live(file);
}

bool hop__page_read(hop__page_file *file, uint32_t page, void *bytes, size_t count) {
    page_head head;
    if (atomic_load_explicit(&file->error, memory_order_relaxed) != 0)
        return false;
    int error = move_page(file, page, &head, bytes, count, false);
    if (error == 0 &&
        (head.count != count || head.hash != XXH3_64bits_withSeed(bytes, count, page)))
        error = EBADMSG;
    if (error != 0)
        keep_failure(file, error, false, page);
    return error == 0;
}

void hop__page_drop(hop__page_file *file, uint32_t page) {
    if (page != file->hole_end)
        file->hole = page;
    file->hole_end = (uint64_t)page + 1;
    uint64_t bytes = (file->hole_end - file->hole) * file->page_bytes;
    uint64_t part = atomic_load(&file->pages) * file->page_bytes / 16;
    if (bytes < (part < HOLE_BYTES ? part : HOLE_BYTES) || file->keeps)
        return;
#ifdef FALLOC_FL_PUNCH_HOLE
    file->keeps = fallocate(file->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            (off_t)(file->hole * file->page_bytes), (off_t)bytes) != 0;
#else
    file->keeps = true;
#endif
    if (file->keeps)
        return;
    atomic_fetch_sub(&file->live, bytes);
    atomic_fetch_sub(&file->scratch->live, bytes);
    file->hole = file->hole_end;
}
