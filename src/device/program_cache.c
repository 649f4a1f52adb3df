/* SPDX-License-Identifier: Apache-2.0
 * The files of compiled programs; the rules are in program_cache.h. */
#include "device/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/memory.h"

enum {
    NAME = 40,
    BYTES_MOST = HOP__CACHE_BYTES / 4, /* of one program */
    USED_AGAIN = 3600,                 /* seconds after which a use is written down again */
    UNFINISHED_MOST = 3600             /* seconds after which nobody writes to a file any more */
};

typedef struct header {
    char magic[8];
    uint64_t key[2];
    uint64_t bytes;   /* that follow */
    uint64_t hash[2]; /* of them */
} header;

static const char magic[8] = "HOPKRN1";

/* --- the folder ------------------------------------------------------------------------------ */

static void choose_path(char path[HOP__CACHE_PATH]) {
    const char *given = secure_getenv("HOPLITE_CACHE_DIR");
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    path[0] = '\0';
    int length = 0;
    if (given != NULL)
        length = snprintf(path, HOP__CACHE_PATH, "%s", given);
    else if (xdg != NULL && xdg[0] == '/')
        length = snprintf(path, HOP__CACHE_PATH, "%s/hoplite", xdg);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, HOP__CACHE_PATH, "%s/.cache/hoplite", home);
    if (length >= HOP__CACHE_PATH)
        path[0] = '\0';
    /* A slash at the end would follow a link. */
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
        path[end - 1] = '\0';
}

/* Parents as the system's rules say; the last one for us alone. */
static void make_folders(const char *path) {
    char part[HOP__CACHE_PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = strchr(part + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(part, 0700);
        *at = '/';
    }
    mkdir(part, 0700);
}

int hop__cache_open(char path[HOP__CACHE_PATH], char why[256]) {
    struct stat facts;
    why[0] = '\0';
    choose_path(path);
    if (path[0] == '\0') {
        snprintf(why, 256, "it is switched off, or there is no folder for it");
        return -1;
    }
    if (path[0] != '/') {
        snprintf(why, 256, "its folder is not an absolute path");
        return -1;
    }
    make_folders(path);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        bool link = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
        snprintf(why, 256, "%s", link ? "its folder is a symbolic link" : strerror(errno));
        return -1;
    }
    if (fstat(folder, &facts) != 0)
        snprintf(why, 256, "%s", strerror(errno));
    else if (facts.st_uid != geteuid())
        snprintf(why, 256, "its folder belongs to user %u, not to user %u", (unsigned)facts.st_uid,
                 (unsigned)geteuid());
    else if ((facts.st_mode & 0077) != 0)
        snprintf(why, 256, "its folder has mode %04o, and others could use it; chmod 700 it",
                 (unsigned)facts.st_mode & 07777);
    if (why[0] == '\0')
        return folder;
    close(folder);
    return -1;
}

/* --- files ----------------------------------------------------------------------------------- */

static void file_name(const uint64_t key[2], char name[NAME]) {
    snprintf(name, NAME, "%016llx%016llx.bin", (unsigned long long)key[0],
             (unsigned long long)key[1]);
}

