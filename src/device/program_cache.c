/* SPDX-License-Identifier: Apache-2.0
 * The files of compiled programs; the rules are in program_cache.h. */
#include "device/program_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/memory.h"

enum { NAME = 40, BYTES_MOST = 256 << 20 };

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

void *hop__cache_load(hop_context *context, int folder, const uint64_t key[2], size_t *bytes) {
    char name[NAME];
    header head;
    uint64_t hash[2];
    void *binary = NULL;
    *bytes = 0;
    if (folder < 0)
        return NULL;
    file_name(key, name);
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
    close(file);
    if (wrong != NULL) {
        hop__log(context, HOP_LOG_WARNING, "kernel cache: %s is not used: %s", name, wrong);
        hop__free(binary);
        return NULL;
    }
    *bytes = binary != NULL ? head.bytes : 0;
    return binary;
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
    if (whole && renameat(folder, unfinished, folder, name) == 0)
        return;
    hop__log(context, HOP_LOG_INFO, "kernel cache: %s could not be written: %s", name,
             strerror(errno));
    if (file >= 0)
        unlinkat(folder, unfinished, 0);
}
