/* SPDX-License-Identifier: Apache-2.0
 *
 * Files without a name, or with a temporary one (see output_draft.h).
 *
 * linkat() gives a nameless file its path, but never replaces what is there. So where there is an
 * old file, the new one gets a temporary name first, which rename() puts in its place: between
 * these two calls a kill leaves a complete file under the temporary name. */
#include "io/bytes/output_draft.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/try.h"

enum { SPARE = 32, ATTEMPTS = 100 };

/* ---- temporary names ------------------------------------------------------------------------- */

/* Of a long name only the beginning is taken: with the suffix it must be a name too. */
static hop_status make_room(hop_context *context, const char *path, hop__draft *draft) {
    enum { NAME_KEPT = 200 };
    size_t length = strlen(path) + 1;
    struct timespec now;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "output", length, 1, &draft->path));
    HOP_TRY(status, hop__alloc(context, "output", length + SPARE, 1, &draft->name));
    memcpy(draft->path, path, length);
    memcpy(draft->name, path, length);
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    draft->stem = folder + strnlen(path + folder, NAME_KEPT);
    clock_gettime(CLOCK_REALTIME, &now);
    draft->salt = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)draft;
done:
    return status;
}

static void draw_name(hop__draft *draft) {
    draft->salt = draft->salt * UINT64_C(6364136223846793005) + 1442695040888963407;
    snprintf(draft->name + draft->stem, SPARE, ".%08" PRIx64 ".tmp", draft->salt >> 32);
}

/* A file with a temporary name: the same folder, so that rename() is atomic. */
static int open_named(hop__draft *draft) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        draw_name(draft);
        draft->descriptor = open(draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        draft->named = draft->descriptor >= 0;
        if (draft->named || (errno != EEXIST && errno != EINTR))
            break;
    }
    return draft->named ? 0 : errno;
}

/* ---- without a name -------------------------------------------------------------------------- */

#ifdef O_TMPFILE
#include <sys/sendfile.h>

/* The way to a descriptor's file for linkat(). AT_EMPTY_PATH would do without /proc, but wants a
 * privilege. */
static void own_link(const hop__draft *draft, char link[SPARE]) {
    snprintf(link, SPARE, "/proc/self/fd/%d", draft->descriptor);
}

static bool open_nameless(hop__draft *draft) {
    char link[SPARE];
    const char *slash = strrchr(draft->path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - draft->path);
    char last = draft->name[folder];
    draft->name[folder] = '\0';
    do /* for reading too: see copy_named */
        draft->descriptor =
            open(folder == 0 ? "." : draft->name, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    while (draft->descriptor < 0 && errno == EINTR);
    draft->name[folder] = last;
    if (draft->descriptor < 0)
        return false;
    own_link(draft, link);
    if (access(link, F_OK) == 0)
        return true;
    close(draft->descriptor); /* without /proc it could never be given a name */
    draft->descriptor = -1;
    return false;
}

static int give_name(const hop__draft *draft, const char *name) {
    char link[SPARE];
    own_link(draft, link);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int give_temporary_name(hop__draft *draft) {
    int error = EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && error == EEXIST; attempt++) {
        draw_name(draft);
        error = give_name(draft, draft->name);
    }
    draft->named = error == 0;
    return error;
}

/* A system that makes nameless files and then does not link them: the work of hours is not lost. */
static int copy_named(hop__draft *draft) {
    int from = draft->descriptor, error = open_named(draft);
    struct stat about;
    off_t at = 0;
    if (error == 0 && (fstat(from, &about) != 0 || fchmod(draft->descriptor, about.st_mode) != 0))
        error = errno;
    while (error == 0 && at < about.st_size) {
        ssize_t count = sendfile(draft->descriptor, from, &at, (size_t)(about.st_size - at));
        if (count <= 0 && errno != EINTR)
            error = count == 0 ? EIO : errno;
    }
    close(from);
    return error != 0 ? error : hop__draft_finish(draft);
}

/* Its path, if nothing is there; else a temporary name. */
static int take_a_name(hop__draft *draft, bool *there) {
    int error = give_name(draft, draft->path);
    *there = error == 0;
    if (error == EEXIST)
        error = give_temporary_name(draft);
    return error != 0 ? copy_named(draft) : 0;
}

#else

static bool open_nameless(hop__draft *draft) {
    (void)draft;
    return false;
}

static int take_a_name(hop__draft *draft, bool *there) {
    (void)draft;
    *there = false;
    return ENOSYS; /* never: all drafts are named */
}

#endif

/* ---- opening to end -------------------------------------------------------------------------- */

hop_status hop__draft_open(hop_context *context, const char *path, mode_t mode, hop__draft *draft,
                           int *error) {
    *draft = (hop__draft){.descriptor = -1};
    *error = 0;
    hop_status status = make_room(context, path, draft);
    if (status != HOP_OK)
        return status;
    if (!open_nameless(draft))
        *error = open_named(draft);
    if (*error == 0 && mode != 0)
        (void)fchmod(draft->descriptor, mode);
    return HOP_OK;
}

int hop__draft_finish(hop__draft *draft) {
    int synced;
    while ((synced = fsync(draft->descriptor)) != 0 && errno == EINTR)
        ;
    if (synced != 0 && errno != EINVAL && errno != EROFS)
        return errno;
    if (!draft->named) /* its descriptor is all that holds it */
        return 0;
    int descriptor = draft->descriptor;
    draft->descriptor = -1;
    return close(descriptor) != 0 && errno != EINTR ? errno : 0;
}

int hop__draft_commit(hop__draft *draft) {
    bool there = false;
    int error = draft->named ? 0 : take_a_name(draft, &there);
    if (error == 0 && !there) {
        error = rename(draft->name, draft->path) == 0 ? 0 : errno;
        draft->named = error != 0;
    }
    return error;
}

void hop__draft_discard(hop__draft *draft) {
    if (draft->descriptor >= 0)
        close(draft->descriptor);
    if (draft->named)
        unlink(draft->name);
    hop__free(draft->name);
    hop__free(draft->path);
    *draft = (hop__draft){.descriptor = -1};
}