static bool read_all(int file, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t got = read(file, at, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got, bytes -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t put = write(file, at, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put, bytes -= (size_t)put;
    }
    return true;
}

static void hash_of(const void *binary, size_t bytes, uint64_t hash[2]) {
    XXH128_hash_t value = XXH3_128bits(binary, bytes);
    hash[0] = value.high64;
    hash[1] = value.low64;
}

/* Why the file is not to be trusted, or NULL. */
static const char *wrong_file(int file, const uint64_t key[2], header *head) {
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return "it is not a file";
    if (facts.st_uid != geteuid())
        return "it belongs to another user";
    if ((facts.st_mode & 0022) != 0)
        return "others can write to it";
    if (!read_all(file, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0)
        return "it is not one of ours";
    if (memcmp(head->key, key, sizeof head->key) != 0)
        return "it was made for another program, driver or device";
    if (head->bytes == 0 || head->bytes > BYTES_MOST ||
        (uint64_t)facts.st_size != sizeof *head + head->bytes)
        return "it is cut off";
    return NULL;
}

/* The time of a file is that of its last use. */
static void note_use(int file) {
    struct stat facts;
    if (fstat(file, &facts) == 0 && facts.st_mtime + USED_AGAIN < time(NULL))
        futimens(file, NULL);
}

void *hop__cache_load(hop_context *context, int folder, const uint64_t key[2], size_t *bytes) {
    char name[NAME];
    header head;
    uint64_t hash[2];
    void *binary = NULL;
    *bytes = 0;
    if (folder < 0)
        return NULL;
    file_name(key, name);
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return NULL;
    const char *wrong = wrong_file(file, key, &head);
    if (wrong == NULL && hop__alloc(context, "kernel binary", head.bytes, 1, &binary) == HOP_OK) {
        if (!read_all(file, binary, head.bytes))
            wrong = "it cannot be read";
        hash_of(binary, head.bytes, hash);
        if (wrong == NULL && memcmp(hash, head.hash, sizeof hash) != 0)
            wrong = "it is damaged";
    }
    if (wrong == NULL)
        note_use(file);
    close(file);
    if (wrong != NULL) {
        hop__log(context, HOP_LOG_WARNING, "kernel cache: %s is not used: %s", name, wrong);
        hop__free(binary);
        return NULL;
    }
    *bytes = binary != NULL ? head.bytes : 0;
    return binary;
}

/* Whether it has the name of one of our files; *unfinished: of one that is being written. */
static bool is_ours(const char *name, bool *unfinished) {
    size_t digits = strspn(name, "0123456789abcdef");
    if (digits != 32 || strncmp(name + digits, ".bin", 4) != 0)
        return false;
    *unfinished = name[digits + 4] == '-';
    return *unfinished || name[digits + 4] == '\0';
}

/* One look at the folder: the bytes of all programs, and the one that was not used for the longest
 * time, but for `kept`. What somebody left unfinished is removed on the way. */
static uint64_t look_through(int folder, const char *kept, char oldest[NAME]) {
    uint64_t bytes = 0;
    time_t now = time(NULL), least = 0;
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = again >= 0 ? fdopendir(again) : NULL;
    oldest[0] = '\0';
    if (all == NULL) {
        if (again >= 0)
            close(again);
        return 0;
    }
    for (struct dirent *each; (each = readdir(all)) != NULL;) {
        struct stat facts;
        bool unfinished;
        if (!is_ours(each->d_name, &unfinished) ||
            fstatat(folder, each->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        if (unfinished) {
            if (facts.st_mtime + UNFINISHED_MOST < now)
                unlinkat(folder, each->d_name, 0);
            continue;
        }
        bytes += (uint64_t)facts.st_size;
        if (strcmp(each->d_name, kept) != 0 && (oldest[0] == '\0' || facts.st_mtime < least)) {
            least = facts.st_mtime;
            snprintf(oldest, NAME, "%.39s", each->d_name);
        }
    }
    closedir(all);
    return bytes;
}

void hop__cache_prune(hop_context *context, int folder, const uint64_t key[2], uint64_t limit) {
    char kept[NAME], oldest[NAME];
    file_name(key, kept);
    while (look_through(folder, kept, oldest) > limit && oldest[0] != '\0') {
        /* Another process may have been first; what cannot be removed is left. */
        if (unlinkat(folder, oldest, 0) != 0 && errno != ENOENT)
            return;
        hop__log(context, HOP_LOG_INFO, "kernel cache: %s was removed to make room", oldest);
    }
}

void hop__cache_store(hop_context *context, int folder, const uint64_t key[2], const void *binary,
                      size_t bytes) {
    char name[NAME], unfinished[NAME + 32];
    if (folder < 0 || bytes == 0 || bytes > BYTES_MOST)
        return;
    header head = {.key = {key[0], key[1]}, .bytes = bytes};
    memcpy(head.magic, magic, sizeof magic);
    hash_of(binary, bytes, head.hash);
    file_name(key, name);
    /* Another thread of this process may store the same: the context is what differs. */
    snprintf(unfinished, sizeof unfinished, "%.36s-%ld-%lx", name, (long)getpid(),
             (unsigned long)(uintptr_t)context & 0xffffff);
    int file =
        openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool whole = file >= 0 && write_all(file, &head, sizeof head) && write_all(file, binary, bytes);
    if (file >= 0)
        whole &= close(file) == 0;
    if (whole && renameat(folder, unfinished, folder, name) == 0) {
        hop__cache_prune(context, folder, key, HOP__CACHE_BYTES);
        return;
    }
    hop__log(context, HOP_LOG_INFO, "kernel cache: %s could not be written: %s", name,
             strerror(errno));
    if (file >= 0)
        unlinkat(folder, unfinished, 0);
}
